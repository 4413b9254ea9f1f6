/*
 * bench_beamform in a build without CUDA: the GPU is not asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "beamform_gpu.h"
#include "beamform_rows.h"

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

sac_status bench_time_plan_on_gpu(bench_row *row, float **images, bench_gpu *g, bench_work *w,
                                  double seconds, sac_error *err)
{
    (void)row, (void)images, (void)g, (void)w, (void)seconds, (void)err;
    return SAC_E_UNSUPPORTED;
}

double bench_gpu_copy_b_s(const bench_gpu *g)
{
    (void)g;
    return 0;
}

sac_device bench_gpu_device(const bench_gpu *g)
{
    (void)g;
    return (sac_device){SAC_DEVICE_CPU, 0};
}

sac_status bench_make_context(int32_t index)
{
    (void)index;
    return SAC_E_UNSUPPORTED;
}
