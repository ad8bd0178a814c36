//! Kernels with the transpositions around them: functions from blocks in memory to blocks in memory.

use super::syntax::attribute;
use super::C11;
use crate::compile::Kernel;
use crate::emit::function::Signature;
use crate::emit::keys::Making;
use crate::emit::network;
use crate::emit::ports::{images_before_rest, pointers, ports, PortPair};
use crate::emit::{identifier, transport, type_name};
use crate::isa::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The static functions of a library. Equal ones that are compiled under the same condition are printed once.
pub struct Batches {
    library: String,
    /// The name of each function, by its condition and its text.
    known: BTreeMap<(Option<&'static str>, String), String>,
    names: BTreeSet<String>,
    /// The functions that each batch function calls, by its name.
    parts: BTreeMap<String, Parts>,
    text: String,
    /// The condition under which what comes last in the text is compiled.
    guard: Option<&'static str>,
}

/// The functions that a batch function calls.
#[derive(Clone)]
pub struct Parts {
    /// The kernel.
    pub kernel: String,
    /// The transposition of each parameter that is not constant.
    pub loads: Vec<String>,
    /// The transposition of each result.
    pub stores: Vec<String>,
    /// The batch function of the kernel for the rest, if there is one.
    pub rest: Option<String>,
}

/// Stands for a function's own name until it is known whether there is one like it.
pub const NAME: &str = "@";

impl Batches {
    /// No functions yet.
    pub fn new(library: &str) -> Batches {
        let library = identifier(library);
        Batches {
            library,
            known: BTreeMap::new(),
            names: BTreeSet::new(),
            parts: BTreeMap::new(),
            text: String::new(),
            guard: None,
        }
    }

    /// The functions that a batch function calls.
    pub fn parts(&self, batch: &str) -> Option<&Parts> {
        self.parts.get(batch)
    }

    /// The definitions, callees first.
    pub fn text(&self) -> String {
        format!("{}{}", self.text, if self.guard.is_some() { "#endif\n\n" } else { "" })
    }

    /// The function `void f(const unsigned char *constants, outs…, ins…, size_t blocks)` that runs a kernel on any
    /// number of blocks; its name begins with `wish`.
    ///
    /// # Errors
    /// If a port can't be transposed.
    pub fn batch(&mut self, wish: &str, kernel: &Kernel) -> Result<String, String> {
        let load64 = format!("{}_load64", self.library);
        let ty = kernel.program.entry().results.first().map(|port| type_name(port.ty));
        let name = format!(
            "{wish}_{}_{}",
            identifier(kernel.target.name),
            ty.unwrap_or_default().to_lowercase()
        );
        let guard = kernel.target.guard();
        let inner = self.kernel(&name, kernel, false);
        let signature = Signature {
            kernel,
            syntax: &C11,
            name: &inner,
            load64: &load64,
            at_any_address: false,
        };
        let inputs = ports(kernel).inputs.into_iter();
        let loads: Vec<String> =
            inputs.map(|port| self.load(kernel, port)).collect::<Result<_, _>>()?;
        let outputs = ports(kernel).outputs.into_iter();
        let stores: Vec<String> =
            outputs.map(|port| self.store(kernel, port)).collect::<Result<_, _>>()?;
        let rest = kernel.rest.as_ref();
        let rest = rest.map(|r| self.batch(&format!("{wish}_rest"), &r.kernel)).transpose()?;
        let parts = Parts {
            kernel: inner.clone(),
            loads: loads.clone(),
            stores: stores.clone(),
            rest: rest.clone(),
        };
        let batch = Batch { signature, loads, stores, rest, clear: clear(&self.library) };
        let name = self.intern(&batch.text(), &name, guard);
        self.parts.insert(name.clone(), parts);
        Ok(name)
    }

    /// A kernel's function, whose ports may lie at any address.
    pub fn kernel(&mut self, wish: &str, kernel: &Kernel, at_any_address: bool) -> String {
        let load64 = format!("{}load64", self.prefix());
        let signature =
            Signature { kernel, syntax: &C11, name: NAME, load64: &load64, at_any_address };
        let wish = format!("{wish}_kernel");
        self.intern(&signature.definitions(), &wish, kernel.target.guard())
    }

    /// The function that brings the blocks of a port into registers.
    ///
    /// # Errors
    /// If it can't be transposed.
    pub fn load(&mut self, kernel: &Kernel, port: PortPair) -> Result<String, String> {
        let text = transport::load(&port.placed(), c_function(kernel.target, &self.prefix()))?;
        let name = self.transport_name("load", kernel, port);
        Ok(self.intern(&text, &name, kernel.target.guard()))
    }

