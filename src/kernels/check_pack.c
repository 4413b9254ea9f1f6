/*
 * Records for the pack rooms, and the calls on them. Out is one row: the packed records, as
 * sac_das_layout lays them out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/check_pack.h"

#include "base/alloc.h"

enum { OUT, IN };
enum { ACQUIRED, INNER, ONE_FRAME };

#define MAX_FRAMES 64 /* of a check: h of any size is folded into it */

const char *const sac_check_pack_modes[] = {"acquired", "frames-inner", "one-frame", NULL};
const char *const sac_check_pack_contents[] = {"noise", NULL};
const char *const sac_check_pack_tasks[] = {"A", "C", NULL};

typedef struct state {
    sac_das das;
    int parts;
    size_t size;
} state;

/* 128 records of 334 samples, 32 frames; 75 x 128 of 2,048, one frame. */
void sac_check_pack_set_task(sac_check_case *c, int32_t i)
{
    c->mode = i == 0 ? ACQUIRED : ONE_FRAME;
    c->w = i == 0 ? 334 : 2048;
    c->h = i == 0 ? 32 : 1;
}

static bool is_task(const sac_check_case *c)
{
    return (c->mode == ACQUIRED && c->w == 334 && c->h == 32) ||
           (c->mode == ONE_FRAME && c->w == 2048 && c->h == 1);
}

static size_t layout(sac_das *das, const sac_check_case *c, size_t size, int parts)
{
    bool one = c->mode == ONE_FRAME;
    *das = (sac_das){.n_tx = one && is_task(c) ? 75 : 1,
                     .n_rx = is_task(c) ? 128 : 2,
                     .n_samples = (int32_t)c->w,
                     .n_frames = one ? 1 : 1 + (int32_t)(c->h % MAX_FRAMES)};
    if (is_task(c) && !one)
        das->n_frames = 32;
    return sac_das_layout(das, parts, size);
}

void sac_check_pack_shape(sac_check_case *c, size_t size, int parts)
{
    sac_das das;
    size_t n = layout(&das, c, size, parts);
    int64_t records = (int64_t)das.n_tx * das.n_rx, frames = das.n_frames;
    bool inner = c->mode == INNER;
    c->n_args = 2;
    c->arg[OUT] =
        (sac_check_arg){"out",           SAC_CHECK_OUT, .size = size,  .align = SAC_ALIGNMENT,
                        .w = (int64_t)n, .h = 1,        .packed = true};
    c->arg[IN] =
        (sac_check_arg){"in", SAC_CHECK_IN, .size = size, .w = (inner ? frames : c->w) * parts,
                        .h = records * (inner ? c->w : frames)};
}

sac_status sac_check_pack_open(sac_check_case *c, size_t size, int parts)
{
    state *s = c->state = sac_alloc(1, sizeof *s);
    if (!s)
        return SAC_E_NOMEM;
    (void)layout(&s->das, c, size, parts);
    s->size = size;
    s->parts = parts;
    return SAC_OK;
}

void sac_check_pack_close(sac_check_case *c)
{
    sac_free(c->state);
    c->state = NULL;
}

void sac_check_pack_fill(sac_check_case *c)
{
    const sac_check_arg *a = &c->arg[IN];
    uint64_t random = c->seed | 1;
    for (int64_t y = 0; y < a->h; y++)
        for (size_t x = 0; x < (size_t)a->w * a->size; x++)
            a->data[y * a->row + (ptrdiff_t)x] = (uint8_t)(sac_check_random(&random) >> 56);
}

/* Records follow each other; a record's rows are its frames, or its samples. */
void sac_check_pack_call(sac_any_fn fn, const sac_check_case *c)
{
    const state *s = c->state;
    const sac_das *das = &s->das;
    const sac_check_arg *in = &c->arg[IN];
    ptrdiff_t element = (ptrdiff_t)s->size * s->parts;
    bool inner = c->mode == INNER;
    ptrdiff_t record = in->row * (inner ? das->n_samples : das->n_frames);
    for (int32_t r = 0; r < das->n_tx * das->n_rx; r++)
        ((sac_pack_fn)fn)(c->arg[OUT].data + r * das->rx * (ptrdiff_t)s->size,
                          in->data + r * record, das, das->n_frames, inner ? element : in->row,
                          inner ? in->row : element);
}

uint64_t sac_check_pack_bytes(const sac_check_case *c)
{
    const state *s = c->state;
    uint64_t samples = (uint64_t)s->das.n_tx * (uint64_t)s->das.n_rx * (uint64_t)s->das.n_samples;
    return samples * s->size * (uint64_t)s->parts * (uint64_t)(s->das.n_frames + s->das.n_packed);
}
