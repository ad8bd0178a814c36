//! Step functions: compiled kernels keep their registers from tick to tick as the interpreter does, in every slicing.

use nakiri::compile::{compile, Options};
use nakiri::core::{interp, Direction, Port, Program};
use nakiri::isa;
use nakiri::pass::interleave::Interleave;
use nakiri::pass::roll::Unroll;
use nakiri::run::{Run, Schedule, Shared};
use nakiri::source::{FileId, Span};
use nakiri_verify::cc;
use nakiri_verify::differential::elaborate;
use nakiri_verify::exec::{run_ticks, runnable, Block};
use nakiri_verify::random::{self, Rng};

/// How many programs with registers are tried.
const PROGRAMS: usize = 24;
/// How many ticks each makes.
const TICKS: usize = 5;

/// The inputs of one instance, tick by tick; constant ones are the same in all.
fn inputs(ports: &[Port], constants: &[Vec<u128>], rng: &mut Rng) -> Vec<Block> {
    let mut atoms = |(port, constant): (&Port, &Vec<u128>)| match port.constant {
        true => constant.clone(),
        false => (0..port.count()).map(|_| rng.word(port.ty.bits())).collect(),
    };
    (0..TICKS).map(|_| ports.iter().zip(constants).map(&mut atoms).collect()).collect()
}

fn sliced(direction: Direction, ports: &[Port], block: &Block) -> Block {
    let bits = |(atoms, port): (&Vec<u128>, &Port)| match direction {
        Direction::B => interp::to_bits(atoms, port.ty.bits()),
        _ => atoms.clone(),
    };
    block.iter().zip(ports).map(bits).collect()
}

#[test]
fn registers_pass_from_tick_to_tick() {
    let compilers = cc::all();
    assert!(!compilers.is_empty(), "no C compiler");
    let runnable: Vec<_> = isa::all().iter().filter(|t| runnable(t).is_ok()).collect();
    let (mut tried, mut ran) = (0, 0);
    for seed in 0.. {
        if tried == PROGRAMS {
            break;
        }
        let random = random::program(seed);
        let core = elaborate(&random.text).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        if core.entry().resets.is_empty() || !core.entry().width_params.is_empty() {
            continue;
        }
        tried += 1;
        let mut rng = Rng::new(seed);
        for direction in [Direction::B, Direction::V, Direction::H] {
            let target = *rng.pick(&runnable);
            let interleave = Interleave::of(rng.range(1, 3) as u32);
            let options =
                Options { interleave: Some(interleave), ..Options::new(direction, target) };
            let Ok(kernel) = compile(&core, &options, &mut |_, _| {}) else { continue };
            let ports = kernel.inputs();
            let constants: Vec<Vec<u128>> = ports
                .iter()
                .map(|port| (0..port.count()).map(|_| rng.word(port.ty.bits())).collect())
                .collect();
            let instances = kernel.blocks() + 3;
            let given: Vec<Vec<Block>> =
                (0..instances).map(|_| inputs(ports, &constants, &mut rng)).collect();
            let wanted = given.iter().map(|ticks| {
                let mut machine = interp::Machine::new(&core);
                let step =
                    |block: &Block| sliced(direction, kernel.outputs(), &machine.step(block));
                ticks.iter().map(step).collect::<Vec<Block>>()
            });
            let wanted: Vec<Vec<Block>> = wanted.collect();
            let given: Vec<Vec<Block>> = given
                .iter()
                .map(|ticks| ticks.iter().map(|block| sliced(direction, ports, block)).collect())
                .collect();
            let compiler = &compilers[ran % compilers.len()];
            let got = run_ticks(&kernel, compiler, &given).expect("it runs");
            assert!(got == wanted, "seed {seed} {options} {}:\n{}", compiler.program, random.text);
            ran += 1;
        }
    }
    assert!(ran > PROGRAMS, "{ran}");
}

/// How many runs of random programs are tried.
const RUNS: usize = 150;

