/*
 * What all viewers look at: settings that any of them changes, and a thread that makes pictures by
 * them. The newest picture wins: who is slower misses some.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_SESSION_H
#define CLI_VIEW_SESSION_H

#include "settings.h"

typedef struct cli_view_session cli_view_session;

/* Starts the thread, which makes the first picture. The scene must stay; the settings, of its kind,
 * are copied. SAC_E_NOMEM. */
SAC_NODISCARD sac_status cli_view_session_open(cli_view_session **out, view_scene *scene,
                                               const view_settings *settings, sac_error *err);

/* Called by the session's thread when something was published; until NULL is set. */
void cli_view_session_wake(cli_view_session *session, void (*wake)(void *ctx), void *ctx);

/* How many look now. */
void cli_view_session_watch(cli_view_session *session, int n_viewers);

/* A message of a viewer; SAC_E_INVALID: it says what is wrong. */
SAC_NODISCARD sac_status cli_view_session_take(cli_view_session *session, const char *text,
                                               size_t n, sac_error *err);

/* The newest state and picture, held for the caller; NULL: there is none newer than `number`. */
view_blob *cli_view_session_state(cli_view_session *session, uint64_t number);
view_blob *cli_view_session_picture(cli_view_session *session, uint64_t number);

/* Ends the thread. Returns how many pictures it made. */
uint64_t cli_view_session_close(cli_view_session **session);

#endif
