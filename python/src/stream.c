/*
 * saccade.Stream: live frames through a ring to a function of Python, in the stream's own thread.
 * The ring is memory of NumPy, so that frames which Python keeps stay valid, whatever becomes of
 * the stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <string.h>
#include <unistd.h>

#define ALIGNMENT 64

typedef struct stream {
    PyObject_HEAD sac_stream *stream;
    PyObject *work, *memory; /* the function, and the array that the ring lies in */
    sac_array format;        /* of a frame */
    long opened_by;          /* a process; a fork of it has no worker */
    int users;               /* calls that have let go of the GIL */
    bool sending, failed;
    unsigned long worker; /* the thread that is in the work; 0: none */
} stream;

static PyObject *frames_array(const stream *self, const sac_stream_frame *frames, int32_t n,
                              ptrdiff_t stride)
{
    sac_array a = self->format;
    for (int32_t i = a.n_dims++; i > 0; i--) {
        a.shape[i] = a.shape[i - 1];
        a.stride[i] = a.stride[i - 1];
    }
    a.data = frames->data;
    a.shape[0] = n;
    a.stride[0] = stride;
    return py_array_of_memory(&a, self->memory, false);
}

static bool work_on(const stream *self, const sac_stream_frame *frames, int32_t n, ptrdiff_t stride)
{
    PyObject *array = frames_array(self, frames, n, stride);
    PyObject *numbers = PyList_New(0), *result = NULL;
    for (int32_t i = 0; numbers && i < n; i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(frames[i].number);
        if (!number || PyList_Append(numbers, number))
            Py_CLEAR(numbers);
        Py_XDECREF(number);
    }
    if (array && numbers)
        result = PyObject_CallFunctionObjArgs(self->work, array, numbers, NULL);
    Py_XDECREF(array);
    Py_XDECREF(numbers);
    Py_XDECREF(result);
    return result;
}

/* Called in the worker's thread. An exception ends the stream: its later frames are not worked on.
 */
static void work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    stream *self = ctx;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_INCREF((PyObject *)self); /* the work may drop every other reference */
    self->worker = PyThread_get_thread_ident();
    for (int32_t done = 0, run; done < n; done += run) {
        ptrdiff_t stride = 0;
        run = sac_stream_evenly_spaced(frames + done, n - done, &stride);
        if (!self->failed && !work_on(self, frames + done, run, stride)) {
            PyErr_WriteUnraisable(self->work);
            self->failed = true;
            sac_stream_request_stop(self->stream);
        }
        for (int32_t i = done; self->failed && i < done + run; i++)
            frames[i].outcome = SAC_STREAM_REFUSED;
    }
    self->worker = 0;
    if (Py_REFCNT((PyObject *)self) > 1)
        Py_DECREF((PyObject *)self);
    else /* the worker cannot wait for itself: the stream stays, stopped */
        sac_stream_request_stop(self->stream);
    PyGILState_Release(state);
}

/* The ring's memory: `bytes` from a multiple of 64 on. */
static void *make_memory(stream *self, size_t bytes)
{
    const sac_array format = {.dtype = SAC_U8, .n_dims = 1, .shape = {(int64_t)bytes + ALIGNMENT}};
    py_array view;
    self->memory = py_array_make(&view, &format, NULL, PY_NO_STREAM);
    if (!self->memory)
        return NULL;
    char *start = view.array.data;
    memset(start, 0, bytes + ALIGNMENT);
    py_array_release(&view);
    return start + (ALIGNMENT - (uintptr_t)start % ALIGNMENT) % ALIGNMENT;
}

static bool set_options(sac_stream_desc *desc, PyObject *type, PyObject *options, PyObject *keep)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(options, &at, &key, &value)) {
        const char *name = py_text(key, "options");
        const int done = name ? py_param_set(sac_stream_params(), desc, name, value, keep) : -1;
        if (done > 0)
            continue;
        PyObject *all = done == 0 ? py_param_list(sac_stream_params()) : NULL;
        PyObject *unused =
            all ? PyObject_CallFunction(py.unknown_option, "OOO", type, key, all) : NULL;
        Py_XDECREF(all);
        Py_XDECREF(unused); /* it raises */
        return false;
    }
    return true;
}

