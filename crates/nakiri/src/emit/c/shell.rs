//! What surrounds kernels, in C. Names begin with `$P`, the macro that clears arrays is `$CLEAR`.

use crate::emit::shell::printer::{self, alone_below, byte, bytes, size, Language};
use crate::emit::shell::{
    Action, Argument, By, ByteOrder, Function, Kind, Length, Param, Place, Shell, Size,
};
use std::fmt::Write;

/// The members of the context.
pub fn context(shell: &Shell) -> String {
    let parts = shell.context.iter().map(|(name, size)| format!("    uint8_t {name}[{size}];\n"));
    parts.collect::<String>() + "    uint64_t taken;\n"
}

/// The definitions of constants and functions.
pub fn definitions(shell: &Shell) -> String {
    let mut text = HELPERS.to_string();
    for (name, bytes) in &shell.constants {
        let _ = writeln!(text, "static const uint8_t $P_{name}[{}] = {{", bytes.len());
        for line in bytes.chunks(16) {
            let line: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
            let _ = writeln!(text, "    {},", line.join(", "));
        }
        text.push_str("};\n\n");
    }
    for function in &shell.functions {
        text.push_str(&definition(shell, function));
    }
    text
}

fn definition(shell: &Shell, function: &Function) -> String {
    let params: String = function.params.iter().map(parameter).collect();
    // Not every function needs all that its callers know.
    let mut unused = "    (void)variant;\n".to_string();
    for param in &function.params {
        if !matches!(param.kind, Kind::Size | Kind::Context | Kind::InputOf(_) | Kind::OutputOf(_))
        {
            let _ = writeln!(unused, "    (void){}_count;", param.name);
        }
    }
    let (about, name, body) = (&function.about, &function.name, printer::body(&C, shell, function));
    format!(
        "/* {about} */\nstatic void $P_{name}(unsigned variant{params})\n{{\n{unused}{body}}}\n\n"
    )
}

fn parameter(param: &Param) -> String {
    let name = &param.name;
    match param.kind {
        Kind::Size => format!(", size_t {name}"),
        Kind::Context => format!(", $P_state *{name}"),
        Kind::Input => format!(", const uint8_t *{name}, size_t {name}_count"),
        Kind::Text => format!(", uint8_t *{name}, size_t {name}_count"),
        Kind::InputOf(_) => format!(", const uint8_t *{name}"),
        Kind::Output => format!(", uint8_t *{name}, size_t {name}_count"),
        Kind::OutputOf(_) => format!(", uint8_t *{name}"),
        Kind::Inputs => format!(
            ", const uint8_t *const *{name}, const size_t *{name}_counts, size_t {name}_count"
        ),
        Kind::Texts => {
            format!(", uint8_t *const *{name}, const size_t *{name}_counts, size_t {name}_count")
        }
    }
}

struct C;

