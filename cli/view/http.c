/*
 * The page of saccade view over HTTP: who may have its files, and the files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server.h"

#include <stdio.h>
#include <string.h>

#define CHUNK 16384 /* of a file that is sent */

view_server *view_server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

const char *view_http_header(char text[MOST_HEADER], struct lws *wsi, enum lws_token_indexes which)
{
    if (lws_hdr_copy(wsi, text, MOST_HEADER, which) < 0) {
        snprintf(text, MOST_HEADER, "%s", lws_hdr_total_length(wsi, which) > 0 ? "?" : "");
    }
    return text;
}

int view_http_refuse(struct lws *wsi, unsigned status, const char *why)
{
    return lws_return_http_status(wsi, status, why) < 0 ? -1 : 1;
}

int view_http_check_origin(struct lws *wsi)
{
    char host[MOST_HEADER], origin[MOST_HEADER];
    if (!view_access_is_host(&view_server_of(wsi)->access,
                             view_http_header(host, wsi, WSI_TOKEN_HOST))) {
        return view_http_refuse(wsi, HTTP_STATUS_FORBIDDEN, "This server has another name.");
    }
    return view_access_is_origin(view_http_header(origin, wsi, WSI_TOKEN_ORIGIN), host)
               ? 0
               : view_http_refuse(wsi, HTTP_STATUS_FORBIDDEN,
                                  "Other pages may not use this server.");
}

typedef struct field {
    const char *name, *value;
} field;

static const field fields[] = {
    {"content-security-policy:",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"x-content-type-options:", "nosniff"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cross-origin-opener-policy:", "same-origin"},
    {"cache-control:", "no-store"},
};

/* Status and headers of an answer of `size` bytes; `more` may add one of its own. */
static int answer(struct lws *wsi, unsigned status, const char *type, size_t size,
                  const field *more)
{
    unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start;
    unsigned char *end = buffer + sizeof buffer;
    int failed = lws_add_http_common_headers(wsi, status, type, size, &at, end);
    for (size_t i = 0; i <= sizeof fields / sizeof *fields && !failed; i++) {
        const field *f = i < sizeof fields / sizeof *fields ? &fields[i] : more;
        failed = f && lws_add_http_header_by_name(wsi, (const unsigned char *)f->name,
                                                  (const unsigned char *)f->value,
                                                  (int)strlen(f->value), &at, end);
    }
    return failed || lws_finalize_write_http_header(wsi, start, &at, end) ? -1 : 0;
}

static int completed(struct lws *wsi)
{
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* "/": with the password it leads to the page, whose address has the token. */
static int serve_door(struct lws *wsi, const view_access *access)
{
    char authorization[MOST_HEADER], place[VIEW_TOKEN + 3];
    view_http_header(authorization, wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
    if (!access->password) {
        return view_http_refuse(wsi, HTTP_STATUS_FORBIDDEN,
                                "The address has a token, which is missing.");
    }
    snprintf(place, sizeof place, "/%s/", access->token);
    const bool may = view_access_is_password(access, authorization);
    const field more = may ? (field){"location:", place}
                           : (field){"www-authenticate:", "Basic realm=\"saccade view\""};
    const unsigned status = may ? HTTP_STATUS_FOUND : HTTP_STATUS_UNAUTHORIZED;
    return answer(wsi, status, "text/plain", 0, &more) ? -1 : completed(wsi);
}

int view_http_serve(struct lws *wsi, view_connection *c, const char *uri)
{
    const view_access *access = &view_server_of(wsi)->access;
    const int refused = view_http_check_origin(wsi);
    if (refused) {
        return refused < 0 ? -1 : completed(wsi);
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
        view_http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "GET alone is served.");
        return -1; /* a body may follow */
    }
    if (strcmp(uri, "/") == 0) {
        const int status = serve_door(wsi, access);
        return status > 0 ? completed(wsi) : status;
    }
    const char *name = view_access_path(access, uri);
    const view_page *page = view_pages;
    while (name && page->name && strcmp(page->name, name) != 0) {
        page++;
    }
    if (!name || !page->name) {
        const int status =
            view_http_refuse(wsi, name ? HTTP_STATUS_NOT_FOUND : HTTP_STATUS_FORBIDDEN,
                             name ? "No such file." : "The address has another token.");
        return status < 0 ? -1 : completed(wsi);
    }
    c->page = page;
    c->sent = 0;
    if (answer(wsi, HTTP_STATUS_OK, page->type, page->size, NULL)) {
        return -1;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

int view_http_send(struct lws *wsi, view_connection *c)
{
    unsigned char buffer[LWS_PRE + CHUNK];
    if (!c->page) {
        return 0;
    }
    const size_t left = c->page->size - c->sent, n = left < CHUNK ? left : CHUNK;
    const bool is_last = n == left;
    memcpy(buffer + LWS_PRE, c->page->bytes + c->sent, n);
    if (lws_write(wsi, buffer + LWS_PRE, n, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
        (int)n) {
        return -1;
    }
    c->sent += n;
    if (is_last) {
        c->page = NULL;
        return completed(wsi);
    }
    lws_callback_on_writable(wsi);
    return 0;
}
