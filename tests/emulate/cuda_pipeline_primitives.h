/*
 * CUDA's header of this name as C++ knows it: a copy may be made as soon as it is begun, and need
 * not be made before the thread waits for it. Chance says which of both.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_PIPELINE_H
#define SAC_EMULATE_PIPELINE_H

#include "cuda_words.h"

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, HERE)
{
    emulated_copies *c = emulated_begun();
    const bool is_size = bytes == 4 || bytes == 8 || bytes == 16;
    if (!is_size || (uintptr_t)to % bytes || (uintptr_t)from % bytes)
        emulated_fail("a copy's size or place", line, line);
    if (c->n == EMULATED_COPIES)
        emulated_fail("too many copies", line, line);
    if (emulated_chance())
        memcpy(to, from, bytes);
    else
        c->copy[c->n++] = {to, from, (uint32_t)bytes, c->group};
}

static inline void __pipeline_commit()
{
    emulated_begun()->group++;
}

/* For all groups but the last `prior`. */
static inline void __pipeline_wait_prior(uint32_t prior)
{
    emulated_copies *c = emulated_begun();
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->copy[i].group + prior < c->group)
            memcpy(c->copy[i].to, c->copy[i].from, c->copy[i].bytes);
        else
            c->copy[kept++] = c->copy[i];
    c->n = kept;
}

#endif
