/*
 * A build without libavcodec: nothing to compare with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_bench.h"

const bench_coder bench_ffmpeg_coders[1];
const int bench_n_ffmpeg_coders = 0;

const char *bench_ffmpeg_version(void)
{
    return NULL;
}
