/*
 * Pictures that libvips reads, as gray or RGB of 8 or 16 bits, decoded straight into our memory.
 * The format is found here, by the first bytes, and only its own loader is called: of what else
 * libvips was built with (SVG, PDF, ImageMagick's many) a stranger's file reaches nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/vips.h"

#include <string.h>
#include <unistd.h>

typedef int (*load_fn)(VipsSource *source, VipsImage **out, ...);

/* A format: what its files begin with, from byte `at` on. */
typedef struct kind {
    const char *name, *magic;
    uint8_t size, at;
    load_fn *load;  /* in the table of libvips' functions */
    bool has_pages; /* the loader takes `page` (JPEG 2000's means a resolution) */
    sac_status (*check)(const sac_in *in, sac_error *err); /* before the loader, or NULL */
} kind;

static const kind kinds[] = {
    {"PNG", "\x89PNG\r\n\x1a\n", 8, 0, &vips_pngload_source, false, sac_vips_check_png},
    {"JPEG", "\xff\xd8\xff", 3, 0, &vips_jpegload_source, false},
    {"TIFF", "II*\0", 4, 0, &vips_tiffload_source, true},
    {"TIFF", "MM\0*", 4, 0, &vips_tiffload_source, true},
    {"TIFF", "II+\0", 4, 0, &vips_tiffload_source, true},
    {"TIFF", "MM\0+", 4, 0, &vips_tiffload_source, true},
    {"GIF", "GIF8", 4, 0, &vips_gifload_source, true},
    {"WebP", "WEBPVP8", 7, 8, &vips_webpload_source, true},
    {"JPEG 2000", "\0\0\0\x0cjP  \r\n\x87\n", 12, 0, &vips_jp2kload_source, false,
     sac_vips_check_jp2},
    {"JPEG 2000", "\xff\x4f\xff\x51", 4, 0, &vips_jp2kload_source, false},
    {"JPEG XL", "\0\0\0\x0cJXL \r\n\x87\n", 12, 0, &vips_jxlload_source, false},
    {"JPEG XL", "\xff\x0a", 2, 0, &vips_jxlload_source, false},
    {"AVIF", "ftypavif", 8, 4, &vips_heifload_source, true},
    {"AVIF", "ftypavis", 8, 4, &vips_heifload_source, true},
    {"HEIC", "ftyphe", 6, 4, &vips_heifload_source, true},
    {"HEIC", "ftypmif1", 8, 4, &vips_heifload_source, true},
    {"HEIC", "ftypmsf1", 8, 4, &vips_heifload_source, true},
};

/* NULL where it is none of them. */
static const kind *find_kind(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const kind *k = &kinds[i];
        if (size >= (size_t)k->at + k->size && memcmp(data + k->at, k->magic, k->size) == 0)
            return k;
    }
    return NULL;
}

bool sac_vips_begins(const uint8_t *data, size_t size)
{
    return find_kind(data, size) != NULL;
}

/* An image without pixels that has what came with `image`. */
static VipsImage *header_of(VipsImage *image, bool converted)
{
    VipsImage *header = vips_image_new();
    header->Xres = image->Xres;
    header->Yres = image->Yres;
    sac_vips_keep(header, image);
    if (converted)
        vips_image_remove(header, VIPS_META_ICC_NAME);
    return header;
}

static VipsImage *open_image(sac_in *in, const kind *k, int32_t page)
{
    VipsSource *source;
    if (in->fd >= 0) {
        if (lseek(in->fd, (off_t)in->start, SEEK_SET) < 0)
            return NULL;
        source = vips_source_new_from_descriptor(in->fd);
    } else {
        source = vips_source_new_from_memory(in->next, (size_t)(in->end - in->next));
    }
    if (!source)
        return NULL;
    VipsImage *image = NULL;
    int failed = page > 0 ? (*k->load)(source, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                       VIPS_FAIL_ON_TRUNCATED, "page", (int)page, NULL)
                          : (*k->load)(source, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                       VIPS_FAIL_ON_TRUNCATED, NULL);
    g_object_unref(source);
    return failed ? NULL : image;
}

