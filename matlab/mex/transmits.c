/*
 * What is sent, and who receives it: the list `transmits` of an acquisition.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <math.h>
#include <string.h>

#include "fields.h"

/* Names of sac_transmit_kind; arrivals belong to the points of a grid, and are not taken. */
static const char *const kinds[] = {"plane", "diverging", "focused", "element", "delays", NULL};

static const char *transmit_fields[] = {
    "kind", "azimuth_rad", "elevation_rad", "source_m", "element", "delays_s",
    "t0_s", "weight",      "apodization",   "receives", NULL};
#define N_FIELDS 10

static void take_transmit(sac_transmit *t, const mxArray *list, size_t i, int32_t n_elements)
{
    const mxArray *kind = mat_field(list, i, "kind");
    sac_transmit_init(t, kind ? (sac_transmit_kind)mat_field_choice(kind, "transmits.kind", kinds)
                              : SAC_TRANSMIT_PLANE);
    t->azimuth_rad = mat_field_number(list, i, "azimuth_rad", t->azimuth_rad);
    static const char *const needed[] = {NULL, "source_m", "source_m", "element", "delays_s"};
    if (needed[t->kind] && !mat_field(list, i, needed[t->kind]))
        mat_fail(SAC_E_INVALID, "transmits.%s: transmit %zu is `%s`, and needs it", needed[t->kind],
                 i + 1, kinds[t->kind]);
    t->elevation_rad = mat_field_number(list, i, "elevation_rad", t->elevation_rad);
    t->t0_s = mat_field_number(list, i, "t0_s", t->t0_s);
    t->weight = mat_field_number(list, i, "weight", t->weight);
    const double element = mat_field_number(list, i, "element", 1); /* from 1, as MATLAB counts */
    if (!(element >= 1 && element <= n_elements && element == floor(element)))
        mat_fail(SAC_E_INVALID, "transmits.element: expected 1 to %d, got %g", n_elements, element);
    t->element = (int32_t)element - 1;
    const double *source = mat_field_numbers(list, i, "source_m", 3);
    for (int k = 0; source && k < 3; k++)
        t->source_m[k] = source[k];
    t->delays_s = mat_field_numbers(list, i, "delays_s", (size_t)n_elements);
}

/* The amplitudes with which elements fire; 1 of transmits that give none. */
static void take_amplitudes(sac_acquisition *a, const mxArray *list)
{
    const size_t n = (size_t)a->n_elements, n_tx = (size_t)a->n_transmits;
    double *all = NULL;
    for (size_t i = 0; i < n_tx; i++) {
        const double *of = mat_field_numbers(list, i, "apodization", n);
        if (of && !all) {
            all = mat_alloc(n_tx * n, sizeof *all);
            for (size_t k = 0; k < n_tx * n; k++)
                all[k] = 1;
        }
        if (of)
            memcpy(all + i * n, of, n * sizeof *all);
    }
    a->tx_apodization = all;
}

/* Whether element k receives, of logical or double values. */
static uint8_t receives(const mxArray *value, size_t k)
{
    const double number =
        mxIsLogical(value) ? mxGetLogicals(value)[k] : ((const double *)mxGetData(value))[k];
    if (number != 0 && number != 1)
        mat_fail(SAC_E_INVALID, "transmits.receives: expected true or false, got %g", number);
    return number == 1;
}

/* Which elements receive each transmit; all where it does not say. */
static void take_receives(sac_acquisition *a, const mxArray *list)
{
    const size_t n = (size_t)a->n_elements, n_tx = (size_t)a->n_transmits;
    uint8_t *all = NULL;
    for (size_t i = 0; i < n_tx; i++) {
        const mxArray *of = mat_field(list, i, "receives");
        if (!of)
            continue;
        if (!all) {
            all = mat_alloc(n_tx * n, sizeof *all);
            memset(all, 1, n_tx * n);
        }
        if (!mxIsLogical(of) || mxIsSparse(of) || mxGetNumberOfElements(of) != n)
            mat_field_numbers(list, i, "receives", n);
        for (size_t k = 0; k < n; k++)
            all[i * n + k] = receives(of, k);
    }
    a->receives = all;
}

