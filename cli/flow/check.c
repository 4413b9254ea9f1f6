/*
 * What saccade flow takes, and what it can draw of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>

#include "job.h"

/* What a picture can show. */
static int check_shown(const cli_flow_job *job, const sac_image_info *info)
{
    const sac_grid *g = &info->grid;
    if (!job->is_picture) {
        return CLI_DONE;
    }
    if (info->grid_kind == SAC_GRID_SECTOR) {
        return cli_fail("`%s`: a sector: -o OUT.h5 holds its values; pictures show cartesian "
                        "planes",
                        job->input);
    }
    return g->n[1] == 1 ? CLI_DONE
                        : cli_fail("`%s`: a volume: -o OUT.h5 holds its values; pictures show "
                                   "planes",
                                   job->input);
}

int cli_flow_check(const cli_flow_job *job, const sac_array *a, const sac_image_info *info)
{
    const char *input = job->input;
    const int points = info->grid.n[1] > 1 ? 3 : 2;
    const bool is_vector = job->desc.kind == SAC_FLOW_VECTOR;
    if (a->dtype != SAC_C64 || info->output != SAC_OUTPUT_IQ) {
        return cli_fail("`%s`: holds no complex IQ: make it with saccade beamform --kind iq",
                        input);
    }
    if (is_vector && a->n_dims != points + 2) {
        return cli_fail("`%s`: holds all transmits in one: vectors need them apart, from channel "
                        "data or saccade beamform --lri",
                        input);
    }
    if (!is_vector && a->n_dims != points + 1) {
        return cli_fail("`%s`: holds every transmit's image: make it without --lri", input);
    }
    if (a->shape[0] < 2) {
        return cli_fail("`%s`: has one frame; Doppler compares 2 or more", input);
    }
    const float *values = a->data;
    bool is_real = true;
    for (int64_t i = 0, n = sac_array_count(a); i < n && is_real; i++) {
        is_real = values[2 * i + 1] == 0;
    }
    if (is_real) {
        return cli_fail("`%s`: has no phases (is it a coherence, of --reduction slsc, or empty?)",
                        input);
    }
    for (int64_t i = 0, n = 2 * sac_array_count(a); i < n; i++) {
        if (!isfinite(values[i])) {
            return cli_fail("`%s`: %g in frame %" PRId64, input, (double)values[i],
                            i / (n / a->shape[0]));
        }
    }
    return check_shown(job, info);
}
