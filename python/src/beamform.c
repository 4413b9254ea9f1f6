/*
 * saccade.Beamform.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <stddef.h>
#include <string.h>

bool py_grid_read(sac_grid *grid, int32_t *kind, sac_sector *sector, PyObject *object)
{
    const int polar = kind ? PyObject_IsInstance(object, py.sector) : 0;
    const int good = polar ? polar : PyObject_IsInstance(object, py.grid);
    if (good < 0)
        return false;
    if (!good) {
        PyErr_Format(PyExc_TypeError, "grid: expected a saccade.Grid%s, got %R",
                     kind ? " or Sector" : "", Py_TYPE(object));
        return false;
    }
    PyObject *pack = PyObject_CallMethod(object, "_pack", NULL);
    double *a = grid->first_m, *b = grid->last_m;
    double apex[3] = {0}, radius = 0;
    long long n[3];
    const bool read =
        pack && PyTuple_Check(pack) &&
        PyArg_ParseTuple(pack, "(ddL)(ddL)(ddL)|(ddd)d", &a[0], &b[0], &n[0], &a[1], &b[1], &n[1],
                         &a[2], &b[2], &n[2], &apex[0], &apex[1], &apex[2], &radius);
    for (int i = 0; read && i < 3; i++)
        grid->n[i] = n[i];
    if (read && kind) {
        *kind = polar ? SAC_GRID_SECTOR : SAC_GRID_CARTESIAN;
        *sector = (sac_sector){{apex[0], apex[1], apex[2]}, radius};
    }
    Py_XDECREF(pack);
    return read;
}

PyObject *py_grid_new(const sac_grid *g, int32_t kind, const sac_sector *sector)
{
    const double *a = g->first_m, *b = g->last_m;
    const long long n[3] = {g->n[0], g->n[1], g->n[2]};
    if (kind == SAC_GRID_CARTESIAN)
        return PyObject_CallFunction(py.grid, "(ddL)(ddL)(ddL)", a[0], b[0], n[0], a[1], b[1], n[1],
                                     a[2], b[2], n[2]);
    const double *apex = sector->apex_m;
    return PyObject_CallFunction(py.sector, "(ddL)(ddL)(ddL)(ddd)d", a[0], b[0], n[0], a[1], b[1],
                                 n[1], a[2], b[2], n[2], apex[0], apex[1], apex[2],
                                 sector->radius_m);
}

static void init(py_plan *self)
{
    sac_beamform_desc *desc = &self->desc.beamform;
    sac_beamform_desc_init(desc);
    desc->progress = py_work_progress;
    desc->progress_ctx = &self->work;
    self->n_arrivals = -1;
    self->shape.dtype = SAC_F32;
}

static int set_acquisition(py_plan *self, PyObject *value)
{
    PyObject *capsule = py_acquisition_new(value);
    if (!capsule || PyList_Append(self->keep, capsule)) {
        Py_XDECREF(capsule);
        return -1;
    }
    self->desc.beamform.acquisition = py_acquisition_get(capsule);
    self->n_arrivals = py_acquisition_arrivals(capsule);
    Py_DECREF(capsule);
    return 1;
}

static int set_points(py_plan *self, PyObject *value)
{
    py_array view;
    sac_beamform_desc *desc = &self->desc.beamform;
    const void *points = py_rows_view(&view, value, "points_m", 3, &desc->n_points);
    if (!points)
        return -1;
    PyObject *copy = PyBytes_FromStringAndSize(points, (Py_ssize_t)desc->n_points * 24);
    py_array_release(&view);
    const int failed = copy ? PyList_Append(self->keep, copy) : -1;
    desc->points_m = copy ? (const double *)(const void *)PyBytes_AsString(copy) : NULL;
    Py_XDECREF(copy);
    return failed ? -1 : 1;
}

/* A Grid, or "auto": what shows all of the sector, when that is known. */
static int set_picture(py_plan *self, PyObject *value)
{
    static const char *const words[] = {"auto", NULL};
    if (value == Py_None)
        return 1;
    if (!PyUnicode_Check(value))
        return py_grid_read(&self->desc.beamform.picture, NULL, NULL, value) ? 1 : -1;
    self->shows_sector = py_choice(value, "picture", words) == 0;
    return self->shows_sector ? 1 : -1;
}

