//! The competitors: who has which of our ciphers under which name, and how each is told what CPU features to use.

use super::mask::Mask;
use super::Mode::{self, Blocks, Ctr, Ecb};

/// A library to compare with.
#[derive(Debug)]
pub struct Competitor {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// How it is reached.
    pub source: Source,
    /// How it is kept to a target's instructions.
    pub mask: Mask,
    /// What it has of ours.
    pub offers: &'static [Offer],
}

/// How a library is reached.
#[derive(Debug)]
pub enum Source {
    /// By a file that is compiled with the library's headers on the user's machine.
    Adapter(Adapter),
    /// By crates that are compiled into this program.
    Crates,
}

/// A file that offers a library's ciphers by the functions of `adapters/against.h`.
#[derive(Debug)]
pub struct Adapter {
    /// The Debian package of the library's headers.
    pub package: &'static str,
    /// The language of `text`.
    pub language: Language,
    /// The file.
    pub text: &'static str,
    /// The compiler's flags for this library.
    pub flags: &'static [&'static str],
}

/// The language of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Language {
    C,
    Cpp,
}

/// One cipher of a library.
#[derive(Debug)]
pub struct Offer {
    /// The instance's prefix in `cipher.toml`.
    pub instance: &'static str,
    /// The library's name for it.
    pub algorithm: &'static str,
    /// Its modes.
    pub modes: &'static [Mode],
}

const fn offer(instance: &'static str, algorithm: &'static str, modes: &'static [Mode]) -> Offer {
    Offer { instance, algorithm, modes }
}

/// All of them.
pub const COMPETITORS: &[Competitor] = &[
    Competitor {
        name: "openssl",
        title: "OpenSSL",
        source: Source::Adapter(Adapter {
            package: "libssl-dev",
            language: Language::C,
            text: include_str!("adapters/openssl.c"),
            flags: &["-lcrypto"],
        }),
        mask: Mask::OPENSSL,
        offers: &[
            offer("aes128", "AES-128-CTR", &[Ctr]),
            offer("aes128", "AES-128-ECB", &[Ecb]),
            offer("chacha20", "ChaCha20", &[Ctr]),
            offer("des", "DES-ECB", &[Ecb]),
        ],
    },
    Competitor {
        name: "libgcrypt",
        title: "libgcrypt",
        source: Source::Adapter(Adapter {
            package: "libgcrypt20-dev",
            language: Language::C,
            text: include_str!("adapters/libgcrypt.c"),
            flags: &["-lgcrypt"],
        }),
        mask: Mask::LIBGCRYPT,
        offers: &[
            offer("aes128", "AES", &[Ctr, Ecb]),
            offer("chacha20", "CHACHA20", &[Ctr]),
            offer("des", "DES", &[Ctr, Ecb]),
            offer("serpent128", "SERPENT128", &[Ctr, Ecb]),
            offer("serpent192", "SERPENT192", &[Ctr, Ecb]),
            offer("serpent256", "SERPENT256", &[Ctr, Ecb]),
        ],
    },
    Competitor {
        name: "nettle",
        title: "Nettle",
        source: Source::Adapter(Adapter {
            package: "nettle-dev",
            language: Language::C,
            text: include_str!("adapters/nettle.c"),
            flags: &["-lnettle"],
        }),
        mask: Mask::NETTLE,
        offers: &[
            offer("aes128", "aes128", &[Ctr, Ecb]),
            offer("chacha20", "chacha", &[Ctr]),
            offer("des", "des", &[Ctr, Ecb]),
            offer("serpent128", "serpent128", &[Ctr, Ecb]),
            offer("serpent192", "serpent192", &[Ctr, Ecb]),
            offer("serpent256", "serpent256", &[Ctr, Ecb]),
        ],
    },
    Competitor {
        name: "botan",
        title: "Botan",
        source: Source::Adapter(Adapter {
            package: "libbotan-2-dev",
            language: Language::Cpp,
            text: include_str!("adapters/botan.cpp"),
            flags: &[
                "-isystem/usr/local/include/botan-2",
                "-isystem/usr/include/botan-2",
                "-lbotan-2",
            ],
        }),
        mask: Mask::BOTAN,
        offers: &[
            offer("aes128", "AES-128", &[Ctr, Ecb]),
            offer("chacha20", "ChaCha(20)", &[Ctr]),
            offer("des", "DES", &[Ctr, Ecb]),
            offer("serpent128", "Serpent", &[Ctr, Ecb]),
            offer("serpent192", "Serpent", &[Ctr, Ecb]),
            offer("serpent256", "Serpent", &[Ctr, Ecb]),
        ],
    },
    Competitor {
        name: "libsodium",
        title: "libsodium",
        source: Source::Adapter(Adapter {
            package: "libsodium-dev",
            language: Language::C,
            text: include_str!("adapters/libsodium.c"),
            flags: &["-lsodium"],
        }),
        mask: Mask::None,
        offers: &[offer("chacha20", "ChaCha20", &[Ctr])],
    },
    Competitor {
        name: "cryptopp",
        title: "Crypto++",
        source: Source::Adapter(Adapter {
            package: "libcrypto++-dev",
            language: Language::Cpp,
            text: include_str!("adapters/cryptopp.cpp"),
            flags: &["-lcryptopp"],
        }),
        mask: Mask::None,
        offers: &[
            offer("aes128", "AES", &[Ctr, Ecb]),
            offer("chacha20", "ChaChaTLS", &[Ctr]),
            offer("des", "DES", &[Ctr, Ecb]),
            offer("serpent128", "Serpent", &[Ctr, Ecb]),
            offer("serpent192", "Serpent", &[Ctr, Ecb]),
            offer("serpent256", "Serpent", &[Ctr, Ecb]),
        ],
    },
    Competitor {
        name: "rustcrypto",
        title: "RustCrypto",
        source: Source::Crates,
        mask: Mask::None,
        offers: &[
            offer("aes128", "aes 0.9", &[Ctr, Ecb]),
            offer("ascon_p12", "ascon 0.5", &[Blocks]),
            offer("chacha20", "chacha20 0.10", &[Ctr]),
            offer("des", "des 0.9", &[Ctr, Ecb]),
            offer("serpent128", "serpent 0.6", &[Ctr, Ecb]),
            offer("serpent192", "serpent 0.6", &[Ctr, Ecb]),
            offer("serpent256", "serpent 0.6", &[Ctr, Ecb]),
        ],
    },
];

impl Competitor {
    /// The library's name for a cipher in a mode, if it has it.
    pub fn algorithm(&self, instance: &str, mode: Mode) -> Option<&'static str> {
        let has = |offer: &&Offer| offer.instance == instance && offer.modes.contains(&mode);
        self.offers.iter().find(has).map(|offer| offer.algorithm)
    }
}

/// The competitor of this name.
pub fn find(name: &str) -> Option<&'static Competitor> {
    COMPETITORS.iter().find(|competitor| competitor.name == name)
}
