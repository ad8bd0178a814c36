//! A machine model of the host, from micro-benchmarks.
//!
//! Instructions that stand for classes of operations ([`probes`]) become loops ([`assembly`]) that are timed ([`rig`]):
//! chains for latencies, streams of independent ones for throughputs, and streams of two classes ([`operations`]), from
//! which the sets of ports follow ([`ports`]). The front end is measured by code of growing length ([`front_end`]).

pub mod assembly;
pub mod file;
pub mod front_end;
pub mod operations;
pub mod ports;
pub mod probes;
pub mod rig;

pub use rig::Effort;

use crate::machine::{find, Class, Cpu, Machine, Operation, Registers};
use crate::measure::{cpu_name, pin};
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;
use operations::Figures;
use ports::{Assignment, Mix, EXPLAINED};
use std::collections::BTreeMap;

/// A model of the host, and what was measured for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The model.
    pub machine: Machine,
    /// What its figures can't say.
    pub remarks: Vec<String>,
    /// What limits their worth, such as that the process could not be pinned.
    pub warnings: Vec<String>,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The model's name.
    pub name: &'a str,
    /// When it is measured, for its title.
    pub date: &'a str,
    /// The C compiler, which assembles.
    pub compiler: &'a Compiler,
    /// How much is measured.
    pub effort: Effort,
}

/// Parts of the work that are told one after the other.
pub const STAGES: [&str; 4] = ["operations", "mixes", "front end", "remarks"];

/// Measures the host. The thread stays pinned to one core. `progress` is told the stage of [`STAGES`], and steps done of
/// so many in it.
///
/// # Errors
/// What to say if this is no x86-64 CPU, or if the loops can't be assembled or loaded.
pub fn calibrate(
    request: &Request,
    progress: &mut dyn FnMut(usize, usize, usize),
) -> Result<Calibration, String> {
    let Some((vendor, family, model)) = find::cpu() else {
        return Err(format!(
            "calibrate measures x86-64 hosts; this one is {}: write a machine file by hand, after the pattern of \
             crates/nakiri-machine/machines/neoverse-n1.toml",
            std::env::consts::ARCH
        ));
    };
    let warnings = pin::pin().err().into_iter().collect();
    let Request { compiler, effort, .. } = request;
    let figures = operations::alone(compiler, effort, &mut |done, of| progress(0, done, of))?;
    let placed: Vec<&Figures> = figures.iter().filter(|each| !each.eliminated()).collect();
    let mixes =
        operations::together(&placed, compiler, effort, &mut |done, of| progress(1, done, of))?;
    let width = highest_rate(&figures, &mixes);
    let (front_end, front_end_remark) =
        front_end::measure(width, compiler, effort, &mut |done, of| progress(2, done, of))?;
    let reorder = front_end::reorder(compiler, effort, &mut |_, _| {})?;
    let others = operations::remarks(probes::REMARKABLE, compiler, effort, &mut |done, of| {
        progress(3, done, of)
    })?;

    let kinds = operations::kinds(&placed);
    let assignment = ports::assign(&kinds, &mixes, front_end.width);
    let names = port_names(&placed, &assignment);
    let mut remarks = remarks(&placed, &mixes, &assignment);
    remarks.push(front_end_remark);
    remarks.extend(others);
    let machine = Machine {
        name: request.name.to_string(),
        title: format!("{}, measured {}", cpu_name(), request.date),
        origin: format!(
            "nakiri calibrate {}: {} mixes of two classes tell which ports are shared",
            env!("CARGO_PKG_VERSION"),
            mixes.len()
        ),
        architecture: "x86-64".to_string(),
        reorder: Some(reorder),
        scheduler: None,
        cpu: vec![Cpu { vendor, family, models: vec![model], features: Vec::new() }],
        front_end,
        cache: find::host().and_then(|known| known.cache.clone()),
        renaming: find::host().and_then(|known| known.renaming),
        idle: find::host().and_then(|known| known.idle),
        registers: registers(),
        operations: rows(&figures, &placed, &assignment, &names),
        ports: names,
    };
    Ok(Calibration { machine, remarks, warnings })
}

/// Instructions per cycle that were seen at best.
fn highest_rate(figures: &[Figures], mixes: &[Mix]) -> f64 {
    let alone = figures.iter().map(|each| each.throughput);
    let mixed = mixes.iter().map(|mix| f64::from(mix.counts[0] + mix.counts[1]) / mix.cycles);
    alone.chain(mixed).fold(0.0, f64::max)
}

