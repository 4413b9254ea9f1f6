/*
 * saccade beamform of few frames by several processes: each does some transmits, rank 0 adds up
 * their images, in the order of ranks, and makes of the sum what is written.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/signal.h>

#include "options.h"
#include "ranks/ranks.h"

typedef cli_beamform_parts parts;

/* Seconds of a sum, measured with 2 and 4 ranks on one machine: through the memory of the CPUs, of
 * each rank and GB; by NCCL, which each rank has to join first. */
#define CPU_GB_S 0.3
#define NCCL_JOIN_S 0.45
#define NCCL_GB_S 0.8

/* Whether an image is the sum of its transmits' images, each by itself, and comes of this sum by
 * steps that the library has one by one. */
static bool is_sum(const cli_beamform_job *job)
{
    const sac_beamform_desc *d = &job->desc;
    const sac_acquisition *a = d->acquisition;
    const bool is_plain = !d->reduction || strcmp(d->reduction, "sum") == 0;
    const bool may_be_dual = d->method == SAC_METHOD_DUAL_STAGE ||
                             (d->tier == SAC_TIER_FAST && d->method == SAC_METHOD_AUTO);
    bool all_weigh = true; /* a plan of transmits that weigh 0 is refused */
    for (int32_t i = 0; i < a->n_transmits; i++) {
        all_weigh = all_weigh && (float)a->transmits[i].weight != 0;
    }
    return is_plain && all_weigh && !may_be_dual && !d->lri && !d->picture.n[0] &&
           d->tx_f_number <= 0 && !d->tx_apodization;
}

void cli_beamform_parts_share_transmits(parts *p, int64_t n_parts)
{
    const sac_acquisition *a = p->job->desc.acquisition;
    const int32_t ranks = cli_ranks(), n = ranks < a->n_transmits ? ranks : a->n_transmits;
    const size_t elements = (size_t)a->n_elements;
    p->some = *a;
    if (n_parts >= ranks) {
        return;
    }
    if (n <= n_parts || !is_sum(p->job)) {
        if (cli_rank() == 0) {
            cli_note("`%s`: %d of %d processes do nothing: there are too few frames, and transmits "
                     "of this image cannot be shared",
                     p->job->input, (int)(ranks - n_parts), (int)ranks);
        }
        return;
    }
    p->n_sharing = n;
    if (cli_rank() >= n) {
        return;
    }
    const int32_t first = (int32_t)((int64_t)a->n_transmits * cli_rank() / n);
    p->first_transmit = first;
    p->some.n_transmits = (int32_t)((int64_t)a->n_transmits * (cli_rank() + 1) / n) - first;
    p->some.transmits += first;
    p->some.tx_apodization += a->tx_apodization ? (size_t)first * elements : 0;
    p->some.receives += a->receives ? (size_t)first * elements : 0;
}

void cli_beamform_parts_some_desc(const parts *p, sac_beamform_desc *desc)
{
    if (p->n_sharing > 0) {
        desc->acquisition = &p->some;
        desc->output = SAC_OUTPUT_IQ;
    }
}

/* As a plan does it (put_gray): 0 at the dynamic range, 255 at the frame's maximum. */
static void to_gray(uint8_t *out, const float *db, int64_t n, float range_db)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = (uint8_t)(255 * (1 + db[i] / range_db) + 0.5F);
    }
}

/* Of the sum (complex, or RF) to what is written, in p->sum. */
static sac_status finish(parts *p, const sac_array *image, sac_error *err)
{
    const sac_beamform_desc *d = &p->job->desc;
    sac_array values = *image;
    values.dtype = SAC_F32;
    if (!cli_beamform_image_memory(&values)) {
        return cli_beamform_parts_no_memory(err, "an image of %" PRId64 " values",
                                            sac_array_count(&values));
    }
    sac_status st = sac_envelope(&values, image, 1, err);
    if (st == SAC_OK && d->output != SAC_OUTPUT_ENVELOPE) {
        st = sac_compress(&values, &values, d->dynamic_range_db, err);
    }
    if (st == SAC_OK && d->output == SAC_OUTPUT_GRAY) {
        to_gray(values.data, values.data, sac_array_count(&values), (float)d->dynamic_range_db);
        values.dtype = SAC_U8; /* in place: bytes lie before the values that are still read */
        for (int32_t i = 0; i < values.n_dims; i++) {
            values.stride[i] /= (ptrdiff_t)sizeof(float);
        }
    }
    free(p->sum.data);
    p->sum = values;
    return st;
}

bool cli_beamform_parts_can_sum_on_gpus(const parts *p, const sac_beamform *plan)
{
    const char *asked = getenv("SAC_NCCL");
    const sac_array image = sac_beamform_get_output_array(plan);
    /* At most: of RF it is half as much. */
    const double gb =
        8e-9 * (double)sac_array_count(&image) / (double)image.shape[0] * (double)p->n_frames;
    const double cpu_s = CPU_GB_S * p->n_sharing * gb;
    const double nccl_s = NCCL_JOIN_S * p->n_sharing + NCCL_GB_S * gb;
    const bool is_wanted = asked && *asked ? strcmp(asked, "on") == 0 : nccl_s < cpu_s;
    return cli_rank() < p->n_sharing && is_wanted && cli_ranks_gpus_can(p->job->desc.device);
}

sac_status cli_beamform_parts_sum(parts *p, sac_array *image, float *on_gpu, sac_error *err)
{
    if (p->n_sharing == 0) {
        return SAC_OK;
    }
    const size_t n = (size_t)cli_beamform_parts_bytes(image) / sizeof(float);
    sac_status st = p->sums_on_gpus ? cli_ranks_gpus_sum(image->data, on_gpu, n, p->n_sharing, err)
                                    : cli_ranks_sum(image->data, n, p->n_sharing);
    if (st == SAC_E_NOMEM) {
        return cli_beamform_parts_no_memory(err, "what other processes send");
    }
    if (st != SAC_OK || cli_rank() > 0 || p->job->desc.output == SAC_OUTPUT_IQ) {
        return st;
    }
    st = finish(p, image, err);
    *image = p->sum;
    return st;
}
