/*
 * saccade.Meltpool: frames and signals to records, which are arrays of C's structs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stddef.h>
#include <string.h>

#include <saccade/meltpool_model.h>
#include <saccade/simulate_meltpool.h>

static void init(py_plan *self)
{
    sac_meltpool_desc_init(&self->desc.meltpool);
    self->shape.dtype = SAC_U8;
}

bool py_calibration_read(double m[2][3], PyObject *value)
{
    if (PyUnicode_Check(value)) {
        static const char *const known[] = {"pixels", "simulated", NULL};
        const double pixels[2][3] = {{1, 0, 0}, {0, 1, 0}};
        const int chosen = py_choice(value, "calibration", known);
        if (chosen == 0)
            memcpy(m, pixels, sizeof pixels);
        else if (chosen == 1)
            sac_meltpool_sim_calibration(m);
        return chosen >= 0;
    }
    PyObject *make = py_attribute("numpy", "ascontiguousarray");
    PyObject *rows =
        make ? PyObject_CallFunctionObjArgs(make, value, py.dtypes[SAC_F64], NULL) : NULL;
    py_array view = {0};
    bool good = rows && py_array_view(&view, rows, "calibration", false, PY_NO_STREAM);
    if (good && (view.array.n_dims != 2 || view.array.shape[0] != 2 || view.array.shape[1] != 3))
        good = py_refuse(SAC_E_SHAPE, "calibration: expected (2, 3) numbers");
    if (good)
        memcpy(m, view.array.data, 6 * sizeof(double));
    py_array_release(&view);
    Py_XDECREF(rows);
    Py_XDECREF(make);
    return good;
}

/* A saccade.Model, a path, or "shipped". */
static int set_model(py_plan *self, PyObject *value)
{
    PyObject *function = py_attribute("saccade._meltpool", "model_capsule");
    PyObject *capsule = function ? PyObject_CallFunctionObjArgs(function, value, NULL) : NULL;
    const sac_meltpool_model_file *file =
        capsule ? PyCapsule_GetPointer(capsule, PY_MODEL_CAPSULE) : NULL;
    int done = -1;
    if (file && PyList_Append(self->keep, capsule) == 0) {
        self->desc.meltpool.model = sac_meltpool_model_get_model(file);
        done = 1;
    }
    Py_XDECREF(function);
    Py_XDECREF(capsule);
    return done;
}

static int option(py_plan *self, const char *name, PyObject *value)
{
    if (!strcmp(name, "calibration"))
        return value == Py_None || py_calibration_read(self->desc.meltpool.calibration, value) ? 1
                                                                                               : -1;
    if (!strcmp(name, "model"))
        return value == Py_None ? 1 : set_model(self, value);
    return 0;
}

static bool format(py_plan *self, const sac_array *in)
{
    sac_meltpool_desc *desc = &self->desc.meltpool;
    if (in->n_dims != 2 && in->n_dims != 3)
        return py_refuse(SAC_E_SHAPE, "frames: expected (frames, h, w) or (h, w), got %d axes",
                         in->n_dims);
    const int64_t h = in->shape[in->n_dims - 2], w = in->shape[in->n_dims - 1];
    if (h > INT32_MAX || w > INT32_MAX)
        return py_refuse(SAC_E_SHAPE, "frames: are too large");
    desc->h = (int32_t)h;
    desc->w = (int32_t)w;
    return true;
}

static sac_status open_plan(py_plan *self, sac_error *err)
{
    return sac_meltpool_open((sac_meltpool **)&self->plan, &self->desc.meltpool, err);
}

static void close_plan(py_plan *self)
{
    sac_meltpool_close((sac_meltpool **)&self->plan);
}

static const char *variant(const py_plan *self)
{
    return sac_meltpool_get_variant(self->plan);
}

static const char *const positional[] = {"shape", NULL};
static char *const names[] = {"frames", "signals", "out", NULL};

static const py_pipeline pipeline = {
    .params = sac_meltpool_params,
    .positional = positional,
    .init = init,
    .option = option,
    .format = format,
    .open = open_plan,
    .close = close_plan,
    .variant = variant,
    .device = offsetof(sac_meltpool_desc, device),
    .names = names,
};

static int tp_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &pipeline, args, kwargs);
}

/* Runs with all memory at hand; signals may be NULL. */
static sac_status run(py_plan *self, sac_meltpool_record *records, const sac_array *frames,
                      const sac_meltpool_signals *signals, sac_error *err)
{
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        if (frames->n_dims == 2)
            status = sac_meltpool_run(self->plan, records, frames, signals, err);
        else
            status = sac_meltpool_run_batch(self->plan, records, frames, signals, err);
    Py_END_ALLOW_THREADS
    return status;
}

