/*
 * The melt-pool simulator's insides: a layer is planned as a whole (where the laser goes, with what
 * power, where pores come to lie), then its frames are made one by one: the state of the pool and
 * the spatters, their light, the sensor. All of it is in metres and seconds until it is in pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_SIMULATOR_H
#define SAC_MELTPOOL_SIMULATOR_H

#include <saccade/simulate_meltpool.h>

#include "base/error.h"
#include "base/random.h"
#include "meltpool/exact.h"

#define SAC_SIM_SIZE SAC_MELTPOOL_SIM_SIZE
#define SAC_SIM_PART_M 6.15e-3 /* a square: 8,500 frames a layer */
#define SAC_SIM_SPEED_M_S 1.0
#define SAC_SIM_STEP_M (SAC_SIM_SPEED_M_S / SAC_MELTPOOL_SIM_RATE_HZ)
#define SAC_SIM_HATCH_M 100e-6
#define SAC_SIM_LAYER_M 30e-6
#define SAC_SIM_TURN_RAD (67 * SAC_PI / 180) /* of each layer */
#define SAC_SIM_VECTORS 96                   /* at most sqrt(2) part / hatch = 87 */
#define SAC_SIM_TILES 3                      /* along each side of the part */
#define SAC_SIM_CELLS 48                     /* along each side, of the map of pores */
#define SAC_SIM_SPATTERS 64
#define SAC_SIM_QUANTILES 4096

#define SAC_SIM_PIXEL_M 200e-6
#define SAC_SIM_CAMERA_RAD (2 * SAC_PI / 180) /* the camera's turn against the machine */
#define SAC_SIM_CENTER_X 47.6                 /* the machine's origin, in pixels */
#define SAC_SIM_CENTER_Y 48.3

#define SAC_SIM_SATURATION 255.0

/* Random numbers in a row. */
typedef struct sac_sim_random {
    uint64_t seed, at;
} sac_sim_random;

static inline double sac_sim_uniform(sac_sim_random *r, double low, double high)
{
    return low + (high - low) * sac_random_uniform(r->seed, r->at++);
}

/* Mean 0, variance 1 (Box and Muller). */
static inline double sac_sim_normal(sac_sim_random *r)
{
    double radius = sqrt(-2 * sac_exact_log(sac_sim_uniform(r, 0, 1)));
    return radius * sac_exact_cos(sac_sim_uniform(r, 0, 2 * SAC_PI));
}

/* How many came where `mean` are expected (Knuth); for small means. */
static inline int32_t sac_sim_poisson(sac_sim_random *r, double mean)
{
    double left = sac_sim_uniform(r, 0, 1), least = sac_exact_exp(-mean);
    int32_t n = 0;
    for (; left > least; n++)
        left *= sac_sim_uniform(r, 0, 1);
    return n;
}

typedef struct sac_sim_point {
    double x, y;
} sac_sim_point;

/* A straight line of the laser, and the pause behind it. */
typedef struct sac_sim_vector {
    sac_sim_point start, step; /* metres; a frame's place is its middle */
    int32_t n_on, n_off;       /* frames */
    bool back;                 /* against the layer's direction */
} sac_sim_vector;

/* What the laser's power makes of the metal. */
typedef struct sac_sim_melt {
    sac_meltpool_regime regime;
    double power_w, width_m, depth_m, enthalpy;
    double pores_m2[2];    /* expected: lack of fusion, keyhole */
    double noise;          /* of size and light, relative */
    double oscillation_hz; /* of both */
    double spatters;       /* in a frame, on average */
} sac_sim_melt;

typedef struct sac_sim_layer {
    int32_t index;
    double angle_rad;
    sac_sim_vector vectors[SAC_SIM_VECTORS];
    int32_t n_vectors;
    int64_t n_frames;
    sac_sim_melt tiles[SAC_SIM_TILES * SAC_SIM_TILES];
    double density_m2[2][SAC_SIM_CELLS * SAC_SIM_CELLS]; /* of pores, smoothed */
    double exposed[SAC_SIM_CELLS * SAC_SIM_CELLS];       /* scratch: frames in a cell */
} sac_sim_layer;

/* Light on the sensor; and what the sensor makes of it. */
typedef struct sac_sim_sensor {
    float light[SAC_SIM_SIZE * SAC_SIM_SIZE];   /* counts, of the frame in work */
    float pattern[SAC_SIM_SIZE * SAC_SIM_SIZE]; /* offset, fixed pattern, hot pixels */
    float normal[SAC_SIM_QUANTILES];
    uint64_t seed; /* of the noise */
} sac_sim_sensor;

typedef struct sac_sim_spatter {
    sac_sim_point at, step; /* pixels, pixels a frame */
    double light, cooling;  /* counts at its center; their factor from frame to frame */
} sac_sim_spatter;

/* The random sequence of one purpose. */
enum { SAC_SIM_OF_LAYERS, SAC_SIM_OF_POOL, SAC_SIM_OF_NOISE, SAC_SIM_OF_SENSOR };

static inline sac_sim_random sac_sim_sequence(uint64_t seed, uint64_t purpose, uint64_t at)
{
    return (sac_sim_random){sac_random(seed, purpose), at};
}

/* The laser's way in a layer; and, with `seed` and `regime`, all else of it. */
SAC_INTERNAL void sac_sim_layer_path(sac_sim_layer *layer, int32_t index, sac_sim_random *r);
SAC_INTERNAL void sac_sim_layer_plan(sac_sim_layer *layer, int32_t index, uint64_t seed,
                                     sac_meltpool_regime regime);

/* At a place of the part. */
SAC_INTERNAL const sac_sim_melt *sac_sim_melt_at(const sac_sim_layer *layer, sac_sim_point p);
SAC_INTERNAL int32_t sac_sim_cell_at(sac_sim_point p, int32_t n);

SAC_INTERNAL void sac_sim_sensor_init(sac_sim_sensor *sensor, uint64_t seed);
SAC_INTERNAL void sac_sim_dark(sac_sim_sensor *sensor);
SAC_INTERNAL void sac_sim_light_zone(sac_sim_sensor *sensor, const sac_meltpool_truth *zone);
SAC_INTERNAL void sac_sim_light_spatter(sac_sim_sensor *sensor, const sac_sim_spatter *spatter);
/* Frame number `index` of what light there is. */
SAC_INTERNAL void sac_sim_expose(uint8_t *frame, const sac_sim_sensor *sensor, int64_t index);

#endif
