/*
 * model_raw MODEL: predicts from rows of 40 floats of standard input, by every variant that this
 * CPU can run, and writes their rows of 2 floats, variant behind variant. For model_*.py. Status 77
 * where this build reads no models.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/meltpool_model.h>

#include "meltpool/kernels/mlp_f32/mlp_f32.h"

enum { MOST = 100000 }; /* rows */

static int fail(const sac_error *err)
{
    fprintf(stderr, "model_raw: %s\n", err->text);
    return err->status == SAC_E_UNSUPPORTED ? 77 : 1;
}

int main(int argc, char **argv)
{
    static float features[MOST][SAC_MELTPOOL_FEATURES], out[MOST][SAC_MELTPOOL_PREDICTIONS];
    sac_meltpool_model_file *file = NULL;
    sac_meltpool_net *net = NULL;
    sac_error err = {0};
    if (argc != 2)
        return 2;
    if (sac_meltpool_model_read(&file, argv[1], &err) != SAC_OK ||
        sac_meltpool_net_open(&net, sac_meltpool_model_get_model(file), &err) != SAC_OK)
        return fail(&err);
    size_t n = fread(features, sizeof *features, MOST, stdin);
    for (const sac_variant *v = sac_mlp_f32_room.variants; v->name; v++) {
        if (v->needs & ~sac_cpu_features())
            continue;
        ((sac_mlp_f32_fn)v->fn)(&out[0][0], &features[0][0], (int64_t)n, net);
        fwrite(out, sizeof *out, n, stdout);
    }
    sac_meltpool_net_close(&net);
    sac_meltpool_model_close(&file);
    return 0;
}
