/* Ascon-p[12] (NIST SP 800-232): the permutation on five words of 64 bits. Byte 0 of a word is the least significant. */
#include <stdint.h>

#define KEY ""
#define INPUT "07060504030201000f0e0d0c0b0a090817161514131211101f1e1d1c1b1a19182726252423222120"
#define OUTPUT "43dd89d4e287050664173c0e7bb1c21c74a64418534273956368cbb47571b196e506d927d612b529"

static uint64_t turned(uint64_t x, int by) { return x >> by | x << (64 - by); }

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key)
{
    uint64_t s[5] = { 0 };
    (void)key;
    for (int i = 0; i < 40; i++) s[i / 8] |= (uint64_t)in[i] << 8 * (i % 8);
    for (int round = 0; round < 12; round++) {
        s[2] ^= (uint64_t)(0xf0 - 15 * round);
        s[0] ^= s[4];
        s[4] ^= s[3];
        s[2] ^= s[1];
        const uint64_t t[5] = { ~s[0] & s[1], ~s[1] & s[2], ~s[2] & s[3], ~s[3] & s[4], ~s[4] & s[0] };
        for (int i = 0; i < 5; i++) s[i] ^= t[(i + 1) % 5];
        s[1] ^= s[0];
        s[0] ^= s[4];
        s[3] ^= s[2];
        s[2] = ~s[2];
        s[0] ^= turned(s[0], 19) ^ turned(s[0], 28);
        s[1] ^= turned(s[1], 61) ^ turned(s[1], 39);
        s[2] ^= turned(s[2], 1) ^ turned(s[2], 6);
        s[3] ^= turned(s[3], 10) ^ turned(s[3], 17);
        s[4] ^= turned(s[4], 7) ^ turned(s[4], 41);
    }
    for (int i = 0; i < 40; i++) out[i] = (uint8_t)(s[i / 8] >> 8 * (i % 8));
}
