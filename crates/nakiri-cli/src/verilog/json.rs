//! Netlists as Yosys' `write_json` writes them.

use nakiri::diagnostic::Diagnostic;
use nakiri::source::Span;
use nakiri::verilog::netlist::{Bit, Cell, Direction, Name, Netlist, Port};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

/// The most cells and the most names of a netlist: more would take memory and hours.
pub const MOST: usize = 1 << 20;

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
    Ok(module.netlist(name, place))
}

/// The type and the `src` attribute of an instance, if the text has it.
pub fn instance(text: &str, module: &str, cell: &str) -> Option<(String, String)> {
    let file: File = serde_json::from_str(text).ok()?;
    let (_, module) = file.modules.0.into_iter().find(|(name, _)| name == module)?;
    let (_, cell) = module.cells.0.into_iter().find(|(name, _)| name == cell)?;
    Some((cell.kind, cell.attributes.src?))
}

/// The most bits of a module's memories: each becomes a register, and each read port a multiplexer of all.
const MOST_MEMORY: u64 = 1 << 16;

/// Refuses memories that are too large to become registers.
///
/// # Errors
/// A message for each of them.
pub fn check_memories(
    text: &str,
    place: &mut dyn FnMut(&str) -> Span,
) -> Result<(), Vec<Diagnostic>> {
    // A text that is no netlist is refused where it is read.
    let Ok(file) = serde_json::from_str::<File>(text) else { return Ok(()) };
    let cells = file.modules.0.iter().flat_map(|(_, module)| &module.cells.0);
    let memories: Vec<(u64, u64, Option<&str>)> = cells
        .filter(|(_, cell)| cell.kind.starts_with("$mem"))
        .filter_map(|(_, cell)| {
            let parameter = |name: &str| {
                let (_, value) = cell.parameters.0.iter().find(|(other, _)| other == name)?;
                u64::from_str_radix(value.as_str()?, 2).ok()
            };
            Some((parameter("SIZE")?, parameter("WIDTH")?, cell.attributes.src.as_deref()))
        })
        .collect();
    let all: u64 = memories.iter().map(|(size, width, _)| size.saturating_mul(*width)).sum();
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
struct JsonCell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    attributes: Attributes,
    #[serde(default)]
    parameters: Members<serde_json::Value>,
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

impl Module {
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
        let cells = self.cells.0.into_iter().map(|(name, cell)| Cell {
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
        Netlist { name, span, ports, cells, names }
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
struct Members<T>(Vec<(String, T)>);

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
                    if members.len() == MOST {
                        return Err(de::Error::custom(format!("more than {MOST} cells or names")));
                    }
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}
