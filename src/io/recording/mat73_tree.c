/*
 * MAT v7.3 variables, which are HDF5, as the bytes that MAT v5 has of them: structs are groups, of
 * which arrays have a dataset of references a field; cells are such a dataset, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/groups.h"
#include "io/recording/mat_tree.h"

#define MAX_DEPTH 8      /* of cells in structs in cells ... */
#define MOST_FIELDS 1024 /* of a struct */
#define MAX_FIELD 64     /* bytes of its name; MATLAB writes 63 */

/* The bytes as they grow. */
typedef struct grown {
    const sac_h5 *h;
    const char *name; /* of the variable, for errors */
    uint8_t *bytes;
    size_t size, room;
    uint64_t most;
    bool lacks_memory;
    uint64_t left; /* objects that may still come: references may name one many times */
    sac_error *err;
} grown;

static sac_status damaged(const grown *g)
{
    return sac_fail(g->err, SAC_E_FORMAT, "%s: %s: is damaged, or no variable of MATLAB's",
                    g->h->name, g->name);
}

/* Room for n more bytes, zeroed; NULL where there is none. */
static uint8_t *more(grown *g, size_t n)
{
    if (n > g->most - g->size)
        return NULL;
    if (n > g->room - g->size) {
        size_t room = g->room < 4096 ? 4096 : 2 * g->room;
        while (room - g->size < n)
            room *= 2;
        uint8_t *bytes = sac_alloc(room, 1);
        g->lacks_memory = !bytes;
        if (!bytes)
            return NULL;
        if (g->size)
            memcpy(bytes, g->bytes, g->size);
        sac_free(g->bytes);
        g->bytes = bytes;
        g->room = room;
    }
    g->size += n;
    return g->bytes + g->size - n;
}

/* An element of n bytes of data, which are returned. */
static uint8_t *element(grown *g, uint32_t type, size_t n)
{
    const uint32_t tag[2] = {type, (uint32_t)n};
    uint8_t *at = n <= UINT32_MAX / 2 ? more(g, 8 + (n + 7) / 8 * 8) : NULL;
    if (!at)
        return NULL;
    memcpy(at, tag, sizeof tag);
    return at + 8;
}

static sac_status lacks(const grown *g)
{
    if (g->lacks_memory)
        return sac_fail(g->err, SAC_E_NOMEM, "%s: %s: no memory", g->h->name, g->name);
    return sac_fail(g->err, SAC_E_FORMAT, "%s: %s: takes more than %" PRIu64 " bytes", g->h->name,
                    g->name, g->most);
}

/* Tag, flags, dimensions and no name of a matrix; *start is where its tag is. */
static bool begin(size_t *start, grown *g, uint32_t class, const uint32_t dims[4])
{
    *start = g->size;
    uint8_t *tag = element(g, MI_MATRIX, 0);
    uint8_t *flags = tag ? element(g, MI_UINT32, 8) : NULL;
    if (!flags)
        return false;
    memcpy(flags, &class, sizeof class);
    uint8_t *sizes = element(g, MI_INT32, 16);
    if (!sizes)
        return false;
    memcpy(sizes, dims, 16);
    return element(g, MI_INT8, 0) != NULL;
}

static sac_status end(grown *g, size_t start)
{
    const size_t n = g->size - start - 8;
    const uint32_t bytes = (uint32_t)n;
    if (n > UINT32_MAX / 2)
        return lacks(g);
    memcpy(g->bytes + start + 4, &bytes, sizeof bytes);
    return SAC_OK;
}

/* MATLAB's dimensions are HDF5's, the other way round. */
static bool turn_dims(uint32_t dims[4], const sac_h5_set *s)
{
    for (int i = 0; i < 4; i++)
        dims[i] = 1;
    for (int i = 0; i < s->n_dims; i++) {
        const int to = s->n_dims - 1 - i;
        if (s->dims[i] > INT32_MAX || (to >= 4 && s->dims[i] != 1))
            return false;
        if (to < 4)
            dims[to] = (uint32_t)s->dims[i];
    }
    return true;
}

static bool is_short(const sac_h5_set *s)
{
    return s->type_class == H5T_INTEGER &&
           (s->type_size == 1 || (s->type_size == 2 && s->is_signed));
}

