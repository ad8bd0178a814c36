//! The interface of a mode in Rust.

use super::instance::Api;
use super::shell;
use crate::emit::library::{Instance, MessageVector};
use crate::emit::ports::{ports, PortPair};
use crate::emit::shell::{mode, Shell};
use crate::mode::Mode;
use std::fmt::Write;

/// A mode and the functions that it becomes.
pub struct Messages<'a> {
    mode: &'a Mode,
    shell: Shell,
}

impl<'a> Messages<'a> {
    /// Those of an instance's mode, if it has one.
    ///
    /// # Errors
    /// What can't be written.
    pub fn of(instance: &'a Instance) -> Result<Option<Messages<'a>>, String> {
        let shell = mode::of(instance)?;
        Ok(instance.mode.as_ref().zip(shell).map(|(mode, shell)| Messages { mode, shell }))
    }

    /// What its module makes public.
    pub fn exports(&self, api: &Api) -> Vec<String> {
        let mut names = vec![api.name.clone(), api.module.clone(), format!("{}_many", api.module)];
        if self.mode.has_hmac() {
            names.push(format!("{}Hmac", api.name));
            names.push(format!("{}_hmac", api.module));
        }
        names
    }

    /// The type of a message that comes in parts, the functions, and what they call.
    pub fn text(&self, api: &Api) -> String {
        let chunks = |name: &str| -> Vec<usize> {
            let own = api.instance.functions.iter().find(|function| function.name == name);
            let kernel = own.and_then(|function| function.variants.first());
            let ports = kernel.map(ports);
            let all = ports.iter().flat_map(|ports| ports.outputs.iter().chain(&ports.inputs));
            all.map(PortPair::bytes).collect()
        };
        let functions = shell::definitions(&self.shell, &chunks);
        let (lanes, alone) = (api.lanes(), api.alone());
        let api_text = match self.mode.squeeze {
            Some(_) => STREAM,
            None => FIXED,
        };
        let hmac = if self.mode.has_hmac() { HMAC } else { "" };
        let runs = if alone.contains("runs(") { RUNS } else { "" };
        let text = format!("{TYPE}{api_text}{hmac}{functions}{LANES}{runs}");
        let (fields, empty) = (shell::context(&self.shell), shell::empty(&self.shell));
        let erased = shell::erased(&self.shell);
        let more = [
            ("$fields", &*fields),
            ("$empty", &*empty),
            ("$erased", &*erased),
            ("$arms", &*lanes),
            ("$others", &*alone),
            ("$snake", &*api.module),
        ];
        self.fill(api, &text, &more)
    }

    fn fill(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let inputs = self.shell.inputs();
        let declared: String =
            inputs.iter().map(|(name, size)| format!("{name}: &[u8; {size}], ")).collect();
        let given: String = inputs.iter().map(|(name, _)| format!(", {name}")).collect();
        let size = self.mode.result_bytes().to_string();
        let own = [("$declared", &*declared), ("$given", &*given), ("$size", &*size)];
        api.fill(text, &[more, &own].concat())
    }

    /// The tests of its vectors.
    pub fn tests(&self, api: &Api, vectors: &[MessageVector]) -> String {
        let (codes, messages): (Vec<_>, Vec<_>) =
            vectors.iter().partition(|vector| vector.hmac.is_some());
        let mut text = String::new();
        if !messages.is_empty() {
            text.push_str(&self.message_tests(api, &messages));
        }
        if !codes.is_empty() {
            let list: String = codes
                .iter()
                .map(|vector| {
                    let key = literal(vector.hmac.as_deref().unwrap_or(&[]));
                    let (message, code) = (literal(&vector.message), literal(&vector.output));
                    format!("    ({key}, {message}, {code}),\n")
                })
                .collect();
            text.push_str(&self.fill(api, HMAC_TESTS, &[("$list", &list)]));
        }
        text
    }

    fn message_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let mut list = String::new();
        for vector in vectors {
            let parts = [&vector.inputs, &vector.message, &vector.output].map(|part| literal(part));
            let [inputs, message, output] = parts;
            let _ = writeln!(list, "    ({inputs}, {message}, {}, {output}),", vector.repeat);
        }
        let (mut at, mut inputs) = (0, String::new());
        for (_, size) in self.shell.inputs() {
            let _ = write!(inputs, ", &inputs[{at}..{}]", at + size);
            at += size;
        }
        let length = match self.mode.squeeze {
            Some(_) => ", output.len()",
            None => "",
        };
        let batch = mode::TESTED.to_string();
        let more =
            [("$list", &*list), ("$inputs", &*inputs), ("$length", length), ("$batch", &*batch)];
        self.fill(api, TESTS, &more)
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

    /// A message of which nothing is taken yet.
    #[allow(clippy::new_without_default)] // Some modes have a key.
    pub fn new($declared) -> Self {
        let mut state = Self::empty();
        begin(alone(Variant::chosen()), &mut state$given);
        state
    }

    /// Takes bytes of the message.
    pub fn update(&mut self, message: &[u8]) {
        take(alone(Variant::chosen()), self, message);
    }

    fn erase(&mut self) {
        #[cfg(feature = \"zeroize\")]
        {
    $erased        }
    }
}

impl fmt::Debug for $T {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(\"$T { .. }\")
    }
}

";

const FIXED: &str = "\
impl $T {
    /// What comes out of the message.
    pub fn finalize(mut self) -> [u8; $size] {
        let mut out = [0; $size];
        end(alone(Variant::chosen()), &mut self, &mut out);
        out
    }
}

