/*
 * scan_u64: the inclusive prefix sum, as an equalization needs it of its histogram.
 *
 *     out[i] = in[0] + ... + in[i], i = 0..n-1, modulo 2^64
 *
 * out, in: (n), n >= 1, no overlap. Exact. The rungs are those of Duong, "Programmation GPU"
 * (2024), that make sense on one core: there each step is a step of all threads, here a pass over
 * the array.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_SCAN_U64_H
#define SAC_EQUALIZE_SCAN_U64_H

#include <stddef.h>

#include "room/variant.h"

typedef void (*sac_scan_u64_fn)(uint64_t *restrict out, const uint64_t *restrict in, size_t n);

void sac_scan_u64_sequential(uint64_t *restrict out, const uint64_t *restrict in, size_t n);
void sac_scan_u64_avx512(uint64_t *restrict out, const uint64_t *restrict in, size_t n);

/* libsaccade-ladder */
void sac_scan_u64_baseline(uint64_t *restrict out, const uint64_t *restrict in, size_t n);
void sac_scan_u64_two_ended(uint64_t *restrict out, const uint64_t *restrict in, size_t n);
void sac_scan_u64_two_array(uint64_t *restrict out, const uint64_t *restrict in, size_t n);
void sac_scan_u64_brent_kung(uint64_t *restrict out, const uint64_t *restrict in, size_t n);
void sac_scan_u64_kogge_stone(uint64_t *restrict out, const uint64_t *restrict in, size_t n);

SAC_INTERNAL extern const sac_room sac_scan_u64_room;

#endif
