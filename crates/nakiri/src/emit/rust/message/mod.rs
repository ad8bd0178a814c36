//! The interface of a mode in Rust.

mod hkdf;
mod hmac;
mod tests;
mod trait_tests;
pub mod traits;

use super::instance::{erased, hidden, Api};
use super::shell;
use crate::emit::library::{Instance, MessageVector, Parallel, Stretch};
use crate::emit::ports::{ports, PortPair};
use crate::emit::shell::interface::Interface;
use crate::emit::shell::printer;
use crate::mode::Limit;

/// The functions of a mode.
pub struct Messages<'a> {
    of: Interface<'a>,
}

/// A function of the interface.
struct Call {
    /// What follows the module's name.
    name: String,
    about: String,
    parameters: Vec<String>,
    /// What it returns, with the arrow.
    returns: String,
    body: String,
}

impl<'a> Messages<'a> {
    /// Those of an instance's mode, if it has one.
    ///
    /// # Errors
    /// What can't be written.
    pub fn of(instance: &'a Instance) -> Result<Option<Messages<'a>>, String> {
        Ok(Interface::of(instance)?.map(|of| Messages { of }))
    }

    /// What its module makes public.
    pub fn exports(&self, api: &Api) -> Vec<String> {
        let calls = self.of.ways().flat_map(|back| [self.alone(back), self.many(back)]);
        let mut names: Vec<String> =
            calls.map(|call| format!("{}{}", api.stem, call.name)).collect();
        if self.of.has_parts() {
            names.push(api.name.clone());
        }
        if self.of.mode.has_hmac() {
            names.push(format!("{}Hmac", api.name));
            let ends = ["hmac", "hkdf", "hkdf_expand"];
            names.extend(ends.map(|end| format!("{}_{end}", api.stem)));
        }
        names
    }

    /// The type of a message that comes in parts, the functions, and what they call.
    pub fn text(&self, api: &Api) -> String {
        let chunks = |name: &str| -> Vec<usize> {
            let instance = api.instance;
            let own = instance.functions.iter().find(|function| function.name == name);
            let parallels = instance.parallels.iter().flat_map(Parallel::functions);
            let mut stretches =
                instance.all_stretches().flat_map(Stretch::functions).chain(parallels);
            let stretch = stretches.find(|(own, _)| own == name).map(|(_, variants)| variants);
            let kernel = own.and_then(|function| function.variants.first());
            let kernel = kernel.or_else(|| stretch?.iter().flatten().next());
            let ports = kernel.map(ports);
            let all = ports.iter().flat_map(|ports| ports.outputs.iter().chain(&ports.inputs));
            all.map(PortPair::bytes).collect()
        };
        let mut text = String::new();
        let context = TYPE.to_string() + &erased("$T", "self.erase()");
        if self.of.has_own_context() {
            text.push_str(&context.replace("#[derive(Clone)]\npub ", ""));
        }
        if self.of.has_parts() {
            text.extend([&context, IN_PARTS, &hidden("$T")]);
            if self.of.shell.inputs.is_empty() {
                text.push_str(DEFAULT);
            }
            text.push_str(if self.of.mode.squeeze().is_some() { STREAM } else { FIXED });
        }
        for back in self.of.ways() {
            for call in [self.alone(back), self.many(back)] {
                text.push_str(&call.text());
            }
        }
        if self.of.mode.has_hmac() {
            text.push_str(hmac::TEXT);
            text.push_str(hkdf::TEXT);
        }
        text.push_str(&shell::definitions(&self.of.shell, &chunks));
        let lanes = (0..api.instance.functions[0].variants.len()).map(|k| api.instance.lanes(k));
        let about = "How many blocks a variant processes at once";
        let mut numbers = vec![("lanes_of", about, lanes.collect())];
        let about = "The bytes of a message below which a variant takes it alone among many";
        numbers.extend(
            self.of
                .ways()
                .map(|back| (printer::alone_below(back), about, api.instance.alone_below(back))),
        );
        for (name, about, numbers) in numbers {
            if text.contains(&format!("{name}(")) {
                text.push('\n');
                text.push_str(&api.number(name, about, &numbers));
            }
        }
        let mut taking = vec![
            ("alone".to_string(), "a message alone", &api.instance.alone),
            ("among".to_string(), "many messages", &api.instance.among),
        ];
        taking.extend(api.instance.parallels.iter().map(|own| {
            let what = "many blocks of a text side by side where it takes the text";
            (format!("{}_variant", own.name()), what, &own.beside)
        }));
        let taking = taking.into_iter().map(|(name, what, orders)| {
            let arms = api.cheaper(orders);
            TAKING.replace("$name", &name).replace("$what", what).replace("$arms", &arms)
        });
        let taking: String = taking.collect();
        text.push_str(&taking);
        text.push_str(if taking.contains("runs(") { RUNS } else { "" });
        let (fields, empty) = (shell::context(&self.of.shell), shell::empty(&self.of.shell));
        let erased = shell::erased(&self.of.shell);
        let more = [("$fields", &*fields), ("$empty", &*empty), ("$erased", &*erased)];
        self.fill(api, &text, &more)
    }

    fn fill(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let inputs = self.of.shell.inputs.iter();
        let declared: String = inputs
            .clone()
            .map(|input| format!("{}: &[u8; {}], ", input.name, input.size))
            .collect();
        let given: String = inputs.map(|input| format!(", {}", input.name)).collect();
        let size = self.of.mode.result_bytes().to_string();
        let own = [
            ("$declared", &*declared),
            ("$given", &*given),
            ("$size", &*size),
            ("$snake", &*api.stem),
            ("$takes", self.of.takes()),
        ];
        api.fill(text, &[more, &own].concat())
    }

    /// The streams but for that which is changed.
    fn others(&self) -> impl Iterator<Item = &String> {
        self.of.shell.streams.iter().filter(|name| self.of.giving(false) != Some(name))
    }

    /// The functions of a message alone.
    fn alone(&self, back: bool) -> Call {
        let (size, squeezes) = (self.of.mode.result_bytes(), self.of.mode.squeeze().is_some());
        let mut parameters = Vec::new();
        if self.of.giving(false).is_some() {
            parameters.push("text: &mut [u8]".to_string());
        }
        if squeezes {
            parameters.push("out: &mut [u8]".to_string());
        }
        if self.of.judges(back) {
            parameters.push(format!("tag: &[u8; {size}]"));
        }
        let inputs = self.of.shell.inputs.iter();
        parameters
            .extend(inputs.clone().map(|input| format!("{}: &[u8; {}]", input.name, input.size)));
        parameters.extend(self.others().map(|name| format!("{name}: &[u8]")));
        let own: String = inputs.map(|input| format!(", {}", input.name)).collect();
        let streams = self.of.shell.streams.iter();
        let streams = streams.map(|n| if self.of.giving(false) == Some(n) { "text" } else { n });
        let streams: String = streams.map(|name| format!(", {name}")).collect();
        let callee = if back { "opened" } else { "whole" };
        let call = |results: &str| {
            let takes = self.of.takes();
            format!("    {callee}({takes}(Variant::chosen()){results}{own}{streams});\n")
        };
        let refuses = self.of.mode.refuses();
        let (returns, body) = match (self.of.judges(back), squeezes, size) {
            (true, ..) => (
                " -> bool".to_string(),
                format!(
                    "    let mut verdict = [0];\n{}    verdict[0] != 0\n",
                    call(", &mut verdict, tag")
                ),
            ),
            (false, true, _) if refuses => (" -> bool".to_string(), call(", out") + "    true\n"),
            (false, true, _) => (String::new(), call(", out")),
            (false, false, 0) if refuses => (" -> bool".to_string(), call("") + "    true\n"),
            (false, false, 0) => (String::new(), call("")),
            (false, false, _) if refuses => (
                format!(" -> Option<[u8; {size}]>"),
                format!("    let mut out = [0; {size}];\n{}    Some(out)\n", call(", &mut out")),
            ),
            (false, false, _) => (
                format!(" -> [u8; {size}]"),
                format!("    let mut out = [0; {size}];\n{}    out\n", call(", &mut out")),
            ),
        };
        let refused = if returns.contains("Option") { "None" } else { "false" };
        let body = self.refusals(false, refused) + &body;
        let about = self.about(back) + &self.about_limits();
        Call { name: self.of.name(back, false), about, parameters, returns, body }
    }

    /// The functions of many messages.
    fn many(&self, back: bool) -> Call {
        let (size, squeezes) = (self.of.mode.result_bytes(), self.of.mode.squeeze().is_some());
        let (mut parameters, mut lists) = (Vec::new(), Vec::new());
        let gives = self.of.giving(false).is_some();
        if gives {
            parameters.push("texts: &mut [&mut [u8]]".to_string());
        }
        if squeezes {
            parameters.push("outs: &mut [u8], length: usize".to_string());
        }
        if self.of.judges(back) {
            parameters.push(format!("opened: &mut [u8], tags: &[[u8; {size}]]"));
            lists.extend(["opened", "tags"]);
        } else if gives && size > 0 {
            parameters.push(format!("tags: &mut [[u8; {size}]]"));
            lists.push("tags");
        }
        let mut own = String::new();
        for input in &self.of.shell.inputs {
            let (name, size) = (&input.name, input.size);
            own.push_str(&match input.shared {
                true => format!(", {name}"),
                false => format!(", {name}.as_flattened()"),
            });
            parameters.push(match input.shared {
                true => format!("{name}: &[u8; {size}]"),
                false => format!("{name}: &[[u8; {size}]]"),
            });
            if !input.shared {
                lists.push(name);
            }
        }
        parameters.extend(self.others().map(|name| format!("{name}: &[&[u8]]")));
        let streams = self.of.shell.streams.iter();
        let streams = streams.map(|n| if self.of.giving(false) == Some(n) { "texts" } else { n });
        let streams: Vec<&str> = streams.collect();
        lists.extend(&streams);
        if !gives && !squeezes {
            parameters.push(format!("outs: &mut [[u8; {size}]]"));
            lists.push("outs");
        }
        let count = format!("{}.len()", streams[0]);
        lists.retain(|list| *list != streams[0]);
        let mut body: String =
            lists.iter().map(|list| format!("    assert_eq!({list}.len(), {count});\n")).collect();
        if squeezes {
            body.push_str(&format!(
                "    assert_eq!(Some(outs.len()), length.checked_mul({count}));\n"
            ));
        }
        let results = match (self.of.judges(back), squeezes, gives) {
            (true, ..) => ", opened, tags.as_flattened()",
            (false, true, _) => ", outs, length",
            (false, false, true) if size == 0 => "",
            (false, false, true) => ", tags.as_flattened_mut()",
            (false, false, false) => ", outs.as_flattened_mut()",
        };
        body.push_str(&self.refusals(true, "false"));
        let callee = if back { "batch_opened" } else { "batch" };
        let streams: String = streams.iter().map(|name| format!(", {name}")).collect();
        body.push_str(&format!("    {callee}(among(Variant::chosen()){results}{own}{streams});\n"));
        let refuses = self.of.mode.refuses();
        let returns = if self.of.judges(back) || refuses { " -> bool" } else { "" };
        if self.of.judges(back) {
            body.push_str("    opened.iter().all(|opened| *opened != 0)\n");
        } else if refuses {
            body.push_str("    true\n");
        }
        let (name, about) = (self.of.name(back, true), self.about_many(back));
        Call { name, about, parameters, returns: returns.to_string(), body }
    }

    /// The streams of which some lengths are refused, by their names in functions of one message or of many.
    fn limits(&self, many: bool) -> impl Iterator<Item = (&str, Limit)> {
        let text = if many { "texts" } else { "text" };
        let giving = self.of.giving(false);
        self.of
            .limits(false)
            .map(move |(name, limit)| (if giving == Some(name) { text } else { name }, limit))
    }

    /// What ends a function before it does anything, if a length is none that the mode allows.
    fn refusals(&self, many: bool, refused: &str) -> String {
        let mut text = String::new();
        for (name, Limit { most, unit }) in self.limits(many) {
            let length = if many { "one.len()".to_string() } else { format!("{name}.len()") };
            let unit = (unit > 1).then(|| format!("!{length}.is_multiple_of({unit})"));
            let most = most.map(|most| format!("{length} as u64 > {most}"));
            let wrong: Vec<String> = unit.into_iter().chain(most).collect();
            let wrong = wrong.join(" || ");
            let holds = if many { format!("{name}.iter().any(|one| {wrong})") } else { wrong };
            text.push_str(&format!("    if {holds} {{\n        return {refused};\n    }}\n"));
        }
        text
    }

    /// What is said of lengths that are refused.
    fn about_limits(&self) -> String {
        let all: Vec<String> =
            self.limits(false).map(|(name, limit)| limit.told(&format!("`{name}`"))).collect();
        match &all[..] {
            [] => String::new(),
            all => {
                format!("\n///\n/// Tells whether {}; nothing is done if not.", all.join(", and "))
            }
        }
    }

    fn about(&self, back: bool) -> String {
        match (self.of.giving(false).is_some(), self.of.judges(back)) {
            (true, false) if self.of.mode.result_bytes() > 0 => {
                "Changes a text to what is made of it, and gives its tag.".to_string()
            }
            (true, false) => "Changes a text to what is made of it.".to_string(),
            (true, true) => {
                "The way back, and whether this is the tag; the text is zeros if not. The time \
                 that takes does not\n/// depend on where they differ."
                    .to_string()
            }
            (false, _) if self.of.mode.squeeze().is_some() => {
                "The first bytes of what comes out of a whole message.".to_string()
            }
            (false, _) => "What comes out of a whole message.".to_string(),
        }
    }

    fn about_many(&self, back: bool) -> String {
        let lanes = match self.of.mode.has_trees() {
            true => {
                "The same for many messages of any lengths, one after another: the chunks of each \
                 lie in lanes."
            }
            false => {
                "The same for many messages of any lengths, in as many lanes as the CPU has; a lane whose \
                 message ends takes the next\n/// one."
            }
        };
        let what = match self.of.judges(back) {
            true => " `opened` has a byte for each: 255 if its tag was right, or 0. Whether all were right.",
            false => "",
        };
        let sizes = match self.of.mode.squeeze() {
            Some(_) => "If there are not as many of everything, or `outs` has another size.",
            None => "If there are not as many of everything.",
        };
        let limits = self.about_limits();
        format!("{lanes}{what}{limits}\n///\n/// # Panics\n/// {sizes}")
    }

    /// The tests of its vectors.
    pub fn tests(&self, api: &Api, vectors: &[MessageVector]) -> String {
        let (keys, rest): (Vec<_>, Vec<_>) = vectors.iter().partition(|v| v.hkdf.is_some());
        let (codes, messages): (Vec<_>, Vec<_>) = rest.into_iter().partition(|v| v.hmac.is_some());
        let mut text = String::new();
        if !messages.is_empty() {
            text.push_str(&self.message_tests(api, &messages));
        }
        if !codes.is_empty() {
            text.push_str(&self.code_tests(api, &codes));
        }
        if !keys.is_empty() {
            text.push_str(&self.key_tests(api, &keys));
        }
        text
    }
}

impl Call {
    fn text(&self) -> String {
        let Call { name, about, parameters, returns, body } = self;
        let tells = returns == " -> bool" || returns.contains("Option");
        let must = if tells { "#[must_use]\n" } else { "" };
        let parameters = parameters.join(", ");
        format!("/// {about}\n{must}pub fn $snake{name}({parameters}){returns} {{\n{body}}}\n\n")
    }
}

fn literal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("b\"{digits}\"")
}

