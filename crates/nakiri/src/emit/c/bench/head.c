/* The most messages that are processed at once; bytes of the largest key and the like. */
enum { BENCH_MANY = 64, BENCH_LARGEST = $largest };

/* What calls are called with. */
struct bench {
    /* Bytes of a message, and how many there are where there are several. */
    size_t length, count;
    const uint8_t *in;
    uint8_t *out;
    /* Keys and the like, of each message. */
    const uint8_t *inputs;
    uint8_t *results;
    /* Messages, with their lengths, and as many lengths of nothing. */
    uint8_t *texts[BENCH_MANY];
    size_t lengths[BENCH_MANY], none[BENCH_MANY];
};

/* What is measured. */
struct measured {
    const char *name;
    int (*supported)(void);
    const char *const *(*variants)(void);
    int (*use_variant)(const char *name);
    /* Before all others, once: sets a key, or makes what leads back. */
    void (*before)(const struct bench *);
    void (*alone)(const struct bench *);
    void (*many)(const struct bench *);
    /* Whether it takes what was made before. */
    int back;
    /* Lengths are multiples of this, */
    size_t unit;
    /* and no more than this. */
    size_t most;
};

