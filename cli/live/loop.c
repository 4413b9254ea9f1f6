/*
 * A pipeline at work: messages of its bus, signals, standard input, clocks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loop.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "videos.h"

#define LOOK_MS 20
#define SECOND_MS 1000
#define END_NS INT64_C(30000000000) /* for what is under way to arrive, and to be written */

enum { BUS, SIGNALS, LOOK, SECOND };

GstElement *cli_live_element(const char *name)
{
    GstElement *element = gst_element_factory_make(name, NULL);
    if (!element) {
        cli_fail("GStreamer has no element `%s` here (Debian: gstreamer1.0-plugins-base, -good, "
                 "-bad; gst-inspect-1.0 lists what there is)",
                 name);
    }
    return element;
}

GstElement *cli_live_transport(const char *name, const char *uri, const char *passphrase_file)
{
    GstElement *element = cli_live_element(name);
    if (element) {
        g_object_set(element, "uri", uri, NULL);
    }
    if (element && passphrase_file) {
        g_object_set(element, "passphrase-file", passphrase_file, NULL);
    }
    return element;
}

bool cli_live_extend(GstElement *bin, GstElement *from, GstElement *const *row, int n)
{
    for (int i = 0; i < n; from = row[i++]) {
        if (!row[i]) {
            return false;
        }
        gst_bin_add(GST_BIN(bin), row[i]);
        if (from && !gst_element_link(from, row[i])) {
            cli_fail("GStreamer cannot link `%s` to `%s`", GST_OBJECT_NAME(from),
                     GST_OBJECT_NAME(row[i]));
            return false;
        }
    }
    return true;
}

GstClockTime cli_live_running_time(GstElement *pipeline)
{
    GstClock *clock = gst_element_get_clock(pipeline);
    const GstClockTime base = gst_element_get_base_time(pipeline);
    const GstClockTime now = clock ? gst_clock_get_time(clock) : 0;
    g_clear_object(&clock);
    return now > base ? now - base : 0;
}

void cli_live_probe(GstElement *element, const char *name, int types, GstPadProbeCallback call,
                    void *ctx)
{
    GstPad *pad = gst_element_get_static_pad(element, name);
    gst_pad_add_probe(pad, (GstPadProbeType)types, call, ctx, NULL);
    gst_object_unref(pad);
}

void cli_live_set_options(GstElement *element, const sac_param_table *table, const void *desc)
{
    char text[256];
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *param = &table->params[i];
        if (cli_was_given(param->name)) {
            sac_param_get(param, desc, text, sizeof text);
            gst_util_set_object_arg(G_OBJECT(element), param->name, text);
        }
    }
}

char *cli_live_one_line(const char *text)
{
    char *line = g_strdup(text ? text : "");
    g_strdelimit(line, "\r\n\t", ' ');
    g_strchomp(line);
    const size_t n = strlen(line);
    if (n > 0 && line[n - 1] == '.') {
        line[n - 1] = '\0';
    }
    return line;
}

double cli_live_real(const GstStructure *from, const char *name)
{
    const GValue *value = from ? gst_structure_get_value(from, name) : NULL;
    GValue number = G_VALUE_INIT;
    double result = 0;
    g_value_init(&number, G_TYPE_DOUBLE);
    if (value && g_value_type_transformable(G_VALUE_TYPE(value), G_TYPE_DOUBLE) &&
        g_value_transform(value, &number)) {
        result = g_value_get_double(&number);
    }
    g_value_unset(&number);
    return result;
}

int64_t cli_live_number(const GstStructure *from, const char *name)
{
    return (int64_t)cli_live_real(from, name);
}

int cli_live_hush(void)
{
    const int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stderr);
    if (kept >= 0 && nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
    return kept;
}

void cli_live_speak(int kept)
{
    if (kept >= 0) {
        dup2(kept, STDERR_FILENO);
        close(kept);
    }
}

