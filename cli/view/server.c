/*
 * The server of saccade view: the page's files, and a WebSocket for each viewer, one thread for
 * all. What a viewer was not fast enough for is never kept: its next message is the newest.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "videos.h"

#define MOST_VIEWERS 8
#define MOST_CONNECTIONS 64 /* all, and the few descriptors of the server itself */
#define MOST_AHEAD 2        /* pictures that a viewer has not drawn yet */
#define VIEW_PROTOCOL "saccade-view"

_Static_assert(LWS_PRE <= VIEW_HEADROOM, "a frame's header fits before a blob");

/* A page that wants a WebSocket. */
static int admit(struct lws *wsi)
{
    view_server *s = view_server_of(wsi);
    char uri[MOST_HEADER];
    const int refused = view_http_check_origin(wsi);
    if (refused) {
        return refused;
    }
    const char *name = view_access_path(&s->access, view_http_header(uri, wsi, WSI_TOKEN_GET_URI));
    if (!name || strcmp(name, "socket") != 0) {
        return view_http_refuse(wsi, HTTP_STATUS_FORBIDDEN, "The address has another token.");
    }
    return s->n_viewers < MOST_VIEWERS
               ? 0
               : view_http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "Too many viewers.");
}

static int send_blob(struct lws *wsi, view_blob *blob, enum lws_write_protocol how)
{
    const int n = lws_write(wsi, blob->bytes, blob->size, how);
    const bool is_sent = n >= (int)blob->size;
    view_blob_drop(&blob);
    lws_callback_on_writable(wsi); /* for what there may be else */
    return is_sent ? 0 : -1;
}

/* One message, the most urgent. What a slow line has not taken yet is kept by the connection, one
 * message at most: it is not asked before. */
static int send_newest(struct lws *wsi, view_connection *c)
{
    cli_view_session *session = view_server_of(wsi)->session;
    if (lws_partial_buffered(wsi)) {
        return 0;
    }
    if (c->refusal) {
        view_blob *blob = c->refusal;
        c->refusal = NULL;
        return send_blob(wsi, blob, LWS_WRITE_TEXT);
    }
    view_blob *blob = cli_view_session_state(session, c->state);
    if (blob) {
        c->state = blob->number;
        return send_blob(wsi, blob, LWS_WRITE_TEXT);
    }
    blob = c->n_ahead < MOST_AHEAD ? cli_view_session_picture(session, c->picture) : NULL;
    if (!blob) {
        return 0;
    }
    c->n_ahead++;
    c->picture = blob->number;
    return send_blob(wsi, blob, LWS_WRITE_BINARY);
}

static view_blob *refusal_of(const char *text)
{
    cli_json json;
    cli_json_open(&json);
    cli_json_object(&json, NULL);
    cli_json_string(&json, "kind", "refusal");
    cli_json_string(&json, "error", text);
    cli_json_end_object(&json);
    return view_blob_of(&json, 0, NULL);
}

/* A whole message: "drawn" is the viewer's own, all others are the session's. */
static void take(struct lws *wsi, view_connection *c)
{
    static const char drawn[] = "drawn";
    sac_error err = {0};
    if (c->n_message == sizeof drawn - 1 && memcmp(c->message, drawn, sizeof drawn - 1) == 0) {
        c->n_ahead -= c->n_ahead > 0;
    } else if (cli_view_session_take(view_server_of(wsi)->session, c->message, c->n_message,
                                     &err) != SAC_OK) {
        view_blob_drop(&c->refusal);
        c->refusal = refusal_of(err.text);
    }
    c->n_message = 0;
    lws_callback_on_writable(wsi);
}

static int close_for(struct lws *wsi, enum lws_close_status status, const char *why)
{
    lws_close_reason(wsi, status, (unsigned char *)(uintptr_t)why, strlen(why));
    return -1;
}

/* Part of a message, or all of it. */
static int receive(struct lws *wsi, view_connection *c, const char *in, size_t n)
{
    if (lws_frame_is_binary(wsi)) {
        return close_for(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "text alone is taken");
    }
    if (n > sizeof c->message - c->n_message) {
        return close_for(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "too long");
    }
    if (n > 0) {
        memcpy(c->message + c->n_message, in, n);
    }
    c->n_message += n;
    if (lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0) {
        take(wsi, c);
    }
    return 0;
}

static int begin_or_end(struct lws *wsi, view_connection *c, bool begins)
{
    view_server *s = view_server_of(wsi);
    if (begins) {
        *c = (view_connection){.is_viewer = true};
        cli_view_session_watch(s->session, ++s->n_viewers);
        lws_callback_on_writable(wsi);
    } else if (c && c->is_viewer) {
        c->is_viewer = false;
        cli_view_session_watch(s->session, --s->n_viewers);
        view_blob_drop(&c->refusal);
    }
    return 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t n);

