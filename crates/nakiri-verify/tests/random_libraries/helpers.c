/* What the tests of random libraries share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many blocks in turn, `shift` bytes into memory that ends with them: a sanitizer sees the next byte touched. */
static uint8_t *blocks_at(size_t shift, const uint8_t *from, size_t different, size_t bytes, size_t n)
{
    uint8_t *all = malloc(shift + bytes * n + (shift + bytes * n == 0));
    if (!all)
        exit(2);
    for (size_t i = 0; i < n; i++)
        memcpy(all + shift + bytes * i, from + bytes * (i % different), bytes);
    return all;
}

static void compare(const char *what, unsigned variant, const uint8_t *got, const uint8_t *want, size_t different,
                    size_t bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(got + bytes * i, want + bytes * (i % different), bytes) != 0) {
            fprintf(stderr, "%s, variant %u: block %zu of %zu is wrong\n", what, variant, i, n);
            exit(1);
        }
}

