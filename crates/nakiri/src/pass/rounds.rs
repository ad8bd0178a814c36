//! Finds rounds of AES on rows of sixteen bytes, by what they compute, and makes them instructions.
//!
//! What follows a substitution of bytes and depends on nothing else is a linear map of 128 bits, known by the images of each. Where
//! that is the map of a round, the value is that round of the state, whatever operations it was written with. Rows hold the bytes of
//! a state in any order: bytes may be permuted before the substitution, which counts as behind it, and behind the round. Such an
//! order goes on into the next round, where it is a permutation before the substitution. The round key is a sum behind a round.
//! Guarantees: changes nothing on targets that lack a round; a round stands where the maps were equal on every bit.

use super::{keys, simplify};
use crate::core::aes::{unsubstituted, Aes, SUB_BYTES};
use crate::core::field::{inverse, ByteMap};
use crate::core::{semantics, Func, Instr, Instruction, Op, Program, Stmt, Type, ValueId};
use crate::isa::Target;
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::rc::Rc;

/// The bits of a state.
const BITS: usize = 128;

/// A linear map of a state: the image of each bit.
type Map = Rc<[u128; BITS]>;

/// The same map by the bytes that it makes: for each what every bit of the state adds to it.
type Bytes = [[u8; BITS]; 16];

/// Makes instructions of rounds in the whole program.
pub fn run(program: &mut Program, target: &Target) {
    let has = |aes: Aes| target.has_instruction(Instruction::Aes(aes));
    if !Aes::ROUNDS.into_iter().all(|aes| has(aes) || aes.keyed().is_some_and(has)) {
        return;
    }
    for func in &mut program.funcs {
        let body = std::mem::take(&mut func.body);
        let mut finder = Finder::new(func);
        let body = finder.block(body, finder.zero);
        func.body = body;
    }
    keys::run(program, target);
    // An order that the next round or a row undoes is none.
    simplify::run(program);
}

/// What a value is: a linear map of another one.
#[derive(Clone)]
struct Linear {
    of: ValueId,
    map: Map,
}

/// For each byte of a row the byte of another one that it is.
type Order = [usize; 16];

const IN_ORDER: Order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Bytes of a row, in any order.
#[derive(Clone, Copy)]
struct Ordered {
    of: ValueId,
    order: Order,
}

struct Finder<'a> {
    func: &'a mut Func,
    /// The zero of the block, a key that adds nothing.
    zero: ValueId,
    out: Vec<Stmt>,
    /// How the values were made that are rows of sixteen bytes.
    made: FxHashMap<ValueId, (Op, Vec<ValueId>)>,
    linear: FxHashMap<ValueId, Linear>,
    /// The states of which AES' table or its inverse makes values, and whether the inverse.
    substituted: FxHashMap<ValueId, (Ordered, bool)>,
    /// The rounds that values are.
    rounds: FxHashMap<ValueId, Ordered>,
    /// The rounds of which there may be several orders.
    written: FxHashMap<(Op, Vec<ValueId>), ValueId>,
    /// The maps of all rounds, behind their substitutions.
    known: Vec<(Aes, Bytes)>,
}

