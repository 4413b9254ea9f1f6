/*
 * adapt_iq_f32 with vectors, whose lanes are neighbouring points: the signals of their elements,
 * as das_iq_f32 (das_iq_f32_single.h) takes them, but kept and not added up.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_IQ_F32_SIGNALS_H
#define SAC_BEAMFORM_ADAPT_IQ_F32_SIGNALS_H

#include "adapt_iq_f32.h"
#include "beamform/kernels/das_iq_f32/das_iq_f32_tiles.h"

#define PAIR (2 * VF) /* floats of a complex value of each lane: re, then im */

_Static_assert(sizeof(tile_receive) <= SAC_ADAPT_CHUNK && SAC_ADAPT_CHUNK % 64 == 0 &&
                   VF <= SAC_ADAPT_LANES && ELEMENTS >= 8,
               "sac_adapt_scratch counts less");

/* The parts of das->scratch; what a tile receives of all elements. Rows: of the elements that are
 * in the aperture of any lane. */
typedef struct work {
    char *chunks;              /* (n_chunks): tile_receive, SAC_ADAPT_CHUNK bytes apart */
    mf *active;                /* (n): lanes that take the row */
    float *signals, *spare[3]; /* (n, PAIR) */
    float *block;              /* (TILES, n_rx, PAIR): of each tile, over the transmits */
    float *sums;               /* (TILES, N_SUMS, VF) */
    float *rows;               /* of MV's matrix */
    vf count;                  /* rows that the lanes take */
    int32_t n_chunks, n;
    bool holes; /* a lane's rows do not all follow each other */
} work;

enum { N_SUMS = 6 };

static inline float *take(float **left, size_t n)
{
    float *part = *left;
    *left += n;
    return part;
}

static inline work work_of(const sac_das *das)
{
    const size_t n_rx = (size_t)das->n_rx, pairs = n_rx * 2 * SAC_ADAPT_LANES;
    float *left = das->scratch;
    work w = {0};
    w.chunks = (char *)take(&left, (n_rx / 8 + 1) * (SAC_ADAPT_CHUNK / sizeof(float)));
    w.active = (mf *)(void *)take(&left, n_rx * SAC_ADAPT_LANES);
    w.signals = take(&left, pairs);
    for (int i = 0; i < 3; i++)
        w.spare[i] = take(&left, pairs);
    w.sums = take(&left, (size_t)N_SUMS * SAC_DAS_BLOCK);
    w.block = take(&left, das->reduction->over == SAC_OVER_COMPOUND ? n_rx * 2 * SAC_DAS_BLOCK : 0);
    w.rows = left;
    return w;
}

static inline tile_receive *chunk_of(const work *w, int32_t i)
{
    return (tile_receive *)(void *)(w->chunks + (ptrdiff_t)i * SAC_ADAPT_CHUNK);
}

/* What the tile receives of all elements. */
static inline void receive_all(work *w, const sac_das *das, const linear_array *l,
                               const tile_points *p)
{
    const vf one = vf_set(1), none = vf_set(0);
    vf seen = none, ended = none, again = none;
    w->n = w->n_chunks = 0;
    w->count = none;
    for (int32_t r = 0; r < das->n_rx; r += ELEMENTS) {
        const int32_t end = das->n_rx - r < ELEMENTS ? das->n_rx : r + ELEMENTS;
        tile_receive *rx = chunk_of(w, w->n_chunks);
        rx->n = rx->span = 0;
        if (das->pitch_m > 0)
            receive_linear_tile(rx, l, p, r, end);
        else
            receive_any_tile(rx, das, p, r, end);
        for (int32_t k = 0; k < rx->n; k++) {
            const vf in = vf_select(rx->active[k], one, none);
            w->active[w->n++] = rx->active[k];
            w->count = vf_add(w->count, in);
            again = vf_max(again, vf_mul(in, ended));
            seen = vf_max(seen, in);
            ended = vf_max(ended, vf_sub(seen, in));
        }
        w->n_chunks += rx->n > 0;
    }
    w->holes = vf_greatest(again) > 0;
}

/* A transmit at a tile, and what becomes of a signal there. */
typedef struct arrival {
    const tile *to;
    const float *data;
    ptrdiff_t next;   /* from there to the next transmit's samples, which are fetched */
    int32_t first, i; /* of the arrivals */
    vf turn[2];       /* rotation and a(t) */
    bool turned, add; /* whether that is done here; added to what there is */
} arrival;

/* The samples (u, v) of the chunk's element k. */
static inline void put_signal(float *at, const tile_receive *rx, int32_t k, vf u, vf v,
                              const arrival *a)
{
    const vf c = vf_load(rx->re[k]), d = vf_load(rx->im[k]);
    vf re = vf_fnma(d, v, vf_mul(c, u)), im = vf_fma(d, u, vf_mul(c, v));
    if (a->turned) {
        const vf x = re;
        re = vf_fnma(a->turn[1], im, vf_mul(a->turn[0], re));
        im = vf_fma(a->turn[1], x, vf_mul(a->turn[0], im));
    }
    re = vf_select(rx->active[k], re, vf_set(0));
    im = vf_select(rx->active[k], im, vf_set(0));
    vf_store(at, a->add ? vf_add(vf_load(at), re) : re);
    vf_store(at + VF, a->add ? vf_add(vf_load(at + VF), im) : im);
}

