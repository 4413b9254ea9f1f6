/*
 * Beamformed images in HDF5, which docs/formats.md describes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/image/image.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/foreign.h"

static const char *const cartesian_names[] = {"x_m", "y_m", "z_m"};
static const char *const sector_names[] = {"azimuth_rad", "elevation_rad", "depth_m"};

static const char *axis_name(const sac_image_info *info, int axis)
{
    return (info->grid_kind == SAC_GRID_SECTOR ? sector_names : cartesian_names)[axis];
}

/* Axes of the array: frames, transmits, z, y, x. */
#define MAX_IMAGE_DIMS 5

/* An axis is even where no step differs from another by more, in steps. */
#define EVEN_TOLERANCE 1e-6

static double point(const sac_grid *grid, int axis, int64_t i)
{
    double first = grid->first_m[axis], last = grid->last_m[axis];
    return grid->n[axis] == 1 ? first
                              : first + (last - first) * ((double)i / (double)(grid->n[axis] - 1));
}

static bool put_axes(const sac_h5 *h, const sac_image_info *info)
{
    const sac_grid *grid = &info->grid;
    const hsize_t three = 3;
    bool ok = true;
    if (info->grid_kind == SAC_GRID_SECTOR)
        ok = sac_h5_put(h->file, "apex_m", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &three,
                        info->sector.apex_m) &&
             sac_h5_put_number(h->file, "radius_m", info->sector.radius_m);
    for (int axis = 0; axis < 3 && ok; axis++) {
        hsize_t n = (hsize_t)grid->n[axis];
        double *points = sac_alloc((size_t)n, sizeof *points);
        for (hsize_t i = 0; points && i < n; i++)
            points[i] = point(grid, axis, (int64_t)i);
        ok = points && sac_h5_put(h->file, axis_name(info, axis), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                  1, &n, points);
        sac_free(points);
    }
    return ok;
}

static bool put_info(const sac_h5 *h, const sac_image_info *info)
{
    bool ok = sac_h5_put_text(h->file, "format", SAC_H5_IMAGE) &&
              sac_h5_put_number(h->file, "version", 1) &&
              sac_h5_put_text(h->file, "output", sac_output_name(info->output));
    for (const sac_field *f = sac_image_fields; f->name && ok; f++)
        ok = (f->offset >= offsetof(sac_image_info, nyquist_m_s) && *sac_field_in(info, f) == 0) ||
             sac_h5_put_number(h->file, f->name, *sac_field_in(info, f));
    return ok;
}

sac_status sac_hdf5_write_image(sac_out *out, const sac_array *image, const sac_image_info *info,
                                sac_error *err)
{
    sac_h5 h;
    sac_h5_sink sink;
    size_t bytes = (size_t)sac_array_count(image) * sac_dtype_size(image->dtype);
    sac_status st = sac_h5_create(&h, &sink, out, bytes, err);
    if (st != SAC_OK)
        return st;
    bool ok = put_info(&h, info) && sac_h5_put_array(h.file, "image", image) &&
              put_axes(&h, info) && sac_h5_put_truth(&h, info->truth, info->n_truth);
    return sac_h5_finish(&h, &sink, ok, out, err);
}

