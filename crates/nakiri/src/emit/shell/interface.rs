//! What programs call of a mode, in no language: which functions there are, and their names.

use super::{mode, Shell};
use crate::emit::library::Instance;
use crate::mode::{Limit, Mode};

/// A mode and the functions that it becomes.
pub struct Interface<'a> {
    /// The mode.
    pub mode: &'a Mode,
    /// What its functions are made of.
    pub shell: Shell,
}

impl<'a> Interface<'a> {
    /// That of an instance's mode, if it has one.
    ///
    /// # Errors
    /// What can't be written.
    pub fn of(instance: &'a Instance) -> Result<Option<Interface<'a>>, String> {
        let shell = mode::of(instance)?;
        Ok(instance.mode.as_ref().zip(shell).map(|(mode, shell)| Interface { mode, shell }))
    }

    /// Whether messages may come in parts.
    pub fn has_parts(&self) -> bool {
        self.mode.has_parts()
    }

    /// Whether there is a context that is no part of the interface.
    pub fn has_own_context(&self) -> bool {
        !self.has_parts() && !self.shell.context.is_empty()
    }

    /// What chooses the variant that takes a message alone: chunks of a tree are as many messages.
    pub fn takes(&self) -> &'static str {
        match self.mode.has_trees() {
            true => "among",
            false => "alone",
        }
    }

    /// Whether there is a way back.
    pub fn opens(&self) -> bool {
        self.shell.has("opened")
    }

    /// There, and back if there is a way.
    pub fn ways(&self) -> impl Iterator<Item = bool> + '_ {
        [false, true].into_iter().filter(|back| !back || self.opens())
    }

    /// Whether a way ends with a verdict.
    pub fn judges(&self, back: bool) -> bool {
        back && self.mode.result_bytes() > 0
    }

    /// The parameters of streams of which some lengths are refused, there or back, with those that are not.
    pub fn limits(&self, back: bool) -> impl Iterator<Item = (&str, Limit)> {
        let streams = self.streams(back).into_iter().enumerate();
        let limited = streams.map(|(k, name)| (name, self.mode.limit(k)));
        limited.filter(|(_, limit)| limit.refuses())
    }

    /// The parameters by which the streams come, there or back.
    pub fn streams(&self, back: bool) -> Vec<&str> {
        let mut names: Vec<&str> = self.shell.streams.iter().map(|name| &**name).collect();
        if let (true, Some(each), Some(given)) = (back, self.mode.giving(), &self.shell.given) {
            names[each.stream] = given;
        }
        names
    }

    /// That of the stream beside which one is given.
    pub fn giving(&self, back: bool) -> Option<&str> {
        self.mode.giving().map(|each| self.streams(back)[each.stream])
    }

    /// What follows the name of the instance in that of a function, of one message or of many.
    pub fn name(&self, back: bool, many: bool) -> String {
        let way = match (self.opens(), self.mode.result_bytes() > 0, back) {
            (false, ..) => "",
            (true, true, false) => "_seal",
            (true, true, true) => "_open",
            (true, false, false) => "_encrypt",
            (true, false, true) => "_decrypt",
        };
        format!("{way}{}", if many { "_many" } else { "" })
    }
}
