/*
 * saccade.Heatmap, Noise and Denoise.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#include <stddef.h>
#include <string.h>

static void init_heatmap(py_plan *self)
{
    sac_heatmap_desc_init(&self->desc.heatmap);
    self->shape.dtype = SAC_U8;
}

static void init_noise(py_plan *self)
{
    sac_noise_desc_init(&self->desc.noise);
    self->shape.dtype = SAC_U8;
}

static void init_denoise(py_plan *self)
{
    sac_denoise_desc_init(&self->desc.denoise);
    self->shape.dtype = SAC_U8;
}

int py_order(sac_pixel_order *order, PyObject *value)
{
    static const char *const orders[] = {"unknown", "rgb", "bgr", NULL};
    const int chosen = py_choice(value, "order", orders);
    *order = (sac_pixel_order)chosen;
    return chosen < 0 ? -1 : 1;
}

/* `order` and `keep_previous`. */
static int motion_option(py_plan *self, sac_pixel_order *order, bool *keep, const char *name,
                         PyObject *value)
{
    if (!strcmp(name, "order"))
        return py_order(order, value);
    if (strcmp(name, "keep_previous"))
        return 0;
    const int yes = value == Py_None ? 0 : PyObject_IsTrue(value);
    self->chose_previous = value != Py_None;
    *keep = yes > 0;
    return yes < 0 ? -1 : 1;
}

static int heatmap_option(py_plan *self, const char *name, PyObject *value)
{
    sac_heatmap_desc *desc = &self->desc.heatmap;
    return motion_option(self, &desc->order, &desc->keep_previous, name, value);
}

static int noise_option(py_plan *self, const char *name, PyObject *value)
{
    sac_noise_desc *desc = &self->desc.noise;
    return motion_option(self, &desc->order, &desc->keep_previous, name, value);
}

bool py_frame_format(int64_t *w, int64_t *h, int32_t *n_channels, const sac_array *in)
{
    if (in->dtype != SAC_U8)
        return py_refuse(SAC_E_SHAPE, "frame: expected uint8, got %s", py_dtype_name(in->dtype));
    if (in->n_dims != 2 && in->n_dims != 3)
        return py_refuse(SAC_E_SHAPE, "frame: expected (h, w) or (h, w, channels), got %d axes",
                         in->n_dims);
    const int64_t n = in->n_dims == 2 ? 1 : in->shape[2];
    if (n > 4)
        return py_refuse(SAC_E_SHAPE, "frame: expected 1 to 4 channels, got %lld", (long long)n);
    *h = in->shape[0];
    *w = in->shape[1];
    *n_channels = (int32_t)n;
    return true;
}

static bool heatmap_format(py_plan *self, const sac_array *in)
{
    sac_heatmap_desc *desc = &self->desc.heatmap;
    return py_frame_format(&desc->w, &desc->h, &desc->n_channels, in);
}

static bool noise_format(py_plan *self, const sac_array *in)
{
    sac_noise_desc *desc = &self->desc.noise;
    return py_frame_format(&desc->w, &desc->h, &desc->n_channels, in);
}

static bool denoise_format(py_plan *self, const sac_array *in)
{
    sac_denoise_desc *desc = &self->desc.denoise;
    return py_frame_format(&desc->w, &desc->h, &desc->n_channels, in);
}

/* Without a previous frame in the call that opens the plan, the plan keeps them. */
static sac_status open_heatmap(py_plan *self, sac_error *err)
{
    sac_heatmap_desc *desc = &self->desc.heatmap;
    if (!self->chose_previous)
        desc->keep_previous = !self->has_previous;
    return sac_heatmap_open((sac_heatmap **)&self->plan, desc, err);
}

static sac_status open_noise(py_plan *self, sac_error *err)
{
    sac_noise_desc *desc = &self->desc.noise;
    if (!self->chose_previous)
        desc->keep_previous = !self->has_previous;
    return sac_noise_open((sac_noise **)&self->plan, desc, err);
}

static sac_status open_denoise(py_plan *self, sac_error *err)
{
    return sac_denoise_open((sac_denoise **)&self->plan, &self->desc.denoise, err);
}

static void close_heatmap(py_plan *self)
{
    sac_heatmap_close((sac_heatmap **)&self->plan);
}

static void close_noise(py_plan *self)
{
    sac_noise_close((sac_noise **)&self->plan);
}

static void close_denoise(py_plan *self)
{
    sac_denoise_close((sac_denoise **)&self->plan);
}

static const char *heatmap_variant(const py_plan *self)
{
    return sac_heatmap_get_variant(self->plan);
}

static const char *noise_variant(const py_plan *self)
{
    return sac_noise_get_variant(self->plan);
}

static const char *denoise_variant(const py_plan *self)
{
    return sac_denoise_get_variant(self->plan);
}

static bool heatmap_output(py_plan *self, const sac_array *in, sac_array *result)
{
    (void)self;
    *result = *in;
    if (in->n_dims == 2)
        result->n_dims = 3;
    if (in->n_dims == 2 || in->shape[2] != 4)
        result->shape[2] = 3;
    return true;
}

