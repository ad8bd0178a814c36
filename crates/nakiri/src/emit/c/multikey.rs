//! A key for each lane: contexts, expansion, blocks and counter mode of many clients at once.
//!
//! The kernels are those of the functions with their constant parameters made ordinary ones, and stay in registers' form
//! in the context. A key schedule of the same slicing writes that form; others go through memory.

use super::api::Api;
use super::batch::{Batches, NAME};
use super::syntax::attribute;
use super::C11;
use crate::compile::Kernel;
use crate::core::{Layout, Port};
use crate::emit::check::one_to_one;
use crate::emit::function::Signature;
use crate::emit::identifier;
use crate::emit::library::{Function, Instance, Multikey};
use crate::emit::ports::{ports, PortPair};
use std::fmt::Write;

/// The functions of each variant.
pub struct Lanes {
    /// For each variant `void f(unsigned char *registers, const uint8_t *keys)`, which expands the keys of its lanes.
    expand: Vec<String>,
    /// For each function and variant `void f(const unsigned char *registers, uint8_t *out, const uint8_t *in, size_t
    /// batches)`, on blocks that lie lane by lane.
    functions: Vec<Vec<String>>,
    /// How many lanes each variant has.
    lanes: Vec<usize>,
    /// The size of the expanded keys of these lanes, in bytes.
    sizes: Vec<usize>,
}

/// The parameters of a multikey kernel.
struct Split<'a> {
    input: PortPair<'a>,
    output: PortPair<'a>,
    /// Those that were constant, each with its place among the parameters and in the expanded keys, in bytes.
    keys: Vec<(PortPair<'a>, usize, usize)>,
    /// The size of the expanded keys.
    size: usize,
}

/// Bytes that are gathered from all lanes at once, if a batch is not longer.
const ROOM: usize = 4096;

impl Lanes {
    /// Prints the functions of each variant.
    ///
    /// # Errors
    /// What doesn't fit together.
    pub fn new(
        prefix: &str,
        instance: &Instance,
        multikey: &Multikey,
        batches: &mut Batches,
    ) -> Result<Lanes, String> {
        let Some(key) = &instance.key else {
            return Err("it has no key, of which each lane could have its own".to_string());
        };
        for function in &instance.functions {
            one_to_one(function).ok_or_else(|| {
                format!("a key for each lane needs `{}` to go from one block to one", function.name)
            })?;
        }
        let kernels = || multikey.functions[0].variants.iter().enumerate();
        let (mut expand, mut functions, mut sizes) = (vec![], vec![], vec![]);
        for (variant, kernel) in kernels() {
            let split = split(kernel, &instance.functions[0].variants[variant]);
            let schedule = multikey.schedules.get(variant);
            let maker = Expansion { prefix, kernel, split: &split, key: key.bytes };
            let name = match schedule {
                Some(schedule) if maker.is_direct(schedule) => maker.direct(schedule, batches)?,
                Some(schedule) => maker.by_memory(schedule, batches)?,
                None => maker.as_it_is(batches)?,
            };
            expand.push(name);
            sizes.push(split.size);
        }
        for (function, plain) in multikey.functions.iter().zip(&instance.functions) {
            let name = format!("{prefix}_multikey_{}", identifier(&function.name));
            let variants = function.variants.iter().zip(&plain.variants);
            let texts = variants.map(|(kernel, plain)| blocks(&name, kernel, plain, batches));
            functions.push(texts.collect::<Result<_, _>>()?);
        }
        let lanes = kernels().map(|(_, kernel)| kernel.lanes()).collect();
        Ok(Lanes { expand, functions, lanes, sizes })
    }

    /// How many lanes a context has: as many as the variant with the most.
    fn all(&self) -> usize {
        self.lanes.iter().copied().max().unwrap_or(1)
    }

    fn fill(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let (all, key) = (self.all(), api.instance.key.as_ref().map_or(0, |key| key.bytes));
        let bytes = self.lanes.iter().zip(&self.sizes).map(|(lanes, size)| all / lanes * size);
        let upper = api.prefix.to_uppercase();
        let common = [
            ("$keys", &*(all * key).to_string()),
            ("$bytes", &*bytes.max().unwrap_or(0).to_string()),
            ("$all", &*all.to_string()),
            ("$UPPER", &*upper),
        ];
        api.fill(text, &[more, &common[..]].concat())
    }

