/*
 * Where a run looks in a frame, and what it finds there: by the same arithmetic and components as a
 * run, for who draws it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include <saccade/label.h>

#include "base/alloc.h"
#include "base/array_check.h"
#include "base/struct.h"
#include "meltpool/plan.h"

/* What is looked for, and the components of the ROI. */
typedef struct search {
    sac_meltpool_places places;
    sac_meltpool_frame_job job;
    sac_array roi, labels;
    int64_t n;
} search;

/* The place around which the pool is searched. */
static sac_meltpool_place centre_of(const search *s, sac_meltpool_place laser,
                                    const sac_array *frame, const double *last_pool)
{
    const sac_meltpool_places *p = &s->places;
    if (p->locate == SAC_MELTPOOL_PREVIOUS && last_pool)
        return (sac_meltpool_place){sac_meltpool_q16(last_pool[0]), sac_meltpool_q16(last_pool[1])};
    return p->locate == SAC_MELTPOOL_PREVIOUS || p->locate == SAC_MELTPOOL_BRIGHTEST
               ? sac_meltpool_brightest(frame->data, p->h, p->w, frame->stride[0])
               : laser;
}

static const int32_t *label_row(const search *s, int32_t y)
{
    return (const int32_t *)s->labels.data + (ptrdiff_t)y * s->job.n;
}

/* The label of the bright pixel that is nearest to the centre's, of equals the first in raster
 * order; 0: none is bright. */
static int32_t pool_of(const search *s)
{
    int64_t nearest = INT64_MAX;
    int32_t label = 0;
    for (int32_t y = 0; y < s->job.n; y++)
        for (int32_t x = 0; x < s->job.n; x++) {
            const int64_t dx = s->job.x0 + x - s->job.cx, dy = s->job.y0 + y - s->job.cy;
            if (label_row(s, y)[x] && dx * dx + dy * dy < nearest) {
                nearest = dx * dx + dy * dy;
                label = label_row(s, y)[x];
            }
        }
    return label;
}

static void take_pool(sac_meltpool_outline *o, uint8_t *pool, const search *s, int32_t label,
                      const sac_component *c)
{
    const double xx = c->xx + 1.0 / 12, yy = c->yy + 1.0 / 12, xy = c->xy;
    const double middle = (xx + yy) / 2, spread = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
    const bool touches = c->x0 == 0 || c->y0 == 0 || c->x1 == s->job.n || c->y1 == s->job.n;
    o->flags |= touches ? SAC_MELTPOOL_CLIPPED : 0;
    o->area = c->area;
    o->pool[0] = s->job.x0 + c->x;
    o->pool[1] = s->job.y0 + c->y;
    o->semi_axes[0] = 2 * sqrt(middle + spread);
    o->semi_axes[1] = 2 * sqrt((xx * yy - xy * xy) / (middle + spread));
    o->angle_rad = atan2(2 * xy, xx - yy) / 2;
    for (int32_t i = 0; pool && i < s->job.n * s->job.n; i++)
        pool[i] = ((const int32_t *)s->labels.data)[i] == label;
}

static sac_status find(sac_meltpool_outline *o, uint8_t *pool, search *s, sac_error *err)
{
    sac_status status = sac_label(&s->labels, &s->n, &s->roi, s->job.threshold, err);
    const int32_t label = status == SAC_OK ? pool_of(s) : 0;
    o->flags |= label ? 0 : SAC_MELTPOOL_NO_POOL;
    if (label == 0)
        return status;
    sac_component *components = sac_alloc((size_t)s->n, sizeof *components);
    if (!components)
        return sac_fail(err, SAC_E_NOMEM, "label: no memory for %lld components", (long long)s->n);
    status = sac_label_components(components, s->n, &s->labels, &s->roi, err);
    if (status == SAC_OK)
        take_pool(o, pool, s, label, &components[label - 1]);
    sac_free(components);
    return status;
}

static sac_status look(sac_meltpool_outline *o, uint8_t *pool, search *s, const sac_array *frame,
                       sac_meltpool_place centre, sac_error *err)
{
    const sac_meltpool_places *p = &s->places;
    const sac_meltpool_stream stream = {.centre = centre};
    const int64_t shape[] = {p->roi, p->roi};
    o->flags = sac_meltpool_job(p, &stream, &s->job);
    o->x0 = s->job.x0;
    o->y0 = s->job.y0;
    o->centre[0] = centre.x / 65536.0;
    o->centre[1] = centre.y / 65536.0;
    s->roi = *frame;
    s->roi.shape[0] = s->roi.shape[1] = p->roi;
    s->roi.data = (uint8_t *)frame->data + s->job.y0 * frame->stride[0] + s->job.x0;
    int32_t *labels = sac_alloc((size_t)p->roi * (size_t)p->roi, sizeof *labels);
    if (!labels)
        return sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for the labels of an ROI");
    sac_status status = sac_array_view(&s->labels, labels, SAC_I32, 2, shape, err);
    status = status ? status : find(o, pool, s, err);
    sac_free(labels);
    return status;
}

static sac_status check(sac_meltpool_desc *own, const sac_meltpool_desc *desc,
                        const sac_array *frame, const sac_meltpool_signals *signals,
                        const double *last_pool, sac_error *err)
{
    sac_meltpool_desc_init(own);
    sac_status status = sac_desc_take(own, sac_meltpool_params(), desc, err);
    status = status ? status : sac_meltpool_check_desc(own, err);
    const int64_t sizes[] = {own->h, own->w};
    status = status ? status : sac_array_expect(frame, "frame", SAC_U8, 2, sizes, err);
    status = status ? status : sac_array_expect_on(frame, "frame", SAC_CPU, err);
    if (status)
        return status;
    sac_known(frame);
    if (frame->stride[1] != 1)
        return sac_fail(err, SAC_E_SHAPE, "frame: expected pixels of a row side by side");
    if (!signals && own->locate == SAC_MELTPOOL_LASER)
        return sac_fail(err, SAC_E_INVALID,
                        "signals: are NULL, but the pool is located by the laser");
    const double reach = SAC_MELTPOOL_MAX_SIDE;
    const bool is_far = last_pool && !(last_pool[0] >= 0 && last_pool[0] < reach &&
                                       last_pool[1] >= 0 && last_pool[1] < reach);
    return is_far ? sac_fail(err, SAC_E_INVALID, "last_pool: expected a place in the frame")
                  : SAC_OK;
}

sac_status sac_meltpool_find_outline(sac_meltpool_outline *outline, uint8_t *pool,
                                     const sac_meltpool_desc *desc, const sac_array *frame,
                                     const sac_meltpool_signals *signals, const double *last_pool,
                                     sac_error *err)
{
    sac_meltpool_desc own;
    sac_meltpool_outline found = {.struct_size = sizeof found};
    const sac_meltpool_signals on = {.laser_on = 1};
    if (!outline || !desc)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", outline ? "desc" : "outline");
    sac_status status = check(&own, desc, frame, signals, last_pool, err);
    if (status)
        return status;
    search s = {.places = sac_meltpool_places_of(&own)};
    sac_meltpool_place laser = s.places.fixed;
    if (pool)
        memset(pool, 0, (size_t)own.roi * (size_t)own.roi);
    found.flags = sac_meltpool_look_up(&s.places, &laser, signals ? signals : &on);
    if (!found.flags)
        status = look(&found, pool, &s, frame, centre_of(&s, laser, frame, last_pool), err);
    if (status == SAC_OK)
        sac_struct_give(outline, &found);
    return status;
}
