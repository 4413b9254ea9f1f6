/*
 * Recordings and beamformed images from and to files. Samples of a file are views of what was read.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <math.h>
#include <string.h>

#include <saccade/recording.h>

#define RECORDING "saccade.recording"
#define IMAGE "saccade.image"

static void free_recording(PyObject *capsule)
{
    sac_recording *recording = PyCapsule_GetPointer(capsule, RECORDING);
    sac_recording_close(&recording);
}

static void free_image(PyObject *capsule)
{
    sac_image *image = PyCapsule_GetPointer(capsule, IMAGE);
    sac_image_close(&image);
}

/* (samples, acquisition, truth, note) */
static PyObject *unpack_recording(sac_recording *recording)
{
    PyObject *owner = PyCapsule_New(recording, RECORDING, free_recording);
    if (!owner) {
        sac_recording_close(&recording);
        return NULL;
    }
    const sac_array array = sac_recording_get_array(recording);
    int64_t n = 0;
    const sac_scatterer *truth = sac_recording_get_truth(recording, &n);
    PyObject *samples = py_array_of_memory(&array, owner, false);
    PyObject *acquisition = py_acquisition_tuple(sac_recording_get_acquisition(recording));
    PyObject *rows = truth ? py_rows_new(truth, n, 4) : Py_NewRef(Py_None);
    PyObject *result =
        samples && acquisition && rows
            ? Py_BuildValue("OOOs", samples, acquisition, rows, sac_recording_get_note(recording))
            : NULL;
    Py_XDECREF(samples);
    Py_XDECREF(acquisition);
    Py_XDECREF(rows);
    Py_DECREF(owner);
    return result;
}

static PyObject *read_recording(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    static char *names[] = {"path",     "fs_hz",     "fc_hz",          "fd_hz",       "c_m_s",
                            "t0_s",     "pitch_m",   "bandwidth",      "transmits",   "first_frame",
                            "n_frames", "max_bytes", "first_transmit", "n_transmits", NULL};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    PyObject *path;
    long long first = 0, n = 0, first_transmit = 0, n_transmits = 0;
    uint64_t max_bytes = 0;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O&|$dddddddzLLO&LL", names, PyUnicode_FSConverter, &path, &desc.fs_hz,
            &desc.fc_hz, &desc.fd_hz, &desc.c_m_s, &desc.t0_s, &desc.pitch_m, &desc.bandwidth,
            &desc.transmits, &first, &n, py_u64, &max_bytes, &first_transmit, &n_transmits))
        return NULL;
    desc.first_frame = first;
    desc.n_frames = n;
    desc.first_transmit = first_transmit;
    desc.n_transmits = n_transmits;
    desc.max_bytes = max_bytes;
    sac_recording *recording = NULL;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_recording_read(&recording, PyBytes_AsString(path), &desc, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    return status ? py_fail(status, &err, NULL) : unpack_recording(recording);
}

static PyObject *write_recording(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *samples, *acquisition, *truth;
    if (!PyArg_ParseTuple(args, "O&OOO", PyUnicode_FSConverter, &path, &samples, &acquisition,
                          &truth))
        return NULL;
    PyObject *capsule = py_acquisition_new(acquisition);
    py_array view, rows = {0};
    int64_t n = 0;
    const sac_scatterer *scatterers = NULL;
    bool good = capsule && py_array_view(&view, samples, "samples", false, PY_NO_STREAM);
    if (good && truth != Py_None) {
        scatterers = py_rows_view(&rows, truth, "truth", 4, &n);
        if (!scatterers)
            py_array_release(&view);
        good = scatterers;
    }
    if (good) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_recording_write(PyBytes_AsString(path), &view.array,
                                         py_acquisition_get(capsule), scatterers, n, &err);
        Py_END_ALLOW_THREADS
        py_array_release(&view);
        py_array_release(&rows);
        if (status)
            py_fail(status, &err, NULL);
    }
    Py_XDECREF(capsule);
    Py_DECREF(path);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* sac_beamform_output */
static const char *const kinds[] = {
    "iq",          "envelope", "bmode",          "gray",   "power", "velocity",
    "directional", "variance", "velocity-power", "vector", NULL};

/* write_image(path, image, grid, kind, dynamic_range, {c_m_s: ..}, nyquist, prf) */
static PyObject *write_image(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *image, *grid, *kind;
    sac_image_info info;
    sac_image_info_init(&info);
    if (!PyArg_ParseTuple(args, "O&OOOdddddddd", PyUnicode_FSConverter, &path, &image, &grid, &kind,
                          &info.dynamic_range_db, &info.c_m_s, &info.fc_hz, &info.f_number,
                          &info.aperture_m, &info.frame_rate_hz, &info.nyquist_m_s, &info.prf_hz))
        return NULL;
    const int chosen = py_choice(kind, "kind", kinds);
    info.output = (sac_beamform_output)chosen;
    py_array view;
    if (chosen >= 0 && py_grid_read(&info.grid, &info.grid_kind, &info.sector, grid) &&
        py_array_view(&view, image, "image", false, PY_NO_STREAM)) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_image_write(PyBytes_AsString(path), &view.array, &info, &err);
        Py_END_ALLOW_THREADS
        py_array_release(&view);
        if (status)
            py_fail(status, &err, NULL);
    }
    Py_DECREF(path);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* (samples, grid, kind, dynamic_range, c, fc, f_number, aperture, frame_rate, truth, nyquist, prf)
 */
static PyObject *unpack_image(sac_image *image)
{
    PyObject *owner = PyCapsule_New(image, IMAGE, free_image);
    if (!owner) {
        sac_image_close(&image);
        return NULL;
    }
    const sac_array array = sac_image_get_array(image);
    const sac_image_info *info = sac_image_get_info(image);
    PyObject *samples = py_array_of_memory(&array, owner, false);
    PyObject *grid = py_grid_new(&info->grid, info->grid_kind, &info->sector);
    PyObject *truth = info->truth ? py_rows_new(info->truth, info->n_truth, 4) : Py_NewRef(Py_None);
    PyObject *result = NULL;
    if (samples && grid && truth)
        result = Py_BuildValue("OOsddddddOdd", samples, grid, kinds[info->output],
                               info->dynamic_range_db, info->c_m_s, info->fc_hz, info->f_number,
                               info->aperture_m, info->frame_rate_hz, truth, info->nyquist_m_s,
                               info->prf_hz);
    Py_XDECREF(samples);
    Py_XDECREF(grid);
    Py_XDECREF(truth);
    Py_DECREF(owner);
    return result;
}

static PyObject *read_image(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    sac_image *image = NULL;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_image_read(&image, PyBytes_AsString(path), &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    if (status)
        return py_fail(status, &err, NULL);
    return unpack_image(image);
}

static PyMethodDef methods[] = {{"read_recording", (PyCFunction)(void (*)(void))read_recording,
                                 METH_VARARGS | METH_KEYWORDS, NULL},
                                {"write_recording", write_recording, METH_VARARGS, NULL},
                                {"write_image", write_image, METH_VARARGS, NULL},
                                {"read_image", read_image, METH_VARARGS, NULL},
                                {0}};

int py_add_recording(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
