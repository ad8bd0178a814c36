//! A cipher's folder: `cipher.toml` says what is built from which nodes, `vectors.toml` what it must compute.

mod refused;

use nakiri::check::Checked;
use nakiri::core::{Direction, Program};
use nakiri::diagnostic::{instead_of, suggestion, Diagnostic};
use nakiri::emit::handshake::{Handshake, Role};
use nakiri::source::{FileId, Span};
use refused::Refused;
use serde::de::DeserializeOwned;
use serde::Deserialize;
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;

/// What `cipher.toml` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name of the emitted files; a C identifier.
    pub name: Spanned<String>,
    /// The cipher's name for people.
    pub title: String,
    /// The document that defines it.
    pub specification: String,
    /// What it is to those who choose.
    #[serde(default)]
    pub status: Status,
    /// What is known of its security.
    #[serde(default)]
    pub security: String,
    /// The file with the nodes, beside the manifest.
    pub source: Spanned<String>,
    /// The slicing that suits it best.
    pub slicing: Spanned<Slicing>,
    /// What is built, one for each size of key.
    #[serde(rename = "instance")]
    pub instances: Vec<Instance>,
}

impl Manifest {
    /// Reads the text of a `cipher.toml`.
    ///
    /// # Errors
    /// The first thing that can't be read.
    pub fn parse(text: &str, file: FileId) -> Result<Manifest, Diagnostic> {
        parse(text, file, "E0402")
    }

    /// What does not fit together in it.
    pub fn problems(&self, file: FileId) -> Vec<Diagnostic> {
        manifest_problems(self, file)
    }

    /// The slicing that suits it best.
    pub fn direction(&self) -> Direction {
        self.slicing.get_ref().direction()
    }
}

/// What a cipher is to those who choose one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A body for standards has it.
    Standard,
    /// Neither standardized nor broken.
    #[default]
    Published,
    /// For what exists already: too small, or given up.
    Legacy,
    /// Attacks are practical.
    Broken,
    /// To show something; no cryptography.
    Example,
}

impl Status {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Status::Standard => "standard",
            Status::Published => "published",
            Status::Legacy => "legacy",
            Status::Broken => "broken",
            Status::Example => "example",
        }
    }
}

/// A direction as it is written in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[allow(missing_docs)]
pub enum Slicing {
    B,
    V,
    H,
    P,
}

impl Slicing {
    /// The direction.
    pub fn direction(self) -> Direction {
        match self {
            Slicing::B => Direction::B,
            Slicing::V => Direction::V,
            Slicing::H => Direction::H,
            Slicing::P => Direction::P,
        }
    }
}

/// One cipher of a library: functions that share a prefix and a context.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// How the names of its functions begin; a C identifier.
    pub prefix: Spanned<String>,
    /// The key, unless it is a permutation.
    pub key: Option<Key>,
    /// The node that encrypts.
    pub encrypt: Option<Spanned<String>>,
    /// The node that decrypts.
    pub decrypt: Option<Spanned<String>>,
    /// The node that permutes, for what has no key.
    pub permute: Option<Spanned<String>>,
    /// The node with registers that is stepped, for what is neither.
    pub step: Option<Spanned<String>>,
    /// The schedule by which it is run: then its function is one on blocks, of all ticks.
    pub run: Option<Spanned<String>>,
    /// The inputs of that node that are the same in all lanes.
    pub shared: Option<Spanned<String>>,
    /// The mode that takes whole messages, for what is none of these.
    pub mode: Option<Spanned<String>>,
    /// The modes that it offers besides single blocks.
    #[serde(default)]
    pub modes: Vec<Mode>,
    /// Where the block counter of CTR lies in the input block.
    pub counter: Option<Spanned<Counter>>,
    /// Whether there are functions for which every lane has a key of its own, in C.
    #[serde(default)]
    pub multikey: bool,
    /// The parameter that is the message, whose bytes `bench` counts; without it those of all parameters.
    pub message: Option<Spanned<String>>,
    /// The ports by which a `step` works off jobs, if C has a queue of them.
    pub handshake: Option<Spanned<Ports>>,
}

