/*
 * Opening and closing a beamform plan: all checks, all choices, all memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/plan.h"
#include "kernels/das_iq_f32/das_iq_f32.h"
#include "kernels/das_rf_f32/das_rf_f32.h"
#include "kernels/das_rf_i16/das_rf_i16.h"
#include "kernels/pack_c64/pack_c64.h"
#include "kernels/pack_f32/pack_f32.h"
#include "kernels/pack_i16/pack_i16.h"

#define MAX_POINTS (INT64_C(1) << 28)
#define MAX_SAMPLES (INT64_C(1) << 24) /* a float still counts them */
#define MAX_FRAMES (INT64_C(1) << 24)
#define SCRATCH_FLOATS (SAC_DAS_BLOCK * 256) /* of a task: 256 KB, which the L2 cache holds */
#define TASKS_A_THREAD 16
#define DEFAULT_BANDWIDTH 0.7 /* of fc: of medical arrays, and PICMUS's 0.67 */
#define DEFAULT_TAPER 0.25    /* PICMUS's receive window */

static sac_status parse_apodization(sac_apodization *out, const sac_beamform_desc *desc,
                                    sac_error *err)
{
    const char *text = desc->apodization;
    int end = -1;
    *out = (sac_apodization){.f_number = desc->f_number};
    if (!text) {
        out->window = SAC_WINDOW_TUKEY;
        out->taper = DEFAULT_TAPER;
    } else if (!strcmp(text, "hann")) {
        out->window = SAC_WINDOW_HANN;
    } else if (!strncmp(text, "tukey:", 6) && sscanf(text + 6, "%lf%n", &out->taper, &end) == 1 &&
               text[6 + end] == '\0' && out->taper >= 0 && out->taper <= 1) {
        out->window = out->taper > 0 ? SAC_WINDOW_TUKEY : SAC_WINDOW_RECT;
    } else if (strcmp(text, "rect")) {
        return sac_fail(err, SAC_E_INVALID,
                        "apodization: expected rect, hann or tukey:A with A of 0 to 1, got `%s`",
                        text);
    }
    return SAC_OK;
}

static sac_status check_grid(const sac_beamform_desc *desc, sac_error *err)
{
    static const char axis[] = "xyz";
    if (desc->points_m) {
        if (desc->n_points < 1 || desc->n_points > MAX_POINTS)
            return sac_fail(err, SAC_E_INVALID, "n_points: expected 1 to %lld, got %lld",
                            (long long)MAX_POINTS, (long long)desc->n_points);
        for (int64_t i = 0; i < 3 * desc->n_points; i++)
            if (!isfinite(desc->points_m[i]))
                return sac_fail(err, SAC_E_INVALID, "points: point %lld is not finite",
                                (long long)(i / 3));
        return SAC_OK;
    }
    double n_points = 1;
    for (int i = 0; i < 3; i++) {
        const sac_grid *g = &desc->grid;
        if (g->n[i] < 1)
            return sac_fail(err, SAC_E_INVALID,
                            "grid: expected 1 or more points along %c, got %lld", axis[i],
                            (long long)g->n[i]);
        if (!isfinite(g->first_m[i]) || !isfinite(g->last_m[i]))
            return sac_fail(err, SAC_E_INVALID, "grid: its ends along %c are not finite", axis[i]);
        n_points *= (double)g->n[i];
    }
    if (n_points > (double)MAX_POINTS)
        return sac_fail(err, SAC_E_INVALID, "grid: %.10g points, and at most %lld are possible",
                        n_points, (long long)MAX_POINTS);
    return SAC_OK;
}

