/* SPDX-License-Identifier: 0BSD
 *
 * two_speeds: tests/verilog/two_speeds/two_speeds.v
 */

#ifndef TWO_SPEEDS_H
#define TWO_SPEEDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The registers of two_speeds_parallel_blocks() instances side by side. A copy is a state of its own; nothing points to it.
 * Ticks are the fastest if its address is a multiple of 64. */
typedef struct {
    uint8_t bank[2][272]; /* in the form that the variant reads: before and after a tick, in turn */
    unsigned variant, now;
} two_speeds_state;

/* Puts the registers of every instance to their reset values. */
void two_speeds_reset(two_speeds_state *state);

/* One tick of every instance. Each array holds a block (out_sum 1, out_taken 1, out_growth 1, out_late 1, in_rst_n 1, in_step 1 bytes each) of every instance, one after another.
 * Input and output may be the same if their sizes are. */
void two_speeds_step(two_speeds_state *state, uint8_t *out_sum, uint8_t *out_taken, uint8_t *out_growth, uint8_t *out_late, const uint8_t *in_rst_n, const uint8_t *in_step);

/* Erases a state. */
void two_speeds_wipe(two_speeds_state *state);

/* Whether this CPU can run a variant. If it can't, nothing else here may be called. */
int two_speeds_supported(void);

/* The target and slicing that this CPU runs, and how many blocks that processes at once. */
const char *two_speeds_variant(void);
size_t two_speeds_parallel_blocks(void);

/* 0 if every test vector came out right in every variant that this CPU can run; else which didn't, from 1. */
int two_speeds_self_test(void);

#ifdef __cplusplus
}
#endif

#endif
