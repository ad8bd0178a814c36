//! Random jobs, and what each gives alone: the handshake a second time, for one lane of the interpreter.

use nakiri::core::interp::Machine;
use nakiri::core::{Port, Program};
use nakiri_verify::random::Rng;

/// Jobs of a program.
pub struct Jobs {
    program: Program,
    /// The port of each role of the handshake.
    roles: Vec<(String, String)>,
    jobs: Vec<Job>,
}

/// The inputs at the start of a job, and those with each of its words: the bytes of all ports that carry data.
struct Job {
    start: Vec<u8>,
    words: Vec<Vec<u8>>,
}

/// What a job gave: answers (`A`) and the end (`D`), each with the bytes of all outputs that carry data.
pub type Result = Vec<(char, Vec<u8>)>;

/// The most words of a job.
const WORDS: usize = 12;

fn bytes(port: &Port) -> usize {
    port.count().div_ceil(8) as usize
}

impl Jobs {
    /// Random jobs for a handshake, given as flags of `nakiri build`.
    pub fn random(program: Program, flags: &[&str], count: usize) -> Jobs {
        let role =
            |flag: &[&str]| (flag[0].trim_start_matches("--").to_string(), flag[1].to_string());
        let roles = flags.chunks(2).map(role).collect();
        let mut jobs = Jobs { program, roles, jobs: Vec::new() };
        let mut rng = Rng::new(1);
        for _ in 0..count {
            let words = match jobs.port("valid") {
                Some(_) => rng.range(1, WORDS),
                None => 0,
            };
            let start = jobs.inputs(&mut rng);
            let mut job = Job { words: vec![], start };
            for _ in 0..words {
                // Some words are like the one before, and then their ports are not given again.
                let last = job.words.last().unwrap_or(&job.start).clone();
                let word = if rng.range(0, 4) == 0 { last } else { jobs.inputs(&mut rng) };
                job.words.push(word);
            }
            jobs.jobs.push(job);
        }
        jobs
    }

    fn port(&self, role: &str) -> Option<&str> {
        self.roles.iter().find(|(name, _)| name == role).map(|(_, port)| port.as_str())
    }

    fn carries_data(&self, port: &Port) -> bool {
        self.roles.iter().all(|(_, name)| *name != port.name)
    }

    /// Whether a role has a port.
    pub fn has(&self, role: &str) -> bool {
        self.port(role).is_some()
    }

    /// How many jobs there are.
    pub fn count(&self) -> usize {
        self.jobs.len()
    }

    /// The bytes of each input that carries data.
    pub fn input_bytes(&self) -> Vec<usize> {
        let inputs = self.program.entry().inputs().iter();
        inputs.filter(|port| self.carries_data(port)).map(bytes).collect()
    }

    /// The bytes of each output that carries data.
    pub fn output_bytes(&self) -> Vec<usize> {
        let outputs = self.program.entry().outputs().iter();
        outputs.filter(|port| self.carries_data(port)).map(bytes).collect()
    }

    fn inputs(&self, rng: &mut Rng) -> Vec<u8> {
        let ports = self.program.entry().inputs().iter().filter(|port| self.carries_data(port));
        let mut all = Vec::new();
        for port in ports {
            let mut value: Vec<u8> = (0..bytes(port)).map(|_| rng.word(8) as u8).collect();
            if let (Some(last), bits @ 1..) = (value.last_mut(), port.count() % 8) {
                *last &= (1 << bits) - 1;
            }
            all.extend(value);
        }
        all
    }

    /// The jobs as the program in C reads them: the start, the number of words, the words.
    pub fn bytes(&self) -> Vec<u8> {
        let job = |job: &Job| {
            let words = job.words.concat();
            [&job.start[..], &[job.words.len() as u8], &words].concat()
        };
        self.jobs.iter().flat_map(job).collect()
    }

    /// What each job gives alone.
    pub fn results(&self) -> Vec<Result> {
        self.jobs.iter().map(|job| self.alone(job)).collect()
    }

    fn alone(&self, job: &Job) -> Result {
        let mut machine = Machine::new(&self.program);
        let (mut result, mut held) = (Vec::new(), job.start.clone());
        let (mut next, mut offered, mut closing, mut first) = (0, false, false, true);
        loop {
            let begins = first && self.has("start");
            if !offered && !begins && next < job.words.len() {
                (offered, held) = (true, job.words[next].clone());
            }
            let out = machine.step(&self.atoms(&held, begins, offered));
            let outputs = self.program.entry().outputs();
            let says = |role: &str| {
                let place =
                    outputs.iter().position(|port| Some(port.name.as_str()) == self.port(role));
                place.map(|place| out[place][0] == 1)
            };
            let data = self.data(&out);
            let taken = offered && says("ready").unwrap_or(true);
            if says("out-valid").map_or(taken, |there| there && !begins) {
                result.push(('A', data.clone()));
            }
            if says("done").map_or(closing, |done| done && !begins) {
                result.push(('D', data));
                return result;
            }
            if taken {
                (offered, next) = (false, next + 1);
                closing = next == job.words.len();
            }
            first = false;
        }
    }

    fn atoms(&self, held: &[u8], begins: bool, offered: bool) -> Vec<Vec<u128>> {
        let mut at = 0;
        let mut atoms = |port: &Port| match self.roles.iter().find(|(_, name)| *name == port.name) {
            Some((role, _)) => vec![u128::from(if role == "start" { begins } else { offered })],
            None => {
                let value = &held[at..at + bytes(port)];
                at += bytes(port);
                (0..port.count() as usize)
                    .map(|bit| (value[bit / 8] >> (bit % 8) & 1).into())
                    .collect()
            }
        };
        self.program.entry().inputs().iter().map(&mut atoms).collect()
    }

    fn data(&self, out: &[Vec<u128>]) -> Vec<u8> {
        let ports = self.program.entry().outputs().iter().zip(out);
        let ports = ports.filter(|(port, _)| self.carries_data(port));
        let bytes = ports.flat_map(|(_, atoms)| {
            atoms.chunks(8).map(|bits| (0..).zip(bits).map(|(k, bit)| (*bit as u8) << k).sum())
        });
        bytes.collect()
    }

    /// What the program in C says of each job: lines of number, kind and bytes.
    pub fn said(&self, text: &str) -> Vec<Result> {
        let mut results = vec![Vec::new(); self.jobs.len()];
        for line in text.lines() {
            let mut words = line.split(' ');
            let mut word = || words.next().expect("a word");
            let (job, kind) = (word().parse::<usize>().expect("a job"), word());
            let digits = word();
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("a byte");
            let bytes = (0..digits.len()).step_by(2).map(byte).collect();
            results[job].push((kind.chars().next().expect("a kind"), bytes));
        }
        results
    }
}