/// A key in memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Its size in bytes.
    pub bytes: Spanned<usize>,
    /// The node that makes the round keys of it; without one the key is the context.
    pub schedule: Option<Spanned<String>>,
}

/// A mode of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Mode {
    Ecb,
    Ctr,
}

/// The block counter of CTR: an integer in the input block.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// Its first byte.
    pub offset: usize,
    /// Its size in bytes; it wraps.
    pub bytes: usize,
    /// Its byte order.
    pub order: Order,
}

/// A byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Order {
    Le,
    Be,
}

/// The ports by which a step function works off jobs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(missing_docs)]
pub struct Ports {
    pub start: Option<Spanned<String>>,
    pub done: Option<Spanned<String>>,
    pub valid: Option<Spanned<String>>,
    pub ready: Option<Spanned<String>>,
    pub out_valid: Option<Spanned<String>>,
}

impl Ports {
    /// What they say.
    pub fn handshake(&self) -> Handshake {
        let ports = [&self.start, &self.done, &self.valid, &self.ready, &self.out_valid];
        let ports = Role::ALL.into_iter().zip(ports);
        let named = ports.filter_map(|(role, port)| Some((role, port.as_ref()?.get_ref().clone())));
        Handshake(named.collect())
    }
}

/// What `vectors.toml` says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vectors {
    /// Single blocks.
    #[serde(default)]
    pub block: Vec<BlockVector>,
    /// Messages in CTR.
    #[serde(default)]
    pub ctr: Vec<CtrVector>,
    /// Ticks of step functions.
    #[serde(default)]
    pub ticks: Vec<TickVector>,
    /// Messages of modes.
    #[serde(default)]
    pub message: Vec<MessageVector>,
}

impl Vectors {
    /// Reads the text of a `vectors.toml` for what a manifest names.
    ///
    /// # Errors
    /// What can't be read, or doesn't fit the manifest.
    pub fn parse(
        text: &str,
        file: FileId,
        manifest: &Manifest,
    ) -> Result<Vectors, Vec<Diagnostic>> {
        let vectors = parse(text, file, "E0403").map_err(|problem| vec![problem])?;
        let problems = vector_problems(manifest, &vectors, file);
        if problems.is_empty() {
            Ok(vectors)
        } else {
            Err(problems)
        }
    }
}

/// A block and what it is encrypted (or permuted) to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct BlockVector {
    pub instance: Spanned<String>,
    pub key: Option<Hex>,
    pub plain: Hex,
    pub cipher: Hex,
    pub origin: String,
}

/// A message and what it is encrypted to in CTR.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct CtrVector {
    pub instance: Spanned<String>,
    pub key: Hex,
    pub counter: Hex,
    pub plain: Hex,
    pub cipher: Hex,
    pub origin: String,
}

/// A message and what a mode makes of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageVector {
    /// The prefix of the instance.
    pub instance: Spanned<String>,
    /// The key, if this is HMAC's result.
    pub hmac: Option<Hex>,
    /// A salt and what keys are for, if this is HKDF's result.
    pub hkdf: Option<[Hex; 2]>,
    /// What the mode takes beside streams, one after another in memory; nothing if that is all.
    pub inputs: Option<Hex>,
    /// The stream that it takes.
    #[serde(rename = "in")]
    pub message: Option<Hex>,
    /// Each of them, if it takes several.
    #[serde(default)]
    pub streams: Vec<Hex>,
    /// How many times a message is repeated.
    #[serde(default = "once")]
    pub repeat: usize,
    /// The stream that the mode gives, or its first bytes, and the results in memory, one after another.
    pub out: Hex,
    /// Where it is from.
    pub origin: String,
}

impl MessageVector {
    /// The streams that the mode takes.
    pub fn streams(&self) -> impl Iterator<Item = &Hex> {
        self.message.iter().chain(&self.streams)
    }
}

fn once() -> usize {
    1
}

/// What a step function gives in the ticks after a reset.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct TickVector {
    pub instance: Spanned<String>,
    pub key: Option<Hex>,
    pub run: Vec<TickRun>,
    pub origin: String,
}

