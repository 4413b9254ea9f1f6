/*
 * What is in MAT v5 variables: structs, cells, numbers. Every length is checked against
 * the bytes around it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/mat_tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Bytes that are left. */
typedef struct span {
    const uint8_t *at;
    uint64_t left;
    bool swap;
} span;

/* The next element: its type and its data; false where it does not fit. */
static bool next(span *s, uint32_t *type, span *data)
{
    if (s->left < 8)
        return false;
    uint32_t first = sac_mat_word(s->at, s->swap), bytes = sac_mat_word(s->at + 4, s->swap);
    *data = (span){s->at + 8, bytes, s->swap};
    *type = first & 0xffff;
    uint64_t whole = 8 + (uint64_t)bytes;
    if (first >> 16) { /* up to 4 bytes within the tag */
        *data = (span){s->at + 4, first >> 16, s->swap};
        whole = 8;
        if (data->left > 4)
            return false;
    } else {
        *type = first;
    }
    if (whole > s->left)
        return false;
    whole += (8 - whole % 8) % 8;
    whole = whole < s->left ? whole : s->left;
    s->at += whole;
    s->left -= whole;
    return true;
}

static uint32_t size_of(uint32_t type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2};
    return type < sizeof sizes ? sizes[type] : 0;
}

/* Dimensions: those beyond our own must be 1. */
static bool parse_dims(sac_mat_array *a, const span *dims)
{
    a->n = 1;
    for (int i = 0; i < SAC_MAT_DIMS; i++)
        a->dims[i] = 1;
    for (uint64_t i = 0; i < dims->left / 4; i++) {
        const uint32_t size = sac_mat_word(dims->at + 4 * i, dims->swap);
        if (size > INT32_MAX || (size && a->n > (uint64_t)INT64_MAX / 16 / size) ||
            (i >= SAC_MAT_DIMS && size != 1))
            return false;
        a->n *= size;
        if (i < SAC_MAT_DIMS)
            a->dims[i] = size;
    }
    return dims->left >= 8;
}

static bool parse_struct(sac_mat_array *a, span *s)
{
    uint32_t type;
    span data;
    if (!next(s, &type, &data) || type != MI_INT32 || data.left != 4)
        return false;
    a->name_bytes = sac_mat_word(data.at, s->swap);
    if (a->name_bytes < 1 || !next(s, &type, &data) || type != MI_INT8)
        return false;
    a->names = data.at;
    a->n_fields = (uint32_t)(data.left / a->name_bytes);
    return true;
}

/* What a matrix element's data is; the name goes to *name. */
static bool parse(sac_mat_array *a, span s, span *name)
{
    uint32_t type;
    span data;
    *a = (sac_mat_array){.swap = s.swap};
    if (s.left == 0) { /* an empty field */
        *a = (sac_mat_array){0};
        return true;
    }
    if (!next(&s, &type, &data) || type != MI_UINT32 || data.left != 8)
        return false;
    const uint32_t flags = sac_mat_word(data.at, s.swap), kind = flags & 0xff;
    if (!next(&s, &type, &data) || type != MI_INT32 || !parse_dims(a, &data) ||
        !next(&s, &type, name) || type != MI_INT8)
        return false;
    a->complex = (flags & 0x800) != 0;
    if (kind == MX_STRUCT && !parse_struct(a, &s))
        return false;
    a->kind = kind == MX_CELL                          ? SAC_MAT_CELL
              : kind == MX_STRUCT                      ? SAC_MAT_STRUCT
              : kind == MX_CHAR                        ? SAC_MAT_TEXT
              : kind >= MX_DOUBLE && kind <= MX_UINT64 ? SAC_MAT_NUMBERS
                                                       : SAC_MAT_OTHER;
    a->data = s.at;
    a->bytes = s.left;
    if (a->kind != SAC_MAT_TEXT && a->kind != SAC_MAT_NUMBERS)
        return true;
    if (!next(&s, &type, &data) || !size_of(type) || data.left / size_of(type) < a->n)
        return false;
    a->type = (int32_t)type;
    a->data = data.at;
    a->bytes = data.left;
    return true;
}

/* Array i of those that follow each other. */
static sac_mat_array array_at(const sac_mat_array *a, uint64_t i)
{
    span s = {a->data, a->bytes, a->swap}, data, name;
    uint32_t type;
    sac_mat_array found = {0};
    if (a->offsets) {
        s.at += a->offsets[i];
        s.left -= a->offsets[i];
        i = 0;
    }
    for (uint64_t k = 0; k <= i; k++)
        if (!next(&s, &type, &data) || type != MI_MATRIX)
            return found;
    return parse(&found, data, &name) ? found : (sac_mat_array){0};
}

