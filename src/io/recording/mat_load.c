/*
 * Variables of MAT v5 files into memory, as they are or inflated.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <string.h>

#include <zlib.h>

#include "base/alloc.h"
#include "io/recording/mat_tree.h"

#define HEADER 128
#define MAX_EXPANSION 1032 /* of deflate */
#define HEAD_BYTES 256     /* of a variable up to its name's end: flags, dimensions, name */

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

/* Begins the next element and reads its tag: *bytes of a matrix, 0 of anything else. Zeros, of
 * which a sparse file may have a long tail, are no element. */
static bool begin(element *e, uint64_t *bytes)
{
    uint8_t tag[8];
    if (sac_in_left(e->in) < sizeof tag || !sac_in_read(e->in, tag, sizeof tag))
        return false;
    const uint32_t type = sac_mat_word(tag, e->swap);
    e->bytes = sac_mat_word(tag + 4, e->swap);
    e->compressed = type == MI_COMPRESSED;
    *bytes = type == MI_MATRIX ? e->bytes : 0;
    if (type == 0 || e->bytes > sac_in_left(e->in))
        return false;
    if (!e->compressed)
        return true;
    const uint64_t packed = e->bytes;
    e->z = (z_stream){0};
    if (inflateInit(&e->z) != Z_OK)
        return false;
    if (!take(e, tag, sizeof tag) || sac_mat_word(tag, e->swap) != MI_MATRIX)
        return true; /* nothing that is read */
    *bytes = sac_mat_word(tag + 4, e->swap);
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
            found |= (uint32_t)sac_mat_is_named(head, now, e.swap, names[i]) << i;
        ok = end(&e);
    }
    sac_in_close(&in);
    return found == (1u << n) - 1;
}

/* All of the element, of which the head is read. */
static sac_status load(sac_mat_variable *v, element *e, const uint8_t *head, uint64_t n_head,
                       uint64_t bytes, const char *name, const char *wanted, sac_error *err)
{
    v->bytes = sac_alloc((size_t)bytes, 1);
    if (!v->bytes)
        return sac_fail(err, SAC_E_NOMEM, "%s: %s: no memory for %" PRIu64 " bytes", name, wanted,
                        bytes);
    memcpy(v->bytes, head, (size_t)n_head);
    if (!take(e, v->bytes + n_head, bytes - n_head))
        return sac_fail(err, SAC_E_FORMAT, "%s: %s: is truncated or damaged", name, wanted);
    return sac_mat_take(v, v->bytes, 0, bytes, e->swap, name, wanted, err);
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
        found = now && take(&e, head, now) && sac_mat_is_named(head, now, e.swap, wanted);
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
