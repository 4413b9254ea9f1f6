/*
 * HDF5 files: open, close, errors, and the attributes that are read.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/hdf5/hdf5.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <saccade/io.h>

/* How much a file in memory grows at once: no less than what describes the data takes. */
#define DESCRIPTION_BYTES ((size_t)1 << 20)

static herr_t take_first(unsigned n, const H5E_error2_t *error, void *file)
{
    sac_h5 *h = file;
    if (n == 0 && !h->reason[0])
        snprintf(h->reason, sizeof h->reason, "%s", error->desc);
    if (error->maj_num == H5E_RESOURCE && error->min_num == H5E_NOSPACE)
        h->lacks_memory = true;
    return 0;
}

/* HDF5 calls this where it would print: the first reason since open is kept. */
static herr_t keep_reason(hid_t stack, void *file)
{
    H5Ewalk2(stack, H5E_WALK_UPWARD, take_first, file);
    return 0;
}

static herr_t keep_none(hid_t stack, void *data)
{
    (void)stack, (void)data;
    return 0;
}

/* Whether the program wants to hear nothing of HDF5, not even at its end. */
static atomic_bool is_quiet;

void sac_io_quiet(void)
{
    atomic_store_explicit(&is_quiet, true, memory_order_relaxed);
}

/* Errors are kept per thread where libhdf5 knows threads: this is the calling one's. */
static void take_reports(sac_h5_outside *o, H5E_auto2_t report, void *data)
{
    *o = (sac_h5_outside){.version = 1, .stack = H5Eget_current_stack()}; /* others clear it */
    H5Eauto_is_v2(H5E_DEFAULT, &o->version);
#ifndef H5_NO_DEPRECATED_SYMBOLS
    if (!o->version)
        H5Eget_auto1(&o->report_1, &o->data);
#endif
    if (o->version)
        H5Eget_auto2(H5E_DEFAULT, &o->report, &o->data);
    H5Eset_auto2(H5E_DEFAULT, report, data);
}

static void give_reports(sac_h5_outside *o)
{
    if (atomic_load_explicit(&is_quiet, memory_order_relaxed))
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    else if (o->version)
        H5Eset_auto2(H5E_DEFAULT, o->report, o->data);
#ifndef H5_NO_DEPRECATED_SYMBOLS
    else
        H5Eset_auto1(o->report_1, o->data);
#endif
    if (o->stack >= 0)
        H5Eset_current_stack(o->stack); /* which closes it */
}

void sac_h5_enter(sac_h5 *h)
{
    h->reason[0] = '\0';
    h->lacks_memory = false;
    take_reports(&h->outside, keep_reason, h);
}

void sac_h5_leave(sac_h5 *h)
{
    give_reports(&h->outside);
}

/* A file names another: nobody goes there. */
static herr_t refuse_link(const char *parent_file, const char *parent_group, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *data)
{
    (void)parent_file, (void)parent_group, (void)file, (void)object, (void)flags, (void)access,
        (void)data;
    return -1;
}

static hid_t within_file(hid_t kind)
{
    hid_t properties = H5Pcreate(kind);
    H5Pset_elink_cb(properties, refuse_link, NULL);
    return properties;
}

static void begin(sac_h5 *h, const char *name)
{
    snprintf(h->name, sizeof h->name, "%s", name);
    sac_h5_enter(h);
    h->links = within_file(H5P_LINK_ACCESS);
    h->groups = within_file(H5P_GROUP_ACCESS);
    h->sets = within_file(H5P_DATASET_ACCESS);
}

/* Takes back what begin has made. */
static void end(sac_h5 *h)
{
    H5Pclose(h->links);
    H5Pclose(h->groups);
    H5Pclose(h->sets);
    sac_h5_leave(h);
}

sac_status sac_h5_fail(const sac_h5 *h, sac_error *err, sac_status status, const char *what)
{
    if (!h->reason[0] || h->lacks_memory)
        return sac_fail(err, SAC_E_NOMEM, "%s: %s: no memory", h->name, what);
    const char *reason = h->reason;
    int length = (int)strcspn(reason, "\n");
    const char *system = strstr(reason, "error message = '"); /* the operating system's own */
    if (system) {
        reason = system + strlen("error message = '");
        length = (int)strcspn(reason, "'");
    }
    return sac_fail(err, system ? SAC_E_IO : status, "%s: %s: %.*s", h->name, what, length, reason);
}