/* "Internal data stream error." tells nothing; the last line of what is for developers may. */
static char *why_of(const cli_live_loop *loop, GstMessage *message)
{
    GError *error = NULL;
    char *debug = NULL, *why;
    gst_message_parse_error(message, &error, &debug);
    const bool is_empty = g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED);
    const char *last = debug ? strrchr(debug, '\n') : NULL;
    char *line = cli_live_one_line(error->message);
    const bool lacks = g_error_matches(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN);
    why = lacks && loop->missing ? g_strdup_printf("GStreamer has no %s here", loop->missing)
          : lacks                ? g_strdup("has no video that GStreamer can decode here")
          : is_empty && last     ? g_strdup_printf("%s: %s", line, last + 1)
                                 : g_strdup(line);
    g_free(line);
    g_clear_error(&error);
    g_free(debug);
    line = cli_live_one_line(why);
    g_free(why);
    return line;
}

static gboolean stop(cli_live_loop *loop)
{
    loop->is_stopped = true;
    g_main_loop_quit(loop->main);
    return G_SOURCE_CONTINUE;
}

/* What waits for a full queue waits in a thread of its own. */
static void send_end(GstElement *pipeline, gpointer data)
{
    cli_live_loop *loop = data;
    GstPad *pad = loop->first ? gst_element_get_static_pad(loop->first, "sink") : NULL;
    if (pad) {
        gst_pad_send_event(pad, gst_event_new_eos());
        gst_object_unref(pad);
    } else {
        gst_element_send_event(pipeline, gst_event_new_eos());
    }
}

void cli_live_loop_end(cli_live_loop *loop, int status)
{
    loop->status = loop->status ? loop->status : status;
    if (!loop->is_ending) {
        loop->is_ending = true;
        loop->ending_ns = cli_clock_ns();
        gst_element_call_async(loop->pipeline, send_end, loop, NULL);
    }
}

/* After a failure there is nothing to wait for. */
static void on_failure(cli_live_loop *loop, GstMessage *message)
{
    char *why = why_of(loop, message);
    GstObject *part = GST_MESSAGE_SRC(message);
    if (!loop->calls->failed || !loop->calls->failed(loop->ctx, part, why)) {
        if (loop->status == CLI_DONE) {
            loop->status = cli_fail("%s", why);
        }
        stop(loop);
    }
    g_free(why);
}

/* "MPEG-4 Video decoder": what a failure that follows is about. */
static void note_missing(cli_live_loop *loop, const GstStructure *what)
{
    if (gst_structure_has_name(what, "missing-plugin")) {
        g_free(loop->missing);
        loop->missing = g_strdup(gst_structure_get_string(what, "name"));
    }
}

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer data)
{
    cli_live_loop *loop = data;
    (void)bus;
    switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
        on_failure(loop, message);
        break;
    case GST_MESSAGE_EOS:
        stop(loop);
        break;
    case GST_MESSAGE_LATENCY:
        gst_bin_recalculate_latency(GST_BIN(loop->pipeline));
        break;
    case GST_MESSAGE_ELEMENT:
        note_missing(loop, gst_message_get_structure(message));
        /* fall through */
    case GST_MESSAGE_APPLICATION:
        if (loop->calls->told) {
            loop->calls->told(loop->ctx, GST_MESSAGE_SRC(message),
                              gst_message_get_structure(message));
        }
        break;
    default:
        break;
    }
    return G_SOURCE_CONTINUE;
}

static gboolean on_signal(gint fd, GIOCondition condition, gpointer data)
{
    (void)fd;
    (void)condition;
    cli_live_loop_end(data, CLI_DONE);
    ((cli_live_loop *)data)->watches[SIGNALS] = 0;
    return G_SOURCE_REMOVE; /* a second one ends the program */
}

