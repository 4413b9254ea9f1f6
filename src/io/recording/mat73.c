/*
 * Whether a MAT v7.3 file, which is HDF5, is a tree within itself: libmatio, which reads it then,
 * follows every link and reference, and has no end where they go in circles.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/hdf5/hdf5.h"
#include "io/recording/mat5.h"

#define MAX_AXES 32          /* of one array, as HDF5 has it */
#define MAX_CLASS 64         /* bytes of the name of a class */
#define MAX_NAME 256         /* of a field; MATLAB writes 63 */
#define MAX_FIELDS 4096      /* of a struct */
#define MAX_DEPTH 16         /* of cells in structs in cells ... */
#define MOST_OBJECTS 65536   /* libmatio takes some hundred bytes for each; and one more for */
#define BYTES_AN_OBJECT 1024 /* of the file */

typedef struct walk {
    const sac_h5 *h;
    uint64_t left; /* objects that may still come */
    int depth;
    bool is_read;     /* part of RF, IQ or param */
    uint64_t n_cells; /* of each field of this group, where it is an array of structs; or 0 */
    sac_status status;
    sac_error *err;
} walk;

static sac_status visit(walk *w, hid_t object, const char *name);

static sac_status odd(const walk *w, const char *name, const char *what)
{
    return sac_fail(w->err, SAC_E_FORMAT, "%s: %.40s: %s", w->h->name, name, what);
}

/* Attributes that libmatio reads one number of, whatever they are. */
static bool is_number(const sac_h5_attribute *a)
{
    return a->n == 1 && a->kind == H5T_INTEGER;
}

/* The class: a word of fixed length. */
static bool is_word(const sac_h5_attribute *a)
{
    return a->n == 1 && a->kind == H5T_STRING && H5Tis_variable_str(a->type) == 0 &&
           H5Tget_size(a->type) <= MAX_CLASS;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Names of fields as lists of characters: each once, each of a member and not a way elsewhere. */
static bool are_names(const hvl_t *lists, size_t n)
{
    char(*names)[MAX_NAME] = sac_alloc(n, sizeof *names);
    bool ok = names != NULL;
    for (size_t i = 0; i < n && ok; i++) {
        ok = lists[i].len > 0 && lists[i].len < MAX_NAME && lists[i].p &&
             !memchr(lists[i].p, '/', lists[i].len) && !memchr(lists[i].p, '.', lists[i].len) &&
             !memchr(lists[i].p, '\0', lists[i].len);
        if (ok)
            memcpy(names[i], lists[i].p, lists[i].len);
    }
    if (ok)
        qsort(names, n, sizeof *names, compare_names);
    for (size_t i = 1; i < n && ok; i++)
        ok = strcmp(names[i - 1], names[i]) != 0;
    sac_free(names);
    return ok;
}

static bool are_fields(const sac_h5_attribute *a)
{
    hid_t part = a->kind == H5T_VLEN ? H5Tget_super(a->type) : -1;
    bool ok = part >= 0 && H5Tget_size(part) == 1 && H5Sget_simple_extent_ndims(a->space) == 1 &&
              a->n >= 1 && a->n <= MAX_FIELDS;
    hvl_t *lists = ok ? sac_alloc((size_t)a->n, sizeof *lists) : NULL;
    ok = lists && H5Aread(a->id, a->type, lists) >= 0;
    if (ok) {
        ok = are_names(lists, (size_t)a->n);
        H5Dvlen_reclaim(a->type, a->space, H5P_DEFAULT, lists);
    }
    sac_free(lists);
    if (part >= 0)
        H5Tclose(part);
    return ok;
}

/* What libmatio takes from attributes without looking at their shape. */
static bool has_sound_attributes(hid_t object)
{
    static const struct {
        const char *name;
        bool (*is_sound)(const sac_h5_attribute *attribute);
    } attributes[] = {{"MATLAB_class", is_word},    {"MATLAB_int_decode", is_number},
                      {"MATLAB_global", is_number}, {"MATLAB_empty", is_number},
                      {"MATLAB_sparse", is_number}, {"MATLAB_fields", are_fields}};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        htri_t there = H5Aexists(object, attributes[i].name);
        bool ok = there >= 0;
        if (there > 0) {
            const sac_h5_attribute a = sac_h5_attribute_open(object, attributes[i].name);
            ok = attributes[i].is_sound(&a);
            sac_h5_attribute_close(&a);
        }
        if (!ok)
            return false;
    }
    return true;
}

