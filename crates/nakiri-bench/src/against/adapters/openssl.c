#include "against.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

const char *against_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

const char *against_features(void)
{
    const char *features = OpenSSL_version(OPENSSL_CPU_INFO);
    return features ? features : "";
}

/* Old ciphers are in a provider that is not loaded by itself. */
static EVP_CIPHER *fetch(const char *algorithm)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, algorithm, NULL);
    if (!cipher && OSSL_PROVIDER_try_load(NULL, "legacy", 1))
        cipher = EVP_CIPHER_fetch(NULL, algorithm, NULL);
    return cipher;
}

void *against_new(const char *algorithm, const char *mode, const uint8_t *key, size_t key_bytes)
{
    (void)mode;
    EVP_CIPHER *cipher = fetch(algorithm);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int ready = cipher && context && (size_t)EVP_CIPHER_get_key_length(cipher) == key_bytes
                && EVP_EncryptInit_ex2(context, cipher, key, NULL, NULL)
                && EVP_CIPHER_CTX_set_padding(context, 0);
    EVP_CIPHER_free(cipher);
    if (ready)
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

int against_run(void *cipher, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)
{
    int done = 0;
    return !(EVP_EncryptInit_ex2(cipher, NULL, NULL, counter, NULL)
             && EVP_EncryptUpdate(cipher, out, &done, in, (int)bytes) && (size_t)done == bytes);
}

void against_free(void *cipher)
{
    EVP_CIPHER_CTX_free(cipher);
}

struct function {
    const char *what;
    EVP_MD *digest;
    EVP_MD_CTX *digesting;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *encrypting;
    EVP_MAC *mac;
    EVP_MAC_CTX *authenticating;
    OSSL_PARAM parameters[2];
    char algorithm[32];
};

void against_done(void *state)
{
    struct function *function = state;
    EVP_MD_free(function->digest);
    EVP_MD_CTX_free(function->digesting);
    EVP_CIPHER_free(function->cipher);
    EVP_CIPHER_CTX_free(function->encrypting);
    EVP_MAC_free(function->mac);
    EVP_MAC_CTX_free(function->authenticating);
    free(function);
}

static int is(const struct function *function, const char *what)
{
    return strcmp(function->what, what) == 0;
}

void *against_function(const char *algorithm, const char *what)
{
    static const char *const all[] = { "digest", "mac", "seal", "encrypt", "decrypt" };
    struct function *function = calloc(1, sizeof *function);
    if (!function || strlen(algorithm) >= sizeof function->algorithm)
        return NULL;
    function->what = "";
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k], what) == 0)
            function->what = all[k];
    strcpy(function->algorithm, algorithm);
    int ready;
    if (is(function, "digest")) {
        function->digest = EVP_MD_fetch(NULL, algorithm, NULL);
        function->digesting = EVP_MD_CTX_new();
        ready = function->digest && function->digesting;
    } else if (is(function, "mac")) {
        function->mac = EVP_MAC_fetch(NULL, "CMAC", NULL);
        function->authenticating = function->mac ? EVP_MAC_CTX_new(function->mac) : NULL;
        function->parameters[0] = OSSL_PARAM_construct_utf8_string("cipher", function->algorithm, 0);
        function->parameters[1] = OSSL_PARAM_construct_end();
        ready = function->authenticating != NULL;
    } else {
        function->cipher = fetch(algorithm);
        function->encrypting = EVP_CIPHER_CTX_new();
        ready = function->cipher && function->encrypting;
    }
    if (ready)
        return function;
    against_done(function);
    return NULL;
}

static int digested(const struct function *function, const struct against_message *message)
{
    EVP_MD_CTX *context = function->digesting;
    if (!EVP_DigestInit_ex2(context, function->digest, NULL) || !EVP_DigestUpdate(context, message->in, message->bytes))
        return 0;
    if (EVP_MD_get_flags(function->digest) & EVP_MD_FLAG_XOF)
        return EVP_DigestFinalXOF(context, message->tag, message->tag_bytes);
    return EVP_DigestFinal_ex(context, message->tag, NULL);
}

static int authenticated(const struct function *function, const struct against_message *message)
{
    EVP_MAC_CTX *context = function->authenticating;
    size_t made = 0;
    return EVP_MAC_init(context, message->key, message->key_bytes, function->parameters)
           && EVP_MAC_update(context, message->in, message->bytes)
           && EVP_MAC_final(context, message->tag, &made, message->tag_bytes);
}

static int sealed(const struct function *function, const struct against_message *message)
{
    EVP_CIPHER_CTX *context = function->encrypting;
    const int bytes = (int)message->bytes, tag = (int)message->tag_bytes;
    const int by_length = EVP_CIPHER_get_mode(function->cipher) == EVP_CIPH_CCM_MODE;
    int made = 0, last = 0;
    return EVP_EncryptInit_ex2(context, function->cipher, NULL, NULL, NULL)
           && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)message->nonce_bytes, NULL)
           && (!by_length || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag, NULL))
           && EVP_EncryptInit_ex2(context, NULL, message->key, message->nonce, NULL)
           && (!by_length || EVP_EncryptUpdate(context, NULL, &made, NULL, bytes))
           && EVP_EncryptUpdate(context, message->out, &made, message->in, bytes)
           && EVP_EncryptFinal_ex(context, message->out + made, &last)
           && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag, message->tag);
}

static int crypted(const struct function *function, const struct against_message *message)
{
    EVP_CIPHER_CTX *context = function->encrypting;
    int made = 0;
    return EVP_CipherInit_ex2(context, function->cipher, message->key, message->nonce, is(function, "encrypt"), NULL)
           && EVP_CIPHER_CTX_set_padding(context, 0)
           && EVP_CipherUpdate(context, message->out, &made, message->in, (int)message->bytes);
}

int against_call(void *state, const struct against_message *message)
{
    const struct function *function = state;
    if (is(function, "digest"))
        return !digested(function, message);
    if (is(function, "mac"))
        return !authenticated(function, message);
    return is(function, "seal") ? !sealed(function, message) : !crypted(function, message);
}