static sac_status put_numbers(grown *g, const sac_h5_set *s, bool text)
{
    static const uint32_t nothing[4] = {0, 0, 1, 1};
    uint32_t dims[4];
    size_t start;
    const bool real = s->type_class == H5T_FLOAT || s->type_class == H5T_INTEGER;
    if (!real || H5Aexists(s->set, "MATLAB_empty") > 0) /* complex numbers have no place here */
        return begin(&start, g, MX_DOUBLE, nothing) && element(g, MI_DOUBLE, 0) ? end(g, start)
                                                                                : lacks(g);
    if (!turn_dims(dims, s))
        return damaged(g);
    const bool narrow = !text && is_short(s);
    const uint32_t type = text ? MI_UINT16 : narrow ? MI_INT16 : MI_DOUBLE;
    const hid_t memory = text ? H5T_NATIVE_UINT16 : narrow ? H5T_NATIVE_INT16 : H5T_NATIVE_DOUBLE;
    uint8_t *to = begin(&start, g, text ? MX_CHAR : MX_DOUBLE, dims)
                      ? element(g, type, (size_t)s->count * (type == MI_DOUBLE ? 8 : 2))
                      : NULL;
    if (!to)
        return lacks(g);
    sac_status st = sac_h5_sound(s, g->h, "/", g->name, NULL, NULL, g->err);
    if (st == SAC_OK && H5Dread(s->set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0)
        st = damaged(g);
    return st ? st : end(g, start);
}

static sac_status put_object(grown *g, hid_t object, int depth);

static sac_status put_reference(grown *g, hid_t from, const hobj_ref_t *reference, int depth)
{
    hid_t object = H5Rdereference2(from, H5P_DATASET_ACCESS_DEFAULT, H5R_OBJECT, reference);
    if (object < 0)
        return damaged(g);
    const sac_status st = put_object(g, object, depth + 1);
    H5Oclose(object);
    return st;
}

/* All references of a dataset; to be freed by sac_free. */
static sac_status read_references(hobj_ref_t **references, const grown *g, const sac_h5_set *s)
{
    *references = NULL;
    hid_t type = H5Dget_type(s->set);
    const bool ok = H5Tequal(type, H5T_STD_REF_OBJ) > 0 && s->count <= g->left;
    H5Tclose(type);
    if (!ok)
        return damaged(g);
    *references = sac_alloc((size_t)s->count, sizeof **references);
    if (!*references)
        return sac_fail(g->err, SAC_E_NOMEM, "%s: %s: no memory", g->h->name, g->name);
    sac_status st = sac_h5_sound(s, g->h, "/", g->name, NULL, NULL, g->err);
    if (st == SAC_OK &&
        H5Dread(s->set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, *references) < 0)
        st = damaged(g);
    return st;
}

static sac_status put_cells(grown *g, const sac_h5_set *s, int depth)
{
    uint32_t dims[4];
    size_t start;
    hobj_ref_t *references = NULL;
    sac_status st = turn_dims(dims, s) ? read_references(&references, g, s) : damaged(g);
    if (st == SAC_OK && !begin(&start, g, MX_CELL, dims))
        st = lacks(g);
    for (uint64_t i = 0; st == SAC_OK && i < s->count; i++)
        st = put_reference(g, s->set, &references[i], depth);
    st = st ? st : end(g, start);
    sac_free(references);
    return st;
}

/* A field of a struct: the references of an array's, or one value. */
typedef struct field {
    char name[MAX_FIELD];
    hid_t object;
    hobj_ref_t *references;
} field;

/* Opens a field. *n becomes how many structs there are, of which all must have as many. */
static sac_status open_field(field *f, uint64_t *n, const grown *g, hid_t group, bool first)
{
    uint64_t count = 1;
    sac_status st = SAC_OK;
    f->object = sac_h5_has(g->h, group, f->name) ? H5Oopen(group, f->name, g->h->links) : -1;
    if (f->object < 0)
        return damaged(g);
    if (H5Iget_type(f->object) == H5I_DATASET && H5Aexists(f->object, "MATLAB_class") <= 0) {
        sac_h5_set s;
        st = sac_h5_set_describe(&s, g->h, f->object, "/", g->name, g->err);
        st = st ? st : read_references(&f->references, g, &s);
        count = st == SAC_OK ? s.count : 1;
    }
    if (st == SAC_OK && !first && count != *n)
        st = damaged(g);
    *n = count;
    return st;
}

static sac_status put_fields(grown *g, field *fields, size_t n_fields, uint64_t n, int depth)
{
    const uint32_t dims[4] = {1, (uint32_t)n, 1, 1}, length = MAX_FIELD;
    size_t start;
    if (n > INT32_MAX || !begin(&start, g, MX_STRUCT, dims))
        return lacks(g);
    uint8_t *at = element(g, MI_INT32, 4);
    if (at)
        memcpy(at, &length, 4);
    at = at ? element(g, MI_INT8, n_fields * MAX_FIELD) : NULL;
    if (!at)
        return lacks(g);
    for (size_t f = 0; f < n_fields; f++)
        memcpy(at + f * MAX_FIELD, fields[f].name, MAX_FIELD);
    sac_status st = SAC_OK;
    for (uint64_t i = 0; i < n && st == SAC_OK; i++)
        for (size_t f = 0; f < n_fields && st == SAC_OK; f++)
            st = fields[f].references
                     ? put_reference(g, fields[f].object, &fields[f].references[i], depth)
                     : put_object(g, fields[f].object, depth + 1);
    return st ? st : end(g, start);
}

static sac_status put_struct(grown *g, hid_t group, int depth)
{
    const sac_h5_group at = {.h = g->h, .id = group, .path = "/"};
    field *fields = sac_alloc(MOST_FIELDS, sizeof *fields);
    size_t n_fields = 0;
    uint64_t n = 1;
    sac_status st = SAC_OK;
    if (!fields)
        st = sac_fail(g->err, SAC_E_NOMEM, "%s: %s: no memory", g->h->name, g->name);
    while (st == SAC_OK && n_fields < MOST_FIELDS &&
           sac_h5_member(fields[n_fields].name, MAX_FIELD, &at, n_fields)) {
        st = open_field(&fields[n_fields], &n, g, group, n_fields == 0);
        n_fields++;
    }
    st = st ? st : put_fields(g, fields, n_fields, n, depth);
    for (size_t f = 0; f < n_fields; f++) {
        if (fields[f].object >= 0)
            H5Oclose(fields[f].object);
        sac_free(fields[f].references);
    }
    sac_free(fields);
    return st;
}

static sac_status put_object(grown *g, hid_t object, int depth)
{
    char class[16];
    sac_h5_set s;
    if (depth > MAX_DEPTH || g->left-- == 0)
        return damaged(g);
    const H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_GROUP)
        return put_struct(g, object, depth);
    if (kind != H5I_DATASET)
        return damaged(g);
    sac_status st = sac_h5_text(g->h, object, "MATLAB_class", class, sizeof class, g->err);
    st = st ? st : sac_h5_set_describe(&s, g->h, object, "/", g->name, g->err);
    if (st != SAC_OK)
        return st;
    return strcmp(class, "cell") == 0 && H5Aexists(object, "MATLAB_empty") <= 0
               ? put_cells(g, &s, depth)
               : put_numbers(g, &s, strcmp(class, "char") == 0);
}

