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

struct function {
    const char *what;
    gcry_md_hd_t digest;
    gcry_mac_hd_t mac;
    gcry_cipher_hd_t cipher;
    int mode, is_xof;
};

void against_done(void *state)
{
    struct function *function = state;
    gcry_md_close(function->digest);
    gcry_mac_close(function->mac);
    gcry_cipher_close(function->cipher);
    free(function);
}

/* The cipher and the mode of a name such as `AES/GCM`. */
static int opened(struct function *function, const char *algorithm)
{
    static const struct {
        const char *name;
        int mode;
    } modes[] = {
        { "CBC", GCRY_CIPHER_MODE_CBC }, { "CCM", GCRY_CIPHER_MODE_CCM }, { "EAX", GCRY_CIPHER_MODE_EAX },
        { "GCM", GCRY_CIPHER_MODE_GCM }, { "OCB", GCRY_CIPHER_MODE_OCB }, { "POLY1305", GCRY_CIPHER_MODE_POLY1305 },
        { "XTS", GCRY_CIPHER_MODE_XTS },
#if GCRYPT_VERSION_NUMBER >= 0x010a00
        { "GCM-SIV", GCRY_CIPHER_MODE_GCM_SIV },
#endif
    };
    char cipher[32] = "";
    const char *mode = strchr(algorithm, '/');
    if (!mode || (size_t)(mode - algorithm) >= sizeof cipher)
        return 0;
    memcpy(cipher, algorithm, (size_t)(mode - algorithm));
    const int number = gcry_cipher_map_name(cipher);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (strcmp(modes[k].name, mode + 1) == 0) {
            function->mode = modes[k].mode;
            return number && gcry_cipher_open(&function->cipher, number, modes[k].mode, 0) == 0;
        }
    return 0;
}

void *against_function(const char *algorithm, const char *what)
{
    static const char *const all[] = { "digest", "mac", "seal", "encrypt", "decrypt" };
    initialize();
    struct function *function = calloc(1, sizeof *function);
    if (!function)
        return NULL;
    function->what = "";
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k], what) == 0)
            function->what = all[k];
    int ready;
    if (strcmp(what, "digest") == 0) {
        const int number = gcry_md_map_name(algorithm);
        function->is_xof = gcry_md_get_algo_dlen(number) == 0;
        ready = number && gcry_md_open(&function->digest, number, 0) == 0;
    } else if (strcmp(what, "mac") == 0) {
        const int number = gcry_mac_map_name(algorithm);
        ready = number && gcry_mac_open(&function->mac, number, 0, NULL) == 0;
    } else {
        ready = opened(function, algorithm);
    }
    if (ready)
        return function;
    against_done(function);
    return NULL;
}

static int digested(const struct function *function, const struct against_message *message)
{
    gcry_md_reset(function->digest);
    gcry_md_write(function->digest, message->in, message->bytes);
    if (function->is_xof)
        return gcry_md_extract(function->digest, 0, message->tag, message->tag_bytes) == 0;
    const uint8_t *digest = gcry_md_read(function->digest, 0);
    if (digest)
        memcpy(message->tag, digest, message->tag_bytes);
    return digest != NULL;
}

static int authenticated(const struct function *function, const struct against_message *message)
{
    size_t bytes = message->tag_bytes;
    return gcry_mac_reset(function->mac) == 0 && gcry_mac_setkey(function->mac, message->key, message->key_bytes) == 0
           && gcry_mac_write(function->mac, message->in, message->bytes) == 0
           && gcry_mac_read(function->mac, message->tag, &bytes) == 0;
}

static int crypted(const struct function *function, const struct against_message *message)
{
    const gcry_cipher_hd_t cipher = function->cipher;
    const size_t bytes = message->bytes;
    if (gcry_cipher_reset(cipher) || gcry_cipher_setkey(cipher, message->key, message->key_bytes)
        || gcry_cipher_setiv(cipher, message->nonce, message->nonce_bytes))
        return 0;
    if (function->mode == GCRY_CIPHER_MODE_CCM) {
        const uint64_t lengths[3] = { bytes, 0, message->tag_bytes };
        if (gcry_cipher_ctl(cipher, GCRYCTL_SET_CCM_LENGTHS, (void *)lengths, sizeof lengths))
            return 0;
    }
    if (strcmp(function->what, "decrypt") == 0)
        return gcry_cipher_decrypt(cipher, message->out, bytes, message->in, bytes) == 0;
    if (gcry_cipher_final(cipher) || gcry_cipher_encrypt(cipher, message->out, bytes, message->in, bytes))
        return 0;
    return strcmp(function->what, "seal") != 0 || gcry_cipher_gettag(cipher, message->tag, message->tag_bytes) == 0;
}

int against_call(void *state, const struct against_message *message)
{
    const struct function *function = state;
    if (strcmp(function->what, "digest") == 0)
        return !digested(function, message);
    return strcmp(function->what, "mac") == 0 ? !authenticated(function, message) : !crypted(function, message);
}
