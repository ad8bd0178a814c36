//! Machine files: those that come with Nakiri, and what is refused.

use nakiri_bench::machine::find::{self, Error, FILES};
use nakiri_bench::machine::{Class, Machine};

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
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/machines");
    let files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(files, FILES.len(), "a file of {folder} is not listed in `FILES`");
}

#[test]
fn machines_have_what_their_targets_use() {
    let avx512 = ["zen5", "zen4", "icelake", "golden-cove"];
    for name in avx512 {
        let machine = find::find(name).unwrap();
        for class in [Class::VectorTernary, Class::VectorRotate, Class::VectorAffine, Class::Mask] {
            for width in [128, 256, 512] {
                assert!(machine.cost(class, width).is_ok(), "{name} {} {width}", class.name());
            }
        }
    }
    for name in ["zen3", "skylake"] {
        let missing = find::find(name).unwrap().cost(Class::VectorTernary, 512).unwrap_err();
        let text = missing.to_string();
        assert!(text.contains(name) && text.contains("`vector-ternary` of 512 bits"), "{text}");
    }
}

#[test]
fn every_target_names_a_machine_that_runs_it() {
    for target in nakiri::target::all() {
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
fn this_cpu_has_at_most_one_model() {
    let Some((vendor, family, model)) = find::cpu() else { return };
    let fits = |machine: &&Machine| {
        let cpus = &machine.cpu;
        cpus.iter().any(|c| c.vendor == vendor && c.family == family && c.models.contains(&model))
    };
    let fitting: Vec<_> = find::all().iter().filter(fits).map(|m| &m.name).collect();
    assert!(fitting.len() <= 1, "{fitting:?}");
    assert_eq!(find::host().map(|machine| &machine.name), fitting.first().copied());
}