/* The transmits of a row-column array by text: both axes send them. */
static void take_both_ways(sac_acquisition *a, sac_transmit *transmits, const char *text)
{
    int32_t n_by[2], n_lines[2];
    sac_error err = {0};
    mat_check(sac_transmits_parse_row_column(transmits, n_by, n_lines, MAX_TRANSMITS, text,
                                             a->elements, a->shapes, a->n_elements, &err),
              &err);
    a->n_transmits = n_by[0] + n_by[1];
    const size_t n = (size_t)a->n_transmits * (size_t)a->n_elements;
    double *fires = mat_alloc(n, sizeof *fires);
    uint8_t *hears = mat_alloc(n, sizeof *hears);
    sac_transmits_row_column(transmits, fires, hears, n_by[0], n_by[1], n_lines[0], n_lines[1]);
    a->tx_apodization = fires;
    a->receives = hears;
}

void mat_transmits_take(sac_acquisition *a, const mxArray *value)
{
    const mxArray *list = mat_field(value, 0, "transmits");
    sac_error err = {0};
    if (!list || !(mxIsStruct(list) || mxIsChar(list) || mxIsClass(list, "string")))
        mat_fail(SAC_E_INVALID, "transmits: expected a struct array, or text as `plane:75:16`");
    const bool is_list = mxIsStruct(list);
    const size_t n = is_list ? mxGetNumberOfElements(list) : MAX_TRANSMITS;
    if (is_list)
        mat_doubt_fields(list, "transmits", transmit_fields);
    if (n > MAX_TRANSMITS)
        mat_fail(SAC_E_INVALID, "transmits: expected at most %d, got %zu", MAX_TRANSMITS, n);
    sac_transmit *transmits = mat_alloc(n, sizeof *transmits);
    a->n_transmits = (int32_t)n;
    for (size_t i = 0; i < n && is_list; i++)
        take_transmit(&transmits[i], list, i, a->n_elements);
    if (!is_list && a->shapes)
        take_both_ways(a, transmits, mat_text(list, "transmits"));
    else if (!is_list)
        mat_check(sac_transmits_parse(transmits, &a->n_transmits, MAX_TRANSMITS,
                                      mat_text(list, "transmits"), a->elements, a->n_elements,
                                      &err),
                  &err);
    if (is_list) {
        take_amplitudes(a, list);
        take_receives(a, list);
    }
    const double t0_s = mat_field_number(value, 0, "t0_s", NAN);
    for (size_t i = 0; i < (size_t)a->n_transmits && !isnan(t0_s); i++)
        transmits[i].t0_s = t0_s;
    a->transmits = transmits;
}

static void put_receives(mxArray *to, size_t i, const sac_acquisition *a)
{
    const size_t n = (size_t)a->n_elements;
    mxArray *value = mxCreateLogicalMatrix(1, (mwSize)n);
    for (size_t k = 0; k < n; k++)
        mxGetLogicals(value)[k] = a->receives[i * n + k] != 0;
    mxSetField(to, (mwIndex)i, "receives", value);
}

mxArray *mat_transmits_new(const sac_acquisition *a)
{
    mxArray *list = mxCreateStructMatrix(1, (mwSize)a->n_transmits, N_FIELDS, transmit_fields);
    for (size_t i = 0; i < (size_t)a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        mxSetField(list, (mwIndex)i, "kind", mxCreateString(kinds[t->kind]));
        mat_put_number(list, i, "azimuth_rad", t->azimuth_rad);
        mat_put_number(list, i, "elevation_rad", t->elevation_rad);
        memcpy(mat_put_numbers(list, i, "source_m", 3, 1), t->source_m, sizeof t->source_m);
        mat_put_number(list, i, "element", t->element + 1);
        mat_put_number(list, i, "t0_s", t->t0_s);
        mat_put_number(list, i, "weight", t->weight);
        if (t->kind == SAC_TRANSMIT_DELAYS)
            memcpy(mat_put_numbers(list, i, "delays_s", 1, a->n_elements), t->delays_s,
                   (size_t)a->n_elements * sizeof *t->delays_s);
        if (a->tx_apodization)
            memcpy(mat_put_numbers(list, i, "apodization", 1, a->n_elements),
                   a->tx_apodization + i * (size_t)a->n_elements,
                   (size_t)a->n_elements * sizeof *a->tx_apodization);
        if (a->receives)
            put_receives(list, i, a);
    }
    return list;
}
