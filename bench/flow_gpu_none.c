/*
 * bench_flow in a build without CUDA: opening the plan says so.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow_bench.h"

int bench_flow_gpu(bench_flow *b, const bench_flow_task *task)
{
    sac_flow *plan = bench_flow_open(b, task, b->options->device, 0);
    sac_flow_close(&plan);
    return 1;
}
