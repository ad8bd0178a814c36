//! The tests of a mode's vectors in C: each message alone, in parts where that is possible, and among others.

use super::{bytes, Messages};
use crate::emit::c::api::Api;
use crate::emit::library::MessageVector;
use crate::emit::shell::mode;
use crate::mode::Each;
use std::fmt::Write;

/// What the tests of a mode are called with.
struct Names {
    /// The inputs of a vector, and those of message `k` of a batch.
    inputs: [String; 2],
    /// The streams of a vector, and those of message `k` of a batch, which may be shorter.
    streams: [String; 2],
}

impl Messages<'_> {
    /// The tests of messages.
    pub(super) fn message_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let (mut text, mut list) = (String::new(), String::new());
        for (number, vector) in vectors.iter().enumerate() {
            let streams = vector.streams.concat();
            let parts = [&vector.inputs[..], &streams, &vector.output].concat();
            text.push_str(&bytes(&format!("message{number}"), &parts));
            let lengths: Vec<String> = vector.streams.iter().map(|s| s.len().to_string()).collect();
            let (lengths, times) = (lengths.join(", "), vector.repeat);
            let result = vector.output.len();
            let _ =
                writeln!(list, "    {{ $P_message{number}, {{ {lengths} }}, {times}, {result} }},");
        }
        // Compilers that don't see when a stretch is long enough want room for it.
        let stretches = api.instance.stretches.iter().map(|stretch| stretch.blocks);
        let parallels = api.instance.parallels.iter().map(|parallel| parallel.blocks);
        let stretch = stretches.chain(parallels).max();
        let block = self.of.mode.loops().map(Each::block_bytes).max().unwrap_or(0);
        let outputs = vectors.iter().map(|vector| vector.output.len());
        let longest = outputs.chain([1, stretch.unwrap_or(0) * block]).max().unwrap_or(1);
        let Names { inputs: [inputs, inputs_of], streams: [streams, streams_of] } = self.names();
        let (result, outs) = match (self.of.mode.squeeze().is_some(), self.of.mode.result_bytes()) {
            (true, _) => {
                ("out, vector->result, ", "outs, count * vector->result, vector->result, ")
            }
            (false, 0) => ("", ""),
            (false, _) => ("out, ", "outs, sizeof outs, "),
        };
        let size = match self.of.mode.squeeze() {
            Some(_) => longest,
            None => self.of.mode.result_bytes().max(1),
        };
        let (alone, batch) = (self.whole_test(), self.batch_test());
        let hash = self.of.has_parts();
        let parts = if hash { PARTS } else { "" };
        let checks = if hash { "$P_test_parts(variant, vector) || " } else { "" };
        let ended = if self.of.mode.squeeze().is_some() { ", vector->result" } else { "" };
        let before: usize = self.of.shell.inputs.iter().map(|input| input.size).sum();
        let begun: Vec<&str> = inputs.split_terminator(", ").collect();
        let begun: String = begun.iter().map(|input| format!(", {input}")).collect();
        let more = [
            ("$begun", &*begun),
            ("$checks", checks),
            ("$list", &*list),
            ("$vectors", &*vectors.len().to_string()),
            ("$streams", &*self.of.shell.streams.len().to_string()),
            ("$longest", &*longest.to_string()),
            ("$most", &*size.to_string()),
            ("$before", &*before.to_string()),
            ("$ended", ended),
            ("$batch", &*mode::TESTED.to_string()),
            ("$outs", outs),
            ("$of_one", result),
            ("$inputs_of", &*inputs_of),
            ("$inputs", &*inputs),
            ("$texts_of", &*streams_of),
            ("$texts", &*streams),
        ];
        self.fill(api, &format!("{text}{VECTORS}{parts}{alone}{batch}{TESTER}"), &more)
    }

    fn names(&self) -> Names {
        let (mut at, mut inputs) = (0, [String::new(), String::new()]);
        for (number, input) in self.of.shell.inputs.iter().enumerate() {
            let _ = write!(inputs[0], "vector->bytes + {at}, ");
            let _ = match input.shared {
                true => write!(inputs[1], "vector->bytes + {at}, "),
                false => write!(inputs[1], "input{number} + k * {}, ", input.size),
            };
            at += input.size;
        }
        let giving = self.of.mode.giving().map(|each| each.stream);
        let streams = (0..self.of.shell.streams.len()).map(|number| {
            let from = if giving == Some(number) { "text" } else { &*format!("stream{number}") };
            let own = format!("{from}, vector->lengths[{number}]");
            (own, format!("{from}, lengths{number}[k]"))
        });
        let (own, of): (Vec<_>, Vec<_>) = streams.unzip();
        Names { inputs, streams: [own.join(", "), of.join(", ")] }
    }

    /// Where the streams of a vector and what comes out of them begin.
    fn places(&self) -> String {
        let mut text = "    const uint8_t *const stream0 = vector->bytes + $before;\n".to_string();
        for number in 1..=self.of.shell.streams.len() {
            let (before, last) = (number - 1, number == self.of.shell.streams.len());
            let name = if last { "given".to_string() } else { format!("stream{number}") };
            let _ = writeln!(
                text,
                "    const uint8_t *const {name} = stream{before} + vector->lengths[{before}];"
            );
        }
        text
    }

    fn whole_test(&self) -> String {
        let size = self.of.mode.result_bytes();
        let mut text = WHOLE.to_string() + &self.places();
        match self.of.mode.giving().map(|each| each.stream) {
            None => text.push_str(
                "    $P_whole(variant, $of_one$inputs$texts);\n    return __builtin_memcmp(out, given, vector->result) != 0;\n",
            ),
            Some(of) => {
                let (stream, length) = (format!("stream{of}"), format!("vector->lengths[{of}]"));
                let _ = write!(
                    text,
                    "    static uint8_t text[$longest];\n    __builtin_memcpy(text, {stream}, {length});\n\
                     \x20   $P_whole(variant, $of_one$inputs$texts);\n\
                     \x20   if (__builtin_memcmp(text, given, {length}) != 0)\n        return 1;\n"
                );
                if size > 0 {
                    let _ = write!(
                        text,
                        "    if (__builtin_memcmp(out, given + {length}, {size}) != 0)\n        return 1;\n"
                    );
                }
                if self.of.opens() {
                    let judged = if size > 0 { "verdict, out, " } else { "" };
                    let _ = write!(
                        text,
                        "    $P_opened(variant, {judged}$inputs$texts);\n    if (__builtin_memcmp(text, {stream}, {length}) != 0)\n        return 1;\n"
                    );
                }
                if self.of.opens() && size > 0 {
                    let _ = write!(
                        text,
                        "    if (verdict[0] != 0xff)\n        return 1;\n\
                         \x20   /* Another tag opens nothing. */\n    for (size_t bit = 0; bit < 8 * {size}; bit++) {{\n\
                         \x20       out[bit / 8] ^= (uint8_t)(1 << bit % 8);\n        __builtin_memcpy(text, given, {length});\n\
                         \x20       $P_opened(variant, verdict, out, $inputs$texts);\n        uint8_t left = verdict[0];\n\
                         \x20       for (size_t k = 0; k < {length}; k++)\n            left |= text[k];\n\
                         \x20       if (left != 0)\n            return 1;\n        out[bit / 8] ^= (uint8_t)(1 << bit % 8);\n    }}\n"
                    );
                }
                text.push_str("    return 0;\n");
            }
        }
        let verdict = match self.of.opens() && size > 0 {
            true => "    uint8_t verdict[1];\n",
            false => "",
        };
        let out = if size == 0 && self.of.mode.squeeze().is_none() {
            ""
        } else {
            "    uint8_t out[$most];\n"
        };
        text.replace("$declarations", &format!("{out}{verdict}")) + "}\n\n"
    }

    fn batch_test(&self) -> String {
        let size = self.of.mode.result_bytes();
        let giving = self.of.mode.giving().map(|each| each.stream);
        let result = match self.of.mode.squeeze().is_some() {
            true => "vector->result",
            false => "sizeof out",
        };
        let (mut arrays, mut fill) = (String::new(), String::new());
        let (mut inputs, mut at) = (String::new(), 0);
        for (number, input) in self.of.shell.inputs.iter().enumerate() {
            let bytes = input.size;
            if input.shared {
                let _ = write!(inputs, "vector->bytes + {at}, ");
            } else {
                let _ = writeln!(arrays, "    static uint8_t input{number}[$batch * {bytes}];");
                let _ = write!(
                    fill,
                    "        __builtin_memcpy(input{number} + k * {bytes}, vector->bytes + {at}, {bytes});\n\
                     \x20       input{number}[k * {bytes}] ^= (uint8_t)k;\n"
                );
                let _ = write!(inputs, "input{number}, sizeof input{number}, ");
            }
            at += bytes;
        }
        let mut streams = Vec::new();
        for number in 0..self.of.shell.streams.len() {
            let own = format!("vector->lengths[{number}]");
            let constant = if giving == Some(number) { "" } else { "const " };
            let _ = writeln!(
                arrays,
                "    static {constant}uint8_t *streams{number}[$batch];\n    static size_t lengths{number}[$batch];"
            );
            let shorter = match self.of.mode.limit(number).unit {
                1 => format!("k % ({own} + 1)"),
                unit => format!("k * {unit} % ({own} + {unit})"),
            };
            let _ = writeln!(fill, "        lengths{number}[k] = {own} - {shorter};");
            let _ = match giving == Some(number) {
                true => writeln!(
                    fill,
                    "        streams{number}[k] = texts + k * $longest;\n        __builtin_memcpy(streams{number}[k], stream{number}, {own});"
                ),
                false => writeln!(fill, "        streams{number}[k] = stream{number};"),
            };
            streams.push(format!("streams{number}, lengths{number}, count"));
        }
        let streams = streams.join(", ");
        if giving.is_some() {
            arrays.push_str("    static uint8_t texts[$batch * $longest], text[$longest];\n");
        }
        if size > 0 || self.of.mode.squeeze().is_some() {
            arrays.push_str("    static uint8_t outs[$batch * $most];\n    uint8_t out[$most];\n");
        }
        let mut check = String::new();
        if let Some(of) = giving {
            let _ = writeln!(check, "        __builtin_memcpy(text, stream{of}, lengths{of}[k]);");
        }
        check.push_str("        $P_whole(variant, $of_one$inputs_of$texts_of);\n");
        if let Some(of) = giving {
            let _ = writeln!(
                check,
                "        bad |= __builtin_memcmp(text, streams{of}[k], lengths{of}[k]) != 0;"
            );
        }
        if size > 0 || self.of.mode.squeeze().is_some() {
            let _ = writeln!(
                check,
                "        bad |= __builtin_memcmp(out, outs + k * {result}, {result}) != 0;"
            );
        }
        let mut text = format!(
            "{BATCH}{}{arrays}    const size_t count = $batch;\n    int bad = 0;\n\
             \x20   for (size_t k = 0; k < count; k++) {{\n{fill}    }}\n\
             \x20   $P_batch(variant, $outs{inputs}{streams});\n\
             \x20   for (size_t k = 0; k < count; k++) {{\n{check}    }}\n",
            self.places()
        );
        if let (Some(of), true) = (giving, self.of.opens()) {
            let judged = size > 0;
            if judged {
                let _ = write!(
                    text,
                    "    static uint8_t opened[$batch];\n    outs[5 * {size}] ^= 1;\n"
                );
            }
            let verdicts = if judged { "opened, sizeof opened, outs, sizeof outs, " } else { "" };
            let _ = write!(
                text,
                "    $P_batch_opened(variant, {verdicts}{inputs}{streams});\n    for (size_t k = 0; k < count; k++) {{\n"
            );
            if judged {
                text.push_str("        bad |= opened[k] != (k == 5 ? 0 : 0xff);\n");
            }
            let wrong = if judged { "k == 5 ? 0 : " } else { "" };
            let _ = write!(
                text,
                "        for (size_t i = 0; i < lengths{of}[k]; i++)\n            bad |= streams{of}[k][i] != ({wrong}stream{of}[i]);\n    }}\n"
            );
        }
        text + "    (void)given;\n    return bad;\n}\n\n"
    }
}

