use super::{nakiri, Folder};
use nakiri_bench::machine::Machine;

#[test]
fn a_file_that_cannot_be_written_or_a_missing_compiler_is_told_before_measuring() {
    let folder = Folder::new("calibrate-wrong");
    let nowhere = format!("{}/x.toml", folder.write("file", ""));
    let done = nakiri(&["calibrate", "-o", &nowhere]);
    assert!(done.code == 2 && done.err.contains("can't make the folder"), "{}", done.err);
    let out = folder.path("x.toml");
    let done = nakiri(&["calibrate", "-o", &out, "--cc", "no-such-compiler"]);
    assert!(done.code == 1 && done.err.contains("no-such-compiler"), "{}", done.err);
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 1);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_host_becomes_a_machine_file() {
    let folder = Folder::new("calibrate");
    let out = folder.path("here.toml");
    let done = nakiri(&["calibrate", "--quick", "-o", &out]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    let text = std::fs::read_to_string(&out).expect("written");
    let machine = Machine::parse(&text, "here.toml").unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(machine.name, "here");
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 1);
}
