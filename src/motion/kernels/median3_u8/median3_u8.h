/*
 * median3_u8: the median of 3 x 3 samples, each channel by itself.
 *
 *     out(x, y) = the 5th smallest of in(x + i, y + j), -1 <= i, j <= 1
 *
 * Layouts, borders and rows: motion/kernels/samples.h; f is not looked at. Exact.
 * The reference, of both sizes, is motion/kernels/median_u8_ref.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_MEDIAN3_U8_H
#define SAC_MOTION_MEDIAN3_U8_H

#include "motion/kernels/samples.h"
#include "room/variant.h"

void sac_median3_u8_ref(const sac_samples *out, const sac_samples *in, int64_t y,
                        const sac_filter *f);
void sac_median3_u8_plain(const sac_samples *out, const sac_samples *in, int64_t y,
                          const sac_filter *f);
void sac_median3_u8_auto_v3(const sac_samples *out, const sac_samples *in, int64_t y,
                            const sac_filter *f);
void sac_median3_u8_auto_v4(const sac_samples *out, const sac_samples *in, int64_t y,
                            const sac_filter *f);
void sac_median3_u8_avx512(const sac_samples *out, const sac_samples *in, int64_t y,
                           const sac_filter *f);

SAC_INTERNAL extern const sac_room sac_median3_u8_room;

#endif
