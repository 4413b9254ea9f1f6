/*
 * Channel data for tests: the echo of one point, written down from the definition of the delays.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_ULTRASOUND_H
#define SAC_TESTS_ULTRASOUND_H

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include <saccade/beamform.h>

#define PI 3.14159265358979323846
#define MAX_ELEMENTS 256
#define MAX_TRANSMITS 16

/* A small machine: elements, transmits, and the size of a record. */
typedef struct scene {
    sac_element elements[MAX_ELEMENTS];
    sac_transmit transmits[MAX_TRANSMITS];
    sac_acquisition acquisition;
    int64_t n_samples, n_frames;
} scene;

static inline void linear_scene(scene *s, int32_t n_elements, int32_t n_transmits)
{
    *s = (scene){.n_samples = 1024, .n_frames = 1};
    sac_probe_linear(s->elements, n_elements, 0.3e-3, 0.27e-3, 5e-3);
    sac_acquisition_init(&s->acquisition);
    s->acquisition.elements = s->elements;
    s->acquisition.n_elements = n_elements;
    s->acquisition.transmits = s->transmits;
    s->acquisition.n_transmits = n_transmits;
    s->acquisition.fs_hz = 20e6;
    s->acquisition.fc_hz = 5e6;
    s->acquisition.c_m_s = 1540;
    s->acquisition.bandwidth = 0.6;
    for (int32_t t = 0; t < n_transmits; t++) {
        sac_transmit_init(&s->transmits[t], SAC_TRANSMIT_PLANE);
        s->transmits[t].t0_s = 2e-6;
    }
}

static inline double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/*
 * IQ of a point scatterer at p: a Gaussian envelope around tau = tau_tx + tau_rx, and the carrier's
 * phase -2 pi fd (tau - t0) that demodulation from the record's start leaves. tau_tx is
 * (n_transmits). (n_frames, n_transmits, n_elements, n_samples); frame f has amplitude 1 + f.
 */
static inline float complex *echo_iq(const scene *s, const double p[3], const double *tau_tx)
{
    const sac_acquisition *a = &s->acquisition;
    int64_t n = s->n_frames * a->n_transmits * a->n_elements * s->n_samples;
    float complex *iq = malloc((size_t)n * sizeof *iq), *at = iq;
    double sigma_s = 0.35 / (a->bandwidth * a->fc_hz);
    for (int64_t f = 0; f < s->n_frames; f++)
        for (int32_t t = 0; t < a->n_transmits; t++)
            for (int32_t r = 0; r < a->n_elements; r++) {
                double tau = tau_tx[t] + distance(p, a->elements[r].position_m) / a->c_m_s;
                double t0 = a->transmits[t].t0_s;
                double from = a->phase_origin == SAC_PHASE_RECORD ? t0 : 0;
                double complex turn = cexp(-2 * PI * I * a->phase_sign * a->fc_hz * (tau - from));
                for (int64_t i = 0; i < s->n_samples; i++) {
                    double x = (t0 + (double)i / a->fs_hz - tau) / sigma_s;
                    *at++ = (float complex)((double)(1 + f) * exp(-0.5 * x * x) * turn);
                }
            }
    return iq;
}

static inline sac_array channel_array(const scene *s, sac_dtype dtype, void *data)
{
    sac_array array;
    const int64_t shape[] = {s->n_frames, s->acquisition.n_transmits, s->acquisition.n_elements,
                             s->n_samples};
    if (sac_array_view(&array, data, dtype, 4, shape, NULL) != SAC_OK)
        abort();
    return array;
}

/* A desc for the scene's data, 1 thread, all elements, on n x n points of +-half around p in x, z.
 */
static inline sac_beamform_desc scene_desc(const scene *s, sac_dtype dtype, const double p[3],
                                           double half_m, int64_t n)
{
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc);
    desc.acquisition = &s->acquisition;
    desc.dtype = dtype;
    desc.n_frames = s->n_frames;
    desc.n_samples = s->n_samples;
    desc.f_number = 0;
    desc.n_threads = 1;
    desc.output = SAC_OUTPUT_IQ;
    for (int i = 0; i < 3; i++) {
        desc.grid.first_m[i] = desc.grid.last_m[i] = p[i];
        desc.grid.n[i] = 1;
    }
    desc.grid.first_m[0] -= half_m;
    desc.grid.last_m[0] += half_m;
    desc.grid.first_m[2] -= half_m;
    desc.grid.last_m[2] += half_m;
    desc.grid.n[0] = desc.grid.n[2] = n;
    return desc;
}

/* Contiguous memory for what the plan writes. */
static inline sac_array output_of(const sac_beamform *plan)
{
    sac_array out = sac_beamform_get_output_array(plan);
    void *data = calloc((size_t)sac_array_count(&out), sac_dtype_size(out.dtype));
    if (!data || sac_array_view(&out, data, out.dtype, out.n_dims, out.shape, NULL) != SAC_OK)
        abort();
    return out;
}

#endif
