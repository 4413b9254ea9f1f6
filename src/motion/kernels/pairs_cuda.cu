/*
 * Which pairs of frames share a launch; a frame's copy.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/launch.cuh"
#include "motion/kernels/pairs.cuh"

static ptrdiff_t shift_of(const sac_pixels *from, const sac_pixels *to)
{
    return (char *)to->color[0] - (char *)from->color[0];
}

/* Whether q is p, moved by a multiple of 16 bytes. */
static bool is_alike(const sac_pixels *p, const sac_pixels *q)
{
    const ptrdiff_t by = shift_of(p, q);
    bool alike = by % 16 == 0 && p->n_colors == q->n_colors && p->pixel == q->pixel &&
                 p->row == q->row && p->w == q->w && p->h == q->h && !p->alpha == !q->alpha;
    for (int c = 1; c < p->n_colors; c++)
        alike = alike && (char *)q->color[c] - (char *)p->color[c] == by;
    return alike && (!p->alpha || (char *)q->alpha - (char *)p->alpha == by);
}

static bool pairs_are_alike(const sac_pair *p, const sac_pair *q)
{
    return is_alike(&p->out, &q->out) && is_alike(&p->current, &q->current) &&
           is_alike(&p->previous, &q->previous);
}

static sac_pixels whole(const sac_pixels *p, bool joined)
{
    return joined ? sac_pixels_joined(p) : *p;
}

static void set_pictures(sac_alike *a, const sac_pair *pair, bool joined)
{
    a->out = whole(&pair->out, joined);
    a->current = whole(&pair->current, joined);
    a->previous = whole(&pair->previous, joined);
}

static void cut(sac_alike *a, sac_kind frames, sac_kind out)
{
    sac_units_cut(&a->out_units, &a->out, out, 1);
    sac_units_cut(&a->current_units, &a->current, frames, 1);
    sac_units_cut(&a->previous_units, &a->previous, frames, 1);
}

int32_t sac_pairs_alike(sac_alike *a, sac_kind *frames, sac_kind *out, const sac_pair *pairs,
                        int32_t n, bool bits)
{
    const sac_pair *first = &pairs[0];
    set_pictures(a, first,
                 sac_pixels_are_gapless(&first->out) && sac_pixels_are_gapless(&first->current) &&
                     sac_pixels_are_gapless(&first->previous) &&
                     !(bits && first->current.w % 8)); /* bits begin with each row */
    *frames = sac_kind_of(&a->current, 1);
    *out = bits ? SAC_UNITS_NONE : sac_kind_of(&a->out, 1);
    if (*frames == SAC_UNITS_NONE || *frames != sac_kind_of(&a->previous, 1) ||
        (*frames != SAC_UNITS_PLANES && !sac_pixels_same_order(&a->current, &a->previous)) ||
        (*out == SAC_UNITS_NONE && !bits))
        *frames = *out = SAC_UNITS_NONE;
    cut(a, *frames, *out);
    int32_t k = 0;
    for (; k < n && k < SAC_PAIRS && pairs_are_alike(first, &pairs[k]); k++) {
        a->shift[k].out = shift_of(&first->out, &pairs[k].out);
        a->shift[k].current = shift_of(&first->current, &pairs[k].current);
        a->shift[k].previous = shift_of(&first->previous, &pairs[k].previous);
    }
    return k;
}

void sac_pairs_by_pixels(sac_alike *a, const sac_pair *pair)
{
    set_pictures(a, pair, false);
    cut(a, SAC_UNITS_NONE, SAC_UNITS_NONE);
    a->shift[0] = {0, 0, 0};
}

#define MOST_BLOCKS 65536 /* of threads that go on to the next pixels */

dim3 sac_pair_grid(const sac_alike *a, sac_kind frames, int32_t n)
{
    const int64_t n_warps = (a->current_units.n + SAC_WARP - 1) / SAC_WARP;
    int64_t blocks = (n_warps + SAC_PAIR_WARPS - 1) / SAC_PAIR_WARPS;
    if (frames == SAC_UNITS_NONE) {
        const int64_t wanted =
            (a->current.w * a->current.h + SAC_PAIR_THREADS - 1) / SAC_PAIR_THREADS;
        blocks = wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
    }
    return dim3(blocks > 1 ? (unsigned)blocks : 1, (unsigned)n);
}

__global__ void __launch_bounds__(SAC_RUNG_THREADS)
    copy_frame(const __grid_constant__ sac_pixels out, const __grid_constant__ sac_pixels in)
{
    for (int64_t i = sac_grid_thread(); i < out.w * out.h; i += sac_grid_threads()) {
        int64_t x, y;
        sac_place(&x, &y, out, i);
        for (int c = 0; c < out.n_colors; c++)
            *sac_sample<uint8_t>(out, c, x, y) = *sac_sample<uint8_t>(in, c, x, y);
        sac_copy_alpha<uint8_t>(out, in, x, y);
    }
}

extern "C" sac_status sac_frame_copy_cuda(sac_gpu_stream stream, const sac_pixels *out,
                                          const sac_pixels *in)
{
    const sac_launch l = sac_launch_of(NULL, out->w * out->h);
    copy_frame<<<l.grid, l.block, 0, stream>>>(*out, *in);
    return sac_cuda_launched();
}
