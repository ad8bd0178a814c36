/* Ascon-p[12] (NIST SP 800-232): the permutation on five words of 64 bits. Byte 0 of a word is the least significant. */
#include "ascon.h"

#define KEY ""
#define INPUT "07060504030201000f0e0d0c0b0a090817161514131211101f1e1d1c1b1a19182726252423222120"
#define OUTPUT "43dd89d4e287050664173c0e7bb1c21c74a64418534273956368cbb47571b196e506d927d612b529"

static void reference(uint8_t *out, const uint8_t *in, const uint8_t *key)
{
    uint64_t s[5] = { 0 };
    (void)key;
    for (int i = 0; i < 40; i++) s[i / 8] |= (uint64_t)in[i] << 8 * (i % 8);
    ascon(s, 12);
    for (int i = 0; i < 40; i++) out[i] = (uint8_t)(s[i / 8] >> 8 * (i % 8));
}
