/*
 * Histogram equalization of gray and color pictures, with the same bytes from every variant and on
 * every device. A variant is one of several implementations of the same step.
 *
 *     sac_equalize_desc desc;
 *     sac_equalize *plan = NULL;
 *     sac_equalize_desc_init(&desc);
 *     desc.dtype = SAC_U8, desc.w = 1920, desc.h = 1080;
 *     st = sac_equalize_open(&plan, &desc, &err);
 *     st = sac_equalize_run(plan, &out, &in, &err);
 *     sac_equalize_close(&plan);
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
 * Functions without a plan may be called from any thread.
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
    SAC_SCALE_FIRST = 0,
    SAC_SCALE_MAX,
    SAC_SCALE_MINMAX
} sac_equalize_scale;

/*
 * The order of a color picture's axes: (h, w, channels) or (channels, h, w). A gray picture is (h,
 * w) in both.
 */
typedef enum sac_layout { SAC_INTERLEAVED = 0, SAC_PLANAR } sac_layout;

typedef struct sac_equalize_desc {
    size_t struct_size;

    /* The format of the pictures that every run gets. */
    sac_dtype dtype;    /* SAC_U8 or SAC_U16 */
    int64_t w, h;       /* pixels; at least 1 */
    int32_t n_channels; /* 1 gray, 2 gray and alpha, 3 RGB or BGR, 4 RGBA or BGRA: alpha is last */
    sac_layout layout;

    /* Options; the parameter table describes them. */
    int32_t bins;     /* 2..65536; 0: 256 for 8 bits, 65536 for 16 bits */
    int32_t scale;    /* sac_equalize_scale */
    int32_t clahe[2]; /* tiles across and down; 0: no CLAHE, one s for the whole picture */
    double clip;      /* CLAHE: limit of a bin, as a multiple of the mean count; 0: no limit */
    double
        smooth; /* video: 0 uses each frame's own s; values towards 1 follow changes more slowly */
    int32_t n_threads; /* on the CPU; 0: one per core */
    sac_device device;
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

/* Fills in every default; n_channels is 3. The caller sets dtype, w and h. */
SAC_API void sac_equalize_desc_init(sac_equalize_desc *desc);

/*
 * Checks the desc, chooses variants, allocates memory and starts threads. On failure *plan is
 * NULL. SAC_E_INVALID, SAC_E_SHAPE, SAC_E_UNSUPPORTED (variant or device), SAC_E_NOMEM,
 * SAC_E_DEVICE.
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
 * incomplete too.
 */
SAC_API SAC_NODISCARD sac_status sac_equalize_run_batch(sac_equalize *plan, const sac_array *outs,
                                                        const sac_array *ins, int32_t n,
                                                        sac_error *err);

/* Forgets earlier frames: `smooth` starts again with the next run. */
SAC_API void sac_equalize_reset(sac_equalize *plan);

/*
 * The histogram of the last run: (bins) counts of V, owned by the plan, valid until the next run
 * or close. On a GPU this call waits for the run and fetches the counts; NULL if the GPU is lost.
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
