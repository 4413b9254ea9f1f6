/*
 * Changes between the frames of a video: heat map, noise view and denoising; and a camera's
 * controls in software: gain, contrast, brightness, saturation. saccade/video.h reads and writes
 * the frames; saccade/delta.h sends only the changes.
 *
 *     sac_heatmap_desc desc;
 *     sac_heatmap *plan = NULL;
 *     sac_heatmap_desc_init(&desc);
 *     desc.w = 1920, desc.h = 1080, desc.n_channels = 3;
 *     st = sac_heatmap_open(&plan, &desc, &err);
 *     st = sac_heatmap_run(plan, &out, &current, &previous, &err);
 *     sac_heatmap_close(&plan);
 *
 * The caller keeps the previous frame; for the first frame of a video there is nothing to run. With
 * desc.keep_previous the plan keeps it: every run may then have NULL as previous, and the first one
 * is SAC_AGAIN.
 *
 * sac_noise, sac_denoise and sac_adjust have the same calls. Frames are u8, (h, w) gray or (h, w,
 * channels): 3 is RGB or BGR; with 4 the fourth is ignored (RGBA, BGRx). Strides are free. With c
 * and p the values of the current and the previous frame:
 *
 *     heat map   d = sum over the colors of |c - p|, 0..765 (gray: 3 |c - p|); out = map[d]
 *     noise      changed where any color has |c - p| > threshold
 *
 * After Battilana's report on CUDA video streaming; docs/motion.md has the maps and filters.
 *
 * Threads: a plan (an opened pipeline) is used by one thread at a time; different plans may run at
 * the same time. Functions without a plan may be called from any thread. Only the close functions
 * accept NULL; a run of a NULL plan is SAC_E_INVALID.
 *
 * In every desc: w and h are 1..2^31 - 1 pixels and have no default; n_channels is 3 by default;
 * `order` says which color the first channel is, default SAC_ORDER_UNKNOWN, which is treated as
 * RGB; n_threads 0, the default, means one per core, and on a GPU is for packing frames that are
 * not page-locked; `device` is the CPU or a GPU; `stream`, on a GPU, is the caller's cudaStream_t,
 * of that GPU (its default stream is cudaStreamLegacy): runs then only enqueue, all arrays are in
 * its memory, and an error of the GPU may show in a later run. NULL, the default: the plan has its
 * own, and runs are complete when they return; `variant` names implementations to use, "NAME" or
 * "ROOM:NAME,ROOM:NAME" (a room is one step), NULL means the fastest; `executor` has threads of the
 * caller, NULL means the plan's own; `log` is told at open which variants were chosen, and may be
 * NULL.
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

/* The luma of a frame of a video decoder: a plane of its own. */
typedef enum sac_luma {
    SAC_LUMA_U8 = 0, /* NV12, and I420, NV16, ...: a byte per sample */
    SAC_LUMA_HIGH    /* P010, and P012, P016, ...: the high bits of 2 bytes, little endian */
} sac_luma;

/*
 * Views the luma plane of a frame as a gray frame (h, w) u8, on the CPU or on a GPU, for plans with
 * n_channels 1: differences are then those of luma. Of SAC_LUMA_HIGH the view has the upper 8 bits
 * of each sample, and what is drawn into such a view leaves the lower ones. `data` is the plane's
 * first sample, `pitch` the bytes from row to row; nothing is copied. SAC_E_INVALID (NULL),
 * SAC_E_SHAPE (w or h below 1, pitch shorter than a row).
 */
SAC_API SAC_NODISCARD sac_status sac_luma_view(sac_array *out, void *data, sac_luma luma, int64_t w,
                                               int64_t h, ptrdiff_t pitch, sac_device device,
                                               sac_error *err);

typedef enum sac_heat_map {
    SAC_HEAT_SINE = 0, /* the report's: blue, green, red */
    SAC_HEAT_GRAY,
    SAC_HEAT_JET,
    SAC_HEAT_TURBO,
    SAC_HEAT_VIRIDIS
} sac_heat_map;

