/*
 * The demo of equalize: a photograph darkened, then equalized by each scaling, side by side.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/equalize.h>
#include <saccade/io.h>

#include "demo.h"
#include "pictures.h"
#include "outputs.h"
#include "tables.h"

#define DARKER 120          /* of 255: Duong's darkened pictures have V - 120 */
#define N_SAMPLES 2         /* photographs that the demo takes by itself */
#define MAX_RUNS 11         /* timed, the median counts */
#define BUDGET_NS 500000000 /* fewer runs where they take longer than this together */
#define SCENE_W 1920
#define SCENE_H 1080

static const char *const samples[] = {
    "/usr/share/forensics-samples/original-files/pic1/IMG_2*.jpg",
    "/usr/share/forensics-samples/original-files/pic2/IMG_2*.jpg",
};

/* The panels of the sheet that is written: the dark picture, then each scaling. */
typedef struct panel {
    const char *name;
    sac_equalize_scale scale;
} panel;

static const panel scalings[] = {
    {"max", SAC_SCALE_MAX}, {"minmax", SAC_SCALE_MINMAX}, {"first", SAC_SCALE_FIRST}};

enum { N_SCALINGS = sizeof scalings / sizeof *scalings, N_PANELS = 1 + N_SCALINGS };

enum { PICTURE, SIZE, SCALING, TIME, REFERENCE, SPEEDUP, EXACT, VARIANT, N_COLUMNS };

static const char *const heads[N_COLUMNS] = {
    [PICTURE] = "<picture", [SIZE] = "<size",          [SCALING] = "<scaling",
    [TIME] = "time",        [REFERENCE] = "reference", [SPEEDUP] = "speed-up",
    [EXACT] = "<its bytes", [VARIANT] = "<variant"};

typedef struct section {
    const cli_demo_options *options;
    cli_table table;
    char **written; /* n_written paths */
    size_t n_written;
    bool inexact; /* a variant differed from the reference */
} section;

static uint32_t get(const char *p, sac_dtype dtype)
{
    return dtype == SAC_U8 ? *(const uint8_t *)p : *(const uint16_t *)(const void *)p;
}

static void set(char *p, sac_dtype dtype, uint32_t value)
{
    if (dtype == SAC_U8) {
        *(uint8_t *)p = (uint8_t)value;
    } else {
        *(uint16_t *)(void *)p = (uint16_t)value;
    }
}

/* Lowers V = max(R, G, B) by `by`, not below 0, and scales the colors with it; alpha stays. */
static void darken_pixel(char *out, const char *in, sac_dtype dtype, int64_t n_channels,
                         uint32_t by)
{
    const int64_t size = (int64_t)sac_dtype_size(dtype);
    int64_t n_colors = n_channels > 2 ? 3 : 1;
    uint32_t v = 0;
    for (int64_t c = 0; c < n_colors; c++) {
        uint32_t value = get(in + c * size, dtype);
        v = value > v ? value : v;
    }
    uint64_t dark = v > by ? v - by : 0;
    for (int64_t c = 0; c < n_channels; c++) {
        uint64_t value = get(in + c * size, dtype);
        uint64_t scaled = v > 0 ? (value * dark + v / 2) / v : 0;
        set(out + c * size, dtype, (uint32_t)(c < n_colors ? scaled : value));
    }
}

static void darken(const sac_array *out, const sac_array *in)
{
    uint32_t by = in->dtype == SAC_U8 ? DARKER : DARKER * 257;
    int64_t n_channels = in->n_dims > 2 ? in->shape[2] : 1;
    for (int64_t y = 0; y < in->shape[0]; y++) {
        for (int64_t x = 0; x < in->shape[1]; x++) {
            darken_pixel((char *)out->data + y * out->stride[0] + x * out->stride[1],
                         (const char *)in->data + y * in->stride[0] + x * in->stride[1], in->dtype,
                         n_channels, by);
        }
    }
}

