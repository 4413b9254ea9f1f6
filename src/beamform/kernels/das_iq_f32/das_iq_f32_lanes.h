/*
 * das_iq_f32:avx512, what both of its halves take sixteen at a time: rotations, and what a linear
 * array receives.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_LANES_H
#define SAC_BEAMFORM_DAS_IQ_F32_LANES_H

#include <immintrin.h>

#include "beamform/kernels/das_inline.h"

#define LANES 16

/* Delays of single precision are known to this many samples: nearer to a record's end, double
 * precision decides. */
#define EDGE 2e-3f

static inline __m512 splat(float x)
{
    return _mm512_set1_ps(x);
}

/* With -O0 these are macros of GCC's headers, which cast a mask to unsigned and pass it as signed:
 * no type here helps. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

/* The nearest multiples of a half. */
static inline __m512 halves(__m512 x)
{
    return _mm512_roundscale_ps(x, 0x10 | _MM_FROUND_NO_EXC);
}

/* from[at], 0 where not active. */
static inline __m512 gather(__mmask16 active, __m512i at, const float *from)
{
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), active, at, from, 4);
}

/* from[at], a double every 8 bytes. */
static inline __m512d gather_doubles(__m256i at, const double *from)
{
    return _mm512_i32gather_pd(at, from, 8);
}

#pragma GCC diagnostic pop

/* cos and sin of any turns, to 2e-6: as sac_das_rotation, with a term less. */
static inline void rotation(__m512 *cosine, __m512 *sine, __m512 turns)
{
    const __m512 odd_half = splat(0x1.8p22f); /* added, the last bit is the half's parity */
    __m512 half = halves(turns);
    __m512i sign = _mm512_slli_epi32(_mm512_castps_si512(_mm512_add_ps(half, odd_half)), 31);
    __m512 g = _mm512_sub_ps(turns, half), h = _mm512_mul_ps(g, g);
    __m512 c = _mm512_fmadd_ps(h, splat(57.024915f), splat(-85.332048f));
    __m512 s = _mm512_fmadd_ps(h, splat(-71.60768f), splat(81.408007f));
    c = _mm512_fmadd_ps(c, h, splat(64.937839f));
    s = _mm512_fmadd_ps(s, h, splat(-41.339246f));
    c = _mm512_fmadd_ps(c, h, splat(-19.739206f));
    s = _mm512_fmadd_ps(s, h, splat(6.2831805f));
    c = _mm512_fmadd_ps(c, h, splat(1));
    s = _mm512_mul_ps(s, g);
    *cosine = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(c), sign));
    *sine = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(s), sign));
}

/* A run's constants of a linear array; lengths are in samples: metres times fs / c. */
typedef struct linear_array {
    double samples, first, pitch; /* of a metre; of element 0; from one to the next */
    float turns;                  /* of the rotation, of a sample */
    float u2;                     /* (2 F)^2 */
    float flat, edge;             /* the window's; edge 0: all flat */
} linear_array;

static inline linear_array linear_of(const sac_das *das)
{
    const sac_apodization *a = &das->apodization;
    linear_array l = {.samples = das->fs_hz / das->c_m_s};
    l.first = das->x0_m * l.samples;
    l.pitch = das->pitch_m * l.samples;
    l.turns = (float)(das->phase_sign * das->fd_hz / das->fs_hz);
    l.u2 = (float)(4 * a->f_number * a->f_number);
    l.flat = a->window == SAC_WINDOW_HANN ? 0 : (float)(1 - a->taper);
    l.edge = a->f_number > 0 && a->window != SAC_WINDOW_RECT ? 1 - l.flat : 0;
    return l;
}

/* *re, *im *= the window at u^2. */
static inline void apply_window(__m512 *re, __m512 *im, const linear_array *l, __m512 u2)
{
    __m512 over = _mm512_sub_ps(_mm512_sqrt_ps(u2), splat(l->flat)), c, unused;
    __m512 turns = _mm512_mul_ps(_mm512_max_ps(over, _mm512_setzero_ps()), splat(0.5f / l->edge));
    rotation(&c, &unused, turns);
    __m512 w = _mm512_fmadd_ps(c, splat(0.5f), splat(0.5f));
    *re = _mm512_mul_ps(*re, w);
    *im = _mm512_mul_ps(*im, w);
}

/*
 * Point and element apart by x along the array, the point at distance rho from the array's line:
 * the path beyond rho, sqrt(x^2 + rho^2) - rho without cancellation, and its rotation and weight.
 * y2: the square of the point's y; z: its depth. All in samples.
 */
