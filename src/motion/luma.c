/*
 * Frames of video decoders as gray frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/error.h"

sac_status sac_luma_view(sac_array *out, void *data, sac_luma luma, int64_t w, int64_t h,
                         ptrdiff_t pitch, sac_device device, sac_error *err)
{
    if (!out || !data)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "data" : "out");
    if ((unsigned)luma > SAC_LUMA_HIGH)
        return sac_fail(err, SAC_E_INVALID, "luma: is not one of sac_luma: %d", (int)luma);
    const ptrdiff_t sample = luma == SAC_LUMA_HIGH ? 2 : 1;
    if (w < 1 || h < 1 || pitch / sample < w)
        return sac_fail(err, SAC_E_SHAPE,
                        "luma: %lld x %lld samples of %d bytes, rows %lld bytes apart",
                        (long long)w, (long long)h, (int)sample, (long long)pitch);
    *out = (sac_array){
        .data = (uint8_t *)data + (sample - 1),
        .dtype = SAC_U8,
        .n_dims = 2,
        .shape = {h, w},
        .stride = {pitch, sample},
        .device = device,
    };
    return SAC_OK;
}
