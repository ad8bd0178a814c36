#include "against.h"

#include <gcrypt.h>

struct cipher {
    gcry_cipher_hd_t handle;
    int mode;
    size_t block_bytes;
};

/* The library reads no environment: the features to do without must be named before its first use. */
static void initialize(void)
{
    static int done;
    if (done++)
        return;
    const char *names = getenv("NAKIRI_LIBGCRYPT_DISABLE_HWF");
    char *copy = names ? strdup(names) : NULL;
    /* A name that this version doesn't know is a feature that it doesn't use. */
    for (char *name = copy ? strtok(copy, ",") : NULL; name; name = strtok(NULL, ","))
        gcry_control(GCRYCTL_DISABLE_HWF, name, NULL);
    free(copy);
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

const char *against_version(void)
{
    initialize();
    return gcry_check_version(NULL);
}

const char *against_features(void)
{
    static char *features;
    initialize();
    if (!features)
        features = gcry_get_config(0, "hwflist");
    return features ? features : "";
}

void *against_new(const char *algorithm, const char *mode, const uint8_t *key, size_t key_bytes)
{
    initialize();
    int number = gcry_cipher_map_name(algorithm);
    struct cipher *cipher = calloc(1, sizeof *cipher);
    if (!number || !cipher) {
        free(cipher);
        return NULL;
    }
    cipher->mode = number == GCRY_CIPHER_CHACHA20 ? GCRY_CIPHER_MODE_STREAM
                   : strcmp(mode, "ctr") == 0    ? GCRY_CIPHER_MODE_CTR
                                                 : GCRY_CIPHER_MODE_ECB;
    cipher->block_bytes = gcry_cipher_get_algo_blklen(number);
    if (gcry_cipher_open(&cipher->handle, number, cipher->mode, 0) == 0) {
        if (gcry_cipher_setkey(cipher->handle, key, key_bytes) == 0)
            return cipher;
        gcry_cipher_close(cipher->handle);
    }
    free(cipher);
    return NULL;
}

static gcry_error_t set_counter(const struct cipher *cipher, const uint8_t *counter)
{
    switch (cipher->mode) {
    case GCRY_CIPHER_MODE_STREAM:
        return gcry_cipher_setiv(cipher->handle, counter, 16);
    case GCRY_CIPHER_MODE_CTR:
        return gcry_cipher_setctr(cipher->handle, counter, cipher->block_bytes);
    default:
        return 0;
    }
}

int against_run(void *state, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)
{
    struct cipher *cipher = state;
    return set_counter(cipher, counter) || gcry_cipher_encrypt(cipher->handle, out, bytes, in, bytes);
}

void against_free(void *state)
{
    struct cipher *cipher = state;
    gcry_cipher_close(cipher->handle);
    free(cipher);
}
