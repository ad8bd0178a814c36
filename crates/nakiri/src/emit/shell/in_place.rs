//! For languages in which a run may write where it reads: without the copies of what it would overwrite.

use super::{Action, Argument, By, Bytes, Function, Place, Shell, Stmt};
use std::collections::BTreeSet;

impl Shell {
    /// The same with no [`Action::Aside`].
    pub fn in_place(mut self) -> Shell {
        self.functions.iter_mut().for_each(Function::run_in_place);
        self
    }
}

impl Function {
    fn run_in_place(&mut self) {
        let mut arrays = BTreeSet::new();
        run_in_place(&mut self.body, &mut arrays);
        self.actions(&mut |action| {
            if !matches!(action, Action::Bytes(..) | Action::Clear(_)) {
                action.names(&mut |name| {
                    arrays.remove(name);
                });
            }
        });
        without(&mut self.body, &arrays);
    }
}

/// Runs read what was to be copied for them; the arrays that it was to be copied to.
fn run_in_place(body: &mut Vec<Stmt>, arrays: &mut BTreeSet<String>) {
    let mut aside: Vec<(Place, Place)> = Vec::new();
    for stmt in body.iter_mut() {
        match stmt {
            Stmt::Do(Action::Aside(to, from)) => {
                to.names(&mut |name| {
                    arrays.insert(name.to_string());
                });
                aside.push((to.clone(), from.clone()));
            }
            Stmt::Do(Action::Run(run)) => {
                for param in &mut run.params {
                    let own = aside.iter().position(|(to, _)| to == param);
                    if let Some(own) = own {
                        *param = aside.remove(own).1;
                    }
                }
            }
            Stmt::If(_, body, other) => {
                run_in_place(body, arrays);
                run_in_place(other, arrays);
            }
            Stmt::While(_, body) | Stmt::For(_, _, body) => run_in_place(body, arrays),
            _ => {}
        }
    }
    assert!(aside.is_empty(), "what is copied aside is for a run behind it");
    body.retain(|stmt| !matches!(stmt, Stmt::Do(Action::Aside(..))));
}

/// Leaves out arrays that nobody uses.
fn without(body: &mut Vec<Stmt>, arrays: &BTreeSet<String>) {
    body.retain_mut(|stmt| match stmt {
        Stmt::Do(Action::Bytes(name, _) | Action::Clear(name)) => !arrays.contains(name),
        Stmt::If(_, body, other) => {
            without(body, arrays);
            without(other, arrays);
            true
        }
        Stmt::While(_, body) | Stmt::For(_, _, body) => {
            without(body, arrays);
            true
        }
        _ => true,
    });
}

impl Place {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        match &self.of {
            Bytes::Named(name) | Bytes::Element(name, _) => visit(name),
            Bytes::Context(_) | Bytes::Constant(_) => {}
        }
    }
}

impl Action {
    /// Visits the arrays that it speaks of.
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Action::Bytes(name, _)
            | Action::Move(name, ..)
            | Action::Swap(name, ..)
            | Action::Clear(name) => visit(name),
            Action::Zero(place)
            | Action::SetByte(place, _)
            | Action::XorByte(place, _)
            | Action::XorAll(place, _)
            | Action::StoreBits(place, ..)
            | Action::StoreBytes(place, ..)
            | Action::StoreNumber(place, ..) => place.names(visit),
            Action::Copy(a, b)
            | Action::Aside(a, b)
            | Action::Mask(a, b)
            | Action::Images(_, a, b) => {
                [a, b].into_iter().for_each(|place| place.names(visit));
            }
            Action::Compare(a, b, c) => [a, b, c].into_iter().for_each(|place| place.names(visit)),
            Action::Run(run) => {
                let constants = match &run.by {
                    By::Own => None,
                    By::Beside(_, constants) => constants.as_ref(),
                };
                let places = run.results.iter().chain(&run.params).chain(constants);
                places.for_each(|place| place.names(visit));
            }
            Action::Call(_, arguments) | Action::CallAlone(_, arguments) => {
                arguments.iter().for_each(|argument| match argument {
                    Argument::Place(place) => place.names(visit),
                    Argument::Element(name, _) | Argument::Same(name) => visit(name),
                    Argument::Size(_) | Argument::Context(_) => {}
                })
            }
            Action::Context(_)
            | Action::Sizes(..)
            | Action::ZeroSizes(_)
            | Action::SwapAt(..)
            | Action::Let(..)
            | Action::Took(_)
            | Action::TookNothing
            | Action::Wipe
            | Action::Return => {}
        }
    }
}
