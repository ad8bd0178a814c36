//! A design as a program of the core.

use super::cells::Logic;
use super::clock::Clocks;
use super::design::{Design, Driver};
use super::evaluate::{Evaluation, Source};
use super::netlist::{self, Bit};
use super::order::{Order, Step};
use super::reset::Reset;
use crate::core::{
    Direction, Func, FuncId, Index, Instr, Layout, Op, Port, Program, Stmt, Table, TableId, Type,
    ValueId,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The type of every value.
const BIT: Type =
    Type { dir: crate::core::Dir::Fixed(Direction::B), width: crate::core::Width::Bits(1) };

/// The program of a design. The inputs are the module's without the clocks and the reset; each output and each register is
/// a list of one-bit atoms, the least significant bit first, and a single bit is one atom.
///
/// # Errors
/// Two inputs or two outputs whose names are one name in C.
pub(super) fn program(
    design: &Design,
    order: &Order,
    clocks: &Clocks,
    reset: Option<&Reset>,
) -> Result<Program, Vec<Diagnostic>> {
    let wrong = same_names(design);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let writer = Writer::new(design, order, clocks, reset);
    let mut tick = Evaluation::new(design, writer);
    for step in &order.steps {
        match *step {
            Step::Net(net) => {
                tick.source.span = design.span(design.drivers[net as usize]);
                tick.net(net);
            }
            Step::Output { port, bit } => {
                let port_of = &design.netlist.ports[port];
                tick.source.span = port_of.span;
                let value = tick.bit(port_of.bits[bit]);
                tick.source.store(tick.source.outputs[port], bit as u32, value);
            }
            Step::After { register, acts } => {
                tick.source.span = design.registers[register].span;
                tick.after(register, acts);
            }
            Step::Instant => tick.instant(),
            Step::Next { register, acts } => {
                tick.source.span = design.registers[register].span;
                let value = tick.next(register, acts);
                let (number, bit) = tick.source.places[register];
                let result =
                    tick.source.func.results.len() - tick.source.func.resets.len() + number;
                tick.source.store(result, bit, value);
            }
        }
    }
    let func = tick.source.func;
    let tables = tick.source.tables;
    Ok(Program { funcs: vec![func], entry: FuncId(0), tables, constants: vec![], fields: vec![] })
}

/// Two inputs, or two outputs, that C could not tell from each other.
fn same_names(design: &Design) -> Vec<Diagnostic> {
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
    };
    let mut known: FxHashMap<(bool, String), &netlist::Port> = FxHashMap::default();
    let mut wrong = Vec::new();
    for port in &design.netlist.ports {
        let key = (port.direction == netlist::Direction::Input, plain(&port.name));
        let Some(other) = known.insert(key, port) else { continue };
        let message = format!("`{}` and `{}` are one name in C", other.name, port.name);
        wrong.push(
            Diagnostic::error("E0522", port.span, message)
                .also(other.span, "the other")
                .help("rename one of them: letters, digits and `_` tell names from each other"),
        );
    }
    wrong
}

/// Writes the statements of a tick.
struct Writer<'d> {
    design: &'d Design<'d>,
    reset: Option<&'d Reset>,
    func: Func,
    tables: Vec<Table>,
    /// For each port of the module its number among the parameters.
    inputs: Vec<usize>,
    /// For each port of the module its number among the results.
    outputs: Vec<usize>,
    /// For each register that is needed the list of registers in which it is, and its place there.
    places: Vec<(usize, u32)>,
    /// The constants that have been written.
    constants: [Option<ValueId>; 2],
    /// What is being written.
    span: Span,
}

impl<'d> Writer<'d> {
    fn new(
        design: &'d Design<'d>,
        order: &Order,
        clocks: &Clocks,
        reset: Option<&'d Reset>,
    ) -> Writer<'d> {
        let ports = &design.netlist.ports;
        let mut func = Func::new(design.netlist.name.clone(), design.netlist.span);
        let (mut inputs, mut outputs) = (vec![0; ports.len()], vec![0; ports.len()]);
        for (number, port) in ports.iter().enumerate() {
            let is_reset = reset.is_some_and(|reset| reset.port == number);
            if port.direction == netlist::Direction::Output {
                outputs[number] = func.results.len();
                func.results.push(list(&port.name, port.bits.len(), port.span));
            } else if !clocks.has(number) && !is_reset {
                inputs[number] = func.params.len();
                func.params.push(list(&port.name, port.bits.len(), port.span));
            }
        }
        let ports = func.params.iter().chain(&func.results);
        let mut names: FxHashSet<String> = ports.map(|port| port.name.clone()).collect();
        let mut places = vec![(0, 0); design.registers.len()];
        for (number, (name, span, registers)) in groups(design, order).into_iter().enumerate() {
            let name = unused(&mut names, name);
            let port = list(&name, registers.len(), span);
            func.params.push(port.clone());
            func.results.push(port);
            let value = |register: &usize| match reset {
                Some(reset) => reset.values[*register],
                None => design.registers[*register].init.unwrap_or(false),
            };
            func.resets.push(registers.iter().map(|r| u128::from(value(r))).collect());
            for (bit, register) in registers.into_iter().enumerate() {
                places[register] = (number, bit as u32);
            }
        }
        let span = design.netlist.span;
        Writer {
            design,
            reset,
            func,
            tables: Vec::new(),
            inputs,
            outputs,
            places,
            constants: [None; 2],
            span,
        }
    }

    fn instr(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        let value = self.func.value(BIT);
        self.func.body.push(Stmt::Let(Instr {
            results: [value].into(),
            op,
            args: args.iter().copied().collect(),
            span: self.span,
        }));
        value
    }

    fn store(&mut self, result: usize, bit: u32, value: ValueId) {
        let (result, index) = (result as u32, Index::fixed(bit));
        self.func.body.push(Stmt::Store { result, index, value, span: self.span });
    }
}

