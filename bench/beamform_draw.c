/*
 * bench_beamform: a configuration by chance.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beamform_random.h"
#include "room/check.h"

#define PI 3.14159265358979323846
#define C_M_S 1540.0
#define LEAST_SHARE 0.11 /* of active points: a little more than is promised, */
#define LEAST_ACTIVE 8.0 /* elements of a grid point in the mean, */
#define LEAST_USES 16.0  /* active points of a sample */
#define SPREAD 10.0      /* the most active points over the fewest */
#define MOST_POINTS 16e6 /* of a grid */
#define PROBED 4000      /* points of a grid by which its share is estimated, */
#define PROBED_DELAYS 40 /* and by which the records' times are */
#define TRIES 12
#define FEW_SAMPLES 128

/* a..b */
static double between(bench_drawn *d, double a, double b)
{
    return a + sac_check_uniform(&d->random) * (b - a);
}

static bool chance(bench_drawn *d, double p)
{
    return sac_check_uniform(&d->random) < p;
}

/* a..b, both included */
static int32_t whole(bench_drawn *d, int32_t a, int32_t b)
{
    return a + (int32_t)(sac_check_uniform(&d->random) * (b - a + 1));
}

/* The same, each factor as likely as any other. */
static int32_t factor(bench_drawn *d, int32_t a, int32_t b)
{
    return (int32_t)lround(exp(between(d, log(a), log(b))));
}

/* Fewer transmits or samples, seldom frames, until there are no more than `most` of all. */
static void fit(bench_drawn *d, double most)
{
    bench_case *c = &d->c;
    while ((double)c->n_frames * c->n_tx * c->n_rx * c->n_samples > most) {
        const int32_t which = whole(d, 0, 9);
        if (c->n_tx == 1 && c->n_frames == 1 && c->n_samples <= FEW_SAMPLES)
            return;
        if (which > 5 && c->n_tx > 1)
            c->n_tx -= c->n_tx / 3 + 1;
        else if (which == 1 && c->n_frames > 1)
            c->n_frames -= c->n_frames / 3 + 1;
        else if (which > 1 && c->n_samples > FEW_SAMPLES)
            c->n_samples -= c->n_samples / 3;
        c->n_tx = c->n_tx > 1 ? c->n_tx : 1;
        c->n_frames = c->n_frames > 1 ? c->n_frames : 1;
    }
}

static void draw_data(bench_drawn *d, double most_samples)
{
    bench_case *c = &d->c;
    const bool iq = chance(d, 0.6);
    c->dtype = iq ? SAC_C64 : chance(d, 0.6) ? SAC_F32 : SAC_I16;
    c->matrix = chance(d, 0.35) ? whole(d, 8, 32) : 0;
    c->n_rx = c->matrix ? c->matrix * whole(d, 8, 32) : factor(d, 32, 256);
    c->pitch_m = between(d, 0.15e-3, 0.4e-3);
    c->n_frames = 1;
    if (chance(d, iq ? 0.75 : 0.5))
        c->n_frames = iq && chance(d, 0.33) ? whole(d, 2, 7) : whole(d, 8, 70);
    c->n_samples = iq ? factor(d, 128, 4096) : factor(d, 256, 8192);
    c->n_tx = factor(d, 1, BENCH_MAX_TRANSMITS);
    c->layout = chance(d, 0.25) ? SAC_FRAMES_INNER : SAC_FRAMES_OUTER;
    fit(d, most_samples);
}

static void draw_options(bench_drawn *d)
{
    static const sac_interp interps[] = {SAC_INTERP_LINEAR, SAC_INTERP_LINEAR, SAC_INTERP_LINEAR,
                                         SAC_INTERP_NEAREST, SAC_INTERP_CUBIC};
    static const sac_tier tiers[] = {SAC_TIER_FP32, SAC_TIER_FP32, SAC_TIER_FP32, SAC_TIER_FAST,
                                     SAC_TIER_EXACT};
    static const char *const windows[] = {"rect", "hann", "tukey:0.25", NULL};
    bench_case *c = &d->c;
    const char *window = windows[whole(d, 0, 3)];
    c->f_number = chance(d, 0.35) ? 0 : between(d, 0.7, 2.2);
    snprintf(d->window, sizeof d->window, "tukey:%.2f", between(d, 0, 1));
    if (window)
        snprintf(d->window, sizeof d->window, "%s", window);
    c->window = d->window;
    c->interp = interps[whole(d, 0, 4)];
    c->outside = chance(d, 0.2) ? SAC_OUTSIDE_CLAMP : SAC_OUTSIDE_ZERO;
    c->lri = c->n_tx > 1 && chance(d, 0.2);
    c->tier = tiers[whole(d, 0, 4)];
    d->leaves = chance(d, 0.25);
}

