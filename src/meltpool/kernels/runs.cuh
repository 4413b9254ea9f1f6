/*
 * Segments of a frame by a team: bright pixels, their runs in rows, listed and joined by
 * union-find, the pool and the spatters.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_RUNS_CUH
#define SAC_MELTPOOL_RUNS_CUH

#include "meltpool/kernels/team.cuh"

/* Which of four pixels are bright, a bit each. */
__device__ static inline uint32_t sac_meltpool_bright(uint32_t four, int32_t threshold)
{
    const uint32_t least = (uint32_t)threshold * 0x01010101u;
    const uint32_t bright = threshold < 256 ? __vcmpgeu4(four, least) & 0x01010101u : 0;
    return bright * 0x01020408u >> 24 & 15;
}

/* Which of the ROI's pixels are bright, four at a time, into lines of zeros. */
template <int T>
__device__ static inline void sac_meltpool_mark_bright(const sac_meltpool_scratch<T> &s, int32_t n,
                                                       int32_t threshold)
{
    const int32_t words = (n + 3) / 4, rest = n % 4;
    for (sac_meltpool_walk at(sac_meltpool_team<T>::rank(), T, words); at.y < n; at.next(words)) {
        const uint32_t v = *(const uint32_t *)(s.pixels + at.y * s.pitch + 4 * at.x);
        uint32_t four = sac_meltpool_bright(v, threshold);
        if (rest && at.x == words - 1)
            four &= (1u << rest) - 1;
        if (four)
            atomicOr((uint32_t *)s.lines[at.y].bits + at.x / 8, four << at.x % 8 * 4);
    }
}

/* Where runs of a row's bits begin, and where they have their last one. */
__device__ static inline void sac_meltpool_ends_of(uint64_t begins[2], uint64_t lasts[2],
                                                   const uint64_t bits[SAC_MELTPOOL_WORDS])
{
    const uint64_t low = bits[0], high = bits[1];
    begins[0] = low & ~(low << 1);
    begins[1] = high & ~(high << 1 | low >> 63);
    lasts[0] = low & ~(low >> 1 | high << 63);
    lasts[1] = high & ~(high >> 1);
}

/* The lowest of 128 bits, which is taken away; there is one. */
__device__ static inline int32_t sac_meltpool_take_lowest(uint64_t bits[2])
{
    const int k = bits[0] ? 0 : 1;
    const int32_t at = 64 * k + __ffsll((long long)bits[k]) - 1;
    bits[k] &= bits[k] - 1;
    return at;
}

/* Bits 0 .. x, and from x on. */
__device__ static inline uint64_t sac_meltpool_until(int32_t x)
{
    return x < 0 ? 0 : x > 62 ? ~UINT64_C(0) : (UINT64_C(2) << x) - 1;
}

/* The run that has a bright pixel x of a row. */
__device__ static inline uint32_t sac_meltpool_run_at(const sac_meltpool_line *line, int32_t x)
{
    uint64_t begins[2], lasts[2];
    sac_meltpool_ends_of(begins, lasts, line->bits);
    return line->first - 1 + (uint32_t)__popcll(begins[0] & sac_meltpool_until(x)) +
           (uint32_t)__popcll(begins[1] & sac_meltpool_until(x - 64));
}

/* Others may be uniting: a parent that is read may have been given a new one since, and leads to
 * the same root. */
__device__ static inline uint32_t sac_meltpool_find(const uint32_t *parent, uint32_t i)
{
    for (uint32_t up; (up = sac_load_relaxed_shared(parent + i)) != i;)
        i = up;
    return i;
}

/* The earlier of two roots becomes the later one's parent, whoever else is at it. */
__device__ static inline void sac_meltpool_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    for (;;) {
        a = sac_meltpool_find(parent, a);
        b = sac_meltpool_find(parent, b);
        if (a == b)
            return;
        const uint32_t first = min(a, b), later = max(a, b);
        const uint32_t was = atomicMin(&parent[later], first);
        if (was == later)
            return;
        a = first;
        b = was;
    }
}

/* Joins a run with those above it: each group of bits that both rows have is of one pair. */
template <int T>
__device__ static inline void sac_meltpool_join_above(const sac_meltpool_scratch<T> &s, uint32_t i)
{
    const sac_meltpool_stretch run = s.runs[i];
    if (run.y == 0)
        return;
    const sac_meltpool_line *above = &s.lines[run.y - 1];
    uint64_t both[2], begins[2], lasts[2];
    for (int k = 0; k < 2; k++)
        both[k] = above->bits[k] & sac_meltpool_until(run.last - 64 * k) &
                  ~sac_meltpool_until(run.begin - 1 - 64 * k);
    sac_meltpool_ends_of(begins, lasts, both);
    while (begins[0] | begins[1])
        sac_meltpool_unite(s.parent, sac_meltpool_run_at(above, sac_meltpool_take_lowest(begins)),
                           i);
}