/* Properties of a file whose objects are closed with it. */
static hid_t file_properties(void)
{
    hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(properties, H5F_CLOSE_STRONG);
    return properties;
}

static sac_status opened(sac_h5 *h, hid_t properties, const char *what, sac_error *err)
{
    if (h->file >= 0) {
        H5Pclose(properties);
        return SAC_OK;
    }
    sac_status st = sac_h5_fail(h, err, SAC_E_FORMAT, what);
    H5Pclose(properties);
    end(h);
    return st;
}

sac_status sac_h5_open(sac_h5 *h, const char *path, const char *name, uint64_t bytes,
                       sac_error *err)
{
    begin(h, name);
    h->bytes = bytes;
    hid_t properties = file_properties();
    h->file = H5Fopen(path, H5F_ACC_RDONLY, properties);
    return opened(h, properties, "cannot be read as HDF5", err);
}

/* A new file where the properties say. */
static sac_status create(sac_h5 *h, const char *path, hid_t properties, sac_error *err)
{
    h->bytes = 0;
    /* The format of version 1.8 has checksums over all that describes data. */
    H5Pset_libver_bounds(properties, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    hid_t creation = sac_h5_timeless(H5P_FILE_CREATE); /* of the root group */
    h->file = H5Fcreate(path, H5F_ACC_TRUNC, creation, properties);
    H5Pclose(creation);
    return opened(h, properties, "cannot be written", err);
}

sac_status sac_h5_create_at(sac_h5 *h, sac_h5_sink *sink, int fd, const char *name, sac_error *err)
{
    begin(h, name);
    hid_t properties = file_properties();
    if (sac_h5_write_to(properties, sink, fd))
        return create(h, "saccade", properties, err);
    h->file = -1;
    return opened(h, properties, "cannot be written", err);
}

sac_status sac_h5_create(sac_h5 *h, sac_h5_sink *sink, const sac_out *out, size_t data_bytes,
                         sac_error *err)
{
    if (out->is_file)
        return sac_h5_create_at(h, sink, out->fd, out->name, err);
    begin(h, out->name);
    hid_t properties = file_properties();
    H5Pset_fapl_core(properties, data_bytes + DESCRIPTION_BYTES, false);
    return create(h, "saccade", properties, err);
}

/* The file that was built in memory, into `out`. */
static sac_status put_file(sac_h5 *h, sac_out *out, sac_error *err)
{
    void *handle = NULL; /* of the memory driver: where its pointer to the bytes is */
    ssize_t size = -1;
    if (H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0)
        size = H5Fget_file_image(h->file, NULL, 0);
    if (size < 0 || H5Fget_vfd_handle(h->file, H5P_DEFAULT, &handle) < 0)
        return sac_h5_fail(h, err, SAC_E_NOMEM, "cannot be written");
    const uint8_t *bytes;
    memcpy(&bytes, handle, sizeof bytes);
    return sac_out_write(out, bytes, (size_t)size, err);
}

sac_status sac_h5_finish_at(sac_h5 *h, const sac_h5_sink *sink, bool ok, sac_error *err)
{
    sac_status st = ok ? SAC_OK : sac_h5_fail(h, err, SAC_E_NOMEM, "cannot be written");
    ok = sac_h5_close(h) && sink->error == 0;
    if (st == SAC_OK && !ok)
        st = sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", h->name,
                      strerror(sink->error ? sink->error : EIO));
    return st;
}

sac_status sac_h5_finish(sac_h5 *h, const sac_h5_sink *sink, bool ok, sac_out *out, sac_error *err)
{
    if (out->is_file)
        return sac_h5_finish_at(h, sink, ok, err);
    sac_status st =
        ok ? put_file(h, out, err) : sac_h5_fail(h, err, SAC_E_NOMEM, "cannot be written");
    sac_h5_close(h);
    return st;
}

bool sac_h5_close(sac_h5 *h)
{
    bool ok = H5Fclose(h->file) >= 0;
    end(h);
    return ok;
}

