/*
 * Between the files of saccade view's server: the page's files over HTTP, and viewers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_SERVER_H
#define CLI_VIEW_SERVER_H

#include <libwebsockets.h>

#include "access.h"
#include "pages.h"
#include "view.h"

#define MOST_MESSAGE 256 /* bytes of a viewer's message */
#define MOST_HEADER 1024

struct view_server {
    cli_view_session *session;
    view_access access;
    struct lws_context *context;
    struct lws_vhost *vhost;
    int n_viewers;
    atomic_bool is_stopped;
};

/* A connection: a file on its way, or a viewer. */
typedef struct view_connection {
    const view_page *page; /* NULL: none is being sent */
    size_t sent;           /* bytes of it */

    bool is_viewer;
    uint64_t state, picture, drawn; /* numbers of the last ones sent, and of the last one drawn */
    uint64_t n_ahead;               /* pictures sent since the last one drawn */
    char message[MOST_MESSAGE];     /* that comes in parts */
    size_t n_message;
    view_blob *refusal; /* what is wrong with its last message; NULL: nothing */
} view_connection;

/* The server that a connection is of. */
view_server *view_server_of(struct lws *wsi);

/* A header; "" where there is none, and "?", which nothing accepts, where it is longer than any
 * that counts. */
const char *view_http_header(char text[MOST_HEADER], struct lws *wsi, enum lws_token_indexes which);

/* Whether the request is for this server, and comes from its page or from no page; 0: it is. */
int view_http_check_origin(struct lws *wsi);

/* A page of an error: what the callback returns. */
int view_http_refuse(struct lws *wsi, unsigned status, const char *why);

/* Answers a request for `uri`, and sends the next part of a file. */
int view_http_serve(struct lws *wsi, view_connection *c, const char *uri);
int view_http_send(struct lws *wsi, view_connection *c);

#endif
