//! What the nodes of a cipher must compute: its published vectors, and other blocks by the interpreter to fill the lanes.

use nakiri::check::Checked;
use nakiri::compile::Options;
use nakiri::core::{interp, Direction, Port, Program};
use nakiri::isa::Target;
use nakiri::layout::memory_bytes;
use nakiri_bench::metrics;
use nakiri_cli::manifest::{self, Folder, Instance};
use nakiri_cli::session::Session;
use nakiri_cli::values::Block;
use nakiri_cli::vectors::{self, Nodes};
use std::path::Path;

/// How many blocks the first key of a node gets: more than any register has lanes.
pub const FILLED: usize = 515;

/// How many ticks every lane makes.
const TICKS: usize = 3;

/// A cipher's folder with what its nodes must compute.
pub struct Case {
    /// Its number, by which samples are taken.
    pub turn: usize,
    pub session: Session,
    pub folder: Folder,
    pub checked: Checked,
    pub nodes: Vec<Node>,
    /// For each instance what its function from plain to cipher text, or its permutation, does to bytes.
    pub bytes: Vec<Bytes>,
    /// For each instance that is stepped what its lanes do.
    pub ticks: Vec<Ticks>,
    /// What its kernels were when they were counted last.
    metrics: Vec<metrics::Row>,
}

/// A node, and blocks that it must compute.
pub struct Node {
    pub name: String,
    pub program: Program,
    /// Blocks that share their constant parameters stand together.
    pub groups: Vec<Group>,
}

/// Arguments and results; the constant parameters are the same in all arguments.
#[derive(Default)]
pub struct Group {
    pub arguments: Vec<Block>,
    pub results: Vec<Block>,
}

/// Instances of a step function in lanes: blocks in memory, those of all lanes one after another.
pub struct Ticks {
    /// For each input, held in all ticks.
    pub inputs: Vec<Vec<u8>>,
    /// For each tick, for each output.
    pub outputs: Vec<Vec<Vec<u8>>>,
}

/// The counts in git of a cipher's kernels, if it has some.
fn counted(folder: &Path) -> Result<Vec<metrics::Row>, String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    match std::fs::read_to_string(format!("metrics/{name}.csv")) {
        Ok(text) => metrics::from_csv(&text),
        Err(_) => Ok(Vec::new()),
    }
}

impl Ticks {
    /// Other inputs in each lane.
    fn random(program: &Program) -> Option<Ticks> {
        let entry = program.entry();
        let mut random = Random(11);
        let mut inputs = vec![Vec::new(); entry.inputs().len()];
        let mut outputs = vec![vec![Vec::new(); entry.outputs().len()]; TICKS];
        for _ in 0..FILLED {
            let block: Block = entry
                .inputs()
                .iter()
                .map(|port| (0..port.count()).map(|_| random.atom(port.ty.bits())).collect())
                .collect();
            for ((bytes, port), atoms) in inputs.iter_mut().zip(entry.inputs()).zip(&block) {
                bytes.extend(nakiri::layout::to_memory(port, atoms)?);
            }
            let mut machine = interp::Machine::new(program);
            for tick in &mut outputs {
                let results = machine.step(&block);
                for ((bytes, port), atoms) in tick.iter_mut().zip(entry.outputs()).zip(&results) {
                    bytes.extend(nakiri::layout::to_memory(port, atoms)?);
                }
            }
        }
        Some(Ticks { inputs, outputs })
    }
}

/// Blocks in memory under one key.
pub struct Bytes {
    pub key: Vec<u8>,
    pub input: Vec<Vec<u8>>,
    pub output: Vec<Vec<u8>>,
}

impl Case {
    /// Reads a folder; its vectors are computed by the interpreter on the program before slicing.
    pub fn load(path: &Path, turn: usize) -> Result<Case, String> {
        let mut session = Session::default();
        let folder = manifest::read(&mut session, path).map_err(|f| format!("{f:?}"))?;
        let checked =
            session.check(&folder.source(), &Default::default()).map_err(|f| format!("{f:?}"))?;
        vectors::check(&session, &folder, &checked).map_err(|f| format!("{f:?}"))?;
        let mut case = Case {
            turn,
            session,
            folder,
            checked,
            nodes: Vec::new(),
            bytes: Vec::new(),
            ticks: Vec::new(),
            metrics: counted(path)?,
        };
        for i in 0..case.folder.manifest.instances.len() {
            case.instance(i).ok_or("a vector does not fit its node")?;
        }
        Ok(case)
    }

    /// How the first instance's kernel was configured when it was counted.
    pub fn recorded(&self, direction: Direction, target: &Target) -> Option<Options> {
        let prefix = self.folder.manifest.instances[0].prefix.get_ref();
        let slicing = direction.to_string();
        let is_it = |row: &&metrics::Row| {
            row.instance == *prefix && row.slicing == slicing && row.target == target.name
        };
        let row = self.metrics.iter().find(is_it)?;
        Some(row.configuration.parse().expect("what was written is read"))
    }