const TYPE: &str = "\
/// $title: a message of which a part was taken.
#[derive(Clone)]
pub struct $T {
$fields}

impl $T {
    fn empty() -> Self {
        Self { $empty }
    }

    fn erase(&mut self) {
        #[cfg(feature = \"zeroize\")]
        {
    $erased        }
    }
}

";

const IN_PARTS: &str = "\
impl $T {
    /// A message of which nothing is taken yet.
    pub fn new($declared) -> Self {
        let mut state = Self::empty();
        begin($takes(Variant::chosen()), &mut state$given);
        state
    }

    /// Takes bytes of the message.
    pub fn update(&mut self, message: &[u8]) {
        take($takes(Variant::chosen()), self, message);
    }
}

";

const DEFAULT: &str = "\
impl Default for $T {
    fn default() -> Self {
        Self::new()
    }
}

";

const FIXED: &str = "\
impl $T {
    /// What comes out of the message.
    pub fn finalize(mut self) -> [u8; $size] {
        let mut out = [0; $size];
        end($takes(Variant::chosen()), &mut self, &mut out);
        out
    }
}

";

const STREAM: &str = "\
impl $T {
    /// The first bytes of what comes out of the message.
    pub fn finalize_into(mut self, out: &mut [u8]) {
        end($takes(Variant::chosen()), &mut self, out);
    }
}

";

const RUNS: &str = "
fn runs(own: Variant) -> bool {
    crate::VARIANTS.iter().any(|(variant, runs)| *variant == own && runs())
}
";

const TAKING: &str = "
/// The variant that takes $what, if none was asked for.
fn $name(variant: Variant) -> Variant {
    if crate::ASKED.load(core::sync::atomic::Ordering::Relaxed) != 0 {
        return variant;
    }
    match variant {
$arms    }
}
";
