/*
 * A simulated layer: where the laser goes, what its power makes of the metal, where pores lie.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/simulator.h"

#define TURN_LEAST 4 /* frames with the laser off between two vectors: 0.2 ms */
#define TURN_MOST 20 /* 1 ms */
#define RECOAT 40    /* behind a layer: 2 ms are recorded of the seconds that it takes */

/* The absorbed power over what melts the metal: King et al., "Observation of keyhole-mode laser
 * melting in laser powder-bed fusion additive manufacturing" (2014). 316L steel. */
#define ABSORPTIVITY 0.35
#define DENSITY_KG_M3 7950.0
#define HEAT_J_KG_K 500.0
#define MELTING_K 1700.0
#define DIFFUSIVITY_M2_S 5.4e-6
#define BEAM_M 27.5e-6 /* radius: 13 is at 264 W and 1 m/s */

#define KEYHOLE_ENTHALPY 13.0
#define KEYHOLE_PORES_M2 10e6 /* a unit of enthalpy above it */
#define LOF_PORES_M2 60e6     /* a unit of (hatch / width)^2 + (layer / depth)^2 above 1 */
#define SMOOTHING_M 0.3e-3    /* sigma of the Gaussian over the part */
#define MOST_RADIUS 8         /* cells: above 3 sigma */

/* Powers that make a regime at this speed, hatch and layer, in watts. */
static const double powers_w[3][2] = {
    [SAC_MELTPOOL_NOMINAL] = {215, 250},
    [SAC_MELTPOOL_KEYHOLE] = {275, 340},
    [SAC_MELTPOOL_LOF] = {150, 190},
};

/* The part of the line p + u d within the square around 0: u from range[0] to range[1]. */
static void clip(double range[2], const double p[2], const double d[2])
{
    const double half = SAC_SIM_PART_M / 2;
    range[0] = -SAC_SIM_PART_M;
    range[1] = SAC_SIM_PART_M;
    for (int axis = 0; axis < 2; axis++) {
        if (fabs(d[axis]) < 1e-9) {
            range[1] = fabs(p[axis]) < half ? range[1] : range[0];
            continue;
        }
        double a = (-half - p[axis]) / d[axis], b = (half - p[axis]) / d[axis];
        range[0] = fmax(range[0], fmin(a, b));
        range[1] = fmin(range[1], fmax(a, b));
    }
}

void sac_sim_layer_path(sac_sim_layer *layer, int32_t index, sac_sim_random *r)
{
    double turn = index % 360 * SAC_SIM_TURN_RAD; /* 360 layers are 67 whole turns */
    const double d[2] = {sac_exact_cos(turn), sac_exact_sin(turn)};
    double reach = SAC_SIM_PART_M * (fabs(d[0]) + fabs(d[1]));
    int32_t lines = (int32_t)(reach / SAC_SIM_HATCH_M);
    layer->index = index;
    layer->angle_rad = turn;
    layer->n_vectors = 0;
    layer->n_frames = 0;
    for (int32_t k = 0; k < lines; k++) {
        double offset = (k - 0.5 * (lines - 1)) * SAC_SIM_HATCH_M, range[2];
        const double p[2] = {-offset * d[1], offset * d[0]};
        clip(range, p, d);
        bool back = layer->n_vectors % 2;
        double from = range[back], sign = back ? -1 : 1;
        int32_t n_on = (int32_t)((range[1] - range[0]) / SAC_SIM_STEP_M);
        if (n_on < 1)
            continue;
        int32_t n_off = (int32_t)sac_sim_uniform(r, TURN_LEAST, TURN_MOST + 1);
        layer->vectors[layer->n_vectors++] =
            (sac_sim_vector){.start = {p[0] + from * d[0], p[1] + from * d[1]},
                             .step = {sign * SAC_SIM_STEP_M * d[0], sign * SAC_SIM_STEP_M * d[1]},
                             .n_on = n_on,
                             .n_off = n_off,
                             .back = back};
        layer->n_frames += n_on + n_off;
    }
    sac_sim_vector *last = &layer->vectors[layer->n_vectors - 1];
    layer->n_frames += RECOAT - last->n_off;
    last->n_off = RECOAT;
}

/* Width and depth: fits to the measurements that Akbari et al. gathered in "MeltpoolNet" (2022). */
static void melt(sac_sim_melt *m, double power_w)
{
    double p = power_w / 200, v = SAC_SIM_SPEED_M_S / 0.8;
    double melting = SAC_PI * DENSITY_KG_M3 * HEAT_J_KG_K * MELTING_K *
                     sqrt(DIFFUSIVITY_M2_S * SAC_SIM_SPEED_M_S * BEAM_M * BEAM_M * BEAM_M);
    m->power_w = power_w;
    m->width_m = 113e-6 * sac_exact_pow(p, 0.64) * sac_exact_pow(v, -0.32);
    m->depth_m = 100e-6 * sac_exact_pow(p, 1.17) * sac_exact_pow(v, -0.52);
    m->enthalpy = ABSORPTIVITY * power_w / melting;
    double across = SAC_SIM_HATCH_M / m->width_m, down = SAC_SIM_LAYER_M / m->depth_m;
    double lacking = across * across + down * down - 1, above = m->enthalpy - KEYHOLE_ENTHALPY;
    m->pores_m2[0] = LOF_PORES_M2 * fmax(0, lacking);
    m->pores_m2[1] = KEYHOLE_PORES_M2 * fmax(0, above);
    m->regime = above > 0     ? SAC_MELTPOOL_KEYHOLE
                : lacking > 0 ? SAC_MELTPOOL_LOF
                              : SAC_MELTPOOL_NOMINAL;
    m->noise = above > 0 ? 0.15 + 0.05 * fmin(1, above / 4) : lacking > 0 ? 0.08 : 0.03;
    m->spatters = above > 0 ? 1.5 : lacking > 0 ? 0.5 : 0.2;
}

