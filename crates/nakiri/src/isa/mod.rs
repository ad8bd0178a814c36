//! What a target says: its registers and, for each operation, direction and word size, the instructions that
//! compute it. One table file per target; no other module asks which target it is.

mod aes;
mod altivec;
mod architecture;
mod avx;
mod avx2;
mod avx512;
mod avx512_gfni;
mod avx512_ifma;
mod class;
mod constant;
mod dialect;
mod expression;
mod form;
mod gp32;
mod gp64;
mod neon;
mod neon_crypto;
mod neon_sha3;
mod permutation;
mod portable;
pub mod rust;
mod rvv;
mod scalar;
mod sha;
mod sliced;
mod spread;
mod sse2;
mod ssse3;
mod sve2;
mod swar;
mod vector;
mod wasm_simd128;
mod x86;

use crate::core::aes::{Aes, SUB_BYTES};
use crate::core::{semantics, Direction, Field, Instruction, Op, OpKind, Program, MAX_WIDTH};
pub use architecture::{Architecture, Capability, Extension, Tool, BIG_ENDIAN};
pub use class::Class;
pub use constant::{Bits, Bytes, Constant, Element, Half, Number, Splat, Word, Words64};
pub use dialect::{Across, Dialect};
pub use expression::{Binary, CType, Expression, Intrinsic, Shift, Unary};
pub use form::{Broadcast, Folds, Form, Operands};
pub use permutation::picks;
pub use sliced::verify_sliced;

/// A target.
#[derive(Debug)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for `nakiri targets`.
    pub title: &'static str,
    /// The architecture that it is made for; see also [`Target::guard`].
    pub architecture: &'static Architecture,
    /// Bits of a register.
    pub bits: u32,
    /// Number of registers that a kernel can use.
    pub registers: u32,
    /// Whether an instruction overwrites one of its operands: a copy is needed if none of them ends there.
    pub destructive: bool,
    /// Bytes of an instruction on registers, on average.
    pub code_bytes: f64,
    /// How many more it has with an operand in memory: at an offset from the stack's pointer, mostly.
    pub operand_bytes: f64,
    /// The machine model that choices are made for if none is named.
    pub machine: &'static str,
    /// How many instructions start in a cycle, at most: with [`Target::latency`] what the schedule for latency counts on. The
    /// figures are those of its machine.
    pub issue: u32,
    /// After how many cycles the result of a simple instruction can be used.
    pub latency: u32,
    /// CPU features that it needs beyond its architecture, as Rust names them.
    pub features: &'static [&'static str],
    /// What compilers must be told so that they compile its C; none where all for the architecture do.
    pub extension: Option<&'static Extension>,
    /// The preprocessor's condition that holds where its C can be compiled, if it can't wherever that for its architecture can.
    pub guard: Option<&'static str>,
    /// Whether its registers are vectors, with shuffles.
    pub simd: bool,
    /// Whether it is taken by default for those programs alone that its own rows are for: see [`Target::serves`].
    pub optional: bool,
    /// How many vertical atoms a register holds.
    pub words: Words,
    /// How its registers are written in C.
    pub c: C,
    /// Its operations, in groups that targets share; the first row that fits is used.
    pub instances: &'static [&'static [Instance]],
}

/// How many vertical atoms a register holds.
#[derive(Clone, Copy, Debug)]
pub enum Words {
    /// One, in a register of its own width.
    One {
        /// The target with several in the same registers, which may be taken in its place.
        several: &'static Target,
    },
    /// As many as fit.
    Several,
}

