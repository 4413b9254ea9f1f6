/*
 * noise_u8 with vectors, V8 pixels at a time, by planes of colors. For packed RGB, RGBA and gray of
 * one layout; others are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/packed.h"
#include "noise_u8.h"
#include "simd/simd.h"

/* What a loop is made for: constants where it is inlined. */
typedef struct {
    int step; /* bytes a pixel */
    sac_noise_view view;
} kind;

/* In every byte: the threshold, and 255 in the planes that color[0] may be. */
typedef struct {
    v8 threshold, first, last;
} constants;

SIMD_INLINE m8 find(const uint8_t *p, const uint8_t *q, kind k, const constants *c)
{
    if (k.step == 1)
        return v8_gt(v8_absd(v8_load(p), v8_load(q)), c->threshold);
    if (k.step == 3) {
        const v8x3 d = v8_absd3(p, q);
        return v8_gt(v8_max(v8_max(d.c[0], d.c[1]), d.c[2]), c->threshold);
    }
    const v8x4 d = v8_absd4(p, q);
    return v8_gt(v8_max(v8_max(d.c[0], d.c[1]), d.c[2]), c->threshold);
}

/* One plane of a view: where `is`, 255 if it is color[0]'s. */
SIMD_INLINE v8 paint(v8 from, v8 is, v8 full, sac_noise_view view)
{
    const v8 red = v8_and(is, full);
    return view == SAC_NOISE_MASK   ? red
           : view == SAC_NOISE_PURE ? v8_or(v8_without(from, is), red)
                                    : v8_or(from, red);
}

SIMD_INLINE void draw(uint8_t *to, const uint8_t *from, v8 is, kind k, const constants *c)
{
    const v8 zero = v8_set(0), full = v8_set(255);
    if (k.step == 1) {
        v8_store(to, paint(v8_load(from), is, full, k.view));
    } else if (k.step == 3) {
        v8x3 x = {{zero, zero, zero}};
        if (k.view != SAC_NOISE_MASK)
            x = v8_load3(from);
        v8_store3(to, (v8x3){{paint(x.c[0], is, c->first, k.view), paint(x.c[1], is, zero, k.view),
                              paint(x.c[2], is, c->last, k.view)}});
    } else {
        v8x4 x = {{zero, zero, zero, full}};
        if (k.view != SAC_NOISE_MASK)
            x = v8_load4(from);
        v8_store4(to, (v8x4){{paint(x.c[0], is, c->first, k.view), paint(x.c[1], is, zero, k.view),
                              paint(x.c[2], is, c->last, k.view), x.c[3]}});
    }
}

/* V8 pixels; returns how many changed. */
SIMD_INLINE int view_some(uint8_t *to, const uint8_t *p, const uint8_t *q, kind k,
                          const constants *c)
{
    const m8 is = find(p, q, k, c);
    if (k.view == SAC_NOISE_BITS) {
        const uint64_t bits = m8_bits(is); /* the lowest byte first */
        memcpy(to, &bits, V8 / 8);
    } else {
        draw(to, q, m8_bytes(is), k, c);
    }
    return m8_count(is);
}

/* The last n < V8 pixels of a row, through buffers; equal ones follow them. */
SIMD_INLINE int view_rest(uint8_t *to, const uint8_t *p, const uint8_t *q, int64_t n, kind k,
                          const constants *c)
{
    uint8_t a[4 * V8] = {0}, b[4 * V8] = {0}, r[4 * V8];
    const size_t bytes = (size_t)(n * k.step);
    memcpy(a, p, bytes);
    memcpy(b, q, bytes);
    const int count = view_some(r, a, b, k, c);
    memcpy(to, r, k.view == SAC_NOISE_BITS ? (size_t)(n + 7) / 8 : bytes);
    return count;
}

SIMD_INLINE uint64_t view_rows(const sac_pixels *out, const sac_pixels *current,
                               const sac_pixels *previous, int32_t threshold, kind k)
{
    const int red = sac_packed_of(out).red;
    const constants c = {v8_set((uint8_t)threshold), v8_set(red ? 0 : 255), v8_set(red ? 255 : 0)};
    const int64_t w = current->w, whole = w / V8 * V8;
    uint64_t count = 0;
    for (int64_t y = 0; y < current->h; y++) {
        uint8_t *to = sac_packed_row(out, y);
        const uint8_t *p = sac_packed_row(current, y), *q = sac_packed_row(previous, y);
        for (int64_t x = 0; x < whole; x += V8)
            count += (uint64_t)view_some(to + (k.view == SAC_NOISE_BITS ? x / 8 : k.step * x),
                                         p + k.step * x, q + k.step * x, k, &c);
        if (whole < w)
            count +=
                (uint64_t)view_rest(to + (k.view == SAC_NOISE_BITS ? whole / 8 : k.step * whole),
                                    p + k.step * whole, q + k.step * whole, w - whole, k, &c);
    }
    return count;
}

SIMD_INLINE uint64_t view_step(const sac_pixels *out, const sac_pixels *current,
                               const sac_pixels *previous, sac_noise_view view, int32_t threshold,
                               int step)
{
    switch (view) {
    case SAC_NOISE_MASK:
        return view_rows(out, current, previous, threshold, (kind){step, SAC_NOISE_MASK});
    case SAC_NOISE_OVERLAY:
        return view_rows(out, current, previous, threshold, (kind){step, SAC_NOISE_OVERLAY});
    case SAC_NOISE_PURE:
        return view_rows(out, current, previous, threshold, (kind){step, SAC_NOISE_PURE});
    default:
        return view_rows(out, current, previous, threshold, (kind){step, SAC_NOISE_BITS});
    }
}

uint64_t sac_noise_u8_simd(const sac_pixels *out, const sac_pixels *current,
                           const sac_pixels *previous, sac_noise_view view, int32_t threshold)
{
    const sac_packed to = sac_packed_of(out), in = sac_packed_of(current);
    const sac_packed before = sac_packed_of(previous);
    const bool alike =
        view == SAC_NOISE_BITS ? to.step == 1 : to.step == in.step && to.red == in.red;
    if (alike && in.step == before.step && in.red == before.red) {
        if (in.step == 3)
            return view_step(out, current, previous, view, threshold, 3);
        if (in.step == 4)
            return view_step(out, current, previous, view, threshold, 4);
        if (in.step == 1)
            return view_step(out, current, previous, view, threshold, 1);
    }
    return SIMD_OTHERWISE(noise_u8)(out, current, previous, view, threshold);
}
