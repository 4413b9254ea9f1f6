/*
 * A pipeline of GStreamer at work until it is over: its messages, signals, lines on standard input,
 * and a look around each second. All calls come from the thread that runs cli_live_loop_run.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_LOOP_H
#define CLI_LIVE_LOOP_H

#include <gst/gst.h>

#include "command.h"

/* What a command does with it; NULL: nothing. */
typedef struct cli_live_calls {
    /* A part failed; true: that is dealt with, and the rest goes on. */
    bool (*failed)(void *ctx, GstObject *part, const char *why);
    void (*told)(void *ctx, GstObject *part, const GstStructure *what);
    void (*line)(void *ctx, const char *line); /* from standard input */
    bool (*is_over)(void *ctx);                /* asked often */
    void (*second)(void *ctx);
    void (*stopping)(void *ctx); /* all is over, and elements still know their counts */
} cli_live_calls;

typedef struct cli_live_loop {
    GstElement *pipeline;
    GstElement *first; /* its sink pad takes the end; NULL: the pipeline's sources do */
    const cli_live_calls *calls;
    void *ctx;
    int status;
    bool is_ending, is_stopped; /* no more comes; nothing is left to be done */
    int64_t ending_ns;

    GMainLoop *main;
    guint watches[4]; /* of the bus, the signals, the two clocks */
    guint input;      /* of standard input; 0: not watched now */
    bool input_ended;
    GString *typed;
    char *missing; /* a decoder that a file needs and that is not there; NULL: none */
} cli_live_loop;

/* Plays until it is over, then lets what is under way arrive. Returns an exit status. */
int cli_live_loop_run(cli_live_loop *loop);

/* From now on it is over, with this exit status if it has none yet. Any of its calls may do this.
 */
void cli_live_loop_end(cli_live_loop *loop, int status);

/* An element; NULL, and one line says what lacks it, where this GStreamer has none of this name. */
GstElement *cli_live_element(const char *name);

/* sacdeltasink or sacdeltasrc at an address; NULL: as above. */
GstElement *cli_live_transport(const char *name, const char *uri, const char *passphrase_file);

/* Adds elements to a bin, each linked to the one before, the first to `from` (NULL: to none). False
 * where one is NULL, or a line was said. */
bool cli_live_extend(GstElement *bin, GstElement *from, GstElement *const *row, int n);

/* How long it has played. */
GstClockTime cli_live_running_time(GstElement *pipeline);

/* Has `call` see what passes the pad of this name, which the element always has. */
void cli_live_probe(GstElement *element, const char *name, int types, GstPadProbeCallback call,
                    void *ctx);

/* Sets properties of an element to the options of a table that the command line had. */
void cli_live_set_options(GstElement *element, const sac_param_table *table, const void *desc);

/* From here to cli_live_speak nothing is written to standard error: some libraries say there what
 * nobody needs, such as openh264 an error when it is emptied. */
int cli_live_hush(void);
void cli_live_speak(int kept);

/* A text that libraries made, as one line; g_free it. */
char *cli_live_one_line(const char *text);

/* A number of a structure, of any type; 0 where it has none of this name. */
double cli_live_real(const GstStructure *from, const char *name);
int64_t cli_live_number(const GstStructure *from, const char *name); /* below 2^53 */

#endif