/// What comes out of a whole message.
pub fn $snake($declaredmessage: &[u8]) -> [u8; $size] {
    let mut out = [0; $size];
    whole(alone(Variant::chosen()), &mut out$given, message);
    out
}

/// What comes out of many messages of any lengths, in as many lanes as the CPU has; a lane whose message ends takes the next
/// one.
///
/// # Panics
/// If there are not as many results as messages.
pub fn $snake_many($declaredmessages: &[&[u8]], outs: &mut [[u8; $size]]) {
    assert_eq!(messages.len(), outs.len());
    batch(Variant::chosen(), outs.as_flattened_mut()$given, messages);
}

";

const STREAM: &str = "\
impl $T {
    /// The first bytes of what comes out of the message.
    pub fn finalize_into(mut self, out: &mut [u8]) {
        end(alone(Variant::chosen()), &mut self, out);
    }
}

/// The first bytes of what comes out of a whole message.
pub fn $snake(out: &mut [u8], $declaredmessage: &[u8]) {
    whole(alone(Variant::chosen()), out$given, message);
}

/// The first `length` bytes of what comes out of each of many messages of any lengths, one after another, in as many lanes as
/// the CPU has; a lane whose message ends takes the next one.
///
/// # Panics
/// If `outs` has another size.
pub fn $snake_many(outs: &mut [u8], length: usize, $declaredmessages: &[&[u8]]) {
    assert_eq!(Some(outs.len()), length.checked_mul(messages.len()));
    batch(Variant::chosen(), outs, length$given, messages);
}

";

const HMAC: &str = "\
/// HMAC (RFC 2104) of a message of which a part was taken.
#[derive(Clone, Debug)]
pub struct $THmac {
    inner: $T,
    outer: $T,
}

impl $THmac {
    /// With a key of any length, for a message of which nothing is taken yet.
    pub fn new(key: &[u8]) -> Self {
        let mut state = Self { inner: $T::empty(), outer: $T::empty() };
        hmac_begin(alone(Variant::chosen()), &mut state.inner, &mut state.outer, key);
        state
    }

    /// Takes bytes of the message.
    pub fn update(&mut self, message: &[u8]) {
        self.inner.update(message);
    }

    /// The message's code.
    pub fn finalize(mut self) -> [u8; $size] {
        let mut out = [0; $size];
        hmac_end(alone(Variant::chosen()), &mut self.inner, &mut self.outer, &mut out);
        out
    }

    /// Whether this is the message's code. The time that takes does not depend on where they differ.
    pub fn verify(self, code: &[u8; $size]) -> bool {
        let own = core::hint::black_box(self.finalize());
        own.iter().zip(code).fold(0, |different, (a, b)| different | (a ^ b)) == 0
    }
}

/// HMAC (RFC 2104) of a whole message, with a key of any length.
pub fn $snake_hmac(key: &[u8], message: &[u8]) -> [u8; $size] {
    let mut out = [0; $size];
    hmac_whole(alone(Variant::chosen()), &mut out, key, message);
    out
}

";

const HMAC_TESTS: &str = "
/// Key, message and code.
type Code = (&'static [u8], &'static [u8], &'static [u8]);
const CODES: &[Code] = &[
$list];

#[test]
fn hmac_gives_its_codes() {
    for (key, message, code) in CODES {
        for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
            let mut out = [0; $size];
            hmac_whole(variant, &mut out, key, message);
            assert_eq!(out, **code, \"{variant:?}\");
        }
        let mut state = $THmac::new(key);
        state.update(&message[..message.len() / 2]);
        state.update(&message[message.len() / 2..]);
        let mut code: [u8; $size] = (*code).try_into().unwrap();
        assert!(state.clone().verify(&code));
        code[0] ^= 1;
        assert!(!state.verify(&code));
    }
}
";

const RUNS: &str = "
fn runs(own: Variant) -> bool {
    crate::VARIANTS.iter().any(|(variant, runs)| *variant == own && runs())
}
";

const LANES: &str = "\
/// The variant that takes a message alone.
fn alone(variant: Variant) -> Variant {
    match variant {
$others    }
}

/// How many blocks a variant processes at once.
fn lanes_of(variant: Variant) -> usize {
    match variant {
$arms    }
}
";

const TESTS: &str = "
/// Inputs, message, how many times it is repeated, and what comes out.
type Message = (&'static [u8], &'static [u8], usize, &'static [u8]);
const MESSAGES: &[Message] = &[
$list];

#[test]
fn messages_give_their_results_in_any_parts() {
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (inputs, message, times, output) in MESSAGES {
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

#[test]
fn messages_in_lanes_give_what_each_gives() {
    for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
        for (inputs, message, _, output) in MESSAGES.iter().filter(|(_, _, times, _)| *times == 1) {
            let _ = inputs;
            let messages: Vec<&[u8]> =
                (0..$batch).map(|k| &message[..message.len() - k % (message.len() + 1)]).collect();
            let mut outs = std::vec![0; $batch * output.len()];
            batch(variant, &mut outs$length$inputs, &messages);
            for (message, got) in messages.iter().zip(outs.chunks(output.len())) {
                let mut out = std::vec![0; output.len()];
                whole(variant, &mut out$inputs, message);
                assert_eq!(out, got, \"{variant:?}\");
            }
            assert_eq!(outs[..output.len()], **output, \"{variant:?}\");
        }
    }
}
";
