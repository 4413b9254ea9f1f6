/*
 * das_iq_f32 with vectors, what both of its halves take VF at a time: rotations, and what a linear
 * array receives.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_LANES_H
#define SAC_BEAMFORM_DAS_IQ_F32_LANES_H

#include "beamform/kernels/das/cuda/das_tapers.h"
#include "beamform/kernels/das/das_inline.h"
#include "simd/floats.h"

/* Delays of single precision are known to this many samples: nearer to a record's end, double
 * precision decides. */
#define EDGE 2e-3f

/* The greatest fraction of a sample of an arrival; with one of an element, which may be 1 where
 * it is rounded, less than 2. */
#define BELOW_1 0x1.fffffcp-1f

#define FAR 0x1p22f /* samples: outside of every record, and sums of a few fit an int32_t */

/* cos and sin of any turns, to 2e-6: as sac_das_rotation, with a term less. */
static inline void rotation(vf *cosine, vf *sine, vf turns)
{
    const vf shift =
        vf_set(0x1.8p22f); /* added, halves are left, and the last bit is their parity */
    vf shifted = vf_add(turns, shift), half = vf_sub(shifted, shift);
    vf g = vf_sub(turns, half), h = vf_mul(g, g);
    vf c = vf_fma(h, vf_set(57.024915f), vf_set(-85.332048f));
    vf s = vf_fma(h, vf_set(-71.60768f), vf_set(81.408007f));
    c = vf_fma(c, h, vf_set(64.937839f));
    s = vf_fma(s, h, vf_set(-41.339246f));
    c = vf_fma(c, h, vf_set(-19.739206f));
    s = vf_fma(s, h, vf_set(6.2831805f));
    c = vf_fma(c, h, vf_set(1));
    s = vf_mul(s, g);
    *cosine = vf_negate_odd(c, shifted);
    *sine = vf_negate_odd(s, shifted);
}

/* Offsets of a transmit's samples are 32-bit integers, and float knows the samples' numbers. */
static inline bool is_covered(const sac_das *das)
{
    return das->n_rx * das->rx < INT32_MAX && das->n_samples < 1 << 20;
}

/* A run's constants of a linear array; lengths are in samples: metres times fs / c. */
typedef struct linear_array {
    double samples, first, pitch; /* of a metre; of element 0; from one to the next */
    float turns;                  /* of the rotation, of a sample */
    double u2;                    /* (2 F)^2 */
    float flat, edge;             /* the window's; edge 0: all flat */
} linear_array;

static inline linear_array linear_of(const sac_das *das)
{
    const sac_apodization *a = &das->apodization;
    linear_array l = {.samples = das->fs_hz / das->c_m_s};
    l.first = das->x0_m * l.samples;
    l.pitch = das->pitch_m * l.samples;
    l.turns = (float)(das->phase_sign * das->fd_hz / das->fs_hz);
    l.u2 = 4 * a->f_number * a->f_number;
    l.flat = a->window == SAC_WINDOW_HANN ? 0 : (float)(1 - a->taper);
    l.edge = a->f_number > 0 && a->window != SAC_WINDOW_RECT ? 1 - l.flat : 0;
    return l;
}

/* A length as two floats; the differences of the first ones, multiples of 1/64, are exact. */
typedef struct fine_length {
    float coarse, rest;
} fine_length;

static inline fine_length fine(double x)
{
    const float coarse = (float)(floor(x * 64) * (1.0 / 64));
    return (fine_length){coarse, (float)(x - (double)coarse)};
}

/* From element r of a linear array to x, in samples from its first: it depends on the two alone, so
 * that a point comes out the same whatever it is computed with. */
static inline vf apart(vf coarse, vf rest, vf element_coarse, vf element_rest)
{
    return vf_add(vf_sub(coarse, element_coarse), vf_sub(rest, element_rest));
}

/*
 * An array that is no line. in_single: it is received as das_iq_f32_any.h has it. Else, and where
 * das_iq_f32_any.h is not asked, in double precision.
 */
typedef struct any_array {
    linear_array like; /* what a linear array's constants would be, but for its places */
    double middle_m[3];
    float radius; /* around the middle, samples */
    bool in_single;
} any_array;

#define LARGEST 1024 /* radius in single precision: longer delays round too much */

