/*
 * What a beamform plan keeps on a GPU and for it.
 *
 * A run goes through batches of frames: channel data comes into a slot, is filtered or packed where
 * it has to be, beamformed and finished, and leaves the slot. Two slots let one batch be copied in,
 * and another back, while a third is worked on. A batch is beamformed in parts, one after the
 * other, each by the kernel that suits its number of frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_GPU_PLAN_H
#define SAC_BEAMFORM_GPU_PLAN_H

#include "beamform/plan.h"
#include "gpu/stage.h"
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32_cuda.h"
#include "beamform/kernels/das/cuda/das_cuda.h"
#include "beamform/kernels/field_cuda.h"
#include "beamform/kernels/signal_cuda.h"

#define SAC_BEAMFORM_SLOTS 2

/* A batch that is copied: as it was acquired, and finished. */
typedef struct sac_beamform_slot {
    void *in, *out;                 /* in: NULL where the stream is the caller's */
    sac_gpu_event here, done, gone; /* copied in; worked on; copied back */
} sac_beamform_slot;

/* How a part of a batch is beamformed. */
typedef struct sac_beamform_part {
    sac_das_cuda_part of;
    uint32_t steps; /* the plan's, and PACK, HALVE and FUSED where it takes them */
    sac_das_cuda_fn beamform;
} sac_beamform_part;

typedef struct sac_beamform_batch {
    int32_t n_frames, n_parts;
    sac_beamform_part part[SAC_DAS_CUDA_BATCH];
} sac_beamform_batch;

/* A slab of depths, of which each has a run of its own. */
typedef struct sac_beamform_gpu_slab {
    sac_das_cuda das;
    void *geometry; /* its memory */
} sac_beamform_gpu_slab;

struct sac_beamform_gpu {
    sac_gpu *gpu;
    sac_gpu_stream stream; /* the caller's or the plan's */
    bool waits;            /* it is the plan's: a run is complete when it returns */
    sac_das_cuda das;      /* of any part: its frames and strides are not set */
    void *geometry;        /* the das's memory */
    sac_demodulate_cuda demodulate;
    sac_beamform_batch batch[2]; /* each but the last one; the last, where it has fewer frames */
    double predicted_ns;         /* of a run's work on an H100, arrays lying there; 0: not known */

    /* A part before it is beamformed, and a batch after that. */
    void *records; /* one behind the other: filtered, or for HALVE brought together */
    void *signals; /* for ADAPT: the das's scratch */
    void *packed;  /* in half precision scaled by `largest` */
    float *image, *envelope, *maximum, *largest;

    /* For FIELD: the images of so many waves at a time; for CONVERT the pictures. */
    sac_field_cuda field;
    const sac_das_wave *waves; /* (n_tx): das's, but focused ones arrive as the tables say */
    double *arrivals_s;        /* (n_waves, n_points) of the waves at work */
    float *wave_images, *picture;
    int32_t n_waves;
    sac_scan scan;
    void *tables; /* both steps' */

    /* Where lines or sets of elements receive: `das` is the first one's (gpu_groups.h). */
    struct sac_beamform_gpu_group *groups; /* (n_groups); NULL: no groups */
    int32_t n_groups;
    void *gathered;     /* records of groups that are not evenly spaced */
    void *stage_images; /* of the first of two stages */

    /* Through layers or a lens: `das` is the first slab's (gpu_layers.h), but for its points. */
    sac_beamform_gpu_slab *slabs; /* (n_slabs): the plan's; NULL: none */
    int32_t n_slabs;
    void *list;           /* of a list: its points (n_points, 3), then `order` */
    const int32_t *order; /* plan->order */
    float *sorted;        /* a batch's images in it */

    sac_stage *stage; /* for arrays in the CPU's memory; NULL where the stream is the caller's */
    sac_beamform_slot slot[SAC_BEAMFORM_SLOTS]; /* the first alone has `out` where it is */
};

/* Bytes of a sample that is beamformed. */
static inline int32_t sac_beamform_sample_size(const sac_beamform *plan)
{
    return plan->iq ? 2 * (int32_t)sizeof(float) : (int32_t)plan->scalar_size;
}

/* Tables of FIELD and CONVERT on the device, in memory that g->tables becomes. Set-up: waits. */
SAC_NODISCARD sac_status sac_beamform_gpu_tables(sac_beamform_gpu *g, const sac_beamform *plan,
                                                 sac_error *err);

/* A part's channel data, of what `run` says, filtered and packed where that has to be: sets the
 * run's data and strides. */
SAC_NODISCARD sac_status sac_beamform_gpu_prepare(const sac_beamform *plan,
                                                  const sac_beamform_part *part, sac_das_cuda *run,
                                                  const void *in, const sac_das_cuda_strides *from);

/* out, an array in device memory of any strides, from as many values in order. Only enqueues. */
SAC_NODISCARD sac_status sac_beamform_place(sac_gpu_stream stream, const sac_array *out,
                                            const void *in);

/* out (n_images, n_points), c64 or f32: point order[i] of each is point i of `in`. Only enqueues.
 */
SAC_NODISCARD sac_status sac_beamform_reorder(sac_gpu_stream stream, void *out, const void *in,
                                              const int32_t *order, int64_t n_points,
                                              int64_t n_images, bool is_complex);

#endif