impl Language for C {
    fn action(&self, shell: &Shell, function: &Function, action: &Action) -> String {
        let number = |value: &Size| size(&C, value);
        match action {
            Action::Context(name) => format!("$P_state own_{name}, *const {name} = &own_{name};"),
            Action::Bytes(name, count) => format!("uint8_t {name}[{count}];"),
            Action::Sizes(name, count) => format!("size_t {name}[{count}];"),
            Action::ZeroSizes(name) => format!("__builtin_memset({name}, 0, sizeof {name});"),
            Action::SwapAt(name, a, b) => {
                let [a, b] = [a, b].map(number);
                format!("$P_swap_numbers({name} + {a}, {name} + {b});")
            }
            Action::Let(name, value) => {
                let constant = if function.changes(name) { "" } else { "const " };
                format!("{constant}size_t {name} = {};", number(value))
            }
            Action::Took(more) => format!("state->taken += {};", number(more)),
            Action::TookNothing => "state->taken = 0;".to_string(),
            Action::Copy(to, from) => {
                let [at, count] = [&from.from, &to.count].map(number);
                format!("$P_copy({}, {}, {at}, {count});", place(to), bytes(&C, &from.of))
            }
            Action::Aside(..) => unreachable!("runs write where they read"),
            Action::Images(name, to, from) => format!("$P_{name}({}, {});", place(to), place(from)),
            Action::Move(name, to, from, count) => {
                let (to, from) = (plus(name, to), plus(name, from));
                format!("__builtin_memmove({to}, {from}, {});", number(count))
            }
            Action::Zero(to) => {
                format!("__builtin_memset({}, 0, {});", place(to), number(&to.count))
            }
            Action::SetByte(to, value) => format!("{} = {value:#04x};", byte(&C, to)),
            Action::XorByte(to, value) => format!("{} ^= {value:#04x};", byte(&C, to)),
            Action::XorAll(to, value) => {
                let (first, count) = (offset(to, "k"), number(&to.count));
                format!("for (size_t k = 0; k < {count}; k++)\n    {first} ^= {value:#04x};")
            }
            Action::Compare(verdict, own, other) => {
                let (verdict, count) = (byte(&C, verdict), number(&own.count));
                format!("{verdict} &= $P_equal({}, {}, {count});", place(own), place(other))
            }
            Action::Mask(to, mask) => {
                format!("$P_mask({}, {}, {});", place(to), number(&to.count), byte(&C, mask))
            }
            Action::Swap(name, a, b, count) => {
                format!("$P_swap({}, {}, {count});", plus(name, a), plus(name, b))
            }
            Action::StoreBits(to, length, order) => {
                let length = match length {
                    Length::Taken => "state->taken".to_string(),
                    Length::Of(length) => number(length),
                };
                let order = suffix(*order);
                format!("$P_store_bits_{order}({}, {}, {length});", place(to), number(&to.count))
            }
            Action::StoreBytes(to, value, order) => {
                let (order, to, size) = (suffix(*order), place(to), number(&to.count));
                format!("$P_store_bytes_{order}({to}, {size}, {});", number(value))
            }
            Action::StoreNumber(to, value, more) => {
                let (to, size, value) = (place(to), number(&to.count), number(value));
                format!("$P_store_number({to}, {size}, (uint64_t)({value}) + {more}u);")
            }
            Action::Run(run) => {
                let all: Vec<String> = run.results.iter().chain(&run.params).map(place).collect();
                let (all, blocks, name) = (all.join(", "), number(&run.blocks), &run.function);
                let (variant, constants) = match &run.by {
                    By::Own => ("variant".to_string(), None),
                    By::Beside(of, constants) => (format!("$P_{of}(variant)"), constants.as_ref()),
                };
                let constants = constants.map_or("NULL".to_string(), place);
                format!("$P_{name}_run({variant}, {constants}, {all}, {blocks});")
            }
            Action::Call(callee, arguments) | Action::CallAlone(callee, arguments) => {
                let variant = match action {
                    Action::CallAlone(..) => self.alone(),
                    _ => "variant".to_string(),
                };
                let arguments = arguments.iter().zip(shell.kinds(callee));
                let arguments: String = arguments.map(|(a, kind)| argument(a, kind)).collect();
                format!("$P_{callee}({variant}{arguments});")
            }
            Action::Clear(name) => format!("$CLEAR({name});"),
            Action::Wipe => "$library_erase(state, sizeof *state);".to_string(),
            Action::Return => "return;".to_string(),
        }
    }

    fn head(&self, keyword: &str, holds: &str) -> String {
        format!("{keyword} ({holds}) {{")
    }

    fn count(&self, name: &str, limit: &str) -> String {
        format!("for (size_t {name} = 0; {name} < {limit}; {name}++) {{")
    }

    fn member(&self, name: &str) -> String {
        format!("state->{name}")
    }

    fn constant(&self, name: &str) -> String {
        format!("$P_{name}")
    }

    fn length(&self, name: &str) -> String {
        format!("{name}_count")
    }

    fn length_of(&self, name: &str, index: &str) -> String {
        format!("{name}_counts[{index}]")
    }

    fn lanes(&self) -> String {
        "$P_lanes[variant]".to_string()
    }

    fn stretch_alone(&self, function: &str) -> String {
        format!("$P_{function}_alone[variant]")
    }

    fn parallel(&self, function: &str, variant: &str) -> String {
        format!("$P_{function}_blocks[$P_{function}({variant})]")
    }

    fn alone(&self) -> String {
        "$P_alone(variant)".to_string()
    }

    fn stretch_of_each(&self, function: &str) -> String {
        format!("$P_{function}_each[variant]")
    }

    fn alone_below(&self, back: bool) -> String {
        format!("$P_{}[variant]", alone_below(back))
    }

    fn taken(&self, modulus: usize) -> String {
        format!("(size_t)(state->taken % {modulus})")
    }

    fn taken_whole(&self, bytes: usize) -> String {
        format!("(size_t)(state->taken / {bytes})")
    }

    fn kept(&self, modulus: usize) -> String {
        format!("(size_t)(state->taken == 0 ? 0 : (state->taken - 1) % {modulus} + 1)")
    }

    fn least(&self, a: &str, b: &str) -> String {
        format!("$P_least({a}, {b})")
    }
}

fn argument(argument: &Argument, kind: Kind) -> String {
    match argument {
        Argument::Size(value) => format!(", {}", size(&C, value)),
        Argument::Context(name) => format!(", {name}"),
        Argument::Place(at) if matches!(kind, Kind::Input | Kind::Output) => {
            format!(", {}, {}", place(at), size(&C, &at.count))
        }
        Argument::Place(at) => format!(", {}", place(at)),
        Argument::Element(name, index) => {
            let index = size(&C, index);
            format!(", {name}[{index}], {name}_counts[{index}]")
        }
        Argument::Same(name) => match kind {
            Kind::Input | Kind::Output | Kind::Text => format!(", {name}, {name}_count"),
            _ => format!(", {name}"),
        },
    }
}

