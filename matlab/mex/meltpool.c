/*
 * saccade_meltpool: frames (h, w, n) of uint8 with the machine's signals to features and
 * predictions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool.h"

#include <stdio.h>
#include <string.h>

#include <saccade/meltpool_model.h>

#define CHUNK 1024 /* frames at a time, between which Ctrl-C is seen */

static void close_plan(void *plan)
{
    sac_meltpool *p = plan;
    sac_meltpool_close(&p);
}

static void close_model(void *model)
{
    sac_meltpool_model_file *m = model;
    sac_meltpool_model_close(&m);
}

typedef struct options {
    sac_meltpool_desc *desc;
    const char *model; /* a path; "none"; NULL: the shipped one */
    bool is_calibrated, rate_given;
} options;

static void take_calibration(options *o, const mxArray *value)
{
    static const double pixels[2][3] = {{1, 0, 0}, {0, 1, 0}};
    double(*m)[3] = o->desc->calibration;
    sac_error err = {0};
    o->is_calibrated = true;
    if (mxIsChar(value) || mxIsClass(value, "string")) {
        const char *text = mat_text(value, "calibration");
        if (strcmp(text, "simulated") == 0)
            sac_meltpool_sim_calibration(m);
        else if (strcmp(text, "pixels") == 0)
            memcpy(m, pixels, sizeof pixels);
        else
            mat_fail(SAC_E_INVALID,
                     "calibration: expected (2, 3) numbers, `pixels` or "
                     "`simulated`, got `%s`",
                     text);
        return;
    }
    if (!mxIsDouble(value) || mxIsComplex(value) || mxIsSparse(value) || mxGetM(value) != 2 ||
        mxGetN(value) != 3)
        mat_fail(SAC_E_INVALID, "calibration: expected (2, 3) of class double");
    const double *from = mxGetData(value);
    for (int i = 0; i < 6; i++)
        m[i % 2][i / 2] = from[i];
    mat_check(sac_meltpool_calibration_check(m[0], &err), &err);
}

static bool own_option(void *ctx, const char *name, const mxArray *value)
{
    options *o = ctx;
    if (strcmp(name, "calibration") == 0)
        take_calibration(o, value);
    else if (strcmp(name, "model") == 0)
        o->model = mat_text(value, name);
    else
        return false;
    return true;
}

/* A column of signals, whole numbers of any class; others are refused. */
static void take_signal(sac_meltpool_signals *signals, int32_t which, const mxArray *value,
                        const char *name, int64_t n)
{
    const mxArray *column = mxGetField(value, 0, name);
    if (!column)
        mat_fail(SAC_E_INVALID, "signals: has no field %s", name);
    if (!(mxIsNumeric(column) || mxIsLogical(column)) || mxIsComplex(column) ||
        mxIsSparse(column) || (int64_t)mxGetNumberOfElements(column) != n)
        mat_fail(SAC_E_SHAPE,
                 "signals.%s: expected %lld numbers, one for each frame, got %zu of "
                 "class %s",
                 name, (long long)n, mxGetNumberOfElements(column), mxGetClassName(column));
    mxArray *in = (mxArray *)(uintptr_t)column, *out = NULL;
    mexCallMATLAB(1, &out, 1, &in, "double");
    const double *from = mxGetData(out);
    for (int64_t i = 0; i < n; i++) {
        if (!(from[i] >= INT32_MIN && from[i] <= INT32_MAX && from[i] == (int32_t)from[i]))
            mat_fail(SAC_E_INVALID, "signals.%s: expected whole numbers, got %g at frame %lld",
                     name, from[i], (long long)i + 1);
        int32_t *const fields[] = {&signals[i].laser_on, &signals[i].counter, &signals[i].x,
                                   &signals[i].y};
        *fields[which] = (int32_t)from[i];
    }
    mxDestroyArray(out);
}

static const char *const signal_names[] = {"laser_on", "counter", "x", "y"};

static sac_meltpool_signals *take_signals(const mxArray *value, int64_t n)
{
    if (mxIsEmpty(value) && !mxIsStruct(value))
        return NULL;
    if (!mxIsStruct(value) || mxGetNumberOfElements(value) != 1)
        mat_fail(SAC_E_INVALID,
                 "signals: expected one struct of laser_on, counter, x and y, or "
                 "[], got %s",
                 mxGetClassName(value));
    sac_meltpool_signals *signals = mat_alloc((size_t)n, sizeof *signals);
    for (int32_t k = 0; k < 4; k++)
        take_signal(signals, k, value, signal_names[k], n);
    return signals;
}

