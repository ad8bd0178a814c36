use super::{nakiri, Folder, ADD};
use nakiri_verify::random::Rng;
use std::path::Path;

#[test]
fn the_table_says_what_is_legal_and_what_forbids_the_rest() {
    let folder = Folder::new("check");
    let file = folder.write("add.ua", ADD);
    let done = nakiri(&["check", &file, "--types"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let lines: Vec<Vec<&str>> = done.out.lines().map(|l| l.split_whitespace().collect()).collect();
    assert!(lines.contains(&vec!["-B", "-V", "-H", "-P"]), "{}", done.out);
    let names = ["gp32", "gp64", "gp64+swar", "sse2", "ssse3", "avx", "avx2", "avx512", "neon"];
    for (name, blocks) in names.iter().zip(["1", "1", "2", "4", "4", "4", "8", "16", "4"]) {
        let row = lines.iter().find(|line| line.first() == Some(name)).expect("a row");
        // Where several words lie in a general-purpose register, single bits don't.
        let note = if name.ends_with("swar") { "–" } else { "[1]" };
        assert_eq!(row[1..4], [note, "✓", blocks], "{}", done.out);
    }
    let note = format!("[1] {file}:3:8: `+` has no instance for atoms of 32 bits under -B\n");
    assert!(done.out.contains(&note), "{}", done.out);
    let note = "  [–] gp32+swar, gp64+swar: for -V, several words in a register\n";
    let held = done.out.contains("can't be held in registers under -B");
    assert!(done.out.contains(note) && !held, "{}", done.out);
    assert!(done.out.starts_with("Add : (Arith 32, Shift 32) ⇒ "), "{}", done.out);
}

#[test]
fn a_folder_shows_every_node_of_its_manifest() {
    let done = nakiri(&["check", "ciphers/rectangle"]);
    assert_eq!(done.code, 0, "{}", done.err);
    for node in ["KeySchedule80", "KeySchedule128", "Encrypt", "Decrypt"] {
        assert!(done.out.contains(&format!("{node}: blocks at once\n")), "{}", done.out);
    }
}

#[test]
fn a_generic_entry_has_a_row_for_each_word_size() {
    let folder = Folder::new("generic");
    let file = folder.write("f.ua", "node F (x:v2) returns (y:v2) let y = ~x tel\n");
    let out = nakiri(&["check", &file]).out;
    for row in ["-B -w 1 ", "-V -w 8 ", "-V -w 64", "-H -w 16"] {
        assert!(out.contains(row), "{out}");
    }
    let out = nakiri(&["check", &file, "-w", "32"]).out;
    assert!(out.contains("-V -w 32") && !out.contains("-w 16"), "{out}");
}

#[test]
fn every_mode_of_ours_is_accepted() {
    let modes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../modes");
    let entries = std::fs::read_dir(modes).expect("a folder").map(|entry| entry.expect("an entry"));
    for folder in entries.filter(|entry| entry.path().is_dir()) {
        let done = nakiri(&["check", &folder.path().to_string_lossy()]);
        assert_eq!(done.code, 0, "{:?}: {}", folder.path(), done.err);
    }
}

#[test]
fn errors_have_places_also_in_json() {
    let folder = Folder::new("errors");
    let file = folder.write("f.ua", "node F (x:u8) returns (y:u8)\nlet\n  y = z\ntel\n");
    let done = nakiri(&["check", &file]);
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.contains(&format!("{file}:3:7")), "{}", done.err);
    let done = nakiri(&["check", &file, "--format", "json"]);
    assert_eq!((done.code, done.err.as_str()), (1, ""));
    let json: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    let label = &json["diagnostics"][0]["labels"][0];
    assert_eq!((&label["line"], &label["column"]), (&3.into(), &7.into()), "{}", done.out);
    let good = folder.write("add.ua", ADD);
    let done = nakiri(&["check", &good, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    let targets = &json["entries"][0]["slicings"][1]["targets"];
    assert_eq!(targets["avx2"]["blocks"], 8, "{}", done.out);
}

#[test]
fn a_file_that_is_not_utf8_is_refused_with_the_offset() {
    let folder = Folder::new("utf8");
    let file = folder.write("f.ua", b"# caf\xe9\nnode F (x:u8) returns (y:u8) let y = x tel");
    let done = nakiri(&["check", &file]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("E0401") && done.err.contains("0xe9 at offset 5"), "{}", done.err);
    let includes = folder.write("g.ua", "include \"f.ua\"\n");
    let done = nakiri(&["check", &includes]);
    assert!(done.code == 1 && done.err.contains("is not UTF-8 at offset 5"), "{}", done.err);
}

#[test]
fn includes_are_found_beside_the_file_then_in_the_folders_of_the_command_line() {
    let (folder, library) = (Folder::new("include"), Folder::new("library"));
    library.write("lib.ua", "node Not (x:u8) returns (y:u8) let y = ~x tel\n");
    let file = folder
        .write("f.ua", "include \"lib.ua\"\nnode F (x:u8) returns (y:u8) let y = Not(x) tel\n");
    let done = nakiri(&["check", &file]);
    assert!(done.code == 1 && done.err.contains("can't include `lib.ua`"), "{}", done.err);
    let done = nakiri(&["check", &file, "-I", &library.0.display().to_string()]);
    assert_eq!(done.code, 0, "{}", done.err);
    folder.write("lib.ua", "node Not (x:u8) returns (y:u8) let y = x + 1 tel\n");
    let done = nakiri(&["check", &file, "-I", &library.0.display().to_string(), "--types"]);
    assert!(done.out.contains("Not : Arith"), "the file beside wins: {}", done.out);
}

#[test]
fn what_is_legal_nowhere_ends_with_1_and_a_way() {
    let folder = Folder::new("nowhere");
    for (text, code, way) in [
        ("node F (x, y:u13) returns (z:u13) let z = x + y tel", "E0410", "with `-B --soft-arith`"),
        ("node F (x:v1) returns (y:v1) let y = x >>> 70 tel", "E0410", "the nearest way"),
        ("node F (k:const u8) returns (y:u8) let y = ~k tel", "E0411", "without `const`"),
        ("node F () returns (y:u8) let y = 3 tel", "E0411", "give it a parameter"),
    ] {
        let file = folder.write("f.ua", text);
        let done = nakiri(&["check", &file]);
        assert_eq!(done.code, 1, "{text}: {}", done.out);
        assert!(done.err.contains(code) && done.err.contains(way), "{text}: {}", done.err);
        assert!(done.err.contains(&format!("{file}:1:")), "{}", done.err);
        let json = nakiri(&["check", &file, "--format", "json"]);
        assert!(json.code == 1 && json.out.contains(code), "{}", json.out);
        for target in ["gp64", "avx2"] {
            assert_eq!(nakiri(&["build", &file, "--target", target, "-o", "-"]).code, 1, "{text}");
        }
    }
    let file = folder.write("f.ua", "node F (x, y:u13) returns (z:u13) let z = x + y tel");
    assert_eq!(nakiri(&["check", &file, "--soft-arith"]).code, 0);
    assert_eq!(nakiri(&["build", &file, "-B", "--soft-arith", "-o", "-"]).code, 0);
}

/// A slicing for which the table of a program has a tick, with its target, if there is one.
fn legal(file: &str, rng: &mut Rng) -> Option<(String, String)> {
    let done = nakiri(&["check", file, "--format", "json"]);
    assert!(matches!(done.code, 0 | 1), "{file}: {}", done.err);
    if done.code != 0 {
        return None;
    }
    let json: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    let rows = json["entries"][0]["slicings"].as_array().expect("slicings");
    let cells = rows.iter().flat_map(|row| {
        let width = row["width"].as_u64().map_or(String::new(), |width| format!(" -w {width}"));
        let slicing = format!("-{}{width}", row["slicing"].as_str().expect("a name"));
        let targets = row["targets"].as_object().expect("targets").iter();
        let legal = targets.filter(|(_, cell)| cell["blocks"].is_u64());
        legal.map(move |(target, _)| (slicing.clone(), target.clone()))
    });
    let cells: Vec<(String, String)> = cells.collect();
    assert!(!cells.is_empty(), "{file}: `check` is content, and nothing is legal");
    Some(cells[rng.below(cells.len())].clone())
}

/// `build` builds what `check` accepts.
fn agrees(file: &str, rng: &mut Rng) -> bool {
    let Some((slicing, target)) = legal(file, rng) else { return false };
    let words: Vec<&str> = slicing.split(' ').collect();
    let args = [&["build", file, "--target", &target, "-o", "-"], &words[..]].concat();
    let done = nakiri(&args);
    assert_eq!(done.code, 0, "{args:?}: {}", done.err);
    true
}

/// A program of one node whose types, layouts and operators nobody chose.
fn random_program(rng: &mut Rng) -> String {
    let pick = |rng: &mut Rng, list: &[&'static str]| list[rng.below(list.len())];
    let ty = pick(rng, &["u", "u", "b"]).to_string();
    let ty = match &*ty {
        "b" => format!("b{}", pick(rng, &["1", "3", "8", "16"])),
        _ => {
            let width = pick(rng, &["1", "4", "8", "8", "13", "16", "32", "32", "64"]);
            format!("u{width}{}", pick(rng, &["", "", "x2", "x3", "x4", "x8"]))
        }
    } + pick(rng, &["", "", "[2]", "[3]"]);
    let layout = pick(rng, &["", "", " @le", " @be", " @planes"]);
    let (key, state) = (rng.below(3) == 0, rng.below(4) == 0);
    let term = |rng: &mut Rng| {
        let mut names = vec!["x", "y", "~x", "(x <<< 1)"];
        names.extend(key.then_some("k"));
        names.extend(state.then_some("s"));
        names[rng.below(names.len())]
    };
    let exp = |rng: &mut Rng| {
        let op = pick(rng, &["^", "&", "|", "^", "+", "-", "*"]);
        format!("{} {op} {}", term(rng), term(rng))
    };
    let key_param = if key { format!(", k:const {ty}{layout}") } else { String::new() };
    let (registers, next) = match state {
        true => (format!("state s:{ty} "), format!("; next s = {}", exp(rng))),
        false => Default::default(),
    };
    let result = exp(rng);
    format!(
        "node F (x, y:{ty}{layout}{key_param}) returns (z:{ty}{layout})\n{registers}let z = {result}{next} tel\n"
    )
}

#[test]
fn what_check_accepts_build_builds() {
    let (folder, mut rng) = (Folder::new("accepts"), Rng::new(31));
    let count = if std::env::var_os("NAKIRI_FULL").is_some() { 400 } else { 24 };
    let mut built = 0;
    for _ in 0..count {
        let text = random_program(&mut rng);
        let file = folder.write("random.ua", &text);
        built += usize::from(agrees(&file, &mut rng));
    }
    assert!(2 * built > count / 2 && built < count, "{built} of {count}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/elaborate");
    for entry in std::fs::read_dir(root).expect("the folder exists") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        if path.extension().is_some_and(|e| e == "ua") && !text.starts_with("# flags") {
            agrees(&path.display().to_string(), &mut rng);
        }
    }
}

/// A cipher whose manifest asks for this slicing.
fn cipher(folder: &Folder, slicing: &str, more: &str) -> String {
    folder.write("f.ua", "node F (x:u32x3, m:u32) returns (y:u32x3)\nlet y = x + (m, m, m) tel\n");
    let head = "name = \"f\"\ntitle = \"F\"\nspecification = \"none\"\nsource = \"f.ua\"\n";
    let instance = "[[instance]]\nprefix = \"f\"\npermute = \"F\"\nmodes = []\n";
    folder.write("cipher.toml", format!("{head}slicing = \"{slicing}\"\n{instance}{more}"));
    folder.0.display().to_string()
}

#[test]
fn a_manifest_asks_for_a_legal_slicing() {
    let folder = Folder::new("asks");
    let path = cipher(&folder, "P", "");
    for command in [&["check", &path][..], &["build", &path, "--target", "avx2", "-o", &path]] {
        let done = nakiri(command);
        assert_eq!(done.code, 1, "{command:?}: {}", done.out);
        let place = format!("{}:5:11", folder.path("cipher.toml"));
        let said = ["E0402", "-P is legal on no target", "write \"V\"", &place];
        assert!(said.iter().all(|said| done.err.contains(said)), "{}", done.err);
    }
    let path = cipher(&folder, "V", "message = \"n\"\n");
    let done = nakiri(&["check", &path]);
    let said = ["E0402", "no parameter `n`", "there are x, m"];
    assert!(done.code == 1 && said.iter().all(|s| done.err.contains(s)), "{}", done.err);
    let path = cipher(&folder, "V", "message = \"m\"\n");
    assert_eq!(nakiri(&["check", &path]).code, 0);
    assert_eq!(nakiri(&["build", &path, "--target", "avx2", "-o", &path]).err, "");
}

#[test]
fn notes_of_several_slicings_may_come_in_any_order() {
    let source = "modes/gcm_siv/gcm_siv.ua";
    let done = nakiri(&["check", source, "--entry", "Aes128GcmSiv.absorb3"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let row = done.out.lines().find(|line| line.trim_start().starts_with("sse2 "));
    assert!(row.is_some_and(|row| row.contains("[2–4]")), "{}", done.out);
}