typedef struct sac_heatmap_desc {
    size_t struct_size;

    int64_t w, h;
    int32_t n_channels;    /* of the frames: 1, 3 or 4 */
    sac_pixel_order order; /* of frames and out */

    /* Options. */
    int32_t map; /* sac_heat_map; default SAC_HEAT_SINE */
    int32_t
        scale; /* the d at the end of the map, 1..765, default 765; 510 in the report's program. For
                  larger d the sine map continues by its formula, and the others start again */
    int32_t n_threads;
    sac_device device;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log;

    void *stream;       /* since 0.2, as the next */
    bool keep_previous; /* the plan keeps a copy of the current frame of each run; default false */
} sac_heatmap_desc;

typedef struct sac_heatmap sac_heatmap;

/* The fields that options set, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_heatmap_params(void);

/* Fills in every default. The caller sets w and h, and n_channels unless it is 3. */
SAC_API void sac_heatmap_desc_init(sac_heatmap_desc *desc);

/*
 * Checks the desc, chooses variants, makes the table of 766 colors, starts threads. On failure
 * *plan is NULL. SAC_E_INVALID, SAC_E_SHAPE, SAC_E_UNSUPPORTED, SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_heatmap_open(sac_heatmap **plan, const sac_heatmap_desc *desc,
                                                  sac_error *err);

/*
 * Draws how much `current` differs from `previous`. `out` is (h, w, 3), or (h, w, 4) with the
 * fourth 255 if the frames have 4 channels. It may be exactly one of the frames if its pixels have
 * the same size, but must not overlap them otherwise. Strides are free. Allocates nothing; takes a
 * lock only to wake sleeping threads of the plan. Only one run at a time on a plan.
 *
 * With desc.keep_previous, `previous` may be NULL, which stands for the current frame of the run
 * before. A GPU then copies only one frame of the CPU's memory per run. SAC_AGAIN: there was no run
 * before; the frame is kept, and nothing is drawn. SAC_E_SHAPE, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_heatmap_run(sac_heatmap *plan, const sac_array *out,
                                                 const sac_array *current,
                                                 const sac_array *previous, sac_error *err);

/*
 * n heat maps in order: outs[i] of currents[i] and previouses[i]. Of n + 1 frames of one video, one
 * after the other: currents = frames + 1, previouses = frames. Of n videos: a frame of each. On a
 * GPU pictures that lie alike share a launch; copies in, drawing and copies back of different
 * pictures overlap, and a frame that is the current one of a picture and the previous one of the
 * next is copied once. So an out must overlap no frame of another picture. n of 0 does nothing.
 * Same errors as sac_heatmap_run; if one picture fails, earlier ones may be incomplete too.
 *
 * With desc.keep_previous, `previouses` may be NULL: the currents are then frames of one video, one
 * after the other, and the first follows the last one of the run before. SAC_AGAIN: there was none;
 * only currents[0] is kept, and nothing is drawn.
 */
SAC_API SAC_NODISCARD sac_status sac_heatmap_run_batch(sac_heatmap *plan, const sac_array *outs,
                                                       const sac_array *currents,
                                                       const sac_array *previouses, int32_t n,
                                                       sac_error *err);

/* The variants in use, as ROOM:NAME. The plan owns the string. */
SAC_API const char *sac_heatmap_get_variant(const sac_heatmap *plan);

/*
 * Frees the plan and its threads and sets *plan to NULL. plan == NULL and *plan == NULL are
 * allowed.
 */
SAC_API void sac_heatmap_close(sac_heatmap **plan);

typedef enum sac_noise_view {
    SAC_NOISE_MASK = 0, /* changed pixels are red on black; the fourth channel is 255 */
    SAC_NOISE_OVERLAY,  /* on the previous frame: the red of changed pixels becomes 255, the fourth
                           channel is kept */
    SAC_NOISE_PURE,     /* on the previous frame: changed pixels become pure red */
    SAC_NOISE_BITS /* out is (h, ceil(w / 8)) u8: one bit per pixel, the lowest bit first; what is
                      left of a row's last byte is 0 */
} sac_noise_view;

typedef struct sac_noise_desc {
    size_t struct_size;

    int64_t w, h;
    int32_t n_channels; /* 1, 3 or 4; of gray frames, the views are gray (white instead of red) */
    sac_pixel_order order;

    /* Options. */
    int32_t view;      /* sac_noise_view; default SAC_NOISE_MASK */
    int32_t threshold; /* 0..255, default 20: a color must change by more */
    int32_t n_threads;
    sac_device device;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log;

    void *stream;       /* since 0.2, as the next */
    bool keep_previous; /* as for the heat map */
} sac_noise_desc;

