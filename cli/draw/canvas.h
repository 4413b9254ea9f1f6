/*
 * Pictures with axes: rectangles, text and scales drawn into samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DRAW_CANVAS_H
#define CLI_DRAW_CANVAS_H

#include <saccade/io.h>

#include "plot_axis.h"

#define CLI_TEXT_H 14 /* pixels of a line of text */

/* A picture of 8 bits, gray or RGB. Colors are 0xRRGGBB; gray ones take the last byte. What lies
 * outside is not drawn. */
typedef struct cli_canvas {
    uint8_t *pixels;
    ptrdiff_t row;
    int w, h, n_channels;
    uint32_t ink; /* of text and axes */
} cli_canvas;

cli_canvas cli_canvas_of(const sac_picture *picture, uint32_t ink);

/* Writes an RGB picture of w x h pixels that draw(canvas, ctx) makes. */
SAC_NODISCARD sac_status cli_canvas_write(const char *path, int w, int h, uint32_t ink,
                                          void (*draw)(const cli_canvas *canvas, const void *ctx),
                                          const void *ctx, sac_error *err);

void cli_canvas_fill(const cli_canvas *canvas, int x, int y, int w, int h, uint32_t color);

int cli_canvas_text_width(const char *text);

/* ASCII, its upper left corner at x, y. */
void cli_canvas_text(const cli_canvas *canvas, int x, int y, const char *text);

/* From min to max as they are. */
cli_scale cli_canvas_scale(double min, double max, int from, int to);

/* Ticks below y, each with its number, and the label beneath them ("": none). */
void cli_canvas_x_axis(const cli_canvas *canvas, int y, const cli_scale *scale, const char *label);

/* Ticks to the left of x, or to the right, with their numbers beyond. */
void cli_canvas_y_axis(const cli_canvas *canvas, int x, const cli_scale *scale, bool right);

#endif
