/*
 * What plans of every pipeline share: options, opening at the first call, one thread at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <string.h>
#include <unistd.h>

static int set_shape(py_plan *self, PyObject *value)
{
    PyObject *sizes = PySequence_Tuple(value);
    if (!sizes)
        return -1;
    const Py_ssize_t n = PyTuple_Size(sizes);
    if (n < 1 || n > SAC_MAX_DIMS)
        py_refuse(SAC_E_SHAPE, "shape: expected 1 to %d sizes, got %zd", SAC_MAX_DIMS, n);
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) {
        self->shape.shape[i] = PyLong_AsLongLong(PyTuple_GetItem(sizes, i));
        if (!PyErr_Occurred() && self->shape.shape[i] < 0)
            py_refuse(SAC_E_SHAPE, "shape: a size is negative");
    }
    self->shape.n_dims = (int32_t)n;
    Py_DECREF(sizes);
    return PyErr_Occurred() ? -1 : 1;
}

/* A cudaStream_t: a number, or an object of CuPy (.ptr) or PyTorch (.cuda_stream). */
static int set_stream(py_plan *self, PyObject *value)
{
    PyObject *number = NULL;
    if (value == Py_None)
        return 1;
    if (PyObject_HasAttrString(value, "cuda_stream"))
        number = PyObject_GetAttrString(value, "cuda_stream");
    else if (PyObject_HasAttrString(value, "ptr"))
        number = PyObject_GetAttrString(value, "ptr");
    else
        number = Py_NewRef(value);
    uint64_t stream = 0;
    const bool good = number && py_u64(number, &stream);
    Py_XDECREF(number);
    if (!good)
        return -1;
    self->stream = stream ? stream : 1; /* 1 is the default stream, which CUDA calls 0, too */
    return 1;
}

int py_set_progress(py_plan *self, PyObject *value)
{
    if (value != Py_None && !PyCallable_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "progress: expected a function (done, total)");
        return -1;
    }
    Py_CLEAR(self->work.progress);
    self->work.progress = value == Py_None ? NULL : Py_NewRef(value);
    return 1;
}

static int set_option(py_plan *self, const char *name, PyObject *value)
{
    const py_pipeline *p = self->pipeline;
    if (!strcmp(name, "shape"))
        return value == Py_None ? 1 : set_shape(self, value);
    if (!strcmp(name, "stream") && p->stream)
        return set_stream(self, value);
    int done = p->option ? p->option(self, name, value) : 0;
    if (done == 0)
        done = py_param_set(p->params(), &self->desc, name, value, self->keep);
    if (done > 0 && !strcmp(name, "device"))
        self->has_device = value != Py_None;
    return done;
}

static bool set_positional(py_plan *self, PyObject *args, PyObject *kwargs)
{
    const char *const *names = self->pipeline->positional;
    for (Py_ssize_t i = 0; i < PyTuple_Size(args); i++) {
        if (!names[i]) {
            PyErr_Format(PyExc_TypeError, "expected at most %zd arguments without a keyword", i);
            return false;
        }
        if (set_option(self, names[i], PyTuple_GetItem(args, i)) < 0)
            return false;
    }
    for (Py_ssize_t i = 0; kwargs && i < PyTuple_Size(args); i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        const int twice = name ? PyDict_Contains(kwargs, name) : -1;
        Py_XDECREF(name);
        if (twice > 0)
            PyErr_Format(PyExc_TypeError, "%s: is given twice", names[i]);
        if (twice)
            return false;
    }
    return true;
}

static bool set_keywords(py_plan *self, PyObject *kwargs)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(kwargs, &at, &key, &value)) {
        const char *name = py_text(key, "options");
        const int done = name ? set_option(self, name, value) : -1;
        if (done < 0)
            return false;
        if (done == 0) {
            PyObject *all = py_param_list(self->pipeline->params());
            PyObject *unused = all ? PyObject_CallFunction(py.unknown_option, "OOO",
                                                           Py_TYPE((PyObject *)self), key, all)
                                   : NULL;
            Py_XDECREF(all);
            Py_XDECREF(unused); /* it raises */
            return false;
        }
    }
    return true;
}

static bool set_all(py_plan *self, PyObject *args, PyObject *kwargs)
{
    if (!set_positional(self, args, kwargs))
        return false;
    PyObject *own =
        kwargs ? PyDict_Copy(kwargs) : PyDict_New(); /* values run code that may change it */
    const bool good = own && set_keywords(self, own);
    Py_XDECREF(own);
    return good;
}

static bool open_now(py_plan *self)
{
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = self->pipeline->open(self, &err);
    Py_END_ALLOW_THREADS
    if (status)
        py_fail(status, &err, NULL);
    self->opened_by = getpid();
    return status == SAC_OK;
}

static sac_device *device_of(py_plan *self)
{
    return (sac_device *)((char *)&self->desc + self->pipeline->device);
}

static void **stream_of(py_plan *self)
{
    return (void **)((char *)&self->desc + self->pipeline->stream);
}

