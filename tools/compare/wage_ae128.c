/* WAGE-AE-128 (Aagaard et al., NIST LWC round 2), encryption. The first bit of a stage is the most significant of seven. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Key and nonce; 8 bytes of associated data and 8 of the message; the ciphertext and its tag: a published record. */
#define KEY "000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f"
#define INPUT "00010203040506070001020304050607"
#define OUTPUT "6a2efe20a09a3d729142c9aa73122c7301a286b7495c8926"

/* The Welch-Gong permutation y + (y+1)^33 + (y+1)^39 + (y+1)^41 + (y+1)^104 of y = x^13 in GF(2^7). */
static const uint8_t wgp[128] = {
      0,  18,  10,  75, 102,  12,  72, 115, 121,  62,  97,  81,   1,  21,  23,  14,
    126,  51, 104,  54,  66,  53,  55,  94,  83,  76,  63,  84,  88, 110,  86,  42,
     29,  37, 109, 101,  91, 113,  47,  32,   6,  24,  41,  58,  13, 122, 108,  27,
     25,  67, 112,  65,  73,  34, 119,  96,  79,  69,  85,   2,  99,  71, 117,  45,
     64,  70, 125,  92, 124,  89,  38,  11,   9,   3,  87,  93,  39, 120,  48,  46,
     68,  82,  59,   8, 103,  44,   5, 107,  43,  26,  33,  56,   7,  15,  74,  17,
     80, 106,  40,  49,  16,  77,  95, 114,  57,  22,  90,  19,   4,  60,  52,  31,
    118,  30,  20,  35,  28,  50,  78, 123,  36, 116, 127,  61, 105, 100,  98, 111,
};

static unsigned mixed(unsigned x)
{
    return x ^ ((x >> 4 & x >> 3 & 1) << 6) ^ ((~(x >> 1 & x) & 1) << 3) ^ ((~(x >> 4 & x >> 2) & 1) << 1);
}

/* The S-box SB: five times a quadratic layer and a permutation of the bits, and the layer once more. */
static unsigned substituted(unsigned x)
{
    static const uint8_t from[7] = { 6, 3, 0, 4, 2, 5, 1 };
    for (int i = 0; i < 5; i++) {
        unsigned y = mixed(x);
        x = 0;
        for (int j = 0; j < 7; j++) x = x << 1 | (y >> (6 - from[j]) & 1);
    }
    return mixed(x) ^ 0x50;
}

static unsigned constant(unsigned *sequence)
{
    const unsigned now = *sequence;
    *sequence = now >> 1 | ((now ^ now >> 1) & 1) << 6;
    return now;
}

static void wage(uint8_t s[37])
{
    unsigned sequence = 0x7f;
    for (int round = 0; round < 111; round++) {
        const unsigned first = constant(&sequence), second = constant(&sequence);
        unsigned fed = s[0] >> 1 ^ (s[0] & 1 ? 0x78u : 0);
        fed ^= s[6] ^ s[8] ^ s[12] ^ s[13] ^ s[19] ^ s[24] ^ s[26] ^ s[30] ^ s[31] ^ wgp[s[36]] ^ second;
        s[5] ^= (uint8_t)substituted(s[8]);
        s[11] ^= (uint8_t)substituted(s[15]);
        s[19] ^= (uint8_t)(wgp[s[18]] ^ first);
        s[24] ^= (uint8_t)substituted(s[27]);
        s[30] ^= (uint8_t)substituted(s[34]);
        memmove(s, s + 1, 36);
        s[36] = (uint8_t)fed;
    }
}

/* Adds 64 bits to the rate: nine stages and a bit. What stands there then goes out. */
static uint64_t added(uint8_t s[37], uint64_t block)
{
    static const uint8_t rate[9] = { 8, 9, 15, 16, 18, 27, 28, 34, 35 };
    uint64_t now = 0;
    for (int i = 0; i < 9; i++) now = now << 7 | (s[rate[i]] ^= block >> (57 - 7 * i) & 127);
    s[36] ^= (uint8_t)((block & 1) << 6);
    return now << 1 | s[36] >> 6;
}

/* Adds up to 8 bytes, and behind fewer a one; what stands in the rate then goes out, if asked for. */
static void absorb(uint8_t s[37], uint8_t *out, const uint8_t *text, size_t bytes, unsigned domain)
{
    uint64_t block = 0;
    for (size_t i = 0; i < 8; i++) block = block << 8 | (i < bytes ? text[i] : i == bytes ? 0x80 : 0);
    block = added(s, block);
    for (size_t i = 0; out && i < bytes; i++) out[i] = (uint8_t)(block >> (56 - 8 * i));
    s[0] ^= (uint8_t)domain;
    wage(s);
}

/* Group i of seven bits: nine in each half of 16 bytes, whose last bits are left over. */
static uint8_t group(const uint8_t *text, int i)
{
    const int bit = 7 * i + i / 9;
    return (uint8_t)((text[bit / 8] << 8 | text[bit / 8 + (bit % 8 > 1)]) >> (9 - bit % 8) & 127);
}

static void load(uint8_t s[37], const uint8_t *key, const uint8_t *nonce)
{
    for (int i = 0; i < 9; i++) {
        s[i] = group(key, 2 * i);
        s[9 + (i < 7 ? i : 15 - i)] = group(nonce, 2 * i + 1);
        s[19 + i] = group(key, 2 * i + 1);
        s[28 + i] = group(nonce, 2 * i);
    }
    s[18] = (uint8_t)((key[7] & 1) << 6 | (key[15] & 1) << 5 | (nonce[7] & 1) << 4 | (nonce[15] & 1) << 3);
}

static void encrypt(uint8_t *out, const uint8_t *text, size_t bytes, const uint8_t *data, size_t data_bytes,
                    const uint8_t *key, const uint8_t *nonce)
{
    uint8_t s[37];
    load(s, key, nonce);
    wage(s);
    absorb(s, NULL, key, 8, 0);
    absorb(s, NULL, key + 8, 8, 0);
    if (data_bytes > 0) {
        for (; data_bytes >= 8; data += 8, data_bytes -= 8) absorb(s, NULL, data, 8, 0x40);
        absorb(s, NULL, data, data_bytes, 0x40);
    }
    for (; bytes >= 8; text += 8, out += 8, bytes -= 8) absorb(s, out, text, 8, 0x20);
    absorb(s, out, text, bytes, 0x20);
    absorb(s, NULL, key, 8, 0);
    absorb(s, NULL, key + 8, 8, 0);
    uint8_t bits[128];
    for (int i = 0; i < 126; i++) bits[i] = s[(i / 7 % 2 ? 9 : 28) + i / 14] >> (6 - i % 7) & 1;
    bits[126] = s[18] >> 4 & 1, bits[127] = s[18] >> 3 & 1;
    for (size_t i = 0; i < 16; i++) {
        uint8_t *byte = out + bytes + i;
        *byte = 0;
        for (int j = 0; j < 8; j++) *byte = (uint8_t)(*byte << 1 | bits[8 * i + (size_t)j]);
    }
}

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key) { encrypt(out, in + 8, 8, in, 8, key, key + 16); }
