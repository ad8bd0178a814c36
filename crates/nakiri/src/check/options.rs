//! Options before definitions.

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Def, DefKind, OptKind};
use num_traits::ToPrimitive;

impl Checker<'_> {
    /// Reports options that a definition can't have.
    pub fn check_options(&mut self, def: &Def) {
        for option in &def.options {
            let (allowed, only) = match &option.kind {
                OptKind::Lsb => (matches!(def.kind, DefKind::Table(_)), "tables"),
                OptKind::Inline | OptKind::NoInline => {
                    (matches!(def.kind, DefKind::Node(_)), "nodes")
                }
                OptKind::Interleave(n) => {
                    if !n.to_u32().is_some_and(|n| (1..=64).contains(&n)) {
                        self.report(
                            Diagnostic::error("E0110", option.span, "this factor makes no sense")
                                .label("interleave 1 to 64 copies"),
                        );
                    }
                    (matches!(def.kind, DefKind::Node(_)), "nodes")
                }
                OptKind::Unroll | OptKind::NoUnroll => (false, "`forall`"),
                OptKind::Obsolete(_) => continue,
            };
            if !allowed {
                self.report(
                    Diagnostic::error("E0110", option.span, "this option can't stand here")
                        .label(format!("it is for {only} only"))
                        .also(def.name.span, "of this definition"),
                );
            }
        }
    }
}
