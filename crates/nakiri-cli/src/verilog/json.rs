//! Netlists as Yosys' `write_json` writes them.

use super::rom;
use nakiri::diagnostic::Diagnostic;
use nakiri::source::Span;
use nakiri::verilog;
use nakiri::verilog::netlist::{Bit, Cell, Direction, Name, Netlist, Port, MOST_CELLS};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

/// Reads the module that is marked as the top, or the only one. `place` gives the span of a `src` attribute.
///
/// # Errors
/// What is wrong with the text, or that there is no one module.
pub fn read(text: impl Read, place: &mut dyn FnMut(&str) -> Span) -> Result<Netlist, String> {
    let file: File = serde_json::from_reader(text).map_err(|error| error.to_string())?;
    let mut modules = file.modules.0;
    let top = modules.iter().position(|(_, module)| module.attributes.top.is_some());
    let place_of = match (top, modules.len()) {
        (Some(top), _) => top,
        (None, 1) => 0,
        (None, 0) => return Err("there is no module in it".to_string()),
        (None, _) => return Err("there are several modules in it, and none is the top".to_string()),
    };
    let (name, module) = modules.swap_remove(place_of);
    let mut netlist = module.netlist(name, place);
    rom::pad(&mut netlist);
    Ok(netlist)
}

/// The type and the `src` attribute of an instance, if the text has it.
pub fn instance(text: &str, module: &str, cell: &str) -> Option<(String, String)> {
    let file: File = serde_json::from_str(text).ok()?;
    let (_, module) = file.modules.0.into_iter().find(|(name, _)| name == module)?;
    let (_, cell) = module.cells.0.into_iter().find(|(name, _)| name == cell)?;
    Some((cell.kind, cell.attributes.src?))
}

/// That a netlist has more than [`MOST_CELLS`].
pub const TOO_LARGE: &str = "more than 1048576 cells or names, the most that can be compiled";

/// Whether a message of [`read`] says that.
pub fn is_too_large(message: &str) -> bool {
    message.contains(TOO_LARGE)
}

/// The most bits of a module's memories: each becomes a register, and each read port a multiplexer of all.
const MOST_MEMORY: u64 = 1 << 16;

/// Refuses a module of words that would become too many gates, memories that are too large to become registers, and nets with
/// two drivers, of which Yosys takes any when it makes words fewer.
///
/// # Errors
/// A message for each of them.
pub fn check_words(text: &str, place: &mut dyn FnMut(&str) -> Span) -> Result<(), Vec<Diagnostic>> {
    let file = match serde_json::from_str::<File>(text) {
        Ok(file) => file,
        Err(error) if is_too_large(&error.to_string()) => {
            return Err(vec![too_large(Span::default())]);
        }
        // A text that is no netlist is refused where it is read.
        Err(_) => return Ok(()),
    };
    check_gates(&file, place)?;
    check_memories(&file, place)?;
    check_drivers(&file, place)
}

fn check_drivers(file: &File, place: &mut dyn FnMut(&str) -> Span) -> Result<(), Vec<Diagnostic>> {
    for (_, module) in &file.modules.0 {
        let mut drivers: BTreeMap<u32, &JsonCell> = BTreeMap::new();
        for (_, cell) in &module.cells.0 {
            let is_output = |pin: &str| {
                let mut pins = cell.port_directions.0.iter();
                pins.any(|(name, direction)| name == pin && matches!(direction, Direct::Output))
            };
            let outputs = cell.connections.0.iter().filter(|(pin, _)| is_output(pin));
            for net in outputs.flat_map(|(_, bits)| bits).filter_map(|JsonBit(bit)| bit.net()) {
                if let Some(first) = drivers.insert(net, cell) {
                    let mut of =
                        |src: &Option<String>| src.as_deref().map(&mut *place).unwrap_or_default();
                    let (name, src) = module.name(net);
                    let (first, second) = (of(&first.attributes.src), of(&cell.attributes.src));
                    return Err(vec![verilog::two_drivers(&name, of(src), first, second)]);
                }
            }
        }
    }
    Ok(())
}

