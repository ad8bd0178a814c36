//! How instructions are written in assembly: data beside the intrinsic that stands for them in C.

/// An instruction in assembly, with its operands in the order of its intrinsic, which is that of Intel's manuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its name without the `v` of AVX; `{x}` is the letter of the elements, which are atoms.
    pub mnemonic: &'static str,
    /// What is behind the name in registers of 512 bits.
    pub wide: &'static str,
    /// What its operands are.
    pub operands: Operands,
    /// Whether the first two operands may change places.
    pub commutes: bool,
    /// Whether its last vector may lie in memory.
    pub folds: Folds,
    /// What of memory it can put into each element of a register of 512 bits.
    pub broadcast: Broadcast,
}

/// What the operands of an instruction are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// The result and vectors.
    Vectors,
    /// The same; the result overwrites the first.
    Tied,
    /// Three vectors of which the result overwrites one. Any of them can be any, for a table of their bits goes with it.
    Table,
    /// The result is a mask.
    ToMask,
    /// The first is a mask that chooses between elements of the others.
    Blend,
    /// The first is a mask that keeps elements, others are zeros.
    Zeroing,
    /// The only one is a mask.
    FromMask,
}

/// When an operand of an instruction may lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folds {
    /// Always.
    Always,
    /// In registers of 512 bits.
    Wide,
    /// Never.
    Never,
}

/// Which part of memory an instruction puts into each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broadcast {
    /// None.
    None,
    /// So many bits.
    Bits(u16),
    /// An element, if it has 32 bits or more.
    Element,
}

impl Form {
    /// An instruction on vectors.
    pub const fn new(mnemonic: &'static str) -> Form {
        Form {
            mnemonic,
            wide: "",
            operands: Operands::Vectors,
            commutes: false,
            folds: Folds::Always,
            broadcast: Broadcast::None,
        }
    }

    /// With operands of another kind.
    pub const fn on(self, operands: Operands) -> Form {
        Form { operands, ..self }
    }

    /// Whose operands may change places.
    pub const fn commutes(self) -> Form {
        Form { commutes: true, ..self }
    }

    /// With memory as an operand only then.
    pub const fn folds(self, folds: Folds) -> Form {
        Form { folds, ..self }
    }

    /// Which repeats this part of memory.
    pub const fn repeats(self, broadcast: Broadcast) -> Form {
        Form { broadcast, ..self }
    }

    /// Which works on any elements and is named by those of 64 bits in registers of 512.
    pub const fn by_quads(self) -> Form {
        Form { wide: "q", broadcast: Broadcast::Bits(64), ..self }
    }

    /// Bits of memory that it repeats, for elements of `width` bits in registers of `bits`; none if it repeats nothing.
    pub fn repeated(&self, width: u16, bits: u32) -> Option<u16> {
        match self.broadcast {
            _ if bits < 512 => None,
            Broadcast::None => None,
            Broadcast::Bits(bits) => Some(bits),
            Broadcast::Element => (width >= 32).then_some(width),
        }
    }

    /// Whether its last vector may lie in memory, in registers of `bits`.
    pub fn reads_memory(&self, bits: u32) -> bool {
        match self.folds {
            Folds::Always => true,
            Folds::Wide => bits == 512,
            Folds::Never => false,
        }
    }

    /// Its name, for elements of `width` bits in registers of `bits`.
    pub fn name(&self, width: u16, bits: u32) -> String {
        let letter = match width {
            8 => "b",
            16 => "w",
            32 => "d",
            _ => "q",
        };
        let wide = if bits == 512 { self.wide } else { "" };
        format!("v{}{wide}", self.mnemonic.replace("{x}", letter))
    }
}
