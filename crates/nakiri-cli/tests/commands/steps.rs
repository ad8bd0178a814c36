//! Step functions whose constant parameters are a key of all lanes: libraries beside the interpreter, refusals.

use super::shared::tests_itself;
use super::{nakiri, Folder};
use nakiri::core::interp::Machine;
use nakiri::core::{Direction, Port, Program};
use nakiri::emit::c::{self, Library};
use nakiri::isa;
use nakiri::layout::to_memory;
use nakiri_cli::choice::TargetChoice;
use nakiri_cli::library::{of_entry, Settings};
use nakiri_verify::cc::{self, SANITIZE, STRICT};
use nakiri_verify::differential::elaborate;
use nakiri_verify::random::Rng;
use std::path::Path;
use std::process::Command;

/// A tag of each lane, whose rounds take a key of all: words under -V, bits under -B.
const MAC: &str = "\
node Round (y, x:u64, k:u64) returns (v, u:u64)
let
  u = ((x >>> 8) + y) ^ k;
  v = (y <<< 3) ^ u
tel

node Mac (m:u64x2 @le, k:const u64[4], last:const u64) returns (tag:u64x2 @le)
vars t:u64x2
state s:u64x2 = (1, 2), n:u64
let
  t = m ^ s;
  forall r in [0,3] { t := Round(t, k[r]) }
  tag[0] = t[0] ^ n;
  tag[1] = t[1];
  next s = t;
  next n = n ^ last
tel
";

const BITS: &str = "\
node Bits (x:b7, k:const b5, whole:const b16[2] @be) returns (y:b7)
vars t:b7
state s:b7 = 0b0110001
let
  t = x ^ (s <<< 3);
  y[0..4] = t[0..4] & k;
  y[5..6] = t[5..6] ^ whole[1][3..4];
  next s = t ^ (s & whole[0][0..6])
tel
";

/// How many ticks are compared, and after how many the key is another.
const TICKS: (usize, usize) = (9, 3);

/// Makes all ticks of each variant that runs here: `$lanes` blocks of the input and of what is wanted, after a key every `$often`.
const MAIN: &str = "\
#include \"$P.h\"
#include <stdio.h>
#include <string.h>

static uint8_t key[$key], in[$in * $lanes], want[$out * $lanes], got[$out * $lanes];

