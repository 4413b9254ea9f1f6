/*
 * Any picture that libvips reads, as gray or RGB of 8 or 16 bits, decoded straight into our memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/vips.h"

#include <unistd.h>

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

static VipsImage *open_image(sac_in *in)
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
    VipsImage *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL,
                                                  "fail_on", VIPS_FAIL_ON_TRUNCATED, NULL);
    g_object_unref(source);
    return image;
}

/* Whether samples mean something else than gray or RGB at full range. */
static bool is_other_space(VipsInterpretation space)
{
    switch (space) {
    case VIPS_INTERPRETATION_XYZ:
    case VIPS_INTERPRETATION_LAB:
    case VIPS_INTERPRETATION_CMYK:
    case VIPS_INTERPRETATION_LABQ:
    case VIPS_INTERPRETATION_LABS:
    case VIPS_INTERPRETATION_LCH:
    case VIPS_INTERPRETATION_CMC:
    case VIPS_INTERPRETATION_YXY:
    case VIPS_INTERPRETATION_HSV:
    case VIPS_INTERPRETATION_scRGB:
        return true;
    default:
        return false;
    }
}

/* Brings any color space to RGB: of 8 bits where it had 8, else of 16. Takes over the reference. */
static VipsImage *to_rgb(VipsImage *image, bool *converted)
{
    VipsInterpretation space = vips_image_guess_interpretation(image);
    *converted = is_other_space(space) || image->Coding != VIPS_CODING_NONE;
    if (!*converted)
        return image;
    VipsInterpretation wanted =
        image->BandFmt == VIPS_FORMAT_UCHAR ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_RGB16;
    VipsImage *rgb = NULL;
    if (vips_colourspace(image, &rgb, wanted, NULL) != 0)
        rgb = NULL;
    g_object_unref(image);
    return rgb;
}

static sac_status check_image(const VipsImage *image, const char *name, sac_error *err)
{
    if (image->BandFmt != VIPS_FORMAT_UCHAR && image->BandFmt != VIPS_FORMAT_USHORT)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: expected samples of 8 or 16 bits, came %s",
                        name, vips_enum_nick(VIPS_TYPE_BAND_FORMAT, image->BandFmt));
    if (image->Bands < 1 || image->Bands > SAC_IO_MAX_CHANNELS)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: expected 1..%d channels, came %d", name,
                        SAC_IO_MAX_CHANNELS, image->Bands);
    return SAC_OK;
}

/* Decodes all of `image` into the picture's memory. */
static sac_status decode(sac_picture *picture, VipsImage *image, const char *name, sac_error *err)
{
    VipsImage *ours =
        vips_image_new_from_memory(picture->array.data, sac_picture_bytes(picture), image->Xsize,
                                   image->Ysize, image->Bands, image->BandFmt);
    sac_status st = SAC_OK;
    if (!ours || vips_image_write(image, ours) != 0)
        st = sac_vips_fail(err, SAC_E_FORMAT, name, "cannot be read");
    g_clear_object(&ours);
    return st;
}

sac_status sac_vips_read(sac_picture **out, sac_in *in, uint64_t max_pixels, sac_error *err)
{
    *out = NULL;
    sac_status st = sac_vips_start(in->name, err);
    if (st != SAC_OK)
        return st;
    VipsImage *image = open_image(in);
    if (!image)
        return sac_vips_fail(err, SAC_E_FORMAT, in->name, "cannot be read as a picture");
    bool converted = false;
    sac_picture *picture = NULL;
    st = sac_picture_check_size(in->name, (uint64_t)image->Xsize, (uint64_t)image->Ysize,
                                max_pixels, err);
    if (st == SAC_OK && !(image = to_rgb(image, &converted)))
        return sac_vips_fail(err, SAC_E_UNSUPPORTED, in->name, "cannot become RGB");
    if (st == SAC_OK)
        st = check_image(image, in->name, err);
    if (st == SAC_OK)
        st = sac_picture_new(&picture, image->BandFmt == VIPS_FORMAT_USHORT ? SAC_U16 : SAC_U8,
                             image->Xsize, image->Ysize, image->Bands, err);
    if (st == SAC_OK)
        st = decode(picture, image, in->name, err);
    if (st == SAC_OK)
        picture->extra = header_of(image, converted);
    else
        sac_picture_close(&picture);
    vips_image_invalidate_all(image); /* so that libvips' cache keeps no decoder */
    g_object_unref(image);
    *out = picture;
    return st;
}
