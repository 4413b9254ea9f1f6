/*
 * das_iq_f32 of many frames on tensor cores: samples and weights in half precision, sums in single.
 * Linear interpolation, zero outside.
 *
 * A product of matrices: 16 rows are the real and imaginary parts of 8 points, 8 columns are
 * frames, and 16 terms are the parts of four samples of two elements, a window in which the points'
 * taps lie; what a point does not take weighs 0. Points whose taps lie after the window take
 * another turn.
 *
 * A warp's lane is of point lane / 4. It computes delay and weight for every fourth element, passes
 * them on to the point's other lanes, and stands for one sample of a window in each.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_fp16.h>

#include "beamform/kernels/das/cuda/das_half.cuh"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"
#include "beamform/kernels/das/cuda/das_stage.cuh"

#define THREADS 256
#define WARPS (THREADS / SAC_WARP)
#define POINTS 8 /* of a warp */
#define LANES 4  /* of a point: elements at a time, and samples of a window */
#define REACH 2  /* window samples that a lower tap may lie on */
#define FRAMES SAC_DAS_HALF_GROUP
#define NONE INT32_MAX

/* What a lane knows of one element at its point: where the lower tap is (NONE: nowhere), how far
 * after it the delay lies, and the weight with the rotation. */
typedef struct received {
    int32_t at;
    float u, re, im;
} received;

/* Of transmit t and element r, at the point of that index. */
template <bool LINE>
__device__ static received receive(const sac_das_cuda *run, const sac_das_eye &eye,
                                   const sac_das_wave_at<float> &wave, int32_t t, int32_t r,
                                   bool is_there)
{
    const sac_das_element<float> e =
        sac_das_element_of<float, LINE>(run, eye, is_there ? r : 0, is_there, false);
    const sac_das_delay delay =
        sac_das_delay_of<float2, SAC_DAS_PAIR>(run, wave, e, &eye.lane.at.index, eye.sure, t);
    const float w = wave.weight * e.weight;
    received x = {delay.whole < 0 || e.weight == 0 ? NONE : delay.whole, delay.rest, 0, 0};
    sac_rotate(&x.re, &x.im, delay.turns);
    x.re *= w;
    x.im *= w;
    return x;
}

__device__ static uint32_t pair_of(float low, float high)
{
    const __half2 pair = __floats2half2_rn(low, high);
    return *(const uint32_t *)&pair;
}

/* Element e's window: its samples for this lane, and its weights for both of the point's rows. */
__device__ static void take_window(uint32_t a[2], uint4 *samples, const received &x, int32_t off,
                                   int32_t base, int e, int lane, const uint4 *records,
                                   int64_t record)
{
    const int from = lane / LANES * LANES + e, tap = lane % LANES;
    const int32_t window = __shfl_sync(SAC_ALL_LANES, base, e); /* the same for all points */
    const int32_t behind = tap - __shfl_sync(SAC_ALL_LANES, off, from);
    const float u = __shfl_sync(SAC_ALL_LANES, x.u, from);
    const float re = __shfl_sync(SAC_ALL_LANES, x.re, from),
                im = __shfl_sync(SAC_ALL_LANES, x.im, from);
    const float share = behind == 0 ? 1 - u : behind == 1 ? u : 0;
    a[0] = pair_of(share * re, -share * im);
    a[1] = pair_of(share * im, share * re);
    *samples = make_uint4(0, 0, 0, 0);
    if (window != NONE)
        *samples = __ldg(records + e * record + (int64_t)(window + tap) * (FRAMES / 4));
}

/* Four elements from r on. */
__device__ static void add_elements(float sum[4][4], const received &x, int lane,
                                    const uint4 *records, int64_t record)
{
    int32_t at = x.at;
    while (__any_sync(SAC_ALL_LANES, at != NONE)) {
        int32_t base = at; /* the first that any point takes of this lane's element */
        for (int apart = LANES; apart < SAC_WARP; apart *= 2)
            base = min(base, __shfl_xor_sync(SAC_ALL_LANES, base, apart));
        const bool takes = at != NONE && at - base <= REACH;
        const int32_t off = takes ? at - base : -LANES;
        uint32_t a[LANES][2];
        uint4 v[LANES];
#pragma unroll
        for (int e = 0; e < LANES; e++)
            take_window(a[e], &v[e], x, off, base, e, lane, records, record);
#pragma unroll
        for (int e = 0; e < LANES; e += 2) {
            const uint32_t both[4] = {a[e][0], a[e][1], a[e + 1][0], a[e + 1][1]};
            sac_multiply_halves(sum[0], both, v[e].x, v[e + 1].x);
            sac_multiply_halves(sum[1], both, v[e].y, v[e + 1].y);
            sac_multiply_halves(sum[2], both, v[e].z, v[e + 1].z);
            sac_multiply_halves(sum[3], both, v[e].w, v[e + 1].w);
        }
        at = takes ? NONE : at;
    }
}

