//! Which values need a value barrier: those of a general-purpose register with one word that have only two values, because
//! all of their bits follow from one bit of data.
//!
//! Where compilers see such a value, they see a condition. Of `(a & m) | (b & ~m)` with `m = 0 - (x & 1)` they make a branch,
//! or a load from a chosen address, as they like. Behind a barrier `m` is a word like any other. Registers that hold several
//! words need none: what is done to all of them at once is no condition.
//!
//! The word from which such a value takes its bit needs a barrier too, if it was computed: of `(x | (0 - x)) >> 31` compilers make
//! `x != 0`, and where a machine has no instruction for that, a branch.
//!
//! What compilers see is what is known of each bit of a word: that it is 0 or 1, or that it is another's bit or its
//! complement. Behind a barrier nothing is known, so that what is computed of it needs no other.
//!
//! ```text
//! %1 = load x[0]           64 bits of data, a b c …
//! %2 = shr 63 %1          a: two values, a barrier
//! %3 = const 0             known
//! %4 = sub %3, %2          data again, because %2 is behind a barrier
//! %5 = shr 63 %4          two values, a barrier; and one for %4
//! ```

use crate::core::{semantics, Func, Instr, Op, OpKind, Stmt, ValueId};
use crate::isa::{picks, Target};
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};

/// What is known of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Bit {
    Known(bool),
    /// It is this bit of data, or its complement.
    Of {
        source: u32,
        complement: bool,
    },
}

/// What is known of a word, least significant bit first.
type Word = Vec<Bit>;

type Bits = SmallVec<[Bit; 3]>;

/// For each value of a function of a kernel whether it needs a barrier.
pub fn needed(func: &Func, target: &Target) -> Vec<bool> {
    let mut analysis = Analysis { needed: vec![false; func.values.len()], ..Analysis::default() };
    if !target.simd {
        func.body.iter().for_each(|stmt| analysis.stmt(stmt, func, target));
    }
    analysis.needed
}

#[derive(Default)]
struct Analysis {
    needed: Vec<bool>,
    words: FxHashMap<ValueId, Word>,
    /// The bit that an operation makes of others.
    made: FxHashMap<(OpKind, Bits), u32>,
    sources: u32,
    /// Values that are computed, with that of which each is the bits in other places, if it is.
    picked: FxHashMap<ValueId, Option<ValueId>>,
}

impl Analysis {
    fn stmt(&mut self, stmt: &Stmt, func: &Func, target: &Target) {
        match stmt {
            Stmt::Let(instr) => self.instr(instr, func, target),
            Stmt::Store { .. } => {}
            Stmt::Forall(forall) => {
                forall.iterations.iter().flatten().for_each(|s| self.stmt(s, func, target));
            }
            Stmt::Loop(l) => l.body.iter().for_each(|s| self.stmt(s, func, target)),
        }
    }

    fn instr(&mut self, instr: &Instr, func: &Func, target: &Target) {
        let [result] = instr.results[..] else { return };
        let ty = func.ty(result);
        if target.lanes(ty.direction(), ty.bits()) != 1 {
            return;
        }
        let args: Vec<Word> =
            instr.args.iter().map(|&arg| self.word(arg, func.ty(arg).bits())).collect();
        let mut word = self.computed(&instr.op, &args, ty.bits());
        if sources(&word).len() == 1 {
            self.needed[result.index()] = true;
            // Of `(x | -x) >> 31` compilers make `x != 0`, and of that a branch, before the barrier.
            instr.args.iter().for_each(|&arg| self.hide(arg));
            word = self.data(ty.bits());
        }
        self.words.insert(result, word);
        let from = picks(&instr.op, ty.bits()).and(instr.args.first().copied());
        if !instr.args.is_empty() {
            self.picked.insert(result, from);
        }
    }

    /// Puts the word from which a bit is taken behind a barrier, if it was computed.
    fn hide(&mut self, value: ValueId) {
        match self.picked.get(&value) {
            Some(Some(from)) => self.hide(*from),
            Some(None) => self.needed[value.index()] = true,
            None => {}
        }
    }

    /// What is known of a value: nothing, if it comes from memory or from an iteration before.
    fn word(&mut self, value: ValueId, bits: u16) -> Word {
        if let Some(word) = self.words.get(&value) {
            return word.clone();
        }
        let word = self.data(bits);
        self.words.insert(value, word.clone());
        word
    }

    fn data(&mut self, bits: u16) -> Word {
        (0..bits).map(|_| self.source()).collect()
    }

    fn source(&mut self) -> Bit {
        self.sources += 1;
        Bit::Of { source: self.sources, complement: false }
    }

