/*
 * A team of threads of a GPU that works on a frame: a warp or a block; and where its shared memory
 * is what.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_TEAM_CUH
#define SAC_MELTPOOL_TEAM_CUH

#include "gpu/block.cuh"
#include "meltpool/kernels/frame.h"

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
            const uint2 v = sac_load_8(from + at.y * row + 8 * at.x);
            uint32_t *to = (uint32_t *)(s.pixels + at.y * s.pitch + 8 * at.x);
            to[0] = v.x;
            to[1] = v.y;
        }
        return;
    }
    for (sac_meltpool_walk at(rank, T, n); at.y < n; at.next(n))
        s.pixels[at.y * s.pitch + at.x] = sac_load_1(from + at.y * row + at.x);
}

#endif
