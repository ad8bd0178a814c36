//! The interface of a mode in C.

use super::api::Api;
use super::shell;
use crate::emit::library::{Instance, MessageVector};
use crate::emit::shell::{mode, Shell};
use crate::mode::Mode;
use std::fmt::Write;

/// A mode and the functions that it becomes.
pub struct Messages<'a> {
    mode: &'a Mode,
    shell: Shell,
}

impl<'a> Messages<'a> {
    /// Those of an instance's mode, if it has one.
    ///
    /// # Errors
    /// What can't be written.
    pub fn of(instance: &'a Instance) -> Result<Option<Messages<'a>>, String> {
        let shell = mode::of(instance)?;
        Ok(instance.mode.as_ref().zip(shell).map(|(mode, shell)| Messages { mode, shell }))
    }

    /// The declarations of its functions, with their documentation.
    pub fn declarations(&self, api: &Api) -> String {
        let context = shell::context(&self.shell);
        let hmac = if self.mode.has_hmac() { HMAC_DECLARATIONS } else { "" };
        self.fill(api, &format!("{DECLARATIONS}{hmac}"), &[("$members", &context)])
    }

    /// Their definitions.
    pub fn definitions(&self, api: &Api) -> String {
        let alone = alone(api.instance);
        let more = [("$alone", &*alone)];
        let hmac = if self.mode.has_hmac() { HMAC_DEFINITIONS } else { "" };
        self.fill(api, &(shell::definitions(&self.shell) + DEFINITIONS + hmac), &more)
    }

    fn fill(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let inputs = self.shell.inputs();
        let declared: String =
            inputs.iter().map(|(name, size)| format!(", const uint8_t {name}[{size}]")).collect();
        let given: String = inputs.iter().map(|(name, _)| format!(", {name}")).collect();
        let size = self.mode.result_bytes();
        let stream = self.mode.squeeze.is_some();
        let (result, own, of_batch, passed) = match stream {
            true => (
                "uint8_t *out, size_t out_count".to_string(),
                "out, out_count",
                ("uint8_t *outs, size_t length", "outs, count * length, length"),
                "of any length",
            ),
            false => (
                format!("uint8_t out[{size}]"),
                "out",
                ("uint8_t *outs", &*format!("outs, count * {size}")),
                &*format!("of {size} bytes"),
            ),
        };
        let pairs = [
            ("$declared", &*declared),
            ("$given", &*given),
            ("$result", &*result),
            ("$own", own),
            ("$all", of_batch.0),
            ("$passed", of_batch.1),
            ("$what", passed),
            ("$size", &*size.to_string()),
        ];
        api.fill(text, &[&pairs, more].concat())
    }

    /// The vectors, and the calls that test them.
    pub fn tests(&self, api: &Api, vectors: &[MessageVector], calls: &mut String) -> String {
        let (codes, messages): (Vec<_>, Vec<_>) =
            vectors.iter().partition(|vector| vector.hmac.is_some());
        let mut text = String::new();
        if !messages.is_empty() {
            calls.push_str("            || $P_test_messages(variant)\n");
            text.push_str(&self.message_tests(api, &messages));
        }
        if !codes.is_empty() {
            calls.push_str("            || $P_test_hmac(variant)\n");
            text.push_str(&self.code_tests(api, &codes));
        }
        text
    }

    fn message_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let (mut text, mut list, mut longest) = (String::new(), String::new(), 1);
        for (number, vector) in vectors.iter().enumerate() {
            longest = longest.max(vector.output.len());
            let parts = [&vector.inputs[..], &vector.message, &vector.output].concat();
            text.push_str(&bytes(&format!("message{number}"), &parts));
            let (message, result) = (vector.message.len(), vector.output.len());
            let repeat = vector.repeat;
            let _ = writeln!(list, "    {{ $P_message{number}, {message}, {repeat}, {result} }},");
        }
        let (mut at, mut inputs) = (0, String::new());
        for (_, size) in self.shell.inputs() {
            let _ = write!(inputs, ", vector->bytes + {at}");
            at += size;
        }
        let (end, batch) = match self.mode.squeeze {
            Some(_) => (", vector->result", ", count * vector->result, vector->result"),
            None => ("", ", count * vector->result"),
        };
        let (count, longest) = (vectors.len().to_string(), longest.to_string());
        let more = [
            ("$list", &*list),
            ("$count", &*count),
            ("$longest", &*longest),
            ("$inputs", &*inputs),
            ("$before", &*at.to_string()),
            ("$ended", end),
            ("$batched", batch),
            ("$batch", &*mode::TESTED.to_string()),
        ];
        self.fill(api, &(text + TESTER), &more)
    }