/// How a target's registers are written in C: templates, in which `{w}` is the atom's width, `{e}` how many atoms a vector holds,
/// `{r}` the register's width where it holds one atom, and a brace before a space is one of C.
#[derive(Clone, Copy, Debug)]
pub struct C {
    /// How transpositions are written.
    pub dialect: &'static Dialect,
    /// The argument of `__attribute__((target(…)))`, if one is needed.
    pub attribute: Option<&'static str>,
    /// What stands before its C: headers, and definitions of types that may be repeated.
    pub prelude: &'static [&'static str],
    /// What `{mm}` stands for: how the names of its intrinsics begin.
    pub mm: &'static str,
    /// What `{si}` stands for: the suffix of intrinsics on whole registers.
    pub si: &'static str,
    /// The type of a register.
    pub register: &'static str,
    /// All bits 0.
    pub zeros: &'static str,
    /// All bits 1.
    pub ones: &'static str,
    /// The types of words, without and with a sign: of vectors of them, or of registers.
    pub word_types: [&'static str; 2],
    /// `{c}` in every element, for elements of 8, 16, 32 and 64 bits; `{signed c}` is that as a number with a sign, `{every c}` a
    /// literal of them all.
    pub splat: [&'static str; 4],
    /// The 16 bytes `{bytes}`, or the words `{low}` and `{high}` of 8 bytes each, in every 128-bit segment; `{segments}` are the
    /// words of all segments.
    pub segment: Option<&'static str>,
    /// The type of that; none where it follows from where it stands, which is then where it must be written.
    pub segment_type: Option<&'static str>,
    /// All ones in those elements of the register whose bits are set in `{keep}`: of 32, and of 64 elements.
    pub elements: [Option<&'static str>; 2],
    /// The image of a constant atom at the address `{p}`, in every lane: images of 8, 16 and 64 bytes.
    pub broadcast: [Option<&'static str>; 3],
}

/// The types that a row of a table holds for: directions and the widths of their atoms.
pub type Types = &'static [(Direction, &'static [u16])];

/// An operation that a target has.
#[derive(Debug)]
pub struct Instance {
    /// Which.
    pub op: OpKind,
    /// For atoms of these types.
    pub types: Types,
    /// For which parameters of the operation.
    pub when: When,
    /// What computes it.
    pub expression: Expression,
    /// The instructions that it is, constants and copies between registers not counted.
    pub work: Work,
}

/// What an operation executes: steps, each of which needs the results of the one before, of instructions that can run
/// side by side. The last step is one instruction, whose result is the operation's.
pub type Work = &'static [&'static [Class]];

/// For which parameters of an operation a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// All.
    Always,
    /// Amounts that are multiples of 8.
    Bytes,
    /// One amount.
    Amount(u16),
    /// Permutations that fill no element with zeros.
    Whole,
    /// Ternary operations of one table.
    Table(u8),
    /// Rotations of which no bit is kept that left at the most significant end.
    Left,
    /// Rotations of which no other bit is kept.
    Right,
    /// One of the instructions made for cryptography.
    Is(Instruction),
    /// Inversion with the map of AES' `SubBytes` after it.
    SubBytes,
}

impl When {
    fn holds(self, op: &Op) -> bool {
        let amount = match op {
            Op::Shl(n) | Op::Shr(n) | Op::Sar(n) | Op::Rotl(n) | Op::Bitmask(n) => Some(*n),
            Op::RotlAnd { by, .. } => Some(*by),
            _ => None,
        };
        match self {
            When::Always => true,
            When::Bytes => amount.is_some_and(|n| n % 8 == 0),
            When::Amount(one) => amount == Some(one),
            When::Table(table) => *op == Op::Ternary(table),
            When::Left => {
                matches!(op, Op::RotlAnd { by, kept } if kept & semantics::mask(*by) == 0)
            }
            When::Right => {
                matches!(op, Op::RotlAnd { by, kept } if kept & !semantics::mask(*by) == 0)
            }
            When::Is(instruction) => *op == Op::Instruction(instruction),
            When::SubBytes => *op == Op::Invert(SUB_BYTES),
            When::Whole => matches!(op, Op::Permute(picks) if picks.iter().all(Option::is_some)),
        }
    }
}

impl Instance {
    const fn new(op: OpKind, types: Types, work: Work, expression: Expression) -> Instance {
        Instance { op, types, when: When::Always, expression, work }
    }

    /// How many instructions it is.
    pub fn instructions(&self) -> usize {
        self.work.iter().map(|step| step.len()).sum()
    }

