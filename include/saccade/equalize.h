/*
 * Histogram equalization of gray and color pictures, with the same bytes from every variant and on
 * every device. A variant is one of several implementations of the same step.
 *
 *     sac_equalize_desc desc;
 *     sac_equalize *plan = NULL;
 *     sac_equalize_desc_init(&desc);
 *     desc.dtype = SAC_U8, desc.w = 1920, desc.h = 1080, desc.n_channels = 3;
 *     st = sac_equalize_open(&plan, &desc, &err);
 *     st = sac_equalize_run(plan, &out, &in, &err);
 *     sac_equalize_close(&plan);
 *
 * The array of a sac_picture (saccade/io.h) can be `in`, `out` or both: n_channels is then 1 if it
 * has 2 axes, otherwise the size of its third.
 *
 * With V = max(R, G, B) of a pixel (or its gray value), N pixels, H the histogram of floor(V bins
 * / 2^depth), C its cumulative sum and M = 2^depth - 1, the scaling is one of
 *
 *     first   s(b) = (C(b) - Cmin) / (N - Cmin)             Cmin: the first non-zero bin's count
 *     max     s(b) = C(b) / N
 *     minmax  s(b) = (C(b) - C(0)) / (N - C(0))
 *     R' = floor(M s(bin(V)) R / V + 1/2)                   the same for G and B; black stays black
 *
 * in integer arithmetic, rounded once. So hue and saturation are kept, and alpha is unchanged.
 * `max` and `minmax` are the scalings of Duong, "Programmation GPU" (2024); `first` is OpenCV's
 * equalizeHist. With `first` and `minmax` a picture whose V all falls in one bin is unchanged.
 *
 * With CLAHE each tile has its own s, which is clipped, and interpolated between the centers of
 * tiles: docs/equalize.md.
 *
 * Threads: a plan is used by one thread at a time; different plans may run at the same time.
 * Functions without a plan may be called from any thread. Only close accepts NULL; a run of a NULL
 * plan is SAC_E_INVALID.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_EQUALIZE_H
#define SACCADE_EQUALIZE_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>
#include <saccade/param.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_equalize_scale {
    SAC_SCALE_FIRST = 0, /* the darkest used bin becomes black, the brightest white */
    SAC_SCALE_MAX,       /* only the brightest becomes white */
    SAC_SCALE_MINMAX     /* bin 0 becomes black, the brightest used bin white */
} sac_equalize_scale;

/*
 * The order of a color picture's axes: (h, w, channels) or (channels, h, w). A gray picture is (h,
 * w) in both.
 */
typedef enum sac_layout { SAC_INTERLEAVED = 0, SAC_PLANAR } sac_layout;

typedef struct sac_equalize_desc {
    size_t struct_size;

    /* The format of the pictures that every run gets. */
    sac_dtype dtype;    /* SAC_U8 or SAC_U16; there is no default */
    int64_t w, h;       /* pixels, 1..2^31 - 1 */
    int32_t n_channels; /* 1 gray, 2 gray and alpha, 3 (the default) RGB or BGR, 4 RGBA or BGRA:
                           alpha is last */
    sac_layout layout;  /* default SAC_INTERLEAVED */

    /* Options. */
    int32_t bins;        /* 2..65536; 0, the default: 256 for 8 bits, 65536 for 16 bits */
    int32_t scale;       /* sac_equalize_scale; default SAC_SCALE_FIRST. CLAHE does not use it */
    int32_t clahe[2];    /* tiles across and down, 1..64 each, of at most 2^31 pixels; both 0, the
                            default: no CLAHE, one s for the whole picture */
    double clip;         /* CLAHE: limit of a bin, as a multiple of the mean count; default 2; 0: no
                            limit */
    double smooth;       /* video: share of the previous frame's s to keep, 0..0.999; default 0 */
    int32_t n_threads;   /* on the CPU; 0, the default: one per core */
    sac_device device;   /* default: the CPU */
    const char *variant; /* variants to use: "NAME" or "ROOM:NAME,ROOM:NAME" (a room is one step);
                            NULL: the fastest */

    const sac_executor *executor; /* threads of the caller; NULL: the plan starts its own */
    const sac_log *log;           /* is told at open which variants were chosen; may be NULL */

    /*
     * On a GPU: the caller's cudaStream_t, of that GPU (its default stream is cudaStreamLegacy).
     * Then run only enqueues work on it, and pictures must be in device memory. NULL: the plan has
     * a stream of its own, and a run is complete when it returns.
     */
    void *stream;
} sac_equalize_desc;

