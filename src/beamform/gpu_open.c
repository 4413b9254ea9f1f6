/*
 * Opening and closing the GPU's part of a beamform plan: its kernels, all of its memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/gpu_groups.h"
#include "beamform/gpu_layers.h"
#include "gpu/open.h"

#define LEAST_BYTES 0x1p28 /* that a plan may take by default, however little is free */
#define FREE_SHARE 0.25    /* of what is free, that it may take by default */
#define WAVES_BYTES 0x1p28 /* of the images of waves that are kept at a time */
#define BATCH_NS 4e3       /* that a batch takes besides its parts: the kernels after them */

_Static_assert(SAC_BEAMFORM_BATCH == SAC_DAS_CUDA_BATCH, "batches that the parts are chosen for");

/* Bytes on the device: of a frame, and of the parts' records and packed samples. What a desc may
 * ask for (2^16 elements and transmits, 2^24 samples, 2^28 points) leaves each below 2^60. */
typedef struct batch_bytes {
    size_t in, image, envelope, picture, out, sorted;
    size_t records, packed; /* of the part that has the most */
    size_t largest;         /* of halves */
    size_t waves;           /* of the part that has the most frames: all waves' images, or some */
    size_t signals;         /* of adaptive weights, whatever the frames */
    size_t gathered, stage; /* of groups: of that part's records, and of the first of two stages */
} batch_bytes;

/* With the part's steps added to the plan's. */
static sac_beamform_part part_of(const sac_beamform *plan, const sac_das_cuda_part *of)
{
    const bool filters = sac_beamform_does(plan, SAC_STEP_FILTER);
    sac_beamform_part part = {.of = *of, .steps = plan->steps};
    if (of->group > 1 || (!filters && plan->desc.layout == SAC_FRAMES_INNER))
        part.steps |= SAC_STEP_PACK;
    if (of->is_half)
        part.steps |= SAC_STEP_HALVE;
    else if (filters && of->group > 1 &&
             sac_demodulate_cuda_packs(&plan->gpu->demodulate,
                                       sac_beamform_does(plan, SAC_STEP_RESTORE)))
        part.steps |= SAC_STEP_FUSED;
    return part;
}

/* n frames in the cheapest parts. */
static sac_beamform_batch batch_of(const sac_beamform *plan, const sac_das_cuda_cuts *cuts,
                                   int32_t n)
{
    sac_beamform_batch batch = {.n_frames = n};
    for (int32_t left = n; left > 0; left -= cuts->part[left].n_frames)
        batch.part[batch.n_parts++] = part_of(plan, &cuts->part[left]);
    return batch;
}

