/*
 * Log compression: a frame's maximum, and decibels below it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>

#include <saccade/signal.h>

#include "beamform/steps/lines.h"
#include "beamform/steps/signal_steps.h"

#define LANES 16
#define CHUNK 256 /* values that are brought together at a time */

/* LANES maxima side by side, which compilers make vectors of. */
float sac_frame_maximum(const float *in, int64_t n)
{
    float most[LANES] = {0}, largest = 0;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float x = in[i + k];
            x = x <= FLT_MAX ? x : 0; /* neither infinite nor NaN */
            most[k] = x > most[k] ? x : most[k];
        }
    for (; i < n; i++)
        most[0] = in[i] > most[0] && in[i] <= FLT_MAX ? in[i] : most[0];
    for (int k = 0; k < LANES; k++)
        largest = most[k] > largest ? most[k] : largest;
    return largest;
}

/* A line's next values, side by side: those of the line itself, or a copy in `own`. */
static const float *gather(float *own, const char *line, ptrdiff_t step, int64_t n)
{
    if (step == sizeof *own)
        return (const float *)(const void *)line;
    sac_lines_copy((char *)own, sizeof *own, line, step, n, sizeof *own);
    return own;
}

static float maximum_of(const sac_array *in)
{
    const int64_t n = in->shape[in->n_dims - 1], n_lines = sac_lines_count(in);
    const ptrdiff_t step = in->stride[in->n_dims - 1];
    float own[CHUNK], most = 0;
    for (int64_t i = 0; i < n_lines; i++)
        for (int64_t k = 0; k < n; k += CHUNK) {
            int64_t count = n - k < CHUNK ? n - k : CHUNK;
            const float *from = gather(own, sac_lines_at(in, i) + k * step, step, count);
            float here = sac_frame_maximum(from, count);
            most = here > most ? here : most;
        }
    return most;
}

static void compress_frame(const sac_array *out, const sac_array *in, sac_compress_f32_fn compress,
                           float range_db)
{
    const int64_t n = in->shape[in->n_dims - 1], n_lines = sac_lines_count(in);
    const ptrdiff_t step = in->stride[in->n_dims - 1], to_step = out->stride[out->n_dims - 1];
    const float maximum = maximum_of(in);
    float own[CHUNK];
    for (int64_t i = 0; i < n_lines; i++)
        for (int64_t k = 0; k < n; k += CHUNK) {
            int64_t count = n - k < CHUNK ? n - k : CHUNK;
            const float *from = gather(own, sac_lines_at(in, i) + k * step, step, count);
            char *to = sac_lines_at(out, i) + k * to_step;
            if (to_step == sizeof *own) {
                compress((float *)(void *)to, from, count, maximum, range_db);
                continue;
            }
            compress(own, from, count, maximum, range_db);
            sac_lines_copy(to, to_step, (const char *)own, sizeof *own, count, sizeof *own);
        }
}

sac_status sac_compress(const sac_array *out, const sac_array *in, double range_db, sac_error *err)
{
    if (!(range_db > 0 && range_db <= SAC_COMPRESS_MAX_DB))
        return sac_fail(err, SAC_E_INVALID, "range_db: expected more than 0 and at most %d, got %g",
                        SAC_COMPRESS_MAX_DB, range_db);
    sac_status status = sac_lines_check(in, "in", SAC_F32, err);
    if (status == SAC_OK)
        status = sac_lines_check(out, "out", SAC_F32, err);
    if (status == SAC_OK)
        status = sac_lines_alike(out, in, in->n_dims, err);
    const sac_variant *v;
    if (status == SAC_OK)
        status = sac_variant_choose(&v, &sac_compress_f32_room, SAC_TIER_EXACT, NULL, NULL, err);
    for (int64_t i = 0; status == SAC_OK && i < in->shape[0]; i++) {
        sac_array to, from;
        status = sac_array_range(&to, out, 0, i, 1, err);
        if (status == SAC_OK)
            status = sac_array_range(&from, in, 0, i, 1, err);
        if (status == SAC_OK)
            compress_frame(&to, &from, (sac_compress_f32_fn)v->fn, (float)range_db);
    }
    return status;
}
