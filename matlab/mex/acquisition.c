/*
 * Acquisitions: MATLAB's structs as the library's, and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_TRANSMITS 65536 /* as sac_acquisition_check has it */

/* Names of sac_transmit_kind; arrivals belong to the points of a grid, and are not taken. */
static const char *const kinds[] = {"plane", "diverging", "focused", "element", "delays", NULL};
static const char *const origins[] = {"record", "transmit", NULL}; /* of sac_phase_origin */

static const char *transmit_fields[] = {"kind",        "azimuth_rad", "elevation_rad", "source_m",
                                        "element",     "delays_s",    "t0_s",          "weight",
                                        "apodization", NULL};
#define N_WRITTEN 13 /* of an acquisition's; the others are short for some of them */
static const char *acquisition_fields[] = {
    "fs_hz",        "fc_hz",      "bandwidth",  "fd_hz",  "c_m_s",   "frame_rate_hz",
    "phase_origin", "phase_sign", "position_m", "normal", "width_m", "height_m",
    "transmits",    "n_elements", "pitch_m",    "t0_s",   NULL};

static void close_recording(void *recording)
{
    sac_recording *r = recording;
    sac_recording_close(&r);
}

static int32_t choice(const mxArray *value, const char *name, const char *const *choices)
{
    const char *text = mat_text(value, name);
    int32_t i = 0;
    while (choices[i] && strcmp(choices[i], text) != 0)
        i++;
    if (!choices[i])
        mat_fail(SAC_E_INVALID, "%s: expected `%s` or the like, got `%s`", name, choices[0], text);
    return i;
}

/* A field that has something in it; or NULL. */
static const mxArray *field(const mxArray *value, size_t i, const char *name)
{
    const mxArray *f = mxGetField(value, (mwIndex)i, name);
    return f && !mxIsEmpty(f) ? f : NULL;
}

static double number_or(const mxArray *value, size_t i, const char *name, double otherwise)
{
    const mxArray *f = field(value, i, name);
    return f ? mat_number(f, name) : otherwise;
}

/* n numbers of class double; or NULL where the field is not there. */
static const double *numbers(const mxArray *value, size_t i, const char *name, size_t n)
{
    const mxArray *f = field(value, i, name);
    if (!f)
        return NULL;
    if (!mxIsDouble(f) || mxIsComplex(f) || mxIsSparse(f) || mxGetNumberOfElements(f) != n)
        mat_fail(SAC_E_INVALID,
                 "%s: expected %zu real numbers of class double, got %zu of class %s", name, n,
                 mxGetNumberOfElements(f), mxGetClassName(f));
    return mxGetData(f);
}

/* A field that is not read may be a wrong name of one that is. */
static void doubt_fields(const mxArray *value, const char *what, const char *const *known)
{
    for (int i = 0; i < mxGetNumberOfFields(value); i++) {
        const char *name = mxGetFieldNameByNumber(value, i);
        int k = 0;
        while (known[k] && strcmp(known[k], name) != 0)
            k++;
        if (!known[k])
            mexWarnMsgIdAndTxt("saccade:field", "%s.%s is not used: see help saccade_beamform",
                               what, name);
    }
}