    /// The declarations, with their documentation.
    pub fn declarations(&self, api: &Api) -> String {
        let mut text = self.fill(api, CONTEXT, &[]);
        for function in &api.instance.functions {
            let (from, to) = one_to_one(function).unwrap_or_default();
            let (name, from, to) = (identifier(&function.name), from.to_string(), to.to_string());
            let more = [("$F", &*name), ("$from", &*from), ("$to", &*to)];
            text.push_str(&self.fill(api, BLOCKS, &more));
        }
        if let Some(counter) = &api.instance.counter {
            let order = if counter.big_endian { "big-endian" } else { "little-endian" };
            let last = counter.offset + counter.bytes - 1;
            let field = format!("bytes {} to {last}, {order}", counter.offset);
            let from = one_to_one(&api.instance.functions[0]).map_or(0, |(from, _)| from);
            let more = [("$field", &*field), ("$from", &*from.to_string())];
            text.push_str(&self.fill(api, CTR, &more));
        }
        text + &self.fill(api, SELF_TEST, &[])
    }

    /// The definitions.
    pub fn definitions(&self, api: &Api) -> String {
        let list =
            |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let cases = api.cases(&self.expand, "registers, keys");
        let more = [
            ("$cases", &*cases),
            ("$count", &*self.lanes.len().to_string()),
            ("$lanes", &*list(&self.lanes)),
            ("$sizes", &*list(&self.sizes)),
        ];
        let mut text = self.fill(api, EXPANSION, &more);
        for (function, variants) in api.instance.functions.iter().zip(&self.functions) {
            let cases = api.cases(variants, "registers, out, in, batches");
            text.push_str(&self.on_blocks(api, function, RUN, &[("$cases", &cases)]));
            text.push_str(&self.on_blocks(api, function, FUNCTION, &[]));
        }
        if let Some(counter) = &api.instance.counter {
            let places = (0..counter.bytes).map(|k| counter.place(k).to_string());
            let places = places.collect::<Vec<_>>().join(", ");
            let more = [("$places", &*places), ("$size", &*counter.bytes.to_string())];
            text.push_str(&self.on_blocks(api, &api.instance.functions[0], STREAM, &more));
        }
        text + &self.self_test(api)
    }

    fn on_blocks(
        &self,
        api: &Api,
        function: &Function,
        text: &str,
        more: &[(&str, &str)],
    ) -> String {
        let (from, to) = one_to_one(function).unwrap_or_default();
        let room = self.all().max(ROOM / from.max(to).max(1)).to_string();
        let name = identifier(&function.name);
        let (from, to) = (from.to_string(), to.to_string());
        let own = [("$F", &*name), ("$from", &*from), ("$to", &*to), ("$room", &*room)];
        self.fill(api, text, &[more, &own[..]].concat())
    }

    /// The self test: every vector's key in every other lane, and other keys between them, whose blocks the functions of
    /// one key make.
    fn self_test(&self, api: &Api) -> String {
        let (mut text, mut calls, mut number) = (String::new(), String::new(), 0);
        for function in &api.instance.functions {
            let own = api.instance.vectors.iter().filter(|v| v.function == function.name).count();
            if own > 0 {
                text.push_str(&self.on_blocks(api, function, TESTER, &[]));
            }
            for vector in number..number + own {
                let (prefix, name) = (&api.prefix, identifier(&function.name));
                let _ = writeln!(
                    calls,
                    "        if ({prefix}_multikey_test_{name}(variant, {prefix}_vector{vector}))\n            \
                     return (int)variant + 1;"
                );
            }
            number += own;
        }
        let count = self.lanes.len().to_string();
        text + &self.fill(api, SELF_TESTS, &[("$calls", &calls), ("$count", &count)])
    }
}

/// The parameters of a kernel by what they were in that of one key.
fn split<'a>(kernel: &'a Kernel, plain: &Kernel) -> Split<'a> {
    let moved = ports(kernel);
    let (mut keys, mut input, mut size) = (vec![], moved.inputs[0], 0);
    for (k, (port, was)) in moved.inputs.iter().zip(&plain.params).enumerate() {
        if was.constant {
            keys.push((*port, k, size));
            size += register_bytes(kernel, port.sliced) * port.sliced.count() as usize;
        } else {
            input = *port;
        }
    }
    Split { input, output: moved.outputs[0], keys, size }
}

