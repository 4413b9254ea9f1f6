/*
 * Which pictures go by vectors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels.cuh"

static bool is_aligned(const sac_pixels *p, char *base)
{
    return (uintptr_t)base % 16 == 0 && (p->h == 1 || p->row % 16 == 0);
}

static char *lowest(const sac_pixels *p)
{
    char *base = (char *)p->color[0];
    for (int c = 1; c < p->n_colors; c++)
        base = (char *)p->color[c] < base ? (char *)p->color[c] : base;
    return base;
}

sac_kind sac_kind_of(const sac_pixels *p, int size)
{
    char *base = lowest(p);
    if (p->n_colors == 1)
        return !p->alpha && p->pixel == size && is_aligned(p, base) ? SAC_UNITS_GRAY
                                                                    : SAC_UNITS_NONE;
    bool together = true, aligned = true;
    ptrdiff_t sum = 0; /* of three places from 0 to 2: 3 only where they are 0, 1 and 2 */
    for (int c = 0; c < 3; c++) {
        together = together && (char *)p->color[c] - base <= 2 * size;
        sum += (char *)p->color[c] - base;
        aligned = aligned && is_aligned(p, (char *)p->color[c]);
    }
    if (p->pixel == size && !p->alpha && aligned)
        return SAC_UNITS_PLANES;
    if (!together || sum != 3 * size || !is_aligned(p, base))
        return SAC_UNITS_NONE;
    if (p->pixel == 3 * size && !p->alpha)
        return SAC_UNITS_RGB;
    return p->pixel == 4 * size && p->alpha == base + 3 * size ? SAC_UNITS_RGBA : SAC_UNITS_NONE;
}

bool sac_pixels_are_gapless(const sac_pixels *p)
{
    return p->row == p->w * p->pixel;
}

sac_pixels sac_pixels_joined(const sac_pixels *p)
{
    sac_pixels q = *p;
    q.w = p->w * p->h;
    q.h = 1;
    return q;
}

void sac_units_cut(sac_units *u, const sac_pixels *p, sac_kind kind, int size)
{
    const int64_t pixels = 16 / size;
    const bool planes = kind == SAC_UNITS_PLANES;
    *u = sac_units();
    u->rest = *p;
    if (kind == SAC_UNITS_NONE)
        return;
    for (int c = 0; c < 3; c++)
        u->plane[c] = planes ? (char *)p->color[c] : lowest(p);
    u->row = p->row;
    u->per_row = p->w / pixels;
    u->n = u->per_row * p->h;
    const int64_t x = u->per_row * pixels;
    for (int c = 0; c < p->n_colors; c++)
        u->rest.color[c] = (char *)p->color[c] + x * p->pixel;
    if (p->alpha)
        u->rest.alpha = (char *)p->alpha + x * p->pixel;
    u->rest.w = p->w - x;
}

int sac_pixels_place(const sac_pixels *p, int color)
{
    int place = 0;
    for (int c = 0; c < p->n_colors; c++)
        place += p->color[c] < p->color[color];
    return place;
}

bool sac_pixels_same_order(const sac_pixels *p, const sac_pixels *q)
{
    bool same = true;
    for (int c = 0; c < p->n_colors; c++)
        same = same && sac_pixels_place(p, c) == sac_pixels_place(q, c);
    return same;
}

sac_kind sac_units_of(sac_units *out_units, sac_units *in_units, const sac_pixels *out,
                      const sac_pixels *in, int size)
{
    const bool gapless = sac_pixels_are_gapless(in) && sac_pixels_are_gapless(out);
    const sac_pixels to = gapless ? sac_pixels_joined(out) : *out;
    const sac_pixels from = gapless ? sac_pixels_joined(in) : *in;
    sac_kind kind = sac_kind_of(&to, size);
    const bool same = kind == sac_kind_of(&from, size) &&
                      (kind == SAC_UNITS_PLANES || sac_pixels_same_order(&to, &from));
    kind = same ? kind : SAC_UNITS_NONE;
    sac_units_cut(out_units, &to, kind, size);
    sac_units_cut(in_units, &from, kind, size);
    return kind;
}
