//! Expanded keys: the key schedule, and the images of round keys in the form that each variant reads.

use super::module::{Blocks, Module};
use super::Modules;
use crate::compile::Kernel;
use crate::core::{Direction, Layout, Port};
use crate::emit::library::{Instance, Key};
use crate::emit::ports::{imaged, ports, PortPair};
use crate::emit::type_name;
use crate::layout::image;
use crate::target::{self, Target};
use std::fmt::Write;

/// How a key becomes the images of the constant parameters.
pub struct Plan {
    /// The size of the longest variant's images.
    pub bytes: usize,
    /// The functions that make images.
    pub functions: String,
    /// The statements before the images are made: the key schedule.
    pub schedule: String,
    /// For each variant the statements that make its images.
    pub images: Vec<String>,
}

/// Plans the key of an instance, whose functions' constant parameters it is.
///
/// # Errors
/// If the key's parts don't fit.
pub fn plan(instance: &Instance, key: &Key, modules: &mut Modules) -> Result<Plan, String> {
    let function = &instance.functions[0];
    let mut plan =
        Plan { bytes: 0, functions: String::new(), schedule: String::new(), images: vec![] };
    let mut names: Vec<(String, String)> = vec![];
    for kernel in &function.variants {
        let (mut to, mut from, mut text) = (0, 0, String::new());
        let constants = imaged(kernel).into_iter().flat_map(|kernel| {
            let constants = ports(kernel).constants.into_iter().enumerate();
            constants.map(|(k, port)| (kernel.target, k, port))
        });
        for (target, k, port) in constants {
            from = if k == 0 { 0 } else { from };
            let declared = match key.schedule {
                Some(_) => Port { layout: Layout::Le, ..port.declared.clone() },
                None => port.declared.clone(),
            };
            let pair = PortPair { declared: &declared, ..port };
            let name = images(&mut names, &mut plan.functions, target, pair)?;
            let size = target.image_bytes(port.sliced.ty) * port.sliced.count() as usize;
            let memory = match key.schedule {
                Some(_) => format!("round_keys{k}.as_flattened()"),
                None => format!("&key[{from}..{}]", from + pair.bytes()),
            };
            let _ = writeln!(text, "{name}(&mut keys[{to}..{}], {memory});", to + size);
            to += size;
            from += pair.bytes();
        }
        if key.schedule.is_none() && from != key.bytes {
            let got = key.bytes;
            return Err(format!("the constant parameters have {from} bytes, the key {got}"));
        }
        plan.bytes = plan.bytes.max(to);
        plan.images.push(text);
    }
    if let Some(kernel) = &key.schedule {
        plan.schedule = schedule(&instance.prefix, kernel, modules)?;
    }
    Ok(plan)
}

/// The statements that run a key schedule; round keys lie in little-endian order.
fn schedule(prefix: &str, kernel: &Kernel, modules: &mut Modules) -> Result<String, String> {
    let mut kernel = kernel.clone();
    for port in &mut kernel.results {
        port.layout = Layout::Le;
    }
    let module: &mut Module = modules.of(kernel.target);
    let name = super::module::joined(prefix, "schedule");
    let name = module.blocks(&name, &kernel, Blocks::Slices)?.name;
    let (mut text, mut arguments) = (String::new(), String::new());
    for (k, port) in ports(&kernel).outputs.iter().enumerate() {
        let _ = writeln!(text, "let mut round_keys{k} = [[0; {}]; 1];", port.bytes());
        let _ = write!(arguments, "&mut round_keys{k}, ");
    }
    let _ = writeln!(text, "{}::{name}(&[], {arguments}&[*key]);", module.name());
    Ok(text)
}

/// The name of the function that makes the images of a constant port.
fn images(
    names: &mut Vec<(String, String)>,
    functions: &mut String,
    target: &Target,
    pair: PortPair,
) -> Result<String, String> {
    let port = pair.placed();
    let text = images_text(target, &port)?;
    if let Some((_, name)) = names.iter().find(|(known, _)| *known == text) {
        return Ok(name.clone());
    }
    let ty = type_name(pair.sliced.ty).to_lowercase();
    let wish = format!("images_{ty}x{}", pair.sliced.count());
    let same = names.iter().filter(|(_, name)| name.starts_with(&wish)).count();
    let name = if same == 0 { wish } else { format!("{wish}_{}", same + 1) };
    functions.push_str(&text.replace("$name", &name));
    names.push((text, name.clone()));
    Ok(name)
}

