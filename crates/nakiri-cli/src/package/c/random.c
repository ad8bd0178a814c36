/* $maker */
/* SPDX-License-Identifier: 0BSD */

/* Gives the fuzz target random bytes, the same each time. */

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(void)
{
    static uint8_t data[8192];
    uint32_t x = 1;
    for (unsigned run = 0; run < 256; run++) {
        for (size_t k = 0; k < sizeof data; k++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            data[k] = (uint8_t)(x >> 8);
        }
        data[0] = (uint8_t)run;
        LLVMFuzzerTestOneInput(data, 1 + (x >> 8) % sizeof data);
    }
    return 0;
}