/* Half of the array along x and y. */
static double half_x_m(const bench_case *c)
{
    return 0.5 * ((c->matrix ? c->matrix : c->n_rx) - 1) * c->pitch_m;
}

static double half_y_m(const bench_case *c)
{
    return c->matrix ? 0.5 * (c->n_rx / c->matrix - 1) * c->pitch_m : 0;
}

/* A steered wave by some of the elements. */
static void draw_delays(bench_drawn *d, sac_transmit *tx, int32_t t)
{
    const bench_case *c = &d->c;
    const int32_t n_x = c->matrix ? c->matrix : c->n_rx;
    const double slope = sin(between(d, -0.3, 0.3)) / C_M_S, firing = between(d, 0.3, 1);
    if (!d->delays_s)
        d->delays_s = cli_grow(NULL, 0, (size_t)c->n_tx * (size_t)c->n_rx, sizeof *d->delays_s);
    double *delays = d->delays_s + (ptrdiff_t)t * c->n_rx;
    for (int32_t e = 0; e < c->n_rx; e++)
        delays[e] = chance(d, firing) ? slope * (e % n_x - 0.5 * (n_x - 1)) * c->pitch_m : NAN;
    delays[whole(d, 0, c->n_rx - 1)] = 0;
    tx->delays_s = delays;
}

static void draw_transmits(bench_drawn *d)
{
    const bench_case *c = &d->c;
    const bool mixed = chance(d, 0.15);
    const bool weighted = chance(d, 0.2);
    const int32_t all = whole(d, 0, SAC_TRANSMIT_ARRIVALS);
    for (int32_t t = 0; t < c->n_tx; t++) {
        sac_transmit *tx = &d->transmits[t];
        const int32_t one = whole(d, 0, SAC_TRANSMIT_ARRIVALS);
        sac_transmit_init(tx, (sac_transmit_kind)(mixed ? one : all));
        const bool focused = tx->kind == SAC_TRANSMIT_FOCUSED;
        tx->azimuth_rad = between(d, -0.3, 0.3);
        tx->elevation_rad = c->matrix ? between(d, -0.2, 0.2) : 0;
        tx->source_m[0] = between(d, -1, 1) * half_x_m(c);
        tx->source_m[1] = between(d, -1, 1) * half_y_m(c);
        tx->source_m[2] = focused ? between(d, 10e-3, 50e-3) : between(d, -20e-3, -3e-3);
        tx->element = whole(d, 0, c->n_rx - 1);
        tx->weight = weighted ? between(d, 0.2, 1) : 1;
        if (tx->kind == SAC_TRANSMIT_DELAYS)
            draw_delays(d, tx, t);
    }
    d->c.transmits = d->transmits;
}

/* A plane across an axis (0 to 2), or a volume (3): matrices have more volumes. */
static int draw_form(bench_drawn *d)
{
    if (chance(d, d->c.matrix ? 0.5 : 0.2))
        return 3;
    return chance(d, 0.65) ? 1 : chance(d, 0.6) ? 0 : 2;
}