/* The bright pixel nearest to the centre's of 32 rows, y a lane's or beyond the ROI: of equally
 * near ones the first. */
__device__ static inline void sac_meltpool_look_near(unsigned long long *nearest,
                                                     const sac_meltpool_frame_job *job,
                                                     const sac_meltpool_line *lines, int32_t y)
{
    const int32_t cx = job->cx - job->x0, cy = job->cy - job->y0;
    uint32_t least = UINT32_MAX, place = UINT32_MAX;
    for (int32_t k = 0; k < SAC_MELTPOOL_WORDS && y < job->n; k++) {
        const uint64_t until = sac_meltpool_until(cx - 64 * k), bits = lines[y].bits[k];
        for (int side = 0; side < 2; side++) {
            const uint64_t on = side ? bits & ~until : bits & until;
            const int32_t x =
                64 * k + (side ? __ffsll((long long)on) - 1 : 63 - __clzll((long long)on));
            const uint32_t distance = (uint32_t)((x - cx) * (x - cx) + (y - cy) * (y - cy));
            if (on && distance < least) { /* from left to right */
                least = distance;
                place = (uint32_t)(y << 7 | x);
            }
        }
    }
    const uint32_t all = sac_warp_min(least);
    const uint32_t first = sac_warp_min(least == all ? place : UINT32_MAX);
    if (first != UINT32_MAX && sac_thread() % SAC_WARP == 0)
        atomicMin(nearest, (unsigned long long)all << 14 | first);
}

/* 0 + 1 + .. + (n - 1), and of squares. */
__device__ static inline uint32_t sac_meltpool_sum_to(uint32_t n)
{
    return n * (n - 1) / 2;
}

__device__ static inline uint32_t sac_meltpool_squares_to(uint32_t n)
{
    return n ? (n - 1) * n * (2 * n - 1) / 6 : 0;
}

/* Adds a run of the pool. */
__device__ static inline void sac_meltpool_add_run(sac_meltpool_integers *sum, int32_t n,
                                                   const sac_meltpool_stretch run)
{
    const uint32_t b = run.begin, e = run.last + 1u, y = run.y, side = (uint32_t)n;
    const uint32_t xs = sac_meltpool_sum_to(e) - sac_meltpool_sum_to(b);
    sum->area += e - b;
    sum->sum_x += xs;
    sum->sum_y += y * (e - b);
    sum->sum_xx += sac_meltpool_squares_to(e) - sac_meltpool_squares_to(b);
    sum->sum_xy += y * xs;
    sum->sum_yy += y * y * (e - b);
    if (y == 0 || y == side - 1 || b == 0 || e == side)
        sum->flags = SAC_MELTPOOL_CLIPPED;
}

/* Marks its pixels as the pool's. */
__device__ static inline void sac_meltpool_mark_run(sac_meltpool_line *line, int32_t words,
                                                    const sac_meltpool_stretch run)
{
    for (int k = 0; k < words; k++) {
        const uint32_t on = (uint32_t)(sac_meltpool_until(run.last - 32 * k) &
                                       ~sac_meltpool_until(run.begin - 1 - 32 * k));
        if (on)
            atomicOr(&line->pool[k], on);
    }
}

/* The pool and the spatters, whose roots and areas are known. */
template <int T>
__device__ static inline void sac_meltpool_sum_runs(const sac_meltpool_scratch<T> &s,
                                                    const sac_meltpool_frame_job *job)
{
    const int32_t rank = sac_meltpool_team<T>::rank();
    const uint32_t n_runs = *s.n_runs;
    if (n_runs <= (uint32_t)(rank / SAC_WARP * SAC_WARP))
        return; /* all of a warp, or none */
    const int32_t px = (int32_t)(*s.nearest & 127), py = (int32_t)(*s.nearest >> 7 & 127);
    const uint32_t pool = sac_meltpool_find(s.parent, sac_meltpool_run_at(&s.lines[py], px));
    sac_meltpool_integers sum = {};
    for (uint32_t i = (uint32_t)rank; i < n_runs; i += T) {
        const uint32_t root = sac_meltpool_find(s.parent, i);
        if (root == pool) {
            sac_meltpool_add_run(&sum, job->n, s.runs[i]);
            sac_meltpool_mark_run(&s.lines[s.runs[i].y], 2 * SAC_MELTPOOL_WORDS, s.runs[i]);
        } else if (root == i && s.area[i] >= (uint32_t)job->spatter_min) {
            sum.spatter_pixels += s.area[i];
            sum.n_spatters++;
        }
    }
    __syncwarp();
    const uint32_t flags = __any_sync(SAC_ALL_LANES, sum.flags != 0) ? SAC_MELTPOOL_CLIPPED : 0;
    const uint32_t *from = &sum.area;
    uint32_t *to = &s.out->area;
    for (int i = 0; i < 8; i++) { /* area .. sum_yy */
        const uint32_t v = sac_warp_sum(from[i]);
        if (rank % SAC_WARP == 0)
            atomicAdd(&to[i], v);
    }
    if (rank % SAC_WARP == 0 && flags)
        atomicOr(&s.out->flags, flags);
}

