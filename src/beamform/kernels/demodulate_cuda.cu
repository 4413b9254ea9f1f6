/*
 * RF records to IQ on a GPU, or to RF within the band. A team of threads has a tile of one record:
 * its samples, split into D phases, and all taps are in shared memory; each thread sums OUTPUTS
 * neighbouring outputs in registers, past which it slides the samples, and the sums go back through
 * shared memory to whole lines of the result.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/demodulate_cuda.h"

#define THREADS 256 /* at most; of 65,536 registers 64 each, four blocks a multiprocessor */
/* A thread's: lanes then lie 12 floats apart, so that eight of them read 16 bytes each from all
 * banks at once, and a sample that was read serves 24 multiply-adds. */
#define OUTPUTS 12
#define SLOT (2 * OUTPUTS + 4) /* floats of a thread's sums, apart for the same reason */
/* Bytes: any GPU has 48 KB for every kernel, of which 4 are for the records' places. */
#define SHARED 45056

typedef struct demodulate_job {
    sac_demodulate_cuda plan;
    const void *in;
    float *out;
    sac_das_cuda_strides from; /* in samples */
    int64_t frame, tx, rx;     /* of out, in floats */
    int32_t n_frames, n_tx, n_rx;
    int32_t group; /* frames side by side in out: a number of units of G */
    uint32_t
        n_slots;  /* frames of out, up to a multiple of the group: from n_frames on they are 0 */
    bool across;  /* frames of a transmit and element are neighbouring records */
    bool inner;   /* neighbouring records' samples lie closer than a record's */
    bool aligned; /* out, for pairs of floats */

    int32_t taps, pitch; /* a phase's, up to a multiple of four */
    int32_t tile, team;  /* outputs of a tile; threads that share it */
    int32_t n_teams;     /* in a block */
    uint32_t n_tiles, n_records;
} demodulate_job;

/* The places of a block's records, by team; NULL where there is none. */
template <typename T> struct record {
    const T *in;
    float *out;
};

template <typename T, bool RESTORE>
__device__ static record<T> record_of(const demodulate_job *j, uint32_t number)
{
    const uint32_t n_tx = (uint32_t)j->n_tx, n_rx = (uint32_t)j->n_rx;
    const uint32_t outer = j->across ? number / j->n_slots : number; /* transmit and element */
    const int64_t r = outer % n_rx, t = outer / n_rx % n_tx;
    const int64_t f = j->across ? number % j->n_slots : outer / n_rx / n_tx;
    record<T> at = {NULL, NULL};
    if (number >= j->n_records)
        return at;
    at.out =
        j->out + f / j->group * j->frame + t * j->tx + r * j->rx + f % j->group * (RESTORE ? 1 : 2);
    if (f < j->n_frames)
        at.in = (const T *)j->in + f * j->from.frame + t * j->from.tx + r * j->from.rx;
    return at;
}

/* taps[p][k] (D, j->taps): tap p + k D, real and imaginary. */
__device__ static void stage_taps(float2 *taps, const demodulate_job *j)
{
    const int32_t d = j->plan.decimation, n = 2 * j->plan.half + 1;
    for (int32_t i = threadIdx.x; i < d * j->taps; i += blockDim.x) {
        const int32_t m = i / j->taps + i % j->taps * d;
        taps[i] = m < n ? make_float2(j->plan.re[m], j->plan.im[m]) : make_float2(0, 0);
    }
}

/* samples[team][p][i] (n_teams, D, j->pitch) = x[first + i D + p], 0 outside of the record. Lanes
 * read along the record, or along the records. */
template <typename T>
__device__ static void stage_samples(float *samples, const demodulate_job *j,
                                     const record<T> *records, int32_t first, int32_t team,
                                     int32_t lane)
{
    const int32_t d = j->plan.decimation, thread = (int32_t)threadIdx.x;
    int32_t step = j->team, step_phase = 0, phase = 0;
    if (j->inner) {
        step = (int32_t)blockDim.x / j->n_teams;
        team = thread % j->n_teams;
        lane = thread / j->n_teams;
    }
    if (team >= j->n_teams || lane >= step)
        return;
    int32_t k = lane, step_k = step;
    if (d > 1) {
        phase = lane % d;
        k = lane / d;
        step_phase = step % d;
        step_k = step / d;
    }
    const T *in = records[team].in;
    const int32_t n_samples = in ? j->plan.n_samples : 0;
    float *to = samples + team * d * j->pitch;
#pragma unroll 8
    for (int32_t i = lane; i < d * j->pitch; i += step) {
        const int32_t x = first + i;
        to[phase * j->pitch + k] = x >= 0 && x < n_samples ? (float)in[x * j->from.sample] : 0;
        phase += step_phase;
        k += step_k;
        if (phase >= d) {
            phase -= d;
            k++;
        }
    }
}

