/*
 * The beamform plan: what open prepares and run uses.
 *
 * A run goes through batches of frames. Each batch is packed (RF demodulated first, where it is to
 * be), then its points are shared out: a worker beamforms block after block into scratch of its
 * own, which so stays in its cache, and finishes each into the caller's array.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PLAN_H
#define SAC_BEAMFORM_PLAN_H

#include <stdatomic.h>

#include "base/threads.h"
#include "beamform/gpu.h"
#include "beamform/steps/signal_steps.h"
#include "beamform/kernels/das/das.h"
#include "beamform/kernels/field.h"
#include "beamform/kernels/pack.h"
#include "beamform/kernels/scan.h"

/* Frames of a batch: 4 vectors of 512 bits a sample. */
#define SAC_BEAMFORM_BATCH 32
#define SAC_BEAMFORM_COLUMNS 64 /* of RF whose envelope is taken at a time */

/* A tile of points on a CPU: a block of so many rows. */
#define SAC_BEAMFORM_TILE_ROWS 32
#define SAC_BEAMFORM_RF_TILE_ROWS 64 /* of one frame of RF on a grid */
#define SAC_BEAMFORM_TILE_COLUMNS (SAC_DAS_BLOCK / SAC_BEAMFORM_TILE_ROWS)

/*
 * What a run does with a batch besides delay-and-sum, in this order. Decided at open, once; memory
 * is allocated and batches are worked on by these flags alone: that a buffer, a table or a kernel
 * is there says nothing, since several steps may share it.
 */
typedef enum sac_beamform_step {
    SAC_STEP_FILTER = 1 << 0,    /* the demodulator's filter: RF to IQ */
    SAC_STEP_RESTORE = 1 << 1,   /* and back to RF: a band-pass. With FILTER only */
    SAC_STEP_PACK = 1 << 2,      /* samples into the order that the kernel reads */
    SAC_STEP_HALVE = 1 << 3,     /* GPU: and into half precision, scaled. With PACK only */
    SAC_STEP_FUSED = 1 << 4,     /* GPU: FILTER and PACK are one kernel */
    SAC_STEP_MAGNITUDE = 1 << 5, /* of IQ */
    SAC_STEP_HILBERT = 1 << 6,   /* the envelope of RF */
    SAC_STEP_COMPRESS = 1 << 7,  /* that in decibels */
    SAC_STEP_GRAY = 1 << 8,      /* those in 8 bits. With COMPRESS only */
    SAC_STEP_FIELD = 1 << 9,     /* waves' images weighted point by point, then compounded */
    SAC_STEP_CONVERT = 1 << 10,  /* envelopes of a sector to a picture; before COMPRESS */
    SAC_STEP_ADAPT = 1 << 11     /* element signals are reduced by adaptive weights */
} sac_beamform_step;

#define SAC_BEAMFORM_KINDS 17 /* of elements: areas, and lines of a length and a place */

/* What elements of one kind receive of the transmits that the same elements receive. */
typedef struct sac_beamform_group {
    int32_t n_tx, n_rx;
    int32_t *transmits, *elements; /* (n_tx), (n_rx): which of the plan's */
    size_t first;                  /* of its packed samples, in scalars */
    int64_t first_record;          /* of its records (sac_beamform_record_of) */
    sac_das_line line;

    sac_element *own_elements; /* as its points see them */
    sac_transmit *own_transmits;
    float *tx_weight;
    sac_das_line *tx_lines;
} sac_beamform_group;

struct sac_beamform {
    sac_beamform_desc desc;
    uint32_t steps; /* sac_beamform_step */
    sac_das das;    /* of a whole batch; its arrays are those below */
    bool iq;        /* beamforms IQ: c64 comes in, or RF is demodulated */
    sac_pool *pool;
    sac_beamform_gpu *gpu; /* NULL: the plan works on the CPU */

