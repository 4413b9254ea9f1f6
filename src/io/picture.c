/*
 * Pictures: memory, and the choice of reader and writer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

#define DEFAULT_MAX_PIXELS (UINT64_C(1) << 34)

/* Through a pipe: no picture that is worth it takes more (plain PNM: 6 bytes a sample), and 16 MiB
 * for what comes with it. */
#define MAX_BYTES_A_PIXEL 24
#define MAX_BYTES_BESIDE (UINT64_C(16) << 20)

/* Bits of channel counts: 1 << 1 is gray. */
#define GRAY (1U << 1)
#define RGB (1U << 3)
#define ANY (1U << 1 | 1U << 2 | 1U << 3 | 1U << 4)

/* What can be written. libvips takes options with the suffix; lossy formats are written at quality
 * 95, at which JPEG keeps full color resolution too. */
typedef struct format {
    const char *name;
    const char *suffix; /* libvips'; NULL: PNM, ours */
    int32_t bits;       /* that a sample can hold without loss */
    uint32_t channels;
} format;

static const format formats[] = {
    {"pnm", NULL, 16, ANY},
    {"pgm", NULL, 16, GRAY},
    {"ppm", NULL, 16, RGB},
    {"pam", NULL, 16, ANY},
    {"png", ".png", 16, ANY},
    {"tif", ".tif", 16, ANY},
    {"tiff", ".tif", 16, ANY},
    {"jpg", ".jpg[Q=95]", 8, GRAY | RGB},
    {"jpeg", ".jpg[Q=95]", 8, GRAY | RGB},
    {"webp", ".webp[Q=95]", 8, ANY},
    {"avif", ".avif[Q=95]", 8, ANY},
    {"heic", ".heic[Q=95]", 8, ANY},
    {"jxl", ".jxl[Q=95]", 16, ANY},
    {"jp2", ".jp2[lossless]", 16, ANY},
    {"gif", ".gif", 8, ANY},
    {"bmp", ".bmp", 8, GRAY | RGB},
};

static sac_status null_argument(const char *name, sac_error *err)
{
    return sac_fail(err, SAC_E_INVALID, "%s: expected a value, came NULL", name);
}

int32_t sac_picture_channels(const sac_picture *picture)
{
    return picture->array.n_dims == 2 ? 1 : (int32_t)picture->array.shape[2];
}

size_t sac_picture_bytes(const sac_picture *picture)
{
    return (size_t)sac_array_count(&picture->array) * sac_dtype_size(picture->array.dtype);
}

sac_status sac_picture_check_size(const char *name, uint64_t w, uint64_t h, uint64_t max_pixels,
                                  sac_error *err)
{
    uint64_t limit = max_pixels ? max_pixels : DEFAULT_MAX_PIXELS;
    if (limit > PTRDIFF_MAX / 16) /* 8 bytes a pixel then fit any size, with room */
        limit = PTRDIFF_MAX / 16;
    if (w == 0 || h == 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: %" PRIu64 " x %" PRIu64 " pixels: nothing to see",
                        name, w, h);
    if (w > limit / h)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %" PRIu64 " x %" PRIu64 " pixels: more than the limit, %" PRIu64, name,
                        w, h, limit);
    return SAC_OK;
}

sac_status sac_picture_new(sac_picture **out, sac_dtype dtype, int64_t w, int64_t h,
                           int32_t n_channels, sac_error *err)
{
    if (!out)
        return null_argument("out", err);
    *out = NULL;
    if (dtype != SAC_U8 && dtype != SAC_U16)
        return sac_fail(err, SAC_E_INVALID, "dtype: expected u8 or u16, came %s",
                        sac_dtype_name(dtype));
    if (w < 1 || h < 1 || n_channels < 1 || n_channels > SAC_IO_MAX_CHANNELS)
        return sac_fail(err, SAC_E_INVALID,
                        "picture: expected at least 1 x 1 pixels of 1..%d channels, came %" PRId64
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
    *out = picture;
    return SAC_OK;
}

sac_array sac_picture_get_array(const sac_picture *picture)
{
    return picture->array;
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

sac_status sac_picture_read(sac_picture **out, const char *path, uint64_t max_pixels,
                            sac_error *err)
{
    if (!out || !path)
        return null_argument(out ? "path" : "out", err);
    *out = NULL;
    uint64_t limit = max_pixels ? max_pixels : DEFAULT_MAX_PIXELS;
    uint64_t max_bytes = limit > UINT64_MAX / (2 * MAX_BYTES_A_PIXEL)
                             ? UINT64_MAX
                             : MAX_BYTES_A_PIXEL * limit + MAX_BYTES_BESIDE;
    sac_in in;
    sac_status st = sac_in_open(&in, path, max_bytes, err);
    if (st != SAC_OK)
        return st;
    size_t n = sac_in_fill(&in) ? (size_t)(in.end - in.next) : 0;
    if (n == 0)
        st = in.error ? sac_fail(err, SAC_E_IO, "%s: %s", in.name, strerror(in.error))
                      : sac_fail(err, SAC_E_FORMAT, "%s: is empty", in.name);
    else if (n >= 2 && in.next[0] == 'P' && in.next[1] >= '1' && in.next[1] <= '7')
        st = sac_pnm_read(out, &in, max_pixels, err);
    else
        st = sac_vips_read(out, &in, max_pixels, err);
    sac_in_close(&in);
    return st;
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
                            "%s: has no ending that says the format (.png, .ppm, ...)", name);
        wanted = dot + 1;
    }
    *out = format_of(wanted);
    if (!*out)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: `%.20s` is no format that can be written",
                        name, wanted);
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

sac_status sac_picture_write(const sac_picture *picture, const char *path, const char *wanted,
                             sac_error *err)
{
    if (!picture || !path)
        return null_argument(picture ? "path" : "picture", err);
    const format *f;
    sac_status st = find_format(&f, path, wanted, err);
    if (st != SAC_OK)
        return st;
    char name[SAC_IO_NAME];
    st = check_fits(f, sac_io_name(name, path, "standard output"), picture, err);
    sac_out out;
    if (st == SAC_OK)
        st = sac_out_open(&out, path, err);
    if (st != SAC_OK)
        return st;
    st = f->suffix ? sac_vips_write(&out, picture, f->suffix, err)
                   : sac_pnm_write(&out, picture, strcmp(f->name, "pam") == 0, err);
    if (st != SAC_OK) {
        sac_out_abort(&out);
        return st;
    }
    return sac_out_commit(&out, err);
}