static gboolean on_look(gpointer data)
{
    cli_live_loop *loop = data;
    if (!loop->is_ending && loop->calls->is_over && loop->calls->is_over(loop->ctx)) {
        cli_live_loop_end(loop, CLI_DONE);
    }
    if (loop->is_ending && cli_clock_ns() - loop->ending_ns > END_NS) {
        cli_warn("what was under way did not arrive within %d s, and is given up",
                 (int)(END_NS / 1000000000));
        stop(loop);
    }
    return G_SOURCE_CONTINUE;
}

/* Whether reading standard input would not stop this program, as it does in the background of a
 * terminal. */
static bool may_read(void)
{
    return !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void take_lines(cli_live_loop *loop)
{
    char *end;
    while ((end = memchr(loop->typed->str, '\n', loop->typed->len)) != NULL) {
        *end = '\0';
        char *line = g_strstrip(g_strdup(loop->typed->str)); /* up to a NUL, if it has one */
        g_string_erase(loop->typed, 0, end - loop->typed->str + 1);
        if (*line) {
            loop->calls->line(loop->ctx, line);
        }
        g_free(line);
    }
}

static gboolean on_input(gint fd, GIOCondition condition, gpointer data)
{
    cli_live_loop *loop = data;
    char bytes[512];
    (void)condition;
    const ssize_t n = may_read() ? read(fd, bytes, sizeof bytes) : -1;
    if (n > 0) {
        g_string_append_len(loop->typed, bytes, n);
        take_lines(loop);
    }
    const bool goes_on = n > 0 && loop->typed->len < sizeof bytes; /* else no line of ours */
    if (n > 0 && !goes_on) {
        cli_warn("a line of standard input has more than %zu bytes: nothing more is read from it",
                 sizeof bytes - 1);
    }
    loop->input_ended = n == 0 || (n > 0 && !goes_on);
    loop->input = goes_on ? loop->input : 0;
    return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void watch_input(cli_live_loop *loop)
{
    if (loop->calls->line && !loop->input && !loop->input_ended && may_read()) {
        loop->input = g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_input, loop);
    }
}

static gboolean on_second(gpointer data)
{
    cli_live_loop *loop = data;
    if (loop->calls->second && !loop->is_ending) {
        loop->calls->second(loop->ctx);
    }
    watch_input(loop);
    return G_SOURCE_CONTINUE;
}

static void open_loop(cli_live_loop *loop)
{
    GstBus *bus = gst_element_get_bus(loop->pipeline);
    loop->main = g_main_loop_new(NULL, FALSE);
    loop->typed = g_string_new(NULL);
    cli_catch_interrupts();
    signal(SIGTTIN, SIG_IGN);
    loop->watches[BUS] = gst_bus_add_watch(bus, on_message, loop);
    loop->watches[SIGNALS] = g_unix_fd_add(cli_stop_fd(), G_IO_IN, on_signal, loop);
    loop->watches[LOOK] = g_timeout_add(LOOK_MS, on_look, loop);
    loop->watches[SECOND] = g_timeout_add(SECOND_MS, on_second, loop);
    watch_input(loop);
    gst_object_unref(bus);
}

static void close_loop(cli_live_loop *loop)
{
    for (size_t i = 0; i < G_N_ELEMENTS(loop->watches); i++) {
        g_clear_handle_id(&loop->watches[i], g_source_remove);
    }
    g_clear_handle_id(&loop->input, g_source_remove);
    g_clear_pointer(&loop->main, g_main_loop_unref);
    g_string_free(loop->typed, TRUE);
    g_clear_pointer(&loop->missing, g_free);
}

int cli_live_loop_run(cli_live_loop *loop)
{
    open_loop(loop);
    gst_element_set_state(loop->pipeline, GST_STATE_PLAYING); /* a failure is a message */
    if (!loop->is_stopped) {
        g_main_loop_run(loop->main);
    }
    if (loop->calls->stopping) {
        loop->calls->stopping(loop->ctx);
    }
    gst_element_set_state(loop->pipeline, GST_STATE_NULL);
    close_loop(loop);
    return loop->status;
}
