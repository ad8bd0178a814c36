//! What each operation asks of its operands and results.

use super::body::Checker;
use super::{check_dir, check_width};
use crate::core::{
    prime, semantics, Dir, FuncId, Index, Op, Table, TableId, Type, Width, MAX_WIDTH,
};

type Check = Result<(), String>;

impl Checker<'_> {
    pub(super) fn check_op(&self, op: &Op, args: &[Type], results: &[Type]) -> Check {
        match op {
            Op::Const(value) => {
                check_counts(args, 0, results, 1)?;
                check_constant(*value, results[0])
            }
            Op::Constants(id, index) => {
                check_counts(args, 0, results, 1)?;
                let Some(list) = self.program.constants.get(id.index()) else {
                    return Err(format!("there is no {id}"));
                };
                self.check_constants(list, *index, results[0])
            }
            Op::Load(param, index) => {
                check_counts(args, 0, results, 1)?;
                let Some(port) = self.func.params.get(*param as usize) else {
                    return Err(format!("there is no input {param}"));
                };
                check_same(&[port.ty], results)?;
                self.check_index(*index, port.count() as usize)
            }
            Op::Not => check_uniform(args, 1, results, 1),
            Op::And | Op::Or | Op::Xor | Op::AndNot | Op::OrNot => {
                check_uniform(args, 2, results, 1)
            }
            Op::Add | Op::Sub | Op::Mul | Op::MulHalves => check_uniform(args, 2, results, 1),
            Op::Product => {
                check_counts(args, 2, results, 1)?;
                check_same(&args[..1], &args[1..])?;
                check_halves(args[0], results[0])
            }
            Op::Widen => {
                check_counts(args, 1, results, 1)?;
                check_halves(args[0], results[0])
            }
            Op::Low => {
                check_counts(args, 1, results, 1)?;
                check_halves(results[0], args[0])
            }
            Op::AddLow52 | Op::AddHigh52 => {
                check_uniform(args, 3, results, 1)?;
                check_words(args)
            }
            Op::ClmulLow | Op::ClmulHigh => {
                check_uniform(args, 2, results, 1)?;
                check_words(args)
            }
            Op::Element => {
                check_counts(results, 1, &results[..results.len().min(1)], 1)?;
                check_words(args)?;
                check_elements(results, args)
            }
            Op::Number => {
                check_counts(args, 1, &args[..args.len().min(1)], 1)?;
                check_words(results)?;
                check_elements(args, results)
            }
            Op::Choose => {
                check_counts(args, 3, results, 1)?;
                check_words(&args[..1])?;
                check_elements(&args[1..], &args[..1])?;
                check_same(&args[1..], results)
            }
            Op::Ternary(_) => check_uniform(args, 3, results, 1),
            Op::Shl(n) | Op::Shr(n) | Op::Sar(n) | Op::Rotl(n) | Op::Rotr(n) | Op::Bitmask(n) => {
                check_uniform(args, 1, results, 1)?;
                check_position(*n, args[0])
            }
            Op::RotlAnd { by, kept } => {
                check_uniform(args, 1, results, 1)?;
                check_position(*by, args[0])?;
                check_constant(*kept, args[0])
            }
            Op::Shuffle(picks) => {
                check_uniform(args, 1, results, 1)?;
                check_shuffle(picks, args[0])
            }
            Op::Permute(picks) => {
                check_uniform(args, 1, results, 1)?;
                check_permute(picks, args[0])
            }
            Op::Window(n) => {
                check_uniform(args, 2, results, 1)?;
                match (1..args[0].row_length()).contains(n) {
                    true => Ok(()),
                    false => Err(format!("{n} is no place inside of a row")),
                }
            }
            Op::Pack => check_pack(args, results),
            Op::Table(id) => {
                let table = self.table(*id)?;
                check_uniform(args, table.inputs.into(), results, table.outputs.into())
            }
            Op::Lookup(id) => check_lookup(self.table(*id)?, args, results),
            Op::Substitute(_) | Op::Nibble(_) | Op::Affine(_) | Op::Invert(_) => {
                check_uniform(args, 1, results, 1)?;
                check_byte(args[0])
            }
            Op::Instruction(instruction) => {
                check_uniform(args, instruction.arity(), results, 1)?;
                check_row(args[0], instruction.row())
            }
            Op::Call(callee, dirs, widths) => self.check_call(*callee, dirs, widths, args, results),
        }
    }

    fn table(&self, id: TableId) -> Result<&Table, String> {
        self.program.tables.get(id.index()).ok_or_else(|| format!("there is no {id}"))
    }

    fn check_constants(&self, list: &[u128], index: Index, ty: Type) -> Check {
        self.check_index(index, list.len())?;
        let last = if index.step == 0 { 0 } else { self.iterations.unwrap_or(1) - 1 };
        (0..=last).try_for_each(|i| check_constant(list[index.at(i) as usize], ty))
    }

    fn check_call(
        &self,
        callee: FuncId,
        dirs: &[Dir],
        widths: &[Width],
        args: &[Type],
        results: &[Type],
    ) -> Check {
        let Some(callee) = self.program.funcs.get(callee.index()) else {
            return Err(format!("there is no function {callee}"));
        };
        if dirs.len() != callee.dir_params.len() || widths.len() != callee.width_params.len() {
            return Err(format!(
                "{} has {} direction and {} word-size parameters",
                callee.name,
                callee.dir_params.len(),
                callee.width_params.len()
            ));
        }
        dirs.iter().try_for_each(|&dir| check_dir(self.func, dir))?;
        widths.iter().try_for_each(|&width| check_width(self.func, width))?;
        let here = |ty: Type| Type {
            dir: match ty.dir {
                Dir::Param(i) => dirs[usize::from(i)],
                fixed => fixed,
            },
            width: match ty.width {
                Width::Param(i) => widths[usize::from(i)],
                bits => bits,
            },
        };
        for (what, ports, given) in
            [("takes", &callee.params, args), ("gives", &callee.results, results)]
        {
            let mut wanted = 0;
            for port in ports {
                let end = wanted + port.count() as usize;
                let atoms = given.get(wanted..end.min(given.len())).unwrap_or_default();
                if atoms.iter().any(|&ty| ty != here(port.ty)) {
                    return Err(format!("an atom has not the type of {}", port.name));
                }
                wanted = end;
            }
            if wanted != given.len() {
                let found = given.len();
                return Err(format!("{} {what} {wanted} atoms, not {found}", callee.name));
            }
        }
        Ok(())
    }
}

