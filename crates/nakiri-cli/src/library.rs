//! From a program or a cipher's folder to the parts of a C library.

use crate::choice::{self, TargetChoice};
use crate::handshake;
use crate::manifest::{Folder, Hex, Instance, Mode, Order, TickRun, TickVector};
use crate::output::{self, say};
use crate::parallel;
use crate::schedule::Schedules;
use crate::session::{Failure, Session};
use crate::shared;
use crate::stretch::{self, Priced};
use crate::vectors::{self, Agreed, Nodes};
use nakiri::check::Checked;
use nakiri::compile::legality::{self, PREFERENCE};
use nakiri::compile::{self, Choice, Kernel, Options};
use nakiri::core::{Direction, Port, Program};
use nakiri::cost::{self, Decision};
use nakiri::diagnostic::{instead_of, Diagnostic};
use nakiri::emit::{c, keys};
use nakiri::isa::{self, Target};
use nakiri::layout::{port_bytes, to_memory};
use nakiri::mode;
use nakiri::pass::chain::Links;
use nakiri::pass::interleave::Interleave;
use nakiri::run::Run;
use nakiri::source::Span;
use nakiri_bench::parallel::map as on_all_cores;
use nakiri_library::entry::{self, function, interface};
use nakiri_verify::random::Rng;
use std::ops::Range;
use toml::Spanned;

/// What a library is built for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The targets; none means this CPU and, for all others, `gp64`.
    pub targets: Vec<TargetChoice>,
    /// The slicing of targets without their own; none means that it is chosen by price.
    pub direction: Option<Direction>,
    /// What was chosen for all targets.
    pub choices: Vec<Choice>,
}

impl Settings {
    fn options(&self, choice: &TargetChoice) -> Options {
        let options =
            Options::new(Direction::V, choice.target).with(&self.choices).with(&choice.choices);
        Options { one_word: options.one_word || choice.measured, ..options }
    }

    /// The settings with the first program's choices made by price, and what was weighed for each target, best first. `all` are the
    /// programs that are compiled, which have their words in registers alike; `named` is the machine that was asked for.
    ///
    /// # Errors
    /// [`Failure`] if there is no such machine, it lacks something, or a target is not legal.
    pub fn decide(
        self,
        session: &Session,
        programs: &[&Program],
        all: &[&Program],
        preferred: Option<Direction>,
        named: Option<&str>,
    ) -> Result<(Settings, Vec<Decision>), Failure> {
        self.refuse_contradictions()?;
        let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
        let targets = self.targets.into_iter().map(|choice| choice.extended(programs));
        let settings = Settings { targets: targets.collect(), ..self };
        let mut variants = settings.legal(programs, preferred).map_err(refuse)?;
        variants.iter_mut().for_each(|slicings| as_words_of(all, slicings));
        let (mut targets, mut decisions, mut warned) = (Vec::new(), Vec::new(), Vec::new());
        let decided = on_all_cores(&variants, |slicings| {
            let Options { target, short, .. } = slicings[0];
            let machine = choice::machine(named, target, settings.is_here(target))?;
            let mut decision = cost::choose_slicing(programs[0], slicings, &machine);
            if let (Ok(decision), None) = (&mut decision, short) {
                decision.lengths = cost::short(programs, &decision.options, &machine);
            }
            Ok::<_, Failure>((machine, decision))
        });
        for (slicings, decided) in variants.iter().zip(decided) {
            let Options { target, interleave, .. } = slicings[0];
            let here = settings.is_here(target);
            let (machine, decision) = decided?;
            let decision = decision.map_err(refuse)?;
            let measured = settings.target(target).is_some_and(|choice| choice.measured);
            if interleave.is_some() && !measured {
                if let Some(warning) = spilling(programs[0], &decision, &machine) {
                    say!("warning: {warning}");
                }
            }
            settings.warn_of_loops(session, programs, &decision.options, &mut warned);
            let Options { direction, target, .. } = decision.options;
            let short = decision.lengths.as_ref().map(|lengths| Choice::Short(lengths.short));
            let all = decision.options.choices().into_iter().chain(short);
            let choices = all.filter(|choice| !settings.choices.contains(choice)).collect();
            let direction = Some(direction);
            let plain = TargetChoice::plain(target);
            targets.push(TargetChoice {
                direction,
                choices,
                here,
                measured,
                priced: true,
                ..plain
            });
            decisions.push(decision);
        }
        Ok((Settings { targets, ..settings }, decisions))
    }

