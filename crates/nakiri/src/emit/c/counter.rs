//! Counter mode: counters made in registers, and the key stream added to a text on its way out of them.

use super::api::Api;
use super::batch::{c_function, clear, constants_of_rest, plus, Batches, Parts, NAME};
use super::counter_block::CounterBlock;
use super::syntax::attribute;
use super::C11;
use crate::compile::Kernel;
use crate::emit::check::one_to_one;
use crate::emit::function::Signature;
use crate::emit::ports::ports;
use crate::emit::transport::{self, CounterTexts};
use crate::emit::{each, indented};
use crate::layout::counters::{Blocks, Groups};
use crate::layout::Counter;

/// The declaration of the CTR interface.
pub fn declaration(api: &Api, counter: &Counter) -> String {
    let order = if counter.big_endian { "big-endian" } else { "little-endian" };
    let last = counter.offset + counter.bytes - 1;
    let field = format!("bytes {} to {last}, {order}", counter.offset);
    api.fill(DECLARATION, &[("$field", &field), ("$from", &block_bytes(api))])
}

/// Its definition.
pub fn definition(api: &Api) -> String {
    let cases = api.cases(api.streams(), "keys, counter, 0, out, in, bytes");
    api.fill(DEFINITION, &[("$cases", &cases), ("$from", &block_bytes(api))])
}

/// The size of a counter block.
fn block_bytes(api: &Api) -> String {
    one_to_one(&api.instance.functions[0]).map_or(0, |(from, _)| from).to_string()
}

/// The function `void f(const unsigned char *constants, const uint8_t *counter, uint64_t first, uint8_t *out, const
/// uint8_t *in, size_t bytes)` that adds the key stream of a kernel from block number `first` on, given the kernel's
/// function on blocks.
///
/// # Errors
/// If a port can't be transposed.
pub fn stream(
    batches: &mut Batches,
    prefix: &str,
    counter: &Counter,
    kernel: &Kernel,
    batch: &str,
) -> Result<String, String> {
    let parts = batches.parts(batch).cloned().ok_or("it has no function on blocks")?;
    let rest = match (&kernel.rest, &parts.rest) {
        (Some(rest), Some(batch)) => Some(stream(batches, prefix, counter, &rest.kernel, batch)?),
        _ => None,
    };
    let (input, output) = (ports(kernel).inputs[0], ports(kernel).outputs[0]);
    let (helpers, guard) = (batches.prefix(), kernel.target.guard());
    let function = c_function(kernel.target, &helpers);
    let CounterTexts { groups, low, batch: fill, advance, blocks } =
        transport::counters(&input.placed(), counter, kernel.interleave, function)?;
    let low =
        low.map(|text| batches.intern(&text, &batches.transport_name("low", kernel, input), guard));
    let fill = batches.intern(&fill, &batches.transport_name("count", kernel, input), guard);
    let advance = advance.map(|text| {
        batches.intern(&text, &batches.transport_name("advance", kernel, input), guard)
    });
    let add = transport::add(&output.placed(), function)?;
    let add = batches.intern(&add, &batches.transport_name("add", kernel, output), guard);
    let write = CounterBlock {
        counter,
        bytes: input.bytes(),
        vector: kernel.target.simd,
        helpers: &helpers,
    };
    let (text, wish) = match blocks {
        Blocks::First { .. } => (write.first(), "counter"),
        Blocks::All { .. } => (write.any(), "count"),
    };
    let write = batches.intern(&text, &format!("{prefix}_{wish}"), None);
    let clear = clear(helpers.trim_end_matches('_'));
    let stream = Stream {
        kernel,
        parts,
        rest,
        groups,
        low,
        fill,
        advance,
        add,
        write,
        blocks,
        helpers,
        clear,
    };
    Ok(batches.intern(&stream.text(), &format!("{batch}_ctr"), guard))
}

