/*
 * Files of records: what kind by the ending; CSV is written here.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/frames/records_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/struct.h"
#include "base/alloc.h"
#include "base/numbers.h"
#include "io/frames/parts.h"
#include "io/recording/parts.h"

#define CSV_BYTES 65536 /* of text that is written at once */
#define CSV_LINE 2048   /* the longest: 73 numbers of at most 20 characters, and their names */

struct sac_records_out {
    sac_records_info info;
    sac_records_file *hdf5; /* NULL: CSV */
    sac_out out;
    int64_t n; /* records so far */
    size_t used;
    char text[CSV_BYTES];
};

void sac_records_info_init(sac_records_info *info)
{
    *info = (sac_records_info){.struct_size = sizeof *info};
}

static bool is_csv(const char *path)
{
    return strcmp(path, "-") == 0 || sac_io_ends_with(path, ".csv");
}

sac_status sac_records_can_write(const char *path, sac_error *err)
{
    if (!path)
        return sac_fail(err, SAC_E_INVALID, "path: is NULL");
    char name[SAC_IO_NAME];
    sac_io_name(name, path, "standard output");
    sac_status st = SAC_OK;
    if (sac_io_ends_with(path, ".h5") || sac_io_ends_with(path, ".hdf5"))
        st = sac_hdf5_can_write(name, err);
    else if (!is_csv(path))
        st = sac_fail(err, SAC_E_INVALID, "%s: records are written as .h5, .hdf5 or .csv", name);
    return st == SAC_OK ? sac_out_check(path, err) : st;
}

static void put(sac_records_out *o, const char *format, ...) SAC_PRINTF(2, 3);

static void put(sac_records_out *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    o->used += (size_t)vsnprintf(o->text + o->used, sizeof o->text - o->used, format, args);
    va_end(args);
}

static void put_names(sac_records_out *o, const char *before, const sac_frames_part *parts)
{
    for (const sac_frames_part *p = parts; p->name; p++)
        put(o, ",%s%s", before, p->name);
}

static void put_heads(sac_records_out *o)
{
    put(o, "frame,flags");
    if (o->info.has_signals)
        put_names(o, "", sac_signals_parts);
    for (int32_t i = 0; i < SAC_MELTPOOL_FEATURES; i++)
        put(o, ",%s", sac_meltpool_feature_name(i));
    if (o->info.has_prediction)
        put(o, ",lof_density,keyhole_density");
    if (o->info.has_times)
        put_names(o, "", sac_times_parts);
    if (o->info.has_truth)
        put_names(o, "truth_", sac_truth_parts);
    put(o, "\n");
}

/* None of them has 64 bits. */
static void put_parts(sac_records_out *o, const sac_frames_part *parts, const void *value)
{
    for (const sac_frames_part *p = parts; p->name; p++) {
        const void *at = (const char *)value + p->offset;
        if (p->kind == SAC_FRAMES_F32)
            put(o, ",%.9g", (double)*(const float *)at);
        else
            put(o, ",%" PRId32, *(const int32_t *)at);
    }
}

/* Nine digits bring every float back. */
static void put_line(sac_records_out *o, const sac_meltpool_record *r,
                     const sac_meltpool_truth *truth)
{
    put(o, "%" PRId64 ",%" PRIu32, o->n, r->flags);
    if (o->info.has_signals)
        put_parts(o, sac_signals_parts, &r->signals);
    for (int32_t i = 0; i < SAC_MELTPOOL_FEATURES; i++)
        put(o, ",%.9g", (double)r->features[i]);
    for (int32_t i = 0; i < SAC_MELTPOOL_PREDICTIONS && o->info.has_prediction; i++)
        put(o, ",%.9g", (double)r->prediction[i]);
    if (o->info.has_times)
        put(o, ",%" PRId64 ",%" PRId64, r->arrival_ns, r->done_ns);
    if (truth)
        put_parts(o, sac_truth_parts, truth);
    put(o, "\n");
}

/* Writes the text where little room is left for another line, or in any case. */
static sac_status flush_text(sac_records_out *o, bool all, sac_error *err)
{
    if (!all && sizeof o->text - o->used >= CSV_LINE)
        return SAC_OK;
    sac_status st = sac_out_write(&o->out, o->text, o->used, err);
    o->used = 0;
    return st;
}

static sac_status append_csv(sac_records_out *o, const sac_meltpool_record *records,
                             const sac_meltpool_truth *truth, int64_t n, sac_error *err)
{
    sac_status st = SAC_OK;
    for (int64_t i = 0; i < n && st == SAC_OK; i++) {
        put_line(o, &records[i], truth ? &truth[i] : NULL);
        o->n++;
        st = flush_text(o, false, err);
    }
    return st;
}

sac_status sac_records_create(sac_records_out **result, const char *path,
                              const sac_records_info *info, sac_error *err)
{
    if (!result)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_records_out *o = *result = sac_alloc(1, sizeof *o);
    if (!o)
        return sac_fail(err, SAC_E_NOMEM, "records: no memory");
    sac_records_info_init(&o->info);
    sac_status st = sac_records_can_write(path, err);
    st = st ? st : sac_struct_take(&o->info, info, "info", err);
    info = &o->info;
    if (st == SAC_OK)
        st = sac_frames_check(info->rate_hz, info->has_calibration ? info->calibration : NULL, err);
    if (st == SAC_OK)
        st = is_csv(path) ? sac_out_open(&o->out, path, err)
                          : sac_records_file_begin(&o->hdf5, path, info, err);
    o->info.parameters = o->info.model = NULL; /* the caller's */
    if (st != SAC_OK) {
        sac_free(o);
        *result = NULL;
    } else if (!o->hdf5) {
        put_heads(o);
    }
    return st;
}

sac_status sac_records_append(sac_records_out *o, const sac_meltpool_record *records,
                              const sac_meltpool_truth *truth, int64_t n, sac_error *err)
{
    if (!o)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    if (!records || n < 0 || (truth != NULL) != o->info.has_truth)
        return sac_fail(err, SAC_E_INVALID, "%s",
                        !records ? "records: is NULL"
                        : n < 0  ? "n: is negative"
                        : truth  ? "truth: the info has none"
                                 : "truth: is NULL");
    if (o->hdf5)
        return sac_records_file_append(o->hdf5, records, truth, n, err);
    sac_numbers numbers;
    sac_status st = sac_numbers_begin(&numbers, err);
    if (st != SAC_OK)
        return st;
    st = append_csv(o, records, truth, n, err);
    sac_numbers_end(&numbers);
    return st;
}

sac_status sac_records_commit(sac_records_out **out, sac_error *err)
{
    if (!out || !*out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_records_out *o = *out;
    sac_status st = o->hdf5 ? sac_records_file_commit(&o->hdf5, err)
                            : sac_out_end(&o->out, flush_text(o, true, err), err);
    sac_free(o);
    *out = NULL;
    return st;
}

void sac_records_abort(sac_records_out **out)
{
    if (!out || !*out)
        return;
    if ((*out)->hdf5)
        sac_records_file_abort(&(*out)->hdf5);
    else
        sac_out_abort(&(*out)->out);
    sac_free(*out);
    *out = NULL;
}
