/*
 * A clip's frames by the reader of Y4M, with ffmpeg at the other end of a pipe where the clip is
 * something else; or a scene with a sensor's noise and a balloon that drifts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demo.h"
#include "videos.h"

#define SCENE_W 1920
#define SCENE_H 1080
#define SCENE_FRAMES 24
#define SCENE_NOISE 3 /* levels, either way */
#define BALLOON 60    /* its radius in pixels */
#define DRIFT 8       /* pixels a frame */
#define NO_PROGRAM 127

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

struct cli_demo_clip {
    sac_video_reader *reader; /* NULL: the scene */
    pid_t ffmpeg;             /* 0: none */
    sac_video_info info;
    sac_array scene;
    uint64_t random;
    int32_t n_frames;
};

static sac_status fail(sac_error *err, sac_status status, const char *path, const char *why)
{
    err->status = status;
    snprintf(err->text, sizeof err->text, "%s: %s", path, why);
    return status;
}

/* ffmpeg's end of the pipe: the first frames as Y4M of 8 bits. Does not return. */
static void run_ffmpeg(int to, const char *path)
{
    if (dup2(to, STDOUT_FILENO) >= 0) {
        execlp("ffmpeg", "ffmpeg", "-v", "quiet", "-nostdin", "-i", path, "-vsync", "passthrough",
               "-frames:v", TEXT(CLI_DEMO_MAX_FRAMES), "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe",
               "-", (char *)NULL);
    }
    _exit(NO_PROGRAM);
}

/* Waits for its end; true where there was such a program. */
static bool wait_for_ffmpeg(cli_demo_clip *clip)
{
    int status = 0;
    while (clip->ffmpeg > 0 && waitpid(clip->ffmpeg, &status, 0) < 0 && errno == EINTR) {
    }
    clip->ffmpeg = 0;
    return !WIFEXITED(status) || WEXITSTATUS(status) != NO_PROGRAM;
}

static sac_status open_decoded(cli_demo_clip *clip, const char *path, const sac_video_info *wanted,
                               sac_error *err)
{
    int ends[2];
    char name[32];
    if (access(path, R_OK) != 0) {
        return fail(err, SAC_E_IO, path, strerror(errno));
    }
    if (pipe(ends) != 0) {
        return fail(err, SAC_E_IO, path, strerror(errno));
    }
    fflush(stdout);
    clip->ffmpeg = fork();
    if (clip->ffmpeg == 0) {
        close(ends[0]);
        run_ffmpeg(ends[1], path);
    }
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    sac_status st = sac_video_reader_open(&clip->reader, name, wanted, err);
    close(ends[0]);
    if (st != SAC_OK) {
        bool found = wait_for_ffmpeg(clip);
        return fail(err, SAC_E_UNSUPPORTED, path,
                    found ? "ffmpeg finds no video in it" : "to decode it, ffmpeg is needed");
    }
    return st;
}

static bool is_y4m(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".y4m");
}

static sac_status open_clip(cli_demo_clip *clip, const char *path, sac_error *err)
{
    const sac_video_info wanted = {.struct_size = sizeof wanted, .pixel = SAC_PIXEL_RGB};
    sac_status st = is_y4m(path) ? sac_video_reader_open(&clip->reader, path, &wanted, err)
                                 : open_decoded(clip, path, &wanted, err);
    if (st == SAC_OK) {
        clip->info.struct_size = sizeof clip->info;
        sac_video_reader_get_info(clip->reader, &clip->info);
    }
    return st;
}

sac_status cli_demo_clip_open(cli_demo_clip **out, const char *path, sac_error *err)
{
    cli_demo_clip *clip = cli_grow(NULL, 0, 1, sizeof *clip);
    sac_status st = SAC_OK;
    if (path) {
        st = open_clip(clip, path, err);
    } else {
        clip->info = (sac_video_info){.struct_size = sizeof clip->info,
                                      .pixel = SAC_PIXEL_RGB,
                                      .w = SCENE_W,
                                      .h = SCENE_H,
                                      .rate_num = 30,
                                      .rate_den = 1};
        clip->scene = cli_frame_new(&clip->info);
        clip->random = 1;
        cli_demo_scene(&clip->scene);
    }
    if (st != SAC_OK) {
        cli_demo_clip_close(&clip);
    }
    *out = clip;
    return st;
}

sac_video_info cli_demo_clip_info(const cli_demo_clip *clip)
{
    return clip->info;
}

/* -SCENE_NOISE to SCENE_NOISE, small ones more often: of two bytes of a repeatable sequence
 * (Marsaglia, "Xorshift RNGs", 2003). */
static int noise(uint64_t *random)
{
    uint64_t r = *random;
    r ^= r << 13;
    r ^= r >> 7;
    r ^= r << 17;
    *random = r;
    return ((int)(r >> 32 & 255) + (int)(r >> 40 & 255) - 255) * SCENE_NOISE / 255;
}

static uint8_t clamp(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void draw_scene(cli_demo_clip *clip, const sac_array *frame)
{
    static const uint8_t blue[] = {40, 60, 150};
    const uint8_t *scene = clip->scene.data;
    uint8_t *to = frame->data;
    int64_t cx = SCENE_W / 4 + DRIFT * clip->n_frames, cy = SCENE_H / 3;
    for (int64_t y = 0; y < SCENE_H; y++) {
        for (int64_t x = 0; x < SCENE_W; x++, to += 3, scene += 3) {
            bool balloon = (x - cx) * (x - cx) + (y - cy) * (y - cy) < BALLOON * BALLOON;
            const uint8_t *from = balloon ? blue : scene;
            for (int c = 0; c < 3; c++) {
                to[c] = clamp(from[c] + noise(&clip->random));
            }
        }
    }
}

sac_status cli_demo_clip_read(cli_demo_clip *clip, const sac_array *frame, sac_error *err)
{
    if (clip->n_frames == (clip->reader ? CLI_DEMO_MAX_FRAMES : SCENE_FRAMES)) {
        return SAC_END;
    }
    sac_status st = SAC_OK;
    if (clip->reader) {
        st = sac_video_read(clip->reader, frame, err);
    } else {
        draw_scene(clip, frame);
    }
    clip->n_frames += st == SAC_OK;
    return st;
}

void cli_demo_clip_close(cli_demo_clip **clip)
{
    if (!*clip) {
        return;
    }
    sac_video_reader_close(&(*clip)->reader);
    (void)wait_for_ffmpeg(*clip);
    free((*clip)->scene.data);
    free(*clip);
    *clip = NULL;
}
