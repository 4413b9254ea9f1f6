/*
 * Delay-and-sum of many frames on a GPU: lanes are frames. A sample's frames are one piece of
 * memory: of a delay's two samples the lower half of 2 L lanes takes the one, the upper half the
 * other, 16 bytes each; of four samples two after the other two; of the nearest one L lanes are
 * enough.
 *
 * What is the same for all frames, where the samples lie and what each weighs with its rotation, is
 * computed once by a lane for one point and element (das_stage.cuh), and passed on through shared
 * memory. Neighbours in a row often take the same samples: four at a time, so that these are loaded
 * once.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_FRAMES_CUH
#define SAC_BEAMFORM_DAS_FRAMES_CUH

#include "beamform/kernels/das/cuda/das_stage.cuh"

#define SAC_DAS_FRAMES_THREADS 256
#define SAC_DAS_FRAMES_WARPS (SAC_DAS_FRAMES_THREADS / SAC_WARP)
/* Of a multiprocessor: 64 registers a thread, or 80 where the stage takes more. */
#define SAC_DAS_FRAMES_BLOCKS(LINE, MANY) ((LINE) && !(MANY) ? 4 : 3)
#define SAC_DAS_FRAMES_POINTS 4 /* of a lane, side by side */
#define SAC_DAS_AHEAD 2         /* elements whose samples are on their way */

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
                                               const typename sac_sample<S>::value *weights,
                                               const uint32_t *places, float4 v, const char *data)
{
    float2 w[SAC_DAS_FRAMES_POINTS];
    sac_das_take_weights(w, weights);
    const uint4 at = *(const uint4 *)places;
    sac_add_unit(sum[0], w[0], v, S());
    if (at.x == at.y && at.x == at.z && at.x == at.w) {
        sac_add_unit(sum[1], w[1], v, S());
        sac_add_unit(sum[2], w[2], v, S());
        sac_add_unit(sum[3], w[3], v, S());
    } else {
        const float4 v1 = __ldg((const float4 *)(data + at.y));
        const float4 v2 = __ldg((const float4 *)(data + at.z));
        const float4 v3 = __ldg((const float4 *)(data + at.w));
        sac_add_unit(sum[1], w[1], v1, S());
        sac_add_unit(sum[2], w[2], v2, S());
        sac_add_unit(sum[3], w[3], v3, S());
    }
}

