/*
 * Recordings of samples in memory and MUST's `param`, as MATLAB, Octave and Python have them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

typedef struct fields {
    const sac_must_field *fields;
    int32_t n;
} fields;

static bool is_real(sac_dtype dtype)
{
    return dtype >= SAC_U8 && dtype <= SAC_F64 && dtype != SAC_F16;
}

/* A sac_must_get_fn. */
static sac_status get_field(void *ctx, const char *name, uint64_t most, sac_array *value,
                            sac_error *err)
{
    const fields *f = ctx;
    (void)err;
    *value = (sac_array){0};
    for (int32_t i = 0; i < f->n; i++) {
        if (strcasecmp(f->fields[i].name, name) != 0)
            continue;
        *value = f->fields[i].values;
        const int64_t count = value->n_dims ? sac_array_count(value) : 0;
        if (count == 0 && is_real(value->dtype))
            value->n_dims = 0; /* empty, as if it were not there */
        else if ((uint64_t)count > most || !is_real(value->dtype))
            *value = (sac_array){.n_dims = 2};
        return SAC_OK;
    }
    return SAC_OK;
}

static sac_status check_fields(const fields *f, sac_error *err)
{
    for (int32_t i = 0; i < f->n; i++) {
        const sac_array *v = &f->fields[i].values;
        if (!f->fields[i].name)
            return sac_fail(err, SAC_E_INVALID, "fields: the name of field %d is NULL", i);
        if (is_real(v->dtype) && (v->n_dims != 2 || v->device.kind != SAC_DEVICE_CPU ||
                                  (!v->data && sac_array_count(v))))
            return sac_fail(err, SAC_E_SHAPE, "fields: %.40s: expected 2 axes, on the CPU",
                            f->fields[i].name);
    }
    return SAC_OK;
}

static sac_status check_samples(const sac_array *s, sac_error *err)
{
    sac_status st = sac_array_check(s, "samples", err);
    if (st != SAC_OK)
        return st;
    if ((s->dtype != SAC_I16 && s->dtype != SAC_F32 && s->dtype != SAC_C64) || s->n_dims != 4 ||
        sac_array_count(s) == 0 || !sac_array_is_contiguous(s) || s->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_SHAPE,
                        "samples: expected i16, f32 or c64 of shape (n_frames, n_transmits, "
                        "n_elements, n_samples), contiguous, on the CPU");
    return SAC_OK;
}

/* IQ whose phase must be turned is copied, other samples are borrowed. */
static sac_status take_samples(sac_draft *draft, const sac_array *samples, sac_error *err)
{
    sac_recording *r = draft->recording;
    sac_array s = *samples;
    if (r->acquisition.n_transmits == 1 && s.shape[0] == 1) { /* frames, as MUST has them */
        s.shape[0] = s.shape[1];
        s.shape[1] = 1;
        s.stride[0] = s.stride[1];
    }
    if (s.shape[1] != r->acquisition.n_transmits)
        return sac_fail(err, SAC_E_SHAPE,
                        "samples: are of %lld transmits, but %d are described (param.TXdelay, "
                        "transmits)",
                        (long long)s.shape[1], r->acquisition.n_transmits);
    r->samples = s;
    r->borrows = s.dtype != SAC_C64 || !draft->must || sac_must_is_turned(draft);
    if (r->borrows)
        return SAC_OK;
    const size_t n = (size_t)sac_array_count(&s), size = sac_dtype_size(s.dtype);
    r->samples.data = sac_alloc(n, size);
    if (!r->samples.data)
        return sac_fail(err, SAC_E_NOMEM, "samples: no memory for a copy of %zu IQ samples", n);
    memcpy(r->samples.data, s.data, n * size);
    sac_must_rotate(draft);
    return SAC_OK;
}

sac_status sac_recording_from_must(sac_recording **out, const sac_array *samples,
                                   const sac_must_field *must_fields, int32_t n_fields,
                                   const sac_recording_desc *desc, sac_error *err)
{
    fields f = {must_fields, n_fields};
    if (!out || !samples || (!must_fields && n_fields) || n_fields < 0)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !out       ? "out"
                        : !samples ? "samples"
                                   : "fields");
    *out = NULL;
    sac_status st = check_samples(samples, err);
    st = st ? st : check_fields(&f, err);
    sac_draft draft = {0};
    st = st ? st : sac_draft_begin(&draft, desc, err);
    if (st != SAC_OK)
        return st;
    snprintf(draft.name, sizeof draft.name, "param");
    st = sac_must_param(&draft, get_field, &f, samples->shape[2], "samples", err);
    st = st ? st : sac_draft_resolve(&draft, samples->shape[2], err);
    st = st ? st : take_samples(&draft, samples, err);
    if (st == SAC_OK)
        sac_must_clock(&draft);
    else
        sac_recording_close(&draft.recording);
    *out = draft.recording;
    return st;
}
