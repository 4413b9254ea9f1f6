/*
 * A GPU that is the CPU's memory, and kernels that only note their names: sac_gpu_X is traced_gpu_X
 * to the plan.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "traced_gpu.h"

#include <stdio.h>
#include <stdlib.h>

#include "beamform/gpu_groups.h"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"
#include "beamform/kernels/groups_cuda.h"

static char trace[256];
static const void *channel_data; /* the caller's */
static bool read_it;             /* a kernel did */

void *traced_stream(void)
{
    return trace;
}

void traced_begin(const void *data)
{
    trace[0] = '\0';
    read_it = false;
    channel_data = data;
}

const char *traced_end(void)
{
    assert_true(read_it);
    return trace;
}

static sac_status note(const char *name, const void *in)
{
    size_t at = strlen(trace);
    snprintf(trace + at, sizeof trace - at, "%s%s", at ? " " : "", name);
    read_it = read_it || in == channel_data;
    return SAC_OK;
}

sac_status sac_gpu_open(sac_gpu **gpu, int32_t index, sac_error *err)
{
    (void)index, (void)err;
    *gpu = (sac_gpu *)(void *)trace;
    return SAC_OK;
}

void sac_gpu_close(sac_gpu **gpu)
{
    *gpu = NULL;
}

sac_status sac_gpu_enter(const sac_gpu *gpu)
{
    (void)gpu;
    return SAC_OK;
}

void sac_gpu_leave(const sac_gpu *gpu)
{
    (void)gpu;
}

sac_gpu_stream sac_gpu_main_stream(const sac_gpu *gpu)
{
    return (sac_gpu_stream)(uintptr_t)gpu;
}

sac_gpu_stream sac_gpu_copy_stream(const sac_gpu *gpu)
{
    return (sac_gpu_stream)(uintptr_t)gpu;
}

sac_gpu_stream sac_gpu_back_stream(const sac_gpu *gpu)
{
    return (sac_gpu_stream)(uintptr_t)gpu;
}

sac_status sac_gpu_alloc(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    (void)gpu, (void)err;
    *memory = calloc(bytes, 1);
    return *memory ? SAC_OK : SAC_E_NOMEM;
}

void sac_gpu_free(sac_gpu *gpu, void *memory)
{
    (void)gpu;
    free(memory);
}

uint64_t sac_gpu_free_bytes(const sac_gpu *gpu)
{
    (void)gpu;
    return UINT64_C(1) << 34;
}

sac_status sac_gpu_copy(void *to, const void *from, size_t bytes, sac_gpu_stream stream)
{
    (void)stream;
    memcpy(to, from, bytes);
    return SAC_OK;
}

sac_status sac_gpu_set(void *memory, uint8_t value, size_t bytes, sac_gpu_stream stream)
{
    (void)stream;
    memset(memory, value, bytes);
    return SAC_OK;
}

sac_status sac_gpu_wait(sac_gpu_stream stream)
{
    (void)stream;
    return SAC_OK;
}

sac_status sac_gpu_event_open_untimed(sac_gpu *gpu, sac_gpu_event *event)
{
    (void)gpu, (void)event;
    return SAC_OK;
}

int32_t sac_gpu_index(const sac_gpu *gpu)
{
    (void)gpu;
    return 0;
}

void sac_gpu_event_close(sac_gpu_event *event)
{
    (void)event;
}

sac_status sac_gpu_event_record(sac_gpu_event event, sac_gpu_stream stream)
{
    (void)event, (void)stream;
    return SAC_OK;
}

sac_status sac_gpu_event_wait(sac_gpu_event event, sac_gpu_stream stream)
{
    (void)event, (void)stream;
    return SAC_OK;
}

sac_status sac_gpu_event_sync(sac_gpu_event event)
{
    (void)event;
    return SAC_OK;
}

/* Staging: plans here have a stream of the caller's, and none. */
sac_status sac_stage_open(sac_stage **stage, sac_gpu *gpu, sac_pool *pool, size_t bytes,
                          sac_error *err)
{
    (void)stage, (void)gpu, (void)pool, (void)bytes;
    return sac_fail(err, SAC_E_UNSUPPORTED, "stage: not here");
}

void sac_stage_close(sac_stage **stage)
{
    assert_null(*stage);
}

sac_status sac_stage_up(sac_stage *stage, void *device, size_t pitch, const sac_array *from,
                        int32_t row_axes)
{
    (void)stage, (void)device, (void)pitch, (void)from, (void)row_axes;
    return SAC_E_UNSUPPORTED;
}

