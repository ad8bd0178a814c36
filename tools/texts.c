/* What `tools/openssl.sh texts` runs: modes of encryption and OpenSSL's on the same texts, in turn. */
#include "cbc.h"
#include "ccm.h"
#include "chacha20_poly1305.h"
#include "gcm.h"
#include "ocb.h"
#include "xts.h"
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

enum { LONGEST = 16384, SAMPLES = 401, MANY = 16 };

static uint8_t key[32], nonce[16], text[LONGEST], own[LONGEST], other[LONGEST + 32], tags[2][16];
/* Of many texts at once. */
static uint8_t nonces[MANY * 16], texts[MANY][LONGEST], many_tags[MANY * 16];
static uint8_t *places[MANY];
static const uint8_t *const no_ads[MANY];
static size_t lengths[MANY];
static const size_t no_lengths[MANY];
static EVP_CIPHER_CTX *context;

static void gcm(size_t bytes)
{
    aes128_gcm_seal(own, tags[0], key, nonce, NULL, 0, text, bytes);
}

static void ocb(size_t bytes)
{
    aes128_ocb_seal(own, tags[0], key, nonce, NULL, 0, text, bytes);
}

static void ccm(size_t bytes)
{
    aes128_ccm_seal(own, tags[0], key, nonce, NULL, 0, text, bytes);
}

static void chacha(size_t bytes)
{
    chacha20_poly1305_seal(own, tags[0], key, nonce, NULL, 0, text, bytes);
}

static void cbc(size_t bytes)
{
    aes128_cbc_encrypt(own, key, nonce, text, bytes);
}

static void cbc_back(size_t bytes)
{
    aes128_cbc_decrypt(own, key, nonce, text, bytes);
}

static void xts(size_t bytes)
{
    aes128_xts_encrypt(own, key, nonce, text, bytes);
}

static void xts_back(size_t bytes)
{
    aes128_xts_decrypt(own, key, nonce, text, bytes);
}

static void gcm_many(void)
{
    aes128_gcm_seal_many(MANY, many_tags, key, nonces, no_ads, no_lengths, places, lengths);
}

static void ocb_many(void)
{
    aes128_ocb_seal_many(MANY, many_tags, key, nonces, no_ads, no_lengths, places, lengths);
}

static void ccm_many(void)
{
    aes128_ccm_seal_many(MANY, many_tags, key, nonces, no_ads, no_lengths, places, lengths);
}

static void chacha_many(void)
{
    chacha20_poly1305_seal_many(MANY, many_tags, key, nonces, no_ads, no_lengths, places, lengths);
}

static void cbc_many(void)
{
    aes128_cbc_encrypt_many(MANY, key, nonces, places, lengths);
}

static void cbc_back_many(void)
{
    aes128_cbc_decrypt_many(MANY, key, nonces, places, lengths);
}

static void xts_many(void)
{
    aes128_xts_encrypt_many(MANY, key, nonces, places, lengths);
}

static void xts_back_many(void)
{
    aes128_xts_decrypt_many(MANY, key, nonces, places, lengths);
}

enum kind { SEALS, SEALS_KNOWN_LENGTH, ENCRYPTS, DECRYPTS };

static const struct subject {
    const char *name;
    void (*run)(size_t bytes);
    void (*many)(void);
    const EVP_CIPHER *(*cipher)(void);
    enum kind kind;
} subjects[] = {
    { "AES-128-GCM", gcm, gcm_many, EVP_aes_128_gcm, SEALS },
    { "AES-128-OCB", ocb, ocb_many, EVP_aes_128_ocb, SEALS },
    { "AES-128-CCM", ccm, ccm_many, EVP_aes_128_ccm, SEALS_KNOWN_LENGTH },
    { "ChaCha20-Poly1305", chacha, chacha_many, EVP_chacha20_poly1305, SEALS },
    { "AES-128-CBC", cbc, cbc_many, EVP_aes_128_cbc, ENCRYPTS },
    { "AES-128-CBC, decryption", cbc_back, cbc_back_many, EVP_aes_128_cbc, DECRYPTS },
    { "AES-128-XTS", xts, xts_many, EVP_aes_128_xts, ENCRYPTS },
    { "AES-128-XTS, decryption", xts_back, xts_back_many, EVP_aes_128_xts, DECRYPTS },
};

static void openssl(const struct subject *subject, size_t bytes)
{
    const EVP_CIPHER *cipher = subject->cipher();
    int length;
    if (subject->kind == SEALS_KNOWN_LENGTH) {
        EVP_EncryptInit_ex(context, cipher, NULL, NULL, NULL);
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, NULL);
        cipher = NULL;
    }
    EVP_CipherInit_ex(context, cipher, NULL, key, nonce, subject->kind != DECRYPTS);
    if (subject->kind == SEALS_KNOWN_LENGTH)
        EVP_CipherUpdate(context, NULL, &length, NULL, (int)bytes);
    if (subject->kind == ENCRYPTS || subject->kind == DECRYPTS)
        EVP_CIPHER_CTX_set_padding(context, 0);
    EVP_CipherUpdate(context, other, &length, text, (int)bytes);
    EVP_CipherFinal_ex(context, other + length, &length);
    if (subject->kind == SEALS || subject->kind == SEALS_KNOWN_LENGTH)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tags[1]);
}

/* The clock, once all before it is done. */
static uint64_t now(void)
{
    _mm_lfence();
    const uint64_t clock = __rdtsc();
    _mm_lfence();
    return clock;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    const size_t sizes[] = { 64, 1024, LONGEST };
    for (size_t k = 0; k < sizeof key; k++)
        key[k] = (uint8_t)(7 * k + 1);
    for (size_t k = 0; k < LONGEST; k++)
        text[k] = (uint8_t)(13 * k);
    context = EVP_CIPHER_CTX_new();
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
        const struct subject *subject = subjects + s;
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
            static uint64_t samples[3][SAMPLES];
            const size_t bytes = sizes[z];
            for (size_t k = 0; k < SAMPLES; k++) {
                uint64_t start = now();
                subject->run(bytes);
                samples[0][k] = now() - start;
                start = now();
                openssl(subject, bytes);
                samples[1][k] = now() - start;
            }
            for (size_t k = 0; k < MANY; k++) {
                memcpy(texts[k], text, bytes);
                places[k] = texts[k];
                lengths[k] = bytes;
            }
            subject->many();
            for (size_t k = 0; k < MANY; k++)
                if (memcmp(texts[k], own, bytes) != 0)
                    memset(own, 0, bytes);
            for (size_t k = 0; k < SAMPLES; k++) {
                const uint64_t start = now();
                subject->many();
                samples[2][k] = (now() - start) / MANY;
            }
            if (memcmp(own, other, bytes) != 0 || memcmp(tags[0], tags[1], 16) != 0) {
                printf("%s: not the same\n", subject->name);
                return 1;
            }
            printf("%-24s %6zu bytes:", subject->name, bytes);
            for (size_t k = 0; k < 3; k++) {
                static const char *const names[3] = { "own", "OpenSSL", "own, 16 at once" };
                qsort(samples[k], SAMPLES, sizeof(uint64_t), ascending);
                printf("  %s %.3f, %.3f", names[k], (double)samples[k][0] / (double)bytes,
                    (double)samples[k][SAMPLES / 2] / (double)bytes);
            }
            printf("\n");
        }
    }
    EVP_CIPHER_CTX_free(context);
    return 0;
}
