/* ACE-AE-128 (Aagaard et al., NIST LWC round 2), encryption. Byte 0 of a word is the most significant. */
#include <stddef.h>
#include <stdint.h>

/* Key and nonce; 8 bytes of associated data and 8 of the message; the ciphertext and its tag: a published record. */
#define KEY "000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f"
#define INPUT "00010203040506070001020304050607"
#define OUTPUT "81eef8ad107caf8580018bc39ae08f45ffc183eea149660c"

static uint32_t turned(uint32_t x, int by) { return x << by | x >> (32 - by); }

/* Eight rounds of Simeck, the constants' least significant bit first. */
static uint64_t box(uint64_t x, unsigned constants)
{
    uint32_t left = (uint32_t)(x >> 32), right = (uint32_t)x;
    for (int round = 0; round < 8; round++) {
        const uint32_t fed = (left & turned(left, 5)) ^ turned(left, 1) ^ right ^ (0xfffffffe | (constants >> round & 1));
        right = left;
        left = fed;
    }
    return (uint64_t)left << 32 | right;
}

static void ace(uint64_t s[5])
{
    static const uint8_t rounds[16][3] = {
        { 0x07, 0x53, 0x43 }, { 0x0a, 0x5d, 0xe4 }, { 0x9b, 0x49, 0x5e }, { 0xe0, 0x7f, 0xcc },
        { 0xd1, 0xbe, 0x32 }, { 0x1a, 0x1d, 0x4e }, { 0x22, 0x28, 0x75 }, { 0xf7, 0x6c, 0x25 },
        { 0x62, 0x82, 0xfd }, { 0x96, 0x47, 0xf9 }, { 0x71, 0x6b, 0x76 }, { 0xaa, 0x88, 0xa0 },
        { 0x2b, 0xdc, 0xb0 }, { 0xe9, 0x8b, 0x09 }, { 0xcf, 0x59, 0x1e }, { 0xb7, 0xc6, 0xad },
    };
    static const uint8_t steps[16][3] = {
        { 0x50, 0x28, 0x14 }, { 0x5c, 0xae, 0x57 }, { 0x91, 0x48, 0x24 }, { 0x8d, 0xc6, 0x63 },
        { 0x53, 0xa9, 0x54 }, { 0x60, 0x30, 0x18 }, { 0x68, 0x34, 0x9a }, { 0xe1, 0x70, 0x38 },
        { 0xf6, 0x7b, 0xbd }, { 0x9d, 0xce, 0x67 }, { 0x40, 0x20, 0x10 }, { 0x4f, 0x27, 0x13 },
        { 0xbe, 0x5f, 0x2f }, { 0x5b, 0xad, 0xd6 }, { 0xe9, 0x74, 0xba }, { 0x7f, 0x3f, 0x1f },
    };
    for (int i = 0; i < 16; i++) {
        const uint64_t a = box(s[0], rounds[i][0]), c = box(s[2], rounds[i][1]), e = box(s[4], rounds[i][2]);
        const uint64_t ones = ~UINT64_C(0xff), b = s[1] ^ c ^ (ones | steps[i][0]), d = s[3] ^ e ^ (ones | steps[i][1]);
        s[0] = d, s[1] = c, s[2] = a, s[3] = e ^ a ^ (ones | steps[i][2]), s[4] = b;
    }
}

static uint64_t word(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) x = x << 8 | p[i];
    return x;
}

/* Adds up to 8 bytes to the first halves of A and C, and behind fewer a one; what stands there then goes out, if asked for. */
static void absorb(uint64_t s[5], uint8_t *out, const uint8_t *text, size_t bytes, unsigned domain)
{
    for (size_t i = 0; i < bytes; i++) {
        s[i / 4 * 2] ^= (uint64_t)text[i] << (56 - 8 * (i % 4));
        if (out) out[i] = (uint8_t)(s[i / 4 * 2] >> (56 - 8 * (i % 4)));
    }
    if (bytes < 8) s[bytes / 4 * 2] ^= UINT64_C(0x80) << (56 - 8 * (bytes % 4));
    s[4] ^= domain;
    ace(s);
}

static void encrypt(uint8_t *out, const uint8_t *text, size_t bytes, const uint8_t *data, size_t data_bytes,
                    const uint8_t *key, const uint8_t *nonce)
{
    uint64_t s[5] = { word(key), word(nonce), word(key + 8), 0, word(nonce + 8) };
    ace(s);
    absorb(s, NULL, key, 8, 0);
    absorb(s, NULL, key + 8, 8, 0);
    if (data_bytes > 0) {
        for (; data_bytes >= 8; data += 8, data_bytes -= 8) absorb(s, NULL, data, 8, 1);
        absorb(s, NULL, data, data_bytes, 1);
    }
    for (; bytes >= 8; text += 8, out += 8, bytes -= 8) absorb(s, out, text, 8, 2);
    absorb(s, out, text, bytes, 2);
    absorb(s, NULL, key, 8, 0);
    absorb(s, NULL, key + 8, 8, 0);
    for (int i = 0; i < 16; i++) out[bytes + (size_t)i] = (uint8_t)(s[i / 8 * 2] >> (56 - 8 * (i % 8)));
}

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key) { encrypt(out, in + 8, 8, in, 8, key, key + 16); }