/* How many runs a row has. */
__device__ static inline uint32_t sac_meltpool_count_runs(const sac_meltpool_line *line)
{
    uint64_t begins[2], lasts[2];
    sac_meltpool_ends_of(begins, lasts, line->bits);
    return (uint32_t)(__popcll(begins[0]) + __popcll(begins[1]));
}

/* Lists a row's runs from `first` on, each its own parent. */
template <int T>
__device__ static inline void sac_meltpool_list_runs(const sac_meltpool_scratch<T> &s, int32_t y,
                                                     uint32_t first)
{
    uint64_t begins[2], lasts[2];
    sac_meltpool_ends_of(begins, lasts, s.lines[y].bits);
    s.lines[y].first = first;
    for (; begins[0] | begins[1]; first++) {
        const int32_t begin = sac_meltpool_take_lowest(begins);
        const int32_t last = sac_meltpool_take_lowest(lasts);
        s.runs[first] = sac_meltpool_stretch{(uint8_t)y, (uint8_t)begin, (uint8_t)last};
        s.parent[first] = first;
        s.area[first] = 0;
    }
}

/* All rows' runs: 32 rows at a time by the first warp, since runs are numbered from row to row; the
 * last one looks for the nearest pixel. */
template <int T>
__device__ static inline void sac_meltpool_read_rows(const sac_meltpool_scratch<T> &s,
                                                     const sac_meltpool_frame_job *job)
{
    const int32_t rank = sac_meltpool_team<T>::rank(), n = job->n, lane = rank % SAC_WARP;
    if (rank >= T - SAC_WARP)
        for (int32_t from = 0; from < n; from += SAC_WARP)
            sac_meltpool_look_near(s.nearest, job, s.lines, from + lane);
    if (rank >= SAC_WARP)
        return;
    uint32_t n_runs = 0;
    for (int32_t from = 0; from < n; from += SAC_WARP) {
        const int32_t y = from + rank;
        const uint32_t own = y < n ? sac_meltpool_count_runs(&s.lines[y]) : 0;
        const uint32_t until = (uint32_t)sac_warp_scan(own);
        if (y < n)
            sac_meltpool_list_runs(s, y, n_runs + until - own);
        __syncwarp();
        n_runs += __shfl_sync(SAC_ALL_LANES, until, SAC_WARP - 1);
    }
    if (rank == 0)
        *s.n_runs = n_runs;
}

/* Joined runs, and the areas of their roots. Each step halves the way to a root. */
template <int T>
__device__ static inline void sac_meltpool_join_runs(const sac_meltpool_scratch<T> &s)
{
    typedef sac_meltpool_team<T> team;
    const uint32_t rank = (uint32_t)team::rank(), n_runs = *s.n_runs;
    for (uint32_t i = rank; i < n_runs; i += T)
        sac_meltpool_join_above(s, i);
    team::sync();
    for (int step = 0; step < 4; step++) {
        uint32_t up[4];
        for (uint32_t from = 0; from < n_runs; from += 4 * T) {
            for (int k = 0; k < 4; k++) {
                const uint32_t i = from + k * T + rank;
                up[k] = i < n_runs ? s.parent[s.parent[i]] : 0;
            }
            team::sync();
            for (int k = 0; k < 4; k++) {
                const uint32_t i = from + k * T + rank;
                if (i < n_runs)
                    s.parent[i] = up[k];
            }
            team::sync();
        }
    }
    for (uint32_t i = rank; i < n_runs; i += T)
        atomicAdd(&s.area[sac_meltpool_find(s.parent, i)],
                  (uint32_t)(s.runs[i].last - s.runs[i].begin + 1));
}

#endif
