/*
 * Rungs as bars: a panel for each room.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LADDER_BARS_H
#define CLI_LADDER_BARS_H

#include <saccade/ladder.h>

/* Collects rungs; starts as zeros. */
typedef struct cli_ladder_bars {
    struct cli_ladder_bar *bar; /* (n) */
    size_t n;
} cli_ladder_bars;

void cli_ladder_add_bar(cli_ladder_bars *bars, const sac_ladder_row *row);

/* Draws the time of each rung, on a GPU of its loop and its kernel, with published times next to
 * them, to `path`, and empties *bars. Without a path, or without rungs, draws nothing. */
SAC_NODISCARD sac_status cli_ladder_draw_bars(cli_ladder_bars *bars, const char *path,
                                              sac_error *err);

#endif