sac_status sac_stage_down(sac_stage *stage, const sac_array *to, int32_t row_axes,
                          const void *device, size_t pitch)
{
    (void)stage, (void)to, (void)row_axes, (void)device, (void)pitch;
    return SAC_E_UNSUPPORTED;
}

/* The kernels. */
bool sac_das_cuda_has_tensor(void)
{
    return true;
}

sac_status sac_das_cuda_arrivals(sac_gpu_stream stream, double *arrivals_s, const sac_das_cuda *run,
                                 const double *delays_s, const sac_das_meeting *meeting)
{
    (void)stream, (void)arrivals_s, (void)run, (void)delays_s, (void)meeting;
    return SAC_OK;
}

/* No plan here has groups. */
sac_status sac_groups_cuda_gather(sac_gpu_stream stream, const sac_groups_cuda_job *job)
{
    (void)stream, (void)job;
    return SAC_E_UNSUPPORTED;
}

sac_status sac_dual_cuda_run(sac_gpu_stream stream, float *out, const float *images,
                             const sac_dual_cuda *job, bool adds)
{
    (void)stream, (void)out, (void)images, (void)job, (void)adds;
    return SAC_E_UNSUPPORTED;
}

sac_status sac_das_cuda_pack(sac_gpu_stream stream, void *out, const void *in,
                             const sac_das_cuda_strides *from, const sac_das_cuda *run,
                             int32_t n_frames, int32_t size, int32_t from_size)
{
    (void)stream, (void)out, (void)from, (void)n_frames, (void)size, (void)from_size;
    return note(run->group > 1 ? "pack" : "gather", in);
}

sac_status sac_das_cuda_pack_half(sac_gpu_stream stream, void *out, const void *in,
                                  const sac_das_cuda_strides *from, const sac_das_cuda *run,
                                  int32_t n_frames)
{
    (void)stream, (void)out, (void)from, (void)run, (void)n_frames;
    return note("halve", in);
}

bool sac_demodulate_cuda_packs(const sac_demodulate_cuda *plan, bool restore)
{
    (void)restore;
    return plan->decimation < 4;
}

sac_status sac_demodulate_cuda_run(sac_gpu_stream stream, float *out, const void *in,
                                   sac_dtype dtype, const sac_das_cuda_strides *from,
                                   int32_t n_frames, int32_t n_tx, int32_t n_rx, bool restore,
                                   const sac_demodulate_cuda *plan)
{
    (void)stream, (void)out, (void)dtype, (void)from, (void)n_frames, (void)n_tx, (void)n_rx;
    assert_non_null(plan->memory);
    return note(restore ? "band-pass" : "demodulate", in);
}

sac_status sac_demodulate_cuda_pack(sac_gpu_stream stream, void *out, const void *in,
                                    sac_dtype dtype, const sac_das_cuda_strides *from,
                                    const sac_das_cuda *run, int32_t n_frames, bool restore,
                                    const sac_demodulate_cuda *plan)
{
    (void)stream, (void)out, (void)dtype, (void)from, (void)run, (void)n_frames;
    assert_non_null(plan->memory);
    return note(restore ? "band-pass+pack" : "demodulate+pack", in);
}

sac_status sac_field_cuda_prepare(sac_gpu_stream stream, const sac_field_cuda *field,
                                  const sac_das *das)
{
    (void)stream, (void)das;
    assert_non_null(field->share);
    return SAC_OK;
}

sac_status sac_field_cuda_arrivals(sac_gpu_stream stream, double *arrivals_s,
                                   const sac_field_cuda *field, const sac_das *das, int32_t t)
{
    (void)stream, (void)field, (void)das, (void)t;
    return note("arrive", arrivals_s);
}

sac_status sac_field_cuda_add(sac_gpu_stream stream, float *out, const float *waves,
                              const sac_field_cuda *field, const sac_das *das, int32_t begin,
                              int32_t end, int32_t n_frames, int32_t n_parts)
{
    (void)stream, (void)out, (void)field, (void)das, (void)begin, (void)end, (void)n_frames,
        (void)n_parts;
    return note("add", waves);
}

sac_status sac_scan_cuda(sac_gpu_stream stream, float *out, const float *in, const sac_scan *scan,
                         int64_t n_images, int64_t n_in)
{
    (void)stream, (void)out, (void)n_images, (void)n_in;
    assert_non_null(scan->places);
    return note("convert", in);
}

