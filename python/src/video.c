/*
 * Pictures and video from and to files. A picture's pixels are a view of what was read.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <string.h>

#include <saccade/io.h>
#include <saccade/video.h>

#define PICTURE "saccade.picture"

static void free_picture(PyObject *capsule)
{
    sac_picture *picture = PyCapsule_GetPointer(capsule, PICTURE);
    sac_picture_close(&picture);
}

/* read_picture(path, max_pixels, page): (pixels, note, pages) */
static PyObject *read_picture(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    uint64_t max_pixels;
    sac_picture_read_desc desc;
    sac_picture_read_desc_init(&desc);
    if (!PyArg_ParseTuple(args, "O&O&i", PyUnicode_FSConverter, &path, py_u64, &max_pixels,
                          &desc.page))
        return NULL;
    desc.max_pixels = max_pixels;
    sac_picture *picture = NULL;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_picture_read_with(&picture, PyBytes_AsString(path), &desc, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    if (status)
        return py_fail(status, &err, NULL);
    PyObject *owner = PyCapsule_New(picture, PICTURE, free_picture);
    if (!owner) {
        sac_picture_close(&picture);
        return NULL;
    }
    const sac_array array = sac_picture_get_array(picture);
    PyObject *pixels = py_array_of_memory(&array, owner, false);
    PyObject *result = pixels ? Py_BuildValue("Nsi", pixels, sac_picture_get_note(picture),
                                              sac_picture_get_pages(picture))
                              : NULL;
    Py_DECREF(owner);
    return result;
}

/* Copies contiguous pixels into a new picture and writes it. */
static sac_status write_pixels(const char *path, const sac_array *pixels,
                               const sac_picture_write_desc *desc, sac_error *err)
{
    sac_picture *picture = NULL;
    const int32_t n = pixels->n_dims == 2 ? 1 : (int32_t)pixels->shape[2];
    sac_status st = sac_picture_can_write(path, desc->format, err);
    if (st == SAC_OK)
        st = sac_picture_new(&picture, pixels->dtype, pixels->shape[1], pixels->shape[0], n, err);
    if (st == SAC_OK) {
        const sac_array to = sac_picture_get_array(picture);
        memcpy(to.data, pixels->data,
               (size_t)sac_array_count(pixels) * sac_dtype_size(pixels->dtype));
        st = sac_picture_write_with(picture, path, desc, err);
    }
    sac_picture_close(&picture);
    return st;
}

/* write_picture(path, pixels, format or None, quality) */
static PyObject *write_picture(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *pixels;
    sac_picture_write_desc desc;
    sac_picture_write_desc_init(&desc);
    if (!PyArg_ParseTuple(args, "O&Ozi", PyUnicode_FSConverter, &path, &pixels, &desc.format,
                          &desc.quality))
        return NULL;
    py_array view;
    if (py_array_view(&view, pixels, "picture", false, PY_NO_STREAM)) {
        const sac_array *a = &view.array;
        const bool is_picture = a->n_dims == 2 || (a->n_dims == 3 && a->shape[2] <= 4);
        sac_error err = {0};
        sac_status status = SAC_OK;
        if (!is_picture || !sac_array_is_contiguous(a) || a->device.kind != SAC_DEVICE_CPU)
            py_refuse(SAC_E_SHAPE, "picture: expected contiguous (h, w) or (h, w, channels)");
        else {
            Py_BEGIN_ALLOW_THREADS
                status = write_pixels(PyBytes_AsString(path), a, &desc, &err);
            Py_END_ALLOW_THREADS
        }
        py_array_release(&view);
        if (status)
            py_fail(status, &err, NULL);
    }
    Py_DECREF(path);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static const char *const pixels[] = {"gray", "rgb", "bgr", "rgba", "bgrx", NULL};

static sac_status close_reader(void **object, sac_error *err)
{
    (void)err;
    sac_video_reader_close((sac_video_reader **)object);
    return SAC_OK;
}

static sac_status close_writer(void **object, sac_error *err)
{
    return sac_video_writer_close((sac_video_writer **)object, err);
}

/* video_open(path, pixel or None, w, h): (handle, w, h, pixel, rate_num, rate_den) */
static PyObject *video_open(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *pixel;
    long long w, h;
    sac_video_info info;
    sac_video_info_init(&info);
    if (!PyArg_ParseTuple(args, "O&OLL", PyUnicode_FSConverter, &path, &pixel, &w, &h))
        return NULL;
    const int chosen = pixel == Py_None ? SAC_PIXEL_RGB : py_choice(pixel, "pixel", pixels);
    if (chosen < 0) {
        Py_DECREF(path);
        return NULL;
    }
    info.pixel = (sac_video_pixel)chosen;
    info.w = w;
    info.h = h;
    const bool knows = pixel != Py_None || w || h;
    sac_video_reader *reader = NULL;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_video_reader_open(&reader, PyBytes_AsString(path), knows ? &info : NULL, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    if (status)
        return py_fail(status, &err, NULL);
    sac_video_reader_get_info(reader, &info);
    PyObject *handle = py_handle_new(reader, close_reader);
    return handle ? Py_BuildValue("NLLsLL", handle, (long long)info.w, (long long)info.h,
                                  pixels[info.pixel], (long long)info.rate_num,
                                  (long long)info.rate_den)
                  : NULL;
}

/* video_read(handle, out): whether there was a frame */
static PyObject *video_read(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *out;
    py_array view;
    sac_status status = SAC_OK;
    if (!PyArg_ParseTuple(args, "OO", &handle, &out) ||
        !py_array_view(&view, out, "out", true, PY_NO_STREAM))
        return NULL;
    sac_video_reader *reader = py_handle_take(handle, close_reader);
    if (reader) {
        sac_error err = {0};
        Py_BEGIN_ALLOW_THREADS
            status = sac_video_read(reader, &view.array, &err);
        Py_END_ALLOW_THREADS
        py_handle_give(handle);
        if (status > SAC_END && PyErr_CheckSignals() == 0)
            py_fail(status, &err, NULL);
    }
    py_array_release(&view);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(status == SAC_OK);
}

/* video_create(path, w, h, pixel, rate_num, rate_den, quality) */
static PyObject *video_create(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *pixel;
    long long w, h, num, den;
    sac_video_info info;
    sac_video_info_init(&info);
    if (!PyArg_ParseTuple(args, "O&LLOLLi", PyUnicode_FSConverter, &path, &w, &h, &pixel, &num,
                          &den, &info.quality))
        return NULL;
    const int chosen = py_choice(pixel, "pixel", pixels);
    sac_video_writer *writer = NULL;
    if (chosen >= 0) {
        info.pixel = (sac_video_pixel)chosen;
        info.w = w, info.h = h, info.rate_num = num, info.rate_den = den;
        if (info.pixel == SAC_PIXEL_GRAY) {
            info.chroma = SAC_CHROMA_MONO;
            info.full_range = true;
        }
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_video_writer_open(&writer, PyBytes_AsString(path), &info, &err);
        Py_END_ALLOW_THREADS
        if (status)
            py_fail(status, &err, NULL);
    }
    Py_DECREF(path);
    return writer ? py_handle_new(writer, close_writer) : NULL;
}

static PyObject *video_write(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *handle, *frame;
    py_array view;
    if (!PyArg_ParseTuple(args, "OO", &handle, &frame) ||
        !py_array_view(&view, frame, "frame", false, PY_NO_STREAM))
        return NULL;
    sac_video_writer *writer = py_handle_take(handle, close_writer);
    if (writer) {
        sac_error err = {0};
        sac_status status;
        Py_BEGIN_ALLOW_THREADS
            status = sac_video_write(writer, &view.array, &err);
        Py_END_ALLOW_THREADS
        py_handle_give(handle);
        if (status && PyErr_CheckSignals() == 0)
            py_fail(status, &err, NULL);
    }
    py_array_release(&view);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {{"read_picture", read_picture, METH_VARARGS, NULL},
                                {"write_picture", write_picture, METH_VARARGS, NULL},
                                {"video_open", video_open, METH_VARARGS, NULL},
                                {"video_read", video_read, METH_VARARGS, NULL},
                                {"video_create", video_create, METH_VARARGS, NULL},
                                {"video_write", video_write, METH_VARARGS, NULL},
                                {0}};

int py_add_video(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