    sac_element *elements;   /* (n_rx) */
    sac_transmit *transmits; /* (n_tx) */
    float *tx_weight;        /* (n_tx) */
    double *tables;          /* delays and arrivals of the transmits that have them */
    double *points_m;        /* (n_points, 3), or NULL */
    sac_field field;         /* for FIELD */
    sac_field_wave *waves;   /* (n_tx): its */
    sac_reduction reduction; /* das.reduction, for ADAPT */
    int32_t *order;          /* (n_points): which of the caller's they are; NULL: as they came */

    /* Where lines or sets of elements receive; n_groups 0: everything is one das. */
    sac_beamform_group *groups;
    int32_t n_groups;
    sac_das_line *tx_lines; /* (n_tx): the das's */
    float *group_images;    /* (n_workers, block_floats) */

    struct sac_beamform_dual *dual;       /* in two stages; NULL: direct */
    struct sac_beamform_layered *layered; /* through layers or a lens; NULL: one speed */

    /* The chosen kernels. */
    sac_any_fn demodulate; /* of the demodulator's room, for FILTER */
    sac_das_fn beamform;
    sac_pack_fn pack;
    char variant[256];

    sac_any_fn dual_sum;          /* of dual_f32, where two stages may be */
    sac_demodulator *demodulator; /* for FILTER */
    size_t scalar_size;           /* bytes of a packed scalar */
    size_t record_floats;
    float *records; /* for FILTER: (n_workers, batch, n_samples) c64 */
    void *packed;   /* das.data */

    /* Passes without scratch are cut into n_tasks equal parts. Those with scratch have as many
     * tasks as run at once, which take blocks, records or columns until `n_taken` says that none is
     * left: a core that is slower, or whose blocks take longer, takes fewer. */
    int32_t n_tasks, n_workers;
    _Atomic int64_t n_taken;
    int32_t n_block;     /* points of a block */
    size_t block_floats; /* of a worker's scratch */
    float *scratch;      /* (n_workers, block_floats) */

    size_t adapt_floats; /* for ADAPT: of a worker's das.scratch */
    float *adapt;        /* (n_workers, adapt_floats) */

    /* For FIELD, of a worker: the images of all waves (n_block, n_tx, batch), and what points take
     * of them (n_tx, n_block). */
    size_t wave_floats;
    float *wave_images;
    double *wave_places; /* of a worker: points (n_block, 3), arrivals (n_tx, n_block), the points'
                            x, y and z */
    sac_transmit *wave_transmits; /* of a worker: (n_tx), as they are worked with */

    /* For CONVERT: a batch's envelopes in the sector. */
    sac_scan scan;
    sac_scan_place *places;
    float *polar;

    /* What is made of the image. */
    sac_envelope_c64_fn magnitude; /* for MAGNITUDE */
    sac_hilbert_f32_fn hilbert;    /* for HILBERT: down z */
    sac_hilbert taps;
    float *columns;               /* (n_workers, 2, n_z, SAC_BEAMFORM_COLUMNS): its scratch */
    sac_compress_f32_fn compress; /* for COMPRESS */
    float *maximum;               /* (n_tasks + 1, batch): each task's, and the frames' */
    float *image;                 /* for GRAY: a batch of the steps' f32 images */

    /* The run at work. */
    sac_array in, out; /* out: what the steps write, the caller's array or (for gray) image; before
                          CONVERT the sector */
    sac_array converted; /* for CONVERT: `out` after it */
    sac_array picture;   /* gray: the caller's */
    int32_t first_frame, n_batch_frames;
    int32_t first_image;               /* where the batch's first frame lies in `out` */
    int64_t first_point, n_run_points; /* shared out by the pass at work */
};

/* Task i of n on `count` things: the first one's index; that of task i + 1 ends it. */
static inline int64_t sac_beamform_share(int64_t count, int64_t n, int64_t i)
{
    return count / n * i + (i < count % n ? i : count % n);
}

/* Calls task(plan, i) for each worker i, as far as there is work for them: they share n things. */
void sac_beamform_work(sac_beamform *plan, int64_t n, sac_task_fn task);

/* The next of what the workers share. Relaxed: it says who does what, and the pool makes the rest
 * visible. */
