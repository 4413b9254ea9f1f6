/*
 * bench_equalize: saccade's equalize against OpenCV, its own plain C and a copy, in one run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "equalize_bench.h"
#include "equalize_opencv.h"
#include "json.h"
#include "image/check_pixels.h"
#include "options.h"
#include "tables.h"

typedef struct bench_options {
    size_t struct_size;
    int32_t content;
    int32_t size[2];
    int32_t depth;
    int32_t clahe;
    int32_t threads;
    int32_t isa;
    double seconds;
    const char *json;
    char **files; /* one at most */
} bench_options;

static const char help[] =
    "bench_equalize: times saccade's equalize against OpenCV, its own plain C and a copy,\n"
    "in turns, on one picture; saccade's bytes are compared with its reference first.\n"
    "\n"
    "Usage: bench_equalize [OPTION]... [FILE]\n"
    "\n"
    "FILE is a picture that saccade reads; without it a synthetic 8-bit RGB one is made.\n"
    "\n"
    "  --content WHAT  of the synthetic picture: scene, constant, random, extremes, dark\n"
    "                  or two (default scene)\n"
    "  --size WxH      of the synthetic picture (default 1920x1080)\n"
    "  --depth BITS    of its samples: 8 or 16 (default 8)\n"
    "  --clahe TILES   equalize locally, on TILES x TILES tiles; 0: the whole picture (default 0)\n"
    "  --threads N     compare with N threads, beside one (default 2)\n"
    "  --isa SETS      best: the instruction sets that this CPU has; all: a row for each of them\n"
    "                  and for plain C, with one thread (default best)\n"
    "  --seconds S     how long to time all together, 11 rounds at least (default 5)\n"
    "  --json FILE     write every row as JSON; - is standard output, and no table is printed\n"
    "  -h, --help      this text\n"
    "\n"
    "With one thread times are of the processor, with more by the clock. ratio is the median\n"
    "over all rounds of a time over saccade's in the same round, with as many threads (of\n"
    "--isa all: with the most sets), OpenCV its median over the row's. error is the largest\n"
    "difference from saccade's reference; saccade's own must be 0. Exit status: 0 done; 1 failed; "
    "2 wrong usage.\n";

#define NOT_GIVEN (-1)
#define FIELD(name) offsetof(bench_options, name)

static const char *const depths[] = {"8", "16", NULL};

