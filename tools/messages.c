/* What `tools/openssl.sh messages` runs: each function on the same messages, in turn. */
#include "sha1.h"
#include "sha2.h"
#include "sha3.h"
#include "sm3.h"
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define MANY 64
#define LONGEST 16384
#define SAMPLES 401

static uint8_t text[MANY][LONGEST], outs[MANY * 64];

struct subject {
    const char *name;
    void (*one)(uint8_t *, const uint8_t *, size_t);
    void (*many)(size_t, uint8_t *, const uint8_t *const *, const size_t *);
    const char *peer;
    size_t size;
};

static const struct subject subjects[] = {
    { "SHA-1", sha1, sha1_many, "SHA1", 20 },
    { "SHA-256", sha256, sha256_many, "SHA256", 32 },
    { "SHA-512", sha512, sha512_many, "SHA512", 64 },
    { "SHA3-256", sha3_256, sha3_256_many, "SHA3-256", 32 },
    { "SM3", sm3, sm3_many, "SM3", 32 },
};

/* The clock, once all before it is done. */
static unsigned long long now(void)
{
    _mm_lfence();
    const unsigned long long clock = __rdtsc();
    _mm_lfence();
    return clock;
}

static int ordered(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One, many, and the peer, sample by sample. */
static void measure(const struct subject *s, const size_t *lengths, const char *what)
{
    static double samples[3][SAMPLES];
    const uint8_t *messages[MANY];
    uint8_t out[64], other[64];
    size_t total = 0;
    const EVP_MD *md = EVP_get_digestbyname(s->peer);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    for (size_t k = 0; k < MANY; k++) {
        messages[k] = text[k];
        total += lengths[k];
    }
    for (size_t n = 0; n < SAMPLES; n++) {
        unsigned long long start = now();
        s->one(out, text[0], lengths[0]);
        samples[0][n] = (double)(now() - start) / (double)lengths[0];
        start = now();
        s->many(MANY, outs, messages, lengths);
        samples[1][n] = (double)(now() - start) / (double)total;
        if (md == NULL)
            continue;
        start = now();
        EVP_DigestInit_ex(ctx, md, NULL);
        EVP_DigestUpdate(ctx, text[0], lengths[0]);
        EVP_DigestFinal_ex(ctx, other, NULL);
        samples[2][n] = (double)(now() - start) / (double)lengths[0];
        if (memcmp(out, other, s->size) != 0 || memcmp(outs, other, s->size) != 0)
            abort();
    }
    printf("%-9s %-16s", s->name, what);
    for (size_t k = 0; k < 3; k++) {
        qsort(samples[k], SAMPLES, sizeof(double), ordered);
        printf("  %s %6.2f %6.2f", k == 0 ? "alone" : k == 1 ? "64 at once" : "OpenSSL", samples[k][0], samples[k][SAMPLES / 2]);
    }
    printf("\n");
    EVP_MD_CTX_free(ctx);
}

int main(void)
{
    static size_t lengths[MANY];
    srand(1);
    for (size_t k = 0; k < sizeof text; k++)
        ((uint8_t *)text)[k] = (uint8_t)rand();
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
        const size_t all[] = { 64, 1024, LONGEST };
        for (size_t l = 0; l < 3; l++) {
            char what[32];
            for (size_t k = 0; k < MANY; k++)
                lengths[k] = all[l];
            snprintf(what, sizeof what, "%zu bytes", all[l]);
            measure(subjects + s, lengths, what);
        }
        for (size_t k = 0; k < MANY; k++)
            lengths[k] = 1 + (size_t)rand() % LONGEST;
        measure(subjects + s, lengths, "any to 16384");
    }
    return 0;
}
