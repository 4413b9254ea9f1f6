/*
 * noise_u8, the specification: a pixel at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "image/pixels_inline.h"
#include "noise_u8.h"

static bool is_changed(const sac_pixels *p, const sac_pixels *q, int64_t x, int64_t y,
                       int32_t threshold)
{
    bool changed = false;
    for (int c = 0; c < p->n_colors; c++)
        changed = changed || abs(*sac_row_u8(p, c, x, y) - *sac_row_u8(q, c, x, y)) > threshold;
    return changed;
}

static void set_bit(const sac_pixels *out, int64_t x, int64_t y, bool changed)
{
    uint8_t *byte = sac_out_u8(out, 0, x / 8, y);
    if (x % 8 == 0)
        *byte = 0;
    *byte |= (uint8_t)(changed << x % 8);
}

static void draw(const sac_pixels *out, const sac_pixels *previous, int64_t x, int64_t y,
                 sac_noise_view view, bool changed)
{
    const bool keeps = view == SAC_NOISE_OVERLAY || (view == SAC_NOISE_PURE && !changed);
    for (int c = 0; c < previous->n_colors; c++)
        *sac_out_u8(out, c, x, y) = keeps ? *sac_row_u8(previous, c, x, y) : 0;
    if (changed)
        *sac_out_u8(out, 0, x, y) = 255;
    if (view == SAC_NOISE_MASK)
        sac_set_alpha_u8(out, x, y, 1, 255);
}

uint64_t sac_noise_u8_ref(const sac_pixels *out, const sac_pixels *current,
                          const sac_pixels *previous, sac_noise_view view, int32_t threshold)
{
    uint64_t count = 0;
    for (int64_t y = 0; y < current->h; y++)
        for (int64_t x = 0; x < current->w; x++) {
            const bool changed = is_changed(current, previous, x, y, threshold);
            count += changed;
            if (view == SAC_NOISE_BITS)
                set_bit(out, x, y, changed);
            else
                draw(out, previous, x, y, view, changed);
        }
    if (view == SAC_NOISE_OVERLAY || view == SAC_NOISE_PURE)
        sac_copy_alpha(out, previous, 1);
    return count;
}