    /// What is known of the result of an operation.
    fn computed(&mut self, op: &Op, args: &[Word], bits: u16) -> Word {
        if let Some(word) = of_one_source(op, args, bits) {
            return word;
        }
        match (op, args) {
            (Op::And | Op::Or | Op::Xor | Op::Not | Op::AndNot | Op::OrNot | Op::Ternary(_), _) => {
                let column = |i: usize| args.iter().map(|arg| arg[i]).collect();
                (0..bits.into()).map(|i| self.gate(op, column(i))).collect()
            }
            (Op::Add, [a, b]) => self.sum(a, b, Bit::Known(false)),
            (Op::Sub, [a, b]) => {
                let complement: Word = b.iter().map(|bit| inverted(*bit)).collect();
                self.sum(a, &complement, Bit::Known(true))
            }
            (Op::Mul, [a, b]) => self.product(a, b),
            (Op::Pack, [high, low]) => [&low[..], high].concat(),
            (Op::Product, [a, b]) => self.product(&widened(a, bits), &widened(b, bits)),
            (Op::Widen, [a]) => widened(a, bits),
            (Op::Low, [a]) => a[..bits.into()].to_vec(),
            (Op::RotlAnd { by, kept }, [a]) => {
                let rotated = self.computed(&Op::Rotl(*by), std::slice::from_ref(a), bits);
                let keep = |(i, bit)| if kept >> i & 1 == 1 { bit } else { Bit::Known(false) };
                rotated.into_iter().enumerate().map(keep).collect()
            }
            (op, [a]) => match picks(op, bits) {
                Some(picks) => picks.iter().rev().map(|pick| picked(a, *pick)).collect(),
                None => self.data(bits),
            },
            _ => self.data(bits),
        }
    }

    /// One position of a bitwise operation.
    fn gate(&mut self, op: &Op, args: Bits) -> Bit {
        let sources = sources(&args);
        let result = |assigned: usize| {
            let value = |bit: &Bit| u128::from(valued(*bit, &sources, assigned));
            semantics::eval(op, 1, &args.iter().map(value).collect::<SmallVec<[u128; 3]>>())
                == Some(1)
        };
        let results: SmallVec<[bool; 8]> = (0..1 << sources.len()).map(result).collect();
        if results.iter().all(|bit| *bit == results[0]) {
            return Bit::Known(results[0]);
        }
        for (place, &source) in sources.iter().enumerate() {
            let differs = |(assigned, bit): (usize, &bool)| (assigned >> place & 1 == 1) != *bit;
            let mut differences = results.iter().enumerate().map(differs);
            let complement = differs((0, &results[0]));
            if differences.all(|differs| differs == complement) {
                return Bit::Of { source, complement };
            }
        }
        let fresh = self.sources + 1;
        let key = (
            op.kind(),
            match op {
                // The table of a ternary operation is a part of what it does.
                Op::Ternary(table) => {
                    let table = (0..8).map(|bit| Bit::Known(table >> bit & 1 == 1));
                    args.into_iter().chain(table).collect()
                }
                _ => args,
            },
        );
        let source = *self.made.entry(key).or_insert(fresh);
        self.sources = self.sources.max(source);
        Bit::Of { source, complement: false }
    }

    /// A ripple of full adders. Words whose highest bits are copies of their sign have a sum with one copy fewer.
    fn sum(&mut self, a: &Word, b: &Word, mut carry: Bit) -> Word {
        const SUM: Op = Op::Ternary(0x96);
        const CARRY: Op = Op::Ternary(0xe8);
        let mut word: Word = Word::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            word.push(self.gate(&SUM, smallvec![a, b, carry]));
            carry = self.gate(&CARRY, smallvec![a, b, carry]);
        }
        let copies = signs(a).min(signs(b)) - 1;
        let (first, last) = (word.len() - copies.max(1), word.len() - 1);
        let sign = word[last];
        word[first..].fill(sign);
        word
    }

    /// Zeros below, as many as both have, and above what the greatest factors give.
    fn product(&mut self, a: &Word, b: &Word) -> Word {
        let zeros = |word: &Word| word.iter().take_while(|bit| **bit == Bit::Known(false)).count();
        let greatest = |word: &Word| {
            let ones = word.iter().enumerate().filter(|(_, bit)| **bit != Bit::Known(false));
            ones.fold(0u128, |all, (i, _)| all | 1 << i)
        };
        let below = zeros(a) + zeros(b);
        let above =
            greatest(a).checked_mul(greatest(b)).map_or(128, |most| 128 - most.leading_zeros());
        let bit = |i: usize| match i < below || i >= above as usize {
            true => Bit::Known(false),
            false => self.source(),
        };
        (0..a.len()).map(bit).collect()
    }
}

