//! Blocks as JSON: an object per block, a member per parameter.
//!
//! Values are nested as declared, outermost dimension first. A word is a number or a `"0x…"` string, a list of one-bit
//! atoms a string of `0` and `1`, index 0 first. A vector of hardware is a number too, of which bit 0 has index 0.

use nakiri::core::Port;
use nakiri::diagnostic::instead_of;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The atoms of each parameter, or of each result, of one block.
pub type Block = Vec<Vec<u128>>;

/// Words wider than this are printed as strings, because many readers of JSON hold numbers as floating point.
const WIDEST_NUMBER: u16 = 32;

/// How lists of one-bit atoms are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bits {
    /// As strings of `0` and `1` alone.
    #[default]
    Digits,
    /// So, or as numbers, of which bit 0 has index 0; printed as digits.
    Vectors,
    /// Likewise, printed as numbers.
    Hexadecimal,
}

/// A JSON value that keeps the order of members and what was written twice.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// A whole number that is not negative.
    Number(u64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
    /// Something that no block can hold, in words.
    Other(&'static str),
}

impl Json {
    fn kind(&self) -> &'static str {
        match self {
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
            Json::Other(kind) => kind,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_u64<E>(self, n: u64) -> Result<Json, E> {
        Ok(Json::Number(n))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Json, E> {
        Ok(u64::try_from(n).map_or(Json::Other("a negative number"), Json::Number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Other("a number with a fraction or of more than 64 bits"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_string()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Other("a truth value"))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Other("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

/// What a JSON text holds: one block or a list of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// For each block its values in one tick after another, at least one.
    pub blocks: Vec<Vec<Block>>,
    /// Whether they stood in a list.
    pub list: bool,
}

/// Reads the blocks of a JSON text. If there may be several ticks, a list in place of a block holds those of one tick after
/// another.
///
/// # Errors
/// What is wrong and where: line and column for broken JSON, else the path of the value, such as `[2].key[3]`.
pub fn parse(text: &str, params: &[Port], several: bool, bits: Bits) -> Result<Blocks, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let reader = Reader { params, several, bits };
    match json {
        Json::List(items) => {
            let blocks = items.iter().enumerate();
            let blocks = blocks.map(|(i, item)| reader.ticks(item, &format!("[{i}]")));
            Ok(Blocks { blocks: blocks.collect::<Result<_, _>>()?, list: true })
        }
        one => Ok(Blocks { blocks: vec![vec![reader.block(&one, "")?]], list: false }),
    }
}

/// What the blocks of a text are.
struct Reader<'p> {
    params: &'p [Port],
    /// Whether there may be several ticks.
    several: bool,
    bits: Bits,
}

impl Reader<'_> {
    fn ticks(&self, json: &Json, place: &str) -> Result<Vec<Block>, String> {
        match json {
            Json::List(items) if self.several && items.is_empty() => {
                Err(format!("{place}: a list of ticks has at least one"))
            }
            Json::List(items) if self.several => {
                let items = items.iter().enumerate();
                items.map(|(i, item)| self.block(item, &format!("{place}[{i}]"))).collect()
            }
            one => Ok(vec![self.block(one, place)?]),
        }
    }

    fn block(&self, json: &Json, place: &str) -> Result<Block, String> {
        let Json::Object(members) = json else {
            let shown = if place.is_empty() { "the input" } else { place };
            return Err(format!("{shown}: a block is an object, this is {}", json.kind()));
        };
        let names: Vec<&str> = self.params.iter().map(|port| port.name.as_str()).collect();
        for (i, (name, _)) in members.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                let known = instead_of(name, &names);
                return Err(format!("{place}.{name}: no such parameter; {known}"));
            }
            if members[..i].iter().any(|(before, _)| before == name) {
                return Err(format!("{place}.{name}: given twice"));
            }
        }
        let value = |port: &Port| {
            let place = format!("{place}.{}", port.name);
            let Some((_, json)) = members.iter().find(|(name, _)| *name == port.name) else {
                return Err(format!("{place}: missing"));
            };
            let mut atoms = Vec::with_capacity(port.count() as usize);
            self.read(json, &port.shape, port.ty.bits(), &place, &mut atoms)?;
            Ok(atoms)
        };
        self.params.iter().map(value).collect()
    }

    fn read(
        &self,
        json: &Json,
        shape: &[u32],
        bits: u16,
        place: &str,
        atoms: &mut Vec<u128>,
    ) -> Result<(), String> {
        let at = |message| format!("{place}: {message}");
        let Some((&count, inner)) = shape.split_first() else {
            atoms.push(word(json, bits).map_err(at)?);
            return Ok(());
        };
        if bits == 1 && inner.is_empty() {
            let read = match json {
                Json::Number(number) if self.bits != Bits::Digits => {
                    vector(&format!("{number:#x}"), count)
                }
                Json::Text(text) if self.bits != Bits::Digits && text.starts_with("0x") => {
                    vector(text, count)
                }
                _ => bit_string(json, count),
            };
            atoms.extend(read.map_err(at)?);
            return Ok(());
        }
        let Json::List(items) = json else {
            return Err(format!(
                "{place}: a list of {count} values is needed, this is {}",
                json.kind()
            ));
        };
        if items.len() != count as usize {
            return Err(format!("{place}: {count} values are needed, here are {}", items.len()));
        }
        for (i, item) in items.iter().enumerate() {
            self.read(item, inner, bits, &format!("{place}[{i}]"), atoms)?;
        }
        Ok(())
    }
}

fn word(json: &Json, bits: u16) -> Result<u128, String> {
    let value = match json {
        Json::Number(n) => u128::from(*n),
        Json::Text(text) => hexadecimal(text)?,
        other => {
            let form = "a word is a number or a \"0x…\" string";
            return Err(format!("{form}, this is {}", other.kind()));
        }
    };
    match value.checked_shr(bits.into()).unwrap_or(0) {
        0 => Ok(value),
        _ => Err(format!("{value:#x} has more than {bits} bits")),
    }
}

fn hexadecimal(text: &str) -> Result<u128, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    let Some(digits) = digits.filter(|digits| !digits.is_empty()) else {
        return Err(format!("{text:?} is not a \"0x…\" string"));
    };
    u128::from_str_radix(digits, 16).map_err(|_| format!("{text} has more than 128 bits"))
}

/// The bits of a hexadecimal number of any length, the least significant first.
fn vector(text: &str, count: u32) -> Result<Vec<u128>, String> {
    let digits = text.trim_start_matches("0x");
    let values: Option<Vec<u32>> = digits.chars().rev().map(|digit| digit.to_digit(16)).collect();
    let values = values.filter(|values| !values.is_empty());
    let values = values.ok_or_else(|| format!("{text:?} is not a \"0x…\" string"))?;
    let bits = values.iter().flat_map(|value| (0..4).map(move |bit| u128::from(value >> bit & 1)));
    let mut bits: Vec<u128> = bits.collect();
    if bits.iter().skip(count as usize).any(|&bit| bit == 1) {
        return Err(format!("{text} has more than {count} bits"));
    }
    bits.resize(count as usize, 0);
    Ok(bits)
}

fn bit_string(json: &Json, count: u32) -> Result<Vec<u128>, String> {
    let Json::Text(text) = json else {
        let form = format!("{count} one-bit atoms are a string of 0 and 1");
        return Err(format!("{form}, this is {}", json.kind()));
    };
    if text.chars().count() != count as usize {
        let got = text.chars().count();
        return Err(format!("{count} digits 0 or 1 are needed, here are {got}"));
    }
    let bit = |(i, c): (usize, char)| match c {
        '0' => Ok(0),
        '1' => Ok(1),
        other => Err(format!("{other:?} at position {i} is neither 0 nor 1")),
    };
    text.chars().enumerate().map(bit).collect()
}

/// The results of each tick of each block as JSON text: an object, or with `several` ticks a list of them, one a line; and
/// a `list` of these if they were given so.
pub fn print(
    blocks: &[Vec<Block>],
    list: bool,
    several: bool,
    ports: &[Port],
    bits: Bits,
) -> String {
    let ticks = |block: &Vec<Block>, depth: usize| -> String {
        let objects: Vec<String> = block.iter().map(|block| object(block, ports, bits)).collect();
        if several {
            lines(&objects, depth)
        } else {
            objects.concat()
        }
    };
    let blocks: Vec<String> = blocks.iter().map(|block| ticks(block, usize::from(list))).collect();
    match list {
        false => blocks.concat() + "\n",
        true => lines(&blocks, 0) + "\n",
    }
}

/// A list with one item a line.
fn lines(items: &[String], depth: usize) -> String {
    let outer = "  ".repeat(depth);
    match items.is_empty() {
        true => "[]".to_string(),
        false => format!("[\n{outer}  {}\n{outer}]", items.join(&format!(",\n{outer}  "))),
    }
}

fn object(block: &Block, ports: &[Port], bits: Bits) -> String {
    let members: Vec<String> = ports
        .iter()
        .zip(block)
        .map(|(port, atoms)| {
            let mut text = format!("{}: ", serde_json::Value::from(port.name.as_str()));
            match bits {
                Bits::Hexadecimal if port.ty.bits() == 1 && port.shape.len() == 1 => {
                    text += &number(atoms);
                }
                _ => write_value(atoms, &port.shape, port.ty.bits(), &mut text),
            }
            text
        })
        .collect();
    format!("{{{}}}", members.join(", "))
}

/// The number that some bits are, the least significant first.
fn number(bits: &[u128]) -> String {
    let digit = |bits: &[u128]| {
        let value = bits.iter().rev().fold(0, |value, bit| value << 1 | *bit as u32);
        char::from_digit(value, 16).unwrap_or('?')
    };
    let digits: String = bits.chunks(4).rev().map(digit).collect();
    format!("\"0x{digits}\"")
}

fn write_value(atoms: &[u128], shape: &[u32], bits: u16, out: &mut String) {
    let Some((&count, inner)) = shape.split_first() else {
        if bits > WIDEST_NUMBER {
            let digits = usize::from(bits).div_ceil(4);
            *out += &format!("\"{:#0width$x}\"", atoms[0], width = digits + 2);
        } else {
            *out += &atoms[0].to_string();
        }
        return;
    };
    if bits == 1 && inner.is_empty() {
        let digits: String = atoms.iter().map(|bit| if *bit == 0 { '0' } else { '1' }).collect();
        *out += &format!("\"{digits}\"");
        return;
    }
    *out += "[";
    for (i, item) in atoms.chunks((atoms.len() / count as usize).max(1)).enumerate() {
        *out += if i > 0 { ", " } else { "" };
        write_value(item, inner, bits, out);
    }
    *out += "]";
}

#[cfg(test)]
mod tests {
    use super::*;
    use nakiri::core::{Direction, Layout, Type};
    use nakiri::source::Span;

    fn port(name: &str, bits: u16, shape: &[u32]) -> Port {
        Port {
            name: name.to_string(),
            ty: Type::new(Direction::V, bits),
            shape: shape.to_vec(),
            constant: false,
            layout: Layout::Le,
            span: Span::default(),
        }
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let ports =
            [port("a", 16, &[2, 3]), port("b", 1, &[2, 4]), port("c", 128, &[]), port("d", 1, &[])];
        let text = concat!(
            r#"{"a": [[1, 2, 3], [4, 5, 65535]], "b": ["0001", "1010"], "#,
            r#""c": "0x0123456789abcdef0123456789abcdef", "d": 1}"#,
            "\n"
        );
        let read = parse(text, &ports, false, Bits::Digits).expect("the text is in order");
        assert_eq!(read.blocks[0][0][1], [0, 0, 0, 1, 1, 0, 1, 0]);
        assert_eq!(print(&read.blocks, read.list, false, &ports, Bits::Digits), text);
        let list = format!("[{text}, {text}]");
        let read = parse(&list, &ports, false, Bits::Digits).expect("the list is in order");
        assert!(read.list && read.blocks.len() == 2);
        let printed = print(&read.blocks, true, false, &ports, Bits::Digits);
        assert_eq!(parse(&printed, &ports, false, Bits::Digits), Ok(read));
    }

    #[test]
    fn vectors_of_hardware_are_numbers() {
        let ports = [port("a", 1, &[10]), port("b", 1, &[]), port("c", 1, &[70])];
        let text = "{\"a\": \"0x2a1\", \"b\": 1, \"c\": \"0x200000000000000001\"}\n";
        let read = parse(text, &ports, false, Bits::Vectors).expect("the text is in order");
        assert_eq!(read.blocks[0][0][0], [1, 0, 0, 0, 0, 1, 0, 1, 0, 1]);
        assert_eq!(print(&read.blocks, false, false, &ports, Bits::Hexadecimal), text);
        let digits = print(&read.blocks, false, false, &ports, Bits::Vectors);
        assert!(digits.starts_with("{\"a\": \"1000010101\""), "{digits}");
        assert_eq!(parse(&digits, &ports, false, Bits::Vectors), Ok(read.clone()));
        let number = digits.replace("\"1000010101\"", "673");
        assert_eq!(parse(&number, &ports, false, Bits::Vectors), Ok(read));
        for (text, expected) in [
            (r#"{"a": "0x400", "b": 0, "c": 0}"#, ".a: 0x400 has more than 10 bits"),
            (r#"{"a": 1024, "b": 0, "c": 0}"#, ".a: 0x400 has more than 10 bits"),
            (r#"{"a": "0xg", "b": 0, "c": 0}"#, ".a: \"0xg\" is not a \"0x…\" string"),
        ] {
            let message = parse(text, &ports, false, Bits::Vectors).expect_err(text);
            assert!(message.contains(expected), "{text}\n{message}");
        }
        assert!(parse(text, &ports, false, Bits::Digits).is_err());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let ports = [port("a", 4, &[2]), port("s", 1, &[3])];
        for (text, expected) in [
            ("{", "not JSON: EOF while parsing an object at line 1 column 1"),
            ("3", "the input: a block is an object, this is a number"),
            ("[7]", "[0]: a block is an object, this is a number"),
            (r#"{"a": [1, 2]}"#, ".s: missing"),
            (r#"{"b": 1}"#, ".b: no such parameter; there are a, s"),
            (r#"{"a": [1], "s": "000"}"#, ".a: 2 values are needed, here are 1"),
            (r#"{"a": 1, "s": "000"}"#, ".a: a list of 2 values is needed, this is a number"),
            (r#"{"a": [1, 16], "s": "000"}"#, ".a[1]: 0x10 has more than 4 bits"),
            (r#"{"a": [1, -1], "s": "000"}"#, "this is a negative number"),
            (r#"{"a": [1, "7"], "s": "000"}"#, ".a[1]: \"7\" is not a \"0x…\" string"),
            (r#"{"a": [1, 7], "s": "0020"}"#, ".s: 3 digits 0 or 1 are needed, here are 4"),
            (r#"{"a": [1, 7], "s": "002"}"#, ".s: '2' at position 2 is neither 0 nor 1"),
            (r#"[{"a": [1, 7], "a": 1}]"#, "[0].a: given twice"),
        ] {
            let message = parse(text, &ports, false, Bits::Digits).expect_err(text);
            assert!(message.contains(expected), "{text}\n{message}");
        }
    }
}
