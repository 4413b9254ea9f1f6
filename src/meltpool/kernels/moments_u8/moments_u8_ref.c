/*
 * moments_u8: the specification, each component flooded from its first pixel.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "moments_u8.h"

typedef struct {
    const sac_meltpool_bits *bits;
    const sac_meltpool_frame_job *job;
    bool seen[SAC_MELTPOOL_MAX_ROI][SAC_MELTPOOL_MAX_ROI];
    int32_t stack[SAC_MELTPOOL_MAX_ROI * SAC_MELTPOOL_MAX_ROI]; /* each pixel once at most */
} segments;

static bool is_bright(const segments *s, int32_t x, int32_t y)
{
    return s->bits->row[y][x / 64] >> x % 64 & 1;
}

/* The pool's pixel that is nearest to the centre's; false where nothing is bright. */
static bool find_pool(int32_t *pool_x, int32_t *pool_y, const segments *s)
{
    const sac_meltpool_frame_job *job = s->job;
    int64_t nearest = INT64_MAX;
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x = 0; x < job->n; x++) {
            const int64_t dx = job->x0 + x - job->cx, dy = job->y0 + y - job->cy;
            if (is_bright(s, x, y) && dx * dx + dy * dy < nearest) {
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
    if (x < 0 || x >= side || y < 0 || y >= side || s->seen[y][x] || !is_bright(s, x, y))
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

void sac_moments_u8_ref(sac_meltpool_integers *out, const sac_meltpool_bits *bits,
                        const sac_meltpool_frame_job *job)
{
    segments s = {.bits = bits, .job = job};
    int32_t pool_x = 0, pool_y = 0;
    *out = (sac_meltpool_integers){0};
    if (!find_pool(&pool_x, &pool_y, &s)) {
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
