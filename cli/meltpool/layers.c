/*
 * Layers of a build, by what the truth or the laser says.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layers.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"

#define BATCH 65536     /* frames whose signals are read at once */
#define LEAST_SIDE 0.01 /* of a map, as a share of its x and y: ticks differ in four digits */

static bool begins(const cli_meltpool_layers *l, const sac_meltpool_signals *signals,
                   const sac_meltpool_truth *truth)
{
    if (l->frame == 0) {
        return true;
    }
    if (truth) {
        return truth->layer != l->layer;
    }
    double frames = (double)(l->frame - l->last_on);
    double counted = (double)signals->counter - (double)l->on.counter;
    return signals->laser_on && l->n_on > 0 && fmax(frames, counted) > l->gap_frames;
}

bool cli_meltpool_layers_add(cli_meltpool_layers *l, const sac_meltpool_signals *signals,
                             const sac_meltpool_truth *truth)
{
    const bool is_new = begins(l, signals, truth);
    if (is_new) {
        l->begins = cli_grow(l->begins, (size_t)l->n, (size_t)l->n + 1, sizeof *l->begins);
        l->begins[l->n++] = l->frame;
    }
    l->layer = truth ? truth->layer : 0;
    if (signals->laser_on) {
        const double at[2] = {signals->x, signals->y};
        for (int i = 0; i < 2; i++) {
            l->first[i] = l->n_on == 0 ? at[i] : fmin(l->first[i], at[i]);
            l->last[i] = l->n_on == 0 ? at[i] : fmax(l->last[i], at[i]);
        }
        l->last_on = l->frame;
        l->on = *signals;
        l->n_on++;
    }
    l->frame++;
    return is_new;
}

sac_status cli_meltpool_layers_scan(cli_meltpool_layers *l, sac_frames_in *in, sac_error *err)
{
    const sac_frames_info *info = sac_frames_get_info(in);
    sac_meltpool_signals *signals = cli_grow(NULL, 0, BATCH, sizeof *signals);
    sac_meltpool_truth *truth = info->has_truth ? cli_grow(NULL, 0, BATCH, sizeof *truth) : NULL;
    sac_status st = SAC_OK;
    while (l->frame < info->n_frames && st == SAC_OK) {
        int64_t left = info->n_frames - l->frame;
        int64_t n = left < BATCH ? left : BATCH;
        st = sac_frames_read(in, NULL, signals, truth, l->frame, n, err);
        for (int64_t i = 0; i < n && st == SAC_OK; i++) {
            cli_meltpool_layers_add(l, &signals[i], truth ? &truth[i] : NULL);
        }
    }
    free(signals);
    free(truth);
    return st;
}

void cli_meltpool_layers_square(const cli_meltpool_layers *l, double first[2], double last[2])
{
    double side = 1;
    for (int i = 0; i < 2; i++) {
        side = fmax(side, l->last[i] - l->first[i]);
        side = fmax(side, LEAST_SIDE * fmax(fabs(l->first[i]), fabs(l->last[i])));
    }
    for (int i = 0; i < 2; i++) {
        double middle = 0.5 * (l->first[i] + l->last[i]);
        first[i] = middle - 0.5 * side;
        last[i] = middle + 0.5 * side;
    }
}
