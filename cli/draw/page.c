/*
 * Pages are drawn into memory, and written when they are whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <saccade/io.h>

#include "command.h"
#include "outputs.h"

#define PNG_SCALE 2
#define MAX_SIDE 32767 /* of Cairo's pixels */
#define PDF_TEXT 120   /* bytes of a title: more than a line */

#ifdef __has_feature
#define HAS_ASAN __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#else
#define HAS_ASAN 0
#endif

#if HAS_ASAN
/* What fontconfig keeps for the next text is no leak of ours, and not worth a word. */
SAC_API const char *__lsan_default_suppressions(void);
SAC_API const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig.so\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
#endif

static sac_status fail(sac_error *err, sac_status status, const char *text)
{
    if (err) {
        err->status = status;
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    return status;
}

const char *cli_cairo_version(void)
{
    return cairo_version_string();
}

static sac_status from_cairo(cairo_status_t status, const char *path, sac_error *err)
{
    if (status == CAIRO_STATUS_SUCCESS) {
        return SAC_OK;
    }
    char text[200];
    snprintf(text, sizeof text, "%s: Cairo cannot draw this: %s", path,
             cairo_status_to_string(status));
    return fail(err, status == CAIRO_STATUS_NO_MEMORY ? SAC_E_NOMEM : SAC_E_IO, text);
}

/* Cairo's bytes, which collect in a stream of memory. */
static cairo_status_t take_bytes(void *ctx, const unsigned char *data, unsigned size)
{
    FILE *file = (FILE *)ctx;
    return fwrite(data, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}

/* Fonts are not fitted to pixels: text is as wide in every format. */
static void even_fonts(cairo_t *cr)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
}

static void draw_on(cairo_surface_t *surface, double scale, bool is_white, cli_page_fn *draw,
                    const void *ctx)
{
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    if (is_white) {
        cairo_set_source_rgb(cr, 1, 1, 1);
        cairo_paint(cr);
    }
    even_fonts(cr);
    draw(cr, ctx);
    cairo_destroy(cr);
}

/* Titles may hold names of files, of any bytes. */
static void name_pdf(cairo_surface_t *surface, const char *title)
{
    char text[PDF_TEXT];
    size_t n = 0;
    while (*title && n + 4 < sizeof text) {
        int size = cli_utf8_length(title);
        if (size == 0) {
            text[n++] = '?';
            title++;
            continue;
        }
        memcpy(text + n, title, (size_t)size);
        n += (size_t)size;
        title += size;
    }
    text[n] = 0;
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, text);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "saccade");
}

static cairo_surface_t *open_surface(FILE *file, const char *format, const char *title, double w,
                                     double h, double scale)
{
    cairo_surface_t *surface;
    if (!strcmp(format, "pdf")) {
        surface = cairo_pdf_surface_create_for_stream(take_bytes, file, w, h);
        name_pdf(surface, title);
    } else if (!strcmp(format, "svg")) {
        surface = cairo_svg_surface_create_for_stream(take_bytes, file, w, h);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    } else {
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(w * scale),
                                             (int)ceil(h * scale));
    }
    return surface;
}

sac_status cli_page_write(const char *path, const char *title, double w, double h,
                          cli_page_fn *draw, const void *ctx, sac_error *err)
{
    const char *format = cli_plot_format(path);
    char *text = NULL;
    size_t size = 0;
    const bool is_png = format && !strcmp(format, "png");
    const double side = fmax(w, h), scale = !is_png                        ? 1
                                            : side * PNG_SCALE <= MAX_SIDE ? PNG_SCALE
                                                                           : 1;
    if (!format) {
        return fail(err, SAC_E_UNSUPPORTED, "a plot is .png, .svg or .pdf");
    }
    if (is_png && side > MAX_SIDE) {
        return fail(err, SAC_E_SHAPE, "this plot is too long for a PNG: name it .svg or .pdf");
    }
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return fail(err, SAC_E_NOMEM, "out of memory");
    }
    cairo_surface_t *surface = open_surface(file, format, title, w, h, scale);
    draw_on(surface, scale, true, draw, ctx);
    cairo_status_t drawn = cairo_surface_status(surface);
    if (is_png && drawn == CAIRO_STATUS_SUCCESS) {
        drawn = cairo_surface_write_to_png_stream(surface, take_bytes, file);
    }
    cairo_surface_finish(surface); /* the last bytes of SVG and PDF */
    drawn = drawn ? drawn : cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    sac_status st = from_cairo(drawn, path, err);
    if (fclose(file) != 0 && st == SAC_OK) {
        st = fail(err, SAC_E_NOMEM, "out of memory");
    }
    st = st ? st : sac_file_write(path, text, size, err);
    free(text);
    return st;
}

sac_status cli_page_pixels(const sac_array *out, cli_page_fn *draw, const void *ctx, sac_error *err)
{
    const int w = (int)out->shape[1], h = (int)out->shape[0];
    const int n_colors = out->n_dims == 3 ? (int)out->shape[2] : 1;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
    draw_on(surface, 1, false, draw, ctx);
    cairo_surface_flush(surface);
    sac_status st = from_cairo(cairo_surface_status(surface), "the picture", err);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    for (int y = 0; y < h && st == SAC_OK; y++) {
        const unsigned char *row = data + (ptrdiff_t)y * cairo_image_surface_get_stride(surface);
        uint8_t *to = (uint8_t *)out->data + y * out->stride[0];
        for (int x = 0; x < w; x++) {
            uint32_t pixel;
            memcpy(&pixel, row + (ptrdiff_t)x * 4, 4);
            for (int c = 0; c < n_colors; c++) {
                to[x * n_colors + c] = (uint8_t)(pixel >> (n_colors == 1 ? 8 : 16 - 8 * c));
            }
        }
    }
    cairo_surface_destroy(surface);
    return st;
}