/// What a function may use: 15 of 16 general registers, and as many vectors as the widest can name.
fn registers() -> Registers {
    let vector = match exec::has_feature("avx512f") {
        true => 32,
        false => 16,
    };
    Registers { general: 15, vector }
}

/// Names for ports: a letter for the first kind that uses it, and a number.
fn port_names(placed: &[&Figures], assignment: &Assignment) -> Vec<String> {
    let mut next = [0; 4];
    let mut name = |port: u32| {
        let user =
            placed.iter().zip(&assignment.uses).find(|(_, uses)| uses.ports >> port & 1 == 1);
        let group = user.map_or(0, |(figures, _)| group(figures.class));
        next[group] += 1;
        format!("{}{}", ["G", "V", "L", "S"][group], next[group] - 1)
    };
    (0..assignment.ports).map(&mut name).collect()
}

/// The number of a class's letter.
fn group(class: Class) -> usize {
    match class {
        Class::Move
        | Class::Logic
        | Class::Add
        | Class::Multiply
        | Class::Shift
        | Class::Rotate
        | Class::Branch => 0,
        Class::Load | Class::VectorLoad => 2,
        Class::Store | Class::VectorStore => 3,
        _ => 1,
    }
}

/// The rows of the model: widths that cost the same stand in one row.
fn rows(
    figures: &[Figures],
    placed: &[&Figures],
    assignment: &Assignment,
    names: &[String],
) -> Vec<Operation> {
    let mut rows: Vec<Operation> = Vec::new();
    for each in figures {
        let position = placed.iter().position(|other| *other == each);
        let uses = position.map(|k| assignment.uses[k]);
        let latency = if each.latency < 0.7 { 0.0 } else { tidy(each.latency) };
        let sets = uses.map_or(Vec::new(), |uses| {
            let ports = (0..assignment.ports).filter(|port| uses.ports >> port & 1 == 1);
            let set: Vec<String> = ports.map(|port| names[port as usize].clone()).collect();
            vec![set; uses.times as usize]
        });
        let allowed = uses.map(|uses| f64::from(uses.ports.count_ones()) / f64::from(uses.times));
        let throughput = allowed
            .filter(|allowed| each.throughput < (1.0 - EXPLAINED) * allowed)
            .map(|_| tidy_rate(each.throughput));
        let origin = format!(
            "{} bits {:.2} cycles, {:.2} per cycle",
            each.width, each.latency, each.throughput
        );
        let row = Operation {
            class: each.class,
            widths: vec![each.width],
            latency,
            uses: sets,
            throughput,
            origin: Some(origin),
        };
        let same = |other: &&mut Operation| {
            (other.class, other.latency, &other.uses, other.throughput)
                == (row.class, row.latency, &row.uses, row.throughput)
        };
        match rows.iter_mut().find(same) {
            Some(known) => {
                known.widths.extend(&row.widths);
                let origin = row.origin.iter().flat_map(|own| ["; ", own.as_str()]);
                known.origin.get_or_insert_default().extend(origin);
            }
            None => rows.push(row),
        }
    }
    rows.sort_by_key(|row| (row.class, row.widths[0]));
    rows
}

/// The mixes that the ports don't explain, a line for each pair of classes.
fn remarks(placed: &[&Figures], mixes: &[Mix], assignment: &Assignment) -> Vec<String> {
    let mut lines: BTreeMap<[Class; 2], Vec<String>> = BTreeMap::new();
    for (k, due) in &assignment.unexplained {
        let mix = &mixes[*k];
        let [a, b] = mix.kinds.map(|kind| placed[kind]);
        let [p, q] = mix.counts;
        lines.entry([a.class, b.class]).or_default().push(format!(
            "{p} of {} bits and {q} of {} bits take {:.2} cycles, not {due:.2}",
            a.width, b.width, mix.cycles
        ));
    }
    let line = |(classes, said): (&[Class; 2], &Vec<String>)| {
        let [a, b] = classes.map(Class::name);
        format!("not explained by ports: {a} with {b}: {}", said.join("; "))
    };
    lines.iter().map(line).collect()
}

/// A measured figure without its noise: a whole number or a half if it is within 4 % of one, otherwise two places.
pub fn tidy(figure: f64) -> f64 {
    let half = (figure * 2.0).round() / 2.0;
    match half > 0.0 && (figure / half - 1.0).abs() <= 0.04 {
        true => half,
        false => (figure * 100.0).round() / 100.0,
    }
}

/// A measured rate without its noise: the reciprocal is tidied if there is less than one per cycle.
fn tidy_rate(rate: f64) -> f64 {
    match rate < 1.0 {
        true => (1e3 / tidy(1.0 / rate)).round() / 1e3,
        false => tidy(rate),
    }
}
