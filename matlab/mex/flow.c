/*
 * saccade_flow: Doppler of an ensemble of IQ images.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <math.h>

#include <saccade/flow.h>

static void close_plan(void *plan)
{
    sac_flow *p = plan;
    sac_flow_close(&p);
}

/* The same memory with its axes in the library's order: frames first, z last. */
static sac_array reversed(const sac_array *view)
{
    sac_array array;
    sac_error err = {0};
    int64_t shape[SAC_MAX_DIMS];
    for (int i = 0; i < view->n_dims; i++)
        shape[i] = view->shape[view->n_dims - 1 - i];
    mat_check(sac_array_view(&array, view->data, view->dtype, view->n_dims, shape, &err), &err);
    return array;
}

/* Of vectors: plane waves in the plane of x and z, of a flat array. */
static const double *take_angles(const sac_acquisition *a)
{
    double *azimuth_rad = mat_alloc((size_t)a->n_transmits, sizeof *azimuth_rad);
    for (int32_t t = 0; t < a->n_transmits; t++) {
        const sac_transmit *wave = &a->transmits[t];
        if (wave->kind != SAC_TRANSMIT_PLANE || fabs(wave->elevation_rad) > 1e-6)
            mat_fail(SAC_E_INVALID,
                     "acquisition: transmit %d is no plane wave in the plane of x and z, which "
                     "vectors need",
                     t + 1);
        azimuth_rad[t] = wave->azimuth_rad;
    }
    for (int32_t e = 0; e < a->n_elements; e++)
        if (a->elements[e].normal[2] < 1 - 1e-6)
            mat_fail(SAC_E_INVALID, "acquisition: vectors need a flat array");
    return azimuth_rad;
}

static void take_images(sac_flow_desc *d, const sac_array *in, const sac_acquisition *a)
{
    const bool is_vector = d->kind == SAC_FLOW_VECTOR;
    const int n_lead = is_vector ? 2 : 1;
    if (in->dtype != SAC_C64 || in->n_dims < n_lead + 2 || in->n_dims > n_lead + 3 ||
        (is_vector && (in->n_dims > 4 || in->shape[1] != a->n_transmits)))
        mat_fail(SAC_E_SHAPE,
                 is_vector ? "iq: expected complex single (z, x, transmits, frames), of all the "
                             "acquisition's transmits"
                           : "iq: expected complex single (z, x, frames) or (z, x, y, frames), as "
                             "saccade_beamform gives them with 'kind', 'iq'");
    d->n_frames = in->shape[0];
    d->n_axes = in->n_dims - n_lead;
    for (int32_t i = 0; i < d->n_axes; i++)
        d->shape[i] = in->shape[n_lead + i];
    if (is_vector) {
        d->n_transmits = a->n_transmits;
        d->azimuth_rad = take_angles(a);
    }
    /* Here z is the last axis, and x the first. */
    const int32_t across = d->average[0];
    d->average[0] = d->average[1];
    d->average[1] = across;
    if (d->n_axes == 3 && (d->average[0] > 1 || d->average[1] > 1))
        mat_fail(SAC_E_UNSUPPORTED, "average: is of planes; a volume's points stand alone here");
}

void mat_flow(mat_call *call)
{
    sac_error err = {0};
    sac_flow *plan = NULL;
    sac_flow_desc desc;
    int64_t sizes[SAC_MAX_DIMS];
    mat_expect(call, 2, 2);
    sac_flow_desc_init(&desc);
    mat_options(call, 2, sac_flow_params(), &desc, NULL, NULL);
    const sac_array view = mat_view(call->in[0], "iq"), in = reversed(&view);
    const sac_acquisition *a = mat_acquisition_take(call->in[1]);
    take_images(&desc, &in, a);
    desc.fc_hz = a->fc_hz;
    desc.c_m_s = a->c_m_s;
    desc.phase_sign = a->phase_sign;
    desc.prf_hz = desc.prf_hz > 0 ? desc.prf_hz : a->frame_rate_hz;
    desc.progress = mat_go_on;
    mat_check(sac_flow_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_plan);
    sac_array out = sac_flow_get_output_array(plan);
    for (int i = 0; i < out.n_dims; i++)
        sizes[i] = out.shape[out.n_dims - 1 - i];
    call->out[0] = mat_new(SAC_F32, out.n_dims, sizes);
    out.data = mxGetData(call->out[0]);
    mat_check(sac_flow_run(plan, &out, &in, &err), &err);
    if (call->n_out > 1)
        call->out[1] = mxCreateDoubleScalar(sac_flow_get_nyquist(plan));
}