static void take_elements(sac_acquisition *a, const mxArray *value)
{
    const mxArray *position = field(value, 0, "position_m");
    const double given = position ? (double)mxGetN(position) : number_or(value, 0, "n_elements", 0);
    const size_t n = given >= 1 && given <= MAX_TRANSMITS ? (size_t)given : 0;
    if (n < 1 || (double)n != given || (position && mxGetM(position) != 3))
        mat_fail(SAC_E_INVALID, "position_m: expected 3 x n_elements; or n_elements and pitch_m of "
                                "a linear array");
    sac_element *elements = mat_alloc(n, sizeof *elements);
    const double *p = numbers(value, 0, "position_m", 3 * n);
    const double *normal = numbers(value, 0, "normal", 3 * n);
    const double *width = numbers(value, 0, "width_m", n);
    const double *height = numbers(value, 0, "height_m", n);
    if (!p)
        sac_probe_linear(elements, (int32_t)n, number_or(value, 0, "pitch_m", NAN), 0, 0);
    for (size_t i = 0; i < n; i++) {
        if (p)
            sac_element_init(&elements[i]);
        for (int k = 0; k < 3; k++) {
            elements[i].position_m[k] = p ? p[3 * i + (size_t)k] : elements[i].position_m[k];
            elements[i].normal[k] = normal ? normal[3 * i + (size_t)k] : elements[i].normal[k];
        }
        elements[i].width_m = width ? width[i] : 0;
        elements[i].height_m = height ? height[i] : 0;
    }
    a->elements = elements;
    a->n_elements = (int32_t)n;
}

static void take_transmit(sac_transmit *t, const mxArray *list, size_t i, int32_t n_elements)
{
    const mxArray *kind = field(list, i, "kind");
    sac_transmit_init(t, kind ? (sac_transmit_kind)choice(kind, "transmits.kind", kinds)
                              : SAC_TRANSMIT_PLANE);
    t->azimuth_rad = number_or(list, i, "azimuth_rad", t->azimuth_rad);
    static const char *const needed[] = {NULL, "source_m", "source_m", "element", "delays_s"};
    if (needed[t->kind] && !field(list, i, needed[t->kind]))
        mat_fail(SAC_E_INVALID, "transmits.%s: transmit %zu is `%s`, and needs it", needed[t->kind],
                 i + 1, kinds[t->kind]);
    t->elevation_rad = number_or(list, i, "elevation_rad", t->elevation_rad);
    t->t0_s = number_or(list, i, "t0_s", t->t0_s);
    t->weight = number_or(list, i, "weight", t->weight);
    const double element = number_or(list, i, "element", 1); /* from 1, as MATLAB counts */
    if (!(element >= 1 && element <= n_elements && element == floor(element)))
        mat_fail(SAC_E_INVALID, "transmits.element: expected 1 to %d, got %g", n_elements, element);
    t->element = (int32_t)element - 1;
    const double *source = numbers(list, i, "source_m", 3);
    for (int k = 0; source && k < 3; k++)
        t->source_m[k] = source[k];
    t->delays_s = numbers(list, i, "delays_s", (size_t)n_elements);
}

/* The amplitudes with which elements fire; 1 of transmits that give none. */
static void take_amplitudes(sac_acquisition *a, const mxArray *list)
{
    const size_t n = (size_t)a->n_elements, n_tx = (size_t)a->n_transmits;
    double *all = NULL;
    for (size_t i = 0; i < n_tx; i++) {
        const double *of = numbers(list, i, "apodization", n);
        if (of && !all) {
            all = mat_alloc(n_tx * n, sizeof *all);
            for (size_t k = 0; k < n_tx * n; k++)
                all[k] = 1;
        }
        if (of)
            memcpy(all + i * n, of, n * sizeof *all);
    }
    a->tx_apodization = all;
}

static void take_transmits(sac_acquisition *a, const mxArray *value)
{
    const mxArray *list = field(value, 0, "transmits");
    sac_error err = {0};
    if (!list || !(mxIsStruct(list) || mxIsChar(list) || mxIsClass(list, "string")))
        mat_fail(SAC_E_INVALID, "transmits: expected a struct array, or text as `plane:75:16`");
    const bool is_list = mxIsStruct(list);
    const size_t n = is_list ? mxGetNumberOfElements(list) : MAX_TRANSMITS;
    if (is_list)
        doubt_fields(list, "transmits", transmit_fields);
    if (n > MAX_TRANSMITS)
        mat_fail(SAC_E_INVALID, "transmits: expected at most %d, got %zu", MAX_TRANSMITS, n);
    sac_transmit *transmits = mat_alloc(n, sizeof *transmits);
    a->n_transmits = (int32_t)n;
    for (size_t i = 0; i < n && is_list; i++)
        take_transmit(&transmits[i], list, i, a->n_elements);
    if (!is_list)
        mat_check(sac_transmits_parse(transmits, &a->n_transmits, MAX_TRANSMITS,
                                      mat_text(list, "transmits"), a->elements, a->n_elements,
                                      &err),
                  &err);
    if (is_list)
        take_amplitudes(a, list);
    const double t0_s = number_or(value, 0, "t0_s", NAN);
    for (size_t i = 0; i < (size_t)a->n_transmits && !isnan(t0_s); i++)
        transmits[i].t0_s = t0_s;
    a->transmits = transmits;
}

