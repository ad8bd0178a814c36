//! The functions that expand the keys of a variant's lanes.

use super::Split;
use crate::compile::Kernel;
use crate::core::{Layout, Port};
use crate::emit::c::batch::{Batches, NAME};
use crate::emit::c::syntax::attribute;
use crate::emit::c::C11;
use crate::emit::function::Signature;
use crate::emit::identifier;
use crate::emit::ports::{ports, PortPair};
use std::fmt::Write;

/// How the keys of a variant's lanes are expanded.
pub struct Expansion<'a> {
    /// How the names of the instance begin.
    pub prefix: &'a str,
    /// The variant's kernel.
    pub kernel: &'a Kernel,
    /// Its parameters.
    pub split: &'a Split<'a>,
    /// The size of a key in bytes.
    pub key: usize,
}

impl Expansion<'_> {
    /// Whether a schedule's results are the registers that the kernel reads.
    pub fn is_direct(&self, schedule: &Kernel) -> bool {
        let results = ports(schedule).outputs.into_iter().map(|port| port.sliced);
        let keys = self.split.keys.iter().map(|(port, ..)| port.sliced);
        let form = |port: &Port| (port.ty, port.count());
        schedule.target.name == self.kernel.target.name && results.map(form).eq(keys.map(form))
    }

    fn name(&self) -> String {
        format!("{}_multikey_expand_{}", self.prefix, identifier(self.kernel.target.name))
    }

    fn intern(&self, body: &str, batches: &mut Batches) -> String {
        let text = format!(
            "{}static void {NAME}(unsigned char *registers, const uint8_t *keys)\n{{\n{body}}}\n",
            attribute(self.kernel.target)
        );
        batches.intern(&text, &self.name(), self.kernel.target.guard())
    }

    /// The schedule writes registers.
    ///
    /// # Errors
    /// If a port can't be transposed.
    pub fn direct(&self, schedule: &Kernel, batches: &mut Batches) -> Result<String, String> {
        let moved = ports(schedule);
        let name = batches.kernel(&format!("{}_schedule", self.name()), schedule, true);
        let signature = Signature {
            kernel: schedule,
            syntax: &C11,
            name: &name,
            load64: "",
            at_any_address: true,
        };
        let input = moved.inputs[0];
        let load = batches.load(schedule, input)?;
        let results = self.split.keys.iter().map(|(port, _, offset)| {
            let ty = signature.memory(port.sliced.ty);
            format!("({ty} *)(void *)(registers + {offset})")
        });
        let results = results.collect::<Vec<_>>().join(", ");
        let (ty, count) = (signature.register(input.sliced.ty), input.sliced.count());
        let memory = signature.memory(input.sliced.ty);
        let clear = batches.clear();
        let body = format!(
            "    {ty} x[{count}];\n    {load}(x, keys);\n    {name}({results}, (const {memory} *)x, NULL);\n    {clear}(x);\n"
        );
        Ok(self.intern(&body, batches))
    }

    /// The schedule is sliced in another way: round keys go through memory.
    ///
    /// # Errors
    /// If a port can't be transposed.
    pub fn by_memory(&self, schedule: &Kernel, batches: &mut Batches) -> Result<String, String> {
        let mut schedule = schedule.clone();
        for port in &mut schedule.results {
            port.layout = Layout::Le;
        }
        let inner = batches.batch(&format!("{}_schedule", self.name()), &schedule)?;
        let lanes = self.kernel.lanes();
        let (mut body, mut arguments) = (String::new(), String::new());
        for (k, (port, ..)) in self.split.keys.iter().enumerate() {
            let _ = writeln!(body, "    uint8_t part{k}[{}];", lanes * port.bytes());
            let _ = write!(arguments, "part{k}, ");
        }
        let _ = writeln!(body, "    {inner}(NULL, {arguments}keys, {lanes});");
        self.registers(&mut body, Some(&Layout::Le), batches)?;
        Ok(self.intern(&body, batches))
    }

    /// The key is the constant parameters, one after another.
    ///
    /// # Errors
    /// If a port can't be transposed.
    pub fn as_it_is(&self, batches: &mut Batches) -> Result<String, String> {
        let (lanes, key) = (self.kernel.lanes(), self.key);
        let (mut body, mut offset) = (String::new(), 0);
        for (k, (port, ..)) in self.split.keys.iter().enumerate() {
            let bytes = port.bytes();
            let _ = write!(
                body,
                "    uint8_t part{k}[{}];\n    for (size_t lane = 0; lane < {lanes}; lane++)\n        \
                 __builtin_memcpy(part{k} + {bytes} * lane, keys + {key} * lane + {offset}, {bytes});\n",
                lanes * bytes
            );
            offset += bytes;
        }
        self.registers(&mut body, None, batches)?;
        Ok(self.intern(&body, batches))
    }

    /// Brings what is in memory into registers, and these into the context.
    fn registers(
        &self,
        body: &mut String,
        layout: Option<&Layout>,
        batches: &mut Batches,
    ) -> Result<(), String> {
        let clear = batches.clear();
        let signature = Signature {
            kernel: self.kernel,
            syntax: &C11,
            name: NAME,
            load64: "",
            at_any_address: false,
        };
        for (k, (port, _, offset)) in self.split.keys.iter().enumerate() {
            let layout = layout.unwrap_or(&port.declared.layout).clone();
            let declared = Port { layout, ..port.declared.clone() };
            let load = batches.load(self.kernel, PortPair { declared: &declared, ..*port })?;
            let (ty, count) = (signature.register(port.sliced.ty), port.sliced.count());
            let _ = write!(
                body,
                "    {{\n        {ty} r[{count}];\n        {load}(r, part{k});\n        \
                 __builtin_memcpy(registers + {offset}, r, sizeof r);\n        {clear}(r);\n        {clear}(part{k});\n    }}\n"
            );
        }
        Ok(())
    }
}
