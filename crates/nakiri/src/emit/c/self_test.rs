//! The self test: every vector in every variant that the CPU can run.

use super::api::Api;
use super::control::Control;
use super::step;
use crate::compile::Kernel;
use crate::emit::check::{self, one_to_one};
use crate::emit::identifier;
use crate::emit::library::Function;
use crate::emit::ports::{pointers, ports};
use std::fmt::Write;

/// The definition of the self test and its vectors.
///
/// # Errors
/// If a vector doesn't fit its function.
pub fn definitions(api: &Api) -> Result<String, String> {
    let (mut text, mut calls, mut number) = (String::new(), String::new(), 0);
    for function in &api.instance.functions {
        let mut vectors = api.instance.vectors.iter().filter(|v| v.function == function.name);
        let mut tested = false;
        for vector in &mut vectors {
            check::vector(api.instance, function, vector)?;
            tested = true;
            text.push_str(&bytes(api, number, &[&vector.key, &vector.input, &vector.output]));
            let call = "            || $P_test_$F(variant, $P_vector$n)\n";
            calls.push_str(&named(api, function, number, call));
            number += 1;
        }
        if tested {
            text.push_str(&tester(api, function));
        }
    }
    check::vectors_have_functions(api.instance)?;
    for vector in &api.instance.counter_vectors {
        check::counter_vector(api.instance, vector)?;
        let parts: [&[u8]; 4] = [&vector.key, &vector.counter, &vector.input, &vector.output];
        text.push_str(&bytes(api, number, &parts));
        let size = vector.input.len();
        let _ = writeln!(
            calls,
            "            || {0}_test_ctr(variant, {0}_vector{number}, {size})",
            api.prefix
        );
        number += 1;
    }
    if !api.instance.counter_vectors.is_empty() {
        text.push_str(&counter_tester(api));
    }
    if let Some(messages) = api.messages() {
        text.push_str(&messages.tests(api, &api.instance.message_vectors, &mut calls));
    }
    if let Some((kernel, control)) = api.step() {
        for vector in &api.instance.tick_vectors {
            check::tick_vector(api.instance, step::sizes(kernel, control), vector)?;
            let runs = vector.runs.iter().flat_map(|run| [&run.input[..], &run.output]);
            let parts: Vec<&[u8]> = std::iter::once(&vector.key[..]).chain(runs).collect();
            text.push_str(&bytes(api, number, &parts));
            let runs: Vec<String> = vector
                .runs
                .iter()
                .map(|run| format!("{{ {}, {} }}", run.ticks, u8::from(!run.output.is_empty())))
                .collect();
            let (count, runs) = (runs.len(), runs.join(", "));
            let prefix = &api.prefix;
            let _ = writeln!(
                text,
                "static const uint32_t {prefix}_runs{number}[{count}][2] = {{ {runs} }};\n"
            );
            let _ = writeln!(
                calls,
                "            || {prefix}_test(variant, {prefix}_vector{number}, {prefix}_runs{number}, {count})"
            );
            number += 1;
        }
        if !api.instance.tick_vectors.is_empty() {
            text.push_str(&run_tester(api, kernel, control));
        }
    }
    if calls.is_empty() {
        calls.push_str("            || 0\n");
    }
    let count = api.variants().count().to_string();
    let calls = calls.trim_start().trim_start_matches("|| ").trim_end();
    Ok(text + &api.fill(SELF_TEST, &[("$calls", calls), ("$count", &count)]))
}

fn named(api: &Api, function: &Function, number: usize, text: &str) -> String {
    api.fill(text, &[("$F", &identifier(&function.name)), ("$n", &number.to_string())])
}

/// A vector: all its parts in one array.
fn bytes(api: &Api, number: usize, parts: &[&[u8]]) -> String {
    let bytes = parts.concat();
    let mut text =
        format!("static const uint8_t {}_vector{number}[{}] = {{\n", api.prefix, bytes.len());
    for line in bytes.chunks(16) {
        let line: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
        let _ = writeln!(text, "    {},", line.join(", "));
    }
    text + "};\n\n"
}

/// Blocks of a self test: the vector fills every other one, its complement the rest.
struct Blocks {
    /// The arrays of the blocks.
    arrays: String,
    /// Fills block `i` from `input`, as it is or, where `other` is 0xff, its complement.
    fill: String,
    /// Compares block `i` with `output`.
    compare: String,
    /// The arrays as arguments.
    arguments: String,
    /// The size of a block of all inputs, in bytes.
    from: usize,
    /// The size of a block of all outputs, in bytes.
    to: usize,
}

impl Blocks {
    /// For `count` blocks, in loops that are indented by `depth` spaces.
    fn new(kernel: &Kernel, count: usize, depth: usize) -> Blocks {
        let ports = ports(kernel);
        let (ins, outs) = (pointers("in", &ports.inputs), pointers("out", &ports.outputs));
        let (mut arrays, mut fill, mut compare) = (String::new(), String::new(), String::new());
        let (mut from, mut to) = (0, 0);
        for (port, name) in ports.inputs.iter().zip(&ins) {
            let size = port.bytes();
            let _ = writeln!(arrays, "    $storageuint8_t {name}[{}];", count * size);
            let _ = write!(
                fill,
                "{0:depth$}for (size_t j = 0; j < {size}; j++)\n{0:depth$}    \
                 {name}[{size} * i + j] = (uint8_t)(input[{from} + j] ^ other);\n",
                ""
            );
            from += size;
        }
        for (port, name) in ports.outputs.iter().zip(&outs) {
            let size = port.bytes();
            let _ = writeln!(arrays, "    $storageuint8_t {name}[{}];", count * size);
            let _ = writeln!(
                compare,
                "{:depth$}bad |= __builtin_memcmp({name} + {size} * i, output + {to}, {size}) != 0;",
                ""
            );
            to += size;
        }
        Blocks { arrays, fill, compare, arguments: [outs, ins].concat().join(", "), from, to }
    }

