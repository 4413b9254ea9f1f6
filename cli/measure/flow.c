/*
 * saccade measure --flow: velocities in a vessel against the truth.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow.h"

#include <math.h>
#include <stdio.h>

#include "command.h"
#include "json.h"
#include "tables.h"
#include "videos.h"

#define DEGREE 0.017453292519943295

/* "X,Z,RADIUS,ANGLE,PEAK" in mm, degrees and m/s. */
static int parse_vessel(sac_vessel *v, const char *text)
{
    double x, z, radius, angle, peak;
    char more = 0;
    if (sscanf(text, "%lf,%lf,%lf,%lf,%lf%c", &x, &z, &radius, &angle, &peak, &more) != 5 ||
        !isfinite(x + z + radius + angle) || !(fabs(peak) < 1e6) || radius <= 0) {
        return cli_misuse(&cli_measure,
                          "--vessel: expected X,Z,RADIUS,ANGLE,PEAK in mm, degrees and m/s, got %s",
                          text);
    }
    *v = (sac_vessel){{1e-3 * x, 0, 1e-3 * z}, 1e-3 * radius, DEGREE * angle, peak};
    return CLI_DONE;
}

/* The last three scatterers of a simulated vessel: center, flow in a frame, wall. */
static int take_truth(sac_vessel *v, const char *input, const sac_image_info *info, double prf_hz)
{
    bool has = info->n_truth > 3 && info->truth[info->n_truth - 4].amplitude != 0;
    const sac_scatterer *mark = has ? info->truth + info->n_truth - 3 : NULL;
    for (int i = 0; i < 3 && has; i++) {
        has = mark[i].amplitude == 0;
    }
    if (!has) {
        return cli_fail("`%s`: no truth about a vessel in the file; say it with --vessel", input);
    }
    if (!(prf_hz > 0)) {
        return cli_misuse(&cli_measure, "--prf: how many frames a second the simulation had");
    }
    const double *c = mark[0].position_m, *flow = mark[1].position_m, *wall = mark[2].position_m;
    const double dx = flow[0] - c[0], dz = flow[2] - c[2];
    const double along = (wall[0] - c[0]), up = c[2] - wall[2];
    *v = (sac_vessel){.center_m = {c[0], c[1], c[2]},
                      .radius_m = hypot(along, up),
                      .angle_rad = -atan2(along, up)};
    /* The axis is at a right angle to the way to the wall. */
    v->peak_m_s = prf_hz * (dx * cos(v->angle_rad) - dz * sin(v->angle_rad));
    return CLI_DONE;
}

static int put_json(const cli_flow_error *f, const sac_vessel *v, const sac_flow_measure *m,
                    bool is_across)
{
    cli_json own, *json = cli_json_begin_row(&own, NULL, (sac_device){SAC_DEVICE_CPU, 0});
    cli_json_string(json, "input", f->input);
    cli_json_int(json, "frame", f->frame);
    cli_json_string(json, "along", is_across ? "x" : "beam");
    cli_json_real(json, "vessel_angle_deg", v->angle_rad / DEGREE);
    cli_json_real(json, "vessel_radius_m", v->radius_m);
    cli_json_real(json, "true_peak_m_s", v->peak_m_s);
    cli_json_real(json, "peak_m_s", m->peak_m_s);
    cli_json_real(json, "peak_error", m->peak_error);
    cli_json_real(json, "bias_m_s", m->bias_m_s);
    cli_json_real(json, "deviation_m_s", m->deviation_m_s);
    cli_json_int(json, "points", m->n_points);
    cli_json_array(json, "profile");
    for (int k = 0; k < SAC_FLOW_PROFILE; k++) {
        cli_json_line(json);
        cli_json_real(json, "at", (2 * k + 1.0) / SAC_FLOW_PROFILE - 1);
        cli_json_real(json, "measured_m_s", m->profile_m_s[k]);
        cli_json_real(json, "true_m_s", m->truth_m_s[k]);
        cli_json_end_line(json);
    }
    cli_json_end_array(json);
    return cli_json_end_row(&own, NULL, NULL, f->json);
}

static void print_table(const sac_vessel *v, const sac_flow_measure *m, bool is_across)
{
    static const char *const heads[] = {"r / radius", "measured (m/s)", "true (m/s)"};
    cli_table table;
    cli_table_open(&table, heads, 3);
    for (int k = 0; k < SAC_FLOW_PROFILE; k++) {
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%.2f", (2 * k + 1.0) / SAC_FLOW_PROFILE - 1);
        cli_table_cell(&table, 1, "%.4f", m->profile_m_s[k]);
        cli_table_cell(&table, 2, "%.4f", m->truth_m_s[k]);
    }
    cli_table_print(&table, stdout);
    printf("\nAlong %s, in %lld points: bias %.4f m/s, standard deviation %.4f m/s.\n"
           "Speed in the axis %.4f m/s, true %.4f m/s: %+.2f %%.\n",
           is_across ? "x" : "the beam", (long long)m->n_points, m->bias_m_s, m->deviation_m_s,
           m->peak_m_s, v->peak_m_s, 100 * m->peak_error);
}

int cli_measure_flow(const cli_flow_error *f, const sac_array *frame, const sac_image_info *info)
{
    sac_vessel vessel;
    sac_flow_measure measure;
    sac_error err = {0};
    if ((info->output != SAC_OUTPUT_VELOCITY && info->output != SAC_OUTPUT_VELOCITY_POWER &&
         info->output != SAC_OUTPUT_VECTOR) ||
        info->grid.n[1] > 1 || info->grid_kind != SAC_GRID_CARTESIAN) {
        return cli_fail("`%s`: expected velocities of a cartesian plane, as saccade flow writes "
                        "them",
                        f->input);
    }
    int status =
        f->vessel ? parse_vessel(&vessel, f->vessel)
                  : take_truth(&vessel, f->input, info, f->prf_hz > 0 ? f->prf_hz : info->prf_hz);
    if (status) {
        return status;
    }
    /* A vector's planes: along x, then along the beam. */
    const bool is_across = info->output == SAC_OUTPUT_VECTOR && f->frame % 2 == 0;
    const sac_status st = (is_across ? sac_measure_flow_across : sac_measure_flow)(
        &measure, frame, &info->grid, &vessel, &err);
    if (st != SAC_OK) {
        return cli_fail("`%s`: %s", f->input, err.text);
    }
    if (info->nyquist_m_s > 0 &&
        fabs(vessel.peak_m_s * sin(vessel.angle_rad)) > info->nyquist_m_s) {
        cli_warn(
            "`%s`: the true velocity in the axis, %.3g m/s along the beam, is above Nyquist's, "
            "%.3g m/s: it comes out with the other sign",
            f->input, fabs(vessel.peak_m_s * sin(vessel.angle_rad)), info->nyquist_m_s);
    }
    if (f->json) {
        status = put_json(f, &vessel, &measure, is_across);
    }
    if (!cli_is_dash(f->json)) {
        print_table(&vessel, &measure, is_across);
    }
    return status;
}
