/*
 * Demodulation, of either type of sample: complex taps on the real samples, then one
 * rotation an output. A block of samples is first split into D phases of floats, so that what a
 * tap reads for many outputs lies side by side. With vectors where simd/floats.h came first, else
 * in plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DEMODULATE_INLINE_H
#define SAC_BEAMFORM_DEMODULATE_INLINE_H

#include <string.h>

#include "beamform/kernels/demodulate.h"
#include "base/multiply_add.h"

#define LANES SAC_DEMODULATE_LANES

/* One record. */
typedef struct sac_demodulate_record {
    const char *in;
    ptrdiff_t sample; /* bytes from one to the next */
    bool is_i16;
    const sac_demodulate_plan *plan;
} sac_demodulate_record;

static inline float sac_demodulate_load(const void *at, bool is_i16)
{
    return is_i16 ? (float)*(const int16_t *)at : *(const float *)at;
}

/* phase[p * pitch + j] = x[first + j d + p] for places j in [begin, end), where x may end. */
static inline void sac_demodulate_split_ends(float *phase, const sac_demodulate_record *r,
                                             int32_t d, int64_t first, int64_t begin, int64_t end)
{
    for (int32_t p = 0; p < d; p++)
        for (int64_t j = begin; j < end; j++) {
            int64_t i = first + j * d + p;
            bool is_in = i >= 0 && i < r->plan->n_samples;
            phase[p * r->plan->pitch + j] =
                is_in ? sac_demodulate_load(r->in + i * r->sample, r->is_i16) : 0;
        }
}

/* The same for places [begin, end) whose samples are all in the record. */
static inline void sac_demodulate_split_inside(float *restrict phase,
                                               const sac_demodulate_record *r, int32_t d,
                                               ptrdiff_t sample, int64_t first, int64_t begin,
                                               int64_t end)
{
    const char *restrict in = r->in + (first + begin * d) * sample;
    const int64_t n = end - begin;
    for (int32_t p = 0; p < d; p++) {
        float *restrict to = phase + p * r->plan->pitch + begin;
        for (int64_t j = 0; j < n; j++)
            to[j] = sac_demodulate_load(in + (j * d + p) * sample, r->is_i16);
    }
}

/* Places [0, n); with constants where compilers make vectors of them. */
static inline void sac_demodulate_split(float *phase, const sac_demodulate_record *r, int64_t first,
                                        int64_t n)
{
    const int32_t d = r->plan->decimation;
    const ptrdiff_t size = r->is_i16 ? 2 : 4;
    int64_t begin = first < 0 ? (-first + d - 1) / d : 0;
    int64_t end = r->plan->n_samples > first ? (r->plan->n_samples - first) / d : 0;
    end = end < n ? end : n;
    begin = begin < end ? begin : end;
    sac_demodulate_split_ends(phase, r, d, first, 0, begin);
    sac_demodulate_split_ends(phase, r, d, first, end, n);
    switch (begin == end ? 0 : r->sample == size ? d : -1) {
    case 0:
        break;
    case 1:
        sac_demodulate_split_inside(phase, r, 1, size, first, begin, end);
        break;
    case 2:
        sac_demodulate_split_inside(phase, r, 2, size, first, begin, end);
        break;
    case 4:
        sac_demodulate_split_inside(phase, r, 4, size, first, begin, end);
        break;
    default:
        sac_demodulate_split_inside(phase, r, d, r->sample, first, begin, end);
    }
}

#ifdef VF
/* LANES outputs from `n` on; y (LANES) c64. Not inlined, or gcc takes the address of each vector
 * from the stack's pointer. */
__attribute__((noinline)) static void sac_demodulate_lanes(float *restrict y, const float *phase,
                                                           const sac_demodulate_plan *plan,
                                                           int64_t n)
{
    vf re[LANES / VF], im[LANES / VF];
    for (int i = 0; i < LANES / VF; i++)
        re[i] = im[i] = vf_set(0);
    for (int32_t m = 0; m <= 2 * plan->half; m++) {
        const float *x = phase + plan->at[m];
        const vf a = vf_set(plan->re[m]), b = vf_set(plan->im[m]);
        for (int i = 0; i < LANES / VF; i++) {
            const vf v = vf_keep(vf_load(x + i * VF)); /* or gcc loads it for either sum */
            re[i] = vf_fma(a, v, re[i]);
            im[i] = vf_fma(b, v, im[i]);
        }
    }
    for (int i = 0; i < LANES / VF; i++) {
        const vf c = vf_load(plan->turn_re + n + i * VF), s = vf_load(plan->turn_im + n + i * VF);
        vf_store2(y + 2 * i * VF, vf_fnma(im[i], s, vf_mul(re[i], c)),
                  vf_fma(re[i], s, vf_mul(im[i], c)));
    }
}
#else
/* A function of its own for each sum: as one loop, gcc makes no vectors of them. */
static inline void sac_demodulate_tap(float sum[LANES], const float *x, float c)
{
    for (int32_t i = 0; i < LANES; i++)
        sum[i] = sac_multiply_add(c, x[i], sum[i]);
}

/* LANES outputs from `n` on; y (LANES) c64. */
static inline void sac_demodulate_lanes(float *restrict y, const float *phase,
                                        const sac_demodulate_plan *plan, int64_t n)
{
    float re[LANES] = {0}, im[LANES] = {0};
    for (int32_t m = 0; m <= 2 * plan->half; m++) {
        sac_demodulate_tap(re, phase + plan->at[m], plan->re[m]);
        sac_demodulate_tap(im, phase + plan->at[m], plan->im[m]);
    }
    const float *c = plan->turn_re + n, *s = plan->turn_im + n;
    for (int32_t i = 0; i < LANES; i++) {
        y[2 * i] = sac_multiply_add(re[i], c[i], -(im[i] * s[i]));
        y[2 * i + 1] = sac_multiply_add(re[i], s[i], im[i] * c[i]);
    }
}
#endif

static inline void sac_demodulate_row(float *out, const sac_demodulate_record *r)
{
    const sac_demodulate_plan *plan = r->plan;
    float phase[SAC_DEMODULATE_SCRATCH], y[2 * LANES];
    for (int64_t n0 = 0; n0 < plan->n_out; n0 += plan->block) {
        int64_t n1 = n0 + plan->block < plan->n_out ? n0 + plan->block : plan->n_out;
        int64_t lanes = (n1 - n0 + LANES - 1) / LANES * LANES;
        sac_demodulate_split(phase, r, n0 * plan->decimation - plan->half,
                             lanes + 2 * plan->half / plan->decimation);
        for (int64_t n = n0; n < n1; n += LANES) {
            bool whole = n1 - n >= LANES;
            sac_demodulate_lanes(whole ? out + 2 * n : y, phase + (n - n0), plan, n);
            if (!whole)
                memcpy(out + 2 * n, y, (size_t)(n1 - n) * 2 * sizeof *y);
        }
    }
}

/* A room's function for samples of one type, a constant where this is inlined. */
static inline void sac_demodulate_rows(float *out, ptrdiff_t out_row, const void *in,
                                       ptrdiff_t in_row, ptrdiff_t in_sample, bool is_i16,
                                       int64_t n_rows, const sac_demodulate_plan *plan)
{
    char *to = (char *)out;
    for (int64_t i = 0; i < n_rows; i++) {
        const sac_demodulate_record r = {(const char *)in + i * in_row, in_sample, is_i16, plan};
        sac_demodulate_row((float *)(void *)(to + i * out_row), &r);
    }
}

#undef LANES

#endif