/* Where each array of a variable begins. */
static sac_status make_index(sac_mat_array *a, const char *name, const char *wanted, sac_error *err)
{
    if (a->kind != SAC_MAT_CELL && a->kind != SAC_MAT_STRUCT)
        return SAC_OK;
    const uint64_t each = a->kind == SAC_MAT_CELL ? 1 : a->n_fields;
    span s = {a->data, a->bytes, a->swap}, data;
    uint32_t type;
    if (each && a->n > a->bytes / 8 / each)
        return sac_fail(err, SAC_E_FORMAT, "%s: %s: is truncated or damaged", name, wanted);
    const uint64_t n = a->n * each;
    a->offsets = sac_alloc((size_t)(n ? n : 1), sizeof *a->offsets);
    if (!a->offsets)
        return sac_fail(err, SAC_E_NOMEM, "%s: %s: no memory for %" PRIu64 " arrays", name, wanted,
                        n);
    for (uint64_t i = 0; i < n; i++) {
        a->offsets[i] = (uint64_t)(s.at - a->data);
        if (!next(&s, &type, &data) || type != MI_MATRIX)
            return sac_fail(err, SAC_E_FORMAT, "%s: %s: is truncated or damaged", name, wanted);
    }
    return SAC_OK;
}

sac_mat_array sac_mat_cell(const sac_mat_array *a, uint64_t i)
{
    return a->kind == SAC_MAT_CELL && i < a->n ? array_at(a, i) : (sac_mat_array){0};
}

sac_mat_array sac_mat_field(const sac_mat_array *a, uint64_t i, const char *name)
{
    const size_t length = strlen(name);
    for (uint32_t f = 0; a->kind == SAC_MAT_STRUCT && i < a->n && f < a->n_fields; f++) {
        const uint8_t *own = a->names + (size_t)f * a->name_bytes;
        if (length <= a->name_bytes && memcmp(own, name, length) == 0 &&
            (length == a->name_bytes || own[length] == '\0'))
            return array_at(a, i * a->n_fields + f);
    }
    return (sac_mat_array){0};
}

#define NUMBER(bits, type)                                                                         \
    do {                                                                                           \
        uint##bits##_t raw;                                                                        \
        memcpy(&raw, a->data + i * sizeof raw, sizeof raw);                                        \
        raw = a->swap ? __builtin_bswap##bits(raw) : raw;                                          \
        type x;                                                                                    \
        memcpy(&x, &raw, sizeof x);                                                                \
        return (double)x;                                                                          \
    } while (0)

double sac_mat_at(const sac_mat_array *a, uint64_t i)
{
    if ((a->kind != SAC_MAT_NUMBERS && a->kind != SAC_MAT_TEXT) || i >= a->n)
        return NAN;
    switch (a->type) {
    case MI_INT8:
        return (double)(int8_t)a->data[i];
    case MI_UINT8:
    case MI_UTF8:
        return (double)a->data[i];
    case MI_INT16:
        NUMBER(16, int16_t);
    case MI_UINT16:
    case MI_UTF16:
        NUMBER(16, uint16_t);
    case MI_INT32:
        NUMBER(32, int32_t);
    case MI_UINT32:
        NUMBER(32, uint32_t);
    case MI_SINGLE:
        NUMBER(32, float);
    case MI_DOUBLE:
        NUMBER(64, double);
    case MI_INT64:
        NUMBER(64, int64_t);
    case MI_UINT64:
        NUMBER(64, uint64_t);
    default:
        return NAN;
    }
}

void sac_mat_text(char *text, size_t size, const sac_mat_array *a)
{
    size_t n = 0;
    for (; a->kind == SAC_MAT_TEXT && n < a->n && n + 1 < size; n++) {
        const double c = sac_mat_at(a, n);
        text[n] = c >= 32 && c < 127 ? (char)c : '?';
    }
    text[n] = '\0';
}

sac_status sac_mat_take(sac_mat_variable *v, uint8_t *bytes, uint64_t offset, uint64_t size,
                        bool swap, const char *name, const char *wanted, sac_error *err)
{
    span title;
    *v = (sac_mat_variable){.bytes = bytes};
    const span whole = {bytes + offset, size - offset, swap};
    if (!parse(&v->array, whole, &title))
        return sac_fail(err, SAC_E_FORMAT, "%s: %s: is truncated or damaged", name, wanted);
    return make_index(&v->array, name, wanted, err);
}

bool sac_mat_is_named(const uint8_t *head, uint64_t n, bool swap, const char *name)
{
    span s = {head, n, swap}, data = {0};
    uint32_t type = 0;
    for (int i = 0; i < 3; i++) /* flags, dimensions, name */
        if (!next(&s, &type, &data))
            return false;
    return type == MI_INT8 && data.left == strlen(name) && memcmp(data.at, name, data.left) == 0;
}

void sac_mat_unload(sac_mat_variable *v)
{
    sac_free(v->array.offsets);
    sac_free(v->bytes);
    *v = (sac_mat_variable){{0}, NULL};
}
