/*
 * The thread that makes pictures, and what it and the server have between them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cli_view_session {
    view_scene *scene;
    view_settings first;
    pthread_t thread;

    pthread_mutex_t lock; /* of all below; held for copies of settings and pointers alone */
    pthread_cond_t changed;
    view_settings settings;
    uint64_t version; /* counts changes of the settings */
    bool is_ending;
    view_blob *state, *picture; /* the newest; NULL before the first */
    uint64_t n_pictures;
    void (*wake)(void *ctx);
    void *wake_ctx;
};

/* Puts a message in the place of the one before it: `at` is a member. Takes `blob`. */
static void publish(cli_view_session *s, view_blob **at, view_blob *blob)
{
    if (!blob) {
        return; /* no memory: viewers keep what they see */
    }
    pthread_mutex_lock(&s->lock);
    view_blob *old = *at;
    blob->number = old ? old->number + 1 : 1;
    *at = blob;
    if (s->wake) {
        s->wake(s->wake_ctx);
    }
    pthread_mutex_unlock(&s->lock);
    view_blob_drop(&old);
}

static void publish_state(cli_view_session *s, const view_settings *settings, const char *error)
{
    cli_json json;
    cli_json_open(&json);
    cli_json_object(&json, NULL);
    view_scene_put(&json, s->scene, settings);
    view_settings_put(&json, settings, view_scene_limits(s->scene));
    cli_json_string(&json, "error", error);
    cli_json_end_object(&json);
    publish(s, &s->state, view_blob_of(&json, 0, NULL));
}

/* The frame that follows while it plays. Behind the last one it stops, or begins again. */
static void advance(view_settings *settings, const view_limits *limits)
{
    const bool is_last = settings->frame + 1 >= limits->n_frames;
    settings->plays = !is_last || settings->loops;
    settings->frame = !is_last ? settings->frame + 1 : settings->loops ? 0 : settings->frame;
}

/* Waits for other settings than `seen`, or while it plays for the next frame, which is due then;
 * false: it is over. *is_other: the state changed, too. */
static bool next(cli_view_session *s, view_settings *settings, uint64_t *seen, int64_t *due_ns,
                 bool *is_other)
{
    pthread_mutex_lock(&s->lock);
    int waited = 0;
    const struct timespec due = {.tv_sec = (time_t)(*due_ns / 1000000000),
                                 .tv_nsec = (long)(*due_ns % 1000000000)};
    while (!s->is_ending && s->version == *seen && waited != ETIMEDOUT) {
        waited = s->settings.plays ? pthread_cond_timedwait(&s->changed, &s->lock, &due)
                                   : pthread_cond_wait(&s->changed, &s->lock);
    }
    *is_other = s->version != *seen;
    if (s->settings.plays && cli_clock_ns() >= *due_ns) {
        advance(&s->settings, view_scene_limits(s->scene));
        *is_other = *is_other || !s->settings.plays;
        *due_ns = cli_clock_ns() + (int64_t)(1e9 / s->settings.rate_hz);
    }
    *settings = s->settings;
    *seen = s->version;
    const bool goes_on = !s->is_ending;
    pthread_mutex_unlock(&s->lock);
    return goes_on;
}

/* Options that cannot be had are taken back, unless other ones came meanwhile. */
static void take_back(cli_view_session *s, const view_settings *good, uint64_t seen)
{
    pthread_mutex_lock(&s->lock);
    if (s->version == seen) {
        memcpy(s->settings.text, good->text, sizeof good->text);
        s->settings.c_m_s = good->c_m_s;
        s->settings.plays = false;
    }
    pthread_mutex_unlock(&s->lock);
}

static bool draw(cli_view_session *s, const view_settings *settings, sac_error *err)
{
    view_blob *picture = NULL;
    if (view_scene_show(&picture, s->scene, settings, err) != SAC_OK) {
        return false;
    }
    publish(s, &s->picture, picture);
    s->n_pictures++;
    return true;
}

/* What came with options that cannot be had, as another frame, is shown with the good ones. */
static bool show(cli_view_session *s, view_settings *settings, view_settings *good, uint64_t seen,
                 sac_error *err)
{
    sac_error again = {0};
    const bool is_shown = draw(s, settings, err);
    if (!is_shown) {
        take_back(s, good, seen);
        memcpy(settings->text, good->text, sizeof good->text);
        settings->c_m_s = good->c_m_s;
        settings->plays = false;
    }
    if (is_shown || draw(s, settings, &again)) {
        *good = *settings;
    }
    return is_shown;
}

static void *work(void *ctx)
{
    cli_view_session *s = ctx;
    view_settings settings = s->first, good = settings;
    uint64_t seen = 0;
    sac_error err = {0};
    show(s, &settings, &good, seen, &err);
    publish_state(s, &settings, err.text);
    view_scene_try(s->scene);
    publish_state(s, &settings, err.text);
    int64_t due_ns = 0;
    for (bool is_other; next(s, &settings, &seen, &due_ns, &is_other);) {
        err = (sac_error){0};
        if (!show(s, &settings, &good, seen, &err) || is_other) {
            publish_state(s, &settings, err.text);
        }
    }
    return NULL;
}

/* Its signals are the server's. */
static int start(cli_view_session *s)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int failed = pthread_create(&s->thread, NULL, work, s);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return failed;
}

sac_status cli_view_session_open(cli_view_session **out, view_scene *scene,
                                 const view_settings *settings, sac_error *err)
{
    cli_view_session *s = *out = cli_grow(NULL, 0, 1, sizeof *s);
    pthread_condattr_t monotonic;
    s->scene = scene;
    s->settings = s->first = *settings;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const int failed = start(s);
    if (failed) {
        err->status = SAC_E_NOMEM;
        snprintf(err->text, sizeof err->text, "view: no thread: %s", strerror(failed));
        free(s);
        *out = NULL;
    }
    return failed ? err->status : SAC_OK;
}

void cli_view_session_wake(cli_view_session *s, void (*wake)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&s->lock);
    s->wake = wake;
    s->wake_ctx = ctx;
    pthread_mutex_unlock(&s->lock);
}

sac_status cli_view_session_take(cli_view_session *s, const char *text, size_t n, sac_error *err)
{
    pthread_mutex_lock(&s->lock);
    const sac_status st =
        view_settings_take(&s->settings, view_scene_limits(s->scene), text, n, err);
    if (st == SAC_OK) {
        s->version++;
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

static view_blob *newest(cli_view_session *s, view_blob *const *at, uint64_t number)
{
    pthread_mutex_lock(&s->lock);
    view_blob *blob = *at && (*at)->number > number ? view_blob_hold(*at) : NULL;
    pthread_mutex_unlock(&s->lock);
    return blob;
}

view_blob *cli_view_session_state(cli_view_session *s, uint64_t number)
{
    return newest(s, &s->state, number);
}

view_blob *cli_view_session_picture(cli_view_session *s, uint64_t number)
{
    return newest(s, &s->picture, number);
}

uint64_t cli_view_session_close(cli_view_session **session)
{
    cli_view_session *s = *session;
    if (!s) {
        return 0;
    }
    pthread_mutex_lock(&s->lock);
    s->is_ending = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    const uint64_t n = s->n_pictures;
    view_blob_drop(&s->state);
    view_blob_drop(&s->picture);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    *session = NULL;
    return n;
}
