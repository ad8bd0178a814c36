//! A fuzz target for libraries of C: what a call does with all that it is given is what several calls do with its parts, and
//! the way back leads back. It is made of the interfaces, for none in particular.

use super::message::Messages;
use crate::emit::check::{is_stepped, one_to_one};
use crate::emit::identifier;
use crate::emit::library::{Function, Instance, Library, LibraryError};
use crate::emit::ports::{pointers, ports, PortPair};
use std::fmt::Write;

/// Functions that each try an interface with bytes of a fuzzer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fuzz {
    /// Their names.
    pub names: Vec<String>,
    /// Their definitions.
    pub text: String,
}

/// The functions that try a library's interfaces, but for step functions.
///
/// # Errors
/// If the parts of an instance don't fit together.
pub fn fuzz(library: &Library) -> Result<Fuzz, LibraryError> {
    let mut all = Fuzz::default();
    for instance in &library.instances {
        let failed = |message| LibraryError { instance: instance.prefix.clone(), message };
        let prefix = identifier(&instance.prefix);
        let body = match Messages::of(instance).map_err(failed)? {
            Some(messages) => messages.fuzz(),
            None if instance.functions.iter().any(|f| is_stepped(instance, f)) => continue,
            None => blocks(instance),
        };
        all.text.push_str(&FUNCTION.replace("$body", &body).replace("$P", &prefix));
        all.names.push(format!("fuzz_{prefix}"));
    }
    Ok(all)
}

/// A file with libFuzzer's entry for the interfaces of a header: the first byte chooses which is tried.
pub fn fuzz_file(header: &str, all: &[Fuzz]) -> String {
    let functions: String = all.iter().map(|fuzz| &*fuzz.text).collect();
    let names: Vec<&str> = all.iter().flat_map(|fuzz| &fuzz.names).map(String::as_str).collect();
    let calls = match names.is_empty() {
        true => "    (void)input;\n".to_string(),
        false => CALLS.replace("$names", &names.join(",\n        ")),
    };
    let helpers = if names.is_empty() { "" } else { HELPERS };
    format!(
        "#include \"{header}\"\n\n{INPUT}{helpers}{functions}{}",
        ENTRY.replace("$calls", &calls)
    )
}

/// What is tried of functions on blocks: all at once against two calls, decryption, and the key stream twice.
fn blocks(instance: &Instance) -> String {
    let (mut arrays, mut text) = (String::new(), String::new());
    let mut context = "";
    if let Some(key) = &instance.key {
        context = "&context, ";
        let _ =
            write!(arrays, "    static uint8_t key[{}];\n    static $P_ctx context;\n", key.bytes);
        text.push_str("    fuzz_take(fuzz, key, sizeof key);\n    $P_expand_key(&context, key);\n");
    }
    for function in &instance.functions {
        text.push_str(&function_on_blocks(instance, function, context));
    }
    if let (Some(counter), Some((from, _))) =
        (&instance.counter, one_to_one(&instance.functions[0]))
    {
        debug_assert!(counter.bytes <= from);
        text.push_str(&STREAM.replace("$from", &from.to_string()).replace("$context", context));
    }
    if instance.key.is_some() {
        text.push_str("    $P_wipe(&context);\n");
    }
    arrays + &text
}

