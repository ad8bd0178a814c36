/* GIFT-128 (Banik et al., CHES 2017), section 2: a cell at a time, its round keys on the way. Byte 0 is the most significant. */
#include <stdint.h>

#define KEY "fedcba9876543210fedcba9876543210"
#define INPUT "fedcba9876543210fedcba9876543210"
#define OUTPUT "8422241a6dbf5a9346af468409ee0152"

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key)
{
    static const uint8_t sbox[16] = { 1, 10, 4, 12, 6, 15, 3, 9, 2, 13, 11, 7, 5, 0, 8, 14 };
    uint8_t cells[32];
    uint16_t words[8];
    unsigned constant = 0;
    for (int i = 0; i < 32; i++) cells[i] = in[15 - i / 2] >> 4 * (i % 2) & 15;
    for (int i = 0; i < 8; i++) words[i] = (uint16_t)(key[14 - 2 * i] << 8 | key[15 - 2 * i]);
    for (int round = 0; round < 40; round++) {
        uint8_t next[32] = { 0 };
        for (int i = 0; i < 128; i++) {
            const int to = 4 * (i / 16) + 32 * ((3 * (i % 16 / 4) + i % 4) % 4) + i % 4;
            next[to / 4] |= (uint8_t)((sbox[cells[i / 4]] >> i % 4 & 1) << to % 4);
        }
        const uint32_t u = (uint32_t)words[5] << 16 | words[4], v = (uint32_t)words[1] << 16 | words[0];
        constant = (constant << 1 & 63) | (~(constant >> 5 ^ constant >> 4) & 1);
        for (int i = 0; i < 32; i++) cells[i] = (uint8_t)(next[i] ^ (u >> i & 1) << 2 ^ (v >> i & 1) << 1);
        for (int i = 0; i < 6; i++) cells[i] ^= (uint8_t)((constant >> i & 1) << 3);
        cells[31] ^= 8;
        const uint16_t k0 = words[0], k1 = words[1];
        for (int i = 0; i < 6; i++) words[i] = words[i + 2];
        words[6] = (uint16_t)(k0 >> 12 | k0 << 4);
        words[7] = (uint16_t)(k1 >> 2 | k1 << 14);
    }
    for (int i = 0; i < 16; i++) out[15 - i] = (uint8_t)(cells[2 * i + 1] << 4 | cells[2 * i]);
}
