/*
 * Between YCbCr and RGB, in whole numbers: docs/formats.md has the same tables and rounding.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/video/parts.h"

#include <string.h>
#include <strings.h>

#define TO_BITS 13   /* coefficients to RGB are 8192ths */
#define FROM_BITS 15 /* coefficients from RGB are 32768ths */
#define RUN 256      /* pixels that are taken apart at a time: they stay in the first cache */

/* A matrix: Y of black; coefficients to RGB, of Y in all, of Cr in R ..; three each from R, G, B.
 * All fit in 16 bits, so that products are 16 x 16 -> 32, which every CPU has vectors for. */
enum { BLACK, Y, R_CR, G_CB, G_CR, B_CB, Y_OF, CB_OF = Y_OF + 3, CR_OF = CB_OF + 3, N = CR_OF + 3 };

/* BT.601 and BT.709, each of limited and full range. Rounded so that grays have no color: Cb's and
 * Cr's rows add up to 0, and Y's to 32768 in full range. */
static const int16_t matrices[2][2][N] = {
    {{16, 9539, 13075, 3209, 6660, 16525, 8414, 16519, 3208, -4857, -9535, 14392, 14392, -12052,
      -2340},
     {0, 8192, 11485, 2819, 5850, 14516, 9798, 19234, 3736, -5529, -10855, 16384, 16384, -13720,
      -2664}},
    {{16, 9539, 14686, 1747, 4366, 17305, 5983, 20127, 2032, -3298, -11094, 14392, 14392, -13072,
      -1320},
     {0, 8192, 12901, 1535, 3835, 15201, 6966, 23436, 2366, -3754, -12630, 16384, 16384, -14882,
      -1502}},
};

static uint8_t clip(int32_t v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

void sac_video_info_init(sac_video_info *info)
{
    *info = (sac_video_info){.struct_size = sizeof *info};
}

int32_t sac_video_channels(sac_video_pixel pixel)
{
    return (unsigned)pixel <= SAC_PIXEL_BGRX ? sac_video_layout(pixel).step : 0;
}

sac_layout sac_video_layout(sac_video_pixel pixel)
{
    static const sac_layout layouts[] = {
        {1, 0, 0, 0}, {3, 0, 1, 2}, {3, 2, 1, 0}, {4, 0, 1, 2}, {4, 2, 1, 0}};
    return layouts[pixel];
}

void sac_video_convert(uint8_t *to, sac_video_pixel pixel, const uint8_t *from, sac_layout layout,
                       int64_t n)
{
    const sac_layout out = sac_video_layout(pixel);
    const int16_t *y_of = matrices[0][1] + Y_OF;
    if (memcmp(&out, &layout, sizeof out) == 0) {
        memcpy(to, from, (size_t)(n * out.step));
        return;
    }
    for (; n > 0; n--, to += out.step, from += layout.step) {
        uint8_t r = from[layout.r], g = from[layout.g], b = from[layout.b];
        if (out.step == 1) {
            to[0] = (uint8_t)((y_of[0] * r + y_of[1] * g + y_of[2] * b + (1 << (FROM_BITS - 1))) >>
                              FROM_BITS);
            continue;
        }
        if (out.step == 4)
            to[3] = 255;
        to[out.r] = r;
        to[out.g] = g;
        to[out.b] = b;
    }
}

sac_yuv sac_yuv_of(const sac_video_info *info)
{
    bool is_large = info->w >= 1280 || info->h > 576;
    bool is_709 = info->matrix == SAC_MATRIX_BT709 || (info->matrix == SAC_MATRIX_AUTO && is_large);
    sac_yuv yuv = {.chroma = info->chroma,
                   .matrix = matrices[is_709][info->full_range],
                   .w = info->w,
                   .h = info->h};
    bool mono = info->chroma == SAC_CHROMA_MONO;
    yuv.cw = mono ? 0 : info->chroma == SAC_CHROMA_444 ? info->w : (info->w + 1) / 2;
    yuv.ch = mono ? 0 : info->chroma <= SAC_CHROMA_422 ? info->h : (info->h + 1) / 2;
    return yuv;
}

size_t sac_yuv_bytes(const sac_yuv *yuv)
{
    return (size_t)(yuv->w * yuv->h + 2 * yuv->cw * yuv->ch);
}

/* Two rows of chroma and one of sums with an edge at both ends, or two whole planes. */
size_t sac_yuv_read_scratch(const sac_yuv *yuv)
{
    return (size_t)(2 * yuv->w + 2 * (yuv->cw + 2));
}

size_t sac_yuv_scratch(const sac_yuv *yuv)
{
    const bool shrinks = yuv->chroma != SAC_CHROMA_444 && yuv->chroma != SAC_CHROMA_MONO;
    size_t read = sac_yuv_read_scratch(yuv), write = shrinks ? (size_t)(2 * yuv->w * yuv->h) : 0;
    return read > write ? read : write;
}

sac_yuv sac_yuv_of_raw(const sac_video_info *info)
{
    sac_video_info as = *info;
    if (as.chroma < SAC_CHROMA_420JPEG || as.chroma > SAC_CHROMA_420PALDV)
        as.chroma = SAC_CHROMA_420MPEG2;
    return sac_yuv_of(&as);
}

void sac_yuv_split(uint8_t *cb, uint8_t *cr, const uint8_t *both, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        cb[i] = both[2 * i];
        cr[i] = both[2 * i + 1];
    }
}

