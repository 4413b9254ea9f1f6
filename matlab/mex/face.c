/*
 * What the functions for MATLAB and Octave share: errors, memory, arrays, options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "face.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_KEPT 32

static struct {
    void *object;
    void (*close)(void *object);
} kept[MAX_KEPT];
static int n_kept;

/* In reverse: what was opened last may point to what was opened first. */
static void close_kept(void)
{
    while (n_kept) {
        n_kept--;
        kept[n_kept].close(kept[n_kept].object);
    }
}

void mat_fail(sac_status status, const char *format, ...)
{
    char text[512], id[48] = "saccade:";
    const char *name = sac_status_name(status);
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    name += strncmp(name, "SAC_E_", 6) == 0 ? 6 : strlen("SAC_");
    for (size_t n = strlen(id); *name && n < sizeof id - 1; n++, name++)
        id[n] = (char)tolower((unsigned char)*name);
    close_kept();
    /* By error() itself: mexErrMsgIdAndTxt puts the name of this file before the text. */
    mxArray *in[] = {mxCreateString(id), mxCreateString("%s"), mxCreateString(text)};
    mexCallMATLAB(0, NULL, 3, in, "error");
    abort(); /* not reached, which the headers do not say */
}

void mat_check(sac_status status, const sac_error *err)
{
    if (status != SAC_OK)
        mat_fail(status, "%s", err->text[0] ? err->text : "no memory");
}

void *mat_keep(void *object, void (*close)(void *object))
{
    if (n_kept == MAX_KEPT) {
        close(object);
        mat_fail(SAC_E_NOMEM, "a call opens more than %d objects", MAX_KEPT);
    }
    kept[n_kept].object = object;
    kept[n_kept].close = close;
    n_kept++;
    return object;
}

void *mat_alloc(size_t n, size_t size)
{
    return mxCalloc(n ? n : 1, size); /* which ends the call where there is no memory */
}

const char *mat_text(const mxArray *value, const char *name)
{
    if (mxIsClass(value, "string")) { /* MATLAB's "text"; in Octave that is char */
        mxArray *in = (mxArray *)(uintptr_t)value, *out = NULL;
        if (mexCallMATLAB(1, &out, 1, &in, "char") == 0)
            value = out;
    }
    char *text = NULL;
    if (mxIsChar(value) && (mxGetM(value) == 1 || mxIsEmpty(value)))
        text = mxArrayToString(value);
    if (!text)
        mat_fail(SAC_E_INVALID, "%s: expected text, got %s", name, mxGetClassName(value));
    const size_t size = strlen(text) + 1;
    char *own = memcpy(mat_alloc(size, 1), text, size);
    mxFree(text); /* which Octave does not do at the end of the call */
    if (size <= mxGetNumberOfElements(value))
        mat_fail(SAC_E_INVALID, "%s: has a character 0 after `%s`", name, own);
    return own;
}

double mat_number(const mxArray *value, const char *name)
{
    if (!(mxIsNumeric(value) || mxIsLogical(value)) || mxIsComplex(value) || mxIsSparse(value) ||
        mxGetNumberOfElements(value) != 1)
        mat_fail(SAC_E_INVALID, "%s: expected one number, got %zu of class %s%s", name,
                 mxGetNumberOfElements(value), mxIsSparse(value) ? "sparse " : "",
                 mxGetClassName(value));
    return mxGetScalar(value);
}

/* A value as sac_param_set reads it. */
static const char *value_text(const mxArray *value, const char *name)
{
    const size_t n = mxGetNumberOfElements(value);
    if (mxIsChar(value) || mxIsClass(value, "string"))
        return mat_text(value, name);
    char *text = mat_alloc(64, 1);
    if (mxIsLogical(value) && !mxIsSparse(value) && n == 1)
        return mxIsLogicalScalarTrue(value) ? "true" : "false";
    if (mxIsNumeric(value) && !mxIsComplex(value) && !mxIsSparse(value) && n == 2) {
        mxArray *in = (mxArray *)(uintptr_t)value, *out = NULL;
        mexCallMATLAB(1, &out, 1, &in, "double");
        const double *two = mxGetData(out);
        snprintf(text, 64, "%.17gx%.17g", two[0], two[1]);
        mxDestroyArray(out);
        return text;
    }
    const double number = mat_number(value, name);
    snprintf(text, 64, "%.15g", number);
    double back = 0;
    if (sscanf(text, "%lf", &back) != 1 || back != number)
        snprintf(text, 64, "%.17g", number);
    return text;
}

