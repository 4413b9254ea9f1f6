/*
 * saccade ladder --compare: the JSON of several machines, in one table and plot.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LADDER_COMPARE_H
#define CLI_LADDER_COMPARE_H

#include <saccade/base.h>

enum { CLI_COMPARED = 5 }; /* files at most */

/* A row of a file. Strings are the file's. */
typedef struct cli_compared_row {
    const char *room, *rung, *shape, *device;
    const char *task;               /* NULL: each room's first */
    const char *needs;              /* NULL: it ran */
    double launch[6];               /* grid and block; zeros: the rung's own */
    double median_ns, published_ns; /* 0: none */
    bool has_failed;                /* its check */
    int nth;                        /* of the rows that are alike in all that is matched */
    bool is_matched;
} cli_compared_row;

typedef struct cli_compared {
    const char *path;
    const char *machine, *commit; /* the file's; the GPU where it measured one */
    cli_compared_row *rows;       /* (n) */
    size_t n;
    void *tree; /* owns the strings */
} cli_compared;

/*
 * Reads what `saccade ladder --json` wrote. Returns an exit status: what is no such file, or none
 * at all, is refused in one line. A build without cJSON refuses every file.
 */
int cli_compared_open(cli_compared *out, const char *path);
void cli_compared_close(cli_compared *file);

/* Compares n files; plot_path may be NULL. Returns an exit status. */
int cli_ladder_compare(char *const *paths, int n, const char *plot_path);

#endif
