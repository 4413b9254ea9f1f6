/*
 * Areas, text, cells and axes, by Cairo.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define FONT "sans-serif"

void cli_color_clear(cairo_t *cr, uint32_t rgb, double opacity)
{
    cairo_set_source_rgba(cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                          (rgb & 255) / 255.0, opacity);
}

void cli_color(cairo_t *cr, uint32_t rgb)
{
    cli_color_clear(cr, rgb, 1);
}

void cli_fill(cairo_t *cr, double x, double y, double w, double h, uint32_t rgb)
{
    cli_color(cr, rgb);
    cairo_rectangle(cr, x, y, w, h);
    cairo_fill(cr);
}

void cli_line(cairo_t *cr, double x1, double y1, double x2, double y2, double width)
{
    cairo_set_line_width(cr, width);
    cairo_move_to(cr, x1, y1);
    cairo_line_to(cr, x2, y2);
    cairo_stroke(cr);
}

void cli_box(cairo_t *cr, double x, double y, double w, double h)
{
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, x, y, w, h);
    cairo_stroke(cr);
}

void cli_font(cairo_t *cr, double size_pt, bool is_bold)
{
    cairo_select_font_face(cr, FONT, CAIRO_FONT_SLANT_NORMAL,
                           is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size_pt);
}

/* As Cairo takes it: it refuses what is no UTF-8. To be freed. */
static char *printable(const char *text)
{
    char *out = cli_grow(NULL, 0, 3 * strlen(text) + 1, 1), *to = out;
    while (*text) {
        const int n = cli_utf8_length(text);
        const bool is_one = n > 0 && (unsigned char)*text >= 0x20;
        const int size = is_one ? n : 3;
        memcpy(to, is_one ? text : "\xef\xbf\xbd", (size_t)size);
        to += size;
        text += n > 0 ? n : 1;
    }
    return out;
}

double cli_text_width(cairo_t *cr, const char *text)
{
    cairo_text_extents_t size;
    char *shown = printable(text);
    cairo_text_extents(cr, shown, &size);
    free(shown);
    return size.x_advance;
}

void cli_text_turned(cairo_t *cr, double x, double y, cli_anchor anchor, double degrees,
                     const char *text)
{
    if (!*text) {
        return;
    }
    char *shown = printable(text);
    const double share = anchor == CLI_START ? 0 : anchor == CLI_MIDDLE ? 0.5 : 1;
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_rotate(cr, degrees * acos(-1) / 180);
    cairo_move_to(cr, -share * cli_text_width(cr, text), 0);
    cairo_show_text(cr, shown);
    cairo_restore(cr);
    cairo_new_path(cr);
    free(shown);
}

void cli_text_at(cairo_t *cr, double x, double y, cli_anchor anchor, const char *text)
{
    cli_text_turned(cr, x, y, anchor, 0, text);
}

void cli_cells(cairo_t *cr, double x, double y, double w, double h, const uint32_t *rgb, int n_x,
               int n_y)
{
    cairo_surface_t *cells = cairo_image_surface_create(CAIRO_FORMAT_RGB24, n_x, n_y);
    unsigned char *data = cairo_image_surface_get_data(cells);
    for (int j = 0; j < n_y && data; j++) {
        memcpy(data + (ptrdiff_t)j * cairo_image_surface_get_stride(cells),
               rgb + (ptrdiff_t)j * n_x, (size_t)n_x * sizeof *rgb);
    }
    cairo_surface_mark_dirty(cells);
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_scale(cr, w / n_x, h / n_y);
    cairo_set_source_surface(cr, cells, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
    cairo_rectangle(cr, 0, 0, n_x, n_y);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(cells);
}

cli_scale cli_scale_between(double min, double max, double from, double to)
{
    cli_scale scale;
    const cli_axis axis = {0};
    cli_scale_open(&scale, &axis, min, max, false);
    scale.from = from;
    scale.to = to;
    return scale;
}

void cli_x_axis(cairo_t *cr, double y, const cli_scale *scale, const char *label)
{
    char text[24];
    for (int i = 0; i < scale->n_ticks; i++) {
        const double x = cli_scale_at(scale, scale->tick[i]);
        cli_line(cr, x, y, x, y + CLI_TICK_PT, 1);
        cli_text_at(cr, x, y + 17, CLI_MIDDLE, cli_tick_text(text, sizeof text, scale->tick[i]));
    }
    cli_text_at(cr, (scale->from + scale->to) / 2, y + 34, CLI_MIDDLE, label);
}

void cli_y_axis(cairo_t *cr, double x, const cli_scale *scale, bool right)
{
    char text[24];
    const double out = right ? 1 : -1;
    for (int i = 0; i < scale->n_ticks; i++) {
        const double y = cli_scale_at(scale, scale->tick[i]);
        cli_line(cr, x, y, x + out * CLI_TICK_PT, y, 1);
        cli_text_at(cr, x + out * (CLI_TICK_PT + 3), y + 4, right ? CLI_START : CLI_END,
                    cli_tick_text(text, sizeof text, scale->tick[i]));
    }
}
