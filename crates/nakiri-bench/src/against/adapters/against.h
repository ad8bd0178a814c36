/* What every adapter offers to the harness: one library's ciphers behind one interface. */

#ifndef AGAINST_H
#define AGAINST_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that was loaded, not that of its headers. */
const char *against_version(void);

/* The CPU features that the library says it uses; empty if it doesn't say. */
const char *against_features(void);

/* A cipher with its key, or NULL if this library was built without it. The mode is "ctr" or "ecb". */
void *against_new(const char *algorithm, const char *mode, const uint8_t *key, size_t key_bytes);

/* Encrypts a message. In CTR `counter` is the first input block. Gives 0 if the library had no objection. */
int against_run(void *cipher, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes);

void against_free(void *cipher);

/* What functions on messages are called with. A tag is a digest, too. */
struct against_message {
    const uint8_t *key;
    size_t key_bytes;
    const uint8_t *nonce;
    size_t nonce_bytes;
    const uint8_t *in;
    /* As many bytes as are read, if any are made. */
    uint8_t *out;
    size_t bytes;
    uint8_t *tag;
    size_t tag_bytes;
};

/* The three that follow are for libraries that are timed on messages.
 *
 * A function, or NULL if this library was built without it. What is done is "digest", "mac", "seal", "encrypt" or "decrypt". */
void *against_function(const char *algorithm, const char *what);

/* Calls it, with the key set anew. Gives 0 if the library had no objection. */
int against_call(void *function, const struct against_message *message);

void against_done(void *function);

#ifdef __cplusplus
}
#endif

#endif
