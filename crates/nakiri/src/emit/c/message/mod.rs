//! The interface of a mode in C.

mod bench;
mod fuzz;
mod hkdf;
mod hmac;
mod tests;

use super::api::{table, Api};
use super::shell;
use crate::emit::library::{Instance, MessageVector};
use crate::emit::shell::interface::Interface;
use crate::emit::shell::{printer, Input};
use std::fmt::Write;

/// The functions of a mode.
pub struct Messages<'a> {
    of: Interface<'a>,
}

/// A function of the interface: what it is called with and what it calls with that.
struct Call {
    /// What follows the instance's prefix.
    name: String,
    about: String,
    parameters: Vec<String>,
    arguments: Vec<String>,
}

/// What a parameter of a message alone is.
enum Parameter<'p> {
    /// Where the stream goes that is as long as one that is taken.
    Made,
    /// Where what comes out beside it goes, or is.
    Result,
    /// How much of that is asked for.
    Length,
    Input(&'p Input),
    /// A stream, by its name on the way there.
    Stream(&'p str),
    StreamLength(&'p str),
}

impl<'a> Messages<'a> {
    /// Those of an instance's mode, if it has one.
    ///
    /// # Errors
    /// What can't be written.
    pub fn of(instance: &'a Instance) -> Result<Option<Messages<'a>>, String> {
        let in_place = |of: Interface<'a>| Interface { shell: of.shell.in_place(), ..of };
        Ok(Interface::of(instance)?.map(|of| Messages { of: in_place(of) }))
    }

    /// The declarations of its functions, with their documentation.
    pub fn declarations(&self, api: &Api) -> String {
        let mut text = String::new();
        if self.of.has_parts() {
            text.push_str(CONTEXT);
        }
        for back in self.of.ways() {
            let ty = self.ty(back);
            for call in [self.alone(back), self.many(back)] {
                let Call { name, about, parameters, .. } = call;
                let parameters = parameters.join(", ");
                let _ = write!(text, "/* {about} */\n{ty} $P{name}({parameters});\n\n");
            }
        }
        if self.of.mode.is_code() {
            let _ = write!(
                text,
                "/* {VERIFIES}{} */\n{};\n\n",
                self.about_limits(false),
                self.verifies()
            );
        }
        if self.of.has_parts() {
            text.push_str(PARTS);
        }
        if self.of.mode.has_hmac() {
            text.push_str(hmac::DECLARATIONS);
            text.push_str(hkdf::DECLARATIONS);
        }
        let context = shell::context(&self.of.shell);
        self.fill(api, &text, &[("$members", &context)])
    }

    /// Their definitions.
    pub fn definitions(&self, api: &Api) -> String {
        let mut text = String::new();
        if self.of.has_own_context() {
            text.push_str(CONTEXT);
        }
        for back in self.of.ways() {
            let about = "The bytes of a message below which each variant takes it alone among many";
            let below = api.instance.alone_below(back);
            text.push_str(&table(printer::alone_below(back), about, &below));
        }
        for own in &api.instance.parallels {
            let what = "many blocks of a text side by side where it takes the text";
            text.push_str(&taking(&own.name(), what, &own.beside));
        }
        text.push_str(&taking("alone", "a message alone", &api.instance.alone));
        text.push_str(&taking("among", "many messages", &api.instance.among));
        text.push_str(&shell::definitions(&self.of.shell));
        for back in self.of.ways() {
            text.push_str(&self.definition(&self.alone(back), back, false));
            text.push_str(&self.definition(&self.many(back), back, true));
        }
        if self.of.mode.is_code() {
            text.push_str(&self.verifying());
        }
        if self.of.has_parts() {
            text.push_str(PARTS_DEFINED);
        }
        if self.of.mode.has_hmac() {
            text.push_str(&hmac::DEFINITIONS.replace("$compared\n", hmac::COMPARED));
            text.push_str(hkdf::DEFINITIONS);
        }
        let context = shell::context(&self.of.shell);
        self.fill(api, &text, &[("$members", &context), ("$takes", self.of.takes())])
    }

    fn definition(&self, call: &Call, back: bool, many: bool) -> String {
        let Call { name, parameters, arguments, .. } = call;
        let (parameters, judges) = (parameters.join(", "), self.of.judges(back));
        let ty = self.ty(back);
        let callee = match (many, back) {
            (false, false) => "$P_whole($P_$takes($P_choose())",
            (false, true) => "$P_opened($P_$takes($P_choose())",
            (true, false) => "$P_batch($P_among($P_choose())",
            (true, true) => "$P_batch_opened($P_among($P_choose())",
        };
        let mut text = format!("{ty} $P{name}({parameters})\n{{\n{}", self.refusals(back, many));
        if let (Some(stream), false) = (self.of.giving(back), many) {
            let _ = writeln!(
                text,
                "    if ({stream}_length > 0 && out != {stream})\n        __builtin_memmove(out, {stream}, {stream}_length);"
            );
        }
        match (judges, many) {
            (true, false) => text.push_str("    uint8_t verdict[1];\n"),
            (true, true) => text.push_str("    uint8_t all = 0xff;\n"),
            _ => {}
        }
        let _ = writeln!(text, "    {callee}, {});", arguments.join(", "));
        match (judges, many) {
            (true, false) => text.push_str("    return verdict[0] == 0 ? -1 : 0;\n"),
            (true, true) => text.push_str(
                "    for (size_t k = 0; k < count; k++)\n        all &= opened[k];\n    return all == 0 ? -1 : 0;\n",
            ),
            _ if self.of.mode.refuses() => text.push_str("    return 0;\n"),
            _ => {}
        }
        text + "}\n\n"
    }

    /// The head of what takes all that makes a code, but for its place, and compares a code with that of a message.
    fn verifies(&self) -> String {
        let given = &self.alone(false).parameters[1..];
        let given: String = given.iter().map(|parameter| format!(", {parameter}")).collect();
        format!("int $P_verify(const uint8_t code[$size]{given})")
    }

    /// That function.
    fn verifying(&self) -> String {
        // A function of the mode's own name may be called as one of these parameters is.
        let arguments = &self.alone(false).arguments[1..];
        let made = format!(
            "    $P_whole($P_$takes($P_choose()), {});\n",
            [&["own".to_string()], arguments].concat().join(", ")
        );
        let locals = "    uint8_t own[$size];\n    unsigned different = 0;\n";
        let refusals = self.refusals(false, false);
        format!("{}\n{{\n{refusals}{locals}{made}{}", self.verifies(), hmac::COMPARED)
    }

    /// What the functions of a way return.
    fn ty(&self, back: bool) -> &'static str {
        match self.of.judges(back) || self.of.mode.refuses() {
            true => "int",
            false => "void",
        }
    }

    /// What ends a function before it does anything, if a length is none that the mode allows.
    fn refusals(&self, back: bool, many: bool) -> String {
        let mut text = String::new();
        for (stream, limit) in self.of.limits(back) {
            let length =
                if many { format!("{stream}_lengths[k]") } else { format!("{stream}_length") };
            let each = if many { "    for (size_t k = 0; k < count; k++)\n    " } else { "" };
            let refuse = |holds: &str| {
                let indent = if many { "        " } else { "    " };
                format!("{each}    if ({length} {holds})\n{indent}    return -1;\n")
            };
            if limit.unit > 1 {
                text.push_str(&refuse(&format!("% {} != 0", limit.unit)));
            }
            match limit.most {
                None => {}
                Some(most) if most >= u64::from(u32::MAX) => {
                    let own = refuse(&format!("> {most}u"));
                    let _ = write!(text, "#if SIZE_MAX > {most}u\n{own}#endif\n");
                }
                Some(most) => text.push_str(&refuse(&format!("> {most}"))),
            }
        }
        text
    }

    /// What is said of lengths that are refused.
    fn about_limits(&self, back: bool) -> String {
        let all: Vec<String> =
            self.of.limits(back).map(|(stream, limit)| limit.told(stream)).collect();
        match &all[..] {
            [] => String::new(),
            all => {
                format!("\n * -1 unless {}; nothing is read or written then.", all.join(", and "))
            }
        }
    }

    /// The functions of a message alone.
    fn alone(&self, back: bool) -> Call {
        let (mode, size) = (self.of.mode, self.of.mode.result_bytes());
        let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
        let mut add = |parameter: String, argument: Option<&str>| {
            parameters.push(parameter);
            arguments.extend(argument.map(str::to_string));
        };
        let gives = mode.giving().is_some();
        if gives {
            add("uint8_t *out".to_string(), None);
        }
        match (mode.squeeze().is_some(), self.of.judges(back)) {
            (true, _) => {
                add("uint8_t *out, size_t out_length".to_string(), Some("out, out_length"))
            }
            (false, true) => add(format!("const uint8_t tag[{size}]"), Some("verdict, tag")),
            (false, false) if size == 0 => {}
            (false, false) if gives => add(format!("uint8_t tag[{size}]"), Some("tag")),
            (false, false) => add(format!("uint8_t out[{size}]"), Some("out")),
        }
        for input in &self.of.shell.inputs {
            add(format!("const uint8_t {}[{}]", input.name, input.size), Some(&input.name));
        }
        for name in self.of.streams(back) {
            let given = if self.of.giving(back) == Some(name) { "out" } else { name };
            let argument = format!("{given}, {name}_length");
            add(format!("const uint8_t *{name}, size_t {name}_length"), Some(&argument));
        }
        let about = self.about(back) + &self.about_limits(back);
        Call { name: self.of.name(back, false), about, parameters, arguments }
    }

    /// The functions of many messages.
    fn many(&self, back: bool) -> Call {
        let (mode, size) = (self.of.mode, self.of.mode.result_bytes());
        let (mut parameters, mut arguments) = (vec!["size_t count".to_string()], Vec::new());
        let mut add = |parameter: String, argument: &str| {
            parameters.push(parameter);
            arguments.push(argument.to_string());
        };
        let gives = mode.giving().is_some();
        match (mode.squeeze().is_some(), self.of.judges(back)) {
            (true, _) => {
                add("uint8_t *outs, size_t length".to_string(), "outs, count * length, length");
            }
            (false, true) => add(
                "uint8_t *opened, const uint8_t *tags".to_string(),
                &format!("opened, count, tags, count * {size}"),
            ),
            (false, false) if size == 0 => {}
            (false, false) => {
                let outs = if gives { "tags" } else { "outs" };
                add(format!("uint8_t *{outs}"), &format!("{outs}, count * {size}"));
            }
        }
        for input in &self.of.shell.inputs {
            let (name, size) = (&input.name, input.size);
            match input.shared {
                true => add(format!("const uint8_t {name}[{size}]"), name),
                false => add(format!("const uint8_t *{name}"), &format!("{name}, count * {size}")),
            }
        }
        for name in self.of.streams(back) {
            let constant = if self.of.giving(back) == Some(name) { "" } else { "const " };
            add(
                format!("{constant}uint8_t *const *{name}, const size_t *{name}_lengths"),
                &format!("{name}, {name}_lengths, count"),
            );
        }
        let about = self.about_many(back) + &self.about_limits(back);
        Call { name: self.of.name(back, true), about, parameters, arguments }
    }

    /// Whether something comes out beside a stream as long as one that is taken.
    fn has_result(&self) -> bool {
        self.of.mode.squeeze().is_some() || self.of.mode.result_bytes() > 0
    }

    /// Declarations of all that a message alone is called with, by the names of the parameters, with a value for each.
    fn declared(&self, back: bool, value: impl Fn(Parameter) -> String) -> Vec<String> {
        let mut all = Vec::new();
        let gives = self.of.giving(back).is_some();
        if gives {
            all.push(format!("uint8_t *out = {};", value(Parameter::Made)));
        }
        if self.has_result() {
            let name = if gives { "tag" } else { "out" };
            all.push(format!("uint8_t *{name} = {};", value(Parameter::Result)));
        }
        if self.of.mode.squeeze().is_some() {
            all.push(format!("const size_t out_length = {};", value(Parameter::Length)));
        }
        for input in &self.of.shell.inputs {
            let value = value(Parameter::Input(input));
            all.push(format!("const uint8_t *{} = {value};", input.name));
        }
        for (name, own) in self.of.streams(back).into_iter().zip(self.of.streams(false)) {
            let (stream, length) = (Parameter::Stream(own), Parameter::StreamLength(own));
            all.push(format!("const uint8_t *{name} = {};", value(stream)));
            all.push(format!("const size_t {name}_length = {};", value(length)));
        }
        all
    }

    fn about(&self, back: bool) -> String {
        let size = self.of.mode.result_bytes();
        match (self.of.giving(back), self.of.judges(back)) {
            (Some(stream), false) => {
                let does = if back { "Decrypts" } else { "Encrypts" };
                let tag = match size {
                    0 => String::new(),
                    size => format!(", and makes its tag of {size} bytes"),
                };
                format!("{does} {stream} into out, which is as long{tag}. {}", alias(stream))
            }
            (Some(stream), true) => format!(
                "Decrypts {stream} into out, which is as long: 0 if this is the tag, else -1, and out is zeros. The time that takes does\n * not depend on where they differ. {}", alias(stream)
            ),
            (None, _) if self.of.mode.squeeze().is_some() => {
                "What comes out of a message, of any length.".to_string()
            }
            (None, _) if self.of.mode.is_code() => {
                format!("The code of a message, of {size} bytes. Compare codes by $P_verify.")
            }
            (None, _) => format!("What comes out of a message, of {size} bytes."),
        }
    }

    fn about_many(&self, back: bool) -> String {
        let lanes = match self.of.mode.has_trees() {
            true => "one after another: the chunks of each lie in lanes",
            false => {
                "in as many lanes as the CPU has; a lane whose message ends takes the next one"
            }
        };
        let own = self.of.shell.inputs.iter().filter(|input| !input.shared);
        let own: Vec<&str> = own.map(|input| &*input.name).collect();
        let lists = match &own[..] {
            [] => String::new(),
            names => format!(" {}: one for each, one after another.", names.join(", ")),
        };
        let what = match (self.of.giving(back), self.of.judges(back)) {
            (Some(stream), false) => format!(" {stream} is changed in place."),
            (Some(stream), true) => format!(
                " {stream} is changed in place.\n * opened has a byte for each: 255 if its tag was right, 0 if not, and it is zeros then. 0 if all were right, else -1."
            ),
            (None, _) => " What comes out of each stands one after another in outs.".to_string(),
        };
        format!("The same for many messages of any lengths, {lanes}.\n *{what}{lists}")
    }

    fn fill(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let size = self.of.mode.result_bytes();
        let inputs = self.of.shell.inputs.iter();
        let declared: String = inputs
            .clone()
            .map(|input| format!(", const uint8_t {}[{}]", input.name, input.size))
            .collect();
        let given: String = inputs.map(|input| format!(", {}", input.name)).collect();
        let (result, own) = match self.of.mode.squeeze() {
            Some(_) => ("uint8_t *out, size_t out_length".to_string(), "out, out_length"),
            None => (format!("uint8_t out[{size}]"), "out"),
        };
        let pairs = [
            ("$declared", &*declared),
            ("$given", &*given),
            ("$result", &*result),
            ("$own", own),
            ("$size", &*size.to_string()),
        ];
        api.fill(text, &[&pairs, more].concat())
    }

    /// The vectors, and the calls that test them.
    pub fn tests(&self, api: &Api, vectors: &[MessageVector], calls: &mut String) -> String {
        let (keys, rest): (Vec<_>, Vec<_>) = vectors.iter().partition(|v| v.hkdf.is_some());
        let (codes, messages): (Vec<_>, Vec<_>) = rest.into_iter().partition(|v| v.hmac.is_some());
        let mut text = String::new();
        if !messages.is_empty() {
            calls.push_str("            || $P_test_messages(variant)\n");
            text.push_str(&self.message_tests(api, &messages));
        }
        if !codes.is_empty() {
            calls.push_str("            || $P_test_hmac(variant)\n");
            text.push_str(&self.code_tests(api, &codes));
        }
        if !keys.is_empty() {
            calls.push_str("            || $P_test_hkdf(variant)\n");
            text.push_str(&self.key_tests(api, &keys));
        }
        text
    }
}

/// What a result may share its memory with.
fn alias(stream: &str) -> String {
    format!("out may be {stream} itself; it overlaps nothing else.")
}

/// A call with arguments of the names of the parameters.
fn called(call: &Call) -> String {
    format!("$P{}({})", call.name, names(&call.parameters))
}

/// The names of parameters, as arguments.
fn names(parameters: &[String]) -> String {
    let all = parameters.iter().flat_map(|parameter| parameter.split(", "));
    let name = |parameter: &str| {
        let declared = parameter.split('[').next().unwrap_or(parameter);
        declared.rsplit([' ', '*']).next().unwrap_or(declared).to_string()
    };
    all.map(name).collect::<Vec<_>>().join(", ")
}

/// A function from a variant to that which takes `what` in its place, if none was asked for: the first that runs, in the order of the
/// variant.
fn taking(name: &str, what: &str, orders: &[Vec<usize>]) -> String {
    let mut cases = String::new();
    for (variant, order) in orders.iter().enumerate() {
        let Some((certain, others)) = order.split_last() else { continue };
        let first = others.iter().rev().fold(certain.to_string(), |rest, other| {
            format!("$P_runs({other}) ? {other} : {rest}")
        });
        let _ = match others {
            [] if *certain == variant => Ok(()),
            [] => writeln!(cases, "    case {variant}:\n        return {certain};"),
            _ => {
                writeln!(cases, "    case {variant}: {{\n{}    }}", KEPT.replace("$first", &first))
            }
        };
    }
    let body = match cases.is_empty() {
        true => "    return variant;\n".to_string(),
        false => SWITCH.replace("$cases", &cases),
    };
    TAKING.replace("$name", name).replace("$what", what).replace("$body", &body)
}

/// An array of bytes; there is none without any.
fn bytes(name: &str, bytes: &[u8]) -> String {
    let mut text = format!("static const uint8_t $P_{name}[{}] = {{\n", bytes.len().max(1));
    for line in bytes.chunks(16) {
        let line: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
        let _ = writeln!(text, "    {},", line.join(", "));
    }
    text + "};\n\n"
}

const CONTEXT: &str = "\
/* A message of which a part was taken. */
typedef struct {
$members} $P_state;

";

const VERIFIES: &str =
    "0 if this is what comes out of the message, else -1; the time that takes does not depend on where they differ.";

const PARTS: &str = "\
/* The same for a message that comes in parts: any number of updates after init, then final, which erases the state, as wipe does that
 * of a message which is not ended. */
void $P_init($P_state *state$declared);
void $P_update($P_state *state, const uint8_t *message, size_t length);
void $P_final($P_state *state, $result);
void $P_wipe($P_state *state);

";

const TAKING: &str = "\
/* For a variant that which takes $what: the first of some that this CPU runs. */
static unsigned $P_$name(unsigned variant)
{
$body}

";

const SWITCH: &str = "    if ($P_is_asked())
        return variant;
    switch (variant) {
$cases    default:
        return variant;
    }
";

/// Finding out takes longer than short messages do.
const KEPT: &str = "\
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
        static unsigned found; /* from 1 */
        unsigned own = __atomic_load_n(&found, __ATOMIC_RELAXED);
        if (own == 0) {
            own = ($first) + 1;
            __atomic_store_n(&found, own, __ATOMIC_RELAXED);
        }
        return own - 1;
#else
        return $first;
#endif
";

const PARTS_DEFINED: &str = "\
void $P_init($P_state *state$declared)
{
    $P_begin($P_$takes($P_choose()), state$given);
}

void $P_update($P_state *state, const uint8_t *message, size_t length)
{
    $P_take($P_$takes($P_choose()), state, message, length);
}

void $P_final($P_state *state, $result)
{
    $P_end($P_$takes($P_choose()), state, $own);
}

void $P_wipe($P_state *state)
{
    $library_erase(state, sizeof *state);
}

";
