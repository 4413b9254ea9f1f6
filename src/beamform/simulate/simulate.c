/*
 * The ultrasound simulator: checks, memory, the loop over scatterers and transmits, noise.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "beamform/acquisition.h"
#include "beamform/simulate/simulator.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "beamform/kernels/das/das.h"

#define LEAST_BANDWIDTH 0.01
#define FARTHEST_FOCUS_M 1e3 /* across the array: flat beyond */
#define MOST_FINE 1e12       /* fine samples of any time: places keep 1e-4 of one in double */

void sac_ultrasound_desc_init(sac_ultrasound_desc *desc)
{
    if (desc)
        *desc = (sac_ultrasound_desc){.struct_size = sizeof *desc};
}

void sac_scatterer_init(sac_scatterer *scatterer)
{
    if (scatterer)
        *scatterer = (sac_scatterer){.amplitude = 1};
}

/* When each element fires, so that the wave passes the origin at time 0. */
static void set_delays(double *fire_s, const sac_acquisition *a, int32_t transmit)
{
    const sac_transmit *t = &a->transmits[transmit];
    const double origin[3] = {0, 0, 0};
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double *p = a->elements[e].position_m;
        if (t->kind == SAC_TRANSMIT_ELEMENT)
            fire_s[e] = e == t->element ? 0 : NAN;
        else if (t->kind == SAC_TRANSMIT_DELAYS)
            fire_s[e] = t->delays_s[e];
        else if (t->kind == SAC_TRANSMIT_FOCUSED) /* elements lie before the focus */
            fire_s[e] =
                (sac_distance(t->source_m, origin) - sac_distance(t->source_m, p)) / a->c_m_s;
        else
            fire_s[e] = sac_das_arrival_s(t, a->elements, a->n_elements, a->c_m_s, p, 0);
        if (sac_acquisition_amplitude(a, transmit, e) == 0)
            fire_s[e] = NAN;
    }
}

/* The longest waveform that any scatterer may see, in fine samples. */
static double longest_line(sac_simulation *s)
{
    const sac_acquisition *a = s->acquisition;
    double low[3], high[3], spread_s = 0, early_s = 0;
    for (int axis = 0; axis < 3; axis++)
        low[axis] = high[axis] = s->pieces[0].element.position_m[axis];
    for (int32_t e = 0; e < s->n_pieces; e++)
        early_s = fmin(early_s, s->pieces[e].delay_s);
    for (int32_t e = 1; e < s->n_pieces; e++)
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], s->pieces[e].element.position_m[axis]);
            high[axis] = fmax(high[axis], s->pieces[e].element.position_m[axis]);
        }
    for (int32_t t = 0; t < a->n_transmits; t++) {
        double first = INFINITY, last = -INFINITY;
        set_delays(s->fire_s, a, t);
        for (int32_t e = 0; e < a->n_elements; e++) {
            first = fmin(first, s->fire_s[e]);
            last = fmax(last, s->fire_s[e]);
        }
        spread_s = fmax(spread_s, last - first);
    }
    return (spread_s - early_s + sac_distance(low, high) / s->slowest_m_s) * s->rate_hz +
           2 * s->pulse_length + 4;
}

