/*
 * For the tests of video: descriptions of a stream, and frames in memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_VIDEO_H
#define SAC_TESTS_TEST_VIDEO_H

#include "counts.h"
#include "test_io.h"

#include <fcntl.h>
#include <math.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "io/video/parts.h"
#include "refusal.h"

static inline sac_video_info info_of(int64_t w, int64_t h, sac_video_pixel pixel)
{
    return (sac_video_info){.struct_size = sizeof(sac_video_info), .pixel = pixel, .w = w, .h = h};
}

static inline sac_array frame_of(const sac_video_info *info, void *data)
{
    sac_array frame;
    int32_t n = sac_video_channels(info->pixel);
    sac_error err;
    assert_ok(sac_array_view(&frame, data, SAC_U8, n == 1 ? 2 : 3,
                             (const int64_t[]){info->h, info->w, n}, &err),
              &err);
    return frame;
}

#endif
