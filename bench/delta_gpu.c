/*
 * bench_delta_gpu: the delta stream on a GPU, frame after frame of a real clip: the pixels' share
 * alone, whole packets, and pictures, against the CPU and what copies alone take.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "delta/encode_gpu.h"
#include "gpu/gpu.h"
#include "delta_bench.h"
#include "json.h"
#include "options.h"
#include "tables.h"

#define FRAME_NS UINT64_C(16666667)
#define RUNS 15 /* of all frames but the first; the median counts */
#define MOST 64 /* frames: of 1080p 400 MB */
#define DEVICE ((sac_device){SAC_DEVICE_CUDA, 0})

static const char help[] =
    "bench_delta_gpu: times the delta stream on a GPU, frame after frame, against the CPU and\n"
    "copies.\n"
    "\n"
    "Usage: bench_delta_gpu [OPTION]... [CLIP]\n"
    "\n"
    "CLIP is any video that ffmpeg reads, or a delta stream (.sdv) of BGR; it is kept in memory.\n"
    "Without one it is video/phone-1080p.mp4 in the folder SACCADE_DATA (default: "
    "../shared/data).\n"
    "\n"
    "  --threshold T  of the stream (default 20)\n"
    "  --fast         lz4 instead of zstd\n"
    "  --threads N    threads on the CPU; 0, the default: one per core\n"
    "  --json FILE    write every row as JSON, too\n"
    "  -h, --help     this text\n"
    "\n"
    "The pixels' share is all but zstd or lz4: copies in, kernels, what changed back. The first\n"
    "frame, a keyframe, is not timed.\n"
    "\n"
    "Exit status: 0 done; 1 failed, or a packet differs from the CPU's; 2 wrong usage.\n";

typedef struct options {
    size_t struct_size;
    int32_t threshold, threads;
    bool fast;
    const char *json;
    char **clips;
} options;

#define FIELD(name) offsetof(options, name)

