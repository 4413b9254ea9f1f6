/*
 * Simulated ultrasound, its phantoms, and measures of images against the truth.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <string.h>

/* simulate_ultrasound(out, acquisition, scatterers, attenuation, noise, seed, threads, progress,
 * layers, lens, elevation_focus) */
static PyObject *simulate(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *out, *acquisition, *rows, *progress;
    uint64_t seed;
    int threads;
    sac_ultrasound_desc desc;
    sac_ultrasound_desc_init(&desc);
    if (!PyArg_ParseTuple(args, "OOOddO&iOzzd", &out, &acquisition, &rows,
                          &desc.attenuation_db_cm_mhz, &desc.noise_db, py_u64, &seed, &threads,
                          &progress, &desc.layers, &desc.lens, &desc.elevation_focus_m))
        return NULL;
    py_work work = {.progress = progress == Py_None ? NULL : progress};
    PyObject *capsule = py_acquisition_new(acquisition);
    py_array view, scatterers;
    if (!capsule)
        return NULL;
    desc.acquisition = py_acquisition_get(capsule);
    desc.scatterers = py_rows_view(&scatterers, rows, "scatterers", 4, &desc.n_scatterers);
    desc.seed = seed;
    desc.n_threads = threads;
    desc.progress = py_work_progress;
    desc.progress_ctx = &work;
    if (desc.scatterers && py_array_view(&view, out, "out", true, PY_NO_STREAM)) {
        sac_error err = {0};
        if (view.array.n_dims > 0)
            desc.n_samples = view.array.shape[view.array.n_dims - 1];
        py_work_begin(&work);
        const sac_status status = sac_simulate_ultrasound(&view.array, &desc, &err);
        py_work_end(&work);
        py_array_release(&view);
        if (status)
            py_fail(status, &err, NULL);
    }
    if (desc.scatterers)
        py_array_release(&scatterers);
    Py_DECREF(capsule);
    return PyErr_Occurred() ? NULL : Py_NewRef(out);
}

static PyObject *phantom(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    static char *names[] = {"kind",         "first_m",  "last_m",    "center_m", "radius_m",
                            "n_scatterers", "lambda_m", "angle_rad", "seed",     NULL};
    static const char *const kinds[] = {"points", "cyst", "disk", NULL};
    sac_phantom_desc d;
    sac_phantom_desc_init(&d);
    PyObject *kind = NULL;
    long long n = 0;
    uint64_t seed = 0;
    double *a = d.first_m, *b = d.last_m, *c = d.center_m;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$(ddd)(ddd)(ddd)dLddO&", names, &kind, &a[0],
                                     &a[1], &a[2], &b[0], &b[1], &b[2], &c[0], &c[1], &c[2],
                                     &d.radius_m, &n, &d.lambda_m, &d.angle_rad, py_u64, &seed))
        return NULL;
    const int chosen = kind ? py_choice(kind, "kind", kinds) : SAC_PHANTOM_POINTS;
    if (chosen < 0)
        return NULL;
    d.kind = (sac_phantom_kind)chosen;
    d.n_scatterers = n;
    d.seed = seed;
    const int64_t count = sac_phantom_count(&d);
    if (count < 1)
        return py_refuse(SAC_E_INVALID, "phantom: no room for scatterers, or a size is no number");
    const sac_array format = {.dtype = SAC_F64, .n_dims = 2, .shape = {count, 4}};
    py_array view;
    PyObject *made = py_array_make(&view, &format, NULL, PY_NO_STREAM);
    if (!made)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        sac_phantom_fill(view.array.data, &d);
    Py_END_ALLOW_THREADS
    py_array_release(&view);
    return made;
}

/* The image of a measure: (samples, grid, kind), and how its grid is meant. */
static bool image_of(sac_ultrasound_image *image, int32_t *polar, sac_sector *sector,
                     py_array *view, PyObject *samples, PyObject *grid, PyObject *kind)
{
    static const char *const kinds[] = {"iq", "envelope", "bmode", NULL};
    sac_ultrasound_image_init(image);
    const int chosen = py_choice(kind, "kind", kinds);
    image->output = (sac_beamform_output)chosen;
    if (chosen < 0 || !py_grid_read(&image->grid, polar, sector, grid) ||
        !py_array_view(view, samples, "image", false, PY_NO_STREAM))
        return false;
    image->samples = &view->array;
    return true;
}

static PyObject *measure_point(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *samples, *grid, *kind;
    double at[3], reach;
    sac_ultrasound_image image;
    sac_sector sector;
    int32_t polar;
    py_array view;
    if (!PyArg_ParseTuple(args, "OOO(ddd)d", &samples, &grid, &kind, &at[0], &at[1], &at[2],
                          &reach) ||
        !image_of(&image, &polar, &sector, &view, samples, grid, kind))
        return NULL;
    sac_point_measure m;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = polar ? sac_measure_sector_point(&m, &image, &sector, at, reach, &err)
                       : sac_measure_point(&m, &image, at, reach, &err);
    Py_END_ALLOW_THREADS
    py_array_release(&view);
    if (status)
        return py_fail(status, &err, NULL);
    return Py_BuildValue("{s(ddd)sdsds(ddd)sd}", "peak_m", m.peak_m[0], m.peak_m[1], m.peak_m[2],
                         "error_m", m.error_m, "peak_db", m.peak_db, "width_m", m.width_m[0],
                         m.width_m[1], m.width_m[2], "side_lobe_db", m.side_lobe_db);
}

static PyObject *measure_cyst(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *samples, *grid, *kind;
    double center[3], radius;
    sac_ultrasound_image image;
    sac_sector sector;
    int32_t polar;
    py_array view;
    if (!PyArg_ParseTuple(args, "OOO(ddd)d", &samples, &grid, &kind, &center[0], &center[1],
                          &center[2], &radius) ||
        !image_of(&image, &polar, &sector, &view, samples, grid, kind))
        return NULL;
    sac_cyst_measure m;
    sac_error err = {0};
    sac_status status;
    Py_BEGIN_ALLOW_THREADS
        status = polar ? sac_measure_sector_cyst(&m, &image, &sector, center, radius, &err)
                       : sac_measure_cyst(&m, &image, center, radius, &err);
    Py_END_ALLOW_THREADS
    py_array_release(&view);
    if (status)
        return py_fail(status, &err, NULL);
    return Py_BuildValue("{sdsdsdsdsdsLsL}", "contrast_db", m.contrast_db, "cnr_picmus_db",
                         m.cnr_picmus_db, "cnr_cubdl", m.cnr_cubdl, "gcnr", m.gcnr, "speckle_snr",
                         m.speckle_snr, "n_inside", (long long)m.n_inside, "n_outside",
                         (long long)m.n_outside);
}

static PyMethodDef methods[] = {
    {"simulate_ultrasound", simulate, METH_VARARGS, NULL},
    {"phantom", (PyCFunction)(void (*)(void))phantom, METH_VARARGS | METH_KEYWORDS, NULL},
    {"measure_point", measure_point, METH_VARARGS, NULL},
    {"measure_cyst", measure_cyst, METH_VARARGS, NULL},
    {0}};

int py_add_simulate(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