/// A random schedule: some inputs are numbers, some have other data in each phase.
fn schedule(program: &Program, rng: &mut Rng) -> String {
    let ports = program.entry().inputs();
    let driven: Vec<usize> = ports.iter().map(|_| rng.below(3)).collect();
    let phase = |number: usize, rng: &mut Rng| {
        let setting = |(port, driven): (&Port, &usize)| match driven {
            0 => None,
            1 => {
                let bits = u32::from(port.ty.bits()) * port.count();
                Some(format!("{}={:#x}", port.name, rng.word(bits.min(128) as u16)))
            }
            _ => Some(format!("{}=data_{}_{number}", port.name, port.name)),
        };
        let settings: Vec<String> = ports.iter().zip(&driven).filter_map(setting).collect();
        format!("{} for {}", settings.join(", "), rng.range(1, 5))
    };
    (0..rng.range(1, 3)).map(|number| phase(number, rng)).collect::<Vec<_>>().join("; ")
}

#[test]
fn runs_are_their_ticks() {
    let (mut ran, mut empty) = (0, 0);
    for seed in 0.. {
        if ran == RUNS {
            break;
        }
        let random = random::program(seed);
        let core = elaborate(&random.text).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        if core.entry().resets.is_empty() || !core.entry().width_params.is_empty() {
            continue;
        }
        let mut rng = Rng::new(seed);
        let text = schedule(&core, &mut rng);
        let schedule =
            Schedule::parse(&text, FileId(0)).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let run = match Run::new(&core, &schedule) {
            Ok(run) => run,
            Err(wrong) => {
                assert!(wrong.iter().all(|wrong| wrong.code == "E0535"), "{text}: {wrong:?}");
                empty += 1;
                continue;
            }
        };
        let entry = run.program.entry();
        let data: Block = entry
            .params
            .iter()
            .map(|port| (0..port.count()).map(|_| rng.word(port.ty.bits())).collect())
            .collect();
        let wanted = run.stepped(&data);
        let what = format!("seed {seed} `{text}`:\n{}\n{}", random.text, run.program);
        assert_eq!(interp::run(&run.program, &data), wanted, "{what}");
        for direction in [Direction::B, Direction::V, Direction::H] {
            let unroll = Some(*rng.pick(&[Unroll::Never, Unroll::Always, Unroll::Twice]));
            let target = isa::find("gp64").expect("it is there");
            let options = Options { unroll, ..Options::new(direction, target) };
            let Ok(kernel) = compile(&run.program, &options, &mut |_, _| {}) else { continue };
            let given = sliced(direction, &kernel.params, &data);
            let got = interp::run(&kernel.program, &given);
            assert_eq!(got, sliced(direction, &kernel.results, &wanted), "{options} {what}");
        }
        ran += 1;
    }
    assert!(empty < RUNS, "{empty}");
}

/// How many random programs have their control taken out.
const DIVIDED: usize = 150;

#[test]
fn shared_control_and_lanes_are_the_whole() {
    let (mut tried, mut nothing) = (0, 0);
    for seed in 0.. {
        if tried == DIVIDED {
            break;
        }
        let random = random::program(seed);
        let core = elaborate(&random.text).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let entry = core.entry();
        if entry.resets.is_empty() || !entry.width_params.is_empty() {
            continue;
        }
        let mut rng = Rng::new(seed);
        let names = entry.inputs().iter().filter(|_| rng.below(3) > 0);
        let list = names.map(|port| port.name.as_str()).collect::<Vec<_>>().join(",");
        let what = format!("seed {seed} `{list}`:\n{}", random.text);
        let place = Span::new(FileId(0), 0..list.len());
        let shared = match Shared::new(&core, &list, place) {
            Ok(shared) => shared,
            Err(wrong) => {
                assert!(wrong.iter().all(|wrong| wrong.code == "E0537"), "{what}: {wrong:?}");
                nothing += 1;
                continue;
            }
        };
        tried += 1;
        let mut whole = interp::Machine::new(&core);
        let mut divided =
            (interp::Machine::new(&shared.control), interp::Machine::new(&shared.lanes));
        for tick in 0..TICKS {
            let value = |port: &Port| (0..port.count()).map(|_| rng.word(port.ty.bits())).collect();
            let values: Block = entry.inputs().iter().map(value).collect();
            let of = |control: bool| -> Block {
                let values = values.iter().zip(&shared.inputs);
                values.filter(|(_, shared)| **shared == control).map(|(v, _)| v.clone()).collect()
            };
            let signals = divided.0.step(&of(true));
            let got = divided.1.step(&[of(false), signals].concat());
            assert_eq!(got, whole.step(&values), "tick {tick}, {what}");
        }
    }
    println!("{nothing} programs have nothing to share");
}
