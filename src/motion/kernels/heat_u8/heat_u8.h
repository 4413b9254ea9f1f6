/*
 * heat_u8: how much each pixel of a frame differs from the frame before, as a color.
 *
 *     d = |R - R'| + |G - G'| + |B - B'|     0..765; gray: 3 |v - v'|
 *     out = (color[0][d], color[1][d], color[2][d]), alpha 255
 *
 * out: 3 colors. current, previous: the same size, both with 1 or both with 3 colors; their alpha
 * is not read. Any layout and strides. out may be one of the frames where its layout is the same,
 * and overlaps nothing otherwise. Reads and writes each sample once. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_HEAT_U8_H
#define SAC_MOTION_HEAT_U8_H

#include "image/pixels.h"
#include "room/variant.h"

#define SAC_HEAT_MAX 765 /* the largest d */

typedef struct sac_heat_table {
    /* Of d: out's color[0], [1], [2]; the last two are not used. In whole cache lines. */
    _Alignas(64) uint8_t color[3][768];
    /* Whether color[2][d] = color[0][765 - d], color[1][d] = color[1][765 - d], and color[0][d] = 0
     * where d < 383: the sine map. A kernel may then keep half of it. */
    bool is_mirrored;
} sac_heat_table;

typedef void sac_heat_u8(const sac_pixels *out, const sac_pixels *current,
                         const sac_pixels *previous, const sac_heat_table *table);
typedef sac_heat_u8 *sac_heat_u8_fn;

sac_heat_u8 sac_heat_u8_ref, sac_heat_u8_plain, sac_heat_u8_auto_v3, sac_heat_u8_auto_v4,
    sac_heat_u8_avx2, sac_heat_u8_avx512, sac_heat_u8_neon;

/* libsaccade-ladder: three sines per pixel; the table is ignored. */
sac_heat_u8 sac_heat_u8_cpu_naive;

SAC_INTERNAL extern const sac_room sac_heat_u8_room;

#endif
