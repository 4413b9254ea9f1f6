/*
 * Acquisitions, grids and rows of numbers between Python and C.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PY_ACQUISITION_H
#define PY_ACQUISITION_H

#include "core.h"

/* A capsule that holds a saccade.Acquisition as C takes it. NULL: an exception is set. */
PyObject *py_acquisition_new(PyObject *acquisition);
const sac_acquisition *py_acquisition_get(PyObject *capsule);
/* How long all tables of arrivals are; -1: there are none, -2: they differ. */
int64_t py_acquisition_arrivals(PyObject *capsule);
/* What saccade.Acquisition._unpack takes. */
PyObject *py_acquisition_tuple(const sac_acquisition *acquisition);
/* A list of what saccade.Transmit is made of. `fires`, `receives`: (n, n_elements), or NULL. */
PyObject *py_transmits_new(const sac_transmit *transmits, const double *fires,
                           const uint8_t *receives, int32_t n, int32_t n_elements);

/* A saccade.Grid, or a Sector where `kind` (sac_grid_kind) is not NULL; and back. */
bool py_grid_read(sac_grid *grid, int32_t *kind, sac_sector *sector, PyObject *object);
PyObject *py_grid_new(const sac_grid *grid, int32_t kind, const sac_sector *sector);

/* Contiguous rows of float64: their first number (never NULL), and how many rows. */
const void *py_rows_view(py_array *view, PyObject *object, const char *name, int n_columns,
                         int64_t *n);
/* A new array of NumPy with a copy of rows. */
PyObject *py_rows_new(const void *rows, int64_t n, int n_columns);

#endif
