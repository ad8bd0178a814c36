//! What was compiled in this run for more than one use: key schedules, which the variants of a library and the kernels of a table
//! share, and pieces of modes, of which some differ in nothing but their names.

use nakiri::compile::{self, Kernel, Options};
use nakiri::core::Program;
use nakiri::cost;
use nakiri::diagnostic::Diagnostic;
use nakiri::memo::Memo;
use nakiri::pass::chain::Links;

/// What was compiled. In questions that stands first which tells most of them apart.
#[derive(Debug)]
pub struct Compiled {
    kernels: Memo<(Options, Program), Result<Kernel, Vec<Diagnostic>>>,
    stretches: Memo<(Options, u32, String, Links, Program), Vec<cost::Stretch>>,
}

impl Default for Compiled {
    fn default() -> Compiled {
        Compiled { kernels: Memo::new(usize::MAX), stretches: Memo::new(usize::MAX) }
    }
}

impl Compiled {
    /// The kernel of a program.
    ///
    /// # Errors
    /// Why it can't be compiled so.
    pub fn kernel(&self, program: &Program, options: Options) -> Result<Kernel, Vec<Diagnostic>> {
        self.kernels.of((options, program.clone()), |(options, program)| {
            compile::compile(program, options, &mut |_, _| {})
        })
    }

    /// What [`cost::stretches`] promises for a program, whose kernel on one block is `body`.
    pub fn stretches(
        &self,
        program: &Program,
        (options, body): &(Options, Kernel),
        links: &Links,
        blocks: u32,
        machine: &cost::Machine,
    ) -> Vec<cost::Stretch> {
        let asked = (*options, blocks, machine.name.clone(), links.clone(), program.clone());
        self.stretches.of(asked, |(options, blocks, _, links, program)| {
            cost::stretches(program, options, body, links, *blocks, machine)
        })
    }
}
