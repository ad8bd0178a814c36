//! Machine code as compilers write it: its path, its counts, its classes.

mod common;

use nakiri::core::Direction;
use nakiri_bench::machine::Class;
use nakiri_bench::object::path::{path, Error};
use nakiri_bench::object::{count, decode::Decoder};
use nakiri_bench::results::Code;
use nakiri_bench::sequence::{Micro, Work};
use nakiri_verify::cc;
use nakiri_verify::image::Image;

/// Some functions in assembly, as an object file.
fn assembled(functions: &[(&str, &str)]) -> Vec<u8> {
    let mut text = String::from("typedef int nothing;\n__asm__(\".intel_syntax noprefix\\n\"\n");
    for (name, body) in functions {
        text += &format!("\".globl {name}\\n.type {name}, @function\\n{name}:\\n\"\n");
        for line in body.split(';') {
            text += &format!("\"{}\\n\"\n", line.trim());
        }
    }
    text += "\".att_syntax prefix\\n\");\n";
    common::object(&cc::Compiler::find().unwrap(), &text, &[])
}

fn executed(object: &[u8], name: &str, arguments: &[Option<u64>]) -> Result<usize, Error> {
    let image = Image::read(object).unwrap();
    path(&image, name, arguments).map(|path| path.sequence.steps.len())
}

#[test]
fn paths_go_through_loops_and_calls() {
    let object = assembled(&[
        ("twice", "mov ecx, 10; 1: dec ecx; jnz 1b; call inner; ret"),
        ("inner", "xor eax, eax; 2: add rax, 8; cmp rax, 64; jb 2b; ret"),
        ("kept", "push rbx; mov ebx, 3; 3: call inner; sub ebx, 1; jg 3b; pop rbx; ret"),
        ("slot", "mov qword ptr [rsp - 16], 5; 4: sub qword ptr [rsp - 16], 1; jne 4b; ret"),
        ("counted", "5: dec rdx; jne 5b; ret"),
        ("secret", "mov eax, [rdi]; test eax, eax; je 6f; nop; 6: ret"),
        ("byte", "mov rax, [rdi]; mov al, 1; 10: test al, 1; mov al, 0; jne 10b; ret"),
        ("beside", "mov rax, [rdi]; mov al, 1; test ax, ax; je 11f; nop; 11: ret"),
        ("ends", "lea rax, [rdi + 256]; 7: add rdi, 32; cmp rdi, rax; jne 7b; ret"),
        ("forever", "8: jmp 8b"),
        ("copied", "push 3; mov ecx, 8; rep movsq; pop rcx; 9: dec ecx; jnz 9b; ret"),
    ]);
    let inner = 1 + 3 * 8 + 1;
    assert_eq!(executed(&object, "twice", &[]), Ok(1 + 2 * 10 + 1 + inner + 1));
    assert_eq!(executed(&object, "kept", &[]), Ok(2 + 3 * (inner + 3) + 2));
    assert_eq!(executed(&object, "slot", &[]), Ok(1 + 2 * 5 + 1));
    assert_eq!(executed(&object, "counted", &[None, None, Some(7)]), Ok(15));
    assert_eq!(executed(&object, "ends", &[]), Ok(1 + 3 * 8 + 1));
    // A copy of memory leaves the stack alone.
    assert_eq!(executed(&object, "copied", &[]), Ok(4 + 2 * 3 + 1));
    assert_eq!(executed(&object, "forever", &[]), Err(Error::Endless));
    let Err(Error::Unknown(name, _, text)) = executed(&object, "secret", &[]) else {
        panic!("a jump on data was followed");
    };
    assert!(name == "secret" && text.starts_with("je"), "{name} {text}");
    // What is known of a register may be its lowest byte.
    assert_eq!(executed(&object, "byte", &[]), Ok(2 + 2 * 3 + 1));
    assert!(matches!(executed(&object, "beside", &[]), Err(Error::Unknown(..))));
    assert_eq!(executed(&object, "none", &[]), Err(Error::NoFunction("none".to_string())));
}