/* An array that says it is empty holds the sizes of its axes, one of which is 0. */
static bool is_empty(const sac_h5_set *s)
{
    uint64_t sizes[MAX_AXES] = {0};
    if (s->n_dims != 1 || s->dims[0] < 2 || s->dims[0] > MAX_AXES || s->type_class != H5T_INTEGER ||
        H5Dread(s->set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, sizes) < 0)
        return false;
    uint64_t n = 1;
    for (uint64_t i = 0; i < s->dims[0]; i++)
        n = sizes[i] == 0 ? 0 : n;
    return n == 0;
}

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    walk *w = data;
    if (info->type != H5L_TYPE_HARD) {
        w->status = odd(w, name, "is a link to elsewhere, which MAT does not have");
        return -1;
    }
    bool is_top = w->depth == 1;
    if (is_top)
        w->is_read =
            strcmp(name, "RF") == 0 || strcmp(name, "IQ") == 0 || strcmp(name, "param") == 0;
    hid_t object = H5Oopen(group, name, w->h->links);
    w->status = object < 0 ? odd(w, name, "is damaged") : visit(w, object, name);
    if (object >= 0)
        H5Oclose(object);
    return w->status == SAC_OK ? 0 : -1;
}

/* Groups have one name each, so that they are a tree. */
static sac_status visit_group(walk *w, hid_t group, const char *name)
{
    H5O_info_t info;
#if H5_VERSION_GE(1, 12, 0)
    bool ok = H5Oget_info3(group, &info, H5O_INFO_BASIC) >= 0;
#else
    bool ok = H5Oget_info(group, &info) >= 0;
#endif
    if (!ok || (w->depth > 1 && info.rc != 1))
        return odd(w, name, ok ? "is a group with two names" : "is damaged");
    uint64_t outer = w->n_cells;
    w->n_cells = 0;
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit_link, w) < 0)
        return w->status != SAC_OK ? w->status : odd(w, name, "is damaged");
    w->n_cells = outer;
    return SAC_OK;
}

/* What the cells of an array are. */
static sac_status visit_cells(walk *w, const sac_h5_set *s, const char *name)
{
    if (s->count > w->left)
        return odd(w, name, "has too many cells");
    hobj_ref_t *references = sac_alloc((size_t)s->count, sizeof *references);
    if (!references)
        return sac_fail(w->err, SAC_E_NOMEM, "%s: no memory for cells", w->h->name);
    sac_status st = sac_h5_sound(s, w->h, "/", name, NULL, NULL, w->err);
    if (st == SAC_OK &&
        H5Dread(s->set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references) < 0)
        st = odd(w, name, "is damaged");
    for (uint64_t i = 0; i < s->count && st == SAC_OK; i++) {
        hid_t object = H5Rdereference2(s->set, H5P_DEFAULT, H5R_OBJECT, &references[i]);
        st = object < 0 ? odd(w, name, "has a cell that is missing") : visit(w, object, name);
        if (object >= 0)
            H5Oclose(object);
    }
    sac_free(references);
    return st;
}

static sac_status visit_set(walk *w, hid_t set, const char *name)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    bool is_array =
        H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_npoints(space) > 0;
    bool is_cells = H5Tequal(type, H5T_STD_REF_OBJ) > 0;
    int n_dims = H5Sget_simple_extent_ndims(space);
    H5Sclose(space);
    H5Tclose(type);
    bool says_empty = H5Aexists(set, "MATLAB_empty") > 0;
    if (n_dims < 1 || n_dims > MAX_AXES)
        return odd(w, name, "is not an array of MAT");
    if (!is_array || !(is_cells || says_empty || w->is_read))
        return SAC_OK; /* libmatio looks at nothing but its size */
    sac_h5_set s;
    sac_status st = sac_h5_set_describe(&s, w->h, set, "/", name, w->err);
    if (st != SAC_OK)
        return st;
    if (says_empty && !is_empty(&s))
        return odd(w, name, "is empty, and is not");
    if (is_cells && H5Aexists(set, "MATLAB_class") <= 0) {
        if (w->n_cells && w->n_cells != s.count)
            return odd(w, name, "is not as long as the field before it");
        w->n_cells = s.count;
    }
    return is_cells ? visit_cells(w, &s, name)
                    : sac_h5_sound(&s, w->h, "/", name, NULL, NULL, w->err);
}

static sac_status visit(walk *w, hid_t object, const char *name)
{
    if (w->left == 0 || w->depth > MAX_DEPTH)
        return odd(w, name, w->left ? "goes too deep" : "is one object too many");
    w->left--;
    w->depth++;
    H5I_type_t kind = H5Iget_type(object);
    sac_status st = !has_sound_attributes(object) ? odd(w, name, "has attributes that MAT has not")
                    : kind == H5I_GROUP           ? visit_group(w, object, name)
                    : kind == H5I_DATASET         ? visit_set(w, object, name)
                                                  : SAC_OK;
    w->depth--;
    return st;
}

sac_status sac_mat73_check(const char *path, const char *name, uint64_t bytes, sac_error *err)
{
    sac_h5 h;
    sac_status st = sac_h5_open(&h, path, name, bytes, err);
    if (st != SAC_OK)
        return st;
    walk w = {.h = &h, .left = MOST_OBJECTS + bytes / BYTES_AN_OBJECT, .err = err};
    hid_t root = H5Gopen2(h.file, "/", h.groups);
    st = root < 0 ? odd(&w, "/", "is damaged") : visit(&w, root, "/");
    if (root >= 0)
        H5Gclose(root);
    return sac_h5_end(&h, st, err);
}