static void draw_grid(bench_drawn *d)
{
    static const bench_spots spots[] = {BENCH_LIST, BENCH_ANGLES, BENCH_RANGES, BENCH_SCATTERED};
    bench_case *c = &d->c;
    const int form = draw_form(d);
    const double x = fmax(half_x_m(c) * between(d, 0.4, 1.3), 3e-3);
    const double y =
        c->matrix ? fmax(half_y_m(c) * between(d, 0.4, 1.3), 3e-3) : between(d, 1e-3, 6e-3);
    const double z = between(d, 3e-3, 30e-3), deep = between(d, 8e-3, 50e-3);
    c->spots = chance(d, 0.3) ? spots[whole(d, 0, 3)] : BENCH_GRID;
    c->grid = (sac_grid){.first_m = {-x, -y, z}, .last_m = {x, y, z + deep}};
    for (int i = 0; i < 3; i++)
        d->extent[i] = exp(between(d, -0.7, 0.7));
    const bool upward = chance(d, 0.1);
    const double angle = between(d, 20, 45) * PI / 180;
    if (upward) {
        c->grid.first_m[2] = z + deep;
        c->grid.last_m[2] = z;
    }
    const bool is_sector = c->spots == BENCH_ANGLES || c->spots == BENCH_RANGES;
    if (is_sector) {
        c->grid.first_m[0] = -angle;
        c->grid.last_m[0] = angle;
    }
    const int thin = is_sector ? 1 : form;
    if (thin < 3) {
        d->extent[thin] = 0;
        const double middle = thin == 2 ? z : 0;
        c->grid.first_m[thin] = c->grid.last_m[thin] = middle;
    }
}

/* About n points. */
static void set_points(bench_case *c, const bench_drawn *d, double n)
{
    double product = 1;
    int axes = 0;
    for (int i = 0; i < 3; i++)
        if (d->extent[i] > 0) {
            product *= d->extent[i];
            axes++;
        }
    const double step = pow(n / product, 1.0 / axes);
    for (int i = 0; i < 3; i++)
        c->grid.n[i] = d->extent[i] > 0 ? (int64_t)ceil(fmax(step * d->extent[i], 1)) : 1;
}

/* The least and the largest delay to an element in the aperture of point `index`. */
static void take_delays(bench_drawn *d, const bench_work *w, int64_t index, double *delays_s,
                        double *weights)
{
    double p[3];
    bench_point(p, w, index);
    sac_beamform_get_delays(d->plan, p, index, delays_s, weights);
    for (int32_t i = 0; i < w->c->n_tx * w->c->n_rx; i++)
        if (weights[i % w->c->n_rx] > 0) {
            d->first_s = fmin(d->first_s, delays_s[i]);
            d->last_s = fmax(d->last_s, delays_s[i]);
        }
}

static void take_times(bench_drawn *d, const bench_work *w)
{
    const int64_t n = bench_count_points(w->c);
    const size_t n_rx = (size_t)w->c->n_rx;
    double *delays_s = cli_grow(NULL, 0, (size_t)w->c->n_tx * n_rx, sizeof *delays_s);
    double *weights = cli_grow(NULL, 0, n_rx, sizeof *weights);
    d->first_s = INFINITY;
    d->last_s = -INFINITY;
    /* More where none of these points has an element in its aperture. */
    for (int64_t some = PROBED_DELAYS; isinf(d->first_s) && some < 2 * n; some = 7 * some + 1)
        for (int64_t i = 0; i <= some; i++)
            take_delays(d, w, (n - 1) * i / some, delays_s, weights);
    free(delays_s);
    free(weights);
}

/* By a plan of few points, one sample and one frame: the share of active ones, and the delays. */
static sac_status probe(bench_drawn *d, sac_error *err)
{
    bench_case c = d->c;
    bench_work w;
    uint64_t all, active;
    c.n_frames = c.n_samples = 1;
    c.fs_hz = c.fc_hz = 1e6;
    set_points(&c, d, PROBED);
    bench_open_geometry(&w, &c);
    const sac_status status = sac_beamform_open(&d->plan, &w.desc, err);
    if (status == SAC_OK) {
        sac_beamform_get_points(d->plan, &all, &active);
        d->share = (double)active / (double)all;
        take_times(d, &w);
    }
    sac_beamform_close(&d->plan);
    bench_close_work(&w);
    return status;
}

/* A grid with enough active points; f-numbers that leave too few are halved, then 0. */
static sac_status draw_aperture(bench_drawn *d, sac_error *err)
{
    for (int i = 0; i < TRIES; i++) {
        draw_grid(d);
        const sac_status status = probe(d, err);
        if (status || (d->share > LEAST_SHARE && d->share * d->c.n_rx > LEAST_ACTIVE))
            return status;
        d->c.f_number = i < TRIES - 2 ? d->c.f_number / 2 : 0;
    }
    return sac_fail(err, SAC_E_INVALID, "--random: no grid has enough active points");
}

