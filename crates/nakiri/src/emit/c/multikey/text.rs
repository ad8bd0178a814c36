//! The C around the kernels: declarations and functions, with placeholders.

pub const CONTEXT: &str = "\
/* How many lanes a context has, each with a key of its own. */
#define $UPPER_MULTIKEY_LANES $all

/* The keys of all lanes. */
typedef struct {
    uint8_t registers[$bytes]; /* expanded, in the form that the variant reads */
    uint8_t keys[$keys];       /* $key bytes for each lane */
    unsigned variant;          /* which kernels this CPU runs */
} $P_multikey_ctx;

/* Gives every lane its key: that of lane i is the $key bytes at keys + $key * i. */
void $P_multikey_expand_keys($P_multikey_ctx *ctx, const uint8_t *keys);

/* Gives one lane another key; -1 and nothing done if there is no such lane. Which lane it is is no secret. */
int $P_multikey_expand_key($P_multikey_ctx *ctx, size_t lane, const uint8_t key[$key]);

/* Erases the keys. */
void $P_multikey_wipe($P_multikey_ctx *ctx);

";

pub const BLOCKS: &str = "\
/* Blocks of every lane under the lane's own key: blocks[i] of $from bytes at in[i], to $to bytes each at out[i]. How many there
 * are is no secret; lanes without any are idle, and their pointers are not used. in[i] == out[i] is allowed if the
 * sizes are the same; otherwise nothing may overlap. */
void $P_multikey_$F_blocks(const $P_multikey_ctx *ctx, uint8_t *const *out, const uint8_t *const *in,
    const size_t *blocks);

";

pub const CTR: &str = "\
/* Adds each lane's key stream to the bytes[i] bytes at in[i], from the counter block at counters + $from * i on; the
 * blocks are counted in its $field, modulo the size of that field. Pointers as above. */
void $P_multikey_ctr_xor(const $P_multikey_ctx *ctx, const uint8_t *counters, uint8_t *const *out,
    const uint8_t *const *in, const size_t *bytes);

";

pub const SELF_TEST: &str = "\
/* 0 if every test vector came out right between lanes with other keys; else in which variant one didn't, from 1.$threads */
int $P_multikey_self_test(void);

";

pub const BATCH: &str = "\
$attribute__attribute__((noinline))
static void $name(const unsigned char *registers, uint8_t *out, const uint8_t *in)
{
    $input;
    $result;
    $load(x, in);
    $kernel($arguments, NULL);
    $store(out, y);
    $CLEAR(x);
    $CLEAR(y);
}
";

pub const EXPANSION: &str = "\
/* How many lanes each variant has, and the bytes of their expanded keys. */
static const size_t $P_multikey_lanes[$count] = { $lanes };
static const size_t $P_multikey_sizes[$count] = { $sizes };

static void $P_multikey_expand(unsigned variant, unsigned char *registers, const uint8_t *keys)
{
    switch (variant) {
$cases    }
}

static void $P_multikey_fill($P_multikey_ctx *ctx, const uint8_t *keys, unsigned variant)
{
    const size_t lanes = $P_multikey_lanes[variant], size = $P_multikey_sizes[variant];
    __builtin_memcpy(ctx->keys, keys, sizeof ctx->keys);
    ctx->variant = variant;
    for (size_t first = 0; first < $all; first += lanes)
        $P_multikey_expand(variant, ctx->registers + first / lanes * size, ctx->keys + $key * first);
}

void $P_multikey_expand_keys($P_multikey_ctx *ctx, const uint8_t *keys)
{
    $P_multikey_fill(ctx, keys, $P_choose());
}

int $P_multikey_expand_key($P_multikey_ctx *ctx, size_t lane, const uint8_t key[$key])
{
    const size_t lanes = $P_multikey_lanes[ctx->variant], size = $P_multikey_sizes[ctx->variant];
    if (lane >= $all)
        return -1;
    __builtin_memcpy(ctx->keys + $key * lane, key, $key);
    $P_multikey_expand(ctx->variant, ctx->registers + lane / lanes * size, ctx->keys + $key * (lane / lanes * lanes));
    return 0;
}