impl Finder<'_> {
    fn new(func: &mut Func) -> Finder<'_> {
        let bits = |aes: Aes| {
            let image = |k: usize| u128::from_le_bytes(aes.moved((1u128 << k).to_le_bytes()));
            (aes, bytes(&std::array::from_fn(image)))
        };
        Finder {
            zero: func.value(Type::row(8, 16)),
            func,
            out: Vec::new(),
            made: FxHashMap::default(),
            linear: FxHashMap::default(),
            substituted: FxHashMap::default(),
            rounds: FxHashMap::default(),
            written: FxHashMap::default(),
            known: Aes::ROUNDS.into_iter().map(bits).collect(),
        }
    }

    /// The statements of a block, of which this is the zero.
    fn block(&mut self, stmts: Vec<Stmt>, zero: ValueId) -> Vec<Stmt> {
        let outside = std::mem::replace(&mut self.zero, zero);
        let before = std::mem::take(&mut self.out);
        let written = std::mem::take(&mut self.written);
        self.write(Op::Const(0), &[], zero, Span::default());
        for stmt in stmts {
            match stmt {
                Stmt::Let(instr) => self.instr(instr),
                Stmt::Loop(mut l) => {
                    let zero = self.func.value(Type::row(8, 16));
                    l.body = self.block(l.body, zero);
                    self.out.push(Stmt::Loop(l));
                }
                stmt => self.out.push(stmt),
            }
        }
        (self.zero, self.written) = (outside, written);
        std::mem::replace(&mut self.out, before)
    }

    /// Writes an instruction on rows of sixteen bytes.
    fn write(&mut self, op: Op, args: &[ValueId], result: ValueId, span: Span) {
        self.made.insert(result, (op.clone(), args.to_vec()));
        let (results, args) = (smallvec![result], args.iter().copied().collect());
        self.out.push(Stmt::Let(Instr { results, op, args, span }));
    }

    /// A row as another one in an order.
    fn reordered(&mut self, Ordered { of, order }: Ordered, span: Span) -> ValueId {
        if order == IN_ORDER {
            return of;
        }
        let result = self.func.value(Type::row(8, 16));
        self.write(permute(&order), &[of], result, span);
        result
    }

    /// Copies an instruction, or writes the round that it completes.
    fn instr(&mut self, instr: Instr) {
        match instr.results[..] {
            [result] if self.func.ty(result) == Type::row(8, 16) => {
                if !self.with_key(&instr, result) {
                    self.learn(instr, result);
                }
            }
            _ => self.out.push(Stmt::Let(instr)),
        }
    }

    /// A sum with a round without a key is a round with one.
    fn with_key(&mut self, instr: &Instr, result: ValueId) -> bool {
        let (Op::Xor, &[a, b]) = (&instr.op, &instr.args[..]) else { return false };
        for (sum, key) in [(a, b), (b, a)] {
            let Some(&Ordered { of, order }) = self.rounds.get(&sum) else { continue };
            // What is of the same bytes is no key, but a part of a longer round.
            if self.of(sum).of == self.of(key).of {
                continue;
            }
            let Some((op, args)) = self.made.get(&of).cloned() else { continue };
            if args[1..] != [self.zero] {
                continue;
            }
            // Byte k of the sum is byte `order[k]` of the round: so is that of the key.
            let key = self.in_order(key);
            let mut keyed = IN_ORDER;
            (0..16).for_each(|byte| keyed[order[byte]] = key.order[byte]);
            let key = self.reordered(Ordered { of: key.of, order: keyed }, instr.span);
            self.round(op, &[args[0], key], Ordered { of: result, order }, instr.span);
            let Ordered { of, order } = self.rounds[&result];
            let linear = Linear { of, map: Rc::new(behind(&own(), &order)) };
            self.linear.insert(result, linear);
            return true;
        }
        false
    }

    /// Writes a round, and a value that is it in an order.
    fn round(&mut self, op: Op, args: &[ValueId], made: Ordered, span: Span) {
        let Ordered { of: result, order } = made;
        let of = match order == IN_ORDER {
            true => {
                self.write(op, args, result, span);
                result
            }
            false => {
                let of = self.shared(op, args, span);
                self.write(permute(&order), &[of], result, span);
                of
            }
        };
        self.rounds.insert(result, Ordered { of, order });
    }

    /// A round that may stand there already, for another order.
    fn shared(&mut self, op: Op, args: &[ValueId], span: Span) -> ValueId {
        let key = (op.clone(), args.to_vec());
        if let Some(&known) = self.written.get(&key) {
            return known;
        }
        let of = self.func.value(Type::row(8, 16));
        self.write(op, args, of, span);
        self.written.insert(key, of);
        of
    }

    /// Notes what a value is of others, and writes it as a round if it is one.
    fn learn(&mut self, instr: Instr, result: ValueId) {
        if let Some(substituted) = self.substitution(&instr) {
            self.substituted.insert(result, substituted);
        }
        if let Some(linear) = self.combined(&instr) {
            self.linear.insert(result, linear);
        }
        let Some((aes, state, order)) = self.found(result) else {
            return self.write(instr.op, &instr.args, result, instr.span);
        };
        let args = [state, self.zero];
        self.round(
            Op::Instruction(Instruction::Aes(aes)),
            &args[..aes.arity()],
            Ordered { of: result, order },
            instr.span,
        );
    }

    /// A value as a linear map: of itself, if of nothing else.
    fn of(&self, value: ValueId) -> Linear {
        self.linear.get(&value).cloned().unwrap_or_else(|| Linear { of: value, map: own() })
    }

    /// A value as the bytes of another one in an order: of itself, if of nothing else.
    fn in_order(&self, value: ValueId) -> Ordered {
        let Linear { of, map } = self.of(value);
        let ordered = self.rounds.get(&value).copied();
        let ordered = ordered.or_else(|| Some(Ordered { of, order: permutation(&map)? }));
        ordered.unwrap_or(Ordered { of: value, order: IN_ORDER })
    }

    /// The state whose bytes are substituted by AES' table or its inverse, and whether by that.
    fn substitution(&self, instr: &Instr) -> Option<(Ordered, bool)> {
        let (Op::Invert(after), &[arg]) = (&instr.op, &instr.args[..]) else { return None };
        let before = match self.made.get(&arg) {
            Some((Op::Affine(before), args)) => Some((before, args[0])),
            _ => None,
        };
        let is_inverse = |before: &ByteMap| {
            (0..=255).all(|x| after.apply(inverse(before.apply(x))) == unsubstituted(x))
        };
        match before {
            _ if *after == SUB_BYTES => Some((self.in_order(arg), false)),
            Some((before, bytes)) if is_inverse(before) => Some((self.in_order(bytes), true)),
            _ => None,
        }
    }

    /// What an instruction makes of one value, if that is a linear map.
    fn combined(&self, instr: &Instr) -> Option<Linear> {
        let constant = |value: &ValueId| match self.made.get(value) {
            Some((Op::Const(value), _)) => Some(*value),
            _ => None,
        };
        let first = instr.args.iter().find(|arg| constant(arg).is_none())?;
        let of = self.of(*first).of;
        let args: Vec<Result<Map, u128>> = instr
            .args
            .iter()
            .map(|arg| match constant(arg) {
                Some(value) => Some(Err(value)),
                None => Some(self.of(*arg)).filter(|a| a.of == of).map(|a| Ok(a.map)),
            })
            .collect::<Option<_>>()?;
        let op = match (&instr.op, &args[..]) {
            (Op::Or, [Ok(a), Ok(b)]) if reached(a) & reached(b) == 0 => Op::Xor,
            (op @ Op::Xor, [Ok(_), Ok(_)]) => op.clone(),
            (op @ Op::And, [Ok(_), Err(_)] | [Err(_), Ok(_)]) => op.clone(),
            (op, [Ok(_)]) if is_linear(op) => op.clone(),
            _ => return None,
        };
        let image = |k: usize| {
            let at = |arg: &Result<Map, u128>| arg.as_ref().map_or_else(|c| *c, |map| map[k]);
            semantics::eval_row(&op, 8, 16, &args.iter().map(at).collect::<Vec<_>>())
        };
        let images: Option<Vec<u128>> = (0..BITS).map(image).collect();
        Some(Linear { of, map: Rc::new(images?.try_into().ok()?) })
    }

    /// The round that a value is, of which state, and in which order.
    fn found(&self, value: ValueId) -> Option<(Aes, ValueId, Order)> {
        let Linear { of, map } = self.of(value);
        let (state, map, rounds) = match self.substituted.get(&of) {
            Some((Ordered { of: state, order }, inverse)) => {
                let rounds = match inverse {
                    false => &[Aes::Round, Aes::Last],
                    true => &[Aes::InverseRound, Aes::InverseLast],
                };
                (*state, Rc::new(behind(&map, order)), &rounds[..])
            }
            None => (of, map, &[Aes::Unmix][..]),
        };
        let mut known = self.known.iter().filter(|(aes, _)| rounds.contains(aes));
        let made = bytes(&map);
        known.find_map(|(aes, known)| Some((*aes, state, order_of(&made, known)?)))
    }
}

