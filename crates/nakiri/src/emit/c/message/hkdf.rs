//! HKDF by a mode, in C.

use super::{bytes, Messages};
use crate::emit::c::api::Api;
use crate::emit::library::MessageVector;
use std::fmt::Write;

impl Messages<'_> {
    /// The tests of keys.
    pub(super) fn key_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let (mut text, mut list, mut longest) = (String::new(), String::new(), 0);
        for (number, vector) in vectors.iter().enumerate() {
            let Some([salt, info]) = &vector.hkdf else { continue };
            let key = vector.streams.concat();
            let parts = [salt, &key, info, &vector.output].map(|part| &part[..]);
            text.push_str(&bytes(&format!("keys{number}"), &parts.concat()));
            let sizes = parts.map(|part| part.len().to_string()).join(", ");
            let _ = writeln!(list, "    {{ $P_keys{number}, {{ {sizes} }} }},");
            longest = longest.max(vector.output.len());
        }
        let (count, longest) = (vectors.len().to_string(), longest.max(1).to_string());
        let more = [("$list", &*list), ("$count", &count), ("$longest", &longest)];
        self.fill(api, &(text + TESTER), &more)
    }
}

pub const DECLARATIONS: &str = "\
/* HKDF (RFC 5869): keys of a key, of a salt, which may be empty, and of what they are for. They are no longer than 255 codes of $size bytes:
 * -1 otherwise, and nothing is written. out overlaps nothing that is given. */
int $P_hkdf(uint8_t *out, size_t out_length, const uint8_t *salt, size_t salt_length, const uint8_t *key, size_t key_length,
    const uint8_t *info, size_t info_length);

/* Its second half, for a key that is random; the first one is $P_hmac with the salt as the key. out overlaps nothing
 * that is given. */
int $P_hkdf_expand(uint8_t *out, size_t out_length, const uint8_t *key, size_t key_length, const uint8_t *info, size_t info_length);

";

pub const DEFINITIONS: &str = "\
int $P_hkdf(uint8_t *out, size_t out_length, const uint8_t *salt, size_t salt_length, const uint8_t *key, size_t key_length,
    const uint8_t *info, size_t info_length)
{
    if (out_length > 255 * $size)
        return -1;
    $P_hkdf_whole($P_alone($P_choose()), out, out_length, salt, salt_length, key, key_length, info, info_length);
    return 0;
}

int $P_hkdf_expand(uint8_t *out, size_t out_length, const uint8_t *key, size_t key_length, const uint8_t *info, size_t info_length)
{
    if (out_length > 255 * $size)
        return -1;
    $P_hkdf_expanded($P_alone($P_choose()), out, out_length, key, key_length, info, info_length);
    return 0;
}

";

const TESTER: &str = "\
/* A salt, a key behind it, what keys are for, and these. */
struct $P_keys {
    const uint8_t *bytes;
    size_t sizes[4];
};

static const struct $P_keys $P_test_keys[$count] = {
$list};

__attribute__((noinline))
static int $P_test_hkdf(unsigned variant)
{
    for (size_t k = 0; k < $count; k++) {
        const struct $P_keys *vector = $P_test_keys + k;
        const size_t *sizes = vector->sizes;
        const uint8_t *key = vector->bytes + sizes[0], *info = key + sizes[1], *keys = info + sizes[2];
        uint8_t out[$longest], code[$size];
        $P_hkdf_whole(variant, out, sizes[3], vector->bytes, sizes[0], key, sizes[1], info, sizes[2]);
        if (__builtin_memcmp(out, keys, sizes[3]) != 0)
            return 1;
        $P_hmac(code, vector->bytes, sizes[0], key, sizes[1]);
        out[0] ^= 1;
        if ($P_hkdf_expand(out, sizes[3], code, sizeof code, info, sizes[2]) != 0
            || __builtin_memcmp(out, keys, sizes[3]) != 0)
            return 1;
    }
    return $P_hkdf(0, 255 * $size + 1, 0, 0, 0, 0, 0, 0) != -1 || $P_hkdf_expand(0, 255 * $size + 1, 0, 0, 0, 0) != -1;
}

";