/// The result if no more than one bit of data is in it.
fn of_one_source(op: &Op, args: &[Word], bits: u16) -> Option<Word> {
    let all: Word = args.concat();
    let sources = sources(&all);
    if sources.len() > 1 {
        return None;
    }
    let width = match op {
        // The last argument's width is that of the operation.
        Op::Pack | Op::Product | Op::Low => args.last()?.len() as u16,
        _ => bits,
    };
    let result = |assigned: usize| {
        let value = |word: &Word| {
            let ones = word.iter().enumerate().filter(|(_, bit)| valued(**bit, &sources, assigned));
            ones.fold(0u128, |all, (i, _)| all | 1 << i)
        };
        semantics::eval(op, width, &args.iter().map(value).collect::<Vec<_>>())
    };
    let (zero, one) = (result(0)?, result(1 << sources.len() >> 1)?);
    let bit = |i: u16| match (zero >> i & 1 == 1, one >> i & 1 == 1) {
        (zero, one) if zero == one => Bit::Known(zero),
        (complement, _) => Bit::Of { source: sources[0], complement },
    };
    Some((0..bits).map(bit).collect())
}

/// A word with zeros above.
fn widened(word: &Word, bits: u16) -> Word {
    let mut word = word.clone();
    word.resize(bits.into(), Bit::Known(false));
    word
}

/// The bits of data, each once.
fn sources(bits: &[Bit]) -> SmallVec<[u32; 3]> {
    let mut sources: SmallVec<[u32; 3]> = SmallVec::new();
    for bit in bits {
        match bit {
            Bit::Of { source, .. } if !sources.contains(source) => sources.push(*source),
            _ => {}
        }
        if sources.len() > 3 {
            break;
        }
    }
    sources
}

/// A bit where each source has the value in its place of `assigned`.
fn valued(bit: Bit, sources: &[u32], assigned: usize) -> bool {
    match bit {
        Bit::Known(value) => value,
        Bit::Of { source, complement } => {
            let place = sources.iter().position(|known| *known == source).unwrap_or(0);
            (assigned >> place & 1 == 1) != complement
        }
    }
}

fn inverted(bit: Bit) -> Bit {
    match bit {
        Bit::Known(value) => Bit::Known(!value),
        Bit::Of { source, complement } => Bit::Of { source, complement: !complement },
    }
}

/// The bit at a position counted from the most significant.
fn picked(word: &Word, pick: Option<u16>) -> Bit {
    pick.map_or(Bit::Known(false), |position| word[word.len() - 1 - usize::from(position)])
}

