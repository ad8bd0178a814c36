//! Compilers for every machine whose object code is checked.

use nakiri_verify::cc::{works, Compiler, Work};
use nakiri_verify::constant_time::disassembler;
use nakiri_verify::Error;
use std::fmt;
use std::sync::OnceLock;

/// A compiler and what it is told to compile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// The machine.
    pub machine: &'static str,
    pub program: &'static str,
    pub flags: &'static [&'static str],
    /// The Debian packages that have it and what it needs.
    pub package: &'static str,
}

const fn build(
    machine: &'static str,
    program: &'static str,
    flags: &'static [&'static str],
    package: &'static str,
) -> Build {
    Build { machine, program, flags, package }
}

/// Every way to compile that is checked where its compiler is installed.
pub const ALL: &[Build] = &[
    build("x86-64", "gcc", &[], "gcc"),
    build("x86-64", "clang-19", &[], "clang-19"),
    build("x86-64", "clang-14", &[], "clang-14"),
    build("i386", "i686-linux-gnu-gcc", &["-fno-pic"], "gcc-i686-linux-gnu"),
    build(
        "i386",
        "clang-19",
        &["--target=i686-linux-gnu", "-fno-pic"],
        "clang-19 gcc-i686-linux-gnu",
    ),
    build("AArch64", "aarch64-linux-gnu-gcc", &["-fno-pie"], "gcc-aarch64-linux-gnu"),
    build("AArch64", "clang-19", &["--target=aarch64-linux-gnu"], "clang-19 gcc-aarch64-linux-gnu"),
    build("AArch64", "clang-14", &["--target=aarch64-linux-gnu"], "clang-14 gcc-aarch64-linux-gnu"),
    build("Arm", "arm-linux-gnueabihf-gcc", &["-fno-pie", "-marm"], "gcc-arm-linux-gnueabihf"),
    build("Thumb", "arm-linux-gnueabihf-gcc", &["-fno-pie", "-mthumb"], "gcc-arm-linux-gnueabihf"),
    build(
        "Arm",
        "clang-19",
        &["--target=armv7a-linux-gnueabihf", "-fno-pic"],
        "clang-19 gcc-arm-linux-gnueabihf",
    ),
    build(
        "Thumb",
        "clang-19",
        &["--target=armv7a-linux-gnueabihf", "-fno-pic", "-mthumb"],
        "clang-19 gcc-arm-linux-gnueabihf",
    ),
    build("RISC-V", "riscv64-linux-gnu-gcc", &["-fno-pie"], "gcc-riscv64-linux-gnu"),
    build("RISC-V", "clang-19", &["--target=riscv64-linux-gnu"], "clang-19 gcc-riscv64-linux-gnu"),
    build(
        "RISC-V",
        "clang-14",
        &["--target=riscv64-linux-gnu", "-msmall-data-limit=0"],
        "clang-14 gcc-riscv64-linux-gnu",
    ),
    build("ppc64le", "powerpc64le-linux-gnu-gcc", &["-fno-pie"], "gcc-powerpc64le-linux-gnu"),
    build(
        "ppc64le",
        "clang-19",
        &["--target=powerpc64le-linux-gnu"],
        "clang-19 gcc-powerpc64le-linux-gnu",
    ),
    build("ppc64", "powerpc64-linux-gnu-gcc", &["-fno-pie"], "gcc-powerpc64-linux-gnu"),
    build(
        "ppc64",
        "clang-19",
        &["--target=powerpc64-linux-gnu"],
        "clang-19 gcc-powerpc64-linux-gnu",
    ),
];

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.program, self.machine)
    }
}

impl Build {
    /// Whether it is for the machine that tests run on.
    pub fn is_x86(&self) -> bool {
        self.machine == "x86-64"
    }

    /// The architecture of the targets that are for it, if any are.
    pub fn architecture(&self) -> Option<&'static str> {
        match self.machine {
            "x86-64" => Some("x86_64"),
            "AArch64" => Some("aarch64"),
            "ppc64le" => Some("powerpc64"),
            _ => None,
        }
    }

    /// The object code of a text.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn object(&self, text: &str, level: &str) -> Result<Vec<u8>, Error> {
        let work = Work::new()?;
        let source = work.write("x.c", text.as_bytes())?;
        let flags = [self.flags, &[level, "-c"]].concat();
        Compiler::new(self.program).compile(&[&source], &flags, &work.path("x.o"))?;
        work.read("x.o")
    }

    /// Why it can't be used here.
    pub fn lack(&self) -> Option<String> {
        let missing = !works(self.program);
        let missing = missing || self.object("#include <string.h>\nint x;\n", "-O0").is_err();
        match missing {
            true => Some(format!("{self}: on Debian, apt-get install {}", self.package)),
            false if self.is_x86() || self.machine == "i386" => None,
            false => disassembler().err().map(|lack| format!("{self}: {lack}")),
        }
    }
}

/// Those that can be used here; the others are named once.
pub fn installed() -> Vec<Build> {
    static KNOWN: OnceLock<Vec<Build>> = OnceLock::new();
    let usable = |build: &&Build| match build.lack() {
        None => true,
        Some(lack) => {
            println!("not run: {lack}");
            false
        }
    };
    KNOWN.get_or_init(|| ALL.iter().filter(usable).copied().collect()).clone()
}