/* One tap on OUTPUTS neighbouring outputs. */
__device__ static void add_tap(float sum[2 * OUTPUTS], const float *x, float re, float im)
{
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) {
        sum[2 * i] = fmaf(re, x[i], sum[2 * i]);
        sum[2 * i + 1] = fmaf(im, x[i], sum[2 * i + 1]);
    }
}

__device__ static void load_four(float *x, const float4 *from)
{
    const float4 four = *from;
    x[0] = four.x;
    x[1] = four.y;
    x[2] = four.z;
    x[3] = four.w;
}

/* One phase: n taps on samples x[0 .. n + OUTPUTS - 2]. Samples after these are not used: it may
 * be no number. */
__device__ static void filter(float sum[2 * OUTPUTS], const float4 *x, const float4 *taps,
                              int32_t n)
{
    float window[OUTPUTS + 4];
#pragma unroll
    for (int i = 0; i < OUTPUTS; i += 4)
        load_four(window + i, x++);
#pragma unroll 4
    for (; n >= 4; n -= 4, x++, taps += 2) {
        const float4 a = taps[0], b = taps[1];
        load_four(window + OUTPUTS, x);
        add_tap(sum, window, a.x, a.y);
        add_tap(sum, window + 1, a.z, a.w);
        add_tap(sum, window + 2, b.x, b.y);
        add_tap(sum, window + 3, b.z, b.w);
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++)
            window[i] = window[i + 4];
    }
    if (n > 0) {
        const float4 a = taps[0];
        load_four(window + OUTPUTS, x);
        add_tap(sum, window, a.x, a.y);
        if (n > 1)
            add_tap(sum, window + 1, a.z, a.w);
        if (n > 2) {
            const float4 b = taps[1];
            add_tap(sum, window + 2, b.x, b.y);
        }
    }
}

/* Output n of a team's sums, turned: IQ, or the record within the band, in x. */
template <bool RESTORE>
__device__ static float2 turned(const float *slots, int32_t i, const demodulate_job *j, int32_t n)
{
    const float *sum = slots + i / OUTPUTS * SLOT + i % OUTPUTS * 2;
    const float re = sum[0], im = sum[1], c = j->plan.turn_re[n], s = j->plan.turn_im[n];
    const float2 y = make_float2(fmaf(re, c, -(im * s)), fmaf(re, s, im * c));
    return RESTORE ? make_float2(y.x * c + y.y * s, 0) : y;
}

/* What is written at once: an output of G frames that lie side by side. */
template <bool RESTORE, int G>
__device__ static void store(float *out, const float2 y[G], bool aligned)
{
    if (RESTORE && G == 1)
        *out = y[0].x;
    else if (RESTORE)
        *(float4 *)out = make_float4(y[0].x, y[1 % G].x, y[2 % G].x, y[3 % G].x);
    else if (G == 2)
        *(float4 *)out = make_float4(y[0].x, y[0].y, y[1 % G].x, y[1 % G].y);
    else if (aligned)
        *(float2 *)out = y[0];
    else {
        out[0] = y[0].x;
        out[1] = y[0].y;
    }
}

/* Outputs from `first` on, and the zeros after a packed record. */
template <typename T, bool RESTORE, int G>
__device__ static void write_outputs(const float *slots, const demodulate_job *j,
                                     const record<T> *records, int32_t first, int32_t team,
                                     int32_t lane)
{
    lane += team % G * j->team;
    team -= team % G; /* G teams write their records together */
    float *out = team < j->n_teams ? records[team].out : NULL;
    if (!out)
        return;
    slots += team * j->team * SLOT;
    for (int32_t i = lane; i < j->tile; i += G * j->team) {
        const int32_t n = first + i;
        float2 y[G] = {};
        if (n < j->plan.n_out)
#pragma unroll
            for (int g = 0; g < G; g++)
                y[g] = turned<RESTORE>(slots + g * j->team * SLOT, i, j, n);
        if (n < j->plan.n_out + (G > 1 ? SAC_DAS_GAP : 0))
            store<RESTORE, G>(out + (int64_t)n * (j->group * (RESTORE ? 1 : 2)), y, j->aligned);
    }
}

