/*
 * The ladder: checks every variant of a pipeline's steps against its reference, and measures its
 * speed on this machine. In libsaccade-ladder, so that applications do not contain variants that
 * are only for teaching.
 *
 *     static void row(void *ctx, const sac_ladder_row *r)
 *     {
 *         printf("%s %s: %.0f ns%s\n", r->room, r->rung, r->median_ns, r->ok ? "" : " WRONG");
 *     }
 *
 *     sac_ladder_desc desc;
 *     sac_ladder_desc_init(&desc);
 *     st = sac_ladder_run("equalize", &desc, row, NULL, &err);
 *
 * A room is one step (a kernel) in all its implementations; each of these is a variant, and a rung
 * of the ladder, from the reference to the fastest.
 *
 * Threads: every function may be called from any thread at any time; measurements that run at the
 * same time disturb each other.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_LADDER_H
#define SACCADE_LADDER_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A time from the literature. Since 0.2. Strings are static; "" if not given. */
typedef struct sac_published {
    const char *device, *source; /* "RTX A6000", "Duong (2024), Table 6" */
    const char *of;              /* what took that time: "one frame"; "" if the rung's whole work */
    const char *note;            /* what the source leaves open: "unit inferred" */
    double ns;
    double times;    /* how often one timed run of the rung does that: 1,000 frames; mostly 1 */
    double speed_up; /* over the source's first rung on the same device */
    uint32_t grid, block; /* blocks and threads per block; 0 if not given */
} sac_published;

/* The measurement of one rung. Strings are static or valid until the callback returns. */
typedef struct sac_ladder_row {
    const char *pipeline; /* "equalize" */
    const char *room;   /* the step: "vhist_u8"; for whole-picture rungs the name of the pipeline */
    const char *rung;   /* "avx512" */
    const char *device; /* "cpu", "cuda:0" */
    const char *shape;  /* "1920x1080x3 u8" */
    const char *needs; /* instruction sets that it needs and this machine lacks; "" if it can run */
    int32_t threads;
    bool ships;        /* open may choose it; false for rungs that only teach, or are slower */
    bool chosen;       /* open would choose it on this machine */
    bool checked;      /* compared with the reference in this run */
    bool ok;           /* and within its contract */
    double error;      /* largest difference from the reference, in units of the last place */
    uint64_t n_differ; /* values that differ */
    uint64_t runs;     /* timed runs; 0 if it was not timed */
    double median_ns, p10_ns, p90_ns, min_ns, max_ns;
    /* On a GPU, otherwise 0: copying inputs from page-locked memory, the work (equal to median_ns),
     * and copying outputs back. Medians. */
    double h2d_ns, kernel_ns, d2h_ns;
    uint64_t bytes; /* moved by the step: read plus written */
    uint64_t points,
        active_points;   /* beamform: all points, and those in the aperture; otherwise 0 */
    double published_ns; /* a time from the literature, 0 if none: the pipeline's page has its
                            machine */
    /* Since 0.2. On a GPU, otherwise 0: the least and most of the copies, and a whole loop (copy
     * in, work, copy back, one after another). */
    double h2d_min_ns, h2d_max_ns, d2h_min_ns, d2h_max_ns;
    double loop_ns, loop_min_ns, loop_max_ns;
    /* Since 0.2. Published times of the copies and of the loop, 0 if none; published_ns is then the
     * work alone. */
    double published_h2d_ns, published_d2h_ns, published_loop_ns;
    /* Since 0.2. The launch shape that the desc asked for; 0: the rung's own. */
    uint32_t grid[3], block[3];
    /* Since 0.2. On a GPU: the kernels that a call launches (meltpool's rungs: a frame), each shape
     * once, in their order. n_kernels is 0 where the runtime did not tell. */
    const sac_gpu_kernel *kernels;
    int32_t n_kernels;
    /* Since 0.2. meltpool's rungs on a GPU whose energy NVML counts, otherwise 0: the GPU's energy
     * for a frame, its mean power meanwhile, and without work. Measured if desc.seconds is 0.1 or
     * more. */
    double frame_joules, watts, idle_watts;
    /* Since 0.2. All published times of the rung, (n_published); of a published sweep over launch
     * shapes those of the rung's shape, or without one the fastest of each device. published_ns is
     * the first, times its `times`. */
    const sac_published *published;
    int32_t n_published;
    /* Since 0.2. What the rung does besides reading and writing its arguments, 0 if not counted:
     * operations; those that wait for each other, with a thread per value and in the worst case;
     * bytes of further arrays. */
    uint64_t work, steps, extra_bytes;
} sac_ladder_row;

