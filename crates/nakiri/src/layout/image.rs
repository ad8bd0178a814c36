//! Keys and constants: their natural words, read from bytes by their layout, and the compact images of single atoms
//! that kernels broadcast.
//!
//! An atom's *natural words* are 64-bit words, the least significant first: one for an atom of up to 64 bits, two
//! for a wider one. The C of this module takes a time that depends on sizes only, and is not made for speed.

use super::{memory_bit, memory_bytes, Machine};
use crate::core::{Direction, Layout};
use std::fmt::Write;

/// The number of bytes of the image of one constant atom: under V the element repeated to 8 bytes, under P the row likewise
/// if it is shorter, under B 8 bytes of 0x00 or 0xff for each bit (the most significant first), under H one segment, repeated
/// to 8 bytes.
pub fn image_bytes(machine: Machine, direction: Direction, width: u16) -> usize {
    match direction {
        Direction::B => usize::from(width) * 8,
        Direction::H => (machine.segment_bits(width) as usize / 8).max(8),
        Direction::V | Direction::P => usize::from(width).div_ceil(8).max(8),
    }
}

/// The number of natural words of an atom.
pub fn natural_words(width: u16) -> usize {
    usize::from(width).div_ceil(64)
}

/// The image of an atom with this value, as the C of [`image_c`] makes it.
pub fn image(machine: Machine, direction: Direction, width: u16, value: u128) -> Vec<u8> {
    let bit = |position: usize| value >> (usize::from(width) - 1 - position) & 1 != 0;
    let fill = |one| if one { 0xff } else { 0 };
    let bytes = image_bytes(machine, direction, width);
    match direction {
        Direction::H if !machine.simd => {
            let lanes = bits_of_position(machine, width);
            let bit = |i: usize| value >> (i / lanes % usize::from(width)) & 1;
            (0..bytes).map(|i| (0..8).fold(0, |b, k| b | (bit(8 * i + k) as u8) << k)).collect()
        }
        Direction::B => (0..bytes).map(|i| fill(bit(i / 8))).collect(),
        Direction::H => (0..bytes).map(|i| fill(bit(i * usize::from(width) / bytes))).collect(),
        Direction::V | Direction::P => {
            let size = usize::from(width).div_ceil(8);
            value.to_le_bytes()[..size].iter().copied().cycle().take(bytes).collect()
        }
    }
}

/// A C function `static inline void NAME(uint8_t *image, const uint64_t *atoms, size_t count)` that makes the images
/// of `count` atoms one after another from their natural words. Needs `<stddef.h>` and `<stdint.h>`.
pub fn image_c(name: &str, machine: Machine, direction: Direction, width: u16) -> String {
    let bytes = image_bytes(machine, direction, width);
    let words = natural_words(width);
    let value = match direction {
        Direction::H if !machine.simd => {
            let lanes = bits_of_position(machine, width);
            let each = format!(
                "            unsigned byte = 0;\n            \
                 for (size_t k = 0; k < 8; k++)\n                \
                 byte |= (unsigned)(atoms[a] >> ((8 * i + k) / {lanes} % {width}) & 1) << k;\n"
            );
            return image_function(name, bytes, &each, "(uint8_t)byte");
        }
        Direction::V | Direction::P if words == 1 => {
            format!("(uint8_t)(atoms[a] >> (8 * (i % {})))", width.div_ceil(8))
        }
        Direction::V | Direction::P => {
            format!("(uint8_t)(atoms[{words} * a + i / 8] >> (8 * (i % 8)))")
        }
        _ => {
            let position = match direction {
                Direction::B => "i / 8".to_string(),
                _ => format!("i * {width} / {bytes}"),
            };
            let bit = format!("unsigned bit = {} - (unsigned)({position});", width - 1);
            let value = match words {
                1 => "(uint8_t)(0 - (atoms[a] >> bit & 1))".to_string(),
                _ => format!("(uint8_t)(0 - (atoms[{words} * a + bit / 64] >> bit % 64 & 1))"),
            };
            return image_function(name, bytes, &format!("            {bit}\n"), &value);
        }
    };
    image_function(name, bytes, "", &value)
}

