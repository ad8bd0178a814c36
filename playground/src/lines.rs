//! Which place of the source each line of emitted text comes from: values keep their names and their spans.

use crate::document::Read;
use nakiri::compile::Kernel;
use nakiri::core::{Func, FuncId, Stmt};
use nakiri::emit::library::Function;
use nakiri::source::Span;
use nakiri_library::entry::identifier;
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// The lines, from 0, that define values, each with its place in the document. The file is one of C, which has the first variant of a
/// function, or one of Rust, which is called like the target of its variant.
pub fn places(read: &Read, function: &Function, path: &str, text: &str) -> Vec<Value> {
    let stem = path.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or_default();
    let named = |kernel: &&Kernel| identifier(kernel.target.name) == stem;
    let Some(kernel) = function.variants.iter().find(named).or(function.variants.first()) else {
        return Vec::new();
    };
    let mut values = BTreeMap::new();
    let mut places = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(name) = head(line) {
            let own = kernel_function(kernel, &function.name, name);
            values = own.map(spans).unwrap_or_default();
        }
        let span = value(line).and_then(|value| values.get(&value));
        if let Some([start, end]) = span.and_then(|span| read.place(*span)) {
            places.push(json!([number, start, end]));
        }
    }
    places
}

/// The name of the function that begins in a line.
fn head(line: &str) -> Option<&str> {
    let begins = line.starts_with(|first: char| first.is_ascii_alphabetic());
    let before = line.split_once('(').map(|(before, _)| before).filter(|_| begins)?;
    before.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next()
}

/// The function of a kernel by its name in a library: that of the rest has `_rest` in it, and of those that are called there is the
/// number behind `_kernel`.
fn kernel_function<'a>(kernel: &'a Kernel, function: &str, name: &str) -> Option<&'a Func> {
    let (before, after) = name.rsplit_once("_kernel")?;
    // That of a tick has no function's name, and no rest.
    let behind = before.rsplit_once(function).map_or("", |(_, behind)| behind);
    let kernel = kernel.chain().nth(behind.matches("_rest").count())?;
    let after = after.rsplit_once("_part").map_or(after, |(callee, _)| callee);
    let id = match after.rsplit_once('_') {
        Some((_, number)) => FuncId(number.parse().ok()?),
        None => kernel.program.entry,
    };
    kernel.program.funcs.get(id.index())
}

/// Where each value comes from.
fn spans(func: &Func) -> BTreeMap<u32, Span> {
    let mut spans = BTreeMap::new();
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            spans.extend(instr.results.iter().map(|result| (result.0, instr.span)));
        });
        if let Stmt::Loop(own) = stmt {
            spans.extend(own.carried.iter().map(|carried| (carried.inside.0, own.span)));
        }
    }
    spans
}

/// The value that a line defines or stores: `const __m256i v12 = …`, `let v12 = …`, `out0[3] = v12;`.
fn value(line: &str) -> Option<u32> {
    let (left, right) = line.split_once(" = ")?;
    let left = left.split_once(": ").map_or(left, |(name, _)| name);
    let last = left.rsplit(' ').next()?;
    number(last).or_else(|| number(right.strip_suffix(';')?))
}

fn number(name: &str) -> Option<u32> {
    name.strip_prefix('v')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_languages_are_read() {
        assert_eq!(head("static void f_kernel(__m256i *restrict out0)"), Some("f_kernel"));
        assert_eq!(head("unsafe fn f_kernel(out0: *mut u8) {"), Some("f_kernel"));
        assert_eq!(head("    f_kernel(y0, x0);"), None);
        assert_eq!(value("    const __m256i v12 = _mm256_xor_si256(v1, v2);"), Some(12));
        assert_eq!(value("    let v12: u64 = v1 ^ v2;"), Some(12));
        assert_eq!(value("    out0[3] = v12;"), Some(12));
        assert_eq!(value("    x = 3;"), None);
    }
}