/// How many of the highest bits are equal.
fn signs(word: &Word) -> usize {
    word.iter().rev().take_while(|bit| Some(*bit) == word.last()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{text, Direction};
    use crate::isa::everywhere;

    /// The values that need barriers in a function of words `x[0]`, `x[1]` … of so many bits.
    fn behind_barriers(width: u16, body: &str) -> Vec<u32> {
        let head = format!("entry func F(x: u<V>{width}[4]) -> (y: u<V>{width})");
        let loads = (0..4).map(|i| format!("%{i} = load x[{i}] : u<V>{width}\n"));
        let loads = loads.collect::<String>();
        let text = format!("{head} {{ {loads} {body} store y[0] %0 }}");
        let program = text::parse(&text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
        let needed = needed(program.entry(), everywhere());
        (0..needed.len() as u32).filter(|value| needed[*value as usize]).collect()
    }

    #[track_caller]
    fn assert_barriers(width: u16, body: &str, expected: &[u32]) {
        assert_eq!(behind_barriers(width, body), expected, "{body}");
    }

    #[test]
    fn words_of_one_bit_of_data() {
        let ty = "u<V>32";
        for op in ["bitmask 3", "sar 31", "shr 31", "shl 31"] {
            assert_barriers(32, &format!("%4 = {op} %0 : {ty}"), &[4]);
        }
        assert_barriers(32, "%4 = const 0x80 : u<V>32 %5 = and %0, %4 : u<V>32", &[5]);
        // A comparison by its borrow, and what follows from a sign: what the bit is taken from is hidden too.
        assert_barriers(32, "%4 = sub %0, %1 : u<V>32 %5 = shr 31 %4 : u<V>32", &[4, 5]);
        // The carry of a sum of bytes.
        let bytes = "%4 = const 0xff : u<V>32 %5 = and %0, %4 : u<V>32 %6 = and %1, %4 : u<V>32";
        assert_barriers(
            32,
            &format!("{bytes} %7 = add %5, %6 : u<V>32 %8 = shr 8 %7 : u<V>32"),
            &[7, 8],
        );
        // The borrow of a difference fills all bits above.
        assert_barriers(
            32,
            &format!("{bytes} %7 = sub %5, %6 : u<V>32 %8 = sar 8 %7 : u<V>32"),
            &[7, 8],
        );
        // Signs that were copied before.
        let signs = "%4 = sar 25 %0 : u<V>32 %5 = sar 25 %1 : u<V>32 %6 = add %4, %5 : u<V>32";
        assert_barriers(32, &format!("{signs} %7 = sar 8 %6 : u<V>32"), &[6, 7]);
        assert_barriers(
            32,
            &format!("{bytes} %7 = mul %5, %6 : u<V>32 %8 = shr 15 %7 : u<V>32"),
            &[7, 8],
        );
    }

    #[test]
    fn other_words() {
        assert_barriers(32, "%4 = shr 30 %0 : u<V>32", &[]);
        assert_barriers(32, "%4 = add %0, %1 : u<V>32 %5 = rotl 7 %4 : u<V>32", &[]);
        assert_barriers(32, "%4 = xor %0, %0 : u<V>32", &[]);
    }

    #[test]
    fn what_follows_from_a_word_behind_a_barrier_needs_none() {
        let mask = "%4 = bitmask 0 %0 : u<V>64 %5 = not %4 : u<V>64";
        assert_barriers(
            64,
            &format!("{mask} %6 = and %1, %4 : u<V>64 %7 = and %2, %5 : u<V>64"),
            &[4],
        );
        // But of it one bit is a condition again.
        assert_barriers(64, &format!("{mask} %6 = bitmask 1 %5 : u<V>64"), &[4, 5, 6]);
    }

    #[test]
    fn registers_with_several_words_need_none() {
        let text = "entry func F(x: u<V>32) -> (y: u<V>32) { %0 = load x[0] : u<V>32 \
                    %1 = bitmask 0 %0 : u<V>32 store y[0] %1 }";
        let program = text::parse(text).expect("a program");
        let barriers = |target: &Target| needed(program.entry(), target);
        assert_eq!(barriers(everywhere()), [false, true]);
        for target in crate::isa::all().iter().filter(|target| target.lanes(Direction::V, 32) > 1) {
            assert_eq!(barriers(target), [false, false], "{}", target.name);
        }
    }

    /// What is known of bits holds for all words.
    #[test]
    fn what_is_known_is_true() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..2_000 {
            let bits = [8, 16][random.usize(..2)];
            let mut analysis = Analysis::default();
            let inputs: Vec<Word> = (0..3).map(|_| analysis.data(bits)).collect();
            let ops: Vec<(Op, Vec<usize>)> = (3..9)
                .map(|k| {
                    let n = random.u16(..bits);
                    let op = match random.u8(..14) {
                        0 => Op::Const(random.u128(..) & semantics::mask(n)),
                        1 => Op::And,
                        2 => Op::Or,
                        3 => Op::Xor,
                        4 => Op::Not,
                        5 => Op::AndNot,
                        6 => Op::Add,
                        7 => Op::Sub,
                        8 => Op::Mul,
                        9 => Op::Shl(n),
                        10 => Op::Shr(n),
                        11 => Op::Sar(n),
                        12 => Op::Rotl(n),
                        _ => Op::Bitmask(n),
                    };
                    let count = match op {
                        Op::Const(_) => 0,
                        Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Add | Op::Sub | Op::Mul => 2,
                        _ => 1,
                    };
                    (op, (0..count).map(|_| random.usize(..k)).collect())
                })
                .collect();
            let mut known = inputs;
            for (op, args) in &ops {
                let args: Vec<Word> = args.iter().map(|&arg| known[arg].clone()).collect();
                known.push(analysis.computed(op, &args, bits));
            }
            for _ in 0..20 {
                let mut values: Vec<u128> =
                    (0..3).map(|_| random.u128(..) & semantics::mask(bits)).collect();
                for (op, args) in &ops {
                    let args: Vec<u128> = args.iter().map(|&arg| values[arg]).collect();
                    values.push(semantics::eval(op, bits, &args).expect("a word"));
                }
                assert_holds(&known, &values, &ops);
            }
        }
    }

    /// Every known bit is what it is known to be, and all bits that are one bit of data are equal.
    fn assert_holds(known: &[Word], values: &[u128], ops: &[(Op, Vec<usize>)]) {
        let mut data: FxHashMap<u32, bool> = FxHashMap::default();
        for (word, value) in known.iter().zip(values) {
            for (i, bit) in word.iter().enumerate() {
                let set = value >> i & 1 == 1;
                match *bit {
                    Bit::Known(known) => assert_eq!(known, set, "{ops:?} {values:x?}"),
                    Bit::Of { source, complement } => {
                        let first = *data.entry(source).or_insert(set != complement);
                        assert_eq!(first, set != complement, "{ops:?} {values:x?}");
                    }
                }
            }
        }
    }
}
