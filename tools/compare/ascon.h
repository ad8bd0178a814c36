/* The Ascon permutation (NIST SP 800-232), its last so many rounds. */
#include <stdint.h>

static uint64_t turned(uint64_t x, int by) { return x >> by | x << (64 - by); }

static void ascon(uint64_t s[5], int rounds)
{
    for (int round = 12 - rounds; round < 12; round++) {
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
}
