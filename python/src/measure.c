/*
 * Measures of pictures, video and machines; what this build and machine have.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/delta.h>
#include <saccade/io.h>

/* histogram(picture, bins, layout): (bins) of uint64 */
static PyObject *histogram(PyObject *module, PyObject *args)
{
    (void)module;
    static const char *const layouts[] = {"interleaved", "planar", NULL};
    PyObject *picture, *layout, *made = NULL;
    int bins;
    py_array in, out;
    if (!PyArg_ParseTuple(args, "OiO", &picture, &bins, &layout))
        return NULL;
    const int chosen = py_choice(layout, "layout", layouts);
    if (chosen < 0 || !py_array_view(&in, picture, "picture", false, PY_NO_STREAM))
        return NULL;
    const sac_array format = {.dtype = SAC_U64, .n_dims = 1, .shape = {bins > 0 ? bins : 0}};
    made = py_array_make(&out, &format, NULL, PY_NO_STREAM);
    if (made) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status =
                sac_measure_histogram(out.array.data, bins, &in.array, (sac_layout)chosen, &err);
        Py_END_ALLOW_THREADS
        py_array_release(&out);
        if (status) {
            Py_CLEAR(made);
            py_fail(status, &err, "picture");
        }
    }
    py_array_release(&in);
    return made;
}

static PyObject *difference(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *a, *b;
    py_array current, previous;
    sac_frame_difference d;
    if (!PyArg_ParseTuple(args, "OO", &a, &b) ||
        !py_array_view(&current, a, "current", false, PY_NO_STREAM))
        return NULL;
    if (py_array_view(&previous, b, "previous", false, PY_NO_STREAM)) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_measure_difference(&d, &current.array, &previous.array, &err);
        Py_END_ALLOW_THREADS
        py_array_release(&previous);
        if (status)
            py_fail(status, &err, NULL);
    }
    py_array_release(&current);
    return PyErr_Occurred()
               ? NULL
               : Py_BuildValue("{sKsKsi}", "n_changed", (unsigned long long)d.n_changed, "sum",
                               (unsigned long long)d.sum, "max", d.max);
}

static PyObject *bandwidth(PyObject *module, PyObject *args)
{
    (void)module;
    int threads;
    if (!PyArg_ParseTuple(args, "i", &threads))
        return NULL;
    sac_bandwidth b;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_measure_bandwidth(&b, threads, &err);
    Py_END_ALLOW_THREADS
    return status ? py_fail(status, &err, NULL)
                  : Py_BuildValue("{sdsd}", "hot_b_s", b.hot_b_s, "dram_b_s", b.dram_b_s);
}

static sac_status close_noise(void **object, sac_error *err)
{
    (void)err;
    sac_camera_noise_close((sac_camera_noise **)object);
    return SAC_OK;
}

/* noise_open(w, h, channels, dtype, white, bins): a handle */
static PyObject *noise_open(PyObject *module, PyObject *args)
{
    (void)module;
    long long w, h;
    PyObject *dtype;
    sac_camera_noise_desc desc;
    sac_camera_noise_desc_init(&desc);
    if (!PyArg_ParseTuple(args, "LLiOii", &w, &h, &desc.n_channels, &dtype, &desc.white,
                          &desc.n_bins) ||
        !py_dtype_parse(&desc.dtype, dtype, "dtype"))
        return NULL;
    desc.w = w;
    desc.h = h;
    sac_camera_noise *noise = NULL;
    sac_error err = {0};
    const sac_status status = sac_camera_noise_open(&noise, &desc, &err);
    return status ? py_fail(status, &err, NULL) : py_handle_new(noise, close_noise);
}

static PyObject *noise_add(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *frame;
    py_array view;
    if (!PyArg_ParseTuple(args, "OO", &handle, &frame) ||
        !py_array_view(&view, frame, "frame", false, PY_NO_STREAM))
        return NULL;
    sac_camera_noise *noise = py_handle_take(handle, close_noise);
    if (noise) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_camera_noise_add(noise, &view.array, &err);
        Py_END_ALLOW_THREADS
        py_handle_give(handle);
        if (status)
            py_fail(status, &err, NULL);
    }
    py_array_release(&view);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* noise_figures(handle, bins, channel): (bins + 1, 12) of float64, the struct's members in order */
static PyObject *noise_figures(PyObject *module, PyObject *args)
{
    (void)module;
    _Static_assert(sizeof(sac_noise_figures) == 12 * sizeof(double), "figures are 12 numbers");
    PyObject *handle;
    int bins, channel;
    sac_camera_noise *noise;
    py_array out;
    if (!PyArg_ParseTuple(args, "Oii", &handle, &bins, &channel) ||
        !(noise = py_handle_take(handle, close_noise)))
        return NULL;
    const sac_array format = {.dtype = SAC_F64, .n_dims = 2, .shape = {(int64_t)bins + 1, 12}};
    PyObject *made = py_array_make(&out, &format, NULL, PY_NO_STREAM);
    if (made) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_camera_noise_get_figures(noise, out.array.data, channel, &err);
        Py_END_ALLOW_THREADS
        py_array_release(&out);
        if (status) {
            Py_CLEAR(made);
            py_fail(status, &err, NULL);
        }
    }
    py_handle_give(handle);
    return made;
}

static PyObject *gpu_dict(int32_t index)
{
    sac_gpu_info g = {.struct_size = sizeof g};
    sac_error err = {0};
    const sac_status status = sac_gpu_describe(&g, index, &err);
    if (status)
        return py_fail(status, &err, NULL);
    return Py_BuildValue("{sisssssss(ii)sisKsK}", "index", g.index, "name", g.name, "pci", g.pci,
                         "driver", g.driver, "compute_capability", g.major, g.minor,
                         "n_multiprocessors", g.n_multiprocessors, "memory_bytes",
                         (unsigned long long)g.memory_bytes, "l2_bytes",
                         (unsigned long long)g.l2_bytes);
}

static PyObject *info(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    sac_build b = {.struct_size = sizeof b};
    char cpu[128], features[64];
    sac_build_info(&b);
    PyObject *gpus = PyList_New(0);
    for (int32_t i = 0; gpus && i < sac_gpu_count(); i++) {
        PyObject *gpu = gpu_dict(i);
        if (!gpu || PyList_Append(gpus, gpu))
            Py_CLEAR(gpus);
        Py_XDECREF(gpu);
    }
    if (!gpus)
        return NULL;
    return Py_BuildValue(
        "{sssssssssssssisssssN}", "version", b.version, "commit", b.commit, "compiler", b.compiler,
        "options", b.options, "cpu", sac_cpu_model(cpu, sizeof cpu), "features",
        sac_cpu_names(sac_cpu_usable(), features, sizeof features), "cores", sac_cpu_count(), "io",
        sac_io_parts(), "delta", sac_delta_parts(), "gpus", gpus);
}

static PyMethodDef methods[] = {{"histogram", histogram, METH_VARARGS, NULL},
                                {"difference", difference, METH_VARARGS, NULL},
                                {"bandwidth", bandwidth, METH_VARARGS, NULL},
                                {"noise_open", noise_open, METH_VARARGS, NULL},
                                {"noise_add", noise_add, METH_VARARGS, NULL},
                                {"noise_figures", noise_figures, METH_VARARGS, NULL},
                                {"info", info, METH_NOARGS, NULL},
                                {0}};

int py_add_measure(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
