//! Test benches of step functions: a program that drives one instance from tick to tick, to look at it or to go on from.

use crate::core::Layout;
use crate::emit::check::is_stepped;
use crate::emit::identifier;
use crate::emit::library::{Instance, Library};
use crate::emit::ports::{pointers, ports, PortPair};
use std::fmt::Write;

/// A test bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestBench {
    /// The name of its file.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// A test bench for each step function of a library.
pub fn test_benches(library: &Library) -> Vec<TestBench> {
    let instances = library.instances.iter();
    let stepped = instances.filter(|instance| is_stepped(instance, &instance.functions[0]));
    stepped.map(|instance| test_bench(&library.name, instance)).collect()
}

/// A parameter of a tick.
struct Parameter {
    name: String,
    bits: u32,
    bytes: usize,
    /// Whether it is a number of which the first byte is the lowest.
    is_number: bool,
    /// In C, how many blocks it has.
    blocks: &'static str,
}

impl Parameter {
    fn all(verb: &str, ports: &[PortPair], blocks: &'static str) -> Vec<Parameter> {
        let parameter = |(name, port): (String, &PortPair)| Parameter {
            name,
            bits: port.bits(),
            bytes: port.bytes(),
            is_number: port.declared.layout == Layout::Le,
            blocks,
        };
        pointers(verb, ports).into_iter().zip(ports).map(parameter).collect()
    }

    /// What there is of it in a line.
    fn described(&self) -> String {
        let order = if self.is_number { "" } else { ", its bytes in order" };
        let bits = if self.bits == 1 { "bit" } else { "bits" };
        format!(" *   {}: {} {bits}{order}\n", self.name, self.bits)
    }

    fn allocated(&self) -> String {
        format!("    uint8_t *{} = calloc({}, {});\n", self.name, self.blocks, self.bytes)
    }

    /// The call of a function on its first block.
    fn call(&self, function: &str) -> String {
        let is_number = i32::from(self.is_number);
        format!("{function}({}, {}, {}, {is_number})", self.name, self.bytes, self.bits)
    }

    /// The statements that read it, or end the program.
    fn read(&self, end: &str) -> String {
        let Parameter { name, bits, .. } = self;
        let call = self.call("read_value");
        format!("        read = {call};\n{end}        if (read != 1)\n            return wrong(tick, \"{name}\", {bits});\n")
    }
}

fn test_bench(library: &str, instance: &Instance) -> TestBench {
    let interface = ports(&instance.functions[0].variants[0]);
    let outputs = Parameter::all("out", &interface.outputs, "lanes");
    let mut inputs = Parameter::all("in", &interface.inputs, "lanes");
    if let Some(control) = &instance.control {
        inputs.extend(Parameter::all("shared", &ports(control).inputs, "1"));
    }
    let each = |all: &[Parameter], text: fn(&Parameter) -> String| -> String {
        all.iter().map(text).collect()
    };
    let all = || outputs.iter().chain(&inputs);
    let missing: Vec<String> = all().map(|parameter| format!("!{}", parameter.name)).collect();
    let digits = 2 * inputs.iter().map(|input| input.bytes).max().unwrap_or_default();
    let mut reads = String::new();
    for (number, input) in inputs.iter().enumerate() {
        reads += &input.read(if number == 0 {
            "        if (read == 0)\n            break;\n"
        } else {
            ""
        });
    }
    let mut prints = String::new();
    for (number, output) in outputs.iter().enumerate() {
        let space = if number == 0 { "" } else { "        putchar(' ');\n" };
        let _ = writeln!(prints, "{space}        {};", output.call("print_value"));
    }
    let (key, expanded, context) = match &instance.key {
        Some(key) => (KEY.replace("$bytes", &key.bytes.to_string()), EXPANDED, "&ctx, "),
        None => (String::new(), "", ""),
    };
    let prefix = identifier(&instance.prefix);
    let (usage, functions, ticks) = if inputs.is_empty() { FREE } else { DRIVEN };
    let mut text = [HEAD, usage, INCLUDES, functions, PRINT, MAIN].concat();
    for (place, value) in [
        ("$ticks", ticks),
        ("$key", &*key),
        ("$expanded", expanded),
        ("$ctx", context),
        ("$inputs", &*each(&inputs, Parameter::described)),
        ("$outputs", &*each(&outputs, Parameter::described)),
        ("$allocated", &*all().map(Parameter::allocated).collect::<String>()),
        ("$missing", &*missing.join(" || ")),
        ("$arguments", &*all().map(|p| format!(", {}", p.name)).collect::<String>()),
        ("$freed", &*all().map(|p| format!("    free({});\n", p.name)).collect::<String>()),
        ("$names", &*outputs.iter().map(|p| format!(" {}", p.name)).collect::<String>()),
        ("$reads", &*reads),
        ("$prints", &*prints),
        ("$digits", &*(digits + 1).to_string()),
        ("$text", &*(digits + 2).to_string()),
        ("$library", library),
        ("$P", &*prefix),
    ] {
        text = text.replace(place, value);
    }
    TestBench { file: format!("{prefix}_tb.c"), text }
}

