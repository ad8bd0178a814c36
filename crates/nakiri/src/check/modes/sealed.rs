//! Modes that go over what they give: a code of the sealed text. On the way back that is the text that is taken, and the loop over it
//! comes before the one that overwrites it.

use super::error;
use super::sections::{Section, Sections};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{self, Each, Part};

/// The loop over a stream that a loop before it gives.
pub fn over_given(mode: &ast::Mode) -> Option<&Each> {
    let mut given = None;
    mode.parts.iter().filter_map(Part::each).find(|each| {
        let is_own = given == Some(&each.stream.name);
        given = given.or(each.given.as_ref().map(|given| &given.stream.name));
        is_own
    })
}

impl Sections<'_> {
    /// Which of the streams that the mode takes a loop goes over, or over that beside which it is given.
    pub fn stream(&self, each: &Each) -> Option<usize> {
        if let Some(tree) = self.tree(each) {
            return self.streams.iter().position(|stream| stream.name == tree.stream.name);
        }
        let gives =
            |own: &&Each| own.given.as_ref().is_some_and(|g| g.stream.name == each.stream.name);
        let beside = self.loops().find(gives).map_or(&each.stream, |giving| &giving.stream);
        self.streams.iter().position(|stream| stream.name == beside.name)
    }

    /// Refuses what goes from the loop that gives a stream to what stands behind it, and what that changes of what the loop reads.
    pub fn check_sealed(&self) -> Result<(), Diagnostic> {
        let Some(over) = over_given(self.mode) else { return Ok(()) };
        let gives =
            |section: &&Section| section.role.each().is_some_and(|each| each.given.is_some());
        let giving = || self.list.iter().filter(gives);
        let behind = || self.list.iter().skip_while(|own| !gives(own)).filter(|own| !gives(own));
        let read_behind = behind().flat_map(|section| &section.incoming);
        let made = |name: &&&str| giving().any(|section| self.defines(section, name));
        let read = giving().flat_map(|section| &section.incoming);
        let changed = |name: &&&str| behind().any(|section| self.defines(section, name));
        match read_behind.filter(made).chain(read.filter(changed)).next() {
            Some(name) => {
                let message =
                    format!("`{name}` belongs to the loop that gives `{}`, too", over.stream.name);
                Err(error(self.place(name), message)
                    .also(over.span, "on the way back this loop is done before that one")
                    .help(
                        "of what one changes the other may know nothing: take a variable for each",
                    ))
            }
            None => Ok(()),
        }
    }
}