static const struct lws_protocols protocols[] = {
    {.name = VIEW_PROTOCOL,
     .callback = on_event,
     .per_session_data_size = sizeof(view_connection),
     .rx_buffer_size = MOST_MESSAGE},
    {0},
};

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t n)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return view_http_serve(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return view_http_send(wsi, user);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return admit(wsi);
    case LWS_CALLBACK_ESTABLISHED:
    case LWS_CALLBACK_CLOSED:
        return begin_or_end(wsi, user, reason == LWS_CALLBACK_ESTABLISHED);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_newest(wsi, user);
    case LWS_CALLBACK_RECEIVE:
        return receive(wsi, user, in, n);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        lws_callback_on_writable_all_protocol(lws_get_context(wsi), &protocols[0]);
        return 0;
    case LWS_CALLBACK_RAW_RX_FILE: /* Ctrl-C */
        atomic_store_explicit(&view_server_of(wsi)->is_stopped, true, memory_order_relaxed);
        return -1;
    default:
        return 0;
    }
}

static void wake(void *context)
{
    lws_cancel_service(context);
}

/* Why nothing can listen there, which libwebsockets would tell its log alone. */
static int try_address(const char *host, int port)
{
    const int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, host, &address.sin_addr);
    int status = CLI_DONE;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        status = cli_fail("%s:%d: %s", host, port, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

static int open_server(view_server *s, const cli_view_options *options, const char *host)
{
    const bool is_any = strcmp(host, "0.0.0.0") == 0;
    const struct lws_context_creation_info info = {
        .port = options->port,
        .iface = is_any ? NULL : host,
        .protocols = protocols,
        .user = s,
        .options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_VALIDATE_UTF8,
        .fd_limit_per_thread = MOST_CONNECTIONS,
    };
    lws_set_log_level(0, NULL);
    int status = try_address(host, options->port);
    if (status != CLI_DONE) {
        return status;
    }
    s->context = lws_create_context(&info);
    s->vhost = s->context ? lws_get_vhost_by_name(s->context, "default") : NULL;
    if (!s->vhost) {
        return cli_fail("%s:%d: libwebsockets cannot listen there", host, options->port);
    }
    cli_catch_interrupts();
    /* Its own: it closes what it adopts, and a signal may write to the other one until the end. */
    const int fd = cli_stop_fd();
    const lws_sock_file_fd_type stop = {.filefd = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 0)};
    if (stop.filefd >= 0 &&
        !lws_adopt_descriptor_vhost(s->vhost, LWS_ADOPT_RAW_FILE_DESC, stop, VIEW_PROTOCOL, NULL)) {
        return cli_fail("Ctrl-C would not end the server: no memory");
    }
    s->access.port = lws_get_vhost_listen_port(s->vhost);
    return CLI_DONE;
}

char *cli_view_server_address(const view_server *s)
{
    const view_access *a = &s->access;
    return a->password ? cli_text("http://%s:%d/ (with the password; ", a->host, a->port)
                       : cli_text("http://%s:%d/%s/ (", a->host, a->port, a->token);
}

int cli_view_server_open(view_server **out, const cli_view_options *options)
{
    const char *host = options->host ? options->host : "127.0.0.1";
    view_server *s = *out = cli_grow(NULL, 0, 1, sizeof *s);
    s->access.host = host;
    s->access.password = options->password_file ? options->password : NULL;
    return view_access_token(s->access.token)
               ? open_server(s, options, host)
               : cli_fail("the system gives no random bytes: %s", strerror(errno));
}

void cli_view_server_run(view_server *s, cli_view_session *session)
{
    s->session = session;
    cli_view_session_wake(session, wake, s->context);
    while (!atomic_load_explicit(&s->is_stopped, memory_order_relaxed) &&
           lws_service(s->context, 0) >= 0) {
    }
    cli_view_session_wake(session, NULL, NULL);
}

void cli_view_server_stop(view_server *s)
{
    atomic_store_explicit(&s->is_stopped, true, memory_order_relaxed);
    lws_cancel_service(s->context);
}

void cli_view_server_close(view_server **server)
{
    if (*server && (*server)->context) {
        lws_context_destroy((*server)->context);
    }
    free(*server);
    *server = NULL;
}

int cli_view_can_serve(void)
{
    return CLI_DONE;
}

const char *cli_view_server_version(void)
{
    static char version[16]; /* what follows a '-' tells how it was built */
    snprintf(version, sizeof version, "%.*s", (int)strcspn(LWS_LIBRARY_VERSION, "-"),
             LWS_LIBRARY_VERSION);
    return version;
}