static sac_status allocate(sac_simulation *s, sac_error *err)
{
    const sac_acquisition *a = s->acquisition;
    size_t n = (size_t)a->n_elements;
    s->over = (int32_t)ceil(SAC_SIM_FINE * a->fc_hz / a->fs_hz);
    s->rate_hz = s->over * a->fs_hz;
    sac_status status = sac_sim_pulse(s, err);
    if (status == SAC_OK)
        status = sac_sim_cut(s, err);
    if (status)
        return status;
    const size_t n_ways = (size_t)s->most * (size_t)s->n_pieces;
    s->fire_s = sac_alloc(n, sizeof *s->fire_s);
    s->delay_s = sac_alloc(n_ways, sizeof *s->delay_s);
    s->gain = sac_alloc(n_ways, sizeof *s->gain);
    s->peaks = sac_alloc((size_t)a->n_transmits, sizeof *s->peaks);
    if (!s->fire_s || !s->delay_s || !s->gain || !s->peaks)
        return sac_fail(err, SAC_E_NOMEM, "simulate: no memory for the ways of %d elements",
                        a->n_elements);
    double line = longest_line(s), places = line + (2 * SAC_SIM_PAD + 1) * s->over;
    if (places < 1e9)
        s->wave_memory =
            sac_alloc(SAC_SIM_CHUNK * (size_t)(line + places + 2), sizeof *s->wave_memory);
    if (!s->wave_memory)
        return sac_fail(err, SAC_E_NOMEM, "simulate: no memory for waveforms of %.3g s",
                        line / s->rate_hz);
    for (int32_t i = 0; i < SAC_SIM_CHUNK; i++) {
        s->waves[i].line = s->wave_memory + (size_t)i * (size_t)(line + places + 2);
        s->waves[i].fine = s->waves[i].line + (size_t)line + 1;
    }
    return SAC_OK;
}

static sac_status simulate(sac_simulation *s)
{
    const sac_acquisition *a = s->acquisition;
    const sac_ultrasound_desc *desc = s->desc;
    uint64_t done = 0, total = (uint64_t)desc->n_scatterers * (uint64_t)a->n_transmits;
    for (s->first = 0; s->first < desc->n_scatterers; s->first += s->most) {
        int64_t left = desc->n_scatterers - s->first;
        s->n_chunk = left < s->most ? (int32_t)left : s->most;
        sac_pool_run(s->pool, s->n_chunk, sac_sim_geometry, s);
        for (s->transmit = 0; s->transmit < a->n_transmits; s->transmit++) {
            set_delays(s->fire_s, a, s->transmit);
            sac_pool_run(s->pool, s->n_chunk, sac_sim_wave_at, s);
            sac_pool_run(s->pool, (a->n_elements + SAC_SIM_GROUP - 1) / SAC_SIM_GROUP,
                         sac_sim_receive, s);
            done += (uint64_t)s->n_chunk;
            if (desc->progress && !desc->progress(desc->progress_ctx, done, total))
                return SAC_CANCELLED;
        }
    }
    return SAC_OK;
}

static void peak_task(void *arg, int32_t t)
{
    sac_simulation *s = arg;
    int64_t n = s->acquisition->n_elements * s->desc->n_samples, first = t * n;
    for (int64_t j = first; j < first + n; j++)
        s->peaks[t] = fmaxf(s->peaks[t], fabsf(s->out[j]));
}

static void noise_task(void *arg, int32_t t)
{
    sac_simulation *s = arg;
    int64_t n = s->acquisition->n_elements * s->desc->n_samples, first = t * n;
    for (int64_t j = first; j < first + n; j++)
        s->out[j] += (float)(s->noise * sac_random_normal(s->desc->seed, (uint64_t)j));
}

static void add_noise(sac_simulation *s)
{
    const sac_acquisition *a = s->acquisition;
    float peak = 0;
    if (!(s->desc->noise_db > 0))
        return;
    sac_pool_run(s->pool, a->n_transmits, peak_task, s);
    for (int32_t t = 0; t < a->n_transmits; t++)
        peak = fmaxf(peak, s->peaks[t]); /* in double, gcc 12 for AArch64 crashes here */
    s->noise = (double)peak * pow(10, -s->desc->noise_db / 20);
    sac_pool_run(s->pool, a->n_transmits, noise_task, s);
}

