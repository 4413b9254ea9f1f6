/*
 * The thread that makes pictures, and what it and the server have between them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "thread.h"

struct cli_view_session {
    view_scene *scene;
    view_settings *now, *good; /* the thread's: those it works by, and those it showed last */
    pthread_t thread;

    pthread_mutex_t lock; /* of all below; held for copies of settings and pointers alone */
    view_settings *settings;
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
    char cpu[128];
    cli_json_open(&json);
    cli_json_object(&json, NULL);
    cli_json_string(&json, "kind", "state");
    cli_json_string(&json, "pipeline", s->scene->kind->name);
    cli_json_string(&json, "saccade", cli_build().version);
    cli_json_string(&json, "cpu", sac_cpu_model(cpu, sizeof cpu));
    cli_json_int(&json, "cores", sac_cpu_count());
    s->scene->kind->put(&json, s->scene, settings);
    view_settings_put(&json, settings, s->scene);
    cli_json_string(&json, "error", error);
    cli_json_end_object(&json);
    publish(s, &s->state, view_blob_of(&json, 0, NULL));
}

static void copy(const cli_view_session *s, view_settings *to, const view_settings *from)
{
    memcpy(to, from, s->scene->kind->settings_size);
}

/* The frame that follows while it plays. Behind the last one it stops, or begins again. */
static void advance(view_settings *settings, const view_limits *limits)
{
    const bool is_last = settings->frame + 1 >= limits->n_frames;
    settings->plays = !is_last || settings->loops;
    settings->frame = !is_last ? settings->frame + 1 : settings->loops ? 0 : settings->frame;
}

/* Until somebody wakes the thread, or until then (-1: for as long as it takes). */
static void sleep_until(const cli_view_session *s, int64_t due_ns)
{
    struct pollfd woken = {.fd = s->scene->wake_fd, .events = POLLIN};
    const int64_t now_ns = cli_clock_ns(), left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    const struct timespec left = {.tv_sec = (time_t)(left_ns / 1000000000),
                                  .tv_nsec = (long)(left_ns % 1000000000)};
    ppoll(&woken, 1, due_ns < 0 ? NULL : &left, NULL);
}

/* Forgets what the thread was woken for, before it looks what that was. Whether there was any. */
static bool was_woken(const cli_view_session *s)
{
    eventfd_t n;
    return eventfd_read(s->scene->wake_fd, &n) == 0;
}

/* Waits for other settings than *seen, for news of a source that is live or is made, or while it
 * plays for the next frame, which is due then; false: it is over. *is_other: the state changed,
 * too. */
static bool next(cli_view_session *s, uint64_t *seen, int64_t *due_ns, bool *is_other)
{
    const bool is_live = s->scene->is_live, is_made = s->scene->is_made;
    bool came = was_woken(s);
    pthread_mutex_lock(&s->lock);
    while (!s->is_ending && s->version == *seen && !(is_made && came) &&
           !(s->settings->plays && (is_live ? came : cli_clock_ns() >= *due_ns))) {
        const int64_t until_ns = s->settings->plays && !is_live ? *due_ns : -1;
        pthread_mutex_unlock(&s->lock);
        sleep_until(s, until_ns);
        came = was_woken(s);
        pthread_mutex_lock(&s->lock);
    }
    *is_other = s->version != *seen;
    if (!is_live && s->settings->plays && cli_clock_ns() >= *due_ns) {
        advance(s->settings, &s->scene->limits);
        *is_other = *is_other || !s->settings->plays;
        *due_ns = cli_clock_ns() + (int64_t)(1e9 / s->settings->rate_hz);
    }
    copy(s, s->now, s->settings);
    *seen = s->version;
    const bool goes_on = !s->is_ending;
    pthread_mutex_unlock(&s->lock);
    return goes_on;
}

/* Puts the options of what was shown last in the place of those that cannot be had. */
static void take_good(const cli_view_session *s, view_settings *settings)
{
    const view_kind *kind = s->scene->kind;
    memcpy(settings->text, s->good->text, sizeof settings->text);
    settings->plays = s->scene->is_live && settings->plays;
    if (kind->take_back) {
        kind->take_back(settings, s->good);
    }
}

/* Unless other ones came meanwhile. */
static void take_back(cli_view_session *s, uint64_t seen)
{
    pthread_mutex_lock(&s->lock);
    if (s->version == seen) {
        take_good(s, s->settings);
    }
    pthread_mutex_unlock(&s->lock);
}

static bool draw(cli_view_session *s, sac_error *err)
{
    view_blob *picture = NULL;
    if (s->scene->kind->show(&picture, s->scene, s->now, err) != SAC_OK) {
        return false;
    }
    s->n_pictures += picture != NULL;
    publish(s, &s->picture, picture);
    return true;
}

/* What came with options that cannot be had, as another frame, is shown with the good ones. */
static bool show(cli_view_session *s, uint64_t seen, sac_error *err)
{
    sac_error again = {0};
    const bool is_shown = draw(s, err);
    if (!is_shown) {
        take_back(s, seen);
        take_good(s, s->now);
    }
    if (is_shown || draw(s, &again)) {
        copy(s, s->good, s->now);
    }
    return is_shown;
}

static void *work(void *ctx)
{
    cli_view_session *s = ctx;
    uint64_t seen = 0;
    sac_error err = {0};
    show(s, seen, &err);
    publish_state(s, s->now, err.text);
    view_scene_try_variants(s->scene);
    publish_state(s, s->now, err.text);
    int64_t due_ns = 0;
    for (bool is_other; next(s, &seen, &due_ns, &is_other);) {
        err = (sac_error){0};
        if (!show(s, seen, &err) || is_other || s->scene->has_news) {
            s->scene->has_news = false;
            publish_state(s, s->now, err.text);
        }
    }
    return NULL;
}

static void free_session(cli_view_session *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s->settings);
    free(s->good);
    free(s->now);
    free(s);
}

static view_settings *copy_of(const cli_view_session *s, const view_settings *settings)
{
    view_settings *out = cli_grow(NULL, 0, s->scene->kind->settings_size, 1);
    copy(s, out, settings);
    return out;
}

sac_status cli_view_session_open(cli_view_session **out, view_scene *scene,
                                 const view_settings *settings, sac_error *err)
{
    cli_view_session *s = *out = cli_grow(NULL, 0, 1, sizeof *s);
    s->scene = scene;
    s->settings = copy_of(s, settings);
    s->now = copy_of(s, settings);
    s->good = copy_of(s, settings);
    pthread_mutex_init(&s->lock, NULL);
    const int failed = view_thread_start(&s->thread, work, s);
    if (failed) {
        err->status = SAC_E_NOMEM;
        snprintf(err->text, sizeof err->text, "view: no thread: %s", strerror(failed));
        free_session(s);
        *out = NULL;
    }
    return failed ? err->status : SAC_OK;
}

void cli_view_session_watch(cli_view_session *s, int n_viewers)
{
    atomic_store_explicit(&s->scene->n_viewers, n_viewers, memory_order_relaxed);
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
    const sac_status st = view_settings_take(s->settings, s->scene, text, n, err);
    if (st == SAC_OK) {
        s->version++;
        view_scene_wake(s->scene);
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
    view_scene_wake(s->scene);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    const uint64_t n = s->n_pictures;
    view_blob_drop(&s->state);
    view_blob_drop(&s->picture);
    free_session(s);
    *session = NULL;
    return n;
}