fn register_bytes(kernel: &Kernel, port: &Port) -> usize {
    kernel.target.register_bits(port.ty.direction(), port.ty.bits()) as usize / 8
}

/// The function of a kernel on batches of blocks.
fn blocks(
    name: &str,
    kernel: &Kernel,
    plain: &Kernel,
    batches: &mut Batches,
) -> Result<String, String> {
    let split = split(kernel, plain);
    let kept: Vec<String> = split.keys.iter().map(|key| key.0.sliced.name.clone()).collect();
    let name = format!("{name}_{}", identifier(kernel.target.name));
    let kernel_name = batches.kernel(&name, kernel, &kept);
    let signature = Signature { kernel, syntax: &C11, name: &kernel_name, load64: "", kept: &kept };
    let load = batches.load(kernel, split.input)?;
    let store = batches.store(kernel, split.output)?;
    let mut arguments: Vec<String> = vec!["x".to_string(); split.keys.len() + 1];
    for (port, place, offset) in &split.keys {
        let ty = signature.memory(port.sliced.ty);
        arguments[*place] = format!("(const {ty} *)(const void *)(registers + {offset})");
    }
    let array = |name: &str, port: PortPair| {
        let ty = signature.register(port.sliced.ty);
        format!("{ty} {name}[{}]", port.sliced.count())
    };
    let values = [
        ("$attribute", attribute(kernel.target)),
        ("$input", array("x", split.input)),
        ("$result", array("y", split.output)),
        ("$arguments", arguments.join(", ")),
        ("$kernel", kernel_name.clone()),
        ("$load", load),
        ("$store", store),
        ("$from", (split.input.bytes() * kernel.lanes()).to_string()),
        ("$to", (split.output.bytes() * kernel.lanes()).to_string()),
        ("$CLEAR", batches.clear()),
        ("$name", NAME.to_string()),
    ];
    let text =
        values.iter().fold(BATCHES.to_string(), |text, (name, value)| text.replace(name, value));
    Ok(batches.intern(&text, &name, kernel.target.guard()))
}

/// How the keys of a variant's lanes are expanded.
struct Expansion<'a> {
    prefix: &'a str,
    kernel: &'a Kernel,
    split: &'a Split<'a>,
    /// The size of a key in bytes.
    key: usize,
}