template <typename T, bool RESTORE, int G>
__global__ void __launch_bounds__(THREADS, 4)
    demodulate_records(const __grid_constant__ demodulate_job j)
{
    extern __shared__ float4 memory[];
    __shared__ record<T> records[THREADS];
    const int32_t d = j.plan.decimation, thread = (int32_t)threadIdx.x;
    const int32_t team = thread / j.team, lane = thread % j.team;
    const uint32_t tile = blockIdx.x % j.n_tiles;
    const uint32_t first_record = blockIdx.x / j.n_tiles * (uint32_t)j.n_teams;
    const int32_t first = (int32_t)tile * j.tile;
    float4 *taps = memory; /* two each */
    float *samples = (float *)(taps + d * j.taps / 2), *slot = samples + thread * SLOT;
    if (thread < j.n_teams)
        records[thread] = record_of<T, RESTORE>(&j, first_record + (uint32_t)thread);
    stage_taps((float2 *)taps, &j);
    __syncthreads();
    stage_samples<T>(samples, &j, records, first * d - j.plan.half, team, lane);
    __syncthreads();
    float sum[2 * OUTPUTS] = {};
    if (team < j.n_teams)
        for (int32_t p = 0; p < d; p++)
            filter(sum, (const float4 *)(samples + (team * d + p) * j.pitch + lane * OUTPUTS),
                   taps + p * j.taps / 2, (2 * j.plan.half + d - p) / d);
    __syncthreads(); /* the samples' place becomes the sums' */
    if (team < j.n_teams)
#pragma unroll
        for (int i = 0; i < 2 * OUTPUTS; i += 4)
            *(float4 *)(slot + i) = make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]);
    __syncthreads();
    write_outputs<T, RESTORE, G>(samples, &j, records, first, team, lane);
}

