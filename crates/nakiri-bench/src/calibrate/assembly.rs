//! The loops that are timed, as assembly for the C compiler: Intel's syntax, one function each.

use std::fmt::Write;

/// The body of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    text: String,
    /// Operations in one pass, in the sense of whoever made the loop.
    pub operations: u32,
}

/// An operation: its template (see [`super::probes`]) and the bits of its registers.
pub type Operation = (&'static str, u32);

/// Operations in the body of a short loop: the loop's own two instructions hardly count, and all of them stay in any
/// op cache.
const BODY: u32 = 192;

impl Loop {
    /// A dependent chain: each link needs the result of the one before.
    pub fn chain(link: Operation, length: u32) -> Loop {
        let lines = (0..length).map(|_| fill(link, 0, Form::Chain));
        Loop { text: lines.collect(), operations: length }
    }

    /// A chain of the usual length.
    pub fn usual_chain(link: Operation) -> Loop {
        Loop::chain(link, BODY)
    }

    /// A stream of independent operations: so many of each in turn, evenly spread, so often repeated.
    pub fn stream(mix: &[(Operation, u32)], times: u32) -> Loop {
        let period: u32 = mix.iter().map(|(_, count)| count).sum();
        let mut next = vec![0; mix.len()];
        let mut text = String::new();
        for step in 0..period * times {
            // The operation that is furthest behind its share comes next.
            let behind = |k: &usize| {
                let share = i64::from(step + 1) * i64::from(mix[*k].1);
                share - i64::from(next[*k]) * i64::from(period)
            };
            let k = (0..mix.len()).rev().max_by_key(behind).unwrap_or(0);
            text += &fill(mix[k].0, next[k], Form::Stream);
            next[k] += 1;
        }
        Loop { text, operations: period * times }
    }

    /// A stream of the usual length.
    pub fn usual_stream(mix: &[(Operation, u32)]) -> Loop {
        let period: u32 = mix.iter().map(|(_, count)| count).sum();
        Loop::stream(mix, BODY.div_ceil(period.max(1)))
    }

    /// Parts one after the other.
    pub fn sequence(parts: &[Loop]) -> Loop {
        Loop {
            text: parts.iter().map(|part| part.text.as_str()).collect(),
            operations: parts.iter().map(|part| part.operations).sum(),
        }
    }
}

/// The name of the function of loop number `k` in [`file`].
pub fn name(k: usize) -> String {
    format!("nakiri_calibrate_{k}")
}

/// An assembly file with one function `void f(void *buffer, uint64_t passes)` for each loop; `passes` is not 0. The
/// buffer has [`BUFFER`] bytes, is aligned to 64, begins with its own address and holds zero otherwise.
pub fn file(loops: &[Loop], vectors: bool) -> String {
    let mut text = ".intel_syntax noprefix\n.text\n".to_string();
    let clear = if vectors { "    vzeroall\n" } else { "" };
    for (k, each) in loops.iter().enumerate() {
        let name = name(k);
        let _ = write!(text, ".globl {name}\n.type {name}, @function\n.p2align 6\n{name}:\n");
        text += PROLOGUE;
        text += clear;
        let _ = write!(text, "    .p2align 6\n1:\n{}    dec rcx\n    jnz 1b\n9:\n", each.text);
        text += clear;
        text += EPILOGUE;
        let _ = writeln!(text, ".size {name}, .-{name}");
    }
    text + ".section .note.GNU-stack,\"\",@progbits\n"
}

/// Bytes of the buffer that loops read and write.
pub const BUFFER: usize = 4096;

const PROLOGUE: &str = "    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov rbp, rsp
    sub rsp, 2304
    and rsp, -64
    mov rcx, rsi
    mov rsi, rdi
    xor eax, eax
    xor edx, edx
    xor ebx, ebx
    xor r8d, r8d
    xor r9d, r9d
    xor r10d, r10d
    xor r11d, r11d
    xor r12d, r12d
    xor r13d, r13d
    xor r14d, r14d
    xor r15d, r15d
";

const EPILOGUE: &str = "    mov rsp, rbp
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Chain,
    Stream,
}

/// General registers of streams; `r14` is never written, `rsi` and `rdi` point to the buffer, `rcx` counts.
const GENERAL: [&str; 10] = ["rax", "rdx", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r15"];

/// Lines for a template, as number `i` of its kind.
///
/// Loads and stores have different base registers: where these are the same, some cores guess from a part of the offset
/// that a load reads what was stored.
fn fill((template, width): Operation, i: u32, form: Form) -> String {
    let file = match width {
        512 => "zmm",
        256 => "ymm",
        _ => "xmm",
    };
    // Vector registers 0 and 15 are never written; those from 16 on are not in every instruction's reach.
    let low = 1 + i % 12;
    let offset = 64 + width / 8 * (i % 16);
    let register = |name: &str| match name {
        "g" => GENERAL[i as usize % GENERAL.len()].to_string(),
        "v" => format!("{file}{low}"),
        "x" => format!("xmm{low}"),
        "w" => format!("{file}{}", 16 + i % 12),
        "m" => format!("k{}", 1 + i % 6),
        "a" if form == Form::Chain => format!("{file}{low}"),
        "a" => format!("{file}0"),
        "ax" if form == Form::Chain => format!("xmm{low}"),
        "ax" => "xmm0".to_string(),
        "kg" => "r14".to_string(),
        "kv" => format!("{file}15"),
        "kx" => "xmm15".to_string(),
        "km" => "k7".to_string(),
        "tg" => "r15".to_string(),
        "tv" => format!("{file}14"),
        "p" => "rsi".to_string(),
        "load" => format!("[rdi + {offset}]"),
        "load32" => format!("dword ptr [rdi + {offset}]"),
        "store" => format!("[rsp + {offset}]"),
        "stack" => "[rsp]".to_string(),
        "far" => format!("[rsp + {}]", offset + 1024),
        other => unreachable!("no register is called {{{other}}}"),
    };
    let mut text = "    ".to_string();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        text += before;
        text += &register(name);
        rest = after;
    }
    text + rest + "\n"
}
