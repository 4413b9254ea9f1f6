/*
 * Arrays of the caller as views, without a copy: the buffer protocol (NumPy and others in the CPU's
 * memory), or DLPack (PyTorch, CuPy, JAX, also in a GPU's memory).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <string.h>

#include "dlpack.h"

static const char *const names[] = {NULL,      "uint8",   "uint16",    "uint32",    "uint64",
                                    "int8",    "int16",   "int32",     "int64",     "float16",
                                    "float32", "float64", "complex64", "complex128"};

const char *py_dtype_name(sac_dtype dtype)
{
    return names[dtype];
}

/* The type of a format of PEP 3118 with this size of an element; 0: none that the library has. */
static sac_dtype dtype_of_format(const char *format, Py_ssize_t size)
{
    if (!format)
        return SAC_U8;
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    if (!strcmp(format, "Zf") || !strcmp(format, "Zd"))
        return format[1] == 'f' ? SAC_C64 : SAC_C128;
    if (!format[0] || format[1])
        return 0;
    if (strchr("efd", *format))
        return *format == 'e' ? SAC_F16 : *format == 'f' ? SAC_F32 : SAC_F64;
    const bool is_unsigned = strchr("BHILQ", *format);
    if (!is_unsigned && !strchr("bhilq", *format))
        return 0;
    for (int dtype = is_unsigned ? SAC_U8 : SAC_I8; dtype <= (is_unsigned ? SAC_U64 : SAC_I64);
         dtype++)
        if (sac_dtype_size((sac_dtype)dtype) == (size_t)size)
            return (sac_dtype)dtype;
    return 0;
}

/* Whether the CPU can read it: CuPy's arrays state a buffer that they then refuse. */
static bool has_buffer(PyObject *object)
{
    return PyObject_CheckBuffer(object) &&
           !PyObject_HasAttrString(object, "__cuda_array_interface__");
}

static bool view_buffer(py_array *view, PyObject *object, const char *name, bool for_writing)
{
    Py_buffer *b = &view->buffer;
    if (PyObject_GetBuffer(object, b, PyBUF_RECORDS_RO)) {
        b->obj = NULL;
        return false;
    }
    if (for_writing && b->readonly)
        return py_refuse(SAC_E_INVALID, "%s: is read-only", name);
    if (b->ndim < 1 || b->ndim > SAC_MAX_DIMS)
        return py_refuse(SAC_E_SHAPE, "%s: expected 1 to %d axes, got %d", name, SAC_MAX_DIMS,
                         b->ndim);
    const sac_dtype dtype = dtype_of_format(b->format, b->itemsize);
    if (!dtype)
        return py_refuse(SAC_E_SHAPE, "%s: no type of saccade has the format `%s`", name,
                         b->format);
    sac_array *a = &view->array;
    *a = (sac_array){.data = b->buf, .dtype = dtype, .n_dims = b->ndim};
    for (int i = 0; i < b->ndim; i++) {
        a->shape[i] = b->shape[i];
        a->stride[i] = b->strides[i];
    }
    return true;
}

/* The capsule of `object`, new form or old; stream 0: of the CPU's memory. */
static PyObject *get_capsule(PyObject *object, uintptr_t stream)
{
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    PyObject *none = PyTuple_New(0);
    PyObject *capsule = NULL;
    for (int versioned = 1; method && none && !capsule && versioned >= 0; versioned--) {
        PyObject *kwargs = PyDict_New();
        PyObject *version = versioned ? Py_BuildValue("(ii)", 1, 0) : NULL;
        PyObject *number = stream ? PyLong_FromSize_t(stream) : NULL;
        if (kwargs && version)
            PyDict_SetItemString(kwargs, "max_version", version);
        if (kwargs && number)
            PyDict_SetItemString(kwargs, "stream", number);
        Py_XDECREF(version);
        Py_XDECREF(number);
        if (kwargs && !PyErr_Occurred())
            capsule = PyObject_Call(method, none, kwargs);
        Py_XDECREF(kwargs);
        if (!capsule && (!versioned || !PyErr_ExceptionMatches(PyExc_TypeError)))
            break;
        if (!capsule)
            PyErr_Clear(); /* an object of before DLPack 1 */
    }
    Py_XDECREF(method);
    Py_XDECREF(none);
    return capsule;
}

static bool dlpack_device(int *type, PyObject *object)
{
    int id;
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    const bool good = device && PyTuple_Check(device) && PyArg_ParseTuple(device, "ii", type, &id);
    if (device && !good && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "__dlpack_device__ gave no pair of integers");
    Py_XDECREF(device);
    return good;
}

