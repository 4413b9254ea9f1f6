/*
 * The envelope of IQ and of RF, as a public function.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/signal.h>

#include "base/alloc.h"
#include "beamform/steps/lines.h"
#include "beamform/steps/signal_steps.h"

#define CHUNK 256 /* complex values that are brought together at a time */
#define WIDTH 64  /* lines of RF that are worked on side by side */

static void magnitude_lines(const sac_array *out, const sac_array *in, sac_envelope_c64_fn envelope)
{
    const ptrdiff_t size = sizeof(float);
    const int64_t n = in->shape[in->n_dims - 1], n_lines = sac_lines_count(in);
    const ptrdiff_t to_step = out->stride[out->n_dims - 1], step = in->stride[in->n_dims - 1];
    const bool dense = to_step == size && step == 2 * size;
    float from[2 * CHUNK], to[CHUNK];
    for (int64_t i = 0; i < n_lines; i++) {
        char *out_line = sac_lines_at(out, i);
        const char *in_line = sac_lines_at(in, i);
        if (dense) {
            envelope((float *)(void *)out_line, (const float *)(const void *)in_line, n);
            continue;
        }
        for (int64_t k = 0; k < n; k += CHUNK) {
            int64_t count = n - k < CHUNK ? n - k : CHUNK;
            sac_lines_copy((char *)from, 2 * size, in_line + k * step, step, count, 2 * sizeof *to);
            envelope(to, from, count);
            sac_lines_copy(out_line + k * to_step, to_step, (const char *)to, size, count,
                           sizeof *to);
        }
    }
}

static sac_status magnitude(const sac_array *out, const sac_array *in, sac_error *err)
{
    const sac_variant *v;
    sac_status status =
        sac_variant_choose(&v, &sac_envelope_c64_room, SAC_TIER_EXACT, NULL, NULL, err);
    if (status == SAC_OK)
        magnitude_lines(out, in, (sac_envelope_c64_fn)v->fn);
    return status;
}

/* WIDTH lines at a time, turned into columns of `memory`, (2, n, WIDTH). */
static void hilbert_lines(const sac_array *out, const sac_array *in, sac_hilbert_f32_fn hilbert,
                          float *memory)
{
    const ptrdiff_t size = sizeof(float), row = WIDTH * size;
    const int64_t n = in->shape[in->n_dims - 1], n_lines = sac_lines_count(in);
    const ptrdiff_t to_step = out->stride[out->n_dims - 1], step = in->stride[in->n_dims - 1];
    float *from = memory, *to = memory + n * WIDTH;
    sac_hilbert filter;
    sac_hilbert_init(&filter);
    for (int64_t i = 0; i < n_lines; i += WIDTH) {
        int64_t count = n_lines - i < WIDTH ? n_lines - i : WIDTH;
        for (int64_t k = 0; k < count; k++)
            sac_lines_copy((char *)(from + k), row, sac_lines_at(in, i + k), step, n, sizeof *from);
        hilbert(to, row, from, row, count, n, &filter);
        for (int64_t k = 0; k < count; k++)
            sac_lines_copy(sac_lines_at(out, i + k), to_step, (const char *)(to + k), row, n,
                           sizeof *to);
    }
}

static sac_status hilbert_envelope(const sac_array *out, const sac_array *in, int32_t axis,
                                   sac_error *err)
{
    if (axis < 0 || axis >= in->n_dims)
        return sac_fail(err, SAC_E_SHAPE, "axis: expected 0 to %d, got %d", in->n_dims - 1, axis);
    int32_t order[SAC_MAX_DIMS], n_dims = in->n_dims;
    for (int32_t i = 0; i < n_dims; i++)
        order[i] = i + 1 == n_dims ? axis : i < axis ? i : i + 1;
    sac_array to, from;
    sac_status status = sac_array_permute(&to, out, order, err);
    if (status == SAC_OK)
        status = sac_array_permute(&from, in, order, err);
    const sac_variant *v;
    if (status == SAC_OK)
        status = sac_variant_choose(&v, &sac_hilbert_f32_room, SAC_TIER_EXACT, NULL, NULL, err);
    if (status || sac_array_count(in) == 0)
        return status;
    float *memory = sac_alloc((size_t)in->shape[axis], 2 * WIDTH * sizeof *memory);
    if (!memory)
        return sac_fail(err, SAC_E_NOMEM, "envelope: no memory for %d lines", WIDTH);
    hilbert_lines(&to, &from, (sac_hilbert_f32_fn)v->fn, memory);
    sac_free(memory);
    return SAC_OK;
}

sac_status sac_envelope(const sac_array *out, const sac_array *in, int32_t axis, sac_error *err)
{
    bool is_complex = in && in->dtype == SAC_C64;
    sac_status status = sac_lines_check(in, "in", is_complex ? SAC_C64 : SAC_F32, err);
    if (status == SAC_OK)
        status = sac_lines_check(out, "out", SAC_F32, err);
    if (status)
        return status;
    sac_known(in);
    status = sac_lines_alike(out, in, in->n_dims, err);
    if (status)
        return status;
    return is_complex ? magnitude(out, in, err) : hilbert_envelope(out, in, axis, err);
}
