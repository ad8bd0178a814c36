//! Counter mode: counters made in registers, and the key stream added to a text on its way out of them.

use super::module::{batch_of, signature, Module, Parts, NAME};
use super::syntax::attribute;
use crate::compile::Kernel;
use crate::emit::ports::{images_before_rest, ports};
use crate::emit::transport::{self, CounterTexts};
use crate::emit::{each, indented};
use crate::layout::counters::{Blocks, Groups};
use crate::layout::Counter;

/// The function `f(constants, counter, first, text)` that adds the key stream of a kernel from block number `first` on, given
/// the functions of the kernel on blocks.
///
/// # Errors
/// If a port can't be transposed.
pub fn stream(
    module: &mut Module,
    counter: &Counter,
    kernel: &Kernel,
    parts: &Parts,
    counter_blocks: &mut CounterBlocks,
) -> Result<String, String> {
    let rest = match (&kernel.rest, &parts.rest) {
        (Some(rest), Some(parts)) => {
            Some(stream(module, counter, &rest.kernel, parts, counter_blocks)?)
        }
        _ => None,
    };
    let (input, output) = (ports(kernel).inputs[0], ports(kernel).outputs[0]);
    let CounterTexts { groups, low, batch, advance, blocks } =
        transport::counters(&input.placed(), counter, kernel.interleave, Module::function(kernel))?;
    let low = low.map(|text| module.intern(&text, &module.transport_name("low", kernel, input)));
    let fill = module.intern(&batch, &module.transport_name("count", kernel, input));
    let advance =
        advance.map(|text| module.intern(&text, &module.transport_name("advance", kernel, input)));
    let add = transport::add(&output.placed(), Module::function(kernel))?;
    let add = module.intern(&add, &module.transport_name("add", kernel, output));
    let inner = parts.kernel.clone();
    let stream = Stream {
        kernel,
        inner,
        rest,
        groups,
        low,
        fill,
        advance,
        add,
        blocks,
        write: counter_blocks.path(blocks),
    };
    Ok(module.intern(&stream.text(), &format!("{}_ctr", parts.name)))
}

/// A kernel with the functions around it that make a mode of it.
struct Stream<'a> {
    kernel: &'a Kernel,
    /// The kernel's function.
    inner: String,
    /// The function for the bytes that are left, if that is another kernel's.
    rest: Option<String>,
    /// How batches are counted.
    groups: Groups,
    /// The function that makes what all groups share.
    low: Option<String>,
    /// The function that makes the counters of a batch.
    fill: String,
    /// The function that makes the next round's counters of a batch from this one's, if there is one.
    advance: Option<String>,
    /// The transposition of the result.
    add: String,
    /// Which blocks the counters of a group are made from.
    blocks: Blocks,
    /// The function that writes them.
    write: String,
}