static sac_status check_desc(const sac_beamform_desc *desc, sac_error *err)
{
    if (!desc)
        return sac_fail(err, SAC_E_INVALID, "desc: is NULL");
    sac_status status = sac_param_check(sac_beamform_params(), desc, err);
    if (status == SAC_OK)
        status = sac_acquisition_check(desc->acquisition, err);
    if (status)
        return status;
    if (desc->dtype != SAC_I16 && desc->dtype != SAC_F32 && desc->dtype != SAC_C64)
        return sac_fail(err, SAC_E_SHAPE, "dtype: expected i16 or f32 (RF) or c64 (IQ), got %s",
                        sac_dtype_name(desc->dtype));
    if (desc->n_samples < 1 || desc->n_samples > MAX_SAMPLES)
        return sac_fail(err, SAC_E_SHAPE, "n_samples: expected 1 to %lld, got %lld",
                        (long long)MAX_SAMPLES, (long long)desc->n_samples);
    if (desc->n_frames < 1 || desc->n_frames > MAX_FRAMES)
        return sac_fail(err, SAC_E_SHAPE, "n_frames: expected 1 to %lld, got %lld",
                        (long long)MAX_FRAMES, (long long)desc->n_frames);
    if (desc->layout != SAC_FRAMES_OUTER && desc->layout != SAC_FRAMES_INNER)
        return sac_fail(err, SAC_E_INVALID, "layout: %d is none", (int)desc->layout);
    if (desc->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_UNSUPPORTED, "device: beamform does not work on cuda yet");
    if (desc->dtype == SAC_C64 && desc->demodulate == SAC_DEMODULATE_YES)
        return sac_fail(err, SAC_E_INVALID, "demodulate: the data is IQ already");
    if (desc->band_pass && (desc->dtype == SAC_C64 || desc->demodulate != SAC_DEMODULATE_NO))
        return sac_fail(err, SAC_E_INVALID,
                        "band-pass: is for RF that stays RF (demodulate no); demodulation filters");
    if (desc->decimation > 1 && (desc->dtype == SAC_C64 || desc->demodulate == SAC_DEMODULATE_NO))
        return sac_fail(err, SAC_E_INVALID, "decimation: %d, and nothing is demodulated",
                        desc->decimation);
    return check_grid(desc, err);
}

/* A grid along whose z the envelope of RF can be taken. */
static sac_status check_envelope(const sac_beamform *plan, sac_error *err)
{
    const sac_grid *g = &plan->desc.grid;
    if (plan->iq || plan->desc.output == SAC_OUTPUT_IQ)
        return SAC_OK;
    if (plan->desc.points_m || g->n[2] < 2)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "output: the envelope of RF needs a grid with several z; demodulate, or "
                        "take output iq");
    double step = fabs(g->last_m[2] - g->first_m[2]) / (double)(g->n[2] - 1);
    double widest = 0.25 * plan->das.c_m_s / (plan->desc.acquisition->fc_hz * 1.5);
    if (step > widest)
        return sac_fail(
            err, SAC_E_INVALID,
            "grid: the envelope of RF needs steps of at most %.4g mm along z, got %.4g; "
            "or demodulate",
            1e3 * widest, 1e3 * step);
    return SAC_OK;
}

/* Whether records go through the demodulator's filter. */
static bool is_filtered(const sac_beamform *plan)
{
    return plan->desc.dtype != SAC_C64 && (plan->iq || plan->desc.band_pass);
}

/* The rooms that a run goes through, in its order. */
static sac_status choose(sac_beamform *plan, sac_error *err)
{
    enum { DEMODULATE, PACK, BEAMFORM, MAGNITUDE, HILBERT, COMPRESS, N_ROOMS };
    bool iq = plan->iq, i16 = plan->scalar_size == sizeof(int16_t);
    bool envelope = plan->desc.output != SAC_OUTPUT_IQ;
    const sac_room *rooms[N_ROOMS] = {
        [DEMODULATE] = is_filtered(plan) ? sac_demodulate_room(plan->desc.dtype) : NULL,
        [PACK] = iq    ? &sac_pack_c64_room
                 : i16 ? &sac_pack_i16_room
                       : &sac_pack_f32_room,
        [BEAMFORM] = iq    ? &sac_das_iq_f32_room
                     : i16 ? &sac_das_rf_i16_room
                           : &sac_das_rf_f32_room,
        [MAGNITUDE] = envelope && iq ? &sac_envelope_c64_room : NULL,
        [HILBERT] = envelope && !iq ? &sac_hilbert_f32_room : NULL,
        [COMPRESS] = plan->desc.output == SAC_OUTPUT_BMODE ? &sac_compress_f32_room : NULL,
    };
    sac_any_fn fn[N_ROOMS] = {NULL};
    sac_status status =
        sac_variant_choose_all(fn, plan->variant, sizeof plan->variant, rooms, N_ROOMS,
                               (sac_tier)plan->desc.tier, plan->desc.variant, err);
    if (status)
        return status;
    plan->demodulate = fn[DEMODULATE];
    plan->pack = (sac_pack_fn)fn[PACK];
    plan->beamform = (sac_das_fn)fn[BEAMFORM];
    plan->magnitude = (sac_envelope_c64_fn)fn[MAGNITUDE];
    plan->hilbert = (sac_hilbert_f32_fn)fn[HILBERT];
    plan->compress = (sac_compress_f32_fn)fn[COMPRESS];
    sac_hilbert_init(&plan->taps);
    sac_log_line(plan->desc.log, SAC_LOG_INFO, "beamform: %s, %d threads", plan->variant,
                 sac_pool_threads(plan->pool));
    return SAC_OK;
}

