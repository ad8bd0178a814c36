//! The tests of an instance: every vector in every variant that the CPU can run.

use super::instance::Api;
use super::module::{joined, Blocks};
use crate::emit::check::{self, one_to_one};
use crate::emit::library::Function;
use crate::emit::ports::{pointers, ports};
use crate::emit::{identifier, indented};
use std::fmt::Write;

/// The module of tests.
///
/// # Errors
/// If a vector doesn't fit its function.
pub fn text(api: &Api) -> Result<String, String> {
    let instance = api.instance;
    check::vectors_have_functions(instance)?;
    let mut body = String::new();
    for function in &instance.functions {
        let own = instance.vectors.iter().filter(|vector| vector.function == function.name);
        let (mut vectors, mut count) = (String::new(), 0);
        for vector in own {
            check::vector(instance, function, vector)?;
            let parts = [&vector.key, &vector.input, &vector.output].map(|part| bytes(part));
            let _ = writeln!(vectors, "    ({}),", parts.join(", "));
            count += 1;
        }
        if count > 0 {
            body.push_str(&test(api, function, &vectors));
        }
    }
    let mut vectors = String::new();
    for vector in &instance.counter_vectors {
        check::counter_vector(instance, vector)?;
        let parts = [&vector.key, &vector.counter, &vector.input, &vector.output];
        let _ = writeln!(vectors, "    ({}),", parts.map(|part| slice(part)).join(", "));
    }
    if !vectors.is_empty() {
        let end = instance.counter.filter(|counter| counter.bytes <= 4).map_or("", |_| END);
        let text = COUNTER.replace("$end", end).replace("$T", &api.name);
        body.push_str(&text.replace("$vectors", &vectors));
    }
    if let Some(messages) = api.messages() {
        body.push_str(&messages.tests(api, &instance.message_vectors));
    }
    if body.is_empty() {
        return Ok(String::new());
    }
    let body = indented(&body);
    Ok(format!("{HEAD}\n{}}}\n", body.trim_end_matches('\n').to_string() + "\n"))
}

/// The test of one function: the vector fills every other lane, its complement the rest, and then the other way
/// round.
fn test(api: &Api, function: &Function, vectors: &str) -> String {
    let kernel = &function.variants[0];
    let ports = ports(kernel);
    let key = api.instance.key.as_ref().map_or(0, |key| key.bytes);
    let (ins, outs) = (pointers("input", &ports.inputs), pointers("out", &ports.outputs));
    let (from, to) = one_to_one(function).unwrap_or((
        ports.inputs.iter().map(|port| port.bytes()).sum(),
        ports.outputs.iter().map(|port| port.bytes()).sum(),
    ));
    let name = identifier(&function.name);
    let (expand, keyed) = match api.instance.key {
        Some(_) => {
            (format!("let cipher = {}::expand(key, variant);\n            ", api.name), true)
        }
        None => ("let _ = key;\n            ".to_string(), false),
    };
    let (mut fill, mut compare, mut call) = (String::new(), String::new(), vec![]);
    if let Blocks::InOut(_) = Blocks::of(kernel) {
        let run = match keyed {
            true => format!("cipher.{name}(blocks.as_mut_slice().into());"),
            false => format!(
                "{}_as(variant, blocks.as_mut_slice().into());",
                joined(&api.stem, &function.name)
            ),
        };
        let _ = write!(
            fill,
            "let mut blocks: Vec<Array<u8, consts::U{from}>> = (0..BLOCKS).map(|i| Array(lane(*input, i, turn))).collect();\n                {run}\n                "
        );
        compare.push_str("assert_eq!(blocks[i].0, *output, \"{variant:?}, block {i}\");");
    } else {
        let mut at = 0;
        for (port, name) in ports.inputs.iter().zip(&ins) {
            let size = port.bytes();
            let _ = write!(
                fill,
                "let {name}: Vec<[u8; {size}]> = (0..BLOCKS).map(|i| lane(*part(input, {at}), i, turn)).collect();\n                "
            );
            at += size;
        }
        for (port, name) in ports.outputs.iter().zip(&outs) {
            let _ =
                write!(fill, "let mut {name} = [[0; {}]; BLOCKS];\n                ", port.bytes());
            call.push(format!("&mut {name}"));
        }
        call.extend(ins.iter().map(|name| format!("&{name}")));
        let call = call.join(", ");
        let run = match keyed {
            true => format!("cipher.{name}_blocks({call});"),
            false => format!("{}_as(variant, {call});", joined(&api.stem, &function.name)),
        };
        fill.push_str(&run);
        fill.push_str("\n                ");
        let mut at = 0;
        for (port, name) in ports.outputs.iter().zip(&outs) {
            let size = port.bytes();
            let _ = write!(
                compare,
                "assert_eq!({name}[i][..], output[{at}..{}], \"{{variant:?}}, block {{i}}\");\n                    ",
                at + size
            );
            at += size;
        }
    }
    let most = api.instance.functions.iter().flat_map(|f| &f.variants).map(|k| k.blocks()).max();
    let values = [
        ("$name", name.clone()),
        ("$NAME", name.to_uppercase()),
        ("$key", key.to_string()),
        ("$from", from.to_string()),
        ("$to", to.to_string()),
        ("$vectors", vectors.to_string()),
        ("$blocks", (most.unwrap_or(1) + 1).to_string()),
        ("$expand", expand),
        ("$fill", fill),
        ("$compare", compare.trim_end().to_string()),
    ];
    values.iter().fold(TEST.to_string(), |text, (key, value)| text.replace(key, value))
}

