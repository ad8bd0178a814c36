//! Names that what is emitted would have twice, or that its language has taken: refused at the prefix; modules of a crate are renamed.

use super::{nakiri, Folder};

const SOURCE: &str = "
node Turn (x:u16[2]) returns (y:u16[2]) let y = (x[1], x[0] + x[1]) tel
mode Hash (message:bytes) returns (h:u16[2])
vars x:u16[2]
let
  x = (1, 2);
  forall block:u16[2] in pad(message, 0x80) { x := Turn(x ^ block); }
  h = x;
tel
";

/// A folder whose instances have these prefixes: hash functions, or permutations where one begins with `!`.
fn of(name: &str, prefixes: &[&str]) -> Folder {
    let folder = Folder::new(name);
    let mut manifest =
        "name = \"names\"\ntitle = \"X\"\nspecification = \"none\"\nstatus = \"example\"\n\
                        source = \"x.ua\"\nslicing = \"V\"\n"
            .to_string();
    for prefix in prefixes {
        let (prefix, what) = match prefix.strip_prefix('!') {
            Some(prefix) => (prefix, "permute = \"Turn\""),
            None => (*prefix, "mode = \"Hash\""),
        };
        manifest += &format!("[[instance]]\nprefix = \"{prefix}\"\n{what}\n");
    }
    folder.write("x.ua", SOURCE);
    folder.write("cipher.toml", manifest);
    folder
}

fn build(folder: &Folder, emit: &str) -> super::Done {
    let path = folder.0.display().to_string();
    let out = folder.0.join(emit).display().to_string();
    nakiri(&["build", &path, "--target", "gp64", "--emit", emit, "-o", &out])
}

#[test]
fn names_are_one_thing_s() {
    for (prefixes, emit, name, line) in [
        (&["h", "h_init"][..], "c", "`h_init` would be a name of the instance `h`, too", 11),
        (&["h_many", "h"], "c", "`h_many` would be a name of the instance `h_many`, too", 11),
        (&["h", "h_many"], "rust", "`h_many` would be a name of the instance `h`, too", 11),
        (&["H", "h"], "rust", "`h` would be a name of the instance `H`, too", 11),
        (&["int"], "c", "`int` would be its name in C", 8),
        (&["match"], "rust", "`match` would be its name in Rust", 8),
        (&["batch"], "rust", "`batch` would be its name in Rust", 8),
        (&["variants"], "rust", "`variants` would be its name in Rust", 8),
        (&["option"], "rust", "`Option` would be its name in Rust", 8),
    ] {
        let folder = of("names", prefixes);
        let done = build(&folder, emit);
        assert_eq!(done.code, 1, "{prefixes:?}: {}", done.err);
        for said in [name, "error[E0402]", &format!("cipher.toml:{line}:")] {
            assert!(done.err.contains(said), "{prefixes:?}: {said}\n{}", done.err);
        }
        assert!(!folder.0.join(emit).join("Cargo.toml").exists(), "{prefixes:?}");
    }
}

#[test]
fn modules_give_way_to_others() {
    let folder = of("modules", &["!match", "!core", "!lib", "!memory", "!gp64", "!plain"]);
    let done = build(&folder, "rust");
    assert_eq!(done.code, 0, "{}", done.err);
    let root = std::fs::read_to_string(folder.path("rust/src/lib.rs")).expect("a crate");
    for module in ["match_", "core_", "lib_", "memory_", "gp64_", "plain"] {
        assert!(root.contains(&format!("\nmod {module};\n")), "{module}\n{root}");
        assert!(folder.0.join(format!("rust/src/{module}.rs")).exists(), "{module}");
    }
    assert!(root.contains("pub use crate::match_::{match_permute};"), "{root}");
}
