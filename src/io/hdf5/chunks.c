/*
 * Chunks of HDF5 datasets before libhdf5 reads them: filters that cannot do harm, as many chunks
 * and bytes as the data need, and no chunk that becomes more than it holds, which libhdf5 would
 * follow to the end of memory, or less.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "io/hdf5/hdf5.h"
#include "io/hdf5/inflate.h"

#define SMALL_CHUNK (UINT64_C(16) << 20) /* bytes: any dataset may have chunks like these */
#define FEW_CHUNKS 32768                 /* that are read at once; libhdf5 takes 1 KB for each: */
#define BYTES_A_CHUNK 1024               /* one more for so much data */
#define CHECKSUM_BYTES 4                 /* Fletcher's, behind a chunk */

/* At most one deflate, after shuffle, before a checksum: all else may grow, or is in plug-ins. */
static sac_status check_filters(sac_h5_set *s, hid_t properties, const sac_h5 *h, const char *where,
                                const char *name, sac_error *err)
{
    int n = H5Pget_nfilters(properties);
    for (int i = 0; i < n; i++) {
        unsigned flags, config, values[1];
        size_t n_values = 0;
        char text[32] = "";
        H5Z_filter_t filter = H5Pget_filter2(properties, (unsigned)i, &flags, &n_values, values,
                                             sizeof text, text, &config);
        bool ok = filter == H5Z_FILTER_FLETCHER32 ||
                  (filter == H5Z_FILTER_SHUFFLE && !s->deflate) ||
                  (filter == H5Z_FILTER_DEFLATE && !s->deflate);
        if (!ok)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: %s%s: filter `%.31s`: expected shuffle, deflate, fletcher32, in "
                            "this order (h5repack -f GZIP=4 makes them)",
                            h->name, where, name, text);
        if (filter == H5Z_FILTER_FLETCHER32) {
            s->sum_bits |= 1U << i;
            s->sum_bits_before |= s->deflate ? 0 : 1U << i;
        } else if (filter == H5Z_FILTER_DEFLATE) {
            s->deflate = true;
            s->deflate_bit = 1U << i;
        }
    }
    unsigned options = 0;
    s->deflate_edges = H5Pget_chunk_opts(properties, &options) < 0 ||
                       !(options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    s->is_filtered = n > 0;
    return n >= 0 ? SAC_OK
                  : sac_fail(err, SAC_E_FORMAT, "%s: %s%s: is damaged", h->name, where, name);
}

sac_status sac_h5_chunks(sac_h5_set *s, hid_t properties, const sac_h5 *h, const char *where,
                         const char *name, sac_error *err)
{
    s->is_chunked = H5Pget_layout(properties) == H5D_CHUNKED;
    if (!s->is_chunked)
        return SAC_OK;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    int n_dims = H5Pget_chunk(properties, H5S_MAX_RANK, chunk);
    uint64_t most = s->count * s->type_size; /* no more than the file can hold, so it is small */
    most = most > SMALL_CHUNK ? most : SMALL_CHUNK;
    s->chunk_bytes = s->type_size;
    for (int i = 0; i < s->n_dims; i++) {
        s->chunk[i] = i < n_dims ? chunk[i] : 0;
        if (s->chunk[i] < 1 || s->chunk[i] > most / s->chunk_bytes)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: %s%s: expected chunks of at most %" PRIu64
                            " bytes, which is all of its data",
                            h->name, where, name, most);
        s->chunk_bytes *= s->chunk[i];
    }
    return check_filters(s, properties, h, where, name, err);
}

static bool is_edge(const sac_h5_set *s, const hsize_t *at)
{
    for (int i = 0; i < s->n_dims; i++)
        if (at[i] + s->chunk[i] > s->dims[i])
            return true;
    return false;
}

static uint64_t checksum_bytes(unsigned filters)
{
    return CHECKSUM_BYTES * (uint64_t)__builtin_popcount(filters);
}

/* Bytes of a chunk in the file; 0 where it is not there. Of data without filters older versions
 * tell what it should be. */
static hsize_t bytes_in_file(const sac_h5_set *s, const hsize_t *at)
{
    hsize_t bytes = 0;
#if H5_VERSION_GE(1, 10, 5)
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    bool ok = H5Dget_chunk_info_by_coord(s->set, at, &mask, &address, &bytes) >= 0 &&
              address != HADDR_UNDEF;
#else
    bool ok = H5Dget_chunk_storage_size(s->set, at, &bytes) >= 0;
#endif
    return ok ? bytes : 0;
}

