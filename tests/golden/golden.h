/*
 * Hashes of pictures, and the ways to compute one that must all give the same bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_GOLDEN_H
#define SAC_TESTS_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>

#include <saccade/equalize.h>

#include "skip.h"

#define GOLDEN_START UINT64_C(0xcbf29ce484222325) /* FNV-1a's */

/* FNV-1a over the samples, low byte first, in the order of the axes. */
static inline uint64_t golden_hash(uint64_t hash, const sac_array *a)
{
    const int64_t n_c = a->n_dims == 3 ? a->shape[2] : 1;
    for (int64_t y = 0; y < a->shape[0]; y++)
        for (int64_t x = 0; x < a->shape[1]; x++)
            for (int64_t c = 0; c < n_c; c++) {
                const char *at = (const char *)a->data + y * a->stride[0] + x * a->stride[1] +
                                 (a->n_dims == 3 ? c * a->stride[2] : 0);
                const uint32_t value =
                    a->dtype == SAC_U8 ? *(const uint8_t *)at : *(const uint16_t *)(const void *)at;
                for (size_t i = 0; i < sac_dtype_size(a->dtype); i++)
                    hash = (hash ^ (value >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
            }
    return hash;
}

/* Which rungs and how many threads; NULL is what the planner takes. */
typedef struct golden_way {
    const char *variant;
    uint32_t needs;
    int32_t n_threads;
} golden_way;

static const golden_way golden_ways[] = {
    {NULL, 0, 1},
    {NULL, 0, 2},
    {NULL, 0, 7},
    {"plain", 0, 1},
    {"plain", 0, 2},
    {"plain", 0, 7},
    {"auto_v3", SAC_CPU_V3, 1},
    {"auto_v3", SAC_CPU_V3, 2},
    {"auto_v3", SAC_CPU_V3, 7},
    {"auto_v4", SAC_CPU_V4, 1},
    {"auto_v4", SAC_CPU_V4, 2},
    {"auto_v4", SAC_CPU_V4, 7},
    {"ref", 0, 2}, /* last: large pictures go without */
};
enum { N_GOLDEN_WAYS = sizeof golden_ways / sizeof golden_ways[0] };

/* Whether this CPU can; all that it cannot is skipped. */
static inline bool golden_can(const golden_way *way)
{
    return !(way->needs & ~sac_cpu_usable());
}

static inline sac_equalize_desc golden_desc(const sac_array *a)
{
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = a->dtype;
    desc.h = a->shape[0];
    desc.w = a->shape[1];
    desc.n_channels = a->n_dims == 3 ? (int32_t)a->shape[2] : 1;
    return desc;
}

/* A plan for this way, or the end of the program: whatever fails here is no matter of pixels. */
static inline sac_equalize *golden_open(sac_equalize_desc desc, const golden_way *way)
{
    sac_equalize *plan = NULL;
    sac_error err = {0};
    desc.variant = way->variant;
    desc.n_threads = way->n_threads;
    if (sac_equalize_open(&plan, &desc, &err) != SAC_OK) {
        fprintf(stderr, "sac_equalize_open, variant %s: %s\n", way->variant ? way->variant : "-",
                err.text);
        exit(1);
    }
    return plan;
}

#endif
