//! The object-code check: it refuses what leaks, and accepts what doesn't, as gcc and clang compile it.

mod builds;
mod ciphers;
mod kernels;
mod lanes;
mod machines;
mod modes;
mod multikey;
mod rust;
mod undefined;

use nakiri_verify::constant_time::{check_object, Argument::*, Entry, Reason};
use nakiri_verify::verdict::Question;
use std::path::Path;

/// What depends on the analysis.
fn question() -> Question {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let analysis = Question::new("constant time").and_sources(&sources.join("constant_time"));
    analysis.and_sources(&sources.join("image.rs"))
}

const LEAKY: &str = r#"
#include <stdint.h>
extern void other(void);
int branch(const uint32_t *x, uint32_t *y) { if (x[0] & 1) { other(); y[0] = 1; } return 0; }
uint8_t lookup(const uint8_t *x, const uint8_t *table) { return table[x[0]]; }
void scatter(const uint8_t *x, uint8_t *y) { y[x[0]] = 1; }
uint32_t divide(const uint32_t *x, uint32_t *y) { return y[0] / x[0]; }
uint32_t until(const uint32_t *x, uint32_t *y) { uint32_t n = 0; for (uint32_t i = 0; i < x[0]; i++) n += y[i] ^ n << 1; return n; }
uint32_t argument(const uint32_t *x, uint32_t *y, uint32_t secret) { return secret > 5 ? x[secret] : y[0]; }
uint32_t jump(uint32_t (*const *x)(void), uint32_t *y) { (void)y; return x[0]() + 1; }
void spilled(const uint8_t *x, uint8_t *y) { volatile uint8_t kept = x[0]; uint8_t z = kept; y[z] = 3; }
static __attribute__((noinline)) void inner(uint8_t *y, uint32_t i) { y[i] = 7; }
void callee(const uint8_t *x, uint8_t *y) { inner(y, 1); inner(y, x[0]); }
uint8_t substitute(const uint8_t *x, uint8_t *y) { static const uint8_t box[4] = { 3, 1, 0, 2 }; (void)y; return box[x[0] & 3]; }
static volatile uint8_t global[2];
void written(const uint8_t *x, uint8_t *y) { global[1] = x[0]; y[global[1]] = 1; }
void overwritten(const uint8_t *x, uint8_t *y, uint64_t n) {
    volatile uint64_t t[300];
    t[7] = n;
    for (volatile uint64_t *p = t; p != t + 300; p++) *p = x[0];
    y[t[7]] = 1;
}
"#;

const FINE: &str = r#"
#include <stdint.h>
#include <stddef.h>
#include <string.h>
void mask(const uint32_t *x, uint32_t *y) { uint32_t m = 0u - (x[0] & 1); y[0] = ((y[0] + x[2]) & m) ^ (x[1] + x[3]); }
void loop(const uint64_t *x, uint64_t *y, size_t n) { for (size_t i = 0; i < n; i++) y[i] ^= x[i] * 3 + (x[i] >> 7); }
void rounds(const uint32_t *x, uint32_t *y) {
    uint32_t s[4];
    memcpy(s, x, sizeof s);
    for (int r = 0; r < 25; r++) { uint32_t t = s[0]; s[0] = s[1] ^ (t << 3 | t >> 29); s[1] = s[2] + t; s[2] = s[3]; s[3] = t; }
    memcpy(y, s, sizeof s);
}
static const uint8_t constants[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 27, 54, 108, 216, 171, 77, 154, 47 };
void schedule(const uint8_t *x, uint8_t *y) { for (int i = 0; i < 16; i++) y[i] = x[i] ^ constants[(5 * i) % 16]; }
static __attribute__((noinline)) void inner(const uint64_t *x, uint64_t *y) { for (int i = 0; i < 8; i++) y[i] = x[i] ^ x[7 - i]; }
void callee(const uint64_t *x, uint64_t *y) { uint64_t t[8]; inner(x, t); inner(t, y); }
void publicly(const uint32_t *x, uint32_t *y, size_t n) { y[0] = x[n / 3]; if (n & 1) y[1] = x[1]; }
void copied(const uint64_t *x, uint64_t *y, size_t n) {
    uint64_t t[300], u[300] = { 0 };
    for (size_t r = 0; r < n; r++) { memcpy(t, x, sizeof t); for (int i = 0; i < 300; i++) u[i] ^= t[299 - i]; }
    memcpy(y, u, sizeof u);
}
void walk(const uint64_t *x, uint64_t *y, size_t n) {
    struct { volatile size_t kept; volatile uint64_t t[300]; } s;
    s.kept = n;
    for (volatile uint64_t *p = s.t; p != s.t + 300; p++) {
        __asm__("" : "+r"(p)); /* a pointer, not an index */
        *p = x[0];
    }
    for (size_t i = 0; i < s.kept; i++) y[i] = s.t[7] + i;
}
void placed(const uint8_t *x, uint8_t *y) {
    static const uint64_t places[4] = { 3, 0, 1 << 20, 2 };
    for (size_t i = 0; i < 4; i++) {
        __asm__("" : "+r"(i)); /* a table that is read, and no numbers */
        y[places[i]] = x[i];
    }
}
void select(const uint32_t *x, uint32_t *y) { y[0] = x[0] < x[1] ? 0xffffffffu : 0; }
#ifdef __x86_64__
__attribute__((target("avx2")))
#endif
void wide(const uint64_t *x, uint64_t *y, size_t n) {
    uint64_t t[32];
    for (size_t i = 0; i < 32; i++) t[i] = x[i] << 1;
    for (size_t r = 0; r < n; r++) for (size_t i = 0; i < 32; i++) y[i] += t[31 - i] ^ t[i];
}
"#;