static bool noise_output(py_plan *self, const sac_array *in, sac_array *result)
{
    *result = *in;
    if (self->desc.noise.view == SAC_NOISE_BITS) {
        result->n_dims = 2;
        result->shape[1] = in->shape[1] / 8 + (in->shape[1] % 8 != 0);
    }
    return true;
}

static bool denoise_output(py_plan *self, const sac_array *in, sac_array *result)
{
    (void)self;
    *result = *in;
    return true;
}

static sac_status run_heatmap(py_plan *self, const sac_array *out, const sac_array *in,
                              const sac_array *previous, sac_error *err)
{
    return sac_heatmap_run(self->plan, out, in, previous, err);
}

static sac_status run_noise(py_plan *self, const sac_array *out, const sac_array *in,
                            const sac_array *previous, sac_error *err)
{
    return sac_noise_run(self->plan, out, in, previous, err);
}

static sac_status run_denoise(py_plan *self, const sac_array *out, const sac_array *in,
                              const sac_array *previous, sac_error *err)
{
    (void)previous;
    return sac_denoise_run(self->plan, out, in, err);
}

static const char *const positional[] = {"shape", NULL};
static char *const two_names[] = {"frame", "previous", "out", NULL};
static char *const one_name[] = {"frame", "out", NULL};

static const py_pipeline heatmap = {
    .params = sac_heatmap_params,
    .positional = positional,
    .init = init_heatmap,
    .option = heatmap_option,
    .format = heatmap_format,
    .open = open_heatmap,
    .close = close_heatmap,
    .variant = heatmap_variant,
    .device = offsetof(sac_heatmap_desc, device),
    .stream = offsetof(sac_heatmap_desc, stream),
    .names = two_names,
    .output = heatmap_output,
    .run = run_heatmap,
};

static const py_pipeline noise = {
    .params = sac_noise_params,
    .positional = positional,
    .init = init_noise,
    .option = noise_option,
    .format = noise_format,
    .open = open_noise,
    .close = close_noise,
    .variant = noise_variant,
    .device = offsetof(sac_noise_desc, device),
    .stream = offsetof(sac_noise_desc, stream),
    .names = two_names,
    .output = noise_output,
    .run = run_noise,
};

static const py_pipeline denoise = {
    .params = sac_denoise_params,
    .positional = positional,
    .init = init_denoise,
    .format = denoise_format,
    .open = open_denoise,
    .close = close_denoise,
    .variant = denoise_variant,
    .device = offsetof(sac_denoise_desc, device),
    .stream = offsetof(sac_denoise_desc, stream),
    .names = one_name,
    .output = denoise_output,
    .run = run_denoise,
};

static int init_heatmap_type(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &heatmap, args, kwargs);
}

static int init_noise_type(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &noise, args, kwargs);
}

static int init_denoise_type(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &denoise, args, kwargs);
}

static PyObject *changed(PyObject *object, void *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    if (!py_plan_enter(self))
        return NULL;
    uint64_t n = 0;
    Py_BEGIN_ALLOW_THREADS
        n = self->plan ? sac_noise_get_count(self->plan) : 0;
    Py_END_ALLOW_THREADS
    py_plan_leave(self);
    return PyLong_FromUnsignedLongLong(n);
}

static PyObject *noise_level(PyObject *object, void *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    if (!py_plan_enter(self))
        return NULL;
    double level = 0;
    Py_BEGIN_ALLOW_THREADS
        level = self->plan ? sac_denoise_get_noise(self->plan) : 0;
    Py_END_ALLOW_THREADS
    py_plan_leave(self);
    return PyFloat_FromDouble(level);
}

static PyObject *reset(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    if (!py_plan_enter(self))
        return NULL;
    if (self->plan)
        sac_denoise_reset(self->plan);
    py_plan_leave(self);
    Py_RETURN_NONE;
}

static PyGetSetDef noise_getters[] = {
    {"changed", changed, NULL, "The number of pixels that changed in the last run.", NULL}, {0}};

static PyGetSetDef denoise_getters[] = {
    {"noise", noise_level, NULL,
     "temporal: standard deviation of the noise in levels, as given or last estimated.", NULL},
    {0}};

static PyMethodDef denoise_methods[] = {
    {"reset", reset, METH_NOARGS, "reset()\n--\n\ntemporal: forgets earlier frames."}, {0}};

int py_add_motion(PyObject *module)
{
    return py_plan_type(module, "Heatmap", "saccade.Heatmap", init_heatmap_type, py_plan_call, NULL,
                        NULL) ||
           py_plan_type(module, "Noise", "saccade.Noise", init_noise_type, py_plan_call, NULL,
                        noise_getters) ||
           py_plan_type(module, "Denoise", "saccade.Denoise", init_denoise_type, py_plan_call,
                        denoise_methods, denoise_getters);
}
