/*
 * Pictures: memory, and the choice of reader and writer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/picture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "base/struct.h"

/* Of a pipe that has to be kept (PNM has not): what most pictures of the limit take, compressed,
 * and 16 MiB for what comes with them. A pipe without end is given up after seconds. */
#define MAX_BYTES_A_PIXEL 2
#define MAX_BYTES_BESIDE (UINT64_C(16) << 20)

#define RAISES " (max_pixels; of the command --max-pixels)"

/* Bits of channel counts: 1 << 1 is gray. */
#define GRAY (1U << 1)
#define RGB (1U << 3)
#define ANY (1U << 1 | 1U << 2 | 1U << 3 | 1U << 4)

/* What can be written. libvips takes options with the suffix. */
typedef struct format {
    const char *name;
    const char *suffix; /* libvips'; NULL: PNM, ours */
    int32_t bits;       /* that a sample can hold without loss */
    uint32_t channels;
    bool lossy; /* takes a quality */
} format;

static const format formats[] = {
    {"pnm", NULL, 16, ANY, false},         {"pgm", NULL, 16, GRAY, false},
    {"ppm", NULL, 16, RGB, false},         {"pam", NULL, 16, ANY, false},
    {"png", ".png", 16, ANY, false},       {"tif", ".tif", 16, ANY, false},
    {"tiff", ".tif", 16, ANY, false},      {"jpg", ".jpg", 8, GRAY | RGB, true},
    {"jpeg", ".jpg", 8, GRAY | RGB, true}, {"webp", ".webp", 8, ANY, true},
    {"avif", ".avif", 8, ANY, true},       {"heic", ".heic", 8, ANY, true},
    {"jxl", ".jxl", 16, ANY, true},        {"jp2", ".jp2[lossless]", 16, ANY, false},
    {"gif", ".gif", 8, ANY, false},        {"bmp", ".bmp", 8, GRAY | RGB, false},
};

static sac_status null_argument(const char *name, sac_error *err)
{
    return sac_fail(err, SAC_E_INVALID, "%s: expected a value, got NULL", name);
}

int32_t sac_picture_channels(const sac_picture *picture)
{
    return picture->array.n_dims == 2 ? 1 : (int32_t)picture->array.shape[2];
}

size_t sac_picture_bytes(const sac_picture *picture)
{
    return (size_t)sac_array_count(&picture->array) * sac_dtype_size(picture->array.dtype);
}

sac_status sac_picture_check_size(const char *name, uint64_t w, uint64_t h,
                                  const sac_picture_limits *limits, sac_error *err)
{
    uint64_t limit = limits->max_pixels;
    if (limit > PTRDIFF_MAX / 16) /* 8 bytes a pixel then fit any size, with room */
        limit = PTRDIFF_MAX / 16;
    if (w == 0 || h == 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: %" PRIu64 " x %" PRIu64 " pixels: nothing to see",
                        name, w, h);
    if (w > limit / h)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %" PRIu64 " x %" PRIu64 " pixels: more than the limit, %" PRIu64 "%s",
                        name, w, h, limit, limits->raises);
    return SAC_OK;
}

sac_status sac_picture_new(sac_picture **out, sac_dtype dtype, int64_t w, int64_t h,
                           int32_t n_channels, sac_error *err)
{
    if (!out)
        return null_argument("out", err);
    *out = NULL;
    if (dtype != SAC_U8 && dtype != SAC_U16)
        return sac_fail(err, SAC_E_INVALID, "dtype: expected u8 or u16, got %s",
                        sac_dtype_name(dtype));
    if (w < 1 || h < 1 || n_channels < 1 || n_channels > SAC_IO_MAX_CHANNELS)
        return sac_fail(err, SAC_E_INVALID,
                        "picture: expected at least 1 x 1 pixels of 1..%d channels, got %" PRId64
                        " x %" PRId64 " of %" PRId32,
                        SAC_IO_MAX_CHANNELS, w, h, n_channels);
    sac_array array;
    sac_status st = sac_array_view(&array, NULL, dtype, n_channels == 1 ? 2 : 3,
                                   (const int64_t[]){h, w, n_channels}, err);
    if (st != SAC_OK)
        return st;
    sac_picture *picture = sac_alloc(1, sizeof *picture);
    if (picture)
        array.data = sac_alloc((size_t)sac_array_count(&array), sac_dtype_size(dtype));
    if (!picture || !array.data) {
        sac_free(picture);
        return sac_fail(err, SAC_E_NOMEM,
                        "no memory for a picture of %" PRId64 " x %" PRId64 " pixels", w, h);
    }
    picture->array = array;
    picture->n_pages = 1;
    *out = picture;
    return SAC_OK;
}

