//! Turns of SHA-256, of which the instructions of x86-64 make two and those of Arm four, where a target has the latter alone.
//!
//! Two turns are the first of four with sums that don't matter, whose variables stand in other rows; two more, with the other two sums,
//! are the last of the same four. The rows of four turns are those of the next four.
//!
//! Guarantees: no instruction for two turns is left that the target lacks, nor that for words of a message.

use super::rewrite::{self, Writer};
use crate::core::sha256::Sha256;
use crate::core::{Instr, Instruction, Op, Program, ValueId};
use crate::isa::Target;
use rustc_hash::FxHashMap;

/// Whether an instruction is written by others here.
pub fn can(target: &Target, instruction: Instruction) -> bool {
    let written = [Sha256::Rounds, Sha256::Message2].map(Instruction::Sha256);
    written.contains(&instruction) && target.has_instruction(Instruction::Sha256(Sha256::Four))
}

/// Writes the turns of the whole program.
pub fn run(program: &mut Program, target: &Target) {
    let lacks = |own: Instruction| !target.has_instruction(own) && can(target, own);
    for func in &mut program.funcs {
        let mut turns = Turns::default();
        rewrite::run(func, &mut |writer, instr| match (&instr.op, &instr.args[..]) {
            (&Op::Instruction(own @ Instruction::Sha256(step)), args) if lacks(own) => {
                match (step, args) {
                    (Sha256::Message2, &[sums, before]) => turns.message(writer, sums, before),
                    (_, &[hgdc, feba, sums]) => {
                        turns.two(writer, Two { hgdc, feba, sums }, instr.results[0]);
                    }
                    _ => return false,
                }
                true
            }
            _ => {
                turns.learn(instr);
                false
            }
        });
    }
}

/// The operands of two turns.
#[derive(Clone, Copy)]
struct Two {
    hgdc: ValueId,
    feba: ValueId,
    sums: ValueId,
}

/// (a, b, c, d) and (e, f, g, h).
type Variables = [ValueId; 2];

#[derive(Default)]
struct Turns {
    /// How rows were made that are moved, or sums.
    made: FxHashMap<ValueId, (Op, Vec<ValueId>)>,
    /// The first of four turns, and the variables behind the four.
    first: FxHashMap<ValueId, (Two, Variables)>,
    /// The variables that (h, g, d, c) and (f, e, b, a) are.
    known: FxHashMap<[ValueId; 2], Variables>,
}

impl Turns {
    fn learn(&mut self, instr: &Instr) {
        if let Op::Permute(_) | Op::Window(_) | Op::Add = instr.op {
            self.made.insert(instr.results[0], (instr.op.clone(), instr.args.to_vec()));
        }
    }

    /// The row that two turns make.
    fn two(&mut self, writer: &mut Writer, two: Two, result: ValueId) {
        if let Some((first, made)) = self.first.get(&two.feba).copied() {
            if first.feba == two.hgdc && self.are_behind(two.sums, first.sums) {
                joined(writer, made, [1, 0]);
                self.known.insert([two.feba, result], made);
                return;
            }
        }
        let Two { hgdc, feba, sums } = two;
        let [abcd, efgh] =
            self.known.get(&[hgdc, feba]).copied().unwrap_or_else(|| {
                [[3, 2], [1, 0]].map(|atoms| joined(writer, [hgdc, feba], atoms))
            });
        let mut four = |step, args: [ValueId; 3]| {
            writer.write(Op::Instruction(Instruction::Sha256(step)), &args)
        };
        let made =
            [four(Sha256::Four, [abcd, efgh, sums]), four(Sha256::FourSecond, [efgh, abcd, sums])];
        joined(writer, made, [3, 2]);
        self.first.insert(result, (two, made));
    }

    /// Whether the first two of a row of sums are the last two of another one.
    fn are_behind(&self, second: ValueId, first: ValueId) -> bool {
        let atoms = |row: ValueId, from: u16| match self.made.get(&row) {
            Some((Op::Permute(picks), args)) => {
                [from, from + 1].map(|k| picks[usize::from(k)].map(|pick| (args[0], pick)))
            }
            _ => [Some((row, from)), Some((row, from + 1))],
        };
        let all = |row, from| atoms(row, from).into_iter().collect::<Option<Vec<_>>>();
        let wanted = [Some(vec![(first, 2), (first, 3)]), all(first, 2)];
        let found = all(second, 0);
        found.is_some() && wanted.contains(&found)
    }

    /// The next four words, of terms and of the words before.
    fn message(&self, writer: &mut Writer, sums: ValueId, before: ValueId) {
        let terms = match self.made.get(&sums) {
            Some((Op::Add, args)) => [(args[0], args[1]), (args[1], args[0])]
                .into_iter()
                .find_map(|(sums, moved)| Some((sums, self.words_of_window(moved, before)?))),
            _ => None,
        };
        let (sums, words) = terms.unwrap_or_else(|| {
            // What the instruction adds is taken away.
            let zero = writer.constant(0);
            let moved = writer.write(permute([None, None, None, Some(0)]), &[before]);
            (writer.write(Op::Sub, &[sums, moved]), zero)
        });
        let message = Op::Instruction(Instruction::Sha256(Sha256::Message));
        writer.write(message, &[sums, words, before]);
    }

    /// The row whose atoms but the first stand in another one before the first of `before`.
    fn words_of_window(&self, row: ValueId, before: ValueId) -> Option<ValueId> {
        match self.made.get(&row) {
            Some((Op::Window(1), args)) if args[1] == before => Some(args[0]),
            _ => None,
        }
    }
}

/// Two atoms of the second row of a pair, and behind them the same of the first.
fn joined(writer: &mut Writer, [last, first]: [ValueId; 2], [p, q]: [u16; 2]) -> ValueId {
    let first = writer.write(permute([Some(p), Some(q), None, None]), &[first]);
    let last = writer.write(permute([None, None, Some(p), Some(q)]), &[last]);
    writer.write(Op::Or, &[first, last])
}

fn permute(picks: [Option<u16>; 4]) -> Op {
    Op::Permute(picks.into_iter().collect())
}
