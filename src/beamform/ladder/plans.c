/*
 * Plans of a case of the room `beamform`: by the reference, in every tier, and one that keeps the
 * low-resolution images.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "beamform/ladder/runs.h"

typedef sac_beamform_ladder_plans state;
typedef sac_beamform_ladder_run run;

/* Floats of all low-resolution images. */
static size_t lri_floats(const run *r, const sac_check_case *c)
{
    return (size_t)(r->n_frames * r->n_tx * c->w * c->h * (r->is_complex ? 2 : 1));
}

void sac_beamform_ladder_close(sac_check_case *c)
{
    state *s = c->state;
    for (int i = 0; s && i < N_PLANS; i++)
        sac_beamform_close(&s->plans[i]);
    sac_free(s ? s->lris : NULL);
    sac_free(s);
    c->state = NULL;
}

static sac_transmit transmit_of(const run *r, int32_t t)
{
    sac_transmit tx;
    sac_transmit_init(&tx, r->side ? SAC_TRANSMIT_DIVERGING : SAC_TRANSMIT_PLANE);
    tx.t0_s = r->t0_s;
    if (r->side) { /* 3 x 3 sources, 3 mm apart, 10 mm behind the array */
        tx.source_m[0] = 3e-3 * (t % 3 - 1);
        tx.source_m[1] = 3e-3 * (t / 3 - 1);
        tx.source_m[2] = -10e-3;
    } else if (r->n_tx > 1) {
        tx.azimuth_rad = r->angle_rad * (2.0 * t / (r->n_tx - 1) - 1);
    }
    return tx;
}

static void acquire(state *s, const run *r)
{
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    if (r->side)
        sac_probe_matrix(s->elements, r->side, r->n_rx / r->side, r->pitch_m, r->pitch_m);
    else
        sac_probe_linear(s->elements, r->n_rx, r->pitch_m, 0, 0);
    for (int32_t t = 0; t < r->n_tx; t++)
        s->transmits[t] = transmit_of(r, t);
    a->elements = s->elements;
    a->transmits = s->transmits;
    a->n_elements = r->n_rx;
    a->n_transmits = r->n_tx;
    a->fs_hz = r->fs_hz;
    a->fc_hz = r->fc_hz;
    a->c_m_s = r->c_m_s;
}

static void describe(state *s, const run *r, const sac_check_case *c)
{
    static const int32_t threads[] = {1, 2, 1, 3};
    const double y_m = r->n_y > 1 ? r->x_m : 0;
    sac_beamform_desc *d = &s->desc;
    sac_beamform_desc_init(d);
    d->acquisition = &s->acquisition;
    d->dtype = r->dtype;
    d->layout = r->layout;
    d->n_frames = r->n_frames;
    d->n_samples = r->n_samples;
    d->f_number = r->f_number;
    d->apodization = "rect";
    d->demodulate = r->demodulate;
    d->decimation = r->decimation;
    d->lri = r->lri;
    d->output = r->output;
    d->n_threads = c->n_threads ? c->n_threads : threads[c->seed % 4];
    d->grid = (sac_grid){.first_m = {-r->x_m, -y_m, r->z0_m},
                         .last_m = {r->x_m, y_m, r->z1_m},
                         .n = {c->w, r->n_y, c->h / r->n_y}};
}

static sac_status open_plans(state *s, bool compounded)
{
    static const char *const forced[N_PLANS] = {"ref", "precise", NULL, NULL, NULL};
    sac_beamform_desc d = s->desc;
    for (int i = 0; i < (compounded ? N_PLANS : KEPT); i++) {
        d.variant = forced[i];
        d.tier = i == EXACT ? SAC_TIER_EXACT : SAC_TIER_FP32;
        d.lri = i == KEPT || s->desc.lri;
        const sac_status status = sac_beamform_open(&s->plans[i], &d, NULL);
        if (status)
            return status;
    }
    return SAC_OK;
}

sac_status sac_beamform_ladder_open(sac_check_case *c)
{
    const run r = sac_beamform_ladder_run_of(c);
    state *s = c->state = sac_alloc(1, sizeof *s);
    if (!s)
        return SAC_E_NOMEM;
    acquire(s, &r);
    describe(s, &r, c);
    if (r.is_compounded)
        s->lris = sac_alloc(lri_floats(&r, c), sizeof *s->lris);
    sac_status status = r.is_compounded && !s->lris ? SAC_E_NOMEM : SAC_OK;
    if (status == SAC_OK)
        status = open_plans(s, r.is_compounded);
    if (status)
        sac_beamform_ladder_close(c);
    return status;
}

void sac_beamform_ladder_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    state *s = c->state;
    for (int i = CUDA_PLANS; i <= KEPT_CUDA; i++)
        sac_beamform_close(&s->plans[i]);
    sac_gpu_free(gpu, s->lris_cuda);
    s->lris_cuda = NULL;
}

sac_status sac_beamform_ladder_open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    const run r = sac_beamform_ladder_run_of(c);
    state *s = c->state;
    sac_beamform_desc d = s->desc;
    d.device = s->gpu_device = (sac_device){SAC_DEVICE_CUDA, sac_gpu_index(gpu)};
    d.stream = sac_gpu_main_stream(gpu);
    sac_status status = SAC_OK;
    for (int i = CUDA_PLANS; i < KEPT_CUDA && status == SAC_OK; i++) {
        d.tier = i - CUDA_PLANS;
        status = sac_beamform_open(&s->plans[i], &d, NULL);
    }
    if (status == SAC_OK && r.is_compounded) {
        d.tier = SAC_TIER_FP32;
        d.lri = true;
        status = sac_beamform_open(&s->plans[KEPT_CUDA], &d, NULL);
        void *memory = NULL;
        if (status == SAC_OK)
            status = sac_gpu_alloc(gpu, &memory, lri_floats(&r, c) * sizeof(float), NULL);
        s->lris_cuda = memory;
    }
    if (status)
        sac_beamform_ladder_close_cuda(c, gpu);
    return status;
}
