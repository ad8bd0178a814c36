//! Passes, each by texts: `tests/core/*.core` hold a comment `# pass: NAME`, a program, a line `----`, and the
//! program after the pass as it is printed. `NAKIRI_BLESS=1 cargo test` writes the latter.

use crate::common;

use common::{folder, inputs};
use nakiri::compile::pipeline::PASSES;
use nakiri::compile::Options;
use nakiri::core::interp::run;
use nakiri::core::text::parse;
use nakiri::core::verify::verify;
use nakiri::core::Program;
use nakiri::isa;
use nakiri::pass::binary;

type Pass = Box<dyn Fn(&mut Program)>;

/// The passes that the texts may name: `canonical`, `binary for TARGET`, or `NAME`, `NAME for TARGET`, `NAME for TARGET CHOICE…`.
fn by_name(name: &str) -> Option<Pass> {
    if name == "canonical" {
        return Some(Box::new(|program| *program = program.canonical()));
    }
    if let Some(target) = name.strip_prefix("binary for ") {
        let target = isa::find(target)?;
        return Some(Box::new(move |program| {
            binary::run(program, target).expect("it is legal");
            program.fields.clear();
        }));
    }
    let (name, chosen) = name.split_once(" for ").unwrap_or((name, "avx2 unroll=never"));
    let options: Options = format!("V {chosen}").parse().ok()?;
    let pass = PASSES.iter().find(|pass| pass.name == name)?;
    Some(Box::new(move |program| {
        let direction = program.entry().params[0].ty.direction();
        (pass.run)(program, &Options { direction, ..options });
    }))
}

/// Data of other tests in the same folder.
const OTHERS: [&str; 4] = ["everything.txt", "run.txt", "syntax.txt", "verify.txt"];

#[test]
fn passes_do_what_their_texts_say() {
    let mut paths: Vec<_> = std::fs::read_dir(folder())
        .expect("there is the folder")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| !OTHERS.iter().any(|other| path.ends_with(other)))
        .collect();
    paths.sort();
    let mut wrong = Vec::new();
    for path in paths {
        assert!(path.extension().is_some_and(|e| e == "core"), "{} is no test", path.display());
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let result = after(&text, by_name).and_then(|after| {
            let (before, expected) = split(&text)?;
            if std::env::var_os("NAKIRI_BLESS").is_some() {
                let blessed = format!("{before}\n----\n{after}");
                return std::fs::write(&path, blessed).map_err(|e| e.to_string());
            }
            match after == expected {
                true => Ok(()),
                false => Err(format!("expected\n{expected}\nfound\n{after}")),
            }
        });
        wrong.extend(result.err().map(|e| format!("{}: {e}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The two halves of a test.
fn split(text: &str) -> Result<(&str, &str), String> {
    text.split_once("\n----\n").ok_or_else(|| "there is no line `----`".into())
}

/// Runs the pass that a test names. The program is well formed before and after, and means the same on some
/// inputs if they still fit.
fn after(text: &str, by_name: fn(&str) -> Option<Pass>) -> Result<String, String> {
    let (before, _) = split(text)?;
    let name = before.lines().find_map(|line| line.strip_prefix("# pass: "));
    let name = name.ok_or("there is no line `# pass: NAME`")?;
    let pass = by_name(name).ok_or_else(|| format!("there is no pass {name}"))?;
    let before = parse(before).map_err(|e| e.to_string())?;
    verify(&before).map_err(|e| format!("before {name}: {e}"))?;
    let mut after = before.clone();
    pass(&mut after);
    verify(&after).map_err(|e| format!("after {name}: {e}\n{after}"))?;
    for seed in 0..16 {
        let (Some(old), Some(new)) = (inputs(&before, seed), inputs(&after, seed)) else { break };
        if old == new && run(&before, &old) != run(&after, &new) {
            return Err(format!("{name} changes the meaning, see {old:x?}:\n{after}"));
        }
    }
    Ok(after.canonical().to_string())
}

/// The harness itself.
#[test]
fn wrong_passes_are_found() {
    let toys = |name: &str| -> Option<Pass> {
        match name {
            "nothing" => Some(Box::new(|_| {})),
            "no body" => Some(Box::new(|program| program.funcs[0].body.clear())),
            "another input" => Some(Box::new(|program| program.funcs[0].body.swap(0, 1))),
            "another result" => Some(Box::new(|program| {
                program.funcs[0].body[2].map_uses(&mut |_| nakiri::core::ValueId(0));
            })),
            _ => None,
        }
    };
    let program = "entry func F(x: u<V>8) -> (y: u<V>8) {
  %0 = load x[0] : u<V>8
  %1 = not %0 : u<V>8
  store y[0] %1
}
";
    for (head, expected) in [
        ("# pass: nothing", Ok(program)),
        ("# pass: no body", Err("after no body: function F: y[0] is not stored")),
        ("# pass: another input", Err("after another input: function F: `%1 = not")),
        ("# pass: another result", Err("another result changes the meaning, see [[")),
        ("# pass: none", Err("there is no pass none")),
        ("#", Err("there is no line `# pass: NAME`")),
        ("}", Err("1:1: expected `func`")),
    ] {
        let head = if head == "}" { "}\n# pass: nothing" } else { head };
        match (after(&format!("{head}\n{program}\n----\n"), toys), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{found}"),
            (found, expected) => panic!("{head}: {found:?} for {expected:?}"),
        }
    }
}

/// Copies to an output behind a forall, from any place of what it fills, forwards or backwards, move into a loop.
#[test]
fn copies_to_outputs_leave_loops() {
    let roll = by_name("roll").expect("the pass");
    for (distance, turns) in [(1, 6), (2, 8), (3, 6), (4, 12)] {
        for (first, backwards) in (0..=distance).flat_map(|k| [(k, false), (k, true)]) {
            let made = |k: usize| if k < distance { k } else { k + 10 };
            let load = |k: usize| format!("  %{k} = load x[{k}] : u<V>8\n");
            let loads: String = (0..distance).map(load).collect();
            let turn = |i: usize| {
                let (from, other, to) = (made(i), made(i + distance - 1), made(i + distance));
                let rotated = 1000 + i;
                format!(
                    "{{\n    %{rotated} = rotl 3 %{from} : u<V>8\n    %{to} = xor %{rotated}, %{other} : u<V>8\n  }} "
                )
            };
            let body: String = (0..turns).map(turn).collect();
            let store = |k: usize| {
                let to = if backwards { turns - 1 - k } else { k };
                format!("  store y[{to}] %{}\n", made(first + k))
            };
            let stores: String = (0..turns).map(store).collect();
            let text = format!(
                "entry func F(x: u<V>8[{distance}]) -> (y: u<V>8[{turns}]) {{\n{loads}  forall {body}\n{stores}}}\n"
            );
            let before = parse(&text).unwrap_or_else(|error| panic!("{error:?}:\n{text}"));
            let mut after = before.clone();
            roll(&mut after);
            verify(&after).unwrap_or_else(|error| panic!("{error}:\n{after}"));
            let inputs = inputs(&before, 1).expect("they are fixed");
            assert_eq!(run(&before, &inputs), run(&after, &inputs), "{after}");
            // Backwards, what is there before the loop would be stored in it before its time.
            let looped = !backwards || first == distance;
            assert_eq!(after.to_string().contains("loop"), looped, "{distance} {first}:\n{after}");
        }
    }
}
