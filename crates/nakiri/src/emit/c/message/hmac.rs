//! HMAC by a mode, in C.

use super::{bytes, Messages};
use crate::emit::c::api::Api;
use crate::emit::library::MessageVector;
use std::fmt::Write;

impl Messages<'_> {
    /// The tests of codes.
    pub(super) fn code_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let (mut text, mut list) = (String::new(), String::new());
        for (number, vector) in vectors.iter().enumerate() {
            let key = vector.hmac.as_deref().unwrap_or(&[]);
            let message = vector.streams.concat();
            let parts = [key, &message, &vector.output].concat();
            text.push_str(&bytes(&format!("code{number}"), &parts));
            let (key, message) = (key.len(), message.len());
            let _ = writeln!(list, "    {{ $P_code{number}, {key}, {message} }},");
        }
        let count = vectors.len().to_string();
        self.fill(api, &(text + TESTER), &[("$list", &list), ("$count", &count)])
    }
}

pub const DECLARATIONS: &str = "\
/* HMAC (RFC 2104): a code of $size bytes for a message, with a key of any length. */
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
void $P_hmac_wipe($P_hmac_state *state);

";

/// What ends a function that has made `own` and compares it with `code`.
pub const COMPARED: &str = "\
    for (size_t k = 0; k < $size; k++)
        different |= code[k] ^ own[k];
    $library_erase(own, sizeof own);
    return different == 0 ? 0 : -1;
}

";

pub const DEFINITIONS: &str = "\
void $P_hmac($result, const uint8_t *key, size_t key_length, const uint8_t *message, size_t length)
{
    $P_hmac_whole($P_alone($P_choose()), out, key, key_length, message, length);
}

int $P_hmac_verify(const uint8_t code[$size], const uint8_t *key, size_t key_length, const uint8_t *message, size_t length)
{
    uint8_t own[$size];
    unsigned different = 0;
    $P_hmac(own, key, key_length, message, length);
$compared
void $P_hmac_init($P_hmac_state *state, const uint8_t *key, size_t key_length)
{
    $P_hmac_begin($P_alone($P_choose()), &state->inner, &state->outer, key, key_length);
}

void $P_hmac_update($P_hmac_state *state, const uint8_t *message, size_t length)
{
    $P_take($P_alone($P_choose()), &state->inner, message, length);
}

void $P_hmac_wipe($P_hmac_state *state)
{
    $library_erase(state, sizeof *state);
}

void $P_hmac_final($P_hmac_state *state, $result)
{
    $P_hmac_end($P_alone($P_choose()), &state->inner, &state->outer, out);
}

";

const TESTER: &str = "\
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
