/*
 * What the readers of other programs' HDF5 share: groups with their paths, numbers in datasets, and
 * samples frame by frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define MOST_NUMBERS (16 * (uint64_t)SAC_IO_MAX_LISTED) /* of metadata, in a dataset */

void sac_h5_name_format(char name[SAC_IO_NAME], const char *format)
{
    const size_t length = strlen(name);
    snprintf(name + length, SAC_IO_NAME - length, ": %s", format);
}

sac_h5_group sac_h5_root(const sac_h5 *h)
{
    return (sac_h5_group){.h = h, .id = h->file, .path = "/"};
}

sac_status sac_h5_odd(const sac_h5_group *g, const char *name, const char *what, sac_error *err)
{
    return sac_fail(err, SAC_E_FORMAT, "%s: %s%s: %s", g->h->name, g->path, name, what);
}

static bool has(const sac_h5_group *g, const char *name)
{
    return g->id >= 0 && sac_h5_has(g->h, g->id, name);
}

sac_status sac_h5_group_open(sac_h5_group *g, const sac_h5_group *at, const char *name,
                             sac_error *err)
{
    *g = (sac_h5_group){.h = at->h, .id = -1};
    const int n = snprintf(g->path, sizeof g->path, "%s%s/", at->path, name);
    if (!has(at, name))
        return SAC_OK;
    if (n < (int)sizeof g->path)
        g->id = H5Gopen2(at->id, name, at->h->groups);
    return g->id >= 0 ? SAC_OK : sac_h5_odd(at, name, "is not a group, or is damaged", err);
}

void sac_h5_group_close(sac_h5_group *g)
{
    if (g->id >= 0)
        H5Gclose(g->id);
    g->id = -1;
}

/* The number of a dataset without axes, which sac_h5_set_open has no word for. */
static bool read_scalar(hid_t set, double *value)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    hid_t properties = H5Dget_create_plist(set);
    const H5T_class_t kind = H5Tget_class(type);
    const H5D_layout_t layout = H5Pget_layout(properties);
    bool ok = H5Sget_simple_extent_type(space) == H5S_SCALAR &&
              (kind == H5T_FLOAT || kind == H5T_INTEGER) &&
              (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
              H5Pget_external_count(properties) == 0;
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    return ok && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
}

static bool is_scalar(hid_t set)
{
    hid_t space = H5Dget_space(set);
    bool is = H5Sget_simple_extent_type(space) == H5S_SCALAR;
    H5Sclose(space);
    return is;
}

