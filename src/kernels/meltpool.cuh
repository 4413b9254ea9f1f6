/*
 * A frame's integers by a team of threads of a GPU: a warp, for many frames at once, or a block,
 * for one frame soon. Segments are runs of bright pixels in rows, listed and joined by union-find
 * in shared memory; all else goes pixel by pixel. Lanes are brought together again wherever they
 * may have parted: else each would go on by itself.
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

/* A row of the ROI: its bright pixels, those of the pool, its first run, and its sectors: of x <
 * end[0], x < end[1], and the rest. */
typedef struct sac_meltpool_line {
    uint64_t bits[SAC_MELTPOOL_WORDS];
    uint32_t pool[2 * SAC_MELTPOOL_WORDS];
    uint32_t first;
    uint8_t end[2], sector[3];
} sac_meltpool_line;

/* A run of bright pixels. */
typedef struct sac_meltpool_stretch {
    uint8_t y, begin, last;
} sac_meltpool_stretch;

enum {
    SAC_MELTPOOL_COLUMNS = SAC_MELTPOOL_SECTORS + SAC_MELTPOOL_BINS, /* that each thread sums up */
    SAC_MELTPOOL_RESULT = sizeof(sac_meltpool_integers) / sizeof(uint32_t)
};

/* Where a team's shared memory is what. */
template <int T> struct sac_meltpool_scratch {
    sac_meltpool_integers *out;
    unsigned long long *nearest; /* distance, y, x */
    uint32_t *n_runs;
    sac_meltpool_line *lines;   /* (n) */
    uint32_t *columns;          /* (SAC_MELTPOOL_COLUMNS, T) */
    uint32_t *parent, *area;    /* (n_runs) */
    sac_meltpool_stretch *runs; /* (n_runs), in raster order */
    uint8_t *pixels;            /* (n, pitch) */
    int32_t pitch;

    __host__ __device__ static int32_t pitch_of(int32_t n)
    {
        return ((n + 3) / 4 | 1) * 4; /* an odd number of words: rows begin in different banks */
    }
    __host__ __device__ static uint32_t most_runs(int32_t n)
    {
        return (uint32_t)(n * ((n + 1) / 2) + 3) / 4 * 4;
    }
    __host__ __device__ static uint32_t bytes(int32_t n)
    {
        const uint32_t rows = (uint32_t)n;
        return (uint32_t)(16 + rows * sizeof(sac_meltpool_line) + sizeof(sac_meltpool_integers) +
                          4 * SAC_MELTPOOL_COLUMNS * T +
                          most_runs(n) * (8 + sizeof(sac_meltpool_stretch)) +
                          rows * (uint32_t)pitch_of(n) + 15) /
               16 * 16;
    }
    __device__ sac_meltpool_scratch(char *memory, int32_t n)
    {
        const uint32_t most = most_runs(n);
        pitch = pitch_of(n);
        nearest = (unsigned long long *)memory;
        n_runs = (uint32_t *)(nearest + 1);
        lines = (sac_meltpool_line *)(memory + 16);
        out = (sac_meltpool_integers *)(lines + n);
        columns = (uint32_t *)(out + 1);
        parent = columns + SAC_MELTPOOL_COLUMNS * T;
        area = parent + most;
        runs = (sac_meltpool_stretch *)(area + most);
        pixels = (uint8_t *)(runs + most);
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

/* Which of the ROI's pixels are bright, four at a time, into lines of zeros. */
template <int T>
__device__ static inline void sac_meltpool_mark_bright(const sac_meltpool_scratch<T> &s, int32_t n,
                                                       int32_t threshold)
{
    const int32_t words = (n + 3) / 4, rest = n % 4;
    const uint32_t least = (uint32_t)threshold * 0x01010101u;
    for (sac_meltpool_walk at(sac_meltpool_team<T>::rank(), T, words); at.y < n; at.next(words)) {
        const uint32_t v = *(const uint32_t *)(s.pixels + at.y * s.pitch + 4 * at.x);
        const uint32_t bright = threshold < 256 ? __vcmpgeu4(v, least) & 0x01010101u : 0;
        uint32_t four = bright * 0x01020408u >> 24 & 15;
        if (rest && at.x == words - 1)
            four &= (1u << rest) - 1;
        if (four)
            atomicOr((uint32_t *)s.lines[at.y].bits + at.x / 8, four << at.x % 8 * 4);
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

/* Adds a run of the pool, and marks its pixels. */
template <int T>
__device__ static inline void sac_meltpool_add_run(sac_meltpool_integers *sum,
                                                   const sac_meltpool_scratch<T> &s, int32_t n,
                                                   const sac_meltpool_stretch run)
{
    const uint32_t b = run.begin, e = run.last + 1u, y = run.y;
    const uint32_t xs = sac_meltpool_sum_to(e) - sac_meltpool_sum_to(b);
    sum->area += e - b;
    sum->sum_x += xs;
    sum->sum_y += y * (e - b);
    sum->sum_xx += sac_meltpool_squares_to(e) - sac_meltpool_squares_to(b);
    sum->sum_xy += y * xs;
    sum->sum_yy += y * y * (e - b);
    if (y == 0 || y == n - 1 || b == 0 || e == n)
        sum->flags = SAC_MELTPOOL_CLIPPED;
    for (int k = 0; k < 2 * SAC_MELTPOOL_WORDS; k++) {
        const uint32_t on = (uint32_t)(sac_meltpool_until(run.last - 32 * k) &
                                       ~sac_meltpool_until(run.begin - 1 - 32 * k));
        if (on)
            atomicOr(&s.lines[y].pool[k], on);
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
            sac_meltpool_add_run(&sum, s, job->n, s.runs[i]);
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
    for (int32_t y = rank; y < n; y += T)
        sac_meltpool_begin_line(&s.lines[y], job, y);
    team::sync();
    sac_meltpool_mark_bright(s, n, job->threshold);
    team::sync();
    sac_meltpool_read_rows(s, job);
    team::sync();
    sac_meltpool_join_runs(s);
    team::sync();
    if (*s.nearest != ~0ull)
        sac_meltpool_sum_runs(s, job);
    else if (rank == 0)
        s.out->flags = SAC_MELTPOOL_NO_POOL;
    team::sync();
    if (job->scan)
        sac_meltpool_sum_pixels<T, true>(s, job);
    else
        sac_meltpool_sum_pixels<T, false>(s, job);
    sac_meltpool_sum_columns(s);
    team::sync();
}

#endif