static inline any_array any_of(const sac_das *das)
{
    any_array a = {.like = linear_of(das)};
    if (das->pitch_m > 0)
        return a;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool faces = true;
    for (int32_t r = 0; r < das->n_rx; r++) {
        const sac_element *e = &das->elements[r];
        faces &= (e->normal[0] == 0) & (e->normal[1] == 0) & (e->normal[2] == 1);
        for (int i = 0; i < 3; i++) {
            low[i] = e->position_m[i] < low[i] ? e->position_m[i] : low[i];
            high[i] = e->position_m[i] > high[i] ? e->position_m[i] : high[i];
        }
    }
    for (int i = 0; i < 3; i++)
        a.middle_m[i] = 0.5 * (low[i] + high[i]);
    a.radius = (float)(0.5 * sac_distance(low, high) * a.like.samples);
    const bool in_plane = faces && low[2] == high[2];
    const bool short_delays = a.radius <= LARGEST && 2 * a.radius <= (float)das->n_samples;
    a.in_single = short_delays && (in_plane || das->apodization.f_number <= 0) &&
                  sac_das_tapers_in(&das->apodization, false);
    return a;
}

/* What a point's delays at an array in double precision are counted from: whole samples. */
static inline double any_base(const sac_das *das, const double p[3])
{
    double base = floor(sac_distance(p, das->elements[0].position_m) * (das->fs_hz / das->c_m_s));
    return base < 0x1p22 ? base : 0x1p22;
}

/* *re, *im *= the window at u^2. */
static inline void apply_window(vf *re, vf *im, const linear_array *l, vf u2)
{
    vf over = vf_sub(vf_sqrt(u2), vf_set(l->flat)), c, unused;
    vf turns = vf_mul(vf_max(over, vf_set(0)), vf_set(0.5f / l->edge));
    rotation(&c, &unused, turns);
    vf w = vf_fma(c, vf_set(0.5f), vf_set(0.5f));
    *re = vf_mul(*re, w);
    *im = vf_mul(*im, w);
}

/* The path beyond rho, sqrt(x^2 + rho^2) - rho without cancellation, of a point at distance rho
 * from a linear array's line, apart by x from an element along it. All in samples. */
static inline vf path_beyond(vf x, vf rho)
{
    vf x2 = vf_mul(x, x);
    vf path = vf_sqrt(vf_fma(rho, rho, x2));
    /* 1e-30: where x and rho are 0, so is what lies beyond. */
    return vf_div(x2, vf_add(path, vf_add(rho, vf_set(1e-30f))));
}

/* u^2, of a window alone. y2: the square of the point's y; open: see open_of. */
static inline vf linear_u2(const linear_array *l, vf x, vf y2, vf open)
{
    return l->edge > 0 ? vf_mul(vf_add(vf_mul(x, x), y2), open) : vf_set(0);
}

/* A delay's rotation, and the weight at u^2. */
static inline void turn_and_weigh(vf *re, vf *im, const linear_array *l, vf delay, vf u2)
{
    rotation(re, im, vf_mul(delay, vf_set(l->turns)));
    /* Beyond 1, and at z = 0, lies outside, and needs only be a number; min takes 1 for NaN. */
    if (l->edge > 0)
        apply_window(re, im, l, vf_min(u2, vf_set(1)));
}

/* u^2 of what lies one sample aside of a point at that depth. */
static inline float open_of(const linear_array *l, double z)
{
    return (float)(l->u2 / (z * z));
}

/* What some transmits bring to the points of a call. */
#define POINTS 512
#define TRANSMITS 40
typedef struct arrivals {
    int32_t first, n; /* transmits */
    /* (tau_tx - t0) fs, in samples, at a linear array with the path to its line, and with that to
     * the middle where delays are counted from there: an integer, and what lies beyond it. */
    float whole[TRANSMITS][POINTS], rest[TRANSMITS][POINTS];
    float re[TRANSMITS][POINTS], im[TRANSMITS][POINTS]; /* their rotation, and a(t) */
} arrivals;

