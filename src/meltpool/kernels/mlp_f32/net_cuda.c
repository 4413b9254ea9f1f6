/*
 * The network of mlp_f32 in a GPU's memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "mlp_f32_cuda.h"

enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS };
enum { TILE = SAC_MELTPOOL_TILE, LANES = 32, LINE = 64 /* mean and factor, filled up */ };

/* Hidden units from tiles to one row. */
static void unpack(float *numbers, const sac_meltpool_net *net, int32_t n_units)
{
    float *w1 = numbers + 2 * LINE, *b1 = w1 + FEATURES * n_units, *w2 = b1 + n_units;
    memcpy(numbers, net->mean, FEATURES * sizeof *numbers);
    for (int32_t i = 0; i < FEATURES; i++)
        numbers[LINE + i] = 1 / net->scale[i];
    for (int32_t unit = 0; unit < net->n_hidden; unit++) {
        const int32_t tile = unit / TILE, at = unit % TILE;
        for (int32_t i = 0; i < FEATURES; i++)
            w1[i * n_units + unit] = net->w1[(tile * FEATURES + i) * TILE + at];
        b1[unit] = net->b1[tile * TILE + at];
        for (int32_t i = 0; i < OUTPUTS; i++)
            w2[i * n_units + unit] = net->w2[(tile * OUTPUTS + i) * TILE + at];
    }
}

static sac_status upload(float *to, sac_gpu *gpu, const float *numbers, size_t bytes)
{
    sac_status status = sac_gpu_enter(gpu);
    if (status)
        return status;
    status = sac_gpu_copy(to, numbers, bytes, sac_gpu_main_stream(gpu));
    const sac_status waited = sac_gpu_wait(sac_gpu_main_stream(gpu));
    sac_gpu_leave(gpu);
    return status ? status : waited;
}

sac_status sac_meltpool_net_cuda_open(sac_meltpool_net_cuda *out, sac_gpu *gpu,
                                      const sac_meltpool_net *net, sac_error *err)
{
    const int32_t n_units = (net->n_hidden + LANES - 1) / LANES * LANES;
    const size_t n = 2 * LINE + (size_t)n_units * (FEATURES + 1 + OUTPUTS);
    float *numbers = sac_alloc(n, sizeof *numbers);
    void *memory = NULL;
    memset(out, 0, sizeof *out);
    if (!numbers)
        return sac_fail(err, SAC_E_NOMEM, "model: no memory for %zu numbers", n);
    unpack(numbers, net, n_units);
    sac_status status = sac_gpu_alloc(gpu, &memory, n * sizeof *numbers, err);
    if (status == SAC_OK && (status = upload(memory, gpu, numbers, n * sizeof *numbers)) != SAC_OK)
        status = sac_fail(err, status, "model: the GPU refused a copy");
    sac_free(numbers);
    float *first = memory, *w1 = memory ? first + 2 * LINE : NULL;
    *out = (sac_meltpool_net_cuda){.n_units = n_units,
                                   .is_softplus = net->is_softplus,
                                   .b2 = {net->b2[0], net->b2[1]},
                                   .numbers = first};
    if (status) {
        sac_meltpool_net_cuda_close(out, gpu);
        return status;
    }
    out->mean = first;
    out->factor = first + LINE;
    out->w1 = w1;
    out->b1 = w1 + (ptrdiff_t)FEATURES * n_units;
    out->w2 = out->b1 + n_units;
    return SAC_OK;
}

void sac_meltpool_net_cuda_close(sac_meltpool_net_cuda *net, sac_gpu *gpu)
{
    sac_gpu_free(gpu, net->numbers);
    memset(net, 0, sizeof *net);
}