impl Stream<'_> {
    fn text(&self) -> String {
        let kernel = self.kernel;
        let (input, output) = (ports(kernel).inputs[0], ports(kernel).outputs[0]);
        let signature = signature(kernel, NAME);
        let (register, zero) =
            (signature.register(input.sliced.ty), signature.zero(input.sliced.ty));
        let bytes = kernel.blocks() * output.bytes();
        // What is less than the block after the others counts as one.
        let least = match self.pads() {
            true => (kernel.least() - 1) * output.bytes() + 1,
            false => bytes,
        };
        let any = match least {
            1 => "!text.is_empty()".to_string(),
            _ => format!("text.len() >= {least}"),
        };
        let low = match (&self.low, self.blocks) {
            (Some(function), Blocks::First { stride }) => format!(
                "        let mut low: [{register}; {0}] = [{zero}; {0}];\n        \
                 {function}(&mut low, &{1}.to_le_bytes());\n",
                self.groups.shared(),
                self.first_block(0, stride)
            ),
            _ => String::new(),
        };
        let last = match self.pads() {
            true => LAST.replace("$adds", &self.last_adds()),
            false => String::new(),
        };
        let values = [
            ("$attribute", attribute(kernel.target)),
            ("$input", array("x", input.sliced.count(), &register, &zero)),
            (
                "$result",
                array(
                    "y",
                    output.sliced.count(),
                    &signature.register(output.sliced.ty),
                    &signature.zero(output.sliced.ty),
                ),
            ),
            ("$start", each(self.groups.count, |group| self.write(group))),
            ("$low", low),
            ("$first_fills", self.first_fills() + &self.next_blocks()),
            ("$next_fills", self.next_fills()),
            ("$more", (bytes + least).to_string()),
            ("$last", last),
            ("$adds", self.adds()),
            ("$rest", self.rest()),
            ("$kernel", self.inner.clone()),
            ("$groups", self.groups.count.to_string()),
            ("$room", self.blocks.room(kernel.lanes()).to_string()),
            ("$block", input.bytes().to_string()),
            ("$bytes", bytes.to_string()),
            ("$any", any),
            ("$name", NAME.to_string()),
        ];
        values.iter().fold(STREAM.to_string(), |text, (name, value)| text.replace(name, value))
    }

    /// What is done for each batch that is interleaved.
    fn each(&self, text: impl Fn(usize) -> String) -> String {
        each(self.kernel.interleave as usize, text)
    }

    /// A call of the function of [`FIRST`] for a group.
    fn first_block(&self, group: usize, stride: usize) -> String {
        let (name, number) = (&self.write, self.groups.batches * self.kernel.lanes());
        let first = plus(group * number);
        format!("{name}(&mut blocks[{group}], {stride}, counter, {first}, {number})")
    }

    /// Writes the blocks of a group.
    fn write(&self, group: usize) -> String {
        let (name, lanes) = (&self.write, self.kernel.lanes());
        match self.blocks {
            Blocks::First { stride } => format!("        {};\n", self.first_block(group, stride)),
            Blocks::All { bytes } => (0..lanes)
                .map(|lane| {
                    let place = format!("{}..{}", bytes * lane, bytes * (lane + 1));
                    let first = plus(group * lanes + lane);
                    format!("        {name}(&mut blocks[{group}][{place}], counter, {first});\n")
                })
                .collect(),
        }
    }

    /// Makes the counters of the first round of batches.
    fn first_fills(&self) -> String {
        let fill = |k| {
            let (group, share) = self.groups.place(k);
            let given = match &self.low {
                Some(_) => format!(", part(&low, {})", share),
                None => String::new(),
            };
            let (fill, counters) = (&self.fill, self.counters(k));
            format!("        {fill}({counters}, part(&blocks[{group}], 0){given});\n")
        };
        self.each(fill) + &self.counted()
    }

    /// Makes those of the next round, and writes the blocks of the one after it if they are made from blocks.
    fn next_fills(&self) -> String {
        let Some(advance) = &self.advance else {
            return indented(&indented(&(self.first_fills() + &self.next_blocks())));
        };
        let round = self.each(|k| format!("        {advance}({});\n", self.counters(k)));
        indented(&indented(&(round + &self.counted())))
    }

    /// Writes the blocks that the next round's counters are made from, if they are: long before they are read, because a load
    /// that follows narrower stores waits for them.
    fn next_blocks(&self) -> String {
        if self.advance.is_some() {
            return String::new();
        }
        each(self.groups.count, |group| self.write(group))
    }

    /// Where the counters of a batch are.
    fn counters(&self, batch: usize) -> String {
        batch_of("x", batch, self.kernel, ports(self.kernel).inputs[0], true)
    }

    fn counted(&self) -> String {
        format!("        first = first.wrapping_add({});\n", self.kernel.blocks())
    }

    fn adds(&self) -> String {
        let output = ports(self.kernel).outputs[0];
        let bytes = self.kernel.lanes() * output.bytes();
        self.each(|k| {
            let from = batch_of("y", k, self.kernel, output, false);
            format!(
                "            let (these, others) = text.split_at({bytes});\n            text = others;\n            \
                 {}(these, {from});\n",
                self.add
            )
        })
    }

    /// The additions to a copy of the last bytes.
    fn last_adds(&self) -> String {
        let output = ports(self.kernel).outputs[0];
        let bytes = self.kernel.lanes() * output.bytes();
        self.each(|k| {
            let from = batch_of("y", k, self.kernel, output, false);
            let place = format!("{}..{}", k * bytes, (k + 1) * bytes);
            format!("                {}(InOutBuf::from(&mut last[{place}]), {from});\n", self.add)
        })
    }

    /// Whether its last batch may have idle lanes, or end within a block.
    fn pads(&self) -> bool {
        self.rest.is_none() || self.kernel.least() < self.kernel.blocks()
    }

    /// What takes the bytes that are left.
    fn rest(&self) -> String {
        let Some(rest) = &self.rest else { return String::new() };
        let constants = match images_before_rest(self.kernel) {
            0 => "constants".to_string(),
            bytes => format!("&constants[{bytes}..]"),
        };
        format!(
            "    if !text.is_empty() {{\n        {rest}({constants}, counter, first, text);\n    }}\n"
        )
    }
}

