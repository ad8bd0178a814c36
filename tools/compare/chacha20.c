/* The block function of ChaCha20 (RFC 8439): counter and nonce to 64 bytes of key stream. */
#include <stdint.h>

#define KEY "0000000000000000000000000000000000000000000000000000000000000000"
#define INPUT "00000000000000000000000000000000"
#define OUTPUT \
    "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7" \
    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"

static uint32_t turned(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void quarter_round(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b], s[d] = turned(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = turned(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = turned(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = turned(s[b] ^ s[c], 7);
}

static uint32_t word(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key)
{
    uint32_t start[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 }, s[16];
    for (int i = 0; i < 8; i++) start[4 + i] = word(key + 4 * i);
    for (int i = 0; i < 4; i++) start[12 + i] = word(in + 4 * i);
    for (int i = 0; i < 16; i++) s[i] = start[i];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 4; i++) quarter_round(s, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++) quarter_round(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (int i = 0; i < 64; i++) out[i] = (uint8_t)((s[i / 4] + start[i / 4]) >> 8 * (i % 4));
}