    /// How many constants it reads, each of which is in a register or in memory.
    pub fn constants(&self) -> usize {
        self.expression.constants()
    }

    const fn when(mut self, when: When) -> Instance {
        self.when = when;
        self
    }

    fn fits(&self, op: OpKind, direction: Direction, width: u16) -> bool {
        let fits = |(d, widths): &(Direction, &[u16])| *d == direction && widths.contains(&width);
        self.op == op && self.types.iter().any(fits)
    }
}

impl Target {
    /// Whether atoms of a direction and width can be held in registers. Those of rows are moved within them, wherever
    /// the source only names them.
    pub fn holds(&self, direction: Direction, width: u16) -> bool {
        let least = if direction == Direction::P { OpKind::Permute } else { OpKind::Xor };
        self.instance(least, direction, width).is_some()
    }

    /// Whether there are atoms of this direction at all.
    pub fn has_direction(&self, direction: Direction) -> bool {
        (1..=MAX_WIDTH).any(|width| self.holds(direction, width))
    }

    /// `-V and -H, several words in a register`: the directions that it has.
    pub fn directions(&self) -> String {
        let all = [Direction::B, Direction::V, Direction::H, Direction::P];
        let names = all.into_iter().filter(|&direction| self.has_direction(direction));
        let mut names: Vec<String> = names.map(|direction| format!("-{direction:?}")).collect();
        let last = names.split_off(names.len().saturating_sub(2)).join(" and ");
        names.push(last);
        let names = names.join(", ");
        match (self.simd, self.words) {
            (false, Words::Several) => format!("{names}, several words in a register"),
            _ => names,
        }
    }