/// Ticks with the same input.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TickRun {
    /// How many, from 1.
    #[serde(default = "one")]
    pub ticks: u32,
    /// All parameters in memory, one after another; nothing if there are none.
    #[serde(rename = "in")]
    pub input: Option<Hex>,
    /// All results in memory, one after another, of each tick; nothing if they don't matter.
    pub out: Option<Hex>,
}

fn one() -> u32 {
    1
}

/// Bytes as hexadecimal digits, with their place in the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Spanned<Digits>")]
pub struct Hex {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The place of the string.
    pub range: Range<usize>,
}

impl From<Spanned<Digits>> for Hex {
    fn from(digits: Spanned<Digits>) -> Hex {
        Hex { range: digits.span(), bytes: digits.into_inner().0 }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Digits(Vec<u8>);

impl TryFrom<String> for Digits {
    type Error = String;

    fn try_from(text: String) -> Result<Digits, String> {
        let digit =
            |c: char| c.to_digit(16).ok_or_else(|| format!("{c:?} is not a hexadecimal digit"));
        let digits = text.chars().map(digit).collect::<Result<Vec<u32>, _>>()?;
        match digits.chunks_exact(2).remainder() {
            [] => Ok(Digits(digits.chunks(2).map(|d| (d[0] << 4 | d[1]) as u8).collect())),
            _ => Err(format!("{} hexadecimal digits make no whole bytes", digits.len())),
        }
    }
}

/// A cipher's folder, read and found consistent.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Its path.
    pub path: PathBuf,
    /// What its `cipher.toml` says.
    pub manifest: Manifest,
    /// What its `vectors.toml` says.
    pub vectors: Vectors,
    /// The file of the manifest, for messages.
    pub manifest_file: FileId,
    /// The file of the vectors, if there is one.
    pub vectors_file: Option<FileId>,
}

impl Folder {
    /// The path of its source.
    pub fn source(&self) -> PathBuf {
        self.path.join(self.manifest.source.get_ref())
    }

    /// Leaves out all instances but those of some prefixes.
    ///
    /// # Errors
    /// A prefix that none has.
    pub fn keep(&mut self, prefixes: &[String]) -> Result<(), String> {
        let instances = &mut self.manifest.instances;
        let known: Vec<&str> = instances.iter().map(|own| own.prefix.get_ref().as_str()).collect();
        if let Some(prefix) = prefixes.iter().find(|prefix| !known.contains(&prefix.as_str())) {
            return Err(format!("there is no instance `{prefix}`; {}", instead_of(prefix, &known)));
        }
        instances.retain(|own| prefixes.contains(own.prefix.get_ref()));
        Ok(())
    }

