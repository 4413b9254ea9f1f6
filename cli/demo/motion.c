/*
 * The demo of motion: what changes in a clip as heat map and noise view, less of its noise, and its
 * way through the delta stream; with the speed against the reference on the same frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>
#include <saccade/motion.h>

#include "demo.h"
#include "clip.h"
#include "stream.h"
#include "videos.h"
#include "outputs.h"
#include "tables.h"

#define THRESHOLD 20
#define N_PANELS 3 /* of the picture: frame, heat map, noise */

enum { HEAT, NOISE, MEDIAN, N_JOBS };

static const char *const job_names[N_JOBS] = {"heat map", "noise view", "median 3x3"};

enum { JOB, TIME, REFERENCE, SPEEDUP, EXACT, VARIANT, N_COLUMNS };

static const char *const heads[N_COLUMNS] = {
    [JOB] = "<job",         [TIME] = "time",        [REFERENCE] = "reference",
    [SPEEDUP] = "speed-up", [EXACT] = "<its bytes", [VARIANT] = "<variant"};

typedef struct plans {
    sac_heatmap *heatmap;
    sac_noise *noise;
    sac_denoise *median;
} plans;

typedef struct section {
    const cli_demo_options *options;
    char *name; /* of the clip; NULL: the scene */
    cli_demo_clip *clip;
    sac_video_info info;
    plans chosen, reference;
    sac_array current, previous, out[N_JOBS], check;
    sac_picture *sheet; /* of the frame that changed most */
    uint64_t most_changed;
    cli_demo_times jobs[N_JOBS];
    int64_t reference_ns[N_JOBS];
    bool exact[N_JOBS];
    cli_demo_streams *streams; /* NULL: this build has none */
    int32_t n_frames;
} section;

static sac_status open_plans(plans *p, const section *s, const char *variant, sac_error *err)
{
    sac_heatmap_desc heatmap;
    sac_noise_desc noise;
    sac_denoise_desc median;
    sac_heatmap_desc_init(&heatmap);
    sac_noise_desc_init(&noise);
    sac_denoise_desc_init(&median);
    heatmap.w = noise.w = median.w = s->info.w;
    heatmap.h = noise.h = median.h = s->info.h;
    heatmap.n_threads = noise.n_threads = median.n_threads = s->options->threads;
    heatmap.variant = noise.variant = median.variant = variant;
    noise.view = SAC_NOISE_PURE;
    noise.threshold = THRESHOLD;
    median.method = SAC_DENOISE_MEDIAN;
    sac_status st = sac_heatmap_open(&p->heatmap, &heatmap, err);
    st = st ? st : sac_noise_open(&p->noise, &noise, err);
    return st ? st : sac_denoise_open(&p->median, &median, err);
}

static void close_plans(plans *p)
{
    sac_heatmap_close(&p->heatmap);
    sac_noise_close(&p->noise);
    sac_denoise_close(&p->median);
}

static sac_status run_job(const plans *p, int job, const sac_array *out, const section *s)
{
    return job == HEAT    ? sac_heatmap_run(p->heatmap, out, &s->current, &s->previous, NULL)
           : job == NOISE ? sac_noise_run(p->noise, out, &s->current, &s->previous, NULL)
                          : sac_denoise_run(p->median, out, &s->current, NULL);
}

static const char *variant_of(const plans *p, int job)
{
    return job == HEAT    ? sac_heatmap_get_variant(p->heatmap)
           : job == NOISE ? sac_noise_get_variant(p->noise)
                          : sac_denoise_get_variant(p->median);
}

static size_t frame_bytes(const section *s)
{
    return (size_t)sac_array_count(&s->current);
}

