/*
 * Pools in whole frames, for who does not know yet where the laser is in them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/label.h>
#include <saccade/meltpool_calibrate.h>

#include "base/alloc.h"
#include "base/array_check.h"

/* The component with the most light, the first of equals; NULL: there is none. */
static const sac_component *brightest_of(const sac_component *components, int64_t n)
{
    const sac_component *most = NULL;
    for (int64_t i = 0; i < n; i++)
        if (!most || components[i].intensity > most->intensity)
            most = &components[i];
    return most;
}

static void take(sac_meltpool_sight *sight, const sac_component *pool, const sac_array *frame)
{
    if (!pool) {
        sight->flags = SAC_MELTPOOL_NO_POOL;
        return;
    }
    const bool is_cut = pool->x0 == 0 || pool->y0 == 0 || pool->x1 == frame->shape[1] ||
                        pool->y1 == frame->shape[0];
    sight->flags = is_cut ? SAC_MELTPOOL_CLIPPED : 0;
    sight->column = pool->x;
    sight->row = pool->y;
}

static sac_status see(sac_meltpool_sight *sight, const sac_array *labels, const sac_array *frame,
                      int32_t threshold, sac_error *err)
{
    int64_t n = 0;
    sac_status status = sac_label(labels, &n, frame, threshold, err);
    if (status || n == 0) {
        take(sight, NULL, frame);
        return status;
    }
    sac_component *components = sac_alloc((size_t)n, sizeof *components);
    if (!components)
        return sac_fail(err, SAC_E_NOMEM, "label: no memory for %lld components", (long long)n);
    status = sac_label_components(components, n, labels, frame, err);
    if (status == SAC_OK)
        take(sight, brightest_of(components, n), frame);
    sac_free(components);
    return status;
}

static sac_status see_all(sac_meltpool_sight *sights, const sac_array *labels,
                          const sac_array *frames, const sac_meltpool_signals *signals,
                          int32_t threshold, sac_error *err)
{
    sac_array frame = *frames;
    frame.n_dims = 2;
    for (int i = 0; i < 2; i++) {
        frame.shape[i] = frames->shape[i + 1];
        frame.stride[i] = frames->stride[i + 1];
    }
    sac_status status = SAC_OK;
    for (int64_t i = 0; i < frames->shape[0] && status == SAC_OK; i++) {
        sights[i] = (sac_meltpool_sight){.signals = signals[i], .flags = SAC_MELTPOOL_EMPTY};
        frame.data = (char *)frames->data + i * frames->stride[0];
        if (signals[i].laser_on)
            status = see(&sights[i], labels, &frame, threshold, err);
    }
    return status;
}

static sac_status check(const sac_meltpool_sight *sights, const sac_array *frames,
                        const sac_meltpool_signals *signals, int32_t threshold, sac_error *err)
{
    sac_status status = sac_array_check(frames, "frames", err);
    if (status == SAC_OK)
        status = sac_array_expect_on(frames, "frames", SAC_CPU, err);
    if (status)
        return status;
    sac_known(frames);
    if (frames->dtype != SAC_U8 || frames->n_dims != 3)
        return sac_fail(err, SAC_E_SHAPE, "frames: expected (n, h, w) of u8, got %d axes of %s",
                        frames->n_dims, sac_dtype_name(frames->dtype));
    if (frames->shape[1] > 0 && frames->shape[2] > INT32_MAX / frames->shape[1])
        return sac_fail(err, SAC_E_SHAPE, "frames: %lld x %lld are more pixels than are counted",
                        (long long)frames->shape[2], (long long)frames->shape[1]);
    if (frames->shape[0] > 0 && (!sights || !signals))
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", sights ? "signals" : "sights");
    if (threshold < 1 || threshold > 255)
        return sac_fail(err, SAC_E_INVALID, "threshold: expected 1 to 255, got %d", threshold);
    return SAC_OK;
}

sac_status sac_meltpool_see(sac_meltpool_sight *sights, const sac_array *frames,
                            const sac_meltpool_signals *signals, int32_t threshold, sac_error *err)
{
    sac_status status = check(sights, frames, signals, threshold, err);
    if (status)
        return status;
    sac_known(frames);
    const int64_t shape[] = {frames->shape[1], frames->shape[2]};
    sac_array labels;
    int32_t *memory = sac_alloc((size_t)(shape[0] * shape[1] + 1), sizeof *memory);
    if (!memory)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory for the labels of %lld x %lld pixels",
                        (long long)shape[1], (long long)shape[0]);
    status = sac_array_view(&labels, memory, SAC_I32, 2, shape, err);
    if (status == SAC_OK)
        status = see_all(sights, &labels, frames, signals, threshold, err);
    sac_free(memory);
    return status;
}
