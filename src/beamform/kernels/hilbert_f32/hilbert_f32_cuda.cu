/*
 * hilbert_f32 on a GPU: a lane has a column, and OUTPUTS rows of it, two apart. The 2 TAPS - 1 +
 * OUTPUTS rows between them that it reads stay in registers, and all loads are on their way at
 * once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hilbert_f32_cuda.h"
#include "beamform/kernels/signal_cuda.h"

#define COLUMNS 32
#define OUTPUTS 8
#define TAPS SAC_HILBERT_TAPS
#define INPUTS (2 * TAPS - 1 + OUTPUTS)
#define PARTS                                                                                      \
    8 /* of a block: 4 times 2 OUTPUTS rows, whose neighbours the first cache then has             \
       */
#define ROWS (PARTS * OUTPUTS)

typedef struct hilbert_job {
    float tap[TAPS];
    float *out;
    const float *in;
    ptrdiff_t out_row, in_row; /* in floats */
    int64_t out_image, in_image;
    int64_t w, n_rows;
    uint32_t across, down; /* blocks of an image */
} hilbert_job;

__device__ static float load(const float *in, int64_t y, ptrdiff_t row, int64_t n_rows)
{
    return y >= 0 && y < n_rows ? in[y * row] : 0;
}

__global__ void __launch_bounds__(COLUMNS *PARTS) hilbert_f32(const __grid_constant__ hilbert_job j)
{
    const uint32_t tile = blockIdx.x / j.across;
    const int64_t x = (int64_t)(blockIdx.x % j.across) * COLUMNS + threadIdx.x;
    /* Even rows and odd ones are different threads'. */
    const int64_t y0 =
        (int64_t)(tile % j.down) * ROWS + threadIdx.y / 2 * (2 * OUTPUTS) + threadIdx.y % 2;
    if (x >= j.w || y0 >= j.n_rows)
        return;
    const float *in = j.in + tile / j.down * j.in_image + x;
    float *out = j.out + tile / j.down * j.out_image + x;
    float z[INPUTS]; /* rows y0 - 31, y0 - 29, ... */
#pragma unroll
    for (int i = 0; i < INPUTS; i++)
        z[i] = load(in, y0 + 2 * i - (2 * TAPS - 1), j.in_row, j.n_rows);
#pragma unroll
    for (int i = 0; i < OUTPUTS; i++) {
        const int64_t y = y0 + 2 * i;
        float q = 0;
#pragma unroll
        for (int k = 0; k < TAPS; k++) /* in the order of hilbert_f32_plain */
            q = fmaf(j.tap[k], z[i + TAPS - 1 - k] - z[i + TAPS + k], q);
        const double re = (double)load(in, y, j.in_row, j.n_rows), im = (double)q;
        if (y < j.n_rows)
            out[y * j.out_row] = (float)sqrt(fma(re, re, im * im));
    }
}

static sac_status launch(sac_gpu_stream stream, hilbert_job *j, int64_t n_images,
                         const sac_hilbert *hilbert)
{
    if (n_images == 0 || j->n_rows == 0 || j->w == 0)
        return SAC_OK;
    for (int k = 0; k < TAPS; k++)
        j->tap[k] = hilbert->tap[k];
    const int64_t across = (j->w - 1) / COLUMNS + 1, down = (j->n_rows - 1) / ROWS + 1;
    if (across * down > INT32_MAX / n_images)
        return SAC_E_UNSUPPORTED; /* more than fits into any device */
    j->across = (uint32_t)across;
    j->down = (uint32_t)down;
    hilbert_f32<<<(uint32_t)(n_images * across * down), dim3(COLUMNS, PARTS), 0, stream>>>(*j);
    return sac_cuda_launched();
}

extern "C" sac_status sac_hilbert_f32_cuda(sac_gpu_stream stream, float *out, const float *in,
                                           int64_t n_images, int64_t n_z, int64_t n_columns,
                                           const sac_hilbert *hilbert)
{
    hilbert_job j = {};
    j.out = out;
    j.in = in;
    j.out_row = j.in_row = (ptrdiff_t)n_columns;
    j.out_image = j.in_image = n_z * n_columns;
    j.w = n_columns;
    j.n_rows = n_z;
    return launch(stream, &j, n_images, hilbert);
}

extern "C" sac_status sac_hilbert_f32_cuda_rows(sac_gpu_stream stream, float *out,
                                                ptrdiff_t out_row, const float *in,
                                                ptrdiff_t in_row, int64_t w, int64_t n_rows,
                                                const sac_hilbert *hilbert)
{
    hilbert_job j = {};
    j.out = out;
    j.in = in;
    j.out_row = out_row / (ptrdiff_t)sizeof *out;
    j.in_row = in_row / (ptrdiff_t)sizeof *in;
    j.w = w;
    j.n_rows = n_rows;
    return launch(stream, &j, 1, hilbert);
}
