/*
 * Frames of a real clip: heat maps, noise views, filtered and adjusted frames by the hash of their
 * pixels, the same by the reference, in every variant and at 1, 2 and 7 threads. ffmpeg decodes the
 * clip, which lies in ../shared/data or where SACCADE_DATA says.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "golden.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <saccade/motion.h>
#include <saccade/video.h>

enum { N_FRAMES = 4 }; /* the first is only what the second is compared with */

typedef enum { HEAT, NOISE, DENOISE, ADJUST } pipeline;

/* `choice` is the map, the view, the method or the saturation in percent; `number` the scale, the
 * threshold, the window or the contrast in percent. */
static const struct {
    const char *name;
    pipeline pipeline;
    int32_t choice, number;
    uint64_t hash;
} jobs[] = {
    {"heat map, sine", HEAT, SAC_HEAT_SINE, 765, UINT64_C(0x6cffb1fd69c61852)},
    {"heat map, sine by 510", HEAT, SAC_HEAT_SINE, 510, UINT64_C(0xd32ba93f733be5c5)},
    {"heat map, turbo", HEAT, SAC_HEAT_TURBO, 765, UINT64_C(0xff6f402b70018e43)},
    {"noise mask", NOISE, SAC_NOISE_MASK, 20, UINT64_C(0x8a507bb3dbe24261)},
    {"noise overlay", NOISE, SAC_NOISE_OVERLAY, 5, UINT64_C(0x310f74ec0434e1ac)},
    {"noise bits", NOISE, SAC_NOISE_BITS, 0, UINT64_C(0x837dc4a5df94ab0f)},
    {"mean 3x3", DENOISE, SAC_DENOISE_MEAN, 3, UINT64_C(0x3bbd6dfde933b7ea)},
    {"mean 5x5", DENOISE, SAC_DENOISE_MEAN, 5, UINT64_C(0xd16b7e4a71e2f60e)},
    {"Gaussian 3x3", DENOISE, SAC_DENOISE_GAUSSIAN, 3, UINT64_C(0x3dbf62c2415efde5)},
    {"Gaussian 5x5", DENOISE, SAC_DENOISE_GAUSSIAN, 5, UINT64_C(0x370fc0a4e3ea8a71)},
    {"median 3x3", DENOISE, SAC_DENOISE_MEDIAN, 3, UINT64_C(0xcbe38e6a3436ccfa)},
    {"median 5x5", DENOISE, SAC_DENOISE_MEDIAN, 5, UINT64_C(0x142392ac9c9491c6)},
    {"temporal", DENOISE, SAC_DENOISE_TEMPORAL, 3, UINT64_C(0x95bdce8986f091ba)},
    {"adjusted levels", ADJUST, 100, 130, UINT64_C(0x7422c7dfa0f42529)},
    {"adjusted colors", ADJUST, 170, 100, UINT64_C(0x336125a5e77039dd)},
};
enum { N_JOBS = sizeof jobs / sizeof jobs[0] };

static sac_array frame[N_FRAMES], out;

/* A failed call is no matter of pixels. */
static void must(sac_status status, const sac_error *err)
{
    if (status != SAC_OK) {
        fprintf(stderr, "golden_motion: %s\n",
                err && err->text[0] ? err->text : sac_status_name(status));
        exit(1);
    }
}

static sac_array new_frame(int64_t w, int64_t h)
{
    sac_array a;
    void *data = malloc((size_t)(w * h * 3));
    if (!data)
        must(SAC_E_NOMEM, NULL);
    must(sac_array_view(&a, data, SAC_U8, 3, (int64_t[]){h, w, 3}, NULL), NULL);
    return a;
}

/* Decodes the first frames as Y4M, whose way to BGR is ours: no other program's rounding. */
static void read_clip(const char *path)
{
    char command[1400];
    snprintf(command, sizeof command,
             "ffmpeg -v error -nostdin -i '%s' -vsync passthrough -frames:v %d -f yuv4mpegpipe -",
             path, N_FRAMES);
    FILE *clip = popen(command, "r");
    if (!clip || dup2(fileno(clip), STDIN_FILENO) < 0)
        must(SAC_E_IO, NULL);
    const sac_video_info wanted = {.struct_size = sizeof wanted, .pixel = SAC_PIXEL_BGR};
    sac_video_reader *reader = NULL;
    sac_error err = {0};
    must(sac_video_reader_open(&reader, "-", &wanted, &err), &err);
    const sac_video_info info = info_of_video(reader);
    for (int i = 0; i < N_FRAMES; i++) {
        frame[i] = new_frame(info.w, info.h);
        must(sac_video_read(reader, &frame[i], &err), &err);
    }
    sac_video_reader_close(&reader);
    out = new_frame(info.w, info.h);
    if (pclose(clip) != 0)
        must(SAC_E_IO, NULL);
}

