/*
 * hilbert_f32 in plain C: some columns at a time, their sums in registers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hilbert_f32.h"

#include "base/multiply_add.h"

#define COLUMNS 64

static const float zero[COLUMNS];

/* Tap i of row y. */
static inline void add_tap(float q[COLUMNS], const char *in, ptrdiff_t in_row, int64_t y, int64_t n,
                           int64_t n_rows, float tap, int32_t i)
{
    int32_t k = 2 * i + 1;
    const void *before = y >= k ? in + (y - k) * in_row : (const char *)zero;
    const void *behind = y + k < n_rows ? in + (y + k) * in_row : (const char *)zero;
    const float *a = before, *b = behind;
    for (int64_t x = 0; x < n; x++)
        q[x] = sac_multiply_add(tap, a[x] - b[x], q[x]);
}

/* n <= COLUMNS columns, n a constant where speed asks for it. */
__attribute__((always_inline)) static inline void columns(char *out, ptrdiff_t out_row,
                                                          const char *in, ptrdiff_t in_row,
                                                          int64_t n, int64_t n_rows,
                                                          const sac_hilbert *hilbert)
{
    const float *g = hilbert->tap;
    for (int64_t y = 0; y < n_rows; y++) {
        float q[COLUMNS] = {0}, *restrict to = (float *)(void *)(out + y * out_row);
        const float *real = (const float *)(const void *)(in + y * in_row);
        /* In pairs: gcc would exchange the two loops of single taps, and make no vectors. */
        for (int32_t i = 0; i < SAC_HILBERT_TAPS; i += 2) {
            add_tap(q, in, in_row, y, n, n_rows, g[i], i);
            add_tap(q, in, in_row, y, n, n_rows, g[i + 1], i + 1);
        }
        for (int64_t x = 0; x < n; x++) {
            double re = (double)real[x], im = (double)q[x];
            to[x] = (float)sqrt(re * re + im * im);
        }
    }
}

void sac_hilbert_f32_plain(float *out, ptrdiff_t out_row, const float *in, ptrdiff_t in_row,
                           int64_t w, int64_t n_rows, const sac_hilbert *hilbert)
{
    char *to = (char *)out;
    const char *from = (const char *)in;
    const ptrdiff_t size = sizeof *in;
    int64_t x = 0;
    for (; x + COLUMNS <= w; x += COLUMNS)
        columns(to + x * size, out_row, from + x * size, in_row, COLUMNS, n_rows, hilbert);
    if (x < w)
        columns(to + x * size, out_row, from + x * size, in_row, w - x, n_rows, hilbert);
}
