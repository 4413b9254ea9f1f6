/*
 * HDF5 datasets, with sizes bounded by what the file can hold before memory is asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/hdf5/hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Deflate, the usual filter, makes 1032 bytes of one at best. */
#define MAX_EXPANSION 1032

/* How many bytes the file can hold of the dataset, and whether it is stored in a way we read. */
static sac_status storage(sac_h5_set *s, const sac_h5 *h, const char *where, const char *name,
                          sac_error *err)
{
    hid_t properties = H5Dget_create_plist(s->set);
    H5D_layout_t layout = H5Pget_layout(properties);
    int n_external = H5Pget_external_count(properties);
    H5Pclose(properties);
    if (layout == H5D_VIRTUAL || layout < 0 || n_external != 0)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s%s: is stored in other files, which is not supported", h->name,
                        where, name);
    uint64_t bytes = H5Dget_storage_size(s->set);
    bytes = bytes < h->bytes ? bytes : h->bytes;
    if (layout == H5D_CHUNKED)
        bytes = bytes > UINT64_MAX / MAX_EXPANSION ? UINT64_MAX : bytes * MAX_EXPANSION;
    s->max_count = bytes / s->type_size;
    return SAC_OK;
}

static sac_status describe(sac_h5_set *s, const sac_h5 *h, const char *where, const char *name,
                           sac_error *err)
{
    hid_t type = H5Dget_type(s->set);
    s->type_class = H5Tget_class(type);
    s->type_size = H5Tget_size(type);
    s->is_signed = s->type_class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    H5Tclose(type);
    hid_t space = H5Dget_space(s->set);
    hsize_t dims[H5S_MAX_RANK] = {0};
    s->n_dims = H5Sget_simple_extent_dims(space, dims, NULL);
    bool simple = H5Sget_simple_extent_type(space) == H5S_SIMPLE;
    H5Sclose(space);
    if (!simple || s->n_dims < 1 || s->type_size < 1)
        return sac_fail(err, SAC_E_FORMAT, "%s: %s%s: is not an array", h->name, where, name);
    sac_status st = storage(s, h, where, name, err);
    s->count = 1;
    for (int i = 0; st == SAC_OK && i < s->n_dims; i++) {
        s->dims[i] = dims[i];
        if (dims[i] < 1 || dims[i] > s->max_count / s->count)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: %s%s: is empty, or larger than the file, which is truncated or "
                            "damaged",
                            h->name, where, name);
        s->count *= dims[i];
    }
    if (st != SAC_OK)
        return st;
    hid_t properties = H5Dget_create_plist(s->set);
    st = sac_h5_chunks(s, properties, h, where, name, err);
    H5Pclose(properties);
    return st;
}

sac_status sac_h5_set_describe(sac_h5_set *s, const sac_h5 *h, hid_t open, const char *where,
                               const char *name, sac_error *err)
{
    *s = (sac_h5_set){.set = open};
    return describe(s, h, where, name, err);
}

sac_status sac_h5_set_open(sac_h5_set *s, const sac_h5 *h, hid_t group, const char *where,
                           const char *name, sac_error *err)
{
    *s = (sac_h5_set){.set = -1};
    if (!sac_h5_has(h, group, name))
        return sac_fail(err, SAC_E_FORMAT, "%s: dataset %s%s is missing%s", h->name, where, name,
                        h->reason[0] ? ", or the file is damaged" : "");
    s->set = H5Dopen2(group, name, h->sets);
    if (s->set < 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: %s%s: is not a dataset, or is damaged", h->name,
                        where, name);
    sac_status st = describe(s, h, where, name, err);
    if (st != SAC_OK)
        sac_h5_set_close(s);
    return st;
}

void sac_h5_set_close(sac_h5_set *set)
{
    H5Dclose(set->set);
}

