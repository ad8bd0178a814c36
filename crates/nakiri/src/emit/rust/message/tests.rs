//! The tests of a mode's vectors in Rust: each message alone, in parts where that is possible, and among others.

use super::{literal, Messages};
use crate::emit::library::MessageVector;
use crate::emit::rust::instance::Api;
use crate::emit::shell::mode;
use std::fmt::Write;

impl Messages<'_> {
    /// The tests of messages.
    pub(super) fn message_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let mut list = String::new();
        for vector in vectors {
            let streams: Vec<String> = vector.streams.iter().map(|s| literal(s)).collect();
            let [inputs, output] = [&vector.inputs, &vector.output].map(|part| literal(part));
            let (streams, times) = (streams.join(", "), vector.repeat);
            let _ = writeln!(list, "    ({inputs}, [{streams}], {times}, {output}),");
        }
        let size = self.of.mode.result_bytes();
        let giving = self.of.mode.giving().map(|each| each.stream);
        let squeezes = self.of.mode.squeeze().is_some();
        let (mut at, mut inputs, mut inputs_of, mut own) =
            (0, String::new(), String::new(), String::new());
        let mut batch_inputs = String::new();
        for (number, input) in self.of.shell.inputs.iter().enumerate() {
            let end = at + input.size;
            let _ = write!(inputs, ", &inputs[{at}..{end}]");
            match input.shared {
                true => {
                    let _ = write!(inputs_of, ", &inputs[{at}..{end}]");
                    let _ = write!(batch_inputs, ", &inputs[{at}..{end}]");
                }
                false => {
                    let bytes = input.size;
                    let _ = write!(
                        own,
                        "            let mut input{number} = inputs[{at}..{end}].repeat(COUNT);\n\
                         \x20           (0..COUNT).for_each(|k| input{number}[k * {bytes}] ^= k as u8);\n"
                    );
                    let _ = write!(inputs_of, ", &input{number}[k * {bytes}..][..{bytes}]");
                    let _ = write!(batch_inputs, ", &input{number}");
                }
            }
            at = end;
        }
        let count = self.of.shell.streams.len();
        let name = |k: usize, other: String| {
            if giving == Some(k) {
                "&mut text".to_string()
            } else {
                other
            }
        };
        let streams: String =
            (0..count).map(|k| format!(", {}", name(k, format!("streams[{k}]")))).collect();
        let streams_of: String =
            (0..count).map(|k| format!(", {}", name(k, format!("lists[{k}][k]")))).collect();
        let lists: String = (0..count)
            .map(|k| match giving == Some(k) {
                true => ", &mut texts".to_string(),
                false => format!(", &lists[{k}]"),
            })
            .collect();
        let result = if squeezes || size > 0 { ", &mut out" } else { "" };
        let outs = match (squeezes, size) {
            (true, _) => ", &mut outs, output.len()",
            (false, 0) => "",
            (false, _) => ", &mut outs",
        };
        let mut text = HEAD.to_string();
        if self.of.has_parts() {
            text.push_str(PARTS);
        }
        text.push_str(match giving {
            Some(_) => GIVEN,
            None => PLAIN,
        });
        let opens = self.of.opens();
        let (judge, judge_batch) = match (opens, size > 0) {
            (false, _) => ("", ""),
            (true, false) => (OPENED, OPENED_MANY),
            (true, true) => (JUDGED, JUDGED_MANY),
        };
        let result_size = if squeezes { "output.len()".to_string() } else { size.to_string() };
        let text = text.replace("$judged_many", judge_batch).replace("$judged", judge);
        let text = text + &self.trait_tests();
        let units: Vec<String> =
            (0..count).map(|k| self.of.mode.limit(k).unit.to_string()).collect();
        let batch = mode::TESTED.to_string();
        let giving = giving.unwrap_or(0).to_string();
        let more = [
            ("$batched", &*batch_inputs),
            ("$varied", &*own),
            ("$inputs_of", &*inputs_of),
            ("$inputs", &*inputs),
            ("$lists", &*lists),
            ("$list", &*list),
            ("$streams_of", &*streams_of),
            ("$streams", &*streams),
            ("$count", &*count.to_string()),
            ("$result_size", &*result_size),
            ("$results", outs),
            ("$result", result),
            ("$giving", &*giving),
            ("$units", &*units.join(", ")),
            ("$batch", &*batch),
        ];
        self.fill(api, &text, &more)
    }
}

const HEAD: &str = "
/// Inputs, streams, how many times the message is repeated, and what comes out.
type Message = (&'static [u8], [&'static [u8]; $count], usize, &'static [u8]);
const MESSAGES: &[Message] = &[
$list];

/// Many messages are as many.
const COUNT: usize = $batch;