void sac_yuv_join(uint8_t *both, const uint8_t *cb, const uint8_t *cr, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        both[2 * i] = cb[i];
        both[2 * i + 1] = cr[i];
    }
}

sac_raw_name sac_video_raw_name(const char *path)
{
    static const struct {
        const char *ending;
        sac_raw_name is;
    } names[] = {{"gray", {SAC_PLANES_PACKED, SAC_PIXEL_GRAY, NULL}},
                 {"rgb", {SAC_PLANES_PACKED, SAC_PIXEL_RGB, NULL}},
                 {"bgr", {SAC_PLANES_PACKED, SAC_PIXEL_BGR, NULL}},
                 {"rgba", {SAC_PLANES_PACKED, SAC_PIXEL_RGBA, NULL}},
                 {"bgrx", {SAC_PLANES_PACKED, SAC_PIXEL_BGRX, NULL}},
                 {"nv12", {SAC_PLANES_NV12, SAC_PIXEL_RGB, NULL}},
                 {"i420", {SAC_PLANES_I420, SAC_PIXEL_RGB, NULL}},
                 {"yuv", {SAC_PLANES_I420, SAC_PIXEL_RGB, NULL}},
                 {"yuv420p", {SAC_PLANES_I420, SAC_PIXEL_RGB, NULL}}};
    static const char *const others[] = {"nv16", "nv21", "nv24",    "nv42",    "yv12", "iyuv",
                                         "yuy2", "yuyv", "yvyu",    "uyvy",    "p010", "p016",
                                         "i422", "i444", "yuv422p", "yuv444p", "v210", "y10"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof names / sizeof *names; i++)
        if (strcasecmp(dot + 1, names[i].ending) == 0)
            return names[i].is;
    for (size_t i = 0; dot && i < sizeof others / sizeof *others; i++)
        if (strcasecmp(dot + 1, others[i]) == 0)
            return (sac_raw_name){SAC_PLANES_AUTO, SAC_PIXEL_RGB, others[i]};
    return (sac_raw_name){SAC_PLANES_AUTO, SAC_PIXEL_RGB, NULL};
}

static bool is_420(const sac_yuv *yuv)
{
    return yuv->chroma >= SAC_CHROMA_420JPEG && yuv->chroma <= SAC_CHROMA_420PALDV;
}

/* The row of chroma for row y, at every pixel: the nearest samples by how near they are, in
 * sixteenths. `sums` has room for cw + 2. */
static void expand_row(uint8_t *out, const uint8_t *plane, int64_t y, const sac_yuv *yuv,
                       uint16_t *sums)
{
    const int64_t cw = yuv->cw;
    int64_t near = y, far = y;
    int w_near = 4;
    if (is_420(yuv)) {
        bool centered = yuv->chroma != SAC_CHROMA_420PALDV;
        near = y / 2;
        far = y % 2 ? near + 1 : near - 1;
        w_near = centered ? 3 : y % 2 ? 2 : 4;
        far = far < 0 ? 0 : far >= yuv->ch ? yuv->ch - 1 : far;
    }
    const uint8_t *a = plane + near * cw, *b = plane + far * cw;
    uint16_t *s = sums + 1;
    for (int64_t i = 0; i < cw; i++)
        s[i] = (uint16_t)(w_near * a[i] + (4 - w_near) * b[i]);
    s[-1] = s[0];
    s[cw] = s[cw - 1];
    bool centered = yuv->chroma == SAC_CHROMA_420JPEG;
    for (int64_t i = 0; i < cw; i++) {
        int even = centered ? 3 * s[i] + s[i - 1] : 4 * s[i];
        int odd = centered ? 3 * s[i] + s[i + 1] : 2 * s[i] + 2 * s[i + 1];
        out[2 * i] = (uint8_t)((even + 8) >> 4);
        if (2 * i + 1 < yuv->w)
            out[2 * i + 1] = (uint8_t)((odd + 8) >> 4);
    }
}

