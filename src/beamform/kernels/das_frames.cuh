/*
 * Delay-and-sum of many frames on a GPU, linear interpolation, zero outside: lanes are frames. A
 * sample's frames are one piece of memory, and the sample after it is the next: the lower half of
 * 2 L lanes takes the one, the upper half the other, 16 bytes each.
 *
 * What is the same for all frames, where the samples lie and what each weighs with its rotation, is
 * computed once by a lane for one point and element, and passed on through shared memory.
 * Neighbours along x often take the same samples: two at a time, so that these are loaded once.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_FRAMES_CUH
#define SAC_BEAMFORM_DAS_FRAMES_CUH

#include "beamform/kernels/das_cuda.cuh"

#define SAC_DAS_FRAMES_THREADS 256
#define SAC_DAS_FRAMES_WARPS (SAC_DAS_FRAMES_THREADS / SAC_WARP)
#define SAC_DAS_FRAMES_BLOCKS 4 /* of a multiprocessor: 64 registers a thread */
#define SAC_DAS_FRAMES_POINTS 4 /* of a lane, side by side */
#define SAC_DAS_AHEAD 2         /* elements whose samples are on their way */

/*
 * What a warp's lanes computed, each for a point and an element: both taps' weights, and how many
 * bytes after the start of the transmit's data the lower one's sample lies. Neighbours are read
 * together; the gap keeps both halves of the lanes from the same banks.
 */
typedef struct sac_das_staged {
    float2 lower[SAC_WARP], gap[2], upper[SAC_WARP];
    uint32_t at[SAC_WARP];
} sac_das_staged;

/* sum (of 16 bytes' frames) + w v. */
__device__ static inline void sac_add_unit(float sum[4], float2 w, float4 v, float2)
{
    sum[0] = fmaf(w.x, v.x, sum[0]);
    sum[1] = fmaf(w.x, v.y, sum[1]);
    sum[2] = fmaf(w.x, v.z, sum[2]);
    sum[3] = fmaf(w.x, v.w, sum[3]);
    sum[0] = fmaf(-w.y, v.y, sum[0]);
    sum[1] = fmaf(w.y, v.x, sum[1]);
    sum[2] = fmaf(-w.y, v.w, sum[2]);
    sum[3] = fmaf(w.y, v.z, sum[3]);
}

__device__ static inline void sac_add_unit(float sum[4], float2 w, float4 v, float)
{
    sum[0] = fmaf(w.x, v.x, sum[0]);
    sum[1] = fmaf(w.x, v.y, sum[1]);
    sum[2] = fmaf(w.x, v.z, sum[2]);
    sum[3] = fmaf(w.x, v.w, sum[3]);
}

/* What a lane computes taps of: a point, and every n-th element. */
typedef struct sac_das_source {
    double m[3], p[3], off_line; /* in metres, in samples */
    int32_t first, last;
} sac_das_source;

/* Element r at the lane's point; outside of the aperture and of the record both taps weigh 0 and
 * lie in the gap. */
template <typename S, bool LINE>
__device__ static inline void sac_das_stage(sac_das_staged *staged, int lane,
                                            const sac_das_cuda *run, const sac_das_source *source,
                                            int32_t r, double offset, double since, float weight)
{
    const uint32_t sample = (uint32_t)run->group * (uint32_t)sizeof(S); /* bytes */
    const double s = offset + sac_das_distance(run, r, source->p, source->off_line, LINE);
    float u;
    const int32_t i = sac_das_split(&u, s);
    const bool is_inside =
        r >= source->first && r < source->last && sac_das_is_inside(&run->das, i, u);
    float c = is_inside ? weight : 0, sine = 0;
    if (!LINE)
        c *= sac_das_window_at(&run->das, r, source->m);
    if (sac_sample<S>::is_iq) {
        const float w = c;
        sac_rotate(&c, &sine, (float)sac_das_fraction(fma(s, run->turns, since)));
        c *= w;
        sine *= w;
    }
    const float2 both = make_float2(c, sine), high = make_float2(u * c, u * sine);
    const int32_t at = c == 0 && sine == 0 ? run->das.n_samples : i;
    staged->lower[lane] = make_float2(both.x - high.x, both.y - high.y);
    staged->upper[lane] = high;
    staged->at[lane] =
        ((uint32_t)r * (uint32_t)(run->das.n_samples + SAC_DAS_GAP) + (uint32_t)at) * sample;
}

