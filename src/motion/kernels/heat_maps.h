/*
 * The color maps of the heat map, as tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_HEAT_MAPS_H
#define SAC_MOTION_HEAT_MAPS_H

#include <saccade/motion.h>

#include "motion/kernels/heat_u8/heat_u8.h"

/*
 * Colors of u = d / scale, red first, made in double. Behind scale the sine map goes on by its
 * formula (white against black is black with 510), the others begin again.
 */
SAC_INTERNAL void sac_heat_table_make(sac_heat_table *table, sac_heat_map map, int32_t scale);

/* The same as a word (768) of each d: color[0] in its lowest byte, [1], [2], then 255. */
SAC_INTERNAL void sac_heat_words(uint32_t *words, const sac_heat_table *table);

#endif
