//! The file of one target: kernels with the transpositions around them, as functions from blocks in memory to blocks in
//! memory.

use super::syntax::{attribute, Rust};
use crate::compile::Kernel;
use crate::emit::function::Signature;
use crate::emit::network;
use crate::emit::ports::{images_before_rest, pointers, ports, PortPair};
use crate::emit::{identifier, transport, type_name};
use crate::isa::{rust, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The functions for one target. Equal ones are printed once.
pub struct Module {
    /// The target.
    pub target: &'static Target,
    /// The name of each function, by its text.
    known: BTreeMap<String, String>,
    names: BTreeSet<String>,
    text: String,
}

/// The functions that a function on blocks calls.
#[derive(Clone)]
pub struct Parts {
    /// Its own name.
    pub name: String,
    /// The kernel.
    pub kernel: String,
    /// The transposition of each parameter that is not constant.
    pub loads: Vec<String>,
    /// The transposition of each result.
    pub stores: Vec<String>,
    /// Those of the kernel that takes the rest, if there is one.
    pub rest: Option<Box<Parts>>,
}

/// Stands for a function's own name until it is known whether there is one like it.
pub const NAME: &str = "@";

impl Module {
    /// A file without functions.
    pub fn new(target: &'static Target) -> Module {
        let (known, names, text) = (BTreeMap::new(), BTreeSet::new(), String::new());
        Module { target, known, names, text }
    }

    /// The name of its module.
    pub fn name(&self) -> String {
        identifier(self.target.name)
    }

    /// A transposition's function for a kernel, yet without a name. A kernel for short messages may be of another target than
    /// its module.
    pub fn function(kernel: &Kernel) -> network::Function<'static> {
        Module::word_function(kernel.target)
    }

    /// A function on words, yet without a name.
    pub fn word_function(target: &'static Target) -> network::Function<'static> {
        network::Function { syntax: &Rust, name: NAME, target, prefix: "" }
    }

    /// The name of a function, `wish` or like it: its text calls it [`NAME`]. It is printed unless one like it was.
    pub fn intern(&mut self, text: &str, wish: &str) -> String {
        if let Some(name) = self.known.get(text) {
            return name.clone();
        }
        let numbered = (2..).map(|n| format!("{wish}_{n}"));
        let mut names = std::iter::once(wish.to_string()).chain(numbered);
        let name = names.find(|name| !self.names.contains(name)).unwrap_or_default();
        self.text.push_str(text.replace(NAME, &name).trim_end());
        self.text.push_str("\n\n");
        self.names.insert(name.clone());
        self.known.insert(text.to_string(), name.clone());
        name
    }

    /// The name of a function that moves a port, for [`Module::intern`].
    pub fn transport_name(&self, verb: &str, kernel: &Kernel, port: PortPair) -> String {
        let ty = type_name(port.sliced.ty).to_lowercase();
        format!("{verb}_{ty}x{}", kernel.atoms(port.sliced))
    }

    /// The functions of a kernel on any number of blocks; the names begin with `wish`.
    ///
    /// # Errors
    /// If a port can't be transposed.
    pub fn blocks(&mut self, wish: &str, kernel: &Kernel, blocks: Blocks) -> Result<Parts, String> {
        let signature = signature(kernel, NAME);
        let inner = self.intern(&signature.definitions(), &format!("{wish}_kernel"));
        let (mut loads, mut stores) = (vec![], vec![]);
        for port in ports(kernel).inputs {
            let text = transport::load(&port.placed(), Module::function(kernel))?;
            loads.push(self.intern(&text, &self.transport_name("load", kernel, port)));
        }
        for port in ports(kernel).outputs {
            let text = transport::store(&port.placed(), Module::function(kernel))?;
            stores.push(self.intern(&text, &self.transport_name("store", kernel, port)));
        }
        let rest = match &kernel.rest {
            Some(rest) => {
                Some(Box::new(self.blocks(&format!("{wish}_rest"), &rest.kernel, blocks)?))
            }
            None => None,
        };
        let mut parts = Parts { name: String::new(), kernel: inner, loads, stores, rest };
        parts.name = self.intern(&text(kernel, &parts, blocks), wish);
        Ok(parts)
    }

    /// The file.
    pub fn text(&self) -> String {
        let uses = [
            ("InOutBuf", "use cipher::InOutBuf;\n"),
            ("Array<", "use cipher::array::Array;\n"),
            ("consts::", "use cipher::consts;\n"),
        ];
        let mut head = format!("//! {}.\n\n{LINTS}\n", self.target.title);
        let imports = [
            "barrier8",
            "barrier16",
            "barrier32",
            "barrier64",
            "flat",
            "flat_mut",
            "part",
            "part_mut",
        ];
        let used: Vec<&str> = imports.into_iter().filter(|name| self.calls(name)).collect();
        let _ = writeln!(head, "use crate::memory::{{{}}};", used.join(", "));
        for (word, line) in uses {
            if self.text.contains(word) {
                head.push_str(line);
            }
        }
        if self.target.simd {
            let _ = writeln!(head, "use core::arch::{}::*;", self.target.architecture.name);
        }
        head.push('\n');
        let rust = rust::of(self.target);
        if let Some((name, text)) = rust.and_then(|rust| rust.helper) {
            if self.calls(name) {
                head.push_str(text);
            }
        }
        let moves = rust.map_or(&[][..], |rust| rust.moves);
        for each in moves {
            for (verb, template) in [("load", LOAD), ("store", STORE)] {
                if self.calls(&format!("{verb}{}", each.suffix)) {
                    head.push_str(&attribute(self.target));
                    let filled = template
                        .replace("$suffix", each.suffix)
                        .replace("$register", each.register)
                        .replace("$bytes", &each.bytes.to_string())
                        .replace("$load", each.load)
                        .replace("$store", each.store);
                    head.push_str(&filled);
                }
            }
        }
        head + self.text.trim_end() + "\n"
    }

    /// Whether a function is called somewhere.
    fn calls(&self, name: &str) -> bool {
        let starts =
            |at: usize| !self.text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        ["(", "::<"]
            .iter()
            .any(|end| self.text.match_indices(&format!("{name}{end}")).any(|(at, _)| starts(at)))
    }
}

/// A kernel with its name.
pub fn signature<'a>(kernel: &'a Kernel, name: &'a str) -> Signature<'a> {
    Signature { kernel, syntax: &Rust, name, load64: "", at_any_address: false }
}

/// How a function on blocks takes them: [`Blocks::InOut`] if that goes from one block to one of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// One buffer, or two of the same length, of blocks of so many bytes.
    InOut(usize),
    /// A slice for each parameter and result.
    Slices,
}

