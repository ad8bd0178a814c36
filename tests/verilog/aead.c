/* Runs an AEAD core, compiled from Verilog, on the records of a file, each in a lane of its own: encrypts and decrypts.
 * Lanes hand over a block when the core is ready for it, so that each is where its own lengths have brought it.
 * A second argument n takes every n-th record alone.
 *
 * Compiled with -DASCON_AEAD128, -DACE_AE128, -DWAGE_AE128 or -DGIFT_COFB, which differ in how long blocks are, in how data
 * ends, and in which end of a vector byte 0 is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined GIFT_COFB
#include "gift_cofb.h"
#define CORE(name) gift_cofb_##name
#define ENDS last, closing,
enum { BLOCK = 16, TAILED = 0, FIRST_BYTE_LAST = 1 };
#elif defined ACE_AE128
#include "ace_ae128.h"
#define CORE(name) ace_ae128_##name
#define ENDS
enum { BLOCK = 8, TAILED = 1, FIRST_BYTE_LAST = 1 };
#elif defined WAGE_AE128
#include "wage_ae128.h"
#define CORE(name) wage_ae128_##name
#define ENDS
enum { BLOCK = 8, TAILED = 1, FIRST_BYTE_LAST = 1 };
#else
#include "ascon_aead128.h"
#define CORE(name) ascon_aead128_##name
#define ENDS
enum { BLOCK = 16, TAILED = 1, FIRST_BYTE_LAST = 0 };
#endif

enum { KEY = 16, TAG = 16, LENGTHS = 33, RECORDS = LENGTHS * LENGTHS, LANES = 1024, MOST_TICKS = 2000 };

/* What goes in and what comes out in a tick, lane by lane. */
static unsigned char start[LANES], decrypt[LANES], valid[LANES], message[LANES], last[LANES], closing[LANES], bytes[LANES];
static unsigned char key[LANES * KEY], nonce[LANES * KEY], block[LANES * BLOCK];
static unsigned char ready[LANES], done[LANES], out[LANES * BLOCK], tag[LANES * TAG];

static void core_step(CORE(state) *state) {
    CORE(step)(state, ready, out, tag, done, start, decrypt, key, nonce, valid, message, ENDS bytes, block);
}

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

/* Where a lane is: the next block of associated data, then of the message; when its tag came. */
typedef struct {
    size_t record, data_blocks, message_blocks, next, ticks;
} lane;

static void offer(size_t l, const lane *at, int opening) {
    const string *answer = &answers[at->record];
    const size_t message_length = at->record / LENGTHS, data_length = at->record % LENGTHS;
    const int is_message = at->next >= at->data_blocks;
    const size_t number = is_message ? at->next - at->data_blocks : at->next;
    const size_t length = is_message ? message_length : data_length, from = number * BLOCK;
    const unsigned char *text = !is_message ? longest_data.text : opening ? answer->text : longest_message.text;
    valid[l] = at->next < at->data_blocks + at->message_blocks;
    if (!valid[l]) return;
    bytes[l] = (unsigned char)(length - from < BLOCK ? length - from : BLOCK);
    message[l] = (unsigned char)is_message;
    last[l] = number + 1 == (is_message ? at->message_blocks : at->data_blocks);
    closing[l] = at->next + 1 == at->data_blocks + at->message_blocks;
    put(block + l * BLOCK, BLOCK, text + from, bytes[l]);
}

/* What a lane answered in a tick in which it took a block; or its tag. */
static int check(size_t l, lane *at, int opening) {
    const string *answer = &answers[at->record];
    const size_t message_length = at->record / LENGTHS;
    if (!valid[l]) {
        if (!done[l]) return 1;
        at->ticks = 1;
        return same(tag + l * TAG, TAG, answer->text + message_length, TAG);
    }
    if (!ready[l]) return 1;
    const size_t from = (at->next - at->data_blocks) * BLOCK;
    const int is_message = at->next++ >= at->data_blocks;
    const unsigned char *wanted = opening ? longest_message.text : answer->text;
    return !is_message || same(out + l * BLOCK, BLOCK, wanted + from, bytes[l]);
}

/* The ticks that some records take, one in each lane, of which each is so many behind the one before; 0 if one came out
 * wrong. */
static size_t run(CORE(state) *state, size_t first, size_t count, size_t every, int opening) {
    lane lanes[LANES];
    size_t ticks = 0, waiting = count;
    CORE(reset)(state);
    for (size_t l = 0; l < count; l++) {
        const size_t record = first + l * every;
        lanes[l] = (lane){record, blocks(record % LENGTHS, 0), blocks(record / LENGTHS, 1), 0, 0};
        start[l] = 1;
        valid[l] = 0;
        decrypt[l] = (unsigned char)opening;
        put(key + l * KEY, KEY, the_key.text, KEY);
        put(nonce + l * KEY, KEY, the_nonce.text, KEY);
    }
    core_step(state);
    memset(start, 0, sizeof start);
    memset(key, 0, sizeof key);
    memset(nonce, 0, sizeof nonce);
    for (; waiting > 0 && ticks < MOST_TICKS; ticks++) {
        for (size_t l = 0; l < count; l++) offer(l, &lanes[l], opening);
        core_step(state);
        for (size_t l = 0; l < count; l++) {
            const int is_open = lanes[l].ticks == 0;
            if (is_open && !check(l, &lanes[l], opening)) {
                printf("record %zu is wrong in tick %zu\n", lanes[l].record + 1, ticks);
                return 0;
            }
            waiting -= is_open && lanes[l].ticks > 0;
        }
    }
    return waiting == 0 ? ticks + 1 : 0;
}

int main(int count, char **arguments) {
    static CORE(state) state;
    const size_t lanes = CORE(parallel_blocks)(), every = count == 3 ? strtoul(arguments[2], NULL, 10) : 1;
    size_t most = 0, right = 0;
    FILE *file = (count == 2 || count == 3) && every > 0 ? fopen(arguments[1], "r") : NULL;
    if (!file || !read_line(file, &the_key) || !read_line(file, &the_nonce)
        || !read_line(file, &longest_message) || !read_line(file, &longest_data) || lanes > LANES) {
        printf("no records\n");
        return 2;
    }
    for (size_t i = 0; i < RECORDS; i++)
        if (!read_line(file, &answers[i]) || answers[i].length != i / LENGTHS + TAG) return 2;
    fclose(file);
    for (int opening = 0; opening < 2; opening++) {
        for (size_t first = 0; first < RECORDS; first += lanes * every) {
            const size_t rest = (RECORDS - first + every - 1) / every, records = rest < lanes ? rest : lanes;
            const size_t ticks = run(&state, first, records, every, opening);
            if (ticks == 0) return 1;
            right += records;
            most = ticks > most ? ticks : most;
        }
    }
    printf("%zu records in lanes of %zu, at most %zu ticks\n", right, lanes, most);
    return 0;
}