/// The names of the functions that a text defines and exports.
fn functions(text: &str) -> Vec<&str> {
    let exported = |line: &&str| !line.starts_with("static") && !line.starts_with("extern");
    let lines = text.lines().filter(exported).filter(|line| line.contains(") {"));
    let lines = lines.filter(|line| !line.starts_with(' '));
    let lines = lines.map(|line| line.split_once("))) ").map_or(line, |(_, after)| after));
    lines.filter_map(|line| line.split_once('(')?.0.split(' ').next_back()).collect()
}

/// Compiles a text by every compiler for every machine, at the levels given.
fn compiled(text: &str, levels: &[&str], each: impl Fn(&[u8], &str)) {
    let builds = builds::installed();
    assert!(!builds.is_empty(), "no C compiler");
    for build in builds {
        // For this machine all levels, for others those that differ most.
        let levels = if build.is_x86() { levels } else { &levels[levels.len() / 2..] };
        for level in levels {
            each(&build.object(text, level).unwrap(), &format!("{build} {level}"));
        }
    }
}

const LEVELS: &[&str] = &["-O1", "-O3", "-O2", "-Os"];

const ARGUMENTS: &[nakiri_verify::constant_time::Argument] = &[Public, Public, Public];

#[test]
fn leaks_are_refused() {
    let names = functions(LEAKY);
    assert_eq!(names.len(), 12, "{names:?}");
    compiled(LEAKY, LEVELS, |object, how| {
        for name in &names {
            let arguments = if *name == "argument" { &ARGUMENTS[..2] } else { ARGUMENTS };
            let checked = check_object(object, &[Entry { name, arguments }]);
            let violations = checked.expect_err(&format!("{name} was accepted, {how}"));
            let expected = |reason: &Reason| match *name {
                "branch" | "until" => matches!(reason, Reason::Branch),
                // Where there is no instruction it is a function.
                "divide" => matches!(reason, Reason::Duration | Reason::Call(_)),
                "jump" => matches!(reason, Reason::Indirect),
                "argument" => matches!(reason, Reason::Branch | Reason::Address),
                _ => matches!(reason, Reason::Address),
            };
            assert!(
                violations.iter().any(|v| expected(&v.reason)),
                "{name}, {how}: {violations:?}"
            );
        }
    });
}

#[test]
fn constant_time_code_is_accepted() {
    let names = functions(FINE);
    assert_eq!(names.len(), 11, "{names:?}");
    compiled(FINE, LEVELS, |object, how| {
        // Of a comparison compilers make a branch where a machine has no instruction for it.
        let comparisons = how.contains("x86-64");
        for name in names.iter().filter(|name| comparisons || **name != "select") {
            let checked = check_object(object, &[Entry { name, arguments: ARGUMENTS }]);
            let text = checked
                .as_ref()
                .map_err(|all| all.iter().map(|v| v.to_string()).collect::<Vec<_>>().join("\n"));
            assert!(text.is_ok(), "{how}:\n{}", text.unwrap_err());
        }
    });
}