mxArray *mat_signals_new(const sac_meltpool_signals *signals, int64_t n)
{
    mxArray *to = mxCreateStructMatrix(1, 1, 4, (const char **)(uintptr_t)signal_names);
    for (int k = 0; k < 4; k++) {
        mxArray *column = mat_new(SAC_I32, 2, (const int64_t[]){n, 1});
        int32_t *v = mxGetData(column);
        for (int64_t i = 0; i < n; i++)
            v[i] = k == 0   ? signals[i].laser_on
                   : k == 1 ? signals[i].counter
                   : k == 2 ? signals[i].x
                            : signals[i].y;
        mxSetField(to, 0, signal_names[k], column);
    }
    return to;
}

void mat_transpose(uint8_t *to, const uint8_t *from, int64_t rows, int64_t columns, int64_t n)
{
    for (int64_t k = 0; k < n; k++, to += rows * columns, from += rows * columns)
        for (int64_t y = 0; y < rows; y++)
            for (int64_t x = 0; x < columns; x++)
                to[y * columns + x] = from[x * rows + y];
}

/* What a model was trained with, where the desc is otherwise: "roi=40 threshold=60"; or "". */
static void compare_model(const char *parameters, const sac_meltpool_desc *desc)
{
    const sac_param_table *table = sac_meltpool_params();
    sac_meltpool_desc trained = *desc;
    char name[64], value[64], differ[256] = "";
    int end = 0;
    for (; sscanf(parameters, " %63[^= ]=%63s%n", name, value, &end) == 2; parameters += end)
        (void)!sac_param_set(table, &trained, name, value, NULL); /* an unknown one is left out */
    for (int32_t i = 0; i < table->n_params; i++) {
        char a[64], b[64];
        const size_t used = strlen(differ);
        sac_param_get(&table->params[i], &trained, a, sizeof a);
        sac_param_get(&table->params[i], desc, b, sizeof b);
        if (strcmp(a, b) != 0)
            snprintf(differ + used, sizeof differ - used, " %s=%s", table->params[i].name, a);
    }
    if (*differ)
        mexWarnMsgIdAndTxt("saccade:model",
                           "the model was trained with%s: predictions may mean nothing", differ);
}

static void open_model(options *o)
{
    sac_meltpool_model_file *model = NULL;
    sac_error err = {0};
    if (o->model && strcmp(o->model, "none") == 0)
        return;
    if (o->desc->locate == SAC_MELTPOOL_LASER && !o->is_calibrated)
        mat_fail(SAC_E_INVALID, "calibration: predictions need it: expected (2, 3) numbers, "
                                "`pixels` or `simulated`; or 'model', 'none'");
    mat_check(o->model ? sac_meltpool_model_read(&model, o->model, &err)
                       : sac_meltpool_model_shipped(&model, &err),
              &err);
    mat_keep(model, close_model);
    compare_model(sac_meltpool_model_get_parameters(model), o->desc);
    o->desc->model = sac_meltpool_model_get_model(model);
}

static mxArray *new_counts(const sac_meltpool *plan, sac_meltpool_counts *c)
{
    static const char *names[] = {"frames",        "processed", "empty",   "refused_shape",
                                  "refused_place", "failed",    "no_pool", "clipped",
                                  "gaps",          "spatters",  "outside"};
    sac_meltpool_get_counts(plan, c);
    const int64_t values[] = {c->frames,        c->processed, c->empty,   c->refused_shape,
                              c->refused_place, c->failed,    c->no_pool, c->clipped,
                              c->gaps,          c->spatters,  c->outside};
    mxArray *to = mxCreateStructMatrix(1, 1, 11, names);
    for (int i = 0; i < 11; i++)
        mxSetField(to, 0, names[i], mxCreateDoubleScalar((double)values[i]));
    return to;
}

/* The result's arrays, (n, ..): a row for each frame. */
typedef struct columns {
    float *features, *prediction;
    uint32_t *flags;
    int64_t n;
} columns;