fn function_on_blocks(instance: &Instance, function: &Function, context: &str) -> String {
    let Some(kernel) = function.variants.first() else { return String::new() };
    let ports = ports(kernel);
    let (ins, outs) = (pointers("in", &ports.inputs), pointers("out", &ports.outputs));
    let (mut arrays, mut taken, mut compared) = (String::new(), String::new(), String::new());
    let with_sizes = |names: &[String], ports: &[PortPair]| -> Vec<(String, usize)> {
        names.iter().cloned().zip(ports.iter().map(PortPair::bytes)).collect()
    };
    let (ins, outs) = (with_sizes(&ins, &ports.inputs), with_sizes(&outs, &ports.outputs));
    for (name, bytes) in &ins {
        let _ = writeln!(arrays, "        static uint8_t {name}[FUZZ_BLOCKS * {bytes}];");
        let _ = writeln!(taken, "        fuzz_take(fuzz, {name}, blocks * {bytes});");
    }
    for (name, bytes) in &outs {
        let _ = writeln!(
            arrays,
            "        static uint8_t {name}[FUZZ_BLOCKS * {bytes}], parts_{name}[FUZZ_BLOCKS * {bytes}];"
        );
        let _ = writeln!(
            compared,
            "        FUZZ_EXPECT(memcmp({name}, parts_{name}, blocks * {bytes}) == 0);"
        );
    }
    let name = identifier(&function.name);
    let call = |prefix: &str, from: &str, blocks: &str| {
        let at = |name: &str, bytes: usize| match from {
            "" => name.to_string(),
            from => format!("{name} + {from} * {bytes}"),
        };
        let outs = outs.iter().map(|(name, bytes)| at(&format!("{prefix}{name}"), *bytes));
        let ins = ins.iter().map(|(name, bytes)| at(name, *bytes));
        let pointers: Vec<String> = outs.chain(ins).collect();
        format!("        $P_{name}_blocks({context}{}, {blocks});\n", pointers.join(", "))
    };
    let whole = call("", "", "blocks");
    let parts = call("parts_", "", "cut") + &call("parts_", "cut", "blocks - cut");
    let opened = instance.functions.iter().any(|other| other.name == "decrypt");
    let back = match (&ins[..], &outs[..]) {
        ([(_, bytes)], [_]) if opened && function.name == "encrypt" => format!(
            "        $P_decrypt_blocks({context}out, out, blocks);\n        \
             FUZZ_EXPECT(memcmp(out, in, blocks * {bytes}) == 0);\n"
        ),
        _ => String::new(),
    };
    format!(
        "    {{\n{arrays}        const size_t blocks = fuzz_number(fuzz, FUZZ_BLOCKS + 1), cut = fuzz_number(fuzz, blocks + 1);\n\
         {taken}{whole}{parts}{compared}{back}    }}\n"
    )
}

const INPUT: &str = "\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a fuzzer gives; zeros behind its end. */
struct fuzz {
    const uint8_t *data;
    size_t size;
};

";

const HELPERS: &str = "\
enum { FUZZ_MESSAGES = 5, FUZZ_LONGEST = 600, FUZZ_BLOCKS = 600 };

#define FUZZ_EXPECT(holds) \\
    do { \\
        if (!(holds)) { \\
            fprintf(stderr, \"%s: not so: %s\\n\", __func__, #holds); \\
            abort(); \\
        } \\
    } while (0)

__attribute__((unused)) static inline void fuzz_take(struct fuzz *fuzz, uint8_t *bytes, size_t count)
{
    const size_t there = count < fuzz->size ? count : fuzz->size;
    if (there > 0)
        memcpy(bytes, fuzz->data, there);
    if (count > there)
        memset(bytes + there, 0, count - there);
    fuzz->data += there;
    fuzz->size -= there;
}

__attribute__((unused)) static inline size_t fuzz_number(struct fuzz *fuzz, size_t below)
{
    uint8_t bytes[2];
    fuzz_take(fuzz, bytes, sizeof bytes);
    return (bytes[0] | (size_t)bytes[1] << 8) % below;
}

__attribute__((unused)) static inline int fuzz_zeros(const uint8_t *bytes, size_t count)
{
    uint8_t all = 0;
    for (size_t k = 0; k < count; k++)
        all |= bytes[k];
    return all == 0;
}

/* The best variant that the CPU runs, or another one. */
__attribute__((unused)) static inline void fuzz_variant(struct fuzz *fuzz, const char *const *names, int (*use)(const char *))
{
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    const size_t k = fuzz_number(fuzz, count + 1);
    use(NULL);
    use(names[k]);
}

";

const FUNCTION: &str = "\
static void fuzz_$P(struct fuzz *fuzz)
{
    if (!$P_supported())
        return;
    fuzz_variant(fuzz, $P_variants(), $P_use_variant);
$body}

";

const STREAM: &str = "    {
        static uint8_t counter[$from], text[FUZZ_LONGEST], whole[FUZZ_LONGEST], begun[FUZZ_LONGEST];
        const size_t bytes = fuzz_number(fuzz, FUZZ_LONGEST + 1), cut = fuzz_number(fuzz, bytes + 1);
        fuzz_take(fuzz, counter, sizeof counter);
        fuzz_take(fuzz, text, bytes);
        $P_ctr_xor($contextcounter, whole, text, bytes);
        $P_ctr_xor($contextcounter, begun, text, cut);
        FUZZ_EXPECT(memcmp(whole, begun, cut) == 0);
        $P_ctr_xor($contextcounter, whole, whole, bytes);
        FUZZ_EXPECT(memcmp(whole, text, bytes) == 0);
    }
";

const CALLS: &str = "    static void (*const all[])(struct fuzz *) = {
        $names,
    };
    all[data[0] % (sizeof all / sizeof *all)](&input);
";

const ENTRY: &str = "\
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct fuzz input = { data + 1, size - 1 };
$calls    return 0;
}
";
