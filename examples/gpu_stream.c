/*
 * Heat maps on a GPU, live: gpu_stream [FRAMES]. The ring's slots are page-locked memory, from
 * which the GPU copies by itself. Ends with 77 where there is no GPU. Shows: a stream in
 * page-locked memory, a plan on a GPU that keeps the frame before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/device.h>
#include <saccade/motion.h>
#include <saccade/stream.h>

enum { W = 640, H = 480, CHANNELS = 3, NO_GPU = 77 };

typedef struct state {
    sac_heatmap *plan;
    sac_array picture; /* page-locked, too */
} state;

static void draw(void *ctx, sac_stream_frame *frames, int32_t n)
{
    state *s = ctx;
    const int64_t shape[] = {H, W, CHANNELS};
    for (int32_t i = 0; i < n; i++) {
        sac_array frame;
        sac_status st = sac_array_view(&frame, frames[i].data, SAC_U8, 3, shape, NULL);
        if (st == SAC_OK)
            st = sac_heatmap_run(s->plan, &s->picture, &frame, NULL, NULL);
        if (st == SAC_AGAIN) /* the first frame has none before it */
            frames[i].outcome = SAC_STREAM_EMPTY;
        else if (st != SAC_OK)
            frames[i].outcome = SAC_STREAM_REFUSED;
    }
}

static void take_picture(uint8_t *slot, int64_t number)
{
    for (int i = 0; i < W * H * CHANNELS; i++)
        slot[i] = (uint8_t)(i + 3 * number);
}

static sac_status run(sac_stream *stream, int64_t n_frames)
{
    sac_status st = SAC_OK;
    sac_stream_counts c = {.struct_size = sizeof c};
    for (int64_t i = 0; i < n_frames && st == SAC_OK; i++) {
        take_picture(sac_stream_slot(stream), i);
        st = sac_stream_send(stream, 0);
    }
    sac_stream_stop(stream);
    sac_stream_get_counts(stream, &c);
    printf("%lld heat maps of %lld frames, %lld refused\n", (long long)c.processed,
           (long long)c.received, (long long)c.refused);
    return st;
}

int main(int argc, char **argv)
{
    const sac_device gpu = {SAC_DEVICE_CUDA, 0};
    const int64_t shape[] = {H, W, CHANNELS};
    sac_error err = {0};
    sac_stream *stream = NULL;
    void *ring = NULL, *picture = NULL;
    state s = {0};
    sac_heatmap_desc desc;
    sac_stream_desc frames;
    if (sac_gpu_count() == 0) {
        printf("SKIPPED: no GPU, or a build without CUDA\n");
        return NO_GPU;
    }
    sac_heatmap_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.device = gpu;
    desc.keep_previous = true; /* in the GPU's memory: each frame is copied once */
    sac_stream_desc_init(&frames);
    frames.frame_bytes = W * H * CHANNELS;
    frames.work = draw;
    frames.ctx = &s;
    frames.memory_bytes = sac_stream_memory_bytes(&frames);
    sac_status st = sac_pinned_alloc(&ring, frames.memory_bytes, gpu, &err);
    frames.memory = ring;
    if (st == SAC_OK)
        st = sac_pinned_alloc(&picture, W * H * CHANNELS, gpu, &err);
    if (st == SAC_OK)
        st = sac_array_view(&s.picture, picture, SAC_U8, 3, shape, &err);
    if (st == SAC_OK)
        st = sac_heatmap_open(&s.plan, &desc, &err);
    if (st == SAC_OK)
        st = sac_stream_open(&stream, &frames, &err);
    if (st == SAC_OK)
        st = run(stream, argc > 1 ? atoll(argv[1]) : 300);
    if (st != SAC_OK)
        fprintf(stderr, "gpu_stream: %s\n", err.text);
    sac_stream_close(&stream);
    sac_heatmap_close(&s.plan); /* before the memory that it uses */
    sac_pinned_free(picture, gpu);
    sac_pinned_free(ring, gpu);
    return st != SAC_OK;
}
