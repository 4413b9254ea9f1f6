/*
 * bench_delta: saccade's delta stream against FFmpeg's codecs, in one run, on real clips.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "delta_bench.h"
#include "json.h"
#include "options.h"
#include "tables.h"
#include "base/timings.h"

#define FIXED_CAMERA "/usr/share/doc/opencv-doc/examples/data/vtest.avi"
#define MAX_ROUNDS 99
#define MAX_CODERS 16

static const char help[] =
    "bench_delta: saccade's delta stream against FFmpeg's ffv1, utvideo, huffyuv and x264\n"
    "(lossless, and with the same largest error), in one run: ratio to raw BGR, and times of a\n"
    "frame, with one thread and two.\n"
    "\n"
    "Usage: bench_delta [OPTION]... [CLIP]...\n"
    "\n"
    "A CLIP is any video that ffmpeg reads; it is kept in memory as raw BGR. Without one they are\n"
    "video/phone-1080p.mp4 in the folder SACCADE_DATA (default: ../shared/data), and the fixed\n"
    "camera of Debian's opencv-doc, vtest.avi. What is not there is left out, and said.\n"
    "\n"
    "  --rounds N    passes over a clip, in turns (default 3)\n"
    "  --frames N    of a clip, at most (default 0: all)\n"
    "  --only WORD   coders whose name has the word\n"
    "  --json FILE   write every row as JSON, too; - is standard output, and what\n"
    "                else is printed goes to standard error\n"
    "  -h, --help    this text\n"
    "\n"
    "Times are medians over the rounds of a whole pass, a frame's share: by the clock, and of all\n"
    "processors together. They are those of the coders alone: frames are in their own order of\n"
    "pixels before, plans are open, packets stay in memory. Before it is timed, every coder's\n"
    "pictures are compared with the clip, byte by byte: `off by` is the largest difference.\n"
    "\n"
    "Examples:\n"
    "  bench_delta\n"
    "  bench_delta --only saccade --rounds 9 clip.mp4\n"
    "\n"
    "Exit status: 0 done; 1 failed; 2 wrong usage.\n";

typedef struct options {
    size_t struct_size;
    int32_t rounds, frames;
    const char *only, *json;
    char **clips;
} options;

#define FIELD(name) offsetof(options, name)

static const sac_param params[] = {
    {"rounds", CLI_INT(rounds, 1, MAX_ROUNDS, 3, ""), "N", ""},
    {"frames", CLI_INT(frames, 0, INT32_MAX, 0, ""), "N", ""},
    {"only", CLI_STRING(only), "WORD", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

/* A coder with so many threads, and what it did. */
typedef struct row {
    const bench_coder *coder;
    int32_t n_threads;
    uint64_t bytes;
    int worst;
    int64_t encode[2][MAX_ROUNDS], decode[2][MAX_ROUNDS]; /* ns a frame: wall, processor */
} row;

typedef struct bench {
    options options;
    FILE *text;
    cli_json json;
    const bench_coder *coders[MAX_CODERS];
    int n_coders;
} bench;