#define SAC_LADDER_ALL_TASKS "all"

typedef struct sac_ladder_desc {
    size_t struct_size;
    int64_t w, h;           /* size of the synthetic picture if `input` is NULL; 0: 1920 x 1080 */
    const sac_array *input; /* a picture to work on: (h, w) or (h, w, c), u8 or u16; may be NULL */
    int32_t n_threads;      /* for whole-pipeline rungs; 0: one per core */
    double seconds;         /* measuring time of each rung, at least 11 runs; 0: 0.3 */
    const char *only;       /* "ROOM", "ROOM:RUNG"; NULL: all */
    /* For rooms that have several named tasks: which one; NULL: each room's first. Since 0.2
     * SAC_LADDER_ALL_TASKS: all, one after another. */
    const char *task;
    sac_device device;          /* a GPU: measures its rungs, on pictures in its memory */
    uint32_t grid[3], block[3]; /* launch shape of the rungs that accept one; 0: each rung's own */
    sac_progress_fn progress; /* may be NULL; counts rungs; false ends the run with SAC_CANCELLED */
    void *progress_ctx;
    /* Since 0.2. On a GPU, instead of `grid` and `block`: every rung that accepts a launch shape is
     * measured n_blocks times, as one block of blocks[i] threads. NULL and 0: no. */
    const uint32_t *blocks;
    int32_t n_blocks;
} sac_ladder_desc;

/* Sets everything to 0 except struct_size; nothing else has to be set. desc must not be NULL. */
SAC_API void sac_ladder_desc_init(sac_ladder_desc *desc);

/*
 * Checks and times every rung of `pipeline` ("equalize", "beamform", "motion" or "meltpool"), and
 * passes each to row(ctx, &row), room by room, reference first. A rung that fails its check is a
 * row with ok == false, not an error. SAC_E_INVALID (NULL, an unknown pipeline or rung, a value out
 * of range), SAC_E_SHAPE (the input), SAC_E_NOMEM, SAC_E_DEVICE, SAC_E_UNSUPPORTED (a GPU, without
 * CUDA), SAC_CANCELLED (progress).
 */
SAC_API SAC_NODISCARD sac_status sac_ladder_run(const char *pipeline, const sac_ladder_desc *desc,
                                                void (*row)(void *ctx, const sac_ladder_row *row),
                                                void *ctx, sac_error *err);

/*
 * Since 0.2. Histogram equalization as the program of Duong, "Programmation GPU" (2024), does it:
 * RGB to HSV in floats, histogram of V, cumulative sum, equalization of V, HSV to RGB. The CPU and
 * a GPU in any launch shape give the same bytes; sac_equalize's differ from them by 1 at most,
 * where a float was rounded.
 */
typedef struct sac_ladder_hsv_desc {
    size_t struct_size;
    sac_device device;
    uint32_t grid[3], block[3]; /* on a GPU: the launch shape; 0: each kernel's own */
    int32_t scale;              /* sac_equalize_scale */
} sac_ladder_hsv_desc;

/* Sets everything to 0 except struct_size. desc must not be NULL. */
SAC_API void sac_ladder_hsv_desc_init(sac_ladder_hsv_desc *desc);

/*
 * Equalizes `in` into `out`, (h, w, 3) u8 of one shape in the CPU's memory, which may be the same.
 * *ns (may be NULL) becomes the time of the steps, without copies to a GPU and back. Allocates.
 * SAC_E_INVALID (NULL, the launch shape), SAC_E_SHAPE, SAC_E_NOMEM, SAC_E_DEVICE,
 * SAC_E_UNSUPPORTED (a GPU, without CUDA).
 */
SAC_API SAC_NODISCARD sac_status sac_ladder_hsv_run(double *ns, const sac_ladder_hsv_desc *desc,
                                                    const sac_array *out, const sac_array *in,
                                                    sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
