/*
 * Demodulation: the filter's design, its tables, and the definition in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/demodulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/kernels/fir.h"

#define PI 3.14159265358979323846
#define TRANSITION 0.25 /* the low-pass falls from 3/8 to 5/8 of the bandwidth */
#define ROUNDING 1e-6   /* of fs: what a band may exceed its place by */

double sac_demodulate_widest_hz(double fs_hz, double fd_hz, int32_t decimation)
{
    /* Mixing moves the mirror band at -fd to -2 fd, modulo fs; the band must not reach it. */
    double mirror = fabs(remainder(2 * fd_hz, fs_hz));
    return fmin(mirror, fs_hz / decimation);
}

double sac_demodulate_narrowest_hz(double fs_hz)
{
    return fs_hz * SAC_KAISER_TAPS / (TRANSITION * (SAC_DEMODULATE_MAX_TAPS - 1)) * (1 + ROUNDING);
}

static sac_status check(const sac_demodulation *d, int64_t n_samples, sac_error *err)
{
    if (!(d->fs_hz > 0) || !isfinite(d->fs_hz))
        return sac_fail(err, SAC_E_INVALID, "fs_hz: %g, expected more than 0", d->fs_hz);
    if (!(d->fd_hz > 0) || !isfinite(d->fd_hz))
        return sac_fail(err, SAC_E_INVALID, "fd_hz: %g, expected more than 0", d->fd_hz);
    if (!(d->bandwidth_hz > 0) || !isfinite(d->bandwidth_hz))
        return sac_fail(err, SAC_E_INVALID, "bandwidth_hz: %g, expected more than 0",
                        d->bandwidth_hz);
    if (d->decimation < 1)
        return sac_fail(err, SAC_E_INVALID, "decimation: %d, expected at least 1", d->decimation);
    if (n_samples > INT32_MAX)
        return sac_fail(err, SAC_E_INVALID, "n_samples: %lld, expected at most %d",
                        (long long)n_samples, INT32_MAX);
    double slack = ROUNDING * d->fs_hz;
    double alone = sac_demodulate_widest_hz(d->fs_hz, d->fd_hz, 1);
    if (d->bandwidth_hz > alone + slack)
        return sac_fail(err, SAC_E_INVALID,
                        "bandwidth_hz: %g around fd_hz %g crosses a multiple of half of fs_hz %g; "
                        "at most %g fit",
                        d->bandwidth_hz, d->fd_hz, d->fs_hz, alone);
    if (d->bandwidth_hz > d->fs_hz / d->decimation + slack)
        return sac_fail(err, SAC_E_INVALID, "decimation: %d leaves %g Hz for a bandwidth_hz of %g",
                        d->decimation, d->fs_hz / d->decimation, d->bandwidth_hz);
    return SAC_OK;
}

/*
 * h[k] = b sinc(b k) kaiser(k / (half + 1)), b = bandwidth / fs, scaled to unit sum.
 */
static void design(sac_demodulate_plan *plan, double b)
{
    double sum = 0;
    for (int32_t k = 0; k <= plan->half; k++) {
        double ideal = k ? sin(PI * b * k) / (PI * k) : b;
        plan->h[k] = ideal * sac_kaiser((double)k / (plan->half + 1));
        sum += k ? 2 * plan->h[k] : plan->h[k];
    }
    double sum_abs = 0;
    for (int32_t k = 0; k <= plan->half; k++) {
        plan->h[k] /= sum;
        sum_abs += (k ? 4 : 2) * fabs(plan->h[k]);
    }
    plan->sum = (float)sum_abs;
}

/* exp(j 2 pi cycles i), whose angle is reduced before it is rounded. */
static void turn(double *re, double *im, double cycles, int64_t i)
{
    double whole = cycles * (double)i, angle = 2 * PI * (whole - nearbyint(whole));
    *re = cos(angle);
    *im = sin(angle);
}

static void fill_tables(sac_demodulate_plan *plan)
{
    double re, im;
    for (int32_t m = 0; m <= 2 * plan->half; m++) {
        int32_t k = plan->half - m;
        turn(&re, &im, plan->cycles, k);
        double c = 2 * plan->h[k < 0 ? -k : k];
        plan->re[m] = (float)(c * re);
        plan->im[m] = (float)(c * im);
        plan->at[m] = m % plan->decimation * plan->pitch + m / plan->decimation;
    }
    for (int64_t n = 0; n < plan->n_out; n++) {
        turn(&re, &im, plan->cycles, -n * plan->decimation);
        plan->turn_re[n] = (float)re;
        plan->turn_im[n] = (float)im;
    }
}

static int64_t round_up(int64_t n)
{
    return (n + SAC_DEMODULATE_LANES - 1) / SAC_DEMODULATE_LANES * SAC_DEMODULATE_LANES;
}

/*
 * Blocks are of 4,096 samples, which stay in the first cache, but of no fewer outputs than there
 * are lanes. Scratch then holds D pitch <= max(4096, 32 D) + n_taps + D floats; D <= fs / bandwidth
 * <= 2046 / 14.5 = 141 makes that at most 6,700.
 */