impl Blocks {
    /// How the functions of a kernel take blocks.
    pub fn of(kernel: &Kernel) -> Blocks {
        let ports = ports(kernel);
        match (&ports.inputs[..], &ports.outputs[..]) {
            ([input], [output]) if input.bytes() == output.bytes() => Blocks::InOut(input.bytes()),
            _ => Blocks::Slices,
        }
    }
}

/// The parameters of a function on blocks, results first.
pub fn parameters(kernel: &Kernel, form: Blocks) -> String {
    if let Blocks::InOut(bytes) = form {
        return format!("blocks: InOutBuf<'_, '_, Array<u8, consts::U{bytes}>>");
    }
    let ports = ports(kernel);
    let outs = pointers("out", &ports.outputs).into_iter().zip(&ports.outputs);
    let outs = outs.map(|(name, port)| format!("{name}: &mut [[u8; {}]]", port.bytes()));
    let ins = pointers("input", &ports.inputs).into_iter().zip(&ports.inputs);
    let ins = ins.map(|(name, port)| format!("{name}: &[[u8; {}]]", port.bytes()));
    outs.chain(ins).collect::<Vec<_>>().join(", ")
}

/// The arguments that stand for [`parameters`].
pub fn arguments(kernel: &Kernel, form: Blocks) -> String {
    let ports = ports(kernel);
    match form {
        Blocks::InOut(_) => "blocks".to_string(),
        Blocks::Slices => {
            [pointers("out", &ports.outputs), pointers("input", &ports.inputs)].concat().join(", ")
        }
    }
}

/// Where the bytes of a port's blocks are.
struct Sides {
    /// To be read.
    ins: Vec<String>,
    /// To be written.
    outs: Vec<String>,
    /// Number of blocks.
    count: String,
    /// The blocks behind `at`, as arguments.
    rest: String,
}

fn sides(kernel: &Kernel, form: Blocks) -> Sides {
    if let Blocks::InOut(_) = form {
        return Sides {
            ins: vec!["flat(blocks.get_in())".to_string()],
            outs: vec!["flat_mut(blocks.get_out())".to_string()],
            count: "blocks.len()".to_string(),
            rest: "blocks.split_at(at).1".to_string(),
        };
    }
    let ports = ports(kernel);
    let (outs, ins) = (pointers("out", &ports.outputs), pointers("input", &ports.inputs));
    let count = outs.first().map_or(String::new(), |name| format!("{name}.len()"));
    let rest = outs.iter().map(|name| format!("&mut {name}[at..]"));
    let rest: Vec<String> = rest.chain(ins.iter().map(|name| format!("&{name}[at..]"))).collect();
    Sides {
        ins: ins.iter().map(|name| format!("{name}.as_flattened()")).collect(),
        outs: outs.iter().map(|name| format!("{name}.as_flattened_mut()")).collect(),
        count,
        rest: rest.join(", "),
    }
}

