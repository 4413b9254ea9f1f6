/*
 * A frame's integers by a team of threads of a GPU: a warp, for many frames at once, or a block,
 * for one frame soon. Segments are runs of bright pixels in rows, joined by union-find in shared
 * memory; all else goes pixel by pixel.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_KERNELS_MELTPOOL_CUH
#define SAC_KERNELS_MELTPOOL_CUH

#include "kernels/block.cuh"
#include "kernels/meltpool.h"

/* T threads: 32, a warp, or a block of whole warps. */
template <int T> struct sac_meltpool_team {
    __device__ static int rank()
    {
        return T == SAC_WARP ? (int)threadIdx.x % SAC_WARP : (int)threadIdx.x;
    }
    __device__ static void sync()
    {
        if (T == SAC_WARP)
            __syncwarp();
        else
            __syncthreads();
    }
};

/* A row of the ROI: its bright pixels, and its sectors: of x < end[0], x < end[1], and the rest. */
typedef struct sac_meltpool_line {
    uint64_t bits[SAC_MELTPOOL_WORDS];
    uint8_t end[2], sector[3];
} sac_meltpool_line;

enum {
    SAC_MELTPOOL_COLUMNS = SAC_MELTPOOL_SECTORS + SAC_MELTPOOL_BINS, /* that each thread sums up */
    SAC_MELTPOOL_RESULT = sizeof(sac_meltpool_integers) / sizeof(uint32_t)
};

/* Where a team's shared memory is what. Runs of a row begin two pixels apart or more, so that half
 * of where it begins is a run's number in its row. */
template <int T> struct sac_meltpool_scratch {
    sac_meltpool_integers *out;
    unsigned long long *nearest; /* distance, y, x */
    sac_meltpool_line *lines;    /* (n) */
    uint32_t *columns;           /* (SAC_MELTPOOL_COLUMNS, T) */
    uint32_t *parent, *area;     /* (n, half) */
    uint8_t *pixels;             /* (n, pitch) */
    int32_t half, pitch;

    __host__ __device__ static int32_t pitch_of(int32_t n)
    {
        return ((n + 3) / 4 | 1) * 4; /* an odd number of words: rows begin in different banks */
    }
    __host__ __device__ static uint32_t bytes(int32_t n)
    {
        const uint32_t rows = (uint32_t)n, runs = rows * (uint32_t)((n + 1) / 2);
        return (uint32_t)(sizeof(sac_meltpool_integers) + 12 + 8 +
                          rows * sizeof(sac_meltpool_line) + 4 * SAC_MELTPOOL_COLUMNS * T +
                          8 * runs + rows * (uint32_t)pitch_of(n) + 7) /
               8 * 8;
    }
    __device__ sac_meltpool_scratch(char *memory, int32_t n)
    {
        half = (n + 1) / 2;
        pitch = pitch_of(n);
        nearest = (unsigned long long *)memory;
        lines = (sac_meltpool_line *)(nearest + 1);
        out = (sac_meltpool_integers *)(lines + n);
        columns = (uint32_t *)(out + 1);
        parent = columns + SAC_MELTPOOL_COLUMNS * T;
        area = parent + n * half;
        pixels = (uint8_t *)(area + n * half);
    }
};

/* Goes through n x n pixels, T apart. */
struct sac_meltpool_walk {
    int32_t x, y;
    int32_t step_x, step_y;

    __device__ sac_meltpool_walk(int32_t rank, int32_t T, int32_t n)
        : x(rank % n), y(rank / n), step_x(T % n), step_y(T / n)
    {
    }
    __device__ void next(int32_t n)
    {
        x += step_x;
        y += step_y;
        if (x >= n) {
            x -= n;
            y++;
        }
    }
};