    /// Those of modes: where no target is asked for, and blocks can lie in rows, the target with the narrowest registers is there, too,
    /// which a text alone fills best.
    pub fn for_texts(self, programs: &[&Program]) -> Settings {
        let in_rows =
            |&target: &&'static Target| legality::is_legal_in(programs, Direction::P, target);
        let is_open = self.targets.is_empty()
            && self.direction.is_none_or(|direction| direction == Direction::P);
        let narrowest = choice::narrowest(choice::native(), programs).filter(in_rows);
        let Some(narrowest) = narrowest.filter(|_| is_open) else { return self };
        let mut targets = choice::default_targets();
        // Nobody has asked for those on which nothing is legal.
        targets.retain(|choice| {
            choice.here || !legality::directions(programs, self.on(choice.target)).is_empty()
        });
        targets.push(TargetChoice::plain(narrowest));
        Settings { targets, ..self }
    }

    /// Says which foralls are written out though the source or a flag asks for loops: each once.
    fn warn_of_loops(
        &self,
        session: &Session,
        programs: &[&Program],
        options: &Options,
        warned: &mut Vec<Diagnostic>,
    ) {
        let asked = Options::new(options.direction, options.target).with(&self.choices).unroll;
        let warnings = programs
            .iter()
            .filter_map(|program| compile::written_out(program, options, asked).ok());
        for warning in warnings.flatten() {
            if !warned.contains(&warning) {
                session.report(std::slice::from_ref(&warning));
                warned.push(warning);
            }
        }
    }

    /// Refuses one word in each register of a target that is there to have several.
    fn refuse_contradictions(&self) -> Result<(), Failure> {
        let all = self.targets.iter().map(|choice| self.options(choice));
        let mut several = all.filter(|o| !o.target.simd && o.target.several().is_none());
        several.find(|options| options.one_word).map_or(Ok(()), |options| {
            let name = options.target.name;
            let base = name.split('+').next().unwrap_or(name);
            Err(Failure::Usage(format!(
                "{name} has several words in each register, and one-word asks for one: build for {base}"
            )))
        })
    }

    /// The target that comes first, which hardware is synthesized for.
    pub fn first_target(&self) -> &'static Target {
        self.targets.first().map_or_else(choice::native, |choice| choice.target)
    }

    /// Whether code for a target is for the CPU at hand.
    pub fn is_here(&self, target: &Target) -> bool {
        self.target(target).is_none_or(|choice| choice.here)
    }

    /// The options on a target that was not asked for, with what was chosen for all.
    pub fn on(&self, target: &'static Target) -> Options {
        self.options(&TargetChoice::plain(target))
    }

    fn target(&self, target: &Target) -> Option<&TargetChoice> {
        self.targets.iter().find(|choice| choice.target.name == target.name)
    }

    /// What was chosen for a target alone.
    pub fn own_choices(&self, target: &Target) -> &[Choice] {
        self.target(target).map_or(&[], |choice| &choice.choices)
    }

    /// The options for each target, best first, in the first slicing that is legal for all programs. After
    /// [`Settings::decide`] there is no other.
    ///
    /// # Errors
    /// Why a target that was asked for is not legal.
    pub fn variants(
        &self,
        programs: &[&Program],
        preferred: Option<Direction>,
    ) -> Result<Vec<Options>, Vec<Diagnostic>> {
        let legal = self.legal(programs, preferred)?;
        Ok(legal.into_iter().map(|slicings| slicings[0]).collect())
    }

    /// For each target, best first, the options in every slicing that is legal for all programs and that the settings
    /// allow, the preferred one first.
    ///
    /// # Errors
    /// Why a target that was asked for is not legal.
    pub fn legal(
        &self,
        programs: &[&Program],
        preferred: Option<Direction>,
    ) -> Result<Vec<Vec<Options>>, Vec<Diagnostic>> {
        if self.targets.is_empty() {
            return self.legal_by_default(programs, preferred);
        }
        let mut variants = Vec::new();
        for choice in &self.targets {
            let asked = choice.direction.or(self.direction).map(|direction| vec![direction]);
            let directions = asked.unwrap_or_else(|| preference(preferred));
            let slicings = match legality::legal(programs, &directions, self.options(choice)) {
                Err(_) if choice.priced => {
                    legality::legal(programs, &preference(preferred), self.on(choice.target))?
                }
                slicings => slicings?,
            };
            let slicings = slicings.into_iter();
            let slicings = slicings.map(|options| legality::with_legal_short(programs, options));
            variants.push(slicings.collect::<Vec<_>>());
        }
        // Those with the widest registers come first; where one runs it is the one to take.
        variants.sort_by_key(|slicings| std::cmp::Reverse(rank(slicings[0].target)));
        Ok(variants)
    }

    fn legal_by_default(
        &self,
        programs: &[&Program],
        preferred: Option<Direction>,
    ) -> Result<Vec<Vec<Options>>, Vec<Diagnostic>> {
        let directions = match self.direction {
            Some(direction) => vec![direction],
            None => preference(preferred),
        };
        let options = |target| self.on(target);
        let native = choice::extended(choice::native(), programs);
        let everywhere = isa::everywhere();
        let mut variants = vec![legality::legal(programs, &directions, options(native))?];
        for target in choice::beside(native, programs) {
            variants.extend(legality::legal(programs, &directions, options(target)));
        }
        if native.name != everywhere.name {
            variants.extend(legality::legal(programs, &directions, options(everywhere)));
        }
        Ok(variants)
    }
}

