/*
 * What a build without libvips says when it is asked for more than PNM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/image/image.h"
#include "io/picture/picture.h"

/* Nobody looks at what they are given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

bool sac_vips_begins(const uint8_t *data, size_t size)
{
    return false;
}

sac_status sac_vips_read(sac_picture **out, sac_in *in, const sac_picture_limits *limits,
                         sac_error *err)
{
    *out = NULL;
    return sac_fail(
        err, SAC_E_UNSUPPORTED,
        "%s: this build reads PNM and BMP only (libvips was not found when it was built)",
        in->name);
}

sac_status sac_vips_can_write(const char *name, const char *suffix, sac_error *err)
{
    return sac_fail(
        err, SAC_E_UNSUPPORTED,
        "%s: this build writes pictures as PNM only (libvips was not found when it was built)",
        name);
}

sac_status sac_vips_write(sac_out *out, const sac_picture *picture, const char *suffix,
                          sac_error *err)
{
    return sac_vips_can_write(out->name, suffix, err);
}

void sac_vips_free(void *extra)
{
}

sac_status sac_vips_write_pages(sac_out *out, const sac_array *pages, sac_error *err)
{
    return sac_vips_can_write(out->name, ".tif", err);
}