    /// Has the output in the place of the input: stacks are small.
    fn in_place(&mut self) {
        self.arrays = self.arrays.lines().take(1).map(|line| format!("{line}\n")).collect();
        self.compare = self.compare.replace("memcmp(out ", "memcmp(in ");
        self.arguments = "in, in".to_string();
    }

    /// A text with the blocks' parts in place of their names.
    fn filled(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let (from, to) = (self.from.to_string(), self.to.to_string());
        let own = [
            ("$arrays", &*self.arrays),
            ("$inputs", &*self.fill),
            ("$compare", &*self.compare),
            ("$arguments", &*self.arguments),
            ("$from", &*from),
            ("$to", &*to),
        ];
        api.fill(text, &[more, &own].concat())
    }
}

/// The test of one function, in which the vector and its complement change places.
fn tester(api: &Api, function: &Function) -> String {
    let mut blocks = Blocks::new(&function.variants[0], api.most_blocks() + 1, 12);
    if one_to_one(function).is_some_and(|(from, to)| from == to) {
        blocks.in_place();
    }
    let name = identifier(&function.name);
    blocks.filled(api, &with_key(api, TESTER), &[("$F", &name)])
}

/// The test of the run of a vector through a step function.
fn run_tester(api: &Api, kernel: &Kernel, control: Option<&Control>) -> String {
    let mut blocks = Blocks::new(kernel, api.most_blocks(), 20);
    blocks.fill = match blocks.from {
        0 => "                (void)input;\n".to_string(),
        _ => FILLED.replace("$fill", &blocks.fill),
    };
    for input in control.iter().flat_map(|control| &control.inputs) {
        let _ = write!(blocks.arguments, ", input + {}", blocks.from);
        blocks.from += input.bytes;
    }
    blocks.filled(api, &with_key(api, RUN_TESTER), &[])
}

fn counter_tester(api: &Api) -> String {
    let longest = api.instance.counter_vectors.iter().map(|v| v.input.len()).max().unwrap_or(0);
    let block = one_to_one(&api.instance.functions[0]).map_or(0, |(block, _)| block);
    let counter = api.instance.key.as_ref().map_or(0, |key| key.bytes);
    let (longest, text) = (longest.to_string(), (counter + block).to_string());
    let more = [("$longest", &*longest), ("$text", &*text)];
    api.fill(&with_key(api, COUNTER_TESTER), &more)
}

fn with_key(api: &Api, text: &str) -> String {
    let [declare, expand, keys, context, runs] = match api.instance.key {
        Some(_) => [
            "    $storage$P_ctx ctx;\n",
            "    $P_expand(&ctx, vector, variant);\n",
            "ctx.keys",
            "&ctx, ",
            "vector + $key",
        ],
        None => ["", "", "NULL", "", "vector"],
    };
    let text = text.replace("$declare", declare).replace("$expand", expand);
    text.replace("$keys", keys).replace("$ctx", context).replace("$runs", runs)
}

const TESTER: &str = "\
__attribute__((noinline))
static int $P_test_$F(unsigned variant, const uint8_t *vector)
{
$declare$arrays    const size_t blocks = $P_lanes[variant] + 1;
    const uint8_t *input = vector + $key, *output = input + $from;
    int bad = 0;
$expand    for (size_t turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < blocks; i++) {
            const unsigned other = i % 2 == turn ? 0 : 0xff;
$inputs        }
        $P_$F_run(variant, $keys, $arguments, blocks);
        for (size_t i = turn; i < blocks; i += 2) {
$compare        }
    }
    return bad;
}

";

const FILLED: &str = "                for (size_t i = 0; i < instances; i++) {
                    const unsigned other = i % 2 == turn ? 0 : 0xff;
$fill                }
";

const RUN_TESTER: &str = "\
/* A run is a number of ticks with the same input, and whether the outputs are compared. */
__attribute__((noinline))
static int $P_test(unsigned variant, const uint8_t *vector, const uint32_t (*runs)[2], size_t count)
{
$declare    $storage$P_state state;
$arrays    const size_t instances = $P_lanes[variant];
    int bad = 0;
$expand    for (size_t turn = 0; turn < 2 && turn < instances; turn++) {
        const uint8_t *output = $runs;
        $P_reset_as(&state, variant);
        for (size_t run = 0; run < count; run++) {
            const uint8_t *input = output;
            output += $from;
            for (uint32_t tick = 0; tick < runs[run][0]; tick++) {
$inputs                $P_step($ctx&state, $arguments);
                if (!runs[run][1])
                    continue;
                for (size_t i = turn; i < instances; i += 2) {
$compare                }
                output += $to;
            }
        }
    }
    return bad;
}

";

const COUNTER_TESTER: &str = "\
__attribute__((noinline))
static int $P_test_ctr(unsigned variant, const uint8_t *vector, size_t bytes)
{
$declare    $storageuint8_t text[$longest];
$expand    __builtin_memcpy(text, vector + $text, bytes);
    $P_ctr_run(variant, $keys, vector + $key, text, text, bytes);
    return __builtin_memcmp(text, vector + $text + bytes, bytes) != 0;
}

";

const SELF_TEST: &str = "\
int $P_self_test(void)
{
    for (unsigned variant = 0; variant < $count; variant++) {
        if (!$P_runs(variant))
            continue;
        if ($calls)
            return (int)variant + 1;
    }
    return 0;
}

";
