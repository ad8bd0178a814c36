//! The functions of a kernel, and what their callers must know of them.

use super::parts::Parts;
use super::ports::image_bytes;
use super::printer::{written_out, Part, Printer};
use super::syntax::Syntax;
use super::template::Fill;
use crate::compile::Kernel;
use crate::core::{FuncId, Index, Op, Port, Type};
use crate::mir;
use crate::registers::Spill;
use std::collections::BTreeSet;

/// What of a kernel's ports and symbols its callers must know.
pub struct Signature<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The language.
    pub syntax: &'a dyn Syntax,
    /// The name of its entry.
    pub name: &'a str,
    /// The name of the function that reads 8 bytes as a word, where there is one.
    pub load64: &'a str,
    /// Whether all ports of the entry may lie at any address, and not only the registers of a state.
    pub at_any_address: bool,
}

impl<'a> Signature<'a> {
    /// The parameters that come in registers.
    pub fn inputs(&self) -> impl Iterator<Item = &'a Port> {
        self.kernel.program.entry().params.iter().filter(|port| !port.constant)
    }

    /// The results; those that are constant are stored as images.
    pub fn outputs(&self) -> impl Iterator<Item = &'a Port> {
        self.kernel.program.entry().results.iter()
    }

    /// The type of a register that holds atoms of this type.
    pub fn register(&self, ty: Type) -> String {
        let fill = self.fill(ty, &[]);
        fill.text(fill.registers().register)
    }

    /// The type of registers in memory, at any address.
    pub fn memory(&self, ty: Type) -> String {
        format!("{}_memory_{}", self.name, super::type_name(ty).to_lowercase())
    }

    /// The definitions of these types.
    fn memory_types(&self) -> String {
        let entry = self.kernel.program.entry();
        let ports = match self.at_any_address {
            true => [&entry.params[..], &entry.results[..]].concat(),
            false => entry.registers().to_vec(),
        };
        let types: BTreeSet<Type> = ports.iter().map(|port| port.ty).collect();
        let define = |&ty: &Type| self.syntax.memory_type(&self.register(ty), &self.memory(ty));
        let text: String = types.iter().filter_map(define).collect();
        if text.is_empty() {
            text
        } else {
            text + "
"
        }
    }

    /// A register of zeros.
    pub fn zero(&self, ty: Type) -> String {
        self.fill(ty, &[]).constant(0)
    }

    /// The size of the images of its constant parameters, in bytes.
    pub fn image_bytes(&self) -> usize {
        let constants = self.kernel.program.entry().params.iter().filter(|port| port.constant);
        let target = self.kernel.target;
        constants.map(|port| image_bytes(target, port)).sum()
    }

    /// The beginning of the names of the functions that move words, where these are functions of the file.
    pub(super) fn word_prefix(&self) -> &str {
        self.load64.strip_suffix("load64").unwrap_or("")
    }

    /// The definitions of the kernel's functions and tables of constants, entry last: the entry takes pointers to its
    /// results, to those of its parameters that are not constant, and to the images of those that are.
    pub fn definitions(&self) -> String {
        if self.kernel.spill == Spill::Assembly {
            return self.assembled();
        }
        let mut out = self.memory_types() + &self.constant_tables();
        for id in self.kernel.callees_first() {
            out.push_str(&self.definition(id));
            out.push('\n');
        }
        out
    }

    /// The same in assembly, with what callers must know of its entry.
    fn assembled(&self) -> String {
        let head = Printer::new(self, self.kernel.program.entry).signature_head();
        self.memory_types() + &self.syntax.assembled(&head, &mir::lower(self.kernel))
    }

    /// A function, after its parts if it is long.
    fn definition(&self, id: FuncId) -> String {
        let func = &self.kernel.program.funcs[id.index()];
        let stmts = written_out(&func.body);
        let Some(parts) = Parts::of(func, stmts, self.syntax.longest_function()) else {
            return Printer::new(self, id).print();
        };
        let part = |number| Printer::new(self, id).print_part(Part::new(&parts, number)) + "\n";
        let all: String = (0..parts.parts.len()).map(part).collect();
        all + &Printer::new(self, id).print_calls(&parts)
    }

    pub(super) fn fill<'f>(&'f self, ty: Type, extra: &'f [(&'f str, &'f str)]) -> Fill<'f> {
        Fill { syntax: self.syntax, target: self.kernel.target, ty, extra, names: None }
    }

    pub(super) fn function_name(&self, id: FuncId) -> String {
        if id == self.kernel.program.entry {
            return self.name.to_string();
        }
        let name = &self.kernel.program.funcs[id.index()].name;
        format!("{}_{}_{}", self.name, super::identifier(name), id.0)
    }

    pub(super) fn table_name(&self, list: u32, ty: Type) -> String {
        format!("{}_constants{list}_{}", self.name, super::type_name(ty)).to_lowercase()
    }

    /// Images of the lists of constants that loops step through.
    fn constant_tables(&self) -> String {
        let mut used = BTreeSet::new();
        for id in self.kernel.callees_first() {
            let func = &self.kernel.program.funcs[id.index()];
            for stmt in &func.body {
                stmt.instrs(&mut |instr| {
                    if let Op::Constants(list, Index { step: 1.. | ..=-1, .. }) = instr.op {
                        used.extend(instr.results.iter().map(|r| (list, func.ty(*r))));
                    }
                });
            }
        }
        let mut out = String::new();
        for (list, ty) in used {
            let values = self.kernel.program.constants[list.index()].iter();
            let images: Vec<Vec<u8>> =
                values.map(|value| self.kernel.target.image(ty, *value)).collect();
            let table = self.syntax.table(&self.table_name(list.0, ty), &images);
            out.push_str(
                &(table.join(
                    "
",
                ) + "

"),
            );
        }
        out
    }
}
