/*
 * Delay-and-sum on a GPU: the geometry on the device, and which kernel a run takes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_cuda.h"

#include <float.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"
#include "beamform/kernels/das/cuda/das_tiles_cuda.h"
#include "beamform/kernels/das/das_inline.h"

/* Where everything lies in one piece of memory, here and on the device. */
typedef struct parts {
    size_t elements, firing, waves, place, place_f32, from_middle, facing, points, order, delays,
        copied;           /* filled here, then copied */
    size_t arrivals, all; /* filled there */
} parts;

static bool add(size_t *at, size_t *all, size_t n, size_t size)
{
    size_t bytes;
    *at = *all;
    return !__builtin_mul_overflow(n, size, &bytes) && bytes < SIZE_MAX / 2 &&
           !__builtin_add_overflow(*all, (bytes + 255) / 256 * 256, all);
}

static size_t count(const sac_das *das, sac_transmit_kind kind)
{
    size_t n = 0;
    for (int32_t t = 0; t < das->n_tx; t++)
        n += das->transmits[t].kind == kind;
    return n;
}

/* Whether points are a list without rows. */
static bool has_order(const sac_das_cuda *run)
{
    return run->das.points_m && run->n[0] == run->das.n_points;
}

/* Elements that fire. */
static size_t n_firing(const sac_das *das)
{
    return (size_t)(das->firing ? das->n_firing : das->n_rx);
}

static const sac_element *firing_of(const sac_das *das)
{
    return das->firing ? das->firing : das->elements;
}

static bool lay_out(parts *p, const sac_das_cuda *run)
{
    const sac_das *das = &run->das;
    const size_t n_rx = (size_t)das->n_rx, n_tx = (size_t)das->n_tx;
    const size_t n_points = (size_t)das->n_points;
    const size_t by_delays = count(das, SAC_TRANSMIT_DELAYS);
    const size_t given = count(das, SAC_TRANSMIT_ARRIVALS);
    bool fits = true;
    p->all = 0;
    fits = fits && add(&p->elements, &p->all, n_rx, sizeof(sac_element));
    fits = fits && add(&p->firing, &p->all, n_firing(das), sizeof(sac_element));
    fits = fits && add(&p->waves, &p->all, n_tx, sizeof(sac_das_wave));
    fits = fits && add(&p->place, &p->all, 4 * n_rx, sizeof(double));
    fits = fits && add(&p->place_f32, &p->all, 4 * n_rx, sizeof(float));
    fits = fits && add(&p->from_middle, &p->all, 4 * n_rx, sizeof(float));
    fits = fits && add(&p->facing, &p->all, 4 * n_rx, sizeof(float));
    fits = fits && add(&p->points, &p->all, das->points_m ? 3 * n_points : 0, sizeof(double));
    fits = fits && add(&p->order, &p->all, has_order(run) ? n_points : 0, sizeof(int32_t));
    fits = fits && add(&p->delays, &p->all, by_delays * n_firing(das), sizeof(double));
    /* The rest is on the device alone: given arrivals are copied from where they are. */
    p->copied = p->all;
    return fits && add(&p->arrivals, &p->all, by_delays + given, n_points * sizeof(double));
}

bool sac_das_cuda_in_plane(const sac_das *das)
{
    bool all = das->pitch_m <= 0;
    for (int32_t r = 0; r < das->n_rx && all; r++) {
        const sac_element *e = &das->elements[r];
        all = e->normal[0] == 0 && e->normal[1] == 0 && e->normal[2] == 1 &&
              e->position_m[2] == das->elements[0].position_m[2];
    }
    return all;
}

