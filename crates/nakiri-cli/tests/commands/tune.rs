//! `nakiri tune`: what it finds, keeps, and takes up again; and that `build` and `bench` use it.

use super::*;
use nakiri_bench::tune::store::Tuned;
use nakiri_verify::cc::Compiler;
use std::collections::BTreeSet;

/// A cipher of one round, small enough to be compiled and timed in no time.
const SOURCE: &str = "\
node Mix (x:u32x2 @le, key:const u32x2 @le) returns (y:u32x2 @le)
let
  y = ((x[0] ^ key[0]) <<< 5, (x[1] ^ key[1]) & x[0])
tel
";

const MANIFEST: &str = "\
name = \"mix\"
title = \"Mix\"
specification = \"this test\"
source = \"mix.ua\"
slicing = \"V\"

[[instance]]
prefix = \"mix\"
key = { bytes = 8 }
encrypt = \"Mix\"
modes = [\"ecb\"]
";

/// A folder with the cipher `mix`.
fn cipher(name: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::create_dir_all(folder.path("mix")).expect("a folder");
    folder.write("mix/mix.ua", SOURCE);
    folder.write("mix/cipher.toml", MANIFEST);
    folder.write("mix/vectors.toml", "");
    folder
}

/// `nakiri tune` of that cipher on general-purpose registers, with one compiler and a cache of its own.
fn tune(folder: &Folder, more: &[&str]) -> Done {
    let compiler = Compiler::find().expect("a C compiler").program;
    let (cache, size) = (folder.path("cache"), "512");
    let common = ["tune", "--cache", &cache, "--target", "gp64", "--cc", &compiler, "--size", size];
    nakiri(&[&common, more].concat())
}

/// What was kept for this machine.
fn kept(folder: &Folder) -> Tuned {
    let files = std::fs::read_dir(folder.path("mix/tuned")).expect("a folder");
    let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(&files[0]).expect("text");
    Tuned::parse(&text).expect("it is well formed")
}

/// How many configurations a search says that it has timed.
fn timed(done: &Done) -> usize {
    let before = done.err.split(" timed").next().unwrap_or_default();
    let number = before.rsplit(' ').next().unwrap_or_default();
    number.parse().unwrap_or_else(|_| panic!("no number of timed configurations: {}", done.err))
}

#[test]
fn what_is_found_is_kept_and_built() {
    let folder = cipher("tune");
    let mix = folder.path("mix");
    let done = tune(&folder, &["--budget", "6", &mix]);
    assert_eq!(done.code, 0, "{}", done.err);
    let tuned = kept(&folder);
    let slicings: Vec<&str> = tuned.choices.iter().map(|choice| choice.slicing()).collect();
    assert_eq!(slicings, ["B", "H", "V"]);
    assert!(tuned.choices.iter().all(|choice| choice.cost > 0.0 && choice.target == "gp64"));

    let best = tuned.best("gp64").expect("a choice");
    let built = nakiri(&["build", &mix, "--target", "gp64", "-o", "-"]);
    assert_eq!(built.code, 0, "{}", built.err);
    let asked = format!("--target gp64:{}", best.slicing());
    assert!(built.out.contains(&asked), "{asked} is not in\n{}", built.out);
    // What the command line says is not changed.
    let other = if best.slicing() == "V" { "B" } else { "V" };
    let built = nakiri(&["build", &mix, "--target", &format!("gp64:{other}"), "-o", "-"]);
    assert!(built.out.contains(&format!("--target gp64:{other}+")), "{}", built.out);
    // Nor does the file say anything about another machine: here it can't even be read.
    let file = std::fs::read_dir(folder.path("mix/tuned")).expect("a folder").flatten().next();
    std::fs::write(file.expect("a file").path(), "choice = 1").expect("it is written");
    let machine = if tuned.machine.name == "zen3" { "skylake" } else { "zen3" };
    let build = |more: &[&str]| {
        nakiri(&[&["build", &mix, "--target", "gp64", "-o", "-"], more].concat()).code
    };
    assert_eq!((build(&[]), build(&["--machine", machine])), (1, 0));
}

#[test]
fn what_is_found_for_a_base_is_taken_where_features_make_no_other_slicing_legal() {
    let folder = Folder::new("base");
    let built = |cipher: &str, instance: &str| {
        let from = format!("{}/../../ciphers/{cipher}", env!("CARGO_MANIFEST_DIR"));
        std::fs::create_dir_all(folder.path(&format!("{cipher}/tuned"))).expect("a folder");
        for entry in std::fs::read_dir(from).expect("a folder").flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                let to = folder.0.join(cipher).join(entry.file_name());
                std::fs::copy(entry.path(), to).expect("it is copied");
            }
        }
        let text = format!(
            "[machine]\nname = \"zen5\"\ncpu = \"\"\nfeatures = []\n\n[[choice]]\ninstance = \"{instance}\"\n\
             target = \"avx512\"\nconfiguration = \"B avx512 unroll=2 inline=all interleave=1:1 schedule=source\"\n\
             compiler = \"gcc\"\nflags = []\ncost = 1.0\ndefault_cost = 1.0\ndate = \"\"\nsource = \"\"\n"
        );
        folder.write(&format!("{cipher}/tuned/zen5.toml"), &text);
        let path = folder.path(cipher);
        let target = ["--target", "avx512+gfni", "--machine", "zen5"];
        let done = nakiri(&[&["build", &path, "-o", "-"], &target[..]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        done.out
    };
    let rectangle = built("rectangle", "rectangle80");
    for taken in ["--target avx512+gfni:B+", "+unroll=2+inline=all+interleave=1:1+schedule=source"]
    {
        assert!(rectangle.contains(taken), "{taken}");
    }
    // Its S-box is one instruction on words of bytes, which the base doesn't have.
    assert!(built("aes128_bytes", "aes128_bytes").contains("--target avx512+gfni:V+"));
}

#[test]
fn a_second_search_goes_on_where_the_first_was() {
    let folder = cipher("resume");
    let mix = folder.path("mix");
    let first = tune(&folder, &["--budget", "4", &mix]);
    assert_eq!(first.code, 0, "{}", first.err);
    let files = std::fs::read_dir(folder.path("cache")).expect("a folder").flatten();
    let journals: Vec<_> =
        files.map(|f| f.path()).filter(|p| p.extension().is_some_and(|e| e == "jsonl")).collect();
    let lines = || -> Vec<String> {
        let text = std::fs::read_to_string(&journals[0]).expect("text");
        text.lines().map(str::to_string).collect()
    };
    let before = lines();
    assert!(!before.is_empty(), "{}", first.err);
    let second = tune(&folder, &["--budget", "4", &mix]);
    assert_eq!(second.code, 0, "{}", second.err);
    let after = lines();
    assert!(after.starts_with(&before), "{after:#?}");
    // What the first has timed is known: nothing is timed twice, and the second tells what it took up.
    let candidates: BTreeSet<&str> =
        after.iter().filter_map(|line| Some(line.split_once(",\"cost\"")?.0)).collect();
    assert_eq!(candidates.len(), after.len(), "{after:#?}");
    assert!(timed(&second) > after.len() - before.len(), "{}\n{}", first.err, second.err);
}

/// A cost that another run has told is worth nothing beside what is timed now.
#[test]
fn what_was_kept_is_timed_again_and_replaced() {
    let folder = cipher("replaced");
    let mix = folder.path("mix");
    let first = tune(&folder, &["--budget", "3", &mix]);
    assert_eq!(first.code, 0, "{}", first.err);
    let mut tuned = kept(&folder);
    tuned.choices.iter_mut().for_each(|choice| choice.cost = 1e-6);
    let file = std::fs::read_dir(folder.path("mix/tuned")).expect("a folder").flatten().next();
    std::fs::write(file.expect("a file").path(), tuned.text()).expect("it is written");
    let second = tune(&folder, &["--budget", "3", &mix]);
    assert_eq!(second.code, 0, "{}", second.err);
    let again = kept(&folder);
    assert_eq!(again.choices.len(), tuned.choices.len());
    assert!(again.choices.iter().all(|choice| choice.cost > 1e-3), "{again:?}");
}

#[cfg(unix)]
#[test]
fn an_interruption_loses_nothing() {
    let folder = Folder::new("interrupt");
    std::fs::create_dir_all(folder.path("mix")).expect("a folder");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers/rectangle");
    for name in ["rectangle.ua", "cipher.toml", "vectors.toml"] {
        let to = folder.path(&format!("mix/{name}"));
        std::fs::copy(library.join(name), to).expect("a copy");
    }
    let compiler = Compiler::find().expect("a C compiler").program;
    let mut child = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .args(["tune", "--target", "gp64", "--budget", "1000000", "--cc", &compiler])
        .args(["--cache", &folder.path("cache"), &folder.path("mix")])
        .stderr(Stdio::piped())
        .spawn()
        .expect("nakiri starts");
    let journal = || {
        let files = std::fs::read_dir(folder.path("cache")).ok()?.flatten();
        let mut files = files.map(|file| file.path());
        let path = files.find(|path| path.extension().is_some_and(|e| e == "jsonl"))?;
        std::fs::read_to_string(path).ok().filter(|text| text.lines().count() > 2)
    };
    while journal().is_none() {
        if child.try_wait().expect("a process").is_some() {
            let done = child.wait_with_output().expect("it ended");
            panic!("nothing was written down: {}", String::from_utf8_lossy(&done.stderr));
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let done = child.wait_with_output().expect("it ends");
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(130), "{message}");
    assert!(message.contains("the next search goes on from"), "{message}");
    // Nothing half-written: no file at all, and a journal that the next search reads.
    assert!(!Path::new(&folder.path("mix/tuned")).exists());
    let (cache, mix) = (folder.path("cache"), folder.path("mix"));
    let again = ["tune", "--target", "gp64", "--budget", "3", "--cc", &compiler, "--cache", &cache];
    let next = nakiri(&[&again[..], &[&*mix]].concat());
    assert_eq!(next.code, 0, "{}", next.err);
    assert!(timed(&next) > 2, "{}", next.err);
}

#[test]
fn jobs_are_planned_done_and_merged() {
    let folder = cipher("jobs");
    let (mix, plan) = (folder.path("mix"), folder.path("plan"));
    let done = tune(&folder, &["--budget", "4", "--plan", &plan, &mix]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("parallel -j2"), "{}", done.err);
    let files = std::fs::read_dir(&plan).expect("a folder").flatten();
    let mut jobs: Vec<String> = files.map(|file| file.path().display().to_string()).collect();
    jobs.sort();
    assert_eq!(jobs.len(), 3, "{jobs:?}");
    // A job needs nothing of the folder that it was made from.
    std::fs::rename(&mix, folder.path("elsewhere")).expect("renamed");
    for job in &jobs {
        let done = tune(&folder, &["--job", job]);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    std::fs::rename(folder.path("elsewhere"), &mix).expect("renamed");
    let results: Vec<String> = jobs.iter().map(|job| job.replace(".job", ".toml")).collect();
    let merge = [&*mix, "--merge", &*results[0], &*results[1], &*results[2]];
    let done = tune(&folder, &merge);
    assert_eq!(done.code, 0, "{}", done.err);
    let slicings: Vec<String> =
        kept(&folder).choices.iter().map(|c| c.slicing().to_string()).collect();
    assert_eq!(slicings, ["B", "H", "V"]);
}

#[test]
fn what_is_ill_formed_is_refused() {
    let folder = cipher("ill");
    let mix = folder.path("mix");
    let job = folder.write("bad.job", "{ \"instance\": 3 }");
    for (args, code, message) in [
        (vec!["--job", &*job], 1, "is no job"),
        (vec!["--job", "nowhere.job"], 2, "there is no file"),
        (vec![&*mix, "--merge", &*job], 1, "make it anew"),
        (vec!["no-such-cipher"], 2, "there is no cipher"),
        (vec![&*mix, "--budget", "soon"], 2, "--budget"),
    ] {
        let done = tune(&folder, &args);
        assert_eq!(done.code, code, "{args:?}: {}", done.err);
        assert!(done.err.contains(message), "{args:?}: {}", done.err);
    }
    let cache = folder.path("cache");
    let done = nakiri(&["tune", &mix, "--cache", &cache, "--cc", "no-such-compiler"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("no C compiler found"), "{}", done.err);
}
