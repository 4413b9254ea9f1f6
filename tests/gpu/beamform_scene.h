/*
 * Beamforming to be done: white noise from every array and transmit, with every option; one at a
 * time, or mixed by a generator.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_BEAMFORM_SCENE_H
#define SAC_TESTS_BEAMFORM_SCENE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/beamform.h>

#define MAX_ELEMENTS 25
#define MAX_TRANSMITS 6

enum {
    ARRAY,
    TRANSMIT,
    DATA,
    LAYOUT,
    INTERP,
    OUTSIDE,
    WINDOW,
    OUTPUT,
    LRI,
    TIER,
    FRAMES,
    POINTS,
    SAMPLES,
    PHASE,
    SECTOR,
    FIELD,
    FIRING,
    N_FIELDS
};

enum { PLANE, VOLUME, LIST, SIDE, NARROW, ANGLES, RANGES }; /* of POINTS */
enum { CARTESIAN, POLAR, CONVERTED };                       /* of SECTOR */
enum { EVERYWHERE, HANN, TUKEY, LINES };                    /* of FIELD */
enum { LIST_W = 20, LIST_H = 25 };                          /* of a list */

static const struct {
    const char *name;
    const char *values[9];
} fields[N_FIELDS] = {
    [ARRAY] = {"array", {"linear", "curved", "matrix", "list"}},
    [TRANSMIT] = {"transmit",
                  {"plane", "diverging", "focused", "element", "delays", "arrivals", "all six"}},
    [DATA] = {"data",
              {"c64", "i16", "f32", "i16 as RF", "f32 as RF", "i16 band-passed", "f32 band-passed",
               "i16 decimated"}},
    [LAYOUT] = {"layout", {"outer", "inner"}},
    [INTERP] = {"interp", {"linear", "nearest", "cubic"}},
    [OUTSIDE] = {"outside", {"zero", "clamp"}},
    [WINDOW] = {"window", {"tukey", "rect", "hann", "none"}},
    [OUTPUT] = {"output", {"iq", "envelope", "bmode", "gray"}},
    [LRI] = {"images", {"compound", "lri"}},
    [TIER] = {"tier", {"fp32", "exact", "fast"}},
    [FRAMES] = {"frames", {"1", "2", "5", "33", "70", "9", "17", "32"}},
    [POINTS] = {"points", {"plane", "volume", "list", "side", "narrow", "angles", "ranges"}},
    [SAMPLES] = {"samples", {"200", "131", "97"}},
    [PHASE] = {"phase", {"record", "transmit", "-record", "-transmit"}},
    [SECTOR] = {"grid", {"cartesian", "sector", "converted"}},
    [FIELD] = {"field", {"all waves", "hann waves", "tukey waves", "lines"}},
    [FIRING] = {"firing", {"all fire", "some fire"}},
};

typedef struct test {
    const char *name; /* NULL: that of the choices */
    int choice[N_FIELDS];
    sac_beamform_desc desc;
    sac_array shape; /* of the channel data, packed; no data */
    char *data;
    sac_acquisition acquisition;
    sac_element elements[MAX_ELEMENTS];
    sac_transmit transmits[MAX_TRANSMITS];
    double delays_s[MAX_ELEMENTS], amplitudes[MAX_TRANSMITS * MAX_ELEMENTS];
    double *arrivals_s, *points_m;
} test;

static inline const char *describe(const test *t)
{
    static _Thread_local char text[480];
    int at = 0;
    if (t->name)
        return t->name;
    for (int i = 0; i < N_FIELDS; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", i ? ", " : "",
                       fields[i].values[t->choice[i]]);
    snprintf(text + at, sizeof text - (size_t)at, ", %d frames", (int)t->desc.n_frames);
    return text;
}

static inline int count_values(int field)
{
    int n = 0;
    while (n < 9 && fields[field].values[n])
        n++;
    return n;
}

/* Tests that differ from the first in one choice. */
static inline int count_single(void)
{
    int n = 1;
    for (int i = 0; i < N_FIELDS; i++)
        n += count_values(i) - 1;
    return n;
}

static inline uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D) >> 20;
}

/* Between -1 and 1. */
static inline double noise(uint64_t *state)
{
    return (double)(next(state) % 2000001) * 1e-6 - 1;
}