static int option(py_plan *self, const char *name, PyObject *value)
{
    static const char *const layouts[] = {"frames_outer", "frames_inner", NULL};
    sac_beamform_desc *desc = &self->desc.beamform;
    if (!strcmp(name, "acquisition"))
        return set_acquisition(self, value);
    if (!strcmp(name, "dtype"))
        return value == Py_None || py_dtype_parse(&self->shape.dtype, value, name) ? 1 : -1;
    if (!strcmp(name, "grid")) {
        self->has_grid = value != Py_None;
        return value == Py_None || py_grid_read(&desc->grid, &desc->grid_kind, &desc->sector, value)
                   ? 1
                   : -1;
    }
    if (!strcmp(name, "picture"))
        return set_picture(self, value);
    if (!strcmp(name, "points_m"))
        return value == Py_None ? 1 : set_points(self, value);
    if (!strcmp(name, "progress"))
        return py_set_progress(self, value);
    if (strcmp(name, "layout"))
        return 0;
    const int layout = py_choice(value, name, layouts);
    desc->layout = (sac_channel_layout)layout;
    return layout < 0 ? -1 : 1;
}

static bool is_inner(const py_plan *self)
{
    return self->desc.beamform.layout == SAC_FRAMES_INNER;
}

/* Adds an axis of 1 before `axis`. */
static void insert_axis(sac_array *a, int axis)
{
    for (int i = a->n_dims++; i > axis; i--) {
        a->shape[i] = a->shape[i - 1];
        a->stride[i] = a->stride[i - 1];
    }
    a->shape[axis] = 1;
    a->stride[axis] = (ptrdiff_t)sac_dtype_size(a->dtype);
}

/* With three axes the data is one frame: an axis of 1 where the frames are. */
static bool with_frames(const py_plan *self, sac_array *out, const sac_array *in)
{
    if (in->n_dims != 3 && in->n_dims != 4)
        return py_refuse(SAC_E_SHAPE,
                         "samples: expected (frames, transmits, elements, samples) or (transmits, "
                         "elements, samples), got %d axes",
                         in->n_dims);
    *out = *in;
    if (in->n_dims == 3)
        insert_axis(out, is_inner(self) ? 3 : 0);
    return true;
}

/* The library cannot know how long the tables of arrivals are. */
static bool arrivals_fit(const py_plan *self)
{
    const sac_beamform_desc *desc = &self->desc.beamform;
    const int64_t *n = desc->grid.n, most = (int64_t)1 << 28;
    if (self->n_arrivals == -1)
        return true;
    int64_t n_points = desc->n_points;
    if (!desc->points_m) {
        n_points = 1;
        for (int i = 0; i < 3; i++)
            n_points = n[i] > 0 && n_points <= most && n[i] <= most ? n_points * n[i] : most + 1;
    }
    return n_points == self->n_arrivals ||
           py_refuse(SAC_E_INVALID, "arrivals_s: %lld numbers for other points",
                     (long long)self->n_arrivals);
}

static bool format(py_plan *self, const sac_array *in)
{
    sac_beamform_desc *desc = &self->desc.beamform;
    sac_array samples;
    if (!desc->acquisition)
        return py_refuse(SAC_E_INVALID, "acquisition: is missing");
    if (!with_frames(self, &samples, in))
        return false;
    desc->dtype = in->dtype;
    desc->n_frames = samples.shape[is_inner(self) ? 3 : 0];
    desc->n_samples = samples.shape[is_inner(self) ? 2 : 3];
    sac_error err = {0};
    const sac_status status =
        desc->points_m || self->has_grid
            ? SAC_OK
            : sac_grid_default(&desc->grid, desc->acquisition, desc->n_samples, &err);
    if (status)
        py_fail(status, &err, NULL);
    self->has_grid = status == SAC_OK;
    if (self->shows_sector && desc->grid_kind == SAC_GRID_SECTOR)
        sac_sector_picture(&desc->picture, &desc->grid, &desc->sector);
    else if (self->shows_sector)
        return py_refuse(SAC_E_INVALID, "picture: is for a saccade.Sector");
    return status == SAC_OK && arrivals_fit(self);
}

static sac_status open_plan(py_plan *self, sac_error *err)
{
    return sac_beamform_open((sac_beamform **)&self->plan, &self->desc.beamform, err);
}

static void close_plan(py_plan *self)
{
    sac_beamform_close((sac_beamform **)&self->plan);
}

static const char *variant(const py_plan *self)
{
    return sac_beamform_get_variant(self->plan);
}

static bool output(py_plan *self, const sac_array *in, sac_array *result)
{
    *result = sac_beamform_get_output_array(self->plan);
    if (in->n_dims == 3) { /* one frame: without its axis */
        result->n_dims--;
        memmove(result->shape, result->shape + 1, sizeof result->shape - sizeof *result->shape);
    }
    return true;
}

