/*
 * What `saccade measure` found, as a table and as JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "tables.h"

/* A cell of a number that may not be there. */
static void cell(cli_table *table, int column, int digits, double value)
{
    if (isfinite(value)) {
        cli_table_cell(table, column, "%.*f", digits, value);
    } else {
        cli_table_cell(table, column, "-");
    }
}

static void print_points(const cli_measurement *m)
{
    static const char *const heads[] = {
        "x mm",     "y mm",       "z mm",         "peak x",   "peak z",
        "error mm", "lateral mm", "elevation mm", "axial mm", "side lobe dB",
    };
    bool volume = m->info->grid.n[1] > 1;
    double lateral = 0, axial = 0, worst = 0;
    cli_table table;
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < m->n_targets; i++) {
        const cli_target *t = &m->targets[i];
        const sac_point_measure *p = &t->point;
        cli_table_row(&table);
        cell(&table, 0, 2, 1e3 * t->at_m[0]);
        if (volume) {
            cell(&table, 1, 2, 1e3 * t->at_m[1]);
            cell(&table, 7, 3, 1e3 * p->width_m[1]);
        }
        cell(&table, 2, 2, 1e3 * t->at_m[2]);
        cell(&table, 3, 3, 1e3 * p->peak_m[0]);
        cell(&table, 4, 3, 1e3 * p->peak_m[2]);
        cell(&table, 5, 3, 1e3 * p->error_m);
        cell(&table, 6, 3, 1e3 * p->width_m[0]);
        cell(&table, 8, 3, 1e3 * p->width_m[2]);
        cell(&table, 9, 1, p->side_lobe_db);
        lateral += p->width_m[0] / (double)m->n_targets;
        axial += p->width_m[2] / (double)m->n_targets;
        worst = fmax(worst, p->error_m);
    }
    cli_table_print(&table, stdout);
    if (m->n_targets > 1 && isfinite(lateral + axial)) {
        printf("Mean of %zu: lateral %.3f mm, axial %.3f mm; largest error %.3f mm.\n",
               m->n_targets, 1e3 * lateral, 1e3 * axial, 1e3 * worst);
    }
    if (m->n_outside > 0) {
        printf("%zu more lie outside of the image.\n", m->n_outside);
    }
}

static void print_cysts(const cli_measurement *m)
{
    static const char *const heads[] = {
        "x mm",        "z mm", "radius mm",  "contrast dB", "CNR dB (PICMUS)",
        "CNR (CUBDL)", "gCNR", "speckle SNR"};
    cli_table table;
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < m->n_targets; i++) {
        const cli_target *t = &m->targets[i];
        cli_table_row(&table);
        cell(&table, 0, 2, 1e3 * t->at_m[0]);
        cell(&table, 1, 2, 1e3 * t->at_m[2]);
        cell(&table, 2, 2, 1e3 * t->radius_m);
        cell(&table, 3, 2, t->cyst.contrast_db);
        cell(&table, 4, 2, t->cyst.cnr_picmus_db);
        cell(&table, 5, 3, t->cyst.cnr_cubdl);
        cell(&table, 6, 3, t->cyst.gcnr);
        cell(&table, 7, 3, t->cyst.speckle_snr);
    }
    cli_table_print(&table, stdout);
}

static void put_point(cli_json *json, const sac_point_measure *p)
{
    cli_json_real(json, "peak_x_mm", 1e3 * p->peak_m[0]);
    cli_json_real(json, "peak_y_mm", 1e3 * p->peak_m[1]);
    cli_json_real(json, "peak_z_mm", 1e3 * p->peak_m[2]);
    cli_json_real(json, "peak_db", p->peak_db);
    cli_json_real(json, "error_mm", 1e3 * p->error_m);
    cli_json_real(json, "lateral_mm", 1e3 * p->width_m[0]);
    cli_json_real(json, "elevation_mm", 1e3 * p->width_m[1]);
    cli_json_real(json, "axial_mm", 1e3 * p->width_m[2]);
    cli_json_real(json, "side_lobe_db", p->side_lobe_db);
}

static void put_cyst(cli_json *json, const cli_target *t)
{
    cli_json_real(json, "radius_mm", 1e3 * t->radius_m);
    cli_json_real(json, "contrast_db", t->cyst.contrast_db);
    cli_json_real(json, "cnr_picmus_db", t->cyst.cnr_picmus_db);
    cli_json_real(json, "cnr_cubdl", t->cyst.cnr_cubdl);
    cli_json_real(json, "gcnr", t->cyst.gcnr);
    cli_json_real(json, "speckle_snr", t->cyst.speckle_snr);
    cli_json_int(json, "samples_inside", t->cyst.n_inside);
    cli_json_int(json, "samples_outside", t->cyst.n_outside);
}

static int write_json(const cli_measurement *m, const char *path)
{
    cli_json json;
    cli_json_open_rows(&json, 0, (sac_device){0});
    for (size_t i = 0; i < m->n_targets; i++) {
        const cli_target *t = &m->targets[i];
        cli_json_object(&json, NULL);
        cli_json_string(&json, "pipeline", "beamform");
        cli_json_string(&json, "input", m->input);
        cli_json_int(&json, "frame", m->frame);
        cli_json_real(&json, "x_mm", 1e3 * t->at_m[0]);
        cli_json_real(&json, "y_mm", 1e3 * t->at_m[1]);
        cli_json_real(&json, "z_mm", 1e3 * t->at_m[2]);
        if (m->is_cyst) {
            put_cyst(&json, t);
        } else {
            put_point(&json, &t->point);
        }
        cli_json_end_object(&json);
    }
    return cli_json_write(&json, path);
}

int cli_measure_report(const cli_measurement *m, const char *path)
{
    if (!path || strcmp(path, "-") != 0) {
        (m->is_cyst ? print_cysts : print_points)(m);
    }
    return path ? write_json(m, path) : CLI_DONE;
}
