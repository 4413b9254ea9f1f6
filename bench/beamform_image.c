/*
 * bench_beamform: whether the image of a run is one, and by the CPU's reference right.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beamform_rows.h"
#include "room/check.h"

#define TERMS 2e7 /* (grid point, element, transmit, frame) for the reference: about a second */
#define LEAST_POINTS 64
#define MOST_POINTS 1024
#define MOST_FRAMES 4 /* compared, the last among them */

/* Images of a run: n_values floats each. */
static int64_t count_images(const bench_work *w)
{
    return (int64_t)w->c->n_frames * (w->c->lri ? w->c->n_tx : 1);
}

bool bench_is_sound(const bench_work *w, const float *images, char *fault, size_t size)
{
    const int64_t n_values = bench_count_points(w->c) * w->n_parts;
    for (int64_t k = 0; k < count_images(w); k++) {
        const float *image = images + k * n_values;
        bool is_zero = true;
        for (int64_t i = 0; i < n_values; i++) {
            if (!isfinite(image[i])) {
                snprintf(fault, size, "image %lld: %g at point %lld", (long long)k,
                         (double)image[i], (long long)(i / w->n_parts));
                return false;
            }
            is_zero = is_zero && image[i] == 0;
        }
        if (is_zero) {
            snprintf(fault, size, "image %lld of %lld is all zero", (long long)k,
                     (long long)count_images(w));
            return false;
        }
    }
    return true;
}

/* What is compared: frames first, first + step, ...; the points `at`. */
typedef struct subset {
    int32_t n_frames, first, step;
    int64_t n_points;
    int64_t *at;
    double *points_m, *arrivals_s;
    sac_transmit *transmits;
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    sac_array in, out;
} subset;

static void choose_frames(subset *s, const bench_case *c)
{
    s->n_frames = c->n_frames < MOST_FRAMES ? c->n_frames : MOST_FRAMES;
    s->step = s->n_frames > 1 ? (c->n_frames - 1) / (s->n_frames - 1) : 1;
    s->first = c->n_frames - 1 - s->step * (s->n_frames - 1);
}

static void choose_points(subset *s, const bench_work *w)
{
    const bench_case *c = w->c;
    const int64_t all = bench_count_points(c);
    const double affordable = TERMS / ((double)c->n_rx * c->n_tx * s->n_frames);
    uint64_t random = 7;
    s->n_points = affordable < LEAST_POINTS  ? LEAST_POINTS
                  : affordable > MOST_POINTS ? MOST_POINTS
                                             : (int64_t)affordable;
    s->at = cli_grow(NULL, 0, (size_t)s->n_points, sizeof *s->at);
    s->points_m = cli_grow(NULL, 0, (size_t)s->n_points, 3 * sizeof *s->points_m);
    for (int64_t i = 0; i < s->n_points; i++) {
        /* The first and the last one, too. */
        s->at[i] = i == 0   ? all - 1
                   : i == 1 ? 0
                            : (int64_t)(sac_check_uniform(&random) * (double)all);
        bench_point(s->points_m + 3 * i, w, s->at[i]);
    }
}

static void copy_transmits(subset *s, const bench_work *w)
{
    const int32_t n_tx = w->c->n_tx;
    s->transmits = cli_grow(NULL, 0, (size_t)n_tx, sizeof *s->transmits);
    memcpy(s->transmits, w->transmits, (size_t)n_tx * sizeof *s->transmits);
    s->arrivals_s = cli_grow(NULL, 0, (size_t)(n_tx * s->n_points), sizeof *s->arrivals_s);
    for (int32_t t = 0; t < n_tx; t++) {
        if (s->transmits[t].kind != SAC_TRANSMIT_ARRIVALS)
            continue;
        double *own = s->arrivals_s + t * s->n_points;
        for (int64_t i = 0; i < s->n_points; i++)
            own[i] = s->transmits[t].arrivals_s[s->at[i]];
        s->transmits[t].arrivals_s = own;
    }
}

/* The frames as acquired, whatever the layout that they come from. */
static void copy_frames(subset *s, const bench_work *w)
{
    sac_error err = {0};
    const bench_case *c = w->c;
    const int64_t shape[] = {s->n_frames, c->n_tx, c->n_rx, c->n_samples};
    const int64_t n_records = (int64_t)c->n_tx * c->n_rx * c->n_samples;
    const size_t size = sac_dtype_size(c->dtype);
    const bool inner = c->layout == SAC_FRAMES_INNER;
    const ptrdiff_t frame = w->in.stride[inner ? 3 : 0], sample = w->in.stride[inner ? 2 : 3];
    bench_must(sac_array_view(&s->in, NULL, c->dtype, 4, shape, &err), c->name, &err);
    char *to = s->in.data = cli_grow(NULL, 0, (size_t)sac_array_count(&s->in), size);
    for (int32_t f = 0; f < s->n_frames; f++) {
        const char *from = (const char *)w->in.data + (s->first + f * s->step) * frame;
        for (int64_t i = 0; i < n_records; i++, to += size)
            memcpy(to, from + i * sample, size);
    }
}

