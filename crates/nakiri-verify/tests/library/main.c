/* The test program behind a library of toys and what they are to compute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1100
#define REQUIRE(x) do { if (!(x)) { fprintf(stderr, "line %d, variant %u: %s\n", __LINE__, variant, #x); exit(1); } } while (0)

/* Exactly as many bytes as asked for: the sanitizer sees the next one touched, and so does the CPU where a page that
   can't be accessed follows and another stands before. */
#ifdef GUARD_PAGES
#include <sys/mman.h>
#define PAGE 4096
static uint8_t *exactly(size_t bytes)
{
    size_t pages = bytes / PAGE + 1;
    uint8_t *all = mmap(NULL, (pages + 2) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all, PAGE, PROT_NONE) || mprotect(all + (pages + 1) * PAGE, PAGE, PROT_NONE))
        exit(2);
    return all + (pages + 1) * PAGE - bytes;
}
#define release(p) ((void)(p))
#else
static uint8_t *exactly(size_t bytes)
{
    uint8_t *to = malloc(bytes + (bytes == 0));
    if (!to)
        exit(2);
    return to;
}
#define release(p) free(p)
#endif

static uint8_t *copy(const uint8_t *from, size_t bytes)
{
    uint8_t *to = exactly(bytes);
    memcpy(to, from, bytes);
    return to;
}

static void blocks(unsigned variant, size_t n)
{
    toy_ctx ctx;
    toy_expand(&ctx, key, variant);
    uint8_t *in = copy(text, 8 * n), *out = copy(text, 8 * n), *wide = copy(text, 16 * n);
    toy_encrypt_run(variant, ctx.keys, out, in, n);
    REQUIRE(memcmp(out, encrypted, 8 * n) == 0);
    toy_again_run(variant, ctx.keys, in, in, n);
    REQUIRE(memcmp(in, encrypted, 8 * n) == 0);
    toystream_ctx stream;
    toystream_expand(&stream, key, variant);
    memcpy(in, text, 8 * n);
    toystream_block_run(variant, stream.keys, wide, in, n);
    REQUIRE(memcmp(wide, streamed, 16 * n) == 0);
    release(in);
    release(out);
    release(wide);
    uint8_t *a = copy(text, 2 * n), *b = copy(text + 2 * n, 4 * n);
    uint8_t *and = copy(text, 2 * n), *xor = copy(text, 4 * n);
    toymix_mix_run(variant, NULL, and, xor, a, b, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < 2; j++) {
            REQUIRE(and[2 * i + j] == (a[2 * i + j] & b[4 * i + j]));
            REQUIRE(xor[4 * i + j] == (a[2 * i + j] ^ b[4 * i + j]));
            REQUIRE(xor[4 * i + 2 + j] == (a[2 * i + j] ^ b[4 * i + 2 + j]));
        }
    release(a);
    release(b);
    release(and);
    release(xor);
}

static void modes(unsigned variant, size_t bytes, size_t shift)
{
    toy_ctx ctx;
    toy_expand(&ctx, key, variant);
    uint8_t *buffer = copy(text, bytes + shift), *out = buffer + shift;
    memcpy(out, text, bytes);
    toy_ctr_xor(&ctx, toy_first, out, out, bytes);
    REQUIRE(memcmp(out, toy_ctr, bytes) == 0);
    toystream_ctx stream;
    toystream_expand(&stream, key, variant);
    toystream_ctr_xor(&stream, stream_first, out, text, bytes);
    REQUIRE(memcmp(out, stream_ctr, bytes) == 0);
    memcpy(out, text, bytes);
    REQUIRE(toy_ecb_encrypt(&ctx, out, out, bytes) == (bytes % 8 ? -1 : 0));
    REQUIRE(memcmp(out, bytes % 8 ? text : encrypted, bytes) == 0);
    release(buffer);
}

int main(void)
{
    unsigned variant = 0;
    REQUIRE(toy_supported() && toystream_supported() && toymix_supported());
    for (variant = 0; variant < sizeof toy_lanes / sizeof *toy_lanes; variant++) {
        if (!toy_runs(variant))
            continue;
        size_t lanes = toy_lanes[variant];
        for (size_t n = 0; n < MOST; n += n < 5 || lanes <= 8 ? 1 + n / 16 : (n % 2 ? 16 : 15))
            blocks(variant, n);
        for (size_t n = lanes - 1; n <= lanes + 1; n++)
            blocks(variant, n);
        for (size_t bytes = 0; bytes < 300; bytes += 1 + bytes / 20)
            modes(variant, bytes, bytes % 32);
        modes(variant, 8 * lanes, 1);
        modes(variant, 16 * MOST / 2 - 3, 3);
    }
    toy_ctx ctx;
    toy_expand_key(&ctx, key);
    variant = ctx.variant;
    REQUIRE(strcmp(toy_variant(), toy_names[variant]) == 0);
    REQUIRE(toy_parallel_blocks() == toy_lanes[variant]);
    toy_encrypt_blocks(&ctx, copy(text, 8), text, 1);
    toy_wipe(&ctx);
    for (size_t i = 0; i < sizeof ctx; i++)
        REQUIRE(((unsigned char *)&ctx)[i] == 0);
    REQUIRE(toy_self_test() == EXPECTED_SELF_TEST);
    REQUIRE(toystream_self_test() == 0 && toymix_self_test() == 0);
    return 0;
}
