/*
 * BMP as most programs write it: 1, 4 and 8 bits with a palette, 24 and 32 bits, not compressed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/picture.h"

#include <string.h>

#include "base/alloc.h"

enum { FILE_HEADER = 14, LEAST_INFO = 40, MOST_INFO = 124 };
enum { BI_RGB = 0, BI_BITFIELDS = 3 };

typedef struct header {
    uint32_t offset; /* of the pixels, in the file */
    uint32_t w, h, bits, compression, n_colors;
    uint32_t read; /* bytes of the file so far */
    bool from_top; /* else the lowest row comes first */
    uint8_t *line; /* of the file: 4 bytes aligned */
    size_t line_bytes;
    uint8_t palette[256][4]; /* blue, green, red, unused */
    bool is_gray;            /* all of the palette */
} header;

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static sac_status cut_short(const sac_in *in, sac_error *err)
{
    return sac_in_fail(in, "this BMP is cut short", err);
}

static sac_status other_kind(const sac_in *in, const char *what, sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "%s: this BMP has %s; 1, 4, 8, 24 and 32 bits a pixel are read, not compressed",
                    in->name, what);
}

/* The colors of 32 bits must stand where they do without masks. */
static bool has_usual_masks(const uint8_t *info, uint32_t size)
{
    return size >= 52 && u32(info + 40) == 0xff0000 && u32(info + 44) == 0xff00 &&
           u32(info + 48) == 0xff;
}

static sac_status read_header(header *hd, sac_in *in, const sac_picture_limits *limits,
                              sac_error *err)
{
    uint8_t start[FILE_HEADER + 4], info[MOST_INFO];
    if (!sac_in_read(in, start, sizeof start))
        return cut_short(in, err);
    uint32_t size = u32(start + FILE_HEADER);
    if (size < LEAST_INFO || size > MOST_INFO)
        return other_kind(in, "a header of another kind", err);
    if (!sac_in_read(in, info + 4, size - 4))
        return cut_short(in, err);
    int32_t h = (int32_t)u32(info + 8);
    hd->read = FILE_HEADER + size;
    hd->offset = u32(start + 10);
    hd->w = u32(info + 4);
    hd->from_top = h < 0;
    hd->h = h < 0 ? 0 - (uint32_t)h : (uint32_t)h;
    hd->bits = (uint32_t)info[14] | (uint32_t)info[15] << 8;
    hd->compression = u32(info + 16);
    hd->n_colors = u32(info + 32);
    bool is_masked = hd->bits == 32 && hd->compression == BI_BITFIELDS;
    if (hd->compression != BI_RGB && !(is_masked && has_usual_masks(info, size)))
        return other_kind(in, "compressed or unusual pixels", err);
    if (hd->bits != 1 && hd->bits != 4 && hd->bits != 8 && hd->bits != 24 && hd->bits != 32)
        return other_kind(in, "another depth", err);
    return sac_picture_check_size(in->name, hd->w, hd->h, limits, err);
}

/* The palette, and what stands between it and the pixels. */
static sac_status read_palette(header *hd, sac_in *in, sac_error *err)
{
    uint32_t most = hd->bits <= 8 ? UINT32_C(1) << hd->bits : 0;
    uint32_t n = hd->n_colors && hd->n_colors < most ? hd->n_colors : most;
    uint8_t skipped[1024];
    if (!sac_in_read(in, hd->palette, (size_t)4 * n))
        return cut_short(in, err);
    hd->read += 4 * n;
    hd->is_gray = n > 0;
    for (uint32_t i = 0; i < n; i++)
        hd->is_gray &=
            hd->palette[i][0] == hd->palette[i][1] && hd->palette[i][1] == hd->palette[i][2];
    uint32_t gap = hd->offset > hd->read ? hd->offset - hd->read : 0;
    if (hd->offset < hd->read || gap > sizeof skipped)
        return sac_fail(err, SAC_E_FORMAT, "%s: this BMP is damaged: its pixels begin at %u",
                        in->name, hd->offset);
    return sac_in_read(in, skipped, gap) ? SAC_OK : cut_short(in, err);
}

static void convert_line(uint8_t *to, const header *hd)
{
    const uint8_t *from = hd->line;
    for (uint32_t x = 0; x < hd->w; x++) {
        const uint8_t *color = from + (size_t)x * (hd->bits / 8);
        if (hd->bits <= 8) {
            uint32_t first = x * hd->bits, shift = 8 - hd->bits - first % 8;
            color = hd->palette[(uint32_t)from[first / 8] >> shift & ((1U << hd->bits) - 1)];
        }
        if (hd->is_gray) {
            *to++ = color[0];
            continue;
        }
        *to++ = color[2];
        *to++ = color[1];
        *to++ = color[0];
    }
}

static sac_status read_lines(sac_picture *picture, header *hd, sac_in *in, sac_error *err)
{
    size_t stride = sac_picture_bytes(picture) / hd->h;
    uint8_t *pixels = picture->array.data;
    for (uint32_t i = 0; i < hd->h; i++) {
        if (!sac_in_read(in, hd->line, hd->line_bytes))
            return cut_short(in, err);
        convert_line(pixels + stride * (hd->from_top ? i : hd->h - 1 - i), hd);
    }
    return SAC_OK;
}

sac_status sac_bmp_read(sac_picture **out, sac_in *in, const sac_picture_limits *limits,
                        sac_error *err)
{
    header hd = {0};
    *out = NULL;
    sac_status st = read_header(&hd, in, limits, err);
    st = st ? st : read_palette(&hd, in, err);
    if (st != SAC_OK)
        return st;
    if (limits->page > 0)
        return sac_picture_no_page(in->name, limits->page, 1, err);
    hd.line_bytes = (size_t)(((uint64_t)hd.w * hd.bits + 31) / 32 * 4);
    if (sac_in_left(in) / hd.h < hd.line_bytes)
        return cut_short(in, err);
    hd.line = sac_alloc(hd.line_bytes, 1);
    if (!hd.line)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for a line of pixels", in->name);
    sac_picture *picture = NULL;
    st = sac_picture_new(&picture, SAC_U8, hd.w, hd.h, hd.is_gray ? 1 : 3, err);
    st = st ? st : read_lines(picture, &hd, in, err);
    sac_free(hd.line);
    if (st == SAC_OK && hd.bits <= 8 && !hd.is_gray)
        sac_picture_note(picture, "a palette became RGB");
    if (st != SAC_OK)
        sac_picture_close(&picture);
    *out = picture;
    return st;
}
