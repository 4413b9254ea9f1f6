/*
 * libFuzzer on raw frames, packed and in planes: any bytes, of any size and layout that is wanted,
 * give frames or an error with its reason.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/video/parts.h"

#include <stdlib.h>

#include "base/alloc.h"

#define HEAD 5 /* bytes that say what is wanted */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    sac_video_info info = {.struct_size = sizeof info,
                           .format = SAC_VIDEO_RAW,
                           .pixel = (sac_video_pixel)(data[0] % 5),
                           .planes = (sac_video_planes)(data[1] % 4),
                           .chroma = (sac_video_chroma)(data[2] % 6),
                           .matrix = (sac_video_matrix)(data[2] / 6 % 3),
                           .full_range = data[2] >> 7,
                           .w = data[3] % 40,
                           .h = data[4] % 40};
    sac_video_reader *reader = NULL;
    sac_error err = {0};
    sac_status st = sac_video_reader_parse(&reader, data + HEAD, size - HEAD, &info, &err);
    if ((st == SAC_OK) != (reader != NULL) || (st != SAC_OK && err.text[0] == '\0'))
        abort();
    if (!reader)
        return 0;
    sac_array frame;
    int32_t n = sac_video_channels(info.pixel);
    uint8_t *pixels = malloc((size_t)(info.w * info.h * n)); /* of that size: ASan sees beyond */
    st = sac_array_view(&frame, pixels, SAC_U8, n == 1 ? 2 : 3,
                        (const int64_t[]){info.h, info.w, n}, &err);
    while (st == SAC_OK)
        st = sac_video_read(reader, &frame, &err);
    if (st != SAC_END && err.text[0] == '\0')
        abort();
    free(pixels);
    sac_video_reader_close(&reader);
    return 0;
}
