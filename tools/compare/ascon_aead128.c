/* Ascon-AEAD128 (NIST SP 800-232), encryption. Byte 0 of a word is the least significant. */
#include "ascon.h"
#include <stddef.h>

/* Key and nonce; 8 bytes of associated data and 8 of the message; the ciphertext and its tag: a published record. */
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define INPUT "30313233343536372021222324252627"
#define OUTPUT "fabe2cb1e7eba63240524bc3388725341b84c3537042dec5"

static uint64_t word(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

/* Adds up to 16 bytes to the rate, and behind fewer a one; what stands there then goes out, if asked for. */
static void absorb(uint64_t s[5], uint8_t *out, const uint8_t *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        s[i / 8] ^= (uint64_t)text[i] << 8 * (i % 8);
        if (out) out[i] = (uint8_t)(s[i / 8] >> 8 * (i % 8));
    }
    if (bytes < 16) s[bytes / 8] ^= UINT64_C(1) << 8 * (bytes % 8);
}

static void encrypt(uint8_t *out, const uint8_t *text, size_t bytes, const uint8_t *data, size_t data_bytes,
                    const uint8_t *key, const uint8_t *nonce)
{
    const uint64_t k0 = word(key), k1 = word(key + 8);
    uint64_t s[5] = { UINT64_C(0x00001000808c0001), k0, k1, word(nonce), word(nonce + 8) };
    ascon(s, 12);
    s[3] ^= k0, s[4] ^= k1;
    if (data_bytes > 0) {
        for (; data_bytes >= 16; data += 16, data_bytes -= 16) absorb(s, NULL, data, 16), ascon(s, 8);
        absorb(s, NULL, data, data_bytes);
        ascon(s, 8);
    }
    s[4] ^= UINT64_C(1) << 63;
    for (; bytes >= 16; text += 16, out += 16, bytes -= 16) absorb(s, out, text, 16), ascon(s, 8);
    absorb(s, out, text, bytes);
    s[2] ^= k0, s[3] ^= k1;
    ascon(s, 12);
    s[3] ^= k0, s[4] ^= k1;
    for (int i = 0; i < 16; i++) out[bytes + (size_t)i] = (uint8_t)(s[3 + i / 8] >> 8 * (i % 8));
}

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key) { encrypt(out, in + 8, 8, in, 8, key, key + 16); }