static mxArray *new_result(columns *c, int64_t n)
{
    static const char *names[] = {"features", "prediction", "flags", "names"};
    mxArray *to = mxCreateStructMatrix(1, 1, 4, names);
    mxArray *features = mat_new(SAC_F32, 2, (const int64_t[]){n, SAC_MELTPOOL_FEATURES});
    mxArray *prediction = mat_new(SAC_F32, 2, (const int64_t[]){n, SAC_MELTPOOL_PREDICTIONS});
    mxArray *flags = mat_new(SAC_U32, 2, (const int64_t[]){n, 1});
    mxArray *texts = mxCreateCellMatrix(1, SAC_MELTPOOL_FEATURES);
    for (int32_t i = 0; i < SAC_MELTPOOL_FEATURES; i++)
        mxSetCell(texts, i, mxCreateString(sac_meltpool_feature_name(i)));
    mxSetField(to, 0, "features", features);
    mxSetField(to, 0, "prediction", prediction);
    mxSetField(to, 0, "flags", flags);
    mxSetField(to, 0, "names", texts);
    *c = (columns){mxGetData(features), mxGetData(prediction), mxGetData(flags), n};
    return to;
}

static void put_records(const columns *c, const sac_meltpool_record *records, int64_t first,
                        int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < SAC_MELTPOOL_FEATURES; k++)
            c->features[k * c->n + first + i] = records[i].features[k];
        for (int64_t k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++)
            c->prediction[k * c->n + first + i] = records[i].prediction[k];
        c->flags[first + i] = records[i].flags;
    }
}

static void run_all(const mat_call *call, sac_meltpool *plan, const columns *c,
                    const sac_array *frames, const sac_meltpool_signals *signals)
{
    sac_error err = {0};
    const int64_t h = frames->shape[0], w = frames->shape[1], most = c->n < CHUNK ? c->n : CHUNK;
    uint8_t *rows = mat_alloc((size_t)(most * h * w), 1);
    sac_meltpool_record *records = mat_alloc((size_t)most, sizeof *records);
    for (int64_t first = 0; first < c->n; first += most) {
        const int64_t n = c->n - first < most ? c->n - first : most;
        const int64_t shape[] = {n, h, w};
        sac_array chunk;
        mat_transpose(rows, (const uint8_t *)frames->data + first * h * w, h, w, n);
        mat_check(sac_array_view(&chunk, rows, SAC_U8, 3, shape, &err), &err);
        mat_check(
            sac_meltpool_run_batch(plan, records, &chunk, signals ? signals + first : NULL, &err),
            &err);
        put_records(c, records, first, n);
        mat_interrupt(call);
    }
}

void mat_meltpool(mat_call *call)
{
    sac_error err = {0};
    sac_meltpool *plan = NULL;
    sac_meltpool_desc desc;
    sac_meltpool_counts counts = {.struct_size = sizeof counts};
    options o = {.desc = &desc};
    columns c;
    mat_expect(call, 2, 2);
    sac_meltpool_desc_init(&desc);
    const sac_array frames = mat_view(call->in[0], "frames");
    if (frames.dtype != SAC_U8 || frames.n_dims > 3 || sac_array_count(&frames) == 0)
        mat_fail(SAC_E_SHAPE, "frames: expected (h, w, n) of uint8, got %d axes of %s",
                 frames.n_dims, mxGetClassName(call->in[0]));
    const int64_t n = frames.n_dims == 3 ? frames.shape[2] : 1;
    const sac_meltpool_signals *signals = take_signals(call->in[1], n);
    mat_options(call, 2, sac_meltpool_params(), &desc, own_option, &o);
    if (frames.shape[0] > 4096 || frames.shape[1] > 4096)
        mat_fail(SAC_E_SHAPE, "frames: expected at most 4096 x 4096 pixels");
    desc.h = (int32_t)frames.shape[0];
    desc.w = (int32_t)frames.shape[1];
    open_model(&o);
    mat_check(sac_meltpool_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_plan);
    call->out[0] = new_result(&c, n);
    run_all(call, plan, &c, &frames, signals);
    mxArray *counted = new_counts(plan, &counts);
    if (call->n_out > 1)
        call->out[1] = counted;
    const char *text = sac_meltpool_doubt(&counts);
    if (*text)
        mexWarnMsgIdAndTxt("saccade:doubt", "%s", text);
}
