/*
 * das_iq_f32 with vectors where there are several frames: the sums of taps. Some points are summed
 * abreast, since the next addition to a point's sum waits for the last one.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_SUMS_H
#define SAC_BEAMFORM_DAS_IQ_F32_SUMS_H

#include "das_iq_f32_taps.h"

/* Frames at a time: n_packed is SAC_DAS_FEW or a multiple of SLAB, of which there may be two. */
#define SLAB 16

/* What a point takes of up to SAC_DAS_CHUNK elements: where the transmit's sample lies, in scalars
 * after its data, the fraction to the next one, and the weight with its rotation. */
typedef struct point_taps {
    int32_t at[SAC_DAS_CHUNK];
    float fraction[SAC_DAS_CHUNK], re[SAC_DAS_CHUNK], im[SAC_DAS_CHUNK];
    float delay[SAC_DAS_CHUNK]; /* beyond the point's base */
} point_taps;

/* Of 2 SLAB frames re, then im: those that there are come first. */
typedef struct point_sum {
    _Alignas(64) float re[2 * SLAB], im[2 * SLAB];
} point_sum;

/* How many points are summed abreast: registers hold 8 sums of AVX-512 and AVX2, 16 of NEON. */
#define MOST_ABREAST 4
enum { FEW_ABREAST = 4, SLAB_ABREAST = VF == 16 ? 4 : 2, TWO_SLABS_ABREAST = VF == 16 ? 2 : 1 };

/* Whether half of a vector holds the frames: then the other half holds imaginary parts, which lie
 * behind the real ones in a sample, too. */
static inline bool is_half(int32_t n_frames)
{
    return 2 * n_frames == VF;
}

/* Vectors of real parts. */
static inline int32_t n_vectors(int32_t n_frames)
{
    return is_half(n_frames) ? 1 : n_frames / VF;
}

/* Samples of a record, counted from one, in scalars; those that are not wanted are that one. */
typedef struct neighbours {
    ptrdiff_t before, next, after;
} neighbours;

/* Where a fraction's samples lie; *a and c (cubic) are what they are multiplied by. */
SIMD_INLINE neighbours neighbours_of(vf *a, vf c[4], float fraction, ptrdiff_t sample, form f)
{
    *a = vf_set(fraction);
    if (f == CUBIC)
        cubic_coefficients(c, *a);
    if ((f == LINEAR_CLAMPED || f == CUBIC) && fraction < 0) {
        *a = vf_set(fraction > -2 ? 0 : -2 - fraction);
        if (f == CUBIC)
            two_coefficients(c, *a);
        return (neighbours){0, fraction > -2 ? 0 : sample, 0};
    }
    return (neighbours){-sample, sample, 2 * sample};
}

/* VF scalars at x. */
SIMD_INLINE vf interpolate_frames(const float *x, const neighbours *n, vf a, const vf c[4], form f)
{
    const vf u = vf_keep(vf_load(x));
    if (f == NEAREST)
        return u;
    const vf next = vf_load(x + n->next);
    if (f == CUBIC)
        return between_four(c, vf_load(x + n->before), u, next, vf_load(x + n->after));
    return between_two(a, u, next);
}

/* re, im += tap k; where half a vector holds the frames, re is both. n_frames and f are constants.
 */
SIMD_INLINE void add_tap(vf *re, vf *im, const point_taps *taps, int32_t k, const float *data,
                         const sac_das *das, int32_t n_frames, form f)
{
    const float *x = data + taps->at[k];
    const vf c = vf_set(taps->re[k]), d = vf_set(taps->im[k]);
    vf a = vf_set(0), cubic[4] = {a, a, a, a};
    const neighbours n = neighbours_of(&a, cubic, taps->fraction[k], das->sample, f);
    if (is_half(n_frames)) {
        const vf u = interpolate_frames(x, &n, a, cubic, f);
        *re = vf_fma(c, u, *re);
        *re = vf_fma(d, vf_times_j(u), *re);
        return;
    }
    for (int32_t v = 0; v < n_vectors(n_frames); v++, x += VF) {
        const vf u = interpolate_frames(x, &n, a, cubic, f);
        const vf w = interpolate_frames(x + das->imag, &n, a, cubic, f);
        re[v] = vf_fma(c, u, re[v]);
        im[v] = vf_fma(c, w, im[v]);
        re[v] = vf_fnma(d, w, re[v]);
        im[v] = vf_fma(d, u, im[v]);
    }
}