    /// The nodes that the manifest names, each once, in its order.
    pub fn nodes(&self) -> Vec<&Spanned<String>> {
        let mut nodes: Vec<&Spanned<String>> = Vec::new();
        for instance in &self.manifest.instances {
            for node in instance.nodes() {
                if !nodes.iter().any(|known| known.get_ref() == node.get_ref()) {
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// The program of a node that the manifest names; of a mode that which takes a block.
    ///
    /// # Errors
    /// That there is none.
    pub fn program(
        &self,
        checked: &Checked,
        node: &Spanned<String>,
    ) -> Result<Program, Diagnostic> {
        let name = node.get_ref();
        let modes = self.manifest.instances.iter().filter_map(|own| own.mode.as_ref());
        let is_mode = modes.into_iter().any(|mode| mode.span() == node.span());
        match (is_mode, checked.program_for(name), checked.mode(name)) {
            (false, Some(program), _) => Ok(program),
            (true, _, Some(mode)) => {
                mode.main().cloned().ok_or_else(|| self.no_such_node(node, checked))
            }
            (false, None, Some(_)) => Err(self.misnamed(
                node,
                format!("`{name}` is a mode, not a node"),
                format!("write `mode = \"{name}\"`"),
            )),
            (true, Some(_), None) => Err(self.misnamed(
                node,
                format!("`{name}` is a node, not a mode"),
                format!("write `encrypt = \"{name}\"`, or `permute` or `step`, whichever it does"),
            )),
            (true, None, None) => {
                let mut error = self.no_such_node(node, checked);
                error.message = error.message.replace("has no node", "has no mode");
                let known = error.help.take().filter(|help| help.starts_with("did you mean"));
                let family =
                    "name a mode of the source; one of a family is made by `mode X = family(…)`";
                Err(error.help(known.unwrap_or_else(|| family.to_string())))
            }
            (false, None, None) => Err(self.no_such_node(node, checked)),
        }
    }

    fn misnamed(&self, node: &Spanned<String>, message: String, help: String) -> Diagnostic {
        let place = Span::new(self.manifest_file, node.span());
        Diagnostic::error("E0402", place, message).label("named here").help(help)
    }

    /// What is said about a node that the manifest names and the source does not have.
    fn no_such_node(&self, node: &Spanned<String>, checked: &Checked) -> Diagnostic {
        let message =
            format!("`{}` has no node `{}`", self.manifest.source.get_ref(), node.get_ref());
        let known = checked.nodes.iter().map(|node| node.name.as_str()).chain(checked.modes());
        Diagnostic::error("E0402", Span::new(self.manifest_file, node.span()), message)
            .label("named here")
            .help(match suggestion(node.get_ref(), known) {
                Some(near) if near != node.get_ref() => format!("did you mean `{near}`?"),
                _ => "name a node without `nat` parameters of the source".to_string(),
            })
    }
}

impl Instance {
    /// The node of its first function: what encrypts, permutes or is stepped, or the mode.
    pub fn forward(&self) -> Option<&Spanned<String>> {
        let node = self.encrypt.as_ref().or(self.permute.as_ref()).or(self.step.as_ref());
        node.or(self.mode.as_ref())
    }

    /// The name of that function.
    pub fn forward_name(&self) -> &'static str {
        match (&self.permute, &self.step, &self.run) {
            _ if self.mode.is_some() => "absorb",
            (_, Some(_), Some(_)) => "run",
            (_, Some(_), None) => "step",
            (Some(_), ..) => "permute",
            (None, None, _) => "encrypt",
        }
    }

    /// Whether its function is a tick.
    pub fn is_stepped(&self) -> bool {
        self.step.is_some() && self.run.is_none()
    }

    /// The nodes that it names: key schedule, first function, decryption.
    pub fn nodes(&self) -> impl Iterator<Item = &Spanned<String>> {
        let schedule = self.key.as_ref().and_then(|key| key.schedule.as_ref());
        [schedule, self.forward(), self.decrypt.as_ref()].into_iter().flatten()
    }
}

fn parse<T: DeserializeOwned>(
    text: &str,
    file: FileId,
    code: &'static str,
) -> Result<T, Diagnostic> {
    toml::from_str(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        // The first line of the message says what is wrong; the rest would repeat the place.
        let message = error.message().lines().next().unwrap_or("not TOML");
        let Refused { message, help } = refused::refused(text, message);
        let more = format!("`nakiri explain {code}` shows what may stand in this file");
        let help = help.map_or(more.clone(), |help| format!("{help}; {more}"));
        Diagnostic::error(code, Span::new(file, range), message).help(help)
    })
}

/// Whether a name can be one of C.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn manifest_problems(manifest: &Manifest, file: FileId) -> Vec<Diagnostic> {
    let error = |range: Range<usize>, message: String| {
        Diagnostic::error("E0402", Span::new(file, range), message)
    };
    let mut problems = Vec::new();
    let prefixes = manifest.instances.iter().map(|instance| &instance.prefix);
    for name in std::iter::once(&manifest.name).chain(prefixes.clone()) {
        if !is_identifier(name.get_ref()) {
            let message = format!("`{}` can't be a part of a C identifier", name.get_ref());
            problems.push(error(name.span(), message).help("use letters, digits and `_`"));
        }
    }
    for (i, prefix) in prefixes.enumerate() {
        if manifest.instances[..i].iter().any(|other| other.prefix.get_ref() == prefix.get_ref()) {
            let message = format!("two instances have the prefix `{}`", prefix.get_ref());
            problems.push(error(prefix.span(), message).help("give each its own"));
        }
    }
    for instance in &manifest.instances {
        let shared = instance.shared.as_ref().filter(|_| manifest.direction() != Direction::B);
        problems.extend(shared.map(|shared| {
            let message = "shared control is for slicing B, where a lane is a bit of each register";
            error(shared.span(), message.to_string())
                .help("write `slicing = \"B\"`, or leave `shared` out")
        }));
        problems.extend(instance_problem(instance).map(|(range, message)| error(range, message)));
    }
    problems
}

const NO_HANDSHAKE: &str = "a `handshake` is for a `step` without `run`";

fn instance_problem(instance: &Instance) -> Option<(Range<usize>, String)> {
    if let Some(shared) = &instance.shared {
        let others =
            instance.run.is_some() || instance.handshake.is_some() || instance.key.is_some();
        if instance.step.is_none() || others {
            let message = "`shared` is for a `step` without `run`, `handshake` and `key`";
            return Some((shared.span(), message.to_string()));
        }
    }
    let place = instance.prefix.span();
    if instance.multikey && instance.is_stepped() {
        let message =
            "a `step` has no `multikey`: the key of each lane is a parameter without `const`";
        return Some((place, message.to_string()));
    }
    let has_ctr = instance.modes.contains(&Mode::Ctr);
    if let (Some(handshake), Some(_)) = (&instance.handshake, &instance.run) {
        return Some((handshake.span(), NO_HANDSHAKE.to_string()));
    }
    if let Some(mode) = &instance.mode {
        let nodes = [&instance.encrypt, &instance.decrypt, &instance.permute, &instance.step];
        let alone = nodes.iter().all(|node| node.is_none())
            && instance.key.is_none()
            && instance.modes.is_empty()
            && instance.counter.is_none()
            && instance.message.is_none()
            && instance.run.is_none()
            && instance.handshake.is_none()
            && !instance.multikey;
        let message = "an instance with `mode` has no nodes, key, counter or `modes` beside it";
        return (!alone).then(|| (mode.span(), message.to_string()));
    }
    if let Some(node) = &instance.step {
        let others = [&instance.encrypt, &instance.decrypt, &instance.permute];
        let schedule = instance.key.as_ref().and_then(|key| key.schedule.as_ref());
        let alone = others.iter().all(|other| other.is_none())
            && (instance.run.is_none() || schedule.is_none())
            && instance.modes.is_empty()
            && instance.counter.is_none();
        let message = match instance.run {
            Some(_) => "an instance with `run` has no other node, key schedule, mode or counter",
            None => "an instance with `step` has no other node, mode or counter",
        };
        return (!alone).then(|| (node.span(), message.to_string()));
    }
    if let Some(schedule) = &instance.run {
        let message = "`run` says how the node under `step` is run: there is none".to_string();
        return Some((schedule.span(), message));
    }
    if let Some(handshake) = &instance.handshake {
        return Some((handshake.span(), NO_HANDSHAKE.to_string()));
    }
    match (&instance.encrypt, &instance.permute, &instance.key, &instance.counter) {
        (None, None, ..) => {
            Some((place, "an instance needs `encrypt`, `permute`, `step` or `mode`".to_string()))
        }
        (Some(_), Some(node), ..) => {
            Some((node.span(), "an instance has `encrypt` or `permute`, not both".to_string()))
        }
        (_, Some(node), Some(_), _) => {
            Some((node.span(), "a permutation has no key; use `encrypt`".to_string()))
        }
        (Some(node), _, None, _) => Some((node.span(), "encryption needs a `key`".to_string())),
        (_, _, _, None) if has_ctr => {
            Some((place, "the mode \"ctr\" needs a `counter`".to_string()))
        }
        (_, _, _, Some(counter)) if !has_ctr => {
            Some((counter.span(), "a `counter` needs the mode \"ctr\"".to_string()))
        }
        (_, _, _, Some(counter)) if !(1..=16).contains(&counter.get_ref().bytes) => {
            Some((counter.span(), "a counter has 1 to 16 bytes".to_string()))
        }
        _ => None,
    }
}

/// That a vector has another key than its instance.
fn key_problem(
    instance: &Instance,
    name: &Spanned<String>,
    key: Option<&Hex>,
) -> Option<(Range<usize>, String)> {
    let want = instance.key.as_ref().map(|key| *key.bytes.get_ref());
    let got = key.map(|key| key.bytes.len());
    let count = |bytes: Option<usize>| {
        bytes.map_or("no key".to_string(), |n| format!("a key of {n} bytes"))
    };
    let text = format!("`{}` has {}, not {}", name.get_ref(), count(want), count(got));
    let place = key.map_or(name.span(), |key| key.range.clone());
    (want != got).then_some((place, text))
}

/// The instance that a vector names, if it is of the kind whose vectors stand under this name.
fn instance_of<'a>(
    manifest: &'a Manifest,
    name: &Spanned<String>,
    vectors: &str,
    file: FileId,
) -> Result<&'a Instance, Diagnostic> {
    let error = |message: String| Diagnostic::error("E0403", Span::new(file, name.span()), message);
    let known = manifest.instances.iter().find(|i| i.prefix.get_ref() == name.get_ref());
    let Some(instance) = known else {
        let prefixes: Vec<&str> =
            manifest.instances.iter().map(|i| i.prefix.get_ref().as_str()).collect();
        let help = format!("{} in cipher.toml", instead_of(name.get_ref(), &prefixes));
        return Err(error(format!("there is no instance `{}`", name.get_ref())).help(help));
    };
    let (kind, own) = match &instance.mode {
        Some(_) => ("is a mode", "message"),
        None if instance.is_stepped() => ("is stepped", "ticks"),
        None => ("works on blocks", "block"),
    };
    match own == vectors {
        true => Ok(instance),
        false => Err(error(format!("`{}` {kind}", name.get_ref()))
            .help(format!("its vectors stand under `[[{own}]]`"))),
    }
}