/* Doubles that the transmits' own tables take. */
static size_t table_count(const sac_acquisition *a, int64_t n_points)
{
    size_t count = 0;
    for (int32_t t = 0; t < a->n_transmits; t++) {
        if (a->transmits[t].kind == SAC_TRANSMIT_DELAYS)
            count += (size_t)a->n_elements;
        if (a->transmits[t].kind == SAC_TRANSMIT_ARRIVALS)
            count += (size_t)n_points;
    }
    return count;
}

static const double *keep(double **at, const double *values, size_t n)
{
    const double *kept = memcpy(*at, values, n * sizeof *values);
    *at += n;
    return kept;
}

/* The plan's own copies of what the acquisition and the desc point to. */
static sac_status copy_geometry(sac_beamform *plan)
{
    const sac_acquisition *a = plan->desc.acquisition;
    size_t n_tx = (size_t)a->n_transmits, n_rx = (size_t)a->n_elements;
    size_t n_points = (size_t)plan->das.n_points, n_table = table_count(a, plan->das.n_points);
    plan->elements = sac_alloc(n_rx, sizeof *plan->elements);
    plan->transmits = sac_alloc(n_tx, sizeof *plan->transmits);
    plan->tx_weight = sac_alloc(n_tx, sizeof *plan->tx_weight);
    plan->tables = n_table ? sac_alloc(n_table, sizeof *plan->tables) : NULL;
    plan->points_m = plan->desc.points_m ? sac_alloc(n_points, 3 * sizeof(double)) : NULL;
    if (!plan->elements || !plan->transmits || !plan->tx_weight || (n_table && !plan->tables) ||
        (plan->desc.points_m && !plan->points_m))
        return SAC_E_NOMEM;
    memcpy(plan->elements, a->elements, n_rx * sizeof *plan->elements);
    memcpy(plan->transmits, a->transmits, n_tx * sizeof *plan->transmits);
    if (plan->points_m)
        memcpy(plan->points_m, plan->desc.points_m, n_points * 3 * sizeof(double));
    double *at = plan->tables;
    for (size_t t = 0; t < n_tx; t++) {
        sac_transmit *own = &plan->transmits[t];
        plan->tx_weight[t] = (float)own->weight;
        if (own->kind == SAC_TRANSMIT_DELAYS)
            own->delays_s = keep(&at, own->delays_s, n_rx);
        if (own->kind == SAC_TRANSMIT_ARRIVALS)
            own->arrivals_s = keep(&at, own->arrivals_s, n_points);
    }
    return SAC_OK;
}

/* The pitch of a linear array along x that faces z, or 0. */
static double linear_pitch(const sac_element *e, int32_t n)
{
    double pitch = n > 1 ? (e[n - 1].position_m[0] - e[0].position_m[0]) / (n - 1) : 1;
    for (int32_t i = 0; i < n; i++) {
        double off = e[i].position_m[0] - (e[0].position_m[0] + i * pitch);
        if (e[i].position_m[1] != 0 || e[i].position_m[2] != 0 || e[i].normal[2] != 1 ||
            !(fabs(off) <= 1e-6 * pitch)) /* the closed form is only a first guess */
            return 0;
    }
    return pitch > 0 ? pitch : 0;
}

