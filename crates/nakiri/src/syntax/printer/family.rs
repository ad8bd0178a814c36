//! Members of families.

use super::words::Words;
use super::Printer;
use crate::syntax::ast::{Member, MemberKind};

impl Printer<'_> {
    pub(super) fn member(&mut self, member: &Member) {
        let Member { kind, options, name, family, choices, span } = member;
        let keyword = match kind {
            MemberKind::Node => "node",
            MemberKind::Mode => "mode",
        };
        let introduction = format!("{}{keyword} {}", self.options(options), name.name);
        let choices: Vec<String> = choices.iter().map(|n| self.static_expression(n)).collect();
        let text = format!("{introduction} = {}({})", family.name, choices.join(", "));
        self.line(Words::one(text), *span);
    }
}