static void blocks_of(sac_demodulate_plan *plan)
{
    int64_t block = 4096 / plan->decimation / SAC_DEMODULATE_LANES * SAC_DEMODULATE_LANES;
    block = block < SAC_DEMODULATE_LANES ? SAC_DEMODULATE_LANES : block;
    int64_t all = round_up(plan->n_out ? plan->n_out : 1);
    plan->block = (int32_t)(block < all ? block : all);
    plan->pitch = plan->block + 2 * plan->half / plan->decimation;
}

sac_status sac_demodulate_plan_open(sac_demodulate_plan *plan, const sac_demodulation *demodulation,
                                    int64_t n_samples, sac_error *err)
{
    *plan = (sac_demodulate_plan){0};
    sac_status status = check(demodulation, n_samples, err);
    if (status)
        return status;
    double b = demodulation->bandwidth_hz / demodulation->fs_hz;
    double half = ceil(SAC_KAISER_TAPS / (2 * TRANSITION * b));
    if (2 * half + 1 > SAC_DEMODULATE_MAX_TAPS)
        return sac_fail(err, SAC_E_INVALID,
                        "bandwidth_hz: %g is too narrow for fs_hz %g: the filter would take %.0f "
                        "taps, at most %d",
                        demodulation->bandwidth_hz, demodulation->fs_hz, 2 * half + 1,
                        SAC_DEMODULATE_MAX_TAPS);
    plan->half = (int32_t)half;
    plan->n_samples = n_samples;
    plan->decimation = demodulation->decimation;
    plan->n_out = n_samples / plan->decimation + (n_samples % plan->decimation != 0);
    plan->cycles = demodulation->fd_hz / demodulation->fs_hz;
    blocks_of(plan);

    size_t n_taps = 2 * (size_t)plan->half + 1, n_turns = (size_t)round_up(plan->n_out);
    plan->h = sac_alloc((size_t)plan->half + 1, sizeof *plan->h);
    plan->re = sac_alloc(n_taps, sizeof *plan->re);
    plan->im = sac_alloc(n_taps, sizeof *plan->im);
    plan->at = sac_alloc(n_taps, sizeof *plan->at);
    plan->turn_re = sac_alloc(n_turns, sizeof *plan->turn_re);
    plan->turn_im = sac_alloc(n_turns, sizeof *plan->turn_im);
    if (!plan->h || !plan->re || !plan->im || !plan->at || !plan->turn_re || !plan->turn_im) {
        sac_demodulate_plan_close(plan);
        return sac_fail(err, SAC_E_NOMEM, "demodulation: no memory for its filter");
    }
    design(plan, b);
    fill_tables(plan);
    return SAC_OK;
}

void sac_demodulate_plan_close(sac_demodulate_plan *plan)
{
    sac_free(plan->h);
    sac_free(plan->re);
    sac_free(plan->im);
    sac_free(plan->at);
    sac_free(plan->turn_re);
    sac_free(plan->turn_im);
    *plan = (sac_demodulate_plan){0};
}

static double sample(const void *in, ptrdiff_t in_sample, int64_t i, bool is_i16)
{
    const char *at = (const char *)in + i * in_sample;
    return is_i16 ? *(const int16_t *)(const void *)at : (double)*(const float *)(const void *)at;
}

/* Outputs [first, first + n), n <= SAC_DEMODULATE_LANES: each sample is mixed once, and added to
 * those it reaches. */
static void exact_outputs(double (*sum)[2], const void *in, ptrdiff_t in_sample, bool is_i16,
                          const sac_demodulate_plan *plan, int64_t first, int64_t n)
{
    int64_t begin = first * plan->decimation - plan->half;
    int64_t end = (first + n - 1) * plan->decimation + plan->half + 1;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int64_t i = begin > 0 ? begin : 0; i < end && i < plan->n_samples; i++) {
        double re, im, x = sample(in, in_sample, i, is_i16);
        turn(&re, &im, plan->cycles, -i);
        for (int64_t j = 0; j < n; j++) {
            int64_t k = llabs((first + j) * plan->decimation - i);
            if (k > plan->half)
                continue;
            sum[j][0] += 2 * plan->h[k] * (x * re);
            sum[j][1] += 2 * plan->h[k] * (x * im);
        }
    }
}

void sac_demodulate_exact(float *out, const void *in, ptrdiff_t in_sample, bool is_i16,
                          const sac_demodulate_plan *plan)
{
    double sum[SAC_DEMODULATE_LANES][2];
    for (int64_t n = 0; n < plan->n_out; n += SAC_DEMODULATE_LANES) {
        int64_t count = plan->n_out - n;
        count = count < SAC_DEMODULATE_LANES ? count : SAC_DEMODULATE_LANES;
        exact_outputs(sum, in, in_sample, is_i16, plan, n, count);
        for (int64_t j = 0; j < count; j++) {
            out[2 * (n + j)] = (float)sum[j][0];
            out[2 * (n + j) + 1] = (float)sum[j][1];
        }
    }
}
