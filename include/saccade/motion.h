/*
 * What changes between the frames of a video: heat map, noise view, denoising, and a stream that
 * sends only the changes (saccade/delta.h).
 *
 * Frames are u8, (h, w) gray or (h, w, channels): 3 RGB or BGR, 4 with a fourth that is not looked
 * at (RGBA, BGRx). With c and p the current and the previous frame's values:
 *
 *     heat map   d = sum over the colors of |c - p|, 0..765 (gray: 3 |c - p|); out = map[d]
 *     noise      changed where any color has |c - p| > threshold
 *
 * After Battilana's report on CUDA video streaming; docs/motion.md has the maps and filters.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MOTION_H
#define SACCADE_MOTION_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>
#include <saccade/param.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which color a picture's first channel is. */

typedef enum sac_heat_map {
    SAC_HEAT_SINE = 0, /* of the report: blue, green, red */
    SAC_HEAT_GRAY,
    SAC_HEAT_JET,
    SAC_HEAT_TURBO,
    SAC_HEAT_VIRIDIS
} sac_heat_map;

typedef struct sac_heatmap_desc {
    size_t struct_size;

    int64_t w, h;       /* pixels */
    int32_t n_channels; /* of the frames: 1, 3 or 4; out has 3, or 4 where they have (255) */
    sac_pixel_order order;

    /* Options; the parameter table describes them. */
    int32_t map;   /* sac_heat_map */
    int32_t scale; /* the d that is the map's end, 1..765; 510 as in the report's program. Behind
                      it the sine map goes on by its formula, and the others begin again */
    int32_t n_threads;
    sac_device device;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log;
} sac_heatmap_desc;

typedef struct sac_heatmap sac_heatmap;

SAC_API const sac_param_table *sac_heatmap_params(void);
SAC_API void sac_heatmap_desc_init(sac_heatmap_desc *desc);

/* Checks, chooses kernels, makes the table of 766 colors, starts threads. On failure *plan is NULL.
 * SAC_E_INVALID, SAC_E_SHAPE, SAC_E_UNSUPPORTED, SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_API SAC_NODISCARD sac_status sac_heatmap_open(sac_heatmap **plan, const sac_heatmap_desc *desc,
                                                  sac_error *err);

/* Draws how much `current` differs from `previous`. Strides are free; `out` may be one of the
 * frames where its pixels are of the same size. Allocates nothing, takes no lock. SAC_E_SHAPE. One
 * run at a time on a plan. */
SAC_API SAC_NODISCARD sac_status sac_heatmap_run(sac_heatmap *plan, const sac_array *out,
                                                 const sac_array *current,
                                                 const sac_array *previous, sac_error *err);
SAC_API const char *sac_heatmap_get_variant(const sac_heatmap *plan);
SAC_API void sac_heatmap_close(sac_heatmap **plan);

typedef enum sac_noise_view {
    SAC_NOISE_MASK = 0, /* changed pixels red on black; the fourth channel 255 */
    SAC_NOISE_OVERLAY,  /* on the previous frame: its red becomes 255, the fourth stays */
    SAC_NOISE_PURE,     /* on the previous frame: pure red */
    SAC_NOISE_BITS      /* out (h, ceil(w / 8)) u8: a bit a pixel, the first the lowest */
} sac_noise_view;

typedef struct sac_noise_desc {
    size_t struct_size;

    int64_t w, h;
    int32_t n_channels; /* 1, 3 or 4; of gray, pictures out have 1 (red is white) */
    sac_pixel_order order;

    int32_t view;      /* sac_noise_view */
    int32_t threshold; /* 0..255: a change must be larger */
    int32_t n_threads;
    sac_device device;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log;
} sac_noise_desc;

typedef struct sac_noise sac_noise;

SAC_API const sac_param_table *sac_noise_params(void);
SAC_API void sac_noise_desc_init(sac_noise_desc *desc);
SAC_API SAC_NODISCARD sac_status sac_noise_open(sac_noise **plan, const sac_noise_desc *desc,
                                                sac_error *err);

/* As sac_heatmap_run; overlays into `previous` itself are welcome. */
SAC_API SAC_NODISCARD sac_status sac_noise_run(sac_noise *plan, const sac_array *out,
                                               const sac_array *current, const sac_array *previous,
                                               sac_error *err);

/* How many pixels the last run found changed. */
SAC_API uint64_t sac_noise_get_count(const sac_noise *plan);
SAC_API const char *sac_noise_get_variant(const sac_noise *plan);
SAC_API void sac_noise_close(sac_noise **plan);

typedef enum sac_denoise_method {
    SAC_DENOISE_MEAN = 0,
    SAC_DENOISE_GAUSSIAN,
    SAC_DENOISE_MEDIAN,
    SAC_DENOISE_TEMPORAL /* recursive, held back where the picture moves */
} sac_denoise_method;

typedef struct sac_denoise_desc {
    size_t struct_size;

    int64_t w, h;
    int32_t n_channels; /* 1 to 4: all filtered alike */

    int32_t method;  /* sac_denoise_method */
    int32_t size;    /* 3 or 5: the window's side */
    double sigma;    /* Gaussian; 0: from the size, as OpenCV: 0.3 ((size - 1) / 2 - 1) + 0.8 */
    double strength; /* temporal: 0..1, how much of the past may stay */
    double noise;    /* temporal: standard deviation of the noise in levels; 0: estimated */
    int32_t n_threads;
    sac_device device;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log;
} sac_denoise_desc;

typedef struct sac_denoise sac_denoise;

SAC_API const sac_param_table *sac_denoise_params(void);
SAC_API void sac_denoise_desc_init(sac_denoise_desc *desc);
SAC_API SAC_NODISCARD sac_status sac_denoise_open(sac_denoise **plan, const sac_denoise_desc *desc,
                                                  sac_error *err);

/* Filters a frame; borders reflect (without repeating the edge), results round to nearest. `out` is
 * not `in`. Temporal: frames in order. SAC_E_SHAPE. */
SAC_API SAC_NODISCARD sac_status sac_denoise_run(sac_denoise *plan, const sac_array *out,
                                                 const sac_array *in, sac_error *err);

/* Temporal: forgets earlier frames. */
SAC_API void sac_denoise_reset(sac_denoise *plan);

/* Temporal: the noise's standard deviation in levels, as given or last estimated; else 0. */
SAC_API double sac_denoise_get_noise(const sac_denoise *plan);
SAC_API const char *sac_denoise_get_variant(const sac_denoise *plan);
SAC_API void sac_denoise_close(sac_denoise **plan);

#ifdef __cplusplus
}
#endif
#endif