impl Expansion<'_> {
    /// Whether a schedule's results are the registers that the kernel reads.
    fn is_direct(&self, schedule: &Kernel) -> bool {
        let results = ports(schedule).outputs.into_iter().map(|port| port.sliced);
        let keys = self.split.keys.iter().map(|(port, ..)| port.sliced);
        let form = |port: &Port| (port.ty, port.count());
        schedule.target.name == self.kernel.target.name && results.map(form).eq(keys.map(form))
    }

    fn name(&self) -> String {
        format!("{}_multikey_expand_{}", self.prefix, identifier(self.kernel.target.name))
    }

    fn intern(&self, body: &str, batches: &mut Batches) -> String {
        let text = format!(
            "{}static void {NAME}(unsigned char *registers, const uint8_t *keys)\n{{\n{body}}}\n",
            attribute(self.kernel.target)
        );
        batches.intern(&text, &self.name(), self.kernel.target.guard())
    }

    /// The schedule writes registers.
    fn direct(&self, schedule: &Kernel, batches: &mut Batches) -> Result<String, String> {
        let moved = ports(schedule);
        let kept: Vec<String> = moved.outputs.iter().map(|p| p.sliced.name.clone()).collect();
        let name = batches.kernel(&format!("{}_schedule", self.name()), schedule, &kept);
        let signature =
            Signature { kernel: schedule, syntax: &C11, name: &name, load64: "", kept: &kept };
        let input = moved.inputs[0];
        let load = batches.load(schedule, input)?;
        let results = self.split.keys.iter().map(|(port, _, offset)| {
            let ty = signature.memory(port.sliced.ty);
            format!("({ty} *)(void *)(registers + {offset})")
        });
        let results = results.collect::<Vec<_>>().join(", ");
        let (ty, count) = (signature.register(input.sliced.ty), input.sliced.count());
        let clear = batches.clear();
        let body = format!(
            "    {ty} x[{count}];\n    {load}(x, keys);\n    {name}({results}, x, NULL);\n    {clear}(x);\n"
        );
        Ok(self.intern(&body, batches))
    }

    /// The schedule is sliced in another way: round keys go through memory.
    fn by_memory(&self, schedule: &Kernel, batches: &mut Batches) -> Result<String, String> {
        let mut schedule = schedule.clone();
        for port in &mut schedule.results {
            port.layout = Layout::Le;
        }
        let inner = batches.batch(&format!("{}_schedule", self.name()), &schedule)?;
        let lanes = self.kernel.lanes();
        let (mut body, mut arguments) = (String::new(), String::new());
        for (k, (port, ..)) in self.split.keys.iter().enumerate() {
            let _ = writeln!(body, "    uint8_t part{k}[{}];", lanes * port.bytes());
            let _ = write!(arguments, "part{k}, ");
        }
        let _ = writeln!(body, "    {inner}(NULL, {arguments}keys, {lanes});");
        self.registers(&mut body, Some(&Layout::Le), batches)?;
        Ok(self.intern(&body, batches))
    }

    /// The key is the constant parameters, one after another.
    fn as_it_is(&self, batches: &mut Batches) -> Result<String, String> {
        let (lanes, key) = (self.kernel.lanes(), self.key);
        let (mut body, mut offset) = (String::new(), 0);
        for (k, (port, ..)) in self.split.keys.iter().enumerate() {
            let bytes = port.bytes();
            let _ = write!(
                body,
                "    uint8_t part{k}[{}];\n    for (size_t lane = 0; lane < {lanes}; lane++)\n        \
                 memcpy(part{k} + {bytes} * lane, keys + {key} * lane + {offset}, {bytes});\n",
                lanes * bytes
            );
            offset += bytes;
        }
        self.registers(&mut body, None, batches)?;
        Ok(self.intern(&body, batches))
    }

    /// Brings what is in memory into registers, and these into the context.
    fn registers(
        &self,
        body: &mut String,
        layout: Option<&Layout>,
        batches: &mut Batches,
    ) -> Result<(), String> {
        let clear = batches.clear();
        let signature =
            Signature { kernel: self.kernel, syntax: &C11, name: NAME, load64: "", kept: &[] };
        for (k, (port, _, offset)) in self.split.keys.iter().enumerate() {
            let layout = layout.unwrap_or(&port.declared.layout).clone();
            let declared = Port { layout, ..port.declared.clone() };
            let load = batches.load(self.kernel, PortPair { declared: &declared, ..*port })?;
            let (ty, count) = (signature.register(port.sliced.ty), port.sliced.count());
            let _ = write!(
                body,
                "    {{\n        {ty} r[{count}];\n        {load}(r, part{k});\n        \
                 memcpy(registers + {offset}, r, sizeof r);\n        {clear}(r);\n        {clear}(part{k});\n    }}\n"
            );
        }
        Ok(())
    }
}

const CONTEXT: &str = "\
/* How many lanes a context has, each with a key of its own. */
#define $UPPER_MULTIKEY_LANES $all

/* The keys of all lanes. */
typedef struct {
    uint8_t registers[$bytes]; /* expanded, in the form that the variant reads */
    uint8_t keys[$keys];       /* $key bytes for each lane */
    unsigned variant;          /* which kernels this CPU runs */
} $P_multikey_ctx;

/* Gives every lane its key: that of lane i is the $key bytes at keys + $key * i. */
void $P_multikey_expand_keys($P_multikey_ctx *ctx, const uint8_t *keys);

/* Gives one lane another key; -1 and nothing done if there is no such lane. Which lane it is is no secret. */
int $P_multikey_expand_key($P_multikey_ctx *ctx, size_t lane, const uint8_t key[$key]);

/* Erases the keys. */
void $P_multikey_wipe($P_multikey_ctx *ctx);

";

