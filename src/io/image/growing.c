/*
 * Images that grow: frames go to their places in the file as they come, and its head is written
 * when their number is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "io/image/parts.h"
#include "io/npy.h"

#define MOST_FRAMES INT64_C(1000000000000000) /* whose digits the head has room for */
#define SMALL 4096U /* bytes of all frames: HDF5 lays so few elsewhere than many */

struct sac_image_growing {
    sac_out out;
    sac_image_format format;
    sac_array frame; /* shape and dtype of a frame: axis 0 is 1 */
    sac_image_info info;
    size_t frame_bytes;
    int64_t offset, n; /* where frames begin, and how many there are */
};

static sac_status put_hdf5(int64_t *offset, sac_out *out, const sac_image_growing *g, int64_t n,
                           const sac_image_info *info, sac_error *err)
{
    sac_array all = g->frame;
    all.shape[0] = n;
    sac_io_lock();
    const sac_status st = sac_hdf5_begin_image(offset, out, &all, info, err);
    sac_io_unlock();
    return st;
}

/* The head for n frames, and with HDF5 what stands behind them; where they are goes to *offset. */
static sac_status put_head(sac_image_growing *g, int64_t *offset, int64_t n,
                           const sac_image_info *info, sac_error *err)
{
    sac_array all = g->frame;
    all.shape[0] = n;
    if (lseek(g->out.fd, 0, SEEK_SET) != 0)
        return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", g->out.name, strerror(errno));
    if (g->format == IMAGE_HDF5)
        return put_hdf5(offset, &g->out, g, n, info, err);
    const sac_status st = sac_npy_write_long_header(&g->out, &all, (size_t)g->offset, err);
    *offset = (int64_t)lseek(g->out.fd, 0, SEEK_CUR);
    return st;
}

static sac_status begin(sac_image_growing *g, const char *path, sac_error *err)
{
    const int64_t n = g->format == IMAGE_NPY ? MOST_FRAMES : (int64_t)(SMALL / g->frame_bytes) + 1;
    sac_status st = sac_out_open(&g->out, path, err);
    if (st != SAC_OK)
        return st;
    g->out.is_recording = true;
    st = g->out.is_file
             ? put_head(g, &g->offset, n, &g->info, err)
             : sac_fail(err, SAC_E_UNSUPPORTED, "%s: is no file, and cannot grow", g->out.name);
    if (st != SAC_OK)
        sac_out_abort(&g->out);
    return st;
}

static sac_status check(sac_image_growing *g, const char *path, const sac_array *image,
                        sac_error *err)
{
    sac_array any = *image;
    sac_status st = sac_image_check_info(&g->info, err);
    st = st ? st : sac_image_find_format(&g->format, path, err);
    if (st == SAC_OK && g->format != IMAGE_HDF5 && g->format != IMAGE_NPY)
        st = sac_fail(err, SAC_E_UNSUPPORTED, "%s: images grow in .h5, .hdf5 and .npy alone", path);
    if (!any.data)
        any.data = &any; /* nobody looks there */
    st = st ? st : sac_image_check(&any, &g->info.grid, "image", err);
    g->frame = *image;
    g->frame.shape[0] = 1;
    g->frame_bytes = st ? 0 : (size_t)sac_array_count(&g->frame) * sac_dtype_size(g->frame.dtype);
    return st;
}

sac_status sac_image_growing_open(sac_image_growing **out, const char *path, const sac_array *image,
                                  const sac_image_info *info, sac_error *err)
{
    if (!out || !path || !image || !info)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !out     ? "out"
                        : !path  ? "path"
                        : !image ? "image"
                                 : "info");
    *out = NULL;
    sac_image_growing *g = sac_alloc(1, sizeof *g);
    if (!g)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for an image", path);
    sac_image_info_init(&g->info);
    sac_status st = sac_struct_take(&g->info, info, "info", err);
    g->info.truth = NULL;
    g->info.n_truth = 0;
    st = st ? st : check(g, path, image, err);
    st = st ? st : begin(g, path, err);
    if (st == SAC_OK)
        *out = g;
    else
        sac_free(g);
    return st;
}