/* blockIdx.y: which FRAMES frames. */
template <bool LINE>
__global__ void __launch_bounds__(THREADS, 3)
    beamform_tensor(float2 *out, const __grid_constant__ sac_das_cuda run,
                    const __grid_constant__ sac_das_tiles rows)
{
    const sac_das *das = &run.das;
    const int lane = (int)threadIdx.x % SAC_WARP;
    int64_t row, x;
    if (!sac_das_row_of(&row, &x, rows, blockIdx.x, threadIdx.x / SAC_WARP))
        return; /* the whole warp */
    x += lane / LANES;
    sac_das_place at;
    at.index = sac_das_index(rows, row + min(x, rows.w - 1) * rows.across);
    at.is_there = x < rows.w;
    sac_das_point(at.m, das, at.index);
    sac_das_eye eye;
    eye.lane = sac_das_lane_at(&run, at);
    eye.face = sac_das_face_of(&run, eye.lane);
    eye.sure = sac_das_sure_of(&run, eye.lane);
    int32_t begin = eye.lane.first, end = eye.lane.last;
    sac_das_warp_span(&begin, &end);
    const int64_t record = run.rx / 4;
    const float back = (das->lri ? 1 : run.largest_weight) / sac_das_half_scale(*run.largest);
    const int32_t n_images = das->lri ? das->n_tx : 1, f0 = (int32_t)blockIdx.y * FRAMES;
    for (int32_t image = 0; image < n_images; image++) {
        float sum[4][4] = {};
        const int32_t t_end = das->lri ? image + 1 : das->n_tx;
        for (int32_t t = image; t < t_end; t++) {
            sac_das_wave_at<float> wave;
            sac_das_find_wave(&wave, &run, eye.lane.p, at.index, t);
            wave.weight = das->lri ? 1 : wave.weight / run.largest_weight;
            const uint4 *data =
                (const uint4 *)((const __half2 *)run.data + blockIdx.y * run.frame + t * run.tx) +
                lane / LANES;
            for (int32_t r = begin; r < end; r += LANES) {
                const int32_t mine = r + lane % LANES;
                add_elements(sum, receive<LINE>(&run, eye, wave, t, mine, mine < end), lane,
                             data + r * record, record);
            }
        }
        float2 *to = out + image * run.out_image + at.index * run.out_point;
#pragma unroll
        for (int i = 0; i < FRAMES / LANES; i++) { /* the lane's eight frames */
            const int32_t f = f0 + lane % LANES * (FRAMES / LANES) + i;
            if (at.is_there && f < das->n_frames)
                to[f * run.out_frame] =
                    make_float2(back * sum[i % 4][i / 4], back * sum[i % 4][2 + i / 4]);
        }
    }
}

/* Of the code that this device runs, which may be older than the device. */
extern "C" bool sac_das_cuda_has_tensor(void)
{
    cudaFuncAttributes of;
    if (cudaFuncGetAttributes(&of, beamform_tensor<true>) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return of.ptxVersion >= 80;
}

extern "C" sac_status sac_das_iq_f32_tensor(sac_gpu_stream stream, const sac_gpu_shape *,
                                            float *out, const sac_das_cuda *run)
{
    const sac_das_tiles rows = sac_das_tiles_of(run, POINTS, 1, WARPS);
    const uint32_t groups = (uint32_t)((run->das.n_frames + FRAMES - 1) / FRAMES);
    const auto kernel = run->das.pitch_m > 0 ? beamform_tensor<true> : beamform_tensor<false>;
    kernel<<<dim3(rows.n, groups), THREADS, 0, stream>>>((float2 *)out, *run, rows);
    return sac_cuda_launched();
}