typedef struct sac_noise sac_noise;

/* These, and open, as for the heat map; same errors. */
SAC_API const sac_param_table *sac_noise_params(void);
SAC_API void sac_noise_desc_init(sac_noise_desc *desc);
SAC_API SAC_NODISCARD sac_status sac_noise_open(sac_noise **plan, const sac_noise_desc *desc,
                                                sac_error *err);

/*
 * Draws which pixels changed. `out` has the shape of the frames; with SAC_NOISE_BITS it is (h,
 * ceil(w / 8)), and must not overlap them. Otherwise the same as sac_heatmap_run; so an overlay may
 * be drawn into `previous` itself. SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_noise_run(sac_noise *plan, const sac_array *out,
                                               const sac_array *current, const sac_array *previous,
                                               sac_error *err);

/* n noise views, as sac_heatmap_run_batch draws heat maps; previouses may be NULL in the same way.
 */
SAC_API SAC_NODISCARD sac_status sac_noise_run_batch(sac_noise *plan, const sac_array *outs,
                                                     const sac_array *currents,
                                                     const sac_array *previouses, int32_t n,
                                                     sac_error *err);

/* The number of changed pixels in the last run, of a batch in its last picture, whatever the view;
 * 0 before the first run. On a GPU waits for the stream, and is 0 where the device is lost. */
SAC_API uint64_t sac_noise_get_count(const sac_noise *plan);
SAC_API const char *sac_noise_get_variant(const sac_noise *plan);
SAC_API void sac_noise_close(sac_noise **plan);

typedef enum sac_denoise_method {
    SAC_DENOISE_MEAN = 0,
    SAC_DENOISE_GAUSSIAN,
    SAC_DENOISE_MEDIAN,
    SAC_DENOISE_TEMPORAL /* recursive over frames, weaker where the picture moves */
} sac_denoise_method;

typedef struct sac_denoise_desc {
    size_t struct_size;

    int64_t w, h;
    int32_t n_channels; /* 1 to 4: all are filtered alike */

    /* Options. */
    int32_t method; /* sac_denoise_method; default SAC_DENOISE_TEMPORAL */
    int32_t size;   /* mean, Gaussian, median: side of the window, 3 (the default) or 5 */
    double sigma; /* Gaussian: in pixels, 0..100; 0, the default: computed from size as OpenCV does,
                     0.3 ((size - 1) / 2 - 1) + 0.8 */
    double strength; /* temporal: largest share of the past, 0..1; default 0.8 */
    double noise;    /* temporal: standard deviation of the noise in levels, 0..64; 0, the default:
                        estimated, again in every 16th frame */
    int32_t n_threads;
    sac_device device;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log;

    void *stream; /* since 0.2 */
} sac_denoise_desc;

typedef struct sac_denoise sac_denoise;

/* These, and open, as for the heat map; same errors. */
SAC_API const sac_param_table *sac_denoise_params(void);
SAC_API void sac_denoise_desc_init(sac_denoise_desc *desc);
SAC_API SAC_NODISCARD sac_status sac_denoise_open(sac_denoise **plan, const sac_denoise_desc *desc,
                                                  sac_error *err);

/*
 * Filters a frame. `out` has the shape of `in`, and must not overlap it. Borders reflect (without
 * repeating the edge), results are rounded to nearest. SAC_DENOISE_TEMPORAL takes the frames in
 * order, and gives the first one back unchanged. Allocates nothing and takes no lock. SAC_E_SHAPE.
 * Only one run at a time on a plan.
 */
SAC_API SAC_NODISCARD sac_status sac_denoise_run(sac_denoise *plan, const sac_array *out,
                                                 const sac_array *in, sac_error *err);

/*
 * n frames in order, ins[i] to outs[i]. On a GPU copies in, filtering and copies back of different
 * frames overlap, so an out must overlap no frame. n of 0 does nothing. Same errors as
 * sac_denoise_run; if one frame fails, earlier ones may be incomplete too.
 */