sac_status sac_h5_length(const sac_h5 *h, hid_t group, const char *where, const char *name,
                         uint64_t *n, sac_error *err)
{
    sac_h5_set s;
    sac_status st = sac_h5_set_open(&s, h, group, where, name, err);
    if (st != SAC_OK)
        return st;
    *n = s.dims[0];
    sac_h5_set_close(&s);
    return SAC_OK;
}

sac_status sac_h5_doubles(const sac_h5 *h, hid_t group, const char *where, const char *name,
                          double *to, int n_dims, const uint64_t *dims, sac_error *err)
{
    sac_h5_set s;
    sac_status st = sac_h5_set_open(&s, h, group, where, name, err);
    if (st != SAC_OK)
        return st;
    bool fits = s.n_dims == n_dims;
    for (int i = 0; fits && i < n_dims; i++)
        fits = s.dims[i] == dims[i];
    if (!fits || (s.type_class != H5T_FLOAT && s.type_class != H5T_INTEGER))
        st = sac_fail(err, SAC_E_FORMAT,
                      n_dims == 1 ? "%s: %s%s: expected %" PRIu64 " numbers"
                                  : "%s: %s%s: expected %" PRIu64 " x %" PRIu64 " numbers",
                      h->name, where, name, dims[0], dims[n_dims - 1]);
    else
        st = sac_h5_sound(&s, h, where, name, NULL, NULL, err);
    if (st == SAC_OK && H5Dread(s.set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0)
        st = sac_h5_fail(h, err, SAC_E_FORMAT, name);
    sac_h5_set_close(&s);
    return st;
}

sac_status sac_h5_fields(const sac_h5 *h, hid_t group, const char *where, const sac_field *fields,
                         void *base, size_t size, uint64_t n, sac_error *err)
{
    double *values = NULL;
    sac_status st = SAC_OK;
    for (const sac_field *f = fields; f->name && st == SAC_OK; f++) {
        if (!f->needed && !sac_h5_has(h, group, f->name))
            continue;
        if (!values)
            values = sac_alloc((size_t)n, 3 * sizeof *values);
        if (!values)
            return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %s", h->name, where);
        st = sac_h5_doubles(h, group, where, f->name, values, f->width == 1 ? 1 : 2,
                            (const uint64_t[]){n, (uint64_t)f->width}, err);
        for (uint64_t i = 0; f->finite && i < n * (uint64_t)f->width && st == SAC_OK; i++)
            if (!isfinite(values[i]))
                st = sac_fail(err, SAC_E_FORMAT, "%s: %s%s: expected finite numbers, got %g",
                              h->name, where, f->name, values[i]);
        for (uint64_t i = 0; i < n && st == SAC_OK; i++)
            memcpy(sac_field_of((char *)base + i * size, f), values + i * (uint64_t)f->width,
                   (size_t)f->width * sizeof *values);
    }
    sac_free(values);
    return st;
}

/* The words of a dataset of strings of one length. */
static bool read_fixed(const sac_h5_set *s, hid_t type, char (*words)[SAC_H5_WORD], char *raw)
{
    bool ok = H5Dread(s->set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0;
    for (uint64_t i = 0; i < s->count && ok; i++)
        ok = sac_h5_copy_text(words[i], SAC_H5_WORD, raw + i * s->type_size, s->type_size);
    return ok;
}

/* Of variable ones. One by one: many may be one and the same long text in the file. */
static bool read_variable(const sac_h5_set *s, hid_t type, char (*words)[SAC_H5_WORD])
{
    const hsize_t one = 1;
    hid_t memory = H5Screate_simple(1, &one, NULL), file = H5Dget_space(s->set);
    bool ok = true;
    for (hsize_t i = 0; i < s->count && ok; i++) {
        char *word = NULL;
        ok = H5Sselect_hyperslab(file, H5S_SELECT_SET, &i, NULL, &one, NULL) >= 0 &&
             H5Dread(s->set, type, memory, file, H5P_DEFAULT, (void *)&word) >= 0 && word &&
             sac_h5_copy_text(words[i], SAC_H5_WORD, word, PTRDIFF_MAX);
        if (word)
            H5free_memory(word);
    }
    H5Sclose(file);
    H5Sclose(memory);
    return ok;
}

static sac_status read_words(const sac_h5 *h, const sac_h5_set *s, const char *where,
                             const char *name, char (*words)[SAC_H5_WORD], bool variable,
                             sac_error *err)
{
    char *raw = variable ? NULL : sac_alloc((size_t)s->count, s->type_size);
    if (!variable && !raw)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %s%s", h->name, where, name);
    hid_t type = H5Dget_type(s->set);
    bool ok = variable ? read_variable(s, type, words) : read_fixed(s, type, words, raw);
    H5Tclose(type);
    sac_free(raw);
    return ok ? SAC_OK
              : sac_fail(err, SAC_E_FORMAT, "%s: %s%s: expected words of at most %d bytes", h->name,
                         where, name, SAC_H5_WORD - 1);
}

sac_status sac_h5_words(const sac_h5 *h, hid_t group, const char *where, const char *name,
                        char (*words)[SAC_H5_WORD], uint64_t n, sac_error *err)
{
    sac_h5_set s;
    sac_status st = sac_h5_set_open(&s, h, group, where, name, err);
    if (st != SAC_OK)
        return st;
    hid_t type = H5Dget_type(s.set);
    bool variable = H5Tis_variable_str(type) > 0;
    H5Tclose(type);
    if (s.type_class != H5T_STRING || s.n_dims != 1 || s.count != n ||
        (!variable && s.type_size > 256))
        st = sac_fail(err, SAC_E_FORMAT, "%s: %s%s: expected %" PRIu64 " words", h->name, where,
                      name, n);
    else
        st = sac_h5_sound(&s, h, where, name, NULL, NULL, err);
    st = st ? st : read_words(h, &s, where, name, words, variable, err);
    sac_h5_set_close(&s);
    return st;
}

/* The name of part i of a compound type, where it is a floating-point number. */
static char *part_name(hid_t like, unsigned i)
{
    return H5Tget_member_class(like, i) == H5T_FLOAT ? H5Tget_member_name(like, i) : NULL;
}

hid_t sac_h5_complex(hid_t like)
{
    char *re = NULL, *im = NULL;
    if (like >= 0) {
        if (H5Tget_class(like) != H5T_COMPOUND || H5Tget_nmembers(like) != 2)
            return -1;
        re = part_name(like, 0);
        im = part_name(like, 1);
    }
    hid_t type = -1;
    bool parts = re && im && (re[0] | 32) == 'r' && (im[0] | 32) == 'i';
    if (like < 0 || parts) {
        type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(float));
        H5Tinsert(type, parts ? re : "r", 0, H5T_NATIVE_FLOAT);
        H5Tinsert(type, parts ? im : "i", sizeof(float), H5T_NATIVE_FLOAT);
    }
    if (re)
        H5free_memory(re);
    if (im)
        H5free_memory(im);
    return type;
}

sac_status sac_h5_read_truth(const sac_h5 *h, sac_scatterer **truth, int64_t *n, sac_error *err)
{
    *truth = NULL;
    *n = 0;
    if (!sac_h5_has(h, h->file, "truth"))
        return SAC_OK;
    hid_t group = H5Gopen2(h->file, "truth", h->groups);
    if (group < 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: /truth: is not a group", h->name);
    uint64_t count;
    sac_status st = sac_h5_length(h, group, "/truth/", "position_m", &count, err);
    if (st == SAC_OK) {
        *truth = sac_alloc((size_t)count, sizeof **truth);
        st = *truth ? sac_h5_fields(h, group, "/truth/", sac_scatterer_fields, *truth,
                                    sizeof **truth, count, err)
                    : sac_fail(err, SAC_E_NOMEM, "%s: no memory for /truth", h->name);
    }
    H5Gclose(group);
    if (st == SAC_OK) {
        *n = (int64_t)count;
    } else {
        sac_free(*truth);
        *truth = NULL;
    }
    return st;
}
