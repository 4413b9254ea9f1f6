/*
 * A frame's integers by a team of threads of a GPU: a warp, for many frames at once, or a block,
 * for one frame with low latency. Segments are runs of bright pixels in rows, listed and joined by
 * union-find in shared memory; all else goes pixel by pixel. Lanes are brought together again
 * wherever they may have parted: else each would go on alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_CUH
#define SAC_MELTPOOL_FRAME_CUH

#include "meltpool/kernels/runs.cuh"

/* The row's sectors in the image's frame: sectors 1 and 4 are |dx| <= r, the largest r with 3 r^2 <
 * dy^2, or 0. A double finds it, or one less (meltpool/kernels/sectors.h). */
__device__ static inline void sac_meltpool_set_sectors(sac_meltpool_line *line,
                                                       const sac_meltpool_frame_job *job, int32_t y)
{
    const int64_t dy = (int64_t)(job->y0 + y) * 65536 - job->cy_q16, high = dy < 0 ? -dy : dy;
    const int64_t xc = job->cx_q16, x0 = job->x0, n = job->n;
    int64_t r = (int64_t)((double)high * 0.57735026918961);
    r += 3 * (r + 1) * (r + 1) < high * high;
    int64_t end[2] = {((xc - r + 65535) >> 16) - x0, ((xc + r) >> 16) + 1 - x0};
    if (dy == 0) {
        end[0] = ((xc + 65535) >> 16) - x0;
        end[1] = n;
    }
    for (int k = 0; k < 2; k++)
        line->end[k] = (uint8_t)(end[k] < 0 ? 0 : end[k] > n ? n : end[k]);
    line->sector[0] = dy > 0 ? 2 : 3;
    line->sector[1] = dy > 0 ? 1 : dy < 0 ? 4 : 0;
    line->sector[2] = dy < 0 ? 5 : 0;
}

/* A row's line, without its bright pixels. */
__device__ static inline void sac_meltpool_begin_line(sac_meltpool_line *line,
                                                      const sac_meltpool_frame_job *job, int32_t y)
{
    for (int k = 0; k < SAC_MELTPOOL_WORDS; k++)
        line->bits[k] = 0;
    for (int k = 0; k < 2 * SAC_MELTPOOL_WORDS; k++)
        line->pool[k] = 0;
    sac_meltpool_set_sectors(line, job, y);
}

/* With scan, of one pixel. */
__device__ static inline int32_t sac_meltpool_turned_sector(const sac_meltpool_frame_job *job,
                                                            int32_t x, int32_t y)
{
    const int64_t dx = (int64_t)(job->x0 + x) * 65536 - job->cx_q16;
    const int64_t dy = (int64_t)(job->y0 + y) * 65536 - job->cy_q16;
    int64_t cross[3];
    for (int k = 0; k < 3; k++)
        cross[k] = job->edge_x[k] * dy - job->edge_y[k] * dx;
    if (dx == 0 && dy == 0)
        return 0;
    if (cross[0] < 0 || (cross[0] == 0 && cross[1] > 0))
        return 3 + (cross[1] <= 0) + (cross[2] <= 0);
    return (cross[1] >= 0) + (cross[2] >= 0);
}

/*
 * floor(16 sqrt(s) + 1/2), s = gx^2 + gy^2 below 2^17. The root is off by 2^-22 of itself at most,
 * so that m is right or one too small, which the product's exact rest tells: 256 s against (m +
 * 1/2)^2.
 */
__device__ static inline uint32_t sac_meltpool_vote(uint32_t squares)
{
    const float exact = (float)squares;
    const float whole = __fadd_rd(fmaf(16, sac_sqrt_approx(exact), 0.5f - 0x1p-7f), 0x1p23f);
    const float half = whole - 8388607.5f;
    return (__float_as_uint(whole) & 0x7fffff) + (fmaf(-half, half, 256 * exact) >= 0);
}

/* The bin of a gradient, not (0, 0): how many edges of its quadrant it has reached, counted from
 * the other end in the second one. */
__device__ static inline int32_t sac_meltpool_bin(int32_t gx, int32_t gy)
{
    const int32_t a = abs(gx), b = abs(gy);
    const int32_t reached = (30791 * b >= 11207 * a) + (25101 * b >= 21062 * a) +
                            (16384 * b >= 28377 * a) + (5690 * b >= 32269 * a);
    return (gx < 0) != (gy < 0) && gx != 0 && gy != 0 ? 8 - reached : reached;
}