template <int T>
__device__ static inline void sac_meltpool_load(const sac_meltpool_scratch<T> &s,
                                                const uint8_t *from, ptrdiff_t row, int32_t n)
{
    const int32_t rank = sac_meltpool_team<T>::rank();
    if (n % 8 == 0 && ((uintptr_t)from | (uintptr_t)row) % 8 == 0) {
        const int32_t words = n / 8;
        for (sac_meltpool_walk at(rank, T, words); at.y < n; at.next(words)) {
            const uint2 v = __ldg((const uint2 *)(from + at.y * row) + at.x);
            uint32_t *to = (uint32_t *)(s.pixels + at.y * s.pitch + 8 * at.x);
            to[0] = v.x;
            to[1] = v.y;
        }
        return;
    }
    for (sac_meltpool_walk at(rank, T, n); at.y < n; at.next(n))
        s.pixels[at.y * s.pitch + at.x] = __ldg(from + at.y * row + at.x);
}

/* Bits of the row's bright pixels. */
__device__ static inline void sac_meltpool_look_at(uint64_t bits[SAC_MELTPOOL_WORDS],
                                                   const uint8_t *pixels, int32_t n,
                                                   int32_t threshold)
{
    const uint32_t least = (uint32_t)threshold * 0x01010101u;
    bits[0] = bits[1] = 0;
    for (int32_t x = 0; x < n && threshold < 256; x += 4) {
        const uint32_t bright = __vcmpgeu4(*(const uint32_t *)(pixels + x), least);
        const uint64_t four = (bright & 0x01010101u) * 0x01020408u >> 24 & 15;
        bits[x / 64] |= four << x % 64;
    }
    for (int32_t k = 0; k < SAC_MELTPOOL_WORDS; k++) {
        const int32_t in = n - 64 * k;
        bits[k] &= in >= 64 ? ~UINT64_C(0) : in > 0 ? (UINT64_C(1) << in) - 1 : 0;
    }
}

/* The row's sectors in the image's frame: sectors 1 and 4 are |dx| <= r, the largest r with 3 r^2 <
 * dy^2, or 0. A double finds it, or one less (kernels/meltpool_sectors.h). */
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

/* Calls see(begin, last) for each run of a row's bits. */
template <typename See>
__device__ static inline void sac_meltpool_each_run(const uint64_t bits[SAC_MELTPOOL_WORDS],
                                                    See see)
{
    const uint64_t low = bits[0], high = bits[1];
    uint64_t begins[2] = {low & ~(low << 1), high & ~(high << 1 | low >> 63)};
    uint64_t lasts[2] = {low & ~(low >> 1 | high << 63), high & ~(high >> 1)};
    while (begins[0] | begins[1]) {
        const int b = begins[0] ? 0 : 1, l = lasts[0] ? 0 : 1;
        see(64 * b + __ffsll((long long)begins[b]) - 1, 64 * l + __ffsll((long long)lasts[l]) - 1);
        begins[b] &= begins[b] - 1;
        lasts[l] &= lasts[l] - 1;
    }
}

/* Where the run of a row's bits begins that has bit x. */
__device__ static inline int32_t sac_meltpool_begin_of(const uint64_t bits[SAC_MELTPOOL_WORDS],
                                                       int32_t x)
{
    const uint64_t until = (UINT64_C(2) << x % 64) - 1; /* all, of 63 */
    const uint64_t low = bits[0], high = bits[1];
    const uint64_t begins =
        x < 64 ? low & ~(low << 1) & until : high & ~(high << 1 | low >> 63) & until;
    if (begins)
        return x / 64 * 64 + 63 - __clzll((long long)begins);
    return 63 - __clzll((long long)(low & ~(low << 1))); /* it came over the words' border */
}