static inline void choose(test *t, uint64_t *state, int single)
{
    for (int i = 0; i < N_FIELDS; i++)
        t->choice[i] = single < 0 ? (int)(next(state) % (uint64_t)count_values(i)) : 0;
    for (int i = 0, n = single; i < N_FIELDS && n > 0; i++) {
        int others = count_values(i) - 1;
        t->choice[i] = n <= others ? n : 0;
        n -= others;
    }
}

static inline void make_array(test *t, uint64_t *state, int32_t n)
{
    sac_element *e = t->elements;
    sac_probe_linear(e, n, 0.3e-3, 0.27e-3, 5e-3);
    if (t->choice[ARRAY] == 2)
        sac_probe_matrix(e, 5, n / 5, 0.31e-3, 0.3e-3);
    for (int32_t i = 0; i < n && t->choice[ARRAY] == 1; i++) { /* a radius of 20 mm */
        double angle = e[i].position_m[0] / 20e-3;
        e[i].position_m[0] = 20e-3 * sin(angle);
        e[i].position_m[2] = 20e-3 * (cos(angle) - 1);
        e[i].normal[0] = sin(angle);
        e[i].normal[2] = cos(angle);
    }
    for (int32_t i = 0; i < n && t->choice[ARRAY] == 3; i++)
        for (int k = 0; k < 3; k++)
            e[i].position_m[k] = noise(state) * (k == 2 ? 0.2e-3 : 3e-3);
    t->acquisition.elements = e;
    t->acquisition.n_elements = t->choice[ARRAY] == 2 ? n / 5 * 5 : n;
}

static inline void make_transmits(test *t, uint64_t *state, int64_t n_points)
{
    sac_acquisition *a = &t->acquisition;
    bool all = t->choice[TRANSMIT] == 6;
    a->transmits = t->transmits;
    a->n_transmits = all ? 6 : 2;
    t->arrivals_s = malloc((size_t)n_points * sizeof *t->arrivals_s);
    for (int64_t i = 0; i < n_points; i++)
        t->arrivals_s[i] = 2.6e-6 + 0.8e-6 * noise(state);
    for (int32_t r = 0; r < a->n_elements; r++)
        t->delays_s[r] = r % 3 == 1 ? (double)NAN : 0.1e-6 * noise(state);
    for (int32_t i = 0; i < a->n_transmits; i++) {
        sac_transmit *w = &t->transmits[i];
        sac_transmit_init(w, (sac_transmit_kind)(all ? i : t->choice[TRANSMIT]));
        w->azimuth_rad = 0.2 * noise(state);
        w->elevation_rad = 0.05 * noise(state);
        w->t0_s = 1.5e-6 + 0.1e-6 * noise(state);
        w->weight = noise(state);
        w->element = i + 1;
        w->delays_s = t->delays_s;
        w->arrivals_s = t->arrivals_s;
        for (int k = 0; k < 2; k++)
            w->source_m[k] = 1e-3 * noise(state);
        w->source_m[2] = w->kind == SAC_TRANSMIT_DIVERGING ? -4.1e-3 : 4.1e-3;
    }
}

/* Of some elements, but not of those that fire by themselves. */
static inline void make_amplitudes(test *t, uint64_t *state)
{
    sac_acquisition *a = &t->acquisition;
    for (int32_t i = 0; i < a->n_transmits * a->n_elements; i++) {
        const bool fires = next(state) % 4 || i % a->n_elements == t->transmits[0].element + 1;
        t->amplitudes[i] = fires ? noise(state) + 1.5 : 0;
    }
    for (int32_t i = 0; i < a->n_transmits; i++)
        t->amplitudes[i * a->n_elements + t->transmits[i].element] = 1;
    a->tx_apodization = t->choice[FIRING] ? t->amplitudes : NULL;
}

/* The field of each wave. Lines need an axis. */
static inline void set_field(test *t)
{
    static const char *const windows[] = {NULL, NULL, "tukey:0.4", "lines"};
    if (t->choice[FIELD] == LINES && t->choice[TRANSMIT] >= SAC_TRANSMIT_DELAYS)
        t->choice[FIELD] = HANN;
    t->desc.tx_f_number = t->choice[FIELD] == EVERYWHERE ? 0 : 0.9;
    t->desc.tx_apodization = windows[t->choice[FIELD]];
}

