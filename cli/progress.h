/*
 * A progress bar on standard error where that is a terminal; nothing elsewhere.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_progress {
    const char *what; /* "pictures", "rungs" */
    uint64_t steps;   /* of one of them, that are counted; 0: itself */
    bool shown;       /* standard error is a terminal */
    bool drawn;       /* a bar stands on the current line */
    int64_t start_ns, drawn_ns;
} cli_progress;

void cli_progress_open(cli_progress *progress, const char *what);

/* A sac_progress_fn whose ctx is the cli_progress; never cancels. */
bool cli_progress_step(void *progress, uint64_t done, uint64_t total);

/* The same where nobody knows how many there will be: "41 frames, 30.1 a second". */
void cli_progress_count(cli_progress *progress, uint64_t done);

/* Of work whose length is set, and that nobody interrupts to tell: "measuring for 60 s". */
void cli_progress_seconds(cli_progress *progress, double seconds);

/* Takes the bar off the line, before other text is printed and at the end. */
void cli_progress_hide(cli_progress *progress);

#endif
