//! Libraries: bytes in, bytes out, through the functions that users call, on more blocks than any register has lanes.

use crate::cases::{Bytes, Case, Node, Ticks, FILLED};
use crate::kernels::{why, DIRECTIONS};
use crate::table::{Cell, Table};
use crate::{compilers_for, is_full, is_sampled, parallel, ONE_OF};
use nakiri::compile::{self, Choice, Options};
use nakiri::core::Direction;
use nakiri::cost;
use nakiri::emit::c::{self, CFiles};
use nakiri::isa::{self, Target};
use nakiri_cli::choice::{self, TargetChoice};
use nakiri_cli::library::{self, Settings};
use nakiri_cli::manifest::Instance;
use nakiri_verify::cc::{Compiler, Work, SANITIZE};
use nakiri_verify::verdict::Question;
use nakiri_verify::{exec, Error};
use std::fmt::Write;

/// Adds a row for each slicing with a library of one variant in each cell, and checks of the default library.
pub fn rows(case: &Case, compilers: &[Compiler], table: &mut Table) {
    let mut work = Vec::new();
    let preferred = case.folder.manifest.direction();
    for (d, direction) in DIRECTIONS.into_iter().enumerate() {
        work.extend(isa::all().iter().map(|&target| {
            // Others than of the first node's kernels.
            let sampled = is_sampled(target, case.turn + d + 2, direction == preferred);
            let serves = target.serves_in(direction, &case.nodes[0].program);
            (direction, target, sampled && serves)
        }));
    }
    let turns: Vec<_> = work.iter().zip(compilers.chunks(1).cycle()).enumerate().collect();
    let all: Vec<usize> = (0..case.folder.manifest.instances.len()).collect();
    let cells = parallel(&turns, |(number, ((direction, target, sampled), turn))| {
        // Instances take turns, too: about one cell of so many is in the sample.
        let own = [number / ONE_OF % all.len()];
        match (sampled, is_full()) {
            (true, true) => cell(case, &all, *direction, target, compilers),
            (true, false) => cell(case, &own, *direction, target, turn),
            (false, _) => left(case, *direction, target),
        }
    });
    for ((direction, ..), cell) in work.iter().zip(cells) {
        let name = format!("library -{direction:?}");
        match table.rows.last_mut() {
            Some((row, cells)) if *row == name => cells.push(cell),
            _ => table.rows.push((name, vec![cell])),
        }
    }
    let (checked, several) = several(case, all);
    let count = if is_full() { compilers.len() } else { 1 };
    let in_turn: Vec<_> = turns_from(case.turn, compilers).take(count).collect();
    let checks = parallel(&in_turn, |compiler| {
        several.as_ref().map_err(String::clone).and_then(|files| {
            run(case, &checked, files, compiler, SANITIZE).map_err(|e| e.to_string())
        })
    });
    for (compiler, done) in in_turn.iter().zip(checks) {
        let (own, all) = (checked.len(), case.folder.manifest.instances.len());
        let name = format!(
            "library of several targets, {own} of {all} instances, sanitizers of {}",
            compiler.program
        );
        table.checks.push((name, done.err()));
    }
}

/// Bytes of C beyond which compilers take minutes with sanitizers.
const LONG: usize = 1_000_000;

/// The library of several targets, and its instances: all, or where that is long the one whose turn it is, and where that is, too,
/// on one target.
fn several(case: &Case, all: Vec<usize>) -> (Vec<usize>, Result<CFiles, String>) {
    let targets = targets_here(case);
    let own = vec![all[case.turn % all.len()]];
    let mut tries = vec![(all, targets.len())];
    if !is_full() {
        tries.extend([(own.clone(), targets.len()), (own, targets.len().min(1))]);
        tries.dedup();
    }
    let mut tries = tries.into_iter();
    loop {
        let (instances, count) = tries.next().expect("the last one is taken");
        let files = library_for(case, &instances, &settings(&targets[..count]));
        if tries.len() == 0 || files.as_ref().map_or(true, |files| files.c.len() <= LONG) {
            return (instances, files);
        }
    }
}

/// The compilers over and over, from the one whose turn it is.
fn turns_from(turn: usize, compilers: &[Compiler]) -> impl Iterator<Item = &Compiler> {
    compilers.iter().cycle().skip(turn)
}

