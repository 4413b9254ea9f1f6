/*
 * MAT v5 variables in memory, of which only some fields are wanted. Every length is checked against
 * the bytes around it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/mat_tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <zlib.h>

#include "base/alloc.h"

#define HEADER 128
#define MAX_EXPANSION 1032 /* of deflate */
#define NAME 64            /* bytes of a variable's name that are looked at */
#define HEAD_BYTES 256     /* of a variable up to its name's end: flags, dimensions, name */

enum {
    MI_INT8 = 1,
    MI_UINT8,
    MI_INT16,
    MI_UINT16,
    MI_INT32,
    MI_UINT32,
    MI_SINGLE,
    MI_DOUBLE = 9,
    MI_INT64 = 12,
    MI_UINT64,
    MI_MATRIX,
    MI_COMPRESSED,
    MI_UTF8,
    MI_UTF16
};
enum { MX_CELL = 1, MX_STRUCT = 2, MX_CHAR = 4, MX_DOUBLE = 6, MX_UINT64 = 15 };

/* Bytes that are left. */
typedef struct span {
    const uint8_t *at;
    uint64_t left;
    bool swap;
} span;

static uint32_t word(const uint8_t *at, bool swap)
{
    uint32_t x;
    memcpy(&x, at, sizeof x);
    return swap ? __builtin_bswap32(x) : x;
}

