/*
 * Pixels as hue, saturation and value in single precision, packed: in triples, or one plane each.
 * What the color conversion rungs of Duong, "Programmation GPU" (2024), work on. In
 * libsaccade-ladder.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_HSV_H
#define SAC_EQUALIZE_HSV_H

#include "room/variant.h"

typedef struct sac_hsv {
    float *h, *s, *v; /* hue in degrees, [0, 360); saturation and value in [0, 1] */
    ptrdiff_t step;   /* floats from a pixel to the next: 3 (triples) or 1 (planes) */
} sac_hsv;

enum { SAC_HSV_TRIPLES, SAC_HSV_PLANES };

/* n pixels at `memory` (3 n floats) in layout `mode`. */
static inline sac_hsv sac_hsv_view(float *memory, int64_t n, int mode)
{
    if (mode == SAC_HSV_TRIPLES)
        return (sac_hsv){memory, memory + 1, memory + 2, 3};
    return (sac_hsv){memory, memory + n, memory + 2 * n, 1};
}

#endif