/* Samples of a packed part that can be read. */
static size_t packed_bytes(const sac_das_cuda *das, const sac_das_cuda_part *part)
{
    sac_das_cuda run = *das;
    run.das.n_frames = part->n_frames;
    const size_t n = (size_t)sac_das_cuda_pack_layout(&run, part->group);
    return part->is_half ? (n + SAC_DAS_HALF_GROUP) * sizeof(uint32_t) : n * (size_t)part->size;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static batch_bytes bytes_of(const sac_beamform *plan, const sac_beamform_batch *batch)
{
    const sac_beamform_desc *d = &plan->desc;
    const sac_das *das = &plan->das;
    const size_t n_records = (size_t)das->n_tx * (size_t)das->n_rx, n = (size_t)das->n_samples;
    const size_t n_images = (size_t)sac_das_images(das),
                 n_values = (size_t)das->n_points * n_images;
    const bool converts = sac_beamform_does(plan, SAC_STEP_CONVERT);
    const size_t n_out = converts ? (size_t)plan->scan.n_points * n_images : n_values;
    const size_t value = (plan->iq ? 2 : 1) * sizeof(float);
    batch_bytes b = {
        .in = n_records * (size_t)d->n_samples * sac_dtype_size(d->dtype),
        .out = n_out * sac_dtype_size(sac_beamform_get_output_array(plan).dtype),
        .sorted = plan->gpu->order ? n_values * value : 0,
        .signals = plan->gpu->das.scratch_bytes,
    };
    for (int32_t i = 0; i < batch->n_parts; i++) {
        const sac_beamform_part *p = &batch->part[i];
        const size_t record = n_records * n * (size_t)sac_beamform_sample_size(plan);
        if ((p->steps & (SAC_STEP_FILTER | SAC_STEP_HALVE)) && !(p->steps & SAC_STEP_FUSED))
            b.records = larger(b.records, (size_t)p->of.n_frames * record);
        if (p->steps & SAC_STEP_HALVE)
            b.largest = sizeof(float);
        if (p->steps & SAC_STEP_FIELD)
            b.waves = larger(b.waves, (size_t)plan->gpu->n_waves * (size_t)p->of.n_frames *
                                          (size_t)das->n_points * value);
        if (p->steps & SAC_STEP_PACK)
            b.packed = larger(b.packed, packed_bytes(&plan->gpu->das, &p->of));
        b.gathered = larger(b.gathered, sac_beamform_gpu_gathered_bytes(plan, p->of.n_frames));
    }
    b.stage = sac_beamform_gpu_stage_bytes(plan);
    if (sac_beamform_does(plan, SAC_STEP_MAGNITUDE | SAC_STEP_HILBERT))
        b.image = n_values * value;
    if (converts ||
        (sac_beamform_does(plan, SAC_STEP_COMPRESS) && sac_beamform_does(plan, SAC_STEP_HILBERT)))
        b.envelope = n_values * sizeof(float);
    if (converts && sac_beamform_does(plan, SAC_STEP_COMPRESS))
        b.picture = n_out * sizeof(float);
    return b;
}

/* Slots that batches of n frames come through: one where there is but one batch, or where the
 * arrays lie on the device. */
static int32_t count_slots(const sac_beamform *plan, int32_t n)
{
    return plan->gpu->waits && plan->desc.n_frames > n ? SAC_BEAMFORM_SLOTS : 1;
}

/* Bytes that a plan takes for batches like this one. */
static double all_bytes(const sac_beamform *plan, const sac_beamform_batch *batch)
{
    const batch_bytes b = bytes_of(plan, batch);
    const double slot = (plan->gpu->waits ? (double)b.in : 0) + (double)b.out;
    const double frame =
        count_slots(plan, batch->n_frames) * slot + (double)b.image + (double)b.sorted;
    return batch->n_frames * (frame + (double)b.envelope + (double)b.picture) + (double)b.records +
           (double)b.packed + (double)b.waves + (double)b.signals + (double)b.gathered +
           (double)b.stage + sac_beamform_gpu_layers_bytes(plan);
}

/* A run's time in batches of n frames. */
static double run_ns(const sac_beamform *plan, const sac_das_cuda_cuts *cuts, int32_t n)
{
    const int64_t n_frames = plan->desc.n_frames, rest = n_frames % n;
    return (double)(n_frames / n) * (cuts->ns[n] + BATCH_NS) +
           (rest ? cuts->ns[rest] + BATCH_NS : 0);
}

/* The frames of a batch with which a run takes the least time, of those that fit. */
static int32_t choose_batch(const sac_beamform *plan, const sac_das_cuda_cuts *cuts, double most)
{
    double least = INFINITY;
    int32_t best = 1;
    for (int32_t n = plan->das.n_frames; n > 0; n--) { /* at most SAC_BEAMFORM_BATCH */
        const double ns = run_ns(plan, cuts, n);
        const sac_beamform_batch batch = batch_of(plan, cuts, n);
        if (ns >= least || all_bytes(plan, &batch) > most)
            continue;
        best = n;
        least = ns;
    }
    return best;
}

/* What a plan may take, unless one frame needs more. */
static double most_bytes(const sac_beamform *plan, double wanted)
{
    if (plan->desc.memory_mb)
        return plan->desc.memory_mb * 1e6;
    if (wanted <= LEAST_BYTES) /* the device is asked only where it matters */
        return LEAST_BYTES;
    return fmax(LEAST_BYTES, FREE_SHARE * (double)sac_gpu_free_bytes(plan->gpu->gpu));
}

/*
 * The tier of the kernels. Single precision keeps the bounds of fp32 and fast
 * (docs/numerics.md) where paths to the elements differ by at most half a record from the path to
 * the array's middle. Of a wider array delays are computed in double.
 */
static sac_tier tier_of(const sac_beamform *plan)
{
    const sac_das *das = &plan->das;
    double across2 = 0; /* of the array's diagonal, in samples */
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t r = 0; r < das->n_rx; r++) {
            low = fmin(low, das->elements[r].position_m[i]);
            high = fmax(high, das->elements[r].position_m[i]);
        }
        const double side = (high - low) * das->fs_hz / das->c_m_s;
        across2 += side * side;
    }
    const bool is_wide = sqrt(across2) > das->n_samples;
    const sac_tier asked = (sac_tier)plan->desc.tier;
    return is_wide ? SAC_TIER_EXACT : asked;
}

