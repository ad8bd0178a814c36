/* The demonstration: self tests, files through the emitted modes, and what they cost.
 *
 *     demo                      the table
 *     demo aes128|chacha20 KEY COUNTER IN OUT   encrypts a file; KEY and COUNTER in hexadecimal digits
 */
#define _POSIX_C_SOURCE 200809L

#include "aes128_bytes.h"
#include "chacha20.h"
#include "rectangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

enum { TEXT = 16384, SAMPLES = 201, CHAIN = 20000 };

static uint8_t text[TEXT];
static const uint8_t key[32], counter[16];

static void aes128(void)
{
    static aes128_bytes_ctx ctx;
    static int expanded;
    if (!expanded++)
        aes128_bytes_expand_key(&ctx, key);
    aes128_bytes_ctr_xor(&ctx, counter, text, text, TEXT);
}

static void chacha20(void)
{
    static chacha20_ctx ctx;
    static int expanded;
    if (!expanded++)
        chacha20_expand_key(&ctx, key);
    chacha20_ctr_xor(&ctx, counter, text, text, TEXT);
}

static void rectangle(void)
{
    static rectangle80_ctx ctx;
    static int expanded;
    if (!expanded++)
        rectangle80_expand_key(&ctx, key);
    rectangle80_ctr_xor(&ctx, counter, text, text, TEXT);
}

/* Time-stamp cycles of CHAIN dependent additions: that many core cycles. */
static uint64_t chain(void)
{
    uint64_t x = 1, start = __rdtsc();
    for (int i = 0; i < CHAIN / 10; i++)
        __asm__ volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                         "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
                         : "+r"(x));
    return __rdtsc() - start;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Core cycles per byte of a whole message, sorted. */
static void measure(void (*run)(void), double *cycles)
{
    for (int i = 0; i < 50; i++)
        run();
    for (int i = 0; i < SAMPLES; i++) {
        const uint64_t before = chain(), start = __rdtsc();
        run();
        const uint64_t own = __rdtsc() - start, after = chain();
        const uint64_t clock = before < after ? before : after;
        cycles[i] = (double)own * CHAIN / (double)clock / TEXT;
    }
    qsort(cycles, SAMPLES, sizeof *cycles, by_size);
}

static int row(const char *name, int failed, int vectors, const char *variant, size_t blocks, void (*run)(void))
{
    static double cycles[SAMPLES];
    measure(run, cycles);
    printf("%-12s %-15s %6zu   %7.3f  %7.3f    ", name, variant, blocks, cycles[0], cycles[SAMPLES / 2]);
    if (failed)
        printf("FAILED in variant %d\n", failed);
    else
        printf("%d of %d passed\n", vectors, vectors);
    return failed != 0;
}

static int table(void)
{
    printf("%-12s %-15s %6s   %7s  %7s    vectors\n", "cipher", "target", "blocks", "minimum", "median");
    printf("%-12s %-15s %6s   %17s\n", "", "and slicing", "at once", "cycles per byte");
    int failed = 0;
    failed |= row("RECTANGLE-80", rectangle80_self_test(), RECTANGLE80_VECTORS, rectangle80_variant(),
                  rectangle80_parallel_blocks(), rectangle);
    failed |= row("AES-128", aes128_bytes_self_test(), AES128_VECTORS, aes128_bytes_variant(), aes128_bytes_parallel_blocks(), aes128);
    failed |= row("ChaCha20", chacha20_self_test(), CHACHA20_VECTORS, chacha20_variant(),
                  chacha20_parallel_blocks(), chacha20);
    printf("Core cycles per byte: CTR, 16 KiB, key expanded, transposition included; minimum and median of %d samples.\n",
           SAMPLES);
    return failed;
}

static int unhex(uint8_t *out, size_t bytes, const char *digits)
{
    if (strlen(digits) != 2 * bytes)
        return -1;
    for (size_t i = 0; i < bytes; i++) {
        unsigned byte;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1)
            return -1;
        out[i] = (uint8_t)byte;
    }
    return 0;
}

static int file(char **args)
{
    const int aes = strcmp(args[0], "aes128") == 0;
    uint8_t own_key[32], first[16];
    if (unhex(own_key, aes ? 16 : 32, args[1]) || unhex(first, 16, args[2])) {
        fprintf(stderr, "demo: a key or a counter of the wrong size\n");
        return 2;
    }
    FILE *in = fopen(args[3], "rb"), *out = fopen(args[4], "wb");
    if (!in || !out) {
        perror("demo");
        return 1;
    }
    fseek(in, 0, SEEK_END);
    const long size = ftell(in);
    rewind(in);
    uint8_t *bytes = size > 0 ? malloc((size_t)size) : NULL;
    if (!bytes || fread(bytes, 1, (size_t)size, in) != (size_t)size) {
        perror("demo");
        return 1;
    }
    if (aes) {
        aes128_bytes_ctx ctx;
        aes128_bytes_expand_key(&ctx, own_key);
        aes128_bytes_ctr_xor(&ctx, first, bytes, bytes, (size_t)size);
        aes128_bytes_wipe(&ctx);
    } else {
        chacha20_ctx ctx;
        chacha20_expand_key(&ctx, own_key);
        chacha20_ctr_xor(&ctx, first, bytes, bytes, (size_t)size);
        chacha20_wipe(&ctx);
    }
    const int failed = fwrite(bytes, 1, (size_t)size, out) != (size_t)size || fclose(out) != 0;
    fclose(in);
    free(bytes);
    return failed;
}

int main(int count, char **args)
{
    if (count == 1)
        return table();
    if (count == 6)
        return file(args + 1);
    fprintf(stderr, "usage: demo [aes128|chacha20 KEY COUNTER IN OUT]\n");
    return 2;
}
