//! A program that says what calls of a library cost on the machine that runs it, in each variant: a message alone, and many at
//! once. It is made of the interfaces, for none in particular.

use super::message::Messages;
use crate::emit::check::{is_stepped, one_to_one};
use crate::emit::identifier;
use crate::emit::library::{Instance, Library, LibraryError};
use std::fmt::Write;

/// What is measured of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bench {
    /// Definitions of functions that call those of the library.
    pub text: String,
    /// The rows of the table of what is measured.
    pub rows: String,
    /// The most bytes of what a call takes beside streams, or gives as a result.
    pub largest: usize,
}

/// A function of a library, and what is said of it.
pub(super) struct Measured {
    /// What follows the prefix of the instance in its name.
    pub name: String,
    /// Statements that call it for one message.
    pub alone: String,
    /// The same for many, if there is a way.
    pub many: Option<String>,
    /// The function that is called once before: it sets a key, or makes what leads back.
    pub before: Option<String>,
    /// Whether it goes back from what that made.
    pub back: bool,
    /// Lengths are multiples of so many bytes,
    pub unit: usize,
    /// and no more than these.
    pub most: Option<u64>,
}

impl Bench {
    /// Adds the functions that call a function of an instance, and its row.
    pub(super) fn add(&mut self, prefix: &str, measured: &Measured) {
        let Measured { name, alone, many, before, back, unit, most } = measured;
        let own = format!("bench_{prefix}{name}");
        self.function(&own, alone);
        let many = many.as_ref().map(|many| {
            self.function(&format!("{own}_many"), many);
            format!("{own}_many")
        });
        let or_null = |name: Option<&String>| name.map_or("NULL", |name| name).to_string();
        let most = most.filter(|most| *most < u64::from(u32::MAX));
        let most = most.map_or("SIZE_MAX".to_string(), |most| most.to_string());
        let _ = writeln!(
            self.rows,
            "    {{ \"{prefix}{name}\", {prefix}_supported, {prefix}_variants, {prefix}_use_variant, {}, {own}, {}, {}, {unit}, {most} }},",
            or_null(before.as_ref()),
            or_null(many.as_ref()),
            u8::from(*back),
        );
    }

    /// A function of these statements.
    pub(super) fn function(&mut self, name: &str, body: &str) {
        let _ = write!(
            self.text,
            "static void {name}(const struct bench *bench)\n{{\n    (void)bench;\n{body}}}\n\n"
        );
    }
}

/// What can be measured of a library: all but step functions, and functions on blocks of several sizes.
///
/// # Errors
/// If the parts of an instance don't fit together.
pub fn bench(library: &Library) -> Result<Bench, LibraryError> {
    let mut all = Bench::default();
    for instance in &library.instances {
        let failed = |message| LibraryError { instance: instance.prefix.clone(), message };
        let prefix = identifier(&instance.prefix);
        match Messages::of(instance).map_err(failed)? {
            Some(messages) => messages.bench(&prefix, &mut all),
            None if instance.functions.iter().any(|f| is_stepped(instance, f)) => {}
            None => blocks(instance, &prefix, &mut all),
        }
    }
    Ok(all)
}

/// The functions on blocks of one size, and the counter mode.
fn blocks(instance: &Instance, prefix: &str, all: &mut Bench) {
    let (mut context, mut before) = ("", None);
    if let Some(key) = &instance.key {
        all.largest = all.largest.max(key.bytes);
        let _ = writeln!(all.text, "static {prefix}_ctx bench_{prefix}_context;\n");
        let body = format!("    {prefix}_expand_key(&bench_{prefix}_context, bench->inputs);\n");
        let name = format!("bench_{prefix}_expand_key");
        all.function(&name, &body);
        (context, before) = ("&bench_$P_context, ", Some(name));
    }
    let context = context.replace("$P", prefix);
    let measured = |name: &str, alone, unit| Measured {
        name: name.to_string(),
        alone,
        many: None,
        before: before.clone(),
        back: false,
        unit,
        most: None,
    };
    for function in &instance.functions {
        let Some((from, to)) = one_to_one(function) else { continue };
        if from != to {
            continue;
        }
        let name = format!("_{}_blocks", identifier(&function.name));
        let call = format!(
            "    {prefix}{name}({context}bench->out, bench->in, bench->length / {from});\n"
        );
        all.add(prefix, &measured(&name, call, from));
    }
    let Some((from, _)) = one_to_one(&instance.functions[0]).filter(|_| instance.counter.is_some())
    else {
        return;
    };
    all.largest = all.largest.max(from);
    let call = format!(
        "    {prefix}_ctr_xor({context}bench->inputs, bench->out, bench->in, bench->length);\n"
    );
    all.add(prefix, &measured("_ctr_xor", call, 1));
}

/// The program for the interfaces of a header.
pub fn bench_file(header: &str, all: &[Bench]) -> String {
    format!("#include \"{header}\"\n\n{INCLUDES}\n{}{MAIN}", table(all))
}

/// The functions that are measured, and the table of them, `all`.
pub(super) fn table(all: &[Bench]) -> String {
    let text: String = all.iter().map(|bench| &*bench.text).collect();
    let rows: String = all.iter().map(|bench| &*bench.rows).collect();
    let largest = all.iter().map(|bench| bench.largest).max().unwrap_or(0);
    let head = HEAD.replace("$largest", &largest.max(1).to_string());
    // A table is not empty.
    format!(
        "{head}{text}static const struct measured all[] = {{\n{rows}    \
         {{ NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 1, 0 }},\n}};\n\n"
    )
}

const INCLUDES: &str = "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n";
const HEAD: &str = include_str!("bench/head.c");
const MAIN: &str = include_str!("bench/main.c");
