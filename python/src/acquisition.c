/*
 * Acquisitions between Python and C. In Python they are saccade.Acquisition, whose _pack() gives
 * the tuple that is read here; elements are rows of 8 numbers, scatterers rows of 4, as in C. Back
 * in Python, shapes and which elements receive are bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <string.h>

#include <saccade/recording.h>

#define CAPSULE "saccade.acquisition"

_Static_assert(sizeof(sac_element) == 8 * sizeof(double), "an element is 8 numbers");
_Static_assert(sizeof(sac_scatterer) == 4 * sizeof(double), "a scatterer is 4 numbers");

static const char *const kinds[] = {"plane",  "diverging", "focused", "element",
                                    "delays", "arrivals",  NULL};
static const char *const origins[] = {"record", "transmit", NULL};

/* An acquisition with all that it points to. */
typedef struct block {
    sac_acquisition acquisition;
    sac_transmit *transmits;
    py_array *views; /* of the elements, then of tables of the transmits */
    int32_t n_views;
    int64_t n_arrivals;
    const double **fires, **hears; /* (n_transmits): rows of the next two, or NULL */
    double *amplitudes;            /* the acquisition's, or NULL */
    uint8_t *receives;             /* the same */
    int32_t *shapes;               /* the same */
} block;

static void free_block(PyObject *capsule)
{
    block *b = PyCapsule_GetPointer(capsule, CAPSULE);
    for (int32_t i = 0; i < b->n_views; i++)
        py_array_release(&b->views[i]);
    PyMem_Free(b->views);
    PyMem_Free(b->transmits);
    PyMem_Free(b->fires);
    PyMem_Free(b->hears);
    PyMem_Free(b->amplitudes);
    PyMem_Free(b->receives);
    PyMem_Free(b->shapes);
    PyMem_Free(b);
}

const void *py_rows_view(py_array *view, PyObject *object, const char *name, int n_columns,
                         int64_t *n)
{
    if (!py_array_view(view, object, name, false, PY_NO_STREAM))
        return NULL;
    const sac_array *a = &view->array;
    const int n_dims = n_columns > 1 ? 2 : 1;
    if (a->dtype != SAC_F64 || a->n_dims != n_dims || (n_dims == 2 && a->shape[1] != n_columns) ||
        !sac_array_is_contiguous(a) || a->device.kind != SAC_DEVICE_CPU) {
        py_refuse(SAC_E_SHAPE, "%s: expected contiguous float64 (n, %d) on the CPU", name,
                  n_columns);
        py_array_release(view);
        return NULL;
    }
    *n = a->shape[0];
    static const double none;
    return a->data ? a->data : &none;
}

/* A table: NULL for None. */
static bool add_table(block *b, const double **table, PyObject *object, const char *name,
                      int64_t expected)
{
    int64_t n = 0;
    if (object == Py_None)
        return true;
    *table = py_rows_view(&b->views[b->n_views], object, name, 1, &n);
    if (!*table)
        return false;
    b->n_views++;
    if (expected < 0)
        b->n_arrivals = b->n_arrivals == -1 || b->n_arrivals == n ? n : -2;
    return expected < 0 || n == expected ||
           py_refuse(SAC_E_SHAPE, "%s: expected %lld numbers, got %lld", name, (long long)expected,
                     (long long)n);
}

static bool read_transmit(block *b, int32_t i, PyObject *tuple)
{
    PyObject *kind, *delays, *arrivals, *amplitudes, *receives;
    sac_transmit *t = &b->transmits[i];
    double *p = t->source_m;
    sac_transmit_init(t, SAC_TRANSMIT_PLANE);
    if (!tuple || !PyTuple_Check(tuple)) { /* of another class than saccade.Transmit */
        PyErr_SetString(PyExc_TypeError, "transmits: expected a list of saccade.Transmit");
        return false;
    }
    if (!PyArg_ParseTuple(tuple, "Odd(ddd)iOOddOO", &kind, &t->azimuth_rad, &t->elevation_rad,
                          &p[0], &p[1], &p[2], &t->element, &delays, &arrivals, &t->t0_s,
                          &t->weight, &amplitudes, &receives))
        return false;
    const int chosen = py_choice(kind, "kind", kinds);
    t->kind = (sac_transmit_kind)chosen;
    return chosen >= 0 &&
           add_table(b, &t->delays_s, delays, "delays_s", b->acquisition.n_elements) &&
           add_table(b, &t->arrivals_s, arrivals, "arrivals_s", -1) &&
           add_table(b, &b->fires[i], amplitudes, "apodization", b->acquisition.n_elements) &&
           add_table(b, &b->hears[i], receives, "receives", b->acquisition.n_elements);
}

