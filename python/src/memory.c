/*
 * Memory that the library owns, as an array of NumPy that keeps its owner alive.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <string.h>

typedef struct memory {
    PyObject_HEAD sac_array array;
    PyObject *owner;
    bool read_only;
    Py_ssize_t shape[SAC_MAX_DIMS], stride[SAC_MAX_DIMS];
    Py_ssize_t size;
} memory;

static PyTypeObject *memory_type;

static char *format_of(sac_dtype dtype)
{
    static char formats[][3] = {"",  "B", "H", "I", "Q", "b",  "h",
                                "i", "q", "e", "f", "d", "Zf", "Zd"};
    return formats[dtype];
}

static int get_buffer(PyObject *object, Py_buffer *view, int flags)
{
    memory *self = (memory *)object;
    view->obj = NULL;
    if (flags & PyBUF_WRITABLE && self->read_only) {
        PyErr_SetString(PyExc_BufferError, "the memory is read-only");
        return -1;
    }
    *view = (Py_buffer){.buf = self->array.data,
                        .obj = Py_NewRef(object),
                        .len = self->size,
                        .itemsize = (Py_ssize_t)sac_dtype_size(self->array.dtype),
                        .readonly = self->read_only,
                        .ndim = self->array.n_dims,
                        .format = format_of(self->array.dtype),
                        .shape = self->shape,
                        .strides = self->stride};
    return 0;
}

static void dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_CLEAR(((memory *)object)->owner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

PyObject *py_array_of_memory(const sac_array *array, PyObject *owner, bool read_only)
{
    memory *self = (memory *)PyType_GenericAlloc(memory_type, 0);
    if (!self)
        return NULL;
    self->array = *array;
    self->owner = Py_NewRef(owner);
    self->read_only = read_only;
    self->size = (Py_ssize_t)sac_array_count(array) * (Py_ssize_t)sac_dtype_size(array->dtype);
    for (int32_t i = 0; i < array->n_dims; i++) {
        self->shape[i] = (Py_ssize_t)array->shape[i];
        self->stride[i] = array->stride[i];
    }
    PyObject *result = PyObject_CallFunctionObjArgs(py.asarray, (PyObject *)self, NULL);
    Py_DECREF(self);
    return result;
}

int py_add_memory(PyObject *module)
{
    PyType_Slot slots[] = {{Py_bf_getbuffer, get_buffer},
                           {Py_tp_dealloc, dealloc},
                           {Py_tp_doc, "Memory of the library."},
                           {0}};
    PyType_Spec spec = {"saccade._core.Memory", sizeof(memory), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    memory_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return memory_type ? PyModule_AddObjectRef(module, "Memory", (PyObject *)memory_type) : -1;
}
