/*
 * Live videos: three places for frames, of which the reading thread has one, the session's thread
 * has one, and the third has the newest frame. Either exchanges its own for the third.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "feed.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

enum { PLACES = 3, IS_NEW = 4 }; /* IS_NEW beside a place's number: nobody has taken it */

typedef struct place {
    video_frames frames;
    sac_array before; /* the frame before it, as it was read */
    int32_t which;    /* the filter that the frames went through */
} place;

struct video_feed {
    video_input input;
    const view_scene *scene;
    video_reader reader;
    pthread_t thread;
    bool has_thread;
    place place[PLACES];
    atomic_int middle; /* the third place, and IS_NEW */
    atomic_int which;  /* filter, of those that follow */
    atomic_int_fast64_t n_frames, n_missed;
    atomic_int_fast64_t n_missing, n_refused; /* as video_losses has them */
    atomic_bool awaits_key;
    atomic_bool has_ended;
    sac_error failure; /* written before has_ended */

    int back;            /* the reading thread's, as the next ones */
    const place *before; /* nobody writes to it until it comes back as `back` */
    video_filter of;
    sac_denoise *filter;
    int32_t refused; /* a filter that could not be opened */

    int front; /* the session's, as the next ones */
    bool has_front, was_told;
    place anew; /* the frame of `front` through the filter that is wanted, if it came by another */
    sac_denoise *filter_anew;
};

static sac_status open_filter(const video_feed *f, sac_denoise **filter, int32_t which,
                              sac_error *err)
{
    sac_denoise *opened = NULL;
    const sac_status st = cli_source_open_filter(&opened, &f->reader.source.info, which,
                                                 f->of.n_threads, f->of.device, err);
    if (st == SAC_OK) {
        sac_denoise_close(filter);
        *filter = opened;
    }
    return st;
}

/* Whether another filter begins with this frame, which then has none before it. */
static bool follow_filter(video_feed *f)
{
    const int32_t which = atomic_load_explicit(&f->which, memory_order_relaxed);
    if (which == f->of.which || which == f->refused) {
        return false;
    }
    if (open_filter(f, &f->filter, which, NULL) != SAC_OK) {
        f->refused = which; /* the session filters by its own */
        return false;
    }
    f->of.which = which;
    f->refused = -1;
    return true;
}

static sac_status filter_frame(sac_denoise *filter, const sac_array *to, const sac_array *raw,
                               sac_error *err)
{
    if (filter) {
        return sac_denoise_run(filter, to, raw, err);
    }
    memcpy(to->data, raw->data, (size_t)sac_array_count(raw));
    return SAC_OK;
}

/* Reads a frame into the thread's own place, behind the one of the place it had before. */
static sac_status read_frame(video_feed *f, sac_error *err)
{
    place *to = &f->place[f->back];
    const place *before = f->before ? f->before : to;
    const size_t size = (size_t)sac_array_count(&to->before);
    sac_status st = video_reader_read(&f->reader, &to->frames.raw, err);
    const bool begins = st == SAC_OK && follow_filter(f);
    st = st ? st : filter_frame(f->filter, &to->frames.current, &to->frames.raw, err);
    if (st == SAC_OK) {
        memcpy(to->before.data, before->frames.raw.data, size);
        memcpy(to->frames.previous.data, (begins ? to : before)->frames.current.data, size);
        to->frames.frame = atomic_load_explicit(&f->n_frames, memory_order_relaxed);
        to->which = f->of.which;
    }
    return st;
}

/* Leaves the frame that was read where viewers find it, and takes another place for the next. */
static void leave_frame(video_feed *f)
{
    f->before = &f->place[f->back];
    atomic_fetch_add_explicit(&f->n_frames, 1, memory_order_relaxed);
    /* Pairs with video_feed_show: the frame is whole for who takes it, and who gave a place back
     * has finished with it. */
    const int old = atomic_exchange_explicit(&f->middle, f->back | IS_NEW, memory_order_acq_rel);
    f->back = old & ~IS_NEW;
    atomic_fetch_add_explicit(&f->n_missed, old & IS_NEW ? 1 : 0, memory_order_relaxed);
    view_scene_wake(f->scene);
}

/* Each is a number by itself. */
static void leave_losses(video_feed *f)
{
    video_losses losses;
    if (video_reader_losses(&f->reader, &losses)) {
        atomic_store_explicit(&f->n_missing, losses.n_missing, memory_order_relaxed);
        atomic_store_explicit(&f->n_refused, losses.n_refused, memory_order_relaxed);
        atomic_store_explicit(&f->awaits_key, losses.awaits_key, memory_order_relaxed);
    }
}

static void *work(void *ctx)
{
    video_feed *f = ctx;
    sac_error err = {0};
    sac_status st;
    while ((st = read_frame(f, &err)) == SAC_OK || st == SAC_AGAIN) {
        leave_losses(f);
        if (st == SAC_OK) {
            leave_frame(f);
        } else {
            view_scene_wake(f->scene); /* for what was counted */
        }
    }
    f->failure = err;
    f->failure.status = st > SAC_CANCELLED ? st : SAC_OK;
    atomic_store_explicit(&f->has_ended, true, memory_order_release); /* pairs with has_ended */
    view_scene_wake(f->scene);
    return NULL;
}

/* Its signals are the server's. */
static int start(video_feed *f)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int failed = pthread_create(&f->thread, NULL, work, f);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    f->has_thread = failed == 0;
    return failed ? cli_fail("view: no thread: %s", strerror(failed)) : CLI_DONE;
}

