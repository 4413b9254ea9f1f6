/*
 * Acquisitions: MATLAB's structs as the library's, and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"

static const char *const origins[] = {"record", "transmit", NULL}; /* of sac_phase_origin */

#define N_WRITTEN 15 /* of an acquisition's; the others are short for some of them */
static const char *acquisition_fields[] = {
    "fs_hz",        "fc_hz",      "bandwidth",  "fd_hz",      "c_m_s",   "frame_rate_hz",
    "phase_origin", "phase_sign", "position_m", "normal",     "width_m", "height_m",
    "shape",        "line_taper", "transmits",  "n_elements", "n_rows",  "n_columns",
    "pitch_m",      "t0_s",       NULL};

static void close_recording(void *recording)
{
    sac_recording *r = recording;
    sac_recording_close(&r);
}

/* How many elements there are, and how many of them n_rows and n_columns say. */
static int32_t count_elements(int32_t *n_rows, const mxArray *value)
{
    const mxArray *position = mat_field(value, 0, "position_m");
    const double rows = mat_field_number(value, 0, "n_rows", 0),
                 columns = mat_field_number(value, 0, "n_columns", 0);
    double given = mat_field_number(value, 0, "n_elements", rows + columns);
    if (position)
        given = (double)mxGetN(position);
    const bool lines = mat_field(value, 0, "n_rows") || mat_field(value, 0, "n_columns");
    if (!(given >= 1 && given <= MAX_TRANSMITS && given == floor(given)) ||
        (position && mxGetM(position) != 3))
        mat_fail(SAC_E_INVALID, "position_m: expected 3 x n_elements; or n_elements and pitch_m of "
                                "a linear array; or n_rows, n_columns and pitch_m");
    if (lines && (position || rows + columns != given || !(rows >= 1 && rows == floor(rows)) ||
                  !(columns >= 1)))
        mat_fail(SAC_E_INVALID,
                 "n_rows, n_columns: expected how many lines a row-column array "
                 "has, and no position_m; got %g and %g",
                 rows, columns);
    *n_rows = lines ? (int32_t)rows : 0;
    return (int32_t)given;
}

/* The usual arrays, of pitch_m. */
static void fill_elements(sac_acquisition *a, sac_element *elements, int32_t n_rows, double pitch_m)
{
    const int32_t n = a->n_elements;
    if (n_rows == 0) {
        sac_probe_linear(elements, n, pitch_m, 0, 0);
        return;
    }
    int32_t *shapes = mat_alloc((size_t)n, sizeof *shapes);
    sac_probe_row_column(elements, shapes, n_rows, n - n_rows, pitch_m, 0);
    a->shapes = shapes;
}

/* The field `shape`. */
static void take_shapes(sac_acquisition *a, const mxArray *value)
{
    const size_t n = (size_t)a->n_elements;
    const double *given = mat_field_numbers(value, 0, "shape", n);
    if (!given)
        return;
    int32_t *shapes = mat_alloc(n, sizeof *shapes);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!(given[i] == SAC_SHAPE_AREA || given[i] == SAC_SHAPE_ROW ||
              given[i] == SAC_SHAPE_COLUMN))
            mat_fail(SAC_E_INVALID, "shape: expected 0 (area), 1 (row) or 2 (column), got %g",
                     given[i]);
        shapes[i] = (int32_t)given[i];
        any = any || shapes[i] != SAC_SHAPE_AREA;
    }
    a->shapes = any ? shapes : NULL;
}

