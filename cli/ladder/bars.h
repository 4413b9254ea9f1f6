/*
 * Rungs as bars: a panel for each room and shape.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LADDER_BARS_H
#define CLI_LADDER_BARS_H

#include <saccade/ladder.h>

enum { CLI_BAR_TIMES = 6 };

/* A rung, and its times of several kinds. */
typedef struct cli_bar {
    char room[64], shape[160], rung[64];
    double ns[CLI_BAR_TIMES]; /* 0: none */
} cli_bar;

typedef struct cli_bar_kind {
    const char *label;
    uint32_t color; /* 0xRRGGBB */
    bool is_published;
} cli_bar_kind;

/* Draws n bars, those of a room and shape one after the other, with kinds[i] of ns[i]; published
 * ones are hollow. */
SAC_NODISCARD sac_status cli_bars_draw(const cli_bar *bars, size_t n,
                                       const cli_bar_kind kinds[CLI_BAR_TIMES], const char *title,
                                       const char *path, sac_error *err);

/* Collects rungs of a ladder; starts as zeros. */
typedef struct cli_ladder_bars {
    cli_bar *bar; /* (n) */
    size_t n;
    bool on_gpu;
} cli_ladder_bars;

void cli_ladder_add_bar(cli_ladder_bars *bars, const sac_ladder_row *row);

/* Draws the time of each rung, on a GPU of its loop and its kernel, with published times next to
 * them, to `path`, and empties *bars. Without a path, or without rungs, draws nothing. */
SAC_NODISCARD sac_status cli_ladder_draw_bars(cli_ladder_bars *bars, const char *path,
                                              sac_error *err);

#endif
