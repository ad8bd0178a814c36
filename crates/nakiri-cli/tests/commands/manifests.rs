//! What is said about manifests and vectors that are wrong: in words about the file, with the place and a way out.

use super::{nakiri, Folder};

const SOURCE: &str = "node Tweaked (p, t:u8x4, k:const u8x4) returns (c:u8x4) let c = p ^ t ^ k tel
node Unkeyed (p:u8x4, k:const u8x4[2]) returns (c:u8x4) let c = p ^ k[0] ^ k[1] tel
node Encrypt (p:u8x4, k:const u8x4) returns (c:u8x4) let c = p ^ k tel
";

/// A mode, and a family of modes.
const MODES: &str = "mode Seal (k:const u8x4, plain:bytes) returns (sealed:bytes)
let forall p:u8x4 in pad(plain), c:u8x4 in sealed { c = p ^ k; } tel
mode Turned (n:nat, k:const u8x4, plain:bytes) returns (sealed:bytes)
let forall p:u8x4 in pad(plain), c:u8x4 in sealed { c = p ^ (k <<< n); } tel
";

const MANIFEST: &str = "name = \"x\"
title = \"X\"
specification = \"none\"
status = \"example\"
source = \"x.ua\"
slicing = \"V\"

[[instance]]
prefix = \"x\"
key = { bytes = 4 }
encrypt = \"Encrypt\"
modes = [\"ecb\", \"ctr\"]
counter = { offset = 0, bytes = 4, order = \"be\" }
";

const VECTORS: &str = "[[block]]
instance = \"x\"
key = \"01020304\"
plain = \"00000000\"
cipher = \"01020304\"
origin = \"sum\"
";

/// A text in one of the files, what stands there instead, and what is said.
const WRONG: &[(&str, &str, &[&str])] = &[
    (
        "title",
        "titel",
        &["there is no key `titel` here", "did you mean `title`?", "cipher.toml:2:1"],
    ),
    ("source = \"x.ua\"\n", "", &["the key `source` is missing", "add `source = …`"]),
    ("\"X\"", "3", &["a text in quotes is needed here, not `3`", "cipher.toml:2:9"]),
    (
        "\"V\"",
        "\"W\"",
        &["`W` is no value of this key", "there are B, V, H, P", "cipher.toml:6:11"],
    ),
    ("\"example\"", "\"exampel\"", &["`exampel` is no value", "did you mean `example`?"]),
    ("\"X\"", "X", &["this is no TOML", "cipher.toml:2:9"]),
    ("\"X\"", "\"X", &["this is no TOML", "cipher.toml:2:"]),
    ("title = ", "title : ", &["this is no TOML", "a line is `key = \"text\"`"]),
    (
        "title = \"X\"",
        "title = \"X\"\ntitle = \"Y\"",
        &["this key stands twice", "cipher.toml:3:1"],
    ),
    (
        "[[instance]]",
        "[instance]",
        &["several of this table", "as in `[[instance]]`", "cipher.toml:8"],
    ),
    ("[[instance]]", "[[instance]", &["this is no TOML", "cipher.toml:8"]),
    (
        "{ bytes = 4 }",
        "{ bites = 4 }",
        &["no key `bites`", "did you mean `bytes`?", "cipher.toml:10"],
    ),
    (
        "{ bytes = 4 }",
        "{ bytes = \"4\" }",
        &["a whole number, at least 0, is needed here, not the text \"4\""],
    ),
    ("{ bytes = 4 }", "{ bytes = -4 }", &["a whole number", "not `-4`"]),
    ("{ bytes = 4 }", "{ bytes = 1.5 }", &["a whole number", "not `1.5`"]),
    (
        "{ bytes = 4 }",
        "\"32\"",
        &["a table such as `{ … = … }` is needed here, not the text \"32\""],
    ),
    (
        "encrypt = \"Encrypt\"",
        "encrypt = \"Encrypt\"\ndecrypt = \"Unkeyed\"",
        &["`Unkeyed` takes another key than `Encrypt`", "cipher.toml:12:11"],
    ),
    ("[\"ecb\", \"ctr\"]", "[\"ecb\", \"cbc\"]", &["`cbc` is no value", "there are ecb, ctr"]),
    (
        "[\"ecb\", \"ctr\"]",
        "\"ecb\"",
        &["a list such as `[…, …]` is needed here, not the text \"ecb\""],
    ),
    ("\"be\"", "\"big\"", &["`big` is no value", "there are le, be"]),
    ("\"Encrypt\"", "\"Encrpyt\"", &["`x.ua` has no node `Encrpyt`", "did you mean `Encrypt`?"]),
    (
        "\"x.ua\"",
        "\"y.ua\"",
        &["there is no file `y.ua` in this folder", "did you mean `x.ua`?", "cipher.toml:5:10"],
    ),
    (
        "offset = 0",
        "offset = 1",
        &["the counter lies outside of the block of 4 bytes", "cipher.toml:13:11"],
    ),
    (
        "encrypt = \"Encrypt\"",
        "encrypt = \"Tweaked\"",
        &["`Tweaked` takes 2 parameters and gives 1", "leave out the mode", "cipher.toml:13:11"],
    ),
    (
        "[[block]]",
        "[[ctr]]\ninstance = \"x\"\nkey = \"01020304\"\ncounter = \"00000000\"\nplain = \"\"\ncipher = \"\"\norigin = \"-\"\n[[block]]",
        &["a text without bytes says nothing of CTR", "vectors.toml:5:9"],
    ),
    ("[[block]]", "[[blocks]]", &["no key `blocks`", "did you mean `block`?", "vectors.toml:1"]),
    ("origin = \"sum\"\n", "", &["the key `origin` is missing", "vectors.toml:1"]),
    ("\"00000000\"", "12", &["a text in quotes is needed here, not `12`", "vectors.toml:4:9"]),
    ("\"00000000\"", "\"0000000g\"", &["'g' is not a hexadecimal digit", "vectors.toml:4:9"]),
    (
        "instance = \"x\"",
        "instance = \"xx\"",
        &["no instance `xx`", "there is x in cipher.toml", "vectors.toml:2"],
    ),
];

#[test]
fn faults_of_manifests_are_told_in_words_about_the_file() {
    for (from, to, said) in WRONG {
        let folder = Folder::new("manifests");
        folder.write("x.ua", SOURCE);
        folder.write("cipher.toml", MANIFEST.replacen(from, to, 1));
        folder.write("vectors.toml", VECTORS.replacen(from, to, 1));
        let done = nakiri(&["check", &folder.0.display().to_string()]);
        assert_eq!(done.code, 1, "{to}: {}", done.err);
        for said in *said {
            assert!(done.err.contains(said), "{to}: {said}\n{}", done.err);
        }
        for raw in ["field", "variant", "usize", "struct", "sequence", "invalid type"] {
            assert!(
                !done.err.lines().next().is_some_and(|line| line.contains(raw)),
                "{}",
                done.err
            );
        }
    }
}

#[test]
fn nodes_modes_and_keys_are_told_apart() {
    let head = MANIFEST.split_inclusive("prefix = \"x\"\n").next().expect("it begins");
    for (instance, said) in [
        ("permute = \"Seal\"", ["`Seal` is a mode, not a node", "write `mode = \"Seal\"`"]),
        (
            "mode = \"Encrypt\"",
            ["`Encrypt` is a node, not a mode", "write `encrypt = \"Encrypt\"`"],
        ),
        ("mode = \"Turned\"", ["has no mode `Turned`", "`mode X = family(…)`"]),
        (
            "key = { bytes = 5 }\nencrypt = \"Encrypt\"",
            ["the key has 5 bytes, but the node takes 4", "write `bytes = 4`"],
        ),
        (
            "permute = \"Encrypt\"",
            ["the key has 0 bytes, but the node takes 4", "write `key = { bytes = 4 }`"],
        ),
        ("mode = \"Seel\"", ["has no mode `Seel`", "did you mean `Seal`?"]),
    ] {
        let folder = Folder::new("manifests-modes");
        folder.write("x.ua", format!("{SOURCE}{MODES}"));
        folder.write("cipher.toml", format!("{head}{instance}\n"));
        for command in ["check", "build"] {
            let done = nakiri(&[command, &folder.path("")]);
            assert_eq!(done.code, 1, "{instance}: {}", done.err);
            for said in said.into_iter().chain(["cipher.toml:10:"]) {
                assert!(done.err.contains(said), "{command} {instance}: {said}\n{}", done.err);
            }
        }
    }
}

/// Sums of words that no instruction adds: what `check` advises builds a folder, too.
#[test]
fn folders_have_soft_arithmetic() {
    let folder = Folder::new("manifests-soft");
    folder
        .write("x.ua", "node Sum (x:u24[2]) returns (y:u24[2]) let y = (x[0] + x[1], x[0]); tel\n");
    let manifest = MANIFEST.split("key = ").next().expect("it begins");
    folder.write("cipher.toml", format!("{manifest}permute = \"Sum\"\n").replace("\"V\"", "\"B\""));
    let out = folder.path("x.c");
    let done = nakiri(&["check", &folder.path("")]);
    assert!(done.code == 1 && done.err.contains("with `-B --soft-arith`"), "{}", done.err);
    assert_eq!(nakiri(&["check", &folder.path(""), "--soft-arith"]).code, 0);
    for target in ["gp64", "avx2:B"] {
        let done =
            nakiri(&["build", &folder.path(""), "--soft-arith", "--target", target, "-o", &out]);
        assert_eq!(done.code, 0, "{target}: {}", done.err);
    }
    assert_eq!(nakiri(&["build", &folder.path(""), "-o", &out]).code, 1);
}

#[test]
fn instances_of_a_folder_are_built_alone() {
    let folder = Folder::new("instances");
    folder.write("x.ua", SOURCE);
    let second = MANIFEST.split_once("[[instance]]").expect("one").1.replace("\"x\"", "\"second\"");
    folder.write("cipher.toml", format!("{MANIFEST}\n[[instance]]{second}"));
    folder.write("vectors.toml", VECTORS);
    let path = folder.0.display().to_string();
    let built = |more: &[&str]| {
        nakiri(&[&["build", &path, "--target", "gp64", "-o", "-"][..], more].concat())
    };
    let both = built(&[]);
    assert!(
        both.code == 0 && both.out.contains(" x_ctr_xor(") && both.out.contains(" second_ctr_xor(")
    );
    let one = built(&["--instance", "second"]);
    assert!(
        one.code == 0 && !one.out.contains(" x_ctr_xor(") && one.out.contains(" second_ctr_xor(")
    );
    // No vector is of this one.
    assert!(one.out.contains(" --instance second --target ") && !one.out.contains("vectors.toml"));
    let all = built(&["--instance", "second,x"]);
    assert!(all.out.find(" x_ctr_xor(") < all.out.find(" second_ctr_xor("), "{}", all.out);
    let none = built(&["--instance", "secnod"]);
    assert!(none.code == 2 && none.err.contains("did you mean `second`?"), "{}", none.err);
    let of_file = nakiri(&["build", &folder.path("x.ua"), "--instance", "x"]);
    assert!(of_file.code == 2 && of_file.err.contains("--entry"), "{}", of_file.err);
    let entry = built(&["--instance", "x", "--entry", "Encrypt"]);
    assert_eq!(entry.code, 2, "{}", entry.err);
}

#[test]
fn mistyped_words_of_the_command_line_are_guessed() {
    for (args, near) in [
        (&["build", "counter4", "--target", "avx22"][..], "`avx2`"),
        (&["build", "counter4", "--target", "avx2:V+shedule=latency"], "`schedule`"),
        (&["build", "counter4", "--target", "avx2:V+schedule=latensy"], "`latency`"),
        (&["build", "counter4", "--schedule", "latensy"], "'latency'"),
        (&["build", "counter4", "--emit", "rsut"], "`rust`"),
        (&["build", "counter4", "--emit", "after:pakc"], "`pack`"),
        (&["bound", "counter4", "--machine", "zen44"], "`zen4`"),
        (&["check", "modes/sha33"], "`sha3`"),
        (&["check", "aes182"], "`aes128`"),
        (&["metrics", "counter4", "--target", "gp46"], "`gp64`"),
        (&["explain", "E203"], "`E0203`"),
        (&["chekc", "counter4"], "'check'"),
        (&["check", "counter4", "--fromat", "json"], "'--format'"),
    ] {
        let done = nakiri(args);
        assert!(done.code == 2 && done.err.contains(near), "{args:?}: {}", done.err);
    }
}
