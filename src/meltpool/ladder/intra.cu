/*
 * The rung `intra-kernel`: still a kernel a task, but each of them one block that reads in vectors,
 * works in shared memory and sums up by shuffles; labels need no host any more.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/ladder/answer.cuh"
#include "meltpool/ladder/label.cuh"
#include "meltpool/ladder/launch.cuh"
#include "meltpool/ladder/sums.cuh"

#define KERNEL static __global__ void __launch_bounds__(SAC_RUNG_TEAM)

KERNEL number(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    const sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (!sac_rung_resume_roi(&b, m, c))
        return;
    (void)sac_rung_number(&b, m, m.pixels, m.pixel_pitch);
    sac_rung_give(c.tasks.labels, m.labels, 4 * sac_rung_labels(c.places.roi));
    if (sac_thread() == 0)
        *c.tasks.nearest = b.nearest;
}

KERNEL spread(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    const uint32_t bytes = 4 * sac_rung_labels(c.places.roi);
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (!sac_rung_resume(&b, c) || *c.tasks.nearest == ~0ull)
        return;
    sac_rung_take(m.labels, c.tasks.labels, bytes);
    sac_rung_take(m.others, c.tasks.labels, bytes);
    if (sac_thread() == 0)
        b.nearest = *c.tasks.nearest;
    __syncthreads();
    sac_rung_spread_labels<SAC_RUNG_IN_ROWS>(&b, &m);
    sac_rung_give(c.tasks.labels, m.labels, bytes);
}

KERNEL count(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    const sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (!sac_rung_resume(&b, c))
        return;
    sac_rung_take(m.labels, c.tasks.labels, 4 * sac_rung_labels(c.places.roi));
    sac_rung_count(&b, m, (uint32_t)(c.places.roi * c.places.roi));
    sac_rung_give(&c.turn->in, &b.turn.in, SAC_RUNG_POOL);
}

KERNEL moments(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (!sac_rung_resume(&b, c))
        return;
    sac_rung_moments(&b, c.tasks.labels, sac_rung_pitch(c.places.roi));
    __syncthreads();
    if (sac_thread() == 0)
        sac_meltpool_follow(&b.turn.after.stream, &b.turn.step.job, &b.turn.in);
    __syncthreads();
    sac_rung_give_pool(b, c);
}

KERNEL intensity(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (!sac_rung_resume(&b, c))
        return;
    sac_rung_intensity(&b, c.tasks.labels, sac_rung_pitch(c.places.roi), sac_rung_roi(&b, c),
                       c.row);
    __syncthreads();
    sac_rung_give(&c.turn->in, &b.turn.in, SAC_RUNG_POOL);
}

KERNEL polar(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_region(&b, sac_rung_memory_of(c.places.roi), c);
}

KERNEL gradient(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    const sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    const int32_t n = c.places.roi;
    if (!sac_rung_resume_roi(&b, m, c))
        return;
    for (sac_meltpool_walk at((int32_t)sac_thread(), SAC_RUNG_TEAM, n); at.y < n; at.next(n)) {
        int32_t gx, gy;
        sac_rung_gradient(&gx, &gy, m.pixels + at.y * m.pixel_pitch + at.x, m.pixel_pitch, at.x,
                          at.y, n);
        c.tasks.gx[at.y * n + at.x] = (int16_t)gx;
        c.tasks.gy[at.y * n + at.x] = (int16_t)gy;
    }
}

KERNEL votes(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    uint32_t bins[SAC_MELTPOOL_BINS] = {};
    if (!sac_rung_resume(&b, c))
        return;
    for (int32_t i = (int32_t)sac_thread(); i < c.places.roi * c.places.roi; i += SAC_RUNG_TEAM)
        sac_rung_vote(bins, c.tasks.gx[i], c.tasks.gy[i]);
    sac_rung_put_votes(&b, bins, c.turn->in.hog);
}

KERNEL features(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (!sac_rung_resume(&b, c))
        return;
    sac_rung_features(&b, c);
    __syncthreads();
    sac_rung_give(c.turn->features, b.turn.features, 4 * SAC_MELTPOOL_OF_FRAME);
}

KERNEL variances(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (!sac_rung_resume(&b, c))
        return;
    sac_rung_variances(&b, c);
    __syncthreads();
    sac_rung_give(c.turn->features + SAC_MELTPOOL_OF_FRAME, b.turn.features + SAC_MELTPOOL_OF_FRAME,
                  4 * SAC_MELTPOOL_OF_FRAME);
}

KERNEL hidden(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (sac_rung_resume(&b, c))
        sac_rung_hidden(&b, c, c.tasks.hidden);
}

KERNEL answer(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (sac_rung_resume(&b, c)) {
        sac_rung_output(&b, c, c.tasks.hidden);
        __syncthreads();
        sac_rung_record(&b, c);
    }
    sac_rung_commit(&b, c);
}

static sac_status frame(sac_gpu_stream stream, const sac_rung_call *call)
{
    static void (*const kernels[])(sac_rung_call) = {number,    spread,    count,    moments,
                                                     intensity, polar,     gradient, votes,
                                                     features,  variances, hidden,   answer};
    sac_status status = sac_rung_launch_place(stream, call);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0] && status == SAC_OK; i++)
        status =
            sac_rung_launch(kernels[i], kernels[i] == polar ? SAC_RUNG_REGIONS : 1, stream, call);
    return status;
}

extern "C" sac_status sac_rung_intra(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame, 1);
}