    fn code_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let (mut text, mut list) = (String::new(), String::new());
        for (number, vector) in vectors.iter().enumerate() {
            let key = vector.hmac.as_deref().unwrap_or(&[]);
            let parts = [key, &vector.message, &vector.output].concat();
            text.push_str(&bytes(&format!("code{number}"), &parts));
            let (key, message) = (key.len(), vector.message.len());
            let _ = writeln!(list, "    {{ $P_code{number}, {key}, {message} }},");
        }
        let count = vectors.len().to_string();
        self.fill(api, &(text + HMAC_TESTER), &[("$list", &*list), ("$count", &*count)])
    }
}

/// The cases of a switch over variants, each of which returns that which takes a message alone.
fn alone(instance: &Instance) -> String {
    let mut cases = String::new();
    for (variant, order) in instance.alone.iter().enumerate() {
        let Some((certain, others)) = order.split_last() else { continue };
        let first = others.iter().rev().fold(certain.to_string(), |rest, other| {
            format!("$P_runs({other}) ? {other} : {rest}")
        });
        let _ = match others {
            [] if *certain == variant => Ok(()),
            [] => writeln!(cases, "    case {variant}:\n        return {certain};"),
            _ => {
                writeln!(cases, "    case {variant}: {{\n{}    }}", KEPT.replace("$first", &first))
            }
        };
    }
    cases
}

/// An array of bytes; there is none without any.
fn bytes(name: &str, bytes: &[u8]) -> String {
    let mut text = format!("static const uint8_t $P_{name}[{}] = {{\n", bytes.len().max(1));
    for line in bytes.chunks(16) {
        let line: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
        let _ = writeln!(text, "    {},", line.join(", "));
    }
    text + "};\n\n"
}

const DECLARATIONS: &str = "\
/* A message of which a part was taken. */
typedef struct {
$members} $P_state;

/* What comes out of a message, $what. */
void $P($result$declared, const uint8_t *message, size_t length);

/* The same for a message that comes in parts: any number of updates after init, then final, which erases the state. */
void $P_init($P_state *state$declared);
void $P_update($P_state *state, const uint8_t *message, size_t length);
void $P_final($P_state *state, $result);

/* The same for many messages of any lengths, in as many lanes as the CPU has; a lane whose message ends takes the next one.
 * What comes out of each stands one after another in outs. */
void $P_many(size_t count, const uint8_t *const *messages, const size_t *lengths$declared, $all);

";

const DEFINITIONS: &str = "\
/* For a variant that which takes a message alone: the first of some that this CPU runs. */
static unsigned $P_alone(unsigned variant)
{
    switch (variant) {
$alone    default:
        return variant;
    }
}

void $P($result$declared, const uint8_t *message, size_t length)
{
    $P_whole($P_alone($P_choose()), $own$given, message, length);
}

void $P_init($P_state *state$declared)
{
    $P_begin($P_alone($P_choose()), state$given);
}

void $P_update($P_state *state, const uint8_t *message, size_t length)
{
    $P_take($P_alone($P_choose()), state, message, length);
}

void $P_final($P_state *state, $result)
{
    $P_end($P_alone($P_choose()), state, $own);
}

void $P_many(size_t count, const uint8_t *const *messages, const size_t *lengths$declared, $all)
{
    $P_batch($P_choose(), $passed$given, messages, lengths, count);
}

";

/// Finding out takes longer than short messages do.
const KEPT: &str = "\
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
        static unsigned found; /* from 1 */
        unsigned own = __atomic_load_n(&found, __ATOMIC_RELAXED);
        if (own == 0) {
            own = ($first) + 1;
            __atomic_store_n(&found, own, __ATOMIC_RELAXED);
        }
        return own - 1;
#else
        return $first;
#endif
";

const HMAC_DECLARATIONS: &str = "\
/* HMAC (RFC 2104): a code $what for a message, with a key of any length. */
void $P_hmac($result, const uint8_t *key, size_t key_length, const uint8_t *message, size_t length);

/* 0 if this is the code of a message, else -1; the time that takes does not depend on where they differ. */
int $P_hmac_verify(const uint8_t code[$size], const uint8_t *key, size_t key_length, const uint8_t *message, size_t length);

/* The same for a message that comes in parts. */
typedef struct {
    $P_state inner, outer;
} $P_hmac_state;

void $P_hmac_init($P_hmac_state *state, const uint8_t *key, size_t key_length);
void $P_hmac_update($P_hmac_state *state, const uint8_t *message, size_t length);
void $P_hmac_final($P_hmac_state *state, $result);

