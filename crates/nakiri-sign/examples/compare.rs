//! Times key generation, signing and verification (of one signature, and of each of 16 at once) of each kind of kernels, and of the
//! crate `fips205`, in one run: the least and the median of so many runs, in millions of cycles of the time-stamp counter, and how
//! many times as long `fips205` takes. `compare [RUNS [SET…]]`.

#[path = "../tests/common/fips205.rs"]
mod common;

use fips205::traits::{KeyGen, SerDes, Signer, Verifier};
use nakiri_sign::slh::{Message, Randomness, Set, SigningKey};
use nakiri_sign::Engine;

const MESSAGE: &[u8] = b"what is signed";
/// How many signatures are verified at once.
const BATCH: usize = 16;

/// The least and the median of key generation, signing, verification, and verification in a batch.
type Times = [(f64, f64); 4];

fn main() {
    let mut words = std::env::args().skip(1);
    let runs: usize = words.next().map_or(5, |word| word.parse().expect("a number of runs"));
    let chosen: Vec<Set> = words.map(|name| Set::named(&name).expect("a set's name")).collect();
    println!(
        "{:<20} {:<8} {:>19} {:>19} {:>19} {:>19}",
        "", "Mcycles", "keygen", "sign", "verify", "each of 16"
    );
    for set in Set::ALL.into_iter().filter(|set| chosen.is_empty() || chosen.contains(set)) {
        let names = Engine::names();
        let ours: Vec<Times> = names.iter().map(|name| ours(set, name, runs)).collect();
        let theirs = THEIRS.iter().find(|(name, _)| *name == set.name);
        let theirs = (theirs.expect("all sets are there").1)(runs);
        for (name, ours) in names.iter().zip(&ours) {
            print(set.name, name, ours);
        }
        print(set.name, "fips205", &theirs);
        for (name, ours) in names.iter().zip(&ours) {
            let ratio = |k: usize| (theirs[k].0 / ours[k].0, theirs[k].1 / ours[k].1);
            print("", &format!("/ {name}"), &std::array::from_fn(ratio));
        }
    }
}

fn ours(set: Set, name: &str, runs: usize) -> Times {
    let engine = Engine::named(name).expect("one of the names");
    let seeds = vec![7; 3 * set.n];
    let message = Message::new(MESSAGE);
    let make = || SigningKey::from_seeds(set, &seeds, &engine).expect("seeds");
    let key = make();
    let sign = || key.sign(&message, Randomness::Deterministic, &engine).expect("a signature");
    let signature = sign();
    let verify = || assert!(key.verifying_key().verify(&message, &signature, &engine));
    let batch = [(message, &signature[..]); BATCH];
    let verify_many = || {
        let verdicts = key.verifying_key().verify_many(&batch, &engine);
        assert!(verdicts.into_iter().all(|right| right));
    };
    let (least, median) = time(5 * runs, verify_many);
    let each = (least / BATCH as f64, median / BATCH as f64);
    [time(runs, || drop(make())), time(runs, || drop(sign())), time(20 * runs, verify), each]
}

macro_rules! theirs {
    ($($module:ident $name:literal $n:literal;)*) => {
        const THEIRS: [(&str, fn(usize) -> Times); 12] = [$(($name, $module)),*];
        $(fn $module(runs: usize) -> Times {
            use fips205::$module::KG;
            let seed = [7; $n];
            let (public, private) = KG::keygen_from_seed::<$n>(&seed, &seed, &seed);
            let sign = || private.try_sign(MESSAGE, &[], false).expect("a signature");
            let signature = sign();
            let key = private.clone().into_bytes();
            assert_eq!(key.len(), 4 * $n);
            // It has no batches.
            let verify = time(20 * runs, || assert!(public.verify(MESSAGE, &signature, &[])));
            let keygen = time(runs, || drop(KG::keygen_from_seed::<$n>(&seed, &seed, &seed)));
            [keygen, time(runs, || assert!(sign().len() > 0)), verify, verify]
        })*
    };
}

common::every_set!(theirs);

fn print(set: &str, who: &str, times: &Times) {
    let columns = times.map(|(least, median)| format!("{least:>9.3} {median:>9.3}"));
    println!("{set:<20} {who:<8} {}", columns.join(" "));
}

/// The least and the median of so many runs, in millions of cycles.
fn time(runs: usize, mut run: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<u64> = (0..runs.max(1))
        .map(|_| {
            let before = cycles();
            run();
            cycles() - before
        })
        .collect();
    times.sort_unstable();
    (times[0] as f64 / 1e6, times[times.len() / 2] as f64 / 1e6)
}

#[cfg(target_arch = "x86_64")]
fn cycles() -> u64 {
    // SAFETY: every such CPU has the counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Nanoseconds, where there is no counter.
#[cfg(not(target_arch = "x86_64"))]
fn cycles() -> u64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}
