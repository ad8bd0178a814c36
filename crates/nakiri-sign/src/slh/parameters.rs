//! Parameter sets (FIPS 205, section 11, table 2).

/// A parameter set of SLH-DSA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// Its place in [`Set::ALL`].
    number: u8,
    /// Its name, such as `SLH-DSA-SHA2-128s`.
    pub name: &'static str,
    /// Whether it is made of SHAKE256, and not of SHA-2.
    pub shake: bool,
    /// Bytes of a hash value.
    pub n: usize,
    /// Layers of trees.
    pub layers: u32,
    /// Levels of each tree.
    pub height: u32,
    /// Levels of each tree of FORS.
    pub fors_height: u32,
    /// Trees of FORS.
    pub fors_trees: usize,
}

const fn set(
    number: u8,
    name: &'static str,
    n: usize,
    (layers, height): (u32, u32),
    (fors_height, fors_trees): (u32, usize),
) -> Set {
    Set { number, name, shake: number >= 6, n, layers, height, fors_height, fors_trees }
}

impl Set {
    /// All sets, in the order of their object identifiers.
    pub const ALL: [Set; 12] = [
        set(0, "SLH-DSA-SHA2-128s", 16, (7, 9), (12, 14)),
        set(1, "SLH-DSA-SHA2-128f", 16, (22, 3), (6, 33)),
        set(2, "SLH-DSA-SHA2-192s", 24, (7, 9), (14, 17)),
        set(3, "SLH-DSA-SHA2-192f", 24, (22, 3), (8, 33)),
        set(4, "SLH-DSA-SHA2-256s", 32, (8, 8), (14, 22)),
        set(5, "SLH-DSA-SHA2-256f", 32, (17, 4), (9, 35)),
        set(6, "SLH-DSA-SHAKE-128s", 16, (7, 9), (12, 14)),
        set(7, "SLH-DSA-SHAKE-128f", 16, (22, 3), (6, 33)),
        set(8, "SLH-DSA-SHAKE-192s", 24, (7, 9), (14, 17)),
        set(9, "SLH-DSA-SHAKE-192f", 24, (22, 3), (8, 33)),
        set(10, "SLH-DSA-SHAKE-256s", 32, (8, 8), (14, 22)),
        set(11, "SLH-DSA-SHAKE-256f", 32, (17, 4), (9, 35)),
    ];

    /// The set with a name, whatever its case, with `SLH-DSA-` or without.
    pub fn named(name: &str) -> Option<Set> {
        let name = name.to_uppercase();
        let is_named = |set: &Set| {
            let own = set.name.to_uppercase();
            name == own || own.strip_prefix("SLH-DSA-") == Some(&name)
        };
        Set::ALL.into_iter().find(is_named)
    }

    /// The last number of its object identifier, 2.16.840.1.101.3.4.3.20 to 31 (RFC 9909, section 3).
    pub fn identifier(self) -> u8 {
        20 + self.number
    }

    /// Chains of a one-time key: digits of four bits of a hash value, and three of a checksum.
    pub fn chains(self) -> usize {
        2 * self.n + 3
    }

    /// Leaves of the uppermost tree, which key generation hashes.
    pub fn top_leaves(self) -> u64 {
        1 << self.height
    }

    /// Bytes of a private key.
    pub fn private_bytes(self) -> usize {
        4 * self.n
    }

    /// Bytes of a public key.
    pub fn public_bytes(self) -> usize {
        2 * self.n
    }

    /// Bytes of a signature.
    pub fn signature_bytes(self) -> usize {
        self.n * (1 + self.fors_nodes() + self.layers as usize * self.layer_nodes())
    }

    /// Hash values of the part that FORS makes.
    pub(super) fn fors_nodes(self) -> usize {
        self.fors_trees * (1 + self.fors_height as usize)
    }

    /// Hash values of the part that a layer makes.
    pub(super) fn layer_nodes(self) -> usize {
        self.chains() + self.height as usize
    }

    /// Levels of all layers but the lowest.
    pub(super) fn upper_levels(self) -> u32 {
        self.height * (self.layers - 1)
    }
}