static int32_t round_up(int32_t n, int32_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

/* Bytes of shared memory with so many outputs a tile and teams a block. */
static int64_t shared_bytes(const demodulate_job *j, int32_t tile, int32_t n_teams)
{
    const int64_t taps = (int64_t)j->plan.decimation * j->taps * 8;
    const int64_t samples = (int64_t)n_teams * j->plan.decimation * (tile + j->taps) * 4;
    const int64_t sums = (int64_t)n_teams * (tile / OUTPUTS) * SLOT * 4;
    return taps + (samples > sums ? samples : sums);
}

/* The largest tiles that fit, all alike, and as many teams as a block has threads for. */
static bool choose_shape(demodulate_job *j, int32_t group)
{
    const int32_t n = j->plan.n_out + (group > 1 ? SAC_DAS_GAP : 0);
    j->taps = round_up((2 * j->plan.half + j->plan.decimation) / j->plan.decimation, 4);
    int32_t most = THREADS / group * OUTPUTS;
    while (most > 0 && shared_bytes(j, most, group) > SHARED)
        most -= OUTPUTS;
    if (most == 0)
        return false;
    j->n_tiles = (uint32_t)((n - 1) / most + 1);
    j->tile = round_up((int32_t)(((uint32_t)n - 1) / j->n_tiles + 1), OUTPUTS);
    j->team = j->tile / OUTPUTS;
    j->pitch = j->tile + j->taps;
    j->n_teams = THREADS / (j->team * group) * group;
    while (j->n_teams > group && ((uint32_t)(j->n_teams - group) >= j->n_records ||
                                  shared_bytes(j, j->tile, j->n_teams) > SHARED))
        j->n_teams -= group;
    return true;
}

template <typename T, bool RESTORE, int G>
static sac_status launch(sac_gpu_stream stream, demodulate_job *j, int32_t n_frames_out)
{
    const int64_t n_slots = (n_frames_out + (int64_t)j->group - 1) / j->group * j->group;
    const int64_t n_records = n_slots * j->n_tx * j->n_rx;
    if (n_records == 0 || j->plan.n_out == 0)
        return SAC_OK;
    j->n_slots = (uint32_t)n_slots;
    j->n_records = (uint32_t)n_records;
    if (n_records > INT32_MAX || j->plan.n_samples > INT32_MAX / 2 || !choose_shape(j, G))
        return SAC_E_UNSUPPORTED;
    const uint32_t blocks = (j->n_records - 1) / (uint32_t)j->n_teams + 1;
    if ((uint64_t)blocks * j->n_tiles > INT32_MAX)
        return SAC_E_UNSUPPORTED;
    demodulate_records<T, RESTORE, G><<<blocks * j->n_tiles, round_up(j->team * j->n_teams, 32),
                                        shared_bytes(j, j->tile, j->n_teams), stream>>>(*j);
    return sac_cuda_launched();
}

template <typename T>
static sac_status launch_of(sac_gpu_stream stream, demodulate_job *j, int32_t n_frames_out,
                            bool restore, bool packed)
{
    if (restore)
        return packed ? launch<T, true, 4>(stream, j, n_frames_out)
                      : launch<T, true, 1>(stream, j, n_frames_out);
    return packed ? launch<T, false, 2>(stream, j, n_frames_out)
                  : launch<T, false, 1>(stream, j, n_frames_out);
}

static demodulate_job job_of(float *out, const void *in, const sac_das_cuda_strides *from,
                             int32_t n_frames, int32_t n_tx, int32_t n_rx,
                             const sac_demodulate_cuda *plan)
{
    demodulate_job j = {};
    j.plan = *plan;
    j.in = in;
    j.out = out;
    j.from = *from;
    j.n_frames = n_frames;
    j.n_tx = n_tx;
    j.n_rx = n_rx;
    j.group = 1;
    j.inner = n_frames > 1 && llabs(from->frame) < llabs(from->sample);
    j.across = j.inner;
    return j;
}

extern "C" sac_status sac_demodulate_cuda_run(sac_gpu_stream stream, float *out, const void *in,
                                              sac_dtype dtype, const sac_das_cuda_strides *from,
                                              int32_t n_frames, int32_t n_tx, int32_t n_rx,
                                              bool restore, const sac_demodulate_cuda *plan)
{
    demodulate_job j = job_of(out, in, from, n_frames, n_tx, n_rx, plan);
    j.rx = (int64_t)plan->n_out * (restore ? 1 : 2);
    j.tx = n_rx * j.rx;
    j.frame = n_tx * j.tx;
    j.aligned = (uintptr_t)out % 8 == 0;
    return dtype == SAC_I16 ? launch_of<int16_t>(stream, &j, n_frames, restore, false)
                            : launch_of<float>(stream, &j, n_frames, restore, false);
}

extern "C" bool sac_demodulate_cuda_packs(const sac_demodulate_cuda *plan, bool restore)
{
    demodulate_job j = {};
    j.plan = *plan;
    j.n_records = 1;
    return plan->n_out == 0 || choose_shape(&j, restore ? 4 : 2);
}

extern "C" sac_status sac_demodulate_cuda_pack(sac_gpu_stream stream, void *out, const void *in,
                                               sac_dtype dtype, const sac_das_cuda_strides *from,
                                               const sac_das_cuda *run, int32_t n_frames,
                                               bool restore, const sac_demodulate_cuda *plan)
{
    const int64_t width = restore ? 1 : 2;
    demodulate_job j = job_of((float *)out, in, from, n_frames, run->das.n_tx, run->das.n_rx, plan);
    j.group = run->group;
    j.rx = run->rx * width;
    j.tx = run->tx * width;
    j.frame = run->frame * width;
    j.aligned = true;
    j.across = j.across || run->group > 1;
    const bool packed = run->group > 1;
    return dtype == SAC_I16 ? launch_of<int16_t>(stream, &j, run->das.n_frames, restore, packed)
                            : launch_of<float>(stream, &j, run->das.n_frames, restore, packed);
}

/* Rows of the rooms: elements of one frame. */
static demodulate_job rows_of(float *out, ptrdiff_t out_row, const void *in, ptrdiff_t in_row,
                              ptrdiff_t in_sample, ptrdiff_t size, int64_t n_rows,
                              const sac_demodulate_cuda *plan)
{
    const sac_das_cuda_strides from = {0, 0, in_row / size, in_sample / size};
    demodulate_job j = job_of(out, in, &from, 1, 1, (int32_t)n_rows, plan);
    j.rx = out_row / (ptrdiff_t)sizeof *out;
    j.aligned = (uintptr_t)out % 8 == 0 && j.rx % 2 == 0;
    return j;
}

extern "C" sac_status sac_demodulate_i16_cuda(sac_gpu_stream stream, float *out, ptrdiff_t out_row,
                                              const void *in, ptrdiff_t in_row, ptrdiff_t in_sample,
                                              int64_t n_rows, const sac_demodulate_cuda *plan)
{
    demodulate_job j = rows_of(out, out_row, in, in_row, in_sample, 2, n_rows, plan);
    return launch_of<int16_t>(stream, &j, 1, false, false);
}

extern "C" sac_status sac_demodulate_f32_cuda(sac_gpu_stream stream, float *out, ptrdiff_t out_row,
                                              const void *in, ptrdiff_t in_row, ptrdiff_t in_sample,
                                              int64_t n_rows, const sac_demodulate_cuda *plan)
{
    demodulate_job j = rows_of(out, out_row, in, in_row, in_sample, 4, n_rows, plan);
    return launch_of<float>(stream, &j, 1, false, false);
}
