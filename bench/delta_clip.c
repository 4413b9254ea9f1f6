/*
 * Clips of bench_delta: decoded into memory by ffmpeg, or, of a delta stream, by saccade.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <saccade/delta.h>

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

/* All frames of a stream of BGR (.sdv). */
static bool read_stream(bench_clip *clip, int64_t most)
{
    sac_sdv_reader *reader = NULL;
    sac_delta_decode *plan = NULL;
    sac_delta_packet packet;
    sac_delta_frame frame;
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    bool ok = sac_sdv_reader_open(&reader, clip->name, NULL) == SAC_OK &&
              sac_delta_decode_open(&plan, &desc, NULL) == SAC_OK;
    while (ok && (most == 0 || clip->n_frames < most) &&
           sac_sdv_read(reader, &packet, NULL) == SAC_OK) {
        ok = sac_delta_decode_run(plan, &frame, packet.data, packet.size, NULL) == SAC_OK &&
             frame.picture.n_dims == 3 && frame.picture.shape[2] == 3;
        if (!ok)
            break;
        clip->w = (int32_t)frame.picture.shape[1];
        clip->h = (int32_t)frame.picture.shape[0];
        const size_t bytes = bench_frame_bytes(clip), n = (size_t)clip->n_frames++;
        clip->frames = cli_grow(clip->frames, n + 1, n + 1, bytes);
        for (int64_t y = 0; y < clip->h; y++)
            memcpy(clip->frames + n * bytes + (size_t)y * (size_t)clip->w * 3,
                   (const char *)frame.picture.data + y * frame.picture.stride[0],
                   (size_t)clip->w * 3);
    }
    sac_delta_decode_close(&plan);
    sac_sdv_reader_close(&reader);
    return ok && clip->n_frames > 0;
}

static bool is_stream(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".sdv") == 0;
}

const char *bench_open_clip(bench_clip *clip, const char *path, int64_t most)
{
    *clip = (bench_clip){.name = path};
    if (access(path, R_OK) == 0 && is_stream(path))
        return read_stream(clip, most) ? NULL : "it is no stream of frames of three channels";
    return access(path, R_OK) != 0                         ? "there is no such file"
           : strlen(path) > MAX_PATH || strchr(path, '\'') ? "its name is not for a shell"
           : !find_size(clip)                              ? "ffprobe finds no video in it"
           : !read_frames(clip, most)                      ? "ffmpeg does not decode it"
                                                           : NULL;
}