const VECTORS: &str = "\
/* Inputs, streams, and what comes out of them; the message may be repeated so many times. */
struct $P_message {
    const uint8_t *bytes;
    size_t lengths[$streams], times, result;
};

static const struct $P_message $P_test_vectors[$vectors] = {
$list};

";

const PARTS: &str = "\
/* In parts, the first of which grow. */
static int $P_test_parts(unsigned variant, const struct $P_message *vector)
{
    $P_state state;
    uint8_t out[$most];
    const uint8_t *message = vector->bytes + $before;
    const size_t length = vector->lengths[0];
    $P_begin(variant, &state$begun);
    for (size_t turn = 0; turn < vector->times; turn++) {
        size_t done = 0;
        for (size_t part = turn % 2; vector->times == 1 && part < length - done; part++) {
            $P_take(variant, &state, message + done, part);
            done += part;
        }
        $P_take(variant, &state, message + done, length - done);
    }
    $P_end(variant, &state, out$ended);
    return __builtin_memcmp(out, message + length, vector->result) != 0;
}

";

const WHOLE: &str = "\
/* Alone. */
static int $P_test_whole(unsigned variant, const struct $P_message *vector)
{
$declarations";

const BATCH: &str = "\
/* Beside messages that are shorter and shorter. */
static int $P_test_batch(unsigned variant, const struct $P_message *vector)
{
";

const TESTER: &str = "\
__attribute__((noinline))
static int $P_test_messages(unsigned variant)
{
    for (size_t k = 0; k < $vectors; k++) {
        const struct $P_message *vector = $P_test_vectors + k;
        if ($checks(vector->times == 1 && ($P_test_whole(variant, vector) || $P_test_batch(variant, vector))))
            return 1;
    }
    return 0;
}

";
