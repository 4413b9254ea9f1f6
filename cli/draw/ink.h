/*
 * What pages are drawn with, beside Cairo's own calls: areas, text, pictures of few cells, axes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DRAW_INK_H
#define CLI_DRAW_INK_H

#include <stddef.h>
#include <stdint.h>

#include <cairo.h>

#include "plot_axis.h"

#define CLI_TEXT_PT 11 /* of text, unless it says otherwise */
#define CLI_TICK_PT 4

typedef enum cli_anchor { CLI_START, CLI_MIDDLE, CLI_END } cli_anchor;

/* Colors are 0xRRGGBB. */
void cli_color(cairo_t *cr, uint32_t rgb);
void cli_color_clear(cairo_t *cr, uint32_t rgb, double opacity);

void cli_fill(cairo_t *cr, double x, double y, double w, double h, uint32_t rgb);

/* In the color that is set. */
void cli_line(cairo_t *cr, double x1, double y1, double x2, double y2, double width);
void cli_box(cairo_t *cr, double x, double y, double w, double h); /* its border */

void cli_font(cairo_t *cr, double size_pt, bool is_bold);

/* In UTF-8; what is none, and controls, become U+FFFD. Its base line is at y. */
void cli_text_at(cairo_t *cr, double x, double y, cli_anchor anchor, const char *text);
void cli_text_turned(cairo_t *cr, double x, double y, cli_anchor anchor, double degrees,
                     const char *text);
double cli_text_width(cairo_t *cr, const char *text);

/* n_x x n_y cells in rows from the upper left, stretched to w x h without blurring. */
void cli_cells(cairo_t *cr, double x, double y, double w, double h, const uint32_t *rgb, int n_x,
               int n_y);

/* From min to max as they are. */
cli_scale cli_scale_between(double min, double max, double from, double to);

/* Ticks below y, each with its number, and the label beneath them ("": none). */
void cli_x_axis(cairo_t *cr, double y, const cli_scale *scale, const char *label);

/* Ticks to the left of x, or to the right, with their numbers beyond. */
void cli_y_axis(cairo_t *cr, double x, const cli_scale *scale, bool right);

#endif
