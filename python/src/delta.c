/*
 * saccade.DeltaEncoder and DeltaDecoder.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stddef.h>
#include <string.h>

#include <saccade/delta.h>

static void init_encoder(py_plan *self)
{
    sac_delta_encode_desc_init(&self->desc.encode);
    self->shape.dtype = SAC_U8;
}

static void init_decoder(py_plan *self)
{
    sac_delta_decode_desc_init(&self->desc.decode);
}

static int encoder_option(py_plan *self, const char *name, PyObject *value)
{
    static const char *const orders[] = {"unknown", "rgb", "bgr", NULL};
    if (!strcmp(name, "scene_change")) {
        if (value == Py_None)
            return 1;
        const int yes = PyObject_IsTrue(value);
        self->desc.encode.scene_change = yes > 0;
        return yes < 0 ? -1 : 1;
    }
    if (strcmp(name, "order"))
        return 0;
    const int order = py_choice(value, name, orders);
    self->desc.encode.order = (sac_pixel_order)order;
    return order < 0 ? -1 : 1;
}

static int decoder_option(py_plan *self, const char *name, PyObject *value)
{
    if (strcmp(name, "max_pixels"))
        return 0;
    return value == Py_None || py_u64(value, &self->desc.decode.max_pixels) ? 1 : -1;
}

static bool encoder_format(py_plan *self, const sac_array *in)
{
    sac_delta_encode_desc *desc = &self->desc.encode;
    return py_frame_format(&desc->w, &desc->h, &desc->n_channels, in);
}

static bool decoder_format(py_plan *self, const sac_array *in)
{
    (void)self;
    (void)in;
    return true;
}

static sac_status open_encoder(py_plan *self, sac_error *err)
{
    return sac_delta_encode_open((sac_delta_encode **)&self->plan, &self->desc.encode, err);
}

static sac_status open_decoder(py_plan *self, sac_error *err)
{
    return sac_delta_decode_open((sac_delta_decode **)&self->plan, &self->desc.decode, err);
}

static void close_encoder(py_plan *self)
{
    sac_delta_encode_close((sac_delta_encode **)&self->plan);
}

static void close_decoder(py_plan *self)
{
    sac_delta_decode_close((sac_delta_decode **)&self->plan);
}

static const char *encoder_variant(const py_plan *self)
{
    return sac_delta_encode_get_variant(self->plan);
}

static const char *decoder_variant(const py_plan *self)
{
    return sac_delta_decode_get_variant(self->plan);
}

static const char *const encoder_positional[] = {"shape", NULL};
static const char *const none[] = {NULL};

static const py_pipeline encoder = {
    .params = sac_delta_encode_params,
    .positional = encoder_positional,
    .init = init_encoder,
    .option = encoder_option,
    .format = encoder_format,
    .open = open_encoder,
    .close = close_encoder,
    .variant = encoder_variant,
    .device = offsetof(sac_delta_encode_desc, device),
    .stream = offsetof(sac_delta_encode_desc, stream),
};

static const py_pipeline decoder = {
    .params = sac_delta_decode_params,
    .positional = none,
    .init = init_decoder,
    .option = decoder_option,
    .format = decoder_format,
    .open = open_decoder,
    .close = close_decoder,
    .variant = decoder_variant,
    .device = offsetof(sac_delta_decode_desc, device),
};

static int init_encoder_type(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &encoder, args, kwargs);
}

static int init_decoder_type(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &decoder, args, kwargs);
}

PyObject *py_packet(const sac_delta_packet *p)
{
    return PyObject_CallFunction(py.packet, "y#KKO", (const char *)p->data, (Py_ssize_t)p->size,
                                 (unsigned long long)p->frame, (unsigned long long)p->time_ns,
                                 p->is_key ? Py_True : Py_False);
}

static PyObject *encode(py_plan *self, const sac_array *frame, uint64_t time_ns)
{
    sac_error err = {0};
    sac_delta_packet packet = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = sac_delta_encode_run(self->plan, &packet, frame, time_ns, &err);
    Py_END_ALLOW_THREADS
    return status ? py_fail(status, &err, NULL) : py_packet(&packet);
}

static PyObject *call_encoder(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"frame", "time_ns", NULL};
    py_plan *self = (py_plan *)object;
    PyObject *frame, *time = NULL, *result = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &frame, &time))
        return NULL;
    uint64_t time_ns = (uint64_t)sac_stream_clock_ns();
    py_array in;
    if ((time && time != Py_None && !py_u64(time, &time_ns)) || !py_plan_enter(self))
        return NULL;
    if (py_array_view(&in, frame, "frame", false, py_plan_stream(self))) {
        if (py_plan_open_for(self, &in.array))
            result = encode(self, &in.array, time_ns);
        py_array_release(&in);
    }
    py_plan_leave(self);
    return result;
}

/* numpy.copyto would repeat a picture in a larger `out`. */
static bool out_fits(PyObject *out, const sac_array *picture)
{
    py_array view;
    if (!py_array_view(&view, out, "out", true, PY_NO_STREAM))
        return false;
    const sac_array *a = &view.array;
    const size_t bytes = (size_t)picture->n_dims * sizeof *a->shape;
    const bool fits = a->dtype == picture->dtype && a->n_dims == picture->n_dims &&
                      !memcmp(a->shape, picture->shape, bytes);
    py_array_release(&view);
    return fits || py_refuse(SAC_E_SHAPE, "out: expected the type and shape of the picture");
}