/* An opened pipeline (a plan): owns its tables, buffers and threads. */
typedef struct sac_equalize sac_equalize;

/* The fields that options set, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_equalize_params(void);

/* Fills in every default. The caller sets dtype, w and h, and n_channels unless it is 3. */
SAC_API void sac_equalize_desc_init(sac_equalize_desc *desc);

/*
 * Checks the desc, chooses variants, allocates memory and starts threads. On failure *plan is
 * NULL. After the call the desc is not used; the executor's function and ctx, and the stream, are
 * used until close. SAC_E_SHAPE (dtype, w, h, n_channels), SAC_E_INVALID (other fields),
 * SAC_E_UNSUPPORTED (variant or device), SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_equalize_open(sac_equalize **plan,
                                                   const sac_equalize_desc *desc, sac_error *err);

/*
 * Equalizes `in` into `out`. `out` may be exactly the memory of `in`, but must not overlap it
 * otherwise. Both have the desc's type and shape; strides are free, in whole samples. Allocates
 * nothing; takes a lock only to wake sleeping threads of the plan. SAC_E_SHAPE: an array does not
 * fit the plan. Only one run at a time on a plan.
 *
 * On a GPU both arrays are in its memory, or both in CPU memory. Arrays in GPU memory: work of
 * other streams on them must be complete. Arrays in CPU memory are copied there and back;
 * page-locked memory (cudaHostAlloc, cudaHostRegister) is copied directly, without an intermediate
 * buffer. SAC_E_DEVICE: the GPU failed or is lost, in an earlier run if the stream is the
 * caller's.
 */
SAC_API SAC_NODISCARD sac_status sac_equalize_run(sac_equalize *plan, const sac_array *out,
                                                  const sac_array *in, sac_error *err);

/*
 * Runs n pictures in order, ins[i] into outs[i]. On a GPU, copying in, processing and copying back
 * of different pictures overlap: a picture may be written while another is read. So the arrays
 * must not overlap, except outs[i] with ins[i]. If one picture fails, earlier ones may be
 * incomplete too. n of 0 does nothing. Same errors as sac_equalize_run.
 */
SAC_API SAC_NODISCARD sac_status sac_equalize_run_batch(sac_equalize *plan, const sac_array *outs,
                                                        const sac_array *ins, int32_t n,
                                                        sac_error *err);

/* Forgets earlier frames: `smooth` starts again with the next run. */
SAC_API void sac_equalize_reset(sac_equalize *plan);

/*
 * The histogram of the last run's input: (bins) counts of V, owned by the plan, valid until the
 * next run or close; zeros before the first run. With CLAHE it is that of the whole picture, before
 * clipping. Sets *bins, which may be NULL. On a GPU this call waits for the run and fetches the
 * counts; NULL if the GPU is lost.
 */
SAC_API const uint64_t *sac_equalize_get_counts(const sac_equalize *plan, int32_t *bins);

/*
 * The variants in use, as ROOM:NAME: "vhist_u8:avx512 scale_u8:avx512". The plan owns the string.
 */
SAC_API const char *sac_equalize_get_variant(const sac_equalize *plan);

/*
 * Frees the plan and its threads and sets *plan to NULL. plan == NULL and *plan == NULL are
 * allowed.
 */
SAC_API void sac_equalize_close(sac_equalize **plan);

#ifdef __cplusplus
}
#endif
#endif