/* Times in fine samples must be exact in double, and fit in an int64_t. */
static sac_status check_times(const sac_simulation *s, sac_error *err)
{
    const sac_ultrasound_desc *desc = s->desc;
    const sac_acquisition *a = desc->acquisition;
    double way = 0, clock = (double)desc->n_samples / a->fs_hz;
    sac_known(desc->scatterers || desc->n_scatterers == 0);
    for (int64_t i = 0; i < desc->n_scatterers; i++)
        way = fmax(way, sac_distance(desc->scatterers[i].position_m, (const double[3]){0}));
    for (int32_t e = 0; e < a->n_elements; e++)
        way = fmax(way, sac_distance(a->elements[e].position_m, (const double[3]){0}) +
                            0.5 * sac_acquisition_line_m(a, e));
    for (int32_t t = 0; t < a->n_transmits; t++) {
        clock = fmax(clock, fabs(a->transmits[t].t0_s));
        for (int32_t e = 0; a->transmits[t].kind == SAC_TRANSMIT_DELAYS && e < a->n_elements; e++)
            clock = fmax(clock, fabs(a->transmits[t].delays_s[e]));
    }
    double span_s = clock + 4 * (way + s->layers.lens_m) / s->slowest_m_s;
    if (span_s * (a->fs_hz + SAC_SIM_FINE * a->fc_hz) < MOST_FINE)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID, "simulate: %g s are too long at fs %g Hz and fc %g Hz",
                    span_s, a->fs_hz, a->fc_hz);
}

static sac_status check_acquisition(const sac_acquisition *a, sac_error *err)
{
    if (a->bandwidth > 0 && a->bandwidth < LEAST_BANDWIDTH)
        return sac_fail(err, SAC_E_INVALID, "bandwidth: expected %g of fc or more, got %g",
                        LEAST_BANDWIDTH, a->bandwidth);
    if (SAC_SIM_FINE * a->fc_hz > 65536 * a->fs_hz)
        return sac_fail(err, SAC_E_INVALID, "fs: %g Hz is too low to sample a pulse at %g Hz",
                        a->fs_hz, a->fc_hz);
    for (int32_t t = 0; t < a->n_transmits; t++)
        if (a->transmits[t].kind == SAC_TRANSMIT_ARRIVALS)
            return sac_fail(err, SAC_E_INVALID,
                            "transmits: transmit %d has given arrivals, which no array sends", t);
    return SAC_OK;
}

static sac_status check_scatterers(const sac_ultrasound_desc *desc, sac_error *err)
{
    if (desc->n_scatterers < 1 || !desc->scatterers)
        return sac_fail(err, SAC_E_INVALID, "scatterers: expected 1 or more, got %lld",
                        desc->scatterers ? (long long)desc->n_scatterers : 0);
    for (int64_t i = 0; i < desc->n_scatterers; i++) {
        const sac_scatterer *s = &desc->scatterers[i];
        if (!isfinite(s->position_m[0] + s->position_m[1] + s->position_m[2] + s->amplitude))
            return sac_fail(err, SAC_E_INVALID, "scatterers: scatterer %lld is not finite",
                            (long long)i);
    }
    return SAC_OK;
}

/* Layers and lens, and whether all lies where they are known. */
static sac_status read_layers(sac_simulation *s, sac_error *err)
{
    const sac_ultrasound_desc *desc = s->desc;
    const sac_acquisition *a = desc->acquisition;
    sac_status status = sac_layers_read(&s->layers, desc->lens, desc->layers, a->c_m_s, err);
    s->slowest_m_s = a->c_m_s;
    if (status || s->layers.n == 0)
        return status;
    for (int32_t i = 0; i < s->layers.n; i++)
        s->slowest_m_s = fmin(s->slowest_m_s, s->layers.layer[i].c_m_s);
    for (int64_t i = 0; i < desc->n_scatterers; i++)
        if (!(desc->scatterers[i].position_m[2] >= 0))
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "layers: scatterer %lld lies behind the array, where layers and a lens "
                            "are not",
                            (long long)i);
    return sac_layers_check(a, err);
}

static sac_status check_elevation(const sac_ultrasound_desc *desc, sac_error *err)
{
    const sac_acquisition *a = desc->acquisition;
    const double focus_m = desc->elevation_focus_m;
    if (!(focus_m >= 0 && focus_m <= FARTHEST_FOCUS_M))
        return sac_fail(err, SAC_E_INVALID, "elevation_focus_m: expected 0 to %g m, got %g",
                        FARTHEST_FOCUS_M, focus_m);
    for (int32_t e = 0; focus_m > 0 && e < a->n_elements; e++)
        if (!(a->elements[e].height_m > 0) || fabs(a->elements[e].normal[1]) > 1e-6 ||
            (a->shapes && a->shapes[e] != SAC_SHAPE_AREA))
            return sac_fail(err, SAC_E_INVALID,
                            "elevation_focus_m: element %d has no height, is a line, or faces y",
                            e);
    return SAC_OK;
}

