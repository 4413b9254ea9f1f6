/*
 * Random scalings.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/check_scale.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "image/pixels_inline.h"

#define MAX_VALUES 65536

typedef struct {
    sac_scale scale; /* first: c->state is read as a sac_scale */
    uint64_t num[MAX_VALUES];
    uint64_t q16[MAX_VALUES];
    uint64_t occurs[MAX_VALUES];
    uint32_t q8[256];
} holder;

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void count(uint64_t *occurs, const sac_pixels *in, int32_t depth)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            uint16_t v = 0;
            for (int k = 0; k < in->n_colors; k++) {
                uint16_t sample = depth == 8 ? *sac_row_u8(in, k, x, y) : *sac_row_u16(in, k, x, y);
                v = SAC_MAX(v, sample);
            }
            occurs[v]++;
        }
}

sac_status sac_check_scale_open(sac_check_case *c, const sac_pixels *in, int32_t depth)
{
    holder *h = sac_alloc(1, sizeof *h);
    if (!h)
        return SAC_E_NOMEM;
    uint64_t random = c->seed | 1;
    int32_t n_values = 1 << depth;
    h->scale = (sac_scale){.depth = depth, .num = h->num, .q8 = h->q8, .q16 = h->q16};
    /* As many bins as values half of the time, else any number from 2 on. */
    uint64_t r = sac_check_random(&random);
    h->scale.bins = r & 1 ? n_values : 2 + (int32_t)((r >> 8) % (uint64_t)(n_values - 1));
    /* Pixels of a picture: up to 2^31. */
    h->scale.den = 1 + (sac_check_random(&random) >> (33 + sac_check_random(&random) % 31));
    for (int32_t b = 0; b < h->scale.bins; b++)
        h->num[b] = sac_check_random(&random) % (h->scale.den + 1);
    qsort(h->num, (size_t)h->scale.bins, sizeof h->num[0], compare);
    h->num[h->scale.bins - 1] = h->scale.den;
    if (c->content == 1)
        h->scale.den = 0;
    count(h->occurs, in, depth);
    sac_scale_multipliers(h->q8, h->q16, &h->scale, h->occurs);
    c->state = h;
    return SAC_OK;
}

void sac_check_scale_close(sac_check_case *c)
{
    sac_free(c->state);
    c->state = NULL;
}

/* A copy of the holder's tables; the scale itself stays here. */
typedef struct {
    sac_scale scale; /* first: c->cuda is read as a sac_scale */
    void *memory;
} device_holder;

sac_status sac_check_scale_open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    const holder *h = c->state;
    device_holder *d = sac_alloc(1, sizeof *d);
    if (!d)
        return SAC_E_NOMEM;
    c->cuda = d;
    sac_status status = sac_gpu_alloc(gpu, &d->memory, sizeof *h, NULL);
    if (status == SAC_OK)
        status = sac_gpu_copy(d->memory, h, sizeof *h, sac_gpu_main_stream(gpu));
    if (status == SAC_OK)
        status = sac_gpu_wait(sac_gpu_main_stream(gpu));
    const holder *there = d->memory;
    d->scale = h->scale;
    d->scale.num = there->num;
    d->scale.q8 = there->q8;
    d->scale.q16 = there->q16;
    return status;
}

void sac_check_scale_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    device_holder *d = c->cuda;
    if (d)
        sac_gpu_free(gpu, d->memory);
    sac_free(d);
    c->cuda = NULL;
}