void mat_options(const mat_call *call, int first, const sac_param_table *table, void *desc,
                 mat_option_fn own, void *ctx)
{
    for (int i = first; i < call->n_in; i += 2) {
        sac_error err = {0};
        char *name = (char *)(uintptr_t)mat_text(call->in[i], "name of an option");
        if (i + 1 == call->n_in)
            mat_fail(SAC_E_INVALID, "%s: expected a value after this option", name);
        if (own && own(ctx, name, call->in[i + 1]))
            continue;
        for (char *c = name; *c; c++)
            *c = *c == '_' ? '-' : *c;
        mat_check(sac_param_set(table, desc, name, value_text(call->in[i + 1], name), &err), &err);
    }
}

void mat_expect(const mat_call *call, int least, int outputs)
{
    if (call->n_in < least)
        mat_fail(SAC_E_INVALID, "saccade_%s: expected at least %d argument%s, got %d", call->name,
                 least, least == 1 ? "" : "s", call->n_in);
    if (call->n_out > outputs)
        mat_fail(SAC_E_INVALID, "saccade_%s: gives at most %d result%s, and %d are asked for",
                 call->name, outputs, outputs == 1 ? "" : "s", call->n_out);
}

static const struct {
    mxClassID class_id;
    bool is_complex;
    sac_dtype dtype;
} classes[] = {
    {mxUINT8_CLASS, false, SAC_U8},   {mxUINT16_CLASS, false, SAC_U16},
    {mxUINT32_CLASS, false, SAC_U32}, {mxUINT64_CLASS, false, SAC_U64},
    {mxINT8_CLASS, false, SAC_I8},    {mxINT16_CLASS, false, SAC_I16},
    {mxINT32_CLASS, false, SAC_I32},  {mxINT64_CLASS, false, SAC_I64},
    {mxSINGLE_CLASS, false, SAC_F32}, {mxDOUBLE_CLASS, false, SAC_F64},
    {mxSINGLE_CLASS, true, SAC_C64},  {mxDOUBLE_CLASS, true, SAC_C128},
};
#define N_CLASSES (sizeof classes / sizeof *classes)

sac_array mat_view(const mxArray *value, const char *name)
{
    const mwSize n = mxGetNumberOfDimensions(value), *sizes = mxGetDimensions(value);
    sac_array view = {.n_dims = (int32_t)n};
    size_t i = 0;
    while (i < N_CLASSES && (classes[i].class_id != mxGetClassID(value) ||
                             classes[i].is_complex != mxIsComplex(value)))
        i++;
    if (i == N_CLASSES || mxIsSparse(value))
        mat_fail(SAC_E_SHAPE, "%s: expected an array of numbers, got %s", name,
                 mxIsSparse(value) ? "a sparse matrix" : mxGetClassName(value));
    if (n > SAC_MAX_DIMS)
        mat_fail(SAC_E_SHAPE, "%s: expected at most %d axes, got %d", name, SAC_MAX_DIMS, (int)n);
    view.data = mxGetData(value);
    view.dtype = classes[i].dtype;
    ptrdiff_t stride = (ptrdiff_t)sac_dtype_size(view.dtype);
    for (mwSize k = 0; k < n; k++) {
        view.shape[k] = (int64_t)sizes[k];
        view.stride[k] = stride;
        stride *= (ptrdiff_t)sizes[k];
    }
    return view;
}

sac_array mat_pictures(const mxArray *value, const char *name)
{
    sac_array view = mat_view(value, name);
    if (view.n_dims > 4)
        mat_fail(SAC_E_SHAPE, "%s: expected (h, w), (h, w, c) or (h, w, c, n), got %d axes", name,
                 view.n_dims);
    for (; view.n_dims < 4; view.n_dims++) {
        view.shape[view.n_dims] = 1;
        view.stride[view.n_dims] = 0;
    }
    if (sac_array_count(&view) == 0)
        mat_fail(SAC_E_SHAPE, "%s: is empty", name);
    return view;
}

