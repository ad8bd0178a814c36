//! Modes that go over a stream twice: first for a tag, then for the stream that is given beside it. On the way back the second loop
//! is the first one, and what it needs of the tag is that which came with the text.

use super::error;
use super::refused::place;
use super::sections::{is_stream, single, Sections};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{self, Each, Eqn, Ident, Part};

/// The section that stands behind the results, on which the second loop depends.
pub const AGAIN: &str = "again";

/// The loop that gives a stream beside one that another loop went over before.
pub fn second(mode: &ast::Mode) -> Option<&Each> {
    let loops = || mode.parts.iter().filter_map(Part::each);
    let giving = loops().find(|each| each.given.is_some())?;
    let is_first = |each: &&Each| each.stream.name == giving.stream.name;
    let first = loops().find(is_first)?;
    (!std::ptr::eq(first, giving)).then_some(giving)
}

/// How many equations between the two loops make the results: all but those that stand behind the last one that does.
pub fn results_end(mode: &ast::Mode, equations: &[Eqn]) -> usize {
    let makes = |equation: &Eqn| {
        let defined = super::variables::defined(std::slice::from_ref(equation));
        results(mode).any(|result| defined.contains(&&*result.name))
    };
    equations.iter().rposition(makes).map_or(0, |last| last + 1)
}

fn results(mode: &ast::Mode) -> impl Iterator<Item = Ident> + '_ {
    single(&mode.returns).filter(|group| !is_stream(group)).map(|mut group| group.names.remove(0))
}

impl Sections<'_> {
    /// Whether a name is a result that sections behind it may read.
    pub fn is_known_result(&self, name: &str) -> bool {
        second(self.mode).is_some() && results(self.mode).any(|result| result.name == name)
    }

    /// Refuses loops that stand otherwise than one behind the other with the results between them, and what goes from one to the
    /// other, which is not known on the way back.
    pub fn check_twice(&self) -> Result<(), Diagnostic> {
        let Some(second) = second(self.mode) else { return Ok(()) };
        let number = |name: &str| self.list.iter().position(|section| section.name == name);
        let over = |each: &&Each| each.stream.name == second.stream.name;
        let all: Vec<&Each> = self.loops().collect();
        let ends = all.len() >= 2 && all[all.len() - 2..].iter().all(over);
        let (true, Some(finish)) = (ends, number("finish")) else {
            return Err(error(second.span, format!("`{}` is gone over twice", second.stream.name))
                .label("this loop doesn't stand behind the first and the results of that")
                .help("a mode ends with the first loop, the results, and the loop that gives a stream"));
        };
        if let Some(Part::Equations(behind)) = self.mode.parts.last() {
            return Err(error(place(&behind[0]), "nothing is done here")
                .label("behind a loop that goes over a stream a second time")
                .help("the results stand in front of it"));
        }
        let is_first = |section: &super::sections::Section| {
            section.role.each().is_some_and(|each| over(&each)) || section.name == "finish"
        };
        let first: Vec<_> = self.list[..=finish].iter().filter(|s| is_first(s)).collect();
        let second = &self.list[finish + 1..];
        for section in second {
            if let Some(name) = section.incoming.iter().find(|name| {
                let made = first.iter().any(|section| self.defines(section, name));
                made && !self.is_known_result(name)
            }) {
                return Err(self.goes_across(name));
            }
            let result = section.incoming.iter().find(|name| self.is_known_result(name));
            if let Some(name) = result.filter(|_| section.name != AGAIN) {
                return Err(error(self.place(name), format!("a loop reads the result `{name}`"))
                    .help("copy it to a variable between its equation and the loop"));
            }
        }
        let changed = |name: &&&str| second.iter().any(|section| self.defines(section, name));
        match first.iter().flat_map(|section| &section.incoming).find(changed) {
            Some(name) => Err(self.goes_across(name)),
            None => Ok(()),
        }
    }

    fn goes_across(&self, name: &str) -> Diagnostic {
        error(self.place(name), format!("`{name}` belongs to both loops over a stream"))
            .label("on the way back the second one is done first")
            .help("of what one changes the other may know the results alone: take a variable for each")
    }
}
