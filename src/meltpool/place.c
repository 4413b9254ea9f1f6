/*
 * Where to look in a frame: what needs the frames before it, in the stream's order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "meltpool/plan.h"

int32_t sac_meltpool_q16(double pixels)
{
    const double q16 = pixels * 65536, below = floor(q16);
    return (int32_t)below + (q16 - below >= 0.5);
}

/* The nearest of 0 .. last. */
static int32_t inside(int32_t first, int32_t last)
{
    return first < 0 ? 0 : first < last ? first : last;
}

/* The ROI around a pixel, its first column rounded down, then moved into the frame. Returns flags.
 */
static uint32_t crop(const sac_meltpool *plan, sac_meltpool_frame_job *job, int32_t x, int32_t y)
{
    const int32_t n = plan->desc.roi;
    const int32_t x0 = (x - n / 2) & -plan->align, y0 = y - n / 2;
    job->n = n;
    job->x0 = inside(x0, plan->desc.w - n);
    job->y0 = inside(y0, plan->desc.h - n);
    return job->x0 != x0 || job->y0 != y0 ? SAC_MELTPOOL_CLIPPED : 0;
}

/* False where the place is too far away, or no number. */
static bool from_laser(const sac_meltpool *plan, sac_meltpool_place *place,
                       const sac_meltpool_signals *signals)
{
    const double(*m)[3] = plan->desc.calibration;
    const double x = m[0][0] * signals->x + m[0][1] * signals->y + m[0][2];
    const double y = m[1][0] * signals->x + m[1][1] * signals->y + m[1][2];
    const double reach = SAC_MELTPOOL_REACH;
    if (!(x >= -reach && x <= plan->desc.w - 1 + reach && y >= -reach &&
          y <= plan->desc.h - 1 + reach))
        return false;
    *place = (sac_meltpool_place){sac_meltpool_q16(x), sac_meltpool_q16(y)};
    return true;
}

static uint8_t maximum(const uint8_t *pixels, int32_t n)
{
    uint8_t most = 0;
    for (int32_t i = 0; i < n; i++)
        most = pixels[i] > most ? pixels[i] : most;
    return most;
}

sac_meltpool_place sac_meltpool_brightest(const sac_meltpool *plan, const uint8_t *pixels)
{
    const int32_t w = plan->desc.w;
    const uint8_t *first = pixels;
    int32_t most = -1, y = 0;
    for (int32_t i = 0; i < plan->desc.h; i++) {
        const uint8_t *row = pixels + i * plan->block.row;
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

static bool locate(const sac_meltpool *plan, sac_meltpool_place *place, int32_t i, bool gap,
                   const sac_meltpool_signals *signals)
{
    switch (plan->desc.locate) {
    case SAC_MELTPOOL_LASER:
        return from_laser(plan, place, signals);
    case SAC_MELTPOOL_FIXED:
        *place = plan->fixed;
        return true;
    case SAC_MELTPOOL_BRIGHTEST:
        *place = plan->steps[i].brightest;
        return true;
    default:
        *place = plan->stream.has_pool && !gap
                     ? plan->stream.pool
                     : sac_meltpool_brightest(plan, plan->block.pixels + i * plan->block.frame);
        return true;
    }
}

/* Whether so many frames lie between the last processed one and this that variances begin anew. */
static bool is_gap(const sac_meltpool *plan, const sac_meltpool_signals *signals)
{
    const sac_meltpool_stream *s = &plan->stream;
    const int32_t steps = (int32_t)((uint32_t)signals->counter - (uint32_t)s->counter);
    const int64_t between = steps > 0 ? steps - 1 : s->n_between;
    return s->has_frame && (double)between / plan->desc.rate_hz >= plan->desc.gap_reset_s;
}

void sac_meltpool_direct(sac_meltpool_stream *stream, double x, double y)
{
    const double length = sqrt(x * x + y * y), half_root3 = 0.86602540378443864676;
    const double c = 16384 * x / length, s = 16384 * y / length;
    const double ex[3] = {c, c / 2 - s * half_root3, -c / 2 - s * half_root3};
    const double ey[3] = {s, s / 2 + c * half_root3, -s / 2 + c * half_root3};
    for (int k = 0; k < 3; k++) {
        stream->edge_x[k] = (int32_t)floor(ex[k] + 0.5);
        stream->edge_y[k] = (int32_t)floor(ey[k] + 0.5);
    }
}

static void leave_out(sac_meltpool *plan, sac_meltpool_record *record, uint32_t flag)
{
    record->flags = flag;
    memset(record->features, 0, sizeof record->features);
    memset(record->prediction, 0, sizeof record->prediction);
    plan->stream.n_between++;
}

/* The stream goes on to a frame that is processed. */
static void advance(sac_meltpool *plan, sac_meltpool_place centre, bool gap, int32_t counter)
{
    sac_meltpool_stream *s = &plan->stream;
    const int32_t n = gap ? 0 : s->n;
    if (plan->desc.scan_frame && s->has_frame &&
        (centre.x != s->centre.x || centre.y != s->centre.y))
        sac_meltpool_direct(s, centre.x - s->centre.x, centre.y - s->centre.y);
    s->has_pool = s->has_pool && !gap;
    s->n = n < plan->desc.window ? n + 1 : n;
    s->newest = s->newest + 1 < plan->n_rows ? s->newest + 1 : 0;
    s->has_frame = true;
    s->centre = centre;
    s->counter = counter;
    s->n_between = 0;
}

void sac_meltpool_plan_step(sac_meltpool *plan, int32_t i)
{
    const sac_meltpool_block *b = &plan->block;
    sac_meltpool_stream *s = &plan->stream;
    sac_meltpool_record *record = &b->records[i];
    sac_meltpool_step *step = &plan->steps[i];
    sac_meltpool_place centre;
    record->signals = b->signals
                          ? b->signals[i]
                          : (sac_meltpool_signals){.laser_on = 1, .counter = s->next_counter};
    s->next_counter = (int32_t)((uint32_t)record->signals.counter + 1);
    if (!record->signals.laser_on) {
        leave_out(plan, record, SAC_MELTPOOL_EMPTY);
        return;
    }
    const bool gap = is_gap(plan, &record->signals);
    if (!locate(plan, &centre, i, gap, &record->signals)) {
        leave_out(plan, record, SAC_MELTPOOL_REFUSED);
        return;
    }
    advance(plan, centre, gap, record->signals.counter);
    const sac_meltpool_place around = plan->desc.static_roi ? plan->fixed : centre;
    record->flags = gap ? SAC_MELTPOOL_GAP : 0;
    record->flags |=
        crop(plan, &step->job, sac_meltpool_pixel(around.x), sac_meltpool_pixel(around.y));
    step->row = s->newest;
    step->n = s->n;
    step->job.frame = b->pixels + i * b->frame;
    step->job.row = b->row;
    step->job.threshold = plan->desc.threshold;
    step->job.spatter_min = plan->desc.spatter_min;
    step->job.cx = sac_meltpool_pixel(centre.x);
    step->job.cy = sac_meltpool_pixel(centre.y);
    step->job.cx_q16 = centre.x;
    step->job.cy_q16 = centre.y;
    step->job.scan = plan->desc.scan_frame;
    memcpy(step->job.edge_x, s->edge_x, sizeof s->edge_x);
    memcpy(step->job.edge_y, s->edge_y, sizeof s->edge_y);
}