bench_time bench_now(void)
{
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return (bench_time){sac_clock_ns(), (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec};
}

bench_time bench_since(bench_time then)
{
    const bench_time now = bench_now();
    return (bench_time){now.wall_ns - then.wall_ns, now.cpu_ns - then.cpu_ns};
}

int bench_worst(const uint8_t *a, const uint8_t *b, size_t n, int worst)
{
    for (size_t i = 0; i < n; i++) {
        const int d = abs(a[i] - b[i]);
        worst = d > worst ? d : worst;
    }
    return worst;
}

static const char *default_clip(char *path, size_t size)
{
    const char *folder = getenv("SACCADE_DATA");
    snprintf(path, size, "%s/video/phone-1080p.mp4", folder ? folder : "../shared/data");
    return path;
}

static bool fail(const row *r, const char *what)
{
    cli_fail("%s, %d threads: %s", r->coder->name, r->n_threads, what);
    return false;
}

/* A pass: the clip through the coder and back. The first is compared with it, too. */
static bool pass(row *r, const bench_clip *clip, int32_t round)
{
    const bench_coder *c = r->coder;
    bench_time encode, decode, unused;
    void *stream = c->encode(c, clip, r->n_threads, &r->bytes, &encode);
    if (!stream)
        return fail(r, "a frame was not encoded");
    int64_t n = clip->n_frames;
    if (round == 0)
        n = c->decode(c, clip, r->n_threads, stream, &r->worst, &unused);
    if (n == clip->n_frames)
        n = c->decode(c, clip, r->n_threads, stream, NULL, &decode);
    c->discard(stream);
    if (n != clip->n_frames)
        return fail(r, "frames are missing");
    if (r->worst > c->threshold)
        return fail(r, "a picture is another");
    r->encode[0][round] = encode.wall_ns / clip->n_frames;
    r->encode[1][round] = encode.cpu_ns / clip->n_frames;
    r->decode[0][round] = decode.wall_ns / clip->n_frames;
    r->decode[1][round] = decode.cpu_ns / clip->n_frames;
    return true;
}

static double median(int64_t *ns, int32_t n)
{
    sac_timings_sort(ns, n);
    return (double)sac_timings_at(ns, n, 0.5);
}

static double ratio_of(const row *r, const bench_clip *clip)
{
    return (double)bench_frame_bytes(clip) * (double)clip->n_frames / (double)r->bytes;
}

static void put_row(bench *b, cli_table *rows, const bench_clip *clip, row *r)
{
    const int32_t n = b->options.rounds;
    const double ms[] = {
        median(r->encode[0], n) * 1e-6,
        median(r->encode[1], n) * 1e-6,
        median(r->decode[0], n) * 1e-6,
        median(r->decode[1], n) * 1e-6,
    };
    static const char *const names[] = {"encode_ns", "encode_cpu_ns", "decode_ns", "decode_cpu_ns"};
    cli_table_row(rows);
    cli_table_cell(rows, 0, "%s", r->coder->name);
    cli_table_cell(rows, 1, "%d", r->n_threads);
    cli_table_cell(rows, 2, "%.2f", ratio_of(r, clip));
    cli_json_object(&b->json, NULL);
    cli_json_string(&b->json, "clip", clip->name);
    cli_json_string(&b->json, "coder", r->coder->name);
    cli_json_int(&b->json, "threads", r->n_threads);
    cli_json_int(&b->json, "frames", clip->n_frames);
    cli_json_uint(&b->json, "bytes", r->bytes);
    cli_json_real(&b->json, "ratio", ratio_of(r, clip));
    for (int i = 0; i < 4; i++) {
        cli_table_cell(rows, 3 + i, "%.2f", ms[i]);
        cli_json_real(&b->json, names[i], ms[i] * 1e6);
    }
    cli_table_cell(rows, 7, "%d", r->worst);
    cli_json_int(&b->json, "off_by", r->worst);
    cli_json_end_object(&b->json);
}

static bool compete(bench *b, const bench_clip *clip)
{
    static const char *const heads[] = {
        "<",          "threads",       "ratio", "encode, ms", "of processors",
        "decode, ms", "of processors", "off by"};
    const int n_rows = 2 * b->n_coders;
    row *all = cli_grow(NULL, 0, (size_t)n_rows, sizeof *all);
    cli_table rows;
    bool ok = true;
    for (int i = 0; i < n_rows; i++) {
        all[i].coder = b->coders[i / 2];
        all[i].n_threads = 1 + i % 2;
    }
    for (int i = 0; i < b->n_coders && ok; i++)
        ok = !b->coders[i]->prepare || b->coders[i]->prepare(b->coders[i], clip, b->text);
    for (int32_t round = 0; round < b->options.rounds && ok; round++)
        for (int i = 0; i < n_rows && ok; i++)
            ok = pass(&all[i], clip, round);
    cli_table_open(&rows, heads, sizeof heads / sizeof heads[0]);
    for (int i = 0; i < n_rows && ok; i++)
        put_row(b, &rows, clip, &all[i]);
    free(all);
    if (ok)
        fprintf(b->text, "\n%s: %dx%d, %lld frames, %d rounds\n", clip->name, clip->w, clip->h,
                (long long)clip->n_frames, b->options.rounds);
    cli_table_print(&rows, b->text);
    fflush(b->text);
    return ok;
}

/* The coders that are here and asked for. */
static void choose(bench *b, const bench_coder *coders, int n)
{
    for (int i = 0; i < n; i++) {
        if (b->options.only && !strstr(coders[i].name, b->options.only))
            continue;
        const char *why = coders[i].missing(&coders[i]);
        if (why)
            fprintf(b->text, "skipped: %s: %s\n", coders[i].name, why);
        else
            b->coders[b->n_coders++] = &coders[i];
    }
}

static void print_header(const bench *b)
{
    char cpu[128], load[64];
    fprintf(b->text, "cpu: %s, %s; ", sac_cpu_model(cpu, sizeof cpu),
            bench_load(load, sizeof load));
    if (bench_ffmpeg_version())
        fprintf(b->text, "FFmpeg %s\n", bench_ffmpeg_version());
    else
        fprintf(b->text, "FFmpeg is not in this build (Debian: libavcodec-dev)\n");
}

static int run_all(bench *b)
{
    char path[1024];
    const char *usual[] = {default_clip(path, sizeof path), FIXED_CAMERA, NULL};
    const char *const *clips = (const char *const *)b->options.clips;
    int n_clips = 0;
    bool ok = true;
    b->text = bench_text(b->options.json);
    cli_json_open_rows(&b->json, 0, (sac_device){0});
    print_header(b);
    choose(b, bench_saccade_coders, bench_n_saccade_coders);
    choose(b, bench_ffmpeg_coders, bench_n_ffmpeg_coders);
    for (const char *const *at = *clips ? clips : usual; *at && ok; at++) {
        bench_clip clip;
        const char *why = bench_open_clip(&clip, *at, b->options.frames);
        if (why) {
            fprintf(b->text, "skipped: %s: %s\n", *at, why);
        } else {
            ok = compete(b, &clip);
            n_clips++;
        }
        free(clip.frames);
    }
    if (ok && (n_clips == 0 || b->n_coders == 0)) {
        cli_fail("no %s is left", n_clips ? "coder" : "clip");
        ok = false;
    }
    const int written = cli_json_end(&b->json, ok ? b->options.json : NULL);
    return ok ? written : CLI_FAILED;
}

static int run(const void *given)
{
    static bench b;
    b.options = *(const options *)given;
    return run_all(&b);
}

const bench_command bench_this = {help, CLI_TABLE("bench_delta", options, params), run, INT_MAX,
                                  FIELD(clips)};
