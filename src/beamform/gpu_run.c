/*
 * Running a beamform plan on a GPU: a batch's steps, and the batches' way there and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/array_check.h"
#include "beamform/gpu_groups.h"
#include "beamform/gpu_layers.h"

/* A run at work. */
typedef struct job {
    sac_beamform *plan;
    sac_array in, out; /* in: (n_frames, n_transmits, n_elements, n_samples) */
    bool up, down;     /* `in`, `out` lie in the CPU's memory */
    bool in_place;     /* the last step writes to `out`, which lies on the device as it does */
} job;

static int64_t first_frame(const job *j, int64_t i)
{
    return i * j->plan->das.n_frames;
}

static int32_t count_frames(const job *j, int64_t i)
{
    int64_t left = j->plan->desc.n_frames - first_frame(j, i);
    return left < j->plan->das.n_frames ? (int32_t)left : j->plan->das.n_frames;
}

/* The batch's part of an array whose first axis is the frames. */
static sac_array batch_of(const job *j, const sac_array *array, int64_t i)
{
    sac_array batch = *array;
    batch.data = (char *)array->data + first_frame(j, i) * array->stride[0];
    batch.shape[0] = count_frames(j, i);
    return batch;
}

static sac_beamform_slot *slot_of(const job *j, int64_t i)
{
    sac_beamform_gpu *g = j->plan->gpu;
    return &g->slot[g->waits ? i % SAC_BEAMFORM_SLOTS : 0];
}

/* From the image to what was asked for. */
static sac_status finish(const sac_beamform *plan, void *result, int32_t n_frames)
{
    const sac_beamform_gpu *g = plan->gpu;
    const int64_t n_images = sac_das_images(&plan->das);
    int64_t n = plan->das.n_points * n_images;
    bool is_log = sac_beamform_does(plan, SAC_STEP_COMPRESS), is_complex = plan->iq;
    const bool converts = sac_beamform_does(plan, SAC_STEP_CONVERT);
    const float *image = g->image;
    float *envelope = is_log || converts ? g->envelope : result;
    sac_status status = SAC_OK;
    if (sac_beamform_does(plan, SAC_STEP_HILBERT)) {
        int64_t n_z = plan->desc.grid.n[2];
        status = sac_hilbert_f32_cuda(g->stream, envelope, image,
                                      (int64_t)n_frames * sac_das_images(&plan->das), n_z,
                                      plan->das.n_points / n_z, &plan->taps);
        image = envelope;
    } else if (!is_log || converts) {
        status = sac_envelope_c64_cuda(g->stream, envelope, image, n_frames * n);
        image = envelope;
        is_complex = false;
    }
    if (status == SAC_OK && converts) {
        float *picture = is_log ? g->picture : result;
        status = sac_scan_cuda(g->stream, picture, image, &g->scan, n_frames * n_images,
                               plan->das.n_points);
        image = picture;
        n = g->scan.n_points * n_images;
    }
    if (status || !is_log)
        return status;
    status = sac_maximum_f32_cuda(g->stream, g->maximum, image, is_complex, n_frames, n);
    if (status)
        return status;
    return sac_compress_f32_cuda(g->stream, result, sac_beamform_does(plan, SAC_STEP_GRAY), image,
                                 is_complex, g->maximum, n_frames, n,
                                 (float)plan->desc.dynamic_range_db);
}

/* Strides of contiguous records (n_frames, n_tx, n_rx, n). */
static sac_das_cuda_strides contiguous(const sac_das *das, int64_t n)
{
    return (sac_das_cuda_strides){
        .frame = das->n_tx * das->n_rx * n, .tx = das->n_rx * n, .rx = n, .sample = 1};
}

/* Whether no sample lies between others that are the batch's. */
static bool is_dense(const sac_das *das, const sac_das_cuda_strides *at, int64_t n_frames)
{
    const sac_das_cuda_strides outer = contiguous(das, das->n_samples);
    const sac_das_cuda_strides inner = {
        .frame = 1, .tx = outer.tx * n_frames, .rx = outer.rx * n_frames, .sample = n_frames};
    return !memcmp(at, &outer, sizeof outer) || !memcmp(at, &inner, sizeof inner);
}

