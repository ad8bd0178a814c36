//! What a fuzz target tries of a mode: each of some messages alone, all of them at once, in parts, and the way back.

use super::{called, Call, Messages, Parameter};
use crate::emit::shell::Input;
use crate::mode::Limit;
use std::fmt::Write;

impl Messages<'_> {
    /// The statements that try it, where `fuzz` gives bytes.
    pub fn fuzz(&self) -> String {
        let (squeezes, size) = (self.of.mode.squeeze().is_some(), self.of.mode.result_bytes());
        let most = if squeezes { "FUZZ_LONGEST".to_string() } else { size.to_string() };
        let (mut arrays, mut taken) = (String::new(), String::new());
        if self.has_result() {
            let _ = writeln!(
                arrays,
                "    static uint8_t results[FUZZ_MESSAGES * {most}], together[FUZZ_MESSAGES * {most}];"
            );
            let length = if squeezes { "fuzz_number(fuzz, FUZZ_LONGEST + 1)" } else { &*most };
            let _ = writeln!(taken, "    const size_t length = {length};");
        }
        if self.of.giving(false).is_some() {
            arrays.push_str("    static uint8_t made[FUZZ_MESSAGES][FUZZ_LONGEST], before[FUZZ_MESSAGES][FUZZ_LONGEST];\n");
        }
        for input in &self.of.shell.inputs {
            let (name, size) = (&input.name, input.size);
            let count = if input.shared { "1" } else { "FUZZ_MESSAGES" };
            let _ = writeln!(arrays, "    static uint8_t bytes_{name}[{count} * {size}];");
            let _ = writeln!(taken, "    fuzz_take(fuzz, bytes_{name}, sizeof bytes_{name});");
        }
        for (number, name) in self.of.streams(false).into_iter().enumerate() {
            let _ =
                writeln!(arrays, "    static uint8_t text_{name}[FUZZ_MESSAGES][FUZZ_LONGEST];");
            let _ = writeln!(arrays, "    static size_t length_{name}[FUZZ_MESSAGES];");
            let length = length(self.of.mode.limit(number));
            taken.push_str(&TAKE_STREAM.replace("$name", name).replace("$length", &length));
        }
        if let Some(name) = self.of.giving(false) {
            let _ = writeln!(taken, "    memcpy(before, text_{name}, sizeof before);");
        }
        let mut text = arrays + &taken + &self.there();
        if self.of.has_parts() {
            text.push_str(&self.in_parts());
        }
        if self.of.opens() {
            text.push_str(&self.back());
        }
        text
    }

    /// Each message alone, and all at once: the same.
    fn there(&self) -> String {
        let (alone, many) = (self.alone(false), self.many(false));
        let mut text = format!(
            "    for (size_t k = 0; k < FUZZ_MESSAGES; k++) {{\n{}        {};\n    }}\n",
            self.one(false),
            self.done(&alone)
        );
        let own = match (self.has_result(), self.of.giving(false).is_some()) {
            (false, _) => "",
            (true, true) => "        uint8_t *tags = together;\n",
            (true, false) => "        uint8_t *outs = together;\n",
        };
        let mut compared = String::new();
        if self.has_result() {
            compared
                .push_str("        FUZZ_EXPECT(memcmp(results, together, count * length) == 0);\n");
        }
        if let Some(name) = self.of.giving(false) {
            let _ = write!(
                compared,
                "        for (size_t k = 0; k < count; k++)\n            \
                 FUZZ_EXPECT(memcmp(text_{name}[k], made[k], length_{name}[k]) == 0);\n"
            );
        }
        let _ = write!(
            text,
            "    {{\n        const size_t count = FUZZ_MESSAGES;\n{own}{}        {};\n{compared}    }}\n",
            self.all(false),
            self.done(&many)
        );
        text
    }

    /// The first message cut in two.
    fn in_parts(&self) -> String {
        let [stream] = self.of.streams(false)[..] else { return String::new() };
        let inputs = self.of.shell.inputs.iter();
        let inputs: String = inputs.map(|input| format!(", bytes_{}", input.name)).collect();
        let more = if self.of.mode.squeeze().is_some() { ", length" } else { "" };
        PARTS.replace("$stream", stream).replace("$inputs", &inputs).replace("$more", more)
    }

    /// The way back from what [`Messages::there`] made: right, and with a bit of a tag that is not.
    fn back(&self) -> String {
        let (Some(own), (alone, many)) =
            (self.of.giving(false), (self.alone(true), self.many(true)))
        else {
            return String::new();
        };
        let judges = self.of.judges(true);
        let called = |call| if judges { called(call) } else { self.done(call) };
        let (alone_call, many_call) = (called(&alone), called(&many));
        let template = if judges { JUDGED } else { RETURNED };
        template
            .replace("$one", &self.one(true))
            .replace("$all", &self.all(true))
            .replace("$alone", &alone_call)
            .replace("$many", &many_call)
            .replace("$own", own)
    }

    /// A call that refuses no length.
    fn done(&self, call: &Call) -> String {
        match self.of.mode.refuses() {
            true => format!("FUZZ_EXPECT({} == 0)", called(call)),
            false => called(call),
        }
    }

    /// What message `k` is called with, by the names of the parameters.
    fn one(&self, back: bool) -> String {
        let value = |parameter: Parameter| match parameter {
            Parameter::Made => "made[k]".to_string(),
            Parameter::Result => "results + k * length".to_string(),
            Parameter::Length => "length".to_string(),
            Parameter::Input(Input { name, shared: true, .. }) => format!("bytes_{name}"),
            Parameter::Input(Input { name, size, .. }) => format!("bytes_{name} + k * {size}"),
            Parameter::Stream(name) => format!("text_{name}[k]"),
            Parameter::StreamLength(name) => format!("length_{name}[k]"),
        };
        self.declared(back, value).iter().map(|line| format!("        {line}\n")).collect()
    }

    /// What all messages are called with, likewise.
    fn all(&self, back: bool) -> String {
        let mut text = String::new();
        for input in &self.of.shell.inputs {
            let _ = writeln!(text, "        const uint8_t *{0} = bytes_{0};", input.name);
        }
        let mut filled = String::new();
        for (name, own) in self.of.streams(back).into_iter().zip(self.of.streams(false)) {
            let constant = if self.of.giving(back) == Some(name) { "" } else { "const " };
            let _ = writeln!(text, "        {constant}uint8_t *{name}[FUZZ_MESSAGES];");
            let _ = writeln!(text, "        const size_t *{name}_lengths = length_{own};");
            let _ = writeln!(filled, "            {name}[k] = text_{own}[k];");
        }
        text + "        for (size_t k = 0; k < FUZZ_MESSAGES; k++) {\n" + &filled + "        }\n"
    }
}

