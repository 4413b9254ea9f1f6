/*
 * A simulated build of laser powder bed fusion as a camera at 20,000 frames/s sees it: frames, the
 * machine's signals, and the truth for each frame. docs/meltpool.md has the formulas.
 *
 *     sac_simulate_meltpool_desc desc;
 *     sac_meltpool_sim *sim = NULL;
 *     sac_simulate_meltpool_desc_init(&desc);
 *     st = sac_meltpool_sim_open(&sim, &desc, &err);
 *     while (sac_meltpool_sim_next(sim, pixels, &signals, &truth))
 *         analyse(pixels, &signals);
 *     sac_meltpool_sim_close(&sim);
 *
 * `pixels` is the caller's memory of 96 x 96 bytes; an array view of it (saccade/array.h) is what
 * sac_meltpool_run takes. The signals are in micrometres: sac_meltpool_sim_calibration(
 * desc.calibration) sets the calibration of a sac_meltpool_desc.
 *
 * Threads: a simulation is used by one thread at a time; different simulations may be used at the
 * same time. Functions without a simulation may be called from any thread at any time.
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

/* The state of the process at a place of the build. A desc takes 0..3, the truth has -1..2. */
typedef enum sac_meltpool_regime {
    SAC_MELTPOOL_OFF = -1,    /* the laser is off */
    SAC_MELTPOOL_NOMINAL = 0, /* dense metal */
    SAC_MELTPOOL_KEYHOLE, /* normalised enthalpy above 13: vapour drills a keyhole and leaves pores
                           */
    SAC_MELTPOOL_LOF,     /* lack of fusion: tracks overlap too little */
    SAC_MELTPOOL_MIXED    /* nine tiles per layer, each in one of these regimes */
} sac_meltpool_regime;

/*
 * The truth of a frame. If the laser is off, all fields except regime, layer, x, y and n_spatters
 * are 0.
 */
typedef struct sac_meltpool_truth {
    int32_t regime;     /* sac_meltpool_regime */
    int32_t layer;      /* from 0 */
    int32_t n_spatters; /* spatters that glow with at least 60 counts and have their centers in the
                           frame */
    float x, y;         /* the process zone's center: column and row, in pixels */
    float sigma_perp;   /* its extent (sigma) across the scan, in pixels */
    float sigma_par;    /* its extent (sigma) along the scan, in pixels */
    float tail;         /* length of the exponential tail, in pixels */
    float angle_rad;    /* direction of movement, from x towards y (down), in [0, 2 pi) */
    float amplitude;    /* in units of saturation, 255 counts */
    float power_w;      /* of the laser */
    float width_m, depth_m; /* of the melt pool, by the fits of docs/meltpool.md */
    float enthalpy;         /* normalised */
    float lof_density;      /* pores from lack of fusion around this place, 1/mm^2 */
    float keyhole_density;  /* keyhole pores around this place, 1/mm^2 */
} sac_meltpool_truth;

typedef struct sac_simulate_meltpool_desc {
    size_t struct_size;
    int32_t regime;   /* sac_meltpool_regime; default SAC_MELTPOOL_MIXED */
    int32_t n_layers; /* 1..100000, default 6; a layer is about 8,500 frames */
    int64_t n_frames; /* > 0: exactly this many, in as many layers as needed; default 0 */
    uint64_t seed; /* the same seed gives the same frames, signals and truth on every machine; below
                      2^53, default 1. The shipped model was trained on seeds 1 to 24 */
} sac_simulate_meltpool_desc;

/* Fills in every default; nothing has to be set. */
SAC_API void sac_simulate_meltpool_desc_init(sac_simulate_meltpool_desc *desc);

/* A simulation. */
typedef struct sac_meltpool_sim sac_meltpool_sim;

/*
 * Opens a simulation; the caller closes it. SAC_E_INVALID (NULL, a value out of range),
 * SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_sim_open(sac_meltpool_sim **out,
                                                       const sac_simulate_meltpool_desc *desc,
                                                       sac_error *err);

/* The total number of frames; 0 for NULL. */
SAC_API int64_t sac_meltpool_sim_get_frames(const sac_meltpool_sim *sim);

/*
 * The calibration from the signals' x and y, in micrometres, to pixels: column = m[0][0] x +
 * m[0][1] y + m[0][2], row likewise with m[1].
 */
SAC_API void sac_meltpool_sim_calibration(double m[2][3]);

/*
 * Makes the next frame, (96, 96) of u8, contiguous, with its signals and truth; truth may be NULL.
 * False after the last frame, and if sim, frame or signals is NULL. Allocates nothing.
 */
SAC_API bool sac_meltpool_sim_next(sac_meltpool_sim *sim, uint8_t *frame,
                                   sac_meltpool_signals *signals, sac_meltpool_truth *truth);

/* Frees the simulation and sets *sim to NULL. */
SAC_API void sac_meltpool_sim_close(sac_meltpool_sim **sim);

#ifdef __cplusplus
}
#endif
#endif