static int compare_ns(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* Opens a plan, runs it up to `runs` times and tells the median; *plan stays open on success. */
static sac_status time_plan(int64_t *median_ns, sac_equalize **plan, const sac_equalize_desc *desc,
                            const sac_array *out, const sac_array *in, int runs, sac_error *err)
{
    int64_t ns[MAX_RUNS];
    sac_status st = sac_equalize_open(plan, desc, err);
    int64_t begin_ns = cli_clock_ns();
    int n = 0;
    while (st == SAC_OK && n < runs && (n == 0 || cli_clock_ns() - begin_ns < BUDGET_NS)) {
        int64_t start_ns = cli_clock_ns();
        st = sac_equalize_run(*plan, out, in, NULL);
        ns[n++] = cli_clock_ns() - start_ns;
        if (st != SAC_OK) {
            *err = (sac_error){.status = st};
            snprintf(err->text, sizeof err->text, "equalize: %s", sac_status_name(st));
            sac_equalize_close(plan);
            return st;
        }
    }
    if (st == SAC_OK) {
        qsort(ns, (size_t)n, sizeof *ns, compare_ns);
        *median_ns = ns[n / 2];
    }
    return st;
}

static bool same_bytes(const sac_array *a, const sac_array *b)
{
    size_t row = (size_t)(a->shape[1] * a->stride[1]);
    for (int64_t y = 0; y < a->shape[0]; y++) {
        if (memcmp((const char *)a->data + y * a->stride[0],
                   (const char *)b->data + y * b->stride[0], row) != 0) {
            return false;
        }
    }
    return true;
}

/* Equalizes by one scaling into `out`, and by the reference into `check`; a row of the table. */
static sac_status equalize_panel(section *s, const char *name, const sac_array *out,
                                 const sac_array *check, const sac_array *dark,
                                 const panel *scaling, sac_error *err)
{
    sac_equalize *plan = NULL;
    sac_equalize *reference = NULL;
    sac_equalize_desc desc;
    char text[48];
    int64_t ns = 0;
    int64_t reference_ns = 0;
    sac_equalize_desc_init(&desc);
    desc.dtype = dark->dtype;
    desc.w = dark->shape[1];
    desc.h = dark->shape[0];
    desc.n_channels = dark->n_dims > 2 ? (int32_t)dark->shape[2] : 1;
    desc.scale = (int32_t)scaling->scale;
    desc.n_threads = s->options->threads;
    desc.device = s->options->device;
    sac_status st = time_plan(&ns, &plan, &desc, out, dark, MAX_RUNS, err);
    if (st == SAC_OK) {
        desc.device = (sac_device){SAC_DEVICE_CPU, 0};
        desc.variant = "ref";
        st = time_plan(&reference_ns, &reference, &desc, check, dark, 1, err);
    }
    if (st == SAC_OK) {
        bool same = same_bytes(out, check);
        s->inexact |= !same;
        cli_table_row(&s->table);
        cli_table_cell(&s->table, PICTURE, "%s", name);
        cli_table_cell(&s->table, SIZE, "%s", cli_shape_text(text, sizeof text, dark));
        cli_table_cell(&s->table, SCALING, "%s", scaling->name);
        cli_table_time(&s->table, TIME, (double)ns);
        cli_table_time(&s->table, REFERENCE, (double)reference_ns);
        cli_table_cell(&s->table, SPEEDUP, "%.0fx", (double)reference_ns / (double)ns);
        cli_table_cell(&s->table, EXACT, "%s", same ? "yes" : "NO");
        cli_table_cell(&s->table, VARIANT, "%s", sac_equalize_get_variant(plan));
    }
    sac_equalize_close(&reference);
    sac_equalize_close(&plan);
    return st;
}

/* The ending of a format that this build writes and that holds such a picture. */
static const char *choose_format(const char *folder, const sac_array *picture)
{
    const int64_t jpeg_side = 65500; /* libjpeg's limit */
    bool small = picture->shape[1] * N_PANELS <= jpeg_side && picture->shape[0] <= jpeg_side;
    bool plain = picture->n_dims == 2 || picture->shape[2] == 3;
    const char *wanted = small && plain && picture->dtype == SAC_U8 ? "jpg" : "png";
    char *path = cli_text("%s/x.%s", folder, wanted);
    bool can = sac_picture_can_write(path, wanted, NULL) == SAC_OK;
    free(path);
    return can ? wanted : plain ? "pnm" : "pam";
}

/* Writes the sheet; its path joins the list. */
static sac_status write_sheet(section *s, const sac_picture *sheet, const sac_array *original,
                              const char *name, sac_error *err)
{
    const char *base = cli_base_name(name);
    const char *dot = strrchr(base, '.');
    int stem = (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base));
    char *path = cli_text("%s/%.*s-equalized.%s", s->options->output, stem, base,
                          choose_format(s->options->output, original));
    sac_status st = sac_picture_write(sheet, path, NULL, err);
    if (st != SAC_OK) {
        free(path);
        return st;
    }
    s->written = cli_grow(s->written, s->n_written, s->n_written + 1, sizeof *s->written);
    s->written[s->n_written++] = path;
    return SAC_OK;
}