/* Whether the chunk at `at` becomes what it must hold: libhdf5 reads beyond the end of one that
 * becomes less. `*room` is memory for *n_room bytes. */
static sac_status check_chunk(const sac_h5_set *s, const hsize_t *at, uint8_t **room,
                              uint64_t *n_room)
{
    hsize_t bytes = bytes_in_file(s, at);
    uint32_t mask = 0; /* of filters that this chunk was not given to */
    if (bytes == 0)
        return SAC_OK; /* the fill value, or H5Dread will say */
    if (bytes > s->chunk_bytes + s->chunk_bytes / 8 + 4096)
        return SAC_E_FORMAT;
    if (!s->is_filtered)
        return bytes == s->chunk_bytes ? SAC_OK : SAC_E_FORMAT;
    if (bytes > *n_room) {
        sac_free(*room);
        *n_room = bytes + bytes / 8;
        *room = sac_alloc((size_t)*n_room, 1);
    }
    if (!*room)
        return SAC_E_NOMEM;
    if (H5Dread_chunk(s->set, H5P_DEFAULT, at, &mask, *room) < 0)
        return SAC_E_FORMAT;
    if (!s->deflate_edges && is_edge(s, at))
        mask = ~0U;
    if (!s->deflate || (s->deflate_bit & mask))
        return bytes == s->chunk_bytes + checksum_bytes(s->sum_bits & ~mask) ? SAC_OK
                                                                             : SAC_E_FORMAT;
    return sac_inflate_check(*room, (size_t)bytes,
                             s->chunk_bytes + checksum_bytes(s->sum_bits_before & ~mask));
}

/* What is read, as far as chunks go: from the first of a chunk on, up to `end`. */
typedef struct box {
    hsize_t from[H5S_MAX_RANK], end[H5S_MAX_RANK];
} box;

/* The chunk behind `at`, the last axis first; false behind the last of the box. */
static bool next_chunk(hsize_t *at, const sac_h5_set *s, const box *b)
{
    for (int i = s->n_dims - 1; i >= 0; i--) {
        at[i] += s->chunk[i];
        if (at[i] < b->end[i])
            return true;
        at[i] = b->from[i];
    }
    return false;
}

sac_status sac_h5_sound(const sac_h5_set *s, const sac_h5 *h, const char *where, const char *name,
                        const hsize_t *first, const hsize_t *n, sac_error *err)
{
    box b = {0};
    hsize_t at[H5S_MAX_RANK];
    uint64_t n_chunks = 1, most = s->type_size;
    if (!s->is_chunked)
        return SAC_OK;
    for (int i = 0; i < s->n_dims; i++) {
        const hsize_t begin = first ? first[i] : 0, count = n ? n[i] : s->dims[i];
        at[i] = b.from[i] = begin - begin % s->chunk[i];
        b.end[i] = begin + count;
        most *= count; /* no more than the file can hold */
    }
    most = most / BYTES_A_CHUNK + FEW_CHUNKS;
    for (int i = 0; i < s->n_dims && n_chunks <= most; i++)
        n_chunks *= (b.end[i] - b.from[i] - 1) / s->chunk[i] + 1;
    if (n_chunks > most)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s%s: more than %" PRIu64 " chunks, of %" PRIu64
                        " bytes each, are too small (h5repack makes larger ones)",
                        h->name, where, name, most, s->chunk_bytes);
    uint8_t *room = NULL;
    uint64_t n_room = 0;
    sac_status st = SAC_OK;
    for (bool more = true; more && st == SAC_OK;) {
        st = check_chunk(s, at, &room, &n_room);
        more = next_chunk(at, s, &b);
    }
    sac_free(room);
    if (st == SAC_E_NOMEM)
        return sac_fail(err, st, "%s: no memory for chunks of %s%s", h->name, where, name);
    if (st == SAC_E_UNSUPPORTED)
        return sac_fail(err, st, "%s: %s%s: this build reads no compressed data (it has no zlib)",
                        h->name, where, name);
    return st == SAC_OK
               ? SAC_OK
               : sac_fail(err, st,
                          "%s: %s%s: a chunk is damaged: it does not become %" PRIu64 " bytes",
                          h->name, where, name, s->chunk_bytes);
}