static sac_status run(py_plan *self, const sac_array *out, const sac_array *in,
                      const sac_array *previous, sac_error *err)
{
    (void)previous;
    if (in->n_dims != 3 || out->n_dims >= SAC_MAX_DIMS)
        return sac_beamform_run(self->plan, out, in, err);
    sac_array one = *out, samples = *in;
    insert_axis(&one, 0);
    insert_axis(&samples, is_inner(self) ? 3 : 0);
    return sac_beamform_run(self->plan, &one, &samples, err);
}

static const char *const positional[] = {"acquisition", "grid", NULL};
static char *const names[] = {"samples", "out", NULL};

static const py_pipeline pipeline = {
    .params = sac_beamform_params,
    .positional = positional,
    .init = init,
    .option = option,
    .format = format,
    .open = open_plan,
    .close = close_plan,
    .variant = variant,
    .device = offsetof(sac_beamform_desc, device),
    .stream = offsetof(sac_beamform_desc, stream),
    .names = names,
    .output = output,
    .run = run,
};

static int tp_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return py_plan_init((py_plan *)self, &pipeline, args, kwargs);
}

static PyObject *get_grid(PyObject *object, void *unused)
{
    (void)unused;
    const py_plan *self = (const py_plan *)object;
    if (!self->has_grid || self->desc.beamform.points_m)
        Py_RETURN_NONE;
    const sac_beamform_desc *desc = &self->desc.beamform;
    return py_grid_new(&desc->grid, desc->grid_kind, &desc->sector);
}

static PyObject *get_picture(PyObject *object, void *unused)
{
    (void)unused;
    const py_plan *self = (const py_plan *)object;
    const sac_grid *picture = &self->desc.beamform.picture;
    if (!picture->n[0])
        Py_RETURN_NONE;
    return py_grid_new(picture, SAC_GRID_CARTESIAN, NULL);
}

static PyObject *count_points(PyObject *object, PyObject *unused)
{
    (void)unused;
    py_plan *self = (py_plan *)object;
    uint64_t all = 0, active = 0;
    if (!py_plan_enter(self))
        return NULL;
    if (self->plan)
        sac_beamform_get_points(self->plan, &all, &active);
    py_plan_leave(self);
    return Py_BuildValue("KK", (unsigned long long)all, (unsigned long long)active);
}

static PyMethodDef methods[] = {
    {"points", count_points, METH_NOARGS,
     "points()\n--\n\n(all, active): combinations of point, element, transmit and frame in a run, "
     "and those in the aperture."},
    {0}};

static PyGetSetDef getters[] = {
    {"grid", get_grid, NULL, "The grid; None before it is known, or with points_m.", NULL},
    {"picture", get_picture, NULL,
     "The Grid to which a Sector is converted; None before it is known, or if it stays polar.",
     NULL},
    {0}};

static PyObject *choose_grid(PyObject *args, bool suit)
{
    PyObject *acquisition;
    long long n_samples;
    if (!PyArg_ParseTuple(args, "OL", &acquisition, &n_samples))
        return NULL;
    PyObject *capsule = py_acquisition_new(acquisition);
    if (!capsule)
        return NULL;
    const sac_acquisition *a = py_acquisition_get(capsule);
    sac_error err = {0};
    sac_grid grid;
    sac_sector sector;
    int32_t kind = SAC_GRID_CARTESIAN;
    const sac_status status = suit ? sac_grid_suit(&grid, &kind, &sector, a, n_samples, &err)
                                   : sac_grid_default(&grid, a, n_samples, &err);
    Py_DECREF(capsule);
    return status ? py_fail(status, &err, NULL) : py_grid_new(&grid, kind, &sector);
}

static PyObject *grid_default(PyObject *module, PyObject *args)
{
    (void)module;
    return choose_grid(args, false);
}

static PyObject *grid_suit(PyObject *module, PyObject *args)
{
    (void)module;
    return choose_grid(args, true);
}

static PyObject *sector_picture(PyObject *module, PyObject *object)
{
    (void)module;
    sac_grid grid, picture;
    sac_sector sector;
    int32_t kind;
    if (!py_grid_read(&grid, &kind, &sector, object))
        return NULL;
    sac_sector_picture(&picture, &grid, &sector);
    return py_grid_new(&picture, SAC_GRID_CARTESIAN, NULL);
}

static PyMethodDef functions[] = {{"grid_default", grid_default, METH_VARARGS, NULL},
                                  {"grid_suit", grid_suit, METH_VARARGS, NULL},
                                  {"sector_picture", sector_picture, METH_O, NULL},
                                  {0}};

int py_add_beamform(PyObject *module)
{
    return py_plan_type(module, "Beamform", "saccade.Beamform", tp_init, py_plan_call, methods,
                        getters) ||
           PyModule_AddFunctions(module, functions);
}
