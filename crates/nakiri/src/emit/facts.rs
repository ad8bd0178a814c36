//! What the head of a library's files says of it.

use super::count::Counts;
use super::keys;
use super::library::{Function, Instance, Library};
use super::type_name;
use crate::compile::Kernel;
use std::fmt::Write;

/// Where a library comes from, what is in it, and what is known of it.
pub fn text(library: &Library) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", heading(library));
    let _ = writeln!(
        text,
        "\nMade by Nakiri {} from sources {}:",
        library.version, library.source_hash
    );
    let _ = writeln!(text, "    {}", line(&library.command_line));
    text.push_str("\nVariants, best first, and what one run of each executes:\n");
    for instance in &library.instances {
        for function in &instance.functions {
            variants(&mut text, &instance.prefix, function);
        }
        for own in &instance.parallels {
            for kernel in own.functions().into_iter().take(2).flat_map(|(_, all)| all).flatten() {
                let takes = format!("{} of one text side by side", own.blocks);
                variant(&mut text, &instance.prefix, &own.piece, kernel, &takes);
            }
        }
        for stretch in instance.all_stretches() {
            for kernel in stretch.kernels() {
                let takes = match kernel.blocks() {
                    1 => format!("{} of one text at once", stretch.blocks),
                    texts => format!("{} of each of {texts} texts at once", stretch.blocks),
                };
                variant(&mut text, &instance.prefix, &stretch.piece, kernel, &takes);
            }
        }
        let prefix = format!("{} multikey", instance.prefix);
        let own = instance.multikey.iter().flat_map(|multikey| &multikey.functions);
        own.for_each(|function| variants(&mut text, &prefix, function));
        key(&mut text, instance);
        if let Some(control) = &instance.control {
            shared(&mut text, &instance.prefix, control);
        }
    }
    text.push_str("\nChecked:\n");
    for line in &library.evidence {
        let _ = writeln!(text, "    {}", self::line(line));
    }
    let vectors: usize = library.instances.iter().map(vectors_of).sum();
    let plural = if vectors == 1 { "" } else { "s" };
    let _ = writeln!(
        text,
        "    the self tests hold {vectors} vector{plural}, to be run on the CPU at hand"
    );
    text
}

/// The cipher's name, and where it is specified.
pub fn heading(library: &Library) -> String {
    line(&format!("{}: {}", library.title, library.specification))
}

/// A text as one line.
pub fn line(text: &str) -> String {
    let lines = text.split(['\n', '\t', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    let text = lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    text.chars().map(|c| if is_plain(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Whether a character may stand in a line of a comment: nothing that ends it, and nothing that makes text look other than it
/// is, which compilers refuse.
pub fn is_plain(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !turns
}

/// How many vectors an instance's self test holds.
pub fn vectors_of(instance: &Instance) -> usize {
    let messages = instance.message_vectors.len();
    instance.vectors.len() + instance.counter_vectors.len() + instance.tick_vectors.len() + messages
}

/// What an expanded key costs each variant: the schedule, and the words that are made of bytes.
fn key(text: &mut String, instance: &Instance) {
    let expansions = instance.key.as_ref().and_then(|key| keys::expansions(instance, key).ok());
    for part in expansions.iter().flatten().flat_map(|expansion| &expansion.parts) {
        let schedule = part.schedule.as_ref().map_or(String::new(), |schedule| {
            let counts = Counts::of(schedule.kernel);
            let (target, direction) = (schedule.kernel.target.name, schedule.kernel.direction);
            let operations = operations(&counts);
            let count = counts.instructions;
            format!("schedule -{direction} on {target} of {count} instructions ({operations}), ")
        });
        let made = part.of_key.iter().chain(part.schedule.iter().flat_map(|s| &s.of_results));
        let words: usize = made.map(|making| making.to.1 / 8).sum();
        let (kernel, bytes) = (part.kernel, part.bytes);
        let _ = writeln!(
            text,
            "    {} key set-up, {} -{}: {schedule}{words} words of images besides, {bytes} bytes kept",
            instance.prefix, kernel.target.name, kernel.direction
        );
    }
}

/// What all lanes share: the registers, what it costs.
fn shared(text: &mut String, prefix: &str, control: &Kernel) {
    let counts = Counts::of(control);
    let registers = control.params[control.inputs().len()..].iter();
    let registers: Vec<String> = registers.map(|port| port.name.clone()).collect();
    let registers = match &registers[..] {
        [] => "no registers".to_string(),
        registers => format!("the registers {}", registers.join(", ")),
    };
    let _ = writeln!(
        text,
        "    {prefix} control, {}: once for all lanes, {} instructions ({}), with {registers}",
        control.target.name,
        counts.instructions,
        operations(&counts)
    );
}

fn operations(counts: &Counts) -> String {
    let operations = counts.operations.iter();
    operations.map(|(kind, n)| format!("{n} {kind:?}")).collect::<Vec<_>>().join(", ")
}

fn variants(text: &mut String, prefix: &str, function: &Function) {
    for kernel in &function.variants {
        let interleaved = match kernel.interleave {
            1 => String::new(),
            batches => format!(" in {batches} interleaved batches"),
        };
        let takes = format!("{} at once{interleaved}", kernel.blocks());
        variant(text, prefix, &function.name, kernel, &takes);
    }
}

fn variant(text: &mut String, prefix: &str, name: &str, kernel: &Kernel, takes: &str) {
    let counts = Counts::of(kernel);
    let ty = kernel.program.entry().results.first().map(|port| type_name(port.ty));
    let _ = writeln!(
        text,
        "    {prefix} {name}, {} {}: {takes}, {} instructions ({})",
        kernel.target.name,
        ty.unwrap_or_default(),
        counts.instructions,
        operations(&counts)
    );
}