/* A grid becomes a sector, before an arc of 20 mm; and its picture, larger than it. */
static inline void make_sector(test *t, bool thin)
{
    sac_beamform_desc *d = &t->desc;
    sac_grid *g = &d->grid;
    if (d->points_m)
        t->choice[SECTOR] = CARTESIAN;
    if (t->choice[SECTOR] == CONVERTED && (d->output == SAC_OUTPUT_IQ || g->n[0] < 2))
        t->choice[SECTOR] = POLAR;
    if (t->choice[SECTOR] == CARTESIAN)
        return;
    d->grid_kind = SAC_GRID_SECTOR;
    d->sector = (sac_sector){.apex_m = {0.1e-3, 0.05e-3, -20e-3}, .radius_m = 20e-3};
    for (int i = 0; i < 2; i++) { /* metres before an arc become radians */
        g->first_m[i] /= 20e-3;
        g->last_m[i] /= 20e-3;
    }
    if (t->choice[SECTOR] == POLAR)
        return;
    const bool is_flat = g->n[1] == 1;
    d->picture = (sac_grid){.first_m = {-4e-3, is_flat ? 0.05e-3 : -1.5e-3, 1.5e-3},
                            .last_m = {4.1e-3, is_flat ? 0.05e-3 : 1.5e-3, g->last_m[2] + 1e-4},
                            .n = {thin ? 11 : 31, is_flat ? 1 : 6, thin ? 9 : 33}};
}

/* A list: points anywhere, or a sector's of w angles and h ranges, one of them first. */
static inline void list_points(test *t, uint64_t *state, int64_t w, int64_t h)
{
    const int kind = t->choice[POINTS];
    t->desc.n_points = w * h;
    t->desc.points_m = t->points_m = malloc((size_t)(w * h) * 3 * sizeof *t->points_m);
    for (int64_t i = 0; i < w * h; i++) {
        const int64_t at = kind == RANGES ? i / h : i % w, deep = kind == RANGES ? i % h : i / w;
        const double angle = (double)at / (double)w - 0.45;
        const double range = 2e-3 + 4e-3 * (double)deep / (double)h;
        double *p = &t->points_m[3 * i];
        p[0] = kind == LIST ? 3e-3 * noise(state) : range * sin(angle);
        p[1] = kind == LIST ? 3e-3 * noise(state) : 0;
        p[2] = kind == LIST ? 4e-3 + 2e-3 * noise(state) : range * cos(angle);
    }
}

/* Where RF's envelope is taken, z goes in fine steps. */
static inline void make_points(test *t, uint64_t *state, bool thin)
{
    static const int64_t sizes[][2][3] = {[PLANE] = {{37, 1, 41}, {9, 1, 11}},
                                          [VOLUME] = {{13, 5, 15}, {5, 5, 7}},
                                          [SIDE] = {{1, 37, 41}, {1, 9, 11}},
                                          [NARROW] = {{3, 2, 155}, {3, 2, 17}}};
    sac_beamform_desc *d = &t->desc;
    bool rf = t->choice[DATA] >= 3 && t->choice[DATA] <= 6, fine = rf && d->output;
    bool list = t->choice[POINTS] == LIST || t->choice[POINTS] >= ANGLES;
    if (list && fine)
        t->choice[POINTS] = PLANE;
    list = list && !fine;
    d->grid = (sac_grid){.first_m = {-3.1e-3, 0, 2e-3}, .last_m = {2.9e-3, 0, 6e-3}};
    memcpy(d->grid.n, sizes[list ? PLANE : t->choice[POINTS]][thin], sizeof d->grid.n);
    if (d->grid.n[1] > 1) {
        d->grid.first_m[1] = -1e-3;
        d->grid.last_m[1] = 1.1e-3;
    }
    if (fine)
        d->grid.last_m[2] = d->grid.first_m[2] + 0.05e-3 * (double)(d->grid.n[2] - 1);
    if (list)
        list_points(t, state, thin ? 7 : LIST_W, thin ? 11 : LIST_H);
    make_sector(t, thin);
}

static inline void set_frames(test *t, uint64_t *state, int64_t n_frames)
{
    sac_beamform_desc *d = &t->desc;
    bool inner = d->layout == SAC_FRAMES_INNER;
    const int64_t n[] = {n_frames, t->acquisition.n_transmits, t->acquisition.n_elements,
                         d->n_samples};
    int64_t shape[4], count = 1;
    for (int i = 0; i < 4; i++) {
        shape[i] = inner ? n[(i + 1) % 4] : n[i];
        count *= n[i];
    }
    d->n_frames = n_frames;
    free(t->data);
    t->data = malloc((size_t)count * sac_dtype_size(d->dtype));
    if (!t->data || sac_array_view(&t->shape, t->data, d->dtype, 4, shape, NULL) != SAC_OK)
        abort();
    for (int64_t i = 0; i < count * (d->dtype == SAC_C64 ? 2 : 1); i++) {
        if (d->dtype == SAC_I16)
            ((int16_t *)(void *)t->data)[i] = (int16_t)(8000 * noise(state));
        else
            ((float *)(void *)t->data)[i] = (float)noise(state);
    }
}

