/*
 * Arrivals of transmits with given delays, once for a plan.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"

#define THREADS 256

/* min over the elements that fire of their delay and their distance's time. */
__global__ void __launch_bounds__(THREADS)
    first_arrivals(double *arrivals_s, const __grid_constant__ sac_das das, const double *delays_s,
                   const __grid_constant__ sac_das_meeting meeting)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    double p[3], first = INFINITY;
    if (i >= das.n_points)
        return;
    sac_das_point(p, &das, i);
    for (int axis = 0; axis < 2; axis++)
        p[axis] = sac_das_meet(&meeting, axis, p[axis]);
    for (int32_t r = 0; r < das.n_firing; r++) {
        const double at = delays_s[r] + sac_distance(p, das.firing[r].position_m) / das.c_m_s;
        first = at < first ? at : first; /* false for NaN: that one does not fire */
    }
    arrivals_s[i] = first;
}

extern "C" sac_status sac_das_cuda_arrivals(sac_gpu_stream stream, double *arrivals_s,
                                            const sac_das_cuda *run, const double *delays_s,
                                            const sac_das_meeting *meeting)
{
    const unsigned blocks = (unsigned)((run->das.n_points + THREADS - 1) / THREADS);
    first_arrivals<<<blocks, THREADS, 0, stream>>>(arrivals_s, run->das, delays_s, *meeting);
    return sac_cuda_launched();
}
