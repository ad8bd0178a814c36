use super::{nakiri, Folder, ADD};

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
        let note = if name.ends_with("swar") { "[4]" } else { "[1]" };
        assert_eq!(row[1..4], [note, "✓", blocks], "{}", done.out);
    }
    let note = format!("[1] {file}:3:8: `+` has no instance for atoms of 32 bits under -B\n");
    assert!(done.out.contains(&note), "{}", done.out);
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