    /// The instruction for an operation on atoms of a direction and width, whatever the operation's parameters.
    pub fn instance(
        &self,
        op: OpKind,
        direction: Direction,
        width: u16,
    ) -> Option<&'static Instance> {
        self.rows().find(|row| row.when == When::Always && row.fits(op, direction, width))
    }

    /// The instruction for this very operation, which may be better than that of [`Target::instance`].
    pub fn select(&self, op: &Op, direction: Direction, width: u16) -> Option<&'static Instance> {
        self.rows().find(|row| row.fits(op.kind(), direction, width) && row.when.holds(op))
    }

    /// Whether it has an instruction on rows.
    pub fn has_instruction(&self, instruction: Instruction) -> bool {
        let (bits, _) = instruction.row();
        self.select(&Op::Instruction(instruction), Direction::P, bits).is_some()
    }

    /// The tables of three inputs that it has operations for, if it has some but not all.
    pub fn some_tables(&self) -> Vec<u8> {
        let rows = || self.rows().filter(|row| row.op == OpKind::Ternary);
        let table = |row: &Instance| match row.when {
            When::Table(table) => Some(table),
            _ => None,
        };
        match rows().any(|row| row.when == When::Always) {
            true => Vec::new(),
            false => rows().filter_map(table).collect(),
        }
    }

    /// Every row of its table.
    pub fn rows(&self) -> impl Iterator<Item = &'static Instance> {
        self.instances.iter().copied().flatten()
    }

    /// Whether all of its instructions have forms in assembly, with three operands.
    pub fn is_assembled(&self) -> bool {
        !self.destructive && self.rows().all(|row| row.expression.is_assembled())
    }

    /// The preprocessor's condition under which its C compiles; none if it does everywhere, as it does without intrinsics.
    pub fn guard(&self) -> Option<&'static str> {
        self.simd.then_some(self.guard.unwrap_or(self.architecture.guard))
    }

    /// The target with several vertical atoms in the same registers, if this one has them one to a register.
    pub fn several(&self) -> Option<&'static Target> {
        match self.words {
            Words::One { several } => Some(several),
            Words::Several => None,
        }
    }

    /// The target with one vertical atom in each of the same registers, if this one has several of them in general-purpose ones.
    pub fn one_word(&self) -> Option<&'static Target> {
        let is =
            |target: &Target| target.several().is_some_and(|several| several.name == self.name);
        all().iter().copied().find(|target| is(target))
    }

    /// The target with the most optional features that a CPU `runs`, of those that add something to one of these programs.
    pub fn extended(
        &'static self,
        programs: &[&Program],
        runs: &dyn Fn(&Target) -> bool,
    ) -> &'static Target {
        let is_own = |target: &Target| {
            let bases = std::iter::successors(target.base(), |base| base.base());
            bases.take_while(|_| target.optional).any(|base| base.name == self.name)
        };
        let own = all().iter().copied().rev().filter(|target| is_own(target) && runs(target));
        let serving = own.filter(|target| programs.iter().any(|program| target.serves(program)));
        serving.max_by_key(|target| target.features.len()).unwrap_or(self)
    }

    /// Whether a program gains by this target beside its base: for optional features it has instructions that they add, or lookups,
    /// of which rounds of AES are made.
    pub fn serves(&self, program: &Program) -> bool {
        if !self.optional {
            return true;
        }
        let has = |op| self.instance(op, Direction::V, 64).is_some();
        let multiplies = has(OpKind::AddLow52);
        // Wherever there are rounds, whether the key goes in first or last, there is this.
        let looks_up = self.has_instruction(Instruction::Aes(Aes::Unmix));
        self.is_called_by(program)
            || multiplies && program.fields.iter().any(|field| !field.is_binary())
            || has(OpKind::ClmulLow) && program.fields.iter().any(Field::is_binary)
            || looks_up && program.looks_up()
    }

    /// Whether it has an instruction that a program defines, in order to call it.
    pub fn is_called_by(&self, program: &Program) -> bool {
        let mut own = program.funcs.iter().filter_map(|func| func.instruction);
        own.any(|instruction| self.has_instruction(instruction))
    }

    /// Whether a program gains by this target in a direction.
    pub fn serves_in(&self, direction: Direction, program: &Program) -> bool {
        self.serves(program) && self.has_own_rows(direction, &program.fields)
    }

    /// Whether it has rows for a direction that its base has not, where its features are optional: those that programs with these
    /// fields may take.
    fn has_own_rows(&self, direction: Direction, fields: &[Field]) -> bool {
        let Some(base) = self.base().filter(|_| self.optional) else { return true };
        let same = |a: &Instance, b: &Instance| {
            (a.op, a.when, a.expression) == (b.op, b.when, b.expression)
        };
        let is_own = |row: &Instance| !base.rows().any(|known| same(known, row));
        let is_for = |row: &Instance| row.types.iter().any(|(known, _)| *known == direction);
        let multiplies = fields.iter().any(Field::is_binary);
        let is_taken =
            |row: &Instance| multiplies || !matches!(row.op, OpKind::ClmulLow | OpKind::ClmulHigh);
        self.rows().any(|row| is_for(row) && is_own(row) && is_taken(row))
    }

    /// The target to which this one adds features, if it leaves its registers as they are.
    pub fn base(&self) -> Option<&'static Target> {
        let fewer = |target: &Target| {
            target.architecture == self.architecture
                && target.bits == self.bits
                && target.features.len() < self.features.len()
                && target.features.iter().all(|feature| self.features.contains(feature))
        };
        let targets = all().iter().copied().filter(|target| fewer(target));
        targets.max_by_key(|target| target.features.len())
    }

    /// Whether every CPU that runs another target runs this one, too.
    pub fn runs_wherever(&self, other: &Target) -> bool {
        /// Each of them CPUs have with all before it.
        const VECTORS: [&str; 4] = ["ssse3", "avx", "avx2", "avx512f"];
        let known = other.features.iter().filter_map(|f| VECTORS.iter().position(|v| v == f)).max();
        let has = |feature: &&str| match VECTORS.iter().position(|vectors| vectors == feature) {
            Some(place) => known >= Some(place),
            None => other.features.contains(feature),
        };
        let same = self.architecture == other.architecture && self.extension == other.extension;
        self.guard().is_none() || (same && self.features.iter().all(has))
    }

    /// The target with narrower registers and the most features that runs wherever this one does.
    pub fn narrower(&self) -> Option<&'static Target> {
        let targets = all()
            .iter()
            .copied()
            .filter(|target| target.simd && target.bits < self.bits && target.runs_wherever(self));
        targets.max_by_key(|target| (target.features.len(), target.bits))
    }
}