";

const HMAC_DEFINITIONS: &str = "\
void $P_hmac($result, const uint8_t *key, size_t key_length, const uint8_t *message, size_t length)
{
    $P_hmac_whole($P_alone($P_choose()), out, key, key_length, message, length);
}

int $P_hmac_verify(const uint8_t code[$size], const uint8_t *key, size_t key_length, const uint8_t *message, size_t length)
{
    uint8_t own[$size];
    unsigned different = 0;
    $P_hmac(own, key, key_length, message, length);
    for (size_t k = 0; k < $size; k++)
        different |= code[k] ^ own[k];
    $library_erase(own, sizeof own);
    return different == 0 ? 0 : -1;
}

void $P_hmac_init($P_hmac_state *state, const uint8_t *key, size_t key_length)
{
    $P_hmac_begin($P_alone($P_choose()), &state->inner, &state->outer, key, key_length);
}

void $P_hmac_update($P_hmac_state *state, const uint8_t *message, size_t length)
{
    $P_take($P_alone($P_choose()), &state->inner, message, length);
}

void $P_hmac_final($P_hmac_state *state, $result)
{
    $P_hmac_end($P_alone($P_choose()), &state->inner, &state->outer, out);
}

";

const HMAC_TESTER: &str = "\
/* A key, and a message behind it, with the code. */
struct $P_code {
    const uint8_t *bytes;
    size_t key, message;
};

static const struct $P_code $P_test_codes[$count] = {
$list};

__attribute__((noinline))
static int $P_test_hmac(unsigned variant)
{
    for (size_t k = 0; k < $count; k++) {
        const struct $P_code *vector = $P_test_codes + k;
        const uint8_t *message = vector->bytes + vector->key;
        uint8_t out[$size];
        $P_hmac_whole(variant, out, vector->bytes, vector->key, message, vector->message);
        if (__builtin_memcmp(out, message + vector->message, $size) != 0)
            return 1;
        out[k % $size] ^= 1;
        if ($P_hmac_verify(out, vector->bytes, vector->key, message, vector->message) != -1
            || $P_hmac_verify(message + vector->message, vector->bytes, vector->key, message, vector->message) != 0)
            return 1;
    }
    return 0;
}

";

const TESTER: &str = "\
/* A message, repeated so many times, and what comes out of it. */
struct $P_message {
    const uint8_t *bytes;
    size_t length, times, result;
};

static const struct $P_message $P_test_vectors[$count] = {
$list};

/* In parts, the first of which grow. */
static int $P_test_parts(unsigned variant, const struct $P_message *vector)
{
    $P_state state;
    uint8_t out[$longest];
    const uint8_t *message = vector->bytes + $before;
    $P_begin(variant, &state$inputs);
    for (size_t turn = 0; turn < vector->times; turn++) {
        size_t done = 0;
        for (size_t part = turn % 2; vector->times == 1 && part < vector->length - done; part++) {
            $P_take(variant, &state, message + done, part);
            done += part;
        }
        $P_take(variant, &state, message + done, vector->length - done);
    }
    $P_end(variant, &state, out$ended);
    return __builtin_memcmp(out, message + vector->length, vector->result) != 0;
}

/* At once, and beside messages that are shorter by a byte each. */
static int $P_test_batch(unsigned variant, const struct $P_message *vector)
{
    static uint8_t outs[$batch * $longest];
    static const uint8_t *messages[$batch];
    static size_t lengths[$batch];
    const size_t count = $batch;
    uint8_t out[$longest];
    const uint8_t *message = vector->bytes + $before;
    int bad = 0;
    for (size_t k = 0; k < count; k++) {
        messages[k] = message;
        lengths[k] = vector->length - k % (vector->length + 1);
    }
    $P_batch(variant, outs$batched$inputs, messages, lengths, count);
    for (size_t k = 0; k < count; k++) {
        $P_whole(variant, out$ended$inputs, message, lengths[k]);
        bad |= __builtin_memcmp(out, outs + k * vector->result, vector->result) != 0;
        bad |= lengths[k] == vector->length && __builtin_memcmp(out, message + vector->length, vector->result) != 0;
    }
    return bad;
}

__attribute__((noinline))
static int $P_test_messages(unsigned variant)
{
    for (size_t k = 0; k < $count; k++) {
        const struct $P_message *vector = $P_test_vectors + k;
        if ($P_test_parts(variant, vector) || (vector->times == 1 && $P_test_batch(variant, vector)))
            return 1;
    }
    return 0;
}

";
