/*
 * Histogram equalization of gray and color pictures, exact in every variant and on every device.
 *
 * V = max(R, G, B) of a pixel (or the gray value), N pixels, H the histogram of floor(V bins /
 * 2^depth), C its cumulative sum, M = 2^depth - 1:
 *
 *     first   s(b) = (C(b) - Cmin) / (N - Cmin)             Cmin: the first non-zero bin's count
 *     max     s(b) = C(b) / N
 *     minmax  s(b) = (C(b) - C(0)) / (N - C(0))
 *     R' = floor(M s(bin(V)) R / V + 1/2)                   the same for G and B; black stays black
 *
 * all in integers, rounded once. So hue and saturation stay as they are, and alpha is untouched.
 * `max` and `minmax` are the scalings of Duong, "Programmation GPU" (2024); `first` is OpenCV's
 * equalizeHist. With `first` and `minmax` a picture whose V all falls in one bin comes back
 * unchanged.
 *
 * With clahe tiles each tile has its own s, clipped and interpolated between tile centers:
 * docs/equalize.md.
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

/* How a color picture's axes are ordered: (h, w, channels), or (channels, h, w). Gray is (h, w) in
 * both. */
typedef enum sac_layout { SAC_INTERLEAVED = 0, SAC_PLANAR } sac_layout;

typedef struct sac_equalize_desc {
    size_t struct_size;

    /* The pictures that every run will be given. */
    sac_dtype dtype;    /* SAC_U8 or SAC_U16 */
    int64_t w, h;       /* pixels; at least 1 */
    int32_t n_channels; /* 1 gray, 2 gray and alpha, 3 RGB or BGR, 4 RGBA or BGRA: alpha last */
    sac_layout layout;

    /* Options; the parameter table describes them. */
    int32_t bins;     /* 2..65536; 0: 256 for 8 bit, 65536 for 16 bit */
    int32_t scale;    /* sac_equalize_scale */
    int32_t clahe[2]; /* tiles across and down; 0: none, the whole picture at once */
    double clip;      /* CLAHE: a bin keeps at most clip times the mean count; 0: no limit */
    double smooth;    /* video: 0 takes each frame's own s; towards 1 follows more slowly */
    int32_t n_threads;
    sac_device device;
    const char *variant; /* forces rungs: "NAME" or "ROOM:NAME,ROOM:NAME"; NULL: the fastest */

    const sac_executor *executor; /* the caller's threads instead of the plan's own; NULL: own */
    const sac_log *log;           /* told at open what was chosen; may be NULL */

    /*
     * On a GPU: the caller's cudaStream_t, of that GPU (its default stream is cudaStreamLegacy).
     * Every run is then only enqueued there, and takes pictures in device memory alone. NULL: a
     * stream of the plan's own, and a run is complete when it returns.
     */
    void *stream;
} sac_equalize_desc;

typedef struct sac_equalize sac_equalize;

SAC_API const sac_param_table *sac_equalize_params(void);

/* Fills in every default. dtype, w and h are left for the caller; n_channels is 3. */
SAC_API void sac_equalize_desc_init(sac_equalize_desc *desc);

/*
 * Checks, chooses kernels, allocates, starts threads. On failure *plan is NULL.
 * SAC_E_INVALID, SAC_E_SHAPE, SAC_E_UNSUPPORTED (variant or device), SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_equalize_open(sac_equalize **plan,
                                                   const sac_equalize_desc *desc, sac_error *err);

/*
 * Equalizes `in` into `out`, which may be the same memory but must not overlap otherwise. Both have
 * the desc's type and shape; strides are free, in whole samples. Allocates nothing, takes no lock.
 * SAC_E_SHAPE where an array does not fit the plan. One run at a time on a plan.
 *
 * A plan on a GPU takes both in its memory, where work of other streams on them must be done by
 * then, or both in the CPU's, which are then copied there and back; page-locked memory
 * (cudaHostAlloc, cudaHostRegister) goes without a detour. SAC_E_DEVICE where the GPU refused or is
 * lost: of an earlier frame too, where the stream is the caller's.
 */
SAC_API SAC_NODISCARD sac_status sac_equalize_run(sac_equalize *plan, const sac_array *out,
                                                  const sac_array *in, sac_error *err);

/*
 * Runs n pictures in order, ins[i] into outs[i]. A GPU copies one in, works on another and copies a
 * third back at the same time; a picture may be written while another is read, so they must not
 * overlap, but for outs[i] and ins[i]. If one fails, those before it may not be complete either.
 */
SAC_API SAC_NODISCARD sac_status sac_equalize_run_batch(sac_equalize *plan, const sac_array *outs,
                                                        const sac_array *ins, int32_t n,
                                                        sac_error *err);

/* Forgets earlier frames: the next run starts `smooth` afresh. */
SAC_API void sac_equalize_reset(sac_equalize *plan);

/*
 * The histogram that the last run found: (bins) counts of V, the plan's, valid until the next run
 * or close. On a GPU they are fetched by this call, which waits for the run; NULL where it is lost.
 */
SAC_API const uint64_t *sac_equalize_get_counts(const sac_equalize *plan, int32_t *bins);

/* The rungs that were chosen, "vhist_u8:avx512 scale_u8:avx512"; the plan's. */
SAC_API const char *sac_equalize_get_variant(const sac_equalize *plan);

/* Frees the plan and its threads; takes NULL and *plan == NULL; sets *plan = NULL. */
SAC_API void sac_equalize_close(sac_equalize **plan);

#ifdef __cplusplus
}
#endif
#endif
