/*
 * The call of plans that make an array of one or two others, without the GIL.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

/* Runs an open plan; the result is a new reference, None where there is no output this time. */
static PyObject *run(py_plan *self, const py_array *in, const py_array *previous, PyObject *like,
                     PyObject *out)
{
    const py_pipeline *p = self->pipeline;
    sac_array format;
    py_array view;
    PyObject *result;
    if (!p->output(self, &in->array, &format) ||
        !py_plan_out(self, &view, &result, out, &format, like))
        return NULL;
    if (!py_arrays_apart(&view.array, &in->array, p->names[0]) ||
        (previous && !py_arrays_apart(&view.array, &previous->array, "previous"))) {
        py_array_release(&view);
        Py_DECREF(result);
        return NULL;
    }
    sac_error err = {0};
    py_work_begin(&self->work);
    const sac_status status =
        p->run(self, &view.array, &in->array, previous ? &previous->array : NULL, &err);
    py_work_end(&self->work);
    py_array_release(&view);
    if (status == SAC_OK)
        return result;
    Py_DECREF(result);
    return status == SAC_AGAIN ? Py_NewRef(Py_None) : py_fail(status, &err, p->names[0]);
}

static PyObject *open_and_run(py_plan *self, PyObject *x, PyObject *previous, PyObject *out)
{
    const uintptr_t stream = py_plan_stream(self);
    py_array in, before;
    PyObject *result = NULL;
    if (!py_array_view(&in, x, self->pipeline->names[0], false, stream))
        return NULL;
    if (!previous) {
        if (py_plan_open_for(self, &in.array))
            result = run(self, &in, NULL, x, out);
    } else if (py_array_view(&before, previous, "previous", false, stream)) {
        if (py_plan_open_for(self, &in.array))
            result = run(self, &in, &before, x, out);
        py_array_release(&before);
    }
    py_array_release(&in);
    return result;
}

PyObject *py_plan_call(PyObject *object, PyObject *args, PyObject *kwargs)
{
    py_plan *self = (py_plan *)object;
    PyObject *x, *second = NULL, *third = NULL;
    if (!self->pipeline) {
        PyErr_SetString(PyExc_RuntimeError, "the plan was not initialized");
        return NULL;
    }
    char **names = (char **)self->pipeline->names;
    const bool has_previous = names[2];
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, has_previous ? "O|OO" : "O|O", names, &x,
                                     &second, &third) ||
        !py_plan_enter(self))
        return NULL;
    PyObject *previous = has_previous && second != Py_None ? second : NULL;
    self->has_previous = previous;
    PyObject *result = open_and_run(self, x, previous, has_previous ? third : second);
    py_plan_leave(self);
    return result;
}

/* time_runs(plan, n, x, out, previous=None): ns of a run in C, the least of n. For benches. */
PyObject *py_plan_time(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object, *x, *out, *previous = Py_None;
    int n;
    if (!PyArg_ParseTuple(args, "O!iOO|O", (PyTypeObject *)py.plan_type, &object, &n, &x, &out,
                          &previous))
        return NULL;
    py_plan *self = (py_plan *)object;
    py_array in = {0}, to = {0}, before = {0};
    if (!py_plan_enter(self))
        return NULL;
    bool good =
        py_array_view(&in, x, "x", false, PY_NO_STREAM) &&
        py_array_view(&to, out, "out", true, PY_NO_STREAM) &&
        (previous == Py_None || py_array_view(&before, previous, "previous", false, PY_NO_STREAM));
    if (good && (!self->plan || !self->pipeline->run))
        good = py_refuse(SAC_E_INVALID, "plan: is not open, or of another kind");
    int64_t least = INT64_MAX;
    sac_status status = SAC_OK;
    sac_error err = {0};
    if (good) {
        py_work_begin(&self->work);
        for (int i = 0; i < n && status == SAC_OK; i++) {
            const int64_t start = sac_stream_clock_ns();
            status = self->pipeline->run(self, &to.array, &in.array,
                                         previous == Py_None ? NULL : &before.array, &err);
            const int64_t took = sac_stream_clock_ns() - start;
            least = took < least ? took : least;
        }
        py_work_end(&self->work);
        if (status)
            py_fail(status, &err, "x");
    }
    py_array_release(&in);
    py_array_release(&to);
    py_array_release(&before);
    py_plan_leave(self);
    return PyErr_Occurred() ? NULL : PyLong_FromLongLong(least);
}