const sac_acquisition *mat_acquisition_take(const mxArray *value)
{
    if (!mxIsStruct(value) || mxGetNumberOfElements(value) != 1)
        mat_fail(SAC_E_INVALID, "acquisition: expected one struct, got %s", mxGetClassName(value));
    sac_acquisition *a = mat_alloc(1, sizeof *a);
    doubt_fields(value, "acquisition", acquisition_fields);
    const mxArray *origin = field(value, 0, "phase_origin");
    sac_error err = {0};
    sac_acquisition_init(a);
    a->fs_hz = number_or(value, 0, "fs_hz", a->fs_hz);
    a->fc_hz = number_or(value, 0, "fc_hz", a->fc_hz);
    a->bandwidth = number_or(value, 0, "bandwidth", a->bandwidth);
    a->fd_hz = number_or(value, 0, "fd_hz", a->fd_hz);
    a->c_m_s = number_or(value, 0, "c_m_s", a->c_m_s);
    a->frame_rate_hz = number_or(value, 0, "frame_rate_hz", a->frame_rate_hz);
    a->phase_sign = number_or(value, 0, "phase_sign", a->phase_sign) < 0 ? -1 : 1;
    a->phase_origin =
        (sac_phase_origin)(origin ? choice(origin, "phase_origin", origins) : SAC_PHASE_RECORD);
    take_elements(a, value);
    take_transmits(a, value);
    mat_check(sac_acquisition_check(a, &err), &err);
    return a;
}

/* Samples of a type that the library takes. */
static sac_array take_samples(const mxArray *rf)
{
    sac_array v = mat_view(rf, "rf");
    if (v.dtype == SAC_F64 || v.dtype == SAC_C128) {
        const int64_t n = sac_array_count(&v) * (v.dtype == SAC_C128 ? 2 : 1);
        const double *from = v.data;
        float *to = mat_alloc((size_t)n, sizeof *to);
        for (int64_t i = 0; i < n; i++)
            to[i] = (float)from[i];
        mexWarnMsgIdAndTxt("saccade:double", "rf: double is converted to single");
        v.data = to;
        v.dtype = v.dtype == SAC_C128 ? SAC_C64 : SAC_F32;
    }
    if (v.n_dims > 4)
        mat_fail(SAC_E_SHAPE,
                 "rf: expected (n_samples, n_elements, n_transmits, n_frames), got %d "
                 "axes",
                 v.n_dims);
    if (sac_array_count(&v) == 0)
        mat_fail(SAC_E_SHAPE, "rf: is empty");
    for (; v.n_dims < 4; v.n_dims++)
        v.shape[v.n_dims] = 1;
    sac_error err = {0};
    const int64_t shape[] = {v.shape[3], v.shape[2], v.shape[1], v.shape[0]};
    mat_check(sac_array_view(&v, v.data, v.dtype, 4, shape, &err), &err);
    return v;
}

static sac_array logical_view(const mxArray *value)
{
    const int64_t rows = (int64_t)mxGetM(value);
    return (sac_array){.data = mxGetData(value),
                       .dtype = SAC_U8,
                       .n_dims = 2,
                       .shape = {rows, (int64_t)mxGetN(value)},
                       .stride = {1, (ptrdiff_t)rows}};
}

