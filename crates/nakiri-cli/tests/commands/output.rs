//! What commands write: folders that are made, pipes that close, devices that are full, and programs with nothing to write.

use super::{nakiri, nakiri_with, Folder, ADD};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// A program whose messages are longer than a pipe holds.
fn many_errors() -> String {
    let wrong: String = (0..2000).map(|i| format!("  y = nothing{i};\n")).collect();
    format!("node Main (x:u8) returns (y:u8)\nlet\n{wrong}tel\n")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nakiri"));
    command.env("NAKIRI_CIRCUITS", "off");
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.stdin(Stdio::null());
    command
}

/// How a command ends whose reader takes one byte of its standard error.
fn hung_up(args: &[&str]) -> ExitStatus {
    let mut child =
        command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("nakiri starts");
    let mut reader = child.stderr.take().expect("a pipe");
    let _ = reader.read(&mut [0]);
    drop(reader);
    child.wait().expect("nakiri ends")
}

#[test]
fn a_reader_that_hangs_up_ends_nothing_loudly() {
    let folder = Folder::new("hung-up");
    let wrong = folder.write("wrong.ua", many_errors());
    assert_eq!(hung_up(&["check", &wrong]).code(), Some(1));
    assert_eq!(hung_up(&["build", &wrong, "-o", "-"]).code(), Some(1));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_ends_every_command_with_its_code() {
    let folder = Folder::new("full");
    let (right, wrong) = (folder.write("a.ua", ADD), folder.write("wrong.ua", many_errors()));
    let full = || File::options().write(true).open("/dev/full").expect("it is there");
    let explained = ["build", &right, "--target", "gp64:V", "--explain", "-o", "-"];
    for (args, code) in [
        (&["check", &wrong][..], 1),
        (&["build", &wrong, "-o", "-"], 1),
        (&["run", "nowhere.ua"], 2),
        (&["frobnicate"], 2),
        (&["explain", "E9999"], 2),
        (&["fmt", &wrong, "nowhere.ua"], 2),
        (&["prove", "nowhere.v"], 2),
        (&explained, 2),
    ] {
        let ended = command(args).stdout(Stdio::null()).stderr(full()).status();
        assert_eq!(ended.expect("nakiri starts").code(), Some(code), "{args:?} 2>/dev/full");
    }
    for args in [
        &["build", &right, "--target", "gp64:V", "-o", "-"][..],
        &["explain", "E0135"],
        &["targets"],
        &["check", &right],
        &["--help"],
    ] {
        let ended = command(args).stdout(full()).stderr(Stdio::null()).status();
        assert_eq!(ended.expect("nakiri starts").code(), Some(2), "{args:?} >/dev/full");
    }
}

#[test]
fn folders_of_outputs_are_made() {
    let folder = Folder::new("folders");
    let file = folder.write("a.ua", ADD);
    let build = |out: &str, emit: &str| {
        nakiri(&["build", &file, "--target", "gp64:V", "--emit", emit, "-o", &folder.path(out)])
    };
    for (out, emit, made) in [
        ("new/deep/x.c", "c", &["new/deep/x.c", "new/deep/x.h"][..]),
        ("folder/deep", "c", &["folder/deep/a.c", "folder/deep/a.h"]),
        ("text/core.txt", "core", &["text/core.txt"]),
        ("figures/a.json", "json", &["figures/a.json"]),
        ("crates/a", "rust", &["crates/a/Cargo.toml"]),
    ] {
        let done = build(out, emit);
        assert_eq!(done.code, 0, "{out}: {}", done.err);
        for path in made {
            assert!(Path::new(&folder.path(path)).is_file(), "{path}");
        }
    }
    // The message is about what was written on the command line.
    let done = build("a.ua/x.c", "c");
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(
        done.err.contains("can't make the folder") && done.err.contains("a.ua`"),
        "{}",
        done.err
    );
    let wrong = folder.write("wrong.ua", many_errors());
    assert_eq!(nakiri(&["build", &wrong, "-o", &folder.path("never/x.c")]).code, 1);
    assert!(!Path::new(&folder.path("never")).exists(), "nothing is made for what can't be built");
}

/// Nodes that take nothing, give nothing, or leave what they take: both engines run them.
#[test]
fn nodes_without_parameters_or_results_run_as_c() {
    let folder = Folder::new("nothing");
    for (name, node, input, output) in [
        ("sink", "node Main (x:u8) returns () let tel", r#"{"x":1}"#, "{}"),
        ("source", "node Main () returns (y:u8) let y = 3 tel", "{}", r#"{"y": 3}"#),
        ("nothing", "node Main () returns () let tel", "{}", "{}"),
        ("key", "node Main (k:const u8) returns (y:u8) let y = k tel", r#"{"k":5}"#, r#"{"y": 5}"#),
        (
            "unused",
            "node Main (_k:const u8, _x:u8[2], z:u8) returns (y:u8) let y = z tel",
            r#"{"_k":5,"_x":[1,2],"z":7}"#,
            r#"{"y": 7}"#,
        ),
        (
            "key_sink",
            "node Main (_k:const u8, _x:u8) returns () let tel",
            r#"{"_k":5,"_x":1}"#,
            "{}",
        ),
    ] {
        let file = folder.write(&format!("{name}.ua"), node);
        for slicing in ["-V", "-B"] {
            for engine in ["interp", "c"] {
                let args = ["run", &file, slicing, "--target", "gp64", "--engine", engine];
                let done = nakiri_with(&[&args[..], &["--in", "-"]].concat(), input);
                assert_eq!(
                    (done.code, done.out.trim()),
                    (0, output),
                    "{name} {slicing}: {}",
                    done.err
                );
            }
        }
    }
}
