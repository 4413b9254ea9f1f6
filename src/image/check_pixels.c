/*
 * Layouts and contents of the pictures that rooms are checked with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/check_pixels.h"

#include <math.h>

const char *const sac_pixel_modes[] = {"rgb",    "gray",   "bgr",        "rgba", "bgra",
                                       "planar", "sparse", "gray-alpha", NULL};
const char *const sac_pixel_contents[] = {"scene", "constant", "random", "extremes",
                                          "dark",  "two",      NULL};
enum { SCENE, CONSTANT, RANDOM, EXTREMES, DARK, TWO };
const sac_check_task sac_pixel_tasks[] = {{"scene", .content = SCENE, .is_content = true},
                                          {"constant", .content = CONSTANT, .is_content = true},
                                          {"random", .content = RANDOM, .is_content = true},
                                          {0}};

/* Samples from a pixel to the next, colors, where red lies, which sample is alpha (-1: none). */
static const struct {
    int step, n_colors, red, alpha;
} layouts[] = {
    [SAC_MODE_RGB] = {3, 3, 0, -1},    [SAC_MODE_GRAY] = {1, 1, 0, -1},
    [SAC_MODE_BGR] = {3, 3, 2, -1},    [SAC_MODE_RGBA] = {4, 3, 0, 3},
    [SAC_MODE_BGRA] = {4, 3, 2, 3},    [SAC_MODE_PLANAR] = {1, 3, 0, -1},
    [SAC_MODE_SPARSE] = {5, 3, 0, -1}, [SAC_MODE_GRAY_ALPHA] = {2, 1, 0, 1},
};

void sac_check_pixels_shape(sac_check_case *c, int i, const char *name, sac_check_role role,
                            size_t size, int mode)
{
    c->arg[i] = (sac_check_arg){
        .name = name,
        .role = role,
        .size = size,
        .w = c->w * layouts[mode].step,
        .h = mode == SAC_MODE_PLANAR ? 3 * c->h : c->h,
    };
    c->n_args = i + 1 > c->n_args ? i + 1 : c->n_args;
}

sac_pixels sac_check_pixels(const sac_check_case *c, int i, int mode)
{
    const sac_check_arg *a = &c->arg[i];
    ptrdiff_t size = (ptrdiff_t)a->size, plane = mode == SAC_MODE_PLANAR ? c->h * a->row : size;
    int n = layouts[mode].n_colors, red = layouts[mode].red, alpha = layouts[mode].alpha;
    sac_pixels p = {
        .n_colors = n, .pixel = layouts[mode].step * size, .row = a->row, .w = c->w, .h = c->h};
    for (int k = 0; k < n; k++)
        p.color[k] = a->data + (red ? red - k : k) * plane;
    if (alpha >= 0)
        p.alpha = a->data + alpha * size;
    return p;
}

uint64_t sac_check_pixels_bytes(const sac_check_case *c, int i, int mode)
{
    return (uint64_t)(c->w * c->h * layouts[mode].n_colors) * c->arg[i].size;
}

/* One sample of the input picture, wrapped around its edges, at `depth` bits. */
static uint32_t from_input(const sac_array *a, int64_t x, int64_t y, int channel, int depth)
{
    const char *at =
        (const char *)a->data + y % a->shape[0] * a->stride[0] + x % a->shape[1] * a->stride[1];
    if (a->n_dims == 3 && a->shape[2] >= 3)
        at += channel * a->stride[2];
    if (a->dtype == SAC_U8) {
        uint32_t v = *(const uint8_t *)at;
        return depth == 8 ? v : v * 257;
    }
    uint32_t v = *(const uint16_t *)(const void *)at;
    return depth == 8 ? v >> 8 : v;
}

/* A sky with a gradient, a sun, hills with texture: smooth and busy parts, skewed to the dark side.
 */
static uint32_t from_scene(const sac_check_case *c, int64_t x, int64_t y, int channel, int depth,
                           uint64_t noise)
{
    double u = (double)x / (double)(c->w + 1), v = (double)y / (double)(c->h + 1);
    double hill = 0.55 + 0.08 * sin(9 * u) + 0.04 * sin(31 * u + 2);
    double level = v < hill ? 0.35 + 0.4 * v : 0.12 + 0.15 * sin(40 * u) * sin(55 * v);
    double sun = exp(-60 * ((u - 0.7) * (u - 0.7) + (v - 0.2) * (v - 0.2)));
    double tint[] = {0.8 + 0.3 * v, 0.9, v < hill ? 1.1 : 0.6};
    double value = (level + sun) * tint[channel] + 0.02 * ((double)(noise >> 40) / (1 << 24) - 0.5);
    double max = (double)((1 << depth) - 1);
    return (uint32_t)(fmin(fmax(value, 0), 1) * max);
}

static uint32_t sample(const sac_check_case *c, int64_t x, int64_t y, int channel, int depth,
                       uint64_t *random)
{
    uint32_t max = (UINT32_C(1) << depth) - 1;
    uint64_t r = sac_check_random(random);
    switch (c->content) {
    case CONSTANT:
        return (uint32_t)(c->seed >> 7) & max;
    case RANDOM:
        return (uint32_t)(r >> 32) & max;
    case EXTREMES:
        return r >> 63 ? max : 0;
    case DARK:
        return (uint32_t)(r >> 32) & (max >> 5);
    case TWO:
        return x % 7 < 3 ? 1 : max - (uint32_t)channel;
    default:
        return c->input ? from_input(c->input, x, y, channel, depth)
                        : from_scene(c, x, y, channel, depth, r);
    }
}

void sac_check_pixels_fill(sac_check_case *c, int i, int mode)
{
    uint64_t random = c->seed | 1;
    sac_pixels p = sac_check_pixels(c, i, mode);
    int depth = c->arg[i].size == 1 ? 8 : 16;
    for (int64_t y = 0; y < p.h; y++)
        for (int64_t x = 0; x < p.w; x++) {
            for (int k = 0; k < p.n_colors; k++) {
                char *at = (char *)p.color[k] + y * p.row + x * p.pixel;
                uint32_t value = sample(c, x, y, k, depth, &random);
                if (depth == 8)
                    *(uint8_t *)at = (uint8_t)value;
                else
                    *(uint16_t *)(void *)at = (uint16_t)value;
            }
            if (p.alpha)
                ((uint8_t *)p.alpha)[y * p.row + x * p.pixel] = (uint8_t)sac_check_random(&random);
        }
}