/// The function on any number of blocks, yet without a name.
fn text(kernel: &Kernel, parts: &Parts, form: Blocks) -> String {
    let (ports, sides) = (ports(kernel), sides(kernel, form));
    let (lanes, blocks) = (kernel.lanes(), kernel.blocks());
    let (mut arrays, mut full, mut after) = (String::new(), String::new(), String::new());
    let (mut padded, mut copy_back, mut registers) = (String::new(), String::new(), vec![]);
    for (k, port) in ports.outputs.iter().enumerate() {
        arrays.push_str(&array("y", k, kernel, *port));
        let (out, store, bytes) = (&sides.outs[k], &parts.stores[k], port.bytes());
        let mut stored = String::new();
        for batch in 0..kernel.interleave as usize {
            let to = plus(bytes, batch * lanes);
            let from = batch_of(&format!("y{k}"), batch, kernel, *port, false);
            let _ = writeln!(after, "        {store}(part_mut({out}, {to}), {from});");
            let to = batch * lanes * bytes;
            let _ = writeln!(stored, "        {store}(part_mut(&mut last, {to}), {from});");
        }
        let _ = write!(
            copy_back,
            "        let mut last = [0; {0}];\n{stored}        \
             {out}[{bytes} * at..].copy_from_slice(&last[..{bytes} * left]);\n",
            blocks * bytes
        );
        registers.push(format!("&mut y{k}"));
    }
    for (k, port) in ports.inputs.iter().enumerate() {
        arrays.push_str(&array("x", k, kernel, *port));
        let (input, load, bytes) = (&sides.ins[k], &parts.loads[k], port.bytes());
        let mut loaded = String::new();
        for batch in 0..kernel.interleave as usize {
            let from = plus(bytes, batch * lanes);
            let to = batch_of(&format!("x{k}"), batch, kernel, *port, true);
            let _ = writeln!(full, "        {load}({to}, part({input}, {from}));");
            let from = batch * lanes * bytes;
            let _ = writeln!(loaded, "        {load}({to}, part(&last, {from}));");
        }
        let _ = write!(
            padded,
            "        let mut last = [0; {0}];\n        \
             last[..{bytes} * left].copy_from_slice(&{input}[{bytes} * at..]);\n{loaded}",
            blocks * bytes
        );
        registers.push(format!("&x{k}"));
    }
    registers.push("part(constants, 0)".to_string());
    let call = format!("        {}({});\n", parts.kernel, registers.join(", "));
    let mutable = if matches!(form, Blocks::InOut(_)) { "mut " } else { "" };
    let mut text = format!(
        "{}pub fn {NAME}(constants: &[u8], {mutable}{}) {{\n{arrays}    let count = {};\n    \
         let mut at = 0;\n    while count - at >= {blocks} {{\n{full}{call}{after}        at += {blocks};\n    }}\n",
        attribute(kernel.target),
        parameters(kernel, form),
        sides.count
    );
    let rest = parts.rest.as_ref().map(|rest| {
        let constants = match images_before_rest(kernel) {
            0 => "constants".to_string(),
            bytes => format!("&constants[{bytes}..]"),
        };
        format!("{}({constants}, {});\n", rest.name, sides.rest)
    });
    let last = format!("{{\n        let left = count - at;\n{padded}{call}{copy_back}    }}");
    let _ = match (rest, kernel.least()) {
        (None, least) if least == blocks => Ok(()),
        (None, _) => writeln!(text, "    if at < count {last}"),
        (Some(rest), least) if least == blocks => {
            write!(text, "    if at < count {{\n        {rest}    }}\n")
        }
        (Some(rest), least) => write!(
            text,
            "    if count - at >= {least} {last} else if at < count {{\n        {rest}    }}\n"
        ),
    };
    text + "}\n"
}

/// Bytes in front of a block: `offset` blocks of so many bytes behind `at`.
fn plus(bytes: usize, offset: usize) -> String {
    match offset {
        0 => format!("{bytes} * at"),
        _ => format!("{bytes} * at + {}", bytes * offset),
    }
}

/// An array for the registers of a port.
pub fn array(letter: &str, k: usize, kernel: &Kernel, port: PortPair) -> String {
    let signature = signature(kernel, NAME);
    let (register, zero) = (signature.register(port.sliced.ty), signature.zero(port.sliced.ty));
    let count = port.sliced.count();
    format!("    let mut {letter}{k}: [{register}; {count}] = [{zero}; {count}];\n")
}

/// The registers of a batch of a port, to be read or written.
pub fn batch_of(array: &str, batch: usize, kernel: &Kernel, port: PortPair, write: bool) -> String {
    let (suffix, mutable) = if write { ("_mut", "mut ") } else { ("", "") };
    match kernel.interleave {
        1 => format!("&{mutable}{array}"),
        _ => format!("part{suffix}(&{mutable}{array}, {})", batch * kernel.atoms(port.sliced)),
    }
}

/// The name of a function as part of another's.
pub fn joined(prefix: &str, name: &str) -> String {
    format!("{}_{}", identifier(prefix), identifier(name))
}

const LINTS: &str = "\
#![allow(clippy::identity_op, non_upper_case_globals)]
";

const LOAD: &str = "\
/// A register from any address.
#[inline]
fn load$suffix(bytes: &[u8; $bytes]) -> $register {
    // SAFETY: that many bytes are read, and need not be aligned.
    unsafe { $load(bytes.as_ptr().cast()) }
}

";

const STORE: &str = "\
/// A register to any address.
#[inline]
fn store$suffix(bytes: &mut [u8; $bytes], register: $register) {
    // SAFETY: that many bytes are written, and need not be aligned.
    unsafe { $store(bytes.as_mut_ptr().cast(), register) }
}

";
