//! Libraries in which every lane has a key of its own, against the interpreter: random keys, lengths and changes of keys.

use super::{nakiri, Folder};
use nakiri::core::Port;
use nakiri::layout::memory_bytes;
use nakiri_cli::manifest::{self, Counter};
use nakiri_cli::session::Session;
use nakiri_cli::vectors::{self, Nodes};
use nakiri_verify::cc::{self, SANITIZE, STRICT};
use nakiri_verify::exec;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most blocks of a lane.
const BLOCKS: usize = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// What one lane does.
struct Lane {
    key: Vec<u8>,
    /// The key that it gets later, if it gets one.
    other: Option<Vec<u8>>,
    blocks: usize,
    input: Vec<u8>,
    bytes: usize,
    counter: Vec<u8>,
}

/// A cipher, whose first instance is tested.
struct Subject {
    prefix: String,
    nodes: Nodes,
    counter: Option<Counter>,
    key: usize,
    /// The sizes of a block of input and of output.
    block: (usize, usize),
}

impl Subject {
    fn new(path: &Path) -> Subject {
        let mut session = Session::default();
        let folder = manifest::read(&mut session, path).expect("a cipher");
        let checked = session.check(&folder.source(), &Default::default()).expect("a program");
        let instance = &folder.manifest.instances[0];
        let nodes = vectors::nodes(&session, &folder, &checked, instance).expect("nodes");
        let bytes = |port: &Port| memory_bytes(port.ty.bits(), port.count());
        let entry = nodes.forward.entry();
        let input = entry.params.iter().find(|port| !port.constant).expect("an input");
        let block = (bytes(input), bytes(&entry.results[0]));
        Subject {
            prefix: instance.prefix.get_ref().clone(),
            counter: instance.counter.as_ref().map(|counter| *counter.get_ref()),
            key: *instance.key.as_ref().expect("a key").bytes.get_ref(),
            nodes,
            block,
        }
    }

    fn lanes(&self, count: usize) -> Vec<Lane> {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (from, to) = self.block;
        let mut lane = |number: usize| {
            let mut counter = random.bytes(from);
            if number.is_multiple_of(2) {
                // A carry through the whole field, or nearly.
                let field = self.counter.map_or(0..0, |c| c.offset..c.offset + c.bytes);
                counter[field].fill(0xff);
            }
            Lane {
                key: random.bytes(self.key),
                other: [1, count - 1].contains(&number).then(|| random.bytes(self.key)),
                blocks: random.below(BLOCKS + 1),
                input: random.bytes(BLOCKS * from.max(to)),
                bytes: random.below(BLOCKS * to + 1),
                counter,
            }
        };
        (0..count).map(&mut lane).collect()
    }

    /// The blocks of a lane under a key.
    fn blocks(&self, lane: &Lane, key: &[u8]) -> Vec<u8> {
        let constants = self.nodes.constants(key).expect("a key");
        let (from, to) = self.block;
        let block = |k: usize| {
            let input = &lane.input[from * k..from * (k + 1)];
            vectors::block(&self.nodes.forward, &constants, input).expect("a block")
        };
        let mut out: Vec<u8> = (0..lane.blocks).flat_map(block).collect();
        out.resize(BLOCKS * to, UNTOUCHED);
        out
    }

    fn stream(&self, lane: &Lane, counter: Counter) -> Vec<u8> {
        let constants = self.nodes.constants(&lane.key).expect("a key");
        let text = &lane.input[..lane.bytes];
        let mut out = vectors::ctr(&self.nodes.forward, &constants, counter, &lane.counter, text)
            .expect("a text");
        out.resize(BLOCKS * self.block.1, UNTOUCHED);
        out
    }