static void take_must(mat_channels *c, const mxArray *param)
{
    const int n = mxGetNumberOfFields(param);
    sac_error err = {0};
    sac_recording *recording = NULL;
    sac_must_field *fields = mat_alloc((size_t)n, sizeof *fields);
    for (int i = 0; i < n; i++) {
        const mxArray *value = mxGetFieldByNumber(param, 0, i);
        fields[i].name = mxGetFieldNameByNumber(param, i);
        const bool is_array = value && !mxIsSparse(value) && mxGetNumberOfDimensions(value) == 2;
        if (is_array && mxIsNumeric(value))
            fields[i].values = mat_view(value, fields[i].name);
        else if (is_array && mxIsLogical(value)) /* numbers, as in MAT files */
            fields[i].values = logical_view(value);
        else
            fields[i].values.n_dims = value && !mxIsEmpty(value) ? 2 : 0;
    }
    mat_check(sac_recording_from_must(&recording, &c->samples, fields, n, NULL, &err), &err);
    mat_keep(recording, close_recording);
    c->samples = sac_recording_get_array(recording);
    c->acquisition = sac_recording_get_acquisition(recording);
    c->note = sac_recording_get_note(recording);
}

mat_channels mat_channels_take(const mxArray *rf, const mxArray *acquisition)
{
    mat_channels c = {.samples = take_samples(rf), .note = ""};
    if (!mxIsStruct(acquisition) || mxGetNumberOfElements(acquisition) != 1)
        mat_fail(SAC_E_INVALID, "acquisition: expected one struct, got %s",
                 mxGetClassName(acquisition));
    if (!mxGetField(acquisition, 0, "fs_hz")) {
        take_must(&c, acquisition);
        return c;
    }
    c.acquisition = mat_acquisition_take(acquisition);
    sac_array *s = &c.samples;
    if (c.acquisition->n_transmits == 1 && s->shape[0] == 1) { /* the third axis is frames */
        s->shape[0] = s->shape[1];
        s->stride[0] = s->stride[1];
        s->shape[1] = 1;
    }
    if (s->shape[1] != c.acquisition->n_transmits || s->shape[2] != c.acquisition->n_elements)
        mat_fail(SAC_E_SHAPE,
                 "rf: expected (n_samples, %d elements, %d transmits, n_frames), got "
                 "%lld x %lld x %lld x %lld",
                 c.acquisition->n_elements, c.acquisition->n_transmits, (long long)s->shape[3],
                 (long long)s->shape[2], (long long)s->shape[1], (long long)s->shape[0]);
    return c;
}

/* A row or matrix of doubles in a field of a struct, to be filled in. */
static double *new_numbers(mxArray *to, size_t i, const char *name, int64_t rows, int64_t columns)
{
    mxArray *value = mat_new(SAC_F64, 2, (const int64_t[]){rows, columns});
    mxSetField(to, (mwIndex)i, name, value);
    return mxGetData(value);
}

static void put_number(mxArray *to, size_t i, const char *name, double number)
{
    mxSetField(to, (mwIndex)i, name, mxCreateDoubleScalar(number));
}

static mxArray *new_transmits(const sac_acquisition *a)
{
    mxArray *list = mxCreateStructMatrix(1, (mwSize)a->n_transmits, 9, transmit_fields);
    for (size_t i = 0; i < (size_t)a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        mxSetField(list, (mwIndex)i, "kind", mxCreateString(kinds[t->kind]));
        put_number(list, i, "azimuth_rad", t->azimuth_rad);
        put_number(list, i, "elevation_rad", t->elevation_rad);
        memcpy(new_numbers(list, i, "source_m", 3, 1), t->source_m, sizeof t->source_m);
        put_number(list, i, "element", t->element + 1);
        put_number(list, i, "t0_s", t->t0_s);
        put_number(list, i, "weight", t->weight);
        if (t->kind == SAC_TRANSMIT_DELAYS)
            memcpy(new_numbers(list, i, "delays_s", 1, a->n_elements), t->delays_s,
                   (size_t)a->n_elements * sizeof *t->delays_s);
        if (a->tx_apodization)
            memcpy(new_numbers(list, i, "apodization", 1, a->n_elements),
                   a->tx_apodization + i * (size_t)a->n_elements,
                   (size_t)a->n_elements * sizeof *a->tx_apodization);
    }
    return list;
}

