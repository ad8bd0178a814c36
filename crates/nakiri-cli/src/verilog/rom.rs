//! Memories: those that are tables, and the words that others don't have.

use super::json::JsonCell;
use nakiri::source::Span;
use nakiri::verilog::netlist::{Bit, Netlist, Rom, MOST_ADDRESS};
use std::collections::BTreeSet;

/// The most bits of a word of the core.
const MOST_DATA: u64 = 128;

/// The ports of a memory that is never written, read at once, and small enough to be a table of the core; otherwise `None`.
pub fn read(name: &str, cell: &JsonCell, span: Span) -> Option<Vec<Rom>> {
    let is_off = |name: &str| cell.digits(name).is_some_and(|digits| !digits.contains('1'));
    let (address, width) = (cell.number("ABITS")? as usize, cell.number("WIDTH")?);
    let table = cell.kind == "$mem_v2"
        && cell.number("WR_PORTS") == Some(0)
        && is_off("RD_CLK_ENABLE")
        && is_off("RD_WIDE_CONTINUATION")
        && (1..=MOST_ADDRESS).contains(&address)
        && (1..=MOST_DATA).contains(&width);
    if !table {
        return None;
    }
    let width = width as usize;
    let (offset, size) = (cell.number("OFFSET")? as usize, cell.number("SIZE")? as usize);
    let digits: Vec<u8> = cell.digits("INIT")?.bytes().rev().collect();
    let word = |at: usize| match at.checked_sub(offset).filter(|at| *at < size) {
        Some(at) => {
            let bits = digits.iter().skip(at * width).take(width).rev();
            bits.fold(0, |word, digit| word << 1 | u128::from(*digit == b'1'))
        }
        None => 0,
    };
    let words: Vec<u128> = (0..1 << address).map(word).collect();
    let (addresses, data) = (cell.pin("RD_ADDR")?, cell.pin("RD_DATA")?);
    let ports = addresses.chunks(address).zip(data.chunks(width));
    let ports = ports.map(|(address, data)| Rom {
        name: name.to_string(),
        address: address.to_vec(),
        data: data.to_vec(),
        words: words.clone(),
        span,
    });
    Some(ports.collect())
}

/// Makes what is read of words that a memory doesn't have unknown. Where their number is no power of two, Yosys leaves those
/// inputs of its multiplexers without a driver, which only these may be.
pub fn pad(netlist: &mut Netlist) {
    let driven = netlist.driven();
    let words = netlist.names.iter().filter(|name| name.hidden && name.name.starts_with("$memory"));
    let words = words.flat_map(|name| &name.bits).filter_map(Bit::net);
    let unknown: BTreeSet<u32> = words.filter(|net| !driven[*net as usize]).collect();
    if unknown.is_empty() {
        return;
    }
    netlist.replace(&|net| unknown.contains(&net).then_some(Bit::Unknown));
}
