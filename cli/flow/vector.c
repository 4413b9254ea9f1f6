/*
 * Vectors: the angles of their waves, and what their pictures need.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "outputs.h"

#define CELL 24 /* pixels from arrow to arrow */

/* Echoes are taken to come back along z. */
static int check_array(const cli_flow_job *job, const sac_acquisition *a)
{
    for (int32_t i = 0; i < a->n_elements; i++) {
        if (a->elements[i].normal[2] < 0.9999 || (a->shapes && a->shapes[i] != SAC_SHAPE_AREA)) {
            return cli_fail("`%s`: vectors are for flat arrays of small elements", job->input);
        }
    }
    if (!(job->options.f_number > 0)) {
        return cli_misuse(&cli_flow, "--f-number 0: vectors need a receive aperture that is "
                                     "centered over each point");
    }
    return CLI_DONE;
}

static int take_angles(cli_flow_job *job, const sac_transmit *transmits, int32_t n)
{
    for (int32_t t = 0; t < n; t++) {
        if (transmits[t].kind != SAC_TRANSMIT_PLANE || fabs(transmits[t].elevation_rad) > 1e-6) {
            return cli_fail("`%s`: transmit %d is no plane wave in the plane of x and z, which "
                            "vectors need",
                            job->input, t);
        }
        job->azimuth_rad[t] = transmits[t].azimuth_rad;
    }
    return CLI_DONE;
}

/* Images do not say them. */
static int parse_angles(cli_flow_job *job, int64_t n_wanted)
{
    const char *text = job->beam.recording_desc.transmits;
    sac_element element;
    sac_error err = {0};
    int32_t n = 0;
    if (!text) {
        return cli_misuse(
            &cli_flow, "`%s`: images do not say their angles: --transmits plane:N:DEG", job->input);
    }
    sac_transmit *transmits = cli_grow(NULL, 0, SAC_FLOW_MAX_TRANSMITS, sizeof *transmits);
    sac_element_init(&element);
    int status = sac_transmits_parse(transmits, &n, SAC_FLOW_MAX_TRANSMITS, text, &element, 1,
                                     &err) == SAC_OK
                     ? CLI_DONE
                     : cli_misuse(&cli_flow, "--transmits: %s", err.text);
    if (status == CLI_DONE && n != n_wanted) {
        status = cli_misuse(&cli_flow, "--transmits: `%s` has images of %" PRId64 " transmits",
                            job->input, n_wanted);
    }
    status = status ? status : take_angles(job, transmits, n);
    free(transmits);
    return status;
}

int cli_flow_angles(cli_flow_job *job, const sac_array *iq, const sac_image_info *info)
{
    const sac_acquisition *a = job->beam.desc.acquisition;
    if (iq->shape[1] < 2 || iq->shape[1] > SAC_FLOW_MAX_TRANSMITS) {
        return cli_fail("`%s`: vectors need plane waves of 2 to %d angles, got %" PRId64,
                        job->input, SAC_FLOW_MAX_TRANSMITS, iq->shape[1]);
    }
    if (info->grid_kind == SAC_GRID_SECTOR) {
        return cli_fail("`%s`: a sector: vectors need a cartesian grid before the array",
                        job->input);
    }
    if (!a) {
        return parse_angles(job, iq->shape[1]);
    }
    const int status = check_array(job, a);
    return status ? status : take_angles(job, a->transmits, a->n_transmits);
}

sac_array cli_flow_compound(const sac_array *iq)
{
    const int64_t frames = iq->shape[0], n_tx = iq->shape[1];
    const int64_t values = 2 * sac_array_count(iq) / (frames * n_tx);
    const int64_t shape[] = {frames, iq->shape[2], iq->shape[3]};
    const float *from = iq->data;
    float *sums = cli_grow(NULL, 0, (size_t)(frames * values), sizeof *sums);
    sac_array made = {0};
    memset(sums, 0, (size_t)(frames * values) * sizeof *sums);
    for (int64_t k = 0; k < frames * n_tx; k++, from += values) {
        for (int64_t i = 0; i < values; i++) {
            sums[k / n_tx * values + i] += from[i];
        }
    }
    (void)!sac_array_view(&made, sums, SAC_C64, 3, shape, NULL);
    return made;
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double cli_flow_top_speed(const cli_flow_picture *p, int64_t n)
{
    float *speeds = cli_grow(NULL, 0, (size_t)n, sizeof *speeds);
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        if ((double)p->second[i] > -p->range_db) {
            speeds[found++] = hypotf(p->first[i], p->along_z[i]);
        }
    }
    qsort(speeds, (size_t)found, sizeof *speeds, by_size);
    const double top = found ? (double)speeds[(found - 1) * 99 / 100] : 0;
    free(speeds);
    return fmax(top, 1e-9);
}

/* A line of white pixels from x, y. */
static void stroke(uint32_t *rgb, int w, int h, double x, double y, double dx, double dy)
{
    const int n = 1 + (int)(2 * hypot(dx, dy));
    for (int k = 0; k <= n; k++) {
        const int i = (int)lrint(x + dx * k / n), j = (int)lrint(y + dy * k / n);
        if (i >= 0 && i < w && j >= 0 && j < h) {
            rgb[(ptrdiff_t)j * w + i] = 0xffffff;
        }
    }
}

void cli_flow_arrows(uint32_t *rgb, int w, int h, const cli_flow_picture *p)
{
    for (int64_t cell = 0; cell < (int64_t)(w / CELL) * (h / CELL); cell++) {
        const int left = (int)(cell % (w / CELL)) * CELL, top = (int)(cell / (w / CELL)) * CELL;
        double x = 0, y = 0;
        int n = 0;
        for (int k = 0; k < CELL * CELL; k++) {
            const int64_t at = cli_flow_point(left + k % CELL, top + k / CELL, w, h, p->grid);
            if ((double)p->second[at] > -p->range_db) {
                x += (double)p->first[at];
                y -= (double)p->along_z[at]; /* depth grows downward */
                n++;
            }
        }
        const double size = hypot(x, y) / n / p->nyquist_m_s;
        if (n < CELL * CELL / 2 || !(size > 0.05)) {
            continue;
        }
        const double length = 0.9 * CELL * fmin(size, 1) / hypot(x, y);
        x *= length;
        y *= length;
        const double tip_x = left + CELL / 2.0 + x / 2, tip_y = top + CELL / 2.0 + y / 2;
        stroke(rgb, w, h, tip_x, tip_y, -x, -y);
        stroke(rgb, w, h, tip_x, tip_y, -0.3 * x + 0.2 * y, -0.3 * y - 0.2 * x);
        stroke(rgb, w, h, tip_x, tip_y, -0.3 * x - 0.2 * y, -0.3 * y + 0.2 * x);
    }
}