/* All jobs on the current frame; on the first two the reference as well. */
static sac_status run_jobs(section *s)
{
    sac_status st = SAC_OK;
    for (int j = 0; j < N_JOBS && st == SAC_OK; j++) {
        int64_t start_ns = cli_clock_ns();
        st = run_job(&s->chosen, j, &s->out[j], s);
        s->jobs[j].ns[s->jobs[j].n++] = cli_clock_ns() - start_ns;
        if (st == SAC_OK && s->n_frames == 1) {
            start_ns = cli_clock_ns();
            st = run_job(&s->reference, j, &s->check, s);
            s->reference_ns[j] = cli_clock_ns() - start_ns;
            s->exact[j] = !memcmp(s->check.data, s->out[j].data, frame_bytes(s));
        }
    }
    return st;
}

/* The current frame and what came of it, side by side. */
static sac_status draw_sheet(section *s, sac_error *err)
{
    const sac_array *panels[N_PANELS] = {&s->current, &s->out[HEAT], &s->out[NOISE]};
    const int64_t w = s->info.w, h = s->info.h;
    sac_status st = SAC_OK;
    if (!s->sheet) {
        st = sac_picture_new(&s->sheet, SAC_U8, N_PANELS * w, h, 3, err);
    }
    if (st != SAC_OK) {
        return st;
    }
    sac_array all = sac_picture_get_array(s->sheet);
    for (int i = 0; i < N_PANELS; i++) {
        for (int64_t y = 0; y < h; y++) {
            memcpy((char *)all.data + y * all.stride[0] + i * w * all.stride[1],
                   (const char *)panels[i]->data + y * panels[i]->stride[0], (size_t)(3 * w));
        }
    }
    return st;
}

/* Everything with the frame in s->current. */
static sac_status one_frame(section *s, sac_error *err)
{
    sac_status st = SAC_OK;
    if (s->n_frames > 0) {
        st = run_jobs(s);
        uint64_t n_changed = sac_noise_get_count(s->chosen.noise);
        if (st == SAC_OK && (n_changed > s->most_changed || !s->sheet)) {
            s->most_changed = n_changed;
            st = draw_sheet(s, err);
        }
    }
    if (st == SAC_OK && s->streams) {
        st = cli_demo_streams_run(s->streams, &s->current);
    }
    sac_array swap = s->current;
    s->current = s->previous;
    s->previous = swap;
    s->n_frames++;
    return st;
}

static sac_status all_frames(section *s, sac_error *err)
{
    sac_status st = SAC_OK;
    s->current = cli_frame_new(&s->info);
    s->previous = cli_frame_new(&s->info);
    s->check = cli_frame_new(&s->info);
    for (int j = 0; j < N_JOBS; j++) {
        s->out[j] = cli_frame_new(&s->info);
    }
    while (st == SAC_OK) {
        st = cli_demo_clip_read(s->clip, &s->current, err);
        st = st ? st : one_frame(s, err);
    }
    if (st != SAC_END && !err->text[0]) {
        snprintf(err->text, sizeof err->text, "motion: %s", sac_status_name(st));
    }
    return st == SAC_END ? SAC_OK : st;
}

static void print_jobs(section *s)
{
    cli_table table;
    cli_table_open(&table, heads, N_COLUMNS);
    for (int j = 0; j < N_JOBS && s->n_frames > 1; j++) {
        double ns = cli_demo_median_ns(&s->jobs[j]);
        cli_table_row(&table);
        cli_table_cell(&table, JOB, "%s", job_names[j]);
        cli_table_time(&table, TIME, ns);
        cli_table_time(&table, REFERENCE, (double)s->reference_ns[j]);
        cli_table_cell(&table, SPEEDUP, "%.0fx", (double)s->reference_ns[j] / ns);
        cli_table_cell(&table, EXACT, "%s", s->exact[j] ? "yes" : "NO");
        cli_table_cell(&table, VARIANT, "%s", variant_of(&s->chosen, j));
    }
    cli_table_print(&table, stdout);
}

static sac_status write_sheet(const section *s, sac_error *err)
{
    static const char *const formats[] = {"jpg", "png", "ppm"};
    sac_status st = SAC_E_UNSUPPORTED;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && st == SAC_E_UNSUPPORTED; i++) {
        char *path = cli_text("%s/motion.%s", s->options->output, formats[i]);
        st = sac_picture_can_write(path, NULL, err);
        st = st ? st : sac_picture_write(s->sheet, path, NULL, err);
        if (st == SAC_OK) {
            printf("\n  The frame that changed most (frame | heat map | changes beyond %d, red):\n"
                   "    %s\n",
                   THRESHOLD, path);
        }
        free(path);
    }
    return st;
}