sac_status sac_h5_end(sac_h5 *h, sac_status st, sac_error *err)
{
    if (st == SAC_E_FORMAT && h->lacks_memory)
        st = sac_fail(err, SAC_E_NOMEM, "%s: no memory to read it", h->name);
    sac_h5_close(h);
    return st;
}

bool sac_h5_has(const sac_h5 *h, hid_t group, const char *name)
{
    return H5Lexists(group, name, h->links) > 0 && H5Oexists_by_name(group, name, h->links) > 0;
}

sac_status sac_h5_check_format(const sac_h5 *h, const char *want, sac_error *err)
{
    char format[32];
    sac_status st = sac_h5_text(h, h->file, "format", format, sizeof format, err);
    if (st == SAC_OK && strcmp(format, want) != 0)
        st = sac_fail(
            err, SAC_E_FORMAT,
            "%s: is HDF5, but not a %s: its attribute `format` is %s%s%s (docs/formats.md)",
            h->name, want, format[0] ? "`" : "missing", format, format[0] ? "`" : "");
    return st;
}

sac_h5_attribute sac_h5_attribute_open(hid_t object, const char *name)
{
    sac_h5_attribute a = {.id = H5Aopen(object, name, H5P_DEFAULT)};
    a.space = H5Aget_space(a.id);
    a.type = H5Aget_type(a.id);
    a.n = H5Sget_simple_extent_npoints(a.space);
    a.kind = H5Tget_class(a.type);
    return a;
}

void sac_h5_attribute_close(const sac_h5_attribute *a)
{
    H5Tclose(a->type);
    H5Sclose(a->space);
    H5Aclose(a->id);
}

sac_status sac_h5_number(const sac_h5 *h, hid_t object, const char *name, double *value,
                         sac_error *err)
{
    if (H5Aexists(object, name) <= 0)
        return SAC_OK;
    const sac_h5_attribute a = sac_h5_attribute_open(object, name);
    bool ok = a.n == 1 && (a.kind == H5T_FLOAT || a.kind == H5T_INTEGER) &&
              H5Aread(a.id, H5T_NATIVE_DOUBLE, value) >= 0;
    sac_h5_attribute_close(&a);
    return ok ? SAC_OK
              : sac_fail(err, SAC_E_FORMAT, "%s: attribute %s: expected a number", h->name, name);
}

bool sac_h5_copy_text(char *text, size_t size, const char *from, size_t length)
{
    size_t n = strnlen(from, length);
    while (n && from[n - 1] == ' ') /* of strings that are padded so */
        n--;
    if (n >= size)
        return false;
    memcpy(text, from, n);
    text[n] = '\0';
    return true;
}

/* The text of an attribute, of fixed or variable length. */
static bool read_text(const sac_h5_attribute *a, char *text, size_t size)
{
    char fixed[256];
    char *variable = NULL;
    size_t length = H5Tget_size(a->type);
    if (a->n != 1 || a->kind != H5T_STRING)
        return false;
    if (H5Tis_variable_str(a->type) <= 0)
        return length <= sizeof fixed && H5Aread(a->id, a->type, fixed) >= 0 &&
               sac_h5_copy_text(text, size, fixed, length);
    bool ok = H5Aread(a->id, a->type, &variable) >= 0 && variable &&
              sac_h5_copy_text(text, size, variable, PTRDIFF_MAX);
    if (variable)
        H5free_memory(variable);
    return ok;
}

sac_status sac_h5_text(const sac_h5 *h, hid_t object, const char *name, char *text, size_t size,
                       sac_error *err)
{
    text[0] = '\0';
    if (H5Aexists(object, name) <= 0)
        return SAC_OK;
    const sac_h5_attribute a = sac_h5_attribute_open(object, name);
    bool ok = read_text(&a, text, size);
    sac_h5_attribute_close(&a);
    return ok ? SAC_OK
              : sac_fail(err, SAC_E_FORMAT, "%s: attribute %s: expected text of at most %zu bytes",
                         h->name, name, size - 1);
}

/* While libmatio works; under sac_io_lock. */
void sac_hdf5_quiet(bool quiet)
{
    static sac_h5_outside outside;
    if (quiet)
        take_reports(&outside, keep_none, NULL);
    else
        give_reports(&outside);
}
