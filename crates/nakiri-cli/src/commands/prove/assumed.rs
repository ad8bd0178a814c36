//! What is assumed of inputs.

use super::Args;
use crate::session::{Failure, Session};
use crate::verilog;
use nakiri::core::Program;
use nakiri::map::{Literal, Network};
use nakiri::verilog::{Netlist, Options};
use nakiri_circuit::equivalence::{leaves, sweep, symbols, Verdict};
use nakiri_circuit::Effort;
use nakiri_verify::stimuli::Assumption;

/// An assumption, for the proof and for simulations.
#[derive(Debug)]
pub struct Assumed {
    /// For the proof.
    pub netlist: Netlist,
    /// For simulations.
    pub assumption: Assumption,
}

impl Assumed {
    /// That of the command line, if there is one. It is about the inputs of a step function.
    ///
    /// # Errors
    /// [`Failure::Reported`] if it can't be read, [`Failure::Usage`] if it never holds.
    pub fn of(
        args: &Args,
        session: &mut Session,
        program: &Program,
    ) -> Result<Option<Assumed>, Failure> {
        if args.assume.is_empty() {
            return Ok(None);
        }
        let inputs = program.entry().inputs().iter();
        let inputs: Vec<(&str, usize)> =
            inputs.map(|port| (&*port.name, port.count() as usize)).collect();
        let netlist = verilog::assumption(session, &inputs, &args.assume)?;
        let program = nakiri::verilog::program(&netlist, &Options::default());
        let program = program.map_err(|wrong| session.refuse(&wrong))?;
        let Some(example) = example(&program) else {
            let all = args.assume.join("` and `");
            return Err(Failure::Usage(format!(
                "`{all}` holds for no inputs: there is nothing to prove"
            )));
        };
        Ok(Some(Assumed { netlist, assumption: Assumption { program, example } }))
    }
}

/// Inputs for which a program gives one.
fn example(program: &Program) -> Option<Vec<(String, Vec<bool>)>> {
    let mut network = Network::new();
    let inputs = leaves(&program.entry().params, &mut network);
    let found = symbols(program, &inputs, &mut network).concat();
    let always = Literal::FALSE.invert_if(true);
    let pairs: Vec<_> = found.into_iter().map(|literal| (literal, Literal::FALSE)).collect();
    let verdicts = sweep(&network, &pairs, always, &Effort::unlimited());
    let ones = match &verdicts[..] {
        [Verdict::Different(ones)] => ones,
        _ => return None,
    };
    let ports = program.entry().params.iter().zip(&inputs);
    let values = ports.map(|(port, leaves)| {
        let bits = leaves.iter().map(|leaf| ones.contains(&leaf.node()));
        (port.name.clone(), bits.collect())
    });
    Some(values.collect())
}
