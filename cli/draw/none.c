/*
 * What a build without Cairo says when it is asked to draw.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/io.h>

#include "beamform/axes.h"
#include "meltpool/draw.h"
#include "outputs.h"
#include "page.h"
#include "plot.h"

/* Nobody looks at what they are given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

const char *cli_cairo_version(void)
{
    return NULL;
}

sac_status cli_plot_write(const char *path, const cli_plot *plot, sac_error *err)
{
    return cli_no_cairo(err);
}

sac_status cli_pool_draw(const cli_pool_picture *what, const char *path, sac_error *err)
{
    return cli_no_cairo(err);
}

/* The image alone. */
sac_status cli_bmode_frame(sac_picture **out, const cli_bmode *b, sac_error *err)
{
    const int n = b->rgb ? 3 : 1;
    sac_status st = sac_picture_new(out, SAC_U8, b->w, b->h, n, err);
    for (int y = 0; y < b->h && st == SAC_OK; y++) {
        const sac_array pixels = sac_picture_get_array(*out);
        uint8_t *to = (uint8_t *)pixels.data + y * pixels.stride[0];
        for (ptrdiff_t x = 0, from = (ptrdiff_t)y * b->w; x < b->w; x++, from++) {
            for (int c = 0; c < n; c++) {
                to[x * n + c] = (uint8_t)(b->rgb ? b->rgb[from] >> (16 - 8 * c) : b->gray[from]);
            }
        }
    }
    return st;
}