/* from: the array's middle, where delays are counted from there; else NULL. */
static inline void find_arrivals(arrivals *tx, const sac_das *das, const double *x, const double *y,
                                 const double *z, int64_t first, int32_t n, const double *from)
{
    double line[POINTS], tau[POINTS];
    const double to_line = das->pitch_m > 0 || from ? 1 / das->c_m_s : 0;
    const double ahead = from ? 1 : 0,
                 o[3] = {from ? from[0] : 0, from ? from[1] : 0, from ? from[2] : 0};
    double fd = das->phase_sign * das->fd_hz;
    /* What is so far away stays outside; it is put where its neighbours in a tile do not suffer,
     * unless it is held at the record's begin. */
    const double low = -0x1p21, high = das->n_samples + (from ? LARGEST + 1 : 0);
    const double before = das->outside == SAC_OUTSIDE_CLAMP ? low : high;
    for (int32_t i = 0; i < n; i++) {
        double across = x[i], beyond = y[i];
        sac_das_receive_at(&across, &beyond, &das->line);
        const double u = ahead * (across - o[0]), v = beyond - o[1], w = z[i] - o[2];
        line[i] = to_line * sqrt(u * u + v * v + w * w);
    }
    for (int32_t k = 0; k < tx->n; k++) {
        int32_t t = tx->first + k;
        double t0 = das->transmits[t].t0_s, phase_t0 = das->phase_transmit ? 0 : t0;
        float weight = das->lri ? 1 : das->tx_weight[t];
        sac_das_arrival_row(tau, das, t, x, y, z, first, n);
        for (int32_t i = 0; i < n; i++) {
            double arrival = tau[i] + line[i], offset = (arrival - t0) * das->fs_hz;
            offset = offset > low ? offset < high ? offset : high : before;
            double whole = floor(offset);
            float re, im;
            tx->whole[k][i] = (float)whole;
            tx->rest[k][i] = (float)(offset - whole);
            tx->rest[k][i] = tx->rest[k][i] < BELOW_1 ? tx->rest[k][i] : BELOW_1;
            sac_das_rotation(&re, &im, (float)sac_das_fraction((arrival - phase_t0) * fd));
            tx->re[k][i] = re * weight;
            tx->im[k][i] = im * weight;
        }
    }
}

/* sac_das_in_aperture of the element at (x, 0, 0) of a linear array, to the last bit; without a
 * branch, so that the compiler makes vectors. */
static inline bool is_in_aperture(double f_number, double x, double y, double z)
{
    double square = z * z, lateral = x * x + y * y + square - square;
    lateral = lateral > 0 ? lateral : 0;
    return (z > 0) & (4 * f_number * f_number * lateral <= square);
}

/* The integer nearest to x: -1 below 0, n from n on. */
static inline int32_t nearest(double x, int32_t n)
{
    x = x > -1 ? x : -1;
    x = x < n ? x : n;
    return (int32_t)(x + 1.5) - 1;
}

/* Element `at`, or the array's nearest. */
static inline int32_t held(int32_t at, int32_t n)
{
    at = at > 0 ? at : 0;
    return at < n ? at : n - 1;
}

/* The apertures of n points, as sac_das_aperture; at other than linear arrays, all elements. */
static inline void find_apertures(int32_t *restrict begin, int32_t *restrict end,
                                  const sac_das *das, const double *restrict x,
                                  const double *restrict y, const double *restrict z, int32_t n)
{
    const double f = das->apodization.f_number, x0 = das->x0_m, pitch = 1 / das->pitch_m;
    const int32_t n_rx = das->n_rx;
    const sac_element *e = das->elements;
    bool everywhere = f <= 0 || das->pitch_m <= 0;
    for (int32_t i = 0; i < n && everywhere; i++) {
        begin[i] = 0;
        end[i] = n_rx;
    }
    for (int32_t i = 0; i < n && !everywhere; i++) {
        double reach = z[i] * (1 / (2 * f)), half = reach * reach - y[i] * y[i];
        half = sqrt(half > 0 ? half : 0);
        int32_t low = nearest((x[i] - x0 - half) * pitch, n_rx);
        int32_t high = nearest((x[i] - x0 + half) * pitch, n_rx);
        int32_t first = held(low, n_rx), last = held(high, n_rx);
        bool in = is_in_aperture(f, x[i] - e[first].position_m[0], y[i], z[i]);
        low += (low == first) & !in;
        in = is_in_aperture(f, x[i] - e[last].position_m[0], y[i], z[i]);
        high += (high == last) & in;
        low = low > 0 ? low : 0;
        high = high > low ? high : low;
        begin[i] = low;
        end[i] = z[i] > 0 ? high : low;
    }
}

#endif
