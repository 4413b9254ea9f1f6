/*
 * Models, files of frames and records, calibrations.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/frames.h>
#include <saccade/meltpool_calibrate.h>
#include <saccade/meltpool_model.h>
#include <saccade/records.h>
#include <saccade/simulate_meltpool.h>

static void free_model(PyObject *capsule)
{
    sac_meltpool_model_file *file = PyCapsule_GetPointer(capsule, PY_MODEL_CAPSULE);
    sac_meltpool_model_close(&file);
}

/* read_model(path or None): (capsule, description, parameters) */
static PyObject *read_model(PyObject *module, PyObject *arg)
{
    (void)module;
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    sac_status status;
    PyObject *path = NULL;
    if (arg != Py_None && !PyUnicode_FSConverter(arg, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        status = path ? sac_meltpool_model_read(&file, PyBytes_AsString(path), &err)
                      : sac_meltpool_model_shipped(&file, &err);
    Py_END_ALLOW_THREADS
    Py_XDECREF(path);
    if (status)
        return py_fail(status, &err, NULL);
    PyObject *capsule = PyCapsule_New(file, PY_MODEL_CAPSULE, free_model);
    if (!capsule) {
        sac_meltpool_model_close(&file);
        return NULL;
    }
    return Py_BuildValue("Nss", capsule, sac_meltpool_model_get_description(file),
                         sac_meltpool_model_get_parameters(file));
}

bool py_is_frames(const sac_array *a, int64_t n, const char *name)
{
    if (a->dtype == SAC_U8 && a->n_dims == 3 && a->shape[0] == n && sac_array_is_contiguous(a) &&
        a->device.kind == SAC_DEVICE_CPU)
        return true;
    return py_refuse(SAC_E_SHAPE, "%s: expected contiguous uint8 (%lld, h, w) on the CPU", name,
                     (long long)n);
}

static PyObject *calibration_tuple(const double m[2][3])
{
    return Py_BuildValue("((ddd)(ddd))", m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2]);
}

/* {calibration, rate_hz, seed}: what a file of frames says of them */
static PyObject *read_all(sac_frames_in *in, int64_t first, int64_t n)
{
    const sac_frames_info *info = sac_frames_get_info(in);
    if (n < 0)
        n = info->n_frames - first;
    if (first < 0 || n < 0 || n > info->n_frames - first)
        return py_refuse(SAC_E_INVALID, "first, n: the file has %lld frames",
                         (long long)info->n_frames);
    py_array frames, signals = {0}, truth = {0};
    const sac_array format = {.dtype = SAC_U8, .n_dims = 3, .shape = {n, info->h, info->w}};
    PyObject *a = py_array_make(&frames, &format, NULL, PY_NO_STREAM), *b = NULL, *c = NULL;
    b = !a || !info->has_signals
            ? Py_NewRef(Py_None)
            : py_structs_make(&signals, py.signals_dtype, sizeof(sac_meltpool_signals), n);
    c = !a || !info->has_truth
            ? Py_NewRef(Py_None)
            : py_structs_make(&truth, py.truth_dtype, sizeof(sac_meltpool_truth), n);
    PyObject *result = NULL;
    if (a && b && c) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_frames_read(in, frames.array.data, signals.buffer.buf, truth.buffer.buf,
                                     first, n, &err);
        Py_END_ALLOW_THREADS
        PyObject *m = !status && info->has_calibration ? calibration_tuple(info->calibration)
                                                       : Py_NewRef(Py_None);
        result = status ? py_fail(status, &err, NULL)
                        : Py_BuildValue("OOOOdL", a, b, c, m, info->rate_hz, (long long)info->seed);
        Py_XDECREF(m);
    }
    if (a)
        py_array_release(&frames);
    py_array_release(&signals);
    py_array_release(&truth);
    Py_XDECREF(a);
    Py_XDECREF(b);
    Py_XDECREF(c);
    return result;
}