static sac_status run_points(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                             const sac_das_cuda *run)
{
    (void)stream, (void)shape, (void)out;
    return note("points", run->data);
}

static sac_status run_frames(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                             const sac_das_cuda *run)
{
    (void)stream, (void)shape, (void)out;
    return note("frames", run->data);
}

static sac_status run_tensor(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                             const sac_das_cuda *run)
{
    (void)stream, (void)shape, (void)out;
    assert_non_null(run->largest);
    return note("tensor", run->data);
}

#define RUNGS                                                                                      \
    {                                                                                              \
        {"points",           0, true, SAC_FN(sac_das_cuda_fn, run_points), SAC_TIER_EXACT,         \
         SAC_DAS_CUDA_POINTS},                                                                     \
            {"frames",           0, true, SAC_FN(sac_das_cuda_fn, run_frames), SAC_TIER_EXACT,     \
             SAC_DAS_CUDA_FRAMES},                                                                 \
            {"tensor",         0, true, SAC_FN(sac_das_cuda_fn, run_tensor), SAC_TIER_FAST,        \
             SAC_DAS_CUDA_HALF},                                                                   \
            {0},                                                                                   \
    }
const sac_variant sac_das_iq_f32_cuda[] = RUNGS;
const sac_variant sac_das_rf_f32_cuda[] = RUNGS;
const sac_variant sac_das_rf_i16_cuda[] = RUNGS;

static sac_status run_coherent(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                               const sac_das_cuda *run)
{
    (void)stream, (void)shape, (void)out;
    assert_int_equal(run->reduction.kind, SAC_REDUCE_CF);
    assert_int_equal(run->scratch_bytes, 0);
    return note("coherent", run->data);
}

static sac_status run_signals(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                              const sac_das_cuda *run)
{
    (void)stream, (void)shape, (void)out;
    assert_true(run->scratch && run->scratch_bytes == 1000);
    return note("signals", run->data);
}

const sac_variant sac_adapt_iq_f32_cuda[] = {
    {"signals", 0, true, SAC_FN(sac_das_cuda_fn, run_signals), SAC_TIER_EXACT, SAC_ADAPT_SIGNALS},
    {"points", 0, true, SAC_FN(sac_das_cuda_fn, run_coherent), SAC_TIER_EXACT, SAC_ADAPT_POINTS},
    {0},
};

size_t sac_adapt_cuda_bytes(const sac_das_cuda *run, double most)
{
    (void)run;
    assert_true(most > 0);
    return 1000;
}

sac_status sac_adapt_cuda_clip(sac_gpu_stream stream, float *values, int64_t n)
{
    (void)stream, (void)n;
    return note("clip", values);
}

sac_status sac_envelope_c64_cuda(sac_gpu_stream stream, float *out, const float *in, int64_t n)
{
    (void)stream, (void)out, (void)n;
    return note("magnitude", in);
}

sac_status sac_hilbert_f32_cuda(sac_gpu_stream stream, float *out, const float *in,
                                int64_t n_images, int64_t n_z, int64_t n_columns,
                                const sac_hilbert *hilbert)
{
    (void)stream, (void)out, (void)n_images, (void)n_z, (void)n_columns, (void)hilbert;
    return note("hilbert", in);
}

sac_status sac_maximum_f32_cuda(sac_gpu_stream stream, float *maximum, const float *in,
                                bool is_complex, int64_t n_frames, int64_t n)
{
    (void)stream, (void)maximum, (void)is_complex, (void)n_frames, (void)n;
    return note("maximum", in);
}

sac_status sac_compress_f32_cuda(sac_gpu_stream stream, void *out, bool gray, const float *in,
                                 bool is_complex, const float *maximum, int64_t n_frames, int64_t n,
                                 float range_db)
{
    (void)stream, (void)out, (void)is_complex, (void)maximum, (void)n_frames, (void)n,
        (void)range_db;
    return note(gray ? "gray" : "decibels", in);
}

sac_status sac_beamform_reorder(sac_gpu_stream stream, void *out, const void *in,
                                const int32_t *order, int64_t n_points, int64_t n_images,
                                bool is_complex)
{
    (void)stream, (void)out, (void)order, (void)n_points, (void)n_images, (void)is_complex;
    return note("reorder", in);
}

sac_status sac_beamform_place(sac_gpu_stream stream, const sac_array *out, const void *in)
{
    (void)stream, (void)out;
    return note("place", in);
}
