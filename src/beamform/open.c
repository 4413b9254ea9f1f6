/*
 * Opening and closing a beamform plan.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/acquisition.h"
#include "beamform/gpu.h"
#include "beamform/plan.h"
#include "room/plan.h"

#define DEFAULT_BANDWIDTH 0.7 /* of fc: of medical arrays, and PICMUS's 0.67 */

/* Hz to keep around fd: the pulse's -6 dB band, as wide as a filter can be if that is narrower; or
 * three times that (`wide`), which leaves its skirts flat, less where sampling leaves less. The
 * band of a pulse that is known must fit. */
static double kept_band_hz(const sac_beamform_desc *d, double fd_hz)
{
    const sac_acquisition *a = d->acquisition;
    double pulse = (a->bandwidth > 0 ? a->bandwidth : DEFAULT_BANDWIDTH) * a->fc_hz;
    double wide = fmin(3 * pulse, sac_demodulate_widest_hz(a->fs_hz, fd_hz, d->decimation));
    double band_hz = NAN;
    if (d->band && sac_beamform_band(&band_hz, d->band))
        return band_hz;
    if (a->bandwidth == 0)
        return wide;
    return d->band ? fmax(wide, pulse) : fmax(pulse, sac_demodulate_narrowest_hz(a->fs_hz));
}

/* A band that was asked for, by its option. */
static sac_status check_band(const sac_beamform_desc *d, double fd_hz, sac_error *err)
{
    double band_hz, fs_hz = d->acquisition->fs_hz;
    if (!d->band || !sac_beamform_band(&band_hz, d->band))
        return SAC_OK;
    double least = sac_demodulate_narrowest_hz(fs_hz);
    double most = sac_demodulate_widest_hz(fs_hz, fd_hz, d->decimation);
    if (band_hz >= least && band_hz <= most)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID,
                    "band: expected %.4g to %.4g MHz at this sampling frequency%s, got %.4g",
                    1e-6 * least, 1e-6 * most, d->decimation > 1 ? " and decimation" : "",
                    1e-6 * band_hz);
}

static double carrier_hz(const sac_acquisition *a)
{
    return a->fd_hz > 0 ? a->fd_hz : a->fc_hz;
}

/* Sampling folds what lies beyond half of fs back: a pulse that reaches across is lost. */
static sac_status check_folding(const sac_acquisition *a, double fd_hz, sac_error *err)
{
    double clear_hz = sac_demodulate_widest_hz(a->fs_hz, fd_hz, 1);
    double fold_hz = round(2 * fd_hz / a->fs_hz) * a->fs_hz / 2;
    double pulse_hz = a->bandwidth > 0 ? a->bandwidth * a->fc_hz : 0;
    if (clear_hz > 1e-9 * a->fs_hz && pulse_hz <= clear_hz * (1 + 1e-9))
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID,
                    "fc: a pulse at %.4g MHz, %.3g MHz wide, reaches across %.4g MHz, a multiple "
                    "of fs / 2, and folds onto itself: see fs (%.4g MHz); else less bandwidth, or "
                    "demodulate no",
                    1e-6 * fd_hz, 1e-6 * (pulse_hz > 0 ? pulse_hz : DEFAULT_BANDWIDTH * a->fc_hz),
                    1e-6 * fold_hz, 1e-6 * a->fs_hz);
}

static sac_status open_demodulator(sac_beamform *plan, sac_error *err)
{
    const sac_acquisition *a = plan->desc.acquisition;
    sac_status refused = check_folding(a, carrier_hz(a), err);
    refused = refused ? refused : check_band(&plan->desc, carrier_hz(a), err);
    if (refused)
        return refused;
    const sac_demodulation how = {
        .fs_hz = a->fs_hz,
        .fd_hz = carrier_hz(a),
        .bandwidth_hz = kept_band_hz(&plan->desc, carrier_hz(a)),
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
    if (d->grid_kind == SAC_GRID_SECTOR) /* a list: its angles are nobody's metres */
        sac_grid_init(&das->grid);
    das->interp = (sac_interp)d->interp;
    das->outside = (sac_outside)d->outside;
    das->lri = d->lri;
}

/* The steps that do not depend on where the plan works. */
static uint32_t steps_of(const sac_beamform_desc *d, bool iq)
{
    bool gray = d->output == SAC_OUTPUT_GRAY;
    uint32_t steps = 0;
    if (d->dtype != SAC_C64 && (iq || d->band_pass))
        steps |= iq ? SAC_STEP_FILTER : SAC_STEP_FILTER | SAC_STEP_RESTORE;
    if (d->output != SAC_OUTPUT_IQ)
        steps |= iq ? SAC_STEP_MAGNITUDE : SAC_STEP_HILBERT;
    if (d->output == SAC_OUTPUT_BMODE || gray)
        steps |= gray ? SAC_STEP_COMPRESS | SAC_STEP_GRAY : SAC_STEP_COMPRESS;
    if (d->picture.n[0])
        steps |= SAC_STEP_CONVERT;
    return steps;
}

/* The field of each wave, where points are to take only what lies in it. */
static sac_status open_field(sac_beamform *plan, sac_error *err)
{
    const sac_acquisition *a = plan->desc.acquisition;
    sac_apodization window;
    bool lines;
    const sac_status status = sac_beamform_tx_apodization(&window, &lines, &plan->desc, err);
    if (status || (window.f_number <= 0 && !lines) || plan->desc.lri)
        return status;
    plan->waves = sac_alloc((size_t)a->n_transmits, sizeof *plan->waves);
    if (!plan->waves)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %d waves", a->n_transmits);
    plan->steps |= SAC_STEP_FIELD;
    return sac_field_open(&plan->field, plan->waves, a, &window, lines, err);
}

/* Where the picture's points lie in the sector. */
static sac_status open_scan(sac_beamform *plan, sac_error *err)
{
    const sac_beamform_desc *d = &plan->desc;
    sac_scan_init(&plan->scan, &d->picture, &d->grid);
    plan->places = sac_alloc((size_t)plan->scan.n_points, sizeof *plan->places);
    if (!plan->places)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for a picture of %lld points",
                        (long long)plan->scan.n_points);
    sac_scan_fill(plan->places, &d->picture, &d->grid, &d->sector, 0, plan->scan.n_points);
    plan->scan.places = plan->places;
    return SAC_OK;
}

