/*
 * The threads of saccade beamform --listen: frames of a stream through the plan, to whoever wants
 * the images and whoever keeps them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KEEPER_BYTES (INT64_C(64) << 20) /* of items that wait for a keeper, */
#define LEAST_WAITING 4                  /* but so many at least, */
#define MOST_WAITING 1024                /* and no more */

static void finish_frame(cli_beamform_live *l, sac_stream_frame *frame, const uint8_t *image)
{
    sac_error err = {0};
    if (l->sender && l->send_error.status == SAC_OK &&
        sac_frame_sender_send(l->sender, image, NULL, 1, &err) != SAC_OK) {
        l->send_error = err;
        cli_listening_fail(&l->at);
    }
    frame->done_ns = sac_stream_clock_ns();
    const cli_beamform_numbers numbers = {frame->number,
                                          cli_listening_arrival(&l->at, frame->data).counter};
    cli_beamform_keep(&l->images, image, numbers);
    cli_beamform_keep(&l->channels, frame->data, numbers);
}

/* The frames as one array, for a plan of `size`, which may be more than there are: then behind
 * copies of them lies what was there. */
static sac_array gather(cli_beamform_live *l, const sac_stream_frame *frames, int32_t n,
                        int32_t size, ptrdiff_t stride)
{
    sac_array in = l->frame;
    const bool is_full = n == size;
    for (int32_t i = 0; i < n && !is_full; i++) {
        memcpy(l->together + (size_t)i * l->frame_bytes, frames[i].data, l->frame_bytes);
    }
    in.data = is_full ? frames->data : l->together;
    in.stride[0] = is_full && n > 1 ? stride : (ptrdiff_t)l->frame_bytes;
    in.shape[0] = size;
    return in;
}

/* n frames that lie `stride` bytes from each other, by the smallest plan that can. */
static void run_frames(cli_beamform_live *l, sac_stream_frame *frames, int32_t n, ptrdiff_t stride)
{
    int k = 0;
    while (l->sizes[k] < n) {
        k++;
    }
    const sac_array in = gather(l, frames, n, l->sizes[k], stride);
    sac_array out = l->image;
    sac_error err = {0};
    out.shape[0] = l->sizes[k];
    const bool ran = sac_beamform_run(l->plans[k], &out, &in, &err) == SAC_OK;
    if (!ran && l->work_error.status == SAC_OK) {
        l->work_error = err;
        cli_listening_fail(&l->at);
    }
    for (int32_t i = 0; i < n; i++) {
        if (ran) {
            finish_frame(l, &frames[i], (const uint8_t *)out.data + (size_t)i * l->image_bytes);
        } else {
            frames[i].outcome = SAC_STREAM_REFUSED;
        }
    }
}

/* How many of the first frames have nothing but finite samples. */
static int32_t count_clean(const cli_beamform_live *l, const sac_stream_frame *frames, int32_t n)
{
    sac_array in = l->frame;
    for (int32_t i = 0; i < n; i++) {
        in.data = frames[i].data;
        if (cli_recording_bad_sample(NULL, &in) >= 0) {
            return i;
        }
    }
    return n;
}

/* The last one goes to whoever looks: unless others wait already, and the view has not taken the
 * one before. */
static void show_last(cli_beamform_live *l, const sac_stream_frame *frames, int32_t n)
{
    sac_stream_counts c = {.struct_size = sizeof c};
    int32_t last = n - 1;
    while (last >= 0 && frames[last].outcome != SAC_STREAM_PROCESSED) {
        last--;
    }
    sac_stream_get_counts(l->at.stream, &c);
    if (last >= 0 && (c.waiting <= n || !beamform_tap_has_frame(l->tap))) {
        beamform_tap_put(l->tap, frames[last].data, (int64_t)frames[last].number);
    }
}

void cli_beamform_listen_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    cli_beamform_live *l = ctx;
    for (int32_t at = 0; at < n;) {
        ptrdiff_t stride = 0;
        const int32_t even = sac_stream_evenly_spaced(frames + at, n - at, &stride);
        const int32_t clean = count_clean(l, frames + at, even);
        if (clean > 0) {
            run_frames(l, frames + at, clean, stride);
        }
        at += clean;
        if (clean < even) {
            frames[at++].outcome = SAC_STREAM_REFUSED;
            cli_listening_count(&l->unclean);
        }
    }
    if (l->tap) {
        show_last(l, frames, n);
    }
}

/* Nothing more is kept, and the run ends. */
static void fill_up(cli_beamform_keeper *k)
{
    atomic_store_explicit(&k->is_full, true, memory_order_relaxed);
    cli_listening_fail(k->at);
}

static bool keep_item(cli_beamform_keeper *k, void *item)
{
    cli_beamform_numbers is;
    memcpy(&is, (uint8_t *)item + k->bytes, sizeof is);
    k->has_gaps |= k->n > 0 && is.sent != k->next;
    k->next = is.sent + 1;
    k->item.data = item;
    if (k->n >= k->most || !cli_beamform_has_room(k)) {
        return false;
    }
    if (k->file) {
        return sac_image_growing_write(k->file, &k->item, &k->error) == SAC_OK;
    }
    if (k->film) {
        const int64_t n_tx = k->n_pictures;
        for (int64_t i = 0; i < n_tx && k->error.status == SAC_OK; i++) {
            (void)!cli_beamform_film_add(k->film, &k->item, i, (int64_t)is.came * n_tx + i,
                                         &k->error);
        }
        return k->error.status == SAC_OK;
    }
    return cli_beamform_spool_add(k, item);
}

static void keep_items(void *ctx, sac_stream_frame *frames, int32_t n)
{
    cli_beamform_keeper *k = ctx;
    for (int32_t i = 0; i < n; i++) {
        if (!atomic_load_explicit(&k->is_full, memory_order_relaxed) &&
            keep_item(k, frames[i].data)) {
            atomic_store_explicit(&k->n_kept, ++k->n, memory_order_relaxed);
        } else {
            frames[i].outcome = SAC_STREAM_REFUSED;
            fill_up(k);
        }
    }
}

sac_status cli_beamform_keep_open(cli_beamform_keeper *k, cli_listening *at, sac_error *err)
{
    sac_stream_desc desc;
    sac_stream_desc_init(&desc);
    const int64_t waiting = KEEPER_BYTES / (int64_t)k->bytes;
    desc.frame_bytes = k->bytes + sizeof(cli_beamform_numbers);
    desc.work = keep_items;
    desc.ctx = k;
    desc.capacity = waiting < LEAST_WAITING  ? LEAST_WAITING
                    : waiting > MOST_WAITING ? MOST_WAITING
                                             : (int32_t)waiting;
    desc.policy = SAC_STREAM_DROP_NEWEST;
    desc.spin_us = 0;
    k->at = at;
    char *folder = cli_beamform_folder(k->path);
    struct stat there;
    k->disk = stat(folder, &there) == 0 ? there.st_dev : 0;
    free(folder);
    return sac_stream_open(&k->stream, &desc, err);
}

void cli_beamform_keep(cli_beamform_keeper *k, const void *item, cli_beamform_numbers numbers)
{
    if (!k->stream) {
        return;
    }
    uint8_t *slot = sac_stream_slot(k->stream);
    memcpy(slot, item, k->bytes);
    memcpy(slot + k->bytes, &numbers, sizeof numbers);
    (void)!sac_stream_send(k->stream, 0); /* counted there */
}
