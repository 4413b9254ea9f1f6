/*
 * The melt-pool simulator: opens, and steps from frame to frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/simulator.h"

#include "base/struct.h"
#include "base/alloc.h"

#define MOST_LAYERS 100000
#define MOST_FRAMES INT32_MAX /* the machine counts in 32 bits */
#define MOST_SEED (UINT64_C(1) << 53)

#define MEMORY 0.9 /* of the AR(1) noise, from frame to frame */
#define SWING 0.05 /* of the oscillation of area and light */

#define SPATTER_SPEED_M_S 5.0
#define SPATTER_SPREAD 0.5        /* of the logarithm of speed */
#define SPATTER_CONE (SAC_PI / 3) /* around backward */
#define SPATTER_SEEN 60.0         /* counts: as bright as a spatter must be to count */
#define SPATTER_GONE 4.0          /* counts */
#define SPATTER_LEAST 10.0        /* frames until it counts no more: 0.5 ms */
#define SPATTER_MOST 40.0         /* 2 ms */
#define SPATTER_STAY 0.89         /* share of that time that they are in the frame, measured */
#define SPATTER_DIM 150.0         /* counts at birth, */
#define SPATTER_BRIGHT 500.0      /* at most */

struct sac_meltpool_sim {
    uint64_t seed;
    sac_meltpool_regime regime;
    int64_t n_frames, frame; /* in all; the next one */
    sac_sim_layer layer;
    int32_t vector, in_vector; /* where in the layer the next frame is */
    sac_sim_sensor sensor;
    sac_sim_random random;
    double size_noise, light_noise; /* of variance 1 */
    double phase;                   /* of the oscillation */
    sac_sim_spatter spatters[SAC_SIM_SPATTERS];
    int32_t n_spatters;
};

void sac_simulate_meltpool_desc_init(sac_simulate_meltpool_desc *desc)
{
    if (desc)
        *desc = (sac_simulate_meltpool_desc){
            .struct_size = sizeof *desc, .regime = SAC_MELTPOOL_MIXED, .n_layers = 6, .seed = 1};
}

static sac_status check(const sac_simulate_meltpool_desc *desc, sac_error *err)
{
    if (desc->regime < SAC_MELTPOOL_NOMINAL || desc->regime > SAC_MELTPOOL_MIXED)
        return sac_fail(err, SAC_E_INVALID, "regime: expected 0 to 3, got %d", desc->regime);
    if (desc->n_layers < 1 || desc->n_layers > MOST_LAYERS)
        return sac_fail(err, SAC_E_INVALID, "layers: expected 1 to %d, got %d", MOST_LAYERS,
                        desc->n_layers);
    if (desc->n_frames < 0 || desc->n_frames > MOST_FRAMES)
        return sac_fail(err, SAC_E_INVALID, "frames: expected 0 to %d, got %lld", MOST_FRAMES,
                        (long long)desc->n_frames);
    if (desc->seed >= MOST_SEED)
        return sac_fail(err, SAC_E_INVALID, "seed: expected less than 2^53, got %llu",
                        (unsigned long long)desc->seed);
    return SAC_OK;
}

static int64_t count_frames(sac_sim_layer *layer, const sac_simulate_meltpool_desc *desc)
{
    int64_t n = 0;
    for (int32_t i = 0; i < desc->n_layers && desc->n_frames == 0; i++) {
        sac_sim_random r = sac_sim_sequence(desc->seed, SAC_SIM_OF_LAYERS, (uint64_t)i << 32);
        sac_sim_layer_path(layer, i, &r);
        n += layer->n_frames;
    }
    return desc->n_frames ? desc->n_frames : n;
}

sac_status sac_meltpool_sim_open(sac_meltpool_sim **out, const sac_simulate_meltpool_desc *desc,
                                 sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = NULL;
    sac_simulate_meltpool_desc own;
    sac_simulate_meltpool_desc_init(&own);
    sac_status status = sac_struct_take(&own, desc, "desc", err);
    desc = &own;
    if (status == SAC_OK)
        status = check(desc, err);
    if (status)
        return status;
    sac_meltpool_sim *sim = sac_alloc(1, sizeof *sim);
    if (!sim)
        return sac_fail(err, SAC_E_NOMEM, "simulate: no memory");
    sim->seed = desc->seed;
    sim->regime = (sac_meltpool_regime)desc->regime;
    sim->n_frames = count_frames(&sim->layer, desc);
    sim->random = sac_sim_sequence(desc->seed, SAC_SIM_OF_POOL, 0);
    sim->size_noise = sac_sim_normal(&sim->random);
    sim->light_noise = sac_sim_normal(&sim->random);
    sac_sim_sensor_init(&sim->sensor, desc->seed);
    sac_sim_layer_plan(&sim->layer, 0, sim->seed, sim->regime);
    *out = sim;
    return SAC_OK;
}

