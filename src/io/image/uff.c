/*
 * Beamformed images in UFF: an uff.beamformed_data on an uff.linear_scan, whose pixels run along z,
 * then x, then y.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/image/image.h"
#include "io/recording/uff.h"

#define EVEN_TOLERANCE 1e-3 /* of a step: axes are float32 */

/* One part of an image on its way to pixels, or back. */
typedef struct view {
    const sac_grid *grid;
    int64_t n_outer; /* frames x transmits; of one that is written, transmits */
    float *image;    /* (n_outer, z, y, x), of `parts` floats each */
    int parts;
    float imaginary; /* times this: UFF's IQ has the usual sign */
} view;

/* Pixel p of an image: where it lies in (z, y, x). */
static int64_t place_of(const sac_grid *g, int64_t p)
{
    const int64_t z = p % g->n[2], x = p / g->n[2] % g->n[0], y = p / g->n[2] / g->n[0];
    return (z * g->n[1] + y) * g->n[0] + x;
}

static int64_t n_pixels(const sac_grid *g)
{
    return g->n[0] * g->n[1] * g->n[2];
}

static void gather(const void *ctx, int64_t frame, bool imaginary, float *to)
{
    const view *v = ctx;
    const int64_t n = n_pixels(v->grid), first = frame * v->n_outer;
    for (int64_t i = 0; i < v->n_outer; i++)
        for (int64_t p = 0; p < n; p++)
            to[i * n + p] =
                v->image[((first + i) * n + place_of(v->grid, p)) * v->parts + imaginary] *
                (imaginary ? v->imaginary : 1);
}

static bool put_axis(hid_t scan, const char *name, const sac_grid *g, int axis)
{
    const int64_t n = g->n[axis];
    double *points = sac_alloc((size_t)n, sizeof *points);
    for (int64_t i = 0; points && i < n; i++)
        points[i] = n == 1 ? g->first_m[axis]
                           : g->first_m[axis] + (g->last_m[axis] - g->first_m[axis]) *
                                                    ((double)i / (double)(n - 1));
    bool ok = points && sac_uff_put_matrix(scan, name, 1, (hsize_t)n, points);
    sac_free(points);
    return ok;
}

static bool put_scan(hid_t at, const sac_grid *g)
{
    hid_t scan = sac_uff_begin(at, "scan", "uff.linear_scan", 1);
    return sac_uff_end(scan, scan >= 0 && put_axis(scan, "x_axis", g, 0) &&
                                 put_axis(scan, "y_axis", g, 1) && put_axis(scan, "z_axis", g, 2));
}

static bool put_data(hid_t at, const sac_array *image, const sac_image_info *info)
{
    const sac_grid *g = &info->grid;
    const bool lri = image->n_dims > (g->n[1] > 1 ? 4 : 3);
    const hsize_t dims[4] = {(hsize_t)image->shape[0], lri ? (hsize_t)image->shape[1] : 1, 1,
                             (hsize_t)n_pixels(g)};
    const view v = {.grid = g,
                    .n_outer = (int64_t)dims[1],
                    .image = image->data,
                    .parts = image->dtype == SAC_C64 ? 2 : 1,
                    .imaginary = info->phase_sign < 0 ? -1 : 1};
    return v.parts == 2 ? sac_uff_put_complex(at, "data", 4, dims, gather, &v)
                        : sac_uff_put_real(at, "data", false, 4, dims, gather, &v);
}

sac_status sac_uff_write_image(sac_out *out, const sac_array *image, const sac_image_info *info,
                               sac_error *err)
{
    sac_h5 h;
    sac_h5_sink sink;
    if (info->grid_kind != SAC_GRID_CARTESIAN)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: UFF is written of cartesian grids, and this image is a sector",
                        out->name);
    if (info->output != SAC_OUTPUT_IQ && info->output != SAC_OUTPUT_ENVELOPE)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: UFF holds values, not decibels: kind iq or envelope", out->name);
    size_t bytes = (size_t)sac_array_count(image) * sac_dtype_size(image->dtype);
    sac_status st = sac_h5_create(&h, &sink, out, bytes, err);
    if (st != SAC_OK)
        return st;
    bool ok = sac_uff_put_version(h.file);
    hid_t data = ok ? sac_uff_begin(h.file, "beamformed_data", "uff.beamformed_data", 1) : -1;
    ok = sac_uff_end(data, data >= 0 && put_scan(data, &info->grid) && put_data(data, image, info));
    return sac_h5_finish(&h, &sink, ok, out, err);
}