/* The dataset of the frames, all of it given out, nothing written; and where it is in the file. */
static bool put_place(const sac_h5 *h, int64_t *offset, const sac_array *image)
{
    hsize_t dims[SAC_MAX_DIMS];
    hid_t type = image->dtype == SAC_C64 ? sac_h5_complex(-1) : -1;
    hid_t file_type = type >= 0 ? type : image->dtype == SAC_U8 ? H5T_STD_U8LE : H5T_IEEE_F32LE;
    for (int i = 0; i < image->n_dims; i++)
        dims[i] = (hsize_t)image->shape[i];
    hid_t space = H5Screate_simple(image->n_dims, dims, NULL);
    hid_t properties = sac_h5_timeless(H5P_DATASET_CREATE);
    bool ok = H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) >= 0 &&
              H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0;
    hid_t set =
        H5Dcreate2(h->file, "image", file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    const haddr_t at = set >= 0 ? H5Dget_offset(set) : HADDR_UNDEF;
    *offset = (int64_t)at;
    ok = ok && at != HADDR_UNDEF && (image->dtype != SAC_C64 || type >= 0);
    if (set >= 0)
        ok = H5Dclose(set) >= 0 && ok;
    H5Pclose(properties);
    H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

sac_status sac_hdf5_begin_image(int64_t *offset, sac_out *out, const sac_array *image,
                                const sac_image_info *info, sac_error *err)
{
    sac_h5 h;
    sac_h5_sink sink;
    sac_status st = sac_h5_create_at(&h, &sink, out->fd, out->name, err);
    if (st != SAC_OK)
        return st;
    const bool ok = put_info(&h, info) && put_place(&h, offset, image) && put_axes(&h, info) &&
                    sac_h5_put_truth(&h, info->truth, info->n_truth);
    return sac_h5_finish_at(&h, &sink, ok, err);
}

/* Reads an axis, which must be even: a grid is its ends and its number of points. */
static sac_status read_axis(sac_image_info *info, const sac_h5 *h, int axis, sac_error *err)
{
    sac_grid *grid = &info->grid;
    const char *name = axis_name(info, axis);
    uint64_t n;
    sac_status st = sac_h5_length(h, h->file, "/", name, &n, err);
    if (st != SAC_OK)
        return st;
    double *points = sac_alloc((size_t)n, sizeof *points);
    if (!points)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for /%s", h->name, name);
    st = sac_h5_doubles(h, h->file, "/", name, points, 1, &n, err);
    if (st == SAC_OK) {
        grid->n[axis] = (int64_t)n;
        grid->first_m[axis] = points[0];
        grid->last_m[axis] = points[n - 1];
        double step = n > 1 ? fabs(points[n - 1] - points[0]) / (double)(n - 1) : 0;
        bool even = isfinite(points[0]) && isfinite(points[n - 1]);
        for (uint64_t i = 0; i < n && even; i++)
            even = fabs(points[i] - point(grid, axis, (int64_t)i)) <= EVEN_TOLERANCE * step;
        if (!even)
            st = sac_fail(err, SAC_E_FORMAT, "%s: /%s: expected points at equal steps", h->name,
                          name);
    }
    sac_free(points);
    return st;
}

/* A file with azimuths is polar. */
static sac_status read_sector(sac_image_info *info, const sac_h5 *h, sac_error *err)
{
    const uint64_t three = 3;
    double *apex = info->sector.apex_m, *radius = &info->sector.radius_m;
    if (!sac_h5_has(h, h->file, sector_names[0]))
        return SAC_OK;
    info->grid_kind = SAC_GRID_SECTOR;
    *radius = NAN; /* without it depths are unknown */
    sac_status st = sac_h5_doubles(h, h->file, "/", "apex_m", apex, 1, &three, err);
    if (st == SAC_OK)
        st = sac_h5_number(h, h->file, "radius_m", radius, err);
    if (st == SAC_OK && (!isfinite(apex[0] + apex[1] + apex[2] + *radius) || *radius < 0))
        st = sac_fail(err, SAC_E_FORMAT,
                      "%s: /apex_m, radius_m: expected finite numbers, and a radius of 0 or more",
                      h->name);
    return st;
}

static sac_status read_info(sac_image_info *info, const sac_h5 *h, sac_error *err)
{
    char output[16];
    sac_status st = sac_h5_text(h, h->file, "output", output, sizeof output, err);
    if (st == SAC_OK && !sac_output_parse(&info->output, output))
        st = sac_fail(err, SAC_E_FORMAT,
                      "%s: output: expected iq, envelope, bmode, gray, power, velocity, "
                      "directional, variance, velocity-power or vector, got `%s`",
                      h->name, output);
    for (const sac_field *f = sac_image_fields; f->name && st == SAC_OK; f++)
        st = sac_h5_number(h, h->file, f->name, sac_field_of(info, f), err);
    for (const sac_field *f = sac_image_fields; f->name && st == SAC_OK; f++)
        if (!isfinite(*sac_field_in(info, f)))
            st = sac_fail(err, SAC_E_FORMAT, "%s: attribute %s: expected a finite number", h->name,
                          f->name);
    if (st == SAC_OK)
        st = read_sector(info, h, err);
    for (int axis = 0; axis < 3 && st == SAC_OK; axis++)
        st = read_axis(info, h, axis, err);
    return st;
}

static sac_status read_samples(sac_image *image, const sac_h5 *h, const sac_h5_set *s, hid_t type,
                               sac_error *err)
{
    if (s->n_dims > MAX_IMAGE_DIMS)
        return sac_fail(err, SAC_E_FORMAT, "%s: /image: %d axes are too many", h->name, s->n_dims);
    int64_t shape[MAX_IMAGE_DIMS];
    for (int i = 0; i < s->n_dims; i++)
        shape[i] = (int64_t)s->dims[i];
    sac_dtype dtype = s->type_class == H5T_FLOAT     ? SAC_F32
                      : s->type_class == H5T_INTEGER ? SAC_U8
                                                     : SAC_C64;
    sac_array *a = &image->array;
    sac_error why;
    sac_status st = sac_array_view(a, NULL, dtype, s->n_dims, shape, &why);
    if (st != SAC_OK)
        return sac_fail(err, SAC_E_FORMAT, "%s: /%s", h->name, why.text);
    a->data = sac_alloc((size_t)s->count, sac_dtype_size(dtype));
    if (!a->data)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for /image", h->name);
    if (sac_image_check(a, &image->info.grid, "image", &why) != SAC_OK)
        return sac_fail(err, SAC_E_FORMAT, "%s: /%s", h->name, why.text);
    st = sac_h5_sound(s, h, "/", "image", NULL, NULL, err);
    if (st != SAC_OK)
        return st;
    if (H5Dread(s->set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) < 0)
        return sac_h5_fail(h, err, SAC_E_FORMAT, "/image");
    return SAC_OK;
}

static sac_status read_image(sac_image *image, const sac_h5 *h, sac_error *err)
{
    sac_h5_set s;
    sac_status st = sac_h5_set_open(&s, h, h->file, "/", "image", err);
    if (st != SAC_OK)
        return st;
    hid_t in_file = H5Dget_type(s.set);
    bool is_u8 = s.type_class == H5T_INTEGER && s.type_size == 1 && !s.is_signed;
    hid_t type = s.type_class == H5T_FLOAT ? H5Tcopy(H5T_NATIVE_FLOAT)
                 : is_u8                   ? H5Tcopy(H5T_NATIVE_UINT8)
                                           : sac_h5_complex(in_file);
    H5Tclose(in_file);
    if (type >= 0) {
        st = read_samples(image, h, &s, type, err);
        H5Tclose(type);
    } else {
        st = sac_fail(err, SAC_E_FORMAT, "%s: /image: expected float32, uint8 or complex (r, i)",
                      h->name);
    }
    sac_h5_set_close(&s);
    return st;
}

sac_status sac_hdf5_read_image(sac_image *image, const char *path, const char *name, uint64_t bytes,
                               sac_error *err)
{
    sac_h5 h;
    sac_status st = sac_h5_open(&h, path, name, bytes, err);
    if (st != SAC_OK)
        return st;
    if (H5Aexists(h.file, "format") <= 0 && sac_uff_is(&h)) {
        sac_h5_name_format(h.name, "UFF");
        return sac_h5_end(&h, sac_uff_read_image(image, &h, err), err);
    }
    st = sac_h5_check_format(&h, SAC_H5_IMAGE, err);
    st = st ? st : read_info(&image->info, &h, err);
    st = st ? st : read_image(image, &h, err);
    st = st ? st : sac_h5_read_truth(&h, &image->truth, &image->info.n_truth, err);
    return sac_h5_end(&h, st, err);
}
