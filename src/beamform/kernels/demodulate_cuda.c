/*
 * A demodulator's tables on the device.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/signal_cuda.h"

/* One after another: re, im, turn_re, turn_im. */
static sac_status copy_tables(float *to, const sac_demodulate_plan *plan, sac_gpu_stream stream)
{
    const size_t n_taps = 2 * (size_t)plan->half + 1, n_out = (size_t)plan->n_out;
    const float *from[] = {plan->re, plan->im, plan->turn_re, plan->turn_im};
    sac_status status = SAC_OK;
    for (int i = 0; i < 4 && status == SAC_OK; i++) {
        const size_t n = i < 2 ? n_taps : n_out;
        status = sac_gpu_copy(to, from[i], n * sizeof *to, stream);
        to += n;
    }
    const sac_status waited = sac_gpu_wait(stream);
    return status ? status : waited;
}

sac_status sac_demodulate_cuda_open(sac_demodulate_cuda *out, const sac_demodulate_plan *plan,
                                    sac_gpu *gpu, sac_error *err)
{
    const size_t n_taps = 2 * (size_t)plan->half + 1, n_out = (size_t)plan->n_out;
    *out = (sac_demodulate_cuda){0};
    sac_status status = sac_gpu_alloc(gpu, &out->memory, 2 * (n_taps + n_out) * sizeof(float), err);
    if (status)
        return status;
    float *tables = out->memory;
    out->n_samples = (int32_t)plan->n_samples;
    out->n_out = (int32_t)plan->n_out;
    out->decimation = plan->decimation;
    out->half = plan->half;
    out->re = tables;
    out->im = tables + n_taps;
    out->turn_re = tables + 2 * n_taps;
    out->turn_im = tables + 2 * n_taps + n_out;
    status = sac_gpu_enter(gpu);
    if (status == SAC_OK) {
        status = copy_tables(tables, plan, sac_gpu_main_stream(gpu));
        sac_gpu_leave(gpu);
    }
    if (status) {
        sac_demodulate_cuda_close(out, gpu);
        status = sac_fail(err, status, "demodulation: the device refused its filter");
    }
    return status;
}

void sac_demodulate_cuda_close(sac_demodulate_cuda *plan, sac_gpu *gpu)
{
    sac_gpu_free(gpu, plan->memory);
    *plan = (sac_demodulate_cuda){0};
}
