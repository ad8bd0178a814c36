//! The program alone: away from its tree and in an empty home, it has the library that it carries.

use super::{nakiri, Folder};
use std::process::{Child, Command, Stdio};

/// A copy of the program in a folder with an empty home.
struct Alone(Folder);

impl Alone {
    fn new(name: &str) -> Alone {
        let folder = Folder::new(name);
        std::fs::create_dir(folder.path("home")).expect("a folder");
        std::fs::copy(env!("CARGO_BIN_EXE_nakiri"), folder.path("nakiri")).expect("copied");
        Alone(folder)
    }

    /// Starts it in the root, with a home of this name.
    fn start(&self, home: &str, args: &[&str]) -> Child {
        let mut command = Command::new(self.0.path("nakiri"));
        for variable in ["NAKIRI_LIBRARY", "NAKIRI_CACHE", "XDG_CACHE_HOME"] {
            command.env_remove(variable);
        }
        command.env("HOME", self.0.path(home)).args(args).current_dir("/");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    /// Runs it in the root: its exit code, and what it said.
    fn run(&self, home: &str, args: &[&str]) -> (Option<i32>, String) {
        let done = self.start(home, args).wait_with_output().expect("it ends");
        let said = [done.stdout, done.stderr].concat();
        (done.status.code(), String::from_utf8(said).expect("UTF-8"))
    }
}

#[test]
fn ciphers_are_known_without_a_tree() {
    let alone = Alone::new("alone");
    // The first two unpack the library at the same time.
    let out = alone.0.path("out");
    let build = ["build", "counter4", "--target", "gp64", "-o", &out];
    let both = [alone.start("home", &build), alone.start("home", &["ciphers", "cmac"])];
    for child in both {
        let done = child.wait_with_output().expect("it ends");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let (code, said) = alone.run("home", &["check", "cmac"]);
    assert_eq!(code, Some(0), "{said}");
    let file = |folder: &str| std::fs::read_to_string(format!("{folder}/counter4.c"));
    let own = alone.0.path("own");
    let done = nakiri(&["build", "ciphers/counter4", "--target", "gp64", "-o", &own]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(file(&out).expect("built"), file(&own).expect("built"), "whatever the place");
}

#[test]
fn what_was_removed_from_the_cache_comes_back() {
    let alone = Alone::new("alone-again");
    assert_eq!(alone.run("home", &["ciphers", "counter4"]).0, Some(0));
    let library = alone.0.path("home/.cache/nakiri/library");
    let place = std::fs::read_dir(&library).expect("unpacked").next().expect("one").expect("it");
    let source = place.path().join("ciphers/counter4/counter4.ua");
    std::fs::remove_file(&source).expect("removed");
    assert_eq!(alone.run("home", &["ciphers", "counter4"]).0, Some(0));
    assert!(source.is_file());
}

#[test]
fn what_cannot_be_unpacked_says_what_to_do() {
    let alone = Alone::new("alone-refused");
    alone.0.write("file", "");
    let (code, said) = alone.run("file", &["check", "counter4"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("set NAKIRI_CACHE to a folder that can be written"), "{said}");
    let (code, said) = alone.run("file", &["check", "cuonter4"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("did you mean `counter4`?"), "names are known all the same: {said}");
}
