/*
 * Draws how much each frame of a video differs from the one before: motion IN.y4m OUT.y4m, or
 * ffmpeg -i clip.mp4 -f yuv4mpegpipe - | motion - out.y4m
 * Shows: a reader, a writer, a plan that is run once a frame, the end of a stream (SAC_END).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/motion.h>
#include <saccade/video.h>

static sac_status draw(sac_video_reader *in, sac_video_writer *out, const sac_video_info *info,
                       sac_error *err)
{
    const int64_t shape[] = {info->h, info->w, 3};
    const size_t bytes = (size_t)(info->h * info->w * 3);
    uint8_t *memory = calloc(3, bytes); /* two frames and the picture */
    sac_array frame[2], picture;
    sac_heatmap *plan = NULL;
    sac_heatmap_desc desc;
    sac_heatmap_desc_init(&desc);
    desc.w = info->w;
    desc.h = info->h;
    desc.n_channels = 3;
    sac_status st = memory ? SAC_OK : SAC_E_NOMEM;
    for (size_t i = 0; i < 3 && st == SAC_OK; i++)
        st =
            sac_array_view(i < 2 ? &frame[i] : &picture, memory + i * bytes, SAC_U8, 3, shape, err);
    if (st == SAC_OK)
        st = sac_heatmap_open(&plan, &desc, err);
    if (st == SAC_OK)
        st = sac_video_read(in, &frame[0], err);
    for (int64_t n = 1; st == SAC_OK; n++) {
        st = sac_video_read(in, &frame[n % 2], err);
        if (st == SAC_OK)
            st = sac_heatmap_run(plan, &picture, &frame[n % 2], &frame[(n + 1) % 2], err);
        if (st == SAC_OK)
            st = sac_video_write(out, &picture, err);
        if (st == SAC_END)
            printf("%lld pictures\n", (long long)n - 1);
    }
    sac_heatmap_close(&plan);
    free(memory);
    return st == SAC_END ? SAC_OK : st;
}

int main(int argc, char **argv)
{
    sac_error err = {0}, late = {0};
    sac_video_reader *in = NULL;
    sac_video_writer *out = NULL;
    sac_video_info info;
    if (argc != 3) {
        fprintf(stderr, "usage: motion IN.y4m OUT.y4m\n");
        return 2;
    }
    sac_video_info_init(&info);
    info.pixel = SAC_PIXEL_RGB; /* what frames become in memory */
    sac_status st = sac_video_reader_open(&in, argv[1], &info, &err);
    sac_video_reader_get_info(in, &info);
    if (st == SAC_OK)
        st = sac_video_writer_open(&out, argv[2], &info, &err);
    if (st == SAC_OK)
        st = draw(in, out, &info, &err);
    sac_video_reader_close(&in);
    const sac_status closed = sac_video_writer_close(&out, &late); /* the last bytes may not fit */
    if (st != SAC_OK || closed != SAC_OK)
        fprintf(stderr, "motion: %s\n", st != SAC_OK ? err.text : late.text);
    return st != SAC_OK || closed != SAC_OK;
}