sac_status sac_mat73_bytes(uint8_t **bytes, uint64_t *size, const char *path, const char *name,
                           uint64_t file_bytes, const char *wanted, uint64_t max_bytes,
                           sac_error *err)
{
    sac_h5 h;
    *bytes = NULL;
    *size = 0;
    sac_status st = sac_h5_open(&h, path, name, file_bytes, err);
    if (st != SAC_OK)
        return st;
    grown g = {
        .h = &h, .name = wanted, .most = max_bytes, .left = 1024 + file_bytes / 16, .err = err};
    if (sac_h5_has(&h, h.file, wanted)) {
        hid_t object = H5Oopen(h.file, wanted, h.links);
        st = object >= 0 ? put_object(&g, object, 0) : damaged(&g);
        if (object >= 0)
            H5Oclose(object);
    }
    if (st != SAC_OK)
        sac_free(g.bytes);
    *bytes = st == SAC_OK ? g.bytes : NULL;
    *size = st == SAC_OK ? g.size : 0;
    return sac_h5_end(&h, st, err);
}

/* All of a dataset of numbers that fit int16. */
static sac_status read_samples(sac_mat_variable *v, const sac_h5 *h, hid_t object,
                               const char *wanted, uint64_t max_bytes, sac_error *err)
{
    sac_h5_set s;
    uint32_t dims[4];
    sac_status st = sac_h5_set_describe(&s, h, object, "/", wanted, err);
    if (st != SAC_OK)
        return st;
    if (!is_short(&s) || !turn_dims(dims, &s) || s.count > max_bytes / 2)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s: expected int16 (samples, channels, frames), %" PRIu64
                        " bytes at most",
                        h->name, wanted, max_bytes);
    v->bytes = sac_alloc((size_t)s.count, 2);
    if (!v->bytes)
        return sac_fail(err, SAC_E_NOMEM, "%s: %s: no memory", h->name, wanted);
    v->array = (sac_mat_array){.kind = SAC_MAT_NUMBERS,
                               .type = MI_INT16,
                               .n = s.count,
                               .data = v->bytes,
                               .bytes = 2 * s.count};
    for (int i = 0; i < 4; i++)
        v->array.dims[i] = dims[i];
    st = sac_h5_sound(&s, h, "/", wanted, NULL, NULL, err);
    if (st == SAC_OK &&
        H5Dread(s.set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, v->bytes) < 0)
        st = sac_h5_fail(h, err, SAC_E_FORMAT, wanted);
    return st;
}