/// How the functions that store in a byte order end.
fn suffix(order: ByteOrder) -> &'static str {
    match order {
        ByteOrder::Little => "little",
        ByteOrder::Big => "big",
    }
}

fn place(place: &Place) -> String {
    plus(&bytes(&C, &place.of), &place.from)
}

/// A byte of a place, by its number there.
fn offset(place: &Place, number: &str) -> String {
    format!("{}[{}]", bytes(&C, &place.of), size(&C, &(place.from.clone() + number)))
}

fn plus(array: &str, from: &Size) -> String {
    match from {
        Size::Number(0) => array.to_string(),
        _ => format!("{array} + {}", size(&C, from)),
    }
}

const HELPERS: &str = "\
/* Where nothing is to be copied, there may be no address. */
__attribute__((unused)) static inline void $P_copy(uint8_t *to, const uint8_t *from, size_t at, size_t bytes)
{
    if (bytes > 0)
        __builtin_memcpy(to, from + at, bytes);
}

__attribute__((unused)) static inline size_t $P_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

__attribute__((unused)) static inline void $P_swap(uint8_t *a, uint8_t *b, size_t bytes)
{
    uint8_t kept[16];
    for (; bytes >= sizeof kept; bytes -= sizeof kept) {
        __builtin_memcpy(kept, a, sizeof kept);
        __builtin_memcpy(a, b, sizeof kept);
        __builtin_memcpy(b, kept, sizeof kept);
        a += sizeof kept;
        b += sizeof kept;
    }
    for (size_t k = 0; k < bytes; k++) {
        const uint8_t byte = a[k];
        a[k] = b[k];
        b[k] = byte;
    }
}

__attribute__((unused)) static inline void $P_swap_numbers(size_t *a, size_t *b)
{
    const size_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Keeps the bits of each byte that a mask has: many bytes at once, whatever compilers make of loops. */
__attribute__((unused)) static inline void $P_mask(uint8_t *bytes, size_t count, uint8_t mask)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    const uint64_t word = mask * UINT64_C(0x0101010101010101);
    const pair both = { word, word };
    for (; count >= sizeof(pair); bytes += sizeof(pair), count -= sizeof(pair)) {
        pair own;
        __builtin_memcpy(&own, bytes, sizeof own);
        own &= both;
        __builtin_memcpy(bytes, &own, sizeof own);
    }
    for (size_t k = 0; k < count; k++)
        bytes[k] &= mask;
}

/* Ones if all bytes are equal, else zero. */
__attribute__((unused)) static inline uint8_t $P_equal(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    uint32_t different = 0;
    for (size_t k = 0; k < bytes; k++)
        different |= (uint32_t)(a[k] ^ b[k]);
    return (uint8_t)((different - 1) >> 8);
}

/* Eight times a number of bytes, in a number of at most 16 bytes. */
__attribute__((unused)) static inline void $P_store_bits_little(uint8_t *to, size_t size, uint64_t bytes)
{
    for (size_t k = 0; k < size; k++)
        to[k] = (uint8_t)(k < 8 ? (bytes << 3) >> 8 * k : k == 8 ? bytes >> 61 : 0);
}

__attribute__((unused)) static inline void $P_store_bits_big(uint8_t *to, size_t size, uint64_t bytes)
{
    for (size_t k = 0; k < size; k++)
        to[size - 1 - k] = (uint8_t)(k < 8 ? (bytes << 3) >> 8 * k : k == 8 ? bytes >> 61 : 0);
}

/* A number in so many bytes. */
__attribute__((unused)) static inline void $P_store_bytes_little(uint8_t *to, size_t size, uint64_t number)
{
    for (size_t k = 0; k < size; k++)
        to[k] = (uint8_t)(number >> 8 * k);
}

__attribute__((unused)) static inline void $P_store_bytes_big(uint8_t *to, size_t size, uint64_t number)
{
    for (size_t k = 0; k < size; k++)
        to[size - 1 - k] = (uint8_t)(number >> 8 * k);
}

/* A number in the first bytes of so many, in one store with the zeros behind it, so that one load has both. */
__attribute__((unused)) static inline void $P_store_number(uint8_t *to, size_t size, uint64_t number)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = __builtin_bswap64(number);
#endif
    if (size < sizeof(pair)) {
        __builtin_memcpy(to, &number, sizeof number);
    } else {
        const pair both = { number, 0 };
        __builtin_memset(to, 0, size);
        __builtin_memcpy(to, &both, sizeof both);
    }
}

";