/* Records that begin a little before the first echo, so that no delay lies on their end, and end
 * after the last one, or before it. */
static void draw_records(bench_drawn *d)
{
    bench_case *c = &d->c;
    const double covered = d->leaves ? between(d, 0.6, 0.95) : 1.04;
    const double seconds = fmax(d->last_s - d->first_s, 1e-7);
    c->c_m_s = C_M_S;
    c->fs_hz = (c->n_samples - 1) / (covered * seconds);
    c->fc_hz = c->fs_hz * (c->dtype == SAC_C64 ? between(d, 0.1, 0.75) : between(d, 0.08, 0.25));
    c->t0_s = d->first_s - 0.02013 * seconds; /* no delay halfway between two samples */
    for (int32_t t = 0; t < c->n_tx; t++)
        d->transmits[t].t0_s = c->t0_s;
}

static void describe(bench_drawn *d)
{
    static const char *const kinds[] = {"plane",   "diverging", "focused",
                                        "element", "delays",    "arrivals"};
    static const char *const spots[] = {"grid", "list", "angles first", "ranges first",
                                        "scattered list"};
    static const char *const interps[] = {"nearest", "linear", "cubic"};
    static const char *const tiers[] = {"exact", "fp32", "fast"};
    const bench_case *c = &d->c;
    char array[32] = "linear", aperture[48] = "all elements";
    bool mixed = false;
    for (int32_t t = 1; t < c->n_tx; t++)
        mixed = mixed || d->transmits[t].kind != d->transmits[0].kind;
    if (c->matrix)
        snprintf(array, sizeof array, "matrix %d x %d", c->matrix, c->n_rx / c->matrix);
    if (c->f_number > 0)
        snprintf(aperture, sizeof aperture, "f/%.2f %s", c->f_number, d->window);
    snprintf(d->about, sizeof d->about,
             "%s %d x %d x %d x %d%s, %s, %s, %s %lld x %lld x %lld, %s, %s%s%s%s, %s",
             c->dtype == SAC_C64   ? "IQ"
             : c->dtype == SAC_F32 ? "RF f32"
                                   : "RF i16",
             c->n_frames, c->n_tx, c->n_rx, c->n_samples,
             c->layout == SAC_FRAMES_INNER ? " frames inner" : "", array,
             mixed ? "mixed" : kinds[d->transmits[0].kind], spots[c->spots],
             (long long)c->grid.n[0], (long long)c->grid.n[1], (long long)c->grid.n[2], aperture,
             interps[c->interp], c->outside == SAC_OUTSIDE_CLAMP ? ", clamp" : "",
             d->leaves ? ", short records" : "", c->lri ? ", LRIs" : "", tiers[c->tier]);
}

sac_status bench_draw(bench_drawn *d, int32_t seed, int32_t index, double points, sac_error *err)
{
    *d = (bench_drawn){.random = UINT64_C(0x9E3779B97F4A7C15) * ((uint64_t)seed + 1) ^
                                 UINT64_C(0xD1B54A32D192ED03) * ((uint64_t)index + 1)};
    for (int i = 0; i < 8; i++) /* until the seeds' bits are everywhere */
        (void)sac_check_random(&d->random);
    snprintf(d->name, sizeof d->name, "--seed %d --skip %d", seed, index);
    d->c.name = d->name;
    d->c.about = d->about;
    d->c.c_m_s = C_M_S;
    draw_data(d, SPREAD * points / LEAST_USES);
    draw_options(d);
    draw_transmits(d);
    const sac_status status = draw_aperture(d, err);
    if (status)
        return status;
    draw_records(d);
    const bench_case *c = &d->c;
    const double n_values = (double)c->n_frames * c->n_tx * c->n_rx;
    const double least = fmax(points, LEAST_USES * n_values * c->n_samples);
    const double most = fmax(least, SPREAD * points);
    const double active = exp(between(d, log(least), log(most)));
    set_points(&d->c, d, fmin(1.05 * active / (n_values * d->share), MOST_POINTS));
    describe(d);
    return SAC_OK;
}

void bench_close_drawn(bench_drawn *d)
{
    free(d->delays_s);
    d->delays_s = NULL;
}
