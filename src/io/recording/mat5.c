/*
 * Whether a MAT v5 file keeps its own rules: libmatio, which reads it then, trusts the lengths that
 * stand in it. Everything that libmatio looks at is walked through, compressed or not; of the
 * numbers themselves only the length is looked at.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/mat5.h"

#include <string.h>

#include <zlib.h>

#define HEADER 128
#define MAX_DEPTH 16       /* of cells in structs in cells ... */
#define MAX_DIMS 16        /* of one array */
#define MAX_FIELD_NAME 256 /* bytes; MATLAB writes 32 or 64 */

/* libmatio keeps some hundred bytes for each array of a variable, and 48 KB more where it is
 * compressed: so many of them are no harm, and one more for each so many bytes. */
#define MOST_ARRAYS 65536
#define BYTES_AN_ARRAY 256
#define MOST_COMPRESSED 1024
#define BYTES_A_COMPRESSED 65536

/* Bytes that variables may inflate to which are not ours, but which libmatio passes through. */
#define MOST_OTHERS (UINT64_C(1) << 30)

/* Types of data elements, and classes of arrays, as the format numbers them. */
enum {
    MI_INT8 = 1,
    MI_INT32 = 5,
    MI_UINT32 = 6,
    MI_MATRIX = 14,
    MI_COMPRESSED = 15,
    MI_UTF32 = 18 /* the last */
};
enum { MX_CELL = 1, MX_STRUCT = 2, MX_DOUBLE = 6, MX_UINT64 = 15, MX_FUNCTION = 16 };

/* Bytes to walk through: of the file, or inflated from it. */
typedef struct source {
    sac_in *in;
    bool swap;                 /* the file has the other byte order */
    z_stream *z;               /* NULL: as they are */
    uint64_t bytes;            /* compressed ones that z has not been given */
    bool is_read;              /* this variable is RF, IQ or param */
    uint64_t passed, n_arrays; /* of this variable: bytes, arrays */
    uint64_t *others;          /* bytes that others have inflated to */
    const char **why;          /* what is wrong, if it is not damage; or lacks_memory */
} source;

static const char lacks_memory[] = "no memory to look through it";
static const char many_parts[] =
    "a variable has so many small parts that they cannot be read (a file of only RF or IQ and "
    "param can)";
static const char much_else[] = "variables other than RF, IQ and param inflate to more than 1 GB "
                                "(a file of only these can be read)";

typedef struct tag {
    uint32_t type;
    uint32_t bytes;
    bool small; /* its data is in `inside` */
    uint8_t inside[4];
} tag;

static bool inflate_more(source *s)
{
    if (s->z->avail_in)
        return true;
    if (s->bytes == 0 || !sac_in_fill(s->in))
        return false;
    uint64_t n = (uint64_t)(s->in->end - s->in->next);
    n = n < s->bytes ? n : s->bytes;
    memcpy(&s->z->next_in, &s->in->next, sizeof s->in->next); /* zlib's pointer is not const */
    s->z->avail_in = (uInt)n;
    s->in->next += n;
    s->bytes -= n;
    return true;
}

static bool is_wrong(const source *s, const char *why)
{
    *s->why = why;
    return false;
}

/* Reads `n` bytes to `to`, or passes over them where it is NULL. */
static bool take(source *s, uint8_t *to, uint64_t n)
{
    uint8_t scratch[4096];
    s->passed += n;
    if (s->z && !s->is_read) {
        if (n > MOST_OTHERS - *s->others)
            return is_wrong(s, much_else);
        *s->others += n;
    }
    while (n) {
        size_t now = n < sizeof scratch ? (size_t)n : sizeof scratch;
        uint8_t *at = to ? to : scratch;
        if (s->z) {
            s->z->next_out = at;
            s->z->avail_out = (uInt)now;
            while (s->z->avail_out) {
                int result = inflate_more(s) ? inflate(s->z, Z_SYNC_FLUSH) : Z_DATA_ERROR;
                if (result == Z_MEM_ERROR)
                    return is_wrong(s, lacks_memory);
                if (result != Z_OK && (result != Z_STREAM_END || s->z->avail_out))
                    return false;
            }
        } else if (!(to ? sac_in_read(s->in, at, now) : sac_in_skip(s->in, now))) {
            return false;
        }
        to = to ? to + now : NULL;
        n -= now;
    }
    return true;
}