/* The batches, by what their parts cost. */
static void cut(sac_beamform_gpu *g, sac_beamform *plan)
{
    const bool inner =
        plan->desc.layout == SAC_FRAMES_INNER && !sac_beamform_does(plan, SAC_STEP_FILTER);
    const double value = plan->iq ? 8 : 4, arrival = sizeof(double);
    const double wave = (double)plan->das.n_points * (plan->das.n_frames * value + arrival);
    sac_das_cuda_cuts cuts;
    sac_das das = plan->das;
    if (sac_beamform_does(plan, SAC_STEP_FIELD)) {
        das.lri = true;
        g->n_waves = (int32_t)fmax(1, fmin(das.n_tx, floor(WAVES_BYTES / wave)));
    }
    const int32_t size = sac_beamform_sample_size(plan);
    if (plan->n_groups)
        sac_beamform_gpu_groups_cut(&cuts, plan, size, tier_of(plan), inner);
    else
        sac_das_cuda_cut(&cuts, &das, size, tier_of(plan), inner);
    const sac_beamform_batch wanted = batch_of(plan, &cuts, choose_batch(plan, &cuts, INFINITY));
    const double most = most_bytes(plan, all_bytes(plan, &wanted));
    plan->das.n_frames = choose_batch(plan, &cuts, most);
    if (!sac_beamform_does(plan, SAC_STEP_ADAPT) && !plan->layered) /* whose launches are others */
        g->predicted_ns = run_ns(plan, &cuts, plan->das.n_frames);
    g->batch[0] = batch_of(plan, &cuts, plan->das.n_frames);
    g->batch[1] = batch_of(plan, &cuts, (int32_t)(plan->desc.n_frames % plan->das.n_frames));
}

static sac_status open_slot(sac_beamform_slot *slot, sac_beamform_gpu *g, size_t in, size_t out,
                            sac_error *err)
{
    const sac_gpu_buffer buffers[] = {{&slot->in, in}, {&slot->out, out}};
    sac_gpu_event *const events[] = {&slot->here, &slot->done, &slot->gone};
    const sac_status st = sac_gpu_alloc_all(g->gpu, buffers, 2, err);
    return st ? st : sac_gpu_events_open_untimed(g->gpu, events, 3, err);
}