sac_status sac_image_growing_write(sac_image_growing *g, const sac_array *frames, sac_error *err)
{
    if (!g)
        return sac_fail(err, SAC_E_INVALID, "growing: is NULL");
    sac_status st = sac_array_check(frames, "frames", err);
    if (st != SAC_OK)
        return st;
    bool fits = frames->n_dims == g->frame.n_dims && frames->dtype == g->frame.dtype &&
                frames->shape[0] > 0 && sac_array_is_contiguous(frames) &&
                frames->device.kind == SAC_DEVICE_CPU && frames->shape[0] <= MOST_FRAMES - g->n;
    for (int32_t i = 1; i < frames->n_dims && fits; i++)
        fits = frames->shape[i] == g->frame.shape[i];
    if (!fits)
        return sac_fail(err, SAC_E_SHAPE, "frames: expected some of the image's, on the CPU");
    const size_t bytes = g->frame_bytes * (size_t)frames->shape[0];
    if (!sac_parts_write_at(g->out.fd, frames->data, bytes,
                            g->offset + g->n * (int64_t)g->frame_bytes))
        return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", g->out.name, strerror(errno));
    g->n += frames->shape[0];
    return SAC_OK;
}

/* Whether this info's head ends where the frames begin; nothing is written. */
static sac_status rehearse(const sac_image_growing *g, const sac_image_info *info, sac_error *err)
{
    sac_out nowhere = {.fd = -1};
    int64_t offset = 0;
    if (g->format != IMAGE_HDF5 || (size_t)g->n * g->frame_bytes <= SMALL)
        return SAC_OK;
    snprintf(nowhere.name, sizeof nowhere.name, "%s", g->out.name);
    const sac_status st = put_hdf5(&offset, &nowhere, g, g->n, info, err);
    return st || offset == g->offset
               ? st
               : sac_fail(err, SAC_E_INVALID,
                          "info: its head has no room before the frames: expected "
                          "the fields that it had at open");
}

static sac_status check_end(sac_image_info *own, const sac_image_growing *g,
                            const sac_image_info *info, sac_error *err)
{
    sac_image_info_init(own);
    sac_status st = sac_struct_take(own, info, "info", err);
    st = st ? st : sac_image_check_info(own, err);
    sac_array one = g->frame;
    one.data = &one; /* nobody looks there */
    st = st ? st : sac_image_check(&one, &own->grid, "image", err);
    if (st == SAC_OK && g->n == 0)
        st = sac_fail(err, SAC_E_INVALID, "%s: has no frame", g->out.name);
    return st ? st : rehearse(g, own, err);
}

/* Frames so few that they may have another place than more have go there. */
static sac_status end(sac_image_growing *g, const sac_image_info *info, sac_error *err)
{
    const size_t bytes = (size_t)g->n * g->frame_bytes;
    int64_t offset = 0;
    uint8_t few[SMALL];
    if (bytes <= SMALL && sac_parts_read_at(g->out.fd, few, bytes, g->offset) != bytes)
        return sac_fail(err, SAC_E_IO, "%s: cannot be read: %s", g->out.name, strerror(errno));
    if (ftruncate(g->out.fd, (off_t)(g->offset + (int64_t)bytes)) != 0)
        return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", g->out.name, strerror(errno));
    const sac_status st = put_head(g, &offset, g->n, info, err);
    if (st != SAC_OK)
        return st;
    if (bytes <= SMALL)
        return sac_parts_write_at(g->out.fd, few, bytes, offset)
                   ? SAC_OK
                   : sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", g->out.name,
                              strerror(errno));
    return offset == g->offset
               ? SAC_OK
               : sac_fail(err, SAC_E_IO, "%s: cannot be written: its head has another size",
                          g->out.name);
}

sac_status sac_image_growing_commit(sac_image_growing **growing, const sac_image_info *info,
                                    sac_error *err)
{
    sac_image_growing *g = growing ? *growing : NULL;
    sac_image_info own;
    if (!g || !info)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", g ? "info" : "growing");
    sac_status st = check_end(&own, g, info, err);
    if (st == SAC_E_INVALID || st == SAC_E_SHAPE)
        return st;
    st = st ? st : end(g, &own, err);
    st = sac_out_end(&g->out, st, err);
    sac_free(g);
    *growing = NULL;
    return st;
}

void sac_image_growing_close(sac_image_growing **growing)
{
    sac_image_growing *g = growing ? *growing : NULL;
    if (!g)
        return;
    sac_out_abort(&g->out);
    sac_free(g);
    *growing = NULL;
}
