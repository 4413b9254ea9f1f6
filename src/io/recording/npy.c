/*
 * Recordings in NPY, with their metadata in a JSON file of the same name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/npy.h"
#include "io/recording/parts.h"
#include "io/crc32c.h"

/* Bytes of metadata, and one more for each four of the samples' file: a line a transmit and element
 * takes far less. */
#define MAX_JSON (UINT64_C(16) << 20)

static sac_status name_json(char json[PATH_MAX], const char *path, sac_error *err)
{
    size_t length = strlen(path);
    if (sac_io_ends_with(path, ".npy"))
        length -= 4;
    if (length + sizeof ".json" <= PATH_MAX) {
        snprintf(json, PATH_MAX, "%.*s.json", (int)length, path);
        return SAC_OK;
    }
    char name[SAC_IO_NAME];
    return sac_fail(err, SAC_E_IO, "%s: %s", sac_io_name(name, path, "standard input"),
                    strerror(ENAMETOOLONG));
}

/* The metadata, where there is such a file. */
static sac_status read_json(sac_draft *draft, uint64_t n_elements, sac_error *err)
{
    char path[PATH_MAX];
    sac_status st = name_json(path, draft->path, err);
    if (st != SAC_OK || access(path, F_OK) != 0)
        return st;
    sac_in in;
    const uint64_t most = MAX_JSON + draft->file_bytes / 4;
    st = sac_in_open(&in, path, MAX_JSON, err);
    if (st != SAC_OK)
        return st;
    uint64_t size = sac_in_left(&in);
    char *text = NULL;
    if (size > most)
        st = sac_fail(err, SAC_E_FORMAT, "%s: more than %" PRIu64 " bytes", in.name, most);
    else
        st = sac_in_take_rest(&text, &in, err);
    st = st ? st : sac_json_parse(draft, in.name, text, (size_t)size, n_elements, err);
    sac_free(text);
    sac_in_close(&in);
    return st;
}

/* Samples on their way from a file to memory. */
typedef struct transfer {
    sac_in *in;
    size_t size;    /* bytes of a number in the file: a sample, or a complex one's part */
    bool is_narrow; /* doubles become floats */
    bool is_summed;
    uint32_t crc32c;
} transfer;

/* n numbers of the file to *to, which moves on, or where that is NULL past it. */
static bool take_numbers(transfer *t, uint8_t **to, uint64_t n)
{
    uint8_t part[16384];
    if (!*to && !t->is_summed)
        return sac_in_skip(t->in, n * t->size);
    while (n) {
        size_t now = sizeof part / t->size;
        now = n < now ? (size_t)n : now;
        bool straight = *to && !t->is_narrow;
        uint8_t *bytes = straight ? *to : part;
        if (!sac_in_read(t->in, bytes, now * t->size))
            return false;
        if (t->is_summed)
            t->crc32c = sac_crc32c(t->crc32c, bytes, now * t->size);
        for (size_t i = 0; *to && t->is_narrow && i < now; i++) {
            double wide;
            memcpy(&wide, part + i * sizeof wide, sizeof wide);
            float narrow = (float)wide;
            memcpy(*to + i * sizeof narrow, &narrow, sizeof narrow);
        }
        if (*to)
            *to += now * (t->is_narrow ? sizeof(float) : t->size);
        n -= now;
    }
    return true;
}

static sac_status not_its(const sac_draft *draft, const char *what, sac_error *err)
{
    return sac_fail(err, SAC_E_FORMAT,
                    "%s: its JSON is of samples with %s: one of the two files is older, or was "
                    "changed (docs/formats.md)",
                    draft->name, what);
}

/* Whether the metadata are of samples like these, where they say so. */
static sac_status check_prints(const sac_draft *draft, const sac_npy *npy, const int64_t shape[4],
                               sac_error *err)
{
    const sac_prints *p = &draft->prints;
    if (!p->dtype)
        return SAC_OK;
    if (p->dtype != npy->dtype)
        return not_its(draft, "another type", err);
    return memcmp(p->shape, shape, sizeof p->shape) == 0 ? SAC_OK
                                                         : not_its(draft, "another shape", err);
}

/* The transmits of a frame that are wanted, each of n numbers, to *to, and past the others; past
 * all where that is NULL. */
