/*
 * Pictures that commands read: what reading changed or left out is told.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pictures.h"

#include "command.h"
#include "options.h"

sac_status cli_picture_read(sac_picture **out, const char *path, int32_t max_pixels, int32_t page,
                            sac_error *err)
{
    sac_picture_read_desc desc;
    sac_picture_read_desc_init(&desc);
    desc.max_pixels = (uint64_t)max_pixels;
    desc.page = page;
    sac_status st = sac_picture_read_with(out, path, &desc, err);
    const char *note = st == SAC_OK ? sac_picture_get_note(*out) : "";
    if (note[0]) {
        cli_warn("`%s`: %s", path, note);
    }
    return st;
}
