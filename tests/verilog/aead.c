/* Runs an AEAD core, compiled from Verilog, on the records of a file, each in a lane of its own: encrypts and decrypts.
 * Lanes hand over a block when the core is ready for it, so that each is where its own lengths have brought it.
 *
 * Compiled with -DASCON_AEAD128 or -DGIFT_COFB, which differ in how data ends, and in which end of a vector byte 0 is. */
#include <stdio.h>
#include <string.h>

enum { BLOCK = 16, LENGTHS = 33, RECORDS = LENGTHS * LENGTHS, LANES = 1024, MOST_TICKS = 1000 };

/* What goes in and what comes out in a tick, lane by lane. */
static unsigned char start[LANES], decrypt[LANES], valid[LANES], message[LANES], last[LANES], closing[LANES], bytes[LANES];
static unsigned char key[LANES * BLOCK], nonce[LANES * BLOCK], block[LANES * BLOCK];
static unsigned char ready[LANES], done[LANES], out[LANES * BLOCK], tag[LANES * BLOCK];

#ifdef GIFT_COFB
#include "gift_cofb.h"
typedef gift_cofb_state core_state;
#define core_reset gift_cofb_reset
#define core_lanes gift_cofb_parallel_blocks
static void core_step(core_state *state) {
    gift_cofb_step(state, ready, out, tag, done, start, decrypt, key, nonce, valid, message, last, closing, bytes, block);
}
static size_t place(size_t byte) { return BLOCK - 1 - byte; }
/* How many blocks: at least one of associated data, none of an empty message, and no empty one behind a whole one. */
static size_t blocks(size_t length, int is_message) {
    return length == 0 ? !is_message : (length + BLOCK - 1) / BLOCK;
}
#else
#include "ascon_aead128.h"
typedef ascon_aead128_state core_state;
#define core_reset ascon_aead128_reset
#define core_lanes ascon_aead128_parallel_blocks
static void core_step(core_state *state) {
    ascon_aead128_step(state, ready, out, tag, done, start, decrypt, key, nonce, valid, message, bytes, block);
}
static size_t place(size_t byte) { return byte; }
/* How many blocks: the last is not whole, and only empty associated data has none. */
static size_t blocks(size_t length, int is_message) {
    return length == 0 && !is_message ? 0 : length / BLOCK + 1;
}
#endif

typedef struct {
    unsigned char text[2 * BLOCK + BLOCK];
    size_t length;
} string;

static string longest_key, longest_nonce, longest_message, longest_data, answers[RECORDS];

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

/* A vector of the core from up to BLOCK bytes. */
static void put(unsigned char *vector, const unsigned char *text, size_t length) {
    memset(vector, 0, BLOCK);
    for (size_t i = 0; i < length; i++) vector[place(i)] = text[i];
}

static int same(const unsigned char *vector, const unsigned char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (vector[place(i)] != text[i]) return 0;
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
    put(block + l * BLOCK, text + from, bytes[l]);
}

/* What a lane answered in a tick in which it took a block; or its tag. */
static int check(size_t l, lane *at, int opening) {
    const string *answer = &answers[at->record];
    const size_t message_length = at->record / LENGTHS;
    if (!valid[l]) {
        if (!done[l]) return 1;
        at->ticks = 1;
        return same(tag + l * BLOCK, answer->text + message_length, BLOCK);
    }
    if (!ready[l]) return 1;
    const size_t from = (at->next - at->data_blocks) * BLOCK;
    const int is_message = at->next++ >= at->data_blocks;
    const unsigned char *wanted = opening ? longest_message.text : answer->text;
    return !is_message || same(out + l * BLOCK, wanted + from, bytes[l]);
}

/* The ticks that some records take, one in each lane; 0 if one came out wrong. */
static size_t run(core_state *state, size_t first, size_t count, int opening) {
    lane lanes[LANES];
    size_t ticks = 0, waiting = count;
    core_reset(state);
    for (size_t l = 0; l < count; l++) {
        const size_t record = first + l;
        lanes[l] = (lane){record, blocks(record % LENGTHS, 0), blocks(record / LENGTHS, 1), 0, 0};
        start[l] = 1;
        valid[l] = 0;
        decrypt[l] = (unsigned char)opening;
        put(key + l * BLOCK, longest_key.text, BLOCK);
        put(nonce + l * BLOCK, longest_nonce.text, BLOCK);
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
    static core_state state;
    const size_t lanes = core_lanes();
    size_t most = 0, right = 0;
    FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
    if (!file || !read_line(file, &longest_key) || !read_line(file, &longest_nonce)
        || !read_line(file, &longest_message) || !read_line(file, &longest_data) || lanes > LANES) {
        printf("no records\n");
        return 2;
    }
    for (size_t i = 0; i < RECORDS; i++)
        if (!read_line(file, &answers[i]) || answers[i].length != i / LENGTHS + BLOCK) return 2;
    fclose(file);
    for (int opening = 0; opening < 2; opening++) {
        for (size_t first = 0; first < RECORDS; first += lanes) {
            const size_t records = RECORDS - first < lanes ? RECORDS - first : lanes;
            const size_t ticks = run(&state, first, records, opening);
            if (ticks == 0) return 1;
            right += records;
            most = ticks > most ? ticks : most;
        }
    }
    printf("%zu records in lanes of %zu, at most %zu ticks\n", right, lanes, most);
    return 0;
}