/// How many times the gates of a module of words may be more than those of its netlist: constants and what is not used are
/// still in it.
const SLACK: u64 = 8;

fn check_gates(file: &File, place: &mut dyn FnMut(&str) -> Span) -> Result<(), Vec<Diagnostic>> {
    let cells = || file.modules.0.iter().flat_map(|(_, module)| &module.cells.0);
    let all = cells().map(|(_, cell)| cell.gates()).fold(0, u64::saturating_add);
    if all <= SLACK * MOST_CELLS as u64 {
        return Ok(());
    }
    let mut places: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, cell) in cells() {
        let gates = places.entry(cell.attributes.src.as_deref().unwrap_or("")).or_default();
        *gates = gates.saturating_add(cell.gates());
    }
    let largest = places.iter().max_by_key(|(_, gates)| **gates);
    let (src, gates) = largest.map_or(("", 0), |(src, gates)| (*src, *gates));
    Err(vec![
        too_large(place(src)).label(format!("about {gates} gates of about {all} are from here"))
    ])
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error("E0409", span, "the design is too large")
        .help(format!("{MOST_CELLS} cells can be compiled; name a smaller module with `--top`"))
}

/// How many bits of the memories of a module of words become registers.
pub fn memory_bits(text: &str) -> u64 {
    serde_json::from_str::<File>(text).map_or(0, |file| memories(&file).1)
}

/// Words, bits of each, and place of a memory.
type Memory<'a> = (u64, u64, Option<&'a str>);

/// The memories that are no tables, and the bits of all.
fn memories(file: &File) -> (Vec<Memory<'_>>, u64) {
    let cells = file.modules.0.iter().flat_map(|(_, module)| &module.cells.0);
    let memories: Vec<Memory> = cells
        .filter(|(_, cell)| cell.kind.starts_with("$mem"))
        .filter(|(name, cell)| rom::read(name, cell, Span::default()).is_none())
        .filter_map(|(_, cell)| {
            Some((cell.number("SIZE")?, cell.number("WIDTH")?, cell.attributes.src.as_deref()))
        })
        .collect();
    let bits = memories.iter().map(|(size, width, _)| size.saturating_mul(*width));
    let bits = bits.fold(0, u64::saturating_add);
    (memories, bits)
}

fn check_memories(file: &File, place: &mut dyn FnMut(&str) -> Span) -> Result<(), Vec<Diagnostic>> {
    let (memories, all) = memories(file);
    if all <= MOST_MEMORY {
        return Ok(());
    }
    let largest = memories.iter().max_by_key(|(size, width, _)| size.saturating_mul(*width));
    let wrong = largest.map(|(size, width, src)| {
        let message = format!("the memories have {all} bits");
        Diagnostic::error("E0407", src.map(place).unwrap_or_default(), message)
            .label(format!("{size} words of {width} bits"))
            .help(format!(
                "a memory becomes registers, {MOST_MEMORY} bits at most: keep large ones outside, behind ports"
            ))
    });
    Err(wrong.into_iter().collect())
}

/// What the source calls the modules of a design. `None` if the text doesn't say it of each.
pub fn modules(text: &str) -> Option<BTreeSet<String>> {
    let file: File = serde_json::from_str(text).ok()?;
    let name = |(name, module): (String, Module)| match module.attributes.hdlname {
        Some(name) => Some(name.trim_start_matches('\\').to_string()),
        None => Some(name).filter(|name| !name.starts_with('$')),
    };
    file.modules.0.into_iter().map(name).collect()
}

/// A module of words with its cells.
pub(super) struct Words {
    pub(super) cells: Vec<(String, JsonCell)>,
}

/// The module of words of a text, if it is one and alone.
pub(super) fn words(text: &str) -> Option<Words> {
    let file: File = serde_json::from_str(text).ok()?;
    let mut modules = file.modules.0.into_iter();
    let (_, module) = modules.next()?;
    modules.next().is_none().then_some(Words { cells: module.cells.0 })
}

