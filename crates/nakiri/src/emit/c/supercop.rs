//! Libraries in the folders and behind the functions that SUPERCOP measures, which pqm4 and others took over: a folder for each
//! operation, primitive and implementation, with the operation's functions, their sizes in `api.h`, and nothing else visible
//! where names of an implementation get a prefix (`CRYPTO_NAMESPACE`). See <https://bench.cr.yp.to/call-stream.html>.

use crate::emit::check::{is_stepped, one_to_one};
use crate::emit::identifier;
use crate::emit::library::{Function, Instance, Library, LibraryError};
use crate::layout::Counter;
use std::fmt::Write;

/// An implementation of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implementation {
    /// Its folder: `crypto_stream/chacha20/nakiri-avx2`, say.
    pub folder: String,
    /// Its files, by name.
    pub files: Vec<(String, String)>,
}

/// How the file begins that tells folders that were made here from others.
pub const MARK: &str = "Nakiri ";
/// The name of that file.
pub const MARKED: &str = "implementors";

/// An implementation for each variant of each instance: `crypto_stream` of its counter mode, and `crypto_core` of each function
/// from one block to one.
///
/// A counter that fills its block starts at the nonce, as that of AES in CTR does; another one starts at 0, and the nonce is the
/// rest of the block.
///
/// # Errors
/// If no instance has such functions, or parts of one don't fit together.
pub fn implementations(library: &Library) -> Result<Vec<Implementation>, LibraryError> {
    let mut all = Vec::new();
    for instance in &library.instances {
        for operation in operations(instance) {
            for variant in 0..instance.functions[0].variants.len() {
                all.push(implementation(library, instance, &operation, variant)?);
            }
        }
    }
    match (all.is_empty(), library.instances.first()) {
        (true, Some(instance)) => Err(LibraryError {
            instance: instance.prefix.clone(),
            message: "it has no counter, and no function from one block to one: there is no operation of SUPERCOP for it"
                .to_string(),
        }),
        _ => Ok(all),
    }
}

/// An operation of SUPERCOP's.
struct Operation {
    /// Its name.
    name: &'static str,
    /// The primitive.
    primitive: String,
    /// The C file, without its ending.
    file: &'static str,
    /// What is visible of it: sizes and declarations.
    api: String,
    /// Its functions.
    body: String,
}

fn operations(instance: &Instance) -> Vec<Operation> {
    let prefix = identifier(&instance.prefix);
    let primitive = prefix.replace('_', "");
    let functions = instance.functions.iter();
    let functions = functions.filter(|function| !is_stepped(instance, function));
    let functions: Vec<_> = functions.filter_map(|f| Some((f, one_to_one(f)?))).collect();
    let counted = instance.counter.as_ref().zip(functions.first());
    let stream = counted
        .map(|(counter, (_, (block, _)))| stream(instance, &prefix, &primitive, counter, *block));
    let alone = instance.functions.len() == 1;
    let cores = functions.iter().map(|&(function, sizes)| {
        let name = if alone { String::new() } else { identifier(&function.name).replace('_', "") };
        core(instance, &prefix, primitive.clone() + &name, function, sizes)
    });
    stream.into_iter().chain(cores).collect()
}

fn stream(
    instance: &Instance,
    prefix: &str,
    primitive: &str,
    counter: &Counter,
    block: usize,
) -> Operation {
    let (whole, after) = (counter.bytes == block, counter.offset + counter.bytes);
    let copies = if whole {
        copy(0, 0, block)
    } else {
        copy(0, 0, counter.offset) + &copy(after, counter.offset, block - after)
    };
    let nonce = if whole { block } else { block - counter.bytes };
    let key = instance.key.as_ref().map_or(0, |key| key.bytes);
    Operation {
        name: "crypto_stream",
        primitive: primitive.to_string() + if whole { "ctr" } else { "" },
        file: "stream",
        api: format!(
            "#define CRYPTO_KEYBYTES {key}\n#define CRYPTO_NONCEBYTES {nonce}\n\n{STREAM};\n\n{STREAM_XOR};\n"
        ),
        body: format!(
            "{STREAM}\n{{\n    memset(out, 0, (size_t)outlen);\n    \
             return crypto_stream_xor(out, out, outlen, n, k);\n}}\n\n\
             {STREAM_XOR}\n{{\n    uint8_t counter[{block}] = {{ 0 }};\n{}{copies}    \
             {prefix}_ctr_xor({}counter, out, in, (size_t)inlen);\n{}    return 0;\n}}\n",
            begin(instance, prefix),
            context(instance),
            end(instance, prefix),
        ),
    }
}

