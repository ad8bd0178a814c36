/* One subject of tools/compare.sh, which is compiled into this file: a plain C reference (REFERENCE), a tick of a design
 * (STEP, on its STATE), or a kernel of a cipher (KERNEL, on LANES blocks), the latter two in registers' form.
 *
 *   main check   ends with 1 if a reference does not give its known answer
 *   main time    prints nanoseconds and core cycles of a call
 *   main         calls the subject, with marks around one call for those who count its instructions */
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SIZE = 1 << 17, SAMPLES = 301 };
static _Alignas(64) unsigned char in[SIZE], out[SIZE], keys[SIZE];

#if defined REFERENCE
#include REFERENCE
static void subject(void) { reference(out, in, keys); }

static size_t parse(unsigned char *to, const char *text)
{
    size_t bytes = 0;
    for (unsigned value; sscanf(text + 2 * bytes, "%2x", &value) == 1; bytes++) to[bytes] = (unsigned char)value;
    return bytes;
}

static int check(void)
{
    unsigned char known[sizeof OUTPUT / 2];
    parse(keys, KEY);
    parse(in, INPUT);
    const size_t bytes = parse(known, OUTPUT);
    subject();
    return memcmp(out, known, bytes) != 0;
}
#else
#include SOURCE
static int check(void) { return 0; }
#if defined STEP
static _Alignas(64) STATE state;
static void subject(void)
{
    STEP(state.bank[!state.now], state.bank[state.now], PORTS);
    state.now = !state.now;
}
#else
static void subject(void) { KERNEL(keys, out, in, LANES); }
#endif
#endif

void started(void);
void finished(void);
__attribute__((noinline)) void started(void) { __asm__ volatile(""); }
__attribute__((noinline)) void finished(void) { __asm__ volatile(""); }

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Nanoseconds of a core cycle: additions that wait for each other. */
static double cycle(void)
{
    enum { ADDITIONS = 100000 };
    const double before = now();
#ifdef __x86_64__
    unsigned long x = 0;
    for (int i = 0; i < ADDITIONS / 10; i++)
        __asm__ volatile("add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n"
                         "add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0" : "+r"(x));
#endif
    return (now() - before) / ADDITIONS;
}

static double smaller(double x, double y) { return x < y ? x : y; }

/* The smallest of samples of about a fifth of a millisecond: what else runs can only add to it. */
static void measure(void)
{
    double call = 1e9, one = 1e9;
    long calls = 1;
    for (double took = 0; took < 2e5; calls *= 2) {
        const double before = now();
        for (long i = 0; i < calls; i++) subject();
        took = now() - before;
    }
    for (int sample = 0; sample < SAMPLES; sample++) {
        one = smaller(one, cycle());
        const double before = now();
        for (long i = 0; i < calls; i++) subject();
        call = smaller(call, (now() - before) / (double)calls);
    }
    printf("%.3f %.1f\n", call, call / one);
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "check") == 0) return check();
    if (count == 2 && strcmp(arguments[1], "time") == 0) return measure(), 0;
    subject();
    started();
    subject();
    finished();
    return 0;
}