/// Whether an operation of one row is linear, whatever its parameters.
fn is_linear(op: &Op) -> bool {
    match op {
        Op::Affine(map) => map.constant == 0,
        Op::Shl(_) | Op::Shr(_) | Op::Sar(_) | Op::Rotl(_) | Op::RotlAnd { .. } => true,
        Op::Shuffle(_) | Op::Bitmask(_) | Op::Permute(_) => true,
        _ => false,
    }
}

/// The bits that are not 0 for every state.
fn reached(map: &Map) -> u128 {
    map.iter().fold(0, |sum, image| sum | image)
}

/// The map that changes nothing.
fn own() -> Map {
    Rc::new(std::array::from_fn(|k| 1 << k))
}

/// The order in which a map makes the bytes that it takes, if it does nothing else.
fn permutation(map: &Map) -> Option<Order> {
    // Most maps are none: one bit says so.
    let one_bit = map.iter().all(|image| image.is_power_of_two());
    one_bit.then(|| order_of(&bytes(map), &bytes(&own()))).flatten()
}

fn bytes(map: &[u128; BITS]) -> Bytes {
    std::array::from_fn(|byte| map.map(|image| (image >> (8 * byte)) as u8))
}

/// The order in which a map makes the bytes that another one makes.
fn order_of(made: &Bytes, known: &Bytes) -> Option<Order> {
    let mut order = IN_ORDER;
    for (place, byte) in order.iter_mut().zip(made) {
        *place = known.iter().position(|known| known == byte)?;
    }
    (0..16).all(|k| order.contains(&k)).then_some(order)
}

/// A map of bytes that were put in an order, as a map of those that were.
fn behind(map: &Map, order: &Order) -> [u128; BITS] {
    std::array::from_fn(|k| {
        let moved = (0..16).filter(|&byte| order[byte] == k / 8);
        moved.fold(0, |sum, byte| sum ^ map[8 * byte + k % 8])
    })
}

fn permute(order: &Order) -> Op {
    Op::Permute(order.iter().map(|&byte| Some(byte as u16)).collect())
}