/* The records to write, a new reference: `out`, or new ones. */
static PyObject *records_for(py_array *view, PyObject *out, int64_t n)
{
    int64_t n_out = n;
    PyObject *result;
    if (out && out != Py_None)
        result = py_structs_view(view, out, "out", sizeof(sac_meltpool_record), true, &n_out)
                     ? Py_NewRef(out)
                     : NULL;
    else
        result = py_structs_make(view, py.record_dtype, sizeof(sac_meltpool_record), n);
    if (!result || n_out == n)
        return result;
    py_array_release(view);
    Py_DECREF(result);
    return py_refuse(SAC_E_SHAPE, "out: expected %lld records, got %lld", (long long)n,
                     (long long)n_out);
}

static PyObject *run_frames(py_plan *self, const sac_array *frames, PyObject *signals,
                            PyObject *out)
{
    const int64_t n = frames->n_dims == 3 ? frames->shape[0] : 1;
    py_array of_signals = {0}, records;
    int64_t n_signals = n;
    if (signals && signals != Py_None &&
        !py_structs_view(&of_signals, signals, "signals", sizeof(sac_meltpool_signals), false,
                         &n_signals))
        return NULL;
    PyObject *result = NULL;
    if (n_signals != n)
        py_refuse(SAC_E_SHAPE, "signals: expected %lld, got %lld", (long long)n,
                  (long long)n_signals);
    else
        result = records_for(&records, out, n);
    if (result) {
        sac_error err = {0};
        if ((!out || out == Py_None) && n > 0)
            memset(records.buffer.buf, 0, (size_t)records.buffer.len);
        const sac_status status =
            run(self, records.buffer.buf, frames, of_signals.buffer.buf, &err);
        py_array_release(&records);
        if (status) {
            Py_CLEAR(result);
            py_fail(status, &err, NULL);
        }
    }
    py_array_release(&of_signals);
    return result;
}

static PyObject *call(PyObject *object, PyObject *args, PyObject *kwargs)
{
    py_plan *self = (py_plan *)object;
    PyObject *frames, *signals = NULL, *out = NULL, *result = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO", (char **)names, &frames, &signals,
                                     &out) ||
        !py_plan_enter(self))
        return NULL;
    py_array in;
    if (py_array_view(&in, frames, "frames", false, py_plan_stream(self))) {
        if (py_plan_open_for(self, &in.array))
            result = run_frames(self, &in.array, signals, out);
        py_array_release(&in);
    }
    py_plan_leave(self);
    return result;
}

static PyObject *reset(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    if (!py_plan_enter(self))
        return NULL;
    sac_meltpool_reset(self->plan);
    py_plan_leave(self);
    Py_RETURN_NONE;
}

static bool counts_of(py_plan *self, sac_meltpool_counts *counts)
{
    *counts = (sac_meltpool_counts){.struct_size = sizeof *counts};
    if (!py_plan_enter(self))
        return false;
    sac_meltpool_get_counts(self->plan, counts);
    py_plan_leave(self);
    return true;
}

static PyObject *counts(PyObject *object, PyObject *unused)
{
    (void)unused;
    sac_meltpool_counts c;
    if (!counts_of((py_plan *)object, &c))
        return NULL;
    return Py_BuildValue("{sLsLsLsLsLsLsLsLsLsLsL}", "frames", (long long)c.frames, "processed",
                         (long long)c.processed, "empty", (long long)c.empty, "refused_shape",
                         (long long)c.refused_shape, "refused_place", (long long)c.refused_place,
                         "failed", (long long)c.failed, "no_pool", (long long)c.no_pool, "clipped",
                         (long long)c.clipped, "gaps", (long long)c.gaps, "spatters",
                         (long long)c.spatters, "outside", (long long)c.outside);
}

static PyObject *doubt(PyObject *object, void *unused)
{
    (void)unused;
    sac_meltpool_counts c;
    return counts_of((py_plan *)object, &c) ? PyUnicode_FromString(sac_meltpool_doubt(&c)) : NULL;
}

static PyMethodDef methods[] = {
    {"reset", reset, METH_NOARGS, "reset()\n--\n\nStarts another stream, with counts of 0."},
    {"counts", counts, METH_NOARGS,
     "counts()\n--\n\nWhat happened to the frames since the plan was opened or reset: a dict."},
    {0}};

static PyGetSetDef getters[] = {
    {"doubt", doubt, NULL, "A warning if the counts look wrong, or \"\".", NULL}, {0}};

int py_add_meltpool(PyObject *module)
{
    return py_plan_type(module, "Meltpool", "saccade.Meltpool", tp_init, call, methods, getters);
}
