//! `build --emit supercop`: folders with SUPERCOP's functions, which compile without warnings and give published values.

use super::{nakiri, Folder};
use nakiri_verify::cc::{self, Compiler};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a cipher into a folder.
fn built(cipher: &str, targets: &str) -> Folder {
    let folder = Folder::new(&format!("supercop-{cipher}"));
    let source = format!("ciphers/{cipher}");
    let done = nakiri(&[
        "build",
        &source,
        "--emit",
        "supercop",
        "--target",
        targets,
        "-o",
        &folder.path(""),
    ]);
    assert_eq!(done.code, 0, "{}", done.err);
    folder
}

/// The objects of an implementation, whose functions are `NAME`, `NAME_xor` if it has a name: that is what SUPERCOP's header for
/// the operation does, and the macro on its command line.
fn objects(compiler: &Compiler, folder: &Folder, place: &str, name: Option<&str>) -> Vec<PathBuf> {
    let operation = place.split('/').next().expect("an operation");
    let mut flags = vec!["-O1".to_string(), "-c".to_string()];
    if let Some(name) = name {
        let header = folder.0.join(format!("for-{name}"));
        std::fs::create_dir_all(&header).expect("a folder");
        let macros = format!("#define {operation} {name}\n#define {operation}_xor {name}_xor\n");
        std::fs::write(header.join(format!("{operation}.h")), macros).expect("a header");
        flags.push(format!("-I{}", header.display()));
        flags.push(format!("-DCRYPTO_NAMESPACE(x)={name}_##x"));
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let files = std::fs::read_dir(folder.0.join(place)).expect("an implementation");
    let files = files.map(|file| file.expect("a file").path());
    let sources = files.filter(|file| file.extension().is_some_and(|e| e == "c"));
    let object = |source: PathBuf| {
        let object = source.with_extension("o");
        compiler.compile(&[&source], &flags, &object).unwrap_or_else(|error| panic!("{error}"));
        object
    };
    sources.map(object).collect()
}

/// What a program prints that has these objects.
fn printed(compiler: &Compiler, folder: &Folder, objects: &[PathBuf], main: &str) -> String {
    let main = PathBuf::from(folder.write("main.c", main));
    let sources: Vec<&Path> = std::iter::once(&main).chain(objects).map(PathBuf::as_path).collect();
    let program = folder.0.join("program");
    compiler.compile(&sources, &[], &program).unwrap_or_else(|error| panic!("{error}"));
    let done = Command::new(&program).output().expect("it runs");
    assert!(done.status.success(), "{}", done.status);
    String::from_utf8(done.stdout).expect("a text")
}

const PRINT: &str = "\
#include <stdio.h>
#include <string.h>
static void print(const unsigned char *bytes, int count)
{
    for (int i = 0; i < count; i++)
        printf(\"%02x\", bytes[i]);
    puts(\"\");
}
";

/// RFC 8439, A.1, test vectors 1 and 5, in two implementations in one program.
#[test]
fn a_stream_cipher_gives_its_key_stream() {
    let folder = built("chacha20", "avx2:V,gp64:V");
    let main = format!(
        "{PRINT}
int wide(unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
int wide_xor(unsigned char *, const unsigned char *, unsigned long long, const unsigned char *,
             const unsigned char *);
int narrow(unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
int narrow_xor(unsigned char *, const unsigned char *, unsigned long long, const unsigned char *,
               const unsigned char *);
int main(void)
{{
    unsigned char key[32] = {{ 0 }}, nonce[12] = {{ 0 }}, a[1001], b[1001];
    if (narrow(a, 32, nonce, key))
        return 1;
    print(a, 32);
    nonce[11] = 2;
    if (narrow(a, sizeof a, nonce, key))
        return 1;
    print(a, 32);
    if (wide(b, sizeof b, nonce, key))
        return 0;
    if (memcmp(a, b, sizeof a) || wide_xor(b, b, sizeof b, nonce, key) || narrow_xor(a, b, 9, nonce, key))
        return 1;
    for (unsigned i = 0; i < sizeof b; i++)
        if (b[i])
            return 1;
    return memcmp(a, b, 9) == 0;
}}
"
    );
    let wanted = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\n\
                  c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7\n";
    for compiler in &cc::all() {
        let place = "crypto_stream/chacha20/nakiri";
        let mut all = objects(compiler, &folder, &format!("{place}-avx2"), Some("wide"));
        all.extend(objects(compiler, &folder, &format!("{place}-gp64"), Some("narrow")));
        assert_eq!(printed(compiler, &folder, &all, &main), wanted, "{}", compiler.program);
    }
}

/// SP 800-38A, F.5.1, and FIPS 197, appendix C.1, in programs that know nothing of SUPERCOP.
#[test]
fn a_block_cipher_has_its_counter_mode_and_its_functions() {
    let folder = built("aes128", "ssse3:H");
    let stream = format!(
        "#include \"crypto_stream/aes128ctr/nakiri-ssse3/api.h\"\n{PRINT}
int main(void)
{{
    static const unsigned char key[CRYPTO_KEYBYTES] = {{ 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2,
        0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c }};
    unsigned char nonce[CRYPTO_NONCEBYTES], text[32] = {{ 0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f,
        0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a, 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac,
        0x9c, 0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51 }};
    for (int i = 0; i < 16; i++)
        nonce[i] = (unsigned char)(0xf0 + i);
    if (crypto_stream_xor(text, text, sizeof text, nonce, key))
        return 1;
    print(text, sizeof text);
    return 0;
}}
"
    );
    let block = |direction: &str, from: &str| {
        format!(
            "#include \"crypto_core/aes128{direction}/nakiri-ssse3/api.h\"\n{PRINT}
int main(void)
{{
    unsigned char key[CRYPTO_KEYBYTES], out[CRYPTO_OUTPUTBYTES];
    static const unsigned char in[] = {{ {from} }};
    for (int i = 0; i < 16; i++)
        key[i] = (unsigned char)i;
    if (crypto_core(out, in, key, 0))
        return 1;
    print(out, sizeof out);
    return 0;
}}
"
        )
    };
    let (plain, secret) = ("00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a");
    let list = |hex: &str| {
        let bytes = (0..16).map(|i| format!("0x{}", &hex[2 * i..2 * i + 2]));
        bytes.collect::<Vec<_>>().join(", ")
    };
    let ctr = "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff";
    let cases = [
        ("crypto_stream/aes128ctr", stream, ctr),
        ("crypto_core/aes128encrypt", block("encrypt", &list(plain)), secret),
        ("crypto_core/aes128decrypt", block("decrypt", &list(secret)), plain),
    ];
    let compiler = Compiler::find().expect("a compiler");
    for (place, main, wanted) in cases {
        let all = objects(&compiler, &folder, &format!("{place}/nakiri-ssse3"), None);
        assert_eq!(printed(&compiler, &folder, &all, &main).trim(), wanted, "{place}");
    }
}

#[test]
fn what_has_no_operation_and_what_is_there_already_is_refused() {
    let folder = Folder::new("supercop-refused");
    let file =
        folder.write("f.ua", "node F (a:u32, b:u32) returns (y:u32)\nlet\n  y = a ^ b\ntel\n");
    let out = folder.path("out");
    let build = |file: &str, out: &str| {
        nakiri(&["build", file, "--emit", "supercop", "--target", "gp32", "-o", out])
    };
    let done = build(&file, &out);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("there is no operation of SUPERCOP for it"), "{}", done.err);
    let done = build("ciphers/gimli", "-");
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("name where they go with -o"), "{}", done.err);
    // A second time replaces the first one; what others made stays.
    for _ in 0..2 {
        let done = build("ciphers/gimli", &out);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let compiler = Compiler::find().expect("a compiler");
    let place = "out/crypto_core/gimli/nakiri-gp32";
    let all = objects(&compiler, &folder, place, None);
    let test = format!(
        "#include \"{place}/gimli.h\"\nint main(void)\n{{\n    return gimli_self_test();\n}}\n"
    );
    assert_eq!(printed(&compiler, &folder, &all, &test), "");
    let marked = folder.0.join("out/crypto_core/gimli/nakiri-gp32/implementors");
    std::fs::write(&marked, "Somebody\n").expect("written");
    let done = build("ciphers/gimli", &out);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("something that Nakiri did not make"), "{}", done.err);
}