/* In half precision, scaled by the largest sample; what is not dense is made so before. */
static sac_status pack_half(const sac_beamform_gpu *g, const sac_das_cuda *run, const void *data,
                            sac_das_cuda_strides at)
{
    const sac_das *das = &run->das;
    sac_status status = SAC_OK;
    if (!is_dense(das, &at, das->n_frames)) {
        sac_das_cuda dense = *run;
        (void)sac_das_cuda_pack_layout(&dense, 1);
        status = sac_das_cuda_pack(g->stream, g->records, data, &at, &dense, das->n_frames,
                                   2 * (int32_t)sizeof(float), 2 * (int32_t)sizeof(float));
        data = g->records;
        at = contiguous(das, das->n_samples);
    }
    if (status == SAC_OK)
        status = sac_maximum_f32_cuda(g->stream, g->largest, data, true, 1,
                                      das->n_frames * contiguous(das, das->n_samples).frame);
    return status ? status
                  : sac_das_cuda_pack_half(g->stream, g->packed, data, &at, run, das->n_frames);
}

sac_status sac_beamform_gpu_prepare(const sac_beamform *plan, const sac_beamform_part *part,
                                    sac_das_cuda *run, const void *in,
                                    const sac_das_cuda_strides *from)
{
    sac_beamform_gpu *g = plan->gpu;
    const sac_dtype dtype = plan->desc.dtype;
    const int32_t n = run->das.n_frames;
    const bool restore = sac_beamform_does(plan, SAC_STEP_RESTORE);
    const bool fused = part->steps & SAC_STEP_FUSED;
    sac_das_cuda_strides at = *from;
    run->data = fused ? g->packed : in;
    if (fused)
        return sac_demodulate_cuda_pack(g->stream, g->packed, in, dtype, from, run, n, restore,
                                        &g->demodulate);
    if (part->steps & SAC_STEP_FILTER) {
        sac_status status =
            sac_demodulate_cuda_run(g->stream, g->records, in, dtype, from, n, run->das.n_tx,
                                    run->das.n_rx, restore, &g->demodulate);
        if (status)
            return status;
        run->data = g->records;
        at = contiguous(&run->das, plan->das.n_samples);
    }
    if (!(part->steps & SAC_STEP_PACK)) {
        run->frame = at.frame;
        run->tx = at.tx;
        run->rx = at.rx;
        return SAC_OK;
    }
    const void *data = run->data;
    run->data = g->packed;
    if (part->steps & SAC_STEP_HALVE)
        return pack_half(g, run, data, at);
    return sac_das_cuda_pack(g->stream, g->packed, data, &at, run, n, part->of.size,
                             sac_beamform_sample_size(plan));
}

/* A part's images, of transmits from t on. */
static sac_status beamform_part(const sac_beamform *plan, const sac_beamform_part *part,
                                float *image, const sac_das_cuda *run, int32_t t)
{
    return plan->layered ? sac_beamform_gpu_layers_run(plan, part, image, run, t)
                         : part->beamform(plan->gpu->stream, NULL, image, run);
}

/* A part's images by waves of which each point takes a share of its own: some waves at a time. */
static sac_status beamform_waves(const sac_beamform *plan, const sac_beamform_part *part,
                                 float *image, const sac_das_cuda *run)
{
    sac_beamform_gpu *g = plan->gpu;
    const int64_t sample = part->of.is_half ? (int64_t)sizeof(uint32_t) : part->of.size;
    sac_status status = SAC_OK;
    for (int32_t t = 0; t < plan->das.n_tx && status == SAC_OK; t += g->n_waves) {
        const int32_t left = plan->das.n_tx - t, n = left < g->n_waves ? left : g->n_waves;
        sac_das_cuda some = *run;
        some.das.lri = true;
        some.das.n_tx = n;
        some.waves = g->waves + t;
        some.data = (const char *)run->data + t * run->tx * sample;
        some.out_frame = n * some.out_image;
        for (int32_t k = t; k < t + n && status == SAC_OK; k++)
            if (plan->waves[k].shape == SAC_FIELD_BOTH_SIDES)
                status =
                    sac_field_cuda_arrivals(g->stream, g->arrivals_s + (k - t) * plan->das.n_points,
                                            &g->field, &g->das.das, k);
        if (status == SAC_OK)
            status = beamform_part(plan, part, g->wave_images, &some, t);
        if (status == SAC_OK)
            status = sac_field_cuda_add(g->stream, image, g->wave_images, &g->field, &g->das.das, t,
                                        t + n, part->of.n_frames, plan->iq ? 2 : 1);
    }
    return status;
}