int64_t sac_meltpool_sim_get_frames(const sac_meltpool_sim *sim)
{
    return sim ? sim->n_frames : 0;
}

/* The picture's y points down: the machine's is mirrored. */
void sac_meltpool_sim_calibration(double m[2][3])
{
    const double scale = 1e-6 / SAC_SIM_PIXEL_M;
    double c = scale * sac_exact_cos(SAC_SIM_CAMERA_RAD);
    double s = scale * sac_exact_sin(SAC_SIM_CAMERA_RAD);
    const double all[2][3] = {{c, s, SAC_SIM_CENTER_X}, {s, -c, SAC_SIM_CENTER_Y}};
    if (m)
        memcpy(m, all, sizeof all);
}

static double within(double x, double low, double high)
{
    return x < low ? low : x < high ? x : high;
}

/* A step of AR(1) noise of variance 1. */
static void move_noise(double *noise, sac_sim_random *r)
{
    *noise = MEMORY * *noise + sqrt(1 - MEMORY * MEMORY) * sac_sim_normal(r);
}

/* The pool in this frame: what the melt is, times noise and oscillation, within what cameras see.
 */
static void set_zone(sac_meltpool_truth *t, sac_meltpool_sim *sim, sac_sim_point p)
{
    const sac_sim_melt *m = sac_sim_melt_at(&sim->layer, p);
    int32_t cell = sac_sim_cell_at(p, SAC_SIM_CELLS);
    double swing = SWING * sac_exact_sin(sim->phase);
    double area = fmax(0.1, 1 + swing + m->noise * sim->size_noise), size = sqrt(area);
    double light = 1 + swing + m->noise * sim->light_noise;
    t->regime = m->regime;
    t->sigma_perp = (float)within(2.0 * (m->width_m / 113e-6) * size, 1.5, 3);
    t->sigma_par = (float)within(3.5 * sqrt(m->depth_m / 100e-6) * size, 2.5, 5);
    t->tail = (float)within(3.5 * (m->power_w / 200) * size, 2, 6);
    t->amplitude = (float)within(2.5 * (m->enthalpy / 11) * light, 1.5, 4);
    double back = sim->layer.vectors[sim->vector].back ? SAC_PI : 0;
    double angle = SAC_SIM_CAMERA_RAD - sim->layer.angle_rad + back;
    t->angle_rad = (float)(angle - 2 * SAC_PI * floor(angle / (2 * SAC_PI)));
    t->power_w = (float)m->power_w;
    t->width_m = (float)m->width_m;
    t->depth_m = (float)m->depth_m;
    t->enthalpy = (float)m->enthalpy;
    t->lof_density = (float)(1e-6 * sim->layer.density_m2[0][cell]);
    t->keyhole_density = (float)(1e-6 * sim->layer.density_m2[1][cell]);
    sim->phase += 2 * SAC_PI * m->oscillation_hz / SAC_MELTPOOL_SIM_RATE_HZ;
    sim->phase -= sim->phase > 2 * SAC_PI ? 2 * SAC_PI : 0;
}

/* Spatters of this frame leave the pool, so many that on average `in_a_frame` count. */
static void eject_spatters(sac_meltpool_sim *sim, const sac_meltpool_truth *t, double in_a_frame)
{
    const double pixels = 1 / (SAC_SIM_PIXEL_M * SAC_MELTPOOL_SIM_RATE_HZ); /* a frame, of 1 m/s */
    sac_sim_random *r = &sim->random;
    int32_t n =
        sac_sim_poisson(r, in_a_frame / (SPATTER_STAY * 0.5 * (SPATTER_LEAST + SPATTER_MOST)));
    for (; n > 0 && sim->n_spatters < SAC_SIM_SPATTERS; n--) {
        double speed =
            pixels * SPATTER_SPEED_M_S * sac_exact_exp(SPATTER_SPREAD * sac_sim_normal(r));
        double angle =
            (double)t->angle_rad + SAC_PI + sac_sim_uniform(r, -SPATTER_CONE, SPATTER_CONE);
        double light = sac_sim_uniform(r, SPATTER_DIM, SPATTER_BRIGHT);
        double frames = sac_sim_uniform(r, SPATTER_LEAST, SPATTER_MOST);
        sim->spatters[sim->n_spatters++] =
            (sac_sim_spatter){.at = {(double)t->x, (double)t->y},
                              .step = {speed * sac_exact_cos(angle), speed * sac_exact_sin(angle)},
                              .light = light,
                              .cooling = sac_exact_pow(SPATTER_SEEN / light, 1 / frames)};
    }
}