    /// A program that does what the lanes do, and counts what is wrong.
    fn driver(&self, lanes: &[Lane]) -> String {
        let (from, to) = self.block;
        let mut text =
            "#include \"library.h\"\n#include <stdio.h>\n#include <string.h>\n\n".to_string();
        let mut array = |name: &str, bytes: Vec<u8>| {
            let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
            let _ = writeln!(text, "static const uint8_t {name}[] = {{ {} }};", list.join(","));
        };
        let all = |f: &dyn Fn(&Lane) -> Vec<u8>| lanes.iter().flat_map(f).collect::<Vec<u8>>();
        array("keys", all(&|lane| lane.key.clone()));
        array("others", all(&|lane| lane.other.clone().unwrap_or_else(|| vec![0; self.key])));
        array("changed", all(&|lane| vec![u8::from(lane.other.is_some())]));
        array("input", all(&|lane| lane.input.clone()));
        array("counters", all(&|lane| lane.counter.clone()));
        array("numbers", all(&|lane| vec![lane.blocks as u8]));
        array("sizes", all(&|lane| vec![lane.bytes as u8]));
        array("want", all(&|lane| self.blocks(lane, &lane.key)));
        array("later", all(&|lane| self.blocks(lane, lane.other.as_ref().unwrap_or(&lane.key))));
        let stream = self.counter.map_or(Vec::new(), |c| all(&|lane| self.stream(lane, c)));
        array("stream", [stream, vec![0]].concat());
        let mut more = String::new();
        if self.counter.is_some() {
            more += "    memset(buffer, $untouched, sizeof buffer);\n    \
                     $P_multikey_ctr_xor(&ctx, counters, out, in, bytes);\n    \
                     wrong |= (memcmp(buffer, stream, sizeof buffer) != 0) << 2;\n";
        }
        let decrypts = self.nodes.backward.is_some();
        let values = [
            ("$backward", if decrypts { BACKWARD } else { "" }),
            ("$counter", &more),
            ("$P", &self.prefix),
            ("$lanes", &lanes.len().to_string()),
            ("$stride", &(BLOCKS * from.max(to)).to_string()),
            ("$room", &(BLOCKS * to).to_string()),
            ("$key", &self.key.to_string()),
            ("$from", &from.to_string()),
            ("$untouched", &UNTOUCHED.to_string()),
        ];
        text + &values
            .iter()
            .fold(DRIVER.to_string(), |text, (name, value)| text.replace(name, value))
    }
}

/// What nothing may be written over.
const UNTOUCHED: u8 = 0xa5;

const BACKWARD: &str =
    "    $P_multikey_decrypt_blocks(&ctx, out, (const uint8_t *const *)out, blocks);
    for (size_t i = 0; i < $lanes; i++)
        wrong |= (blocks[i] && memcmp(out[i], in[i], $from * blocks[i])) << 1;
";

const DRIVER: &str = "
static uint8_t buffer[$lanes * $room];
static $P_multikey_ctx ctx;

