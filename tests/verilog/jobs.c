/* Works off records of an AEAD core, compiled from Verilog, as jobs of the lanes of one state: a lane encrypts or decrypts a
 * record and takes the next when its tag has come.
 *
 *     jobs records.txt COUNT refill|batches TICKS
 *
 * works off COUNT jobs: all records both ways in mixed order, then random ones; with `batches` a lane waits until no other
 * has a job before it takes the next. Prints what was needed, and then how many lanes had a job in each of the first TICKS. */
#include "aead.h"

typedef struct {
    size_t record, data_blocks, message_blocks, next;
    int opening;
} job;

enum { LONGEST_TRACE = 4096 };

static CORE(queue) queue;
static size_t wrong;

static uint32_t drawn(uint32_t below) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

/* The job of a number. */
static job made(size_t number) {
    const size_t both = 2 * RECORDS, picked = number < both ? number * 1237 % both : drawn(2 * RECORDS);
    const size_t record = picked / 2;
    const job at = {record, blocks(record % LENGTHS, 0), blocks(record / LENGTHS, 1), 0, picked % 2};
    return at;
}

/* Gives a job to a lane, unless all have one. */
static int start(size_t number, job *at) {
    unsigned char decrypt, key[KEY], nonce[KEY];
    decrypt = (unsigned char)at->opening;
    put(key, KEY, the_key.text, KEY);
    put(nonce, KEY, the_nonce.text, KEY);
    return CORE(queue_start)(&queue, number, &decrypt, key, nonce, NULL, ENDS(NULL, NULL) NULL, NULL);
}

/* Gives a lane the next block of its job. */
static void give(size_t lane, const job *at) {
    const size_t message_length = at->record / LENGTHS, data_length = at->record % LENGTHS;
    const unsigned char message = at->next >= at->data_blocks;
    const size_t number = message ? at->next - at->data_blocks : at->next;
    const size_t length = message ? message_length : data_length, from = number * BLOCK;
    const string *answer = &answers[at->record];
    const unsigned char *text = !message ? longest_data.text : at->opening ? answer->text : longest_message.text;
    const unsigned char bytes = (unsigned char)(length - from < BLOCK ? length - from : BLOCK);
    const unsigned char last = number + 1 == (message ? at->message_blocks : at->data_blocks);
    const unsigned char closing = at->next + 1 == at->data_blocks + at->message_blocks;
    unsigned char block[BLOCK];
    put(block, BLOCK, text + from, bytes);
    (void)last;
    if (!CORE(queue_word)(&queue, lane, closing, NULL, NULL, NULL, &message, ENDS(&last, &closing) &bytes, block)) wrong++;
}

/* What a job answered to a block. */
static void check(job *at, const unsigned char *out) {
    const size_t number = at->next++;
    if (number < at->data_blocks) return;
    const size_t from = (number - at->data_blocks) * BLOCK, left = at->record / LENGTHS - from;
    const unsigned char *wanted = at->opening ? longest_message.text : answers[at->record].text;
    wrong += !same(out, BLOCK, wanted + from, left < BLOCK ? left : BLOCK);
}

int main(int count, char **arguments) {
    static size_t busy[LONGEST_TRACE];
    if (count != 5 || !read_records(arguments[1])) return 2;
    const size_t jobs = strtoul(arguments[2], NULL, 10), traced = strtoul(arguments[4], NULL, 10);
    const int refill = strcmp(arguments[3], "refill") == 0;
    job *all = malloc(jobs * sizeof *all);
    size_t started = 0, ended = 0, number, lane;
    if (!all || traced > LONGEST_TRACE) return 2;
    CORE(queue_init)(&queue);
    for (size_t j = 0; j < jobs; j++) all[j] = made(j);
    for (;;) {
        unsigned char out[BLOCK], tag[TAG];
        if (refill || ended == started)
            while (started < jobs && start(started, &all[started])) started++;
        while (CORE(queue_wants)(&queue, &number, &lane))
            if (all[number].next < all[number].data_blocks + all[number].message_blocks) give(lane, &all[number]);
        const uint64_t before = queue.lane_ticks;
        if (!CORE(queue_tick)(&queue)) break;
        if (queue.ticks <= traced) busy[queue.ticks - 1] = (size_t)(queue.lane_ticks - before);
        while (CORE(queue_answer)(&queue, &number, out, NULL)) check(&all[number], out);
        while (CORE(queue_done)(&queue, &number, NULL, tag)) {
            ended++;
            wrong += !same(tag, TAG, answers[all[number].record].text + all[number].record / LENGTHS, TAG);
        }
    }
    free(all);
    printf("%zu jobs, %zu wrong, %zu lanes, %llu ticks, %llu of use\n", ended, wrong, queue.lanes,
           (unsigned long long)queue.ticks, (unsigned long long)queue.lane_ticks);
    for (size_t t = 0; t < traced; t++) printf("%zu ", t < queue.ticks ? busy[t] : 0);
    printf("\n");
    return wrong != 0 || ended != jobs;
}
