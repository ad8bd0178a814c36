//! The emitted code that libraries are compared with: on general-purpose registers, so that it runs everywhere.

use nakiri::check::{self, Checked};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::Direction;
use nakiri::emit::c::{self, Counter, Function, Instance, Key, Library};
use nakiri::emit::keys::uniform;
use nakiri::isa::{self, Target};
use nakiri::source::SourceMap;
use nakiri_bench::against::{Mode, Request, Run};
use nakiri_bench::subject::Object;
use nakiri_verify::cc::{Compiler, Work};
use std::path::Path;

/// A cipher that some library has.
pub struct Cipher {
    pub prefix: &'static str,
    folder: &'static str,
    direction: Direction,
    /// Its node, and that of its key schedule.
    nodes: (&'static str, Option<&'static str>),
    key_bytes: usize,
    block_bytes: usize,
    counter: Option<Counter>,
    pub modes: &'static [Mode],
}

const fn serpent(prefix: &'static str, schedule: &'static str, key_bytes: usize) -> Cipher {
    Cipher {
        prefix,
        folder: "serpent",
        direction: Direction::V,
        nodes: ("Encrypt", Some(schedule)),
        key_bytes,
        block_bytes: 16,
        counter: Some(Counter { offset: 0, bytes: 16, big_endian: true }),
        modes: &[Mode::Ctr, Mode::Ecb],
    }
}

pub const CIPHERS: &[Cipher] = &[
    Cipher {
        prefix: "aes128",
        folder: "aes128",
        direction: Direction::B,
        nodes: ("Encrypt", Some("KeySchedule")),
        key_bytes: 16,
        block_bytes: 16,
        counter: Some(Counter { offset: 0, bytes: 16, big_endian: true }),
        modes: &[Mode::Ctr, Mode::Ecb],
    },
    Cipher {
        prefix: "des",
        folder: "des",
        direction: Direction::B,
        nodes: ("Encrypt", Some("KeySchedule")),
        key_bytes: 8,
        block_bytes: 8,
        counter: Some(Counter { offset: 0, bytes: 8, big_endian: true }),
        modes: &[Mode::Ctr, Mode::Ecb],
    },
    Cipher {
        prefix: "chacha20",
        folder: "chacha20",
        direction: Direction::V,
        nodes: ("Block", None),
        key_bytes: 32,
        block_bytes: 16,
        counter: Some(Counter { offset: 0, bytes: 4, big_endian: false }),
        modes: &[Mode::Ctr],
    },
    serpent("serpent128", "KeySchedule128", 16),
    serpent("serpent192", "KeySchedule192", 24),
    serpent("serpent256", "KeySchedule256", 32),
    Cipher {
        prefix: "ascon_p12",
        folder: "ascon",
        direction: Direction::V,
        nodes: ("P12", None),
        key_bytes: 0,
        block_bytes: 40,
        counter: None,
        modes: &[Mode::Blocks],
    },
];

impl Cipher {
    pub fn request(&self, mode: Mode, target: &'static Target) -> Request {
        // Not one of DES's weak keys, which libraries refuse.
        let key = (0..self.key_bytes).map(|i| (37 * i + 0x1b) as u8).collect();
        let counter = self.counter.filter(|_| mode == Mode::Ctr);
        let (instance, block_bytes) = (self.prefix.to_string(), self.block_bytes);
        Request { instance, mode, target, key, block_bytes, counter }
    }

    fn checked(&self) -> Checked {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../ciphers/{0}/{0}.ua", self.folder));
        let mut sources = SourceMap::default();
        let root = sources.add(self.folder, std::fs::read_to_string(path).expect("a source"));
        let (checked, _) =
            check::check(&mut sources, root, &mut check::NoFiles, &Default::default());
        checked.expect("the cipher is legal")
    }