static inline void set_options(test *t)
{
    static const int32_t tiers[] = {SAC_TIER_FP32, SAC_TIER_EXACT, SAC_TIER_FAST};
    static const char *const windows[] = {NULL, "rect", "hann", NULL};
    static const int32_t interps[] = {SAC_INTERP_LINEAR, SAC_INTERP_NEAREST, SAC_INTERP_CUBIC};
    static const int64_t n_samples[] = {200, 131, 97};
    const int *c = t->choice, data = c[DATA];
    sac_beamform_desc *d = &t->desc;
    d->dtype = data == 0 ? SAC_C64 : data % 2 ? SAC_I16 : SAC_F32;
    d->demodulate = data >= 3 && data <= 6 ? SAC_DEMODULATE_NO : SAC_DEMODULATE_AUTO;
    d->band_pass = data == 5 || data == 6;
    d->decimation = data == 7 ? 2 : 1;
    d->layout = (sac_channel_layout)c[LAYOUT];
    d->interp = interps[c[INTERP]];
    d->outside = c[OUTSIDE];
    d->apodization = windows[c[WINDOW]];
    d->f_number = c[WINDOW] == 3 ? 0 : 0.7;
    d->output = c[OUTPUT];
    d->lri = c[LRI];
    d->tier = tiers[c[TIER]];
    d->n_samples = n_samples[c[SAMPLES]];
    d->n_threads = 2;
    t->acquisition.phase_origin = c[PHASE] % 2 ? SAC_PHASE_TRANSMIT : SAC_PHASE_RECORD;
    t->acquisition.phase_sign = c[PHASE] < 2 ? 1 : -1;
}

/* The test number `single`, or where that is negative a mixture. Freed by free_test; not to be
 * moved. */
static inline void new_test(test *t, uint64_t *state, int single, bool thin)
{
    static const int64_t n_frames[] = {1, 2, 5, 33, 70, 9, 17, 32};
    *t = (test){0};
    choose(t, state, single);
    sac_beamform_desc_init(&t->desc);
    sac_acquisition_init(&t->acquisition);
    t->acquisition.fs_hz = 20e6;
    t->acquisition.fc_hz = 5e6;
    t->acquisition.bandwidth = 0.6;
    t->desc.acquisition = &t->acquisition;
    set_options(t);
    make_array(t, state, thin ? 10 : MAX_ELEMENTS - t->choice[FRAMES] % 2);
    make_points(t, state, thin);
    const int64_t *n = t->desc.grid.n;
    make_transmits(t, state, t->points_m ? t->desc.n_points : n[0] * n[1] * n[2]);
    make_amplitudes(t, state);
    set_field(t);
    set_frames(t, state, n_frames[thin ? t->choice[FRAMES] % 3 : t->choice[FRAMES]]);
}

static inline void free_test(test *t)
{
    free(t->data);
    free(t->arrivals_s);
    free(t->points_m);
}

/*
 * Relative L2 error of a picture against the CPU's of the exact tier: both rooms' bounds, and those
 * of the steps around them. docs/numerics.md derives them.
 */
static inline double error_bound(const test *t)
{
    const sac_beamform_desc *d = &t->desc;
    bool rf = d->dtype != SAC_C64 && d->demodulate == SAC_DEMODULATE_NO;
    double bound = 2e-6;
    if (d->tier != SAC_TIER_EXACT)
        bound += 2e-5 + 3e-8 * (double)d->n_samples;
    if (d->tier == SAC_TIER_FAST)
        bound += 1e-3;
    if (d->dtype != SAC_C64 && (!rf || d->band_pass))
        bound += 2e-6;
    if (rf && d->output != SAC_OUTPUT_IQ)
        bound += 2 * 64 * 0x1p-24 * 4; /* of the largest, which noise exceeds by 4 at most */
    return d->output == SAC_OUTPUT_BMODE ? bound + 4e-6 : bound;
}

#endif