sac_array mat_picture(const sac_array *all, int64_t i)
{
    sac_array picture = *all;
    picture.data = (char *)all->data + i * all->stride[3];
    picture.n_dims = all->shape[2] == 1 ? 2 : 3;
    return picture;
}

mxArray *mat_new(sac_dtype dtype, int n_dims, const int64_t *shape)
{
    mwSize sizes[SAC_MAX_DIMS];
    size_t i = 0;
    while (classes[i].dtype != dtype)
        i++;
    for (int k = 0; k < n_dims; k++)
        sizes[k] = (mwSize)shape[k];
    if (!classes[i].is_complex)
        return mxCreateNumericArray((mwSize)n_dims, sizes, classes[i].class_id, mxREAL);
    /* Octave 7.3 allocates half of what a new complex array needs: it gets memory of ours. */
    size_t count = 1;
    for (int k = 0; k < n_dims; k++)
        count *= (size_t)shape[k];
    mxArray *array =
        mxCreateNumericArray(2, (const mwSize[]){0, 0}, classes[i].class_id, mxCOMPLEX);
    mxSetDimensions(array, sizes, (mwSize)n_dims);
    mxSetData(array, mxCalloc(count ? count : 1, sac_dtype_size(dtype)));
    return array;
}

sac_array mat_swapped(const sac_array *array)
{
    sac_array swapped = *array;
    for (int i = 0; i < 2; i++) {
        swapped.shape[i] = array->shape[1 - i];
        swapped.stride[i] = array->stride[1 - i];
    }
    return swapped;
}

/* Of the programs that load us, which declare them nowhere or in C++ alone: Octave's, and
 * MATLAB's. What is not there is NULL. */
extern volatile sig_atomic_t octave_interrupt_state __attribute__((weak));
extern volatile sig_atomic_t octave_signal_caught __attribute__((weak));
extern bool utIsInterruptPending(void) __attribute__((weak));

bool mat_go_on(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx, (void)done, (void)total;
    if (utIsInterruptPending && utIsInterruptPending())
        return false;
    return !((&octave_interrupt_state && octave_interrupt_state > 0) ||
             (&octave_signal_caught && octave_signal_caught));
}

void mat_interrupt(const mat_call *call)
{
    if (!mat_go_on(NULL, 0, 0))
        mat_fail(SAC_CANCELLED, "saccade_%s: interrupted", call->name);
}

static const struct {
    const char *name;
    void (*run)(mat_call *call);
} functions[] = {
    {"equalize", mat_equalize},
    {"heatmap", mat_heatmap},
    {"noise", mat_noise},
    {"denoise", mat_denoise},
    {"adjust", mat_adjust},
    {"beamform", mat_beamform},
    {"flow", mat_flow},
    {"read_recording", mat_read_recording},
    {"write_recording", mat_write_recording},
    {"simulate_ultrasound", mat_simulate_ultrasound},
    {"meltpool", mat_meltpool},
    {"read_frames", mat_read_frames},
    {"simulate_meltpool", mat_simulate_meltpool},
    {"info", mat_info},
    {"options", mat_options_list},
};

void mexFunction(int n_out, mxArray *out[], int n_in, const mxArray *in[])
{
    close_kept(); /* of a call that lacked memory, which ends without passing here again */
    if (n_in < 1)
        mat_fail(SAC_E_INVALID, "saccade_mex: is called by saccade_equalize and others; see help");
    mat_call call = {.name = mat_text(in[0], "name"),
                     .n_out = n_out ? n_out : 1,
                     .out = out,
                     .n_in = n_in - 1,
                     .in = in + 1};
    size_t i = 0;
    const size_t n = sizeof functions / sizeof *functions;
    while (i < n && strcmp(functions[i].name, call.name) != 0)
        i++;
    if (i == n)
        mat_fail(SAC_E_INVALID, "saccade_mex: no function `%s`", call.name);
    functions[i].run(&call);
    close_kept();
}