/// A kernel with the functions around it that make a mode of it.
struct Stream<'a> {
    kernel: &'a Kernel,
    parts: Parts,
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
    /// The function that writes a block.
    write: String,
    /// Which blocks the counters of a group are made from.
    blocks: Blocks,
    /// The prefix of the helpers of transpositions.
    helpers: String,
    clear: String,
}

impl Stream<'_> {
    fn text(&self) -> String {
        let kernel = self.kernel;
        let (input, output) = (ports(kernel).inputs[0], ports(kernel).outputs[0]);
        let signature =
            Signature { kernel, syntax: &C11, name: NAME, load64: "", at_any_address: false };
        let register = signature.register(input.sliced.ty);
        let result = signature.register(output.sliced.ty);
        let bytes = kernel.blocks() * output.bytes();
        // What is less than the block after the others counts as one.
        let least = match self.pads() {
            true => (kernel.least() - 1) * output.bytes() + 1,
            false => bytes,
        };
        let values = [
            ("$attribute", attribute(kernel.target)),
            ("$input", format!("{register} x[{}]", input.sliced.count())),
            ("$result", format!("{result} y[{}]", output.sliced.count())),
            ("$start", self.start(input.bytes())),
            ("$low", self.low(&register)),
            ("$first_fills", self.first_fills() + &self.next_blocks()),
            ("$next_fills", self.next_fills()),
            ("$more", (bytes + least).to_string()),
            ("$last", self.last(bytes)),
            ("$adds", self.adds("out", "in", 3)),
            ("$rest", self.rest()),
            ("$kernel", self.parts.kernel.clone()),
            ("$groups", self.groups.count.to_string()),
            ("$room", self.blocks.room(kernel.lanes()).to_string()),
            ("$number", kernel.blocks().to_string()),
            ("$bytes", bytes.to_string()),
            ("$least", least.to_string()),
            ("$CLEAR", self.clear.clone()),
            ("$name", NAME.to_string()),
        ];
        values.iter().fold(STREAM.to_string(), |text, (name, value)| text.replace(name, value))
    }

    /// What is done for each batch that is interleaved.
    fn each(&self, text: impl Fn(usize) -> String) -> String {
        each(self.kernel.interleave as usize, text)
    }

    /// A call of the function that writes [`Blocks::First`].
    fn first_block(&self, group: usize, stride: usize) -> String {
        let (name, number) = (&self.write, self.groups.batches * self.kernel.lanes());
        let first = plus("first", group * number);
        format!("{name}(blocks[{group}], blocks[{group}] + {stride}, counter, {first}, {number})")
    }

    /// Writes the blocks of a group.
    fn write(&self, group: usize) -> String {
        let (name, lanes) = (&self.write, self.kernel.lanes());
        match self.blocks {
            Blocks::First { stride } => format!("        {};\n", self.first_block(group, stride)),
            // Lane by lane, since an analysis of compiled code may not see where a loop writes.
            Blocks::All { bytes } => (0..lanes)
                .map(|lane| {
                    let to = plus(&format!("blocks[{group}]"), bytes * lane);
                    format!(
                        "        {name}({to}, counter, {});\n",
                        plus("first", group * lanes + lane)
                    )
                })
                .collect(),
        }
    }

    fn start(&self, block: usize) -> String {
        let copies = match self.blocks {
            Blocks::First { .. } => {
                let copy = |group| {
                    format!("        __builtin_memcpy(blocks[{group}], counter, {block});\n")
                };
                each(self.groups.count, copy)
            }
            Blocks::All { .. } => String::new(),
        };
        copies + &each(self.groups.count, |group| self.write(group))
    }

    fn low(&self, register: &str) -> String {
        let (Some(function), Blocks::First { stride }) = (&self.low, self.blocks) else {
            return String::new();
        };
        let registers = self.groups.shared();
        format!(
            "        uint8_t number[8];\n        {register} low[{registers}];\n        \
             {}store64(number, {});\n        {function}(low, number);\n",
            self.helpers,
            self.first_block(0, stride)
        )
    }

    /// Makes the counters of the first round of batches.
    fn first_fills(&self) -> String {
        let fill = |k| {
            let (group, share) = self.groups.place(k);
            let given = match &self.low {
                Some(_) => format!(", {}", plus("low", share)),
                None => String::new(),
            };
            format!("        {}({}, blocks[{group}]{given});\n", self.fill, self.counters(k))
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
        plus("x", batch * self.kernel.atoms(ports(self.kernel).inputs[0].sliced))
    }

    fn counted(&self) -> String {
        format!("        first += {};\n", self.kernel.blocks())
    }

    fn adds(&self, to: &str, text: &str, depth: usize) -> String {
        let output = ports(self.kernel).outputs[0];
        let bytes = self.kernel.lanes() * output.bytes();
        let atoms = self.kernel.atoms(output.sliced);
        let indent = "    ".repeat(depth);
        self.each(|k| {
            let (to, text) = (plus(to, k * bytes), plus(text, k * bytes));
            format!("{indent}{}({to}, {text}, {});\n", self.add, plus("y", k * atoms))
        })
    }

    /// Whether its last batch may have idle lanes, or end within a block.
    fn pads(&self) -> bool {
        self.rest.is_none() || self.kernel.least() < self.kernel.blocks()
    }

    fn last(&self, bytes: usize) -> String {
        if !self.pads() {
            return String::new();
        }
        // The counters are of no use any more.
        let input = ports(self.kernel).inputs[0];
        let (room, wiped) = match self.kernel.target.port_bytes(input.sliced) >= bytes {
            true => ("uint8_t *last = (uint8_t *)x", ""),
            false => ("uint8_t last[$bytes]", "                $CLEAR(last);\n"),
        };
        LAST.replace("$adds", &self.adds("last", "last", 4))
            .replace("$room", room)
            .replace("$wiped", wiped)
            .replace("$bytes", &bytes.to_string())
    }

    /// What takes the bytes that are left.
    fn rest(&self) -> String {
        let constants = constants_of_rest(self.kernel);
        let rest = self.rest.as_ref();
        rest.map_or(String::new(), |f| {
            format!(
                "    if (bytes > 0)\n        {f}({constants}, counter, first, out, in, bytes);\n"
            )
        })
    }
}