#[test]
fn what_cannot_be_read_is_refused() {
    assert!(check_object(b"no object", &[]).is_err());
    compiled("int f(void); int f(void) { return 1; }\n", &["-O2"], |object, _| {
        assert!(check_object(object, &[Entry { name: "g", arguments: &[] }]).is_err());
        assert!(check_object(object, &[Entry { name: "f", arguments: &[] }]).is_ok());
    });
}

/// clang writes the counter of a loop of two turns to the low byte of a register whose rest is data, moves all of it, and tests
/// that byte.
#[test]
fn low_bytes_are_followed_apart() {
    let text = |tested: &str| {
        format!(
            "#include <stdint.h>\nvoid f(const uint32_t *x, uint32_t *y)\n{{\n    volatile uint32_t kept[2];\n    \
             uint32_t z = x[0];\n    __asm__ volatile(\"movb $1, %b0\\n movl %0, %%ecx\\n movl %%ecx, %1\\n \
             movl %1, %%edx\\n {tested}\\n jne 1f\\n movl $7, (%2)\\n1:\" : \"+a\"(z), \"=m\"(kept[0]) : \
             \"S\"(y) : \"ecx\", \"edx\", \"cc\", \"memory\");\n}}\n"
        )
    };
    let tests =
        ["testb $1, %1", "testb $1, %%dl", "testb $1, %%dh", "testw $256, %1", "testl $1, %%edx"];
    for build in builds::installed().iter().filter(|build| build.to_string().contains("x86-64")) {
        for (test, is_fine) in tests.iter().zip([true, true, false, false, false]) {
            let object = build.object(&text(test), "-O1").unwrap();
            let checked = check_object(&object, &[Entry { name: "f", arguments: ARGUMENTS }]);
            assert_eq!(checked.is_ok(), is_fine, "{test}, {build}: {checked:?}");
        }
    }
}

#[test]
fn exchanged_registers_are_followed() {
    let text = |tested: &str| {
        format!(
            "#include <stdint.h>\nvoid f(const uint32_t *x, uint32_t *y)\n{{\n    volatile uint32_t kept[2] = {{7, 7}};\n    \
             uint32_t z = x[0];\n    __asm__ volatile(\"leaq %1, %%rax\\n leaq %2, %%rcx\\n xchgq %%rax, %%rcx\\n \
             movl %0, (%%rax)\\n movl %0, %%edx\\n movl $7, %%eax\\n xchgq %%rdx, %%rax\\n cmpl $7, {tested}\\n jne 1f\\n \
             movl $7, (%3)\\n1:\" : : \"r\"(z), \"m\"(kept[0]), \"m\"(kept[1]), \"S\"(y) : \"rax\", \"rcx\", \"rdx\", \"cc\", \
             \"memory\");\n}}\n"
        )
    };
    let tests = [("%1", true), ("%%edx", true), ("%2", false), ("%%eax", false)];
    for build in builds::installed().iter().filter(|build| build.to_string().contains("x86-64")) {
        for (test, is_fine) in tests {
            let object = build.object(&text(test), "-O1").unwrap();
            let checked = check_object(&object, &[Entry { name: "f", arguments: ARGUMENTS }]);
            assert_eq!(checked.is_ok(), is_fine, "{test}, {build}: {checked:?}");
        }
    }
}

/// What compilers make now and then.
struct Idiom {
    machine: &'static str,
    /// Functions beside it: one that is fine, and one that leaks.
    apart: &'static str,
    /// Statements that read `x` and write `y`, of which `…` is a part.
    body: &'static str,
    clobbered: &'static str,
    /// That part.
    fine: &'static str,
    /// The same with data, or a place that data decides.
    refused: &'static [&'static str],
}