static bool view_dlpack(py_array *view, PyObject *object, const char *name, bool for_writing,
                        uintptr_t stream)
{
    int device;
    if (!dlpack_device(&device, object))
        return false;
    const bool on_gpu = device == PY_DLPACK_CUDA || device == PY_DLPACK_MANAGED;
    view->capsule = get_capsule(object, on_gpu ? stream : PY_NO_STREAM);
    if (!view->capsule)
        return false;
    const DLTensor *tensor;
    if (PyCapsule_IsValid(view->capsule, "dltensor_versioned")) {
        const py_versioned_tensor *t = PyCapsule_GetPointer(view->capsule, "dltensor_versioned");
        if (t->major != 1)
            return py_refuse(SAC_E_UNSUPPORTED, "%s: DLPack %u is not known here", name, t->major);
        if (for_writing && t->flags & PY_DLPACK_READ_ONLY)
            return py_refuse(SAC_E_INVALID, "%s: is read-only", name);
        tensor = &t->tensor;
    } else {
        const py_managed_tensor *t = PyCapsule_GetPointer(view->capsule, "dltensor");
        if (!t)
            return false;
        tensor = &t->tensor;
    }
    sac_error err = {0};
    const sac_status status = sac_array_from_dlpack(&view->array, tensor, &err);
    if (status)
        return py_refuse(status, "%s: %s", name, err.text);
    return true;
}

bool py_array_view(py_array *view, PyObject *object, const char *name, bool for_writing,
                   uintptr_t stream)
{
    memset(view, 0, sizeof *view);
    bool good;
    if (has_buffer(object)) {
        good = view_buffer(view, object, name, for_writing);
    } else if (PyObject_HasAttrString(object, "__dlpack__")) {
        good = view_dlpack(view, object, name, for_writing, stream);
    } else {
        PyErr_Format(PyExc_TypeError, "%s: expected an array (NumPy's, or with __dlpack__), got %R",
                     name, Py_TYPE(object));
        good = false;
    }
    if (!good)
        py_array_release(view);
    return good;
}

void py_array_release(py_array *view)
{
    if (view->buffer.obj)
        PyBuffer_Release(&view->buffer);
    Py_CLEAR(view->capsule); /* its name is unchanged, so it calls the tensor's deleter */
}

PyObject *py_array_make(py_array *view, const sac_array *format, PyObject *like, uintptr_t stream)
{
    PyObject *shape = PyTuple_New(format->n_dims), *made = NULL;
    memset(view, 0, sizeof *view);
    for (int32_t i = 0; shape && i < format->n_dims; i++) {
        PyObject *n = PyLong_FromLongLong(format->shape[i]);
        if (!n || PyTuple_SetItem(shape, i, n))
            Py_CLEAR(shape);
    }
    if (!shape)
        return NULL;
    if (!like || has_buffer(like))
        made = PyObject_CallFunctionObjArgs(py.empty, shape, py.dtypes[format->dtype], NULL);
    else
        made = PyObject_CallFunction(py.make_alike, "OOs", like, shape, names[format->dtype]);
    Py_DECREF(shape);
    if (made && !py_array_view(view, made, "out", true, stream))
        Py_CLEAR(made);
    return made;
}

bool py_dtype_parse(sac_dtype *out, PyObject *value, const char *name)
{
    PyObject *dtype = PyObject_CallFunctionObjArgs(py.dtype, value, NULL);
    if (!dtype) { /* torch.uint8 */
        PyErr_Clear();
        dtype = PyObject_Str(value);
    }
    PyObject *text = dtype ? PyObject_Str(dtype) : NULL;
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    const char *dot = utf8 ? strrchr(utf8, '.') : NULL;
    *out = 0;
    for (int i = SAC_U8; utf8 && i <= SAC_C128; i++)
        if (!strcmp(dot ? dot + 1 : utf8, names[i]))
            *out = (sac_dtype)i;
    Py_XDECREF(dtype);
    Py_XDECREF(text);
    if (!*out && utf8)
        py_refuse(SAC_E_SHAPE, "%s: expected a type such as uint8 or float32, got %R", name, value);
    return *out != 0;
}

static void extent(const sac_array *a, uintptr_t *first, uintptr_t *end)
{
    *first = *end = (uintptr_t)a->data;
    for (int32_t i = 0; i < a->n_dims; i++) {
        const ptrdiff_t reach = (ptrdiff_t)(a->shape[i] - 1) * a->stride[i];
        *(reach < 0 ? first : end) += (uintptr_t)reach;
    }
    *end += sac_dtype_size(a->dtype);
}

static bool is_same_view(const sac_array *a, const sac_array *b)
{
    bool same = a->data == b->data && a->dtype == b->dtype && a->n_dims == b->n_dims;
    for (int32_t i = 0; same && i < a->n_dims; i++)
        same = a->shape[i] == b->shape[i] && (a->shape[i] == 1 || a->stride[i] == b->stride[i]);
    return same;
}

