//! `nakiri metrics`: the counts in git are those of what is compiled now.

use super::*;
use nakiri_bench::metrics::from_csv;
use nakiri_verify::cc;

/// Of each cipher the kernels for a target or two, of the next one for others; with `NAKIRI_FULL=1` all.
#[test]
fn the_counts_in_git_are_not_stale() {
    const ONE_OF: usize = 11;
    let one_of = if std::env::var_os("NAKIRI_FULL").is_some() { 1 } else { ONE_OF };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = std::fs::read_dir(root.join("ciphers")).expect("the ciphers").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let counted = |name: &String| root.join(format!("metrics/{name}.csv")).is_file();
    let (mut ciphers, others): (Vec<String>, Vec<String>) = names.partition(counted);
    ciphers.sort();
    let here = nakiri::isa::all().iter().filter(|target| cc::is_host(target.architecture));
    let here: Vec<&str> = here.map(|target| target.name).collect();
    for turn in 0..one_of {
        let targets: Vec<&str> = here.iter().copied().skip(turn).step_by(one_of).collect();
        let mut args = vec!["metrics"];
        args.extend(ciphers.iter().skip(turn).step_by(one_of).map(String::as_str));
        let targets = targets.join(",");
        args.extend(["--target", &targets, "--check", "metrics"]);
        let done = nakiri(&args);
        assert_eq!(done.code, 0, "{args:?}: {}", done.err);
    }
    for name in others {
        let done = nakiri(&["metrics", &name, "--check", "metrics"]);
        assert!(done.err.contains("only functions on blocks"), "{name}: {}", done.err);
    }
}

/// A cipher of a few gates and a sum.
fn small(folder: &Folder) -> String {
    let source =
        "node Small (x:u32[4]) returns (y:u32[4])\nlet\n  y[0] = (x[0] + x[1]) ^ x[2];\n  \
                  y[1] = x[1] <<< 7;\n  y[2] = x[2] & x[3];\n  y[3] = x[3]\ntel\n";
    folder.write("small.ua", source);
    let head =
        "name = \"small\"\ntitle = \"Small\"\nspecification = \"none\"\nsource = \"small.ua\"\n";
    let instance = "[[instance]]\nprefix = \"small\"\npermute = \"Small\"\nmodes = []\n";
    folder.write("cipher.toml", format!("{head}slicing = \"V\"\n{instance}"));
    folder.0.display().to_string()
}

#[test]
fn a_kernel_that_changed_is_named() {
    let folder = Folder::new("metrics");
    let (cipher, out, cache) = (small(&folder), folder.path("counts"), folder.path("cache"));
    let metrics = |more: &[&str]| {
        let what = ["metrics", &cipher, "--target", "gp64,avx2", "--cache", &cache];
        nakiri(&[&what[..], more].concat())
    };
    let done = metrics(&["-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let done = metrics(&["--check", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let path = folder.0.join("counts/small.csv");
    let text = std::fs::read_to_string(&path).expect("written");
    let rows = from_csv(&text).expect("rows");
    assert!(rows.iter().all(|row| row.instructions > 0 && row.bytes > 0 && row.logic > 0));
    let line = text.lines().find(|line| line.contains(",V,avx2,")).expect("a row");
    let logic = line.split(',').nth(5).expect("a count");
    let changed = line.replacen(&format!(",{logic},"), ",77,", 1);
    std::fs::write(&path, text.replace(line, &changed)).expect("written");
    let done = metrics(&["--check", &out]);
    assert_eq!(done.code, 1, "{}", done.err);
    for says in ["small V avx2 has changed", "nakiri metrics small -o"] {
        assert!(done.err.contains(says), "{}", done.err);
    }
    std::fs::write(&path, text.replace("instructions", "orders")).expect("written");
    let done = metrics(&["--check", &out]);
    assert_eq!((done.code, done.err.contains("small.csv")), (1, true), "{}", done.err);
    let done = metrics(&["--check", "/nowhere"]);
    assert_eq!((done.code, done.err.contains("small.csv")), (2, true), "{}", done.err);
}

#[test]
fn what_is_wrong_with_a_folder_is_said_once() {
    let folder = Folder::new("metrics_wrong");
    let cipher = small(&folder);
    let manifest = std::fs::read_to_string(folder.path("cipher.toml")).expect("written");
    let keyed = manifest.replace("permute = \"Small\"", "encrypt = \"Small\"\nkey = { bytes = 4 }");
    folder.write("cipher.toml", keyed);
    let done = nakiri(&["metrics", &cipher]);
    let said = done.err.matches("the key has 4 bytes, but the node takes 0").count();
    assert_eq!((done.code, said), (1, 1), "{}", done.err);
}