/* An axis of the scan; one that is missing is 0 alone, as in USTB. */
static sac_status read_axis(sac_grid *g, const sac_h5_group *scan, const char *name, int axis,
                            sac_error *err)
{
    sac_h5_numbers n;
    sac_status st = sac_h5_numbers_read(&n, scan, name, false, err);
    if (st != SAC_OK)
        return st;
    if (!n.values)
        return axis == 1 ? SAC_OK : sac_h5_odd(scan, name, "is missing", err);
    const uint64_t count = n.rows * n.columns;
    const double first = n.values[0], last = n.values[count - 1];
    const double step = count > 1 ? (last - first) / (double)(count - 1) : 0;
    for (uint64_t i = 0; i < count && st == SAC_OK; i++)
        if (fabs(n.values[i] - first - step * (double)i) > EVEN_TOLERANCE * fabs(step))
            st = sac_h5_odd(scan, name, "expected points at equal steps", err);
    g->n[axis] = (int64_t)count;
    g->first_m[axis] = first;
    g->last_m[axis] = last;
    sac_free(n.values);
    return st;
}

static sac_status read_scan(sac_grid *g, const sac_h5_group *data, sac_error *err)
{
    sac_h5_group scan;
    char class[SAC_UFF_CLASS] = "";
    sac_status st = sac_h5_group_open(&scan, data, "scan", err);
    if (st == SAC_OK && scan.id < 0)
        return sac_h5_odd(data, "scan", "is missing", err);
    sac_grid_init(g);
    st = st ? st : sac_uff_class(class, &scan, err);
    if (st == SAC_OK && strcmp(class, "uff.linear_scan") != 0 &&
        strcmp(class, "uff.linear_scan_3D") != 0)
        st = sac_fail(err, SAC_E_UNSUPPORTED, "%s: %sscan: expected uff.linear_scan, got `%s`",
                      data->h->name, data->path, class);
    st = st ? st : read_axis(g, &scan, "x_axis", 0, err);
    st = st ? st : read_axis(g, &scan, "y_axis", 1, err);
    st = st ? st : read_axis(g, &scan, "z_axis", 2, err);
    sac_h5_group_close(&scan);
    return st;
}

/* Frames and transmits of (frames, waves, channels, pixels), of which leading axes of 1 may be left
 * out. */
static sac_status read_shape(int64_t lead[2], const sac_h5_set *s, const sac_grid *g,
                             const sac_h5_group *at, const char *name, sac_error *err)
{
    int64_t shape[4] = {1, 1, 1, 1};
    if (s->n_dims > 4 || (s->type_class != H5T_FLOAT && s->type_class != H5T_INTEGER))
        return sac_h5_odd(at, name, "expected numbers, (frames, waves, channels, pixels)", err);
    for (int i = 0; i < s->n_dims; i++)
        shape[4 - s->n_dims + i] = (int64_t)s->dims[i];
    if (shape[2] != 1)
        return sac_h5_odd(at, name, "expected one channel: channels are to be summed first", err);
    if (shape[3] / g->n[0] / g->n[1] != g->n[2] || shape[3] != n_pixels(g))
        return sac_h5_odd(at, name, "has not as many pixels as the scan", err);
    lead[0] = shape[0];
    lead[1] = shape[1];
    return SAC_OK;
}

/* One part of all pixels into the image. */
static sac_status read_part(const view *v, const sac_h5_group *at, const sac_h5_set *s,
                            const char *name, int part, sac_error *err)
{
    sac_status st = sac_h5_sound(s, at->h, at->path, name, NULL, NULL, err);
    if (st != SAC_OK)
        return st;
    float *pixels = sac_alloc((size_t)s->count, sizeof *pixels);
    if (!pixels)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %s%s", at->h->name, at->path, name);
    if (H5Dread(s->set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels) < 0)
        st = sac_h5_fail(at->h, err, SAC_E_FORMAT, name);
    const int64_t n = n_pixels(v->grid);
    for (int64_t i = 0; st == SAC_OK && i < v->n_outer; i++)
        for (int64_t p = 0; p < n; p++)
            v->image[(i * n + place_of(v->grid, p)) * v->parts + part] = pixels[i * n + p];
    sac_free(pixels);
    return st;
}

