/*
 * meltpool_frame_u8: the specification, by loops over pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool_frame_u8.h"

#include <math.h>

typedef struct {
    const sac_meltpool_frame_job *job;
    bool seen[SAC_MELTPOOL_MAX_ROI][SAC_MELTPOOL_MAX_ROI];
    int32_t stack[SAC_MELTPOOL_MAX_ROI * SAC_MELTPOOL_MAX_ROI]; /* each pixel once at most */
} segments;

static bool is_bright(const sac_meltpool_frame_job *job, int32_t x, int32_t y)
{
    return *sac_meltpool_at(job, x, y) >= job->threshold;
}

/* The pool's pixel that is nearest to the centre's; false where nothing is bright. */
static bool find_pool(int32_t *pool_x, int32_t *pool_y, const sac_meltpool_frame_job *job)
{
    int64_t nearest = INT64_MAX;
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x = 0; x < job->n; x++) {
            const int64_t dx = job->x0 + x - job->cx, dy = job->y0 + y - job->cy;
            if (is_bright(job, x, y) && dx * dx + dy * dy < nearest) {
                nearest = dx * dx + dy * dy;
                *pool_x = x;
                *pool_y = y;
            }
        }
    return nearest < INT64_MAX;
}

static void push(segments *s, int32_t *n, int32_t x, int32_t y)
{
    const int32_t side = s->job->n;
    if (x < 0 || x >= side || y < 0 || y >= side || s->seen[y][x] || !is_bright(s->job, x, y))
        return;
    s->seen[y][x] = true;
    s->stack[(*n)++] = y * side + x;
}

/* The component of a pixel: adds its pixels to area and sums. */
static void flood(sac_meltpool_integers *out, segments *s, int32_t from_x, int32_t from_y)
{
    int32_t n = 0;
    push(s, &n, from_x, from_y);
    while (n > 0) {
        const int32_t at = s->stack[--n], side = s->job->n, x = at % side, y = at / side;
        out->area++;
        out->sum_x += (uint32_t)x;
        out->sum_y += (uint32_t)y;
        out->sum_xx += (uint32_t)(x * x);
        out->sum_xy += (uint32_t)(x * y);
        out->sum_yy += (uint32_t)(y * y);
        out->sum_i += *sac_meltpool_at(s->job, x, y);
        if (x == 0 || y == 0 || x == side - 1 || y == side - 1)
            out->flags |= SAC_MELTPOOL_CLIPPED;
        push(s, &n, x + 1, y);
        push(s, &n, x - 1, y);
        push(s, &n, x, y + 1);
        push(s, &n, x, y - 1);
    }
}

static void segment(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    segments s = {.job = job};
    int32_t pool_x = 0, pool_y = 0;
    if (!find_pool(&pool_x, &pool_y, job)) {
        out->flags = SAC_MELTPOOL_NO_POOL;
        return;
    }
    flood(out, &s, pool_x, pool_y);
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x = 0; x < job->n; x++) {
            sac_meltpool_integers other = {0};
            flood(&other, &s, x, y);
            if (other.area >= (uint32_t)job->spatter_min) {
                out->n_spatters++;
                out->spatter_pixels += other.area;
            }
        }
}

static int32_t sector_of(const sac_meltpool_frame_job *job, int32_t x, int32_t y)
{
    const int64_t dx = (int64_t)(job->x0 + x) * 65536 - job->cx_q16;
    const int64_t dy = (int64_t)(job->y0 + y) * 65536 - job->cy_q16;
    if (dy == 0)
        return dx < 0 ? 3 : 0;
    if (dy * dy > 3 * dx * dx)
        return dy > 0 ? 1 : 4;
    if (dy > 0)
        return dx > 0 ? 0 : 2;
    return dx > 0 ? 5 : 3;
}

/* I(x, y), the border replicated. */
static int32_t value_at(const sac_meltpool_frame_job *job, int32_t x, int32_t y)
{
    const int32_t last = job->n - 1;
    return *sac_meltpool_at(job, x < 0 ? 0 : x > last ? last : x, y < 0 ? 0 : y > last ? last : y);
}

static void vote(sac_meltpool_integers *out, int32_t gx, int32_t gy)
{
    const bool is_turned = gy < 0 || (gy == 0 && gx < 0);
    const int32_t u = is_turned ? -gx : gx, v = is_turned ? -gy : gy;
    int32_t bin = 0;
    while (bin < SAC_MELTPOOL_BINS - 1 &&
           sac_meltpool_edge_x[bin] * v - sac_meltpool_edge_y[bin] * u >= 0)
        bin++;
    out->hog[bin] += (uint32_t)floor(16 * sqrt(gx * gx + gy * gy) + 0.5);
}

void sac_meltpool_frame_u8_ref(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    *out = (sac_meltpool_integers){0};
    segment(out, job);
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x = 0; x < job->n; x++) {
            out->polar[sector_of(job, x, y)] += *sac_meltpool_at(job, x, y);
            vote(out, value_at(job, x + 1, y) - value_at(job, x - 1, y),
                 value_at(job, x, y + 1) - value_at(job, x, y - 1));
        }
}