static inline void receive_linear(__m512 *beyond, __m512 *re, __m512 *im, const linear_array *l,
                                  __m512 x, __m512 rho, __m512 y2, __m512 z)
{
    __m512 x2 = _mm512_mul_ps(x, x);
    __m512 path = _mm512_sqrt_ps(_mm512_fmadd_ps(rho, rho, x2));
    /* 1e-30: where x and rho are 0, so is what lies beyond. */
    *beyond = _mm512_div_ps(x2, _mm512_add_ps(path, _mm512_add_ps(rho, splat(1e-30f))));
    rotation(re, im, _mm512_mul_ps(*beyond, splat(l->turns)));
    if (l->edge > 0) {
        __m512 lateral2 = _mm512_mul_ps(_mm512_add_ps(x2, y2), splat(l->u2));
        /* Beyond 1, and at z = 0, lies outside, and needs only be a number; min takes 1 for NaN. */
        apply_window(re, im, l,
                     _mm512_min_ps(_mm512_div_ps(lateral2, _mm512_mul_ps(z, z)), splat(1)));
    }
}

/* What some transmits bring to the points of a call. */
#define POINTS 256
#define TRANSMITS 40
typedef struct arrivals {
    int32_t first, n; /* transmits */
    /* (tau_tx - t0) fs, at a linear array with the path to its line, in samples: an integer, and
     * what lies beyond it. */
    float whole[TRANSMITS][POINTS], rest[TRANSMITS][POINTS];
    float re[TRANSMITS][POINTS], im[TRANSMITS][POINTS]; /* their rotation, and a(t) */
} arrivals;

static inline void find_arrivals(arrivals *tx, const sac_das *das, const double *x, const double *y,
                                 const double *z, int64_t first, int32_t n)
{
    double line[POINTS], tau[POINTS], to_line = das->pitch_m > 0 ? 1 / das->c_m_s : 0;
    double fd = das->phase_sign * das->fd_hz;
    /* What is so far away stays outside; it is put where its neighbours in a tile do not suffer. */
    const double low = -0x1p21, high = das->n_samples;
    for (int32_t i = 0; i < n; i++)
        line[i] = to_line * sqrt(y[i] * y[i] + z[i] * z[i]);
    for (int32_t k = 0; k < tx->n; k++) {
        int32_t t = tx->first + k;
        double t0 = das->transmits[t].t0_s, phase_t0 = das->phase_transmit ? 0 : t0;
        float weight = das->lri ? 1 : das->tx_weight[t];
        sac_das_arrival_row(tau, das, t, x, y, z, first, n);
        for (int32_t i = 0; i < n; i++) {
            double arrival = tau[i] + line[i], offset = (arrival - t0) * das->fs_hz;
            offset = offset > low ? offset < high ? offset : high : high;
            double whole = floor(offset);
            float re, im;
            tx->whole[k][i] = (float)whole;
            tx->rest[k][i] = (float)(offset - whole);
            sac_das_rotation(&re, &im, (float)sac_das_fraction((arrival - phase_t0) * fd));
            tx->re[k][i] = re * weight;
            tx->im[k][i] = im * weight;
        }
    }
}

/* Of eight elements and points, which are in the aperture: as sac_das_in_aperture, at a linear
 * array, to the last bit. */
static inline __mmask8 are_in_aperture(const sac_das *das, __m256i element, __m512d x, __m512d y,
                                       __m512d z)
{
    _Static_assert(sizeof(sac_element) == 64, "a gather takes an element every 64 bytes");
    double f = das->apodization.f_number;
    __m256i eighth = _mm256_slli_epi32(element, 3);
    x = _mm512_sub_pd(x, gather_doubles(eighth, das->elements[0].position_m));
    __m512d square = _mm512_mul_pd(z, z);
    __m512d lateral = _mm512_add_pd(_mm512_mul_pd(x, x), _mm512_mul_pd(y, y));
    lateral = _mm512_sub_pd(_mm512_add_pd(lateral, square), square);
    lateral = _mm512_max_pd(lateral, _mm512_setzero_pd());
    __m512d scaled = _mm512_mul_pd(_mm512_set1_pd(4 * f * f), lateral);
    return _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask(z, _mm512_setzero_pd(), _CMP_GT_OQ), scaled,
                                   square, _CMP_LE_OQ);
}

/* Eight integers nearest to x: -1 below 0, n from n on. */
static inline __m256i nearest(__m512d x, int32_t n)
{
    x = _mm512_min_pd(_mm512_max_pd(x, _mm512_set1_pd(-1)), _mm512_set1_pd(n));
    return _mm512_cvtpd_epi32(x);
}

