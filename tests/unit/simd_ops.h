/*
 * src/simd's operations as functions on arrays, once for each set of instructions: what
 * test_simd.c compares.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_SIMD_OPS_H
#define SAC_TESTS_SIMD_OPS_H

#include <stdint.h>

/* An operation works through N_BYTES bytes of each input, V8 at a time; those that take pixels of
 * up to 4 bytes read 4 times as many. It writes up to 4 N_BYTES. */
#define N_INPUTS 4
#define N_BYTES 384
#define N_ALL (4 * N_BYTES)

typedef struct simd_op {
    const char *name;
    void (*run)(uint8_t *out, const uint8_t *const in[N_INPUTS]);
} simd_op;

/* Ends with a NULL name; the same list for all. */
const simd_op *simd_ops_plain(void);
const simd_op *simd_ops_avx2(void);
const simd_op *simd_ops_avx512(void);
const simd_op *simd_ops_neon(void);

#endif
