//! Kernels as assembly of x86-64, in Intel's syntax as GNU `as` and Clang read it, for ELF.

mod addresses;
mod x86;

use super::ports::image_bytes;
use crate::compile::Kernel;
use crate::core::Port;
use crate::mir::{self, Allocated, Code, Line};
use addresses::Addresses;
use std::fmt::Write;

/// What functions are called in a text. All other labels are numbers, so that texts can stand one behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names<'a> {
    /// The entry by this name, other functions by names that begin with it.
    Symbols(&'a str),
    /// Numbers too. The entry comes first and has none.
    Numbers,
}

/// The label of the constants, and the first ones of tables, of functions and of loops. Some assemblers take labels of the digits 0
/// and 1 for binary numbers.
const CONSTANTS: usize = 2000;
const TABLES: usize = 3000;
const FUNCTIONS: usize = 4000;
const LOOPS: usize = 5000;

/// The functions of a kernel. Calls are as System V's conventions are, with addresses as parameters (see [`mir::Function`]).
pub fn text(code: &Code, names: Names) -> String {
    let functions = mir::allocate(code);
    let mut all: Vec<String> =
        functions.iter().enumerate().map(|(k, f)| function(k, f, code, names)).collect();
    let data = data(code);
    match names {
        Names::Symbols(_) => format!(
            ".intel_syntax noprefix\n{data}.pushsection .text\n{}.popsection\n.att_syntax\n",
            all.concat()
        ),
        Names::Numbers => {
            all.rotate_right(1);
            data + &all.concat()
        }
    }
}

fn function(number: usize, function: &Allocated, code: &Code, names: Names) -> String {
    let is_entry = number + 1 == code.functions.len();
    let addresses = Addresses::new(function, code, is_entry);
    let body = x86::body(function, code, &addresses, names);
    let label = match names {
        Names::Symbols(_) => {
            let own = symbol(number, code, names);
            format!(".p2align 6\n.type {own}, STT_FUNC\n{own}:\n")
        }
        Names::Numbers if is_entry => String::new(),
        Names::Numbers => format!(".p2align 6\n{}:\n", FUNCTIONS + number),
    };
    let size = match names {
        Names::Symbols(_) => format!(".size {0}, .-{0}\n", symbol(number, code, names)),
        Names::Numbers => String::new(),
    };
    format!("{label}.cfi_startproc\n{}{body}.cfi_endproc\n{size}", addresses.prologue())
}

/// What a function is called by those behind it in [`Code::functions`].
fn symbol(number: usize, code: &Code, names: Names) -> String {
    match names {
        Names::Symbols(name) if number + 1 == code.functions.len() => name.to_string(),
        Names::Symbols(name) => format!("{name}_{number}"),
        Names::Numbers => format!("{}", FUNCTIONS + number),
    }
}

/// Constants and tables.
fn data(code: &Code) -> String {
    let mut out = String::new();
    let pool = code.pool.concat();
    let tables = (TABLES..).zip(&code.tables);
    let all: Vec<(usize, &Vec<u8>)> = std::iter::once((CONSTANTS, &pool)).chain(tables).collect();
    for (label, bytes) in all.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let _ = writeln!(out, ".p2align 6\n{label}:");
        for words in bytes.chunks(64) {
            let words = words.chunks(8).map(|word| {
                let word = word.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
                format!("{word:#x}")
            });
            let _ = writeln!(out, ".quad {}", words.collect::<Vec<_>>().join(", "));
        }
    }
    match out.is_empty() {
        true => out,
        false => format!(".pushsection .rodata\n{out}.popsection\n"),
    }
}

/// How many bytes of stack a kernel needs in assembly, with what it calls.
pub fn stack(kernel: &Kernel) -> usize {
    let code = mir::lower(kernel);
    let mut needs: Vec<usize> = Vec::with_capacity(code.functions.len());
    for (number, function) in mir::allocate(&code).iter().enumerate() {
        let is_entry = number + 1 == code.functions.len();
        let called = function.lines.iter().filter_map(|line| match line {
            Line::Call { callee, .. } => Some(needs[*callee]),
            _ => None,
        });
        let called = called.max().unwrap_or(0);
        needs.push(Addresses::new(function, &code, is_entry).stack() + called);
    }
    needs.last().copied().unwrap_or(0)
}

/// A kernel as a file of assembly, its entry under this name; none if its target's instructions have no names in assembly.
///
/// The entry is called as a function of C from addresses: those of the arrays of registers that it writes, of those that it reads,
/// and of the images of constants, each at any address. What it writes must not overlap what it reads.
pub fn file(kernel: &Kernel, name: &str) -> Option<String> {
    if !kernel.target.is_assembled() {
        return None;
    }
    let entry = kernel.program.entry();
    let mut head = String::from("# SPDX-License-Identifier: 0BSD\n");
    let _ = writeln!(
        head,
        "# {name}: -{:?} for {}, {} blocks at once, System V's calling conventions.",
        kernel.direction,
        kernel.target.name,
        kernel.blocks()
    );
    let array = |port: &Port, verb: &str| {
        format!(
            "# {verb} {} registers of {} bytes: {}\n",
            port.count(),
            kernel.target.register_bytes(port.ty),
            port.name
        )
    };
    let image = |port: &Port, verb: &str| {
        format!("# {verb} {} bytes of images: {}\n", image_bytes(kernel.target, port), port.name)
    };
    head += "# Its parameters are addresses; what it writes must not overlap what it reads.\n";
    for port in &entry.results {
        head += &if port.constant { image(port, "writes") } else { array(port, "writes") };
    }
    let (constants, inputs): (Vec<&Port>, _) = entry.params.iter().partition(|port| port.constant);
    inputs.iter().for_each(|port| head += &array(port, "reads"));
    constants.iter().for_each(|port| head += &image(port, "reads"));
    let text = text(&mir::lower(kernel), Names::Symbols(name));
    Some(format!("{head}.globl {name}\n{text}.section .note.GNU-stack, \"\", @progbits\n"))
}