static bool open_stream(stream *self, sac_stream_desc *desc)
{
    const size_t bytes = sac_stream_memory_bytes(desc);
    sac_error err = {0};
    sac_status status;
    if (bytes > 0) { /* otherwise open says what is wrong */
        if (bytes > PY_SSIZE_T_MAX / 2)
            return PyErr_NoMemory();
        desc->memory = make_memory(self, bytes);
        desc->memory_bytes = bytes;
        if (!desc->memory)
            return false;
    }
    Py_BEGIN_ALLOW_THREADS
        status = sac_stream_open(&self->stream, desc, &err);
    Py_END_ALLOW_THREADS
    if (status)
        py_fail(status, &err, NULL);
    self->opened_by = getpid();
    return status == SAC_OK;
}

/* Stream(work, format, options): format is an array like a frame, options a dict */
static int init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    stream *self = (stream *)object;
    PyObject *function, *like, *options;
    py_array view;
    if (self->work || kwargs) {
        PyErr_SetString(PyExc_RuntimeError, "a stream is initialized once");
        return -1;
    }
    if (!PyArg_ParseTuple(args, "OOO!", &function, &like, &PyDict_Type, &options) ||
        !py_array_view(&view, like, "shape", false, PY_NO_STREAM))
        return -1;
    self->format = view.array;
    py_array_release(&view);
    if (!PyCallable_Check(function)) {
        PyErr_SetString(PyExc_TypeError, "work: expected a function (frames, numbers)");
        return -1;
    }
    if (self->format.n_dims >= SAC_MAX_DIMS) {
        py_refuse(SAC_E_SHAPE, "shape: expected at most %d axes", SAC_MAX_DIMS - 1);
        return -1;
    }
    self->work = Py_NewRef(function);
    sac_stream_desc desc;
    sac_stream_desc_init(&desc);
    desc.frame_bytes = (size_t)sac_array_count(&self->format) * sac_dtype_size(self->format.dtype);
    desc.work = work;
    desc.ctx = self;
    PyObject *keep = PyList_New(0);
    const bool good = keep && set_options(&desc, (PyObject *)Py_TYPE(object), options, keep) &&
                      open_stream(self, &desc);
    Py_XDECREF(keep);
    return good ? 0 : -1;
}

static bool is_open(stream *self)
{
    if (self->stream)
        return true;
    PyErr_SetString(PyExc_RuntimeError, "the stream is closed");
    return false;
}

static PyObject *slot(PyObject *object, PyObject *unused)
{
    (void)unused;
    stream *self = (stream *)object;
    if (!is_open(self))
        return NULL;
    if (self->sending) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is sending");
        return NULL;
    }
    sac_array a = self->format;
    a.data = sac_stream_slot(self->stream);
    return py_array_of_memory(&a, self->memory, false);
}

static PyObject *send_slot(PyObject *object, PyObject *args)
{
    stream *self = (stream *)object;
    long long scheduled_ns = 0;
    if (!PyArg_ParseTuple(args, "|L", &scheduled_ns) || !is_open(self))
        return NULL;
    if (self->sending || self->worker == PyThread_get_thread_ident()) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is sending, or the work itself");
        return NULL;
    }
    self->sending = true;
    self->users++;
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_stream_send(self->stream, scheduled_ns);
    Py_END_ALLOW_THREADS
    self->users--;
    self->sending = false;
    const sac_error err = {0};
    return status > SAC_END ? py_fail(status, &err, NULL) : PyBool_FromLong(status == SAC_OK);
}

static PyObject *request_stop(PyObject *object, PyObject *unused)
{
    (void)unused;
    stream *self = (stream *)object;
    if (self->stream)
        sac_stream_request_stop(self->stream);
    Py_RETURN_NONE;
}

/* Waits for the frames that were accepted; then, if `closes`, frees the stream. */
static PyObject *end(stream *self, bool closes)
{
    if (!self->stream || self->opened_by != getpid())
        Py_RETURN_NONE;
    if (self->users > 0 || self->worker == PyThread_get_thread_ident()) {
        PyErr_SetString(
            PyExc_RuntimeError,
            "another thread is using the stream, or the work itself; use request_stop()");
        return NULL;
    }
    sac_stream *open = self->stream;
    self->users++;
    if (closes)
        self->stream = NULL; /* nobody begins to use it now */
    Py_BEGIN_ALLOW_THREADS
        if (closes)
            sac_stream_request_stop(open);
        sac_stream_stop(open);
    Py_END_ALLOW_THREADS
    self->users--;
    if (closes)
        sac_stream_close(&open);
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *object, PyObject *unused)
{
    (void)unused;
    return end((stream *)object, false);
}

