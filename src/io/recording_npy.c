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
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/npy.h"
#include "io/recording.h"

#define MAX_JSON (UINT64_C(64) << 20) /* bytes: a line a transmit and element takes far less */

static sac_status name_json(char json[PATH_MAX], const char *path, sac_error *err)
{
    size_t length = strlen(path);
    if (length > 4 && strcasecmp(path + length - 4, ".npy") == 0)
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
    st = sac_in_open(&in, path, MAX_JSON, err);
    if (st != SAC_OK)
        return st;
    uint64_t size = sac_in_left(&in);
    char *text = size <= MAX_JSON ? sac_alloc((size_t)size + 1, 1) : NULL;
    if (size > MAX_JSON)
        st = sac_fail(err, SAC_E_FORMAT, "%s: more than %" PRIu64 " bytes", in.name, MAX_JSON);
    else if (!text)
        st = sac_fail(err, SAC_E_NOMEM, "%s: no memory for %" PRIu64 " bytes", in.name, size);
    else if (!sac_in_read(&in, text, (size_t)size))
        st = sac_fail(err, SAC_E_IO, "%s: %s", in.name, strerror(in.error));
    else
        st = sac_json_parse(draft, in.name, text, (size_t)size, n_elements, err);
    sac_free(text);
    sac_in_close(&in);
    return st;
}

/* Doubles of the file as the floats that they are in memory. */
static bool read_narrowed(float *to, sac_in *in, uint64_t n)
{
    double part[1024];
    while (n) {
        size_t now = n < 1024 ? (size_t)n : 1024;
        if (!sac_in_read(in, part, now * sizeof *part))
            return false;
        for (size_t i = 0; i < now; i++)
            to[i] = (float)part[i];
        to += now;
        n -= now;
    }
    return true;
}

static sac_status read_samples(sac_draft *draft, sac_in *in, const sac_npy *npy,
                               const int64_t shape[4], sac_error *err)
{
    bool complex = npy->dtype == SAC_C64 || npy->dtype == SAC_C128;
    sac_dtype dtype = npy->dtype == SAC_I16 ? SAC_I16 : complex ? SAC_C64 : SAC_F32;
    size_t size = sac_dtype_size(npy->dtype);
    sac_status st = sac_draft_samples(draft, dtype, shape, sac_in_left(in) / size, err);
    if (st != SAC_OK)
        return st;
    const sac_array *a = &draft->recording->samples;
    uint64_t count = (uint64_t)sac_array_count(a);
    uint64_t before = count / (uint64_t)a->shape[0] * (uint64_t)draft->first_frame;
    bool same = size == sac_dtype_size(dtype);
    bool ok =
        sac_in_skip(in, before * size) && (same ? sac_in_read(in, a->data, (size_t)count * size)
                                         : read_narrowed(a->data, in, complex ? 2 * count : count));
    return ok ? SAC_OK
              : sac_fail(err, in->error ? SAC_E_IO : SAC_E_FORMAT, "%s: %s", draft->name,
                         in->error ? strerror(in->error) : "is truncated");
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
    if (st == SAC_OK)
        st = sac_draft_shape(shape, draft, npy.n_dims, npy.dims, err);
    if (st == SAC_OK)
        st = read_json(draft, (uint64_t)shape[2], err);
    if (st == SAC_OK)
        st = sac_draft_resolve(draft, shape[2], err);
    if (st == SAC_OK)
        st = read_samples(draft, &in, &npy, shape, err);
    sac_in_close(&in);
    return st;
}

sac_status sac_npy_write_recording(const char *path, const sac_recording *r,
                                   const sac_scatterer *truth, sac_error *err)
{
    char json_path[PATH_MAX], name[SAC_IO_NAME];
    char *text = NULL;
    sac_out npy, json;
    sac_status st = name_json(json_path, path, err);
    if (st == SAC_OK)
        st = sac_json_print(&text, r, truth, sac_io_name(name, json_path, "standard output"), err);
    if (st == SAC_OK)
        st = sac_out_open(&npy, path, err);
    if (st != SAC_OK) {
        sac_free(text);
        return st;
    }
    st = sac_npy_write(&npy, &r->samples, err);
    if (st == SAC_OK)
        st = sac_out_open(&json, json_path, err);
    if (st == SAC_OK) {
        st = sac_out_write(&json, text, strlen(text), err);
        if (st == SAC_OK)
            st = sac_out_commit(&json, err);
        else
            sac_out_abort(&json);
    }
    sac_free(text);
    if (st == SAC_OK)
        return sac_out_commit(&npy, err);
    sac_out_abort(&npy);
    return st;
}
