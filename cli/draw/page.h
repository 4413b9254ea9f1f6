/*
 * Pages: what Cairo draws, as a PNG, SVG or PDF file, or as pixels. A build without Cairo
 * compiles all that is declared here and draws none of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DRAW_PAGE_H
#define CLI_DRAW_PAGE_H

#include <saccade/array.h>
#include <saccade/base.h>

typedef struct _cairo cairo_t; /* its own name for it: NOLINT(bugprone-reserved-identifier) */

/* Of the Cairo that this build has; NULL: it has none. */
const char *cli_cairo_version(void);

typedef void cli_page_fn(cairo_t *cr, const void *ctx);

/*
 * Writes a page of w x h points (in SVG and on screens: pixels) that draw(cr, ctx) draws, whole or
 * not at all; "-" is standard output, cli_plot_format says which format it is. A PNG has two pixels
 * a point, or one where a side would be too long for Cairo. `title` is what readers of PDF show.
 * SAC_E_IO, SAC_E_NOMEM, SAC_E_SHAPE, SAC_E_UNSUPPORTED.
 */
SAC_NODISCARD sac_status cli_page_write(const char *path, const char *title, double w, double h,
                                        cli_page_fn *draw, const void *ctx, sac_error *err);

/* The same on black into `out` u8, a pixel a point: (h, w, 3) in color, or (h, w) or (h, w, 1), the
 * green of what is drawn. SAC_E_NOMEM. */
SAC_NODISCARD sac_status cli_page_pixels(const sac_array *out, cli_page_fn *draw, const void *ctx,
                                         sac_error *err);

#endif