    fn instance(&mut self, number: usize) -> Option<()> {
        let instance = self.folder.manifest.instances[number].clone();
        let nodes = vectors::nodes(&self.session, &self.folder, &self.checked, &instance).ok()?;
        let forward = instance.forward()?.get_ref().clone();
        if instance.is_stepped() {
            return self.steps(&instance, &forward, &nodes.forward);
        }
        let schedule = instance.key.as_ref().and_then(|key| key.schedule.as_ref());
        let name = instance.prefix.get_ref();
        let own: Vec<_> = self
            .folder
            .vectors
            .block
            .iter()
            .filter(|v| v.instance.get_ref() == name)
            .cloned()
            .collect();
        for (k, vector) in own.iter().enumerate() {
            let key = vector.key.as_ref().map_or(&[][..], |key| &key.bytes);
            let constants = nodes.constants(key)?;
            let (plain, cipher) = (&vector.plain.bytes, &vector.cipher.bytes);
            let arguments = Nodes::arguments(&nodes.forward, &constants, plain)?;
            let results = atoms(&nodes.forward.entry().results, cipher)?;
            self.node(&forward, &nodes.forward).add(arguments, results);
            if let (Some(backward), Some(node)) = (&nodes.backward, &instance.decrypt) {
                let arguments = Nodes::arguments(backward, &constants, cipher)?;
                let results = atoms(&backward.entry().results, plain)?;
                self.node(node.get_ref(), backward).add(arguments, results);
            }
            if let (Some(program), Some(node)) = (&nodes.schedule, schedule) {
                let arguments = atoms(&program.entry().params, key)?;
                let results = interp::run(program, &arguments);
                self.node(node.get_ref(), program).add(arguments, results);
            }
            if k == 0 {
                let mut input = vec![plain.clone()];
                let mut random = Random(number as u64 + 1);
                input.extend((1..FILLED).map(|_| random.bytes(plain.len())));
                let run = |block: &Vec<u8>| vectors::block(&nodes.forward, &constants, block);
                let output = input.iter().map(run).collect::<Option<_>>()?;
                self.bytes.push(Bytes { key: key.to_vec(), input, output });
            }
        }
        for name in [
            Some(forward.as_str()),
            instance.decrypt.as_ref().map(|n| n.get_ref().as_str()),
            schedule.map(|n| n.get_ref().as_str()),
        ]
        .into_iter()
        .flatten()
        {
            if let Some(node) = self.nodes.iter_mut().find(|node| node.name == name) {
                node.fill();
            }
        }
        Some(())
    }

    /// The registers before and after each tick of the vectors, like other parameters and results: of long runs the first
    /// and the last.
    fn steps(&mut self, instance: &Instance, name: &str, program: &Program) -> Option<()> {
        let inputs = program.entry().inputs();
        let vectors = self.folder.vectors.ticks.clone();
        for vector in vectors.iter().filter(|v| v.instance.get_ref() == instance.prefix.get_ref()) {
            let mut machine = interp::Machine::new(program);
            for run in &vector.run {
                let bytes = run.input.as_ref().map_or(&[][..], |input| &input.bytes);
                let given = atoms(inputs, bytes)?;
                for tick in 0..run.ticks {
                    let before = machine.registers().to_vec();
                    let outputs = machine.step(&given);
                    if tick < 4 || tick + 12 >= run.ticks {
                        let results = [outputs, machine.registers().to_vec()].concat();
                        self.node(name, program).add([&given[..], &before].concat(), results);
                    }
                }
            }
        }
        self.nodes.iter_mut().find(|node| node.name == name)?.fill();
        self.ticks.push(Ticks::random(program)?);
        Some(())
    }

    fn node(&mut self, name: &str, program: &Program) -> &mut Node {
        let known = self.nodes.iter().position(|node| node.name == name);
        let place = known.unwrap_or_else(|| {
            let (name, program) = (name.to_string(), program.clone());
            self.nodes.push(Node { name, program, groups: Vec::new() });
            self.nodes.len() - 1
        });
        &mut self.nodes[place]
    }
}

impl Node {
    fn constants(&self, arguments: &Block) -> Vec<Vec<u128>> {
        let params = self.program.entry().params.iter().zip(arguments);
        params.filter(|(port, _)| port.constant).map(|(_, atoms)| atoms.clone()).collect()
    }

    fn add(&mut self, arguments: Block, results: Block) {
        let key = self.constants(&arguments);
        let known = self.groups.iter().position(|g| self.constants(&g.arguments[0]) == key);
        let place = known.unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() - 1
        });
        self.groups[place].arguments.push(arguments);
        self.groups[place].results.push(results);
    }

    /// Gives every lane a block of its own in the first group.
    fn fill(&mut self) {
        let Some(group) = self.groups.first_mut() else { return };
        let mut random = Random(7);
        while group.arguments.len() < FILLED {
            let params = self.program.entry().params.iter().zip(&group.arguments[0]);
            let arguments: Block = params
                .map(|(port, atoms)| match port.constant {
                    true => atoms.clone(),
                    false => atoms.iter().map(|_| random.atom(port.ty.bits())).collect(),
                })
                .collect();
            group.results.push(interp::run(&self.program, &arguments));
            group.arguments.push(arguments);
        }
    }
}

/// The atoms of several ports whose bytes lie one after another.
fn atoms(ports: &[Port], mut bytes: &[u8]) -> Option<Block> {
    let mut block = Block::new();
    for port in ports {
        let (own, rest) = bytes.split_at_checked(memory_bytes(port.ty.bits(), port.count()))?;
        block.push(nakiri::layout::from_memory(port, own)?);
        bytes = rest;
    }
    bytes.is_empty().then_some(block)
}

/// A sequence that is the same in every run (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn atom(&mut self, bits: u16) -> u128 {
        let word = u128::from(self.next()) << 64 | u128::from(self.next());
        word >> (128 - bits)
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}