const BLOCKS: &str = "\
/* Blocks of every lane under the lane's own key: blocks[i] of $from bytes at in[i], to $to bytes each at out[i]. How many there
 * are is no secret; lanes without any are idle, and their pointers are not used. in[i] == out[i] is allowed if the
 * sizes are the same; otherwise nothing may overlap. */
void $P_multikey_$F_blocks(const $P_multikey_ctx *ctx, uint8_t *const *out, const uint8_t *const *in,
    const size_t *blocks);

";

const CTR: &str = "\
/* Adds each lane's key stream to the bytes[i] bytes at in[i], from the counter block at counters + $from * i on; the
 * blocks are counted in its $field, modulo the size of that field. Pointers as above. */
void $P_multikey_ctr_xor(const $P_multikey_ctx *ctx, const uint8_t *counters, uint8_t *const *out,
    const uint8_t *const *in, const size_t *bytes);

";

const SELF_TEST: &str = "\
/* 0 if every test vector came out right between lanes with other keys; else in which variant one didn't, from 1. */
int $P_multikey_self_test(void);

";

const BATCHES: &str = "\
$attributestatic void $name(const unsigned char *registers, uint8_t *out, const uint8_t *in, size_t batches)
{
    $input;
    $result;
    for (; batches > 0; batches--) {
        $load(x, in);
        $kernel(y, $arguments, NULL);
        $store(out, y);
        in += $from;
        out += $to;
    }
    $CLEAR(x);
    $CLEAR(y);
}
";

const EXPANSION: &str = "\
/* How many lanes each variant has, and the bytes of their expanded keys. */
static const size_t $P_multikey_lanes[$count] = { $lanes };
static const size_t $P_multikey_sizes[$count] = { $sizes };

static void $P_multikey_expand(unsigned variant, unsigned char *registers, const uint8_t *keys)
{
    switch (variant) {
$cases    }
}

static void $P_multikey_fill($P_multikey_ctx *ctx, const uint8_t *keys, unsigned variant)
{
    const size_t lanes = $P_multikey_lanes[variant], size = $P_multikey_sizes[variant];
    memcpy(ctx->keys, keys, sizeof ctx->keys);
    ctx->variant = variant;
    for (size_t first = 0; first < $all; first += lanes)
        $P_multikey_expand(variant, ctx->registers + first / lanes * size, ctx->keys + $key * first);
}

void $P_multikey_expand_keys($P_multikey_ctx *ctx, const uint8_t *keys)
{
    $P_multikey_fill(ctx, keys, $P_choose());
}

int $P_multikey_expand_key($P_multikey_ctx *ctx, size_t lane, const uint8_t key[$key])
{
    const size_t lanes = $P_multikey_lanes[ctx->variant], size = $P_multikey_sizes[ctx->variant];
    if (lane >= $all)
        return -1;
    memcpy(ctx->keys + $key * lane, key, $key);
    $P_multikey_expand(ctx->variant, ctx->registers + lane / lanes * size, ctx->keys + $key * (lane / lanes * lanes));
    return 0;
}

void $P_multikey_wipe($P_multikey_ctx *ctx)
{
    $library_erase(ctx, sizeof *ctx);
}

";

const RUN: &str = "\
static void $P_multikey_$F_run(unsigned variant, const unsigned char *registers, uint8_t *out, const uint8_t *in,
                               size_t batches)
{
    switch (variant) {
$cases    }
}

";

const FUNCTION: &str = "\
void $P_multikey_$F_blocks(const $P_multikey_ctx *ctx, uint8_t *const *out, const uint8_t *const *in,
                           const size_t *blocks)
{
    const size_t lanes = $P_multikey_lanes[ctx->variant], size = $P_multikey_sizes[ctx->variant];
    uint8_t from[$from * $room], to[$to * $room];
    for (size_t first = 0; first < $all; first += lanes) {
        size_t most = 0;
        for (size_t i = first; i < first + lanes; i++)
            most = blocks[i] > most ? blocks[i] : most;
        for (size_t done = 0, batches; done < most; done += batches) {
            batches = most - done < $room / lanes ? most - done : $room / lanes;
            for (size_t i = 0; i < batches * lanes; i++) {
                const size_t lane = first + i % lanes, block = done + i / lanes;
                if (block < blocks[lane])
                    memcpy(from + $from * i, in[lane] + $from * block, $from);
                else
                    memset(from + $from * i, 0, $from);
            }
            $P_multikey_$F_run(ctx->variant, ctx->registers + first / lanes * size, to, from, batches);
            for (size_t i = 0; i < batches * lanes; i++) {
                const size_t lane = first + i % lanes, block = done + i / lanes;
                if (block < blocks[lane])
                    memcpy(out[lane] + $to * block, to + $to * i, $to);
            }
        }
    }
    $CLEAR(from);
    $CLEAR(to);
}