sac_array sac_picture_get_array(const sac_picture *picture)
{
    return picture ? picture->array : (sac_array){0};
}

void sac_picture_note(sac_picture *picture, const char *text, ...)
{
    size_t used = strlen(picture->note), room = sizeof picture->note;
    if (used)
        used += (size_t)snprintf(picture->note + used, room - used, "; ");
    if (used >= room)
        return;
    va_list args;
    va_start(args, text);
    vsnprintf(picture->note + used, room - used, text, args);
    va_end(args);
}

const char *sac_picture_get_note(const sac_picture *picture)
{
    return picture ? picture->note : "";
}

int32_t sac_picture_get_pages(const sac_picture *picture)
{
    return picture ? picture->n_pages : 0;
}

void sac_picture_close(sac_picture **picture)
{
    if (!picture || !*picture)
        return;
    sac_vips_free((*picture)->extra);
    sac_free((*picture)->array.data);
    sac_free(*picture);
    *picture = NULL;
}

void sac_picture_read_desc_init(sac_picture_read_desc *desc)
{
    *desc =
        (sac_picture_read_desc){.struct_size = sizeof *desc, .max_pixels = SAC_PICTURE_MAX_PIXELS};
}

sac_status sac_picture_no_page(const char *name, int32_t page, int32_t n_pages, sac_error *err)
{
    return sac_fail(err, SAC_E_INVALID, "%s: has %" PRId32 " page%s: there is no page %" PRId32,
                    name, n_pages, n_pages == 1 ? "" : "s", page + 1);
}

static bool is_pnm(const uint8_t *data, size_t size)
{
    return size >= 2 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7';
}

static bool is_bmp(const uint8_t *data, size_t size)
{
    static const uint8_t none[4] = {0}; /* where other files that begin so have text */
    return size >= 10 && data[0] == 'B' && data[1] == 'M' && memcmp(data + 6, none, 4) == 0;
}

sac_status sac_picture_take(sac_picture **out, sac_in *in, const sac_picture_limits *limits,
                            sac_error *err)
{
    *out = NULL;
    size_t n = sac_in_peek(in, SAC_PICTURE_MAGIC);
    if (n == 0)
        return sac_in_fail(in, "is empty", err);
    if (is_pnm(in->next, n))
        return sac_pnm_read(out, in, limits, err);
    if (is_bmp(in->next, n))
        return sac_bmp_read(out, in, limits, err);
    uint64_t limit = limits->max_pixels;
    uint64_t max_bytes = limit > UINT64_MAX / (2 * MAX_BYTES_A_PIXEL)
                             ? UINT64_MAX
                             : MAX_BYTES_A_PIXEL * limit + MAX_BYTES_BESIDE;
    sac_status st = SAC_OK;
    if (sac_vips_begins(in->next, n))
        st = sac_in_spool(in, max_bytes, err);
    return st == SAC_OK ? sac_vips_read(out, in, limits, err) : st;
}

sac_status sac_picture_read_limited(sac_picture **out, const char *path,
                                    const sac_picture_limits *limits, sac_error *err)
{
    sac_in in;
    *out = NULL;
    sac_status st = sac_in_open_stream(&in, path, SAC_NO_STOP, err);
    if (st != SAC_OK)
        return st;
    st = sac_picture_take(out, &in, limits, err);
    sac_in_close(&in);
    return st;
}

sac_status sac_picture_read_with(sac_picture **out, const char *path,
                                 const sac_picture_read_desc *desc, sac_error *err)
{
    if (!out || !path)
        return null_argument(out ? "path" : "out", err);
    *out = NULL;
    sac_picture_read_desc all;
    sac_picture_read_desc_init(&all);
    sac_status st = desc ? sac_struct_take(&all, desc, "desc", err) : SAC_OK;
    if (st != SAC_OK)
        return st;
    if (all.page < 0)
        return sac_fail(err, SAC_E_INVALID, "page: expected at least 1, or 0, got %" PRId32,
                        all.page);
    const sac_picture_limits limits = {.max_pixels =
                                           all.max_pixels ? all.max_pixels : SAC_PICTURE_MAX_PIXELS,
                                       .raises = RAISES,
                                       .page = all.page - 1};
    return sac_picture_read_limited(out, path, &limits, err);
}

sac_status sac_picture_read(sac_picture **out, const char *path, uint64_t max_pixels,
                            sac_error *err)
{
    sac_picture_read_desc desc;
    sac_picture_read_desc_init(&desc);
    desc.max_pixels = max_pixels;
    return sac_picture_read_with(out, path, &desc, err);
}

