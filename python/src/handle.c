/*
 * Objects of the library that are used by one thread at a time: files, simulations.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <unistd.h>

typedef struct handle {
    PyObject_HEAD void *object;
    py_close_fn close; /* tells the kind, too */
    long opened_by;    /* a process: a fork of it must not finish its files */
    bool busy;
} handle;

static PyTypeObject *handle_type;

PyObject *py_handle_new(void *object, py_close_fn close)
{
    handle *self = (handle *)PyType_GenericAlloc(handle_type, 0);
    if (!self) {
        sac_status unused = close(&object, NULL);
        (void)unused;
        return NULL;
    }
    self->object = object;
    self->close = close;
    self->opened_by = getpid();
    return (PyObject *)self;
}

void *py_handle_take(PyObject *object, py_close_fn close)
{
    handle *self = (handle *)object;
    if (Py_TYPE(object) != handle_type || self->close != close) {
        PyErr_SetString(PyExc_TypeError, "the handle is of something else");
        return NULL;
    }
    if (self->busy || !self->object) {
        PyErr_SetString(PyExc_RuntimeError,
                        self->busy ? "another thread is using it" : "it is closed");
        return NULL;
    }
    self->busy = true;
    return self->object;
}

void py_handle_give(PyObject *object)
{
    ((handle *)object)->busy = false;
}

static PyObject *close_handle(PyObject *object, PyObject *unused)
{
    (void)unused;
    handle *self = (handle *)object;
    if (!self->object)
        Py_RETURN_NONE;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is using it");
        return NULL;
    }
    sac_error err = {0};
    sac_status status;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS
        status = self->close(&self->object, &err);
    Py_END_ALLOW_THREADS
    self->busy = false;
    self->object = NULL;
    return status ? py_fail(status, &err, NULL) : Py_NewRef(Py_None);
}

static void dealloc(PyObject *object)
{
    handle *self = (handle *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->object && self->opened_by == getpid()) {
        sac_status unused = self->close(&self->object, NULL);
        (void)unused;
    }
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {{"close", close_handle, METH_NOARGS, NULL}, {0}};

int py_add_handle(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_methods, methods}, {Py_tp_dealloc, dealloc}, {0}};
    PyType_Spec spec = {"saccade._core.Handle", sizeof(handle), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    handle_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return handle_type ? PyModule_AddObjectRef(module, "Handle", (PyObject *)handle_type) : -1;
}
