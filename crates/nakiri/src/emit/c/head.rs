//! The head of a library's files.

use super::batch::clear;
use super::{barriers, includes};
use crate::emit::library::Library;
use crate::emit::{facts, identifier, stack};

/// The comment at the top of the source: where it comes from, what is in it, and what is known of it.
pub fn comment(library: &Library) -> String {
    let mut text = facts::text(library);
    text.push_str(
        "\nNo branch and no address is meant to depend on data. Define NAKIRI_WIPE to have copies of keys and texts\n\
         erased from arrays on the stack. Constant parameters are the key.\n",
    );
    block_comment(&text)
}

/// A comment that nothing in its text can end.
fn block_comment(text: &str) -> String {
    let text = text.replace("*/", "* /").replace("/*", "/ *");
    let lines = text.lines().map(|line| format!(" * {line}").trim_end().to_string() + "\n");
    format!("/* SPDX-License-Identifier: 0BSD\n *\n{} */\n", lines.collect::<String>())
}

/// What the source includes, and the functions that all parts of its text use.
pub fn prelude(library: &Library, parts: &str) -> String {
    let functions = library.instances.iter().flat_map(|instance| &instance.functions);
    let kernels = functions.flat_map(|function| &function.variants);
    let name = identifier(library.internal());
    let text = PRELUDE.replace("$CLEAR", &clear(library.internal())).replace("$library", &name);
    let words = word_functions(&format!("{name}_"));
    let (includes, barriers) = (includes(kernels), barriers(parts));
    format!("#include \"{}.h\"\n\n{includes}{words}{barriers}{text}", library.name)
}

/// The functions that transpositions use, once for a file: loads and stores of little-endian words at any address. Needs
/// `<stdint.h>`.
pub fn word_functions(prefix: &str) -> String {
    [8, 16, 32, 64].map(|bits| load(prefix, bits) + &store(prefix, bits)).concat()
}

/// The function that reads a word.
pub fn load(prefix: &str, bits: u32) -> String {
    format!(
        "__attribute__((unused)) static inline uint{bits}_t {prefix}load{bits}(const uint8_t *p)\n{{\n    \
         uint{bits}_t x;\n    __builtin_memcpy(&x, p, sizeof x);\n{}    return x;\n}}\n\n",
        swap(bits)
    )
}

fn store(prefix: &str, bits: u32) -> String {
    format!(
        "__attribute__((unused)) static inline void {prefix}store{bits}(uint8_t *p, uint{bits}_t x)\n{{\n{}    \
         __builtin_memcpy(p, &x, sizeof x);\n}}\n\n",
        swap(bits)
    )
}

/// The statement that reverses the bytes of a word where memory has them the other way round.
fn swap(bits: u32) -> String {
    match bits {
        8 => String::new(),
        _ => format!("#if {BIG_ENDIAN}\n    x = __builtin_bswap{bits}(x);\n#endif\n"),
    }
}

/// The preprocessor's condition that holds where the first byte of a word is the most significant one.
pub const BIG_ENDIAN: &str = "__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__";

/// The header.
pub fn header(library: &Library, declarations: &str) -> String {
    let guard = format!("{}_H", identifier(library.internal()).to_uppercase());
    let title = block_comment(&format!("{}\n\n{}", facts::heading(library), stack::text(library)));
    format!(
        "{title}\n#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{declarations}\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
}

const PRELUDE: &str = "\
/* Erases memory in a way that no compiler leaves out. */
__attribute__((unused)) static void $library_erase(void *p, size_t bytes)
{
    __builtin_memset(p, 0, bytes);
    __asm__ volatile(\"\" : : \"r\"(p) : \"memory\");
}

#ifdef NAKIRI_WIPE
#define $CLEAR(array) $library_erase(array, sizeof array)
#else
#define $CLEAR(array) ((void)0)
#endif

";