/* The transmits' amplitudes as the acquisition has them; 1 of those that give none. */
static bool fill_amplitudes(block *b)
{
    sac_acquisition *a = &b->acquisition;
    const size_t n = (size_t)a->n_elements;
    bool any = false;
    for (int32_t t = 0; t < a->n_transmits; t++)
        any = any || b->fires[t];
    if (!any)
        return true;
    b->amplitudes = PyMem_Calloc((size_t)a->n_transmits * n, sizeof *b->amplitudes);
    if (!b->amplitudes)
        return PyErr_NoMemory();
    for (size_t i = 0; i < (size_t)a->n_transmits * n; i++)
        b->amplitudes[i] = b->fires[i / n] ? b->fires[i / n][i % n] : 1;
    a->tx_apodization = b->amplitudes;
    return true;
}

/* A whole number of 0 to `most`, of a table; -1: an exception is set. */
static int32_t small_whole(double number, const char *name, int32_t most)
{
    if (number >= 0 && number <= most && number == (int32_t)number)
        return (int32_t)number;
    PyObject *got = PyFloat_FromDouble(number);
    if (got)
        py_refuse(SAC_E_INVALID, "%s: expected whole numbers from 0 to %d, got %R", name, most,
                  got);
    Py_XDECREF(got);
    return -1;
}

/* Which elements receive, as the acquisition has it; all where a transmit does not say. */
static bool fill_receives(block *b)
{
    sac_acquisition *a = &b->acquisition;
    const size_t n = (size_t)a->n_elements, n_all = (size_t)a->n_transmits * n;
    bool any = false;
    for (int32_t t = 0; t < a->n_transmits; t++)
        any = any || b->hears[t];
    if (!any)
        return true;
    b->receives = PyMem_Calloc(n_all, sizeof *b->receives);
    if (!b->receives)
        return PyErr_NoMemory();
    for (size_t i = 0; i < n_all; i++) {
        const int32_t does =
            b->hears[i / n] ? small_whole(b->hears[i / n][i % n], "receives", 1) : 1;
        if (does < 0)
            return false;
        b->receives[i] = (uint8_t)does;
    }
    a->receives = b->receives;
    return true;
}

static bool fill_shapes(block *b, PyObject *object)
{
    sac_acquisition *a = &b->acquisition;
    const double *shapes = NULL;
    if (!add_table(b, &shapes, object, "shapes", a->n_elements))
        return false;
    if (!shapes)
        return true;
    b->shapes = PyMem_Calloc((size_t)a->n_elements + 1, sizeof *b->shapes);
    if (!b->shapes)
        return PyErr_NoMemory();
    for (int32_t i = 0; i < a->n_elements; i++) {
        b->shapes[i] = small_whole(shapes[i], "shapes", SAC_SHAPE_COLUMN);
        if (b->shapes[i] < 0)
            return false;
    }
    a->shapes = b->shapes;
    return true;
}

static bool fill(block *b, PyObject *pack)
{
    PyObject *elements, *shapes, *transmits, *origin;
    sac_acquisition *a = &b->acquisition;
    sac_acquisition_init(a);
    b->n_arrivals = -1;
    if (!PyArg_ParseTuple(pack, "OOO!ddddddOid", &elements, &shapes, &PyList_Type, &transmits,
                          &a->fs_hz, &a->fc_hz, &a->bandwidth, &a->fd_hz, &a->c_m_s,
                          &a->frame_rate_hz, &origin, &a->phase_sign, &a->line_taper))
        return false;
    const Py_ssize_t n = PyList_Size(transmits);
    const int chosen = py_choice(origin, "phase_origin", origins);
    if (chosen < 0)
        return false;
    a->phase_origin = (sac_phase_origin)chosen;
    b->transmits = PyMem_Calloc((size_t)n + 1, sizeof *b->transmits);
    b->views = PyMem_Calloc(4 * (size_t)n + 2, sizeof *b->views);
    b->fires = PyMem_Calloc((size_t)n + 1, sizeof *b->fires);
    b->hears = PyMem_Calloc((size_t)n + 1, sizeof *b->hears);
    if (!b->transmits || !b->views || !b->fires || !b->hears || n > INT32_MAX)
        return PyErr_NoMemory();
    int64_t n_elements;
    a->elements = py_rows_view(b->views, elements, "elements", 8, &n_elements);
    if (!a->elements)
        return false;
    b->n_views = 1;
    if (n_elements > INT32_MAX)
        return py_refuse(SAC_E_INVALID, "elements: too many");
    a->n_elements = (int32_t)n_elements;
    a->n_transmits = (int32_t)n;
    a->transmits = b->transmits;
    PyObject *own =
        PyList_AsTuple(transmits); /* reading numbers may run code that changes the list */
    bool good = own && fill_shapes(b, shapes);
    for (int32_t i = 0; good && i < n; i++)
        good = read_transmit(b, i, PyTuple_GetItem(own, i));
    Py_XDECREF(own);
    return good && fill_amplitudes(b) && fill_receives(b);
}