fn check_counts(args: &[Type], takes: usize, results: &[Type], gives: usize) -> Check {
    if args.len() != takes {
        return Err(format!("it takes {takes} operands, not {}", args.len()));
    }
    if results.len() != gives {
        return Err(format!("it has {gives} results, not {}", results.len()));
    }
    Ok(())
}

/// A word and one twice as wide.
fn check_halves(half: Type, whole: Type) -> Check {
    let fits = match (half.width, whole.width) {
        (Width::Bits(half), Width::Bits(whole)) => 2 * half == whole,
        _ => false,
    };
    match fits && half.dir == whole.dir {
        true => Ok(()),
        false => Err("one is twice as wide as the other, in the same direction".into()),
    }
}

/// Words of 64 bits, at least one.
fn check_words(types: &[Type]) -> Check {
    match !types.is_empty() && types.iter().all(|ty| ty.width == Width::Bits(prime::WORD)) {
        true => Ok(()),
        false => Err("it works on words of 64 bits".into()),
    }
}

/// Elements in the direction of some words.
fn check_elements(types: &[Type], words: &[Type]) -> Check {
    let is_one = |ty: &Type| ty.is_element() && ty.dir == words[0].dir;
    match types.iter().all(is_one) {
        true => Ok(()),
        false => Err("it works on elements of a field, in the direction of words".into()),
    }
}

