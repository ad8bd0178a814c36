//! Counter mode: counters made in registers, and the key stream added to a text on its way out of them.

use super::module::{batch_of, signature, Module, Parts, NAME};
use super::syntax::attribute;
use crate::compile::Kernel;
use crate::emit::ports::{images_before_rest, ports};
use crate::emit::transport::{self, CounterTexts};
use crate::layout::Counter;

/// The function `f(constants, counter, first, text)` that adds the key stream of a kernel from block number `first` on, given
/// the functions of the kernel on blocks; `next` is the path of the function of [`next`].
///
/// # Errors
/// If a port can't be transposed.
pub fn stream(
    module: &mut Module,
    counter: &Counter,
    kernel: &Kernel,
    parts: &Parts,
    next: &str,
) -> Result<String, String> {
    let rest = match (&kernel.rest, &parts.rest) {
        (Some(rest), Some(parts)) => Some(stream(module, counter, &rest.kernel, parts, next)?),
        _ => None,
    };
    let (input, output) = (ports(kernel).inputs[0], ports(kernel).outputs[0]);
    let CounterTexts { low, batch, stride } =
        transport::counters(&input.placed(), counter, Module::function(kernel))?;
    let low = low.map(|(text, registers)| {
        (module.intern(&text, &module.transport_name("low", kernel, input)), registers)
    });
    let fill = module.intern(&batch, &module.transport_name("count", kernel, input));
    let add = transport::add(&output.placed(), Module::function(kernel))?;
    let add = module.intern(&add, &module.transport_name("add", kernel, output));
    let inner = parts.kernel.clone();
    let stream = Stream { kernel, inner, rest, low, fill, add, next, stride };
    Ok(module.intern(&stream.text(), &format!("{}_ctr", parts.name)))
}

/// A kernel with the functions around it that make a mode of it.
struct Stream<'a> {
    kernel: &'a Kernel,
    /// The kernel's function.
    inner: String,
    /// The function for the bytes that are left, if that is another kernel's.
    rest: Option<String>,
    /// The function that makes what all batches share, and how many registers that is.
    low: Option<(String, u32)>,
    /// The function that makes the counters of a batch.
    fill: String,
    /// The transposition of the result.
    add: String,
    /// The function of [`next`].
    next: &'a str,
    /// The size of each of the two blocks that it writes.
    stride: usize,
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
        let low = match &self.low {
            Some((function, registers)) => format!(
                "        let mut low: [{register}; {registers}] = [{zero}; {registers}];\n        \
                 {function}(&mut low, &{}.to_le_bytes());\n",
                self.next(0)
            ),
            None => String::new(),
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
            ("$start", self.each(|k| format!("        {};\n", self.next(k)))),
            ("$low", low),
            ("$first_fills", self.fills(2)),
            ("$fills", self.fills(4)),
            ("$more", (bytes + least).to_string()),
            ("$last", last),
            ("$adds", self.adds()),
            ("$rest", self.rest()),
            ("$kernel", self.inner.clone()),
            ("$batches", kernel.interleave.to_string()),
            ("$room", (2 * self.stride).to_string()),
            ("$block", input.bytes().to_string()),
            ("$bytes", bytes.to_string()),
            ("$any", any),
            ("$name", NAME.to_string()),
        ];
        values.iter().fold(STREAM.to_string(), |text, (name, value)| text.replace(name, value))
    }

    /// What is done for each batch that is interleaved, and its number.
    fn each(&self, text: impl Fn(usize) -> String) -> String {
        (0..self.kernel.interleave as usize).map(text).collect()
    }

    /// A call of [`next`] for a batch.
    fn next(&self, batch: usize) -> String {
        let lanes = self.kernel.lanes();
        let first = match batch * lanes {
            0 => "first".to_string(),
            ahead => format!("first.wrapping_add({ahead})"),
        };
        format!("{}(&mut blocks[{batch}], {}, counter, {first}, {lanes})", self.next, self.stride)
    }

    /// Makes the counters of a round of batches and writes the next ones' blocks: long before they are read, because
    /// a load that follows narrower stores waits for them.
    fn fills(&self, depth: usize) -> String {
        let given = if self.low.is_some() { ", &low" } else { "" };
        let input = ports(self.kernel).inputs[0];
        let indent = "    ".repeat(depth);
        let fill = |k| {
            let to = batch_of("x", k, self.kernel, input, true);
            format!("{indent}{}({to}, part(&blocks[{k}], 0){given});\n", self.fill)
        };
        let next = |k| format!("{indent}{};\n", self.next(k));
        let advance = format!("{indent}first = first.wrapping_add({});\n", self.kernel.blocks());
        self.each(fill) + &advance + &self.each(next)
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

fn array(name: &str, count: u32, register: &str, zero: &str) -> String {
    format!("let mut {name}: [{register}; {count}] = [{zero}; {count}];")
}

/// The function that writes the counter of a batch's first block, as [`layout::counters`](crate::layout::counters())
/// takes it; its name is `next`.
pub fn next(counter: &Counter, block: usize) -> String {
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
    NEXT.replace("$read", &padded)
        .replace("$block", &block.to_string())
        .replace("$field", &format!("{}..{end}", counter.offset))
        .replace("$order", order)
        .replace("$used", &used)
}

const NEXT: &str = "\
/// Writes the counter block of block `first` but for the low bits, which tell `lanes` blocks apart, and `stride` bytes behind
/// it which bits of the counter are others `lanes` blocks later. Returns the low bits.
#[inline]
pub(crate) fn next(to: &mut [u8], stride: usize, counter: &[u8; $block], first: u64, lanes: u64) -> u64 {
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

const STREAM: &str = "\
$attributepub fn $name(constants: &[u8], counter: &[u8; $block], mut first: u64, mut text: InOutBuf<'_, '_, u8>) {
    if $any {
        $input
        $result
        let mut blocks = [[0; $room]; $batches];
$start$low$first_fills        while $any {
            $kernel(&mut y, &x, part(constants, 0));
            if text.len() >= $more {
$fills            }
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