/// A name for a register that no port of the function has: outputs that are registers have theirs.
fn unused(names: &mut FxHashSet<String>, mut name: String) -> String {
    while !names.insert(name.clone()) {
        name += ".register";
    }
    name
}

/// A port of one-bit atoms.
fn list(name: &str, bits: usize, span: Span) -> Port {
    Port {
        name: name.to_string(),
        ty: BIT,
        shape: if bits == 1 { Vec::new() } else { vec![bits as u32] },
        constant: false,
        layout: Layout::Le,
        span,
    }
}

/// The registers that are needed, in lists as the source declares them.
pub(super) fn groups(design: &Design, order: &Order) -> Vec<(String, Span, Vec<usize>)> {
    let mut waiting = vec![false; design.registers.len()];
    order.registers().for_each(|register| waiting[register] = true);
    let mut groups = Vec::new();
    for hidden in [false, true] {
        for name in design.netlist.names.iter().filter(|name| name.hidden == hidden) {
            let mut registers = Vec::new();
            for bit in &name.bits {
                let Bit::Net(net) = bit else { continue };
                let Driver::Register(register) = design.drivers[*net as usize] else { continue };
                if std::mem::take(&mut waiting[register]) {
                    registers.push(register);
                }
            }
            if !registers.is_empty() {
                groups.push((name.name.clone(), name.span, registers));
            }
        }
    }
    let rest: Vec<usize> = (0..waiting.len()).filter(|register| waiting[*register]).collect();
    if !rest.is_empty() {
        groups.push(("registers".to_string(), design.netlist.span, rest));
    }
    groups
}

impl Logic for Writer<'_> {
    type Value = ValueId;

    fn constant(&mut self, value: bool) -> ValueId {
        if let Some(known) = self.constants[usize::from(value)] {
            return known;
        }
        let written = self.instr(Op::Const(u128::from(value)), &[]);
        self.constants[usize::from(value)] = Some(written);
        written
    }

    fn not(&mut self, a: ValueId) -> ValueId {
        self.instr(Op::Not, &[a])
    }

    fn and(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.instr(Op::And, &[a, b])
    }

    fn or(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.instr(Op::Or, &[a, b])
    }

    fn xor(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.instr(Op::Xor, &[a, b])
    }

    fn mux(&mut self, select: ValueId, a: ValueId, b: ValueId) -> ValueId {
        let different = self.xor(a, b);
        let change = self.and(select, different);
        self.xor(b, change)
    }
}

impl Source for Writer<'_> {
    fn input(&mut self, port: usize, bit: usize) -> ValueId {
        match self.reset.filter(|reset| reset.port == port) {
            Some(reset) => self.constant(reset.idle),
            None => {
                let param = self.inputs[port] as u32;
                self.instr(Op::Load(param, Index::fixed(bit as u32)), &[])
            }
        }
    }

    fn stored(&mut self, register: usize) -> ValueId {
        let (number, bit) = self.places[register];
        let param = self.func.inputs().len() + number;
        self.instr(Op::Load(param as u32, Index::fixed(bit)), &[])
    }

    fn word(&mut self, rom: usize, address: &[ValueId]) -> Vec<ValueId> {
        let rom = &self.design.netlist.roms[rom];
        let same = |table: &Table| {
            usize::from(table.outputs) == rom.data.len() && table.entries == rom.words
        };
        let known = self.tables.iter().position(same);
        let table = known.unwrap_or_else(|| {
            self.tables.push(Table {
                name: rom.name.clone(),
                inputs: rom.address.len() as u8,
                outputs: rom.data.len() as u8,
                entries: rom.words.clone(),
                known: Vec::new(),
                taken: Vec::new(),
            });
            self.tables.len() - 1
        });
        // The core counts both from the most significant bit.
        let mut results: Vec<ValueId> = rom.data.iter().map(|_| self.func.value(BIT)).collect();
        self.func.body.push(Stmt::Let(Instr {
            results: results.iter().copied().collect(),
            op: Op::Table(TableId(table as u32)),
            args: address.iter().rev().copied().collect(),
            span: self.span,
        }));
        results.reverse();
        results
    }
}
