/*
 * temporal_u8's way over a picture: rows in pieces of interleaved samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_TEMPORAL_U8_LINES_H
#define SAC_MOTION_TEMPORAL_U8_LINES_H

#include "motion/kernels/samples_inline.h"
#include "temporal_u8.h"

/* n <= SAC_LINE samples, interleaved as the state is; `to` may be `from`. keep: as the kernel has
 * it. */
typedef void (*sac_temporal_line_fn)(uint8_t *to, uint16_t *state, const uint8_t *from, int32_t n,
                                     const void *keep);

static inline void sac_temporal_lines(const sac_samples *out, uint16_t *state,
                                      const sac_samples *in, const void *keep,
                                      sac_temporal_line_fn line)
{
    uint8_t from_line[SAC_LINE], to_line[SAC_LINE];
    bool from_dense = sac_samples_dense(in), to_dense = sac_samples_dense(out);
    const int64_t most = SAC_LINE / in->n_channels / SAC_GRAIN * SAC_GRAIN;
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += most) {
            int64_t n = sac_min_i64(in->w - x, most);
            const uint8_t *from = sac_sample_of(in, x, y, 0);
            uint8_t *to = to_dense ? sac_sample_of(out, x, y, 0) : to_line;
            if (!from_dense) {
                sac_samples_gather(from_line, in, x, y, n);
                from = from_line;
            }
            line(to, state + (y * in->w + x) * in->n_channels, from, (int32_t)n * in->n_channels,
                 keep);
            if (!to_dense)
                sac_samples_scatter(out, x, y, to_line, n);
        }
}

#endif