    /// The function that brings the blocks of a port back into memory.
    ///
    /// # Errors
    /// If it can't be transposed.
    pub fn store(&mut self, kernel: &Kernel, port: PortPair) -> Result<String, String> {
        let text = transport::store(&port.placed(), c_function(kernel.target, &self.prefix()))?;
        let name = self.transport_name("store", kernel, port);
        Ok(self.intern(&text, &name, kernel.target.guard()))
    }

    /// The function `void f(uint8_t *out, const uint8_t *in)` that makes images of bytes, for CPUs that run a target.
    pub fn images(&mut self, making: &Making, target: &'static Target) -> String {
        let prefix = self.prefix();
        let target = making.target(target);
        let text = making.function(c_function(target, &prefix));
        self.intern(&text, &format!("{prefix}images_{}", making.name), target.guard())
    }

    /// The macro that clears arrays.
    pub fn clear(&self) -> String {
        clear(&self.library)
    }

    /// The prefix of the helpers of transpositions.
    pub fn prefix(&self) -> String {
        format!("{}_", self.library)
    }

    /// The name of a function that moves a port, for [`Batches::intern`].
    pub fn transport_name(&self, verb: &str, kernel: &Kernel, port: PortPair) -> String {
        let ty = type_name(port.sliced.ty).to_lowercase();
        let atoms = kernel.atoms(port.sliced);
        format!("{}_{verb}_{}_{ty}x{atoms}", self.library, identifier(kernel.target.name))
    }

    /// The name of a function, `wish` or like it: its text calls it [`NAME`]. It is printed unless one like it was, to be
    /// compiled where `guard` holds.
    pub fn intern(&mut self, text: &str, wish: &str, guard: Option<&'static str>) -> String {
        let key = (guard, text.to_string());
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let numbered = (2..).map(|n| format!("{wish}_{n}"));
        let mut names = std::iter::once(wish.to_string()).chain(numbered);
        let name = names.find(|name| !self.names.contains(name)).unwrap_or_default();
        self.enter(guard);
        self.text.push_str(text.replace(NAME, &name).trim_end());
        self.text.push_str("\n\n");
        self.names.insert(name.clone());
        self.known.insert(key, name.clone());
        name
    }

    /// Says under which condition that is compiled which is printed next.
    fn enter(&mut self, guard: Option<&'static str>) {
        if guard == self.guard {
            return;
        }
        if self.guard.is_some() {
            self.text.push_str("#endif\n\n");
        }
        if let Some(guard) = guard {
            let _ = writeln!(self.text, "#if {guard}\n");
        }
        self.guard = guard;
    }
}

/// A transposition's function, yet without a name.
pub fn c_function<'a>(target: &'static Target, prefix: &'a str) -> network::Function<'a> {
    network::Function { syntax: &C11, name: NAME, target, prefix }
}

/// The parameters of a function on blocks, results first.
pub fn parameters(kernel: &Kernel) -> String {
    let ports = ports(kernel);
    let mut text = String::new();
    for name in pointers("out", &ports.outputs) {
        let _ = write!(text, "uint8_t *{name}, ");
    }
    for name in pointers("in", &ports.inputs) {
        let _ = write!(text, "const uint8_t *{name}, ");
    }
    text + "size_t blocks"
}

/// The pointer to the images of the kernel that takes another one's rest, from the pointer to that one's.
pub fn constants_of_rest(kernel: &Kernel) -> String {
    plus("constants", images_before_rest(kernel))
}

/// The name of the macro that clears an array, if the library is compiled so.
pub fn clear(library: &str) -> String {
    format!("{}_CLEAR", identifier(library).to_uppercase())
}

/// A kernel with the functions around it.
struct Batch<'a> {
    signature: Signature<'a>,
    /// The transpositions of its parameters and results.
    loads: Vec<String>,
    stores: Vec<String>,
    /// The function for the blocks that are left, if that is another kernel's.
    rest: Option<String>,
    clear: String,
}

