/*
 * Video files in memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beamform/job.h"

#define SHARE 0.25 /* of the free memory, for frames that are kept */

/* A frame of a delta stream. */
typedef struct numbered {
    uint64_t number; /* as the sender counts them */
    bool is_key;     /* it is of a keyframe */
} numbered;

struct video_clip {
    video_input input;
    sac_video_info info;
    video_reader reader; /* which reads frame number `next` next */
    int64_t next;
    sac_array *kept;
    int64_t n_kept, n_frames;

    numbered *numbers;   /* (n_frames) of a delta stream */
    bool ascends;        /* numbers do, so that they can be looked for */
    video_losses losses; /* of all of it */

    sac_denoise *filter;
    video_filter of;             /* which the filter is */
    sac_array current, previous; /* filtered */
    sac_array read;              /* a frame that is not kept */
    int64_t at;                  /* the frame that is `current`; -1: none */
};

static bool is_over_time(const video_filter *filter)
{
    return strcmp(cli_source_filters[filter->which], "temporal") == 0;
}

static bool is_same_filter(const video_filter *a, const video_filter *b)
{
    return a->which == b->which && a->n_threads == b->n_threads &&
           a->device.kind == b->device.kind && a->device.index == b->device.index;
}

static sac_status open_reader(video_clip *clip, sac_error *err)
{
    video_reader_close(&clip->reader);
    clip->next = 0;
    return video_reader_open(&clip->reader, &clip->input, err);
}

/* The next frame; what gave none is passed over. */
static sac_status read_frame(video_clip *clip, const sac_array *frame, sac_error *err)
{
    sac_status st;
    while ((st = video_reader_read(&clip->reader, frame, err)) == SAC_AGAIN) {
    }
    return st;
}

static numbered last_of(const video_clip *clip)
{
    const sac_delta_frame *frame = &clip->reader.source.packets.frame;
    return (numbered){frame->frame, frame->is_key};
}

/* Notes a frame that was read for the first time. */
static void add_frame(video_clip *clip)
{
    const size_t n = (size_t)clip->n_frames++;
    if (clip->reader.source.is_packets) {
        clip->numbers = cli_grow(clip->numbers, n, n + 1, sizeof *clip->numbers);
        clip->numbers[n] = last_of(clip);
        clip->ascends =
            clip->ascends && (n == 0 || clip->numbers[n - 1].number < clip->numbers[n].number);
    }
}

/* Reads to the end: how many frames there are, and the first ones of them to keep. */
static sac_status read_all(video_clip *clip, sac_error *err)
{
    const double frame_bytes = (double)sac_array_count(&clip->read);
    const double most = SHARE * cli_beamform_free_bytes() / frame_bytes;
    sac_status st = SAC_OK;
    while (st == SAC_OK) {
        const bool keeps = clip->n_kept == clip->n_frames && (double)clip->n_kept < most;
        if (keeps) {
            const size_t n = (size_t)clip->n_kept;
            clip->kept = cli_grow(clip->kept, n, n + 1, sizeof *clip->kept);
            clip->kept[n] = cli_frame_new(&clip->info);
            clip->n_kept++;
        }
        st = read_frame(clip, keeps ? &clip->kept[clip->n_kept - 1] : &clip->read, err);
        if (st == SAC_OK) {
            add_frame(clip);
        }
    }
    clip->next = clip->n_frames;
    (void)video_reader_losses(&clip->reader, &clip->losses);
    clip->losses.awaits_key = false; /* none will come */
    return st == SAC_END ? SAC_OK : st;
}

int video_clip_open(video_clip **out, const video_input *input)
{
    video_clip *clip = *out = cli_grow(NULL, 0, 1, sizeof *clip);
    sac_error err = {0};
    clip->input = *input;
    clip->at = -1;
    clip->ascends = true;
    sac_status st = open_reader(clip, &err);
    if (st == SAC_OK) {
        clip->info = clip->reader.source.info;
        clip->read = cli_frame_new(&clip->info);
        clip->current = cli_frame_new(&clip->info);
        clip->previous = cli_frame_new(&clip->info);
        st = read_all(clip, &err);
    }
    if (st != SAC_OK) {
        return video_reader_error(input, &err);
    }
    return clip->n_frames ? CLI_DONE : cli_fail("%s: no frame came", input->shown);
}

const sac_video_info *video_clip_info(const video_clip *clip)
{
    return &clip->info;
}

int64_t video_clip_count(const video_clip *clip)
{
    return clip->n_frames;
}

bool video_clip_losses(const video_clip *clip, video_losses *out)
{
    *out = clip->losses;
    return clip->numbers != NULL;
}

static bool is_open(const video_clip *clip)
{
    return clip->reader.source.reader || clip->reader.source.is_packets;
}

/* Goes to the last keyframe that is not behind `frame`, if the reader is not nearer already; false:
 * it stays where it is. */