/* All pixels: sectors and gradients, into the thread's own columns; and the pool's intensity. */
template <int T, bool SCAN>
__device__ static inline void sac_meltpool_sum_pixels(const sac_meltpool_scratch<T> &s,
                                                      const sac_meltpool_frame_job *job)
{
    const int32_t rank = sac_meltpool_team<T>::rank(), n = job->n;
    uint32_t *polar = s.columns + rank, *hog = polar + SAC_MELTPOOL_SECTORS * T, sum_i = 0;
    for (sac_meltpool_walk at(rank, T, n); at.y < n; at.next(n)) {
        const int32_t x = at.x, y = at.y;
        const uint8_t *p = s.pixels + y * s.pitch + x;
        const int32_t gx = p[x < n - 1] - p[-(x > 0)];
        const int32_t gy = p[y < n - 1 ? s.pitch : 0] - p[y > 0 ? -s.pitch : 0];
        int32_t sector;
        if (SCAN) {
            sector = sac_meltpool_turned_sector(job, x, y);
        } else {
            const sac_meltpool_line *line = &s.lines[y];
            sector = line->sector[(x >= line->end[0]) + (x >= line->end[1])];
        }
        polar[sector * T] += *p;
        sum_i += s.lines[y].pool[x / 32] >> x % 32 & 1 ? *p : 0;
        if (gx | gy)
            hog[sac_meltpool_bin(gx, gy) * T] += sac_meltpool_vote((uint32_t)(gx * gx + gy * gy));
    }
    __syncwarp();
    sum_i = sac_warp_sum(sum_i);
    if (rank % SAC_WARP == 0)
        atomicAdd(&s.out->sum_i, sum_i);
}

/* The columns' sums. */
template <int T>
__device__ static inline void sac_meltpool_sum_columns(const sac_meltpool_scratch<T> &s)
{
    const int32_t rank = sac_meltpool_team<T>::rank();
    for (int i = 0; i < SAC_MELTPOOL_COLUMNS; i++) {
        const uint32_t v = sac_warp_sum(s.columns[i * T + rank]);
        if (rank % SAC_WARP == 0)
            atomicAdd(i < SAC_MELTPOOL_SECTORS ? &s.out->polar[i]
                                               : &s.out->hog[i - SAC_MELTPOOL_SECTORS],
                      v);
    }
}

/* The pool and the spatters, of lines that have their bright pixels. */
template <int T>
__device__ static inline void sac_meltpool_segment_runs(const sac_meltpool_scratch<T> &s,
                                                        const sac_meltpool_frame_job *job)
{
    typedef sac_meltpool_team<T> team;
    sac_meltpool_read_rows(s, job);
    team::sync();
    sac_meltpool_join_runs(s);
    team::sync();
    if (*s.nearest != ~0ull)
        sac_meltpool_sum_runs(s, job);
    else if (team::rank() == 0)
        s.out->flags = SAC_MELTPOOL_NO_POOL;
    team::sync();
}

/* A frame's integers, into s.out. All threads of the team call, and may read it after a sync. */
template <int T>
__device__ static inline void sac_meltpool_frame(const sac_meltpool_scratch<T> &s,
                                                 const sac_meltpool_frame_job *job,
                                                 const uint8_t *frame, ptrdiff_t row)
{
    typedef sac_meltpool_team<T> team;
    const int32_t rank = team::rank(), n = job->n;
    sac_meltpool_load(s, frame + job->y0 * row + job->x0, row, n);
    for (int i = 0; i < SAC_MELTPOOL_COLUMNS; i++)
        s.columns[i * T + rank] = 0;
    if (rank < SAC_MELTPOOL_RESULT)
        ((uint32_t *)s.out)[rank] = 0;
    if (rank == 0)
        *s.nearest = ~0ull;
    for (int32_t y = rank; y < n; y += T)
        sac_meltpool_begin_line(&s.lines[y], job, y);
    team::sync();
    sac_meltpool_mark_bright(s, n, job->threshold);
    team::sync();
    sac_meltpool_segment_runs(s, job);
    if (job->scan)
        sac_meltpool_sum_pixels<T, true>(s, job);
    else
        sac_meltpool_sum_pixels<T, false>(s, job);
    sac_meltpool_sum_columns(s);
    team::sync();
}

#endif