/// Leaves those slicings that have several words in a register only if all of these programs can, or nothing else was asked for.
fn as_words_of(all: &[&Program], slicings: &mut Vec<Options>) {
    let asked = slicings[0].target;
    slicings.retain(|Options { direction, target, .. }| {
        target.name == asked.name || legality::is_legal_in(all, *direction, target)
    });
}

/// What is to be said of an interleaving for which the registers don't suffice, though they do for one batch.
fn spilling(program: &Program, decision: &Decision, machine: &cost::Machine) -> Option<String> {
    let Options { target, interleave, .. } = decision.options;
    let factor = interleave.filter(|interleave| interleave.factor > 1)?.factor;
    let single = Options { interleave: Some(Interleave::default()), ..decision.options };
    let single = cost::choose(program, &single, machine).ok()?;
    let (several, one) = (&decision.taken()?.estimate, &single.taken()?.estimate);
    let (stored, loaded) = (several.spills, several.reloads);
    (stored > u64::from(factor) * one.spills).then(|| {
        format!(
            "{factor} batches side by side need more than the {} registers of {}: in each run about {stored} values are \
             stored and {loaded} loaded again for want of registers, {} and {} with one batch; a smaller --interleave \
             may be faster",
            target.registers, target.name, one.spills, one.reloads
        )
    })
}

/// The place of a target in the list of all.
fn rank(target: &Target) -> usize {
    isa::all().iter().position(|known| known.name == target.name).unwrap_or(0)
}

/// The slicings to try, that which is preferred first.
fn preference(preferred: Option<Direction>) -> Vec<Direction> {
    let others = PREFERENCE.into_iter().filter(|direction| Some(*direction) != preferred);
    preferred.into_iter().chain(others).collect()
}

/// That the manifest asks for a slicing which is legal on no target.
///
/// # Errors
/// That it does, at its place.
pub fn preferred(
    folder: &Folder,
    programs: &[&Program],
    settings: &Settings,
) -> Result<(), Diagnostic> {
    let direction = folder.manifest.direction();
    let is_legal = |direction: Direction| {
        let mut all = isa::all().iter().map(|target| settings.on(target));
        all.any(|options| legality::legal(programs, &[direction], options).is_ok())
    };
    if is_legal(direction) {
        return Ok(());
    }
    let place = Span::new(folder.manifest_file, folder.manifest.slicing.span());
    let others = PREFERENCE.into_iter().filter(|other| is_legal(*other));
    let others: Vec<String> = others.map(|direction| format!("\"{direction:?}\"")).collect();
    let message = format!("the slicing -{direction:?} is legal on no target");
    let error = Diagnostic::error("E0402", place, message).label("asked for here");
    Err(match others.is_empty() {
        true => error.help("no slicing is; `nakiri check` shows why"),
        false => error.help(format!("write {}; `nakiri check` shows why", others.join(" or "))),
    })
}