void $P_multikey_wipe($P_multikey_ctx *ctx)
{
    $library_erase(ctx, sizeof *ctx);
}

";

pub const RUN: &str = "\
static void $P_multikey_$F_run(unsigned variant, const unsigned char *registers, uint8_t *out, const uint8_t *in,
                               size_t batches)
{
    const size_t lanes = $P_multikey_lanes[variant];
    for (; batches > 0; batches--, in += $from * lanes, out += $to * lanes) {
        switch (variant) {
$cases        }
    }
}

";

pub const FUNCTION: &str = "\
/* How many batches of each variant are gathered at once. */
static const size_t $P_multikey_$F_most[$count] = { $most };

/* Gathers the blocks of some lanes, batch by batch, from block number `done` on, until no lane has more: how many batches these
 * are, at most `most`. */
static size_t $P_multikey_$F_gather(uint8_t *to, const uint8_t *const *in, const size_t *blocks, size_t lanes,
                                    size_t done, size_t most)
{
    for (size_t batch = 0; batch < most; batch++) {
        int any = 0;
        for (size_t lane = 0; lane < lanes; lane++, to += $from) {
            if (done + batch < blocks[lane]) {
                __builtin_memcpy(to, in[lane] + $from * (done + batch), $from);
                any = 1;
            } else {
                __builtin_memset(to, 0, $from);
            }
        }
        if (!any)
            return batch;
    }
    return most;
}

/* Brings results back to their lanes. */
static void $P_multikey_$F_spread(uint8_t *const *out, const uint8_t *from, const size_t *blocks, size_t lanes,
                                  size_t done, size_t batches)
{
    for (size_t block = done; block < done + batches; block++) {
        for (size_t lane = 0; lane < lanes; lane++, from += $to) {
            if (block < blocks[lane])
                __builtin_memcpy(out[lane] + $to * block, from, $to);
        }
    }
}

void $P_multikey_$F_blocks(const $P_multikey_ctx *ctx, uint8_t *const *out, const uint8_t *const *in,
                           const size_t *blocks)
{
    const size_t lanes = $P_multikey_lanes[ctx->variant], most = $P_multikey_$F_most[ctx->variant];
    const unsigned char *registers = ctx->registers;
    uint8_t from[$from * $room], to[$to * $room];
    for (size_t first = 0; first < $all; first += lanes) {
        for (size_t done = 0, batches = most; batches == most; done += batches) {
            batches = $P_multikey_$F_gather(from, in + first, blocks + first, lanes, done, most);
            $P_multikey_$F_run(ctx->variant, registers, to, from, batches);
            $P_multikey_$F_spread(out + first, to, blocks + first, lanes, done, batches);
        }
        registers += $P_multikey_sizes[ctx->variant];
    }
    $CLEAR(from);
    $CLEAR(to);
}

";

pub const STREAM: &str = "\
/* The counter block so many after another one. */
static void $P_multikey_count(uint8_t *block, const uint8_t *counter, uint64_t number)
{
    /* The bytes of the counter, least significant first. */
    static const uint8_t places[$size] = { $places };
    __builtin_memcpy(block, counter, $from);
    for (size_t k = 0; k < $size; k++) {
        number += counter[places[k]];
        block[places[k]] = (uint8_t)number;
        number >>= 8;
    }
}

/* Makes the counter blocks of some lanes, batch by batch, until no lane has more: how many batches these are, at most `most`. */
static size_t $P_multikey_counters(uint8_t *to, const uint8_t *counters, const size_t *bytes, size_t lanes,
                                   size_t done, size_t most)
{
    for (size_t batch = 0; batch < most; batch++) {
        int any = 0;
        for (size_t lane = 0; lane < lanes; lane++, to += $from) {
            $P_multikey_count(to, counters + $from * lane, done + batch);
            any |= $to * (done + batch) < bytes[lane];
        }
        if (!any)
            return batch;
    }
    return most;
}

