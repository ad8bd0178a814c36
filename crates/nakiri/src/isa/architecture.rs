//! Architectures: what C compilers and emulators have to do with a target.

/// An instruction set architecture.
#[derive(Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Its name, as Rust has it in `std::env::consts::ARCH`.
    pub name: &'static str,
    /// The preprocessor's condition that holds where C is compiled for it.
    pub guard: &'static str,
    /// How the names of the machines begin that compilers for it compile for (`cc -dumpmachine`).
    pub machines: &'static [&'static str],
    /// Features that the C library tells of.
    pub capabilities: &'static [Capability],
    /// A C compiler for it on another machine.
    pub compiler: Tool,
    /// What runs its programs on another machine.
    pub emulator: Tool,
    /// How programs are linked that the emulator runs: it has no shared libraries, and engines of WebAssembly 64 KiB of stack
    /// unless they are told otherwise.
    pub linking: &'static [&'static str],
    /// The least optimization with which long functions can be run.
    pub unoptimized: &'static str,
}

/// A feature of CPUs that Linux tells programs of.
#[derive(Debug, PartialEq, Eq)]
pub struct Capability {
    /// Its name, as Rust has it.
    pub feature: &'static str,
    /// The macro that compilers define where they use it everywhere.
    pub macro_name: &'static str,
    /// Its bits in what `getauxval(AT_HWCAP)` returns.
    pub bits: u64,
}

/// A program, and the Debian packages that have it and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub program: &'static str,
    /// Its first arguments.
    pub arguments: &'static [&'static str],
    /// The packages.
    pub package: &'static str,
}

/// Instructions of an architecture that not all of its CPUs have, and that compilers use where they are told to.
#[derive(Debug, PartialEq, Eq)]
pub struct Extension {
    /// What compilers are told.
    pub flags: &'static [&'static str],
    /// What the emulator is told.
    pub emulator: &'static [&'static str],
}

impl Architecture {
    /// Whether a compiler that says that it compiles for `machine` compiles for it.
    pub fn has_machine(&self, machine: &str) -> bool {
        self.machines.iter().any(|start| machine.starts_with(start))
    }
}

/// Architectures whose words begin with their most significant bytes. No target is made for them.
pub static BIG_ENDIAN: [&Architecture; 2] = [&S390X, &POWERPC64_BIG];

static S390X: Architecture = Architecture {
    name: "s390x",
    guard: "defined(__s390x__)",
    machines: &["s390x-"],
    capabilities: &[],
    compiler: Tool {
        program: "s390x-linux-gnu-gcc",
        arguments: &[],
        package: "gcc-s390x-linux-gnu",
    },
    emulator: Tool { program: "qemu-s390x", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};

static POWERPC64_BIG: Architecture = Architecture {
    name: "powerpc64 (big-endian)",
    guard: "defined(__powerpc64__) && defined(__BIG_ENDIAN__)",
    machines: &["powerpc64-", "ppc64-"],
    capabilities: &[],
    compiler: Tool {
        program: "powerpc64-linux-gnu-gcc",
        arguments: &[],
        package: "gcc-powerpc64-linux-gnu",
    },
    emulator: Tool { program: "qemu-ppc64", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};
