/*
 * A simulated build of laser powder bed fusion as a camera at 20,000 frames/s sees it: frames, the
 * machine's signals, and the truth behind each frame. docs/meltpool.md has the formulas.
 *
 * Threads: a simulation is for one thread at a time, and different ones are for different threads
 * at the same time; functions without one are for any thread at any time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_SIMULATE_MELTPOOL_H
#define SACCADE_SIMULATE_MELTPOOL_H

#include <saccade/meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SAC_MELTPOOL_SIM_SIZE 96         /* pixels: frames are (96, 96) of u8 */
#define SAC_MELTPOOL_SIM_RATE_HZ 20000.0 /* of frames */

/* What a place of the build is like. A desc takes 0..3, the truth has -1..2. */
typedef enum sac_meltpool_regime {
    SAC_MELTPOOL_OFF = -1,    /* the laser is off */
    SAC_MELTPOOL_NOMINAL = 0, /* dense metal */
    SAC_MELTPOOL_KEYHOLE,     /* normalised enthalpy above 13: vapour drills, and leaves pores */
    SAC_MELTPOOL_LOF,         /* lack of fusion: tracks do not overlap enough */
    SAC_MELTPOOL_MIXED        /* nine tiles a layer, each of one of these */
} sac_meltpool_regime;

/* What a frame was made of. Where the laser is off all but layer, x, y and n_spatters is 0. */
typedef struct sac_meltpool_truth {
    int32_t regime;         /* sac_meltpool_regime */
    int32_t layer;          /* from 0 */
    int32_t n_spatters;     /* glowing at 60 counts or more, with their centers in the frame */
    float x, y;             /* the process zone's center: column and row, in pixels */
    float sigma_perp;       /* its outline, in pixels: across the scan, */
    float sigma_par;        /* along it, */
    float tail;             /* length of the exponential behind it */
    float angle_rad;        /* where it moves, from x towards y (down), in [0, 2 pi) */
    float amplitude;        /* in units of saturation, 255 counts */
    float power_w;          /* of the laser */
    float width_m, depth_m; /* of the melt pool, by the fits */
    float enthalpy;         /* normalised */
    float lof_density;      /* pores from lack of fusion around here, 1/mm^2 */
    float keyhole_density;  /* keyhole pores */
} sac_meltpool_truth;

typedef struct sac_simulate_meltpool_desc {
    size_t struct_size;
    int32_t regime;   /* sac_meltpool_regime; default SAC_MELTPOOL_MIXED */
    int32_t n_layers; /* 1..100000, default 6; a layer is about 8,500 frames */
    int64_t n_frames; /* > 0: exactly so many, of as many layers as they take; default 0 */
    uint64_t seed;    /* the same gives the same frames, signals and truth, on every machine;
                         below 2^53, default 1 */
} sac_simulate_meltpool_desc;

SAC_API void sac_simulate_meltpool_desc_init(sac_simulate_meltpool_desc *desc);

/* A simulation. */
typedef struct sac_meltpool_sim sac_meltpool_sim;

/* SAC_E_INVALID (NULL, a value beyond its range), SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_meltpool_sim_open(sac_meltpool_sim **out,
                                                       const sac_simulate_meltpool_desc *desc,
                                                       sac_error *err);

/* How many frames it makes in all; 0 with NULL. */
SAC_API int64_t sac_meltpool_sim_get_frames(const sac_meltpool_sim *sim);

/* From the signals' x and y, micrometres, to pixels: column = m[0][0] x + m[0][1] y + m[0][2], row
 * likewise. */
SAC_API void sac_meltpool_sim_calibration(double m[2][3]);

/*
 * The next frame, (96, 96) of u8, contiguous, with its signals and truth (which may be NULL). False
 * behind the last one, and where sim, frame or signals is NULL. Allocates nothing.
 */
SAC_API bool sac_meltpool_sim_next(sac_meltpool_sim *sim, uint8_t *frame,
                                   sac_meltpool_signals *signals, sac_meltpool_truth *truth);

SAC_API void sac_meltpool_sim_close(sac_meltpool_sim **sim);

#ifdef __cplusplus
}
#endif
#endif
