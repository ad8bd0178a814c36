//! The head of a library's files.

use super::batch::clear;
use super::library::{Function, Instance, Library};
use super::{identifier, includes, type_name};
use crate::emit::count::Counts;
use std::fmt::Write;

/// The comment at the top of the source: where it comes from, what is in it, and what is known of it.
pub fn comment(library: &Library) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: {}", library.title, library.specification);
    let _ = writeln!(
        text,
        "\nMade by Nakiri {} from sources {}:",
        library.version, library.source_hash
    );
    let _ = writeln!(text, "    {}", library.command_line);
    text.push_str("\nVariants, best first, and what one run of each executes:\n");
    for instance in &library.instances {
        for function in &instance.functions {
            variants(&mut text, &instance.prefix, function);
        }
    }
    text.push_str("\nChecked:\n");
    for line in &library.evidence {
        let _ = writeln!(text, "    {line}");
    }
    let vectors: usize = library.instances.iter().map(vectors_of).sum();
    let _ =
        writeln!(text, "    the self tests hold {vectors} vectors, to be run on the CPU at hand");
    text.push_str(
        "\nNo branch and no address is meant to depend on data. Define NAKIRI_WIPE to have copies of keys and texts\n\
         erased from arrays on the stack. Constant parameters are the key.\n",
    );
    block_comment(&text)
}

fn vectors_of(instance: &Instance) -> usize {
    instance.vectors.len() + instance.counter_vectors.len() + instance.tick_vectors.len()
}

fn variants(text: &mut String, prefix: &str, function: &Function) {
    for kernel in &function.variants {
        let counts = Counts::of(kernel);
        let interleaved = match kernel.interleave {
            1 => String::new(),
            batches => format!(" in {batches} interleaved batches"),
        };
        let ty = kernel.program.entry().results.first().map(|port| type_name(port.ty));
        let operations = counts.operations.iter();
        let operations: Vec<String> = operations.map(|(kind, n)| format!("{n} {kind:?}")).collect();
        let _ = writeln!(
            text,
            "    {prefix} {}, {} {}: {} at once{}, {} instructions ({})",
            function.name,
            kernel.target.name,
            ty.unwrap_or_default(),
            kernel.blocks(),
            interleaved,
            counts.instructions,
            operations.join(", ")
        );
    }
}

/// A comment that nothing in its text can end.
fn block_comment(text: &str) -> String {
    let text = text.replace("*/", "* /").replace("/*", "/ *");
    let lines = text.lines().map(|line| format!(" * {line}").trim_end().to_string() + "\n");
    format!("/* SPDX-License-Identifier: 0BSD\n *\n{} */\n", lines.collect::<String>())
}

/// What the source includes, and the functions that all parts use.
pub fn prelude(library: &Library) -> String {
    let functions = library.instances.iter().flat_map(|instance| &instance.functions);
    let kernels = functions.flat_map(|function| &function.variants);
    let name = identifier(&library.name);
    let text = PRELUDE.replace("$CLEAR", &clear(&library.name)).replace("$library", &name);
    let words = crate::layout::c::prelude(&format!("{name}_"));
    format!("#include \"{}.h\"\n\n{}{words}{text}", library.name, includes(kernels))
}

/// The header.
pub fn header(library: &Library, declarations: &str) -> String {
    let guard = format!("{}_H", identifier(&library.name).to_uppercase());
    let title = block_comment(&format!("{}: {}", library.title, library.specification));
    format!(
        "{title}\n#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{declarations}\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
}

const PRELUDE: &str = "\
/* Erases memory in a way that no compiler leaves out. */
__attribute__((unused)) static void $library_erase(void *p, size_t bytes)
{
    memset(p, 0, bytes);
    __asm__ volatile(\"\" : : \"r\"(p) : \"memory\");
}

#ifdef NAKIRI_WIPE
#define $CLEAR(array) $library_erase(array, sizeof array)
#else
#define $CLEAR(array) ((void)0)
#endif

";