const DECLARATION: &str = "\
/* Adds the key stream to any number of bytes; in == out is allowed. The blocks are counted in the counter's
 * $field, modulo the size of that field. */
void $P_ctr_xor($contextconst uint8_t counter[$from], uint8_t *out,
    const uint8_t *in, size_t bytes);

";

const DEFINITION: &str = "\
static void $P_ctr_run(unsigned variant, const uint8_t *keys, const uint8_t *counter, uint8_t *out,
                       const uint8_t *in, size_t bytes)
{
    switch (variant) {
$cases    }
}

void $P_ctr_xor($contextconst uint8_t counter[$from], uint8_t *out, const uint8_t *in, size_t bytes)
{
    $P_ctr_run($variant, $images, counter, out, in, bytes);
}

";

const STREAM: &str = "\
$attributestatic void $name(const unsigned char *constants, const uint8_t *counter, uint64_t first,
    uint8_t *out, const uint8_t *in, size_t bytes)
{
    if (bytes >= $least) {
        $input;
        $result;
        uint8_t blocks[$groups][$room];
        __builtin_memset(blocks, 0, sizeof blocks);
$start$low$first_fills        while (bytes >= $least) {
            $kernel(y, x, constants);
            if (bytes >= $more) {
$next_fills            }
$last$adds            out += $bytes;
            in += $bytes;
            bytes -= $bytes;
        }
        $CLEAR(x);
        $CLEAR(y);
    }
$rest}
";

const LAST: &str = "            if (bytes < $bytes) {
                $room;
                __builtin_memset(last, 0, $bytes);
                __builtin_memcpy(last, in, bytes);
$adds                __builtin_memcpy(out, last, bytes);
$wiped                bytes = 0;
                break;
            }
";