fn settings(targets: &[TargetChoice]) -> Settings {
    Settings { targets: targets.to_vec(), direction: None, choices: Vec::new() }
}

/// Every fourth target that this CPU runs and compilers need not be told of, in the first slicing that is legal; those for which
/// there is none are left out. The next ciphers have the rest.
fn targets_here(case: &Case) -> Vec<TargetChoice> {
    let legal = |target: &'static Target, direction| {
        compile::specialize(&case.nodes[0].program, &Options::new(direction, target)).is_ok()
    };
    let here = isa::all().iter().filter(|target| exec::runnable(target).is_ok());
    let here = here.filter(|target| target.extension.is_none());
    let here = here.filter(|target| target.serves(&case.nodes[0].program));
    let here = here.filter(|target| DIRECTIONS.into_iter().any(|d| legal(target, d)));
    let one_of = if is_full() { 1 } else { 4 };
    let here = here.skip(case.turn % one_of).step_by(one_of);
    here.map(|&target| TargetChoice::plain(target)).collect()
}

/// A cell that is not in the sample.
fn left(case: &Case, direction: Direction, target: &'static Target) -> Cell {
    let refused = |node: &Node| {
        let options = Options::new(direction, target);
        let reasons = compile::specialize(&node.program, &options).err()?;
        Some(why(case, &options, &reasons[0]))
    };
    let instances = &case.folder.manifest.instances;
    let schedules = instances.iter().filter_map(|i| i.key.as_ref()?.schedule.as_ref());
    let schedules: Vec<&str> = schedules.map(|name| name.get_ref().as_str()).collect();
    let nodes = case.nodes.iter().filter(|node| !schedules.contains(&node.name.as_str()));
    nodes.filter_map(refused).next().map_or(Cell::Left, Cell::Illegal)
}

/// The choices that `build` makes for the first instance; none where it is not legal. Those for this CPU's targets are in
/// `metrics/`, which a test of its own compares with what is chosen now.
fn chosen(case: &Case, direction: Direction, target: &'static Target) -> Vec<Choice> {
    if let Some(options) = case.recorded(direction, target) {
        return options.choices();
    }
    let machine = choice::machine(None, target, false).expect("the target's machine runs it");
    let open = Options::new(direction, target);
    let decision = cost::choose(&case.nodes[0].program, &open, &machine);
    decision.map_or(Vec::new(), |decision| decision.options.choices())
}

fn cell(
    case: &Case,
    instances: &[usize],
    direction: Direction,
    target: &'static Target,
    compilers: &[Compiler],
) -> Cell {
    let chosen = TargetChoice {
        direction: Some(direction),
        choices: chosen(case, direction, target),
        ..TargetChoice::plain(target)
    };
    let files = match library_for(case, instances, &settings(&[chosen])) {
        Ok(files) => files,
        Err(why) => return Cell::Illegal(why),
    };
    let (mut passed, mut messages, mut lacking) = (0, Vec::new(), None);
    let compilers = compilers_for(target, compilers).unwrap_or_else(|lack| {
        lacking = Some(lack.to_string());
        Vec::new()
    });
    for compiler in &compilers {
        match run(case, instances, &files, compiler, &[optimization(&files, compiler)]) {
            Ok(()) => match exec::runs(target, compiler) {
                Ok(()) => passed += 1,
                Err(lack) => lacking = Some(lack.to_string()),
            },
            Err(error) if error.is_lack() => lacking = Some(error.to_string()),
            Err(error) => messages.push(crate::table::failure(compiler, &error)),
        }
    }
    match (messages.is_empty(), lacking) {
        (false, _) => Cell::Failed { passed, messages },
        (true, Some(why)) => Cell::NotRun(passed, why),
        (true, None) => Cell::Passed(passed),
    }
}

/// Users compile with -O2 or more, which takes twice as long, and minutes for long bitsliced code.
fn optimization(files: &CFiles, compiler: &Compiler) -> &'static str {
    match files.c.len() {
        _ if is_full() => "-O2",
        400_001.. => exec::unoptimized(compiler),
        _ => "-O1",
    }
}