/// The parts of a library of one node, as a plain function.
///
/// # Errors
/// Why the node can't be compiled as the settings ask.
pub fn of_entry(
    program: &Program,
    name: &str,
    settings: &Settings,
) -> Result<c::Instance, Vec<Diagnostic>> {
    entry::instance(program, name, &settings.variants(&[program], None)?)
}

/// How many blocks the self test of a run compares.
const RUN_VECTORS: usize = 8;

/// Gives the library of a run test vectors: random blocks, as the interpreter has them after stepping the hardware through
/// all ticks. A line on that for the head of the file.
pub fn test_run(instance: &mut c::Instance, run: &Run) -> String {
    let mut rng = Rng::new(1);
    let memory = |ports: &[&Port], values: &[&Vec<u128>]| -> Vec<u8> {
        let bytes = ports.iter().zip(values).filter_map(|(port, atoms)| to_memory(port, atoms));
        bytes.flatten().collect()
    };
    let entry = run.program.entry();
    let vector = |_| {
        let word = |port: &Port, rng: &mut Rng| -> Vec<u128> {
            (0..port.count()).map(|_| rng.word(port.ty.bits())).collect()
        };
        let data: Vec<Vec<u128>> = entry.params.iter().map(|p| word(p, &mut rng)).collect();
        let of = |constant: bool| -> Vec<u8> {
            let ports = entry.params.iter().zip(&data).filter(|(p, _)| p.constant == constant);
            let (ports, values): (Vec<&Port>, Vec<&Vec<u128>>) = ports.unzip();
            memory(&ports, &values)
        };
        let results = run.stepped(&data);
        let output =
            memory(&entry.results.iter().collect::<Vec<_>>(), &results.iter().collect::<Vec<_>>());
        let function = instance.functions[0].name.clone();
        c::Vector { function, key: of(true), input: of(false), output }
    };
    instance.vectors = (0..RUN_VECTORS).map(vector).collect();
    format!(
        "{RUN_VECTORS} random blocks of the self test computed by the interpreter, {} ticks of `{}` each",
        run.ticks(),
        run.hardware.entry().name
    )
}

/// The parts of one instance of a cipher.
///
/// # Errors
/// [`Failure::Reported`] with why a node can't be compiled as the settings ask.
pub fn of_instance(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    instance: &Instance,
    settings: &Settings,
) -> Result<c::Instance, Failure> {
    try_instance(session, folder, checked, instance, settings)?
        .map_err(|diagnostics| session.refuse(&diagnostics))
}

/// The parts of one instance, or why a node can't be compiled as the settings ask, not reported yet.
///
/// # Errors
/// [`Failure::Reported`] if the manifest does not fit the nodes.
pub fn try_instance(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    instance: &Instance,
    settings: &Settings,
) -> Result<Result<c::Instance, Vec<Diagnostic>>, Failure> {
    let nodes = nodes(session, folder, checked, instance)?;
    Ok(parts(session, folder, instance, &nodes, settings))
}

/// The programs of an instance, which fit it.
///
/// # Errors
/// [`Failure::Reported`] if the manifest does not fit the nodes.
pub fn nodes(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    instance: &Instance,
) -> Result<Nodes, Failure> {
    let nodes = vectors::nodes(session, folder, checked, instance)?;
    key_sizes(session, folder, instance, &nodes)?;
    counter_fits(session, folder, instance, &nodes)?;
    if let Some(message) = &instance.message {
        let inputs = nodes.forward.entry().inputs().iter().filter(|port| !port.constant);
        let names: Vec<&str> = inputs.map(|port| port.name.as_str()).collect();
        if !names.contains(&message.get_ref().as_str()) {
            let place = Span::new(folder.manifest_file, message.span());
            let text = format!("there is no parameter `{}`", message.get_ref());
            let help = instead_of(message.get_ref(), &names);
            return Err(session.refuse(&[Diagnostic::error("E0402", place, text).help(help)]));
        }
    }
    if instance.shared.is_none() {
        for program in nodes.functions() {
            interface(program).map_err(|problem| session.refuse(&[problem]))?;
        }
    }
    if let Some(ports) = &instance.handshake {
        let place = Span::new(folder.manifest_file, ports.span());
        let func = nodes.forward.entry();
        handshake::check(session, &ports.get_ref().handshake(), func, Some(place))?;
    }
    Ok(nodes)
}