static sac_status check(sac_simulation *s, const sac_array *out, sac_error *err)
{
    const sac_ultrasound_desc *desc = s->desc;
    sac_status status = check_acquisition(desc->acquisition, err);
    if (status == SAC_OK)
        status = check_scatterers(desc, err);
    if (status == SAC_OK)
        status = check_elevation(desc, err);
    if (status == SAC_OK)
        status = read_layers(s, err);
    if (status == SAC_OK)
        status = check_times(s, err);
    if (status)
        return status;
    if (!isfinite(desc->attenuation_db_cm_mhz) || desc->attenuation_db_cm_mhz < 0)
        return sac_fail(err, SAC_E_INVALID, "attenuation: expected 0 dB/cm/MHz or more, got %g",
                        desc->attenuation_db_cm_mhz);
    if (!isfinite(desc->noise_db) || desc->noise_db < 0)
        return sac_fail(err, SAC_E_INVALID, "noise: expected 0 dB or more, got %g", desc->noise_db);
    status = sac_array_check(out, "out", err);
    if (status)
        return status;
    const sac_acquisition *a = desc->acquisition;
    if (out->dtype != SAC_F32 || out->n_dims != 3 || out->shape[0] != a->n_transmits ||
        out->shape[1] != a->n_elements || out->shape[2] != desc->n_samples || desc->n_samples < 1 ||
        out->device.kind != SAC_DEVICE_CPU || !sac_array_is_contiguous(out))
        return sac_fail(err, SAC_E_SHAPE, "out: expected contiguous f32 (%d, %d, %lld) on the CPU",
                        a->n_transmits, a->n_elements, (long long)desc->n_samples);
    return SAC_OK;
}

sac_status sac_simulate_ultrasound(const sac_array *out, const sac_ultrasound_desc *callers,
                                   sac_error *err)
{
    sac_ultrasound_desc own;
    sac_acquisition acquisition;
    sac_ultrasound_desc_init(&own);
    sac_status status = sac_struct_take(&own, callers, "desc", err);
    if (status == SAC_OK)
        status = sac_acquisition_take(&acquisition, own.acquisition, err);
    own.acquisition = &acquisition;
    const sac_ultrasound_desc *desc = &own;
    const sac_acquisition *a = &acquisition;
    if (status)
        return status;
    sac_simulation *s = sac_alloc(1, sizeof *s);
    if (!s)
        return sac_fail(err, SAC_E_NOMEM, "simulate: no memory");
    s->desc = desc;
    s->acquisition = a;
    status = check(s, out, err);
    if (status) {
        sac_free(s);
        return status;
    }
    s->out = out->data;
    s->lambda_m = a->c_m_s / a->fc_hz;
    /* dB / (cm MHz) to nepers a metre at fc. */
    s->attenuation = desc->attenuation_db_cm_mhz * 100 * (a->fc_hz * 1e-6) * log(10) / 20;
    status = sac_pool_open(&s->pool, desc->n_threads, NULL, err);
    if (status == SAC_OK)
        status = allocate(s, err);
    if (status == SAC_OK) {
        memset(s->out, 0, (size_t)sac_array_count(out) * sizeof *s->out);
        status = simulate(s);
    }
    if (status == SAC_CANCELLED)
        status = sac_fail(err, status, "simulate: cancelled");
    if (status == SAC_OK)
        add_noise(s);
    sac_pool_close(&s->pool);
    sac_free(s->pulse);
    sac_free(s->pieces);
    sac_free(s->first_piece);
    sac_free(s->fire_s);
    sac_free(s->delay_s);
    sac_free(s->gain);
    sac_free(s->peaks);
    sac_free(s->wave_memory);
    sac_free(s);
    return status;
}
