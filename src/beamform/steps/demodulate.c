/*
 * RF to IQ, for pipelines and as a public function.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "beamform/steps/lines.h"
#include "beamform/steps/signal_steps.h"
#include "beamform/kernels/demodulate_f32/demodulate_f32.h"
#include "beamform/kernels/demodulate_i16/demodulate_i16.h"

struct sac_demodulator {
    sac_demodulate_plan plan;
    sac_dtype dtype; /* which of the two is the kernel; either may be NULL */
    sac_demodulate_i16_fn from_i16;
    sac_demodulate_f32_fn from_f32;
};

void sac_demodulation_init(sac_demodulation *demodulation)
{
    if (demodulation)
        *demodulation = (sac_demodulation){.decimation = 1};
}

const sac_room *sac_demodulate_room(sac_dtype dtype)
{
    return dtype == SAC_I16 ? &sac_demodulate_i16_room : &sac_demodulate_f32_room;
}

sac_status sac_demodulator_open(sac_demodulator **out, const sac_demodulation *demodulation,
                                sac_dtype dtype, int64_t n_samples, sac_any_fn kernel,
                                sac_error *err)
{
    *out = NULL;
    sac_demodulator *d = sac_alloc(1, sizeof *d);
    if (!d)
        return sac_fail(err, SAC_E_NOMEM, "demodulation: no memory for its filter");
    sac_status status = sac_demodulate_plan_open(&d->plan, demodulation, n_samples, err);
    if (status) {
        sac_free(d);
        return status;
    }
    d->dtype = dtype;
    if (dtype == SAC_I16)
        d->from_i16 = (sac_demodulate_i16_fn)kernel;
    else
        d->from_f32 = (sac_demodulate_f32_fn)kernel;
    *out = d;
    return SAC_OK;
}

int64_t sac_demodulator_samples(const sac_demodulator *demodulator)
{
    return demodulator->plan.n_out;
}

const sac_demodulate_plan *sac_demodulator_plan(const sac_demodulator *demodulator)
{
    return &demodulator->plan;
}

void sac_demodulator_restore(const sac_demodulator *demodulator, float *record)
{
    const sac_demodulate_plan *p = &demodulator->plan;
    for (int64_t n = 0; n < p->n_out; n++) /* turn is exp(-j ...) */
        record[n] = record[2 * n] * p->turn_re[n] + record[2 * n + 1] * p->turn_im[n];
}

void sac_demodulator_run(const sac_demodulator *d, float *out, ptrdiff_t out_record, const void *in,
                         ptrdiff_t in_record, ptrdiff_t in_sample, int64_t n_records)
{
    if (d->dtype == SAC_I16)
        d->from_i16(out, out_record, in, in_record, in_sample, n_records, &d->plan);
    else
        d->from_f32(out, out_record, in, in_record, in_sample, n_records, &d->plan);
}

void sac_demodulator_close(sac_demodulator **demodulator)
{
    if (!demodulator || !*demodulator)
        return;
    sac_demodulate_plan_close(&(*demodulator)->plan);
    sac_free(*demodulator);
    *demodulator = NULL;
}

static sac_status check(const sac_array *out, const sac_array *in,
                        const sac_demodulation *demodulation, sac_error *err)
{
    if (!demodulation)
        return sac_fail(err, SAC_E_INVALID, "demodulation: is NULL");
    if (in && in->dtype != SAC_I16 && in->dtype != SAC_F32)
        return sac_fail(err, SAC_E_SHAPE, "in: expected i16 or f32, got %s",
                        sac_dtype_name(in->dtype));
    sac_status status = sac_lines_check(in, "in", in ? in->dtype : SAC_F32, err);
    if (status == SAC_OK)
        status = sac_lines_check(out, "out", SAC_C64, err);
    if (status)
        return status;
    sac_known(in);
    return sac_lines_alike(out, in, in->n_dims - 1, err);
}

/* Line by line, through `line` where out's samples do not lie side by side. */
static void run_lines(const sac_demodulator *d, const sac_array *out, const sac_array *in,
                      float *line)
{
    const ptrdiff_t size = 2 * sizeof(float), step = out->stride[out->n_dims - 1];
    const int64_t n = sac_lines_count(in), n_out = sac_demodulator_samples(d);
    for (int64_t i = 0; i < n; i++) {
        char *to = sac_lines_at(out, i);
        sac_demodulator_run(d, line ? line : (float *)(void *)to, 0, sac_lines_at(in, i), 0,
                            in->stride[in->n_dims - 1], 1);
        if (line)
            sac_lines_copy(to, step, (const char *)line, size, n_out, (size_t)size);
    }
}

sac_status sac_demodulate(const sac_array *out, const sac_array *in,
                          const sac_demodulation *demodulation, sac_error *err)
{
    sac_status status = check(out, in, demodulation, err);
    if (status)
        return status;
    const int32_t last = in->n_dims - 1;
    sac_demodulator *d;
    const sac_variant *v = NULL;
    status =
        sac_variant_choose(&v, sac_demodulate_room(in->dtype), SAC_TIER_EXACT, NULL, NULL, err);
    if (status == SAC_OK)
        status = sac_demodulator_open(&d, demodulation, in->dtype, in->shape[last], v->fn, err);
    if (status)
        return status;
    const int64_t n_out = sac_demodulator_samples(d);
    float *line = NULL;
    if (out->shape[last] != n_out) {
        status = sac_fail(err, SAC_E_SHAPE,
                          "out: expected %lld samples of %lld at decimation %d, "
                          "got %lld",
                          (long long)n_out, (long long)in->shape[last], demodulation->decimation,
                          (long long)out->shape[last]);
    } else if (out->stride[last] != 2 * sizeof(float)) {
        line = sac_alloc((size_t)n_out, 2 * sizeof *line);
        if (!line)
            status = sac_fail(err, SAC_E_NOMEM, "demodulation: no memory for a record");
    }
    if (status == SAC_OK)
        run_lines(d, out, in, line);
    sac_free(line);
    sac_demodulator_close(&d);
    return status;
}
