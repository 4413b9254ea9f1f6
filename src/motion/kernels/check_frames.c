/*
 * The frames that motion's rooms are checked with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/check_frames.h"

#include <string.h>

#include "image/pixels_inline.h"

const char *const sac_frame_contents[] = {"scene",  "none",  "all",  "constant", "extremes",
                                          "random", "every", "clip", NULL};

/* The previous frame's, of sac_pixel_contents. */
static const char *const pictures[] = {"scene",    "scene",  "scene",    "constant",
                                       "extremes", "random", "constant", "scene"};

static void fill_picture(const sac_check_case *c, int i, int mode, const char *content)
{
    sac_check_case picture = *c;
    picture.content = 0;
    while (strcmp(sac_pixel_contents[picture.content], content))
        picture.content++;
    sac_check_pixels_fill(&picture, i, mode);
}

/* A sample of the current frame, from that of the frame before. */
static uint8_t change(const sac_check_case *c, int64_t x, int64_t y, int color, uint8_t was,
                      uint64_t *random)
{
    const uint64_t r = sac_check_random(random);
    const int64_t d = (y * c->w + x) % 766 - 255 * color;
    switch (c->content) {
    case SAC_FRAME_NONE:
        return was;
    case SAC_FRAME_ALL:
        return was ^ 128;
    case SAC_FRAME_CONSTANT:
        return (uint8_t)(c->seed >> 17);
    case SAC_FRAME_EXTREMES:
        return r >> 63 ? 255 : 0;
    case SAC_FRAME_RANDOM:
        return (uint8_t)(r >> 32);
    case SAC_FRAME_EVERY:
        return (uint8_t)(d < 0 ? 0 : d > 255 ? 255 : d);
    default: {
        const bool moves = c->content == SAC_FRAME_CLIP
                               ? x % 147 == 146
                               : 4 * x >= c->w && 2 * x < c->w && 4 * y >= c->h && 2 * y < c->h;
        const int level = was + (int)((r >> 32) % 7) - 3 + (moves ? 60 : 0);
        return (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
    }
    }
}

void sac_check_frames_fill(sac_check_case *c, int current, int previous, int mode)
{
    uint64_t random = ~c->seed | 1;
    fill_picture(c, current, mode, "random"); /* its alpha */
    fill_picture(c, previous, mode, pictures[c->content]);
    const sac_pixels p = sac_check_pixels(c, current, mode),
                     q = sac_check_pixels(c, previous, mode);
    for (int64_t y = 0; y < p.h; y++)
        for (int64_t x = 0; x < p.w; x++)
            for (int k = 0; k < p.n_colors; k++) {
                uint8_t *was = sac_out_u8(&q, k, x, y);
                if (c->content == SAC_FRAME_EVERY)
                    *was = 0;
                *sac_out_u8(&p, k, x, y) = change(c, x, y, k, *was, &random);
            }
}

static bool is_packed(const sac_pixels *p, uintptr_t align)
{
    return (p->h == 1 || p->row == 3 * p->w) && (uintptr_t)p->color[2] % align == 0;
}

bool sac_check_report_takes(const sac_variant *v, const sac_pair *pair, int mode)
{
    if ((v->kind & SAC_REPORT_BGR) == 0)
        return true;
    const uintptr_t align = v->kind & SAC_REPORT_CHUNKS ? 16 : v->kind & SAC_REPORT_WORDS ? 4 : 1;
    return mode == SAC_MODE_BGR && pair->out.w * pair->out.h < INT32_MAX / 4 &&
           is_packed(&pair->out, 1) && is_packed(&pair->current, align) &&
           is_packed(&pair->previous, align);
}