/// All operands and results have one type.
fn check_uniform(args: &[Type], takes: usize, results: &[Type], gives: usize) -> Check {
    check_counts(args, takes, results, gives)?;
    check_same(args, results)
}

fn check_same(args: &[Type], results: &[Type]) -> Check {
    let mut types = args.iter().chain(results);
    let first = types.next();
    match types.all(|ty| Some(ty) == first) {
        true => Ok(()),
        false => Err("operands and results differ in type".into()),
    }
}

fn check_constant(value: u128, ty: Type) -> Check {
    match ty.width {
        Width::Bits(_) | Width::Row(..) if value > semantics::mask(ty.bits()) => {
            Err(format!("{value:#x} has more than {} bits", ty.bits()))
        }
        Width::Field(_) => Err("an element of a field is made of words".into()),
        _ => Ok(()),
    }
}

/// A shift amount or bit number lies within the atom.
fn check_position(n: u16, ty: Type) -> Check {
    match ty.width {
        Width::Bits(bits) | Width::Row(bits, _) if n >= bits => {
            Err(format!("{n} is out of an atom of {bits} bits"))
        }
        Width::Field(_) => Err("an element of a field has no bits".into()),
        _ if n >= MAX_WIDTH => Err(format!("{n} is out of any atom")),
        _ => Ok(()),
    }
}

fn check_shuffle(picks: &[Option<u16>], ty: Type) -> Check {
    match ty.width {
        Width::Bits(bits) if picks.len() != usize::from(bits) => {
            Err(format!("{} positions for {bits} bits", picks.len()))
        }
        _ => match picks.iter().flatten().find(|&&p| usize::from(p) >= picks.len()) {
            Some(p) => Err(format!("there is no position {p} of {}", picks.len())),
            None => Ok(()),
        },
    }
}

fn check_permute(picks: &[Option<u16>], ty: Type) -> Check {
    let count = ty.row_length();
    if picks.len() != usize::from(count) {
        return Err(format!("{} positions for a row of {count}", picks.len()));
    }
    match picks.iter().flatten().find(|&&p| p >= count) {
        Some(p) => Err(format!("there is no atom {p} in a row of {count}")),
        None => Ok(()),
    }
}

fn check_pack(args: &[Type], results: &[Type]) -> Check {
    check_counts(args, 2, results, 1)?;
    let (high, low, whole) = (args[0], args[1], results[0]);
    let fits = match (high.width, low.width, whole.width) {
        (Width::Bits(high), Width::Bits(low), Width::Bits(whole)) => high + low == whole,
        _ => true,
    };
    match fits && high.dir == low.dir && low.dir == whole.dir {
        true => Ok(()),
        false => Err("the result has the bits of both operands, in the same direction".into()),
    }
}

fn check_byte(ty: Type) -> Check {
    match ty.width {
        Width::Bits(8) | Width::Row(8, _) => Ok(()),
        _ => Err("it works on bytes".into()),
    }
}

fn check_row(ty: Type, (bits, count): (u16, u16)) -> Check {
    match ty.width == Width::Row(bits, count) {
        true => Ok(()),
        false => Err(format!("it works on rows of {count} atoms of {bits} bits")),
    }
}

fn check_lookup(table: &Table, args: &[Type], results: &[Type]) -> Check {
    check_counts(args, 1, results, 1)?;
    let fits = |ty: Type, count: u8| match ty.width {
        Width::Bits(bits) => bits == u16::from(count),
        Width::Row(..) | Width::Field(_) => false,
        Width::Param(_) => true,
    };
    let same_dir = args[0].dir == results[0].dir;
    match same_dir && fits(args[0], table.inputs) && fits(results[0], table.outputs) {
        true => Ok(()),
        false => Err(format!(
            "{} looks up {} bits by {}, in the same direction",
            table.name, table.outputs, table.inputs
        )),
    }
}