/* All that is staged: N / POINTS pairs of samples of the lane's four points. */
template <typename S, int POINTS, int N>
__device__ static inline void sac_das_add_staged(float sum[SAC_DAS_FRAMES_POINTS][4],
                                                 const typename sac_sample<S>::value *weights,
                                                 const uint32_t *places, const char *data)
{
    const int AHEAD = SAC_DAS_AHEAD, n = N / POINTS;
#pragma unroll(n < 8 ? n / AHEAD : 4)
    for (int e = 0; e < n; e += AHEAD) {
        float4 v[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            v[i] = __ldg((const float4 *)(data + places[(e + i) * POINTS]));
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            sac_das_add_four<S>(sum, &weights[(e + i) * POINTS], &places[(e + i) * POINTS], v[i],
                                data);
    }
}

/* What a warp has in shared memory. */
template <typename S, typename Real, int POINTS, bool LINE, int N, int FORM, bool MANY>
struct __align__(16) sac_das_desk
{
    sac_das_staged<S, N, FORM> staged;
    sac_das_waves<Real, POINTS, SAC_DAS_SENT(POINTS, MANY)> waves;
    sac_das_points_aside<Real, POINTS, LINE> points;
    sac_das_queue<LINE> queue;
};

/* Sums of n warps that work on the same points, into those of the first one; each has 16 bytes a
 * lane to put them. */
template <typename Desk>
__device__ static inline void sac_das_join(float sum[4], Desk *desks, const sac_das_tiles &rows,
                                           uint32_t n, bool leads)
{
    static_assert(sizeof desks->staged >= SAC_WARP * sizeof(float4), "room for the sums");
    const uint32_t warp = threadIdx.x / SAC_WARP, lane = threadIdx.x % SAC_WARP;
    const uint32_t apart = 1u << rows.bits;
    __syncthreads();
    ((float4 *)&desks[warp].staged)[lane] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    for (uint32_t i = 1; i < n && leads; i++) {
        const float4 more = ((const float4 *)&desks[warp + i * apart].staged)[lane];
        sum[0] += more.x;
        sum[1] += more.y;
        sum[2] += more.z;
        sum[3] += more.w;
    }
}

/* The points of all of the block's warps, N each, by its first threads: a thread's is one. */
template <int N, typename Desk>
__device__ static inline void sac_das_find_points(Desk *desks, const sac_das_cuda *run,
                                                  const sac_das_tiles &rows)
{
    const int warp = (int)threadIdx.x / N, i = (int)threadIdx.x % N;
    if (warp >= SAC_DAS_FRAMES_WARPS)
        return;
    int64_t row, x;
    sac_das_place at;
    at.is_there = sac_das_row_of(&row, &x, rows, blockIdx.x, (uint32_t)warp);
    at.index = 0;
    if (at.is_there)
        at.index = sac_das_index(rows, row + min(x + i, rows.w - 1) * rows.across);
    sac_das_point(at.m, &run->das, at.index);
    const sac_das_lane lane = sac_das_lane_at(run, at);
    sac_das_put_point(&desks[warp].points, i, run, lane);
    if (run->has_aperture)
        sac_das_queue_open<N>(&desks[warp].queue, lane);
}

/*
 * L lanes hold a sample's frames: G = L 16 / sizeof(S). LINE: a linear array, of which each point
 * has a range of elements in its aperture; else those are staged that some point of the warp may
 * have there. blockIdx.y: which G frames.
 */
template <typename S, typename Real, int L, bool LINE, int FORM, bool MANY>
__global__ void __launch_bounds__(SAC_DAS_FRAMES_THREADS, SAC_DAS_FRAMES_BLOCKS(LINE, MANY))
    sac_das_frames(float *out, const __grid_constant__ sac_das_cuda run,
                   const __grid_constant__ sac_das_tiles rows)
{
    const int P = SAC_DAS_FRAMES_POINTS, HALVES = SAC_DAS_HALVES(FORM);
    const int n_points = P * SAC_WARP / (HALVES * L);
    /* Elements of a lane: to keep samples ahead. */
    const int EACH = n_points == SAC_WARP && FORM != SAC_DAS_FOUR ? 2 : 1;
    const int n_elements = EACH * SAC_WARP / n_points,
              N = EACH * SAC_WARP * (FORM == SAC_DAS_FOUR ? 2 : 1);
    __shared__ sac_das_desk<S, Real, n_points, LINE, N, FORM, MANY> desks[SAC_DAS_FRAMES_WARPS];
    static_assert(sizeof desks <= 48 << 10, "what every GPU gives a block");
    const int lane_frames = (int)(16 / sizeof(S)), values = (int)sizeof(S) / 4;
    const sac_das *das = &run.das;
    const int lane = (int)threadIdx.x % SAC_WARP, warp = (int)threadIdx.x / SAC_WARP;
    const int mine = lane / (HALVES * L) * P, unit = lane % L, half = lane / L % HALVES;
    sac_das_find_points<n_points>(desks, &run, rows);
    __syncthreads();
    sac_das_desk<S, Real, n_points, LINE, N, FORM, MANY> *const desk = &desks[warp];
    const bool has_points = desk->points.is_there;
    if (!has_points && rows.shares == 1)
        return; /* the whole warp */
    int32_t begin = desk->points.begin, end = desk->points.end;
    sac_das_part_of(&begin, &end, rows);
    const bool queues = !LINE && run.has_aperture; /* else all elements, one by one */
    const int part = (FORM == SAC_DAS_PAIR ? half * run.group * (int)sizeof(S) : 0) + unit * 16;
    const int32_t n_images = das->lri ? das->n_tx : 1;
    const int32_t shares = (int32_t)(rows.shares >> rows.part_bits);
    const int32_t share = (int32_t)sac_das_share(rows);
    const uint32_t joined = das->lri ? 1u << rows.part_bits : rows.shares;
    const bool leads = sac_das_part(rows) == 0 && (das->lri || share == 0);
    const int32_t f0 = (int32_t)blockIdx.y * run.group + unit * lane_frames;
    for (int32_t first = 0; first < n_images; first += das->lri ? shares : 1) {
        const int32_t image = das->lri ? first + share : 0;
        const int32_t t_end = !has_points ? 0 : das->lri ? min(image + 1, n_images) : das->n_tx;
        float sum[P][4] = {};
        const int32_t t_step = das->lri ? 1 : shares, most = SAC_DAS_SENT(n_points, MANY);
        for (int32_t t = das->lri ? image : share; t < t_end; t += most * t_step) {
            const int32_t n_sent = MANY ? min(most, (t_end - t + t_step - 1) / t_step) : 1;
            const char *from =
                (const char *)((const S *)run.data + blockIdx.y * run.frame + t * run.tx) + part;
            sac_keep(from);
            sac_das_put_waves(&desk->waves, &run, desk->points, t, t_step, n_sent);
            sac_das_turn_of turn = {begin, end, end, end};
            if (queues)
                turn = {0, 0, begin, end};
            for (; sac_das_call(&turn, &desk->queue, &run, n_elements);
                 turn.next = min(turn.next + n_elements, turn.end)) {
                sac_das_eye eye;
                sac_das_element<Real> element[EACH];
                __syncwarp();
                sac_das_take_point(&eye, lane % n_points, &run, desk->points);
#pragma unroll
                for (int k = 0; k < EACH; k++) {
                    const int32_t e = turn.next + lane / n_points + k;
                    const bool is_there = e < turn.end;
                    const int32_t r = is_there ? sac_das_called(desk->queue, &run, e) : 0;
                    element[k] = sac_das_element_of<Real, LINE>(
                        &run, eye, LINE ? r : r & ~SAC_DAS_QUEUE_PLAIN, is_there,
                        !LINE && (r & SAC_DAS_QUEUE_PLAIN) != 0);
                }
                const char *data = from;
#pragma unroll 1
                for (int32_t i = 0; i < n_sent; i++, data += t_step * run.tx * (int64_t)sizeof(S)) {
                    const sac_das_wave_at<Real> wave =
                        sac_das_take_wave(desk->waves, i, lane % n_points);
                    if (MANY)
                        __syncwarp();
#pragma unroll
                    for (int k = 0; k < EACH; k++)
                        sac_das_stage<S, FORM>(&desk->staged, lane + k * SAC_WARP, &run, wave,
                                               element[k], &desk->points.index[lane % n_points],
                                               eye.sure, t + i * t_step);
                    __syncwarp();
                    sac_das_add_staged<S, n_points, N>(
                        sum, &desk->staged.weight[half][mine],
                        &desk->staged.at[FORM == SAC_DAS_PAIR ? 0 : half][mine], data);
                }
            }
        }
        if (joined > 1) {
#pragma unroll
            for (int j = 0; j < P; j++)
                sac_das_join(sum[j], desks, rows, joined, leads);
            __syncthreads(); /* before others stage the next image's samples there */
        }
        uint32_t tile = blockIdx.x;
        sac_forget(tile); /* where the points are is found again, rather than held over the sums */
        int64_t row, x;
        const bool puts =
            sac_das_row_of(&row, &x, rows, tile, (uint32_t)warp) && leads && image < n_images;
        /* Both taps together; then the lower lanes store a pair's first point, the upper the other.
         */
#pragma unroll
        for (int j = 0; j < P; j++) {
#pragma unroll
            for (int i = 0; i < 4 && HALVES == 2; i++)
                sum[j][i] += __shfl_xor_sync(SAC_ALL_LANES, sum[j][i], L);
            const int64_t there = x + mine + j;
            if (puts && there < rows.w && j % HALVES == half)
                sac_put_unit(out + (f0 * run.out_frame + image * run.out_image) * values, sum[j],
                             sac_das_index(rows, row + there * rows.across) * run.out_point,
                             run.out_frame, das->n_frames - f0, S());
        }
    }
}

template <typename S, typename Real, int L>
static inline sac_status sac_das_frames_launch(sac_gpu_stream stream, float *out,
                                               const sac_das_cuda *run)
{
    typedef void (*kernel_fn)(float *, sac_das_cuda, sac_das_tiles);
    /* Nearest: of so few lanes a sample that a warp had more points than lanes it takes two. */
    const int ONE = L == 2 ? SAC_DAS_TWO : SAC_DAS_ONE;
    /* Transmits together where finding an element's distance and weight takes long, or much of the
     * time since a warp's lanes are many points. */
    const bool MANY = L < 8;
    static const kernel_fn kernels[][2] = {
        [SAC_DAS_PAIR] = {sac_das_frames<S, Real, L, false, SAC_DAS_PAIR, true>,
                          sac_das_frames<S, Real, L, true, SAC_DAS_PAIR, MANY>},
        [SAC_DAS_TWO] = {sac_das_frames<S, Real, L, false, SAC_DAS_TWO, true>,
                         sac_das_frames<S, Real, L, true, SAC_DAS_TWO, MANY>},
        [SAC_DAS_FOUR] = {sac_das_frames<S, Real, L, false, SAC_DAS_FOUR, true>,
                          sac_das_frames<S, Real, L, true, SAC_DAS_FOUR, MANY>},
        [SAC_DAS_ONE] = {sac_das_frames<S, Real, L, false, ONE, true>,
                         sac_das_frames<S, Real, L, true, ONE, MANY>}};
    const sac_das *das = &run->das;
    const uint32_t groups = (uint32_t)((das->n_frames + run->group - 1) / run->group);
    const bool is_line = das->pitch_m > 0,
               is_many = (!is_line || MANY) && !das->lri && das->n_tx > 1;
    const int form = das->interp == SAC_INTERP_CUBIC     ? SAC_DAS_FOUR
                     : das->interp == SAC_INTERP_NEAREST ? ONE
                     : das->outside == SAC_OUTSIDE_ZERO  ? SAC_DAS_PAIR
                                                         : SAC_DAS_TWO;
    const int n_points = SAC_DAS_FRAMES_POINTS * SAC_WARP / (SAC_DAS_HALVES(form) * L);
    const int32_t most =
        is_many ? (int32_t)sac_das_parts(das->n_tx, SAC_DAS_SENT(n_points, true)) : das->n_tx;
    const sac_das_load load = {SAC_DAS_FRAMES_WARPS,
                               groups,
                               most,
                               das->n_tx,
                               SAC_DAS_FRAMES_BLOCKS(is_line, MANY) * SAC_DAS_FRAMES_WARPS,
                               (double)n_points * das->n_tx,
                               false};
    sac_das_tiles rows = sac_das_tiles_of(run, (uint32_t)n_points, 1, SAC_DAS_FRAMES_WARPS);
    sac_das_tiles_share(&rows, run, &load);
    const kernel_fn kernel = form == SAC_DAS_PAIR && !is_line && !is_many
                                 ? sac_das_frames<S, Real, L, false, SAC_DAS_PAIR, false>
                                 : kernels[form][is_line];
    const dim3 grid(rows.n, groups);
    kernel<<<grid, SAC_DAS_FRAMES_THREADS, 0, stream>>>(out, *run, rows);
    return sac_cuda_launched();
}

/* The rung for samples S, with receive delays in Real, by how many lanes the group's frames take.
 */
template <typename S, typename Real>
static sac_status sac_das_frames_rung(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                                      const sac_das_cuda *run)
{
    switch (run->group * (int32_t)sizeof(S) / 16) {
    case 16:
        return sac_das_frames_launch<S, Real, 16>(stream, out, run);
    case 8:
        return sac_das_frames_launch<S, Real, 8>(stream, out, run);
    case 4:
        return sac_das_frames_launch<S, Real, 4>(stream, out, run);
    default:
        return sac_das_frames_launch<S, Real, 2>(stream, out, run);
    }
}

#endif