    fn library(&self) -> Library {
        let checked = self.checked();
        let kernel = |node: &str, directions: &[Direction]| -> Kernel {
            let program = checked.program_for(node).expect("a node");
            let compile = |direction: &Direction| {
                let options = Options::new(*direction, isa::everywhere());
                compile(&program, &options, &mut |_, _| {}).ok()
            };
            directions.iter().find_map(compile).expect("legal on gp64")
        };
        let schedules = |node: &str| {
            let program = uniform(&checked.program_for(node).expect("a node"));
            let compile = |direction: &Direction| {
                let options = Options::new(*direction, isa::everywhere());
                compile(&program, &options, &mut |_, _| {}).ok()
            };
            let schedule = [Direction::V, Direction::B].iter().find_map(compile);
            vec![vec![schedule.expect("legal on gp64")]]
        };
        let schedules = self.nodes.1.map_or(vec![], schedules);
        let name = if self.key_bytes == 0 { "permute" } else { "encrypt" };
        let variants = vec![kernel(self.nodes.0, &[self.direction])];
        let instance = Instance {
            prefix: self.prefix.to_string(),
            key: (self.key_bytes > 0).then_some(Key { bytes: self.key_bytes, schedules }),
            functions: vec![Function { name: name.to_string(), variants }],
            ecb: self.modes.contains(&Mode::Ecb),
            counter: self.counter,
            ..Instance::default()
        };
        Library {
            name: self.prefix.to_string(),
            title: self.prefix.to_string(),
            specification: String::new(),
            command_line: String::new(),
            version: String::new(),
            source_hash: String::new(),
            evidence: vec![],
            instances: vec![instance],
        }
    }

    /// Its modes behind one function each, in C.
    fn interface(&self) -> String {
        let prefix = self.prefix;
        let run = |mode: &Mode| {
            let call = match mode {
                Mode::Ctr => format!("{prefix}_ctr_xor(&context, counter, out, in, bytes)"),
                Mode::Ecb => format!("{prefix}_ecb_encrypt(&context, out, in, bytes)"),
                Mode::Blocks => {
                    format!("{prefix}_permute_blocks(out, in, bytes / {})", self.block_bytes)
                }
            };
            format!(
                "void ours_{mode}(const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes);\n\
                 void ours_{mode}(const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)\n\
                 {{ (void)counter; (void){call}; }}\n"
            )
        };
        let runs: String = self.modes.iter().map(run).collect();
        let context = if self.key_bytes == 0 {
            "void ours_key(const uint8_t *key);\nvoid ours_key(const uint8_t *key) { (void)key; }\n"
                .to_string()
        } else {
            format!(
                "static {prefix}_ctx context;\nvoid ours_key(const uint8_t *key);\n\
                 void ours_key(const uint8_t *key) {{ {prefix}_expand_key(&context, key); }}\n"
            )
        };
        context + &runs
    }

    /// Emits, compiles and loads it.
    pub fn build(&self, cc: &Compiler, work: &Work) -> Ours {
        let files = c::library(&self.library()).unwrap_or_else(|error| panic!("{error}"));
        work.write(&format!("{}.h", self.prefix), files.h.as_bytes()).expect("written");
        let text = files.c + &self.interface();
        let source = work.write(&format!("{}.c", self.prefix), text.as_bytes()).expect("written");
        let object = work.path(&format!("{}.so", self.prefix));
        cc.compile(&[&source], &["-O1", "-shared", "-fPIC"], &object)
            .unwrap_or_else(|error| panic!("{error}"));
        // SAFETY: compiled just now.
        Ours { object: unsafe { Object::load(&object) }.unwrap_or_else(|error| panic!("{error}")) }
    }
}

/// The emitted code of a cipher.
pub struct Ours {
    object: Object,
}

impl Ours {
    pub fn run(&self, request: &Request) -> Box<Run> {
        type SetKey = unsafe extern "C" fn(*const u8);
        type Encrypt = unsafe extern "C" fn(*const u8, *mut u8, *const u8, usize);
        // SAFETY: the types are those of `Cipher::interface`; the key has the bytes that the cipher asks for; the object
        // outlives what is made of it in these tests.
        let encrypt: Encrypt = unsafe {
            let set_key: SetKey = self.object.function("ours_key").expect("there");
            set_key(request.key.as_ptr());
            self.object.function(&format!("ours_{}", request.mode)).expect("there")
        };
        Box::new(move |counter, out, message| {
            let bytes = message.len().min(out.len());
            // SAFETY: as above; both texts have as many bytes.
            unsafe { encrypt(counter.as_ptr(), out.as_mut_ptr(), message.as_ptr(), bytes) }
        })
    }
}
