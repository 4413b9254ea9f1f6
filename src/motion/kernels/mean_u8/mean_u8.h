/*
 * mean_u8: the mean of f->size x f->size samples, each channel by itself.
 *
 *     out(x, y) = floor(sum of in(x + i, y + j) / n + 1/2), n = size^2 (9 or 25)
 *
 * Layouts, borders and rows: motion/kernels/samples.h. n is odd, so no sum lies halfway. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_MEAN_U8_H
#define SAC_MOTION_MEAN_U8_H

#include "motion/kernels/samples.h"
#include "room/variant.h"

void sac_mean_u8_ref(const sac_samples *out, const sac_samples *in, int64_t y, const sac_filter *f);
void sac_mean_u8_plain(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f);
void sac_mean_u8_auto_v3(const sac_samples *out, const sac_samples *in, int64_t y,
                         const sac_filter *f);
void sac_mean_u8_auto_v4(const sac_samples *out, const sac_samples *in, int64_t y,
                         const sac_filter *f);

SAC_INTERNAL extern const sac_room sac_mean_u8_room;

#endif