fn parts(
    session: &Session,
    folder: &Folder,
    instance: &Instance,
    nodes: &Nodes,
    settings: &Settings,
) -> Result<c::Instance, Vec<Diagnostic>> {
    let shared = shared::of_instance(folder, instance, &nodes.forward)?;
    let tick = shared.as_ref().map_or(&nodes.forward, |shared| &shared.lanes);
    let preferred = Some(folder.manifest.direction());
    if let Some(mode) = &nodes.mode {
        let parts = of_mode(session, mode, instance.prefix.get_ref(), preferred, settings)?;
        return Ok(c::Instance { message_vectors: message_vectors(folder, instance), ..parts });
    }
    let programs: Vec<&Program> = std::iter::once(tick).chain(&nodes.backward).collect();
    let variants = settings.variants(&programs, preferred)?;
    let forward = instance.forward_name();
    let mut functions = vec![function(forward, tick, &variants)?];
    if let Some(backward) = &nodes.backward {
        functions.push(function("decrypt", backward, &variants)?);
    }
    let schedules = nodes
        .schedule
        .as_ref()
        .map_or(Ok(vec![]), |program| schedules(session, program, &functions[0], settings))?;
    let key = instance.key.as_ref().map(|key| c::Key { bytes: *key.bytes.get_ref(), schedules });
    let (vectors, counter_vectors) = vectors(folder, instance, forward);
    Ok(c::Instance {
        prefix: instance.prefix.get_ref().clone(),
        key,
        functions,
        ecb: instance.modes.contains(&Mode::Ecb),
        counter: instance.counter.as_ref().map(|counter| c::Counter {
            offset: counter.get_ref().offset,
            bytes: counter.get_ref().bytes,
            big_endian: counter.get_ref().order == Order::Be,
        }),
        vectors,
        counter_vectors,
        mode: None,
        alone: Vec::new(),
        among: Vec::new(),
        stretches: Vec::new(),
        parallels: Vec::new(),
        message_vectors: Vec::new(),
        tick_vectors: tick_vectors(folder, instance, |input| match &shared {
            Some(shared) => shared::in_order(shared, &nodes.forward, &input),
            None => input,
        }),
        multikey: None,
        handshake: instance.handshake.as_ref().map(|ports| ports.get_ref().handshake()),
        control: shared.as_ref().map(shared::control).transpose()?,
    })
}

/// The parts of an instance of a mode, without vectors.
///
/// # Errors
/// Why a piece can't be compiled as the settings ask.
pub fn of_mode(
    session: &Session,
    mode: &mode::Mode,
    prefix: &str,
    preferred: Option<Direction>,
    settings: &Settings,
) -> Result<c::Instance, Vec<Diagnostic>> {
    let main: Vec<&Program> = mode.main().into_iter().collect();
    let variants = settings.variants(&main, preferred)?;
    let all = mode.pieces();
    let links = all.first().and_then(|(_, piece)| Links::of(piece)).unwrap_or_default();
    let placeless: Vec<Program> = all.iter().map(|(_, piece)| piece.program.placeless()).collect();
    let programs = all.iter().zip(&placeless).map(|((_, piece), own)| (own, &piece.program));
    let each: Vec<_> = programs.flat_map(|own| variants.iter().map(move |v| (own, v))).collect();
    let kernels = on_all_cores(&each, |((placeless, program), options)| {
        // What is said has places.
        piece_kernel(session, placeless, options, settings)
            .or_else(|_| piece_kernel(session, program, options, settings))
    });
    let mut kernels = kernels.into_iter();
    let mut own = || kernels.by_ref().take(variants.len()).collect::<Result<Vec<_>, _>>();
    let pieces = all.into_iter().map(|(name, _)| Ok((name, own()?)));
    let pieces = pieces.collect::<Result<Vec<_>, Vec<Diagnostic>>>()?;
    let kernels = |name: &str| -> &[(Options, Kernel)] {
        let own = pieces.iter().find(|(known, _)| known == name);
        own.map_or(&[], |(_, kernels)| kernels)
    };
    let stretches = stretch::of_mode(session, mode, settings, kernels);
    let parallels = parallel::of_mode(session, mode, settings, &stretches, kernels);
    let functions = pieces.into_iter().map(|(name, kernels)| {
        let variants = kernels.into_iter().map(|(_, kernel)| kernel).collect();
        c::Function { name, variants }
    });
    let functions: Vec<c::Function> = functions.collect();
    let (alone, among) = block_cycles(&functions[0], &links, &stretches, settings);
    let [alone, among] = [alone, among].map(|costs| cheaper(&functions[0], &costs));
    let stretches = stretches.into_iter().map(|priced| priced.stretch).collect();
    let (prefix, mode) = (prefix.to_string(), Some(mode.clone()));
    let empty = c::Instance::default();
    Ok(c::Instance { prefix, functions, mode, alone, among, stretches, parallels, ..empty })
}