/* The next element: its type and its data; false where it does not fit. */
static bool next(span *s, uint32_t *type, span *data)
{
    if (s->left < 8)
        return false;
    uint32_t first = word(s->at, s->swap), bytes = word(s->at + 4, s->swap);
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
        const uint32_t size = word(dims->at + 4 * i, dims->swap);
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
    a->name_bytes = word(data.at, s->swap);
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
    const uint32_t flags = word(data.at, s.swap), kind = flags & 0xff;
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

/* An element of the file's top level on its way into memory. */
typedef struct element {
    sac_in *in;
    bool swap;
    uint64_t bytes; /* of its data in the file that are not read */
    z_stream z;     /* where it is compressed */
    bool compressed;
} element;

/* Reads n bytes of the element as it is inflated. */
static bool take(element *e, uint8_t *to, uint64_t n)
{
    if (!e->compressed) {
        if (n > e->bytes || !sac_in_read(e->in, to, n))
            return false;
        e->bytes -= n;
        return true;
    }
    while (n) {
        if (e->z.avail_in == 0) {
            if (e->bytes == 0 || !sac_in_fill(e->in))
                return false;
            uint64_t now = (uint64_t)(e->in->end - e->in->next);
            now = now < e->bytes ? now : e->bytes;
            memcpy(&e->z.next_in, &e->in->next, sizeof e->in->next);
            e->z.avail_in = (uInt)now;
            e->in->next += now;
            e->bytes -= now;
        }
        const uInt now = n < UINT32_MAX / 2 ? (uInt)n : UINT32_MAX / 2;
        e->z.next_out = to;
        e->z.avail_out = now;
        const int result = inflate(&e->z, Z_SYNC_FLUSH);
        const uInt got = now - e->z.avail_out;
        to += got;
        n -= got;
        if (result != Z_OK && (result != Z_STREAM_END || n))
            return false;
    }
    return true;
}

/* Begins the next element and reads its tag: *bytes of a matrix, 0 of anything else. */
static bool begin(element *e, uint64_t *bytes)
{
    uint8_t tag[8];
    if (sac_in_left(e->in) < sizeof tag || !sac_in_read(e->in, tag, sizeof tag))
        return false;
    const uint32_t type = word(tag, e->swap);
    e->bytes = word(tag + 4, e->swap);
    e->compressed = type == MI_COMPRESSED;
    *bytes = type == MI_MATRIX ? e->bytes : 0;
    if (e->bytes > sac_in_left(e->in))
        return false;
    if (!e->compressed)
        return true;
    const uint64_t packed = e->bytes;
    e->z = (z_stream){0};
    if (inflateInit(&e->z) != Z_OK)
        return false;
    if (!take(e, tag, sizeof tag) || word(tag, e->swap) != MI_MATRIX)
        return true; /* nothing that is read */
    *bytes = word(tag + 4, e->swap);
    if (*bytes / MAX_EXPANSION > packed)
        *bytes = 0;
    return true;
}

static bool end(element *e)
{
    if (e->compressed)
        inflateEnd(&e->z);
    return sac_in_skip(e->in, e->bytes);
}

/* Whether the first bytes of a matrix are those of a variable with this name. */
static bool is_named(const uint8_t *head, uint64_t n, bool swap, const char *name)
{
    span s = {head, n, swap}, data = {0};
    uint32_t type = 0;
    for (int i = 0; i < 3; i++) /* flags, dimensions, name */
        if (!next(&s, &type, &data))
            return false;
    return type == MI_INT8 && data.left == strlen(name) && memcmp(data.at, name, data.left) == 0;
}

static bool open_file(element *e, sac_in *in, const char *path, sac_error *err)
{
    uint8_t head[HEADER];
    *e = (element){.in = in};
    if (sac_in_open(in, path, UINT64_MAX, err) != SAC_OK)
        return false;
    if (!sac_in_read(in, head, sizeof head))
        memset(head, 0, sizeof head);
    e->swap = memcmp(head + 126, "MI", 2) == 0; /* this machine is little-endian */
    return true;
}

bool sac_mat_has(const char *path, const char *const *names)
{
    sac_in in;
    element e;
    uint64_t bytes;
    uint32_t found = 0, n = 0;
    while (names[n])
        n++;
    if (!open_file(&e, &in, path, NULL))
        return false;
    for (bool ok = true; ok && begin(&e, &bytes);) {
        uint8_t head[HEAD_BYTES];
        const uint64_t now = bytes < sizeof head ? bytes : sizeof head;
        const bool read = now && take(&e, head, now);
        for (uint32_t i = 0; read && i < n; i++)
            found |= (uint32_t)is_named(head, now, e.swap, names[i]) << i;
        ok = end(&e);
    }
    sac_in_close(&in);
    return found == (1u << n) - 1;
}

/* All of the element, of which the head is read. */
static sac_status load(sac_mat_variable *v, element *e, const uint8_t *head, uint64_t n_head,
                       uint64_t bytes, const char *name, const char *wanted, sac_error *err)
{
    span title;
    v->bytes = sac_alloc((size_t)bytes, 1);
    if (!v->bytes)
        return sac_fail(err, SAC_E_NOMEM, "%s: %s: no memory for %" PRIu64 " bytes", name, wanted,
                        bytes);
    memcpy(v->bytes, head, (size_t)n_head);
    const span whole = {v->bytes, bytes, e->swap};
    if (!take(e, v->bytes + n_head, bytes - n_head) || !parse(&v->array, whole, &title))
        return sac_fail(err, SAC_E_FORMAT, "%s: %s: is truncated or damaged", name, wanted);
    return make_index(&v->array, name, wanted, err);
}

sac_status sac_mat_load(sac_mat_variable *v, const char *path, const char *name, const char *wanted,
                        uint64_t max_bytes, sac_error *err)
{
    sac_in in;
    element e;
    uint64_t bytes;
    bool found = false;
    sac_status st = SAC_OK;
    *v = (sac_mat_variable){{0}, NULL};
    if (!open_file(&e, &in, path, err))
        return SAC_E_IO;
    for (bool ok = true; ok && !found && begin(&e, &bytes);) {
        uint8_t head[HEAD_BYTES];
        const uint64_t now = bytes < sizeof head ? bytes : sizeof head;
        found = now && take(&e, head, now) && is_named(head, now, e.swap, wanted);
        if (found)
            st = bytes <= max_bytes
                     ? load(v, &e, head, now, bytes, name, wanted, err)
                     : sac_fail(err, SAC_E_FORMAT,
                                "%s: %s: %" PRIu64 " bytes: more than the limit, %" PRIu64, name,
                                wanted, bytes, max_bytes);
        ok = end(&e);
    }
    sac_in_close(&in);
    if (st != SAC_OK)
        sac_mat_unload(v);
    return st;
}

sac_status sac_mat_take(sac_mat_variable *v, uint8_t *bytes, uint64_t size, const char *name,
                        const char *wanted, sac_error *err)
{
    span whole = {bytes, size, false}, data, title;
    uint32_t type;
    *v = (sac_mat_variable){.bytes = bytes};
    if (!bytes)
        return SAC_OK;
    if (!next(&whole, &type, &data) || !parse(&v->array, data, &title))
        return sac_fail(err, SAC_E_FORMAT, "%s: %s: is truncated or damaged", name, wanted);
    return make_index(&v->array, name, wanted, err);
}

void sac_mat_unload(sac_mat_variable *v)
{
    sac_free(v->array.offsets);
    sac_free(v->bytes);
    *v = (sac_mat_variable){{0}, NULL};
}
