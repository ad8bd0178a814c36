/* $maker */
/* SPDX-License-Identifier: 0BSD */

/* Runs the self tests of the primitives that are named, or of all. */

#include "$name.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *primitive;
    const char *interface;
    int (*supported)(void);
    int (*test)(void);
} tests[] = {
$tests};

int main(int argc, char **argv)
{
    int wrong = 0, run = 0;
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) {
        int wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], tests[k].primitive) == 0;
        if (!wanted)
            continue;
        run++;
        if (!tests[k].supported()) {
            printf("%s: this CPU runs no variant\n", tests[k].interface);
            continue;
        }
        const int vector = tests[k].test();
        printf("%s: %s\n", tests[k].interface, vector == 0 ? "passed" : "FAILED");
        wrong |= vector != 0;
    }
    if (run == 0)
        fprintf(stderr, "there is no such primitive\n");
    return run == 0 || wrong;
}
