/*
 * The progress bar: [#####....]  3 of 12 pictures, 4 s left.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"

#define BAR_CELLS 30
#define REDRAW_NS 50000000 /* 20 times a second */

void cli_progress_open(cli_progress *progress, const char *what)
{
    *progress =
        (cli_progress){.what = what, .shown = !cli_is_heard() && isatty(STDERR_FILENO) == 1};
    progress->start_ns = cli_clock_ns();
}

bool cli_progress_step(void *ctx, uint64_t done, uint64_t total)
{
    cli_progress *progress = ctx;
    int64_t now = cli_clock_ns();
    if (!progress->shown || total == 0 ||
        (progress->drawn && now - progress->drawn_ns < REDRAW_NS)) {
        return true;
    }
    done = done < total ? done : total;
    char bar[BAR_CELLS + 1];
    for (uint64_t i = 0; i < BAR_CELLS; i++) {
        bar[i] = i < done * BAR_CELLS / total ? '#' : '.';
    }
    bar[BAR_CELLS] = '\0';
    const uint64_t steps = progress->steps ? progress->steps : 1;
    fprintf(stderr, "\r\033[K[%s] %" PRIu64 " of %" PRIu64 " %s", bar, done / steps, total / steps,
            progress->what);
    if (done > 0 && done < total) {
        double left_s =
            1e-9 * (double)(now - progress->start_ns) * (double)(total - done) / (double)done;
        fprintf(stderr, ", %.0f s left", left_s);
    }
    fflush(stderr);
    progress->drawn = true;
    progress->drawn_ns = now;
    return true;
}

void cli_progress_count(cli_progress *progress, uint64_t done)
{
    int64_t now = cli_clock_ns();
    if (!progress->shown || (progress->drawn && now - progress->drawn_ns < REDRAW_NS)) {
        return;
    }
    double seconds = 1e-9 * (double)(now - progress->start_ns);
    fprintf(stderr, "\r\033[K%" PRIu64 " %s, %.1f a second", done, progress->what,
            seconds > 0 ? (double)done / seconds : 0.0);
    fflush(stderr);
    progress->drawn = true;
    progress->drawn_ns = now;
}

void cli_progress_seconds(cli_progress *progress, double seconds)
{
    const double soon = 2; /* needs no word */
    if (progress->shown && seconds > soon) {
        fprintf(stderr, "%s for %.3g s", progress->what, seconds);
        fflush(stderr);
        progress->drawn = true;
    }
}

void cli_progress_hide(cli_progress *progress)
{
    if (progress->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = false;
    }
}