static bool take_frame(const sac_draft *draft, transfer *t, uint8_t **to, int64_t in_file,
                       uint64_t n)
{
    const int64_t first = draft->first_transmit, wanted = draft->recording->samples.shape[1];
    uint8_t *nowhere = NULL;
    return take_numbers(t, &nowhere, (uint64_t)first * n) &&
           take_numbers(t, to, (uint64_t)wanted * n) &&
           take_numbers(t, &nowhere, (uint64_t)(in_file - first - wanted) * n);
}

/* The frames that are wanted, and as many around them as their checksums are of. */
static sac_status take_frames(const sac_draft *draft, transfer *t, const int64_t in_file[4],
                              uint64_t n_each, sac_error *err)
{
    const sac_array *a = &draft->recording->samples;
    uint8_t *to = a->data;
    int64_t each = t->is_summed ? draft->prints.frames_each : 1;
    int64_t end = draft->first_frame + a->shape[0];
    int64_t at = draft->first_frame - draft->first_frame % each;
    bool ok = sac_in_skip(t->in, (uint64_t)(at * in_file[1]) * n_each * t->size);
    for (; ok && (at < end || (at % each && at < in_file[0])); at++) {
        uint8_t *nowhere = NULL;
        bool wanted = at >= draft->first_frame && at < end;
        ok = take_frame(draft, t, wanted ? &to : &nowhere, in_file[1], n_each);
        if (!ok || !t->is_summed || ((at + 1) % each && at + 1 < in_file[0]))
            continue;
        if (t->crc32c != draft->prints.crc32c[at / each])
            return not_its(draft, "another checksum", err);
        t->crc32c = 0;
    }
    return ok ? SAC_OK : sac_in_fail(t->in, "is truncated", err);
}

/* Slabs of Fortran's order that are turned at a time: as many samples as two lines of a cache. */
#define SLABS 32

/* Sample k to k + n - 1 of every record, from slabs (n, elements, transmits, frames) of `size`
 * bytes a sample. */
static void place_slabs(const sac_draft *draft, const uint8_t *slabs, const int64_t in_file[4],
                        int64_t k, int64_t n, size_t size)
{
    const sac_array *a = &draft->recording->samples;
    const size_t slab = (size_t)(in_file[0] * in_file[1] * in_file[2]) * size;
    for (int64_t f = 0; f < a->shape[0]; f++)
        for (int64_t t = 0; t < a->shape[1]; t++)
            for (int64_t e = 0; e < in_file[2]; e++) {
                int64_t transmit = draft->first_transmit + t;
                int64_t at = draft->first_frame + f + in_file[0] * (transmit + in_file[1] * e);
                int64_t record = (f * a->shape[1] + t) * in_file[2] + e;
                uint8_t *to = (uint8_t *)a->data + (size_t)(record * in_file[3] + k) * size;
                for (int64_t i = 0; i < n; i++)
                    memcpy(to + (size_t)i * size, slabs + (size_t)i * slab + (size_t)at * size,
                           size);
            }
}

/* Samples in Fortran's order, where the frames are the fastest axis. */
static sac_status take_fortran(const sac_draft *draft, transfer *t, const int64_t in_file[4],
                               bool complex, sac_error *err)
{
    const sac_array *a = &draft->recording->samples;
    const size_t size = sac_dtype_size(a->dtype);
    if (t->is_summed)
        return not_its(draft, "another order", err);
    const uint64_t slab = (uint64_t)(in_file[0] * in_file[1] * in_file[2]);
    const int64_t each = in_file[3] < SLABS ? in_file[3] : SLABS;
    uint8_t *slabs = sac_alloc((size_t)slab * (size_t)each, size);
    if (!slabs)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory to turn its axes", draft->name);
    bool ok = true;
    for (int64_t k = 0; ok && k < in_file[3]; k += each) {
        const int64_t n = in_file[3] - k < each ? in_file[3] - k : each;
        uint8_t *to = slabs;
        ok = take_numbers(t, &to, slab * (uint64_t)n * (complex ? 2 : 1));
        if (ok)
            place_slabs(draft, slabs, in_file, k, n, size);
    }
    sac_free(slabs);
    return ok ? SAC_OK : sac_in_fail(t->in, "is truncated", err);
}