/// For each stream what is its of each of many messages, shorter and shorter.
fn shorter(streams: &[&'static [u8]; $count]) -> [Vec<&'static [u8]>; $count] {
    let mut units = [$units].into_iter();
    streams.map(|stream| {
        let unit = units.next().unwrap_or(1);
        (0..COUNT).map(|k| &stream[..stream.len() - k * unit % (stream.len() + unit)]).collect()
    })
}
";

const PARTS: &str = "
#[test]
fn messages_give_their_results_in_any_parts() {
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (inputs, [message], times, output) in MESSAGES {
            let _ = inputs;
            let mut state = $T::empty();
            begin(variant, &mut state$inputs);
            for turn in 0..*times {
                let (mut rest, mut part) = (*message, turn % 2);
                while *times == 1 && part < rest.len() {
                    take(variant, &mut state, &rest[..part]);
                    (rest, part) = (&rest[part..], part + 1);
                }
                take(variant, &mut state, rest);
            }
            let mut out = std::vec![0; output.len()];
            end(variant, &mut state, &mut out);
            assert_eq!(out, *output, \"{variant:?}\");
        }
    }
}
";

const PLAIN: &str = "
#[test]
fn messages_in_lanes_give_what_each_gives() {
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (inputs, streams, _, output) in MESSAGES.iter().filter(|(_, _, times, _)| *times == 1) {
            let _ = inputs;
            let mut out = std::vec![0; output.len()];
            whole(variant$result$inputs$streams);
            assert_eq!(out, *output, \"{variant:?}\");
            let lists = shorter(streams);
$varied            let mut outs = std::vec![0; COUNT * output.len()];
            batch(variant$results$batched$lists);
            for (k, got) in outs.chunks(output.len()).enumerate() {
                let mut out = std::vec![0; output.len()];
                whole(variant$result$inputs_of$streams_of);
                assert_eq!(out, got, \"{variant:?}, {k}\");
            }
        }
    }
}
";

const GIVEN: &str = "
#[test]
#[allow(unused_mut, clippy::erasing_op)] // There may be no results beside the text.
fn texts_become_others_and_back() {
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (inputs, streams, _, output) in MESSAGES {
            let _ = inputs;
            let (given, results) = output.split_at(streams[$giving].len());
            let (mut out, mut text) = ([0; $result_size], streams[$giving].to_vec());
            whole(variant$result$inputs$streams);
            assert_eq!((&text[..], &out[..]), (given, results), \"{variant:?}\");
$judged        }
    }
}

#[test]
#[allow(unused_mut, clippy::erasing_op)] // There may be no results beside the text.
fn texts_in_lanes_become_what_each_becomes() {
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (inputs, streams, ..) in MESSAGES {
            let _ = inputs;
            let lists = shorter(streams);
$varied            let mut buffers: Vec<_> = lists[$giving].iter().map(|text| text.to_vec()).collect();
            let mut texts: Vec<&mut [u8]> = buffers.iter_mut().map(|text| &mut text[..]).collect();
            let mut outs = std::vec![0; COUNT * $result_size];
            batch(variant$results$batched$lists);
            for (k, got) in texts.iter().enumerate() {
                let (mut out, mut text) = ([0; $result_size], lists[$giving][k].to_vec());
                whole(variant$result$inputs_of$streams_of);
                assert_eq!(text, **got, \"{variant:?}, {k}\");
                assert_eq!(out, outs[k * $result_size..][..$result_size], \"{variant:?}, {k}\");
            }
$judged_many        }
    }
}
";

const OPENED: &str = "            opened(variant$inputs$streams);
            assert_eq!(text, streams[$giving], \"{variant:?}\");
";

const OPENED_MANY: &str = "            batch_opened(variant$batched$lists);
            for (text, message) in texts.iter().zip(&lists[$giving]) {
                assert_eq!(text, message, \"{variant:?}\");
            }
";

const JUDGED: &str = "            let mut verdict = [0];
            opened(variant, &mut verdict, &out$inputs$streams);
            assert_eq!((verdict[0], &text[..]), (0xff, streams[$giving]), \"{variant:?}\");
            for bit in 0..8 * $result_size {
                let mut wrong = out;
                wrong[bit / 8] ^= 1 << (bit % 8);
                text.copy_from_slice(given);
                opened(variant, &mut verdict, &wrong$inputs$streams);
                assert!(verdict[0] == 0 && text.iter().all(|byte| *byte == 0), \"{variant:?}, {bit}\");
            }
";

const JUDGED_MANY: &str = "            outs[5 * $result_size] ^= 1;
            let mut verdicts = std::vec![0; COUNT];
            batch_opened(variant, &mut verdicts, &outs$batched$lists);
            for (k, (text, message)) in texts.iter().zip(&lists[$giving]).enumerate() {
                let right = k != 5;
                assert_eq!(verdicts[k], if right { 0xff } else { 0 }, \"{variant:?}, {k}\");
                assert!(text.iter().zip(*message).all(|(a, b)| *a == if right { *b } else { 0 }), \"{variant:?}, {k}\");
            }
";
