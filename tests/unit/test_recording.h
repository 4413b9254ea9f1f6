/*
 * For the tests of recordings: one with a transmit of every kind, and what is compared of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_RECORDING_H
#define SAC_TESTS_TEST_RECORDING_H

#include "test_io.h"

#include <math.h>

#include <saccade/recording.h>

#define N_FRAMES 3
#define N_TRANSMITS 5
#define N_ELEMENTS 4
#define N_SAMPLES 7
#define N_RECORDS (N_FRAMES * N_TRANSMITS * N_ELEMENTS)

static const double test_delays[N_ELEMENTS] = {1e-6, NAN, 3e-7, 0};

typedef struct scene {
    sac_element elements[N_ELEMENTS];
    sac_transmit transmits[N_TRANSMITS];
    sac_scatterer truth[2];
    sac_acquisition acquisition;
    float data[2 * N_RECORDS * N_SAMPLES]; /* enough for every type */
    sac_array samples;
} scene;

static inline bool has_part(const char *name)
{
    return strstr(sac_io_parts(), name) != NULL;
}

static inline void fill_acquisition(scene *s)
{
    sac_probe_linear(s->elements, N_ELEMENTS, 3e-4, 2.5e-4, 5e-3);
    s->elements[1].position_m[1] = 1e-3; /* no linear array */
    s->elements[3].normal[0] = 0.6;
    s->elements[3].normal[2] = 0.8;
    static const double source_m[N_TRANSMITS][3] = {{0}, {1e-3, 2e-3, -5e-3}, {0, 0, 2e-2}};
    static const double t0_s[N_TRANSMITS] = {1e-6, 2e-6, -3e-6, 0, 5e-6};
    for (int i = 0; i < N_TRANSMITS; i++) { /* a transmit of each kind */
        sac_transmit_init(&s->transmits[i], (sac_transmit_kind)i);
        memcpy(s->transmits[i].source_m, source_m[i], sizeof source_m[i]);
        s->transmits[i].t0_s = t0_s[i];
        s->transmits[i].weight = 1 - 0.1 * i;
    }
    s->transmits[SAC_TRANSMIT_PLANE].azimuth_rad = 0.1;
    s->transmits[SAC_TRANSMIT_PLANE].elevation_rad = -0.2;
    s->transmits[SAC_TRANSMIT_ELEMENT].element = 2;
    s->transmits[SAC_TRANSMIT_DELAYS].delays_s = test_delays;
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    a->n_elements = N_ELEMENTS;
    a->n_transmits = N_TRANSMITS;
    a->elements = s->elements;
    a->transmits = s->transmits;
    a->fs_hz = 20e6;
    a->fc_hz = 5e6;
    a->fd_hz = 4.5e6;
    a->bandwidth = 0.6;
    a->c_m_s = 1480;
    a->frame_rate_hz = 123;
    a->phase_origin = SAC_PHASE_TRANSMIT;
    a->phase_sign = -1;
}

static inline void fill_scene(scene *s, sac_dtype dtype)
{
    sac_error err;
    memset(s, 0, sizeof *s);
    fill_acquisition(s);
    const int64_t shape[] = {N_FRAMES, N_TRANSMITS, N_ELEMENTS, N_SAMPLES};
    assert_ok(sac_array_view(&s->samples, s->data, dtype, 4, shape, &err), &err);
    for (int i = 0; i < 2 * N_RECORDS * N_SAMPLES; i++) {
        if (dtype == SAC_I16)
            ((int16_t *)(void *)s->data)[i] = (int16_t)(i * 37);
        else
            s->data[i] = 0.25F * (float)i - 3;
    }
    s->truth[0] = (sac_scatterer){{1e-3, 0, 2e-2}, 1};
    s->truth[1] = (sac_scatterer){{-2e-3, 1e-4, 3e-2}, -0.5};
}

static inline void write_scene(const scene *s, const char *path)
{
    sac_error err = {0};
    assert_ok(sac_recording_write(path, &s->samples, &s->acquisition, s->truth, 2, &err), &err);
}

/* Doubles that may have gone through decimal digits. */
static inline void assert_near(double got, double want)
{
    if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-15 * fabs(want)))
        fail_msg("got %.17g, wanted %.17g", got, want);
}

static inline void assert_same_acquisition(const sac_acquisition *got, const sac_acquisition *want)
{
    assert_int_equal(got->n_elements, want->n_elements);
    assert_int_equal(got->n_transmits, want->n_transmits);
    assert_near(got->fs_hz, want->fs_hz);
    assert_near(got->fc_hz, want->fc_hz);
    assert_near(got->fd_hz, want->fd_hz);
    assert_near(got->bandwidth, want->bandwidth);
    assert_near(got->c_m_s, want->c_m_s);
    assert_near(got->frame_rate_hz, want->frame_rate_hz);
    assert_int_equal(got->phase_origin, want->phase_origin);
    assert_int_equal(got->phase_sign, want->phase_sign);
    for (int i = 0; i < want->n_elements; i++) {
        const sac_element *g = &got->elements[i], *w = &want->elements[i];
        for (int k = 0; k < 3; k++) {
            assert_near(g->position_m[k], w->position_m[k]);
            assert_near(g->normal[k], w->normal[k]);
        }
        assert_near(g->width_m, w->width_m);
        assert_near(g->height_m, w->height_m);
    }
    for (int i = 0; i < want->n_transmits; i++) {
        const sac_transmit *g = &got->transmits[i], *w = &want->transmits[i];
        assert_int_equal(g->kind, w->kind);
        assert_int_equal(g->kind == SAC_TRANSMIT_ELEMENT ? g->element : 0, w->element);
        assert_near(g->azimuth_rad, w->azimuth_rad);
        assert_near(g->elevation_rad, w->elevation_rad);
        for (int k = 0; k < 3; k++)
            assert_near(g->source_m[k], w->source_m[k]);
        assert_near(g->t0_s, w->t0_s);
        assert_near(g->weight, w->weight);
        assert_int_equal(g->delays_s != NULL, w->delays_s != NULL);
        for (int e = 0; w->delays_s && e < want->n_elements; e++)
            assert_near(g->delays_s[e], w->delays_s[e]);
    }
}

/* Reads what must be readable. */
static inline sac_recording *read_recording(const char *path, const sac_recording_desc *desc)
{
    sac_error err = {0};
    sac_recording *r = NULL;
    assert_ok(sac_recording_read(&r, path, desc, &err), &err);
    assert_non_null(r);
    return r;
}

static inline void assert_not_read(const char *path, const sac_recording_desc *desc,
                                   sac_status want, const char *word)
{
    sac_error err = {0};
    sac_recording *r = NULL;
    assert_failed(sac_recording_read(&r, path, desc, &err), want, &err, word);
    assert_null(r);
}

#endif
