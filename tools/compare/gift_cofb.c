/* GIFT-COFB (Banik et al., GIFT-COFB v1.1, NIST LWC finalist), encryption. Byte 0 is the most significant. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Key and nonce; 8 bytes of associated data and 8 of the message; the ciphertext and its tag: a published record. */
#define KEY "000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f"
#define INPUT "00010203040506070001020304050607"
#define OUTPUT "1f13e728a9aadb9bb8ceead4752b5a062f1bc9386ef2b40f"

static uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t long_word(const uint8_t *p) { return (uint64_t)word(p) << 32 | word(p + 4); }

/* The bits of one of the four words where GIFT-128's permutation puts them. */
static uint32_t permuted(uint32_t x, int row)
{
    uint32_t to = 0;
    for (int i = 0; i < 32; i++) {
        const int place = 4 * i + row;
        const int bit = 4 * (place / 16) + 32 * ((3 * (place % 16 / 4) + row) % 4) + row;
        to |= (x >> i & 1) << bit / 4;
    }
    return to;
}

/* GIFT-128 on four words, in place. */
static void gift(uint8_t block[16], const uint8_t *key)
{
    uint32_t s[4], k[4];
    unsigned constant = 0;
    for (int i = 0; i < 4; i++) s[i] = word(block + 4 * i), k[i] = word(key + 4 * i);
    for (int round = 0; round < 40; round++) {
        s[1] ^= s[0] & s[2];
        s[0] ^= s[1] & s[3];
        s[2] ^= s[0] | s[1];
        s[3] ^= s[2];
        s[1] ^= s[3];
        s[3] = ~s[3];
        s[2] ^= s[0] & s[1];
        const uint32_t first = s[0];
        constant = (constant << 1 & 63) | (~(constant >> 5 ^ constant >> 4) & 1);
        s[0] = permuted(s[3], 0);
        s[1] = permuted(s[1], 1) ^ k[3];
        s[2] = permuted(s[2], 2) ^ k[1];
        s[3] = permuted(first, 3) ^ (UINT32_C(1) << 31 | constant);
        const uint32_t high = k[3] >> 16, low = k[3] & 0xffff;
        k[3] = k[2], k[2] = k[1], k[1] = k[0];
        k[0] = (high >> 2 | (high << 14 & 0xffff)) << 16 | (low >> 12 | (low << 4 & 0xffff));
    }
    for (int i = 0; i < 16; i++) block[i] = (uint8_t)(s[i / 4] >> (24 - 8 * (i % 4)));
}

static uint64_t doubled(uint64_t x) { return x << 1 ^ (x >> 63 ? 0x1b : 0); }
static uint64_t tripled(uint64_t x) { return doubled(x) ^ x; }

/* The next input of the cipher: a block of up to 16 bytes, padded, with the last output fed back and the mask. */
static void enter(uint8_t y[16], const uint8_t *text, size_t bytes, uint64_t mask)
{
    uint8_t x[16];
    const uint64_t high = long_word(y), low = long_word(y + 8), turned = high << 1 | high >> 63;
    for (int i = 0; i < 8; i++) x[i] = (uint8_t)((low ^ mask) >> (56 - 8 * i)), x[8 + i] = (uint8_t)(turned >> (56 - 8 * i));
    for (size_t i = 0; i < bytes; i++) x[i] ^= text[i];
    if (bytes < 16) x[bytes] ^= 0x80;
    memcpy(y, x, 16);
}

static void encrypt(uint8_t *out, const uint8_t *text, size_t bytes, const uint8_t *data, size_t data_bytes,
                    const uint8_t *key, const uint8_t *nonce)
{
    uint8_t y[16];
    memcpy(y, nonce, 16);
    gift(y, key);
    uint64_t mask = long_word(y);
    for (; data_bytes > 16; data += 16, data_bytes -= 16) {
        mask = doubled(mask);
        enter(y, data, 16, mask);
        gift(y, key);
    }
    mask = tripled(mask);
    if (data_bytes < 16) mask = tripled(mask);
    if (bytes == 0) mask = tripled(tripled(mask));
    enter(y, data, data_bytes, mask);
    gift(y, key);
    while (bytes > 0) {
        const size_t now = bytes < 16 ? bytes : 16;
        mask = bytes > 16 ? doubled(mask) : tripled(mask);
        if (now < 16) mask = tripled(mask);
        for (size_t i = 0; i < now; i++) out[i] = y[i] ^ text[i];
        enter(y, text, now, mask);
        gift(y, key);
        text += now, out += now, bytes -= now;
    }
    memcpy(out, y, 16);
}

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key) { encrypt(out, in + 8, 8, in, 8, key, key + 16); }