const HEAD: &str = "\
/* SPDX-License-Identifier: 0BSD
 *
 * A test bench of $P, of one of the instances side by side: to be changed.
 *
";

const INCLUDES: &str = " * and prints these after each tick:
$outputs */
#include \"$library.h\"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

";

/// Usage, functions and the head of the loop over ticks where there are no inputs.
const FREE: (&str, &str, &str) = (
    " *     cc -O2 $library.c $P_tb.c -o $P_tb && ./$P_tb
 *
 * It runs 16 ticks
",
    "",
    "    for (unsigned long tick = 0; tick < 16; tick++) {\n",
);

/// The same where there are some.
const DRIVEN: (&str, &str, &str) = (
    " *     cc -O2 $library.c $P_tb.c -o $P_tb && ./$P_tb < ticks.txt
 *
 * It reads for each tick these values, in hexadecimal:
$inputs",
    "\
/* Reads a value: 1, or 0 at the end of the text, or -1 if it is none of so many bits. */
static int read_value(uint8_t *bytes, size_t size, unsigned bits, int is_number)
{
    static const char digits[] = \"0123456789abcdef\";
    char text[$text];
    if (scanf(\"%$digitss\", text) != 1)
        return 0;
    const size_t length = strlen(text);
    if (is_number ? length > 2 * size : length != 2 * size)
        return -1;
    memset(bytes, 0, size);
    for (size_t i = 0; i < length; i++) {
        const char *digit = strchr(digits, tolower((unsigned char)text[i]));
        if (!digit)
            return -1;
        const size_t place = length - 1 - i;
        bytes[is_number ? place / 2 : i / 2] |= (uint8_t)((digit - digits) << (place % 2 * 4));
    }
    return is_number && bytes[size - 1] >> ((bits - 1) % 8 + 1) ? -1 : 1;
}

static int wrong(unsigned long tick, const char *name, unsigned bits)
{
    fprintf(stderr, \"tick %lu: %s is no value of %u bits in hexadecimal\\n\", tick, name, bits);
    return 1;
}

",
    "    for (unsigned long tick = 0;; tick++) {
        /* The inputs of the first instance; those of the others are zeros. */
        int read;
",
);

const PRINT: &str = "\
static void print_value(const uint8_t *bytes, size_t size, unsigned bits, int is_number)
{
    const size_t digits = is_number ? (bits + 3) / 4 : 2 * size;
    for (size_t i = 0; i < digits; i++) {
        const size_t place = digits - 1 - i;
        const uint8_t byte = bytes[is_number ? place / 2 : i / 2];
        putchar(\"0123456789abcdef\"[(byte >> (place % 2 * 4)) & 15]);
    }
}

";

/// The key, where there is one.
const KEY: &str = "    /* The key of all instances. */
    static const uint8_t key[$bytes] = { 0 };
    static $P_ctx ctx;
";

const EXPANDED: &str = "    $P_expand_key(&ctx, key);\n";

const MAIN: &str = "\
int main(void)
{
$key    static $P_state state;
    if (!$P_supported()) {
        fputs(\"this CPU lacks the instructions of $P\\n\", stderr);
        return 1;
    }
    const size_t lanes = $P_parallel_blocks();
$allocated    if ($missing)
        return 1;
$expanded    $P_reset($ctx&state);
    puts(\"#$names\");
$ticks$reads        $P_step($ctx&state$arguments);
$prints        putchar('\\n');
    }
$freed    return 0;
}
";