/// A library of instances, by their numbers; else why their nodes are not legal so.
fn library_for(case: &Case, numbers: &[usize], settings: &Settings) -> Result<CFiles, String> {
    let mut instances = Vec::new();
    for instance in numbers.iter().map(|&number| &case.folder.manifest.instances[number]) {
        let instance =
            library::try_instance(&case.session, &case.folder, &case.checked, instance, settings);
        let refused = |d: Vec<nakiri::diagnostic::Diagnostic>| {
            let message = d[0].message.split(" on ").next().unwrap_or_default();
            format!("{message} ({})", case.session.place(d[0].span()))
        };
        instances.push(instance.map_err(|f| format!("{f:?}"))?.map_err(refused)?);
    }
    let library = c::Library {
        name: "cipher".to_string(),
        title: case.folder.manifest.title.clone(),
        specification: case.folder.manifest.specification.clone(),
        command_line: "tests/matrix".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        source_hash: String::new(),
        evidence: Vec::new(),
        instances,
    };
    c::library(&library).map_err(|error| format!("FAILED to print: {error}"))
}

/// Compiles a library with a program that uses it, and runs that if the CPU can run the library.
fn run(
    case: &Case,
    instances: &[usize],
    files: &CFiles,
    compiler: &Compiler,
    flags: &[&str],
) -> Result<(), Error> {
    let flags = [flags, exec::linking(compiler)].concat();
    let driver = driver(case, instances);
    let question = Question::new("library").and(&files.c).and(&files.h).and(&driver);
    let question = question.and_compiled(compiler, &flags);
    if question.is_known() {
        return Ok(());
    }
    let work = Work::new()?;
    let library = work.write("cipher.c", files.c.as_bytes())?;
    work.write("cipher.h", files.h.as_bytes())?;
    let driver = work.write("driver.c", driver.as_bytes())?;
    let program = work.path("driver");
    compiler.compile(&[&library, &driver], &flags, &program)?;
    let done = exec::command(compiler, &program)?.output();
    let done = done.map_err(|error| Error::Io { path: program, error })?;
    match done.status.success() {
        true => {
            question.remember();
            Ok(())
        }
        false => {
            let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
            Err(Error::Failed { message: format!("{}: {said}", done.status) })
        }
    }
}

/// A program that calls the self tests, then the functions on blocks with full batches and tails, and in place.
fn driver(case: &Case, numbers: &[usize]) -> String {
    let mut text =
        "#include \"cipher.h\"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
            .to_string();
    let mut body = String::new();
    let instances = case.folder.manifest.instances.iter().enumerate();
    let (stepped, on_blocks): (Vec<_>, Vec<_>) = instances.partition(|(_, i)| i.is_stepped());
    let on_blocks = on_blocks.iter().zip(&case.bytes);
    for ((_, instance), bytes) in on_blocks.filter(|((number, _), _)| numbers.contains(number)) {
        blocks(instance, bytes, &mut text, &mut body);
    }
    let stepped = stepped.iter().zip(&case.ticks);
    for ((_, instance), given) in stepped.filter(|((number, _), _)| numbers.contains(number)) {
        ticks(instance, given, &mut text, &mut body);
    }
    let _ = write!(text, "int main(void)\n{{\n    int wrong = 0;\n{body}    return wrong;\n}}\n");
    text
}

/// Steps a state and a copy of it, with other inputs in each lane.
fn ticks(instance: &Instance, given: &Ticks, text: &mut String, body: &mut String) {
    let prefix = instance.prefix.get_ref();
    let lanes = FILLED;
    let mut array = |name: String, data: &[u8]| {
        let list: Vec<String> = data.iter().map(u8::to_string).collect();
        let _ =
            writeln!(text, "static const uint8_t {prefix}_{name}[] = {{ {} }};", list.join(","));
    };
    let (mut setup, mut compare) = (String::new(), String::new());
    let mut arguments = Vec::new();
    for (k, bytes) in given.outputs[0].iter().enumerate() {
        let size = bytes.len() / lanes;
        let _ = writeln!(setup, "        uint8_t *out{k} = malloc(n * {size});");
        let _ = writeln!(
            compare,
            "                wrong_here |= memcmp(out{k} + {size} * i, {prefix}_out{k} + {size} * ({lanes} * tick + i % {lanes}), {size});"
        );
        let all: Vec<u8> = given.outputs.iter().flat_map(|tick| tick[k].clone()).collect();
        array(format!("out{k}"), &all);
        arguments.push(format!("out{k}"));
    }
    for (k, bytes) in given.inputs.iter().enumerate() {
        let size = bytes.len() / lanes;
        array(format!("in{k}"), bytes);
        let _ = write!(
            setup,
            "        uint8_t *in{k} = malloc(n * {size});\n        for (size_t i = 0; i < n; i++)\n            \
             memcpy(in{k} + {size} * i, {prefix}_in{k} + {size} * (i % {lanes}), {size});\n"
        );
        arguments.push(format!("in{k}"));
    }
    let frees: String = arguments.iter().map(|a| format!("        free({a});\n")).collect();
    let fields = [
        ("$P", prefix.as_str()),
        ("$setup", &setup),
        ("$compare", &compare),
        ("$frees", &frees),
        ("$arguments", &arguments.join(", ")),
        ("$ticks", &given.outputs.len().to_string()),
    ];
    let filled = |text: String, (name, value): &(&str, &str)| text.replace(name, value);
    body.push_str(&fields.iter().fold(STEPPED.to_string(), filled));
}

