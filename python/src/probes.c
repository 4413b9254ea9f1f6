/*
 * Usual arrays, and what they send.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <saccade/recording.h>

static PyObject *probe_linear(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *rows;
    double pitch, width, height;
    py_array view;
    int64_t n;
    if (!PyArg_ParseTuple(args, "Oddd", &rows, &pitch, &width, &height) ||
        !py_rows_view(&view, rows, "elements", 8, &n))
        return NULL;
    sac_probe_linear(view.array.data, (int32_t)n, pitch, width, height);
    py_array_release(&view);
    Py_RETURN_NONE;
}

static PyObject *probe_curved(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *rows;
    double radius, pitch, width, height;
    py_array view;
    int64_t n;
    if (!PyArg_ParseTuple(args, "Odddd", &rows, &radius, &pitch, &width, &height) ||
        !py_rows_view(&view, rows, "elements", 8, &n))
        return NULL;
    sac_probe_curved(view.array.data, (int32_t)n, radius, pitch, width, height);
    py_array_release(&view);
    Py_RETURN_NONE;
}

static PyObject *probe_matrix(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *rows;
    double pitch_x, pitch_y;
    int n_x, n_y;
    py_array view;
    int64_t n;
    if (!PyArg_ParseTuple(args, "Oiidd", &rows, &n_x, &n_y, &pitch_x, &pitch_y) ||
        !py_rows_view(&view, rows, "elements", 8, &n))
        return NULL;
    if (n_x < 0 || n_y < 0 || (int64_t)n_x * n_y != n)
        py_refuse(SAC_E_INVALID, "n_x, n_y: %d x %d elements are not %lld", n_x, n_y, (long long)n);
    else
        sac_probe_matrix(view.array.data, n_x, n_y, pitch_x, pitch_y);
    py_array_release(&view);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *probe_row_column(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *rows, *result = NULL;
    double pitch, width;
    int n_rows, n_columns;
    py_array view;
    int64_t n;
    if (!PyArg_ParseTuple(args, "Oiidd", &rows, &n_rows, &n_columns, &pitch, &width) ||
        !py_rows_view(&view, rows, "elements", 8, &n))
        return NULL;
    int32_t *shapes = PyMem_Calloc((size_t)n + 1, sizeof *shapes);
    if (!shapes)
        PyErr_NoMemory();
    else if (n_rows < 0 || n_columns < 0 || (int64_t)n_rows + n_columns != n)
        py_refuse(SAC_E_INVALID, "n_rows, n_columns: %d + %d elements are not %lld", n_rows,
                  n_columns, (long long)n);
    else {
        sac_probe_row_column(view.array.data, shapes, n_rows, n_columns, pitch, width);
        result = PyBytes_FromStringAndSize((const char *)shapes,
                                           (Py_ssize_t)n * (Py_ssize_t)sizeof *shapes);
    }
    PyMem_Free(shapes);
    py_array_release(&view);
    return result;
}

#define MAX_TRANSMITS 65536

/* The list of both ways, in room for MAX_TRANSMITS. */
static PyObject *row_column_list(sac_transmit *room, const char *text, const py_array *elements,
                                 const int32_t *shapes)
{
    const int32_t n = (int32_t)elements->array.shape[0];
    int32_t n_by[2], n_lines[2];
    sac_error err = {0};
    sac_status status = sac_transmits_parse_row_column(room, n_by, n_lines, MAX_TRANSMITS, text,
                                                       elements->array.data, shapes, n, &err);
    if (status)
        return py_fail(status, &err, NULL);
    const int32_t n_all = n_by[0] + n_by[1];
    double *fires = PyMem_Calloc((size_t)n_all * (size_t)n, sizeof *fires);
    uint8_t *receives = PyMem_Calloc((size_t)n_all * (size_t)n, sizeof *receives);
    PyObject *list = NULL;
    if (fires && receives) {
        sac_transmits_row_column(room, fires, receives, n_by[0], n_by[1], n_lines[0], n_lines[1]);
        list = py_transmits_new(room, fires, receives, n_all, n);
    } else
        PyErr_NoMemory();
    PyMem_Free(fires);
    PyMem_Free(receives);
    return list;
}

static PyObject *linear_list(sac_transmit *room, const char *text, const py_array *elements)
{
    const int32_t n_elements = (int32_t)elements->array.shape[0];
    int32_t n = 0;
    sac_error err = {0};
    const sac_status status =
        sac_transmits_parse(room, &n, MAX_TRANSMITS, text, elements->array.data, n_elements, &err);
    return status ? py_fail(status, &err, NULL) : py_transmits_new(room, NULL, NULL, n, n_elements);
}

/* transmits(text, elements, shapes): shapes are bytes of int32, or None. */
static PyObject *transmits(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *rows, *list = NULL;
    const char *text, *shapes;
    Py_ssize_t length;
    py_array view;
    int64_t n;
    if (!PyArg_ParseTuple(args, "sOz#", &text, &rows, &shapes, &length) ||
        !py_rows_view(&view, rows, "elements", 8, &n))
        return NULL;
    sac_transmit *room = PyMem_Calloc(MAX_TRANSMITS, sizeof *room);
    if (!room)
        PyErr_NoMemory();
    else if (n > INT32_MAX || (shapes && length != n * (Py_ssize_t)sizeof(int32_t)))
        py_refuse(SAC_E_SHAPE, "shapes: expected %lld numbers, got %lld", (long long)n,
                  (long long)length / (long long)sizeof(int32_t));
    else
        list = shapes ? row_column_list(room, text, &view, (const int32_t *)(const void *)shapes)
                      : linear_list(room, text, &view);
    PyMem_Free(room);
    py_array_release(&view);
    return list;
}

static PyMethodDef methods[] = {{"probe_linear", probe_linear, METH_VARARGS, NULL},
                                {"probe_curved", probe_curved, METH_VARARGS, NULL},
                                {"probe_matrix", probe_matrix, METH_VARARGS, NULL},
                                {"probe_row_column", probe_row_column, METH_VARARGS, NULL},
                                {"transmits", transmits, METH_VARARGS, NULL},
                                {0}};

int py_add_probes(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