/* A chunk's signals, where all samples lie inside of the records; n_windows and f are constants. */
static inline void align_inside(float *to, const tile_receive *rx, const sac_das *das,
                                const arrival *a, int32_t n_windows, form f)
{
    const vf zero = vf_set(0), of_tile = vf_load(a->to->part[a->i]);
    const vi whole = vi_load(a->to->whole[a->i]);
    const float *data = a->data + a->to->base[a->i];
    vf cubic[4] = {zero, zero, zero, zero};
    for (int32_t k = 0; k < rx->n; k++, to += PAIR) {
        const float *x = data + rx->element[k] * das->rx + rx->base[k];
        const float *next = x + a->next;
        __builtin_prefetch(next);
        __builtin_prefetch(next + VF_WINDOW - 1);
        __builtin_prefetch(next + das->imag);
        __builtin_prefetch(next + das->imag + VF_WINDOW - 1);
        vf part = vf_add(of_tile, vf_load(rx->part[k]));
        vi from = vf_carry(&part, vi_add(whole, vi_load(rx->whole[k])));
        if (f == CUBIC)
            cubic_coefficients(cubic, part);
        const vf u = pick_lanes(x, from, part, cubic, n_windows, f);
        const vf v = pick_lanes(x + das->imag, from, part, cubic, n_windows, f);
        put_signal(to, rx, k, u, v, a);
    }
}

/* The same, wherever they lie. */
static __attribute__((noinline)) void align_anywhere(float *to, const tile_receive *rx,
                                                     const sac_das *das, const arrival *a)
{
    for (int32_t k = 0; k < rx->n; k++, to += PAIR) {
        const float *x = a->data + rx->element[k] * das->rx;
        const mf active = rx->active[k];
        const uint32_t bits = mf_bits(active);
        vf part = vf_add(vf_load(a->to->part[a->i]), vf_load(rx->part[k]));
        vi at = vf_carry(&part, vi_add(vi_load(a->to->whole[a->i]), vi_load(rx->whole[k])));
        at = vi_add(at, vi_set(a->to->base[a->i] + rx->base[k]));
        if (bits & unsure_lanes(vf_from_vi(at), part, das->n_samples, form_of(das)))
            find_end_taps(&at, &part, bits, das, a->first + a->i, a->to->index, 1, &rx->element[k],
                          0);
        else if (das->interp == SAC_INTERP_NEAREST)
            at = vi_select(vf_ge(part, vf_set(0.5f)), vi_add(at, vi_set(1)), at);
        at = vi_select(active, at, vi_set(das->n_samples)); /* zeros */
        const vf u = gather_lanes(x, at, part, das), v = gather_lanes(x + das->imag, at, part, das);
        put_signal(to, rx, k, u, v, a);
    }
}

/* How many windows hold the samples of a chunk; 0: they lie apart, or near a record's end, or are
 * the nearest ones, about which double precision may have to decide. */
static inline int32_t windows_of(const tile_receive *rx, const sac_das *das, const arrival *a)
{
    const int32_t base = a->to->base[a->i], span = a->to->span[a->i] + rx->span + 3;
    const int32_t n = span <= VF_WINDOW ? 1 : 2, high = base + rx->high + n * VF_WINDOW;
    const bool inside = base + rx->low >= 1 && span <= 2 * VF_WINDOW && high < das->n_samples;
    return inside && das->interp != SAC_INTERP_NEAREST ? n : 0;
}

/* A transmit's signals (w->n, PAIR). */
static inline void align(float *to, const work *w, const sac_das *das, const arrival *a)
{
    for (int32_t i = 0; i < w->n_chunks; i++) {
        const tile_receive *rx = chunk_of(w, i);
        const int32_t n = windows_of(rx, das, a);
        const bool cubic = das->interp == SAC_INTERP_CUBIC;
        if (n == 0)
            align_anywhere(to, rx, das, a);
        else if (n == 1 && !cubic)
            align_inside(to, rx, das, a, 1, LINEAR);
        else if (n == 1)
            align_inside(to, rx, das, a, 1, CUBIC);
        else if (!cubic)
            align_inside(to, rx, das, a, 2, LINEAR);
        else
            align_inside(to, rx, das, a, 2, CUBIC);
        to += (ptrdiff_t)rx->n * PAIR;
    }
}

/* Each lane's own rows, one after the other from the first on; what follows is 0. */
static inline void compact(float *to, const work *w, const float *signals, int32_t count[VF])
{
    memset(count, 0, VF * sizeof *count);
    memset(to, 0, (size_t)w->n * PAIR * sizeof *to);
    for (int32_t row = 0; row < w->n; row++, signals += PAIR) {
        const uint32_t bits = mf_bits(w->active[row]);
        for (int32_t k = 0; k < VF; k++) {
            if (!(bits >> k & 1))
                continue;
            float *at = to + (ptrdiff_t)count[k]++ * PAIR + k;
            at[0] = signals[k];
            at[VF] = signals[VF + k];
        }
    }
}

#endif