static sac_status make_array(sac_array *a, const sac_grid *g, const int64_t lead[2], bool complex,
                             const sac_h5 *h, sac_error *err)
{
    int64_t shape[5];
    int n = 0;
    shape[n++] = lead[0];
    if (lead[1] > 1)
        shape[n++] = lead[1];
    shape[n++] = g->n[2];
    if (g->n[1] > 1)
        shape[n++] = g->n[1];
    shape[n++] = g->n[0];
    sac_error why;
    if (sac_array_view(a, NULL, complex ? SAC_C64 : SAC_F32, n, shape, &why) != SAC_OK)
        return sac_fail(err, SAC_E_FORMAT, "%s: %s", h->name, why.text);
    a->data = sac_alloc((size_t)sac_array_count(a), sac_dtype_size(a->dtype));
    return a->data ? SAC_OK : sac_fail(err, SAC_E_NOMEM, "%s: no memory for an image", h->name);
}

static sac_status read_data(sac_image *image, const sac_h5_group *at, const char *const *names,
                            int n_parts, sac_error *err)
{
    int64_t lead[2] = {0}, first_lead[2] = {0};
    sac_status st = SAC_OK;
    for (int k = 0; k < n_parts && st == SAC_OK; k++) {
        sac_h5_set s;
        st = sac_h5_set_open(&s, at->h, at->id, at->path, names[k], err);
        if (st != SAC_OK)
            return st;
        st = read_shape(lead, &s, &image->info.grid, at, names[k], err);
        if (st == SAC_OK && k == 0)
            st = make_array(&image->array, &image->info.grid, lead, n_parts == 2, at->h, err);
        if (k == 0)
            memcpy(first_lead, lead, sizeof lead);
        else if (st == SAC_OK && memcmp(first_lead, lead, sizeof lead) != 0)
            st = sac_h5_odd(at, names[k], "has another shape than the real parts", err);
        const view v = {.grid = &image->info.grid,
                        .n_outer = lead[0] * lead[1],
                        .image = image->array.data,
                        .parts = n_parts};
        st = st ? st : read_part(&v, at, &s, names[k], k, err);
        sac_h5_set_close(&s);
    }
    return st;
}

static sac_status read_object(sac_image *image, const sac_h5_group *g, sac_error *err)
{
    static const char *const parts[] = {"real", "imag"}, *const whole[] = {"data"};
    sac_h5_group complex = {.id = -1};
    hid_t object = sac_h5_has(g->h, g->id, "data") ? H5Oopen(g->id, "data", g->h->links) : -1;
    const bool is_complex = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    if (object >= 0)
        H5Oclose(object);
    sac_status st = read_scan(&image->info.grid, g, err);
    if (st == SAC_OK && is_complex)
        st = sac_h5_group_open(&complex, g, "data", err);
    st = st ? st
            : read_data(image, is_complex ? &complex : g, is_complex ? parts : whole,
                        is_complex ? 2 : 1, err);
    sac_h5_group_close(&complex);
    image->info.output = is_complex ? SAC_OUTPUT_IQ : SAC_OUTPUT_ENVELOPE;
    return st;
}

sac_status sac_uff_read_image(sac_image *image, const sac_h5 *h, sac_error *err)
{
    char name[SAC_H5_PATH / 2];
    sac_h5_group g;
    const sac_h5_group root = sac_h5_root(h);
    sac_status st = sac_uff_check_version(h, err);
    if (st == SAC_OK && sac_uff_find(name, sizeof name, h, "uff.beamformed_data") == 0)
        st = sac_fail(err, SAC_E_FORMAT, "%s: has no object of class uff.beamformed_data", h->name);
    if (st != SAC_OK)
        return st;
    st = sac_h5_group_open(&g, &root, name, err);
    st = st ? st : read_object(image, &g, err);
    sac_h5_group_close(&g);
    return st;
}
