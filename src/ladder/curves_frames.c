/*
 * Frames that lie ready to be measured with: of a simulated build, in the middle of frames of
 * another size.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "ladder/curves.h"
#include "meltpool/ladder/scenes.h"

enum { SIDE = SAC_MELTPOOL_SIM_SIZE };
#define MOST_BYTES (INT64_C(128) << 20)

static sac_status no_memory(const sac_curves_frames *f, sac_error *err)
{
    return sac_fail(err, SAC_E_NOMEM, "curves: no memory for %" PRId32 " frames of %dx%d", f->n,
                    f->w, f->h);
}

/* Where the simulated frame's first pixel lies in a larger frame; below 0 where this is smaller. */
static int32_t offset_in(int32_t side)
{
    return (side - SIDE) / 2;
}

static void place(uint8_t *to, const uint8_t *from, int32_t h, int32_t w)
{
    for (int32_t y = 0; y < h; y++)
        for (int32_t x = 0; x < w; x++) {
            const int32_t from_x = x - offset_in(w), from_y = y - offset_in(h);
            const bool is_in = from_x >= 0 && from_x < SIDE && from_y >= 0 && from_y < SIDE;
            to[(ptrdiff_t)y * w + x] = is_in ? from[from_y * SIDE + from_x] : 0;
        }
}

static sac_status simulate(const sac_curves_frames *f, sac_error *err)
{
    sac_simulate_meltpool_desc desc;
    sac_meltpool_sim *sim = NULL;
    uint8_t frame[SIDE * SIDE];
    sac_simulate_meltpool_desc_init(&desc);
    desc.n_frames = f->n;
    const sac_status status = sac_meltpool_sim_open(&sim, &desc, err);
    for (int32_t i = 0; status == SAC_OK && sac_meltpool_sim_next(sim, frame, &f->signals[i], NULL);
         i++)
        place(f->pixels + (ptrdiff_t)i * f->h * f->w, frame, f->h, f->w);
    sac_meltpool_sim_close(&sim);
    return status;
}

static sac_status allocate(sac_curves_frames *f, size_t bytes, sac_error *err)
{
    f->signals = sac_alloc((size_t)f->n, sizeof *f->signals);
    if (f->device.kind == SAC_DEVICE_CUDA) {
        void *memory = NULL;
        sac_status status = sac_gpu_open(&f->gpu, f->device.index, err);
        status = status ? status : sac_pinned_alloc(&memory, bytes, f->device, err);
        if (status != SAC_OK)
            return status;
        f->pixels = memory;
    } else {
        f->pixels = sac_alloc(bytes, 1);
    }
    return f->signals && f->pixels ? SAC_OK : no_memory(f, err);
}

sac_status sac_curves_fill(sac_curves_frames *f, sac_meltpool_desc *desc, int32_t n, sac_error *err)
{
    const int64_t frame_bytes = (int64_t)desc->h * desc->w;
    *f = (sac_curves_frames){.n = n, .h = desc->h, .w = desc->w, .device = desc->device};
    while (f->n > 1 && f->n * frame_bytes > MOST_BYTES)
        f->n /= 2;
    sac_status status = allocate(f, (size_t)(f->n * frame_bytes), err);
    status = status ? status : simulate(f, err);
    sac_meltpool_sim_calibration(desc->calibration);
    desc->calibration[0][2] += offset_in(f->w);
    desc->calibration[1][2] += offset_in(f->h);
    return status;
}

sac_status sac_curves_copy(sac_curves_frames *f, sac_error *err)
{
    const size_t bytes = (size_t)f->n * (size_t)f->h * (size_t)f->w;
    void *memory = NULL;
    if (f->on_device)
        return SAC_OK;
    sac_status status = sac_gpu_alloc(f->gpu, &memory, bytes, err);
    if (status != SAC_OK)
        return status;
    f->on_device = memory;
    status = sac_gpu_enter(f->gpu);
    if (status == SAC_OK) {
        const sac_gpu_stream stream = sac_gpu_main_stream(f->gpu);
        status = sac_gpu_copy(f->on_device, f->pixels, bytes, stream);
        status = status ? status : sac_gpu_wait(stream);
        sac_gpu_leave(f->gpu);
    }
    return status == SAC_OK ? SAC_OK
                            : sac_fail(err, status, "curves: frames cannot be copied to the GPU");
}

void sac_curves_free(sac_curves_frames *f)
{
    sac_free(f->signals);
    if (f->device.kind != SAC_DEVICE_CUDA) {
        sac_free(f->pixels);
    } else if (!f->is_stuck) {
        if (f->gpu)
            sac_gpu_free(f->gpu, f->on_device);
        sac_pinned_free(f->pixels, f->device);
        sac_gpu_close(&f->gpu);
    }
    *f = (sac_curves_frames){0};
}