static void new_place(place *to, const sac_video_info *info)
{
    to->frames.raw = cli_frame_new(info);
    to->frames.current = cli_frame_new(info);
    to->frames.previous = cli_frame_new(info);
    to->before = cli_frame_new(info);
}

static void free_place(place *at)
{
    free(at->frames.raw.data);
    free(at->frames.current.data);
    free(at->frames.previous.data);
    free(at->before.data);
}

int video_feed_open(video_feed **out, const video_input *input, const view_scene *scene,
                    const video_filter *filter)
{
    video_feed *f = *out = cli_grow(NULL, 0, 1, sizeof *f);
    sac_error err = {0};
    f->input = *input;
    f->scene = scene;
    f->of = *filter;
    f->refused = -1;
    f->anew.which = -1;
    atomic_init(&f->middle, 1);
    atomic_init(&f->which, filter->which);
    f->front = 2;
    cli_catch_interrupts();
    sac_status st = video_reader_open(&f->reader, input, &err);
    for (int i = 0; i < PLACES && st == SAC_OK; i++) {
        new_place(&f->place[i], &f->reader.source.info);
    }
    if (st == SAC_OK) {
        new_place(&f->anew, &f->reader.source.info);
        st = open_filter(f, &f->filter, filter->which, &err);
    }
    st = st ? st : read_frame(f, &err); /* so that nobody looks at nothing */
    if (st != SAC_OK) {
        return st > SAC_CANCELLED  ? video_reader_error(input, &err)
               : f->reader.decoder ? CLI_FAILED /* it says so itself */
                                   : cli_fail("%s: no frame came", input->shown);
    }
    leave_losses(f);
    leave_frame(f);
    return start(f);
}

const sac_video_info *video_feed_info(const video_feed *feed)
{
    return &feed->reader.source.info;
}

int64_t video_feed_count(const video_feed *feed)
{
    return atomic_load_explicit(&feed->n_frames, memory_order_relaxed);
}

int64_t video_feed_missed(const video_feed *feed)
{
    return atomic_load_explicit(&feed->n_missed, memory_order_relaxed);
}

bool video_feed_losses(const video_feed *feed, video_losses *out)
{
    *out = (video_losses){atomic_load_explicit(&feed->n_missing, memory_order_relaxed),
                          atomic_load_explicit(&feed->n_refused, memory_order_relaxed),
                          atomic_load_explicit(&feed->awaits_key, memory_order_relaxed)};
    return feed->reader.source.is_packets;
}

bool video_feed_has_ended(const video_feed *feed)
{
    return atomic_load_explicit(&feed->has_ended, memory_order_acquire); /* pairs with the store */
}

/* The session's frame through another filter than it came by: one that is held, or that was read
 * before the reading thread has followed. */
static sac_status filter_anew(video_feed *f, video_frames *out, int32_t which, sac_error *err)
{
    const place *from = &f->place[f->front];
    const video_frames *to = &f->anew.frames;
    sac_status st = SAC_OK;
    if (f->anew.which != which) {
        st = open_filter(f, &f->filter_anew, which, err);
    } else if (f->filter_anew) {
        sac_denoise_reset(f->filter_anew);
    }
    f->anew.which = st == SAC_OK ? which : f->anew.which;
    st = st ? st : filter_frame(f->filter_anew, &to->previous, &from->before, err);
    st = st ? st : filter_frame(f->filter_anew, &to->current, &from->frames.raw, err);
    out->current = to->current;
    out->previous = to->previous;
    return st;
}

sac_status video_feed_show(video_feed *f, video_frames *out, bool moves, int32_t which,
                           sac_error *err)
{
    const bool has_ended = video_feed_has_ended(f); /* before the last frame is looked for */
    sac_status st = SAC_OK;
    if ((moves || !f->has_front) &&
        (atomic_load_explicit(&f->middle, memory_order_relaxed) & IS_NEW)) {
        f->front = atomic_exchange_explicit(&f->middle, f->front, memory_order_acq_rel) & ~IS_NEW;
        f->has_front = true; /* from the first call on: open left one */
    }
    if (has_ended && f->failure.status != SAC_OK && !f->was_told) {
        f->was_told = true;
        *err = f->failure;
        if (!err->text[0]) {
            snprintf(err->text, sizeof err->text, "the video broke off: the terminal tells why");
        }
        return err->status;
    }
    *out = f->place[f->front].frames;
    if (f->place[f->front].which != which) {
        st = filter_anew(f, out, which, err);
    }
    if (st == SAC_OK) { /* it can be had */
        atomic_store_explicit(&f->which, which, memory_order_relaxed);
    }
    return st;
}

int video_feed_end(video_feed **feed)
{
    video_feed *f = *feed;
    int status = CLI_DONE;
    if (f && f->has_thread) {
        (void)eventfd_write(cli_stop_fd(), 1); /* as Ctrl-C does, which may have come */
        pthread_join(f->thread, NULL);
        status = f->failure.status ? video_reader_error(&f->input, &f->failure) : CLI_DONE;
    }
    for (int i = 0; f && i < PLACES; i++) {
        free_place(&f->place[i]);
    }
    if (f) {
        free_place(&f->anew);
        sac_denoise_close(&f->filter_anew);
        sac_denoise_close(&f->filter);
        video_reader_close(&f->reader);
        free(f);
    }
    *feed = NULL;
    return status;
}
