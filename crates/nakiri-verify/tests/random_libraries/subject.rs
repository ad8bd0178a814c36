//! A random program as a part of a library, with the C that tests it.

use nakiri::compile::{compile, specialize, Options, Short};
use nakiri::core::{interp, Direction, Port, Program as Core};
use nakiri::emit::c::{Function, Instance, Key};
use nakiri::isa::{self, Target};
use nakiri::layout::{memory_bit, memory_bytes};
use nakiri_verify::differential::elaborate;
use nakiri_verify::exec;
use nakiri_verify::random::{self, Program, Rng};
use std::fmt::Write;

/// How many blocks differ; longer messages have them again. It divides no number of lanes.
const DIFFERENT: usize = 37;

/// A program, its variants, and what they must compute.
pub struct Subject {
    program: Program,
    /// What each variant was compiled for.
    pub ways: Vec<Options>,
    /// The part of a library.
    pub instance: Instance,
    key: Vec<u8>,
    /// The blocks of each parameter that isn't constant, and of each result.
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
}

impl Subject {
    /// The program of a seed with one to three variants; `None` if it has registers, or none is legal.
    ///
    /// # Errors
    /// Why it can't be compiled.
    pub fn new(seed: u64) -> Result<Option<Subject>, String> {
        let program = random::program(seed);
        let mut rng = Rng::new(seed);
        let core = elaborate(&program.text)?;
        if !core.entry().resets.is_empty() {
            return Ok(None);
        }
        let (mut variants, mut ways) = (Vec::new(), Vec::new());
        for _ in 0..rng.range(1, 3) {
            let way = way(&program, &mut rng);
            if let Ok(kernel) = compile(&core, &way, &mut |_, _| {}) {
                variants.push(kernel);
                ways.push(way);
            }
        }
        let Some(kernel) = variants.first() else { return Ok(None) };
        let (params, results) = (kernel.params.clone(), kernel.results.clone());
        let bytes = |port: &Port| memory_bytes(port.ty.bits(), port.count());
        let key: usize = params.iter().filter(|port| port.constant).map(bytes).sum();
        let meaning = match core.entry().width_params.is_empty() {
            true => core,
            false => specialize(&core, &ways[0]).map_err(|refused| refused[0].message.clone())?,
        };
        let instance = Instance {
            prefix: format!("r{seed}"),
            key: (key > 0).then_some(Key { bytes: key, schedules: Vec::new() }),
            functions: vec![Function { name: "main".to_string(), variants }],
            ..Instance::default()
        };
        let key = random_bytes(key, &mut rng);
        let (inputs, outputs) = blocks(&meaning, &params, &results, &key, &mut rng);
        Ok(Some(Subject { program, ways, instance, key, inputs, outputs }))
    }

    /// The program and its variants, for people.
    pub fn described(&self) -> String {
        let ways: Vec<String> = self.ways.iter().map(Options::to_string).collect();
        format!("seed {}, variants {}\n{}", self.program.seed, ways.join("; "), self.program.text)
    }

    /// The C function that tests its variants.
    pub fn test(&self) -> String {
        let (prefix, kernel) = (&self.instance.prefix, &self.instance.functions[0].variants[0]);
        let mut text = String::new();
        if !self.key.is_empty() {
            text += &array(&format!("{prefix}_key"), &self.key);
        }
        let mut body = Body::default();
        let inputs = kernel.params.iter().filter(|port| !port.constant);
        for (k, (port, blocks)) in inputs.zip(&self.inputs).enumerate() {
            text += &array(&format!("{prefix}_in{k}"), blocks);
            body.input(prefix, k, memory_bytes(port.ty.bits(), port.count()));
        }
        for (k, (port, blocks)) in kernel.results.iter().zip(&self.outputs).enumerate() {
            text += &array(&format!("{prefix}_out{k}"), blocks);
            body.output(prefix, k, memory_bytes(port.ty.bits(), port.count()));
        }
        let (context, keys) = match self.key.is_empty() {
            true => (String::new(), "NULL"),
            false => (
                format!(
                    "    {prefix}_ctx ctx;\n    {prefix}_expand(&ctx, {prefix}_key, variant);\n"
                ),
                "ctx.keys",
            ),
        };
        text + &body.text(prefix, &context, keys)
    }

    /// The C that calls the test for all lengths and variants.
    pub fn call(&self) -> String {
        let prefix = &self.instance.prefix;
        format!(
            "    for (unsigned v = 0; v < sizeof {prefix}_lanes / sizeof *{prefix}_lanes; v++) {{\n        \
             size_t l = {prefix}_lanes[v];\n        \
             const size_t lengths[] = {{ 0, 1, 2, 3, l / 2, l - 1, l, l + 1, l + l / 3, 2 * l + 5 }};\n        \
             for (size_t k = 0; {prefix}_runs(v) && k < sizeof lengths / sizeof *lengths; k++)\n            \
             test_{prefix}(v, lengths[k], k % 5, k % 2 == 0);\n    }}\n    \
             if ({prefix}_self_test() != 0)\n        return 1;\n"
        )
    }
}

