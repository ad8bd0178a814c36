/* Runs an AEAD core, compiled from Verilog, on the records of a file, each in a lane of its own: encrypts and decrypts.
 * Lanes hand over a block when the core is ready for it, so that each is where its own lengths have brought it.
 * A second argument n takes every n-th record alone. */
#include "aead.h"

enum { LANES = 1024, MOST_TICKS = 2000 };

/* What goes in and what comes out in a tick, lane by lane. */
static unsigned char start[LANES], decrypt[LANES], valid[LANES], message[LANES], last[LANES], closing[LANES], bytes[LANES];
static unsigned char key[LANES * KEY], nonce[LANES * KEY], block[LANES * BLOCK];
static unsigned char ready[LANES], done[LANES], out[LANES * BLOCK], tag[LANES * TAG];

static void core_step(CORE(state) *state) {
    CORE(step)(state, ready, out, tag, done, start, decrypt, key, nonce, valid, message, ENDS(last, closing) bytes, block);
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
    if (count < 2 || count > 3 || every == 0 || lanes > LANES || !read_records(arguments[1])) {
        printf("no records\n");
        return 2;
    }
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