__device__ static inline uint32_t sac_meltpool_find(volatile uint32_t *parent, uint32_t i)
{
    for (uint32_t up = parent[i]; up != i; up = parent[i])
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

template <int T>
__device__ static inline void sac_meltpool_join_above(const sac_meltpool_scratch<T> &s, int32_t y)
{
    const uint64_t *here = s.lines[y].bits, *above = s.lines[y - 1].bits;
    uint64_t both[2];
    for (int k = 0; k < 2; k++)
        both[k] = here[k] & above[k];
    sac_meltpool_each_run(both, [&](int32_t x, int32_t) {
        const int32_t a = sac_meltpool_begin_of(above, x), b = sac_meltpool_begin_of(here, x);
        sac_meltpool_unite(s.parent, (uint32_t)((y - 1) * s.half + a / 2),
                           (uint32_t)(y * s.half + b / 2));
    });
}

/* The row's bright pixel nearest to the centre's: of equally near ones the leftmost. */
__device__ static inline unsigned long long
sac_meltpool_nearest_in(const sac_meltpool_frame_job *job, const uint64_t bits[SAC_MELTPOOL_WORDS],
                        int32_t y)
{
    const int32_t cx = job->cx - job->x0, cy = job->cy - job->y0;
    unsigned long long best = ~0ull;
    for (int32_t k = 0; k < SAC_MELTPOOL_WORDS; k++) {
        const int32_t x = cx - 64 * k;
        const uint64_t until = x < 0 ? 0 : x > 62 ? ~UINT64_C(0) : (UINT64_C(2) << x) - 1;
        const uint64_t left = bits[k] & until, right = bits[k] & ~until;
        for (int side = 0; side < 2; side++) {
            if (!(side ? right : left))
                continue;
            const int32_t at =
                64 * k + (side ? __ffsll((long long)right) - 1 : 63 - __clzll((long long)left));
            const uint32_t distance = (uint32_t)((at - cx) * (at - cx) + (y - cy) * (y - cy));
            const unsigned long long key =
                (unsigned long long)distance << 14 | (uint32_t)(y << 7 | at);
            best = min(best, key);
        }
    }
    return best;
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

/* Adds a run of the pool, from begin to last. */
template <int T>
__device__ static inline void sac_meltpool_add_run(sac_meltpool_integers *sum,
                                                   const sac_meltpool_scratch<T> &s, int32_t n,
                                                   int32_t y, int32_t begin, int32_t last)
{
    const uint32_t b = (uint32_t)begin, e = (uint32_t)last + 1, v = (uint32_t)y;
    const uint32_t xs = sac_meltpool_sum_to(e) - sac_meltpool_sum_to(b);
    sum->area += e - b;
    sum->sum_x += xs;
    sum->sum_y += v * (e - b);
    sum->sum_xx += sac_meltpool_squares_to(e) - sac_meltpool_squares_to(b);
    sum->sum_xy += v * xs;
    sum->sum_yy += v * v * (e - b);
    if (y == 0 || y == n - 1 || begin == 0 || last == n - 1)
        sum->flags = SAC_MELTPOOL_CLIPPED;
    for (int32_t x = begin; x <= last; x++)
        sum->sum_i += s.pixels[y * s.pitch + x];
}

/* The pool and the spatters, whose roots and areas are known. */
template <int T>
__device__ static inline void sac_meltpool_sum_runs(const sac_meltpool_scratch<T> &s,
                                                    const sac_meltpool_frame_job *job)
{
    const int32_t rank = sac_meltpool_team<T>::rank(), n = job->n;
    const int32_t px = (int32_t)(*s.nearest & 127), py = (int32_t)(*s.nearest >> 7 & 127);
    const uint32_t pool = sac_meltpool_find(
        s.parent, (uint32_t)(py * s.half + sac_meltpool_begin_of(s.lines[py].bits, px) / 2));
    sac_meltpool_integers sum = {};
    for (int32_t y = rank; y < n; y += T)
        sac_meltpool_each_run(s.lines[y].bits, [&](int32_t begin, int32_t last) {
            const uint32_t run = (uint32_t)(y * s.half + begin / 2);
            const uint32_t root = sac_meltpool_find(s.parent, run);
            if (root == pool) {
                sac_meltpool_add_run(&sum, s, n, y, begin, last);
            } else if (root == run && s.area[run] >= (uint32_t)job->spatter_min) {
                sum.spatter_pixels += s.area[run];
                sum.n_spatters++;
            }
        });
    const uint32_t flags = __any_sync(SAC_ALL_LANES, sum.flags != 0) ? SAC_MELTPOOL_CLIPPED : 0;
    const uint32_t *from = &sum.area;
    uint32_t *to = &s.out->area;
    for (int i = 0; i < 9; i++) { /* area .. sum_i */
        const uint32_t v = sac_warp_sum(from[i]);
        if (rank % SAC_WARP == 0)
            atomicAdd(&to[i], v);
    }
    if (rank % SAC_WARP == 0 && flags)
        atomicOr(&s.out->flags, flags);
}

/*
 * floor(16 sqrt(s) + 1/2), s = gx^2 + gy^2 below 2^17. The root is off by 2^-22 of itself at most,
 * so that m is right or one too small, which the product's exact rest tells: 256 s against (m +
 * 1/2)^2.
 */
__device__ static inline uint32_t sac_meltpool_vote(uint32_t squares)
{
    const float exact = (float)squares;
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(exact));
    const float whole = __fadd_rd(fmaf(16, root, 0.5f - 0x1p-7f), 0x1p23f);
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

/* All pixels: sectors and gradients, into the thread's own columns. */
template <int T, bool SCAN>
__device__ static inline void sac_meltpool_sum_pixels(const sac_meltpool_scratch<T> &s,
                                                      const sac_meltpool_frame_job *job)
{
    const int32_t rank = sac_meltpool_team<T>::rank(), n = job->n;
    uint32_t *polar = s.columns + rank, *hog = polar + SAC_MELTPOOL_SECTORS * T;
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
        if (gx | gy)
            hog[sac_meltpool_bin(gx, gy) * T] += sac_meltpool_vote((uint32_t)(gx * gx + gy * gy));
    }
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

/* A row's bits, sectors and runs, each its own parent. */
template <int T>
__device__ static inline void sac_meltpool_begin_row(const sac_meltpool_scratch<T> &s,
                                                     const sac_meltpool_frame_job *job, int32_t y)
{
    sac_meltpool_line *line = &s.lines[y];
    sac_meltpool_look_at(line->bits, s.pixels + y * s.pitch, job->n, job->threshold);
    sac_meltpool_set_sectors(line, job, y);
    sac_meltpool_each_run(line->bits, [&](int32_t begin, int32_t) {
        const uint32_t run = (uint32_t)(y * s.half + begin / 2);
        s.parent[run] = run;
        s.area[run] = 0;
    });
}

/* Areas of roots, and the pixel nearest to the centre's. */
template <int T>
__device__ static inline void sac_meltpool_measure_row(const sac_meltpool_scratch<T> &s,
                                                       const sac_meltpool_frame_job *job, int32_t y)
{
    const uint64_t *bits = s.lines[y].bits;
    sac_meltpool_each_run(bits, [&](int32_t begin, int32_t last) {
        const uint32_t root = sac_meltpool_find(s.parent, (uint32_t)(y * s.half + begin / 2));
        atomicAdd(&s.area[root], (uint32_t)(last - begin + 1));
    });
    const unsigned long long key = sac_meltpool_nearest_in(job, bits, y);
    if (key != ~0ull)
        atomicMin(s.nearest, key);
}

/* A frame's integers, into s.out. All threads of the team call, and may read it behind a sync. */
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
    team::sync();
    for (int32_t y = rank; y < n; y += T)
        sac_meltpool_begin_row(s, job, y);
    team::sync();
    for (int32_t y = rank; y < n; y += T)
        if (y > 0)
            sac_meltpool_join_above(s, y);
    team::sync();
    for (int32_t y = rank; y < n; y += T)
        sac_meltpool_measure_row(s, job, y);
    __syncwarp(); /* else lanes would go through the pixels one behind the other */
    if (job->scan)
        sac_meltpool_sum_pixels<T, true>(s, job);
    else
        sac_meltpool_sum_pixels<T, false>(s, job);
    team::sync();
    if (*s.nearest != ~0ull)
        sac_meltpool_sum_runs(s, job);
    else if (rank == 0)
        s.out->flags = SAC_MELTPOOL_NO_POOL;
    sac_meltpool_sum_columns(s);
    team::sync();
}

#endif
