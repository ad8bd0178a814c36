/* The AEAD cores and the records of their published files.
 *
 * Compiled with -DASCON_AEAD128, -DACE_AE128, -DWAGE_AE128 or -DGIFT_COFB, which differ in how long blocks are, in how data
 * ends, and in which end of a vector byte 0 is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `ENDS` are the ports that only cores without tails have. */
#if defined GIFT_COFB
#include "gift_cofb.h"
#define CORE(name) gift_cofb_##name
#define ENDS(last, closing) last, closing,
enum { BLOCK = 16, TAILED = 0, FIRST_BYTE_LAST = 1 };
#elif defined ACE_AE128
#include "ace_ae128.h"
#define CORE(name) ace_ae128_##name
#define ENDS(last, closing)
enum { BLOCK = 8, TAILED = 1, FIRST_BYTE_LAST = 1 };
#elif defined WAGE_AE128
#include "wage_ae128.h"
#define CORE(name) wage_ae128_##name
#define ENDS(last, closing)
enum { BLOCK = 8, TAILED = 1, FIRST_BYTE_LAST = 1 };
#else
#include "ascon_aead128.h"
#define CORE(name) ascon_aead128_##name
#define ENDS(last, closing)
enum { BLOCK = 16, TAILED = 1, FIRST_BYTE_LAST = 0 };
#endif

enum { KEY = 16, TAG = 16, LENGTHS = 33, RECORDS = LENGTHS * LENGTHS };

/* How many blocks. With tails the last is not whole, and only empty associated data has none. Without them there is at
 * least one of associated data, none of an empty message, and no empty one behind a whole one. */
static size_t blocks(size_t length, int is_message) {
    if (TAILED) return length == 0 && !is_message ? 0 : length / BLOCK + 1;
    return length == 0 ? !is_message : (length + BLOCK - 1) / BLOCK;
}

typedef struct {
    unsigned char text[LENGTHS - 1 + TAG];
    size_t length;
} string;

static string the_key, the_nonce, longest_message, longest_data, answers[RECORDS];

/* The next line that is no remark, as bytes. */
static int read_line(FILE *file, string *to) {
    char line[256];
    do {
        if (!fgets(line, sizeof line, file)) return 0;
    } while (line[0] == '#');
    to->length = strcspn(line, "\n") / 2;
    if (to->length > sizeof to->text) return 0;
    for (size_t i = 0; i < to->length; i++) {
        unsigned value;
        if (sscanf(line + 2 * i, "%2x", &value) != 1) return 0;
        to->text[i] = (unsigned char)value;
    }
    return 1;
}

/* Reads all records; 0 if they are not there. */
static int read_records(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    int good = read_line(file, &the_key) && read_line(file, &the_nonce) && read_line(file, &longest_message)
        && read_line(file, &longest_data);
    for (size_t i = 0; good && i < RECORDS; i++)
        good = read_line(file, &answers[i]) && answers[i].length == i / LENGTHS + TAG;
    fclose(file);
    return good;
}

/* Where a byte of a text lies in a vector of so many bytes. */
static size_t place(size_t byte, size_t width) { return FIRST_BYTE_LAST ? width - 1 - byte : byte; }

/* A vector of the core from up to as many bytes as it is wide. */
static void put(unsigned char *vector, size_t width, const unsigned char *text, size_t length) {
    memset(vector, 0, width);
    for (size_t i = 0; i < length; i++) vector[place(i, width)] = text[i];
}

static int same(const unsigned char *vector, size_t width, const unsigned char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (vector[place(i, width)] != text[i]) return 0;
    return 1;
}
