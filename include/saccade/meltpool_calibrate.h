/*
 * Where the laser is in the picture of a melt pool's camera: fits a calibration, (2, 3) as in
 * sac_meltpool_desc, to the places that the machine says and to the pools that the camera sees.
 *
 *     st = sac_meltpool_see(sights, &frames, signals, 60, &err);   // each batch of a recording
 *     sac_meltpool_fit fit = {.struct_size = sizeof fit};
 *     st = sac_meltpool_calibrate(&fit, sights, n, &err);
 *     if (st == SAC_OK)
 *         memcpy(desc.calibration, fit.calibration, sizeof desc.calibration);
 *
 * docs/meltpool.md has the method.
 *
 * Threads: every function may be called from any thread at any time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MELTPOOL_CALIBRATE_H
#define SACCADE_MELTPOOL_CALIBRATE_H

#include <saccade/meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SAC_MELTPOOL_LEAST_SIGHTS 16 /* frames that a calibration is fitted to, at least */

/* What one frame says: where the machine points the laser, and where the camera sees the pool. */
typedef struct sac_meltpool_sight {
    sac_meltpool_signals signals;
    uint32_t
        flags; /* 0: usable; else one of SAC_MELTPOOL_EMPTY (the laser was off), NO_POOL (no
                  pixel reached the threshold) and CLIPPED (the pool touches the frame's edge) */
    double column, row; /* centroid of the pool in pixels; 0 without a pool */
} sac_meltpool_sight;

/*
 * Finds the pools of n frames of a stream, without a calibration: a pool is the component of pixels
 * >= threshold with the most light in the whole frame, of equals the first in raster order.
 *
 * sights (n) are written, all fields of them. frames (n, h, w) of u8 in CPU memory, w h < 2^31; the
 * strides between frames and rows are free, the pixels of a row are adjacent. signals (n).
 * threshold 1..255. Allocates up to 60 bytes per pixel of a frame, which it frees. SAC_E_SHAPE;
 * SAC_E_INVALID (NULL, the threshold); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_see(sac_meltpool_sight *sights,
                                                  const sac_array *frames,
                                                  const sac_meltpool_signals *signals,
                                                  int32_t threshold, sac_error *err);

/* A calibration, and how well it fits. frames = used + laser_off + no_pool + clipped + turning +
 * outliers. */
typedef struct sac_meltpool_fit {
    size_t struct_size;
    double calibration[2][3]; /* column = m[0][0] x + m[0][1] y + m[0][2]; row likewise */
    double lag;   /* pixels that the pool's centroid lies behind the laser, which the calibration
                     leaves out */
    bool has_lag; /* false: the laser's directions do not tell it, and it is in the calibration */
    int64_t frames;
    int64_t used; /* frames that the calibration is fitted to */
    int64_t laser_off, no_pool, clipped;
    int64_t turning;  /* no direction is known: the first frames after the laser was off, or stood
                         still; always 0 without has_lag */
    int64_t outliers; /* the pool is more than a pixel elsewhere: a spatter was taken for it, or a
                         flame reaches far */
    double median, p95, max; /* residuals of the frames used: distances in pixels between the
                                centroid and where the calibration and the lag put it */
} sac_meltpool_fit;

/*
 * Fits a calibration to the sights of a recording, (n), in the stream's order. Frames that are not
 * usable are left out, and so are outliers, up to almost half of the usable frames. The same sights
 * give the same fit.
 *
 * Fills in the fields that fit->struct_size has room for: set it first. Allocates 80 bytes per
 * usable sight, which it frees. SAC_E_INVALID: NULL, or n < 0; or the sights tell no calibration,
 * and the fit is unchanged: fewer than SAC_MELTPOOL_LEAST_SIGHTS are usable, or remain without
 * outliers; the laser's places are on a line or on one place; the pool does not move in the
 * picture, or not with the laser. SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_calibrate(sac_meltpool_fit *fit,
                                                        const sac_meltpool_sight *sights, int64_t n,
                                                        sac_error *err);

/*
 * A warning, as one line for users, if the fit looks doubtful: a median residual above a pixel,
 * less than half of the frames with a pool used, fewer than 100 frames, or a lag that is not known.
 * "" if nothing looks wrong, if fit is NULL, or if struct_size is not set. The text is static.
 */
SAC_API const char *sac_meltpool_fit_doubt(const sac_meltpool_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