/* One color of up to RUN pixels: loops as simple as these become vectors. */
static void read_color(uint8_t *restrict to, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                       int64_t n, const int16_t of[3], int16_t black)
{
    const int16_t y_all = of[0], of_cb = of[1], of_cr = of[2];
    for (int64_t i = 0; i < n; i++) {
        int32_t v = y_all * (int16_t)(y[i] - black) + (1 << (TO_BITS - 1));
        v += of_cb * (int16_t)(cb[i] - 128) + of_cr * (int16_t)(cr[i] - 128);
        to[i] = clip(v >> TO_BITS);
    }
}

static inline void weave(uint8_t *to, const sac_layout l, const uint8_t *r, const uint8_t *g,
                         const uint8_t *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++, to += l.step) {
        to[l.r] = r[i];
        to[l.g] = g[i];
        to[l.b] = b[i];
        if (l.step == 4)
            to[3] = 255;
    }
}

/* Y alone, to one or all channels. */
static void read_gray_row(uint8_t *to, const sac_layout l, const uint8_t *y, int64_t n,
                          const int16_t *m)
{
    for (int64_t i = 0; i < n; i++, to += l.step) {
        uint8_t v = clip((m[Y] * (y[i] - m[BLACK]) + (1 << (TO_BITS - 1))) >> TO_BITS);
        if (l.step == 4)
            to[3] = 255;
        to[l.r] = to[l.g] = to[l.b] = v;
    }
}

static void read_color_row(uint8_t *to, sac_video_pixel pixel, const uint8_t *y, const uint8_t *cb,
                           const uint8_t *cr, int64_t w, const int16_t *m)
{
    const sac_layout l = sac_video_layout(pixel);
    const int16_t r_of[] = {m[Y], 0, m[R_CR]}, b_of[] = {m[Y], m[B_CB], 0};
    const int16_t g_of[] = {m[Y], (int16_t)-m[G_CB], (int16_t)-m[G_CR]};
    uint8_t r[RUN], g[RUN], b[RUN];
    for (int64_t x = 0; x < w; x += RUN) {
        uint8_t *at = to + x * l.step;
        int64_t n = w - x < RUN ? w - x : RUN;
        read_color(r, y + x, cb + x, cr + x, n, r_of, m[BLACK]);
        read_color(g, y + x, cb + x, cr + x, n, g_of, m[BLACK]);
        read_color(b, y + x, cb + x, cr + x, n, b_of, m[BLACK]);
        if (l.step == 3 && l.r == 0) /* a constant layout makes a faster loop */
            weave(at, (sac_layout){3, 0, 1, 2}, r, g, b, n);
        else if (l.step == 3)
            weave(at, (sac_layout){3, 0, 1, 2}, b, g, r, n);
        else
            weave(at, l, r, g, b, n);
    }
}

void sac_yuv_read(uint8_t *pixels, sac_video_pixel pixel, const uint8_t *planes, const sac_yuv *yuv,
                  void *scratch)
{
    const sac_layout layout = sac_video_layout(pixel);
    const int64_t w = yuv->w, cw = yuv->cw;
    const uint8_t *cb_plane = planes + w * yuv->h, *cr_plane = cb_plane + cw * yuv->ch;
    uint16_t *sums = scratch;
    uint8_t *cb_row = (uint8_t *)(sums + cw + 2), *cr_row = cb_row + w;
    for (int64_t y = 0; y < yuv->h; y++, pixels += w * layout.step) {
        const uint8_t *cb = cb_plane + y * cw, *cr = cr_plane + y * cw;
        if (layout.step == 1 || cw == 0) {
            read_gray_row(pixels, layout, planes + y * w, w, yuv->matrix);
            continue;
        }
        if (yuv->chroma != SAC_CHROMA_444) {
            expand_row(cb_row, cb_plane, y, yuv, sums);
            expand_row(cr_row, cr_plane, y, yuv, sums);
            cb = cb_row;
            cr = cr_row;
        }
        read_color_row(pixels, pixel, planes + y * w, cb, cr, w, yuv->matrix);
    }
}

