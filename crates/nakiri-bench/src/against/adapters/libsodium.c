#include "against.h"

#include <sodium.h>

const char *against_version(void)
{
    return sodium_version_string();
}

const char *against_features(void)
{
    return "";
}

/* It has one of our ciphers, so that the key is all there is to keep. */
void *against_new(const char *algorithm, const char *mode, const uint8_t *key, size_t key_bytes)
{
    (void)algorithm, (void)mode;
    if (sodium_init() < 0 || key_bytes != crypto_stream_chacha20_ietf_KEYBYTES)
        return NULL;
    uint8_t *copy = malloc(key_bytes);
    return copy ? memcpy(copy, key, key_bytes) : NULL;
}

int against_run(void *key, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)
{
    uint32_t first = counter[0] | (uint32_t)counter[1] << 8 | (uint32_t)counter[2] << 16 | (uint32_t)counter[3] << 24;
    return crypto_stream_chacha20_ietf_xor_ic(out, in, bytes, counter + 4, first, key);
}

void against_free(void *key)
{
    free(key);
}
