//! What a cipher computes on bytes, by the interpreter: the meaning against which published vectors are held.

use crate::manifest::{Counter, Folder, Hex, Instance, Order, TickVector};
use nakiri::check::Checked;
use nakiri::core::{interp, Port, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::layout::{from_memory, port_bytes, to_memory};
use nakiri::mode::{self, Mode};
use nakiri::run::{Run, Schedule};
use nakiri::source::{SourceMap, Span};

/// The bytes of several ports, one after another.
fn split<'b>(ports: &[&Port], bytes: &'b [u8]) -> Option<Vec<Vec<u128>>> {
    let mut rest: &'b [u8] = bytes;
    let mut values = Vec::new();
    for port in ports {
        let (own, after) = rest.split_at_checked(port_bytes(port))?;
        values.push(from_memory(port, own)?);
        rest = after;
    }
    rest.is_empty().then_some(values)
}

/// The programs of an instance.
#[derive(Clone, Debug)]
pub struct Nodes {
    /// The key schedule.
    pub schedule: Option<Program>,
    /// The encryption, or the permutation.
    pub forward: Program,
    /// The decryption.
    pub backward: Option<Program>,
    /// The mode, of which the first program takes a block.
    pub mode: Option<Mode>,
}

impl Nodes {
    /// The programs that choices are made for: those that take blocks.
    pub fn of_blocks(&self) -> Vec<&Program> {
        std::iter::once(&self.forward).chain(&self.backward).collect()
    }

    /// The programs that become functions: the first, the decryption, the other pieces of the mode.
    pub fn functions(&self) -> Vec<&Program> {
        let pieces = self.mode.iter().flat_map(|mode| mode.pieces().into_iter().skip(1));
        let pieces = pieces.map(|(_, piece)| &piece.program);
        std::iter::once(&self.forward).chain(&self.backward).chain(pieces).collect()
    }

    /// The programs of the nodes that an instance names.
    ///
    /// # Errors
    /// That a node is missing or can't be called on bytes.
    pub fn find(
        sources: &SourceMap,
        folder: &Folder,
        checked: &Checked,
        instance: &Instance,
    ) -> Result<Nodes, Vec<Diagnostic>> {
        let find = |node: &toml::Spanned<String>| {
            let stepped = instance.step.as_ref() == Some(node);
            let program = folder.program(checked, node).map_err(|problem| vec![problem])?;
            let name = node.get_ref();
            let place = Span::new(folder.manifest_file, node.span());
            let error = |message| Diagnostic::error("E0402", place, message);
            if let Some(param) = program.entry().width_params.first() {
                let error = error(format!("`{name}` is generic in its word size"))
                    .label(format!("{param} is not fixed"))
                    .help("write the word size into the types of its parameters");
                return Err(vec![error]);
            }
            match (program.entry().resets.is_empty(), stepped) {
                (true, true) => Err(vec![error(format!("`{name}` has no registers"))
                    .help("name it under `permute` or `encrypt`")]),
                (false, false) => Err(vec![error(format!("`{name}` has registers"))
                    .help("name it under `step`, in an instance of its own")]),
                _ => Ok(program),
            }
        };
        let schedule = instance.key.as_ref().and_then(|key| key.schedule.as_ref());
        let Some(forward) = instance.forward() else {
            let place = Span::new(folder.manifest_file, instance.prefix.span());
            return Err(vec![Diagnostic::error("E0402", place, "this instance has no node")]);
        };
        let mut forward = find(forward)?;
        if let Some(schedule) = &instance.run {
            let place = Span::new(folder.manifest_file, schedule.span());
            let run = scheduled(sources, &forward, schedule.get_ref(), place);
            forward = run?.program;
        }
        Ok(Nodes {
            schedule: schedule.map(find).transpose()?,
            forward,
            backward: instance.decrypt.as_ref().map(find).transpose()?,
            mode: instance.mode.as_ref().and_then(|mode| checked.mode(mode.get_ref())),
        })
    }

    /// The atoms of the constant parameters for a key: the results of the key schedule, or the key itself.
    /// `None` if the key has another size or the schedule does not fit the parameters.
    pub fn constants(&self, key: &[u8]) -> Option<Vec<Vec<u128>>> {
        let entry = self.forward.entry();
        let constants: Vec<&Port> = entry.params.iter().filter(|port| port.constant).collect();
        let Some(schedule) = &self.schedule else {
            return split(&constants, key);
        };
        let params: Vec<&Port> = schedule.entry().params.iter().collect();
        let results = interp::run(schedule, &split(&params, key)?);
        let fits = results.len() == constants.len()
            && results.iter().zip(&constants).all(|(r, c)| r.len() == c.count() as usize);
        fits.then_some(results)
    }