/// A piece in the slicing of the blocks. Where it is not legal so, rows may be gathered, or it takes another slicing, since states
/// lie in memory: what costs least for a message, alone or among many, of those that have a price.
fn piece_kernel(
    session: &Session,
    program: &Program,
    options: &Options,
    settings: &Settings,
) -> Result<(Options, Kernel), Vec<Diagnostic>> {
    let compiled = |options: Options| {
        session.compiled.kernel(program, options).map(|kernel| (options, kernel))
    };
    let own = legality::first_legal(&[program], &[options.direction], *options);
    let other = match own {
        Ok(own) => return compiled(own),
        Err(_) => compiled(legality::first_legal(&[program], &preference(None), *options)?)?,
    };
    let gathered = Options { gather_rows: true, ..*options };
    let gathered = legality::first_legal(&[program], &[options.direction], gathered);
    let Some(gathered) = gathered.ok().and_then(|own| compiled(own).ok()) else { return Ok(other) };
    let machine = choice::machine(None, options.target, settings.is_here(options.target)).ok();
    let cycles =
        |kernel: &Kernel| Some(cost::estimate_kernel(kernel, machine.as_ref()?).ok()?.cycles);
    let price = |kernel: &Kernel| {
        Some(cycles(kernel.chain().last()?)? * cycles(kernel)? / kernel.blocks() as f64)
    };
    Ok(match (price(&gathered.1), price(&other.1)) {
        (Some(rows), Some(others)) if rows < others => gathered,
        _ => other,
    })
}

/// For each variant core cycles of a block of a message alone, and of one among as many as there are lanes.
fn block_cycles(
    function: &c::Function,
    links: &Links,
    stretches: &[Priced],
    settings: &Settings,
) -> (Vec<f64>, Vec<f64>) {
    let stretch = stretches.iter().find(|priced| priced.stretch.piece == function.name);
    let of_variant = |(variant, kernel): (usize, &Kernel)| {
        let machine = choice::machine(None, kernel.target, settings.is_here(kernel.target)).ok();
        let of = |kernel: &Kernel, blocks: usize| {
            let machine = machine.as_ref()?;
            let cycles = cost::estimate_text(kernel, links, machine).ok()?.cycles;
            Some((cycles + cost::transport(kernel, machine)?) / (kernel.blocks() * blocks) as f64)
        };
        let stretched = stretch.and_then(|priced| {
            let kernel = priced.stretch.variants[variant].as_ref()?;
            of(kernel, priced.stretch.blocks)
        });
        let last = kernel.chain().last();
        let single = last.and_then(|last| Some(of(last, 1)? * last.blocks() as f64 + cost::AROUND));
        let alone = stretch.and_then(|priced| priced.cycles[variant]).or(single);
        let among = stretched.or_else(|| of(kernel, 1));
        (alone.unwrap_or(f64::INFINITY), among.unwrap_or(f64::INFINITY))
    };
    function.variants.iter().enumerate().map(of_variant).unzip()
}

/// Another variant takes the place of one if it costs less than this share of it: prices of other slicings and registers are no closer.
const MUCH: f64 = 0.8;