static uint64_t run_heat(int32_t map, int32_t scale, const golden_way *way)
{
    sac_heatmap *plan = NULL;
    sac_heatmap_desc desc;
    sac_error err = {0};
    uint64_t hash = GOLDEN_START;
    sac_heatmap_desc_init(&desc);
    desc.w = out.shape[1];
    desc.h = out.shape[0];
    desc.order = SAC_ORDER_BGR;
    desc.map = map;
    desc.scale = scale;
    desc.variant = way->variant;
    desc.n_threads = way->n_threads;
    must(sac_heatmap_open(&plan, &desc, &err), &err);
    for (int i = 1; i < N_FRAMES; i++) {
        must(sac_heatmap_run(plan, &out, &frame[i], &frame[i - 1], NULL), NULL);
        hash = golden_hash(hash, &out);
    }
    sac_heatmap_close(&plan);
    return hash;
}

static uint64_t run_noise(int32_t view, int32_t threshold, const golden_way *way)
{
    sac_noise *plan = NULL;
    sac_noise_desc desc;
    sac_error err = {0};
    sac_array picture = out;
    uint64_t hash = GOLDEN_START;
    sac_noise_desc_init(&desc);
    desc.w = out.shape[1];
    desc.h = out.shape[0];
    desc.order = SAC_ORDER_BGR;
    desc.view = view;
    desc.threshold = threshold;
    desc.variant = way->variant;
    desc.n_threads = way->n_threads;
    must(sac_noise_open(&plan, &desc, &err), &err);
    if (view == SAC_NOISE_BITS)
        must(sac_array_view(&picture, out.data, SAC_U8, 2, (int64_t[]){desc.h, (desc.w + 7) / 8},
                            &err),
             &err);
    for (int i = 1; i < N_FRAMES; i++) {
        must(sac_noise_run(plan, &picture, &frame[i], &frame[i - 1], NULL), NULL);
        hash = golden_hash(hash, &picture) ^ sac_noise_get_count(plan);
    }
    sac_noise_close(&plan);
    return hash;
}

static uint64_t run_denoise(int32_t method, int32_t size, const golden_way *way)
{
    sac_denoise *plan = NULL;
    sac_denoise_desc desc;
    sac_error err = {0};
    uint64_t hash = GOLDEN_START;
    sac_denoise_desc_init(&desc);
    desc.w = out.shape[1];
    desc.h = out.shape[0];
    desc.method = method;
    desc.size = size;
    desc.variant = way->variant;
    desc.n_threads = way->n_threads;
    must(sac_denoise_open(&plan, &desc, &err), &err);
    for (int i = method == SAC_DENOISE_TEMPORAL ? 0 : 1; i < N_FRAMES; i++) {
        must(sac_denoise_run(plan, &out, &frame[i], NULL), NULL);
        if (i > 0)
            hash = golden_hash(hash, &out);
    }
    sac_denoise_close(&plan);
    return hash;
}

static uint64_t run_adjust(int32_t saturation, int32_t contrast, const golden_way *way)
{
    sac_adjust *plan = NULL;
    sac_adjust_desc desc;
    sac_error err = {0};
    uint64_t hash = GOLDEN_START;
    sac_adjust_desc_init(&desc);
    desc.w = out.shape[1];
    desc.h = out.shape[0];
    desc.order = SAC_ORDER_BGR;
    desc.saturation = saturation / 100.0;
    desc.contrast = contrast / 100.0;
    desc.variant = way->variant;
    desc.n_threads = way->n_threads;
    must(sac_adjust_open(&plan, &desc, &err), &err);
    for (int i = 1; i < N_FRAMES; i++) {
        must(sac_adjust_run(plan, &out, &frame[i], NULL), NULL);
        hash = golden_hash(hash, &out);
    }
    sac_adjust_close(&plan);
    return hash;
}

static uint64_t run(int j, const golden_way *way)
{
    static uint64_t (*const runs[])(int32_t, int32_t, const golden_way *) = {
        [HEAT] = run_heat, [NOISE] = run_noise, [DENOISE] = run_denoise, [ADJUST] = run_adjust};
    return runs[jobs[j].pipeline](jobs[j].choice, jobs[j].number, way);
}

static int check(int j)
{
    int n_faults = 0;
    for (int i = 0; i < N_GOLDEN_WAYS; i++) {
        const golden_way *way = &golden_ways[i];
        if (!golden_can(way))
            continue;
        memset(out.data, 0xA5, (size_t)sac_array_count(&out));
        const uint64_t hash = run(j, way);
        if (hash == jobs[j].hash)
            continue;
        n_faults++;
        printf("%s, variant %s, %d threads: wanted %016" PRIx64 ", got %016" PRIx64 "\n",
               jobs[j].name, way->variant ? way->variant : "-", way->n_threads, jobs[j].hash, hash);
    }
    return n_faults;
}

int main(void)
{
    char path[1024];
    const char *folder = getenv("SACCADE_DATA");
    snprintf(path, sizeof path, "%s/video/phone-1080p.mp4", folder ? folder : "../shared/data");
    if (access(path, R_OK) != 0 || system("ffmpeg -version >/dev/null 2>&1") != 0)
        return skip_all("no ffmpeg, or no clip in ../shared/data or SACCADE_DATA");
    int n_faults = 0;
    read_clip(path);
    for (int j = 0; j < N_JOBS; j++)
        n_faults += check(j);
    for (int i = 0; i < N_FRAMES; i++)
        free(frame[i].data);
    free(out.data);
    printf("%d jobs on %d frames, %d faults\n", N_JOBS, N_FRAMES, n_faults);
    return n_faults > 0;
}