/// All targets: of each architecture narrowest first.
pub fn all() -> &'static [&'static Target] {
    static ALL: [&Target; 25] = [
        &gp32::TARGET,
        &swar::GP32,
        &gp64::TARGET,
        &swar::GP64,
        &sse2::TARGET,
        &ssse3::TARGET,
        &aes::SSSE3,
        &sha::SSSE3,
        &avx::TARGET,
        &avx2::TARGET,
        &aes::AVX2,
        &aes::AVX2_GFNI,
        &avx512::TARGET,
        &avx512_ifma::TARGET,
        &avx512_gfni::TARGET,
        &aes::AVX512,
        &neon::TARGET,
        &neon_crypto::AES,
        &neon_crypto::SHA2,
        &neon_sha3::TARGET,
        &sve2::SVE256,
        &sve2::SVE512,
        &rvv::TARGET,
        &altivec::TARGET,
        &wasm_simd128::TARGET,
    ];
    &ALL
}

/// The target whose C runs everywhere, and that fits most CPUs.
pub fn everywhere() -> &'static Target {
    &gp64::TARGET
}

/// The architectures of all targets, each once, and those that have none of their own: what is for every machine is for them too.
pub fn architectures() -> Vec<&'static Architecture> {
    let mut all: Vec<&Architecture> = all().iter().map(|target| target.architecture).collect();
    all.extend(BIG_ENDIAN);
    all.dedup();
    all.sort_unstable_by_key(|architecture| architecture.name);
    all.dedup();
    all
}

/// Other names of targets: the levels of the x86-64 psABI whose features suffice for them, and features that come together.
pub const ALIASES: &[(&str, &str)] = &[
    ("x86-64", "gp64"),
    ("x86-64-v2", "ssse3"),
    ("x86-64-v3", "avx2"),
    ("x86-64-v4", "avx512"),
    ("avx512+vbmi+gfni", "avx512+gfni"),
];

/// The target of this name or alias.
pub fn find(name: &str) -> Option<&'static Target> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    all().iter().copied().find(|target| target.name == name)
}