    /// The parameters of one of the programs for a block in memory, as the interpreter and the kernels take them.
    pub fn arguments(
        program: &Program,
        constants: &[Vec<u128>],
        block: &[u8],
    ) -> Option<Vec<Vec<u128>>> {
        let params = program.entry().inputs();
        let inputs: Vec<&Port> = params.iter().filter(|port| !port.constant).collect();
        let (mut inputs, mut constants) = (split(&inputs, block)?.into_iter(), constants.iter());
        params
            .iter()
            .map(|port| if port.constant { constants.next().cloned() } else { inputs.next() })
            .collect()
    }

    /// The bytes of one of the programs' results.
    pub fn bytes(program: &Program, results: &[Vec<u128>]) -> Option<Vec<u8>> {
        let ports = program.entry().results.iter().zip(results);
        let parts = ports.map(|(port, atoms)| to_memory(port, atoms));
        Some(parts.collect::<Option<Vec<_>>>()?.concat())
    }
}

/// The run of a program by a schedule that stands in a string of a manifest.
fn scheduled(
    sources: &SourceMap,
    program: &Program,
    schedule: &str,
    place: Span,
) -> Result<Run, Vec<Diagnostic>> {
    // With escapes in it the places of words are unknown, and all of it is shown.
    let shown = sources.text(place);
    let place = match shown.find(schedule) {
        Some(at) => {
            let start = place.start + at as u32;
            Span { start, end: start + schedule.len() as u32, ..place }
        }
        None => place,
    };
    let schedule = Schedule::parse_at(schedule, place).map_err(|wrong| vec![wrong])?;
    Run::new(program, &schedule)
}

/// One of the programs on one block in memory.
pub fn block(program: &Program, constants: &[Vec<u128>], input: &[u8]) -> Option<Vec<u8>> {
    let arguments = Nodes::arguments(program, constants, input)?;
    Nodes::bytes(program, &interp::run(program, &arguments))
}

/// What a step function gives in the runs of a vector: for each tick the bytes of all results; `None` if a parameter has
/// another size. Where a vector has no key, constants are inputs of shared control.
pub fn ticks(nodes: &Nodes, vector: &TickVector) -> Option<Vec<Vec<u8>>> {
    let program = &nodes.forward;
    let inputs: Vec<&Port> = program.entry().inputs().iter().collect();
    let constants = match &vector.key {
        Some(key) => Some(nodes.constants(&key.bytes)?),
        None => None,
    };
    let mut machine = interp::Machine::new(program);
    let mut outputs = Vec::new();
    for run in &vector.run {
        let input = run.input.as_ref().map_or(&[][..], |input| &input.bytes);
        let atoms = match &constants {
            Some(constants) => Nodes::arguments(program, constants, input)?,
            None => split(&inputs, input)?,
        };
        for _ in 0..run.ticks {
            outputs.push(Nodes::bytes(program, &machine.step(&atoms))?);
        }
    }
    Some(outputs)
}

/// A message in CTR.
pub fn ctr(
    program: &Program,
    constants: &[Vec<u128>],
    counter: Counter,
    first: &[u8],
    text: &[u8],
) -> Option<Vec<u8>> {
    let mut state = first.to_vec();
    let mut out = Vec::with_capacity(text.len());
    while out.len() < text.len() {
        let stream = block(program, constants, &state)?;
        let rest = &text[out.len()..];
        out.extend(rest.iter().zip(&stream).map(|(a, b)| a ^ b));
        let field = state.get_mut(counter.offset..counter.offset + counter.bytes)?;
        increment(field, counter.order);
        if stream.is_empty() {
            return None;
        }
    }
    Some(out)
}

fn increment(field: &mut [u8], order: Order) {
    let step = |byte: &mut u8| {
        *byte = byte.wrapping_add(1);
        *byte == 0
    };
    let _carry = match order {
        Order::Le => field.iter_mut().all(step),
        Order::Be => field.iter_mut().rev().all(step),
    };
}

/// How many vectors a folder has, after all of them have been computed by the interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Single blocks.
    pub blocks: usize,
    /// Messages in CTR, and of modes.
    pub messages: usize,
    /// Ticks of step functions whose results are given.
    pub ticks: usize,
}

