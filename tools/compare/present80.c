/* PRESENT-80 (Bogdanov et al., CHES 2007): a nibble and a bit at a time, its round keys on the way. Byte 0 is the most
 * significant. */
#include <stdint.h>

#define KEY "ffffffffffffffffffff"
#define INPUT "0000000000000000"
#define OUTPUT "e72c46c0f5945049"

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key)
{
    static const uint64_t sbox[16] = { 12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2 };
    uint64_t state = 0, high = 0;
    for (int i = 0; i < 8; i++) state = state << 8 | in[i];
    for (int i = 0; i < 8; i++) high = high << 8 | key[i];
    uint64_t low = (uint64_t)key[8] << 8 | key[9];
    for (unsigned round = 1; round < 32; round++) {
        uint64_t permuted = 0;
        state ^= high;
        for (int i = 0; i < 16; i++) {
            const uint64_t nibble = sbox[state >> 4 * i & 15];
            for (int j = 0; j < 4; j++) permuted |= (nibble >> j & 1) << (i + 16 * j);
        }
        state = permuted;
        const uint64_t turned = (high & 7) << 61 | low << 45 | high >> 19;
        low = (high >> 3 & 0xffff) ^ (round & 1) << 15;
        high = ((turned & ~(UINT64_C(15) << 60)) | sbox[turned >> 60] << 60) ^ round >> 1;
    }
    state ^= high;
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(state >> (56 - 8 * i));
}
