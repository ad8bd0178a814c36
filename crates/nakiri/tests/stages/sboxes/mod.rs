//! Published S-boxes, each as its specification tabulates it.

use nakiri::circuit::Table;

/// The names of all S-boxes here.
pub const NAMES: &[&str] = &[
    "aes",
    "aes_inverse",
    "des_s1",
    "des_s2",
    "des_s3",
    "des_s4",
    "des_s5",
    "des_s6",
    "des_s7",
    "des_s8",
    "serpent_s0",
    "serpent_s1",
    "serpent_s2",
    "serpent_s3",
    "serpent_s4",
    "serpent_s5",
    "serpent_s6",
    "serpent_s7",
    "serpent_s0_inverse",
    "serpent_s1_inverse",
    "serpent_s2_inverse",
    "serpent_s3_inverse",
    "serpent_s4_inverse",
    "serpent_s5_inverse",
    "serpent_s6_inverse",
    "serpent_s7_inverse",
    "rectangle",
    "rectangle_inverse",
    "present",
    "present_inverse",
    "gift",
    "gift_inverse",
    "ascon",
    "ascon_inverse",
    "keccak_chi",
    "clyde",
    "clyde_inverse",
    "skinny64",
];

/// The table of the S-box `name`; `_inverse` at the end of a name means the inverse.
pub fn table(name: &str) -> Option<Table> {
    if let Some(forward) = name.strip_suffix("_inverse") {
        return table(forward).map(|forward| invert(&forward));
    }
    if let Some(number) = name.strip_prefix("des_s") {
        return des(number.parse().ok()?);
    }
    if let Some(number) = name.strip_prefix("serpent_s") {
        return SERPENT.get(number.parse::<usize>().ok()?).map(|row| hexadecimal(row));
    }
    Some(match name {
        "aes" => permutation(8, aes),
        "rectangle" => hexadecimal("65ca1e79b03d8f42"),
        "present" => hexadecimal("c56b90ad3ef84712"),
        "gift" => hexadecimal("1a4c6f392db7508e"),
        "skinny64" => hexadecimal("c6901a2b385d4e7f"),
        "clyde" => hexadecimal("081f2a794d56e3bc"),
        "ascon" => permutation(5, ascon),
        "keccak_chi" => permutation(5, |x| chi(x, 5)),
        _ => return None,
    })
}

fn permutation(bits: u8, function: impl Fn(u32) -> u32) -> Table {
    Table { inputs: bits, outputs: bits, entries: (0..1 << bits).map(function).collect() }
}

fn hexadecimal(row: &str) -> Table {
    let entries: Vec<u32> = row.chars().filter_map(|digit| digit.to_digit(16)).collect();
    permutation(4, |x| entries[x as usize])
}

fn invert(table: &Table) -> Table {
    let mut entries = vec![0; table.entries.len()];
    for (index, &value) in table.entries.iter().enumerate() {
        entries[value as usize] = index as u32;
    }
    Table { entries, ..*table }
}

/// FIPS 197, section 5.1.1: the inverse in GF(2)[x]/(x^8 + x^4 + x^3 + x + 1), then an affine map.
fn aes(x: u32) -> u32 {
    let inverse = (0..254).fold(1, |power, _| multiply(power, x));
    let rotate = |by: u32| inverse << by | inverse >> (8 - by);
    (inverse ^ rotate(1) ^ rotate(2) ^ rotate(3) ^ rotate(4) ^ 0x63) & 255
}

/// The product in the field of AES.
pub fn multiply(a: u32, b: u32) -> u32 {
    let double = |x: u32| x << 1 ^ if x >> 7 == 1 { 0x11b } else { 0 };
    (0..8).rev().fold(0, |sum, bit| double(sum) ^ if b >> bit & 1 == 1 { a } else { 0 })
}

/// The nonlinear row map of Keccak on `width` bits, the first most significant.
pub fn chi(x: u32, width: u32) -> u32 {
    let bit = |place: u32| x >> (width - 1 - place % width) & 1;
    (0..width).fold(0, |y, place| y << 1 | (bit(place) ^ (!bit(place + 1) & bit(place + 2) & 1)))
}

/// NIST SP 800-232, table 6: x0 is the most significant bit.
fn ascon(x: u32) -> u32 {
    const VALUES: [u32; 32] = [
        0x04, 0x0b, 0x1f, 0x14, 0x1a, 0x15, 0x09, 0x02, 0x1b, 0x05, 0x08, 0x12, 0x1d, 0x03, 0x06,
        0x1c, 0x1e, 0x13, 0x07, 0x0e, 0x00, 0x0d, 0x11, 0x18, 0x10, 0x0c, 0x01, 0x19, 0x16, 0x0a,
        0x0f, 0x17,
    ];
    VALUES[x as usize]
}

/// The Serpent submission, section 2: S0 to S7, bit 0 least significant.
const SERPENT: [&str; 8] = [
    "38f1a65bed42709c",
    "fc27905a1be86d34",
    "86793cafd1e40b52",
    "0fb8c963d124a75e",
    "1f83c0b6254a9e7d",
    "f52b4a9c03e8d671",
    "72c5846be91fd3a0",
    "1df0e82b74ca9356",
];

/// FIPS 46-3, S`number` of `1..=8`, indexed by its six input bits in order.
fn des(number: usize) -> Option<Table> {
    let rows = DES.get(number.checked_sub(1)?)?;
    let entry = |x: u32| {
        let (row, column) = ((x >> 5) << 1 | x & 1, x >> 1 & 15);
        let digit = rows[row as usize].as_bytes()[column as usize] as char;
        digit.to_digit(16).unwrap_or(0)
    };
    Some(Table { inputs: 6, outputs: 4, entries: (0..64).map(entry).collect() })
}

/// The rows of S1 to S8 in hexadecimal digits.
const DES: [[&str; 4]; 8] = [
    ["e4d12fb83a6c5907", "0f74e2d1a6cb9538", "41e8d62bfc973a50", "fc8249175b3ea06d"],
    ["f18e6b34972dc05a", "3d47f28ec01a69b5", "0e7ba4d158c6932f", "d8a13f42b67c05e9"],
    ["a09e63f51dc7b428", "d709346a285ecbf1", "d6498f30b12c5ae7", "1ad069874fe3b52c"],
    ["7de3069a1285bc4f", "d8b56f03472c1ae9", "a690cb7df13e5284", "3f06a1d8945bc72e"],
    ["2c417ab6853fd0e9", "eb2c47d150fa3986", "421bad78f9c5630e", "b8c71e2d6f09a453"],
    ["c1af92680d34e75b", "af427c9561de0b38", "9ef528c3704a1db6", "432c95fabe17608d"],
    ["4b2ef08d3c975a61", "d0b7491ae35c2f86", "14bdc37eaf680592", "6bd814a7950fe23c"],
    ["d2846fb1a93e50c7", "1fd8a374c56b0e92", "7b419ce206adf358", "21e74a8dfc90356b"],
];