/* Hz to keep around fd: three times the pulse's -6 dB band, which leaves its skirts flat, less
 * where sampling leaves less. The band of a pulse that is known must fit. */
static double kept_band_hz(const sac_acquisition *a, double fd_hz, int32_t decimation)
{
    double pulse = (a->bandwidth > 0 ? a->bandwidth : DEFAULT_BANDWIDTH) * a->fc_hz;
    double band = fmin(3 * pulse, sac_demodulate_widest_hz(a->fs_hz, fd_hz, decimation));
    return a->bandwidth > 0 ? fmax(band, pulse) : band;
}

static double carrier_hz(const sac_acquisition *a)
{
    return a->fd_hz > 0 ? a->fd_hz : a->fc_hz;
}

static sac_status open_demodulator(sac_beamform *plan, sac_error *err)
{
    const sac_acquisition *a = plan->desc.acquisition;
    const sac_demodulation how = {
        .fs_hz = a->fs_hz,
        .fd_hz = carrier_hz(a),
        .bandwidth_hz = kept_band_hz(a, carrier_hz(a), plan->desc.decimation),
        .decimation = plan->desc.decimation,
    };
    sac_status status = sac_demodulator_open(&plan->demodulator, &how, plan->desc.dtype,
                                             plan->desc.n_samples, plan->demodulate, err);
    if (status)
        return status;
    plan->das.n_samples = (int32_t)sac_demodulator_samples(plan->demodulator);
    plan->das.fs_hz = a->fs_hz / how.decimation;
    plan->das.phase_transmit = false;
    plan->das.phase_sign = 1;
    return SAC_OK;
}

static void fill_das(sac_beamform *plan)
{
    const sac_beamform_desc *d = &plan->desc;
    const sac_acquisition *a = d->acquisition;
    const int64_t *n = d->grid.n;
    sac_das *das = &plan->das;
    das->n_tx = a->n_transmits;
    das->n_rx = a->n_elements;
    das->n_samples = (int32_t)d->n_samples;
    das->n_frames = (int32_t)(d->n_frames < SAC_BEAMFORM_BATCH ? d->n_frames : SAC_BEAMFORM_BATCH);
    das->fs_hz = a->fs_hz;
    das->c_m_s = a->c_m_s;
    das->fd_hz = plan->iq ? carrier_hz(a) : 0;
    das->phase_sign = a->phase_sign;
    das->phase_transmit = a->phase_origin == SAC_PHASE_TRANSMIT;
    das->grid = d->grid;
    das->n_points = d->points_m ? d->n_points : n[0] * n[1] * n[2];
    das->interp = (sac_interp)d->interp;
    das->outside = (sac_outside)d->outside;
    das->lri = d->lri;
}