/* NULL where there is none of that name. */
static const format *format_of(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcasecmp(name, formats[i].name) == 0)
            return &formats[i];
    return NULL;
}

bool sac_picture_ends(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && dot != path && dot[-1] != '/' && format_of(dot + 1);
}

/* Finds the format that `format`, or the path's ending, names. */
static sac_status find_format(const format **out, const char *path, const char *wanted,
                              sac_error *err)
{
    char name[SAC_IO_NAME];
    sac_io_name(name, path, "standard output");
    if (!wanted && strcmp(path, "-") == 0)
        wanted = "pnm";
    if (!wanted) {
        const char *slash = strrchr(path, '/');
        const char *base = slash ? slash + 1 : path;
        const char *dot = strrchr(base, '.');
        if (!dot || dot == base || dot[1] == '\0')
            return sac_fail(err, SAC_E_INVALID,
                            "%s: has no ending that names the format (.png, .ppm, ...)", name);
        wanted = dot + 1;
    }
    *out = format_of(wanted);
    if (!*out)
        return sac_fail(err, SAC_E_INVALID, "%s: `%.20s` is not a format that can be written", name,
                        wanted);
    return (*out)->suffix ? sac_vips_can_write(name, (*out)->suffix, err) : SAC_OK;
}

/* Whether the format holds such a picture without losing channels or bits. */
static sac_status check_fits(const format *f, const char *name, const sac_picture *picture,
                             sac_error *err)
{
    static const char *const kinds[] = {"gray", "gray with alpha", "RGB", "RGB with alpha"};
    int32_t n_channels = sac_picture_channels(picture);
    if (!(f->channels >> n_channels & 1))
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: %s cannot hold %s (png, tiff and pam can)",
                        name, f->name, kinds[n_channels - 1]);
    if (f->bits == 8 && picture->array.dtype == SAC_U16)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: %s holds 8 bits a sample, this picture has 16 (png, tiff and pam hold "
                        "them)",
                        name, f->name);
    return SAC_OK;
}

sac_status sac_picture_can_write(const char *path, const char *wanted, sac_error *err)
{
    if (!path)
        return null_argument("path", err);
    const format *f;
    sac_status st = find_format(&f, path, wanted, err);
    return st == SAC_OK ? sac_out_check(path, err) : st;
}

void sac_picture_write_desc_init(sac_picture_write_desc *desc)
{
    *desc = (sac_picture_write_desc){.struct_size = sizeof *desc, .quality = SAC_PICTURE_QUALITY};
}

static sac_status take_desc(sac_picture_write_desc *own, const sac_picture_write_desc *desc,
                            sac_error *err)
{
    sac_picture_write_desc_init(own);
    sac_status st = desc ? sac_struct_take(own, desc, "desc", err) : SAC_OK;
    if (st == SAC_OK && (own->quality < 1 || own->quality > 100))
        st = sac_fail(err, SAC_E_INVALID, "quality: expected 1 to 100, got %" PRId32, own->quality);
    return st;
}

/* Into the open file. */
static sac_status write_as(const format *f, sac_out *out, const sac_picture *picture,
                           int32_t quality, sac_error *err)
{
    char suffix[32];
    if (!f->suffix)
        return sac_pnm_write(out, picture, strcmp(f->name, "pam") == 0, err);
    if (f->lossy)
        snprintf(suffix, sizeof suffix, "%s[Q=%d]", f->suffix, (int)quality);
    else
        snprintf(suffix, sizeof suffix, "%s", f->suffix);
    return sac_vips_write(out, picture, suffix, err);
}

sac_status sac_picture_write_with(const sac_picture *picture, const char *path,
                                  const sac_picture_write_desc *desc, sac_error *err)
{
    if (!picture || !path)
        return null_argument(picture ? "path" : "picture", err);
    const format *f;
    sac_picture_write_desc own;
    sac_status st = take_desc(&own, desc, err);
    st = st ? st : find_format(&f, path, own.format, err);
    if (st != SAC_OK)
        return st;
    char name[SAC_IO_NAME];
    st = check_fits(f, sac_io_name(name, path, "standard output"), picture, err);
    sac_out out;
    st = st ? st : sac_out_open(&out, path, err);
    if (st != SAC_OK)
        return st;
    return sac_out_end(&out, write_as(f, &out, picture, own.quality, err), err);
}

sac_status sac_picture_write(const sac_picture *picture, const char *path, const char *wanted,
                             sac_error *err)
{
    sac_picture_write_desc desc;
    sac_picture_write_desc_init(&desc);
    desc.format = wanted;
    return sac_picture_write_with(picture, path, &desc, err);
}