/* A failure of libvips, whose words are for those who know its libraries: ours come first. */
static sac_status unreadable(const char *name, const kind *k, sac_error *err)
{
    char reason[72];
    sac_vips_reason(reason, sizeof reason);
    if (strstr(reason, "out of memory") || strstr(reason, "nable to allocate"))
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory to decode this %s", name, k->name);
    if (strstr(reason, "class \"") && strstr(reason, "not found"))
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: this build's libvips reads no %s", name,
                        k->name);
    return sac_fail(err, SAC_E_FORMAT, "%s: this %s is damaged or cut short%s%s%s", name, k->name,
                    reason[0] ? " (" : "", reason, reason[0] ? ")" : "");
}

static int32_t count_pages(VipsImage *image, const kind *k)
{
    int n = 1;
    if (!k->has_pages || !vips_image_get_typeof(image, VIPS_META_N_PAGES) ||
        vips_image_get_int(image, VIPS_META_N_PAGES, &n) != 0)
        n = 1;
    return n > 1 ? n : 1;
}

/* Opens the page that is wanted. */
static sac_status open_page(VipsImage **image, int32_t *n_pages, sac_in *in, const kind *k,
                            int32_t page, sac_error *err)
{
    *image = open_image(in, k, 0);
    if (!*image)
        return unreadable(in->name, k, err);
    *n_pages = count_pages(*image, k);
    if (page <= 0)
        return SAC_OK;
    g_clear_object(image);
    if (page >= *n_pages)
        return sac_picture_no_page(in->name, page, *n_pages, err);
    *image = open_image(in, k, page);
    return *image ? SAC_OK : unreadable(in->name, k, err);
}

/* What samples mean, where that is not gray or RGB at full range; else NULL. */
static const char *other_space(VipsInterpretation space)
{
    switch (space) {
    case VIPS_INTERPRETATION_XYZ:
        return "XYZ";
    case VIPS_INTERPRETATION_LAB:
    case VIPS_INTERPRETATION_LABQ:
    case VIPS_INTERPRETATION_LABS:
        return "Lab";
    case VIPS_INTERPRETATION_CMYK:
        return "CMYK";
    case VIPS_INTERPRETATION_LCH:
    case VIPS_INTERPRETATION_CMC:
        return "LCh";
    case VIPS_INTERPRETATION_YXY:
        return "Yxy";
    case VIPS_INTERPRETATION_HSV:
        return "HSV";
    case VIPS_INTERPRETATION_scRGB:
        return "linear RGB";
    default:
        return NULL;
    }
}

/* What reading an image changes, for its note. */
typedef struct changes {
    const char *space; /* that becomes RGB; or NULL */
    bool is_float;     /* samples become 16 bits */
    bool is_palette;
} changes;

/* Brings any color space to RGB: of 8 bits where it had 8, else of 16. Takes over the reference. */
static VipsImage *to_rgb(VipsImage *image, changes *c)
{
    c->space = other_space(vips_image_guess_interpretation(image));
    c->is_palette = vips_image_get_typeof(image, "palette-bit-depth") &&
                    !vips_image_get_typeof(image, "gif-palette") &&
                    !vips_image_get_typeof(image, "loop"); /* every GIF has one */
    if (!c->space && image->Coding == VIPS_CODING_NONE)
        return image;
    c->space = c->space ? c->space : "packed color";
    c->is_float = image->BandFmt == VIPS_FORMAT_FLOAT || image->BandFmt == VIPS_FORMAT_DOUBLE;
    VipsInterpretation wanted =
        image->BandFmt == VIPS_FORMAT_UCHAR ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16;
    VipsImage *rgb = NULL;
    if (vips_colourspace(image, &rgb, wanted, NULL) != 0)
        rgb = NULL;
    g_object_unref(image);
    return rgb;
}