/* The apertures of n points, as sac_das_aperture; at other than linear arrays, all elements. */
static inline void find_apertures(int32_t *begin, int32_t *end, const sac_das *das, const double *x,
                                  const double *y, const double *z, int32_t n)
{
    const sac_apodization *a = &das->apodization;
    const __m256i none = _mm256_setzero_si256(), all = _mm256_set1_epi32(das->n_rx);
    const __m256i last = _mm256_set1_epi32(das->n_rx - 1);
    bool everywhere = a->f_number <= 0 || das->pitch_m <= 0;
    __m512d pitch = _mm512_set1_pd(1 / das->pitch_m);
    for (int32_t i = 0; i < n; i += 8) {
        __mmask8 lanes = (__mmask8)(n - i >= 8 ? 0xff : (1 << (n - i)) - 1);
        __m256i low = none, high = all;
        if (!everywhere) {
            __m512d px = _mm512_maskz_loadu_pd(lanes, x + i),
                    py = _mm512_maskz_loadu_pd(lanes, y + i);
            __m512d pz = _mm512_maskz_loadu_pd(lanes, z + i);
            __m512d reach = _mm512_mul_pd(pz, _mm512_set1_pd(1 / (2 * a->f_number)));
            __m512d half = _mm512_sub_pd(_mm512_mul_pd(reach, reach), _mm512_mul_pd(py, py));
            half = _mm512_sqrt_pd(_mm512_max_pd(half, _mm512_setzero_pd()));
            __m512d at = _mm512_sub_pd(px, _mm512_set1_pd(das->x0_m));
            low = nearest(_mm512_mul_pd(_mm512_sub_pd(at, half), pitch), das->n_rx);
            high = nearest(_mm512_mul_pd(_mm512_add_pd(at, half), pitch), das->n_rx);
            __m256i first = _mm256_min_epi32(_mm256_max_epi32(low, none), last);
            __m256i final = _mm256_min_epi32(_mm256_max_epi32(high, none), last);
            __mmask8 in = are_in_aperture(das, first, px, py, pz);
            __mmask8 step = _mm256_cmp_epi32_mask(low, first, _MM_CMPINT_EQ) & (__mmask8)~in;
            low = _mm256_mask_add_epi32(low, step, low, _mm256_set1_epi32(1));
            in = are_in_aperture(das, final, px, py, pz);
            step = _mm256_cmp_epi32_mask(high, final, _MM_CMPINT_EQ) & in;
            high = _mm256_mask_add_epi32(high, step, high, _mm256_set1_epi32(1));
            __mmask8 before = _mm512_cmp_pd_mask(pz, _mm512_setzero_pd(), _CMP_GT_OQ);
            low = _mm256_max_epi32(low, none);
            high = _mm256_mask_max_epi32(low, before, low, high);
        }
        _mm256_mask_storeu_epi32(begin + i, lanes, low);
        _mm256_mask_storeu_epi32(end + i, lanes, high);
    }
}

/*
 * Delays near the records' ends, or beyond them: *whole becomes the gap of zeros where they are
 * outside, and where single precision cannot tell, double precision decides. Lane i is of point
 * index + i * index_step and element[i * element_step].
 */
static __attribute__((noinline)) void find_end_taps(__m512i *whole, __m512 *fraction,
                                                    __mmask16 active, const sac_das *das, int32_t t,
                                                    int64_t index, int64_t index_step,
                                                    const int32_t *element, int32_t element_step)
{
    _Alignas(64) int32_t n[LANES];
    _Alignas(64) float a[LANES];
    float last = (float)(das->n_samples - 1);
    _mm512_store_si512(n, *whole);
    _mm512_store_ps(a, *fraction);
    for (int32_t i = 0; i < LANES; i++) {
        float s = (float)n[i] + a[i];
        bool inside = (active >> i & 1) && s >= 0 && s <= last;
        if ((active >> i & 1) && (fabsf(s) < EDGE || fabsf(s - last) < EDGE)) {
            double p[3], c[4], t0 = das->transmits[t].t0_s;
            const double *e = das->elements[element[i * element_step]].position_m;
            sac_das_point(p, das, index + i * index_step);
            double tau = sac_das_arrival_s(&das->transmits[t], das->elements, das->n_rx, das->c_m_s,
                                           p, index + i * index_step) +
                         sac_distance(p, e) / das->c_m_s;
            int32_t taps = sac_das_taps(c, &n[i], (tau - t0) * das->fs_hz, das->n_samples,
                                        das->interp, das->outside);
            inside = taps > 0;
            a[i] = taps > 1 ? (float)c[1] : 0;
        }
        n[i] = inside ? n[i] : das->n_samples;
        a[i] = inside ? a[i] : 0;
    }
    *whole = _mm512_load_si512(n);
    *fraction = _mm512_load_ps(a);
}

#endif
