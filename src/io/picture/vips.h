/*
 * What the libvips reader and writer share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_PICTURE_VIPS_H
#define SAC_IO_PICTURE_VIPS_H

#include "io/picture/picture.h"
#include "io/picture/vips_load.h"

/* Starts libvips, once for the process. */
SAC_NODISCARD sac_status sac_vips_start(const char *name, sac_error *err);

/* A failure with libvips' own reason, which is taken out of its buffer. */
sac_status sac_vips_fail(sac_error *err, sac_status status, const char *name, const char *what);

/* libvips' own reason, the first line of it and printable, taken out of its buffer. */
void sac_vips_reason(char *text, size_t size);

/* Refuse a PNG whose compressed texts could take seconds, a JPEG 2000 whose header's boxes state
 * lengths that no such file has. SAC_E_FORMAT. */
SAC_NODISCARD sac_status sac_vips_check_png(const sac_in *in, sac_error *err);
SAC_NODISCARD sac_status sac_vips_check_jp2(const sac_in *in, sac_error *err);

/* Copies what is kept of a picture beside its pixels: ICC profile, EXIF, XMP, orientation, ... */
void sac_vips_keep(VipsImage *to, VipsImage *from);

#endif
