/*
 * What saccade view can show. The server, the session and the page know a source only by what is
 * here, so that a further kind of source is a folder beside beamform/ and a file in web/:
 *
 * - a form of the command (view.h), with the options of its pipelines; its run reads the command
 *   line, opens a scene and gives it to cli_view_run;
 * - a view_kind: its controls, and what the session's thread calls;
 * - a scene, which begins with view_scene, and settings, which begin with view_settings;
 * - web/NAME.js with the kind's part of the page (web/main.js says what it must have).
 *
 * One settings struct is what all viewers of a command see. It is copied as bytes: no pointers that
 * a copy must not share, and zeros where there is nothing. Viewers' messages are "NAME VALUE". The
 * names of the controls, frame, play, loop and rate are taken for every kind; others by its `take`.
 *
 * Threads: `take` is called by the server's thread, with the session's lock held: it works on the
 * settings alone, and reads of the scene what open has left there. All else is called by the
 * session's thread, one call at a time. view_scene_wake may be called by any thread, at any time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_KIND_H
#define CLI_VIEW_KIND_H

#include <saccade/param.h>

#include "blob.h"

enum {
    VIEW_CONTROLS = 16,
    VIEW_TEXT = 64,
    VIEW_CHOICES = 8,
    VIEW_VARIANTS = 12,
    VIEW_DEVICES = 18
};

/* A control of the page: an option by its name, range and text on the command line. Of numbers the
 * ends and the step of its slider, which the command line's range is wider than; of texts the usual
 * ones, the default first. */
typedef struct view_control {
    const sac_param_table *(*table)(void); /* that has the option */
    const char *name;
    double low, high, step;
    const char *const usual[VIEW_CHOICES];
} view_control;

/* The controls of any plan, the last of a kind's. */
#define VIEW_PLAN_CONTROLS(table)                                                                  \
    {table, "threads", 0, 64, 1, {0}}, {table, "device", 0, 0, 0, {0}},                            \
    {                                                                                              \
        table, "variant", 0, 0, 0,                                                                 \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* What every kind's settings begin with. */
typedef struct view_settings {
    char text[VIEW_CONTROLS][VIEW_TEXT]; /* of each control; "" is the option's default */
    int64_t frame;
    bool plays, loops; /* plays of a live source: it follows, and does not hold the last picture */
    double rate_hz;    /* of frames shown, while it plays */
} view_settings;

/* What they may be. */
typedef struct view_limits {
    int64_t n_frames;
    const char *variants[VIEW_VARIANTS]; /* that this machine can force; ends with NULL */
    char devices[VIEW_DEVICES][16];      /* ends with "" */
} view_limits;

typedef struct view_kind view_kind;

/* What every kind's scene begins with. */
typedef struct view_scene {
    const view_kind *kind;
    view_limits limits;
    bool is_live;  /* frames come by themselves: none is asked for by number, rate or loop */
    bool is_made;  /* more of a file becomes known by itself: woken, the session shows it again */
    bool has_news; /* set by show: the state is to be published with this picture, too */
    atomic_int n_viewers; /* that look now; for sources that need not work for nobody */
    int wake_fd;          /* an eventfd, which the session's thread waits for */
} view_scene;

struct view_kind {
    const char *name; /* --as NAME; `pipeline` of the state; web/NAME.js */
    size_t settings_size;
    const view_control *controls;
    int n_controls;

    /* A message whose name no other takes. SAC_E_INVALID (view_refuse), and what it has changed of
     * the settings is undone. NULL: there are no such messages. */
    sac_status (*take)(const view_scene *scene, view_settings *settings, const char *name,
                       const char *text, sac_error *err);

    /*
     * Makes the picture that the settings ask for, of a live source of its newest frame, or while
     * it does not play of the one that was shown last; *out NULL: there is no frame yet. Its
     * message is JSON in an object (view_blob_of): "kind": "picture", "frame", "run_ns" and
     * "open_ns" (the work of this picture, and of opening its plan, 0: it was open), "device",
     * "variant", "panels": [{"w", "h", "type", ...}, ...], and what else web/NAME.js wants; behind
     * it the panels' samples by "type": "level" (w h, 16 bits), "gray" (w h bytes) or "rgb" (3 w h
     * bytes), each filled up to an even number of bytes.
     */
    sac_status (*show)(view_blob **out, view_scene *scene, const view_settings *settings,
                       sac_error *err);

    /* Members of the state, beside those that every kind has: at least "source", its name, and
     * "command", the command line that writes what is shown (line.h). */
    void (*put)(cli_json *json, const view_scene *scene, const view_settings *settings);

    /* Options that show refused are taken back from `good`, what was shown last: those in `text`
     * are; this is for others. NULL: there are none. */
    void (*take_back)(view_settings *settings, const view_settings *good);

    /* Whether a plan by this variant can be opened; asked of each, once, after the first picture.
     * May take its time. NULL: viewers choose none. */
    bool (*can_be)(view_scene *scene, const char *variant);
};

/* For a kind's open: the devices of this machine, and the eventfd. */
void view_scene_init(view_scene *scene, const view_kind *kind);

/* For its close, which the form's run calls. */
void view_scene_end(view_scene *scene);

/* For the session: fills in the limits' variants. */
void view_scene_try_variants(view_scene *scene);

/* Something came to a live source: the session shows it. Never waits. */
void view_scene_wake(const view_scene *scene);

/* SAC_E_NOMEM, with its text. */
sac_status view_no_memory(sac_error *err);

#endif