const IDIOMS: [Idiom; 6] = [
    // A loop is counted by a sum that sets the carry, after another that left one.
    Idiom {
        machine: "ppc64",
        apart: "",
        body: "lwz 10, 0(%0)\\n addc 11, 10, 10\\n li 9, 4\\n mr 8, …\\n1: stw 11, 0(%1)\\n addic. 8, 8, -1\\n bne 1b",
        clobbered: "\"r8\", \"r9\", \"r10\", \"r11\", \"cr0\", \"xer\"",
        fine: "9",
        refused: &["10"],
    },
    // A frame of more than 32 KiB: its size is made by two instructions, and its upper half is reached by one more.
    Idiom {
        machine: "ppc64",
        apart: "",
        body: "lwz 10, 0(%0)\\n lis 9, -2\\n … \\n stdux 1, 1, 9\\n li 8, 4\\n addis 9, 1, 1\\n std 8, -8(9)\\n \
               addis 11, 1, 1\\n ld 8, -8(11)\\n mtctr 8\\n 1: stw 10, 0(%1)\\n bdnz 1b\\n ld 1, 0(1)",
        clobbered: "\"r8\", \"r9\", \"r10\", \"r11\", \"ctr\"",
        fine: "ori 9, 9, 32672",
        refused: &["or 9, 9, 10"],
    },
    // Vectors count, too.
    Idiom {
        machine: "AArch64",
        apart: "",
        body: "ldr w9, [%0]\\n mov w10, #3\\n dup v0.2d, …\\n movi v1.2d, #0\\n cmhi v3.2d, v0.2d, v1.2d\\n \
               xtn v3.2s, v3.2d\\n fmov w11, s3\\n tbz w11, #0, 1f\\n str w9, [%1]\\n1:",
        clobbered: "\"x9\", \"x10\", \"x11\", \"v0\", \"v1\", \"v3\"",
        fine: "x10",
        refused: &["x9"],
    },
    // Code that repeats is a function of clang's, which is called by another link register.
    Idiom {
        machine: "clang-19 RISC-V",
        apart: "apart: slli t1, t1, 1\\n jr t0\\nleaky: beqz t1, 1f\\n slli t1, t1, 1\\n1: jr t0",
        body: "lw t1, 0(%0)\\n li t2, 4\\n …\\n sw t1, 0(%1)",
        clobbered: "\"t0\", \"t1\", \"t2\"",
        fine: "call t0, apart",
        refused: &[
            "call t0, leaky",
            "jr t1",
            "mv t0, t1\\n jr t0",
            "mv t0, t1\\n jalr t0, t0",
            "call t0, apart\\n mv t0, t1\\n jr t0",
        ],
    },
    // The address of a function that is called often is kept in a register: it comes from beside the code,
    Idiom {
        machine: "Thumb",
        apart: THUMB,
        body: "ldr r2, [%0]\\n …\\n blx r3\\n str r2, [%1]",
        clobbered: "\"r2\", \"r3\", \"lr\", \"cc\"",
        fine: "ldr r3, =apart",
        refused: &["mov r3, r2", "ldr r3, =leaky", "ldr r3, =apart\\n eors r3, r2", "ldr r3, =12345"],
    },
    // or from two instructions.
    Idiom {
        machine: "Thumb",
        apart: THUMB,
        body: "ldr r2, [%0]\\n …\\n blx r3\\n str r2, [%1]",
        clobbered: "\"r2\", \"r3\", \"lr\", \"cc\"",
        fine: "movw r3, :lower16:apart\\n movt r3, :upper16:apart",
        refused: &[
            "movw r3, :lower16:leaky\\n movt r3, :upper16:leaky",
            "movw r3, :lower16:apart\\n movt r3, :upper16:apart\\n orrs r3, r2",
        ],
    },
];

const THUMB: &str = ".syntax unified\\n.thumb\\n.thumb_func\\napart: lsls r2, r2, #1\\n bx lr\\n\
                     .thumb_func\\nleaky: cbz r2, 1f\\n lsls r2, r2, #1\\n1: bx lr";

#[test]
fn idioms_are_followed_and_their_twins_refused() {
    for Idiom { machine, apart, body, clobbered, fine, refused } in IDIOMS {
        let symbols = ".text\\n.type apart, %function\\n.type leaky, %function\\n";
        let apart = match apart {
            "" => String::new(),
            text => format!("__asm__(\"{symbols}{text}\\n\");\n"),
        };
        // Register 0 is no base on Power.
        let base = if machine == "ppc64" { "b" } else { "r" };
        for build in builds::installed().iter().filter(|b| b.to_string().contains(machine)) {
            for (part, is_fine) in
                [(fine, true)].into_iter().chain(refused.iter().map(|r| (*r, false)))
            {
                let body = body.replace('…', part);
                let text = format!(
                    "#include <stdint.h>\n{apart}void f(const uint32_t *x, uint32_t *y);\nvoid f(const uint32_t *x, uint32_t *y)\n{{\n    \
                     __asm__ volatile(\"{body}\" : : \"{base}\"(x), \"{base}\"(y) : {clobbered}, \"memory\");\n}}\n"
                );
                let object = build.object(&text, "-O1").unwrap();
                let checked = check_object(&object, &[Entry { name: "f", arguments: ARGUMENTS }]);
                assert_eq!(checked.is_ok(), is_fine, "{part}, {build}: {checked:?}");
            }
        }
    }
}