static void fill_places(char *here, const parts *p, const sac_das *das, sac_das_cuda *run)
{
    double *place = (double *)(void *)(here + p->place);
    float *place_f32 = (float *)(void *)(here + p->place_f32);
    float *from_middle = (float *)(void *)(here + p->from_middle);
    float *facing = (float *)(void *)(here + p->facing);
    for (int i = 0; i < 3; i++) {
        run->box[0][i] = INFINITY;
        run->box[1][i] = -INFINITY;
    }
    for (int32_t r = 0; r < das->n_rx; r++)
        for (int i = 0; i < 3; i++) {
            const double x = das->elements[r].position_m[i] * run->scale;
            place[4 * r + i] = x;
            place_f32[4 * r + i] = (float)x;
            run->box[0][i] = fmin(run->box[0][i], x);
            run->box[1][i] = fmax(run->box[1][i], x);
        }
    for (int i = 0; i < 3; i++)
        run->middle[i] = 0.5 * (run->box[0][i] + run->box[1][i]);
    for (int32_t r = 0; r < das->n_rx; r++) {
        double squares = 0;
        for (int i = 0; i < 3; i++) {
            const double x = place[4 * r + i] - run->middle[i];
            from_middle[4 * r + (i ? i + 1 : 0)] = (float)x;
            facing[4 * r + i] = (float)das->elements[r].normal[i];
            squares += x * x;
        }
        from_middle[4 * r + 1] = (float)(-0.5 * squares);
    }
}

static sac_das_wave wave_of(int32_t t, const sac_das *das, double scale)
{
    const sac_transmit *tx = &das->transmits[t];
    sac_das_wave w = {.kind = tx->kind, .t0 = tx->t0_s * das->fs_hz};
    const double a = tx->azimuth_rad, e = tx->elevation_rad;
    const double plane[3] = {sin(a) * cos(e), sin(e), cos(a) * cos(e)};
    const double *from =
        tx->kind == SAC_TRANSMIT_ELEMENT ? firing_of(das)[tx->element].position_m : tx->source_m;
    for (int i = 0; i < 3; i++)
        w.v[i] = tx->kind == SAC_TRANSMIT_PLANE ? plane[i] : from[i] * scale;
    w.norm = sqrt(w.v[0] * w.v[0] + w.v[1] * w.v[1] + w.v[2] * w.v[2]);
    if (tx->kind == SAC_TRANSMIT_DELAYS)
        w.kind = SAC_TRANSMIT_ARRIVALS;
    if (das->tx_lines && das->tx_lines[t].shape != SAC_SHAPE_AREA && w.kind != SAC_TRANSMIT_PLANE &&
        w.kind != SAC_TRANSMIT_ARRIVALS) {
        w.of_lines = w.kind;
        w.kind = SAC_DAS_OF_LINES;
    }
    w.meeting = sac_das_meeting_of(das, t);
    for (int i = 0; i < 2; i++) {
        w.meeting.at[i] *= scale;
        w.meeting.middle[i] *= scale;
        w.meeting.half[i] *= scale;
    }
    return w;
}

/* The waves, and which part of the arrivals is whose. */
static void fill_waves(char *here, char *there, const parts *p, const sac_das *das, double scale)
{
    sac_das_wave *waves = (sac_das_wave *)(void *)(here + p->waves);
    double *delays = (double *)(void *)(here + p->delays);
    const double *arrivals = (const double *)(void *)(there + p->arrivals);
    for (int32_t t = 0; t < das->n_tx; t++) {
        const sac_transmit *tx = &das->transmits[t];
        waves[t] = wave_of(t, das, scale);
        waves[t].weight = das->tx_weight[t];
        if (tx->kind == SAC_TRANSMIT_DELAYS) {
            memcpy(delays, tx->delays_s, n_firing(das) * sizeof *delays);
            delays += n_firing(das);
        }
        if (waves[t].kind == SAC_TRANSMIT_ARRIVALS) {
            waves[t].arrivals_s = arrivals;
            arrivals += das->n_points;
        }
    }
}

static sac_status fill_arrivals(char *there, const parts *p, const sac_das_cuda *run,
                                const sac_das *das, sac_gpu_stream stream)
{
    double *arrivals = (double *)(void *)(there + p->arrivals);
    const double *delays = (const double *)(void *)(there + p->delays);
    sac_status status = SAC_OK;
    for (int32_t t = 0; t < das->n_tx && status == SAC_OK; t++) {
        const sac_transmit *tx = &das->transmits[t];
        if (tx->kind == SAC_TRANSMIT_ARRIVALS)
            status = sac_gpu_copy(arrivals, tx->arrivals_s,
                                  (size_t)das->n_points * sizeof *arrivals, stream);
        const sac_das_meeting meeting = sac_das_meeting_of(das, t);
        if (tx->kind == SAC_TRANSMIT_DELAYS) {
            status = sac_das_cuda_arrivals(stream, arrivals, run, delays, &meeting);
            delays += n_firing(das);
        }
        if (tx->kind == SAC_TRANSMIT_ARRIVALS || tx->kind == SAC_TRANSMIT_DELAYS)
            arrivals += das->n_points;
    }
    return status;
}

