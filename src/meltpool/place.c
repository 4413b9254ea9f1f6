/*
 * Where to look in a frame: a block's frames, in the stream's order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "meltpool/plan.h"

/* The centre is within the first half of the ROI and an alignment: so at most half of the ROI. */
sac_meltpool_places sac_meltpool_places_of(const sac_meltpool_desc *d)
{
    sac_meltpool_places p = {
        .h = d->h,
        .w = d->w,
        .roi = d->roi,
        .align = d->roi_align,
        .locate = d->locate,
        .static_roi = d->static_roi,
        .scan_frame = d->scan_frame,
        .fixed = {sac_meltpool_q16(d->fixed[0] < 0 ? (d->w - 1) / 2.0 : d->fixed[0]),
                  sac_meltpool_q16(d->fixed[1] < 0 ? (d->h - 1) / 2.0 : d->fixed[1])},
        .threshold = d->threshold,
        .spatter_min = d->spatter_min,
        .window = d->window,
        .rate_hz = d->rate_hz,
        .gap_reset_s = d->gap_reset_s,
    };
    memcpy(p.calibration, d->calibration, sizeof p.calibration);
    while (p.align > d->roi / 2)
        p.align /= 2;
    return p;
}

static uint8_t maximum(const uint8_t *pixels, int32_t n)
{
    uint8_t most = 0;
    for (int32_t i = 0; i < n; i++)
        most = pixels[i] > most ? pixels[i] : most;
    return most;
}

sac_meltpool_place sac_meltpool_brightest(const uint8_t *pixels, int32_t h, int32_t w,
                                          ptrdiff_t stride)
{
    const uint8_t *first = pixels;
    int32_t most = -1, y = 0;
    for (int32_t i = 0; i < h; i++) {
        const uint8_t *row = pixels + i * stride;
        const int32_t value = maximum(row, w);
        if (value > most) {
            most = value;
            first = row;
            y = i;
        }
    }
    const uint8_t *found = memchr(first, most, (size_t)w);
    return (sac_meltpool_place){(int32_t)(found - first) * 65536, y * 65536};
}

sac_meltpool_signals sac_meltpool_signals_of(const sac_meltpool *plan, int32_t i)
{
    const sac_meltpool_signals none = {.laser_on = 1, .counter = plan->stream.next_counter};
    return plan->block.signals ? plan->block.signals[i] : none;
}

uint32_t sac_meltpool_plan_frame(sac_meltpool *plan, sac_meltpool_step *step, int32_t i,
                                 const sac_meltpool_signals *signals)
{
    const sac_meltpool_block *b = &plan->block;
    sac_meltpool_stream *s = &plan->stream;
    step->job.frame = b->pixels + i * b->frame;
    step->job.row = b->row;
    if (plan->desc.locate == SAC_MELTPOOL_PREVIOUS && signals->laser_on &&
        sac_meltpool_seeks(&plan->places, s, signals))
        step->brightest =
            sac_meltpool_brightest(step->job.frame, plan->desc.h, plan->desc.w, b->row);
    return sac_meltpool_place_next(&plan->places, s, step, signals, step->brightest);
}

void sac_meltpool_leave_out(sac_meltpool_record *record)
{
    memset(record->features, 0, sizeof record->features);
    memset(record->prediction, 0, sizeof record->prediction);
}

void sac_meltpool_plan_step(sac_meltpool *plan, int32_t i)
{
    sac_meltpool_record *record = &plan->block.records[i];
    record->signals = sac_meltpool_signals_of(plan, i);
    record->flags = sac_meltpool_plan_frame(plan, &plan->steps[i], i, &record->signals);
    if (sac_meltpool_is_left_out(record->flags))
        sac_meltpool_leave_out(record);
}