/* Adds key stream to the texts of some lanes. */
static void $P_multikey_add(uint8_t *const *out, const uint8_t *const *in, const uint8_t *stream, const size_t *bytes,
                            size_t lanes, size_t done, size_t batches)
{
    for (size_t block = done; block < done + batches; block++) {
        for (size_t lane = 0; lane < lanes; lane++, stream += $to) {
            const size_t start = $to * block;
            uint8_t sum[$to];
            if (start + $to <= bytes[lane]) {
                __builtin_memcpy(sum, in[lane] + start, $to);
                for (size_t k = 0; k < $to; k++)
                    sum[k] ^= stream[k];
                __builtin_memcpy(out[lane] + start, sum, $to);
                $CLEAR(sum);
            } else {
                for (size_t k = 0; start + k < bytes[lane]; k++)
                    out[lane][start + k] = in[lane][start + k] ^ stream[k];
            }
        }
    }
}

void $P_multikey_ctr_xor(const $P_multikey_ctx *ctx, const uint8_t *counters, uint8_t *const *out,
                         const uint8_t *const *in, const size_t *bytes)
{
    const size_t lanes = $P_multikey_lanes[ctx->variant], most = $P_multikey_$F_most[ctx->variant];
    const unsigned char *registers = ctx->registers;
    uint8_t from[$from * $room], to[$to * $room];
    for (size_t first = 0; first < $all; first += lanes) {
        for (size_t done = 0, batches = most; batches == most; done += batches) {
            batches = $P_multikey_counters(from, counters + $from * first, bytes + first, lanes, done, most);
            $P_multikey_$F_run(ctx->variant, registers, to, from, batches);
            $P_multikey_add(out + first, in + first, to, bytes + first, lanes, done, batches);
        }
        registers += $P_multikey_sizes[ctx->variant];
    }
    $CLEAR(from);
    $CLEAR(to);
}

";

pub const TESTER: &str = "\
static int $P_multikey_test_$F(unsigned variant, const uint8_t *vector)
{
    $storage$P_multikey_ctx ctx;
    $storage$P_ctx one;
    $storageuint8_t keys[$keys], in[$from * $all], want[$to * $all], got[$to * $all], *outs[$all];
    $storageconst uint8_t *ins[$all];
    $storagesize_t blocks[$all];
    int bad = 0;
    for (size_t turn = 0; turn < 3; turn++) {
        for (size_t lane = 0; lane < $all; lane++) {
            const uint8_t other = (lane + turn) % 2 ? (uint8_t)(2 * lane + 1) : 0;
            for (size_t k = 0; k < $key; k++)
                keys[$key * lane + k] = vector[k] ^ (uint8_t)(other * (k + 1));
            for (size_t k = 0; k < $from; k++)
                in[$from * lane + k] = vector[$key + k] ^ other;
            __builtin_memcpy(want + $to * lane, vector + $key + $from, $to);
            if (other) {
                $P_expand(&one, keys + $key * lane, variant);
                $P_$F_run(variant, one.keys, want + $to * lane, in + $from * lane, 1);
            }
            ins[lane] = in + $from * lane;
            outs[lane] = got + $to * lane;
            blocks[lane] = 1;
        }
        if (turn == 0)
            $P_multikey_fill(&ctx, keys, variant);
        for (size_t lane = 0; turn > 0 && lane < $all; lane++)
            $P_multikey_expand_key(&ctx, lane, keys + $key * lane);
        $P_multikey_$F_blocks(&ctx, outs, ins, blocks);
        bad |= __builtin_memcmp(got, want, sizeof want) != 0;
    }
    return bad;
}

";

pub const SELF_TESTS: &str = "\
int $P_multikey_self_test(void)
{
    for (unsigned variant = 0; variant < $count; variant++) {
        if (!$P_runs(variant))
            continue;
$calls    }
    return 0;
}

";