static sac_status allocate(sac_beamform_gpu *g, const sac_beamform *plan, sac_error *err)
{
    const batch_bytes b = bytes_of(plan, &g->batch[0]), rest = bytes_of(plan, &g->batch[1]);
    const size_t n = (size_t)plan->das.n_frames;
    const sac_gpu_buffer buffers[] = {
        {&g->records, larger(b.records, rest.records)},
        {&g->packed, larger(b.packed, rest.packed)},
        {&g->image, n * b.image},
        {&g->envelope, n * b.envelope},
        {&g->picture, n * b.picture},
        {(void **)&g->sorted, n * b.sorted},
        {&g->wave_images, larger(b.waves, rest.waves)},
        {&g->signals, b.signals},
        {&g->maximum, sac_beamform_does(plan, SAC_STEP_COMPRESS) ? n * sizeof(float) : 0},
        {&g->gathered, larger(b.gathered, rest.gathered)},
        {&g->stage_images, b.stage},
        {&g->largest, larger(b.largest, rest.largest)},
    };
    sac_status status = sac_gpu_alloc_all(g->gpu, buffers, sizeof buffers / sizeof buffers[0], err);
    if (status == SAC_OK && b.stage) /* whose ends are read, though nothing comes of it */
        status = sac_gpu_set(g->stage_images, 0, b.stage, g->stream);
    g->das.largest = g->largest;
    g->das.scratch = g->signals;
    const int32_t n_slots = count_slots(plan, plan->das.n_frames);
    for (int i = 0; i < n_slots && status == SAC_OK; i++)
        status = open_slot(&g->slot[i], g, g->waits ? n * b.in : 0, n * b.out, err);
    if (status == SAC_OK && g->waits)
        status =
            sac_stage_open(&g->stage, g->gpu, plan->pool, n * (b.in > b.out ? b.in : b.out), err);
    return status;
}

/* " ROOM:NAME" behind what there is, once. */
static void name(sac_beamform *plan, const char *room, const char *rung)
{
    const size_t at = strlen(plan->variant);
    char added[64];
    snprintf(added, sizeof added, "%s:%s", room, rung);
    if (!strstr(plan->variant, added))
        snprintf(plan->variant + at, sizeof plan->variant - at, "%s%s", at ? " " : "", added);
}

/* The kernel of a part. */
static sac_das_cuda_fn choose_part(const char **rung, const sac_beamform *plan,
                                   const sac_das_cuda_part *of)
{
    if (!sac_beamform_does(plan, SAC_STEP_ADAPT))
        return sac_das_cuda_choose(rung, of->group, of->size, tier_of(plan), of->is_half);
    const sac_variant *best = sac_variant_of_kind(
        sac_adapt_iq_f32_cuda, (int32_t)sac_adapt_kind_of(&plan->reduction), tier_of(plan));
    sac_known(best); /* the first of each kind takes every tier */
    *rung = best->name;
    return (sac_das_cuda_fn)best->fn;
}

/* The parts' kernels. */
static void choose_parts(sac_beamform *plan, sac_beamform_batch *batch)
{
    const int32_t size = sac_beamform_sample_size(plan);
    for (int32_t i = 0; i < batch->n_parts; i++) {
        sac_beamform_part *part = &batch->part[i];
        const sac_das_cuda_part *of = &part->of;
        const char *rung;
        const bool adapts = sac_beamform_does(plan, SAC_STEP_ADAPT);
        part->beamform = choose_part(&rung, plan, of);
        if ((part->steps & SAC_STEP_PACK) && !(part->steps & SAC_STEP_FUSED))
            name(plan, size == 8 ? "pack_c64" : size == 4 ? "pack_f32" : "pack_i16", "cuda");
        const char *room = adapts          ? "adapt_iq_f32"
                           : of->size == 8 ? "das_iq_f32"
                           : of->size == 4 ? "das_rf_f32"
                                           : "das_rf_i16";
        name(plan, room, rung);
    }
}

/* The kernels, named in the order of a run. */
static void choose(sac_beamform_gpu *g, sac_beamform *plan)
{
    if (sac_beamform_does(plan, SAC_STEP_FILTER))
        name(plan, plan->desc.dtype == SAC_I16 ? "demodulate_i16" : "demodulate_f32", "cuda");
    choose_parts(plan, &g->batch[0]);
    choose_parts(plan, &g->batch[1]);
    if (sac_beamform_does(plan, SAC_STEP_MAGNITUDE | SAC_STEP_HILBERT))
        name(plan, plan->iq ? "envelope_c64" : "hilbert_f32", "cuda");
    if (sac_beamform_does(plan, SAC_STEP_COMPRESS))
        name(plan, "compress_f32", "cuda");
    sac_hilbert_init(&plan->taps);
    sac_log_line(plan->desc.log, SAC_LOG_INFO, "beamform: %s, cuda:%d, %d frames at a time",
                 plan->variant, plan->desc.device.index, plan->das.n_frames);
}

