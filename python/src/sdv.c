/*
 * Delta streams in files: packets, one after the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <saccade/delta.h>

static sac_status close_reader(void **object, sac_error *err)
{
    (void)err;
    sac_sdv_reader_close((sac_sdv_reader **)object);
    return SAC_OK;
}

static sac_status close_writer(void **object, sac_error *err)
{
    return sac_sdv_writer_close((sac_sdv_writer **)object, err);
}

static PyObject *sdv_open(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    int writes;
    if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &writes))
        return NULL;
    void *object = NULL;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status =
            writes ? sac_sdv_writer_open((sac_sdv_writer **)&object, PyBytes_AsString(path), &err)
                   : sac_sdv_reader_open((sac_sdv_reader **)&object, PyBytes_AsString(path), &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    return status ? py_fail(status, &err, NULL)
                  : py_handle_new(object, writes ? close_writer : close_reader);
}

/* sdv_read(handle): a Packet, or None at the end */
static PyObject *sdv_read(PyObject *module, PyObject *handle)
{
    (void)module;
    sac_sdv_reader *reader = py_handle_take(handle, close_reader);
    if (!reader)
        return NULL;
    sac_delta_packet packet = {0};
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_sdv_read(reader, &packet, &err);
    Py_END_ALLOW_THREADS
    PyObject *result = NULL;
    if (status == SAC_OK)
        result = py_packet(&packet);
    else if (status == SAC_END)
        result = Py_NewRef(Py_None);
    else if (PyErr_CheckSignals() == 0)
        py_fail(status, &err, NULL);
    py_handle_give(handle);
    return result;
}

static PyObject *sdv_seek(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle;
    uint64_t frame;
    sac_sdv_reader *reader;
    if (!PyArg_ParseTuple(args, "OO&", &handle, py_u64, &frame) ||
        !(reader = py_handle_take(handle, close_reader)))
        return NULL;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_sdv_seek(reader, frame, &err);
    Py_END_ALLOW_THREADS
    py_handle_give(handle);
    return status ? py_fail(status, &err, NULL) : Py_NewRef(Py_None);
}

static PyObject *sdv_write(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle;
    Py_buffer bytes;
    if (!PyArg_ParseTuple(args, "Oy*", &handle, &bytes))
        return NULL;
    sac_sdv_writer *writer = py_handle_take(handle, close_writer);
    if (writer) {
        const sac_delta_packet packet = {.data = bytes.buf, .size = (size_t)bytes.len};
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_sdv_write(writer, &packet, &err);
        Py_END_ALLOW_THREADS
        py_handle_give(handle);
        if (status)
            py_fail(status, &err, NULL);
    }
    PyBuffer_Release(&bytes);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {{"sdv_open", sdv_open, METH_VARARGS, NULL},
                                  {"sdv_read", sdv_read, METH_O, NULL},
                                  {"sdv_seek", sdv_seek, METH_VARARGS, NULL},
                                  {"sdv_write", sdv_write, METH_VARARGS, NULL},
                                  {0}};

int py_add_sdv(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
