/*
 * Packed pictures: the layouts that kernels with vectors take.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_PACKED_H
#define SAC_MOTION_PACKED_H

#include <stdbool.h>

#include "image/pixels.h"

/* step: bytes per pixel of a packed picture: 1 gray, 3 or 4 with alpha last; 0 if it is not packed.
 * red: the byte of color[0], 0 or 2. */
typedef struct {
    int step, red;
} sac_packed;

static inline sac_packed sac_packed_of(const sac_pixels *p)
{
    if (p->n_colors == 1)
        return (sac_packed){p->pixel == 1, 0};
    const uintptr_t a = (uintptr_t)p->color[0], b = (uintptr_t)p->color[1];
    const uintptr_t c = (uintptr_t)p->color[2], alpha = (uintptr_t)p->alpha;
    const bool is_rgb = b == a + 1 && c == a + 2, is_bgr = b == c + 1 && a == c + 2;
    const int red = is_bgr ? 2 : 0;
    if (!is_rgb && !is_bgr)
        return (sac_packed){0, 0};
    if (p->pixel == 3 && !alpha)
        return (sac_packed){3, red};
    return (sac_packed){p->pixel == 4 && alpha == (is_rgb ? a : c) + 3 ? 4 : 0, red};
}

/* The first byte of row y of a packed picture. */
static inline uint8_t *sac_packed_row(const sac_pixels *p, int64_t y)
{
    const int first = sac_packed_of(p).red;
    return (uint8_t *)p->color[first] + y * p->row;
}

#endif
