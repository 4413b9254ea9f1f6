/*
 * Counts bytes into eight tables by turns, so that equal neighbors do not wait for each other's
 * count. The limit is one store per value.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VHIST_U8_COUNT_H
#define SAC_EQUALIZE_VHIST_U8_COUNT_H

#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t n[8][256];
} tables;

static inline void count(tables *t, const uint8_t *v, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t x;
        memcpy(&x, v + i, 8);
        t->n[0][(uint8_t)x]++;
        t->n[1][(uint8_t)(x >> 8)]++;
        t->n[2][(uint8_t)(x >> 16)]++;
        t->n[3][(uint8_t)(x >> 24)]++;
        t->n[4][(uint8_t)(x >> 32)]++;
        t->n[5][(uint8_t)(x >> 40)]++;
        t->n[6][(uint8_t)(x >> 48)]++;
        t->n[7][x >> 56]++;
    }
    for (; i < n; i++)
        t->n[0][v[i]]++;
}

static inline void total(uint32_t *restrict hist, const tables *t)
{
    for (int i = 0; i < 256; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < 8; k++)
            sum += t->n[k][i];
        hist[i] = sum;
    }
}

#endif
