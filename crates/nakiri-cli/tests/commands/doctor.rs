//! What the command says about itself and what is around it: `doctor`, `completions`, `man`.

use super::{nakiri, Folder};
use std::process::Command;

/// All sub-commands that are shown.
fn shown() -> Vec<String> {
    let help = nakiri(&["--help"]).out;
    let list = help.split("Commands:\n").nth(1).expect("a list").split("\n\n").next();
    let words = list.expect("a list").lines().filter_map(|line| line.split_whitespace().next());
    words.map(str::to_string).filter(|name| name != "help").collect()
}

#[test]
fn doctor_names_tools_and_what_installs_them() {
    // Without programs everything is missing.
    let done = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .args(["doctor", "--format", "json"])
        .env("PATH", "")
        .output()
        .expect("nakiri starts");
    assert!(done.status.success());
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let tools = said["tools"].as_array().expect("a list");
    for (name, install) in [
        ("gcc", "apt-get install gcc"),
        ("clang", "apt-get install clang-19"),
        ("yosys", "apt-get install yosys"),
        ("iverilog", "apt-get install iverilog"),
        ("verilator", "apt-get install verilator"),
        ("valgrind", "apt-get install valgrind"),
        ("llvm-objdump", "apt-get install llvm-19"),
        ("rustc", "https://rustup.rs"),
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == name).expect(name);
        assert!(tool["version"].is_null() && tool["install"] == install, "{tool}");
    }
    assert!(tools.iter().all(|tool| tool["enables"].as_str().is_some_and(|text| !text.is_empty())));
    let text = nakiri(&["doctor"]);
    assert_eq!(text.code, 0, "{}", text.err);
    assert!(text.out.contains("\nHere:\n"), "{}", text.out);
}

#[test]
fn completions_know_all_commands_but_hidden_ones() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = nakiri(&["completions", shell]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(shown().iter().all(|name| done.out.contains(name)), "{shell}");
        assert!(!done.out.contains("bench-worker"), "{shell}");
    }
    let unknown = nakiri(&["completions", "csh"]);
    assert!(unknown.code == 2 && unknown.err.contains("possible values"), "{}", unknown.err);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new("man");
    let out = folder.path("man1");
    assert_eq!(nakiri(&["man", "-o", &out]).code, 0);
    for name in shown() {
        let page = std::fs::read_to_string(format!("{out}/nakiri-{name}.1")).expect("a page");
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{name}");
    }
    let page = std::fs::read_to_string(format!("{out}/nakiri.1")).expect("a page");
    assert!(!page.contains("bench-worker"), "{page}");
    assert_eq!(nakiri(&["man", "-o", "-"]).code, 2);
    let file = folder.write("file", "");
    let refused = nakiri(&["man", "-o", &file]);
    assert!(refused.code == 2 && refused.err.contains("can't write"), "{}", refused.err);
}