static int report(section *s)
{
    sac_error err = {0};
    printf("  %s, %" PRId64 "x%" PRId64 ", %d frame%s\n",
           s->name ? cli_base_name(s->name) : "a balloon in a synthetic scene", s->info.w,
           s->info.h, s->n_frames, cli_s(s->n_frames));
    print_jobs(s);
    int status = s->streams ? cli_demo_streams_report(s->streams) : CLI_DONE;
    if (s->sheet && write_sheet(s, &err) != SAC_OK) {
        return cli_error(&err);
    }
    fflush(stdout);
    for (int j = 0; j < N_JOBS && s->n_frames > 1; j++) {
        if (!s->exact[j]) {
            status = cli_fail("motion: the %s's bytes differ from the reference's", job_names[j]);
        }
    }
    return status;
}

/* A clip that this machine has: of Debian's package, or where SACCADE_DATA says; false where none
 * can be decoded. */
static bool find_clip(section *s)
{
    const char *data = getenv("SACCADE_DATA");
    char *patterns[] = {
        cli_text("/usr/share/forensics-samples/original-files/movie1/*.mp4"),
        data ? cli_text("%s/video/*.mp4", data) : NULL,
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (!s->clip && patterns[i] && glob(patterns[i], 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc && !s->clip; k++) {
                sac_error ignored; /* the next one, or the scene */
                if (cli_demo_clip_open(&s->clip, found.gl_pathv[k], &ignored) == SAC_OK) {
                    s->name = cli_text("%s", found.gl_pathv[k]);
                }
            }
            globfree(&found);
        }
        free(patterns[i]);
    }
    return s->clip != NULL;
}

static sac_status open_source(section *s, sac_error *err)
{
    sac_status st = SAC_OK;
    if (s->options->clip) {
        s->name = cli_text("%s", s->options->clip);
        st = cli_demo_clip_open(&s->clip, s->name, err);
    } else if (s->options->drawn || !find_clip(s)) {
        puts(s->options->drawn
                 ? "  A synthetic scene, rendered now."
                 : "  No clip here that can be decoded (that needs ffmpeg; --clip names one): a "
                   "synthetic\n"
                   "  scene, rendered now.");
        st = cli_demo_clip_open(&s->clip, NULL, err);
    }
    if (st == SAC_OK) {
        s->info = cli_demo_clip_info(s->clip);
    }
    return st;
}

static void close_section(section *s)
{
    close_plans(&s->chosen);
    close_plans(&s->reference);
    cli_demo_streams_close(&s->streams);
    cli_demo_clip_close(&s->clip);
    sac_picture_close(&s->sheet);
    for (int j = 0; j < N_JOBS; j++) {
        free(s->out[j].data);
    }
    free(s->current.data);
    free(s->previous.data);
    free(s->check.data);
    free(s->name);
    free(s);
}

int cli_demo_motion(const cli_demo_options *options)
{
    if ((options->n_inputs > 0 && !options->clip) || options->device.kind != SAC_DEVICE_CPU) {
        return CLI_DONE; /* photographs are no video; no GPU yet */
    }
    puts("\nmotion: what changes in a video, and a stream of that alone");
    section *s = cli_grow(NULL, 0, 1, sizeof *s);
    s->options = options;
    sac_error err = {0};
    sac_status st = open_source(s, &err);
    st = st ? st : open_plans(&s->chosen, s, NULL, &err);
    st = st ? st : open_plans(&s->reference, s, "ref", &err);
    st = st ? st : cli_demo_streams_open(&s->streams, &s->info, options->threads, &err);
    st = st ? st : all_frames(s, &err);
    int status = st == SAC_OK ? report(s) : cli_error(&err);
    close_section(s);
    return status;
}
