/* Uses three emitted libraries: prints a table of vectors and speeds, or encrypts a file.
 *
 *     demo table VECTORS…                      one number a row, for the column of vectors
 *     demo aes128-ctr|chacha20 KEY COUNTER IN OUT */
#include "aes128.h"
#include "chacha20.h"
#include "rectangle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

enum { BYTES = 16384, RUNS = 31, CHAIN = 20000 };

static uint8_t in[BYTES], out[BYTES];

/* Time-stamp ticks of a chain of additions that takes CHAIN core cycles, each waiting for the one before. */
static uint64_t chain_ticks(void)
{
    uint64_t x = 1, start = __rdtsc();
    for (int i = 0; i < CHAIN / 10; i++)
        __asm__ volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                         "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
                         : "+r"(x));
    return __rdtsc() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One cipher of the table. */
struct row {
    const char *name;
    int (*self_test)(void);
    const char *(*variant)(void);
    size_t (*parallel_blocks)(void);
    void (*whole_mode)(void);
};

static rectangle80_ctx rectangle80;
static rectangle128_ctx rectangle128;
static aes128_ctx aes;
static chacha20_ctx chacha;
static uint8_t counter[16];

static void run_rectangle80(void) { rectangle80_ctr_xor(&rectangle80, counter, out, in, BYTES); }
static void run_rectangle128(void) { rectangle128_ctr_xor(&rectangle128, counter, out, in, BYTES); }
static void run_aes(void) { aes128_ctr_xor(&aes, counter, out, in, BYTES); }
static void run_chacha(void) { chacha20_ctr_xor(&chacha, counter, out, in, BYTES); }

static const struct row rows[] = {
    { "RECTANGLE-80 CTR", rectangle80_self_test, rectangle80_variant, rectangle80_parallel_blocks,
      run_rectangle80 },
    { "RECTANGLE-128 CTR", rectangle128_self_test, rectangle128_variant,
      rectangle128_parallel_blocks, run_rectangle128 },
    { "AES-128 CTR", aes128_self_test, aes128_variant, aes128_parallel_blocks, run_aes },
    { "ChaCha20", chacha20_self_test, chacha20_variant, chacha20_parallel_blocks, run_chacha },
};

enum { ROWS = sizeof rows / sizeof *rows };

/* Core cycles per byte, the smallest and the median of RUNS; the clock is measured beside every run, because it drifts. */
static void measure(void (*run)(void), double *least, double *median)
{
    double runs[RUNS];
    for (int i = 0; i < 20; i++)
        run();
    for (int i = 0; i < RUNS; i++) {
        uint64_t chain = chain_ticks(), start = __rdtsc();
        run();
        uint64_t ticks = __rdtsc() - start, after = chain_ticks();
        if (after < chain)
            chain = after;
        runs[i] = (double)ticks * CHAIN / (double)chain / BYTES;
    }
    qsort(runs, RUNS, sizeof *runs, ascending);
    *least = runs[0];
    *median = runs[RUNS / 2];
}

static int table(char **vectors)
{
    static const uint8_t key[32] = { 1, 2, 3 };
    int wrong = 0;
    rectangle80_expand_key(&rectangle80, key);
    rectangle128_expand_key(&rectangle128, key);
    aes128_expand_key(&aes, key);
    chacha20_expand_key(&chacha, key);
    printf("%-18s %-7s %-7s %9s   %-17s %s\n", "cipher", "target", "slicing", "blocks at", "cycles per byte",
           "vectors");
    printf("%-18s %-7s %-7s %9s   %8s %8s\n", "", "", "", "once", "least", "median");
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        char target[32] = "", slicing[32] = "";
        double least, median;
        int failed = row->self_test();
        sscanf(row->variant(), "%31s %31s", target, slicing);
        measure(row->whole_mode, &least, &median);
        printf("%-18s %-7s -%-6.1s %9zu   %8.2f %8.2f ", row->name, target, slicing,
               row->parallel_blocks(), least, median);
        if (failed)
            printf(" FAILED: vector %d\n", failed);
        else
            printf(" all %s passed\n", vectors[i]);
        wrong |= failed != 0;
    }
    printf("\nCore cycles per byte of the whole mode (transposition, counters and addition included) at %d KiB: the time\n"
           "stamp counter, scaled by a chain of dependent additions timed beside each of %d runs.\n",
           BYTES / 1024, RUNS);
    return wrong;
}

static void unhex(uint8_t *to, size_t bytes, const char *digits)
{
    if (strlen(digits) != 2 * bytes) {
        fprintf(stderr, "%zu bytes are needed, not %s\n", bytes, digits);
        exit(2);
    }
    for (size_t i = 0; i < bytes; i++) {
        char pair[3] = { digits[2 * i], digits[2 * i + 1], 0 };
        to[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

/* Encrypts a whole file in one call, in place. */
static int encrypt(char **args)
{
    uint8_t key[32];
    FILE *from = fopen(args[3], "rb"), *to = fopen(args[4], "wb");
    if (!from || !to) {
        perror(from ? args[4] : args[3]);
        return 1;
    }
    fseek(from, 0, SEEK_END);
    size_t bytes = (size_t)ftell(from);
    rewind(from);
    uint8_t *text = malloc(bytes + 1);
    if (!text || fread(text, 1, bytes, from) != bytes) {
        fprintf(stderr, "can't read %s\n", args[3]);
        return 1;
    }
    unhex(counter, sizeof counter, args[2]);
    clock_t start = clock();
    if (!strcmp(args[0], "aes128-ctr")) {
        unhex(key, 16, args[1]);
        aes128_expand_key(&aes, key);
        start = clock();
        aes128_ctr_xor(&aes, counter, text, text, bytes);
    } else {
        unhex(key, 32, args[1]);
        chacha20_expand_key(&chacha, key);
        start = clock();
        chacha20_ctr_xor(&chacha, counter, text, text, bytes);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s: %zu bytes in %.1f ms\n", args[0], bytes, 1e3 * seconds);
    int failed = fwrite(text, 1, bytes, to) != bytes || fclose(to) != 0;
    free(text);
    fclose(from);
    return failed;
}

int main(int count, char **args)
{
    if (count == 2 + ROWS && !strcmp(args[1], "table"))
        return table(args + 2);
    if (count == 6 && (!strcmp(args[1], "aes128-ctr") || !strcmp(args[1], "chacha20")))
        return encrypt(args + 1);
    fprintf(stderr, "usage: demo table VECTORS... | demo aes128-ctr|chacha20 KEY COUNTER IN OUT\n");
    return 2;
}