/// Some length that is allowed.
fn length(limit: Limit) -> String {
    let longest = match limit.most {
        Some(most) if most < 1 << 15 => format!("(FUZZ_LONGEST < {most} ? FUZZ_LONGEST : {most})"),
        _ => "FUZZ_LONGEST".to_string(),
    };
    match limit.unit {
        1 => format!("fuzz_number(fuzz, {longest} + 1)"),
        unit => format!("{unit} * fuzz_number(fuzz, {longest} / {unit} + 1)"),
    }
}

const TAKE_STREAM: &str = "    for (size_t k = 0; k < FUZZ_MESSAGES; k++) {
        length_$name[k] = $length;
        fuzz_take(fuzz, text_$name[k], length_$name[k]);
    }
";

const PARTS: &str = "    {
        const size_t cut = fuzz_number(fuzz, length_$stream[0] + 1);
        $P_state state;
        $P_init(&state$inputs);
        $P_update(&state, text_$stream[0], cut);
        $P_update(&state, text_$stream[0] + cut, length_$stream[0] - cut);
        $P_final(&state, together$more);
        FUZZ_EXPECT(memcmp(results, together, length) == 0);
    }
";

const RETURNED: &str = "    for (size_t k = 0; k < FUZZ_MESSAGES; k++) {
$one        $alone;
        FUZZ_EXPECT(memcmp(made[k], before[k], length_$own[k]) == 0);
    }
    {
        const size_t count = FUZZ_MESSAGES;
$all        $many;
        for (size_t k = 0; k < count; k++)
            FUZZ_EXPECT(memcmp(text_$own[k], before[k], length_$own[k]) == 0);
    }
";

const JUDGED: &str = "    for (size_t k = 0; k < FUZZ_MESSAGES; k++) {
$one        FUZZ_EXPECT($alone == 0);
        FUZZ_EXPECT(memcmp(made[k], before[k], length_$own[k]) == 0);
    }
    /* The bit of all tags that is wrong; one behind them is none. */
    const size_t wrong = fuzz_number(fuzz, 8 * FUZZ_MESSAGES * length + 1), forged = wrong / (8 * length);
    if (forged < FUZZ_MESSAGES) {
        const size_t k = forged;
        results[wrong / 8] ^= (uint8_t)(1 << wrong % 8);
$one        FUZZ_EXPECT($alone == -1);
        FUZZ_EXPECT(fuzz_zeros(made[k], length_$own[k]));
    }
    {
        const size_t count = FUZZ_MESSAGES;
        const uint8_t *tags = results;
        uint8_t opened[FUZZ_MESSAGES];
$all        FUZZ_EXPECT($many == (forged < count ? -1 : 0));
        for (size_t k = 0; k < count; k++) {
            const int right = k != forged;
            FUZZ_EXPECT(opened[k] == (right ? 255 : 0));
            FUZZ_EXPECT(right ? memcmp(text_$own[k], before[k], length_$own[k]) == 0
                              : fuzz_zeros(text_$own[k], length_$own[k]));
        }
    }
";