/* A copy of the decoder's picture, which is valid until its next run; `out` if it is given. */
static PyObject *copy_picture(py_plan *self, PyObject *out)
{
    const bool has_out = out && out != Py_None;
    if (has_out && !out_fits(out, &self->frame.picture))
        return NULL;
    PyObject *picture = py_array_of_memory(&self->frame.picture, (PyObject *)self, true);
    PyObject *result = NULL;
    if (picture && has_out) {
        PyObject *copyto = py_attribute("numpy", "copyto");
        PyObject *done = copyto ? PyObject_CallFunction(copyto, "OOs", out, picture, "no") : NULL;
        result = done ? Py_NewRef(out) : NULL;
        Py_XDECREF(done);
        Py_XDECREF(copyto);
    } else if (picture) {
        result = PyObject_CallMethod(picture, "copy", NULL);
    }
    Py_XDECREF(picture);
    return result;
}

static PyObject *decode(py_plan *self, PyObject *out, const Py_buffer *bytes)
{
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status =
            sac_delta_decode_run(self->plan, &self->frame, bytes->buf, (size_t)bytes->len, &err);
    Py_END_ALLOW_THREADS
    if (status == SAC_AGAIN)
        Py_RETURN_NONE;
    return status ? py_fail(status, &err, NULL) : copy_picture(self, out);
}

static PyObject *call_decoder(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"packet", "out", NULL};
    py_plan *self = (py_plan *)object;
    PyObject *packet, *out = NULL, *data, *result = NULL;
    Py_buffer bytes;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", names, &packet, &out))
        return NULL;
    data = PyTuple_Check(packet) && PyTuple_Size(packet) > 0 ? PyTuple_GetItem(packet, 0) : packet;
    if (PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE))
        return NULL;
    if (py_plan_enter(self)) {
        const sac_array format = {.dtype = SAC_U8};
        if (py_plan_open_for(self, &format))
            result = decode(self, out, &bytes);
        py_plan_leave(self);
    }
    PyBuffer_Release(&bytes);
    return result;
}

static PyObject *key(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    if (!py_plan_enter(self))
        return NULL;
    if (self->plan)
        sac_delta_encode_key(self->plan);
    py_plan_leave(self);
    Py_RETURN_NONE;
}

static PyObject *counts(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    sac_delta_counts c = {.struct_size = sizeof c};
    if (!py_plan_enter(self))
        return NULL;
    if (self->plan)
        sac_delta_decode_get_counts(self->plan, &c);
    py_plan_leave(self);
    return Py_BuildValue("{sKsKsKsKsKsK}", "frames", (unsigned long long)c.frames, "damaged",
                         (unsigned long long)c.damaged, "foreign", (unsigned long long)c.foreign,
                         "truncated", (unsigned long long)c.truncated, "lost",
                         (unsigned long long)c.lost, "late", (unsigned long long)c.late);
}

static PyObject *wants_key(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((py_plan *)object)->frame.wants_key);
}

static PyObject *frame_number(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((py_plan *)object)->frame.frame);
}

static PyObject *frame_time(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((py_plan *)object)->frame.time_ns);
}

static PyMethodDef encoder_methods[] = {
    {"key", key, METH_NOARGS, "key()\n--\n\nMakes the next packet a keyframe."}, {0}};

static PyMethodDef decoder_methods[] = {
    {"counts", counts, METH_NOARGS, "counts()\n--\n\nPackets and pictures so far: a dict."}, {0}};

static PyGetSetDef decoder_getters[] = {
    {"wants_key", wants_key, NULL, "A packet was lost or damaged: a keyframe is needed.", NULL},
    {"frame", frame_number, NULL, "The number of the last packet's frame.", NULL},
    {"time_ns", frame_time, NULL, "When it was taken, on the sender's clock.", NULL},
    {0}};

int py_add_delta(PyObject *module)
{
    return py_plan_type(module, "DeltaEncoder", "saccade.DeltaEncoder", init_encoder_type,
                        call_encoder, encoder_methods, NULL) ||
           py_plan_type(module, "DeltaDecoder", "saccade.DeltaDecoder", init_decoder_type,
                        call_decoder, decoder_methods, decoder_getters);
}
