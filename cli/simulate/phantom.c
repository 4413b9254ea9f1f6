/*
 * What saccade simulate ultrasound simulates: the phantom, and its first frame's scatterers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "outputs.h"
#include "ultrasound.h"

#define DEGREE 0.017453292519943295
#define VESSEL_PRF 5000

const char *const cli_phantoms[] = {"points", "cyst", "disk", "vessel", NULL};

int cli_simulate_phantom(simulation *s)
{
    const simulate_options *o = s->options;
    sac_phantom_desc *p = &s->phantom;
    double first[3], last[3], at[2];
    s->acquisition.frame_rate_hz =
        o->prf_hz > 0 || o->phantom != SAC_PHANTOM_VESSEL ? o->prf_hz : VESSEL_PRF;
    char more = 0;
    memcpy(first, cli_probes[o->array].first_mm, sizeof first);
    memcpy(last, cli_probes[o->array].last_mm, sizeof last);
    if (o->region && (sscanf(o->region, "%lf:%lf,%lf:%lf%c", &first[0], &last[0], &first[2],
                             &last[2], &more) != 4 ||
                      !(first[0] <= last[0] && first[2] <= last[2] && first[2] >= 0))) {
        return cli_misuse(&cli_simulate, "--region: expected X0:X1,Z0:Z1 rising, got %s",
                          o->region);
    }
    at[0] = 0.5 * (first[0] + last[0]);
    at[1] = 0.5 * (first[2] + last[2]);
    if (o->at && sscanf(o->at, "%lf,%lf%c", &at[0], &at[1], &more) != 2) {
        return cli_misuse(&cli_simulate, "--at: expected X,Z, got %s", o->at);
    }
    sac_phantom_desc_init(p);
    p->kind = (sac_phantom_kind)o->phantom;
    double share = p->kind == SAC_PHANTOM_DISK ? 0.4 : p->kind == SAC_PHANTOM_VESSEL ? 0.1 : 0.14;
    p->radius_m = 1e-3 * (o->radius_mm > 0 ? o->radius_mm : share * (last[2] - first[2]));
    for (int i = 0; i < 3; i++) {
        p->first_m[i] = 1e-3 * first[i];
        p->last_m[i] = 1e-3 * last[i];
        p->center_m[i] = i == 1 ? 0.5e-3 * (first[1] + last[1]) : 1e-3 * at[i / 2];
    }
    static const char *const of_vessel[] = {"peak", "vessel-angle", "clutter", "tissue-speed",
                                            NULL};
    for (int i = 0; of_vessel[i] && p->kind != SAC_PHANTOM_VESSEL; i++) {
        if (cli_was_given(of_vessel[i])) {
            return cli_misuse(&cli_simulate, "--%s: is for --phantom vessel", of_vessel[i]);
        }
    }
    p->n_scatterers = o->scatterers;
    p->vessel_rad = DEGREE * o->vessel_deg;
    p->clutter_db = o->clutter_db;
    if (p->kind == SAC_PHANTOM_VESSEL) {
        p->flow_m = o->peak_m_s / s->acquisition.frame_rate_hz;
        p->tissue_m = o->tissue_m_s / s->acquisition.frame_rate_hz;
    }
    p->lambda_m = s->acquisition.c_m_s / s->acquisition.fc_hz;
    p->seed = (uint64_t)o->seed;
    s->n_scatterers = sac_phantom_count(p);
    if (s->n_scatterers < 1) {
        return cli_misuse(&cli_simulate, "--region and --radius leave no room for a %s",
                          p->clutter_db > 0 ? "vessel in tissue" : cli_phantoms[o->phantom]);
    }
    s->scatterers = cli_grow(NULL, 0, (size_t)s->n_scatterers, sizeof *s->scatterers);
    s->truth = cli_grow(NULL, 0, (size_t)s->n_scatterers, sizeof *s->truth);
    sac_phantom_fill(s->truth, p);
    return CLI_DONE;
}