static bool in_frame(sac_sim_point p)
{
    return p.x > -0.5 && p.x < SAC_SIM_SIZE - 0.5 && p.y > -0.5 && p.y < SAC_SIM_SIZE - 0.5;
}

/* Lights the spatters, says how many count, and moves them on. */
static int32_t fly_spatters(sac_meltpool_sim *sim)
{
    int32_t seen = 0, left = 0;
    for (int32_t i = 0; i < sim->n_spatters; i++) {
        sac_sim_spatter s = sim->spatters[i];
        sac_sim_light_spatter(&sim->sensor, &s);
        seen += s.light >= SPATTER_SEEN;
        s.at.x += s.step.x;
        s.at.y += s.step.y;
        s.light *= s.cooling;
        if (s.light >= SPATTER_GONE && in_frame(s.at))
            sim->spatters[left++] = s;
    }
    sim->n_spatters = left;
    return seen;
}

/* Where the laser is in the next frame: on its vector, or on its way to the next one. */
static sac_sim_point place(const sac_meltpool_sim *sim)
{
    const sac_sim_vector *v = &sim->layer.vectors[sim->vector];
    double i = sim->in_vector < v->n_on ? sim->in_vector + 0.5 : v->n_on;
    sac_sim_point p = {v->start.x + i * v->step.x, v->start.y + i * v->step.y};
    if (sim->in_vector < v->n_on || sim->vector + 1 == sim->layer.n_vectors)
        return p;
    double share = (sim->in_vector - v->n_on + 0.5) / v->n_off;
    return (sac_sim_point){p.x + share * (v[1].start.x - p.x), p.y + share * (v[1].start.y - p.y)};
}

static void advance(sac_meltpool_sim *sim)
{
    const sac_sim_vector *v = &sim->layer.vectors[sim->vector];
    sim->frame++;
    if (++sim->in_vector < v->n_on + v->n_off)
        return;
    sim->in_vector = 0;
    if (++sim->vector < sim->layer.n_vectors || sim->frame == sim->n_frames)
        return;
    sim->vector = 0;
    sac_sim_layer_plan(&sim->layer, sim->layer.index + 1, sim->seed, sim->regime);
}

bool sac_meltpool_sim_next(sac_meltpool_sim *sim, uint8_t *frame, sac_meltpool_signals *signals,
                           sac_meltpool_truth *truth)
{
    if (!sim || !frame || !signals || sim->frame == sim->n_frames)
        return false;
    double m[2][3];
    sac_sim_point p = place(sim);
    double x_um = floor(1e6 * p.x + 0.5), y_um = floor(1e6 * p.y + 0.5);
    bool on = sim->in_vector < sim->layer.vectors[sim->vector].n_on;
    sac_meltpool_truth t = {.regime = SAC_MELTPOOL_OFF, .layer = sim->layer.index};
    sac_meltpool_sim_calibration(m);
    t.x = (float)(m[0][0] * 1e6 * p.x + m[0][1] * 1e6 * p.y + m[0][2]);
    t.y = (float)(m[1][0] * 1e6 * p.x + m[1][1] * 1e6 * p.y + m[1][2]);
    move_noise(&sim->size_noise, &sim->random);
    move_noise(&sim->light_noise, &sim->random);
    sac_sim_dark(&sim->sensor);
    if (on) {
        set_zone(&t, sim, p);
        sac_sim_light_zone(&sim->sensor, &t);
        eject_spatters(sim, &t, sac_sim_melt_at(&sim->layer, p)->spatters);
    }
    t.n_spatters = fly_spatters(sim);
    sac_sim_expose(frame, &sim->sensor, sim->frame);
    *signals = (sac_meltpool_signals){
        .laser_on = on, .counter = (int32_t)sim->frame, .x = (int32_t)x_um, .y = (int32_t)y_um};
    if (truth)
        *truth = t;
    advance(sim);
    return true;
}

void sac_meltpool_sim_close(sac_meltpool_sim **sim)
{
    if (!sim || !*sim)
        return;
    sac_free(*sim);
    *sim = NULL;
}
