//! Queues of jobs: ports that are no handshake are refused with a place and a way out; manifests name them too.

use super::{nakiri, Folder};
use nakiri_verify::cc::{self, SANITIZE};
use std::path::Path;
use std::process::Command;

const CORE: &str = "\
node Core (start:b1, word:b8) returns (done:b1, busy:b2, y:b8)
state s:b8, n:b2
let
  y = s;
  busy = n;
  done = ~(n[0] | n[1]);
  forall i in [0,7] {
    next s[i] = (start & word[i]) | (~start & s[(i + 1) % 8]);
  }
  next n[0] = start;
  next n[1] = n[0];
tel
";

#[test]
fn ports_that_are_no_handshake_are_refused() {
    let folder = Folder::new("handshake");
    let file = folder.write("core.ua", CORE);
    let plain = folder.write("plain.ua", "node Not (x:b8) returns (y:b8)\nlet\n  y = ~x\ntel\n");
    let out = folder.path("out");
    for (file, flags, code, said) in [
        (&file, "--start go --done done", 1, "there is no input `go`"),
        (&file, "--start go --done done", 1, "the inputs of one bit are `start`"),
        (&file, "--start done --done done", 1, "`done` is an output; `start` is an input"),
        (&file, "--start word --done done", 1, "`word` has several bits; `start` is one"),
        (&file, "--start start --done busy", 1, "core.ua:1:49"),
        (&file, "--start start", 1, "nothing says when a job ends"),
        (&file, "--start start --valid start", 1, "`start` is `start` and `valid`"),
        (&file, "--done done --ready done", 1, "name the input that says that a word is there"),
        (&plain, "--done y", 1, "`Not` has no registers"),
        (&file, "--start start --done done --emit rust", 2, "are for the C of files"),
        (&file, "--start start --done done -V", 1, "-V"),
    ] {
        let flags: Vec<&str> = flags.split(' ').collect();
        let args = [&["build", file, "--target", "gp64", "-o", &out][..], &flags].concat();
        let done = nakiri(&args);
        assert!(done.code == code && done.err.contains(said), "{flags:?}: {}", done.err);
        assert!(!Path::new(&out).join("core.c").exists(), "{flags:?}");
    }
}

#[test]
fn flags_and_manifests_name_a_handshake() {
    let folder = Folder::new("jobs");
    let file = folder.write("core.ua", CORE);
    let flags = ["--start", "start", "--done", "done"];
    let done = nakiri(&[&["build", &file, "--target", "gp64", "-o", "-"][..], &flags].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    for expected in [
        "int core_queue_start(core_queue *queue, size_t job, const uint8_t *in_word);",
        "int core_queue_done(core_queue *queue, size_t *job, uint8_t *out_busy, uint8_t *out_y);",
        "--target gp64:B+",
        " --start start --done done\n",
    ] {
        assert!(done.out.contains(expected), "{expected}\n{}", done.out);
    }
    let manifest = |handshake: &str| {
        format!(
            "name = \"core\"\ntitle = \"Core\"\nspecification = \"ours\"\nsource = \"core.ua\"\nslicing = \"B\"\n\n\
             [[instance]]\nprefix = \"core\"\nstep = \"Core\"\nmodes = []\nhandshake = {handshake}\n"
        )
    };
    let root = folder.0.display().to_string();
    folder.write("cipher.toml", manifest("{ start = \"start\", done = \"done\" }"));
    let done = nakiri(&["build", &root, "--target", "gp64", "-o", "-"]);
    assert!(done.code == 0 && done.out.contains("core_queue_tick"), "{}", done.err);
    let done = nakiri(&[&["build", &root, "--target", "gp64", "-o", "-"][..], &flags].concat());
    assert!(done.code == 2 && done.err.contains("a folder's manifest has"), "{}", done.err);
    folder.write("cipher.toml", manifest("{ start = \"go\", done = \"done\" }"));
    let done = nakiri(&["build", &root, "--target", "gp64", "-o", "-"]);
    assert!(done.code == 1 && done.err.contains("cipher.toml:11:13"), "{}", done.err);
}

/// A node whose jobs give what they are given, in another order of bytes.
const ECHO: &str = "\
node Echo (start:b1, x:u16[3] @be) returns (done:b1, y:u16[3] @le)
state s:u16[3], ended:b1
let
  y = s;
  done = ended;
  next s = x;
  next ended = start
tel
";

/// Works off jobs two at a time, then twelve at a time: bit by bit, and by transpositions.
const ECHOED: &str = r#"#include "echo.h"
#include <string.h>

int main(void) {
    static echo_queue queue;
    size_t next = 0, ended = 0, job;
    echo_queue_init(&queue);
    while (ended < 200) {
        const size_t together = next < 20 ? 2 : 12;
        for (size_t i = 0; i < together && next < 200; i++) {
            uint8_t x[6];
            for (size_t k = 0; k < 6; k++) x[k] = (uint8_t)(37 * next + 91 * k);
            if (!echo_queue_start(&queue, next++, x)) return 1;
        }
        uint8_t y[6];
        if (!echo_queue_tick(&queue)) return 2;
        for (; echo_queue_done(&queue, &job, y); ended++)
            for (size_t k = 0; k < 6; k++)
                if (y[k ^ 1] != (uint8_t)(37 * job + 91 * k)) return 3;
    }
    return 0;
}
"#;

#[test]
fn jobs_lie_in_memory_as_their_ports_say() {
    let folder = Folder::new("echo");
    let file = folder.write("echo.ua", ECHO);
    let out = folder.path("out");
    for targets in ["gp64", "gp32", "sse2"] {
        let flags = ["--start", "start", "--done", "done", "--target", targets, "-o", &out];
        let done = nakiri(&[&["build", &file][..], &flags].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        let source = folder.write("out/main.c", ECHOED);
        let program = folder.path("out/main");
        for compiler in cc::all() {
            let files = [source.clone(), folder.path("out/echo.c")];
            let files: Vec<&Path> = files.iter().map(Path::new).collect();
            compiler.compile(&files, SANITIZE, Path::new(&program)).expect("it compiles");
            let ended = Command::new(&program).status().expect("it runs");
            assert_eq!(ended.code(), Some(0), "{targets} by {}", compiler.program);
        }
    }
}
