/*
 * bench_beamform in a build without CUDA: the GPU is not asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "beamform_bench.h"

bench_gpu *bench_open_gpu(const bench *b, int32_t index)
{
    (void)b;
    exit(cli_fail("--device cuda:%d: this build has no CUDA", index));
}

void bench_on_gpu(bench *b, bench_gpu *g, const bench_work *w)
{
    (void)b, (void)g, (void)w;
}

void bench_plans_on_gpu(bench *b, bench_gpu *g, const bench_work *w)
{
    (void)b, (void)g, (void)w;
}

void bench_end_to_end(bench *b, bench_gpu *g)
{
    (void)b, (void)g;
}

void bench_close_gpu(bench_gpu *g)
{
    (void)g;
}
