/*
 * Pictures into any format that libvips writes, with what came with them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/vips.h"

#include <unistd.h>

#include "io/image/image.h"

/* libvips' view of our pixels; NULL where libvips refuses. */
static VipsImage *view(const sac_picture *picture)
{
    const sac_array *a = &picture->array;
    bool deep = a->dtype == SAC_U16;
    int w = (int)a->shape[1];
    int h = (int)a->shape[0];
    int n_channels = sac_picture_channels(picture);
    VipsBandFormat depth = deep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR;
    VipsImage *image =
        vips_image_new_from_memory(a->data, sac_picture_bytes(picture), w, h, n_channels, depth);
    if (!image)
        return NULL;
    VipsInterpretation gray = deep ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
    VipsInterpretation rgb = deep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB;
    VipsImage *header = picture->extra;
    vips_image_init_fields(image, w, h, n_channels, depth, VIPS_CODING_NONE,
                           n_channels < 3 ? gray : rgb, header ? header->Xres : 1.0,
                           header ? header->Yres : 1.0);
    if (header)
        sac_vips_keep(image, header);
    return image;
}

/* An encoder's way into a file. It never hears of a failed write: that path is little tested, and
 * some crash on it (OpenJPEG through libvips 8.14). */
typedef struct stream {
    sac_out *out;
    sac_error *err;
    sac_status st; /* of the first write that failed */
} stream;

static gint64 on_write(VipsTargetCustom *target, const void *data, gint64 size, stream *s)
{
    (void)target;
    if (s->st == SAC_OK)
        s->st = sac_out_write(s->out, data, (size_t)size, s->err);
    return size;
}

static gint64 on_read(VipsTargetCustom *target, void *data, gint64 size, stream *s)
{
    (void)target;
    return read(s->out->fd, data, (size_t)size);
}

static gint64 on_seek(VipsTargetCustom *target, gint64 offset, int whence, stream *s)
{
    (void)target;
    return lseek(s->out->fd, offset, whence);
}

static sac_status encode_to_file(sac_out *out, VipsImage *image, const char *suffix, sac_error *err)
{
    stream s = {out, err, SAC_OK};
    VipsTargetCustom *target = vips_target_custom_new();
    g_signal_connect(target, "write", G_CALLBACK(on_write), &s);
    g_signal_connect(target, "read", G_CALLBACK(on_read), &s);
    g_signal_connect(target, "seek", G_CALLBACK(on_seek), &s);
    int failed = vips_image_write_to_target(image, suffix, VIPS_TARGET(target), NULL);
    g_object_unref(target);
    if (s.st != SAC_OK)
        vips_error_clear();
    else if (failed)
        s.st = sac_vips_fail(err, SAC_E_IO, out->name, "cannot be written");
    return s.st;
}

static sac_status encode_to_memory(sac_out *out, VipsImage *image, const char *suffix,
                                   sac_error *err)
{
    void *data;
    size_t size;
    if (vips_image_write_to_buffer(image, suffix, &data, &size, NULL) != 0)
        return sac_vips_fail(err, SAC_E_IO, out->name, "cannot be written");
    sac_status st = sac_out_write(out, data, size, err);
    g_free(data);
    return st;
}

/* Some encoders go back in what they wrote, which needs a file; some know memory only. */
static sac_status encode(sac_out *out, VipsImage *image, const char *suffix, sac_error *err)
{
    if (out->is_file && vips_foreign_find_save_target(suffix))
        return encode_to_file(out, image, suffix, err);
    vips_error_clear();
    return encode_to_memory(out, image, suffix, err);
}

sac_status sac_vips_can_write(const char *name, const char *suffix, sac_error *err)
{
    sac_status st = sac_vips_start(name, err);
    if (st != SAC_OK)
        return st;
    if (vips_foreign_find_save_target(suffix) || vips_foreign_find_save_buffer(suffix)) {
        vips_error_clear();
        return SAC_OK;
    }
    return sac_vips_fail(err, SAC_E_UNSUPPORTED, name, "this libvips cannot write it");
}

sac_status sac_vips_write(sac_out *out, const sac_picture *picture, const char *suffix,
                          sac_error *err)
{
    const sac_array *a = &picture->array;
    if (a->shape[0] > VIPS_MAX_COORD || a->shape[1] > VIPS_MAX_COORD)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: libvips takes at most %d pixels a side",
                        out->name, VIPS_MAX_COORD);
    VipsImage *image = view(picture);
    if (!image)
        return sac_vips_fail(err, SAC_E_IO, out->name, "cannot be written");
    sac_status st = encode(out, image, suffix, err);
    vips_image_invalidate_all(image); /* so that libvips' cache keeps no view of our pixels */
    g_object_unref(image);
    return st;
}

sac_status sac_vips_write_pages(sac_out *out, const sac_array *pages, sac_error *err)
{
    const int64_t h = pages->shape[pages->n_dims - 2], w = pages->shape[pages->n_dims - 1];
    const int64_t n = sac_array_count(pages) / (h * w);
    sac_status st = sac_vips_start(out->name, err);
    if (st != SAC_OK)
        return st;
    if (w > VIPS_MAX_COORD || h > VIPS_MAX_COORD / n)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: libvips takes at most %d rows in all",
                        out->name, VIPS_MAX_COORD);
    VipsImage *image = vips_image_new_from_memory(
        pages->data, (size_t)(n * h * w) * sac_dtype_size(pages->dtype), (int)w, (int)(n * h), 1,
        pages->dtype == SAC_U8 ? VIPS_FORMAT_UCHAR : VIPS_FORMAT_FLOAT);
    if (!image)
        return sac_vips_fail(err, SAC_E_IO, out->name, "cannot be written");
    vips_image_set_int(image, VIPS_META_PAGE_HEIGHT, (int)h);
    st = encode(out, image, ".tif", err);
    vips_image_invalidate_all(image);
    g_object_unref(image);
    return st;
}
