/*
 * Rungs of one kernel: a barrier between the blocks instead of a launch; for each frame, or for the
 * whole stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/mlp_f32/mlp_f32_rungs.cuh"
#include "meltpool/ladder/barrier.cuh"
#include "meltpool/ladder/fused.cuh"

/* What a launch is for. */
typedef enum work {
    FRAME,    /* the next frame */
    FEATURES, /* the same without its prediction, which a batch gets */
    STREAM    /* all that are left */
} work;

/* Te without Ne: the features into the frame's slot of the batch, whose kernel makes its
 * prediction. */
__device__ static inline void hand_over(sac_rung_block *b, const sac_rung_call &c)
{
    sac_rung_temporal(b, c);
    if (sac_thread() < SAC_MELTPOOL_PREDICTIONS)
        b->prediction[sac_thread()] = 0;
    __syncthreads();
    sac_rung_give(c.features + c.slot * SAC_MELTPOOL_FEATURES, b->turn.features,
                  sizeof b->turn.features);
    sac_rung_record(b, c);
}

/*
 * A stream's turns are two, so that the other blocks may begin the next frame while the first one
 * still does Te-Ne: it passes the next barrier only then.
 */
template <sac_rung_spread SPREAD, int REGIONS, work WORK>
static __global__ void __launch_bounds__(SAC_RUNG_TEAM)
    whole(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    for (int p = 0;; p ^= 1) {
        sac_rung_memory m = sac_rung_memory_of(c.places.roi);
        sac_rung_turn *turn = &c.turn[p];
        if (WORK == STREAM && __ldcg((const long long *)&turn->before.at) >= c.n)
            return; /* all blocks */
        const bool has_work = sac_rung_front<SPREAD, REGIONS>(&b, &m, c, turn);
        __syncthreads();
        if (WORK == STREAM && blockIdx.x == 0)
            sac_rung_give(&c.turn[p ^ 1].before, &b.turn.after, sizeof b.turn.after);
        sac_rung_pass(c.gate);
        if (blockIdx.x == 0 && has_work) {
            sac_rung_take(b.turn.in.polar, turn->in.polar, SAC_RUNG_LIGHT);
            __syncthreads();
            if (WORK == FEATURES)
                hand_over(&b, c);
            else
                sac_rung_back(&b, m, c);
        }
        __syncthreads();
        if (WORK != STREAM) {
            if (blockIdx.x == 0)
                sac_rung_commit(&b, c);
            if (WORK == FEATURES && blockIdx.x == 0 && sac_thread() == 0)
                c.frames[c.slot] = b.turn.frame;
            return;
        }
    }
}

/* A batch's predictions to the rows of its frames. */
static __global__ void hand_out(const __grid_constant__ sac_rung_call c)
{
    const uint32_t i = sac_thread() / SAC_MELTPOOL_PREDICTIONS;
    const uint32_t output = sac_thread() % SAC_MELTPOOL_PREDICTIONS;
    if (i >= SAC_RUNG_BATCH || c.frames[i] < 0)
        return;
    float *row = (float *)(c.out + c.frames[i] * c.out_row) + SAC_RUNG_FLAGS;
    row[SAC_MELTPOOL_FEATURES + output] = c.predictions[i * SAC_MELTPOOL_PREDICTIONS + output];
}

template <sac_rung_spread SPREAD, int REGIONS, work WORK>
static sac_status launch(sac_gpu_stream stream, const sac_rung_call *call)
{
    const uint32_t bytes = sac_rung_shared(call);
    void *args[] = {(void *)call};
    const sac_status status = sac_rung_allow(whole<SPREAD, REGIONS, WORK>, bytes);
    if (status)
        return status;
    (void)cudaLaunchCooperativeKernel(whole<SPREAD, REGIONS, WORK>, dim3(1 + REGIONS),
                                      dim3(SAC_RUNG_TEAM), args, bytes, stream);
    return sac_cuda_launched();
}

extern "C" sac_status sac_rung_grid_sync(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, launch<SAC_RUNG_IN_ROWS, SAC_RUNG_REGIONS, FRAME>,
                        SAC_RUNG_ROUND);
}

extern "C" sac_status sac_rung_label_blocks(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, launch<SAC_RUNG_IN_BLOCKS, SAC_RUNG_REGIONS, FRAME>,
                        SAC_RUNG_ROUND);
}

extern "C" sac_status sac_rung_regions_1(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, launch<SAC_RUNG_IN_ROWS, 1, FRAME>, SAC_RUNG_ROUND);
}

extern "C" sac_status sac_rung_persistent(sac_gpu_stream stream, const sac_rung_call *call)
{
    const sac_status status = sac_rung_reset(stream, call);
    return status ? status : launch<SAC_RUNG_IN_ROWS, SAC_RUNG_REGIONS, STREAM>(stream, call);
}

/* Features frame by frame, then the network of 16 frames by the room's rung for tensor cores. */
static sac_status batch(sac_gpu_stream stream, const sac_rung_call *call)
{
    sac_rung_call c = *call;
    sac_status status = SAC_OK;
    for (c.slot = 0; c.slot < SAC_RUNG_BATCH && status == SAC_OK; c.slot++)
        status = launch<SAC_RUNG_IN_ROWS, SAC_RUNG_REGIONS, FEATURES>(stream, &c);
    if (status == SAC_OK)
        status = sac_mlp_f32_tensor(stream, call->predictions, call->features, SAC_RUNG_BATCH,
                                    &call->net);
    if (status)
        return status;
    hand_out<<<1, SAC_RUNG_BATCH * SAC_MELTPOOL_PREDICTIONS, 0, stream>>>(*call);
    return sac_cuda_launched();
}

extern "C" sac_status sac_rung_tensor(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, batch, SAC_RUNG_ROUND / SAC_RUNG_BATCH);
}
