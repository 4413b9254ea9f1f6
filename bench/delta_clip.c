/*
 * Clips of bench_delta: decoded by ffmpeg into memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "delta_bench.h"

#define MAX_PATH 4000

/* Width and height by ffprobe. */
static bool find_size(bench_clip *clip)
{
    char command[MAX_PATH + 200];
    snprintf(command, sizeof command,
             "ffprobe -v error -select_streams v:0 -show_entries stream=width,height -of "
             "csv=p=0:s=x '%s'",
             clip->name);
    FILE *pipe = popen(command, "re");
    const bool found = pipe && fscanf(pipe, "%dx%d", &clip->w, &clip->h) == 2;
    return pipe && pclose(pipe) == 0 && found && clip->w > 0 && clip->h > 0;
}

/* All frames, decoded by ffmpeg. */
static bool read_frames(bench_clip *clip, int64_t most)
{
    char command[MAX_PATH + 200], count[64] = "";
    int64_t room = 64;
    if (most)
        snprintf(count, sizeof count, "-frames:v %lld", (long long)most);
    snprintf(command, sizeof command,
             "ffmpeg -v error -nostdin -noautorotate -i '%s' -vsync passthrough %s -f rawvideo "
             "-pix_fmt bgr24 -",
             clip->name, count);
    const size_t bytes = bench_frame_bytes(clip);
    FILE *pipe = popen(command, "re");
    clip->frames = cli_grow(NULL, 0, (size_t)room, bytes);
    while (pipe && fread(clip->frames + (size_t)clip->n_frames * bytes, bytes, 1, pipe) == 1) {
        if (++clip->n_frames == room) {
            room *= 2;
            clip->frames = cli_grow(clip->frames, (size_t)room, (size_t)room, bytes);
        }
    }
    return pipe && pclose(pipe) == 0 && clip->n_frames > 0;
}

const char *bench_open_clip(bench_clip *clip, const char *path, int64_t most)
{
    *clip = (bench_clip){.name = path};
    return access(path, R_OK) != 0                         ? "there is no such file"
           : strlen(path) > MAX_PATH || strchr(path, '\'') ? "its name is not for a shell"
           : !find_size(clip)                              ? "ffprobe finds no video in it"
           : !read_frames(clip, most)                      ? "ffmpeg does not decode it"
                                                           : NULL;
}
