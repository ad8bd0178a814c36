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