static void note(sac_picture *picture, const changes *c, const sac_picture_limits *limits)
{
    if (c->space)
        sac_picture_note(picture, "%s%s became RGB%s", c->is_float ? "float " : "", c->space,
                         c->is_float ? " of 16 bits" : "");
    if (c->is_palette)
        sac_picture_note(picture, "a palette became %s",
                         sac_picture_channels(picture) == 4 ? "RGB with alpha" : "RGB");
    if (picture->n_pages > 1 && limits->page < 0)
        sac_picture_note(picture, "%d pages, only the first is read", (int)picture->n_pages);
}

static sac_status check_image(const VipsImage *image, const char *name, sac_error *err)
{
    if (image->BandFmt != VIPS_FORMAT_UCHAR && image->BandFmt != VIPS_FORMAT_USHORT)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: expected samples of 8 or 16 bits, got %s",
                        name, vips_enum_nick(VIPS_TYPE_BAND_FORMAT, image->BandFmt));
    if (image->Bands < 1 || image->Bands > SAC_IO_MAX_CHANNELS)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: expected 1..%d channels, got %d", name,
                        SAC_IO_MAX_CHANNELS, image->Bands);
    return SAC_OK;
}

/*
 * Decodes all of `image` into the picture's memory. By one thread: libvips, which has given out the
 * last rows, returns while others still decode them, and an error that they find there is lost. A
 * decoder is one thread anyway.
 */
static sac_status decode(sac_picture *picture, VipsImage *image, const char *name, const kind *k,
                         sac_error *err)
{
    VipsImage *ours =
        vips_image_new_from_memory(picture->array.data, sac_picture_bytes(picture), image->Xsize,
                                   image->Ysize, image->Bands, image->BandFmt);
    sac_status st = SAC_OK;
    vips_image_set_int(image, VIPS_META_CONCURRENCY, 1);
    if (!ours || vips_image_write(image, ours) != 0)
        st = unreadable(name, k, err);
    vips_image_remove(image, VIPS_META_CONCURRENCY);
    g_clear_object(&ours);
    return st;
}

/* The picture of an image that was opened; takes over the reference. */
static sac_status take_image(sac_picture **out, VipsImage *image, int32_t n_pages, const char *name,
                             const kind *k, const sac_picture_limits *limits, sac_error *err)
{
    changes c = {0};
    sac_picture *picture = NULL;
    sac_known(image);
    sac_status st =
        sac_picture_check_size(name, (uint64_t)image->Xsize, (uint64_t)image->Ysize, limits, err);
    if (st == SAC_OK && !(image = to_rgb(image, &c)))
        return sac_vips_fail(err, SAC_E_UNSUPPORTED, name, "cannot become RGB");
    st = st ? st : check_image(image, name, err);
    if (st == SAC_OK)
        st = sac_picture_new(&picture, image->BandFmt == VIPS_FORMAT_USHORT ? SAC_U16 : SAC_U8,
                             image->Xsize, image->Ysize, image->Bands, err);
    st = st ? st : decode(picture, image, name, k, err);
    if (st == SAC_OK) {
        picture->extra = header_of(image, c.space != NULL);
        picture->n_pages = n_pages;
        note(picture, &c, limits);
    } else {
        sac_picture_close(&picture);
    }
    vips_image_invalidate_all(image); /* so that libvips' cache keeps no decoder */
    g_object_unref(image);
    *out = picture;
    return st;
}

sac_status sac_vips_read(sac_picture **out, sac_in *in, const sac_picture_limits *limits,
                         sac_error *err)
{
    *out = NULL;
    const kind *k = find_kind(in->next, sac_in_peek(in, SAC_PICTURE_MAGIC));
    if (!k)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: is not a picture of a supported format (PNM, PNG, JPEG, TIFF, "
                        "WebP, GIF, ...)",
                        in->name);
    VipsImage *image = NULL;
    int32_t n_pages = 1;
    sac_status st = sac_vips_start(in->name, err);
    if (st == SAC_OK && k->check)
        st = k->check(in, err);
    st = st ? st : open_page(&image, &n_pages, in, k, limits->page, err);
    return st == SAC_OK ? take_image(out, image, n_pages, in->name, k, limits, err) : st;
}