";

const STREAM: &str = "\
void $P_multikey_ctr_xor(const $P_multikey_ctx *ctx, const uint8_t *counters, uint8_t *const *out,
                         const uint8_t *const *in, const size_t *bytes)
{
    /* The bytes of the counter, least significant first. */
    static const uint8_t places[$size] = { $places };
    const size_t lanes = $P_multikey_lanes[ctx->variant], size = $P_multikey_sizes[ctx->variant];
    uint8_t from[$from * $room], to[$to * $room];
    for (size_t first = 0; first < $all; first += lanes) {
        size_t most = 0;
        for (size_t i = first; i < first + lanes; i++) {
            const size_t blocks = bytes[i] / $to + (bytes[i] % $to != 0);
            most = blocks > most ? blocks : most;
        }
        for (size_t done = 0, batches; done < most; done += batches) {
            batches = most - done < $room / lanes ? most - done : $room / lanes;
            for (size_t i = 0; i < batches * lanes; i++) {
                uint8_t *const counter = from + $from * i;
                uint64_t sum = done + i / lanes;
                memcpy(counter, counters + $from * (first + i % lanes), $from);
                for (size_t k = 0; k < $size; k++) {
                    sum += counter[places[k]];
                    counter[places[k]] = (uint8_t)sum;
                    sum >>= 8;
                }
            }
            $P_multikey_$F_run(ctx->variant, ctx->registers + first / lanes * size, to, from, batches);
            for (size_t i = 0; i < batches * lanes; i++) {
                const size_t lane = first + i % lanes, start = $to * (done + i / lanes);
                for (size_t k = 0; k < $to && start + k < bytes[lane]; k++)
                    out[lane][start + k] = in[lane][start + k] ^ to[$to * i + k];
            }
        }
    }
    $CLEAR(from);
    $CLEAR(to);
}

";

const TESTER: &str = "\
static int $P_multikey_test_$F(unsigned variant, const uint8_t *vector)
{
    $P_multikey_ctx ctx;
    $P_ctx one;
    uint8_t keys[$keys], in[$from * $all], want[$to * $all], got[$to * $all], *outs[$all];
    const uint8_t *ins[$all];
    size_t blocks[$all];
    int bad = 0;
    for (size_t turn = 0; turn < 3; turn++) {
        for (size_t lane = 0; lane < $all; lane++) {
            const uint8_t other = (lane + turn) % 2 ? (uint8_t)(2 * lane + 1) : 0;
            for (size_t k = 0; k < $key; k++)
                keys[$key * lane + k] = vector[k] ^ (uint8_t)(other * (k + 1));
            for (size_t k = 0; k < $from; k++)
                in[$from * lane + k] = vector[$key + k] ^ other;
            memcpy(want + $to * lane, vector + $key + $from, $to);
            if (other) {
                $P_expand(&one, keys + $key * lane, variant);
                $P_$F_run(variant, one.keys, want + $to * lane, in + $from * lane, 1);
            }
            ins[lane] = in + $from * lane;
            outs[lane] = got + $to * lane;
            blocks[lane] = 1;
        }
        if (turn == 0)
            $P_multikey_fill(&ctx, keys, variant);
        for (size_t lane = 0; turn > 0 && lane < $all; lane++)
            $P_multikey_expand_key(&ctx, lane, keys + $key * lane);
        $P_multikey_$F_blocks(&ctx, outs, ins, blocks);
        bad |= memcmp(got, want, sizeof want) != 0;
    }
    return bad;
}

";

const SELF_TESTS: &str = "\
int $P_multikey_self_test(void)
{
    for (unsigned variant = 0; variant < $count; variant++) {
        if (!$P_runs(variant))
            continue;
$calls    }
    return 0;
}

";