static sac_status read_samples(sac_draft *draft, sac_in *in, const sac_npy *npy,
                               const int64_t shape[4], sac_error *err)
{
    bool complex = npy->dtype == SAC_C64 || npy->dtype == SAC_C128;
    sac_dtype dtype = npy->dtype == SAC_I16 ? SAC_I16 : complex ? SAC_C64 : SAC_F32;
    size_t size = sac_dtype_size(npy->dtype);
    sac_status st = check_prints(draft, npy, shape, err);
    draft->fills = true;
    st = st ? st : sac_draft_samples(draft, dtype, shape, sac_in_left(in) / size, err);
    if (st != SAC_OK || !draft->recording->samples.data)
        return st;
    transfer t = {.in = in,
                  .size = complex ? size / 2 : size,
                  .is_narrow = size != sac_dtype_size(dtype),
                  .is_summed = draft->prints.dtype != 0};
    if (npy->fortran && npy->n_dims > 1)
        return take_fortran(draft, &t, shape, complex, err);
    uint64_t n_samples = (uint64_t)(shape[2] * shape[3]);
    return take_frames(draft, &t, shape, complex ? 2 * n_samples : n_samples, err);
}

sac_status sac_npy_read_recording(sac_draft *draft, sac_error *err)
{
    sac_in in;
    sac_status st = sac_in_open(&in, draft->path, UINT64_MAX, err);
    if (st != SAC_OK)
        return st;
    sac_npy npy;
    int64_t shape[4] = {0};
    st = sac_npy_read_header(&npy, &in, err);
    if (st == SAC_OK && npy.dtype != SAC_I16 && npy.dtype != SAC_F32 && npy.dtype != SAC_F64 &&
        npy.dtype != SAC_C64 && npy.dtype != SAC_C128)
        st = sac_fail(err, SAC_E_FORMAT,
                      "%s: samples of %s: expected int16, float32, float64 or complex", draft->name,
                      sac_dtype_name(npy.dtype));
    st = st ? st : sac_draft_shape(shape, draft, npy.n_dims, npy.dims, err);
    st = st ? st : read_json(draft, (uint64_t)shape[2], err);
    st = st ? st : sac_draft_resolve(draft, shape[2], err);
    st = st ? st : read_samples(draft, &in, &npy, shape, err);
    sac_in_close(&in);
    return st;
}

/* Both files, open, with all that goes into them. */
static sac_status write_pair(sac_out *npy, sac_out *json, const sac_array *samples,
                             const char *text, sac_error *err)
{
    sac_status st = sac_npy_write(npy, samples, err);
    st = st ? st : sac_out_write(json, text, strlen(text), err);
    if (st == SAC_OK) /* metadata first: with the old samples they are seen not to fit */
        return sac_out_commit_pair(json, npy, err);
    sac_out_abort(npy);
    sac_out_abort(json);
    return st;
}

static sac_status open_pair(sac_out *npy, sac_out *json, const char *path, const char *json_path,
                            sac_error *err)
{
    sac_status st = sac_out_open(npy, path, err);
    if (st != SAC_OK)
        return st;
    st = sac_out_open(json, json_path, err);
    if (st != SAC_OK)
        sac_out_abort(npy);
    npy->is_recording = json->is_recording = true;
    return st;
}

sac_status sac_npy_write_recording(const char *path, const sac_recording *r,
                                   const sac_scatterer *truth, sac_error *err)
{
    char json_path[PATH_MAX], name[SAC_IO_NAME];
    char *text = NULL;
    sac_out npy, json;
    sac_status st = name_json(json_path, path, err);
    if (st != SAC_OK)
        return st;
    sac_prints *prints = sac_alloc(1, sizeof *prints);
    sac_io_name(name, json_path, "standard output");
    if (!prints)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory to write it", name);
    sac_prints_make(prints, &r->samples);
    st = sac_json_print(&text, r, truth, prints, name, err);
    sac_free(prints);
    st = st ? st : open_pair(&npy, &json, path, json_path, err);
    st = st ? st : write_pair(&npy, &json, &r->samples, text, err);
    sac_free(text);
    return st;
}
