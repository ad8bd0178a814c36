//! Lanes with keys of their own. Keys, texts and counters are secret; how many blocks each lane has, and where, is not.

use super::ciphers::Cipher;
use super::modes::{library, object, shown};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::Program;
use nakiri::emit::{c, keys};
use nakiri::isa;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::constant_time::Violation;
use nakiri_verify::constant_time::{check_object, Argument, Argument::*, Entry, Reason, Report};

/// A cipher with its key schedule, the sizes of a key and a block in bytes, and configurations.
type Checked = (&'static str, Option<&'static str>, usize, u64, &'static [&'static str]);

/// Key schedules that write the registers of the kernel, that go through memory, and none; kernels of all sorts of targets.
const CHECKED: &[Checked] = &[
    ("rectangle", Some("KeySchedule80"), 10, 8, &["V gp64+swar", "V gp64", "V avx2", "B ssse3"]),
    ("aes128", Some("KeySchedule"), 16, 16, &["H ssse3", "H avx2"]),
    ("chacha20", None, 32, 64, &["V ssse3", "V avx512"]),
];

/// What stands around the functions: it puts what is public where the analysis knows it, on the stack.
const CALLERS: &str = "
#define KNOWN() \\
    x_multikey_ctx ctx; \\
    uint8_t *outs[X_MULTIKEY_LANES]; \\
    const uint8_t *ins[X_MULTIKEY_LANES]; \\
    size_t lengths[X_MULTIKEY_LANES]; \\
    __builtin_memcpy(ctx.registers, registers, sizeof ctx.registers); \\
    ctx.variant = 0; \\
    for (size_t lane = 0; lane < X_MULTIKEY_LANES; lane++) { \\
        outs[lane] = out + (lane << 20); \\
        ins[lane] = in + (lane << 20); \\
        lengths[lane] = lane & 1 ? few : many; \\
        __asm__ volatile(\"\" : : : \"memory\"); \\
    }

void all_blocks(const uint8_t *registers, uint8_t *out, const uint8_t *in, size_t few, size_t many);
void all_blocks(const uint8_t *registers, uint8_t *out, const uint8_t *in, size_t few, size_t many)
{
    KNOWN()
    x_multikey_block_blocks(&ctx, outs, ins, lengths);
}

void all_texts(const uint8_t *registers, uint8_t *out, const uint8_t *in, size_t few, size_t many, const uint8_t *counters);
void all_texts(const uint8_t *registers, uint8_t *out, const uint8_t *in, size_t few, size_t many, const uint8_t *counters)
{
    KNOWN()
    x_multikey_ctr_xor(&ctx, counters, outs, ins, lengths);
}
";

/// A library whose lanes have keys of their own.
struct Lanes {
    name: String,
    files: c::CFiles,
    expand: String,
    lanes: usize,
    block: u64,
}

impl Lanes {
    fn all() -> Vec<Lanes> {
        let of = |&(cipher, schedule, key, block, configurations): &Checked| {
            let lanes = |text: &&str| Lanes::new(cipher, schedule, key, block, text);
            configurations.iter().map(lanes).collect::<Vec<_>>()
        };
        CHECKED.iter().flat_map(of).collect()
    }

    fn new(cipher: &str, schedule: Option<&str>, key: usize, block: u64, text: &str) -> Lanes {
        let options: Options = text.parse().expect("a configuration");
        let name = format!("{cipher} {text}");
        let cipher = Cipher::new(cipher);
        let program = |node: &str| cipher.checked.program_for(node).expect("a node");
        let (node, counter) = cipher.counter_mode().expect("it has one");
        let mut keyed = program(&node);
        let entry = keyed.entry;
        keyed.funcs[entry.index()].params.iter_mut().for_each(|port| port.constant = false);
        let function = |kernel: Kernel| {
            vec![c::Function { name: "block".to_string(), variants: vec![kernel] }]
        };
        let plain = compiled(&program(&node), &options).expect("it is legal");
        let kernel = compiled(&keyed, &options).expect("it is legal");
        let target = options.target.name.replace(['+', '-'], "_");
        let lanes = kernel.lanes();
        let mut library = library(function(plain), Some((key, counter)));
        // In the slicing of the kernel where that is legal, else through memory.
        let everywhere = ["V", "B"]
            .map(|slicing| Options::new(slicing.parse().expect("a slicing"), isa::everywhere()));
        let schedule = schedule.map(program);
        let sliced = |options: &[Options]| {
            let schedule = schedule.as_ref()?;
            options.iter().find_map(|options| compiled(schedule, options))
        };
        let in_lanes = sliced(&[options, everywhere[0], everywhere[1]]).into_iter().collect();
        let instance = &mut library.instances[0];
        let uniform = schedule.as_ref().map(keys::uniform);
        let alone = uniform
            .and_then(|program| everywhere.iter().find_map(|options| compiled(&program, options)));
        let chain = keys::imaged(&instance.functions[0].variants[0]).len();
        let schedules = alone.map_or(vec![], |alone| vec![vec![alone; chain]]);
        instance.key = Some(c::Key { bytes: key, schedules });
        instance.multikey = Some(c::Multikey { functions: function(kernel), schedules: in_lanes });
        let mut files = c::library(&library).expect("a library");
        // What is called once would be part of its caller.
        let expand = format!("x_multikey_expand_{target}");
        for start in [format!("\nstatic void {expand}("), "\nvoid x_multikey_".to_string()] {
            assert!(files.c.contains(&start), "{name}: {start}");
            let apart = format!("\n__attribute__((noinline)){}", start.replace('\n', " "));
            files.c = files.c.replace(&start, &apart);
        }
        files.c.push_str(CALLERS);
        Lanes { name, files, expand, lanes, block }
    }

    /// Checks expansion for all keys, and blocks and counter mode for lanes without blocks, with few, and with more than are
    /// gathered at once, to another place and in place.
    ///
    /// # Errors
    /// What leaks.
    fn check(&self, compiler: &Compiler) -> Result<Report, Vec<Violation>> {
        let block = self.block;
        let most = 4096 / block / self.lanes as u64;
        let [registers, input, elsewhere, counters] = [1, 2, 3, 4].map(|n| n << 40);
        let lengths = [(0, 0), (1, 3), (most + 2, 2)];
        let bytes = [(0, 1), (block, 3 * block - 1), (most * block + 5, block + 1)];
        let call = |out: u64, (few, many): (u64, u64)| {
            [registers, out, input, few, many, counters].map(Number)
        };
        let calls = |lengths: [(u64, u64); 3]| {
            let pairs = lengths.into_iter().zip([elsewhere, input, elsewhere]);
            pairs.map(|(lengths, out)| call(out, lengths)).collect::<Vec<_>>()
        };
        let (blocks, texts) = (calls(lengths), calls(bytes));
        let entry = |name, arguments| Entry { name, arguments };
        let arguments: &[Argument] = &[Public; 2];
        let mut entries = vec![entry(&*self.expand, arguments)];
        entries.extend(blocks.iter().map(|arguments| entry("all_blocks", arguments)));
        entries.extend(texts.iter().map(|arguments| entry("all_texts", arguments)));
        check_object(&object(&self.files, compiler), &entries)
    }
}

fn compiled(program: &Program, options: &Options) -> Option<Kernel> {
    compile(program, options, &mut |_, _| {}).ok()
}

/// The compilers in turn; all of them with `NAKIRI_FULL=1`.
fn in_turn(turn: usize) -> Vec<Compiler> {
    let all = cc::all();
    match std::env::var_os("NAKIRI_FULL") {
        Some(_) => all,
        None => vec![all[turn % all.len()].clone()],
    }
}

#[test]
fn lanes_with_their_own_keys_are_constant_time() {
    for (turn, lanes) in Lanes::all().iter().enumerate() {
        for compiler in in_turn(turn) {
            let report = lanes.check(&compiler);
            let report = report.unwrap_or_else(|f| {
                panic!("{} by {}: {}", lanes.name, compiler.program, shown(&f))
            });
            println!("{} by {}: {report:?}", lanes.name, compiler.program);
            assert!(report.instructions > 500, "{report:?}");
            assert!(20 * (report.reachable - report.instructions) < report.reachable, "{report:?}");
        }
    }
}

/// Leaks that are put into the text: what is found, and what then stands there.
const LEAKS: &[(&str, &str, &str)] = &[
    (
        "a branch on a block's result",
        "            if (block < blocks[lane])",
        "            if (block < blocks[lane] && (from[0] & 4))",
    ),
    (
        "a branch on the key stream",
        "            uint8_t sum[",
        "            if (stream[0] == 0x5a) return;\n            uint8_t sum[",
    ),
    (
        "a table looked up by a counter",
        "number += counter[places[k]];",
        "number += counter[places[counter[places[k]] % sizeof places]];",
    ),
];

#[test]
fn leaks_in_lanes_are_refused() {
    for (turn, (leak, from, to)) in LEAKS.iter().enumerate() {
        let mut lanes = Lanes::new("rectangle", Some("KeySchedule80"), 10, 8, "V gp64+swar");
        assert!(lanes.files.c.contains(from), "no place for {leak}");
        lanes.files.c = lanes.files.c.replace(from, to);
        for compiler in in_turn(turn) {
            let found = lanes.check(&compiler).expect_err(leak);
            let leaks = |v: &Violation| matches!(v.reason, Reason::Branch | Reason::Address);
            assert!(found.iter().any(leaks), "{leak}: {}", shown(&found));
        }
    }
}