static PyObject *read_frames(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    long long first, n;
    if (!PyArg_ParseTuple(args, "O&LL", PyUnicode_FSConverter, &path, &first, &n))
        return NULL;
    sac_frames_in *in = NULL;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_frames_open(&in, PyBytes_AsString(path), &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    PyObject *result = status ? py_fail(status, &err, NULL) : read_all(in, first, n);
    Py_BEGIN_ALLOW_THREADS
        sac_frames_close(&in);
    Py_END_ALLOW_THREADS
    return result;
}

/* What both kinds of files are written from: views of optional arrays of n structs. */
static bool optional_structs(py_array *view, PyObject *object, const char *name, size_t size,
                             int64_t n)
{
    int64_t found = n;
    memset(view, 0, sizeof *view);
    if (object == Py_None)
        return true;
    if (!py_structs_view(view, object, name, size, false, &found))
        return false;
    return found == n || py_refuse(SAC_E_SHAPE, "%s: expected %lld, got %lld", name, (long long)n,
                                   (long long)found);
}

static sac_status write_frames_to(const char *path, const sac_frames_info *info,
                                  const py_array *frames, const py_array *signals,
                                  const py_array *truth, sac_error *err)
{
    sac_frames_out *out = NULL;
    sac_status st = sac_frames_create(&out, path, info, err);
    if (st == SAC_OK)
        st = sac_frames_append(out, frames->array.data, signals->buffer.buf, truth->buffer.buf,
                               frames->array.shape[0], err);
    if (st == SAC_OK)
        return sac_frames_commit(&out, err);
    sac_frames_abort(&out);
    return st;
}

/* write_frames(path, frames, signals, truth, calibration, rate_hz) */
static PyObject *write_frames(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *a, *b, *c, *m;
    sac_frames_info info;
    sac_frames_info_init(&info);
    if (!PyArg_ParseTuple(args, "O&OOOOd", PyUnicode_FSConverter, &path, &a, &b, &c, &m,
                          &info.rate_hz))
        return NULL;
    py_array frames = {0}, signals = {0}, truth = {0};
    bool good = py_array_view(&frames, a, "frames", false, PY_NO_STREAM) &&
                py_is_frames(&frames.array, frames.array.shape[0], "frames");
    const int64_t n = frames.array.shape[0];
    good = good && optional_structs(&signals, b, "signals", sizeof(sac_meltpool_signals), n) &&
           optional_structs(&truth, c, "truth", sizeof(sac_meltpool_truth), n) &&
           (m == Py_None || py_calibration_read(info.calibration, m));
    if (good) {
        info.h = (int32_t)frames.array.shape[1];
        info.w = (int32_t)frames.array.shape[2];
        info.has_signals = b != Py_None;
        info.has_truth = c != Py_None;
        info.has_calibration = m != Py_None;
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status =
                write_frames_to(PyBytes_AsString(path), &info, &frames, &signals, &truth, &err);
        Py_END_ALLOW_THREADS
        if (status)
            py_fail(status, &err, NULL);
    }
    py_array_release(&frames);
    py_array_release(&signals);
    py_array_release(&truth);
    Py_DECREF(path);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static sac_status write_records_to(const char *path, const sac_records_info *info,
                                   const sac_meltpool_record *records,
                                   const sac_meltpool_truth *truth, int64_t n, sac_error *err)
{
    sac_records_out *out = NULL;
    sac_status st = sac_records_create(&out, path, info, err);
    if (st == SAC_OK)
        st = sac_records_append(out, records, truth, n, err);
    if (st == SAC_OK)
        return sac_records_commit(&out, err);
    sac_records_abort(&out);
    return st;
}

/* write_records(path, records, truth, has_signals, has_prediction, has_times, rate_hz) */
static PyObject *write_records(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *a, *b;
    int has_signals, has_prediction, has_times;
    sac_records_info info;
    sac_records_info_init(&info);
    if (!PyArg_ParseTuple(args, "O&OOpppd", PyUnicode_FSConverter, &path, &a, &b, &has_signals,
                          &has_prediction, &has_times, &info.rate_hz))
        return NULL;
    info.has_signals = has_signals;
    info.has_prediction = has_prediction;
    info.has_times = has_times;
    info.has_truth = b != Py_None;
    py_array records, truth = {0};
    int64_t n;
    if (py_structs_view(&records, a, "records", sizeof(sac_meltpool_record), false, &n)) {
        if (optional_structs(&truth, b, "truth", sizeof(sac_meltpool_truth), n)) {
            sac_error err = {0};
            sac_status status;
            Py_BEGIN_ALLOW_THREADS
                status = write_records_to(PyBytes_AsString(path), &info, records.buffer.buf,
                                          truth.buffer.buf, n, &err);
            Py_END_ALLOW_THREADS
            if (status)
                py_fail(status, &err, NULL);
        }
        py_array_release(&truth);
        py_array_release(&records);
    }
    Py_DECREF(path);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static sac_status fit(sac_meltpool_fit *out, const sac_array *frames,
                      const sac_meltpool_signals *signals, int32_t threshold, sac_error *err)
{
    const int64_t n = frames->shape[0];
    sac_meltpool_sight *sights = calloc((size_t)n + 1, sizeof *sights);
    if (!sights)
        return SAC_E_NOMEM;
    sac_status st = sac_meltpool_see(sights, frames, signals, threshold, err);
    if (st == SAC_OK)
        st = sac_meltpool_calibrate(out, sights, n, err);
    free(sights);
    return st;
}

static PyObject *fit_dict(const sac_meltpool_fit *f)
{
    return Py_BuildValue(
        "{sNsdsOsLsLsLsLsLsLsLsdsdsdss}", "calibration", calibration_tuple(f->calibration), "lag",
        f->lag, "has_lag", f->has_lag ? Py_True : Py_False, "frames", (long long)f->frames, "used",
        (long long)f->used, "laser_off", (long long)f->laser_off, "no_pool", (long long)f->no_pool,
        "clipped", (long long)f->clipped, "turning", (long long)f->turning, "outliers",
        (long long)f->outliers, "median", f->median, "p95", f->p95, "max", f->max, "doubt",
        sac_meltpool_fit_doubt(f));
}

/* calibrate(frames, signals, threshold): a dict */
static PyObject *calibrate(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *a, *b;
    int threshold;
    py_array frames = {0}, signals = {0};
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "OOi", &a, &b, &threshold) ||
        !py_array_view(&frames, a, "frames", false, PY_NO_STREAM))
        return NULL;
    const int64_t n = frames.array.n_dims == 3 ? frames.array.shape[0] : -1;
    if (n < 0) {
        py_refuse(SAC_E_SHAPE, "frames: expected (frames, h, w)");
    } else if (b == Py_None) {
        py_refuse(SAC_E_INVALID, "signals: are missing");
    } else if (optional_structs(&signals, b, "signals", sizeof(sac_meltpool_signals), n)) {
        sac_meltpool_fit f = {.struct_size = sizeof f};
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = fit(&f, &frames.array, signals.buffer.buf, threshold, &err);
        Py_END_ALLOW_THREADS
        result = status ? py_fail(status, &err, NULL) : fit_dict(&f);
    }
    py_array_release(&frames);
    py_array_release(&signals);
    return result;
}

static PyObject *feature_names(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *names = PyTuple_New(SAC_MELTPOOL_FEATURES);
    for (int32_t i = 0; names && i < SAC_MELTPOOL_FEATURES; i++)
        if (PyTuple_SetItem(names, i, PyUnicode_FromString(sac_meltpool_feature_name(i))))
            Py_CLEAR(names);
    return names;
}

static PyObject *struct_sizes(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return Py_BuildValue("nnn", (Py_ssize_t)sizeof(sac_meltpool_record),
                         (Py_ssize_t)sizeof(sac_meltpool_signals),
                         (Py_ssize_t)sizeof(sac_meltpool_truth));
}

static PyMethodDef methods[] = {{"read_model", read_model, METH_O, NULL},
                                {"read_frames", read_frames, METH_VARARGS, NULL},
                                {"write_frames", write_frames, METH_VARARGS, NULL},
                                {"write_records", write_records, METH_VARARGS, NULL},
                                {"calibrate", calibrate, METH_VARARGS, NULL},
                                {"struct_sizes", struct_sizes, METH_NOARGS, NULL},
                                {"feature_names", feature_names, METH_NOARGS, NULL},
                                {0}};

int py_add_meltpool_files(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
