#include "against.h"

#include <nettle/aes.h>
#include <nettle/chacha.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/nettle-meta.h>
#include <nettle/serpent.h>
#include <nettle/version.h>
#include <stdio.h>

/* A block cipher, or ChaCha20 if it has no `encrypt`. */
struct cipher {
    nettle_cipher_func *encrypt;
    size_t block_bytes;
    int ctr;
    union {
        struct aes128_ctx aes;
        struct chacha_ctx chacha;
        struct des_ctx des;
        struct serpent_ctx serpent;
    } context;
};

const char *against_version(void)
{
    static char version[32];
    snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
    return version;
}

const char *against_features(void)
{
    return "";
}

static void set_key_des(void *context, const uint8_t *key)
{
    des_set_key(context, key);
}

static void set_key_chacha(void *context, const uint8_t *key)
{
    chacha_set_key(context, key);
}

static void encrypt_des(const void *context, size_t bytes, uint8_t *out, const uint8_t *in)
{
    des_encrypt(context, bytes, out, in);
}

static int set_key(struct cipher *cipher, const char *algorithm, const uint8_t *key, size_t key_bytes)
{
    static const struct nettle_cipher des = {
        "des",         sizeof(struct des_ctx), DES_BLOCK_SIZE, DES_KEY_SIZE,
        set_key_des,   set_key_des,            encrypt_des,    encrypt_des,
    };
    static const struct nettle_cipher chacha = {
        "chacha",       sizeof(struct chacha_ctx), CHACHA_BLOCK_SIZE, CHACHA_KEY_SIZE,
        set_key_chacha, set_key_chacha,            NULL,              NULL,
    };
    const struct nettle_cipher *all[] = {
        &nettle_aes128, &nettle_serpent128, &nettle_serpent192, &nettle_serpent256, &des, &chacha,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, algorithm) == 0 && all[i]->key_size == key_bytes) {
            all[i]->set_encrypt_key(&cipher->context, key);
            cipher->encrypt = all[i]->encrypt;
            cipher->block_bytes = all[i]->block_size;
            return 1;
        }
    return 0;
}

void *against_new(const char *algorithm, const char *mode, const uint8_t *key, size_t key_bytes)
{
    struct cipher *cipher = calloc(1, sizeof *cipher);
    if (cipher && set_key(cipher, algorithm, key, key_bytes)) {
        cipher->ctr = strcmp(mode, "ctr") == 0;
        return cipher;
    }
    free(cipher);
    return NULL;
}

int against_run(void *state, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)
{
    struct cipher *cipher = state;
    if (!cipher->encrypt) {
        chacha_set_nonce96(&cipher->context.chacha, counter + CHACHA_COUNTER32_SIZE);
        /* A new nonce clears the counter. */
        chacha_set_counter32(&cipher->context.chacha, counter);
        chacha_crypt32(&cipher->context.chacha, bytes, out, in);
    } else if (cipher->ctr) {
        uint8_t block[AES_BLOCK_SIZE];
        memcpy(block, counter, cipher->block_bytes);
        ctr_crypt(&cipher->context, cipher->encrypt, cipher->block_bytes, block, bytes, out, in);
    } else {
        cipher->encrypt(&cipher->context, bytes, out, in);
    }
    return 0;
}

void against_free(void *cipher)
{
    free(cipher);
}