static const sac_param params[] = {
    {"content", CLI_CHOICE(content, NOT_GIVEN, sac_pixel_contents), "WHAT", ""},
    {"size", CLI_INT2(size, 1, 1 << 15, 0, "pixels"), "WxH", ""},
    {"depth", CLI_CHOICE(depth, NOT_GIVEN, depths), "BITS", ""},
    {"clahe", CLI_INT(clahe, 0, 64, 0, "tiles"), "TILES", ""},
    {"threads", CLI_INT(threads, 1, 1024, 2, ""), "N", ""},
    {"isa", CLI_CHOICE(isa, BENCH_ISA_BEST, bench_isa_names), "SETS", ""},
    {"seconds", CLI_FLOAT(seconds, 0, 3600, 5, "s"), "S", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

/* The ladder's picture of this content. */
static sac_status make_picture(sac_picture **picture, const bench_options *options, sac_error *err)
{
    const int64_t w = options->size[0] ? options->size[0] : 1920;
    const int64_t h = options->size[1] ? options->size[1] : 1080;
    const sac_dtype dtype = options->depth == 1 ? SAC_U16 : SAC_U8;
    sac_status st = sac_picture_new(picture, dtype, w, h, 3, err);
    if (st != SAC_OK)
        return st;
    const sac_array a = sac_picture_get_array(*picture);
    sac_check_case c = {.w = w, .h = h, .content = options->content, .seed = 12345};
    sac_check_pixels_shape(&c, 0, "in", SAC_CHECK_IN, sac_dtype_size(dtype), SAC_MODE_RGB);
    c.arg[0].data = a.data;
    c.arg[0].row = a.stride[0];
    sac_check_pixels_fill(&c, 0, SAC_MODE_RGB);
    return SAC_OK;
}

static void print_header(const bench *b, const char *content)
{
    char cpu[128], shape[48], load[64];
    printf("%s: %s, %d rounds; %s, %s\n", content, cli_shape_text(shape, sizeof shape, &b->in),
           b->n_rounds, sac_cpu_model(cpu, sizeof cpu), bench_load(load, sizeof load));
    printf("saccade runs %s\n", sac_equalize_get_variant(b->entry[0].plan));
    if (!bench_opencv_version())
        puts("OpenCV is not in this build (Debian: libopencv-dev)");
    else
        printf("OpenCV %s: %s\n", bench_opencv_version(),
               b->clahe            ? "is not compared with CLAHE"
               : !b->has_opencv    ? "takes 8-bit gray and RGB only"
               : b->in.n_dims == 2 ? "equalizeHist"
                                   : "cvtColor to HSV, equalizeHist of V, cvtColor back");
}

static void print_table(const bench *b, const char *content)
{
    static const char *const heads[] = {"<",     "threads", "median", "p10-p90",
                                        "ratio", "OpenCV",  "error"};
    cli_table rows;
    print_header(b, content);
    cli_table_open(&rows, heads, sizeof heads / sizeof heads[0]);
    for (int32_t i = 0; i < b->n_entries; i++) {
        const bench_entry *e = &b->entry[i];
        cli_table_row(&rows);
        cli_table_cell(&rows, 0, "%s", e->name);
        cli_table_cell(&rows, 1, "%d", e->n_threads);
        cli_table_time(&rows, 2, e->median_ns);
        cli_table_spread(&rows, 3, e->p10_ns, e->p90_ns);
        cli_table_cell(&rows, 4, "%.2f", e->ratio);
        if (bench_opencv_ratio(b, e) > 0)
            cli_table_cell(&rows, 5, "%.2f", bench_opencv_ratio(b, e));
        if (e->checked)
            cli_table_cell(&rows, 6, "%g", e->error);
    }
    cli_table_print(&rows, stdout);
}

static void put_row(cli_json *json, const bench *b, const bench_entry *e, const char *content)
{
    char shape[48];
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", "equalize");
    cli_json_string(json, "rung", e->name);
    if (e->plan)
        cli_json_string(json, "variant", sac_equalize_get_variant(e->plan));
    cli_json_string(json, "device", "cpu");
    cli_json_int(json, "threads", e->n_threads);
    cli_json_string(json, "input", content);
    cli_json_string(json, "shape", cli_shape_text(shape, sizeof shape, &b->in));
    cli_json_times(json, e->median_ns, e->p10_ns, e->p90_ns);
    cli_json_real(json, "min_ns", e->min_ns);
    cli_json_real(json, "max_ns", e->max_ns);
    cli_json_int(json, "runs", b->n_rounds);
    cli_json_real(json, "ratio", e->ratio);
    cli_json_bool(json, "checked", e->checked);
    if (e->checked)
        cli_json_real(json, "error", e->error);
    cli_json_end_object(json);
}

static int report(const bench *b, const bench_options *options, const char *content)
{
    if (bench_prints(options->json))
        print_table(b, content);
    if (!options->json)
        return CLI_DONE;
    cli_json json;
    cli_json_open_rows(&json, 0, (sac_device){0});
    for (int32_t i = 0; i < b->n_entries; i++)
        put_row(&json, b, &b->entry[i], content);
    return cli_json_write(&json, options->json);
}

static int compete(const sac_array *in, const bench_options *options, const char *content)
{
    bench b;
    sac_error err = {0};
    const int32_t n_threads = options->isa == BENCH_ISA_ALL ? 0 : options->threads;
    if (bench_open(&b, in, options->clahe, n_threads, &err) != SAC_OK)
        return cli_error(&err);
    int status = CLI_DONE;
    if (!bench_check(&b))
        status = cli_fail("an entry failed on this picture");
    for (int32_t i = 0; status == CLI_DONE && i < b.n_entries; i++)
        if (b.entry[i].plan && b.entry[i].error > 0)
            status = cli_fail("%s, %d threads: expected the reference's bytes, got some off by %g",
                              b.entry[i].name, b.entry[i].n_threads, b.entry[i].error);
    if (status == CLI_DONE && !bench_time(&b, options->seconds))
        status = cli_fail("an entry failed while it was timed");
    if (status == CLI_DONE)
        status = report(&b, options, content);
    bench_close(&b);
    return status;
}

static int run(const void *options)
{
    bench_options o = *(const bench_options *)options;
    const char *file = *o.files;
    sac_error err = {0};
    sac_picture *picture = NULL;
    if (file && (o.content != NOT_GIVEN || o.size[0] || o.depth != NOT_GIVEN))
        return bench_misuse("--content, --size and --depth are for a synthetic picture, got also ",
                            file);
    if (o.content == NOT_GIVEN)
        o.content = 0;
    const char *any = "pnm"; /* only whether the path can be written is in question */
    sac_status st = o.json ? sac_picture_can_write(o.json, any, &err) : SAC_OK;
    if (st == SAC_OK)
        st = file ? sac_picture_read(&picture, file, 0, &err) : make_picture(&picture, &o, &err);
    if (st != SAC_OK)
        return cli_error(&err);
    const sac_array in = sac_picture_get_array(picture);
    const int status = compete(&in, &o, file ? file : sac_pixel_contents[o.content]);
    sac_picture_close(&picture);
    return status;
}

const bench_command bench_this = {help, CLI_TABLE("bench_equalize", bench_options, params), run, 1,
                                  FIELD(files)};