/// How many bits of a general-purpose register hold the same position of horizontal atoms.
pub fn bits_of_position(machine: Machine, width: u16) -> usize {
    (machine.segment_bits(width) / u32::from(width)) as usize
}

fn image_function(name: &str, bytes: usize, before: &str, value: &str) -> String {
    format!(
        "static inline void {name}(uint8_t *image, const uint64_t *atoms, size_t count)\n{{\n    \
         for (size_t a = 0; a < count; a++) {{\n        \
         for (size_t i = 0; i < {bytes}; i++) {{\n{before}            \
         image[{bytes} * a + i] = {value};\n        }}\n    }}\n}}\n"
    )
}

/// The bit of memory of each bit of `count` atoms, counted from the least significant bit of the first atom.
///
/// # Errors
/// If the layout doesn't fit the atoms.
pub fn places(layout: &Layout, width: u16, count: u32) -> Result<Vec<usize>, String> {
    let misfit = || format!("the layout doesn't fit {count} atoms of {width} bits");
    let bytes = memory_bytes(width, count);
    let mut places = Vec::new();
    for atom in 0..count {
        for bit in 0..width {
            let position = width - 1 - bit;
            let entries_fit = match layout {
                Layout::Perm { entries, .. } => entries.iter().all(|&entry| entry > 0),
                _ => true,
            };
            let place = entries_fit.then(|| memory_bit(layout, width, count, atom, position));
            let place = place.flatten().filter(|&place| place < bytes * 8).ok_or_else(misfit)?;
            places.push(place);
        }
    }
    Ok(places)
}

/// A C function `static inline void NAME(uint64_t *atoms, const uint8_t *in)` that reads `count` atoms of a layout
/// into natural words, and one `NAME_back(uint8_t *out, const uint64_t *atoms)` that does the reverse, if `back`
/// gives its name. Needs `<stddef.h>` and `<stdint.h>`.
///
/// An error says that the layout doesn't fit the atoms.
pub fn words_c(
    name: &str,
    back: Option<&str>,
    layout: &Layout,
    width: u16,
    count: u32,
) -> Result<String, String> {
    let words = natural_words(width);
    let bytes = memory_bytes(width, count);
    let places = places(layout, width, count)?;
    let mut text = String::new();
    let total = words * count as usize;
    let table = format!("{name}_bits");
    let place = place_expression(&mut text, &table, &places);
    let loops = format!(
        "    for (size_t i = 0; i < {}; i++) {{\n        \
         size_t word = i / {width} * {words} + i % {width} / 64, place = {place};\n",
        places.len()
    );
    let _ = write!(
        text,
        "static inline void {name}(uint64_t *atoms, const uint8_t *in)\n{{\n    \
         for (size_t i = 0; i < {total}; i++)\n        atoms[i] = 0;\n{loops}        \
         atoms[word] |= (uint64_t)(in[place / 8] >> place % 8 & 1) << (i % {width} % 64);\n    }}\n}}\n"
    );
    if let Some(back) = back {
        let _ = write!(
            text,
            "\nstatic inline void {back}(uint8_t *out, const uint64_t *atoms)\n{{\n    \
             for (size_t i = 0; i < {bytes}; i++)\n        out[i] = 0;\n{loops}        \
             out[place / 8] |= (uint8_t)((atoms[word] >> (i % {width} % 64) & 1) << place % 8);\n    }}\n}}\n"
        );
    }
    Ok(text)
}

/// The C expression of the memory bit of bit `i`, counted from the least significant bit of the first atom; a table
/// of constants if there is no simple one.
fn place_expression(text: &mut String, table: &str, places: &[usize]) -> String {
    if places.iter().enumerate().all(|(i, &place)| place == i) {
        return "i".to_string();
    }
    let bits = if places.len() > 1 << 16 { 32 } else { 16 };
    let _ = write!(text, "static const uint{bits}_t {table}[{}] = {{", places.len());
    for (i, place) in places.iter().enumerate() {
        let _ = write!(text, "{}{place},", if i % 16 == 0 { "\n    " } else { " " });
    }
    text.push_str("\n};\n\n");
    format!("{table}[i]")
}
