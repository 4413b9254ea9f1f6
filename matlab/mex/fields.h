/*
 * Fields of structs: numbers and text from them, and into new ones.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MATLAB_FIELDS_H
#define SACCADE_MATLAB_FIELDS_H

#include "face.h"

/* The index of the text in `choices`, which end with NULL; `name` names it in errors. */
int32_t mat_field_choice(const mxArray *value, const char *name, const char *const *choices);

/* A field that has something in it; or NULL. */
const mxArray *mat_field(const mxArray *value, size_t i, const char *name);

double mat_field_number(const mxArray *value, size_t i, const char *name, double otherwise);

/* n numbers of class double; or NULL where the field is not there. */
const double *mat_field_numbers(const mxArray *value, size_t i, const char *name, size_t n);

/* A field that is not read may be a wrong name of one that is: a warning. */
void mat_doubt_fields(const mxArray *value, const char *what, const char *const *known);

/* A row or matrix of doubles in a field of a struct, to be filled in. */
double *mat_put_numbers(mxArray *to, size_t i, const char *name, int64_t rows, int64_t columns);

void mat_put_number(mxArray *to, size_t i, const char *name, double number);

#endif
