//! Random well-typed Usuba programs, over all constructs of the language: what the compiler is tried on.
//!
//! A program is made from a seed and nothing else. It is written in the order of its dataflow, so that everything
//! read is defined, and only then put out of order where the language allows it.

mod body;
mod constants;
mod definitions;
mod expression;
mod loops;
mod masks;
mod options;
mod profile;
mod rng;
mod selection;
mod statement;

pub use constants::{member, named};
pub use masks::masks;
pub use options::{options, reopened};
pub use profile::{Profile, PROFILES};
pub use rng::Rng;

/// A random program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// What it is made of, and which slicings it is legal for.
    pub profile: &'static Profile,
    /// The word size to compile for, if its entry is generic.
    pub width: Option<u16>,
    /// The bits of its atoms, or of most of them.
    pub bits: u16,
    /// Its text.
    pub text: String,
}

/// The program of a seed. Seeds go through the profiles in turn.
pub fn program(seed: u64) -> Program {
    let profile = &PROFILES[(seed % PROFILES.len() as u64) as usize];
    let mut rng = Rng::new(seed);
    let width = *rng.pick(profile.widths);
    let text = definitions::program(&mut rng, profile, width);
    Program { seed, profile, width: profile.generic.then_some(width), bits: width, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nakiri::source::SourceMap;
    use nakiri::syntax::{parser, Dialect};

    #[test]
    fn programs_parse_without_a_message() {
        for seed in 0..400 {
            let program = program(seed);
            let mut sources = SourceMap::default();
            let file = sources.add("random.ua", program.text.as_str());
            let parsed = parser::parse(&sources, file, Dialect::Nakiri);
            let messages: Vec<String> =
                parsed.diagnostics.iter().map(|d| d.render(&sources, false)).collect();
            assert!(messages.is_empty(), "seed {seed}\n{}\n{}", program.text, messages.join("\n"));
        }
    }

    #[test]
    fn a_seed_is_a_program() {
        assert_eq!(program(17).text, program(17).text);
        assert_ne!(program(17).text, program(17 + PROFILES.len() as u64).text);
    }

    #[test]
    fn every_construct_occurs() {
        let all: String = (0..600).map(|seed| program(seed).text).collect();
        let constructs = [
            "_lsb table",
            "table T",
            "perm ",
            "_inline node",
            "_no_inline node",
            "_unroll forall",
            "_no_unroll forall",
            "nat",
            "const ",
            "u<'D>",
            "u'm",
            "v4",
            "b8",
            ":u16",
            "Shuffle(",
            "Bitmask(",
            "Pack(",
            ":=",
            "^=",
            "+=",
            "<<<",
            ">>>",
            ">>!",
            " << ",
            " >> ",
            "~",
            "..",
            "node[] ",
            "table[] ",
            "perm[] ",
            ">(",
            "@be",
            "@le",
            "@planes",
            "@Q1",
            " % ",
            " * ",
            " - ",
            "i + 1]",
            "i + 2]",
            "- i",
            "# ",
            "0b",
            "0x",
            "forall j",
            "state ",
            "next s0",
            "next s0[",
        ];
        for construct in constructs {
            assert!(all.contains(construct), "no program has `{construct}`");
        }
    }
}
