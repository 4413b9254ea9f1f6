/*
 * The histogram of a picture, for reports.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure.h>

#include <string.h>

#include "base/alloc.h"
#include "equalize/plan.h"
#include "image/pixels_inline.h"

/* A desc that fits the picture. */
static sac_status describe(sac_equalize_desc *desc, const sac_array *picture, sac_layout layout,
                           sac_error *err)
{
    sac_status status = sac_array_check(picture, "picture", err);
    if (status)
        return status;
    if (picture->n_dims != 2 && picture->n_dims != 3)
        return sac_fail(err, SAC_E_SHAPE, "picture: expected (h, w) or 3 axes, got %d",
                        picture->n_dims);
    int axis_c = picture->n_dims == 2 ? -1 : layout == SAC_PLANAR ? 0 : 2, axis_y = axis_c == 0;
    sac_equalize_desc_init(desc);
    desc->dtype = picture->dtype;
    desc->layout = layout;
    desc->h = picture->shape[axis_y];
    desc->w = picture->shape[axis_y + 1];
    desc->n_channels = axis_c < 0 ? 1 : (int32_t)picture->shape[axis_c];
    if (picture->dtype != SAC_U8 && picture->dtype != SAC_U16)
        return sac_fail(err, SAC_E_SHAPE, "picture: expected u8 or u16, got %s",
                        sac_dtype_name(picture->dtype));
    if (axis_c >= 0 && (picture->shape[axis_c] < 1 || picture->shape[axis_c] > 4))
        return sac_fail(err, SAC_E_SHAPE, "picture: expected 1 to 4 channels, got %lld",
                        (long long)picture->shape[axis_c]);
    if (picture->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_UNSUPPORTED, "picture: expected one in the CPU's memory");
    return SAC_OK;
}

sac_status sac_measure_histogram(uint64_t *counts, int32_t bins, const sac_array *picture,
                                 sac_layout layout, sac_error *err)
{
    sac_equalize_desc desc;
    sac_pixels pixels;
    sac_status status = describe(&desc, picture, layout, err);
    if (status)
        return status;
    if (bins < 2 || bins > 65536)
        return sac_fail(err, SAC_E_INVALID, "bins: expected 2 to 65536, got %d", bins);
    status = sac_equalize_pixels(&pixels, picture, "picture", &desc, err);
    if (status)
        return status;
    int32_t n_values = desc.dtype == SAC_U8 ? 256 : 65536;
    memset(counts, 0, (size_t)bins * sizeof *counts);
    uint32_t *hist = sac_alloc((size_t)n_values, sizeof *hist);
    if (!hist)
        return sac_fail(err, SAC_E_NOMEM, "histogram: no memory for %d counts", n_values);
    /* By rows, so that 32-bit counts suffice. */
    for (int64_t y = 0; desc.w > 0 && y < desc.h;) {
        int64_t rows = INT32_MAX / desc.w > 0 ? INT32_MAX / desc.w : 1;
        rows = rows < desc.h - y ? rows : desc.h - y;
        sac_pixels part = sac_pixels_rows(&pixels, y, rows);
        if (desc.dtype == SAC_U8)
            sac_vhist_u8_plain(hist, &part);
        else
            sac_vhist_u16_plain(hist, &part);
        for (int64_t v = 0; v < n_values; v++)
            counts[v * bins / n_values] += hist[v];
        y += rows;
    }
    sac_free(hist);
    return SAC_OK;
}