/// For each variant those that may take its place, by what each costs: from the cheapest of those that are tried when it doesn't
/// run, and it, to the first that runs wherever it does.
fn cheaper(function: &c::Function, costs: &[f64]) -> Vec<Vec<usize>> {
    let variants = &function.variants;
    let runs = |other: &Target, target: &Target| {
        let features = other.features.iter().all(|feature| target.features.contains(feature));
        other.guard().is_none() || (other.architecture == target.architecture && features)
    };
    // Those of another architecture, or that compilers must be told of, are there in other files.
    let beside = |other: &Target, target: &Target| {
        other.architecture == target.architecture && other.extension.is_none()
    };
    let of_variant = |(own, kernel): (usize, &Kernel)| {
        let runs = |&k: &usize| k == own || runs(variants[k].target, kernel.target);
        let tried = |&k: &usize| k > own && beside(variants[k].target, kernel.target);
        let mut others: Vec<usize> = (0..variants.len()).filter(|k| runs(k) || tried(k)).collect();
        // Of those that cost the same, that which has the fewest blocks to fill up.
        let blocks = |k: usize| variants[k].chain().last().map_or(0, Kernel::blocks);
        let weighed = |k: usize| if k == own { MUCH * costs[k] } else { costs[k] };
        others.sort_by(|&a, &b| {
            weighed(a).total_cmp(&weighed(b)).then_with(|| blocks(a).cmp(&blocks(b)))
        });
        let certain = others.iter().position(runs).unwrap_or(0);
        others.truncate(certain + 1);
        others
    };
    variants.iter().enumerate().map(of_variant).collect()
}

/// For each variant, and each of its kernels with images of its own, the key schedule that makes them.
fn schedules(
    session: &Session,
    program: &Program,
    function: &c::Function,
    settings: &Settings,
) -> Result<Vec<Vec<Kernel>>, Vec<Diagnostic>> {
    let schedules = Schedules::new(program, settings, &session.compiled);
    let of_variant = |kernel: &Kernel| schedules.cheapest(&keys::imaged(kernel));
    function.variants.iter().map(of_variant).collect()
}

/// Refuses a key of another size than that of the parameters it is for.
fn key_sizes(
    session: &Session,
    folder: &Folder,
    instance: &Instance,
    nodes: &Nodes,
) -> Result<(), Failure> {
    // Constants are inputs of shared control.
    if instance.shared.is_some() {
        return Ok(());
    }
    let refuse = |place: Range<usize>, message: String, help: &str| {
        let place = Span::new(folder.manifest_file, place);
        Err(session.refuse(&[Diagnostic::error("E0402", place, message).help(help)]))
    };
    let key = instance.key.as_ref();
    let node = || instance.forward().map_or(instance.prefix.span(), Spanned::span);
    let constants = nodes.forward.entry().params.iter().filter(|port| port.constant);
    let (params, owner) = match &nodes.schedule {
        Some(schedule) => (schedule.entry().params.iter().collect::<Vec<_>>(), "the key schedule"),
        None => (constants.collect(), "the node"),
    };
    let want: usize = params.into_iter().map(port_bytes).sum();
    let got = key.map_or(0, |key| *key.bytes.get_ref());
    if want != got {
        let message = format!("the key has {got} bytes, but {owner} takes {want}");
        let help = match key {
            Some(_) => format!("a key is a `const` parameter; write `bytes = {want}`"),
            None => format!("a key is a `const` parameter; write `key = {{ bytes = {want} }}`"),
        };
        let place = key.map_or_else(node, |key| key.bytes.span());
        return refuse(place, message, &help);
    }
    if key.is_some() && nodes.constants(&vec![0; got]).is_none() {
        let message = "the results of the key schedule are not the `const` parameters of the node"
            .to_string();
        let schedule = key.and_then(|key| key.schedule.as_ref());
        let place = schedule.map_or_else(node, Spanned::span);
        return refuse(place, message, "they must be as many, with as many atoms each");
    }
    let shapes = |program: &Program| -> Vec<_> {
        let own = program.entry().params.iter().filter(|port| port.constant);
        own.map(|port| (port.ty.width, port.count())).collect()
    };
    match (&nodes.backward, &instance.decrypt) {
        (Some(backward), Some(decrypt)) if shapes(backward) != shapes(&nodes.forward) => {
            let (there, back) = (&nodes.forward.entry().name, &backward.entry().name);
            let message = format!("`{back}` takes another key than `{there}`");
            refuse(decrypt.span(), message, "both take the same `const` parameters")
        }
        _ => Ok(()),
    }
}

