//! The gates that a circuit may be made of.

/// A set of gates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Basis {
    /// `&`, `|`, `^`, `!a & b`, `!a | b` and `!`, each one gate: what the compiler counts.
    Standard,
    /// `&`, `|`, `^` and `!`, each one gate.
    Plain,
    /// Every function of two inputs is one gate and inverters are free, as most papers count.
    FreeNot,
    /// Every function of three inputs is one gate, as on AVX-512.
    Ternary,
}

impl Basis {
    /// All of them.
    pub const ALL: [Basis; 4] = [Basis::Standard, Basis::Plain, Basis::FreeNot, Basis::Ternary];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Basis::Standard => "standard",
            Basis::Plain => "plain",
            Basis::FreeNot => "free-not",
            Basis::Ternary => "ternary",
        }
    }

    /// The number of operands of its largest gate.
    pub(crate) fn arity(self) -> usize {
        match self {
            Basis::Ternary => 3,
            _ => 2,
        }
    }

    /// Whether a gate and its complement cost the same with operands complemented at will, so that signals may be
    /// taken to be zero where all inputs are.
    pub(crate) fn is_normal(self) -> bool {
        matches!(self, Basis::FreeNot | Basis::Ternary)
    }

    /// The functions of two operands that one gate computes: bit `2 a + b` of each is its value.
    pub(crate) fn pairs(self) -> &'static [u8] {
        const AND: u8 = 0b1000;
        const OR: u8 = 0b1110;
        const XOR: u8 = 0b0110;
        const NOT: [u8; 2] = [0b0011, 0b0101];
        match self {
            Basis::Standard => &[AND, OR, XOR, 0b0010, 0b0100, 0b1011, 0b1101, NOT[0], NOT[1]],
            Basis::Plain => &[AND, OR, XOR, NOT[0], NOT[1]],
            Basis::FreeNot => &[AND, OR, XOR, 0b0010, 0b0100],
            Basis::Ternary => &[],
        }
    }

    /// What `circuit` costs: its gates, without inverters if these are free.
    pub fn cost(self, circuit: &nakiri::circuit::Circuit) -> usize {
        let is_free = |gate: &&nakiri::circuit::Gate| {
            self == Basis::FreeNot && matches!(gate, nakiri::circuit::Gate::Not(_))
        };
        circuit.size() - circuit.gates.iter().filter(is_free).count()
    }
}