#[derive(serde::Deserialize)]
struct File {
    modules: Members<Module>,
}

#[derive(serde::Deserialize)]
struct Module {
    #[serde(default)]
    attributes: Attributes,
    #[serde(default)]
    ports: Members<JsonPort>,
    #[serde(default)]
    cells: Members<JsonCell>,
    #[serde(default)]
    netnames: Members<JsonName>,
}

#[derive(Default, serde::Deserialize)]
struct Attributes {
    src: Option<String>,
    init: Option<String>,
    hdlname: Option<String>,
    top: Option<de::IgnoredAny>,
}

#[derive(serde::Deserialize)]
struct JsonPort {
    direction: Direct,
    bits: Vec<JsonBit>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direct {
    Input,
    Output,
    Inout,
}

#[derive(serde::Deserialize)]
pub(super) struct JsonCell {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    attributes: Attributes,
    #[serde(default)]
    parameters: Members<Value>,
    #[serde(default)]
    port_directions: Members<Direct>,
    connections: Members<Vec<JsonBit>>,
}

#[derive(serde::Deserialize)]
struct JsonName {
    #[serde(default)]
    hide_name: u8,
    bits: Vec<JsonBit>,
    #[serde(default)]
    attributes: Attributes,
}

impl JsonCell {
    /// About how many gates a cell of words becomes.
    fn gates(&self) -> u64 {
        let width = |pin: &str| {
            let bits = self.connections.0.iter().find(|(name, _)| name == pin);
            bits.map_or(0, |(_, bits)| bits.len() as u64)
        };
        let out = width("Y").max(width("Q"));
        match self.kind.as_str() {
            "$mul" | "$div" | "$mod" | "$divfloor" | "$modfloor" | "$pow" => {
                width("A").saturating_mul(width("B"))
            }
            "$shl" | "$shr" | "$sshl" | "$sshr" | "$shift" | "$shiftx" => {
                out.max(width("A")) * width("B").min(32)
            }
            "$pmux" => width("B"),
            _ => out,
        }
    }

    /// The binary digits of a parameter, the most significant first.
    pub(super) fn digits(&self, name: &str) -> Option<&str> {
        self.parameters.0.iter().find(|(other, _)| other == name)?.1.as_str()
    }

    /// A parameter that is a number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        u64::from_str_radix(self.digits(name)?, 2).ok()
    }

    /// Its inputs with their bits.
    pub(super) fn inputs(&self) -> impl Iterator<Item = (&str, Vec<Bit>)> {
        let is_input = |name: &str| {
            let mut pins = self.port_directions.0.iter();
            pins.any(|(pin, direction)| pin == name && matches!(direction, Direct::Input))
        };
        let inputs = self.connections.0.iter().filter(move |(pin, _)| is_input(pin));
        inputs.map(|(pin, bits)| (pin.as_str(), bits.iter().map(|JsonBit(bit)| *bit).collect()))
    }

    /// The bits of a pin, the least significant first.
    pub(super) fn pin(&self, name: &str) -> Option<Vec<Bit>> {
        let (_, bits) = self.connections.0.iter().find(|(other, _)| other == name)?;
        Some(bits.iter().map(|JsonBit(bit)| *bit).collect())
    }
}

impl Module {
    /// What the source calls a net, and where.
    fn name(&self, net: u32) -> (String, &Option<String>) {
        let place =
            |name: &JsonName| name.bits.iter().position(|JsonBit(bit)| bit.net() == Some(net));
        let named = self.netnames.0.iter().filter_map(|(name, net)| Some((name, net, place(net)?)));
        match named.min_by_key(|(_, named, _)| named.hide_name) {
            Some((name, named, bit)) if named.bits.len() > 1 => {
                (format!("{name}[{bit}]"), &named.attributes.src)
            }
            Some((name, named, _)) => (name.clone(), &named.attributes.src),
            None => ("a net".to_string(), &self.attributes.src),
        }
    }