/* A point's frames to where they belong: those of one lane. */
__device__ static inline void sac_put_unit(float *out, const float sum[4], int64_t at,
                                           int64_t frame, int32_t n_frames, float2)
{
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (i < n_frames)
            ((float2 *)out)[i * frame + at] = make_float2(sum[2 * i], sum[2 * i + 1]);
}

__device__ static inline void sac_put_unit(float *out, const float sum[4], int64_t at,
                                           int64_t frame, int32_t n_frames, float)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < n_frames)
            out[i * frame + at] = sum[i];
}

/* Four points and an element. Often all four take the same samples. */
template <typename S>
__device__ static inline void sac_das_add_four(float sum[SAC_DAS_FRAMES_POINTS][4],
                                               const float2 *taps, const uint32_t *places, float4 v,
                                               const char *data)
{
    const float4 w01 = *(const float4 *)taps, w23 = *(const float4 *)(taps + 2);
    const uint4 at = *(const uint4 *)places;
    sac_add_unit(sum[0], make_float2(w01.x, w01.y), v, S());
    if (at.x == at.y && at.x == at.z && at.x == at.w) {
        sac_add_unit(sum[1], make_float2(w01.z, w01.w), v, S());
        sac_add_unit(sum[2], make_float2(w23.x, w23.y), v, S());
        sac_add_unit(sum[3], make_float2(w23.z, w23.w), v, S());
    } else {
        const float4 v1 = __ldg((const float4 *)(data + at.y));
        const float4 v2 = __ldg((const float4 *)(data + at.z));
        const float4 v3 = __ldg((const float4 *)(data + at.w));
        sac_add_unit(sum[1], make_float2(w01.z, w01.w), v1, S());
        sac_add_unit(sum[2], make_float2(w23.x, w23.y), v2, S());
        sac_add_unit(sum[3], make_float2(w23.z, w23.w), v3, S());
    }
}

/* L lanes hold a sample's frames: G = L 16 / sizeof(S). LINE: a linear array, whose elements all
 * weigh 1 in the aperture. blockIdx.y: which G frames. */