/* Lines, and elements that do not receive all; and what is not built for them. */
static sac_status open_groups(sac_beamform *plan, sac_error *err)
{
    const sac_beamform_desc *d = &plan->desc;
    if (sac_beamform_needs_groups(d->acquisition)) {
        if (d->tx_f_number > 0 || (d->tx_apodization && !strcmp(d->tx_apodization, "lines")))
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "tx_f_number: transmit apodization is not known of arrays of lines, or "
                            "where not all elements receive");
    }
    return sac_beamform_open_groups(plan, err);
}

/* What the CPU and a GPU share; then the one that the plan works on. */
static sac_status prepare(sac_beamform *plan, sac_error *err)
{
    bool cpu = plan->desc.device.kind == SAC_DEVICE_CPU;
    sac_status status = sac_beamform_apodization(&plan->das.apodization, &plan->desc, err);
    if (status)
        return status;
    fill_das(plan);
    if (plan->reduction.kind == SAC_REDUCE_SLSC) /* amplitudes have no part in coherence */
        plan->das.apodization.window = SAC_WINDOW_RECT;
    plan->das.reduction = sac_beamform_does(plan, SAC_STEP_ADAPT) ? &plan->reduction : NULL;
    status = sac_beamform_check_envelope(plan, err);
    if (status == SAC_OK && cpu)
        status = sac_beamform_cpu_choose(plan, err);
    if (status == SAC_OK && sac_beamform_does(plan, SAC_STEP_FILTER))
        status = open_demodulator(plan, err);
    if (status == SAC_OK)
        status = sac_beamform_copy_geometry(plan, err);
    if (status == SAC_OK)
        status = open_groups(plan, err);
    if (status == SAC_OK)
        status = open_field(plan, err);
    if (status == SAC_OK)
        status = sac_beamform_layered_open(plan, err);
    if (status == SAC_OK && sac_beamform_does(plan, SAC_STEP_CONVERT))
        status = open_scan(plan, err);
    if (status)
        return status;
    return cpu ? sac_beamform_cpu_allocate(plan, err) : sac_beamform_gpu_open(plan, err);
}

static sac_status check_and_prepare(sac_beamform *plan, sac_error *err)
{
    const sac_beamform_desc *d = &plan->desc;
    sac_status status = sac_beamform_check_desc(d, err);
    status = status ? status : sac_beamform_reduction(&plan->reduction, d, err);
    if (status)
        return status;
    plan->iq = d->dtype == SAC_C64 || d->demodulate != SAC_DEMODULATE_NO;
    plan->steps = steps_of(d, plan->iq);
    plan->steps |= plan->reduction.kind != SAC_REDUCE_SUM ? SAC_STEP_ADAPT : 0;
    bool i16 = d->dtype == SAC_I16 && !sac_beamform_does(plan, SAC_STEP_FILTER);
    plan->scalar_size = i16 ? sizeof(int16_t) : sizeof(float);
    return prepare(plan, err);
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_beamform *plan = opened;
    sac_beamform_desc *d = &plan->desc;
    sac_acquisition acquisition;
    sac_status status = sac_acquisition_take(&acquisition, d->acquisition, err);
    d->acquisition = &acquisition;
    if (status == SAC_OK)
        status = check_and_prepare(plan, err);
    /* What was the caller's until now. */
    d->acquisition = NULL;
    d->points_m = NULL;
    d->apodization = d->tx_apodization = d->variant = d->band = d->reduction = NULL;
    d->layers = d->lens = NULL;
    return status;
}

static void close_plan(void *closed)
{
    sac_beamform *p = closed;
    sac_beamform_gpu_close(&p->gpu);
    sac_pool_close(&p->pool);
    sac_demodulator_close(&p->demodulator);
    sac_beamform_dual_close(&p->dual);
    sac_beamform_layered_close(&p->layered);
    sac_beamform_close_groups(p);
    void *memory[] = {p->group_images, p->elements, p->transmits,   p->tx_weight,      p->tables,
                      p->points_m,     p->order,    p->records,     p->packed,         p->scratch,
                      p->columns,      p->maximum,  p->image,       p->wave_images,    p->waves,
                      p->places,       p->polar,    p->wave_places, p->wave_transmits, p->adapt};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        sac_free(memory[i]);
}

SAC_PLAN(sac_beamform, sac_beamform_open, sac_beamform_close, sac_beamform_params,
         sac_beamform_desc, sac_beamform_desc_init)