static void open_subset(subset *s, const bench_work *w)
{
    choose_frames(s, w->c);
    choose_points(s, w);
    copy_transmits(s, w);
    copy_frames(s, w);
    s->acquisition = w->acquisition;
    s->acquisition.transmits = s->transmits;
    s->desc = w->desc;
    s->desc.acquisition = &s->acquisition;
    s->desc.n_frames = s->n_frames;
    s->desc.layout = SAC_FRAMES_OUTER;
    s->desc.points_m = s->points_m;
    s->desc.n_points = s->n_points;
    s->desc.method = SAC_METHOD_DIRECT;
    s->desc.tier = SAC_TIER_EXACT;
    s->desc.n_threads = 0;
    s->desc.variant = w->c->reduction          ? "adapt_iq_f32:ref"
                      : w->c->dtype == SAC_C64 ? "das_iq_f32:ref"
                      : w->c->dtype == SAC_F32 ? "das_rf_f32:ref"
                                               : "das_rf_i16:ref";
}

static void close_subset(subset *s)
{
    void *memory[] = {s->at, s->points_m, s->arrivals_s, s->transmits, s->in.data, s->out.data};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
}

static double difference(const subset *s, const bench_work *w, const float *images)
{
    const int32_t n_images = w->c->lri ? w->c->n_tx : 1;
    const int64_t n_points = bench_count_points(w->c);
    const float *want = s->out.data; /* (n_frames, n_images, n_points, n_parts) */
    double off = 0, all = 0;
    for (int64_t k = 0; k < (int64_t)s->n_frames * n_images; k++) {
        const int64_t frame = s->first + k / n_images * s->step;
        const float *image = images + (frame * n_images + k % n_images) * n_points * w->n_parts;
        for (int64_t i = 0; i < s->n_points * w->n_parts; i++, want++) {
            const int64_t part = i % w->n_parts;
            const double d =
                (double)image[s->at[i / w->n_parts] * w->n_parts + part] - (double)*want;
            off += d * d;
            all += (double)*want * (double)*want;
        }
    }
    return off == 0 ? 0 : sqrt(off / all);
}

sac_status bench_compare(double *error, const bench_work *w, const float *images, sac_error *err)
{
    subset s = {0};
    sac_beamform *plan = NULL;
    open_subset(&s, w);
    sac_status status = sac_beamform_open(&plan, &s.desc, err);
    if (status == SAC_OK) {
        s.out = sac_beamform_get_output_array(plan);
        s.out.data =
            cli_grow(NULL, 0, (size_t)sac_array_count(&s.out), sac_dtype_size(s.out.dtype));
        status = sac_beamform_run(plan, &s.out, &s.in, err);
    }
    if (status == SAC_OK)
        *error = difference(&s, w, images);
    sac_beamform_close(&plan);
    close_subset(&s);
    return status;
}

/* Of adaptive weights, by their room's notes; C's subarrays have at most 64 elements. */
static double reduced_bound(const bench_case *c, double signals)
{
    const bool signs = !strncmp(c->reduction, "scf", 3), solves = !strncmp(c->reduction, "mv", 2);
    signals = fmax(signals, 5e-6);
    return 4 * (signs ? sqrt(signals) : signals) + (solves ? 1e-7 * 64 / 0.01 : 0);
}

double bench_bound(const bench_work *w, bool on_gpu)
{
    const bench_case *c = w->c;
    const bool iq = c->dtype == SAC_C64;
    if (c->method == SAC_METHOD_DUAL_STAGE)
        return 0.25; /* of two stages: paths within a sixteenth of a wavelength */
    if (c->layers || c->lens)
        return 5e-3; /* apertures within 1e-3, and a window's edge a quarter as wide */
    /* A GPU counts RF's samples from the transmit, where the record begins later. */
    const double later = fmax(w->transmits[0].t0_s * c->fs_hz, 0);
    const double fp32 = iq ? 2e-5 + 3e-8 * c->n_samples : 2e-5 + 1.2e-7 * (c->n_samples + later);
    /* Sums in single precision: each product rounds a sum that grows with the root of their number.
     * docs/numerics.md has it. */
    const double taps = c->interp == SAC_INTERP_CUBIC ? 4 : 2, sums = c->lri ? 1 : c->n_tx;
    const double rounding = 0.41 * 0x1p-24 * sqrt(0.5 * c->n_rx * sums * taps);
    if (c->reduction)
        return reduced_bound(c, c->tier == SAC_TIER_EXACT ? 0 : fp32);
    if (c->tier == SAC_TIER_EXACT || (!on_gpu && !iq))
        return fmax(1e-6, 5e-7 + rounding);
    return c->tier == SAC_TIER_FAST && on_gpu ? 1e-3 + fp32 : fp32;
}