/* All numbers of a dataset that was opened. */
static sac_status read_all(double *values, const sac_h5_group *g, const sac_h5_set *s,
                           const char *name, sac_error *err)
{
    if (s->type_class != H5T_FLOAT && s->type_class != H5T_INTEGER)
        return sac_h5_odd(g, name, "expected numbers", err);
    sac_status st = sac_h5_sound(s, g->h, g->path, name, NULL, NULL, err);
    if (st == SAC_OK &&
        H5Dread(s->set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        st = sac_h5_fail(g->h, err, SAC_E_FORMAT, name);
    return st;
}

sac_status sac_h5_value(const sac_h5_group *g, const char *name, double *value, sac_error *err)
{
    if (!has(g, name))
        return SAC_OK;
    double found = NAN;
    hid_t set = H5Dopen2(g->id, name, g->h->sets);
    if (set < 0)
        return sac_h5_odd(g, name, "is not a dataset, or is damaged", err);
    sac_h5_set s;
    sac_status st = SAC_OK;
    if (is_scalar(set)) {
        if (!read_scalar(set, &found))
            st = sac_h5_odd(g, name, "expected one number", err);
    } else {
        st = sac_h5_set_describe(&s, g->h, set, g->path, name, err);
        if (st == SAC_OK && s.count != 1)
            st = sac_h5_odd(g, name, "expected one number", err);
        st = st ? st : read_all(&found, g, &s, name, err);
    }
    H5Dclose(set);
    if (st == SAC_OK && isnan(found))
        return sac_h5_odd(g, name, "expected a number, got NaN", err);
    *value = st == SAC_OK ? found : *value;
    return st;
}

sac_status sac_h5_need(const sac_h5_group *g, const char *name, double *value, double given,
                       const char *option, sac_error *err)
{
    if (has(g, name))
        return sac_h5_value(g, name, value, err);
    if (!isnan(given))
        return SAC_OK;
    return sac_fail(err, SAC_E_FORMAT, "%s: dataset %s%s is missing%s%s%s", g->h->name, g->path,
                    name, option ? " (" : "", option ? option : "",
                    option ? " gives it otherwise)" : "");
}

sac_status sac_h5_numbers_read(sac_h5_numbers *n, const sac_h5_group *g, const char *name,
                               bool nan_too, sac_error *err)
{
    *n = (sac_h5_numbers){NULL, 0, 0};
    if (!has(g, name))
        return SAC_OK;
    sac_h5_set s;
    sac_status st = sac_h5_set_open(&s, g->h, g->id, g->path, name, err);
    if (st != SAC_OK)
        return st;
    n->rows = s.n_dims > 1 ? s.dims[0] : 1;
    n->columns = s.n_dims > 1 ? s.dims[1] : s.dims[0];
    if (s.n_dims > 2 || s.count > MOST_NUMBERS)
        st = sac_h5_odd(g, name, "expected at most 2 axes, and not so many numbers", err);
    else if (!(n->values = sac_alloc((size_t)s.count, sizeof *n->values)))
        st = sac_fail(err, SAC_E_NOMEM, "%s: no memory for %s%s", g->h->name, g->path, name);
    st = st ? st : read_all(n->values, g, &s, name, err);
    for (uint64_t i = 0; st == SAC_OK && i < s.count; i++)
        if (!isfinite(n->values[i]) && !(nan_too && isnan(n->values[i])))
            st = sac_h5_odd(g, name, "expected finite numbers", err);
    sac_h5_set_close(&s);
    if (st != SAC_OK) {
        sac_free(n->values);
        n->values = NULL;
    }
    return st;
}

bool sac_h5_member(char *name, size_t size, const sac_h5_group *g, uint64_t i)
{
    const ssize_t length = H5Lget_name_by_idx(g->id, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i,
                                              name, size, g->h->links);
    return length > 0 && (size_t)length < size;
}

void sac_h5_wanted(hsize_t *first, hsize_t *count, const sac_draft *draft, const sac_h5_set *s,
                   int n_dims)
{
    const int64_t at[] = {draft->first_frame, draft->first_transmit};
    const int missing = 4 - n_dims; /* of (frames, transmits, elements, samples), in front */
    for (int i = 0; i < s->n_dims; i++) {
        const int axis = i + missing;
        first[i] = axis < 2 ? (hsize_t)at[axis] : 0;
        count[i] = axis < 2 ? (hsize_t)draft->recording->samples.shape[axis] : s->dims[i];
    }
}

sac_status sac_h5_frames_read(const sac_h5_frames *f, sac_error *err)
{
    const sac_h5_set *s = f->set;
    const sac_h5 *h = f->group->h;
    const sac_array *a = &f->draft->recording->samples;
    hsize_t first[H5S_MAX_RANK], count[H5S_MAX_RANK];
    if (!a->data)
        return SAC_OK;
    sac_h5_wanted(first, count, f->draft, s, f->n_dims);
    sac_status st = sac_h5_sound(s, h, f->group->path, f->name, first, count, err);
    if (st != SAC_OK)
        return st;
    const bool has_frames = f->n_dims == 4;
    size_t n = 1;
    for (int i = has_frames; i < s->n_dims; i++)
        n *= (size_t)count[i];
    count[0] = has_frames ? 1 : count[0];
    void *frame = sac_alloc(n, f->size);
    if (!frame)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for a frame", h->name);
    hid_t space = H5Dget_space(s->set), memory = H5Screate_simple(s->n_dims, count, NULL);
    for (int64_t i = 0; st == SAC_OK && i < a->shape[0]; i++, first[0]++) {
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) < 0 ||
            H5Dread(s->set, f->type, memory, space, H5P_DEFAULT, frame) < 0)
            st = sac_h5_fail(h, err, SAC_E_FORMAT, f->name);
        else
            f->place(f->ctx, i, frame);
    }
    H5Sclose(memory);
    H5Sclose(space);
    sac_free(frame);
    return st;
}

/* Where a part of the samples goes: every `step`-th float from `to` on. */
typedef struct part {
    float *to;
    size_t step, n; /* floats of a frame that are read */
} part;

static void place_part(void *ctx, int64_t frame, const void *samples)
{
    const part *p = ctx;
    const float *from = samples;
    float *to = p->to + (size_t)frame * p->n * p->step;
    for (size_t i = 0; i < p->n; i++)
        to[i * p->step] = from[i];
}

sac_status sac_h5_samples(sac_draft *draft, const sac_h5_group *g, const sac_h5_set *re,
                          const char *re_name, const sac_h5_set *im, const char *im_name,
                          sac_error *err)
{
    const sac_h5_set *sets[] = {re, im};
    const char *names[] = {re_name, im_name};
    int64_t shape[4];
    for (int k = 0; k < (im ? 2 : 1); k++) {
        bool same = sets[k]->n_dims == re->n_dims;
        for (int i = 0; same && i < re->n_dims; i++)
            same = sets[k]->dims[i] == re->dims[i];
        if (!same)
            return sac_h5_odd(g, im_name, "has another shape than the real parts", err);
        if (sets[k]->type_class != H5T_FLOAT && sets[k]->type_class != H5T_INTEGER)
            return sac_h5_odd(g, names[k], "expected numbers", err);
    }
    sac_status st = sac_draft_shape(shape, draft, re->n_dims, re->dims, err);
    st = st ? st : sac_draft_samples(draft, im ? SAC_C64 : SAC_F32, shape, re->max_count, err);
    const sac_array *a = &draft->recording->samples;
    for (size_t k = 0; st == SAC_OK && a->data && k < (im ? 2 : 1); k++) {
        part p = {.to = (float *)a->data + k,
                  .step = im ? 2 : 1,
                  .n = (size_t)(a->shape[1] * a->shape[2] * a->shape[3])};
        const sac_h5_frames f = {.draft = draft,
                                 .group = g,
                                 .name = names[k],
                                 .set = sets[k],
                                 .n_dims = re->n_dims,
                                 .type = H5T_NATIVE_FLOAT,
                                 .size = sizeof(float),
                                 .place = place_part,
                                 .ctx = &p};
        st = sac_h5_frames_read(&f, err);
    }
    return st;
}