/// The last target of [`all`] that a CPU runs, and for which compilers need not be told anything: `runs` answers for one.
/// [`everywhere`] if it is none.
pub fn native(runs: &dyn Fn(&Target) -> bool) -> &'static Target {
    let mut plain =
        all().iter().copied().filter(|target| target.extension.is_none() && !target.optional);
    plain.rfind(|target| runs(target)).unwrap_or(everywhere())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_reached() {
        for target in all() {
            for row in target.rows() {
                for (direction, widths) in row.types {
                    for width in *widths {
                        // Targets may have some tables of three inputs; instructions are each of their own.
                        let table = match row.when {
                            When::Table(table) => {
                                target.select(&Op::Ternary(table), *direction, *width).is_some()
                            }
                            When::Is(instruction) => {
                                let op = Op::Instruction(instruction);
                                target.select(&op, *direction, *width).is_some()
                            }
                            _ => false,
                        };
                        let general = target.instance(row.op, *direction, *width);
                        assert!(
                            table || general.is_some(),
                            "{} {row:?}: no general row",
                            target.name
                        );
                    }
                }
            }
        }
    }

    /// The calls in an expression that are instructions, the same call once.
    fn instructions(expression: &Expression, calls: &mut Vec<(Expression, Class)>) {
        if let Expression::Call(Intrinsic { class: Some(class), .. }, _) = expression {
            if !calls.iter().any(|(known, _)| known == expression) {
                calls.push((*expression, *class));
            }
        }
        if let Expression::Shuffled(_) = expression {
            calls.push((*expression, Class::VectorShuffleBytes));
        }
        expression.operands().iter().for_each(|operand| instructions(operand, calls));
    }

    fn has_operators(expression: &Expression) -> bool {
        let is_one = matches!(
            expression,
            Expression::Binary(..) | Expression::Unary(..) | Expression::Shift(..)
        );
        is_one || expression.operands().iter().any(has_operators)
    }

    #[test]
    fn every_intrinsic_is_work() {
        for target in all() {
            for row in target.rows() {
                let mut calls = Vec::new();
                instructions(&row.expression, &mut calls);
                let mut called: Vec<Class> = calls.into_iter().map(|(_, class)| class).collect();
                let mut work: Vec<Class> = row.work.concat();
                called.sort_unstable();
                work.sort_unstable();
                // Others are operators, for which compilers find the instructions.
                if has_operators(&row.expression) {
                    work.retain(|class| called.contains(class));
                }
                if !called.is_empty() {
                    assert_eq!(called, work, "{}: {row:?}", target.name);
                }
                assert_eq!(row.work.last().map(|step| step.len()), Some(1), "{row:?}");
            }
        }
    }

    #[test]
    fn features_are_added_to_a_target_with_the_same_registers() {
        let base = |name: &str| find(name).and_then(Target::base).map(|target| target.name);
        assert_eq!(base("avx512+gfni"), Some("avx512"));
        assert_eq!(base("neon+sha3"), Some("neon"));
        assert_eq!(base("ssse3+sha"), Some("ssse3"));
        assert_eq!([base("avx512"), base("avx2"), base("gp64+swar")], [None; 3]);
        assert_eq!(base("avx2+gfni+vaes"), Some("avx2+vaes"));
        let narrower = |name: &str| find(name).and_then(Target::narrower).map(|target| target.name);
        assert_eq!(narrower("avx512"), Some("avx2"));
        assert_eq!(narrower("avx512+gfni+vaes"), Some("avx2+gfni+vaes"));
        assert_eq!(narrower("avx2+vaes"), Some("ssse3+aes"));
        assert_eq!([narrower("sse2"), narrower("neon")], [None; 2]);
        let serves = |name: &str| {
            let target = find(name).expect("a target");
            [Direction::B, Direction::V, Direction::H, Direction::P]
                .map(|direction| target.has_own_rows(direction, &[]))
        };
        assert_eq!(serves("avx2+vaes"), [false, true, false, true]);
        assert_eq!(serves("avx512+gfni+vaes"), [false, false, false, true]);
        assert_eq!(serves("ssse3+sha"), [false, false, false, true]);
        assert_eq!(serves("avx512+gfni"), [true; 4]);
    }

    #[test]
    fn native_takes_the_widest_that_runs() {
        let x86 = |target: &Target| target.architecture == gp64::TARGET.architecture;
        let without = |feature: &'static str| {
            move |target: &Target| x86(target) && !target.features.contains(&feature)
        };
        assert_eq!(native(&|_| false).name, "gp64");
        assert_eq!(native(&|target| x86(target) && target.features.is_empty()).name, "sse2");
        assert_eq!(native(&without("avx512f")).name, "avx2");
        assert_eq!(native(&without("gfni")).name, "avx512");
        assert_eq!(native(&x86).name, "avx512+gfni");
        assert_eq!(native(&|target| target.architecture.name == "aarch64").name, "neon");
    }

    /// A table file has the names of its targets, and of their architectures, each on a line.
    #[test]
    fn every_table_is_registered() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/isa");
        let known = |name: &str| {
            find(name).is_some() || architectures().iter().any(|known| known.name == name)
        };
        for entry in std::fs::read_dir(folder).expect("the tables") {
            let path = entry.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let names = text.lines().filter_map(|line| line.trim().strip_prefix("name: \""));
            for name in names.filter_map(|rest| rest.strip_suffix("\",")) {
                assert!(known(name), "{}: {name} is not in all()", path.display());
            }
        }
    }

    #[test]
    fn aliases_name_targets() {
        for (alias, name) in ALIASES {
            assert_eq!(find(alias).map(|target| target.name), Some(*name));
        }
        assert!(find("itanium").is_none());
    }
}