static void take_elements(sac_acquisition *a, const mxArray *value)
{
    int32_t n_rows;
    a->n_elements = count_elements(&n_rows, value);
    const size_t n = (size_t)a->n_elements;
    sac_element *elements = mat_alloc(n, sizeof *elements);
    const double *p = mat_field_numbers(value, 0, "position_m", 3 * n);
    const double *normal = mat_field_numbers(value, 0, "normal", 3 * n);
    const double *width = mat_field_numbers(value, 0, "width_m", n);
    const double *height = mat_field_numbers(value, 0, "height_m", n);
    if (!p)
        fill_elements(a, elements, n_rows, mat_field_number(value, 0, "pitch_m", NAN));
    for (size_t i = 0; i < n; i++) {
        if (p)
            sac_element_init(&elements[i]);
        for (int k = 0; k < 3; k++) {
            elements[i].position_m[k] = p ? p[3 * i + (size_t)k] : elements[i].position_m[k];
            elements[i].normal[k] = normal ? normal[3 * i + (size_t)k] : elements[i].normal[k];
        }
        elements[i].width_m = width ? width[i] : elements[i].width_m;
        elements[i].height_m = height ? height[i] : elements[i].height_m;
    }
    a->elements = elements;
    take_shapes(a, value);
}

const sac_acquisition *mat_acquisition_take(const mxArray *value)
{
    if (!mxIsStruct(value) || mxGetNumberOfElements(value) != 1)
        mat_fail(SAC_E_INVALID, "acquisition: expected one struct, got %s", mxGetClassName(value));
    sac_acquisition *a = mat_alloc(1, sizeof *a);
    mat_doubt_fields(value, "acquisition", acquisition_fields);
    const mxArray *origin = mat_field(value, 0, "phase_origin");
    sac_error err = {0};
    sac_acquisition_init(a);
    a->fs_hz = mat_field_number(value, 0, "fs_hz", a->fs_hz);
    a->fc_hz = mat_field_number(value, 0, "fc_hz", a->fc_hz);
    a->bandwidth = mat_field_number(value, 0, "bandwidth", a->bandwidth);
    a->fd_hz = mat_field_number(value, 0, "fd_hz", a->fd_hz);
    a->c_m_s = mat_field_number(value, 0, "c_m_s", a->c_m_s);
    a->frame_rate_hz = mat_field_number(value, 0, "frame_rate_hz", a->frame_rate_hz);
    a->line_taper = mat_field_number(value, 0, "line_taper", a->line_taper);
    a->phase_sign = mat_field_number(value, 0, "phase_sign", a->phase_sign) < 0 ? -1 : 1;
    a->phase_origin = (sac_phase_origin)(origin ? mat_field_choice(origin, "phase_origin", origins)
                                                : SAC_PHASE_RECORD);
    take_elements(a, value);
    mat_transmits_take(a, value);
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

mxArray *mat_acquisition_new(const sac_acquisition *a)
{
    mxArray *to = mxCreateStructMatrix(1, 1, N_WRITTEN, acquisition_fields);
    mat_put_number(to, 0, "fs_hz", a->fs_hz);
    mat_put_number(to, 0, "fc_hz", a->fc_hz);
    mat_put_number(to, 0, "bandwidth", a->bandwidth);
    mat_put_number(to, 0, "fd_hz", a->fd_hz);
    mat_put_number(to, 0, "c_m_s", a->c_m_s);
    mat_put_number(to, 0, "frame_rate_hz", a->frame_rate_hz);
    mxSetField(to, 0, "phase_origin", mxCreateString(origins[a->phase_origin]));
    mat_put_number(to, 0, "phase_sign", a->phase_sign);
    double *position = mat_put_numbers(to, 0, "position_m", 3, a->n_elements);
    double *normal = mat_put_numbers(to, 0, "normal", 3, a->n_elements);
    double *width = mat_put_numbers(to, 0, "width_m", 1, a->n_elements);
    double *height = mat_put_numbers(to, 0, "height_m", 1, a->n_elements);
    for (int32_t i = 0; i < a->n_elements; i++) {
        memcpy(position + 3 * i, a->elements[i].position_m, 3 * sizeof *position);
        memcpy(normal + 3 * i, a->elements[i].normal, 3 * sizeof *normal);
        width[i] = a->elements[i].width_m;
        height[i] = a->elements[i].height_m;
    }
    double *shape = a->shapes ? mat_put_numbers(to, 0, "shape", 1, a->n_elements) : NULL;
    for (int32_t i = 0; shape && i < a->n_elements; i++)
        shape[i] = a->shapes[i];
    mat_put_number(to, 0, "line_taper", a->line_taper);
    mxSetField(to, 0, "transmits", mat_transmits_new(a));
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
