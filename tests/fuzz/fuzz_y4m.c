/*
 * libFuzzer on Y4M: any bytes give frames of the size that was said, or an error with its reason.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "io/video/parts.h"

#include <stdlib.h>

#include "base/alloc.h"

#define MAX_PIXELS (1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    sac_video_info wanted = {.struct_size = sizeof wanted,
                             .format = SAC_VIDEO_Y4M,
                             .pixel = (sac_video_pixel)(data[0] % (SAC_PIXEL_BGRX + 1))};
    sac_video_reader *reader = NULL;
    sac_error err = {0};
    sac_status st =
        sac_video_reader_parse(&reader, data + 1, size - 1, data[0] & 0x80 ? NULL : &wanted, &err);
    if ((st == SAC_OK) != (reader != NULL) || (st != SAC_OK && err.text[0] == '\0'))
        abort();
    if (!reader)
        return 0;
    sac_video_info info = info_of_video(reader);
    int32_t n_channels = sac_video_channels(info.pixel);
    if (info.w * info.h <= MAX_PIXELS) {
        sac_array frame;
        uint8_t *pixels = sac_alloc((size_t)(info.w * info.h * n_channels), 1);
        st = sac_array_view(&frame, pixels, SAC_U8, n_channels == 1 ? 2 : 3,
                            (const int64_t[]){info.h, info.w, n_channels}, &err);
        while (st == SAC_OK)
            st = sac_video_read(reader, &frame, &err);
        if (st != SAC_END && err.text[0] == '\0')
            abort();
        sac_free(pixels);
    }
    sac_video_reader_close(&reader);
    return 0;
}