/* The axes along which points lie; of a list without rows there is one. */
static void find_axes(sac_das_cuda *run, const sac_das *das)
{
    int64_t stride = 1;
    for (int i = 0; i < 3; i++) {
        run->n[i] = !das->points_m ? das->grid.n[i] : i == 0 ? das->n_points : 1;
        run->stride[i] = stride;
        stride *= run->n[i];
    }
    const sac_das_list list =
        das->points_m ? sac_das_list_of(das->points_m, das->n_points, das->elements, das->n_rx)
                      : (sac_das_list){0};
    if (list.n_across > 0) {
        run->n[0] = list.n_across;
        run->stride[0] = list.across;
        run->n[2] = list.n_deep;
        run->stride[2] = list.deep;
    }
}

/* Everything into `there`; `here` is the same memory on this side. */
static sac_status fill(sac_das_cuda *run, char *here, char *there, const parts *p,
                       const sac_das *das, sac_gpu_stream stream)
{
    sac_status status = SAC_OK;
    memcpy(here + p->elements, das->elements, (size_t)das->n_rx * sizeof *das->elements);
    memcpy(here + p->firing, firing_of(das), n_firing(das) * sizeof *das->elements);
    if (das->points_m)
        memcpy(here + p->points, das->points_m, (size_t)das->n_points * 3 * sizeof(double));
    int32_t *order = has_order(run) ? (int32_t *)(void *)(here + p->order) : NULL;
    if (order) {
        run->order = (const int32_t *)(void *)(there + p->order);
        status = sac_das_list_order(order, das->points_m, das->n_points);
    }
    if (status == SAC_OK)
        sac_das_tiles_measure(run, das, order);
    fill_places(here, p, das, run);
    fill_waves(here, there, p, das, run->scale);
    run->das.elements = (const sac_element *)(void *)(there + p->elements);
    run->das.firing = (const sac_element *)(void *)(there + p->firing);
    run->das.n_firing = (int32_t)n_firing(das);
    run->das.points_m = das->points_m ? (const double *)(void *)(there + p->points) : NULL;
    run->largest_weight = FLT_MIN;
    for (int32_t t = 0; t < das->n_tx; t++)
        run->largest_weight = fmaxf(run->largest_weight, fabsf(das->tx_weight[t]));
    run->das.transmits = NULL;
    run->das.tx_weight = NULL;
    run->das.tx_lines = NULL;
    run->waves = (const sac_das_wave *)(void *)(there + p->waves);
    run->place = (const double *)(void *)(there + p->place);
    run->from_middle = (const float *)(void *)(there + p->from_middle);
    run->facing = (const float *)(void *)(there + p->facing);
    run->place_f32 = (const float *)(void *)(there + p->place_f32);
    if (status == SAC_OK)
        status = sac_gpu_copy(there, here, p->copied, stream);
    if (status == SAC_OK)
        status = fill_arrivals(there, p, run, das, stream);
    const sac_status waited = sac_gpu_wait(stream);
    return status ? status : waited;
}

sac_status sac_das_cuda_open(sac_das_cuda *run, void **memory, const sac_das *das, sac_gpu *gpu,
                             sac_error *err)
{
    parts p;
    *memory = NULL;
    *run = (sac_das_cuda){.das = *das};
    run->das.data = NULL;
    if (das->reduction)
        run->reduction = *das->reduction;
    run->n_multiprocessors = sac_gpu_multiprocessors(gpu);
    run->is_plane = sac_das_cuda_in_plane(das);
    run->scale = das->fs_hz / das->c_m_s;
    run->turns = das->phase_sign * das->fd_hz / das->fs_hz;
    run->turns_f32 = (float)run->turns;
    run->taper = sac_das_taper_of(&das->apodization);
    run->tapers = sac_das_tapers_in(&das->apodization, false);
    run->has_aperture = das->apodization.f_number > 0;
    run->has_window = run->has_aperture && das->apodization.window != SAC_WINDOW_RECT;
    find_axes(run, das);
    char *here = lay_out(&p, run) ? sac_alloc(p.copied, 1) : NULL;
    if (!here)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for its geometry");
    sac_status status = sac_gpu_alloc(gpu, memory, p.all, err);
    if (status == SAC_OK && sac_gpu_enter(gpu) != SAC_OK)
        status = sac_fail(err, SAC_E_DEVICE, "beamform: the device is lost");
    else if (status == SAC_OK) {
        status = fill(run, here, (char *)*memory, &p, das, sac_gpu_main_stream(gpu));
        sac_gpu_leave(gpu);
        if (status)
            status = sac_fail(err, status, "beamform: the device refused its geometry");
    }
    sac_free(here);
    if (status) {
        sac_gpu_free(gpu, *memory);
        *memory = NULL;
    }
    return status;
}

