/*
 * saccade.Flow.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void init(py_plan *self)
{
    sac_flow_desc *desc = &self->desc.flow;
    sac_flow_desc_init(desc);
    desc->progress = py_work_progress;
    desc->progress_ctx = &self->work;
    self->shape.dtype = SAC_C64;
}

/* Azimuths of vectors, where all transmits are plane waves in the plane of x and z of a flat array;
 * of others there are none. */
static int keep_azimuths(py_plan *self, const sac_acquisition *a)
{
    sac_flow_desc *desc = &self->desc.flow;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, a->n_transmits * (Py_ssize_t)sizeof(double));
    double *azimuth_rad = bytes ? (double *)(void *)PyBytes_AsString(bytes) : NULL;
    bool fits = a->n_transmits <= SAC_FLOW_MAX_TRANSMITS;
    const int failed = bytes ? PyList_Append(self->keep, bytes) : -1;
    Py_XDECREF(bytes);
    if (failed)
        return -1;
    for (int32_t t = 0; t < a->n_transmits; t++) {
        const sac_transmit *wave = &a->transmits[t];
        fits = fits && wave->kind == SAC_TRANSMIT_PLANE && fabs(wave->elevation_rad) <= 1e-6;
        azimuth_rad[t] = wave->azimuth_rad;
    }
    for (int32_t e = 0; e < a->n_elements; e++)
        fits = fits && a->elements[e].normal[2] >= 1 - 1e-6;
    desc->azimuth_rad = fits ? azimuth_rad : NULL;
    desc->n_transmits = fits ? a->n_transmits : 0;
    return 1;
}

/* What velocities need of it; prf, if that is given, stands. */
static int set_acquisition(py_plan *self, PyObject *value)
{
    sac_flow_desc *desc = &self->desc.flow;
    PyObject *capsule = py_acquisition_new(value);
    if (!capsule)
        return -1;
    const sac_acquisition *a = py_acquisition_get(capsule);
    desc->fc_hz = a->fc_hz;
    desc->c_m_s = a->c_m_s;
    desc->phase_sign = a->phase_sign;
    if (!(desc->prf_hz > 0))
        desc->prf_hz = a->frame_rate_hz;
    const int status = keep_azimuths(self, a);
    Py_DECREF(capsule);
    return status;
}

static int option(py_plan *self, const char *name, PyObject *value)
{
    if (!strcmp(name, "acquisition"))
        return value == Py_None ? 1 : set_acquisition(self, value);
    if (!strcmp(name, "progress"))
        return py_set_progress(self, value);
    return 0;
}

static bool format(py_plan *self, const sac_array *in)
{
    sac_flow_desc *desc = &self->desc.flow;
    const bool is_vector = desc->kind == SAC_FLOW_VECTOR;
    if (!is_vector)
        desc->n_transmits = 0;
    else if (!desc->azimuth_rad)
        return py_refuse(SAC_E_INVALID,
                         "acquisition: vectors need one, of plane waves in the plane of x and z "
                         "and a flat array");
    if (is_vector && (in->n_dims != 4 || in->dtype != SAC_C64 || in->shape[1] != desc->n_transmits))
        return py_refuse(SAC_E_SHAPE,
                         "images: expected (frames, %d transmits, z, x) of complex64, got %d axes "
                         "of %s",
                         desc->n_transmits, in->n_dims, sac_dtype_name(in->dtype));
    if (in->n_dims < 2 || in->n_dims > 1 + SAC_FLOW_MAX_AXES || in->dtype != SAC_C64)
        return py_refuse(SAC_E_SHAPE,
                         "images: expected (frames, z, x) or (frames, z, y, x) of complex64, got "
                         "%d axes of %s",
                         in->n_dims, sac_dtype_name(in->dtype));
    desc->n_frames = in->shape[0];
    desc->n_axes = in->n_dims - (is_vector ? 2 : 1);
    memcpy(desc->shape, in->shape + (is_vector ? 2 : 1),
           (size_t)desc->n_axes * sizeof *desc->shape);
    return true;
}

static sac_status open_plan(py_plan *self, sac_error *err)
{
    return sac_flow_open((sac_flow **)&self->plan, &self->desc.flow, err);
}

static void close_plan(py_plan *self)
{
    sac_flow_close((sac_flow **)&self->plan);
}

static const char *variant(const py_plan *self)
{
    return sac_flow_get_variant(self->plan);
}

static bool output(py_plan *self, const sac_array *in, sac_array *result)
{
    (void)in;
    *result = sac_flow_get_output_array(self->plan);
    return true;
}

static sac_status run(py_plan *self, const sac_array *out, const sac_array *in,
                      const sac_array *previous, sac_error *err)
{
    (void)previous;
    return sac_flow_run(self->plan, out, in, err);
}

static const char *const positional[] = {"acquisition", NULL};
static char *const names[] = {"images", "out", NULL};

static const py_pipeline pipeline = {
    .params = sac_flow_params,
    .positional = positional,
    .init = init,
    .option = option,
    .format = format,
    .open = open_plan,
    .close = close_plan,
    .variant = variant,
    .device = offsetof(sac_flow_desc, device),
    .stream = offsetof(sac_flow_desc, stream),
    .names = names,
    .output = output,
    .run = run,
};

static int tp_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &pipeline, args, kwargs);
}

static PyObject *get_nyquist(PyObject *object, void *unused)
{
    (void)unused;
    const py_plan *self = (const py_plan *)object;
    return PyFloat_FromDouble(self->plan ? sac_flow_get_nyquist(self->plan) : 0);
}

static PyObject *get_condition(PyObject *object, void *unused)
{
    (void)unused;
    const py_plan *self = (const py_plan *)object;
    return PyFloat_FromDouble(self->plan ? sac_flow_get_condition(self->plan) : 0);
}

/* Of the last run: the values, and which of them the filter kept. */
static PyObject *singular_values(PyObject *object, PyObject *args)
{
    py_plan *self = (py_plan *)object;
    long long ensemble = 0;
    int32_t low = 0, high = 0;
    if (!PyArg_ParseTuple(args, "|L", &ensemble) || !py_plan_enter(self))
        return NULL;
    const double *values =
        self->plan ? sac_flow_get_singular_values(self->plan, ensemble, &low, &high) : NULL;
    const int32_t n =
        self->desc.flow.ensemble ? self->desc.flow.ensemble : (int32_t)self->desc.flow.n_frames;
    PyObject *made = values ? py_rows_new(values, n, 1) : Py_NewRef(Py_None);
    py_plan_leave(self);
    PyObject *flat = values && made ? PyObject_CallMethod(made, "ravel", NULL) : Py_XNewRef(made);
    Py_XDECREF(made);
    return flat ? Py_BuildValue("Nii", flat, (int)low, (int)high) : NULL;
}

static PyMethodDef methods[] = {
    {"singular_values", singular_values, METH_VARARGS,
     "singular_values(ensemble=0)\n--\n\n(values, low, high) of an ensemble of the last run: the "
     "SVD filter kept values[low:high]. values is None where none ran."},
    {0}};

static PyGetSetDef getters[] = {
    {"nyquist_m_s", get_nyquist, NULL,
     "The largest velocity that can be told; 0 before the plan is open, or if it is unknown.",
     NULL},
    {"condition", get_condition, NULL,
     "Of vectors, how much noisier the velocity along x is: the least squares' condition number. 0 "
     "of others, and before the plan is open.",
     NULL},
    {0}};

int py_add_flow(PyObject *module)
{
    return py_plan_type(module, "Flow", "saccade.Flow", tp_init, py_plan_call, methods, getters);
}