template <typename S, int L, bool LINE>
__global__ void __launch_bounds__(SAC_DAS_FRAMES_THREADS, SAC_DAS_FRAMES_BLOCKS)
    sac_das_frames(float *out, const __grid_constant__ sac_das_cuda run,
                   const __grid_constant__ sac_das_rows rows)
{
    __shared__ __align__(16) sac_das_staged staged_of[SAC_DAS_FRAMES_WARPS];
    const int P = SAC_DAS_FRAMES_POINTS, n_points = P * 16 / L, n_elements = SAC_WARP / n_points;
    const int AHEAD = n_elements < SAC_DAS_AHEAD ? n_elements : SAC_DAS_AHEAD;
    const int lane_frames = (int)(16 / sizeof(S)), values = (int)sizeof(S) / 4;
    const sac_das *das = &run.das;
    const int lane = (int)threadIdx.x % SAC_WARP, warp = (int)threadIdx.x / SAC_WARP;
    const int mine = lane / (2 * L) * P, unit = lane % L;
    const bool is_upper = lane / L % 2 != 0;
    int64_t row, x;
    if (!sac_das_row_of(&row, &x, rows))
        return; /* the whole warp */
    sac_das_source source;
    const int64_t index = row * rows.w + min(x + lane % n_points, rows.w - 1);
    sac_das_point(source.m, das, index);
    for (int i = 0; i < 3; i++)
        source.p[i] = source.m[i] * run.scale;
    source.off_line = sac_das_off_line(source.p);
    sac_das_aperture_inline(&source.first, &source.last, das, source.m);
    int32_t begin = source.first, end = source.last;
    sac_das_warp_span(&begin, &end);
    sac_das_staged *const staged = &staged_of[warp];
    const float2 *const taps = is_upper ? staged->upper : staged->lower;
    const int32_t n_images = das->lri ? das->n_tx : 1;
    const int32_t f0 = (int32_t)blockIdx.y * run.group + unit * lane_frames;
    for (int32_t image = 0; image < n_images; image++) {
        float sum[P][4] = {};
        const int32_t t_end = das->lri ? image + 1 : das->n_tx;
        for (int32_t t = image; t < t_end; t++) {
            const char *data = (const char *)((const S *)run.data + blockIdx.y * run.frame +
                                              t * run.tx + (is_upper ? run.group : 0)) +
                               unit * 16;
            const double offset = sac_das_offset(&run, t, source.p, index);
            const double since = sac_das_since(&run, t) * run.turns;
            const float weight = das->lri ? 1 : run.waves[t].weight;
            for (int32_t r = begin; r < end; r += n_elements) {
                __syncwarp();
                sac_das_stage<S, LINE>(staged, lane, &run, &source,
                                       min(r + lane / n_points, das->n_rx - 1), offset, since,
                                       r + lane / n_points < end ? weight : 0);
                __syncwarp();
                const float2 *w = &taps[mine];
                const uint32_t *at = &staged->at[mine];
#pragma unroll
                for (int e = 0; e < n_elements; e += AHEAD) {
                    float4 v[AHEAD];
#pragma unroll
                    for (int i = 0; i < AHEAD; i++)
                        v[i] = __ldg((const float4 *)(data + at[(e + i) * n_points]));
#pragma unroll
                    for (int i = 0; i < AHEAD; i++)
                        sac_das_add_four<S>(sum, &w[(e + i) * n_points], &at[(e + i) * n_points],
                                            v[i], data);
                }
            }
        }
        /* Both taps together; then the lower lanes store a pair's first point, the upper the other.
         */
#pragma unroll
        for (int j = 0; j < P; j++) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                sum[j][i] += __shfl_xor_sync(SAC_ALL_LANES, sum[j][i], L);
            const int64_t at = x + mine + j;
            if (at < rows.w && (j % 2 != 0) == is_upper)
                sac_put_unit(out + (f0 * run.out_frame + image * run.out_image) * values, sum[j],
                             (row * rows.w + at) * run.out_point, run.out_frame, das->n_frames - f0,
                             S());
        }
    }
}

template <typename S, int L>
static inline sac_status sac_das_frames_launch(sac_gpu_stream stream, float *out,
                                               const sac_das_cuda *run)
{
    const sac_das_rows rows =
        sac_das_rows_of(&run->das, SAC_DAS_FRAMES_POINTS * 16 / L, SAC_DAS_FRAMES_WARPS);
    const int32_t groups = (run->das.n_frames + run->group - 1) / run->group;
    const sac_apodization *apodization = &run->das.apodization;
    const bool is_line = run->das.pitch_m > 0 &&
                         (apodization->f_number <= 0 || apodization->window == SAC_WINDOW_RECT);
    const dim3 grid(rows.n_blocks, (unsigned)groups);
    if (is_line)
        sac_das_frames<S, L, true><<<grid, SAC_DAS_FRAMES_THREADS, 0, stream>>>(out, *run, rows);
    else
        sac_das_frames<S, L, false><<<grid, SAC_DAS_FRAMES_THREADS, 0, stream>>>(out, *run, rows);
    return sac_cuda_launched();
}

/* The rung for samples S, by how many lanes the group's frames take. */
template <typename S>
static sac_status sac_das_frames_rung(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                                      const sac_das_cuda *run)
{
    switch (run->group * (int32_t)sizeof(S) / 16) {
    case 16:
        return sac_das_frames_launch<S, 16>(stream, out, run);
    case 8:
        return sac_das_frames_launch<S, 8>(stream, out, run);
    default:
        return sac_das_frames_launch<S, 4>(stream, out, run);
    }
}

#endif