/// Bytes as an array.
fn bytes(bytes: &[u8]) -> String {
    format!("*{}", slice(bytes))
}

/// Bytes as a reference to an array.
fn slice(bytes: &[u8]) -> String {
    format!("b\"{}\"", bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>())
}

const HEAD: &str = "
#[cfg(test)]
mod tests {
    use super::*;
    use crate::VARIANTS;
    #[allow(unused_imports)] // It depends on the functions that are tested.
    use crate::memory::part;
    use std::vec::Vec;

    /// What block `i` is: the vector's, or its complement.
    #[allow(dead_code)] // It depends on the functions that are tested.
    fn lane<const N: usize>(block: [u8; N], i: usize, turn: usize) -> [u8; N] {
        if i % 2 == turn { block } else { block.map(|byte| !byte) }
    }
";

const TEST: &str = "
/// Key, input and output.
const $NAME: &[([u8; $key], [u8; $from], [u8; $to])] = &[
$vectors];

#[test]
fn $name_gives_its_vectors() {
    const BLOCKS: usize = $blocks;
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (key, input, output) in $NAME {
            $expandfor turn in 0..2 {
                $fillfor i in (turn..BLOCKS).step_by(2) {
                    $compare
                }
            }
        }
    }
}
";

const COUNTER: &str = "
/// Key, counter, text and sum.
type Message = (&'static [u8], &'static [u8], &'static [u8], &'static [u8]);
const MESSAGES: &[Message] = &[
$vectors];

#[test]
fn ctr_gives_its_vectors_in_any_parts() {
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (key, counter, text, sum) in MESSAGES {
            let cipher = $T::expand((*key).try_into().unwrap(), variant);
            let fresh = $TCtr::with_cipher(cipher, (*counter).try_into().unwrap());
            for cut in 0..=text.len() {
                let (mut stream, mut out) = (fresh.clone(), text.to_vec());
                stream.apply_keystream(&mut out[..cut]);
                assert_eq!(stream.current_pos::<usize>(), cut);
                stream.apply_keystream_b2b(&text[cut..], &mut out[cut..]);
                assert_eq!(out, *sum, \"{variant:?}, cut at {cut}\");
                stream.seek(cut);
                stream.apply_keystream(&mut out[cut..]);
                assert_eq!(out[cut..], text[cut..], \"{variant:?}, back at {cut}\");
            }
        }
    }
}
$end";

const END: &str = "
#[test]
fn no_counter_is_used_twice() {
    let (key, counter, ..) = MESSAGES[0];
    let mut stream = $TCtr::new_from_slices(key, counter).unwrap();
    stream.seek($TCtr::END - 1);
    assert!(stream.try_apply_keystream(&mut [0; 2]).is_err());
    assert!(stream.try_apply_keystream(&mut [0; 1]).is_ok());
    assert!(stream.try_apply_keystream(&mut [0; 1]).is_err());
}
";
