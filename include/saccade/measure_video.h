/*
 * Measures of video, for reports: how much two frames differ, and a camera's noise from frames of
 * a still scene.
 *
 *     sac_camera_noise_desc desc;
 *     sac_camera_noise *noise = NULL;
 *     sac_camera_noise_desc_init(&desc);
 *     desc.w = 1920, desc.h = 1080;
 *     st = sac_camera_noise_open(&noise, &desc, &err);
 *     while (st == SAC_OK && next_frame(&frame))
 *         st = sac_camera_noise_add(noise, &frame, &err);
 *     sac_noise_figures figures[16 + 1];
 *     st = st ? st : sac_camera_noise_get_figures(noise, figures, 0, &err);
 *     sac_camera_noise_close(&noise);
 *
 * Threads: a sac_camera_noise is used by one thread at a time; different ones may be used at the
 * same time. Everything else may be called from any thread. NULL is SAC_E_INVALID, except where it
 * is said to be allowed.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MEASURE_VIDEO_H
#define SACCADE_MEASURE_VIDEO_H

#include <saccade/array.h>
#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* With d as a heat map has it: the sum over the colors of |c - p|, 0..765, and of gray 3 |c - p|.
 */
typedef struct sac_frame_difference {
    uint64_t n_changed; /* pixels whose d is not 0 */
    uint64_t sum;       /* of all d */
    int32_t max;        /* the largest d */
} sac_frame_difference;

/*
 * Compares two u8 frames of one shape in the CPU's memory: (h, w), (h, w, 3) or (h, w, 4), whose
 * fourth channel is ignored. Strides are free. SAC_E_INVALID, SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_difference(sac_frame_difference *out,
                                                        const sac_array *current,
                                                        const sac_array *previous, sac_error *err);

/* What frames are measured, and how. */
typedef struct sac_camera_noise_desc {
    size_t struct_size;
    int64_t w, h;       /* 1..2^31 - 1 pixels; no default */
    int32_t n_channels; /* 1, the default, to 4; each is measured by itself */
    sac_dtype dtype;    /* SAC_U8, the default, or SAC_U16 */
    int32_t white;      /* the largest sample that the camera gives, 1..65535; 0, the default: the
                           largest of the type. 1023 of 10 bits in u16 */
    int32_t n_bins;     /* equal classes of brightness from 0 to white, 1..256; default 16 */
} sac_camera_noise_desc;

/*
 * Standard deviations in levels, of the samples of one class of brightness. A sample is thought of
 * as scene + fixed pattern + noise of its frame, each of the last two with a part of the pixel, of
 * its row and of its column. NaN where there are too few samples. docs/camera-noise.md has the
 * estimators.
 */
typedef struct sac_noise_figures {
    double brightness; /* mean level */
    double n_pixels;   /* mean number of pixels of a frame that have it */

    /* New in each frame. */
    double random;             /* of single pixels */
    double row, column, frame; /* banding: of whole rows, of whole columns; and of whole frames */
    double temporal;           /* all four: EMVA 1288's temporal noise */

    /* The same in all frames: EMVA 1288's spatial nonuniformity. */
    double fixed; /* of single pixels */
    double fixed_row, fixed_column;

    double clipped;  /* share of samples at 0 or white, whose noise is cut off */
    double restless; /* share of pixels that vary by far more than their noise: something moves */
} sac_noise_figures;

typedef struct sac_camera_noise sac_camera_noise;

/* Fills in every default. */
SAC_API void sac_camera_noise_desc_init(sac_camera_noise_desc *desc);

/*
 * Allocates sums and sums of squares of every sample, 18 bytes each, whatever the number of frames.
 * On failure *noise is NULL. SAC_E_INVALID, SAC_E_SHAPE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_camera_noise_open(sac_camera_noise **noise,
                                                       const sac_camera_noise_desc *desc,
                                                       sac_error *err);

/*
 * Takes the next frame, (h, w) or (h, w, n_channels) in the CPU's memory with free strides.
 * Allocates nothing. SAC_E_INVALID, SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_camera_noise_add(sac_camera_noise *noise,
                                                      const sac_array *frame, sac_error *err);

/*
 * The figures of a channel after two frames or more: figures[i] of class i of n_bins, and
 * figures[n_bins] of all brightnesses together. More frames may be added afterwards.
 * SAC_E_INVALID (also: fewer than two frames).
 */
SAC_API SAC_NODISCARD sac_status sac_camera_noise_get_figures(sac_camera_noise *noise,
                                                              sac_noise_figures *figures,
                                                              int32_t channel, sac_error *err);

/* Frees it and sets *noise to NULL. noise == NULL and *noise == NULL are allowed. */
SAC_API void sac_camera_noise_close(sac_camera_noise **noise);

#ifdef __cplusplus
}
#endif
#endif
