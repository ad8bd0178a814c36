/* Samples, and how long each of these lasts at least. */
enum { BENCH_SAMPLES = 31, BENCH_LASTS = 100000 };

#if defined(__x86_64__) || defined(__i386__)
static const char unit[] = "time-stamp cycles";

static uint64_t now(void)
{
    return __builtin_ia32_rdtsc();
}
#else
static const char unit[] = "nanoseconds";

static uint64_t now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
#endif

static int compared(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints what a byte costs, at least and in the middle of some samples. */
static void measure(const struct bench *bench, void (*call)(const struct bench *), size_t bytes)
{
    double samples[BENCH_SAMPLES];
    size_t times = 1;
    for (;;) {
        const uint64_t start = now();
        for (size_t k = 0; k < times; k++)
            call(bench);
        if (now() - start >= BENCH_LASTS || times > SIZE_MAX / 4)
            break;
        times *= 2;
    }
    for (size_t sample = 0; sample < BENCH_SAMPLES; sample++) {
        const uint64_t start = now();
        for (size_t k = 0; k < times; k++)
            call(bench);
        samples[sample] = (double)(now() - start) / (double)times / (double)bytes;
    }
    qsort(samples, BENCH_SAMPLES, sizeof *samples, compared);
    printf(" %10.3f %10.3f", samples[0], samples[BENCH_SAMPLES / 2]);
}

static uint8_t *room(size_t bytes)
{
    uint8_t *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "there is no memory for %zu bytes\n", bytes);
        exit(1);
    }
    for (size_t k = 0; k < bytes; k++)
        memory[k] = (uint8_t)(k * 167 >> 3);
    return memory;
}

/* Measures what is called on messages of some bytes. */
static void row(const struct measured *measured, const char *variant, size_t length)
{
    length -= length % measured->unit;
    if (length == 0 || length > measured->most)
        return;
    static uint8_t inputs[BENCH_MANY * BENCH_LARGEST], results[BENCH_MANY * BENCH_LARGEST];
    for (size_t k = 0; k < sizeof inputs; k++)
        inputs[k] = (uint8_t)(k * 5 + 1);
    uint8_t *in = room(length), *out = room(length), *made = room(length), *texts = room(BENCH_MANY * length);
    struct bench bench = { .length = length, .count = BENCH_MANY, .in = in, .out = made, .inputs = inputs, .results = results };
    for (size_t k = 0; k < BENCH_MANY; k++) {
        bench.texts[k] = texts + k * length;
        bench.lengths[k] = length;
    }
    if (measured->before != NULL)
        measured->before(&bench);
    bench.out = out;
    if (measured->back)
        bench.in = made;
    printf("%-32s %-24s %9zu", measured->name, variant, length);
    measure(&bench, measured->alone, length);
    if (measured->many != NULL)
        measure(&bench, measured->many, BENCH_MANY * length);
    printf("\n");
    fflush(stdout);
    free(in);
    free(out);
    free(made);
    free(texts);
}

/* Arguments are lengths of messages, and beginnings of names of functions; without these all, 64 and 16384 bytes. */
int main(int argc, char **argv)
{
    size_t lengths[16] = { 64, 16384 }, count = 2;
    int named = 0, given = 0;
    for (int k = 1; k < argc; k++) {
        char *end;
        const unsigned long long length = strtoull(argv[k], &end, 10);
        if (*end != 0 || end == argv[k]) {
            named = 1;
            continue;
        }
        if (length == 0 || length > (1u << 28) || given == 16) {
            fprintf(stderr, "usage: %s [BYTES]... [NAME]...\n", argv[0]);
            return 2;
        }
        lengths[given++] = (size_t)length;
        count = (size_t)given;
    }
    printf("%s a byte, at least and in the middle of %d samples: a message alone, and %d at once\n", unit, BENCH_SAMPLES, BENCH_MANY);
    printf("%-32s %-24s %9s %10s %10s %10s %10s\n", "function", "variant", "bytes", "min", "median", "min", "median");
    for (const struct measured *measured = all; measured->name != NULL; measured++) {
        int wanted = !named;
        for (int k = 1; k < argc; k++)
            wanted |= strncmp(measured->name, argv[k], strlen(argv[k])) == 0;
        if (!wanted || !measured->supported())
            continue;
        for (const char *const *variant = measured->variants(); *variant != NULL; variant++) {
            if (measured->use_variant(*variant) != 0) {
                printf("%-32s %-24s not run: this CPU lacks what it needs\n", measured->name, *variant);
                continue;
            }
            for (size_t k = 0; k < count; k++)
                row(measured, *variant, lengths[k]);
        }
        measured->use_variant(NULL);
    }
    return 0;
}
