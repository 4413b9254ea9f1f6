/*
 * The delta stream of what is viewed, of which nothing is kept but sizes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/delta.h>

enum { KEPT = 240 };      /* sizes of the last frames */
enum { USUAL_RATE = 25 }; /* of a video that does not tell its own, as saccade delta takes it */

struct video_stream {
    sac_delta_encode *plan;
    video_coding coding;
    int64_t first, next; /* frames, of which `first` began it */
    double frame_ns;
    uint64_t raw_bytes, bytes, n_keys; /* raw_bytes: of one frame */
    uint64_t size[KEPT];               /* of frame i at i % KEPT */
    int64_t run_ns;
};

static bool is_same(const video_coding *a, const video_coding *b)
{
    return a->threshold == b->threshold && a->filter == b->filter && a->n_threads == b->n_threads &&
           a->device.kind == b->device.kind && a->device.index == b->device.index;
}

static sac_status begin(video_stream *s, const sac_video_info *info, const video_coding *coding,
                        int64_t frame, sac_error *err)
{
    sac_delta_encode_desc desc;
    sac_delta_encode_desc_init(&desc);
    desc.w = info->w;
    desc.h = info->h;
    desc.n_channels = sac_video_channels(info->pixel);
    desc.order = cli_frame_order(info->pixel);
    desc.threshold = coding->threshold;
    desc.n_threads = coding->n_threads;
    desc.device = coding->device;
    sac_delta_encode_close(&s->plan);
    *s = (video_stream){.coding = *coding, .first = frame, .next = frame};
    const bool has_rate = info->rate_num > 0 && info->rate_den > 0;
    s->frame_ns =
        1e9 * (has_rate ? (double)info->rate_den / (double)info->rate_num : 1.0 / USUAL_RATE);
    return sac_delta_encode_open(&s->plan, &desc, err);
}

sac_status video_stream_add(video_stream **stream, const video_frames *frames,
                            const sac_video_info *info, const video_coding *coding, sac_error *err)
{
    video_stream *s = *stream ? *stream : (*stream = cli_grow(NULL, 0, 1, sizeof *s));
    sac_delta_packet packet;
    sac_status st = SAC_OK;
    if (s->plan && is_same(&s->coding, coding) && frames->frame + 1 == s->next) {
        return SAC_OK;
    }
    if (!s->plan || !is_same(&s->coding, coding) || frames->frame != s->next) {
        st = begin(s, info, coding, frames->frame, err);
    }
    const int64_t start_ns = cli_clock_ns();
    const double time_ns = (double)(frames->frame - s->first) * s->frame_ns + 0.5;
    st = st ? st : sac_delta_encode_run(s->plan, &packet, &frames->current, (uint64_t)time_ns, err);
    if (st != SAC_OK) {
        sac_delta_encode_close(&s->plan);
        return st;
    }
    s->run_ns = cli_clock_ns() - start_ns;
    s->raw_bytes = (uint64_t)sac_array_count(&frames->current);
    s->size[s->next % KEPT] = packet.size;
    s->bytes += packet.size;
    s->n_keys += packet.is_key;
    s->next++;
    return SAC_OK;
}

void video_stream_put(cli_json *json, const video_stream *s, const sac_error *err)
{
    cli_json_object(json, "delta");
    if (err->status != SAC_OK) {
        cli_json_string(json, "error", err->text);
        cli_json_end_object(json);
        return;
    }
    const int64_t n = s->next - s->first < KEPT ? s->next - s->first : KEPT;
    uint64_t sizes[KEPT];
    for (int64_t i = 0; i < n; i++) {
        sizes[i] = s->size[(s->next - n + i) % KEPT];
    }
    cli_json_uints(json, "sizes", sizes, (int32_t)n); /* of the last n frames */
    cli_json_int(json, "last", s->next - 1);          /* the last of them */
    cli_json_int(json, "first", s->first);
    cli_json_uint(json, "bytes", s->bytes); /* of all since `first` */
    cli_json_uint(json, "keyframes", s->n_keys);
    cli_json_uint(json, "raw_bytes", s->raw_bytes);
    cli_json_real(json, "frame_ns", s->frame_ns);
    cli_json_int(json, "run_ns", s->run_ns);
    cli_json_end_object(json);
}

void video_stream_close(video_stream **stream)
{
    if (*stream) {
        sac_delta_encode_close(&(*stream)->plan);
        free(*stream);
    }
    *stream = NULL;
}