/* All steps of a batch, from channel data that lies on the device. */
static sac_status work(const sac_beamform *plan, void *result, const void *in,
                       const sac_das_cuda_strides *from, int32_t n_frames)
{
    sac_beamform_gpu *g = plan->gpu;
    const sac_beamform_batch *batch = &g->batch[n_frames < plan->das.n_frames];
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(plan->desc.dtype);
    const bool finishes = sac_beamform_does(plan, SAC_STEP_MAGNITUDE | SAC_STEP_HILBERT);
    float *all = g->order ? g->sorted : finishes ? g->image : result, *image = all;
    sac_das_cuda run = g->das;
    sac_status status = SAC_OK;
    run.out_point = 1;
    run.out_image = plan->das.n_points;
    run.out_frame = run.out_image * sac_das_images(&plan->das);
    for (int32_t i = 0; i < batch->n_parts && status == SAC_OK; i++) {
        const sac_beamform_part *part = &batch->part[i];
        run.das.n_frames = part->of.n_frames;
        (void)sac_das_cuda_pack_layout(&run, part->of.group);
        if (g->groups)
            status = sac_beamform_gpu_groups_run(plan, part, image, in, from);
        else
            status = sac_beamform_gpu_prepare(plan, part, &run, in, from);
        if (status == SAC_OK && !g->groups)
            status = sac_beamform_does(plan, SAC_STEP_FIELD)
                         ? beamform_waves(plan, part, image, &run)
                         : beamform_part(plan, part, image, &run, 0);
        in = (const char *)in + part->of.n_frames * from->frame * size;
        image += part->of.n_frames * run.out_frame * (plan->iq ? 2 : 1);
    }
    if (status == SAC_OK && g->order)
        status = sac_beamform_reorder(g->stream, finishes ? g->image : result, all, g->order,
                                      plan->das.n_points, n_frames * sac_das_images(&plan->das),
                                      plan->iq);
    if (status == SAC_OK && finishes && plan->reduction.kind == SAC_REDUCE_SLSC)
        status = sac_adapt_cuda_clip(g->stream, g->image, n_frames * run.out_frame);
    return status == SAC_OK && finishes ? finish(plan, result, n_frames) : status;
}

/* Channel data of the batch to its slot, in the order of the plan's layout. */
static sac_status upload(const job *j, sac_das_cuda_strides *from, int64_t i)
{
    static const int32_t inner[] = {1, 2, 3, 0};
    const sac_beamform *plan = j->plan;
    const sac_beamform_slot *slot = slot_of(j, i);
    sac_gpu_stream copy = sac_gpu_copy_stream(plan->gpu->gpu);
    sac_array in = batch_of(j, &j->in, i);
    *from = contiguous(&plan->das, plan->desc.n_samples);
    if (plan->desc.layout == SAC_FRAMES_INNER) {
        int64_t n = in.shape[0];
        *from =
            (sac_das_cuda_strides){.frame = 1, .tx = from->tx * n, .rx = from->rx * n, .sample = n};
        sac_status turned = sac_array_permute(&in, &in, inner, NULL);
        if (turned)
            return turned;
    }
    size_t row = (size_t)in.shape[3] * sac_dtype_size(in.dtype);
    sac_status status = sac_gpu_event_wait(slot->done, copy);
    if (status == SAC_OK)
        status = sac_stage_up(plan->gpu->stage, slot->in, row, &in, 1);
    if (status == SAC_OK)
        status = sac_gpu_event_record(slot->here, copy);
    return status ? status : sac_gpu_event_wait(slot->here, plan->gpu->stream);
}

/* The batch's channel data on the device, by itself or copied; all work on it. */
static sac_status send(const job *j, int64_t i)
{
    const sac_beamform_gpu *g = j->plan->gpu;
    const sac_beamform_slot *slot = slot_of(j, i);
    const sac_array in = batch_of(j, &j->in, i), out = batch_of(j, &j->out, i);
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(in.dtype);
    void *result = j->in_place ? out.data : slot->out;
    const void *data = in.data;
    sac_das_cuda_strides from = {.frame = in.stride[0] / size,
                                 .tx = in.stride[1] / size,
                                 .rx = in.stride[2] / size,
                                 .sample = in.stride[3] / size};
    sac_status status = SAC_OK;
    if (j->up) {
        status = upload(j, &from, i);
        data = slot->in;
    }
    if (status == SAC_OK && j->down)
        status = sac_gpu_event_wait(slot->gone, g->stream);
    if (status == SAC_OK)
        status = work(j->plan, result, data, &from, count_frames(j, i));
    if (status == SAC_OK && !j->down && !j->in_place)
        status = sac_beamform_place(g->stream, &out, result);
    return status ? status : sac_gpu_event_record(slot->done, g->stream);
}

