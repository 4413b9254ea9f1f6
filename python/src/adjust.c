/*
 * saccade.Adjust.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stddef.h>
#include <string.h>

static void init(py_plan *self)
{
    sac_adjust_desc_init(&self->desc.adjust);
    self->shape.dtype = SAC_U8;
}

static int option(py_plan *self, const char *name, PyObject *value)
{
    return strcmp(name, "order") ? 0 : py_order(&self->desc.adjust.order, value);
}

static bool format(py_plan *self, const sac_array *in)
{
    sac_adjust_desc *desc = &self->desc.adjust;
    return py_frame_format(&desc->w, &desc->h, &desc->n_channels, in);
}

static sac_status open_plan(py_plan *self, sac_error *err)
{
    return sac_adjust_open((sac_adjust **)&self->plan, &self->desc.adjust, err);
}

static void close_plan(py_plan *self)
{
    sac_adjust_close((sac_adjust **)&self->plan);
}

static const char *variant(const py_plan *self)
{
    return sac_adjust_get_variant(self->plan);
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
    return sac_adjust_run(self->plan, out, in, err);
}

static const char *const positional[] = {"shape", NULL};
static char *const names[] = {"frame", "out", NULL};

static const py_pipeline adjust = {
    .params = sac_adjust_params,
    .positional = positional,
    .init = init,
    .option = option,
    .format = format,
    .open = open_plan,
    .close = close_plan,
    .variant = variant,
    .device = offsetof(sac_adjust_desc, device),
    .stream = offsetof(sac_adjust_desc, stream),
    .names = names,
    .output = output,
    .run = run,
};

static int init_type(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &adjust, args, kwargs);
}

static bool take(sac_adjust_desc *desc, PyObject *kwargs, PyObject *keep)
{
    static const char *const controls[] = {"brightness", "contrast", "saturation", "gain"};
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(kwargs, &at, &key, &value)) {
        const char *name = py_text(key, "options");
        bool is_control = false;
        for (int i = 0; name && i < 4; i++)
            is_control = is_control || strcmp(name, controls[i]) == 0;
        if (name && !is_control)
            PyErr_Format(PyExc_TypeError,
                         "set: expected brightness, contrast, saturation or gain, got %s", name);
        if (!is_control || py_param_set(sac_adjust_params(), desc, name, value, keep) < 0)
            return false;
    }
    return true;
}

/* All or nothing. */
static PyObject *set(PyObject *object, PyObject *args, PyObject *kwargs)
{
    py_plan *self = (py_plan *)object;
    sac_error err = {0};
    if (PyTuple_Size(args)) {
        PyErr_SetString(PyExc_TypeError, "set: takes controls by their names");
        return NULL;
    }
    if (!py_plan_enter(self))
        return NULL;
    sac_adjust_desc desc = self->desc.adjust;
    PyObject *own = kwargs ? PyDict_Copy(kwargs) : PyDict_New(); /* values run code */
    PyObject *texts = PyList_New(0);
    const bool good = own && texts && take(&desc, own, texts);
    Py_XDECREF(own);
    Py_XDECREF(texts);
    const sac_status status = good && self->plan ? sac_adjust_set(self->plan, &desc, &err) : SAC_OK;
    if (good && status == SAC_OK)
        self->desc.adjust = desc;
    py_plan_leave(self);
    if (status)
        py_fail(status, &err, NULL);
    if (!good || status)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"set", (PyCFunction)(void (*)(void))set,
                                 METH_VARARGS | METH_KEYWORDS,
                                 "set(**controls)\n--\n\nMoves brightness, contrast, saturation or "
                                 "gain from the next frame on; "
                                 "those that are not named stay."},
                                {0}};

int py_add_adjust(PyObject *module)
{
    return py_plan_type(module, "Adjust", "saccade.Adjust", init_type, py_plan_call, methods, NULL);
}
