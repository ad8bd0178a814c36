//! Shared control of a library: the kernel that all lanes share, and runs that the self test compares.

use crate::vectors::to_memory;
use nakiri::compile::{compile, Options};
use nakiri::core::interp::Machine;
use nakiri::core::{semantics, Direction, Port, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::c;
use nakiri::target;
use nakiri_verify::random::Rng;

/// How many runs are compared, and how many ticks each has.
const VECTORS: (usize, usize) = (2, 16);

/// Gives the library of what each lane computes the control that all of them share, and test vectors: random ticks of the
/// `whole`, as the interpreter has them. A line on that for the head of the file.
///
/// # Errors
/// Why the control can't be compiled.
pub fn share(
    instance: &mut c::Instance,
    whole: &Program,
    control: &Program,
) -> Result<String, Vec<Diagnostic>> {
    let options = Options::new(Direction::B, target::everywhere());
    instance.control = Some(compile(control, &options, &mut |_, _| {})?);
    // Their constant parameters are signals of the control, no key.
    instance.key = None;
    let (vectors, ticks) = VECTORS;
    let is_shared = |port: &Port| control.entry().inputs().iter().any(|p| p.name == port.name);
    instance.tick_vectors =
        (0..vectors).map(|number| random_ticks(whole, &is_shared, number, ticks)).collect();
    Ok(format!(
        "{vectors} runs of {ticks} random ticks of the self test computed by the interpreter, without shared control"
    ))
}

/// Random ticks: inputs that are shared mostly rest, at zeros or at ones.
fn random_ticks(
    whole: &Program,
    is_shared: &dyn Fn(&Port) -> bool,
    number: usize,
    ticks: usize,
) -> c::TickVector {
    let mut rng = Rng::new(number as u64);
    let mut machine = Machine::new(whole);
    let (inputs, outputs) = (whole.entry().inputs(), whole.entry().outputs());
    let memory = |ports: &mut dyn Iterator<Item = (&Port, &Vec<u128>)>| -> Vec<u8> {
        ports.filter_map(|(port, atoms)| to_memory(port, atoms)).flatten().collect()
    };
    let run = |tick: usize| {
        let mut value = |port: &Port| -> Vec<u128> {
            let rests = is_shared(port) && tick > 0 && rng.below(4) > 0;
            let rest = [0, semantics::mask(port.ty.bits())][number % 2];
            let mut atom = |_| if rests { rest } else { rng.word(port.ty.bits()) };
            (0..port.count()).map(&mut atom).collect()
        };
        let values: Vec<Vec<u128>> = inputs.iter().map(&mut value).collect();
        let of = |shared: bool| {
            let ports = inputs.iter().zip(&values);
            memory(&mut ports.filter(|(port, _)| is_shared(port) == shared))
        };
        let input = [of(false), of(true)].concat();
        let results = machine.step(&values);
        c::Run { ticks: 1, input, output: memory(&mut outputs.iter().zip(&results)) }
    };
    c::TickVector { runs: (0..ticks).map(run).collect() }
}