#[test]
fn spills_are_computed_values_that_come_back() {
    let object = assembled(&[
        // A computed value is stored, read back and used; the copy of an argument and what `push` saves don't count.
        (
            "f",
            "push rbx; mov rax, [rdi]; mov [rsp - 8], rax; add rax, 1; mov [rsp - 16], rax; \
             mov rcx, [rsp - 8]; add rcx, [rsp - 16]; mov [rsi], rcx; pop rbx; ret",
        ),
        // What is stored and read twice is one spill; what is stored and never used again is none.
        (
            "g",
            "vpxor xmm0, xmm1, xmm2; vmovdqa [rsp - 32], xmm0; vmovdqa [rsp - 64], xmm0; \
             vpand xmm3, xmm0, [rsp - 32]; vpand xmm3, xmm3, [rsp - 32]; vmovdqa xmm4, [rsp - 64]; \
             vmovdqa [rdi], xmm4; vmovdqa [rsi], xmm3; ret",
        ),
    ]);
    let counted = count(&object, "f").unwrap();
    assert_eq!(Code { bytes: 0, ..counted }, code(10, 5, 4, 1));
    assert_eq!(Code { bytes: 0, ..count(&object, "g").unwrap() }, code(9, 4, 4, 1));
}

fn code(instructions: u64, loads: u64, stores: u64, spills: u64) -> Code {
    Code { bytes: 0, instructions, loads, stores, spills }
}

#[test]
fn instructions_have_classes() {
    use Class::*;
    let micro = |class, width| Some(Micro { class, width });
    let work = |load, compute, store| Work { load, compute, store };
    let cases: &[(&str, Work)] = &[
        ("add rax, [rdi]", work(micro(Load, 64), micro(Add, 64), None)),
        ("mov [rdi], rax", work(None, None, micro(Store, 64))),
        ("mov rax, rbx", work(None, micro(Move, 64), None)),
        ("xor eax, eax", work(None, None, None)),
        ("xor eax, ebx", work(None, micro(Logic, 64), None)),
        ("vpxor xmm0, xmm0, xmm0", work(None, None, None)),
        (
            "vpternlogd zmm0, zmm1, [rdi], 150",
            work(micro(VectorLoad, 512), micro(VectorTernary, 512), None),
        ),
        ("vmovdqu [rsi], ymm3", work(None, None, micro(VectorStore, 256))),
        ("pshufb xmm0, xmm1", work(None, micro(VectorShuffleBytes, 128), None)),
        ("vpbroadcastq zmm0, [rdi]", work(micro(VectorLoad, 128), None, None)),
        ("movddup xmm0, [rdi]", work(micro(VectorLoad, 128), None, None)),
        ("movddup xmm0, xmm1", work(None, micro(VectorShuffle, 128), None)),
        ("vprold ymm0, ymm1, 7", work(None, micro(VectorRotate, 256), None)),
        ("vmovq xmm0, rax", work(None, micro(Transfer, 128), None)),
        ("vpermi2b zmm0, zmm1, zmm2", work(None, micro(VectorPermute, 512), None)),
        ("vaesenc zmm0, zmm1, zmm2", work(None, micro(Aes, 512), None)),
        ("vgf2p8affineqb zmm0, zmm1, zmm2, 0", work(None, micro(VectorAffine, 512), None)),
        ("rol rax, 13", work(None, micro(Rotate, 64), None)),
        ("push rbx", work(None, None, micro(Store, 64))),
        ("kmovq k1, rax", work(None, micro(Transfer, 64), None)),
        ("vmovdqu8 zmm0{k1}, zmm1", work(None, micro(VectorLogic, 512), None)),
    ];
    for (text, expected) in cases {
        let object = assembled(&[("f", text)]);
        let image = Image::read(&object).unwrap();
        let instruction = image.instruction(image.function("f").unwrap()).unwrap();
        let decoded = Decoder::default().decode(&instruction);
        assert_eq!(decoded.map(|decoded| decoded.work), Ok(*expected), "{text}");
    }
    let object = assembled(&[("f", "fsqrt; ret")]);
    assert!(count(&object, "f").unwrap_err().contains("fsqrt"));
}

#[test]
fn kernels_have_paths() {
    for (cipher, entry, direction, target) in [
        ("rectangle", "Encrypt", Direction::V, "avx2"),
        ("chacha20", "Block", Direction::V, "avx512"),
        ("ascon", "P12", Direction::V, "gp64"),
        ("aes128", "Encrypt", Direction::H, "ssse3"),
    ] {
        let kernel = common::kernel(cipher, entry, direction, target).unwrap();
        for compiler in cc::all() {
            let object = common::kernel_object(&compiler, &kernel);
            let counted = count(&object, "kernel").unwrap_or_else(|error| {
                panic!("{cipher} {direction:?} {target} {}: {error}", compiler.program)
            });
            let Code { instructions, loads, stores, spills, .. } = counted;
            assert!(loads > 0 && stores > 0 && spills < stores && stores < instructions);
        }
    }
}