/* sum += taps [from, to) of n_points points; n_points, n_frames and f are constants. */
SIMD_INLINE void add_taps(point_sum *sum, const point_taps *taps, const float *data,
                          const sac_das *das, int32_t from, int32_t to, int32_t n_points,
                          int32_t n_frames, form f)
{
    enum { N = 2 * SLAB / VF };
    const int32_t n = n_vectors(n_frames);
    vf re[MOST_ABREAST][N], im[MOST_ABREAST][N];
    for (int32_t p = 0; p < n_points; p++)
        for (int32_t v = 0; v < n; v++) {
            re[p][v] = vf_load(sum[p].re + v * VF);
            im[p][v] = vf_load(sum[p].im + v * VF);
        }
    for (int32_t k = from; k < to; k++)
        for (int32_t p = 0; p < n_points; p++)
            add_tap(re[p], im[p], &taps[p], k, data, das, n_frames, f);
    for (int32_t p = 0; p < n_points; p++)
        for (int32_t v = 0; v < n; v++) {
            vf_store(sum[p].re + v * VF, re[p][v]);
            vf_store(sum[p].im + v * VF, im[p][v]);
        }
}

/* The same of any form. */
SIMD_INLINE void add_form(point_sum *sum, const point_taps *taps, const float *data,
                          const sac_das *das, int32_t from, int32_t to, int32_t n_points,
                          int32_t n_frames, form f)
{
    if (f == LINEAR)
        add_taps(sum, taps, data, das, from, to, n_points, n_frames, LINEAR);
    else if (f == LINEAR_CLAMPED)
        add_taps(sum, taps, data, das, from, to, n_points, n_frames, LINEAR_CLAMPED);
    else if (f == NEAREST)
        add_taps(sum, taps, data, das, from, to, n_points, n_frames, NEAREST);
    else
        add_taps(sum, taps, data, das, from, to, n_points, n_frames, CUBIC);
}

/* Of so many points abreast, or of one; each loop by itself, or it would be compiled worse. */
typedef void add_function(point_sum *sum, const point_taps *taps, const float *data,
                          const sac_das *das, int32_t from, int32_t to, form f);

#define ADD_FUNCTION(name, n_points, n_frames)                                                     \
    static __attribute__((noinline)) void name(point_sum *sum, const point_taps *taps,             \
                                               const float *data, const sac_das *das,              \
                                               int32_t from, int32_t to, form f)                   \
    {                                                                                              \
        add_form(sum, taps, data, das, from, to, n_points, n_frames, f);                           \
    }
ADD_FUNCTION(add_few, FEW_ABREAST, SAC_DAS_FEW)
ADD_FUNCTION(add_few_alone, 1, SAC_DAS_FEW)
ADD_FUNCTION(add_slab, SLAB_ABREAST, SLAB)
ADD_FUNCTION(add_slab_alone, 1, SLAB)
ADD_FUNCTION(add_two_slabs, TWO_SLABS_ABREAST, 2 * SLAB)
ADD_FUNCTION(add_two_slabs_alone, 1, 2 * SLAB)

/* x (n_frames) = a sum, rotated and weighed: by vectors, since gcc 12 fuses products whose sums and
 * differences alternate. n_frames: a constant. */
static inline void turn_sum(float *x, const point_sum *sum, int32_t n_frames, float c, float d)
{
    const vf cs = vf_set(c), ds = vf_set(d);
    float y[VF];
    if (is_half(n_frames)) {
        const vf u = vf_load(sum->re);
        vf_store(y, vf_add(vf_mul(cs, u), vf_mul(ds, vf_times_j(u))));
        for (int32_t f = 0; f < n_frames; f++) {
            x[2 * f] = y[f];
            x[2 * f + 1] = y[VF / 2 + f];
        }
        return;
    }
    for (int32_t v = 0; v < n_vectors(n_frames); v++) {
        const vf re = vf_load(sum->re + v * VF), im = vf_load(sum->im + v * VF);
        vf_store2(x + 2 * v * VF, vf_sub(vf_mul(cs, re), vf_mul(ds, im)),
                  vf_add(vf_mul(cs, im), vf_mul(ds, re)));
    }
}

/* out (n) = or += n_frames of a sum, rotated and weighed. n_frames: a constant. */
static inline void add_to_out(float *restrict out, const point_sum *restrict sum, bool fresh,
                              int32_t n, int32_t n_frames, float c, float d)
{
    float x[4 * SLAB];
    if (fresh && n >= n_frames) {
        turn_sum(out, sum, n_frames, c, d);
        return;
    }
    turn_sum(x, sum, n_frames, c, d);
    for (int32_t f = 0; f < 2 * (n < n_frames ? n : n_frames); f++)
        out[f] = fresh ? x[f] : out[f] + x[f];
}

#endif