int main(void)
{
    const uint8_t *in[$lanes];
    uint8_t *out[$lanes];
    size_t blocks[$lanes], bytes[$lanes];
    int wrong = $P_multikey_self_test() || $P_self_test();
    for (size_t i = 0; i < $lanes; i++) {
        blocks[i] = numbers[i];
        bytes[i] = sizes[i];
        in[i] = blocks[i] + bytes[i] ? input + $stride * i : NULL;
        out[i] = blocks[i] + bytes[i] ? buffer + $room * i : NULL;
    }
    memset(buffer, $untouched, sizeof buffer);
    $P_multikey_expand_keys(&ctx, keys);
    $P_multikey_encrypt_blocks(&ctx, out, in, blocks);
    wrong |= (memcmp(buffer, want, sizeof buffer) != 0) << 1;
$backward$counter    wrong |= ($P_multikey_expand_key(&ctx, $lanes, others) != -1) << 3;
    for (size_t i = 0; i < $lanes; i++) {
        if (changed[i])
            wrong |= ($P_multikey_expand_key(&ctx, i, others + $key * i) != 0) << 3;
    }
    memset(buffer, $untouched, sizeof buffer);
    $P_multikey_encrypt_blocks(&ctx, out, in, blocks);
    wrong |= (memcmp(buffer, later, sizeof buffer) != 0) << 4;
    $P_multikey_wipe(&ctx);
    for (size_t i = 0; i < sizeof ctx.registers; i++)
        wrong |= (ctx.registers[i] != 0) << 5;
    if (wrong)
        printf(\"wrong: %x\\n\", (unsigned)wrong);
    return wrong;
}
";

/// Builds a cipher for targets of which this CPU runs the first, and compares; with what its C must contain.
fn check(cipher: &Path, targets: &str, contains: &str) {
    let subject = Subject::new(cipher);
    let name = format!("{} {targets}", subject.prefix);
    let folder = Folder::new(&format!("multikey-{name}").replace([',', ':', '+', ' '], "-"));
    let source = folder.path("library.c");
    let path = cipher.display().to_string();
    let done = nakiri(&["build", &path, "--multikey", "--target", targets, "-o", &source]);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(&source).expect("a source");
    assert!(text.contains(contains), "{name}");
    let header = std::fs::read_to_string(folder.path("library.h")).expect("a header");
    let define = format!("#define {}_MULTIKEY_LANES ", subject.prefix.to_uppercase());
    let lanes = header.lines().find_map(|line| line.strip_prefix(&define)).expect("lanes");
    let lanes = subject.lanes(lanes.parse().expect("a number"));
    let driver = folder.write("driver.c", subject.driver(&lanes));
    for compiler in cc::all() {
        let program = folder.path("driver");
        let built = Command::new(&compiler.program)
            .args(STRICT)
            .args(SANITIZE)
            .args([&source, &driver, "-o", &program])
            .output()
            .expect("the compiler starts");
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{name} {}: {said}", compiler.program);
        let ran = Command::new(&program).output().expect("it starts");
        let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
        assert!(ran.status.success(), "{name} {}: {said}", compiler.program);
    }
}

/// A cipher of the library.
fn cipher(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers").join(name)
}

#[test]
fn lanes_have_keys_of_their_own_in_general_purpose_registers() {
    check(&cipher("rectangle"), "gp64+swar:V", "_schedule_kernel(");
}

#[test]
fn lanes_have_keys_of_their_own_in_vectors() {
    let cases = [
        ("aes128", "ssse3", "ssse3:H", "_schedule_kernel("),
        ("chacha20", "avx2", "avx2:V", "keys + 32 * lane"),
    ];
    for (name, target, targets, contains) in cases {
        if exec::runnable(nakiri::isa::find(target).expect("a target")).is_ok() {
            check(&cipher(name), targets, contains);
        }
    }
}

/// A cipher whose key schedule is legal under B alone.
const SHUFFLED: &str = "
node Schedule (key:u16x2 @be) returns (a, b:u16)
let
  a = Shuffle(key[0], [7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 15, 14, 13, 12]);
  b = (key[1] <<< 3) ^ key[0]
tel

node Encrypt (x:u16x2 @be, a, b:const u16) returns (y:u16x2 @be)
let
  y[0] = ((x[0] ^ a) <<< 3) & x[1];
  y[1] = x[1] ^ (x[0] | b)
tel
";

#[test]
fn round_keys_of_another_slicing_go_through_memory() {
    let folder = Folder::new("multikey-shuffled");
    folder.write("shuffled.ua", SHUFFLED);
    folder.write(
        "cipher.toml",
        "name = \"shuffled\"\ntitle = \"T\"\nspecification = \"S\"\nsource = \"shuffled.ua\"\n\
         slicing = \"V\"\n\n[[instance]]\nprefix = \"shuffled\"\nencrypt = \"Encrypt\"\n\
         key = { bytes = 4, schedule = \"Schedule\" }\nmodes = [\"ctr\"]\n\
         counter = { offset = 1, bytes = 3, order = \"le\" }\n",
    );
    folder.write("vectors.toml", "");
    check(&folder.0, "gp64+swar:V,gp64:V+one-word", "uint8_t part1[8]");
    check(&folder.0, "gp64:B", "_schedule_kernel(");
}

#[test]
fn what_has_no_key_is_refused() {
    let done = nakiri(&["build", "ciphers/gimli", "--multikey", "--target", "gp64", "-o", "-"]);
    let message = "error: `gimli` has no key, of which each lane could have its own: leave out --multikey, or `multikey` in cipher.toml\n";
    assert_eq!((done.code, done.err.as_str(), done.out.as_str()), (1, message, ""));
    let done = nakiri(&["build", "ciphers/rectangle", "--multikey", "--emit", "rust", "-o", "x"]);
    assert_eq!(
        (done.code, done.err.as_str()),
        (2, "error: --multikey is for C, not for --emit rust\n")
    );
}

#[test]
fn a_manifest_may_ask_for_it_and_a_file_may_have_it() {
    let folder = Folder::new("multikey-manifest");
    for name in ["rectangle.ua", "vectors.toml"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers/rectangle");
        folder.write(name, std::fs::read(root.join(name)).expect("a file"));
    }
    let manifest = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers/rectangle/cipher.toml"),
    );
    let manifest =
        manifest.expect("a manifest").replacen("modes = [", "multikey = true\nmodes = [", 1);
    folder.write("cipher.toml", manifest);
    let done =
        nakiri(&["build", &folder.0.display().to_string(), "-V", "--target", "gp64", "-o", "-"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("void rectangle80_multikey_ctr_xor("), "the first asks for it");
    assert!(!done.out.contains("rectangle128_multikey"), "the second doesn't");
    assert!(
        done.out.contains("rectangle80 multikey encrypt, gp64+swar V16: 4 at once"),
        "{}",
        done.out
    );
    let file = folder.write("add.ua", super::ADD);
    let done = nakiri(&["build", &file, "--multikey", "--target", "gp64", "-o", "-"]);
    assert!(done.code == 0 && done.out.contains("void add_multikey_add_blocks("), "{}", done.err);
}