bool py_arrays_apart(const sac_array *out, const sac_array *in, const char *name)
{
    uintptr_t first[2], end[2];
    if (sac_array_count(out) == 0 || sac_array_count(in) == 0 || is_same_view(out, in))
        return true;
    extent(out, &first[0], &end[0]);
    extent(in, &first[1], &end[1]);
    if (out->device.kind != in->device.kind || end[0] <= first[1] || end[1] <= first[0])
        return true;
    PyObject *a = py_array_of_memory(out, Py_None, true), *b = NULL, *answer = NULL;
    PyObject *ask = a ? py_attribute("numpy", "shares_memory") : NULL; /* it reads no memory */
    if (ask && (b = py_array_of_memory(in, Py_None, true)))
        answer = PyObject_CallFunctionObjArgs(ask, a, b, NULL);
    const int shared = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    Py_XDECREF(ask);
    Py_XDECREF(a);
    Py_XDECREF(b);
    if (shared > 0)
        py_refuse(SAC_E_INVALID, "out: overlaps %s", name);
    return shared == 0;
}

/* The format of PEP 3118 of structs of `size` bytes, and their name. NULL: an exception is set. */
static const char *struct_format(size_t size, const char **type)
{
    static Py_buffer held[3]; /* for their formats */
    static const char *const types[] = {"SIGNALS", "RECORD", "TRUTH"};
    PyObject *const dtypes[] = {py.signals_dtype, py.record_dtype, py.truth_dtype};
    for (int i = 0; i < 3; i++) {
        if (!held[i].obj) {
            PyObject *none = PyObject_CallFunction(py.empty, "iO", 0, dtypes[i]);
            const int failed = none ? PyObject_GetBuffer(none, &held[i], PyBUF_RECORDS_RO) : -1;
            Py_XDECREF(none);
            if (failed)
                return NULL;
        }
        *type = types[i];
        if (held[i].itemsize == (Py_ssize_t)size)
            return held[i].format;
    }
    return py_refuse(SAC_E_SHAPE, "structs: none have %zu bytes", size);
}

bool py_structs_view(py_array *view, PyObject *object, const char *name, size_t size,
                     bool for_writing, int64_t *n)
{
    Py_buffer *b = &view->buffer;
    const char *type, *format = struct_format(size, &type);
    memset(view, 0, sizeof *view);
    if (!format)
        return false;
    if (PyObject_GetBuffer(object, b,
                           PyBUF_ND | PyBUF_FORMAT | (for_writing ? PyBUF_WRITABLE : 0))) {
        b->obj = NULL;
        PyErr_Clear();
        return py_refuse(SAC_E_SHAPE, "%s: expected a contiguous%s array of structs", name,
                         for_writing ? ", writable" : "");
    }
    const size_t item = (size_t)b->itemsize;
    const bool is_struct = item == size && b->ndim <= 1 && b->format && !strcmp(b->format, format);
    const bool is_rows = size == 4 * sizeof(int32_t) && b->ndim == 2 && b->shape[1] == 4 &&
                         dtype_of_format(b->format, b->itemsize) == SAC_I32;
    if ((!is_struct && !is_rows) || (uintptr_t)b->buf % 8) {
        py_array_release(view);
        return py_refuse(SAC_E_SHAPE, "%s: expected an aligned array of saccade.%s", name, type);
    }
    *n = (int64_t)((size_t)b->len / size);
    return true;
}

PyObject *py_structs_make(py_array *view, PyObject *dtype, size_t size, int64_t n)
{
    PyObject *shape = PyLong_FromLongLong(n);
    PyObject *made = shape ? PyObject_CallFunctionObjArgs(py.empty, shape, dtype, NULL) : NULL;
    Py_XDECREF(shape);
    if (made && !py_structs_view(view, made, "records", size, true, &n))
        Py_CLEAR(made);
    return made;
}

/* view(array): (address, type, shape, strides in bytes) as the library gets it. For tests. */
PyObject *py_array_describe(PyObject *module, PyObject *array)
{
    (void)module;
    py_array view;
    if (!py_array_view(&view, array, "array", false, PY_NO_STREAM))
        return NULL;
    const sac_array *a = &view.array;
    PyObject *shape = PyList_New(0), *strides = PyList_New(0);
    for (int32_t i = 0; shape && strides && i < a->n_dims; i++) {
        PyObject *n = PyLong_FromLongLong(a->shape[i]), *s = PyLong_FromSsize_t(a->stride[i]);
        if (!n || !s || PyList_Append(shape, n) || PyList_Append(strides, s))
            Py_CLEAR(shape);
        Py_XDECREF(n);
        Py_XDECREF(s);
    }
    PyObject *result = NULL;
    if (shape && strides)
        result = Py_BuildValue("NsOO", PyLong_FromVoidPtr(a->data), py_dtype_name(a->dtype), shape,
                               strides);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    py_array_release(&view);
    return result;
}
