//! Shared control of a library: the kernel that all lanes share, and runs that the self test compares.

use crate::manifest::{Folder, Instance};
use crate::session::{Failure, Session};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::interp::Machine;
use nakiri::core::{semantics, Direction, Port, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::c;
use nakiri::isa;
use nakiri::layout::{memory_bytes, to_memory};
use nakiri::run::Shared;
use nakiri::source::Span;
use nakiri_verify::random::Rng;

/// How many runs are compared, and how many ticks each has.
const VECTORS: (usize, usize) = (2, 16);

/// That shared control is for one language.
pub const FOR_C: &str = "shared control is for C: leave out --shared, or `shared` in the manifest";

/// That shared control is for one slicing.
pub const FOR_B: &str =
    "shared control is for slicing -B, where a lane is a bit of each register: leave out --shared, or the slicing";

/// Refuses a folder of which an instance has shared control.
///
/// # Errors
/// [`Failure::Reported`] at its place.
pub fn refuse(session: &Session, folder: Option<&Folder>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let shared = folder.manifest.instances.iter().find_map(|instance| instance.shared.as_ref());
    let Some(shared) = shared else { return Ok(()) };
    let place = Span::new(folder.manifest_file, shared.span());
    let error = Diagnostic::error("E0402", place, "shared control is for C".to_string());
    Err(session.refuse(&[error.help("build it with `--emit c`, or leave `shared` out")]))
}

/// The kernel of what all lanes share.
///
/// # Errors
/// Why it can't be compiled.
pub fn control(shared: &Shared) -> Result<Kernel, Vec<Diagnostic>> {
    let options = Options::new(Direction::B, isa::everywhere());
    compile(&shared.control, &options, &mut |_, _| {})
}

/// What a list in a manifest divides the program of its instance in.
///
/// # Errors
/// What is wrong with the list.
pub fn of_instance(
    folder: &Folder,
    instance: &Instance,
    whole: &Program,
) -> Result<Option<Shared>, Vec<Diagnostic>> {
    let Some(list) = &instance.shared else { return Ok(None) };
    // The place of a string begins with its quote.
    let (start, text) = (list.span().start + 1, list.get_ref());
    let place = Span::new(folder.manifest_file, start..start + text.len());
    Shared::new(whole, text, place).map(Some)
}

/// The inputs of a tick in memory as the emitted functions take them: those of lanes, and then those that are shared.
pub fn in_order(shared: &Shared, whole: &Program, input: &[u8]) -> Vec<u8> {
    let mut rest = input;
    let (mut own, mut control) = (Vec::new(), Vec::new());
    for (port, is_shared) in whole.entry().inputs().iter().zip(&shared.inputs) {
        let bytes = memory_bytes(port.ty.bits(), port.count());
        let (port, after) = rest.split_at(bytes.min(rest.len()));
        if *is_shared { &mut control } else { &mut own }.extend_from_slice(port);
        rest = after;
    }
    [own, control].concat()
}

/// Gives the library of what each lane computes the control that all of them share, and test vectors: random ticks of the
/// `whole`, as the interpreter has them. A line on that for the head of the file.
///
/// # Errors
/// Why the control can't be compiled.
pub fn share(
    instance: &mut c::Instance,
    whole: &Program,
    shared: &Shared,
) -> Result<String, Vec<Diagnostic>> {
    instance.control = Some(control(shared)?);
    // Their constant parameters are signals of the control, no key.
    instance.key = None;
    let (vectors, ticks) = VECTORS;
    instance.tick_vectors =
        (0..vectors).map(|number| random_ticks(whole, shared, number, ticks)).collect();
    Ok(format!(
        "{vectors} runs of {ticks} random ticks of the self test computed by the interpreter, without shared control"
    ))
}

/// Random ticks: inputs that are shared mostly rest, at zeros or at ones.
fn random_ticks(whole: &Program, shared: &Shared, number: usize, ticks: usize) -> c::TickVector {
    let mut rng = Rng::new(number as u64);
    let mut machine = Machine::new(whole);
    let (inputs, outputs) = (whole.entry().inputs(), whole.entry().outputs());
    let memory = |ports: &[Port], values: &[Vec<u128>]| -> Vec<u8> {
        let bytes = ports.iter().zip(values).filter_map(|(port, atoms)| to_memory(port, atoms));
        bytes.flatten().collect()
    };
    let run = |tick: usize| {
        let mut value = |(port, shared): (&Port, &bool)| -> Vec<u128> {
            let rests = *shared && tick > 0 && rng.below(4) > 0;
            let rest = [0, semantics::mask(port.ty.bits())][number % 2];
            let mut atom = |_| if rests { rest } else { rng.word(port.ty.bits()) };
            (0..port.count()).map(&mut atom).collect()
        };
        let values: Vec<Vec<u128>> = inputs.iter().zip(&shared.inputs).map(&mut value).collect();
        let input = in_order(shared, whole, &memory(inputs, &values));
        c::Run { ticks: 1, input, output: memory(outputs, &machine.step(&values)) }
    };
    c::TickVector { key: Vec::new(), runs: (0..ticks).map(run).collect() }
}