/// One of a program's ways, on a target whose C can be run here.
fn way(program: &Program, rng: &mut Rng) -> Options {
    let runs = |target: &&&'static Target| exec::runnable(target).is_ok();
    let targets: Vec<&'static Target> = isa::all().iter().filter(runs).copied().collect();
    let target = *rng.pick(&targets);
    let direction = match rng.one_in(6) {
        true => Direction::P,
        false => *rng.pick(program.profile.legal),
    };
    let open = Options { width: program.width, ..Options::new(direction, target) };
    let short = Short::Few { below: rng.range(2, 9) as u32, batches: rng.range(1, 3) as u32 };
    let short = if rng.one_in(2) { short } else { Short::Never };
    // Products of long words are thousands of gates.
    let soft_arith = program.bits <= 8 && rng.one_in(2);
    Options { short: Some(short), soft_arith, ..random::options(rng, open) }
}

/// Random blocks of the parameters, padding too, and the results that the interpreter gives, whose padding is zero.
fn blocks(
    meaning: &Core,
    params: &[Port],
    results: &[Port],
    key: &[u8],
    rng: &mut Rng,
) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let varying = params.iter().filter(|port| !port.constant).count();
    let (mut inputs, mut outputs) = (vec![Vec::new(); varying], vec![Vec::new(); results.len()]);
    for _ in 0..DIFFERENT {
        let (mut keys, mut k) = (key, 0);
        let mut atoms = Vec::new();
        for port in params {
            let bytes = memory_bytes(port.ty.bits(), port.count());
            if port.constant {
                let (own, rest) = keys.split_at(bytes);
                atoms.push(from_memory(port, own));
                keys = rest;
            } else {
                let memory = random_bytes(bytes, rng);
                atoms.push(from_memory(port, &memory));
                inputs[k].extend(memory);
                k += 1;
            }
        }
        for ((port, values), to) in
            results.iter().zip(interp::run(meaning, &atoms)).zip(&mut outputs)
        {
            to.extend(to_memory(port, &values));
        }
    }
    (inputs, outputs)
}

/// For each bit of a port the atom and the bit of it, 0 the least significant, and where it lies in memory.
fn bits(port: &Port) -> impl Iterator<Item = (usize, u16, usize)> + '_ {
    let (width, count) = (port.ty.bits(), port.count());
    (0..count).flat_map(move |atom| {
        (0..width).map(move |position| {
            let place = memory_bit(&port.layout, width, count, atom, position);
            (atom as usize, width - 1 - position, place.expect("the layout fits"))
        })
    })
}

fn from_memory(port: &Port, memory: &[u8]) -> Vec<u128> {
    let mut atoms = vec![0; port.count() as usize];
    for (atom, bit, place) in bits(port) {
        atoms[atom] |= u128::from(memory[place / 8] >> (place % 8) & 1) << bit;
    }
    atoms
}

fn to_memory(port: &Port, atoms: &[u128]) -> Vec<u8> {
    let mut memory = vec![0; memory_bytes(port.ty.bits(), port.count())];
    for (atom, bit, place) in bits(port) {
        memory[place / 8] |= ((atoms[atom] >> bit & 1) as u8) << (place % 8);
    }
    memory
}

fn random_bytes(count: usize, rng: &mut Rng) -> Vec<u8> {
    (0..count).map(|_| rng.draw() as u8).collect()
}

fn array(name: &str, bytes: &[u8]) -> String {
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("static const uint8_t {name}[{}] = {{{}}};\n", bytes.len(), list.join(","))
}

/// The body of a test, port by port.
#[derive(Default)]
struct Body {
    /// Where blocks are made, compared and freed.
    made: String,
    compared: String,
    freed: String,
    ins: Vec<String>,
    outs: Vec<String>,
    sizes: Vec<usize>,
    /// The arguments where the first result that has the size of a parameter stands in its place.
    in_place: Option<(usize, usize)>,
}

impl Body {
    fn input(&mut self, prefix: &str, k: usize, bytes: usize) {
        self.made(&format!("i{k}"), &format!("{prefix}_in{k}"), bytes);
        self.ins.push(format!("i{k} + shift"));
        self.sizes.push(bytes);
    }

    fn output(&mut self, prefix: &str, k: usize, bytes: usize) {
        let place = self.sizes.iter().position(|&size| size == bytes);
        self.in_place = self.in_place.or_else(|| Some((k, place?)));
        // What was there before the call is another block of the same result: nothing may be left of it.
        let _ = writeln!(
            self.made,
            "    uint8_t *o{k} = blocks_at(shift, {prefix}_out{k} + {bytes}, {DIFFERENT} - 1, {bytes}, n);"
        );
        let _ = writeln!(self.freed, "    free(o{k});");
        let place = self.in_place.filter(|(output, _)| *output == k);
        let got = match place {
            Some((_, input)) => format!("(in_place ? i{input} : o{k}) + shift"),
            None => format!("o{k} + shift"),
        };
        let _ = writeln!(
            self.compared,
            "    compare(\"{prefix}_out{k}\", variant, {got}, {prefix}_out{k}, {DIFFERENT}, {bytes}, n);"
        );
        self.outs.push(got);
    }

    fn made(&mut self, name: &str, from: &str, bytes: usize) {
        let _ = writeln!(
            self.made,
            "    uint8_t *{name} = blocks_at(shift, {from}, {DIFFERENT}, {bytes}, n);"
        );
        let _ = writeln!(self.freed, "    free({name});");
    }

    fn text(self, prefix: &str, context: &str, keys: &str) -> String {
        let arguments = [self.outs, self.ins].concat().join(", ");
        format!(
            "static void test_{prefix}(unsigned variant, size_t n, size_t shift, int in_place)\n{{\n    \
             (void)in_place;\n{context}{}    {prefix}_main_run(variant, {keys}, {arguments}, n);\n{}{}}}\n",
            self.made, self.compared, self.freed
        )
    }
}
