//! What was compiled in this run for more than one use: key schedules, which the variants of a library and the kernels of a table
//! share, and pieces of modes, of which some differ in nothing but their names.

use nakiri::compile::{self, Kernel, Options};
use nakiri::core::Program;
use nakiri::cost;
use nakiri::diagnostic::Diagnostic;
use nakiri::pass::chain::Links;
use std::sync::{Arc, Mutex, OnceLock};

/// What was compiled.
#[derive(Debug, Default)]
pub struct Compiled {
    kernels: Answers<(Program, Options), Result<Kernel, Vec<Diagnostic>>>,
    stretches: Answers<(Program, Options, Links, u32, String), Vec<cost::Stretch>>,
}

impl Compiled {
    /// The kernel of a program.
    ///
    /// # Errors
    /// Why it can't be compiled so.
    pub fn kernel(&self, program: &Program, options: Options) -> Result<Kernel, Vec<Diagnostic>> {
        self.kernels.of((program.clone(), options), |(program, options)| {
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
        let asked = (program.clone(), *options, links.clone(), blocks, machine.name.clone());
        self.stretches.of(asked, |(program, options, links, blocks, _)| {
            cost::stretches(program, options, body, links, *blocks, machine)
        })
    }
}

/// Questions with their answers: who asks while another thread works on the same waits for it.
#[derive(Debug)]
struct Answers<Q, A>(Mutex<Vec<Asked<Q, A>>>);

/// A question, and its answer once there is one.
type Asked<Q, A> = Arc<(Q, OnceLock<A>)>;

impl<Q, A> Default for Answers<Q, A> {
    fn default() -> Answers<Q, A> {
        Answers(Mutex::default())
    }
}

impl<Q: PartialEq, A: Clone> Answers<Q, A> {
    fn of(&self, question: Q, answer: impl FnOnce(&Q) -> A) -> A {
        let asked = {
            let mut all = self.0.lock().expect("no thread panics");
            let known = all.iter().find(|asked| asked.0 == question).map(Arc::clone);
            known.unwrap_or_else(|| {
                let new = Arc::new((question, OnceLock::new()));
                all.push(Arc::clone(&new));
                new
            })
        };
        asked.1.get_or_init(|| answer(&asked.0)).clone()
    }
}