SAC_API SAC_NODISCARD sac_status sac_denoise_run_batch(sac_denoise *plan, const sac_array *outs,
                                                       const sac_array *ins, int32_t n,
                                                       sac_error *err);

/* SAC_DENOISE_TEMPORAL: forgets earlier frames, so that another video can begin. */
SAC_API void sac_denoise_reset(sac_denoise *plan);

/*
 * SAC_DENOISE_TEMPORAL: standard deviation of the noise in levels, as given or last estimated;
 * otherwise 0. On a GPU waits for the stream, and is 0 where the device is lost.
 */
SAC_API double sac_denoise_get_noise(const sac_denoise *plan);
SAC_API const char *sac_denoise_get_variant(const sac_denoise *plan);
SAC_API void sac_denoise_close(sac_denoise **plan);

/*
 * Gain, contrast, brightness and saturation of a picture, as a camera's controls. With Y the
 * pixel's luma, (38 R + 75 G + 15 B) / 128, for each of its colors c:
 *
 *     c' = gain contrast (Y + saturation (c - Y)) + 127.5 (1 - contrast) + 2.55 brightness
 *
 * rounded to nearest and brought to 0..255 once, at the end: gain, then contrast, then brightness,
 * with nothing clipped in between, so that what one of them pushes out of range another one brings
 * back. The saturation may stand before or after any of them. The defaults change nothing.
 * docs/motion.md has the formula in integers, which is exact.
 */
typedef struct sac_adjust_desc {
    size_t struct_size;

    int64_t w, h;
    int32_t n_channels; /* 1, 3 or 4; of 4 the fourth is kept */
    sac_pixel_order order;

    /* Options. */
    double brightness; /* -100..100 % of white, added to every color; default 0 */
    double contrast;   /* 0..4: a factor about mid gray, 127.5; default 1 */
    double saturation; /* 0..4: a factor of what distinguishes a color from its luma; default 1. 0
                          gives gray; frames of one channel have none, and ignore it */
    double gain;       /* 0..16: a factor from black; default 1 */
    int32_t n_threads;
    sac_device device;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log; /* is warned if every picture would come out as a single gray, and of a
                           saturation that gray frames ignore */

    void *stream;
} sac_adjust_desc;

typedef struct sac_adjust sac_adjust; /* since 0.2 */

/* These, and open, as for the heat map; same errors. */
SAC_API const sac_param_table *sac_adjust_params(void);
SAC_API void sac_adjust_desc_init(sac_adjust_desc *desc);
SAC_API SAC_NODISCARD sac_status sac_adjust_open(sac_adjust **plan, const sac_adjust_desc *desc,
                                                 sac_error *err);

/*
 * From the next run on, brightness, contrast, saturation and gain are those of `desc`; nothing else
 * of it is taken, and it need not be the one of open. For controls that move while a video plays:
 * costs no more than a few comparisons, and allocates nothing. SAC_E_INVALID: NULL, or out of
 * range; the plan is then as before.
 */
SAC_API SAC_NODISCARD sac_status sac_adjust_set(sac_adjust *plan, const sac_adjust_desc *desc,
                                                sac_error *err);

/*
 * Adjusts a frame. `out` has the shape of `in`; it may be `in` itself, but must not overlap it
 * otherwise. Allocates nothing; takes a lock only to wake sleeping threads of the plan. Only one
 * run at a time on a plan. SAC_E_SHAPE, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_adjust_run(sac_adjust *plan, const sac_array *out,
                                                const sac_array *in, sac_error *err);

/*
 * n frames in order, ins[i] to outs[i]. On a GPU frames that lie alike share a launch, and copies
 * in, work and copies back of different frames overlap, so an out must overlap no frame but its
 * own. n of 0 does nothing. Same errors as sac_adjust_run; if one frame fails, earlier ones may be
 * incomplete too.
 */
SAC_API SAC_NODISCARD sac_status sac_adjust_run_batch(sac_adjust *plan, const sac_array *outs,
                                                      const sac_array *ins, int32_t n,
                                                      sac_error *err);

SAC_API const char *sac_adjust_get_variant(const sac_adjust *plan);
SAC_API void sac_adjust_close(sac_adjust **plan);

#ifdef __cplusplus
}
#endif
#endif
