/*
 * Pictures that commands read: what reading changed or left out is told.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include <saccade/io.h>

/* The row --max-pixels of a parameter table, at `offset` of the options. */
#define CLI_PARAM_MAX_PIXELS(offset)                                                               \
    {                                                                                              \
        "max-pixels", SAC_PARAM_INT, offset, 1, INT32_MAX, (int32_t)SAC_PICTURE_MAX_PIXELS, NULL,  \
            "", "N",                                                                               \
            "refuse pictures of more than N pixels, which a small file can claim; more takes up "  \
            "to "                                                                                  \
            "24 bytes of memory per pixel"                                                         \
    }

/* sac_picture_read_with, with a warning of what sac_picture_get_note says; `page` 0: the first. */
SAC_NODISCARD sac_status cli_picture_read(sac_picture **out, const char *path, int32_t max_pixels,
                                          int32_t page, sac_error *err);

#endif
