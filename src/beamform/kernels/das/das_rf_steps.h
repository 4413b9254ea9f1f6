/*
 * Delay-and-sum of real samples as Jarosik, Lewandowski and Yiu (2023) build it up, for both rooms:
 * interpolate every element's record into memory and sum it from there, or in one step, the sum
 * kept in memory or in a register. One frame, linear, zero outside, no f-number; single precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_STEPS_H
#define SAC_BEAMFORM_DAS_RF_STEPS_H

#include "beamform/kernels/das/das_rf_inline.h"

/* One transmit at a block's points: coordinates and (tau_tx - t0) fs, all in samples. */
typedef struct sac_rf_block {
    float x[SAC_RF_POINTS], y[SAC_RF_POINTS], z[SAC_RF_POINTS], offset[SAC_RF_POINTS];
} sac_rf_block;

static inline void sac_rf_find_block(sac_rf_block *b, const sac_das *das, int32_t t, int64_t first,
                                     int32_t n)
{
    double x[SAC_RF_POINTS], y[SAC_RF_POINTS], z[SAC_RF_POINTS], scale = das->fs_hz / das->c_m_s;
    sac_rf_offsets tx = {.first = t, .n = 1};
    sac_das_points(x, y, z, das, first, n);
    sac_rf_find_offsets(&tx, das, x, y, z, first, n);
    sac_das_receive_points(x, y, das, n);
    for (int32_t i = 0; i < n; i++) {
        b->x[i] = (float)(x[i] * scale);
        b->y[i] = (float)(y[i] * scale);
        b->z[i] = (float)(z[i] * scale);
        b->offset[i] = (float)tx.samples[0][i];
    }
}

/* What point i of a block receives of an element, at e in samples. */
static inline float sac_rf_receive(const sac_rf_block *b, int32_t i, const float e[3],
                                   const sac_das *das, ptrdiff_t record, sac_dtype dtype)
{
    float x = b->x[i] - e[0], y = b->y[i] - e[1], z = b->z[i] - e[2];
    float s = sqrtf(x * x + y * y + z * z) + b->offset[i];
    if (!(s >= 0 && s <= (float)(das->n_samples - 1)))
        return 0;
    int32_t whole = (int32_t)s;
    float v = sac_rf_value(das->data, dtype, record + whole);
    return v + (s - (float)whole) * (sac_rf_value(das->data, dtype, record + whole + 1) - v);
}

static inline void sac_rf_element(float e[3], const sac_das *das, int32_t r)
{
    for (int k = 0; k < 3; k++)
        e[k] = (float)(das->elements[r].position_m[k] * das->fs_hz / das->c_m_s);
}

/* to[i * step] = or += sum. */
static inline void sac_rf_put(float *to, const float *sum, const sac_das *das, int32_t t, int32_t n)
{
    int32_t step = sac_das_images(das);
    for (int32_t i = 0; i < n; i++) {
        if (das->lri)
            to[i * step + t] = sum[i];
        else
            to[i] += das->tx_weight[t] * sum[i];
    }
}

/* Layers of SAC_DAS_CHUNK elements, (r, p); then their sum over r. */
static inline void sac_rf_two_steps(float *sum, const sac_rf_block *b, const sac_das *das,
                                    int32_t t, int32_t n, sac_dtype dtype)
{
    float layers[SAC_DAS_CHUNK][SAC_RF_POINTS], e[3];
    for (int32_t begin = 0; begin < das->n_rx; begin += SAC_DAS_CHUNK) {
        int32_t some = das->n_rx - begin < SAC_DAS_CHUNK ? das->n_rx - begin : SAC_DAS_CHUNK;
        for (int32_t k = 0; k < some; k++) {
            ptrdiff_t record = t * das->tx + (begin + k) * das->rx;
            sac_rf_element(e, das, begin + k);
            for (int32_t i = 0; i < n; i++)
                layers[k][i] = sac_rf_receive(b, i, e, das, record, dtype);
        }
        for (int32_t k = 0; k < some; k++)
            for (int32_t i = 0; i < n; i++)
                sum[i] += layers[k][i];
    }
}

/* Element after element, the sums where they are kept. */
static inline void sac_rf_sum_in_memory(float *sum, const sac_rf_block *b, const sac_das *das,
                                        int32_t t, int32_t n, sac_dtype dtype)
{
    float e[3];
    for (int32_t r = 0; r < das->n_rx; r++) {
        sac_rf_element(e, das, r);
        for (int32_t i = 0; i < n; i++)
            sum[i] += sac_rf_receive(b, i, e, das, t * das->tx + r * das->rx, dtype);
    }
}

/* Point after point, each sum in a register. */
static inline void sac_rf_sum_in_register(float *sum, const sac_rf_block *b, const sac_das *das,
                                          int32_t t, int32_t n, sac_dtype dtype)
{
    float e[SAC_DAS_CHUNK][3];
    for (int32_t begin = 0; begin < das->n_rx; begin += SAC_DAS_CHUNK) {
        int32_t some = das->n_rx - begin < SAC_DAS_CHUNK ? das->n_rx - begin : SAC_DAS_CHUNK;
        for (int32_t k = 0; k < some; k++)
            sac_rf_element(e[k], das, begin + k);
        for (int32_t i = 0; i < n; i++) {
            float kept = sum[i];
            for (int32_t k = 0; k < some; k++)
                kept += sac_rf_receive(b, i, e[k], das, t * das->tx + (begin + k) * das->rx, dtype);
            sum[i] = kept;
        }
    }
}

typedef enum sac_rf_step { SAC_RF_TWO_STEPS, SAC_RF_IN_MEMORY, SAC_RF_IN_REGISTER } sac_rf_step;

/* A rung; dtype and step are constants: inlined, so that each rung is a loop of its own. */
__attribute__((always_inline)) static inline void sac_rf_run_step(float *out, const sac_das *das,
                                                                  int64_t first, int32_t n_points,
                                                                  sac_dtype dtype, sac_rf_step step)
{
    int32_t images = sac_das_images(das);
    memset(out, 0, (size_t)n_points * (size_t)images * sizeof *out);
    for (int32_t i = 0; i < n_points; i += SAC_RF_POINTS) {
        int32_t n = n_points - i < SAC_RF_POINTS ? n_points - i : SAC_RF_POINTS;
        for (int32_t t = 0; t < das->n_tx; t++) {
            sac_rf_block b;
            float sum[SAC_RF_POINTS] = {0};
            sac_rf_find_block(&b, das, t, first + i, n);
            if (step == SAC_RF_TWO_STEPS)
                sac_rf_two_steps(sum, &b, das, t, n, dtype);
            else if (step == SAC_RF_IN_MEMORY)
                sac_rf_sum_in_memory(sum, &b, das, t, n, dtype);
            else
                sac_rf_sum_in_register(sum, &b, das, t, n, dtype);
            sac_rf_put(out + (ptrdiff_t)i * images, sum, das, t, n);
        }
    }
}

/* The rungs of the room that includes this file: NAME(of) is sac_das_rf_f32_##of, DTYPE SAC_F32. */
void NAME(two_kernels)(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_run_step(out, das, first, n_points, DTYPE, SAC_RF_TWO_STEPS);
}

void NAME(fused_global)(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_run_step(out, das, first, n_points, DTYPE, SAC_RF_IN_MEMORY);
}

void NAME(fused_register)(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_run_step(out, das, first, n_points, DTYPE, SAC_RF_IN_REGISTER);
}

#endif
