//! A program of one-bit atoms as a network: literals in place of bits.

use nakiri::core::walk::{self, Domain, Operation};
use nakiri::core::{semantics, Op, Port, Program};
use nakiri::map::{self, Literal, Network};
use smallvec::SmallVec;

/// The literals of each port, atom by atom.
pub type Symbols = Vec<Vec<Literal>>;

/// A new leaf for each atom of each port.
pub fn leaves(ports: &[Port], network: &mut Network) -> Symbols {
    ports.iter().map(|port| (0..port.count()).map(|_| network.leaf()).collect()).collect()
}

/// What the entry computes: for each result the literals of its atoms, from those of the parameters. Gates are added to the
/// network. Registers are parameters and results.
///
/// The program is sliced to bits and verified; all values have one bit.
pub fn symbols(program: &Program, inputs: &[Vec<Literal>], network: &mut Network) -> Symbols {
    walk::call(&mut Gates(network), program, program.entry, inputs, &[])
}

/// Bits as functions of the leaves.
struct Gates<'a>(&'a mut Network);

impl Domain for Gates<'_> {
    type Value = Literal;

    fn constant(&mut self, bit: u128) -> Literal {
        Literal::FALSE.invert_if(bit == 1)
    }

    fn apply(&mut self, operation: &Operation<Literal>, results: &mut Vec<Literal>) {
        let of = |place| {
            let bit = |row: u32| bit_of(operation, row, place);
            function(self.0, operation.args, &bit, 0)
        };
        results.extend((0..operation.results).map(of));
    }
}

/// The meaning of an operation on bits: the result numbered `place` where argument k is bit k of `row`.
fn bit_of(operation: &Operation<Literal>, row: u32, place: usize) -> bool {
    let bits = (0..operation.args.len()).map(|k| u128::from(row >> k & 1));
    let args: SmallVec<[u128; 8]> = bits.collect();
    let value = match operation.op {
        Op::Table(table) => {
            semantics::table(&operation.program.tables[table.index()], 1, &args)[place]
        }
        op => semantics::eval(op, 1, &args).expect("an operation on bits"),
    };
    value & 1 == 1
}

/// A function of any number of literals, whose value where literal k is bit k of `i` is `bit(row | i << k)`: a tree of
/// multiplexers over functions of three.
pub(super) fn function(
    network: &mut Network,
    literals: &[Literal],
    bit: &dyn Fn(u32) -> bool,
    row: u32,
) -> Literal {
    if let [below @ .., select] = literals {
        if below.len() >= map::inputs().len() {
            let zero = function(network, below, bit, row);
            let one = function(network, below, bit, row | 1 << below.len());
            let [when, other, chosen] = map::inputs();
            return network.gate(&[*select, zero, one], !when & other | when & chosen);
        }
    }
    let rows = 1u32 << map::inputs().len();
    let known = (1u32 << literals.len()) - 1;
    let table = (0..rows).map(|i| u8::from(bit(row | i & known)) << i).sum();
    network.gate(literals, table)
}