/* One of Y, Cb and Cr, of up to RUN pixels. */
static void weigh(uint8_t *restrict to, const int16_t *r, const int16_t *g, const int16_t *b,
                  int64_t n, const int16_t of[3], int32_t zero)
{
    const int16_t of_r = of[0], of_g = of[1], of_b = of[2];
    for (int64_t i = 0; i < n; i++) {
        int32_t sum = of_r * r[i] + of_g * g[i] + of_b * b[i] + (1 << (FROM_BITS - 1));
        to[i] = clip((sum >> FROM_BITS) + zero);
    }
}

static inline void unweave(int16_t *r, int16_t *g, int16_t *b, const uint8_t *p, const sac_layout l,
                           int64_t n)
{
    for (int64_t i = 0; i < n; i++, p += l.step) {
        r[i] = p[l.r];
        g[i] = p[l.g];
        b[i] = p[l.b];
    }
}

/* All pixels, chroma at each; in mono Y alone. */
static void write_pixels(uint8_t *y, uint8_t *cb, uint8_t *cr, const uint8_t *p, const sac_layout l,
                         const sac_yuv *yuv)
{
    const int16_t *m = yuv->matrix;
    const int64_t n = yuv->w * yuv->h;
    int16_t r[RUN], g[RUN], b[RUN];
    for (int64_t x = 0; x < n; x += RUN) {
        const uint8_t *at = p + x * l.step;
        int64_t some = n - x < RUN ? n - x : RUN;
        if (l.step == 3 && l.r == 0)
            unweave(r, g, b, at, (sac_layout){3, 0, 1, 2}, some);
        else
            unweave(r, g, b, at, l, some);
        weigh(y + x, r, g, b, some, m + Y_OF, m[BLACK]);
        if (yuv->cw > 0) {
            weigh(cb + x, r, g, b, some, m + CB_OF, 128);
            weigh(cr + x, r, g, b, some, m + CR_OF, 128);
        }
    }
}

/* Chroma at every pixel into a smaller plane: samples that lie on a pixel take 1 2 1 around it,
 * those between two take both alike. */
static void shrink_plane(uint8_t *out, const uint8_t *full, const sac_yuv *yuv)
{
    const int64_t w = yuv->w, h = yuv->h;
    bool amid_x = yuv->chroma == SAC_CHROMA_420JPEG, on_y = yuv->chroma == SAC_CHROMA_420PALDV;
    for (int64_t y = 0; y < yuv->ch; y++) {
        const int64_t at = is_420(yuv) ? 2 * y : y, below = at + 1 < h ? at + 1 : h - 1;
        const uint8_t *b = full + at * w, *c = full + below * w;
        const uint8_t *a = on_y && at > 0 ? b - w : b;
        const int wa = on_y, wb = !is_420(yuv) ? 4 : 2, wc = !is_420(yuv) ? 0 : on_y ? 1 : 2;
        for (int64_t x = 0; x < yuv->cw; x++) {
            const int64_t i = 2 * x, left = i > 0 ? i - 1 : 0, right = i + 1 < w ? i + 1 : w - 1;
            int l = wa * a[left] + wb * b[left] + wc * c[left];
            int m = wa * a[i] + wb * b[i] + wc * c[i];
            int r = wa * a[right] + wb * b[right] + wc * c[right];
            int sum = amid_x ? 2 * m + 2 * r : l + 2 * m + r;
            out[y * yuv->cw + x] = (uint8_t)((sum + 8) >> 4);
        }
    }
}

void sac_yuv_write(uint8_t *planes, const uint8_t *pixels, sac_video_pixel pixel,
                   const sac_yuv *yuv, void *scratch)
{
    const sac_layout l = sac_video_layout(pixel);
    const int64_t n = yuv->w * yuv->h, nc = yuv->cw * yuv->ch;
    bool direct = yuv->chroma == SAC_CHROMA_444 || nc == 0;
    uint8_t *cb = direct ? planes + n : scratch;
    uint8_t *cr = nc == 0 ? cb : cb + n;
    write_pixels(planes, cb, cr, pixels, l, yuv);
    if (!direct) {
        shrink_plane(planes + n, cb, yuv);
        shrink_plane(planes + n + nc, cr, yuv);
    }
}