static uint32_t number(const source *s, const uint8_t bytes[4])
{
    uint32_t x;
    memcpy(&x, bytes, sizeof x);
    return s->swap ? __builtin_bswap32(x) : x;
}

/* Reads a tag out of *left bytes; its data must fit in the rest. */
static bool take_tag(tag *t, source *s, uint64_t *left)
{
    uint8_t head[8];
    if (*left < sizeof head || !take(s, head, sizeof head))
        return false;
    *left -= sizeof head;
    t->type = number(s, head);
    t->bytes = number(s, head + 4);
    t->small = t->type >> 16 != 0;
    if (t->small) {
        t->bytes = t->type >> 16;
        t->type &= 0xffff;
        memcpy(t->inside, head + 4, 4);
        return t->bytes <= 4;
    }
    return t->bytes <= *left;
}

/* The data behind a tag, padded to 8 bytes, to at least 4 bytes of memory; to NULL: passes over. */
static bool take_data(uint8_t *to, const tag *t, source *s, uint64_t *left)
{
    if (t->small) {
        if (to)
            memcpy(to, t->inside, sizeof t->inside);
        return true;
    }
    uint64_t padding = (8 - t->bytes % 8) % 8;
    if (padding > *left - t->bytes)
        padding = *left - t->bytes;
    *left -= t->bytes + padding;
    return take(s, to, t->bytes) && take(s, NULL, padding);
}

/* Bytes of one number of a type; 0 for what is none. */
static uint32_t size_of(uint32_t type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    return type < sizeof sizes ? sizes[type] : 0;
}

static bool walk_array(source *s, uint64_t bytes, int depth);

/* n arrays in *left bytes. */
static bool walk_arrays(source *s, uint64_t n, uint64_t *left, int depth)
{
    if (n > *left / 8)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        tag t;
        if (!take_tag(&t, s, left) || t.small || t.type != MI_MATRIX)
            return false;
        *left -= t.bytes;
        if (t.bytes && !walk_array(s, t.bytes, depth + 1))
            return false;
    }
    return true;
}

/* Names of fields, then an array a field of each of n structs. */
static bool walk_struct(source *s, uint64_t n, uint64_t *left, int depth)
{
    tag t;
    uint8_t bytes[4];
    if (!take_tag(&t, s, left) || t.type != MI_INT32 || t.bytes != 4 ||
        !take_data(bytes, &t, s, left))
        return false;
    uint32_t length = number(s, bytes);
    if (length < 1 || length > MAX_FIELD_NAME || !take_tag(&t, s, left) || t.type != MI_INT8 ||
        t.bytes % length != 0 || !take_data(NULL, &t, s, left))
        return false;
    uint64_t n_fields = t.bytes / length;
    return n_fields == 0 || (n <= *left / n_fields && walk_arrays(s, n * n_fields, left, depth));
}

/* n numbers, or twice n. Nobody walks further in an array of the top level than to the last. */
static bool walk_numbers(source *s, uint64_t n, uint64_t *left, bool complex, int depth)
{
    for (int part = 0; part < 1 + complex; part++) {
        tag t;
        if (!take_tag(&t, s, left) || !size_of(t.type) || t.bytes != n * size_of(t.type))
            return false;
        bool last = depth == 0 && part == complex;
        if (!last && !take_data(NULL, &t, s, left))
            return false;
    }
    return true;
}

/* The name: of a variable it tells whether that is one of ours. */
static bool walk_name(source *s, uint64_t *left, int depth)
{
    static const char *const ours[] = {"RF", "IQ", "param"};
    tag t;
    uint8_t name[8] = {0};
    if (!take_tag(&t, s, left) || t.type != MI_INT8)
        return false;
    bool is_short = depth == 0 && t.bytes < sizeof name;
    if (!take_data(is_short ? name : NULL, &t, s, left))
        return false;
    for (int i = 0; i < 3 && is_short; i++)
        s->is_read = s->is_read || (strlen(ours[i]) == t.bytes && !memcmp(name, ours[i], t.bytes));
    return true;
}