const STEPPED: &str = r#"    if ($P_supported()) {
        int failed = $P_self_test(), wrong_here = 0;
        size_t n = $P_parallel_blocks();
        static $P_state state, copy;
$setup        $P_reset(&state);
        for (size_t tick = 0; tick < $ticks; tick++) {
            copy = state;
            for (int turn = 0; turn < 2; turn++) {
                $P_step(turn ? &state : &copy, $arguments);
                for (size_t i = 0; i < n; i++) {
$compare                }
            }
            $P_wipe(&copy);
        }
        if (failed || wrong_here) {
            printf("$P: vector %d of the self test; lanes: %d\n", failed, wrong_here);
            wrong = 1;
        }
$frees    }
"#;

fn blocks(instance: &Instance, bytes: &Bytes, text: &mut String, body: &mut String) {
    let prefix = instance.prefix.get_ref();
    let (from, to, count) = (bytes.input[0].len(), bytes.output[0].len(), bytes.input.len());
    let array = |text: &mut String, name: &str, data: &[u8]| {
        let list: Vec<String> = data.iter().map(u8::to_string).collect();
        let _ =
            writeln!(text, "static const uint8_t {prefix}_{name}[] = {{ {} }};", list.join(","));
    };
    array(text, "input", &bytes.input.concat());
    array(text, "output", &bytes.output.concat());
    let _ = writeln!(text, "static uint8_t {prefix}_buffer[{}];", count * from.max(to));
    let mut context = "";
    let mut expand = String::new();
    if instance.key.is_some() {
        array(text, "key", &bytes.key);
        expand = format!(
            "        {prefix}_ctx ctx;\n        {prefix}_expand_key(&ctx, {prefix}_key);\n"
        );
        context = "&ctx, ";
    }
    let forward = if instance.permute.is_some() { "permute" } else { "encrypt" };
    let _ = write!(
        body,
        "    if ({prefix}_supported()) {{\n        int failed = {prefix}_self_test();\n        if (failed) {{\n            \
         printf(\"{prefix}: vector %d of the self test\\n\", failed);\n            wrong = 1;\n        }}\n{expand}\
         \x20       static const size_t counts[] = {{ {count}, {}, 1, 0, 65, 7 }};\n        \
         for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {{\n            size_t n = counts[i];\n            \
         memset({prefix}_buffer, 0, sizeof {prefix}_buffer);\n            \
         {prefix}_{forward}_blocks({context}{prefix}_buffer, {prefix}_input, n);\n            \
         if (memcmp({prefix}_buffer, {prefix}_output, n * {to})) {{\n                \
         printf(\"{prefix}_{forward}_blocks on %zu blocks\\n\", n);\n                wrong = 1;\n            }}\n",
        count - 1,
    );
    if instance.decrypt.is_some() {
        let _ = write!(
            body,
            "            {prefix}_decrypt_blocks({context}{prefix}_buffer, {prefix}_buffer, n);\n            \
             if (memcmp({prefix}_buffer, {prefix}_input, n * {from})) {{\n                \
             printf(\"{prefix}_decrypt_blocks in place on %zu blocks\\n\", n);\n                wrong = 1;\n            }}\n"
        );
    }
    body.push_str("        }\n    }\n");
}
