/*
 * The line that `saccade equalize` ends with: how many pictures, and how long each took.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "outputs.h"
#include "ranks/ranks.h"
#include "tables.h"

void cli_equalize_summary(const cli_equalize_sums *s)
{
    char run[16], read[16], write[16];
    const double n = s->n_written, seconds = 1e-9 * (double)(cli_clock_ns() - s->start_ns);
    if (s->n_written == 0) {
        return;
    }
    if (s->total == 1) {
        printf("%s: 1 picture of %s: equalize ", s->output, s->shape);
    } else {
        printf("%.*s: %d picture%s: equalize ", (int)(cli_base_name(s->output) - s->output),
               s->output, s->n_written, cli_s(s->n_written));
    }
    printf(
        "%s%s, reading %s, writing %s", cli_time_text(run, sizeof run, (double)s->equalize_ns / n),
        s->total > 1 ? " a picture" : "", cli_time_text(read, sizeof read, (double)s->read_ns / n),
        cli_time_text(write, sizeof write, (double)s->write_ns / n));
    if (s->total > 1) {
        printf("; %.3g a second", n / seconds);
    }
    putchar('\n');
}

void cli_equalize_add(cli_equalize_sums *s, const cli_equalize_sums *more)
{
    s->n_written += more->n_written;
    s->read_ns += more->read_ns;
    s->equalize_ns += more->equalize_ns;
    s->write_ns += more->write_ns;
    if (more->n_written > 0) {
        s->output = more->output;
        memcpy(s->shape, more->shape, sizeof s->shape);
    }
}

bool cli_equalize_add_up(cli_equalize_sums *s, const char *output)
{
    int64_t sums[CLI_RANKS_SUMS] = {s->n_written, s->read_ns, s->equalize_ns, s->write_ns};
    if (cli_ranks() == 1) {
        return true;
    }
    (void)!cli_ranks_agree("its summary", CLI_DONE, sums, CLI_RANKS_SUMS);
    s->n_written = (int32_t)sums[0];
    s->read_ns = sums[1], s->equalize_ns = sums[2], s->write_ns = sums[3];
    s->output = output;
    return cli_rank() == 0;
}
