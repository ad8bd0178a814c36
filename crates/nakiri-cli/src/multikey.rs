//! A key for each lane: the kernels that a library needs for it.

use crate::library::Settings;
use crate::manifest::{Folder, Instance};
use crate::session::{Failure, Session};
use crate::vectors;
use nakiri::check::Checked;
use nakiri::compile::{self, legality, Kernel, Options};
use nakiri::core::{Direction, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::c;
use nakiri::isa;
use nakiri::pass::interleave::Interleave;
use nakiri_library::entry;

/// The parts of an instance of a cipher, with functions for which every lane has a key of its own.
///
/// # Errors
/// [`Failure`] if it has no key, or its nodes can't be compiled so.
pub fn of_instance(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    instance: &Instance,
    settings: &Settings,
    parts: c::Instance,
) -> Result<c::Instance, Failure> {
    let nodes = vectors::nodes(session, folder, checked, instance)?;
    let programs: Vec<&Program> = std::iter::once(&nodes.forward).chain(&nodes.backward).collect();
    let preferred = Some(folder.manifest.direction());
    add(session, &programs, nodes.schedule.as_ref(), settings, preferred, parts)
}

/// The same for the parts of a library of one node, whose constant parameters are the key.
///
/// # Errors
/// Those of [`of_instance`].
pub fn of_entry(
    session: &Session,
    program: &Program,
    settings: &Settings,
    parts: c::Instance,
) -> Result<c::Instance, Failure> {
    add(session, &[program], None, settings, None, parts)
}

fn add(
    session: &Session,
    programs: &[&Program],
    schedule: Option<&Program>,
    settings: &Settings,
    preferred: Option<Direction>,
    parts: c::Instance,
) -> Result<c::Instance, Failure> {
    if parts.key.is_none() {
        return Err(Failure::Wrong(format!(
            "`{}` has no key, of which each lane could have its own: leave out --multikey, or `multikey` in cipher.toml",
            parts.prefix
        )));
    }
    let refuse = |diagnostics: Vec<Diagnostic>| session.refuse(&diagnostics);
    let variants = settings.variants(programs, preferred).map_err(refuse)?;
    // Batches side by side would need the keys of as many lanes more.
    let alone = |options: &Options| Options {
        interleave: Some(Interleave::default()),
        short: None,
        ..*options
    };
    let variants: Vec<Options> = variants.iter().map(alone).collect();
    let functions = parts
        .functions
        .iter()
        .zip(programs)
        .map(|(function, program)| entry::function(&function.name, &keyed(program), &variants));
    let functions = functions.collect::<Result<Vec<_>, _>>().map_err(refuse)?;
    let schedules = schedule.map_or(Ok(Vec::new()), |program| {
        let lanes = functions[0].variants.iter().zip(&variants);
        lanes.map(|(kernel, options)| sliced(program, kernel, options)).collect()
    });
    let schedules = schedules.map_err(refuse)?;
    Ok(c::Instance { multikey: Some(c::Multikey { functions, schedules }), ..parts })
}

/// The program with ordinary parameters in place of constant ones.
fn keyed(program: &Program) -> Program {
    let mut program = program.clone();
    let entry = program.entry;
    for port in &mut program.funcs[entry.index()].params {
        port.constant = false;
    }
    program
}

/// A key schedule in the slicing of the kernel that takes its results; else in another, on a target that has that.
fn sliced(
    program: &Program,
    kernel: &Kernel,
    options: &Options,
) -> Result<Kernel, Vec<Diagnostic>> {
    let directions = [kernel.direction, Direction::V, Direction::B];
    let own = legality::first_legal(&[program], &directions, *options);
    let everywhere = || {
        let options = Options { target: isa::everywhere(), ..*options };
        legality::first_legal(&[program], &directions[1..], options)
    };
    let options = own.or_else(|_| everywhere())?;
    compile::compile(program, &options, &mut |_, _| {})
}