int py_plan_init(py_plan *self, const py_pipeline *pipeline, PyObject *args, PyObject *kwargs)
{
    if (self->pipeline) {
        PyErr_SetString(PyExc_RuntimeError, "a plan is initialized once");
        return -1;
    }
    self->pipeline = pipeline;
    self->keep = PyList_New(0);
    if (!self->keep)
        return -1;
    pipeline->init(self);
    self->busy = true; /* values are turned to text by Python, which must not run the plan */
    const bool good = set_all(self, args, kwargs);
    self->busy = false;
    if (!good)
        return -1;
    /* On a GPU the first call tells whose memory it is, and so on which stream the plan works. */
    const bool waits =
        device_of(self)->kind == SAC_DEVICE_CUDA && pipeline->stream && !self->stream;
    if (self->shape.n_dims == 0 || waits)
        return 0;
    if (self->stream)
        *stream_of(self) = (void *)self->stream;
    return pipeline->format(self, &self->shape) && open_now(self) ? 0 : -1;
}

bool py_plan_enter(py_plan *self)
{
    const char *why = !self->pipeline   ? "the plan was not initialized"
                      : self->busy      ? "another thread is using this plan; open one per thread"
                      : self->is_closed ? "the plan is closed"
                                        : NULL;
    if (why) {
        PyErr_SetString(PyExc_RuntimeError, why);
        return false;
    }
    self->busy = true;
    return true;
}

void py_plan_leave(py_plan *self)
{
    self->busy = false;
}

uintptr_t py_plan_stream(const py_plan *self)
{
    return self->stream ? self->stream : 1;
}

bool py_plan_open_for(py_plan *self, const sac_array *in)
{
    if (self->plan)
        return true;
    const bool on_gpu = in->device.kind == SAC_DEVICE_CUDA;
    if (on_gpu && !self->has_device)
        *device_of(self) = in->device;
    if (self->pipeline
            ->stream) /* without one of its own, it works on the caller's default stream */
        *stream_of(self) = on_gpu || self->stream ? (void *)py_plan_stream(self) : NULL;
    return self->pipeline->format(self, in) && open_now(self);
}

bool py_plan_out(py_plan *self, py_array *view, PyObject **result, PyObject *out,
                 const sac_array *format, PyObject *in)
{
    if (out && out != Py_None) {
        *result = Py_NewRef(out);
        if (py_array_view(view, out, "out", true, py_plan_stream(self)))
            return true;
    } else {
        *result = py_array_make(view, format, in, py_plan_stream(self));
        if (*result)
            return true;
    }
    Py_CLEAR(*result);
    return false;
}

static PyObject *close_plan(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is using this plan");
        return NULL;
    }
    if (self->plan && self->opened_by == getpid()) {
        self->busy = true;
        Py_BEGIN_ALLOW_THREADS
            self->pipeline->close(self);
        Py_END_ALLOW_THREADS
        self->busy = false;
    }
    self->is_closed = true;
    Py_RETURN_NONE;
}

static PyObject *enter_with(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *exit_with(PyObject *self, PyObject *args)
{
    (void)args;
    return close_plan(self, NULL);
}

static PyObject *get_variant(PyObject *object, void *unused)
{
    (void)unused;
    const py_plan *self = (const py_plan *)object;
    return PyUnicode_FromString(self->plan ? self->pipeline->variant(self) : "");
}

static PyMethodDef shared_methods[] = {
    {"close", close_plan, METH_NOARGS,
     "close()\n--\n\nFrees the plan's memory and threads. A closed plan runs no more."},
    {"__enter__", enter_with, METH_NOARGS, NULL},
    {"__exit__", exit_with, METH_VARARGS, NULL},
    {0}};

/* A progress function may know the plan. What the desc points into stays until dealloc. */
static int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((py_plan *)object)->work.progress);
    return 0;
}

static int clear(PyObject *object)
{
    Py_CLEAR(((py_plan *)object)->work.progress);
    return 0;
}

static void dealloc(PyObject *object)
{
    py_plan *self = (py_plan *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (self->plan && self->opened_by == getpid()) /* a fork would wait for threads it has not */
        self->pipeline->close(self);
    Py_CLEAR(self->keep);
    Py_CLEAR(self->work.progress);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyGetSetDef shared_getters[] = {
    {"variant", get_variant, NULL,
     "The implementations in use, as ROOM:NAME; empty before the plan is open.", NULL},
    {0}};

int py_plan_type(PyObject *module, const char *name, const char *qualified, initproc init,
                 ternaryfunc call, PyMethodDef *methods, PyGetSetDef *getters)
{
    if (!py.plan_type) {
        PyType_Slot slots[] = {{Py_tp_methods, shared_methods},
                               {Py_tp_getset, shared_getters},
                               {Py_tp_dealloc, dealloc},
                               {Py_tp_traverse, traverse},
                               {Py_tp_clear, clear},
                               {Py_tp_new, PyType_GenericNew},
                               {0}};
        PyType_Spec spec = {"saccade.Plan", sizeof(py_plan), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
        py.plan_type = PyType_FromSpec(&spec);
        if (!py.plan_type || PyModule_AddObjectRef(module, "Plan", py.plan_type))
            return -1;
    }
    PyType_Slot slots[5] = {{Py_tp_init, init}, {Py_tp_call, call}};
    int n = 2;
    if (methods)
        slots[n++] = (PyType_Slot){Py_tp_methods, methods};
    if (getters)
        slots[n++] = (PyType_Slot){Py_tp_getset, getters};
    PyType_Spec spec = {qualified, sizeof(py_plan), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject *bases = PyTuple_Pack(1, py.plan_type);
    PyObject *type = bases ? PyType_FromSpecWithBases(&spec, bases) : NULL;
    Py_XDECREF(bases);
    const int failed = type ? PyModule_AddObjectRef(module, name, type) : -1;
    Py_XDECREF(type);
    return failed;
}