static inline int64_t sac_beamform_take(sac_beamform *plan)
{
    return atomic_fetch_add_explicit(&plan->n_taken, 1, memory_order_relaxed);
}

/* Whether a run takes any of these steps. */
static inline bool sac_beamform_does(const sac_beamform *plan, uint32_t steps)
{
    return (plan->steps & steps) != 0;
}

/* Whether a transmit's arrivals are given, one for each point in the caller's order. */
static inline bool sac_beamform_has_arrivals(const sac_beamform *plan)
{
    bool has = false;
    for (int32_t t = 0; t < plan->das.n_tx; t++)
        has = has || plan->transmits[t].kind == SAC_TRANSMIT_ARRIVALS;
    return has;
}

/* What open checks: the desc by itself, and that the grid suits the envelope of RF. */
SAC_NODISCARD sac_status sac_beamform_check_desc(const sac_beamform_desc *desc, sac_error *err);
SAC_NODISCARD sac_status sac_beamform_check_envelope(const sac_beamform *plan, sac_error *err);

SAC_NODISCARD sac_status sac_beamform_tx_apodization(sac_apodization *out, bool *lines,
                                                     const sac_beamform_desc *desc, sac_error *err);
/* What `reduction` and its options say; kind SAC_REDUCE_SUM: no adaptive weights. Refuses what does
 * not go with the rest of the desc, whose acquisition is there. */
SAC_NODISCARD sac_status sac_beamform_reduction(sac_reduction *out, const sac_beamform_desc *desc,
                                                sac_error *err);

/* The option `band` in Hz; false where it is no number above 0. */
bool sac_beamform_band(double *band_hz, const char *text);

SAC_NODISCARD sac_status sac_beamform_apodization(sac_apodization *out,
                                                  const sac_beamform_desc *desc, sac_error *err);

/* The plan's own copies of what the acquisition and the desc point to. */
SAC_NODISCARD sac_status sac_beamform_copy_geometry(sac_beamform *plan, sac_error *err);

/* The pitch of a linear array along x that faces z, or 0. */
double sac_beamform_pitch(const sac_element *elements, int32_t n);

/* Whether a run is to go in groups, which then open. SAC_E_UNSUPPORTED, SAC_E_NOMEM. */
bool sac_beamform_needs_groups(const sac_acquisition *acquisition);
SAC_NODISCARD sac_status sac_beamform_open_groups(sac_beamform *plan, sac_error *err);
void sac_beamform_close_groups(sac_beamform *plan);

/* A group's das, of the plan's (or a copy's) that knows where the data lies. */
sac_das sac_beamform_group_das(const sac_beamform *plan, const sac_das *das,
                               const sac_beamform_group *group);

/* Shares out the packed samples; how many scalars, 0: too many. The plan's das is laid out. */
size_t sac_beamform_groups_layout(sac_beamform *plan);

/* Whether all elements lie as those of linear arrays, group by group. */
bool sac_beamform_is_linear(const sac_beamform *plan);

/* The records that count, and which record k is: of the transmit and the element, and where it is
 * packed, in scalars. */
typedef struct sac_beamform_record {
    int32_t t, r;
    ptrdiff_t at;
} sac_beamform_record;

int64_t sac_beamform_records(const sac_beamform *plan);
sac_beamform_record sac_beamform_record_of(const sac_beamform *plan, int64_t k);

/* Points [first, first + n) as `beamform` makes them, group by group, by that worker. */
void sac_beamform_groups_block(const sac_beamform *plan, float *out, const sac_das *das,
                               int64_t first, int32_t n, int32_t worker);

/* Whether the desc asks for two stages, or lets them be. */
static inline bool sac_beamform_may_dual(const sac_beamform_desc *d)
{
    return d->method == SAC_METHOD_DUAL_STAGE ||
           (d->method == SAC_METHOD_AUTO && d->tier == SAC_TIER_FAST);
}

/* Dual-stage beamforming, where the desc asks for it and it can be; the plan then goes frame by
 * frame. SAC_E_UNSUPPORTED (asked for in so many words), SAC_E_NOMEM. */
