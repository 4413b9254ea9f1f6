/*
 * saccade.Equalize.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stddef.h>
#include <string.h>

static void init(py_plan *self)
{
    sac_equalize_desc_init(&self->desc.equalize);
    self->shape.dtype = SAC_U8;
}

static int option(py_plan *self, const char *name, PyObject *value)
{
    static const char *const layouts[] = {"interleaved", "planar", NULL};
    if (!strcmp(name, "dtype"))
        return value == Py_None || py_dtype_parse(&self->shape.dtype, value, name) ? 1 : -1;
    if (strcmp(name, "layout"))
        return 0;
    const int layout = py_choice(value, name, layouts);
    self->desc.equalize.layout = (sac_layout)layout;
    return layout < 0 ? -1 : 1;
}

static bool format(py_plan *self, const sac_array *in)
{
    sac_equalize_desc *desc = &self->desc.equalize;
    if (in->n_dims != 2 && in->n_dims != 3)
        return py_refuse(SAC_E_SHAPE, "picture: expected (h, w) or (h, w, channels), got %d axes",
                         in->n_dims);
    const bool planar = desc->layout == SAC_PLANAR && in->n_dims == 3;
    const int64_t n = in->n_dims == 2 ? 1 : in->shape[planar ? 0 : 2];
    if (n > 4)
        return py_refuse(SAC_E_SHAPE, "picture: expected 1 to 4 channels, got %lld", (long long)n);
    desc->dtype = in->dtype;
    desc->h = in->shape[planar];
    desc->w = in->shape[1 + planar];
    desc->n_channels = (int32_t)n;
    return true;
}

static sac_status open_plan(py_plan *self, sac_error *err)
{
    return sac_equalize_open((sac_equalize **)&self->plan, &self->desc.equalize, err);
}

static void close_plan(py_plan *self)
{
    sac_equalize_close((sac_equalize **)&self->plan);
}

static const char *variant(const py_plan *self)
{
    return sac_equalize_get_variant(self->plan);
}

static bool output(py_plan *self, const sac_array *in, sac_array *result)
{
    (void)self;
    *result = *in;
    return true;
}

static sac_status run(py_plan *self, const sac_array *out, const sac_array *in,
                      const sac_array *previous, sac_error *err)
{
    (void)previous;
    return sac_equalize_run(self->plan, out, in, err);
}

static const char *const positional[] = {"shape", "dtype", NULL};
static char *const names[] = {"picture", "out", NULL};

static const py_pipeline pipeline = {
    .params = sac_equalize_params,
    .positional = positional,
    .init = init,
    .option = option,
    .format = format,
    .open = open_plan,
    .close = close_plan,
    .variant = variant,
    .device = offsetof(sac_equalize_desc, device),
    .stream = offsetof(sac_equalize_desc, stream),
    .names = names,
    .output = output,
    .run = run,
};

static int tp_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &pipeline, args, kwargs);
}

static PyObject *reset(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    if (!py_plan_enter(self))
        return NULL;
    if (self->plan)
        sac_equalize_reset(self->plan);
    py_plan_leave(self);
    Py_RETURN_NONE;
}

static PyObject *counts(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    PyObject *result = NULL;
    if (!py_plan_enter(self))
        return NULL;
    int32_t bins = 0;
    const uint64_t *found = NULL;
    if (self->plan) {
        Py_BEGIN_ALLOW_THREADS
            found = sac_equalize_get_counts(self->plan, &bins);
        Py_END_ALLOW_THREADS
    }
    if (found) {
        const sac_array format = {.dtype = SAC_U64, .n_dims = 1, .shape = {bins}};
        py_array view;
        result = py_array_make(&view, &format, NULL, PY_NO_STREAM);
        if (result) {
            memcpy(view.array.data, found, (size_t)bins * sizeof *found);
            py_array_release(&view);
        }
    } else {
        py_refuse(SAC_E_INVALID, "counts: the plan has not run");
    }
    py_plan_leave(self);
    return result;
}

static PyMethodDef methods[] = {
    {"reset", reset, METH_NOARGS, "reset()\n--\n\nForgets earlier frames: `smooth` starts again."},
    {"counts", counts, METH_NOARGS,
     "counts()\n--\n\nThe histogram of V of the last picture: (bins) of uint64."},
    {0}};

int py_add_equalize(PyObject *module)
{
    return py_plan_type(module, "Equalize", "saccade.Equalize", tp_init, py_plan_call, methods,
                        NULL);
}