mxArray *mat_acquisition_new(const sac_acquisition *a)
{
    if (a->shapes || a->receives)
        mat_fail(SAC_E_UNSUPPORTED, "recordings of line elements (row-column arrays), or of which "
                                    "not all elements receive, are not read from MATLAB yet");
    mxArray *to = mxCreateStructMatrix(1, 1, N_WRITTEN, acquisition_fields);
    put_number(to, 0, "fs_hz", a->fs_hz);
    put_number(to, 0, "fc_hz", a->fc_hz);
    put_number(to, 0, "bandwidth", a->bandwidth);
    put_number(to, 0, "fd_hz", a->fd_hz);
    put_number(to, 0, "c_m_s", a->c_m_s);
    put_number(to, 0, "frame_rate_hz", a->frame_rate_hz);
    mxSetField(to, 0, "phase_origin", mxCreateString(origins[a->phase_origin]));
    put_number(to, 0, "phase_sign", a->phase_sign);
    double *position = new_numbers(to, 0, "position_m", 3, a->n_elements);
    double *normal = new_numbers(to, 0, "normal", 3, a->n_elements);
    double *width = new_numbers(to, 0, "width_m", 1, a->n_elements);
    double *height = new_numbers(to, 0, "height_m", 1, a->n_elements);
    for (int32_t i = 0; i < a->n_elements; i++) {
        memcpy(position + 3 * i, a->elements[i].position_m, 3 * sizeof *position);
        memcpy(normal + 3 * i, a->elements[i].normal, 3 * sizeof *normal);
        width[i] = a->elements[i].width_m;
        height[i] = a->elements[i].height_m;
    }
    mxSetField(to, 0, "transmits", new_transmits(a));
    return to;
}

mxArray *mat_channels_new(const sac_array *samples)
{
    const int64_t *n = samples->shape;
    mxArray *value = mat_new(samples->dtype, 4, (const int64_t[]){n[3], n[2], n[1], n[0]});
    memcpy(mxGetData(value), samples->data,
           (size_t)sac_array_count(samples) * sac_dtype_size(samples->dtype));
    return value;
}

mxArray *mat_scatterers_new(const sac_scatterer *scatterers, int64_t n)
{
    mxArray *value = mat_new(SAC_F64, 2, (const int64_t[]){n, 4});
    double *to = mxGetData(value);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            to[k * n + i] = scatterers[i].position_m[k];
        to[3 * n + i] = scatterers[i].amplitude;
    }
    return value;
}

const sac_scatterer *mat_scatterers_take(const mxArray *value, int64_t *n)
{
    const size_t rows = mxGetM(value);
    if (!mxIsDouble(value) || mxIsComplex(value) || mxIsSparse(value) || rows < 1 ||
        mxGetNumberOfDimensions(value) != 2 || mxGetN(value) != 4)
        mat_fail(SAC_E_SHAPE, "scatterers: expected (n, 4) of class double: x, y, z in metres, and "
                              "amplitude");
    sac_scatterer *scatterers = mat_alloc(rows, sizeof *scatterers);
    const double *from = mxGetData(value);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < 3; k++)
            scatterers[i].position_m[k] = from[k * rows + i];
        scatterers[i].amplitude = from[3 * rows + i];
    }
    *n = (int64_t)rows;
    return scatterers;
}