/* Flags, dimensions and name; *n is the product of the dimensions. */
static bool walk_head(uint32_t *flags, uint64_t *n, source *s, uint64_t *left, int depth)
{
    tag t;
    uint8_t words[8], dims[4 * MAX_DIMS];
    if (!take_tag(&t, s, left) || t.type != MI_UINT32 || t.bytes != 8 || t.small ||
        !take_data(words, &t, s, left))
        return false;
    *flags = number(s, words);
    if (!take_tag(&t, s, left) || t.type != MI_INT32 || t.bytes < 8 || t.bytes > sizeof dims ||
        t.bytes % 4 || !take_data(dims, &t, s, left))
        return false;
    *n = 1;
    for (uint32_t i = 0; i < t.bytes / 4; i++) {
        uint32_t size = number(s, dims + (size_t)4 * i);
        if (size > INT32_MAX || (size && *n > (uint64_t)INT64_MAX / 16 / size))
            return false;
        *n *= size;
    }
    return walk_name(s, left, depth);
}

static bool walk_array(source *s, uint64_t bytes, int depth)
{
    uint32_t flags;
    uint64_t n, left = bytes;
    s->n_arrays++;
    if (s->n_arrays > MOST_ARRAYS + s->passed / BYTES_AN_ARRAY ||
        (s->z && s->n_arrays > MOST_COMPRESSED + s->passed / BYTES_A_COMPRESSED))
        return is_wrong(s, many_parts);
    if (depth > MAX_DEPTH || !walk_head(&flags, &n, s, &left, depth))
        return false;
    uint32_t kind = flags & 0xff;
    bool ok = true; /* text, and what is not read here, has nothing that libmatio looks at */
    if (kind == MX_CELL || kind == MX_FUNCTION)
        ok = walk_arrays(s, n, &left, depth);
    else if (kind == MX_STRUCT)
        ok = walk_struct(s, n, &left, depth);
    else if (kind >= MX_DOUBLE && kind <= MX_UINT64)
        ok = walk_numbers(s, n, &left, (flags & 0x800) != 0, depth);
    return ok && (depth == 0 || take(s, NULL, left));
}

/* A compressed element holds one array. */
static bool walk_compressed(source *s, uint64_t bytes)
{
    z_stream z = {0};
    int result = inflateInit(&z);
    if (result != Z_OK)
        return result == Z_MEM_ERROR && is_wrong(s, lacks_memory);
    source inflated = {
        .in = s->in, .swap = s->swap, .z = &z, .bytes = bytes, .others = s->others, .why = s->why};
    tag inner;
    uint64_t left = 2 * (uint64_t)UINT32_MAX; /* its own tag says how much it is */
    bool ok = take_tag(&inner, &inflated, &left) && !inner.small && inner.type == MI_MATRIX &&
              walk_array(&inflated, inner.bytes, 0);
    inflateEnd(&z);
    return ok;
}

/* An element of the file's top level: *left is what the file has behind it. */
static bool walk_element(source *s)
{
    tag t;
    uint64_t left = sac_in_left(s->in);
    if (!take_tag(&t, s, &left) || t.small || t.type < MI_INT8 || t.type > MI_UTF32)
        return false; /* a tail of zeros, too: of elements without type it would have billions */
    s->is_read = false;
    s->passed = s->n_arrays = 0;
    uint64_t before = sac_in_left(s->in);
    bool ok = t.type != MI_MATRIX || walk_array(s, t.bytes, 0);
    if (t.type == MI_COMPRESSED)
        ok = walk_compressed(s, t.bytes);
    uint64_t walked = before - sac_in_left(s->in);
    return ok && walked <= t.bytes && sac_in_skip(s->in, t.bytes - walked);
}

sac_status sac_mat5_check(const char *path, const char *name, sac_error *err)
{
    sac_in in;
    sac_status st = sac_in_open(&in, path, UINT64_MAX, err);
    if (st != SAC_OK)
        return st;
    uint8_t head[HEADER];
    bool ok = sac_in_read(&in, head, HEADER);
    uint16_t order; /* "MI" in the byte order of the file */
    memcpy(&order, head + 126, sizeof order);
    uint64_t others = 0;
    const char *why = NULL;
    source s = {.in = &in, .swap = order != ('M' << 8 | 'I'), .others = &others, .why = &why};
    while (ok && sac_in_left(&in))
        ok = walk_element(&s);
    sac_in_close(&in);
    return ok ? SAC_OK
              : sac_fail(err, why == lacks_memory ? SAC_E_NOMEM : SAC_E_FORMAT, "%s: %s", name,
                         why ? why : "is MAT v5, but truncated or damaged");
}
