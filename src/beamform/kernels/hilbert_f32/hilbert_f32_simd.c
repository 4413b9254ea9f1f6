/*
 * hilbert_f32 with vectors: rows n, n + 2, n + 4 and n + 6 at a time. Their taps meet samples of
 * the rows between, all but two of which at each tap are those of the tap before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hilbert_f32.h"
#include "simd/floats.h"

#define ROWS 4                                    /* at a time, two apart */
#define BEFORE (2 * SAC_HILBERT_TAPS - 1)         /* rows that the first one's taps reach */
#define BETWEEN (2 * SAC_HILBERT_TAPS + ROWS - 1) /* rows that are read */
#define COLUMNS 64

static const float zero[COLUMNS];

/* Row y, or zeros where there is none. */
static inline const float *row_of(const char *in, ptrdiff_t in_row, int64_t y, int64_t n_rows)
{
    return y >= 0 && y < n_rows ? (const void *)(in + y * in_row) : zero;
}

/* q[r] of columns x to x + VF: the sums of row n + 2 r, where `row` has n - 31, n - 29 and so on.
 */
SIMD_INLINE void transform(vf q[ROWS], const float *const row[BETWEEN], int64_t x, const float *tap)
{
    vf before[ROWS], behind[ROWS];
    for (int r = 0; r < ROWS; r++) {
        q[r] = vf_set(0);
        before[r] = vf_load(row[SAC_HILBERT_TAPS - 1 + r] + x);
        behind[r] = vf_load(row[SAC_HILBERT_TAPS + r] + x);
    }
#pragma GCC unroll 16
    for (int i = 0; i < SAC_HILBERT_TAPS; i++) {
        const vf g = vf_set(tap[i]);
        for (int r = 0; r < ROWS; r++)
            q[r] = vf_fma(g, vf_sub(before[r], behind[r]), q[r]);
        if (i == SAC_HILBERT_TAPS - 1)
            break;
        for (int r = ROWS - 1; r > 0; r--)
            before[r] = before[r - 1];
        for (int r = 0; r < ROWS - 1; r++)
            behind[r] = behind[r + 1];
        before[0] = vf_load(row[SAC_HILBERT_TAPS - 2 - i] + x);
        behind[ROWS - 1] = vf_load(row[SAC_HILBERT_TAPS + ROWS + i] + x);
    }
}

/* In single precision, but where squares leave its range, or are not numbers. */
SIMD_INLINE vf magnitude(vf a, vf b)
{
    const vf square = vf_fma(a, a, vf_mul(b, b));
    const mf is_safe = mf_and(vf_ge(square, vf_set(0x1p-100f)), vf_ge(vf_set(0x1p120f), square));
    return mf_bits(is_safe) == mf_bits(mf_all()) ? vf_sqrt(square) : vf_length(a, b);
}

/* Rows y, y + 2 .. y + 6 of n columns, VF <= n <= COLUMNS. */
static void rows(char *out, ptrdiff_t out_row, const char *in, ptrdiff_t in_row, int64_t n,
                 int64_t y, int64_t n_rows, const float *tap)
{
    const float *row[BETWEEN];
    for (int j = 0; j < BETWEEN; j++)
        row[j] = row_of(in, in_row, y - BEFORE + 2 * j, n_rows);
    for (int64_t x = 0; x < n; x += VF) {
        const int64_t at = x + VF <= n ? x : n - VF;
        vf q[ROWS];
        transform(q, row, at, tap);
        for (int r = 0; r < ROWS && y + 2 * r < n_rows; r++) {
            const vf real = vf_load((const float *)(const void *)(in + (y + 2 * r) * in_row) + at);
            vf_store((float *)(void *)(out + (y + 2 * r) * out_row) + at, magnitude(real, q[r]));
        }
    }
}

void sac_hilbert_f32_simd(float *out, ptrdiff_t out_row, const float *in, ptrdiff_t in_row,
                          int64_t w, int64_t n_rows, const sac_hilbert *hilbert)
{
    if (w < VF) {
        SIMD_OTHERWISE(hilbert_f32)(out, out_row, in, in_row, w, n_rows, hilbert);
        return;
    }
    char *to = (char *)out;
    const char *from = (const char *)in;
    const ptrdiff_t size = sizeof *in;
    for (int64_t x = 0; x < w; x += COLUMNS) {
        const int64_t end = x + COLUMNS < w ? x + COLUMNS : w, begin = end - x < VF ? end - VF : x;
        for (int64_t y = 0; y < n_rows; y += y % 2 ? 2 * ROWS - 1 : 1)
            rows(to + begin * size, out_row, from + begin * size, in_row, end - begin, y, n_rows,
                 hilbert->tap);
    }
}