typedef struct sac_beamform_dual sac_beamform_dual;
SAC_NODISCARD sac_status sac_beamform_dual_open(sac_beamform *plan, sac_error *err);
void sac_beamform_dual_close(sac_beamform_dual **dual);

/*
 * Layers and a lens, where the desc has some: whether they go with the rest, and each depth's
 * delays; then memory of a run (false: there is none). SAC_E_INVALID, SAC_E_UNSUPPORTED,
 * SAC_E_NOMEM.
 */
typedef struct sac_beamform_layered sac_beamform_layered;
SAC_NODISCARD sac_status sac_beamform_layered_open(sac_beamform *plan, sac_error *err);
bool sac_beamform_layered_allocate(sac_beamform *plan);
void sac_beamform_layered_close(sac_beamform_layered **layered);

/* Points [first, first + n) as `beamform` makes them, a row at a time, by that worker. */
void sac_beamform_layered_block(const sac_beamform *plan, float *out, const sac_das *das,
                                int64_t first, int32_t n, int32_t worker);

/* By Fermat's principle: tau_tx of transmit t at p, and tau_rx from p to element r. */
double sac_beamform_layered_arrival_s(const sac_beamform *plan, int32_t t, const double p_m[3],
                                      int64_t index);
double sac_beamform_layered_receive_s(const sac_beamform *plan, int32_t r, const double p_m[3]);

/* All points of the batch at work, which is packed. */
void sac_beamform_dual_run(sac_beamform *plan);

/* sac_das_active of all points. */
uint64_t sac_beamform_active(const sac_beamform *plan);

/* tau_rx from p to element r, for transmit t (-1: any), NaN where it does not receive; and its
 * weight. */
double sac_beamform_receive_s(const sac_beamform *plan, int32_t t, int32_t r, const double p_m[3],
                              double *weight);

/*
 * An order for a list of points, as indices, in which neighbours in space follow each other: of
 * lists that have rows, along any axes. *order: NULL where the list has none, else the caller frees
 * it. SAC_E_NOMEM.
 */
SAC_NODISCARD sac_status sac_beamform_order_points(int32_t **order, const double *points_m,
                                                   int64_t n, const sac_element *elements,
                                                   int32_t n_elements);

/* On the CPU: pool and kernels; then, with the das complete but for its data, memory. */
SAC_NODISCARD sac_status sac_beamform_cpu_choose(sac_beamform *plan, sac_error *err);
SAC_NODISCARD sac_status sac_beamform_cpu_allocate(sac_beamform *plan, sac_error *err);

/* How many frames of the das a batch has there, whose kernels are chosen. */
int32_t sac_beamform_cpu_batch(const sac_beamform *plan);

/* Whether the arrays of a run have the plan's types and shapes, wherever they lie; `in` then as
 * (n_frames, n_transmits, n_elements, n_samples). SAC_E_SHAPE. */
SAC_NODISCARD sac_status sac_beamform_check_output(const sac_beamform *plan, const sac_array *out,
                                                   sac_error *err);
SAC_NODISCARD sac_status sac_beamform_check_input(sac_array *taken, const sac_beamform *plan,
                                                  const sac_array *in, sac_error *err);

/* A block (n_points, n_images, n_batch_frames) from point `first` on into the caller's array: as it
 * is, or its magnitude. */
void sac_beamform_finish_block(const sac_beamform *plan, const float *block, int64_t first,
                               int32_t n_points);

/* FIELD: points [first, first + n) as `beamform` makes them (das: of the batch), but with weights
 * that differ from point to point; worker i. */
void sac_beamform_field_block(const sac_beamform *plan, float *out, const sac_das *das,
                              int64_t first, int32_t n, int32_t i);

/* Which array the steps of a batch write first, and the number in it of the batch's first frame. */
void sac_beamform_begin_batch(sac_beamform *plan);

/* What needs whole frames: the envelope of RF, pictures of sectors, and decibels. */
void sac_beamform_finish_batch(sac_beamform *plan);

#endif
