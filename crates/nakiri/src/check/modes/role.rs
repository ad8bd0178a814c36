//! What the sections of a mode are.

use crate::syntax::ast::{Each, Group, Padding, Short, Tree};

/// What a section is.
#[derive(Clone, Copy)]
pub enum Role<'a> {
    /// Equations outside of loops.
    Once,
    /// What is done with each block of a stream.
    Body(&'a Each),
    /// What is done with its last block instead.
    Last(&'a Each),
    /// What is done with a last block that is not whole instead.
    Short(&'a Each),
    /// What makes a block of a stream.
    Squeeze(&'a Each),
    /// What makes one vertex of two.
    Pair(&'a Tree),
}

impl<'a> Role<'a> {
    pub fn each(self) -> Option<&'a Each> {
        match self {
            Role::Once | Role::Pair(_) => None,
            Role::Body(each) | Role::Last(each) | Role::Short(each) | Role::Squeeze(each) => {
                Some(each)
            }
        }
    }

    /// Whether its block may be one that the stream doesn't fill.
    pub fn may_be_short(self) -> bool {
        match self {
            Role::Last(each) => each.whole.is_none() && !matches!(each.short, Some(Short::Own(..))),
            Role::Short(_) => true,
            Role::Once | Role::Body(_) | Role::Squeeze(_) | Role::Pair(_) => false,
        }
    }

    /// Whether it is done with the last block of the same loop as another one.
    pub fn excludes(self, other: Role) -> bool {
        matches!((self, other), (Role::Last(a), Role::Short(b)) if std::ptr::eq(a, b))
    }

    /// The blocks that it takes or makes.
    pub fn blocks(self) -> impl Iterator<Item = &'a Group> {
        self.each().into_iter().flat_map(|each| {
            [Some(&each.block), each.given.as_ref().map(|given| &given.block)].into_iter().flatten()
        })
    }

    pub fn is_block(self, name: &str) -> bool {
        self.blocks().any(|group| group.names[0].name == name)
    }

    /// Whether it may be done several times, or never.
    pub fn is_repeated(self) -> bool {
        match self {
            Role::Once | Role::Pair(_) => false,
            Role::Body(_) | Role::Short(_) | Role::Squeeze(_) => true,
            Role::Last(each) => match each.short {
                Some(Short::Own(..)) => true,
                Some(Short::Same(_)) => each.unless_empty.is_some(),
                None => each.unless_empty.is_some() || !has_marker(each),
            },
        }
    }
}

/// Whether a byte follows the stream's last, so that there is a last block.
pub fn has_marker(each: &Each) -> bool {
    marks(each.padding.as_ref())
}

/// Whether a byte follows the last one of a stream with this padding.
pub fn marks(padding: Option<&Padding>) -> bool {
    padding.is_some_and(|padding| padding.first.is_some())
}