impl Batch<'_> {
    fn text(&self) -> String {
        let (signature, kernel) = (&self.signature, self.signature.kernel);
        let (ports, lanes, blocks) = (ports(kernel), kernel.lanes(), kernel.blocks());
        let (ins, outs) = (pointers("in", &ports.inputs), pointers("out", &ports.outputs));
        let clear = &self.clear;
        let mut arrays = String::new();
        let (mut full, mut padded, mut cleared) = (String::new(), String::new(), String::new());
        let (mut after, mut advance, mut copy_back) = (String::new(), String::new(), String::new());
        let mut registers = vec![];
        for (k, port) in ports.outputs.iter().enumerate() {
            let (ty, count, bytes) =
                (signature.register(port.sliced.ty), port.sliced.count(), port.bytes());
            let (out, store) = (&outs[k], &self.stores[k]);
            let _ = writeln!(arrays, "    {ty} y{k}[{count}];");
            let mut stored = String::new();
            for batch in 0..kernel.interleave as usize {
                let to = plus(out, batch * lanes * bytes);
                let from = plus(&format!("y{k}"), batch * kernel.atoms(port.sliced));
                let _ = writeln!(after, "        {store}({to}, {from});");
                let _ = writeln!(stored, "            {store}(last_{to}, {from});");
            }
            let _ = writeln!(advance, "        {out} += {};", blocks * bytes);
            let (room, wiped) =
                self.room(&format!("last_{out}"), blocks * bytes, &ports.inputs, "x");
            let _ = write!(
                copy_back,
                "        {{\n            {room};\n{stored}            \
                 __builtin_memcpy({out}, last_{out}, {bytes} * blocks);\n{wiped}        }}\n",
            );
            let _ = writeln!(cleared, "    {clear}(y{k});");
            registers.push(format!("y{k}"));
        }
        for (k, port) in ports.inputs.iter().enumerate() {
            let (ty, count, bytes) =
                (signature.register(port.sliced.ty), port.sliced.count(), port.bytes());
            let (input, load) = (&ins[k], &self.loads[k]);
            let _ = writeln!(arrays, "    {ty} x{k}[{count}];");
            let mut loaded = String::new();
            for batch in 0..kernel.interleave as usize {
                let to = plus(&format!("x{k}"), batch * kernel.atoms(port.sliced));
                let from = plus(input, batch * lanes * bytes);
                let _ = writeln!(full, "        {load}({to}, {from});");
                let _ = writeln!(loaded, "            {load}({to}, last_{from});");
            }
            let _ = writeln!(advance, "        {input} += {};", blocks * bytes);
            let (room, wiped) =
                self.room(&format!("last_{input}"), blocks * bytes, &ports.outputs, "y");
            let _ = write!(
                padded,
                "        {{\n            {room};\n            \
                 __builtin_memset(last_{input}, 0, {});\n            \
                 __builtin_memcpy(last_{input}, {input}, {bytes} * blocks);\n{loaded}{wiped}        }}\n",
                blocks * bytes
            );
            let _ = writeln!(cleared, "    {clear}(x{k});");
            registers.push(format!("x{k}"));
        }
        registers.push("constants".to_string());
        let call = format!("        {}({});\n", signature.name, registers.join(", "));
        let mut text = format!(
            "{}static void {NAME}(const unsigned char *constants, {})\n{{\n{arrays}    \
             for (; blocks >= {blocks}; blocks -= {blocks}) {{\n{full}{call}{after}{advance}    }}\n",
            attribute(kernel.target),
            parameters(kernel)
        );
        let rest = self.rest.as_ref().map(|rest| {
            let pointers = [outs, ins].concat().join(", ");
            format!("{rest}({}, {pointers}, blocks);\n", constants_of_rest(kernel))
        });
        let last = format!("{{\n{padded}{call}{copy_back}    }}");
        let _ = match (rest, kernel.least()) {
            (None, least) if least == blocks => Ok(()),
            (None, _) => writeln!(text, "    if (blocks > 0) {last}"),
            (Some(rest), least) if least == blocks => {
                write!(text, "    if (blocks > 0)\n        {rest}")
            }
            (Some(rest), least) => write!(
                text,
                "    if (blocks >= {least}) {last} else if (blocks > 0) {{\n        {rest}    }}\n"
            ),
        };
        text + &cleared + "}\n"
    }
}

impl Batch<'_> {
    /// Room for a copy of last blocks, and the line that wipes it: registers of ports that hold nothing at that time, or else an array.
    fn room(
        &self,
        name: &str,
        bytes: usize,
        others: &[PortPair],
        letter: &str,
    ) -> (String, String) {
        let target = self.signature.kernel.target;
        match others.iter().position(|other| target.port_bytes(other.sliced) >= bytes) {
            Some(k) => (format!("uint8_t *{name} = (uint8_t *){letter}{k}"), String::new()),
            None => {
                let clear = &self.clear;
                (format!("uint8_t {name}[{bytes}]"), format!("            {clear}({name});\n"))
            }
        }
    }
}

/// A pointer moved by some elements, or a number that much larger, in C.
pub fn plus(pointer: &str, elements: usize) -> String {
    match elements {
        0 => pointer.to_string(),
        _ => format!("{pointer} + {elements}"),
    }
}