/* Everything but the device itself. */
static sac_status open_parts(sac_beamform_gpu *g, sac_beamform *plan, sac_error *err)
{
    sac_status status = plan->n_groups ? sac_beamform_gpu_groups_open(g, plan, err)
                        : plan->layered
                            ? sac_beamform_gpu_layers_open(g, plan, err)
                            : sac_das_cuda_open(&g->das, &g->geometry, &plan->das, g->gpu, err);
    if (status == SAC_OK && sac_beamform_does(plan, SAC_STEP_FILTER))
        status = sac_demodulate_cuda_open(&g->demodulate, sac_demodulator_plan(plan->demodulator),
                                          g->gpu, err);
    if (status == SAC_OK && g->waits)
        status = sac_pool_open(&plan->pool, plan->desc.n_threads, plan->desc.executor, err);
    if (status)
        return status;
    if (sac_beamform_does(plan, SAC_STEP_ADAPT) &&
        sac_adapt_kind_of(&plan->reduction) == SAC_ADAPT_SIGNALS)
        g->das.scratch_bytes = sac_adapt_cuda_bytes(
            &g->das, 0.5 * most_bytes(plan, 2 * SAC_ADAPT_CUDA_BYTES)); /* the other half: frames */
    cut(g, plan);
    choose(g, plan);
    status = sac_beamform_gpu_tables(g, plan, err);
    return status ? status : allocate(g, plan, err);
}

sac_status sac_beamform_gpu_open(sac_beamform *plan, sac_error *err)
{
    int32_t index = plan->desc.device.index;
    if (plan->desc.variant)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "variant: can be forced on the CPU only, and the device is cuda:%d", index);
    sac_beamform_gpu *g = plan->gpu = sac_alloc(1, sizeof *g);
    if (!g)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for the plan");
    sac_status status = sac_gpu_open(&g->gpu, index, err);
    if (status)
        return status;
    g->waits = plan->desc.stream == NULL;
    g->stream = g->waits ? sac_gpu_main_stream(g->gpu) : plan->desc.stream;
    if (sac_gpu_enter(g->gpu))
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    status = open_parts(g, plan, err);
    sac_gpu_leave(g->gpu);
    return status;
}

static void close_parts(sac_beamform_gpu *g)
{
    sac_beamform_gpu_groups_close(g);
    sac_beamform_gpu_layers_close(g);
    sac_stage_close(&g->stage);
    sac_demodulate_cuda_close(&g->demodulate, g->gpu);
    for (int i = 0; i < SAC_BEAMFORM_SLOTS; i++) {
        sac_gpu_event_close(&g->slot[i].here);
        sac_gpu_event_close(&g->slot[i].done);
        sac_gpu_event_close(&g->slot[i].gone);
        sac_gpu_free(g->gpu, g->slot[i].in);
        sac_gpu_free(g->gpu, g->slot[i].out);
    }
    void *memory[] = {g->geometry, g->records, g->packed,      g->image,   g->envelope, g->signals,
                      g->maximum,  g->largest, g->wave_images, g->picture, g->tables};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        sac_gpu_free(g->gpu, memory[i]);
}

void sac_beamform_gpu_close(sac_beamform_gpu **gpu)
{
    if (!*gpu)
        return;
    sac_beamform_gpu *g = *gpu;
    bool entered = g->gpu && sac_gpu_enter(g->gpu) == SAC_OK;
    if (g->gpu)
        close_parts(g);
    if (entered)
        sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    sac_free(g);
    *gpu = NULL;
}