/// The number of a block so far on from the first.
fn plus(ahead: usize) -> String {
    match ahead {
        0 => "first".to_string(),
        _ => format!("first.wrapping_add({ahead})"),
    }
}

fn array(name: &str, count: u32, register: &str, zero: &str) -> String {
    format!("let mut {name}: [{register}; {count}] = [{zero}; {count}];")
}

/// The functions that write counter blocks, in the module of an instance, as far as they are called.
pub struct CounterBlocks {
    module: String,
    first: bool,
    all: bool,
}

impl CounterBlocks {
    /// None yet, for an instance's module.
    pub fn of(module: &str) -> CounterBlocks {
        CounterBlocks { module: module.to_string(), first: false, all: false }
    }

    /// The path of the function that writes these blocks, which is called.
    fn path(&mut self, blocks: Blocks) -> String {
        let (called, name) = match blocks {
            Blocks::First { .. } => (&mut self.first, "first_block"),
            Blocks::All { .. } => (&mut self.all, "counter_block"),
        };
        *called = true;
        format!("crate::{}::{name}", self.module)
    }

    /// The definitions, for counter blocks of so many bytes.
    pub fn text(&self, counter: &Counter, block: usize) -> String {
        let end = counter.offset + counter.bytes;
        let (order, used) = match counter.big_endian {
            true => ("be", format!("{}..", 16 - counter.bytes)),
            false => ("le", format!("..{}", counter.bytes)),
        };
        let padded = match counter.bytes {
            16 => format!("u128::from_{order}_bytes(*part(counter, {}))", counter.offset),
            _ => format!(
                "{{\n        let mut bytes = [0; 16];\n        \
                 bytes[{used}].copy_from_slice(&counter[{}..{end}]);\n        \
                 u128::from_{order}_bytes(bytes)\n    }}",
                counter.offset
            ),
        };
        let used = if counter.bytes == 16 { "..".to_string() } else { used };
        let texts = [(self.first, FIRST), (self.all, BLOCK)];
        let text: String =
            texts.iter().filter(|(called, _)| *called).map(|(_, text)| *text).collect();
        text.replace("$read", &padded)
            .replace("$block", &block.to_string())
            .replace("$field", &format!("{}..{end}", counter.offset))
            .replace("$order", order)
            .replace("$used", &used)
    }
}

const FIRST: &str = "\
/// Writes the counter block of block `first` but for the low bits, which tell `lanes` blocks apart, and `stride` bytes behind
/// it which bits of the counter are others `lanes` blocks later. Returns the low bits.
#[inline]
pub(crate) fn first_block(to: &mut [u8], stride: usize, counter: &[u8; $block], first: u64, lanes: u64) -> u64 {
    let number = $read;
    let number = number.wrapping_add(u128::from(first));
    let low = number as u64 & (lanes - 1);
    let number = number - u128::from(low);
    let change = number ^ number.wrapping_add(u128::from(lanes));
    let (block, difference) = to.split_at_mut(stride);
    block[..$block].copy_from_slice(counter);
    block[$field].copy_from_slice(&number.to_$order_bytes()[$used]);
    difference[$field].copy_from_slice(&change.to_$order_bytes()[$used]);
    low
}

";

const BLOCK: &str = "\
/// Writes the counter block of block `first`.
#[inline]
pub(crate) fn counter_block(to: &mut [u8], counter: &[u8; $block], first: u64) {
    let number = $read;
    let number = number.wrapping_add(u128::from(first));
    to.copy_from_slice(counter);
    to[$field].copy_from_slice(&number.to_$order_bytes()[$used]);
}

";

const STREAM: &str = "\
$attributepub fn $name(constants: &[u8], counter: &[u8; $block], mut first: u64, mut text: InOutBuf<'_, '_, u8>) {
    if $any {
        $input
        $result
        let mut blocks = [[0; $room]; $groups];
$start$low$first_fills        while $any {
            $kernel(&mut y, &x, part(constants, 0));
            if text.len() >= $more {
$next_fills            }
$last$adds        }
    }
$rest}
";

const LAST: &str = "\
            if text.len() < $bytes {
                let mut last = [0; $bytes];
                let left = text.len();
                last[..left].copy_from_slice(text.get_in());
$adds                text.get_out().copy_from_slice(&last[..left]);
                return;
            }
";