static void plan_tiles(sac_sim_layer *layer, sac_sim_random *r, sac_meltpool_regime regime)
{
    for (int i = 0; i < SAC_SIM_TILES * SAC_SIM_TILES; i++) {
        double kind = sac_sim_uniform(r, 0, 4); /* half of a mixed build is nominal */
        sac_meltpool_regime of = regime != SAC_MELTPOOL_MIXED ? regime
                                 : kind < 2                   ? SAC_MELTPOOL_NOMINAL
                                 : kind < 3                   ? SAC_MELTPOOL_KEYHOLE
                                                              : SAC_MELTPOOL_LOF;
        melt(&layer->tiles[i], sac_sim_uniform(r, powers_w[of][0], powers_w[of][1]));
        layer->tiles[i].oscillation_hz = sac_sim_uniform(r, 4000, 10000);
    }
}

int32_t sac_sim_cell_at(sac_sim_point p, int32_t n)
{
    const double half = SAC_SIM_PART_M / 2;
    int32_t x = (int32_t)((p.x + half) / SAC_SIM_PART_M * n);
    int32_t y = (int32_t)((p.y + half) / SAC_SIM_PART_M * n);
    x = x < 0 ? 0 : x < n ? x : n - 1;
    y = y < 0 ? 0 : y < n ? y : n - 1;
    return y * n + x;
}

const sac_sim_melt *sac_sim_melt_at(const sac_sim_layer *layer, sac_sim_point p)
{
    return &layer->tiles[sac_sim_cell_at(p, SAC_SIM_TILES)];
}

/* Pores of every frame, each a Poisson number of what is expected on its hatch times its step. */
static void put_pores(sac_sim_layer *layer, sac_sim_random *r)
{
    const double area_m2 = SAC_SIM_STEP_M * SAC_SIM_HATCH_M;
    for (int i = 0; i < SAC_SIM_CELLS * SAC_SIM_CELLS; i++)
        layer->density_m2[0][i] = layer->density_m2[1][i] = layer->exposed[i] = 0;
    for (int32_t k = 0; k < layer->n_vectors; k++) {
        const sac_sim_vector *v = &layer->vectors[k];
        for (int32_t i = 0; i < v->n_on; i++) {
            sac_sim_point p = {v->start.x + (i + 0.5) * v->step.x,
                               v->start.y + (i + 0.5) * v->step.y};
            const sac_sim_melt *m = sac_sim_melt_at(layer, p);
            int32_t cell = sac_sim_cell_at(p, SAC_SIM_CELLS);
            layer->exposed[cell] += area_m2;
            for (int kind = 0; kind < 2; kind++)
                layer->density_m2[kind][cell] += sac_sim_poisson(r, m->pores_m2[kind] * area_m2);
        }
    }
}

/* Blurs lines of a map by the weights; `next` is from cell to cell, `line` from line to line. */
static void blur_lines(double *map, const double weights[MOST_RADIUS + 1], int32_t next,
                       int32_t line)
{
    for (int32_t k = 0; k < SAC_SIM_CELLS; k++) {
        double old[SAC_SIM_CELLS];
        for (int32_t i = 0; i < SAC_SIM_CELLS; i++)
            old[i] = map[k * line + i * next];
        for (int32_t i = 0; i < SAC_SIM_CELLS; i++) {
            double sum = 0;
            for (int32_t j = -MOST_RADIUS; j <= MOST_RADIUS; j++)
                if (i + j >= 0 && i + j < SAC_SIM_CELLS)
                    sum += weights[j < 0 ? -j : j] * old[i + j];
            map[k * line + i * next] = sum;
        }
    }
}

/* Pores over area, both smoothed: near the rim of the part, too, without bias. */
static void smooth_pores(sac_sim_layer *layer)
{
    double weights[MOST_RADIUS + 1];
    for (int j = 0; j <= MOST_RADIUS; j++) {
        double d = j * (SAC_SIM_PART_M / SAC_SIM_CELLS) / SMOOTHING_M;
        weights[j] = sac_exact_exp(-0.5 * d * d);
    }
    double *maps[3] = {layer->density_m2[0], layer->density_m2[1], layer->exposed};
    for (int k = 0; k < 3; k++) {
        blur_lines(maps[k], weights, 1, SAC_SIM_CELLS);
        blur_lines(maps[k], weights, SAC_SIM_CELLS, 1);
    }
    for (int i = 0; i < SAC_SIM_CELLS * SAC_SIM_CELLS; i++)
        for (int kind = 0; kind < 2; kind++)
            layer->density_m2[kind][i] /= fmax(layer->exposed[i], 1e-12);
}

void sac_sim_layer_plan(sac_sim_layer *layer, int32_t index, uint64_t seed,
                        sac_meltpool_regime regime)
{
    sac_sim_random r = sac_sim_sequence(seed, SAC_SIM_OF_LAYERS, (uint64_t)index << 32);
    sac_sim_layer_path(layer, index, &r);
    plan_tiles(layer, &r, regime);
    put_pores(layer, &r);
    smooth_pores(layer);
}