int main(int count, char **arguments)
{
    static $P_ctx ctx;
    static $P_state state;
    FILE *ticks = fopen(arguments[count - 1], \"rb\");
    int ran = 0;
    if (!ticks || $P_self_test() != 0)
        return 100;
    for (const char *const *variant = $P_variants(); *variant; variant++) {
        if ($P_use_variant(*variant) != 0)
            continue;
        rewind(ticks);
        for (int tick = 0; tick < $ticks; tick++) {
            if (tick % $often == 0) {
                if (fread(key, sizeof key, 1, ticks) != 1)
                    return 101;
                $P_expand_key(&ctx, key);
            }
            if (tick == 0)
                $P_reset(&ctx, &state);
            if (fread(in, sizeof in, 1, ticks) != 1 || fread(want, sizeof want, 1, ticks) != 1)
                return 102;
            $P_step(&ctx, &state, got, in);
            if (memcmp(got, want, $P_parallel_blocks() * $out) != 0)
                return 103;
        }
        $P_wipe(&state);
        $P_wipe_key(&ctx);
        ran++;
    }
    fclose(ticks);
    return ran;
}
";

fn memory(ports: &[Port], values: &[Vec<u128>], constant: bool) -> Vec<u8> {
    let own = ports.iter().zip(values).filter(|(port, _)| port.constant == constant);
    own.flat_map(|(port, atoms)| to_memory(port, atoms).expect("bits lie in order")).collect()
}

fn atoms(port: &Port, rng: &mut Rng) -> Vec<u128> {
    (0..port.count()).map(|_| rng.word(port.ty.bits())).collect()
}

/// The ticks of some lanes as the interpreter has them, for [`MAIN`].
fn ticks(program: &Program, lanes: usize, rng: &mut Rng) -> Vec<u8> {
    let (inputs, outputs) = (program.entry().inputs(), program.entry().outputs());
    let mut machines = vec![Machine::new(program); lanes];
    let (mut all, mut key) = (Vec::new(), Vec::new());
    for tick in 0..TICKS.0 {
        if tick % TICKS.1 == 0 {
            key = inputs.iter().map(|port| atoms(port, rng)).collect::<Vec<_>>();
            all.extend(memory(inputs, &key, true));
        }
        let mut want = Vec::new();
        for machine in &mut machines {
            let value = |(port, key): (&Port, &Vec<u128>)| match port.constant {
                true => key.clone(),
                false => atoms(port, rng),
            };
            let values: Vec<Vec<u128>> = inputs.iter().zip(&key).map(value).collect();
            all.extend(memory(inputs, &values, false));
            want.extend(memory(outputs, &machine.step(&values), false));
        }
        all.extend(want);
    }
    all
}

/// A vector for the self test: the ticks of one lane with one key.
fn vector(program: &Program, rng: &mut Rng) -> c::TickVector {
    let (inputs, outputs) = (program.entry().inputs(), program.entry().outputs());
    let mut values: Vec<Vec<u128>> = inputs.iter().map(|port| atoms(port, rng)).collect();
    let key = memory(inputs, &values, true);
    let mut machine = Machine::new(program);
    let runs = (0..TICKS.0).map(|_| {
        for (port, value) in inputs.iter().zip(&mut values).filter(|(port, _)| !port.constant) {
            *value = atoms(port, rng);
        }
        let input = memory(inputs, &values, false);
        c::Run { ticks: 1, input, output: memory(outputs, &machine.step(&values), false) }
    });
    c::TickVector { key, runs: runs.collect() }
}

/// Compiles a library for several targets by every compiler, under the sanitizers, and compares all lanes of all variants.
fn steps(folder: &Folder, name: &str, source: &str, direction: Direction) {
    let targets: Vec<_> = ["gp64", "ssse3", "avx2"]
        .into_iter()
        .map(|name| isa::find(name).expect("a target"))
        .collect();
    let here =
        targets.iter().filter(|target| nakiri_verify::exec::runnable(target).is_ok()).count();
    let program = elaborate(source).expect("a program");
    let settings = Settings {
        targets: targets.into_iter().map(TargetChoice::plain).collect(),
        direction: Some(direction),
        choices: Vec::new(),
    };
    let mut rng = Rng::new(7);
    let mut instance = of_entry(&program, name, &settings).expect("it compiles");
    instance.tick_vectors = vec![vector(&program, &mut rng)];
    let key = instance.key.as_ref().expect("a key").bytes;
    let library = Library {
        name: name.to_string(),
        title: name.to_string(),
        instances: vec![instance],
        ..Library::default()
    };
    let files = c::library(&library).expect("a library");
    let lanes = library.instances[0].functions[0].variants.iter().map(|kernel| kernel.blocks());
    let lanes = lanes.max().expect("a variant");
    let vector = &library.instances[0].tick_vectors[0].runs[0];
    let mut main = MAIN.to_string();
    for (place, value) in [
        ("$lanes", lanes),
        ("$key", key),
        ("$in", vector.input.len()),
        ("$out", vector.output.len()),
        ("$ticks", TICKS.0),
        ("$often", TICKS.1),
    ] {
        main = main.replace(place, &value.to_string());
    }
    folder.write(&format!("{name}.h"), &files.h);
    let library = folder.write(&format!("{name}.c"), &files.c);
    let main = folder.write("main.c", main.replace("$P", name));
    let given = folder.path("ticks");
    std::fs::write(&given, ticks(&program, lanes, &mut rng)).expect("written");
    let executable = folder.path("program");
    for compiler in cc::all() {
        let flags = [STRICT, SANITIZE].concat();
        let sources = [Path::new(&main), Path::new(&library)];
        compiler.compile(&sources, &flags, Path::new(&executable)).expect("it compiles");
        let done = Command::new(&executable).arg(&given).status().expect("it runs");
        assert_eq!(done.code(), Some(here as i32), "{name} -{direction:?} by {}", compiler.program);
    }
}

#[test]
fn lanes_share_the_constants_of_a_step_function() {
    let folder = Folder::new("steps");
    let gates = MAC.replace(" + ", " ^ ");
    steps(&folder, "words", MAC, Direction::V);
    steps(&folder, "bits", BITS, Direction::B);
    steps(&folder, "bits_of_words", &gates, Direction::B);
    steps(&folder, "across", &gates.replace("u64", "u16"), Direction::H);
}

/// A key schedule beside a step function.
const SCHEDULED: &str = "\
node Key (key:u8) returns (k:u8[2])
let
  k[0] = key;
  k[1] = ~key
tel

node Tick (x:u8, k:const u8[2]) returns (y:u8)
state s:u8
let
  y = x ^ k[0] ^ (s & k[1]);
  next s = x
tel
";

#[test]
fn a_manifest_gives_a_step_function_a_key() {
    let folder = Folder::new("steps_manifest");
    folder.write("tick.ua", SCHEDULED);
    let manifest = |more: &str| {
        let text = "name = \"tick\"\ntitle = \"Tick\"\nspecification = \"ours\"\nsource = \"tick.ua\"\nslicing = \"V\"\n\
                    [[instance]]\nprefix = \"tick\"\nstep = \"Tick\"\nmodes = []\n";
        folder.write("cipher.toml", format!("{text}{more}\n"));
    };
    let vector = |key: &str, input: &str, out: &str| {
        let run = format!("run = [{{ in = \"{input}\", ticks = 3, out = \"{out}\" }}]");
        let text = "[[ticks]]\ninstance = \"tick\"\norigin = \"by hand\"\n";
        folder.write("vectors.toml", format!("{text}{key}\n{run}\n"));
    };
    let place = folder.0.display().to_string();
    let build = |out: &str| nakiri(&["build", &place, "--target", "gp64,sse2", "-o", out]);
    let out = folder.path("tick.c");
    vector("key = \"0f\"", "55", "5a0a0a");
    manifest("key = { bytes = 1, schedule = \"Key\" }");
    let done = build(&out);
    assert_eq!(done.code, 0, "{}", done.err);
    tests_itself(&folder, "tick");
    for (more, said) in [
        ("", "`tick` has no key, not a key of 1 bytes"),
        ("key = { bytes = 1, schedule = \"Key\" }\nmultikey = true", "a `step` has no `multikey`"),
        (
            "key = { bytes = 1, schedule = \"Key\" }\nshared = \"x\"",
            "`shared` is for a `step` without",
        ),
        (
            "key = { bytes = 1, schedule = \"Key\" }\nrun = \"for 3\"",
            "has no other node, key schedule",
        ),
    ] {
        manifest(more);
        let done = nakiri(&["check", &place]);
        assert!(done.code == 1 && done.err.contains(said), "{more}: {}", done.err);
    }
    manifest("key = { bytes = 2 }");
    vector("key = \"0ff0\"", "55", "5a0a0b");
    let done = nakiri(&["check", &place]);
    assert!(done.code == 1 && done.err.contains("they give 5a0a0a"), "{}", done.err);
    vector("", "55", "5a0a0a");
    let done = nakiri(&["check", &place]);
    assert!(
        done.code == 1 && done.err.contains("has a key of 2 bytes, not no key"),
        "{}",
        done.err
    );
    vector("key = \"0ff0\"", "55", "5a0a0a");
    let done = build(&out);
    assert_eq!(done.code, 0, "{}", done.err);
    tests_itself(&folder, "tick");
}

#[test]
fn constants_of_a_step_function_are_shared_or_refused() {
    let folder = Folder::new("steps_shared");
    let file = folder.write("tick.ua", SCHEDULED);
    let out = folder.path("tick.c");
    let other = folder.path("other");
    let build = |more: &[&str]| {
        nakiri(&[&["build", &file, "--target", "gp64", "-o", &other], more].concat())
    };
    let counted = "node Tick (x:u8, k:const u8[2]) returns (y:u8)\nstate s:u8\n\
                   let y = x ^ k[0] ^ (s & k[1]); next s = s ^ k[0] tel";
    let counting = folder.write("counting.ua", counted);
    let done = nakiri(&["build", &counting, "--shared", "", "--target", "gp64,sse2", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    tests_itself(&folder, "tick");
    for (more, said) in [
        (&["--valid", "go"][..], "all jobs would have the same `k`"),
        (&["--multikey"], "a key of each lane is an ordinary parameter"),
        (&["--emit", "rust"], "can't be written in Rust"),
    ] {
        let done = build(more);
        assert!(done.code == 1 && done.err.contains(said), "{more:?}: {}", done.err);
    }
}