static PyObject *close_stream(PyObject *object, PyObject *unused)
{
    (void)unused;
    return end((stream *)object, true);
}

static PyObject *counts(PyObject *object, PyObject *unused)
{
    (void)unused;
    stream *self = (stream *)object;
    sac_stream_counts c = {.struct_size = sizeof c};
    if (!is_open(self))
        return NULL;
    sac_stream_get_counts(self->stream, &c);
    return Py_BuildValue("{sLsLsLsLsLsLsLsLsLsL}", "received", (long long)c.received, "refused",
                         (long long)c.refused, "accepted", (long long)c.accepted, "processed",
                         (long long)c.processed, "empty", (long long)c.empty, "dropped",
                         (long long)c.dropped, "waiting", (long long)c.waiting, "late",
                         (long long)c.late, "batches", (long long)c.batches, "most_waiting",
                         (long long)c.most_waiting);
}

static PyObject *latency(PyObject *object, PyObject *unused)
{
    (void)unused;
    stream *self = (stream *)object;
    if (!is_open(self))
        return NULL;
    const sac_histogram *h = sac_stream_get_latency(self->stream);
    return Py_BuildValue(
        "{sLsdsdsdsdsL}", "count", (long long)sac_histogram_get_count(h), "mean_ns",
        sac_histogram_get_mean(h), "p50_ns", sac_histogram_get_quantile(h, 0.5), "p99_ns",
        sac_histogram_get_quantile(h, 0.99), "p999_ns", sac_histogram_get_quantile(h, 0.999),
        "max_ns", (long long)sac_histogram_get_max(h));
}

static PyObject *is_stopping(PyObject *object, void *unused)
{
    (void)unused;
    const stream *self = (const stream *)object;
    return PyBool_FromLong(!self->stream || sac_stream_is_stopping(self->stream));
}

static PyObject *has_failed(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const stream *)object)->failed);
}

/* The work may know the stream. Before such a cycle is cleared, the stream ends. */
static void finalize(PyObject *object)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *unused = end((stream *)object, true);
    if (!unused)
        PyErr_WriteUnraisable(NULL);
    Py_XDECREF(unused);
    PyErr_Restore(type, value, trace);
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((stream *)object)->work);
    return 0;
}

static int clear(PyObject *object)
{
    stream *self = (stream *)object;
    if (!self->stream)
        Py_CLEAR(self->work);
    return 0;
}

static void dealloc(PyObject *object)
{
    stream *self = (stream *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    PyObject *unused = end(self, true);
    if (!unused)
        PyErr_WriteUnraisable(NULL);
    Py_XDECREF(unused);
    Py_CLEAR(self->work);
    Py_CLEAR(self->memory);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"slot", slot, METH_NOARGS,
     "slot()\n--\n\nThe memory of the next frame, to write to; send() sends it."},
    {"send", send_slot, METH_VARARGS,
     "send(scheduled_ns=0)\n--\n\nSends the frame in the slot; False if the stream is stopping."},
    {"request_stop", request_stop, METH_NOARGS,
     "request_stop()\n--\n\nRefuses further frames; returns at once. From any thread."},
    {"stop", stop, METH_NOARGS,
     "stop()\n--\n\nRefuses further frames, and waits until those accepted are done."},
    {"close", close_stream, METH_NOARGS, "close()\n--\n\nStops the stream and frees it."},
    {"counts", counts, METH_NOARGS, "counts()\n--\n\nWhat happened to the frames: a dict."},
    {"latency", latency, METH_NOARGS,
     "latency()\n--\n\nLatencies from schedule to completion: a dict."},
    {0}};

static PyGetSetDef getters[] = {
    {"is_stopping", is_stopping, NULL, "Whether a stop was requested.", NULL},
    {"failed", has_failed, NULL, "Whether the work raised an exception, which ends the stream.",
     NULL},
    {0}};

int py_add_stream(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_init, init},         {Py_tp_new, PyType_GenericNew}, {Py_tp_dealloc, dealloc},
        {Py_tp_methods, methods},   {Py_tp_traverse, traverse},     {Py_tp_clear, clear},
        {Py_tp_finalize, finalize}, {Py_tp_getset, getters},        {0}};
    PyType_Spec spec = {"saccade._core.Stream", sizeof(stream), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    PyObject *type = PyType_FromSpec(&spec);
    const int failed = type ? PyModule_AddObjectRef(module, "Stream", type) : -1;
    Py_XDECREF(type);
    return failed;
}