/* Memory of a run: packed and demodulated data, and each task's scratch. */
static sac_status allocate(sac_beamform *plan)
{
    sac_das *das = &plan->das;
    size_t n_packed = sac_das_layout(das, plan->iq ? 2 : 1, plan->scalar_size);
    size_t per_point = (size_t)sac_das_images(das) * (size_t)das->n_frames * (plan->iq ? 2 : 1);
    size_t points = SCRATCH_FLOATS / per_point;
    plan->n_block = (int32_t)(points < 1 ? 1 : points > SAC_DAS_BLOCK ? SAC_DAS_BLOCK : points);
    plan->block_floats = ((size_t)plan->n_block * per_point + 15) / 16 * 16;
    int64_t n_blocks = (das->n_points + plan->n_block - 1) / plan->n_block;
    int64_t n_tasks = (int64_t)sac_pool_threads(plan->pool) * TASKS_A_THREAD;
    int64_t n_records = (int64_t)das->n_tx * das->n_rx;
    plan->n_tasks = (int32_t)(n_tasks < n_blocks ? n_tasks : n_blocks);
    /* Tasks with large scratch are as many as run at once. */
    plan->n_column_tasks = sac_pool_threads(plan->pool);
    int64_t n_pack = plan->demodulator ? plan->n_column_tasks : n_tasks;
    plan->n_pack_tasks = (int32_t)(n_pack < n_records ? n_pack : n_records);
    plan->packed = n_packed ? sac_alloc(n_packed, plan->scalar_size) : NULL;
    plan->scratch = sac_alloc((size_t)plan->n_tasks, plan->block_floats * sizeof(float));
    plan->maximum = sac_alloc((size_t)(plan->n_tasks + 1), (size_t)das->n_frames * sizeof(float));
    size_t column_floats = 2 * SAC_BEAMFORM_COLUMNS * (size_t)plan->desc.grid.n[2];
    if (plan->hilbert)
        plan->columns = sac_alloc((size_t)plan->n_column_tasks, column_floats * sizeof(float));
    if (!plan->packed || !plan->scratch || !plan->maximum || (plan->hilbert && !plan->columns))
        return SAC_E_NOMEM;
    das->data = plan->packed;
    if (plan->demodulator) {
        plan->record_floats = (size_t)das->n_frames * (size_t)das->n_samples * 2;
        plan->records = sac_alloc((size_t)plan->n_pack_tasks, plan->record_floats * sizeof(float));
        if (!plan->records)
            return SAC_E_NOMEM;
    }
    return SAC_OK;
}

static sac_status prepare(sac_beamform *plan, sac_error *err)
{
    sac_status status = parse_apodization(&plan->das.apodization, &plan->desc, err);
    if (status)
        return status;
    fill_das(plan);
    status = check_envelope(plan, err);
    if (status == SAC_OK)
        status = sac_pool_open(&plan->pool, plan->desc.n_threads, plan->desc.executor, err);
    if (status == SAC_OK)
        status = choose(plan, err);
    if (status == SAC_OK && is_filtered(plan))
        status = open_demodulator(plan, err);
    if (status)
        return status;
    status = copy_geometry(plan);
    if (status == SAC_OK) {
        plan->das.elements = plan->elements;
        plan->das.transmits = plan->transmits;
        plan->das.tx_weight = plan->tx_weight;
        plan->das.points_m = plan->points_m;
        plan->das.x0_m = plan->elements[0].position_m[0];
        plan->das.pitch_m = linear_pitch(plan->elements, plan->das.n_rx);
        status = allocate(plan);
    }
    return status ? sac_fail(err, status,
                             "beamform: no memory for %lld frames of %d x %d x %lld samples",
                             (long long)plan->das.n_frames, plan->das.n_tx, plan->das.n_rx,
                             (long long)plan->das.n_samples)
                  : SAC_OK;
}

sac_status sac_beamform_open(sac_beamform **out, const sac_beamform_desc *desc, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    *out = NULL;
    sac_status status = check_desc(desc, err);
    if (status)
        return status;
    sac_beamform *plan = sac_alloc(1, sizeof *plan);
    if (!plan)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for the plan");
    plan->desc = *desc;
    plan->iq = desc->dtype == SAC_C64 || desc->demodulate != SAC_DEMODULATE_NO;
    bool i16 = desc->dtype == SAC_I16 && !plan->iq && !desc->band_pass;
    plan->scalar_size = i16 ? sizeof(int16_t) : sizeof(float);
    status = prepare(plan, err);
    /* What was the caller's until now. */
    plan->desc.acquisition = NULL;
    plan->desc.points_m = NULL;
    plan->desc.apodization = plan->desc.variant = NULL;
    if (status)
        sac_beamform_close(&plan);
    *out = plan;
    return status;
}

void sac_beamform_close(sac_beamform **plan)
{
    if (!plan || !*plan)
        return;
    sac_beamform *p = *plan;
    sac_pool_close(&p->pool);
    sac_demodulator_close(&p->demodulator);
    void *memory[] = {
        p->elements, p->transmits, p->tx_weight, p->tables, p->points_m, p->records, p->packed,
        p->scratch,  p->columns,   p->maximum,   p};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        sac_free(memory[i]);
    *plan = NULL;
}