fn core(
    instance: &Instance,
    prefix: &str,
    primitive: String,
    function: &Function,
    (input, output): (usize, usize),
) -> Operation {
    let key = instance.key.as_ref().map_or(0, |key| key.bytes);
    let name = identifier(&function.name);
    Operation {
        name: "crypto_core",
        primitive,
        file: "core",
        api: format!(
            "#define CRYPTO_OUTPUTBYTES {output}\n#define CRYPTO_INPUTBYTES {input}\n\
             #define CRYPTO_KEYBYTES {key}\n#define CRYPTO_CONSTBYTES 0\n\n{CORE};\n"
        ),
        body: format!(
            "{CORE}\n{{\n{}    (void)c;\n    {prefix}_{name}_blocks({}out, in, 1);\n{}    return 0;\n}}\n",
            begin(instance, prefix),
            context(instance),
            end(instance, prefix),
        ),
    }
}

/// Copies a part of the nonce into the counter block.
fn copy(to: usize, from: usize, bytes: usize) -> String {
    match bytes {
        0 => String::new(),
        _ => format!("    memcpy(counter + {to}, n + {from}, {bytes});\n"),
    }
}

/// Expands the key, where the CPU can.
fn begin(instance: &Instance, prefix: &str) -> String {
    let refused = format!("    if (!{prefix}_supported())\n        return -1;\n");
    match instance.key {
        Some(_) => {
            format!("    {prefix}_ctx ctx;\n{refused}    {prefix}_expand_key(&ctx, k);\n")
        }
        None => format!("{refused}    (void)k;\n"),
    }
}

fn context(instance: &Instance) -> &'static str {
    if instance.key.is_some() {
        "&ctx, "
    } else {
        ""
    }
}

fn end(instance: &Instance, prefix: &str) -> String {
    instance.key.as_ref().map_or(String::new(), |_| format!("    {prefix}_wipe(&ctx);\n"))
}

fn implementation(
    library: &Library,
    instance: &Instance,
    operation: &Operation,
    variant: usize,
) -> Result<Implementation, LibraryError> {
    let only = |function: &Function| Function {
        variants: vec![function.variants[variant].clone()],
        ..function.clone()
    };
    let functions: Vec<Function> = instance.functions.iter().map(only).collect();
    let target = functions[0].variants[0].target.name.replace('+', "-");
    let own = Instance { functions, multikey: None, ..instance.clone() };
    let files = super::library(&Library { instances: vec![own], ..library.clone() })?;
    let Operation { name, primitive, file, api, body } = operation;
    let library_name = &library.name;
    let namespace = namespace(&declared(&files.h, &identifier(&instance.prefix)));
    let files = [
        (MARKED.to_string(), format!("{MARK}{}\n", library.version)),
        // Neither branches nor addresses are meant to depend on data, and tools that look for it may look.
        ("goal-constbranch".to_string(), String::new()),
        ("goal-constindex".to_string(), String::new()),
        (
            "api.h".to_string(),
            format!("{LICENCE}#ifndef API_H\n#define API_H\n\n{api}\n#endif\n"),
        ),
        ("namespace.h".to_string(), namespace),
        (format!("{library_name}.h"), files.h),
        (format!("{library_name}.c"), format!("#include \"namespace.h\"\n{}", files.c)),
        (
            format!("{file}.c"),
            format!(
                "{LICENCE}{}#include \"api.h\"\n#include \"namespace.h\"\n#include \"{library_name}.h\"\n\
                 #include <string.h>\n\n{body}",
                OPERATION.replace("$operation", name)
            ),
        ),
    ];
    let folder = format!("{name}/{primitive}/nakiri-{target}");
    Ok(Implementation { folder, files: files.to_vec() })
}

/// The functions that a header declares, each once.
fn declared<'a>(header: &'a str, prefix: &str) -> Vec<&'a str> {
    let begin = format!("{prefix}_");
    let mut names = Vec::new();
    for (at, _) in header.match_indices(&begin) {
        let rest = &header[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        let starts = !header[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if starts && rest[end..].starts_with('(') && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn namespace(names: &[&str]) -> String {
    let mut text = format!("{LICENCE}#ifdef CRYPTO_NAMESPACE\n");
    for name in names {
        let _ = writeln!(text, "#define {name} CRYPTO_NAMESPACE({name})");
    }
    text + "#endif\n"
}

const LICENCE: &str = "/* SPDX-License-Identifier: 0BSD */\n\n";

const STREAM: &str = "\
int crypto_stream(unsigned char *out, unsigned long long outlen, const unsigned char *n,
                  const unsigned char *k)";

const STREAM_XOR: &str = "\
int crypto_stream_xor(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                      const unsigned char *n, const unsigned char *k)";

const CORE: &str = "\
int crypto_core(unsigned char *out, const unsigned char *in, const unsigned char *k,
                const unsigned char *c)";

/// SUPERCOP makes this header, which gives the functions of each implementation their names; elsewhere there is none.
const OPERATION: &str = "\
#ifdef __has_include
#if __has_include(\"$operation.h\")
#include \"$operation.h\"
#endif
#endif
";