/// Computes every vector of a folder by the interpreter, forwards and backwards.
///
/// # Errors
/// The vectors that the nodes don't compute or that have another size.
pub fn check(
    sources: &SourceMap,
    folder: &Folder,
    checked: &Checked,
) -> Result<Agreed, Vec<Diagnostic>> {
    let Some(file) = folder.vectors_file else {
        return Ok(Agreed::default());
    };
    let mut problems = Vec::new();
    let mut expect = |what: &str, place: &Hex, want: &[u8], got: Option<Vec<u8>>| {
        let place = Span::new(file, place.range.clone());
        match got {
            Some(got) if got == want => {}
            Some(got) => problems.push(
                Diagnostic::error("E0404", place, format!("the nodes do not compute this {what}"))
                    .label(format!("they give {}", hex(&got)))
                    .help("correct the node, the layout of its parameters, or the vector"),
            ),
            None => problems.push(
                Diagnostic::error("E0403", place, format!("this {what} does not fit the nodes"))
                    .label("what is given, or what comes out, has another size than the parameters or results"),
            ),
        }
    };
    let mut agreed = Agreed::default();
    for instance in &folder.manifest.instances {
        let nodes = Nodes::find(sources, folder, checked, instance)?;
        let name = instance.prefix.get_ref();
        for vector in folder.vectors.block.iter().filter(|v| v.instance.get_ref() == name) {
            let key = vector.key.as_ref().map_or(&[][..], |key| &key.bytes);
            let constants = nodes.constants(key);
            let run = |program, input: &Hex| block(program, constants.as_ref()?, &input.bytes);
            let (plain, cipher) = (&vector.plain, &vector.cipher);
            expect("cipher text", cipher, &cipher.bytes, run(&nodes.forward, plain));
            if let Some(backward) = &nodes.backward {
                expect("plain text", plain, &plain.bytes, run(backward, cipher));
            }
            agreed.blocks += 1;
        }
        for vector in folder.vectors.message.iter().filter(|v| v.instance.get_ref() == name) {
            let inputs = vector.inputs.as_ref().map_or(&[][..], |inputs| &inputs.bytes);
            let streams: Vec<_> = vector.streams().map(|s| s.bytes.repeat(vector.repeat)).collect();
            let streams: Vec<&[u8]> = streams.iter().map(|stream| &stream[..]).collect();
            let out = &vector.out;
            let length = out.bytes.len();
            let keyed = (&vector.hmac, &vector.hkdf, &streams[..]);
            let got = nodes.mode.as_ref().and_then(|mode| match keyed {
                (None, None, _) => there_and_back(mode, inputs, &streams, length),
                (Some(key), None, [message]) => mode::hmac::hmac(mode, &key.bytes, message, length),
                (None, Some([salt, info]), [key]) => {
                    mode::hmac::hkdf(mode, &salt.bytes, key, &info.bytes, length)
                }
                _ => None,
            });
            expect("result", out, &out.bytes, got);
            agreed.messages += 1;
        }
        for vector in folder.vectors.ticks.iter().filter(|v| v.instance.get_ref() == name) {
            let mut got = ticks(&nodes, vector).map(Vec::into_iter);
            for run in &vector.run {
                let taken = got.as_mut().map(|got| got.by_ref().take(run.ticks as usize).flatten());
                let taken: Option<Vec<u8>> = taken.map(Iterator::collect);
                match (&run.out, &run.input) {
                    (Some(out), _) => {
                        expect("output", out, &out.bytes, taken);
                        agreed.ticks += run.ticks as usize;
                    }
                    (None, Some(input)) if taken.is_none() => expect("input", input, &[], None),
                    _ => {}
                }
            }
        }
        let Some(counter) = instance.counter.as_ref().map(|counter| *counter.get_ref()) else {
            continue;
        };
        for vector in folder.vectors.ctr.iter().filter(|v| v.instance.get_ref() == name) {
            let constants = nodes.constants(&vector.key.bytes);
            let got = constants.and_then(|constants| {
                ctr(&nodes.forward, &constants, counter, &vector.counter.bytes, &vector.plain.bytes)
            });
            expect("cipher text", &vector.cipher, &vector.cipher.bytes, got);
            agreed.messages += 1;
        }
    }
    match problems.is_empty() {
        true => Ok(agreed),
        false => Err(problems),
    }
}

/// What comes out of a mode. Nothing if that doesn't lead back where there is a way.
fn there_and_back(mode: &Mode, inputs: &[u8], streams: &[&[u8]], length: usize) -> Option<Vec<u8>> {
    let out = mode::evaluate(mode, inputs, streams, length)?;
    let Some(each) = mode.giving().filter(|each| each.opened.is_some()) else { return Some(out) };
    let (text, results) = out.split_at(streams[each.stream].len());
    let mut given = streams.to_vec();
    given[each.stream] = text;
    let back = mode::open(mode, inputs, &given, results, length)?;
    (back == [streams[each.stream], results].concat()).then_some(out)
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