    fn netlist(self, name: String, place: &mut dyn FnMut(&str) -> Span) -> Netlist {
        let span = self.attributes.src.as_deref().map(&mut *place).unwrap_or_default();
        let spans = |name: &str, names: &Members<JsonName>, place: &mut dyn FnMut(&str) -> Span| {
            let named = names.0.iter().find(|(other, _)| other == name);
            named.and_then(|(_, net)| net.attributes.src.as_deref()).map_or(span, place)
        };
        let ports = self.ports.0.into_iter().map(|(name, port)| Port {
            direction: match port.direction {
                Direct::Input => Direction::Input,
                Direct::Output => Direction::Output,
                Direct::Inout => Direction::Both,
            },
            bits: bits(port.bits),
            span: spans(&name, &self.netnames, place),
            name,
        });
        let ports = ports.collect();
        let mut roms = Vec::new();
        let mut others = Vec::new();
        for (name, cell) in self.cells.0 {
            match rom::read(&name, &cell, cell.attributes.src.as_deref().map_or(span, &mut *place))
            {
                Some(mut ports) => roms.append(&mut ports),
                None => others.push((name, cell)),
            }
        }
        let cells = others.into_iter().map(|(name, cell)| Cell {
            name,
            kind: cell.kind,
            pins: cell.connections.0.into_iter().map(|(pin, net)| (pin, bits(net))).collect(),
            span: cell.attributes.src.as_deref().map_or(span, &mut *place),
        });
        let cells = cells.collect();
        let names = self.netnames.0.into_iter().map(|(name, net)| Name {
            name,
            hidden: net.hide_name != 0,
            bits: bits(net.bits),
            init: net
                .attributes
                .init
                .iter()
                .flat_map(|init| init.chars().rev())
                .map(known)
                .collect(),
            span: match net.hide_name {
                0 => net.attributes.src.as_deref().map_or(span, &mut *place),
                _ => span,
            },
        });
        let names = names.collect();
        Netlist { name, span, ports, cells, roms, names }
    }
}

fn known(digit: char) -> Option<bool> {
    match digit {
        '0' => Some(false),
        '1' => Some(true),
        _ => None,
    }
}

fn bits(bits: Vec<JsonBit>) -> Vec<Bit> {
    bits.into_iter().map(|JsonBit(bit)| bit).collect()
}

/// A bit: the number of a net, or a digit.
struct JsonBit(Bit);

impl<'de> Deserialize<'de> for JsonBit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonBit, D::Error> {
        struct BitVisitor;
        impl Visitor<'_> for BitVisitor {
            type Value = JsonBit;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the number of a net, or \"0\", \"1\", \"x\" or \"z\"")
            }

            fn visit_u64<E: de::Error>(self, net: u64) -> Result<JsonBit, E> {
                // Yosys numbers nets one after another; a greater number would only fill memory.
                match u32::try_from(net) {
                    Ok(net) if net < 1 << 26 => Ok(JsonBit(Bit::Net(net))),
                    _ => Err(E::custom(format!("a net has the number {net}"))),
                }
            }

            fn visit_str<E: de::Error>(self, digit: &str) -> Result<JsonBit, E> {
                Ok(JsonBit(match digit {
                    "0" => Bit::Zero,
                    "1" => Bit::One,
                    "x" | "z" => Bit::Unknown,
                    _ => return Err(E::custom(format!("a bit is {digit:?}"))),
                }))
            }
        }
        deserializer.deserialize_any(BitVisitor)
    }
}

/// The members of an object, in the order of the text.
pub(super) struct Members<T>(pub(super) Vec<(String, T)>);

impl<T: Serialize> Serialize for Members<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, member)| (name, member)))
    }
}

impl<T> Default for Members<T> {
    fn default() -> Members<T> {
        Members(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<T>, D::Error> {
        struct MembersVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<T> {
            type Value = Members<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<T>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    if members.len() == MOST_CELLS {
                        return Err(de::Error::custom(TOO_LARGE));
                    }
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}