/* The cell of an object that is a cell array, which is closed then; else the object itself. */
static hid_t open_cell(const sac_h5 *h, hid_t object, uint64_t cell)
{
    sac_h5_set s;
    hobj_ref_t *references = NULL;
    const grown g = {.h = h, .name = "", .most = UINT64_MAX, .left = h->bytes, .err = NULL};
    char class[16] = "";
    if (H5Iget_type(object) != H5I_DATASET ||
        sac_h5_text(h, object, "MATLAB_class", class, sizeof class, NULL) != SAC_OK ||
        strcmp(class, "cell") != 0)
        return object;
    hid_t found = -1;
    if (sac_h5_set_describe(&s, h, object, "/", "", NULL) == SAC_OK && cell < s.count &&
        read_references(&references, &g, &s) == SAC_OK)
        found = H5Rdereference2(object, H5P_DATASET_ACCESS_DEFAULT, H5R_OBJECT, &references[cell]);
    sac_free(references);
    H5Oclose(object);
    return found;
}

sac_status sac_mat73_samples(sac_mat_variable *v, const char *path, const char *name,
                             uint64_t file_bytes, const char *wanted, uint64_t cell,
                             uint64_t max_bytes, sac_error *err)
{
    sac_h5 h;
    *v = (sac_mat_variable){{0}, NULL};
    sac_status st = sac_h5_open(&h, path, name, file_bytes, err);
    if (st != SAC_OK)
        return st;
    hid_t object = sac_h5_has(&h, h.file, wanted) ? H5Oopen(h.file, wanted, h.links) : -1;
    object = object >= 0 ? open_cell(&h, object, cell) : -1;
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET)
        st = read_samples(v, &h, object, wanted, max_bytes, err);
    else
        st = sac_fail(err, SAC_E_FORMAT, "%s: %s: cell %" PRIu64 " is missing or damaged", name,
                      wanted, cell + 1);
    if (object >= 0)
        H5Oclose(object);
    if (st != SAC_OK) {
        sac_free(v->bytes);
        *v = (sac_mat_variable){{0}, NULL};
    }
    return sac_h5_end(&h, st, err);
}

bool sac_mat73_has(const char *path, uint64_t file_bytes, const char *const *names)
{
    sac_h5 h;
    if (sac_h5_open(&h, path, path, file_bytes, NULL) != SAC_OK)
        return false;
    bool has = true;
    for (; *names && has; names++)
        has = sac_h5_has(&h, h.file, *names);
    sac_h5_close(&h);
    return has;
}