static const sac_param params[] = {
    {"threshold", CLI_INT(threshold, 0, 254, 20, ""), "T", ""},
    {"threads", CLI_INT(threads, 0, 1024, 0, ""), "N", ""},
    {"fast", CLI_FLAG(fast), NULL, ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

typedef struct bench {
    const options *options;
    bench_clip clip;
    sac_gpu *gpu;
    int32_t n; /* frames */
    uint64_t times_ns[MOST];
    sac_array paged[MOST], pinned[MOST], there[MOST];
    sac_delta_packet packets[MOST]; /* the CPU's; their data is ours */
    int32_t at;                     /* the packet to come */
} bench;

static sac_array frame_of(const bench *b, void *memory, sac_device device)
{
    sac_array a;
    bench_must(
        sac_array_view(&a, memory, SAC_U8, 3, (const int64_t[]){b->clip.h, b->clip.w, 3}, NULL),
        "view", NULL);
    a.device = device;
    return a;
}

static void copy_in(bench *b)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(b->gpu);
    for (int32_t i = 1; i < b->n; i++)
        bench_must(
            sac_gpu_copy(b->there[i].data, b->pinned[i].data, bench_frame_bytes(&b->clip), stream),
            "copy", NULL);
    bench_must(sac_gpu_wait(stream), "copy", NULL);
}

static void open_frames(bench *b)
{
    const size_t bytes = bench_frame_bytes(&b->clip);
    const sac_device cpu = {SAC_DEVICE_CPU, 0};
    sac_error err = {0};
    b->n = b->clip.n_frames < MOST ? (int32_t)b->clip.n_frames : MOST;
    for (int32_t i = 0; i < b->n; i++) {
        void *pinned, *there;
        uint8_t *frame = b->clip.frames + (size_t)i * bytes;
        bench_must(sac_gpu_alloc_pinned(b->gpu, &pinned, bytes, &err), "memory", &err);
        bench_must(sac_gpu_alloc(b->gpu, &there, bytes, &err), "memory", &err);
        memcpy(pinned, frame, bytes);
        b->times_ns[i] = (uint64_t)i * FRAME_NS;
        b->paged[i] = frame_of(b, frame, cpu);
        b->pinned[i] = frame_of(b, pinned, cpu);
        b->there[i] = frame_of(b, there, DEVICE);
    }
    const sac_gpu_stream stream = sac_gpu_main_stream(b->gpu);
    bench_must(sac_gpu_copy(b->there[0].data, b->pinned[0].data, bytes, stream), "copy", NULL);
    copy_in(b);
}

static sac_delta_encode *open_encoder(const bench *b, sac_device device)
{
    sac_delta_encode *plan = NULL;
    sac_delta_encode_desc d;
    sac_error err = {0};
    sac_delta_encode_desc_init(&d);
    d.w = b->clip.w;
    d.h = b->clip.h;
    d.order = SAC_ORDER_BGR;
    d.threshold = b->options->threshold;
    d.fast = b->options->fast;
    d.n_threads = b->options->threads;
    d.device = device;
    bench_must(sac_delta_encode_open(&plan, &d, &err), "open", &err);
    return plan;
}

static sac_delta_decode *open_decoder(const bench *b, sac_device device, bool on_device)
{
    sac_delta_decode *plan = NULL;
    sac_delta_decode_desc d;
    sac_error err = {0};
    sac_delta_decode_desc_init(&d);
    d.n_threads = b->options->threads;
    d.device = device;
    d.on_device = on_device;
    bench_must(sac_delta_decode_open(&plan, &d, &err), "open", &err);
    return plan;
}

static sac_status keep(void *ctx, const sac_delta_packet *packet, sac_error *err)
{
    (void)err;
    bench *b = ctx;
    sac_delta_packet *to = &b->packets[b->at++];
    uint8_t *data = cli_grow(NULL, 0, packet->size, 1);
    memcpy(data, packet->data, packet->size);
    *to = *packet;
    to->data = data;
    return SAC_OK;
}

static sac_status compare(void *ctx, const sac_delta_packet *packet, sac_error *err)
{
    (void)err;
    bench *b = ctx;
    const sac_delta_packet *want = &b->packets[b->at++];
    if (packet->size != want->size || memcmp(packet->data, want->data, want->size) != 0)
        exit(cli_fail("packet %d differs from the CPU's", (int)b->at - 1));
    return SAC_OK;
}

static sac_status drop(void *ctx, const sac_delta_packet *packet, sac_error *err)
{
    (void)ctx;
    (void)packet;
    (void)err;
    return SAC_OK;
}

/* The CPU's packets, and that the GPU's are the same wherever the frames lie. */
static void verify(bench *b)
{
    const sac_array *frames[] = {b->pinned, b->there, b->paged};
    sac_error err = {0};
    sac_delta_encode *plan = open_encoder(b, (sac_device){0});
    bench_must(sac_delta_encode_run_batch(plan, keep, b, b->paged, b->times_ns, b->n, &err), "run",
               &err);
    sac_delta_encode_close(&plan);
    for (int i = 0; i < 3; i++) {
        plan = open_encoder(b, DEVICE);
        b->at = 0;
        bench_must(sac_delta_encode_run_batch(plan, compare, b, frames[i], b->times_ns, b->n, &err),
                   "run", &err);
        sac_delta_encode_close(&plan);
    }
}

/* What is timed: all frames but the first. */
typedef struct job {
    const char *name;
    enum { COPY, PIXELS, BATCH, SINGLE, DECODE } what;
    enum { PAGED, PINNED, THERE } from; /* of decoders: where pictures stay */
    bool on_cpu;
} job;

static const job jobs[] = {
    {"copy from page-locked memory", COPY, PINNED, false},
    {"pixels, in device memory", PIXELS, THERE, false},
    {"pixels, from page-locked memory", PIXELS, PINNED, false},
    {"packets, from page-locked memory, batch", BATCH, PINNED, false},
    {"packets, from page-locked memory, one by one", SINGLE, PINNED, false},
    {"packets, from pageable memory, batch", BATCH, PAGED, false},
    {"packets, the CPU", BATCH, PAGED, true},
    {"pictures, in device memory", DECODE, THERE, false},
    {"pictures, to the CPU's memory", DECODE, PINNED, false},
    {"pictures, the CPU", DECODE, PINNED, true},
};

static void encode(const bench *b, sac_delta_encode *plan, const job *j, int32_t first, int32_t n)
{
    const sac_array *frames = j->from == THERE    ? b->there
                              : j->from == PINNED ? b->pinned
                                                  : b->paged;
    const sac_delta_taker taker = {drop, NULL};
    sac_status status = SAC_OK;
    if (j->what == PIXELS)
        status = sac_delta_encode_gpu_run(plan, NULL, frames + first, b->times_ns + first, n, NULL);
    else if (j->what == BATCH)
        status = sac_delta_encode_run_batch(plan, taker.take, NULL, frames + first,
                                            b->times_ns + first, n, NULL);
    for (int32_t i = first; j->what == SINGLE && i < first + n && status == SAC_OK; i++) {
        sac_delta_packet packet;
        status = sac_delta_encode_run(plan, &packet, &frames[i], b->times_ns[i], NULL);
    }
    bench_must(status, "run", NULL);
}

static void decode(const bench *b, sac_delta_decode *plan, int32_t first, int32_t n)
{
    for (int32_t i = first; i < first + n; i++) {
        sac_delta_frame frame;
        bench_must(sac_delta_decode_run(plan, &frame, b->packets[i].data, b->packets[i].size, NULL),
                   "decode", NULL);
    }
}

/* Nanoseconds a frame of one pass; the first frame goes before it. */
static int64_t pass(bench *b, const job *j)
{
    const sac_device device = j->on_cpu ? (sac_device){0} : DEVICE;
    const bool encodes = j->what == PIXELS || j->what == BATCH || j->what == SINGLE;
    sac_delta_encode *encoder = encodes ? open_encoder(b, device) : NULL;
    sac_delta_decode *decoder =
        j->what == DECODE ? open_decoder(b, device, j->from == THERE) : NULL;
    if (encoder)
        encode(b, encoder, j, 0, 1);
    if (decoder)
        decode(b, decoder, 0, 1);
    const int64_t start = sac_clock_ns();
    if (encoder)
        encode(b, encoder, j, 1, b->n - 1);
    else if (decoder)
        decode(b, decoder, 1, b->n - 1);
    else
        copy_in(b);
    const int64_t ns = (sac_clock_ns() - start) / (b->n - 1);
    sac_delta_encode_close(&encoder);
    sac_delta_decode_close(&decoder);
    return ns;
}

static void report(bench *b, cli_table *table, cli_json *json, const job *j)
{
    int64_t ns[RUNS];
    for (int i = -1; i < RUNS; i++) { /* one to warm up */
        const int64_t took = pass(b, j);
        int k = i;
        for (; k > 0 && ns[k - 1] > took; k--)
            ns[k] = ns[k - 1];
        if (i >= 0)
            ns[k] = took;
    }
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", j->name);
    cli_table_time(table, 1, (double)ns[RUNS / 2]);
    cli_table_time(table, 2, (double)ns[0]);
    cli_table_time(table, 3, (double)ns[RUNS - 1]);
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", "delta");
    cli_json_string(json, "rung", j->name);
    cli_json_string(json, "device", j->on_cpu ? "cpu" : "cuda:0");
    cli_json_int(json, "threshold", b->options->threshold);
    cli_json_int(json, "median_ns", ns[RUNS / 2]);
    cli_json_int(json, "min_ns", ns[0]);
    cli_json_int(json, "max_ns", ns[RUNS - 1]);
    cli_json_int(json, "runs", RUNS);
    cli_json_end_object(json);
}

static int run(const void *given)
{
    static const char *const heads[] = {"<job", "median a frame", "min", "max"};
    static bench b;
    char path[1024];
    const char *folder = getenv("SACCADE_DATA");
    cli_table table;
    cli_json json;
    sac_error err = {0};
    b.options = given;
    snprintf(path, sizeof path, "%s/video/phone-1080p.mp4", folder ? folder : "../shared/data");
    const char *clip = *b.options->clips ? *b.options->clips : path;
    const char *why = bench_open_clip(&b.clip, clip, MOST);
    if (why || b.clip.n_frames < 2)
        return cli_fail("%s: %s", clip, why ? why : "has one frame");
    bench_must(sac_gpu_open(&b.gpu, 0, &err), "open", &err);
    bench_must(sac_gpu_enter(b.gpu), "enter", NULL);
    open_frames(&b);
    verify(&b);
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    cli_json_open_rows(&json, 0, DEVICE);
    size_t bytes = 0;
    for (int32_t i = 1; i < b.n; i++)
        bytes += b.packets[i].size;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        report(&b, &table, &json, &jobs[i]);
    FILE *text = bench_text(b.options->json);
    fprintf(text,
            "delta %dx%dx3, T = %d%s, %d frames of %s on cuda:0, %.0f bytes a packet, bytes equal "
            "to the CPU's\n",
            b.clip.w, b.clip.h, b.options->threshold, b.options->fast ? ", fast" : "", b.n, clip,
            (double)bytes / (b.n - 1));
    cli_table_print(&table, text);
    return cli_json_end(&json, b.options->json); /* the process ends: its memory, its device */
}

const bench_command bench_this = {help, CLI_TABLE("bench_delta_gpu", options, params), run, 1,
                                  FIELD(clips)};