/* All of one picture, which it closes as soon as the dark copy is made. */
static sac_status show_picture(section *s, sac_picture *picture, const char *name, sac_error *err)
{
    sac_array original = sac_picture_get_array(picture);
    int64_t w = original.shape[1];
    int64_t h = original.shape[0];
    int32_t n_channels = original.n_dims > 2 ? (int32_t)original.shape[2] : 1;
    sac_picture *sheet = NULL;
    sac_picture *check = NULL;
    sac_array dark;
    sac_status st = sac_picture_new(&sheet, original.dtype, w * N_PANELS, h, n_channels, err);
    if (st == SAC_OK) {
        st = sac_picture_new(&check, original.dtype, w, h, n_channels, err);
    }
    sac_array all = st == SAC_OK ? sac_picture_get_array(sheet) : (sac_array){0};
    sac_array wanted = st == SAC_OK ? sac_picture_get_array(check) : (sac_array){0};
    if (st == SAC_OK) {
        st = sac_array_range(&dark, &all, 1, 0, w, err);
    }
    if (st == SAC_OK) {
        darken(&dark, &original);
    }
    for (int i = 0; i < N_SCALINGS && st == SAC_OK; i++) {
        sac_array out;
        st = sac_array_range(&out, &all, 1, (i + 1) * w, w, err);
        if (st == SAC_OK) {
            st = equalize_panel(s, cli_base_name(name), &out, &wanted, &dark, &scalings[i], err);
        }
    }
    sac_picture_close(&check);
    if (st == SAC_OK) {
        st = write_sheet(s, sheet, &original, name, err);
    }
    sac_picture_close(&sheet);
    return st;
}

static sac_status show_file(section *s, const char *path, sac_error *err)
{
    sac_picture *picture = NULL;
    sac_status st = cli_picture_read(&picture, path, s->options->max_pixels, 0, err);
    if (st == SAC_OK) {
        st = show_picture(s, picture, path, err);
    }
    sac_picture_close(&picture);
    return st;
}

/* Photographs from Debian's package, one of each folder (the others there are logos); false where
 * none can be read. */
static bool show_samples(section *s)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples && s->n_written < N_SAMPLES; i++) {
        glob_t found;
        size_t before = s->n_written;
        if (glob(samples[i], 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc && s->n_written == before; k++) {
                sac_error ignored; /* this build may lack the format: the next one then */
                (void)!show_file(s, found.gl_pathv[k], &ignored);
            }
            globfree(&found);
        }
    }
    return s->n_written > 0;
}

static int show_scene(section *s)
{
    sac_error err = {0};
    sac_picture *picture = NULL;
    puts(s->options->drawn
             ? "  A synthetic scene, rendered now."
             : "  No photograph here that can be read (Debian's forensics-samples-files has some, "
               "JPEG needs\n  libvips): a synthetic scene, rendered now.");
    sac_status st = sac_picture_new(&picture, SAC_U8, SCENE_W, SCENE_H, 3, &err);
    if (st == SAC_OK) {
        sac_array array = sac_picture_get_array(picture);
        cli_demo_scene(&array);
        st = show_picture(s, picture, "scene", &err);
    }
    sac_picture_close(&picture);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

static void print_results(section *s)
{
    cli_table_print(&s->table, stdout);
    if (s->n_written > 0) {
        puts("\n  Side by side (dark | max | minmax | first):");
    }
    for (size_t i = 0; i < s->n_written; i++) {
        printf("    %s\n", s->written[i]);
        free(s->written[i]);
    }
    free(s->written);
    fflush(stdout);
}

int cli_demo_equalize(const cli_demo_options *options)
{
    section s = {.options = options};
    int worst = CLI_DONE;
    cli_table_open(&s.table, heads, N_COLUMNS);
    puts("equalize: pictures darkened (V - 120), then equalized");
    for (int i = 0; i < options->n_inputs; i++) {
        sac_error err = {0};
        if (show_file(&s, options->inputs[i], &err) != SAC_OK) {
            worst = cli_fail("%s", err.text);
        }
    }
    if (options->n_inputs == 0 && (options->drawn || !show_samples(&s))) {
        worst = show_scene(&s);
    }
    print_results(&s);
    if (s.inexact) {
        worst = cli_fail("equalize: a variant's bytes differ from the reference's");
    }
    return worst;
}