PyObject *py_acquisition_new(PyObject *acquisition)
{
    if (!PyObject_HasAttrString(acquisition, "_pack")) {
        PyErr_Format(PyExc_TypeError, "acquisition: expected a saccade.Acquisition, got %R",
                     Py_TYPE(acquisition));
        return NULL;
    }
    PyObject *pack = PyObject_CallMethod(acquisition, "_pack", NULL);
    block *b = pack ? PyMem_Calloc(1, sizeof *b) : NULL;
    PyObject *capsule = b ? PyCapsule_New(b, CAPSULE, free_block) : NULL;
    if (pack && !b)
        PyErr_NoMemory();
    if (b && !capsule)
        PyMem_Free(b);
    if (capsule && !(PyTuple_Check(pack) && fill(b, pack))) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "acquisition: expected a saccade.Acquisition");
        Py_CLEAR(capsule);
    }
    Py_XDECREF(pack);
    return capsule;
}

const sac_acquisition *py_acquisition_get(PyObject *capsule)
{
    block *b = PyCapsule_GetPointer(capsule, CAPSULE);
    return b ? &b->acquisition : NULL;
}

int64_t py_acquisition_arrivals(PyObject *capsule)
{
    const block *b = PyCapsule_GetPointer(capsule, CAPSULE);
    return b ? b->n_arrivals : -1;
}

PyObject *py_rows_new(const void *rows, int64_t n, int n_columns)
{
    const sac_array format = {
        .dtype = SAC_F64, .n_dims = n_columns > 1 ? 2 : 1, .shape = {n, n_columns}};
    py_array view;
    PyObject *made = py_array_make(&view, &format, NULL, PY_NO_STREAM);
    if (made && n > 0)
        memcpy(view.array.data, rows, (size_t)n * (size_t)n_columns * sizeof(double));
    if (made)
        py_array_release(&view);
    return made;
}

static PyObject *table_or_none(const double *table, int64_t n)
{
    return table ? py_rows_new(table, n, 1) : Py_NewRef(Py_None);
}

/* A tuple as read_transmit takes it; arrivals of files are not told how many they are: left out. */
static PyObject *transmit_tuple(const sac_transmit *t, const double *fires, const uint8_t *receives,
                                int32_t n_elements)
{
    PyObject *delays = table_or_none(t->delays_s, n_elements);
    PyObject *amplitudes = table_or_none(fires, n_elements);
    if (!delays || !amplitudes) {
        Py_XDECREF(delays);
        Py_XDECREF(amplitudes);
        return NULL;
    }
    return Py_BuildValue("sdd(ddd)iNOddNy#", kinds[t->kind], t->azimuth_rad, t->elevation_rad,
                         t->source_m[0], t->source_m[1], t->source_m[2], t->element, delays,
                         Py_None, t->t0_s, t->weight, amplitudes, (const char *)receives,
                         (Py_ssize_t)n_elements);
}

PyObject *py_transmits_new(const sac_transmit *transmits, const double *fires,
                           const uint8_t *receives, int32_t n, int32_t n_elements)
{
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list && i < n; i++) {
        const ptrdiff_t at = (ptrdiff_t)i * n_elements;
        PyObject *one = transmit_tuple(&transmits[i], fires ? fires + at : NULL,
                                       receives ? receives + at : NULL, n_elements);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

PyObject *py_acquisition_tuple(const sac_acquisition *a)
{
    PyObject *elements = py_rows_new(a->elements, a->n_elements, 8);
    PyObject *transmits = py_transmits_new(a->transmits, a->tx_apodization, a->receives,
                                           a->n_transmits, a->n_elements);
    if (!elements || !transmits) {
        Py_XDECREF(elements);
        Py_XDECREF(transmits);
        return NULL;
    }
    return Py_BuildValue("Ny#Nddddddsid", elements, (const char *)a->shapes,
                         (Py_ssize_t)a->n_elements * (Py_ssize_t)sizeof *a->shapes, transmits,
                         a->fs_hz, a->fc_hz, a->bandwidth, a->fd_hz, a->c_m_s, a->frame_rate_hz,
                         origins[a->phase_origin], a->phase_sign, a->line_taper);
}