static sac_status fetch(const job *j, int64_t i)
{
    const sac_beamform_gpu *g = j->plan->gpu;
    const sac_beamform_slot *slot = slot_of(j, i);
    sac_gpu_stream back = sac_gpu_back_stream(g->gpu);
    const sac_array out = batch_of(j, &j->out, i);
    size_t row = (size_t)out.shape[out.n_dims - 1] * sac_dtype_size(out.dtype);
    sac_status status = sac_gpu_event_wait(slot->done, back);
    if (status == SAC_OK)
        status = sac_stage_down(g->stage, &out, 1, slot->out, row);
    return status ? status : sac_gpu_event_record(slot->gone, back);
}

/* Tells who watches that batch i is done, or enqueued where the stream is his. SAC_CANCELLED: he
 * said no. */
static sac_status report(const job *j, int64_t i)
{
    const sac_beamform_desc *d = &j->plan->desc;
    const sac_beamform_slot *slot = slot_of(j, i);
    uint64_t n_points = (uint64_t)j->plan->das.n_points;
    uint64_t done = (uint64_t)(first_frame(j, i) + count_frames(j, i)) * n_points;
    if (!d->progress)
        return SAC_OK;
    if (j->plan->gpu->waits) {
        sac_status status = sac_gpu_event_sync(j->down ? slot->gone : slot->done);
        if (status)
            return status;
    }
    return d->progress(d->progress_ctx, done, (uint64_t)d->n_frames * n_points) ? SAC_OK
                                                                                : SAC_CANCELLED;
}

/* A batch is sent before the one ahead of it is fetched, so that the device always has work. */
static sac_status run_batches(const job *j)
{
    const sac_beamform_gpu *g = j->plan->gpu;
    int64_t n_batch = j->plan->das.n_frames, n = (j->plan->desc.n_frames + n_batch - 1) / n_batch;
    sac_status status = SAC_OK;
    for (int64_t i = 0; i <= n && status == SAC_OK; i++) {
        if (i < n)
            status = send(j, i);
        if (i > 0 && j->down && status == SAC_OK)
            status = fetch(j, i - 1);
        if (i > 0 && status == SAC_OK)
            status = report(j, i - 1);
    }
    /* All three, whatever failed: the caller's memory is his again. */
    sac_gpu_stream streams[] = {sac_gpu_copy_stream(g->gpu), g->stream,
                                sac_gpu_back_stream(g->gpu)};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0] && g->waits; i++) {
        sac_status waited = sac_gpu_wait(streams[i]);
        status = status ? status : waited;
    }
    return status;
}

/* Whether the array lies in the CPU's memory and is copied, or in the plan's device, in strides
 * of whole samples. SAC_E_SHAPE: neither. */
static sac_status check_place(bool *copied, const sac_beamform *plan, const sac_array *a,
                              const char *name, sac_error *err)
{
    *copied = a->device.kind == SAC_DEVICE_CPU && plan->gpu->waits;
    return *copied ? SAC_OK : sac_array_expect_on(a, name, plan->desc.device, err);
}

/* Channel data on the device: what the kernels read in place. */
static sac_status check_samples(const sac_beamform *plan, const sac_array *in, sac_error *err)
{
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(in->dtype);
    bool fits = (uintptr_t)in->data % (uintptr_t)size == 0;
    for (int i = 0; i < 4; i++)
        fits = fits && in->stride[i] % size == 0;
    if (plan->desc.layout == SAC_FRAMES_OUTER)
        fits = fits && (in->shape[3] == 1 || in->stride[3] == size);
    return fits ? SAC_OK
                : sac_fail(err, SAC_E_SHAPE,
                           "in: expected strides of whole samples, and a record's side by side");
}

/* Whether the images can be written where they belong. */
static bool is_in_place(const job *j)
{
    return !j->down && sac_array_is_contiguous(&j->out) &&
           (uintptr_t)j->out.data % sac_dtype_size(j->out.dtype) == 0;
}

sac_status sac_beamform_gpu_run(sac_beamform *plan, const sac_array *out, const sac_array *in,
                                sac_error *err)
{
    job j = {.plan = plan};
    sac_status status = sac_beamform_check_output(plan, out, err);
    if (status == SAC_OK)
        status = sac_beamform_check_input(&j.in, plan, in, err);
    if (status == SAC_OK)
        status = check_place(&j.up, plan, in, "in", err);
    if (status == SAC_OK)
        status = check_place(&j.down, plan, out, "out", err);
    if (status == SAC_OK && !j.up)
        status = check_samples(plan, &j.in, err);
    if (status)
        return status;
    status = sac_gpu_enter(plan->gpu->gpu);
    if (status)
        return sac_gpu_fail(status, err);
    j.out = *out;
    j.in_place = is_in_place(&j);
    status = run_batches(&j);
    sac_gpu_leave(plan->gpu->gpu);
    return sac_gpu_fail(status, err);
}