fn images_text(target: &Target, port: &Port) -> Result<String, String> {
    let (direction, width, count) = (port.ty.direction(), port.ty.bits(), port.count());
    let places = image::places(&port.layout, width, count)?;
    let (bytes, words) = (target.image_bytes(port.ty), image::natural_words(width));
    let (mut table, mut place) = (String::new(), "i");
    if places.iter().enumerate().any(|(i, place)| i != *place) {
        let _ = writeln!(table, "    static PLACES: [u32; {}] = [", places.len());
        for line in places.chunks(16) {
            let line: Vec<String> = line.iter().map(usize::to_string).collect();
            let _ = writeln!(table, "        {},", line.join(", "));
        }
        table.push_str("    ];\n");
        place = "PLACES[i] as usize";
    }
    let (word, within) = match (words, width) {
        (_, 1) => ("i".to_string(), String::new()),
        (1, _) => (format!("i / {width}"), format!(" << (i % {width})")),
        _ => {
            (format!("i / {width} * {words} + i % {width} / 64"), format!(" << (i % {width} % 64)"))
        }
    };
    let position = match direction {
        Direction::B => "i / 8".to_string(),
        _ => format!("i * {width} / {bytes}"),
    };
    let value = match (direction, words) {
        (Direction::H, _) if !target.simd => {
            let lanes = image::bits_of_position(target.into(), width);
            format!(
                "(0..8).fold(0, |b, k| b | ((words[a] >> ((8 * i + k) / {lanes} % {width}) & 1) as u8) << k)"
            )
        }
        (Direction::V | Direction::P, 1) if width <= 8 => "words[a] as u8".to_string(),
        (Direction::V | Direction::P, 1) => {
            format!("(words[a] >> (8 * (i % {}))) as u8", width.div_ceil(8))
        }
        (Direction::V | Direction::P, _) => {
            format!("(words[{words} * a + i / 8] >> (8 * (i % 8))) as u8")
        }
        (_, 1) => format!("0u8.wrapping_sub((words[a] >> ({} - {position}) & 1) as u8)", width - 1),
        _ => format!(
            "{{\n                let bit = {} - {position};\n                \
             0u8.wrapping_sub((words[{words} * a + bit / 64] >> (bit % 64) & 1) as u8)\n            }}",
            width - 1
        ),
    };
    let values = [
        ("$table", table),
        ("$total", (words * count as usize).to_string()),
        ("$bits", places.len().to_string()),
        ("$place", place.to_string()),
        ("$word", word),
        ("$within", within),
        ("$width", width.to_string()),
        ("$bytes", bytes.to_string()),
        ("$count", count.to_string()),
        ("$value", value),
    ];
    Ok(values.iter().fold(IMAGES.to_string(), |text, (name, value)| text.replace(name, value)))
}

/// Whether a key schedule is compiled for a target that every CPU runs.
///
/// # Errors
/// If it is not.
pub fn check(key: &Key) -> Result<(), String> {
    match &key.schedule {
        Some(kernel) if kernel.target.simd => {
            Err(format!("not every CPU can run a key schedule for {}", kernel.target.name))
        }
        Some(kernel) if target::rust::of(kernel.target).is_none() => {
            Err(format!("the key schedule's target {} is not written in Rust", kernel.target.name))
        }
        _ => Ok(()),
    }
}

const IMAGES: &str = "\
/// The images of $count atoms of $width bits, each for all lanes, from the atoms in memory.
fn $name(images: &mut [u8], memory: &[u8]) {
$table    let mut words = [0u64; $total];
    for i in 0..$bits {
        let (word, place) = ($word, $place);
        words[word] |= u64::from(memory[place / 8] >> (place % 8) & 1)$within;
    }
    for a in 0..$count {
        for i in 0..$bytes {
            images[$bytes * a + i] = $value;
        }
    }
}

";