static bool seek(video_clip *clip, int64_t frame)
{
    int64_t key = clip->numbers && clip->ascends && is_open(clip) ? frame : -1;
    while (key >= 0 && !clip->numbers[key].is_key) {
        key--;
    }
    if (key < 0 || (key <= clip->next && clip->next <= frame + 1)) {
        return false;
    }
    sac_error err;
    const uint64_t number = clip->numbers[key].number;
    clip->next = key;
    if (cli_packets_seek(&clip->reader.source.packets, number, &err) != SAC_OK) {
        video_reader_close(&clip->reader); /* it is opened again */
    }
    return true;
}

/* Reads on to `frame`. SAC_END, too, where another comes than came before. */
static sac_status read_to(video_clip *clip, int64_t frame, sac_error *err)
{
    sac_status st = SAC_OK;
    for (; clip->next <= frame && st == SAC_OK; clip->next++) {
        st = read_frame(clip, &clip->read, err);
        if (st == SAC_OK && clip->numbers &&
            clip->numbers[clip->next].number != last_of(clip).number) {
            st = SAC_END;
        }
    }
    return st;
}

/* From a keyframe, if that leads there, or else from the first frame on. */
static sac_status read_again(video_clip *clip, int64_t frame, sac_error *err)
{
    const bool is_sought = seek(clip, frame);
    const bool is_behind = !is_open(clip) || frame < clip->next - 1;
    sac_status st = is_behind ? open_reader(clip, err) : SAC_OK;
    st = st ? st : read_to(clip, frame, err);
    if (st != SAC_OK && is_sought) {
        st = open_reader(clip, err);
        st = st ? st : read_to(clip, frame, err);
    }
    return st;
}

/* Frame number `frame` as it is in the file, valid until the next one. */
static sac_status find(video_clip *clip, sac_array *out, int64_t frame, sac_error *err)
{
    if (frame < clip->n_kept) {
        *out = clip->kept[frame];
        return SAC_OK;
    }
    sac_status st = read_again(clip, frame, err);
    *out = clip->read;
    if (st != SAC_OK) {
        video_reader_close(&clip->reader); /* the next time it is opened again */
    }
    if (st == SAC_END || (st != SAC_OK && !err->text[0])) {
        err->status = st = SAC_E_FORMAT;
        snprintf(err->text, sizeof err->text, "`%s` has changed since it was opened",
                 clip->input.shown);
    }
    return st;
}

static sac_status open_filter(video_clip *clip, const video_filter *filter, sac_error *err)
{
    sac_denoise *opened = NULL;
    const sac_status st = cli_source_open_filter(&opened, &clip->info, filter->which,
                                                 filter->n_threads, filter->device, err);
    if (st == SAC_OK) {
        sac_denoise_close(&clip->filter);
        clip->filter = opened;
        clip->of = *filter;
        clip->at = -1;
    }
    return st;
}

/* The next frame of the filter: `current` becomes `previous`. */
static sac_status advance(video_clip *clip, sac_array *raw, int64_t frame, sac_error *err)
{
    const sac_array swap = clip->previous;
    clip->previous = clip->current;
    clip->current = swap;
    clip->at = -1; /* until it is done */
    sac_status st = find(clip, raw, frame, err);
    if (st == SAC_OK && clip->filter) {
        st = sac_denoise_run(clip->filter, &clip->current, raw, err);
    } else if (st == SAC_OK) {
        memcpy(clip->current.data, raw->data, (size_t)sac_array_count(raw));
    }
    clip->at = st == SAC_OK ? frame : -1;
    return st;
}

sac_status video_clip_show(video_clip *clip, video_frames *out, int64_t frame,
                           const video_filter *filter, sac_error *err)
{
    sac_status st = SAC_OK;
    if (!is_same_filter(&clip->of, filter)) {
        st = open_filter(clip, filter, err);
    }
    const int64_t first = is_over_time(filter) || frame == 0 ? 0 : frame - 1;
    const bool goes_on = clip->at >= first && clip->at <= frame;
    if (st == SAC_OK && !goes_on && clip->filter) {
        sac_denoise_reset(clip->filter);
    }
    for (int64_t i = goes_on ? clip->at + 1 : first; i <= frame && st == SAC_OK; i++) {
        st = advance(clip, &out->raw, i, err);
    }
    st = st ? st : find(clip, &out->raw, frame, err);
    out->current = clip->current;
    out->previous = frame == 0 ? clip->current : clip->previous;
    out->frame = frame;
    return st;
}

void video_clip_close(video_clip **clip)
{
    video_clip *c = *clip;
    for (int64_t i = 0; c && i < c->n_kept; i++) {
        free(c->kept[i].data);
    }
    if (c) {
        free(c->kept);
        free(c->numbers);
        free(c->read.data);
        free(c->current.data);
        free(c->previous.data);
        sac_denoise_close(&c->filter);
        video_reader_close(&c->reader);
        free(c);
    }
    *clip = NULL;
}