fn vector_problems(manifest: &Manifest, vectors: &Vectors, file: FileId) -> Vec<Diagnostic> {
    let error = |range: Range<usize>, message: String| {
        Diagnostic::error("E0403", Span::new(file, range), message)
    };
    let blocks = vectors.block.iter().map(|v| (&v.instance, v.key.as_ref(), None));
    let messages =
        vectors.ctr.iter().map(|v| (&v.instance, Some(&v.key), Some((&v.plain, &v.cipher))));
    let mut problems = Vec::new();
    for (name, key, message) in blocks.chain(messages) {
        let instance = match instance_of(manifest, name, "block", file) {
            Ok(instance) => instance,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        problems.extend(key_problem(instance, name, key).map(|(at, text)| error(at, text)));
        if message.is_some() && instance.counter.is_none() {
            problems.push(error(name.span(), format!("`{}` has no mode \"ctr\"", name.get_ref())));
        }
        if let Some((_, cipher)) = message.filter(|(p, c)| p.bytes.len() != c.bytes.len()) {
            let text = "in CTR both texts have the same length".to_string();
            problems.push(error(cipher.range.clone(), text));
        }
        if let Some((plain, _)) = message.filter(|(plain, _)| plain.bytes.is_empty()) {
            let text = "a text without bytes says nothing of CTR".to_string();
            problems
                .push(error(plain.range.clone(), text).help("give one, or leave the vector out"));
        }
    }
    for vector in &vectors.message {
        problems.extend(instance_of(manifest, &vector.instance, "message", file).err());
    }
    for vector in &vectors.ticks {
        match instance_of(manifest, &vector.instance, "ticks", file) {
            Ok(instance) => {
                let problem = key_problem(instance, &vector.instance, vector.key.as_ref());
                problems.extend(problem.map(|(at, text)| error(at, text)));
            }
            Err(problem) => problems.push(problem),
        }
        if vector.run.is_empty() || vector.run.iter().any(|run| run.ticks == 0) {
            let text = "a vector has at least one run, and a run one tick".to_string();
            problems.push(error(vector.instance.span(), text));
        }
    }
    problems
}
