//! The interface of a mode in C.

use super::api::Api;
use super::shell;
use crate::emit::library::MessageVector;
use crate::emit::shell::{mode, Function as ShellFunction, Kind, Shell};
use crate::mode::Mode;
use std::fmt::Write;

/// A mode and the functions that it becomes.
pub struct Messages<'a> {
    mode: &'a Mode,
    shell: Shell,
}

/// How many messages a self test gives a batch at least, of whatever length.
const BATCH: usize = 2 * mode::MOST_LANES + 3;

impl<'a> Messages<'a> {
    /// The functions of a mode, of which a variant processes so many blocks at once.
    ///
    /// # Errors
    /// What can't be written.
    pub fn new(mode: &'a Mode, lanes: usize) -> Result<Messages<'a>, String> {
        Ok(Messages { mode, shell: mode::shell(mode, lanes)? })
    }

    /// The declarations of its functions, with their documentation.
    pub fn declarations(&self, api: &Api) -> String {
        let context = shell::context(&self.shell);
        self.fill(api, DECLARATIONS, &[("$members", &context)])
    }

    /// Their definitions.
    pub fn definitions(&self, api: &Api) -> String {
        self.fill(api, &(shell::definitions(&self.shell) + DEFINITIONS), &[])
    }

    fn function(&self, name: &str) -> Option<&ShellFunction> {
        self.shell.functions.iter().find(|function| function.name == name)
    }

    fn fill(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let inputs: Vec<(&str, usize)> = self.function("begin").map_or(vec![], |begin| {
            let sized = |kind| if let Kind::InputOf(size) = kind { Some(size) } else { None };
            let inputs = begin.params.iter();
            inputs.filter_map(|param| Some((&*param.name, sized(param.kind)?))).collect()
        });
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
        ];
        api.fill(text, &[&pairs, more].concat())
    }

    /// The vectors, and the calls that test them.
    pub fn tests(&self, api: &Api, vectors: &[MessageVector], calls: &mut String) -> String {
        let mut text = String::new();
        let (mut list, mut longest) = (String::new(), 1);
        for (number, vector) in vectors.iter().enumerate() {
            longest = longest.max(vector.output.len());
            let parts = [&vector.inputs[..], &vector.message, &vector.output].concat();
            let _ = writeln!(text, "static const uint8_t $P_message{number}[{}] = {{", parts.len().max(1));
            for line in parts.chunks(16) {
                let line: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
                let _ = writeln!(text, "    {},", line.join(", "));
            }
            text.push_str("};\n\n");
            let (message, result) = (vector.message.len(), vector.output.len());
            let _ = writeln!(list, "    {{ $P_message{number}, {message}, {}, {result} }},", vector.repeat);
        }
        if vectors.is_empty() {
            return text;
        }
        calls.push_str("            || $P_test_messages(variant)\n");
        let begin = self.function("begin").map_or(&[][..], |begin| &begin.params);
        let mut at = 0;
        let mut inputs = String::new();
        for param in begin {
            if let Kind::InputOf(size) = param.kind {
                let _ = write!(inputs, ", vector->bytes + {at}");
                at += size;
            }
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
            ("$size", &*at.to_string()),
            ("$ended", end),
            ("$batched", batch),
            ("$batch", &*BATCH.to_string()),
        ];
        self.fill(api, &(text + TESTER), &more)
    }
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
void $P($result$declared, const uint8_t *message, size_t length)
{
    $P_whole($P_choose(), $own$given, message, length);
}

void $P_init($P_state *state$declared)
{
    $P_begin($P_choose(), state$given);
}

void $P_update($P_state *state, const uint8_t *message, size_t length)
{
    $P_take($P_choose(), state, message, length);
}

void $P_final($P_state *state, $result)
{
    $P_end($P_choose(), state, $own);
}

void $P_many(size_t count, const uint8_t *const *messages, const size_t *lengths$declared, $all)
{
    $P_batch($P_choose(), $passed$given, messages, lengths, count);
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
    const uint8_t *message = vector->bytes + $size;
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
    const uint8_t *message = vector->bytes + $size;
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
