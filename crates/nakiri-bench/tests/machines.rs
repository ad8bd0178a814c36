//! Machine files: those that come with Nakiri, and what is refused.

use nakiri_bench::machine::files::FILES;
use nakiri_bench::machine::find::{self, Error};
use nakiri_bench::machine::{self, Class, Machine};
use nakiri_verify::exec;

#[test]
fn every_file_is_right_and_complete() {
    for (name, text) in FILES {
        let machine = Machine::parse(text, name).unwrap_or_else(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}", lines.join("\n"))
        });
        assert_eq!(machine.name, *name);
        assert_eq!(find::find(name).unwrap(), machine);
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../nakiri-machine/machines");
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, FILES.len(), "a file of {folder} is not listed in `FILES`");
}

#[test]
fn a_cpu_needs_the_features_that_are_asked_for() {
    let cores = find::find("redwood-cove").unwrap();
    let masked = cores.cpu.iter().find(|cpu| !cpu.features.is_empty()).unwrap();
    let fits = |features: &[&str]| {
        masked.fits(&masked.vendor, 6, masked.models[0], &|f| features.contains(&f))
    };
    assert!(fits(&["avx512fp16"]) && !fits(&["avx512f"]));
    let other = find::find("icelake").unwrap().cpu[0].clone();
    assert!(
        other.fits(&masked.vendor, 6, masked.models[0], &|_| false),
        "the older one needs none"
    );
}

/// Kernels of Camellia and PRINCE on AVX-512, and of GIFT-128, as the order has them: what gcc made of the first two was fetched anew.
#[test]
fn the_op_cache_of_zen5_holds_what_it_was_seen_to_hold() {
    let op_cache = find::find("zen5").unwrap().model().op_cache.expect("it has one");
    assert!(!op_cache.holds(3785, 29_600.0) && !op_cache.holds(4355, 32_400.0));
    assert!(op_cache.holds(2550, 18_500.0) && op_cache.holds(3301, 20_500.0));
}

#[test]
fn machines_have_what_their_targets_use() {
    let avx512 = ["zen5", "zen4", "icelake", "golden-cove", "redwood-cove"];
    for name in avx512 {
        let machine = find::find(name).unwrap();
        for class in [Class::VectorTernary, Class::VectorRotate, Class::VectorAffine, Class::Mask] {
            for width in [128, 256, 512] {
                assert!(machine.cost(class, width).is_ok(), "{name} {} {width}", class.name());
            }
        }
    }
    for name in ["zen3", "zen2", "skylake"] {
        let missing = find::find(name).unwrap().cost(Class::VectorTernary, 512).unwrap_err();
        let text = missing.to_string();
        assert!(text.contains(name) && text.contains("`vector-ternary` of 512 bits"), "{text}");
    }
}

#[test]
fn every_target_names_a_machine_that_runs_it() {
    for target in nakiri::isa::all() {
        let machine = find::find(target.machine).unwrap();
        let runs = machine.model().runs(target);
        assert!(runs.is_ok(), "{}: {}", target.name, runs.unwrap_err());
    }
}

/// A small machine file, one part of which is exchanged.
fn errors(old: &str, new: &str) -> Vec<String> {
    let (_, text) = FILES.iter().find(|(name, _)| *name == "cortex-m4").unwrap();
    assert!(text.contains(old), "{old}");
    let errors = Machine::parse(&text.replacen(old, new, 1), "m4.toml").unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let add = "{ class = \"add\", widths = [32], latency = 1, uses = [[\"x\"]] },";
    let (_, text) = FILES.iter().find(|(name, _)| *name == "cortex-m4").unwrap();
    let line = text[..text.find(add).unwrap()].matches('\n').count() + 1;
    let cases = [
        (add.replace("\"x\"", "\"y\""), "there is no port `y`; `ports` has x"),
        (add.replace("latency = 1", "latency = -1"), "a latency of -1"),
        (add.replace("latency = 1", "latency = nan"), "a latency of NaN"),
        (add.replace("[32]", "[33]"), "registers of 33 bits"),
        (add.replace("[[\"x\"]]", "[[]]"), "`uses = []` means that no port is needed"),
        (add.replace("]] }", "]], throughput = 0 }"), "a throughput of 0"),
        (add.replace("\"add\"", "\"sum\""), "unknown variant `sum`"),
        (add.replace("latency", "delay"), "unknown field `delay`"),
        (add.replace("\"add\"", "\"logic\""), "there is another row for 32 bits"),
    ];
    for (new, expected) in cases {
        let errors = errors(add, &new);
        let place = format!("m4.toml:{line}: ");
        let found = errors.iter().any(|e| e.starts_with(&place) && e.contains(expected));
        assert!(found, "{expected}: {errors:#?}");
    }
    let missing = errors(add, "");
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(missing[0].contains("the machine `cortex-m4` has no operation `add` of 32 bits"));
    assert!(errors("width = 1", "width = 0")[0].contains("front_end.width is 0"));
    let renaming = "[renaming]\nbytes = 1000\ncycles = 5\n\n[registers]";
    assert!(errors("[registers]", renaming)[0].contains("renaming: 1000 bytes"));
    assert!(errors("ports = [\"x\"]", "ports = [\"x\", \"x\"]")[0].contains("named twice"));
}

#[test]
fn unknown_machines_are_refused() {
    let Err(Error::Unknown(message)) = find::find("itanium") else { panic!() };
    assert!(message.contains("`itanium`") && message.contains("zen5"), "{message}");
}

#[test]
fn a_cpu_has_one_model_unless_features_tell() {
    let mut seen = std::collections::HashMap::new();
    for machine in machine::all() {
        for cpu in machine.cpu.iter().filter(|cpu| cpu.features.is_empty()) {
            for model in &cpu.models {
                let other = seen.insert((&cpu.vendor, cpu.family, model), &machine.name);
                assert_eq!(other, None, "{} claims model {model} too", machine.name);
            }
        }
    }
}

#[test]
fn the_host_has_the_model_that_fits_it() {
    let Some((vendor, family, model)) = find::cpu() else { return };
    let fits = |machine: &&Machine| {
        machine.cpu.iter().any(|cpu| cpu.fits(&vendor, family, model, &exec::has_feature))
    };
    let fitting = machine::all().iter().find(fits).map(|machine| &machine.name);
    assert_eq!(find::host().map(|machine| &machine.name), fitting);
}
