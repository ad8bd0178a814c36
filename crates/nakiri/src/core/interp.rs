//! The meaning of a program on one block.

use super::walk::{self, Domain, Operation};
use super::{prime, semantics, Direction, Field, Op, Port, Program, Type};
use num_bigint::BigUint;

/// Runs the entry on one block and gives its outputs: for each result its atoms in order, like the inputs for
/// each parameter. Registers are among both; [`Machine`] keeps them from tick to tick.
///
/// The program is well formed ([`super::verify::verify`]) and the entry has no word-size parameters; functions that it
/// calls may have some. There is an atom, less than 2^M, for each atom of each parameter. Directions mean nothing
/// here: a program sliced to bits is run on one-bit atoms, a packed one on rows ([`slice`]).
pub fn run(program: &Program, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    run_with(program, inputs, &[])
}

/// The same for an entry with word-size parameters, which stand for these numbers of bits.
pub fn run_with(program: &Program, inputs: &[Vec<u128>], widths: &[u16]) -> Vec<Vec<u128>> {
    walk::call(&mut Numbers::default(), program, program.entry, inputs, widths)
}

/// The atoms of all outputs of an entry without inputs, as numbers of any size: elements of fields may be among them.
pub fn numbers(program: &Program) -> Vec<BigUint> {
    let mut numbers = Numbers::default();
    let results = walk::call(&mut numbers, program, program.entry, &[], &[]);
    let ports = program.entry().outputs().iter();
    let number = |port: &Port, atom: u128| match port.ty.is_element() {
        true => numbers.element(atom).clone(),
        false => BigUint::from(atom),
    };
    ports
        .zip(results)
        .flat_map(|(port, atoms)| {
            atoms.into_iter().map(|atom| number(port, atom)).collect::<Vec<_>>()
        })
        .collect()
}

/// A program with its registers: one instance of the hardware that it describes. A program without registers is one
/// too, that forgets everything.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    registers: Vec<Vec<u128>>,
}

impl<'a> Machine<'a> {
    /// The machine after a reset; the program is as [`run`] takes it.
    pub fn new(program: &'a Program) -> Machine<'a> {
        Machine { program, registers: program.entry().resets.clone() }
    }

    /// One tick: the atoms of each output for those of each input. The registers take their next values.
    pub fn step(&mut self, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let mut results = run(self.program, &[inputs, &self.registers].concat());
        self.registers = results.split_off(self.program.entry().outputs().len());
        results
    }

    /// The atoms of each register, as they are before the next tick.
    pub fn registers(&self) -> &[Vec<u128>] {
        &self.registers
    }
}

/// The one-bit atoms that stand for atoms of `width` bits in a program sliced to bits: for each atom its bits, most
/// significant first.
pub fn to_bits(atoms: &[u128], width: u16) -> Vec<u128> {
    atoms.iter().flat_map(|atom| (0..width).rev().map(move |bit| atom >> bit & 1)).collect()
}

/// The atoms of `width` bits for which one-bit atoms stand: the inverse of [`to_bits`].
pub fn from_bits(bits: &[u128], width: u16) -> Vec<u128> {
    bits.chunks(width.into()).map(|atom| atom.iter().fold(0, |sum, bit| sum << 1 | bit)).collect()
}

/// The values of a sliced port that stand for the atoms of the declared one: bits under B, rows under P.
pub fn slice(atoms: &[u128], declared: Type, sliced: Type) -> Vec<u128> {
    match sliced.direction() {
        _ if sliced == declared => atoms.to_vec(),
        Direction::B => to_bits(atoms, declared.bits()),
        _ => {
            let rows = atoms.chunks(sliced.row_length().into());
            rows.map(|row| semantics::pack(row, sliced.word())).collect()
        }
    }
}

/// The atoms that values of a sliced port stand for: the inverse of [`slice`].
pub fn join(values: &[u128], declared: Type, sliced: Type) -> Vec<u128> {
    match sliced.direction() {
        _ if sliced == declared => values.to_vec(),
        Direction::B => from_bits(values, declared.bits()),
        _ => {
            let atoms = |&row| semantics::unpack(row, sliced.word(), sliced.row_length());
            values.iter().flat_map(atoms).collect()
        }
    }
}

/// Numbers; an element of a field is a place in a list of those that were met.
#[derive(Default)]
pub(crate) struct Numbers {
    elements: Vec<BigUint>,
}

impl Numbers {
    fn element(&self, place: u128) -> &BigUint {
        &self.elements[place as usize]
    }

    /// The element that an operation makes; none for one that makes words.
    fn in_field(&self, field: &Field, op: &Op, args: &[u128]) -> Option<BigUint> {
        Some(match (op, args) {
            (Op::Element, words) => field.element(&prime::from_words(words)),
            (Op::Add, [a, b]) => field.add(self.element(*a), self.element(*b)),
            (Op::Sub, [a, b]) => field.sub(self.element(*a), self.element(*b)),
            (Op::Mul, [a, b]) => field.mul(self.element(*a), self.element(*b)),
            (Op::Choose, [word, a, b]) => self.element(if word & 1 == 1 { *a } else { *b }).clone(),
            _ => return None,
        })
    }
}

impl Domain for Numbers {
    type Value = u128;

    fn constant(&mut self, number: u128) -> u128 {
        number
    }

    fn apply(&mut self, operation: &Operation<u128>, results: &mut Vec<u128>) {
        let &Operation { program, op, width, count, args, .. } = operation;
        if let Some(field) = operation.field {
            match self.in_field(field, op, args) {
                Some(element) => {
                    results.push(self.elements.len() as u128);
                    self.elements.push(element);
                }
                None => results.extend(prime::to_words(self.element(args[0]), operation.results)),
            }
            return;
        }
        match op {
            Op::Table(table) => {
                let table = &program.tables[table.index()];
                results.extend(semantics::table(table, width * count, args));
            }
            Op::Lookup(table) => {
                results.push(program.tables[table.index()].entries[args[0] as usize]);
            }
            op => results.extend(semantics::eval_row(op, width, count, args)),
        }
    }
}
