/*
 * All that is written into an HDF5 file: attributes, groups, datasets.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/hdf5/hdf5.h"

#include <string.h>

#include "base/alloc.h"

hid_t sac_h5_timeless(hid_t kind)
{
    hid_t properties = H5Pcreate(kind);
    H5Pset_obj_track_times(properties, false);
    return properties;
}

/* One value, or an array of n_dims axes. */
static bool put_attribute(hid_t object, const char *name, hid_t type, int n_dims,
                          const hsize_t *dims, const void *value)
{
    hid_t space = n_dims ? H5Screate_simple(n_dims, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        ok = H5Aclose(attribute) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

bool sac_h5_put_number(hid_t object, const char *name, double value)
{
    return sac_h5_put_numbers(object, name, 0, NULL, &value);
}

bool sac_h5_put_numbers(hid_t object, const char *name, int n_dims, const hsize_t *dims,
                        const double *values)
{
    return put_attribute(object, name, H5T_NATIVE_DOUBLE, n_dims, dims, values);
}

bool sac_h5_put_text(hid_t object, const char *name, const char *text)
{
    /* Of fixed length: strings of variable length lie in a heap without checksums. */
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    bool ok = put_attribute(object, name, type, 0, NULL, text);
    H5Tclose(type);
    return ok;
}

hid_t sac_h5_put_group(hid_t at, const char *name)
{
    hid_t properties = sac_h5_timeless(H5P_GROUP_CREATE);
    hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return group;
}

bool sac_h5_put(hid_t group, const char *name, hid_t file_type, hid_t memory_type, int n_dims,
                const hsize_t *dims, const void *data)
{
    hid_t space = H5Screate_simple(n_dims, dims, NULL);
    hid_t properties = sac_h5_timeless(H5P_DATASET_CREATE);
    hid_t set = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    bool ok = set >= 0 && H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0)
        ok = H5Dclose(set) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

bool sac_h5_put_array(hid_t group, const char *name, const sac_array *a)
{
    hsize_t dims[SAC_MAX_DIMS];
    for (int i = 0; i < a->n_dims; i++)
        dims[i] = (hsize_t)a->shape[i];
    if (a->dtype == SAC_C64) {
        hid_t type = sac_h5_complex(-1);
        bool ok = sac_h5_put(group, name, type, type, a->n_dims, dims, a->data);
        H5Tclose(type);
        return ok;
    }
    return sac_h5_put(group, name,
                      a->dtype == SAC_U8    ? H5T_STD_U8LE
                      : a->dtype == SAC_I16 ? H5T_STD_I16LE
                                            : H5T_IEEE_F32LE,
                      a->dtype == SAC_U8    ? H5T_NATIVE_UINT8
                      : a->dtype == SAC_I16 ? H5T_NATIVE_INT16
                                            : H5T_NATIVE_FLOAT,
                      a->n_dims, dims, a->data);
}

bool sac_h5_put_fields(hid_t group, const sac_field *fields, const void *base, size_t size,
                       uint64_t n)
{
    double *values = sac_alloc((size_t)n, 3 * sizeof *values);
    bool ok = values != NULL;
    for (const sac_field *f = fields; f->name && ok; f++) {
        for (uint64_t i = 0; i < n; i++)
            memcpy(values + i * (uint64_t)f->width, sac_field_in((const char *)base + i * size, f),
                   (size_t)f->width * sizeof *values);
        ok = sac_h5_put(group, f->name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, f->width == 1 ? 1 : 2,
                        (const hsize_t[]){n, (hsize_t)f->width}, values);
    }
    sac_free(values);
    return ok;
}

bool sac_h5_put_truth(const sac_h5 *h, const sac_scatterer *truth, int64_t n)
{
    if (!truth || n < 1)
        return true;
    hid_t group = sac_h5_put_group(h->file, "truth");
    bool ok = group >= 0 &&
              sac_h5_put_fields(group, sac_scatterer_fields, truth, sizeof *truth, (uint64_t)n);
    return group >= 0 && H5Gclose(group) >= 0 && ok;
}
