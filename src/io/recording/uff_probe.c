/*
 * Probes in UFF: by a matrix of all elements, or by what describes an array.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/uff.h"

/* Columns x, y, z, theta, phi, width, height; the last ones may be missing. */
static sac_status read_geometry(sac_draft *d, const sac_h5_group *g, const sac_h5_numbers *n,
                                sac_error *err)
{
    if (n->rows < 3 || n->rows > 7)
        return sac_h5_odd(g, "geometry", "expected (3 to 7, n_elements) numbers", err);
    sac_status st = sac_draft_elements(d, n->columns, err);
    for (uint64_t e = 0; st == SAC_OK && e < n->columns; e++) {
        sac_element *to = &d->recording->elements[e];
        double v[7] = {0};
        for (uint64_t k = 0; k < n->rows; k++)
            v[k] = n->values[k * n->columns + e];
        memcpy(to->position_m, v, sizeof to->position_m);
        to->normal[0] = sin(v[3]) * cos(v[4]);
        to->normal[1] = sin(v[4]);
        to->normal[2] = cos(v[3]) * cos(v[4]);
        to->width_m = v[5];
        to->height_m = v[6];
    }
    return st;
}

/* Arrays by what describes them: linear_array, curvilinear_array, matrix_array. */
static sac_status make_array(sac_draft *d, const sac_h5_group *g, const char *class, sac_error *err)
{
    const bool curved = strcmp(class, "uff.curvilinear_array") == 0;
    const bool matrix = strcmp(class, "uff.matrix_array") == 0;
    if (!curved && !matrix && strcmp(class, "uff.linear_array") != 0)
        return sac_h5_odd(g, "geometry", "is missing", err);
    double n[2] = {NAN, 1}, pitch_m[2] = {NAN, 0}, radius_m = INFINITY, width_m = NAN,
           height_m = NAN;
    sac_status st = sac_h5_need(g, matrix ? "N_x" : "N", &n[0], NAN, NULL, err);
    st = st ? st : sac_h5_need(g, matrix ? "pitch_x" : "pitch", &pitch_m[0], NAN, NULL, err);
    if (st == SAC_OK && matrix)
        st = sac_h5_need(g, "N_y", &n[1], NAN, NULL, err);
    if (st == SAC_OK && matrix)
        st = sac_h5_need(g, "pitch_y", &pitch_m[1], NAN, NULL, err);
    if (st == SAC_OK && curved)
        st = sac_h5_need(g, "radius", &radius_m, NAN, NULL, err);
    st = st ? st : sac_h5_value(g, "element_width", &width_m, err);
    st = st ? st : sac_h5_value(g, "element_height", &height_m, err);
    if (st != SAC_OK)
        return st;
    if (!(n[0] >= 1 && n[1] >= 1 && n[0] * n[1] <= SAC_IO_MAX_LISTED))
        return sac_h5_odd(g, matrix ? "N_x" : "N", "expected a number of elements", err);
    if (curved && !(radius_m > 0 && pitch_m[0] > 0 && pitch_m[0] <= 2 * radius_m))
        return sac_h5_odd(g, "radius", "cannot hold these elements", err);
    const int32_t n_x = (int32_t)n[0], n_all = n_x * (int32_t)n[1];
    st = sac_draft_elements(d, (uint64_t)n_all, err);
    for (int32_t i = 0; st == SAC_OK && i < n_all; i++) {
        sac_element *e = &d->recording->elements[i];
        const double at = i % n_x - 0.5 * (n_x - 1);
        const double angle = curved ? at * 2 * asin(pitch_m[0] / (2 * radius_m)) : 0;
        e->position_m[0] = curved ? radius_m * sin(angle) : at * pitch_m[0];
        e->position_m[1] = (i / n_x - 0.5 * ((int32_t)n[1] - 1)) * pitch_m[1];
        e->position_m[2] = curved ? radius_m * (cos(angle) - 1) : 0;
        e->normal[0] = sin(angle);
        e->normal[2] = cos(angle);
        e->width_m = isnan(width_m) ? pitch_m[0] : width_m;
        e->height_m = !isnan(height_m) ? height_m : matrix ? pitch_m[1] : 10 * e->width_m;
    }
    return st;
}

sac_status sac_uff_read_probe(sac_draft *d, const sac_h5_group *data, sac_error *err)
{
    sac_h5_group g;
    sac_h5_numbers geometry = {NULL, 0, 0};
    char class[SAC_UFF_CLASS] = "";
    sac_status st = sac_h5_group_open(&g, data, "probe", err);
    if (st != SAC_OK)
        return st;
    if (g.id < 0)
        return isnan(d->desc.pitch_m)
                   ? sac_fail(err, SAC_E_FORMAT,
                              "%s: group %sprobe is missing (--pitch describes a linear array)",
                              data->h->name, data->path)
                   : SAC_OK;
    st = sac_h5_numbers_read(&geometry, &g, "geometry", false, err);
    st = st ? st : sac_uff_class(class, &g, err);
    if (st == SAC_OK)
        st = geometry.values ? read_geometry(d, &g, &geometry, err) : make_array(d, &g, class, err);
    sac_free(geometry.values);
    sac_h5_group_close(&g);
    return st;
}
