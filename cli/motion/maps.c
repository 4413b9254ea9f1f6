/*
 * The color maps of the heat map, drawn: red, green and blue against the difference d. The colors
 * are those that a plan gives, of a picture that has every difference once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/plot.h"
#include "job.h"

enum { MOST_D = 765, N_D = MOST_D + 1, CHANNELS = 3, MOST_MAPS = 16 };

typedef struct map {
    uint32_t rgb[N_D];
    double level[CHANNELS][N_D];
    char title[64];
    cli_series series[CHANNELS];
    cli_mark scale;
} map;

/* The picture's pixels lie along a row; the one before is black. */
static sac_status draw_row(uint8_t out[N_D][CHANNELS], const sac_heatmap_desc *of, int32_t which,
                           sac_error *err)
{
    static uint8_t current[N_D][CHANNELS], before[N_D][CHANNELS];
    const int64_t shape[] = {1, N_D, CHANNELS};
    for (int d = 0; d < N_D; d++) {
        for (int c = 0; c < CHANNELS; c++) {
            const int left = d - c * 255;
            current[d][c] = (uint8_t)(left < 0 ? 0 : left > 255 ? 255 : left);
        }
    }
    sac_heatmap_desc desc = *of;
    desc.w = N_D;
    desc.h = 1;
    desc.n_channels = CHANNELS;
    desc.map = which;
    sac_array arrays[3];
    void *const data[] = {out, current, before};
    sac_heatmap *plan = NULL;
    sac_status st = sac_heatmap_open(&plan, &desc, err);
    for (int i = 0; i < 3 && st == SAC_OK; i++) {
        st = sac_array_view(&arrays[i], data[i], SAC_U8, 3, shape, err);
    }
    st = st ? st : sac_heatmap_run(plan, &arrays[0], &arrays[1], &arrays[2], err);
    sac_heatmap_close(&plan);
    return st;
}

static sac_status fill(map *m, const double d[N_D], const sac_heatmap_desc *desc, int32_t which,
                       const char *name, sac_error *err)
{
    static const char *const labels[CHANNELS] = {"red", "green", "blue"};
    static const uint32_t colors[CHANNELS] = {0xd62728, 0x2ca02c, 0x1f77b4};
    uint8_t out[N_D][CHANNELS];
    sac_status st = draw_row(out, desc, which, err);
    if (st != SAC_OK) {
        return st;
    }
    for (int i = 0; i < N_D; i++) {
        m->rgb[i] = (uint32_t)out[i][0] << 16 | (uint32_t)out[i][1] << 8 | out[i][2];
        for (int c = 0; c < CHANNELS; c++) {
            m->level[c][i] = out[i][c];
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        m->series[c] = (cli_series){.label = labels[c],
                                    .kind = CLI_LINE,
                                    .x = d,
                                    .y = m->level[c],
                                    .n = N_D,
                                    .color = colors[c]};
    }
    m->scale = (cli_mark){desc->scale, (double)NAN, "scale"};
    snprintf(m->title, sizeof m->title, "%s, scale %d", name, desc->scale);
    return SAC_OK;
}

/* Names of the maps, as the option has them. */
static const char *const *map_names(void)
{
    const sac_param_table *table = sac_heatmap_params();
    for (int32_t i = 0; i < table->n_params; i++) {
        if (!strcmp(table->params[i].name, "map")) {
            return table->params[i].choices;
        }
    }
    return NULL;
}

int cli_heat_maps_plot(const sac_heatmap_desc *desc, bool is_all, const char *path)
{
    static map maps[MOST_MAPS];
    static double d[N_D];
    cli_panel panels[MOST_MAPS];
    sac_error err = {0};
    const char *const *names = map_names();
    size_t n = 0;
    for (int i = 0; i < N_D; i++) {
        d[i] = i;
    }
    for (int32_t i = 0; names && names[i] && n < MOST_MAPS; i++) {
        if (!is_all && i != desc->map) {
            continue;
        }
        if (fill(&maps[n], d, desc, i, names[i], &err) != SAC_OK) {
            return cli_error(&err);
        }
        panels[n] = (cli_panel){
            .title = maps[n].title,
            .x = {.label = "d = |R - R'| + |G - G'| + |B - B'|", .max = MOST_D, .step = 85},
            .y = {.label = "level", .max = 255, .step = 51},
            .series = maps[n].series,
            .n_series = CHANNELS,
            .marks = &maps[n].scale,
            .n_marks = desc->scale < MOST_D ? 1 : 0,
            .strip = maps[n].rgb,
            .n_strip = N_D};
        n++;
    }
    const cli_plot plot = {.title = "Colors of the heat map",
                           .panels = panels,
                           .n_panels = n,
                           .n_columns = n > 1 ? 2 : 1};
    return cli_plot_write(path, &plot, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
}