/// Refuses a counter that lies outside of its block, or where there is more than a block.
fn counter_fits(
    session: &Session,
    folder: &Folder,
    instance: &Instance,
    nodes: &Nodes,
) -> Result<(), Failure> {
    let Some(counter) = &instance.counter else { return Ok(()) };
    let place = Span::new(folder.manifest_file, counter.span());
    let refuse = |message: String, help: &str| {
        Err(session.refuse(&[Diagnostic::error("E0402", place, message).help(help)]))
    };
    let entry = nodes.forward.entry();
    let blocks: Vec<&Port> = entry.params.iter().filter(|port| !port.constant).collect();
    let ([block], 1) = (&blocks[..], entry.results.len()) else {
        let (takes, gives) = (blocks.len(), entry.results.len());
        let message = format!(
            "in CTR a node makes one block of one, but `{}` takes {takes} parameters and gives {gives}",
            entry.name
        );
        return refuse(
            message,
            "leave out the mode \"ctr\" and the counter, or make one parameter of several",
        );
    };
    let (size, counter) = (port_bytes(block), counter.get_ref());
    match counter.offset.checked_add(counter.bytes).is_some_and(|end| end <= size) {
        true => Ok(()),
        false => {
            let message = format!("the counter lies outside of the block of {size} bytes");
            refuse(message, "`offset` is its first byte, from 0, and `bytes` how many it has")
        }
    }
}

fn vectors(
    folder: &Folder,
    instance: &Instance,
    forward: &str,
) -> (Vec<c::Vector>, Vec<c::CounterVector>) {
    let name = instance.prefix.get_ref();
    let mut blocks = Vec::new();
    for vector in folder.vectors.block.iter().filter(|v| v.instance.get_ref() == name) {
        let key = vector.key.as_ref().map_or(Vec::new(), |key| key.bytes.clone());
        let (plain, cipher) = (vector.plain.bytes.clone(), vector.cipher.bytes.clone());
        if instance.decrypt.is_some() {
            blocks.push(c::Vector {
                function: "decrypt".to_string(),
                key: key.clone(),
                input: cipher.clone(),
                output: plain.clone(),
            });
        }
        blocks.push(c::Vector { function: forward.to_string(), key, input: plain, output: cipher });
    }
    let messages = folder.vectors.ctr.iter().filter(|v| v.instance.get_ref() == name);
    let messages = messages.map(|vector| c::CounterVector {
        key: vector.key.bytes.clone(),
        counter: vector.counter.bytes.clone(),
        input: vector.plain.bytes.clone(),
        output: vector.cipher.bytes.clone(),
    });
    (blocks, messages.collect())
}

/// The messages of an instance.
fn message_vectors(folder: &Folder, instance: &Instance) -> Vec<c::MessageVector> {
    let name = instance.prefix.get_ref();
    let own = folder.vectors.message.iter().filter(|vector| vector.instance.get_ref() == name);
    own.map(|vector| c::MessageVector {
        hmac: vector.hmac.as_ref().map(|key| key.bytes.clone()),
        hkdf: vector.hkdf.as_ref().map(|all| all.each_ref().map(|part| part.bytes.clone())),
        inputs: vector.inputs.as_ref().map_or(Vec::new(), |inputs| inputs.bytes.clone()),
        streams: vector.streams().map(|hex| hex.bytes.clone()).collect(),
        repeat: vector.repeat,
        output: vector.out.bytes.clone(),
    })
    .collect()
}

/// The ticks of an instance, with their inputs `in_order` of the emitted function.
fn tick_vectors(
    folder: &Folder,
    instance: &Instance,
    in_order: impl Fn(Vec<u8>) -> Vec<u8>,
) -> Vec<c::TickVector> {
    let bytes = |hex: &Option<Hex>| hex.as_ref().map_or(Vec::new(), |hex| hex.bytes.clone());
    let run = |run: &TickRun| c::Run {
        ticks: run.ticks,
        input: in_order(bytes(&run.input)),
        output: bytes(&run.out),
    };
    let name = instance.prefix.get_ref();
    let own = folder.vectors.ticks.iter().filter(|vector| vector.instance.get_ref() == name);
    let vector = |vector: &TickVector| c::TickVector {
        key: bytes(&vector.key),
        runs: vector.run.iter().map(run).collect(),
    };
    own.map(vector).collect()
}

/// The evidence that the vectors give, for the head of the file.
pub fn evidence(agreed: Agreed) -> Vec<String> {
    let Agreed { blocks, messages, ticks } = agreed;
    let counts = [(blocks, "block"), (messages, "message"), (ticks, "tick")];
    let counted: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| output::counted(*n, what)).collect();
    match counted.is_empty() {
        true => Vec::new(),
        false => {
            vec![format!("{} of vectors.toml computed by the interpreter", counted.join(" and "))]
        }
    }
}