sac_das_cuda_share sac_das_cuda_share_of(int32_t n_tx, int32_t n_frames, int32_t interp, bool is_iq,
                                         bool is_double)
{
    const int32_t most = SAC_DAS_POINTS_MOST(is_iq, is_double);
    const int32_t fewer = SAC_DAS_POINTS_FEWER(is_iq, is_double);
    const int32_t sizes[][6] = {[SAC_INTERP_NEAREST] = {most, 3, 2, 1},
                                [SAC_INTERP_LINEAR] = {most, fewer, 5, 3, 2, 1},
                                [SAC_INTERP_CUBIC] = {5, 2, 1}};
    sac_das_cuda_share best = {1, 1, INFINITY};
    for (const int32_t *size = sizes[interp]; size < sizes[interp] + 6 && *size > 0; size++)
        for (int32_t frames = 1; frames <= n_frames && frames <= sizes[interp][0]; frames++) {
            const int32_t passes = (n_tx * frames + *size - 1) / *size;
            const int32_t groups = (n_frames + frames - 1) / frames;
            const double samples = (double)passes * groups * (*size + 1);
            if (samples < best.samples)
                best = (sac_das_cuda_share){*size, frames, samples};
        }
    return best;
}

/* Places in a transmit's data are 32-bit numbers, in bytes. */
bool sac_das_cuda_packs(const sac_das *das, int32_t size, int32_t group)
{
    const int64_t sample = (int64_t)group * size;
    return size >= 4 && !das->tx_lines &&
           (int64_t)das->n_rx * (das->n_samples + SAC_DAS_GAP) * sample <= UINT32_MAX;
}

int32_t sac_das_cuda_group(const sac_das *das, int32_t size)
{
    const int32_t unit = 16 / size; /* frames */
    int32_t group = 2 * unit;
    while (group < 16 * unit && group < das->n_frames)
        group *= 2;
    return das->n_frames > unit && sac_das_cuda_packs(das, size, group) ? group : 1;
}

/* It works on 32 frames at a time, whatever their number, as long as on 16 in single precision. */
bool sac_das_cuda_takes_half(const sac_das *das, int32_t size, sac_tier tier)
{
    const bool fits = das->interp == SAC_INTERP_LINEAR && das->outside == SAC_OUTSIDE_ZERO;
    return fits && tier >= SAC_TIER_FAST && size == 8 && das->n_frames > SAC_DAS_HALF_GROUP / 2 &&
           sac_das_cuda_packs(das, size, SAC_DAS_HALF_GROUP) && sac_das_cuda_has_tensor();
}

sac_das_cuda_fn sac_das_cuda_choose(const char **name, int32_t group, int32_t size, sac_tier tier,
                                    bool is_half)
{
    const sac_variant *table = size == 8   ? sac_das_iq_f32_cuda
                               : size == 4 ? sac_das_rf_f32_cuda
                                           : sac_das_rf_i16_cuda;
    const sac_das_kind kind = is_half     ? SAC_DAS_CUDA_HALF
                              : group > 1 ? SAC_DAS_CUDA_FRAMES
                                          : SAC_DAS_CUDA_POINTS;
    const sac_variant *best = sac_variant_of_kind(table, (int32_t)kind, tier);
    sac_known(best); /* the first of each table takes every run */
    *name = best->name;
    return (sac_das_cuda_fn)best->fn;
}
