/*
 * Models as mlp_f32 takes them: checked, and laid out in tiles of hidden units.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/struct.h"
#include "base/alloc.h"
#include "mlp_f32.h"

enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS };
/* Before the tiles: mean and scale, each filled up to whole cache lines. */
enum { LINES = (FEATURES + 15) / 16 * 16, TILE = SAC_MELTPOOL_TILE };
/* Floats of a tile: its weights, its bias, and what the outputs make of it. */
enum { OF_TILE = (FEATURES + 1 + OUTPUTS) * TILE };

static sac_status check_numbers(const char *name, const float *numbers, int32_t n, sac_error *err)
{
    if (!numbers)
        return sac_fail(err, SAC_E_INVALID, "model: %s is NULL", name);
    for (int32_t i = 0; i < n; i++)
        if (!isfinite(numbers[i]))
            return sac_fail(err, SAC_E_INVALID, "model: %s[%d] is not finite", name, i);
    return SAC_OK;
}

static sac_status check_all_numbers(const sac_meltpool_model *m, sac_error *err)
{
    const struct {
        const char *name;
        const float *numbers;
        int32_t n;
    } all[] = {{"mean", m->mean, FEATURES},           {"scale", m->scale, FEATURES},
               {"w1", m->w1, m->n_hidden * FEATURES}, {"b1", m->b1, m->n_hidden},
               {"w2", m->w2, OUTPUTS * m->n_hidden},  {"b2", m->b2, OUTPUTS}};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == SAC_OK; i++)
        status = check_numbers(all[i].name, all[i].numbers, all[i].n, err);
    return status;
}

static sac_status check(const sac_meltpool_model *m, sac_error *err)
{
    if (m->n_hidden < 1 || m->n_hidden > SAC_MELTPOOL_MAX_HIDDEN)
        return sac_fail(err, SAC_E_INVALID, "model: expected 1 to %d hidden units, got %d",
                        SAC_MELTPOOL_MAX_HIDDEN, m->n_hidden);
    if (m->output != SAC_MELTPOOL_LINEAR && m->output != SAC_MELTPOOL_SOFTPLUS)
        return sac_fail(err, SAC_E_INVALID, "model: output %d is neither linear nor softplus",
                        m->output);
    const sac_status status = check_all_numbers(m, err);
    if (status)
        return status;
    for (int32_t i = 0; i < FEATURES; i++)
        if (!(m->scale[i] > 0))
            return sac_fail(err, SAC_E_INVALID, "model: expected scale[%d] above 0, got %g", i,
                            (double)m->scale[i]);
    return SAC_OK;
}

static void pack_tiles(float *w1, float *b1, float *w2, const sac_meltpool_model *m)
{
    for (int32_t h = 0; h < m->n_hidden; h++) {
        const int32_t tile = h / TILE, at = h % TILE;
        for (int32_t i = 0; i < FEATURES; i++)
            w1[(tile * FEATURES + i) * TILE + at] = m->w1[h * FEATURES + i];
        b1[tile * TILE + at] = m->b1[h];
        for (int32_t o = 0; o < OUTPUTS; o++)
            w2[(tile * OUTPUTS + o) * TILE + at] = m->w2[o * m->n_hidden + h];
    }
}

sac_status sac_meltpool_net_open(sac_meltpool_net **out, const sac_meltpool_model *model,
                                 sac_error *err)
{
    *out = NULL;
    sac_meltpool_model own = {.struct_size = sizeof own};
    sac_status status = sac_struct_take(&own, model, "model", err);
    model = &own;
    if (status == SAC_OK)
        status = check(model, err);
    if (status)
        return status;
    const int32_t n_tiles = (model->n_hidden + TILE - 1) / TILE;
    sac_meltpool_net *net = sac_alloc(1, sizeof *net);
    float *mean = sac_alloc(2 * LINES + (size_t)n_tiles * OF_TILE, sizeof *mean);
    if (!net || !mean) {
        sac_free(net);
        sac_free(mean);
        return sac_fail(err, SAC_E_NOMEM, "model: no memory for %d hidden units", model->n_hidden);
    }
    float *scale = mean + LINES, *w1 = scale + LINES, *b1 = w1 + n_tiles * FEATURES * TILE;
    float *w2 = b1 + n_tiles * TILE;
    memcpy(mean, model->mean, FEATURES * sizeof *mean);
    memcpy(scale, model->scale, FEATURES * sizeof *scale);
    pack_tiles(w1, b1, w2, model);
    *net = (sac_meltpool_net){.n_tiles = n_tiles,
                              .n_hidden = model->n_hidden,
                              .is_softplus = model->output == SAC_MELTPOOL_SOFTPLUS,
                              .b2 = {model->b2[0], model->b2[1]},
                              .numbers = mean,
                              .mean = mean,
                              .scale = scale,
                              .w1 = w1,
                              .b1 = b1,
                              .w2 = w2};
    *out = net;
    return SAC_OK;
}

void sac_meltpool_net_close(sac_meltpool_net **net)
{
    if (*net)
        sac_free((*net)->numbers);
    sac_free(*net);
    *net = NULL;
}
