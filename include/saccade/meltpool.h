/*
 * Melt-pool monitoring: from a small frame and the machine's signals to 40 features and a
 * prediction, thousands of times per second.
 *
 *     sac_meltpool_desc desc;
 *     sac_meltpool *plan = NULL;
 *     sac_meltpool_record record;
 *     sac_meltpool_desc_init(&desc);
 *     desc.w = 96, desc.h = 96;
 *     st = sac_meltpool_open(&plan, &desc, &err);
 *     while (camera_next(pixels, &signals))
 *         if (sac_meltpool_run(plan, &record, &frame, &signals, &err) == SAC_OK)
 *             control(record.features, record.prediction);
 *     sac_meltpool_close(&plan);
 *
 * `frame` is a view (saccade/array.h) of `pixels`, made once: sac_array_view(&frame, pixels,
 * SAC_U8, 2, (int64_t[]){96, 96}, &err). desc.calibration converts the signals' x and y to pixels.
 * Predictions need desc.model: sac_meltpool_model_shipped (saccade/meltpool_model.h) gives one.
 * saccade/simulate_meltpool.h makes frames to try it on, saccade/frames.h reads them from files,
 * and saccade/records.h writes records to files.
 *
 * For each frame: nothing is done if the laser is off. Otherwise the frame is cropped to a square
 * region of interest (ROI) around the laser's place, and a threshold segments the ROI into
 * 4-connected components. The component at the laser's pixel, or else the nearest to it, is the
 * melt pool; the other components are spatters. The features are
 *
 *     0       area of the pool, pixels              1, 2    pixels of spatters, their number
 *     3       width-length ratio of the pool        4       mean intensity of the pool
 *     5..10   intensity by 60-degree sectors        11..19  histogram of oriented gradients
 *     20..39  variances of 0..19 over the last frames
 *
 * After Nourazar, Booth, Goossens on monitoring laser powder bed fusion at ultra-high frame rates.
 * docs/meltpool.md defines everything to the bit: features 0..19 are the same in every variant
 * (implementation) and on every device.
 *
 * Threads: a plan (an opened analysis) is used by one thread at a time; different plans may be
 * used at the same time. Functions without a plan may be called from any thread at any time. A run
 * of a NULL plan is SAC_E_INVALID; all other functions accept NULL, and then do nothing, or return
 * 0, NULL or "".
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MELTPOOL_H
#define SACCADE_MELTPOOL_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>
#include <saccade/param.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SAC_MELTPOOL_FEATURES 40
#define SAC_MELTPOOL_OF_FRAME 20   /* features of one frame; as many variances follow */
#define SAC_MELTPOOL_PREDICTIONS 2 /* densities of lack-of-fusion and of keyhole pores, 1/mm^2 */

/*
 * The machine's signals for a frame. counter: the number of the frame, normally one more each
 * time; missing numbers are lost frames, and count towards a gap (desc.gap_reset_s). x, y: the
 * place of the laser, in the machine's units. A struct of zeros means that the laser is off.
 */
typedef struct sac_meltpool_signals {
    int32_t laser_on, counter, x, y;
} sac_meltpool_signals;

/* Sets: laser on, at (0, 0), frame 0. */
SAC_API void sac_meltpool_signals_init(sac_meltpool_signals *signals);

/* Flags of a record. They can be combined, except that EMPTY and REFUSED each occur alone. */
typedef enum sac_meltpool_flags {
    SAC_MELTPOOL_EMPTY = 1,   /* the laser was off: no work was done, features are 0 */
    SAC_MELTPOOL_NO_POOL = 2, /* no pixel of the ROI reached the threshold: features 0..4 are 0 */
    SAC_MELTPOOL_CLIPPED =
        4, /* the ROI was moved inside at the border, or the pool touches its edge */
    SAC_MELTPOOL_LATE = 8,    /* set by the caller: done later than its deadline */
    SAC_MELTPOOL_GAP = 16,    /* the first frame after a gap: variances start again */
    SAC_MELTPOOL_REFUSED = 32 /* the place of the laser is out of reach: no work was done */
} sac_meltpool_flags;

/* The result of a frame. */
typedef struct sac_meltpool_record {
    int64_t arrival_ns, done_ns; /* on the machine's monotonic clock (sac_stream_clock_ns); 0:
                                    unknown. The caller sets arrival_ns, a run sets done_ns */
    sac_meltpool_signals signals;
    uint32_t flags; /* sac_meltpool_flags */
    float features[SAC_MELTPOOL_FEATURES];
    float prediction[SAC_MELTPOOL_PREDICTIONS]; /* densities of pores from lack of fusion [0] and of
                                                   keyhole pores [1], 1/mm^2; 0 without a model */
} sac_meltpool_record;

/* How to find the centre of the ROI and of the sectors. */
typedef enum sac_meltpool_locate {
    SAC_MELTPOOL_LASER = 0, /* the x and y of the laser, converted by the calibration */
    SAC_MELTPOOL_BRIGHTEST, /* the brightest pixel of the frame; the first in raster order if there
                               are several */
    SAC_MELTPOOL_PREVIOUS, /* the centroid of the pool in the last frame that had one; the brightest
                              pixel before there is one, and after a gap */
    SAC_MELTPOOL_FIXED     /* desc.fixed */
} sac_meltpool_locate;

/* The function applied to the outputs of the model. */
typedef enum sac_meltpool_activation {
    SAC_MELTPOOL_LINEAR = 0, /* y */
    SAC_MELTPOOL_SOFTPLUS    /* ln(1 + e^y) */
} sac_meltpool_activation;

/*
 * A network with one hidden layer: output(b2 + W2 max(0, b1 + W1 z)), z = (features - mean) /
 * scale. All numbers are finite, every scale is above 0. sac_meltpool_model_read
 * (saccade/meltpool_model.h) reads a model from a file; to fill one in yourself, call
 * sac_meltpool_model_init first.
 */
typedef struct sac_meltpool_model {
    size_t struct_size;
    int32_t n_hidden;          /* 1..4096; 164 in the paper */
    int32_t output;            /* sac_meltpool_activation, default SAC_MELTPOOL_LINEAR */
    const float *mean, *scale; /* (40), of the features */
    const float *w1, *b1;      /* (n_hidden, 40), (n_hidden) */
    const float *w2, *b2;      /* (2, n_hidden), (2) */
} sac_meltpool_model;

/* Sets no hidden units and no arrays; open refuses this model until they are set. */
SAC_API void sac_meltpool_model_init(sac_meltpool_model *model);

/* What to analyse, and how. sac_meltpool_desc_init sets all defaults. */
typedef struct sac_meltpool_desc {
    size_t struct_size;
    int32_t h, w;      /* size of a frame, height first, roi..4096 pixels; default 96, 96 */
    int32_t roi;       /* side of the ROI, 8..128 pixels; default 40 */
    int32_t roi_align; /* the ROI's first column is a multiple of this where possible: 1, 2, 4 ..
                          64, default 8; at most roi / 2, so that the centre stays in the ROI */
    int32_t locate;    /* sac_meltpool_locate, default SAC_MELTPOOL_LASER */
    double calibration[2][3]; /* from the signals' x and y to pixels: column = m[0][0] x + m[0][1] y
                                 + m[0][2], row likewise with m[1]; must pass
                                 sac_meltpool_calibration_check. Default: x and y are pixels; with a
                                 model, open logs that */
    double fixed[2];   /* column and row of the centre for SAC_MELTPOOL_FIXED: in the frame, or -1,
                          the default: the middle of the frame */
    bool static_roi;   /* the ROI stays around `fixed`, wherever the centre is; default false */
    bool scan_frame;   /* sectors are counted from the direction in which the centre moves, not from
                          the image's x axis; default false */
    int32_t threshold; /* lowest value of a bright pixel, 0..256; default 60 */
    int32_t spatter_min; /* minimum size of a spatter in pixels; default 1 */
    int32_t window;      /* number of frames for the variances, 1..4096; default 64 */
    double rate_hz;      /* frames per second, to convert counters to times; default 20000 */
    double gap_reset_s;  /* a gap: this long (idle frames / rate_hz) without a processed frame.
                            Variances start again after it; default 1e-3 */
    const sac_meltpool_model *model; /* copied at open; default NULL: no predictions. The options
                                        above must be those that it was trained with; open cannot
                                        tell */
    int32_t n_threads; /* for sac_meltpool_run_batch on the CPU; 0, the default: one per core */
    sac_device device; /* default: the CPU */
    int32_t resident;  /* on a GPU: largest batch, 0..4096 frames, that the resident worker takes
                          (see sac_meltpool); default 32. Each larger batch is a kernel launch, with
                          0 every batch; but SAC_MELTPOOL_PREVIOUS always uses the worker */
    double
        timeout_s; /* on a GPU: without an answer for this time it counts as failed; default 0.5 */
    const char *variant; /* implementations to use: "NAME" or "ROOM:NAME,ROOM:NAME" (a room is one
                            step); NULL: the fastest; copied at open */

    const sac_executor *executor; /* threads of the caller; NULL: the plan starts its own */
    const sac_log *log;           /* is told at open which variants were chosen; may be NULL */
} sac_meltpool_desc;

/*
 * The name of feature 0..39 in files: "area", "hog_3", "var_area"; "" for any other number.
 * Static.
 */
SAC_API const char *sac_meltpool_feature_name(int32_t feature);

/* The fields that options set, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_meltpool_params(void);

/* Fills in every default. */
SAC_API void sac_meltpool_desc_init(sac_meltpool_desc *desc);

/*
 * The analysis of one stream of frames: a plan, which owns its tables, buffers and threads.
 *
 * On a GPU the plan's first run starts the worker: a kernel that stays resident and waits for
 * frames. It ends on its own when no frame has come for a while, and the next run starts it again;
 * so other work on that GPU, which may have to wait for all kernels (freeing memory does), can
 * proceed. After a run has returned SAC_E_DEVICE, every later run does, too.
 */
typedef struct sac_meltpool sac_meltpool;

/*
 * What happened to the frames since the plan was opened or reset. frames = processed + empty +
 * refused_shape + refused_place + failed holds always.
 */
typedef struct sac_meltpool_counts {
    size_t struct_size;
    int64_t frames;        /* passed to a run */
    int64_t processed;     /* their records have features */
    int64_t empty;         /* the laser was off */
    int64_t refused_shape; /* not (h, w) of u8, or without signals that are needed; a run that
                              returns SAC_E_SHAPE refuses all of its frames */
    int64_t refused_place; /* the laser is more than 4096 pixels outside the frame */
    int64_t failed; /* the GPU did not answer: frames that were not done in a run that returned
                       SAC_E_DEVICE, and all frames after them */
    int64_t no_pool, clipped, gaps; /* processed frames with these flags */
    int64_t spatters;               /* in all processed frames */
    int64_t outside; /* processed frames with the place of the laser outside the frame */
} sac_meltpool_counts;

/*
 * Checks a calibration, (2, 3) as in the desc. SAC_E_INVALID: a number is not finite; or the
 * calibration would map all places of the laser to one line or pixel, because the matrix of its
 * first two columns is singular or nearly so (condition number above 10^6).
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_calibration_check(const double *calibration,
                                                                sac_error *err);

/*
 * Checks the desc, chooses variants, allocates memory, and starts threads. On failure *out is
 * NULL. SAC_E_INVALID (NULL, a value out of range, a bad calibration or model), SAC_E_UNSUPPORTED
 * (no such variant on this machine, no CUDA in this build), SAC_E_DEVICE (no such GPU),
 * SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_open(sac_meltpool **out,
                                                   const sac_meltpool_desc *desc, sac_error *err);

/*
 * Analyses the next frame of the stream. `frame` is (h, w) of u8 in CPU memory or in the memory of
 * the plan's device; the stride between rows is free, the pixels of a row are adjacent. A GPU
 * reads memory of sac_pinned_alloc directly. `signals` may be NULL unless desc.locate is
 * SAC_MELTPOOL_LASER; then the laser counts as on, and the frame as the successor of the last one.
 * Writes the whole record, also of an empty or refused frame, except arrival_ns; the caller adds
 * the flag LATE. Allocates nothing.
 *
 * SAC_E_SHAPE, SAC_E_INVALID (NULL): the record is unchanged. SAC_E_DEVICE: the GPU failed, and the
 * features of the record are not valid.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_run(sac_meltpool *plan, sac_meltpool_record *record,
                                                  const sac_array *frame,
                                                  const sac_meltpool_signals *signals,
                                                  sac_error *err);

/*
 * Analyses the next n frames, (n, h, w), with records (n) and signals (n, or NULL). The result is
 * the same as that of n runs (features to the bit), with any number of threads. SAC_E_SHAPE,
 * SAC_E_INVALID, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_run_batch(sac_meltpool *plan,
                                                        sac_meltpool_record *records,
                                                        const sac_array *frames,
                                                        const sac_meltpool_signals *signals,
                                                        sac_error *err);

/*
 * Fills in the fields that counts->struct_size has room for: set it first, `= {.struct_size =
 * sizeof counts}`.
 */
SAC_API void sac_meltpool_get_counts(const sac_meltpool *plan, sac_meltpool_counts *counts);

/*
 * A warning, as one line for users, if the counts look wrong: in more than half of the frames the
 * laser is outside the picture, there is no pool, the pool is clipped, or the laser is off.
 * Predictions are then meaningless; usually the calibration is wrong. Call it after some hundred
 * frames. "" if nothing looks wrong, if counts is NULL, or if struct_size is not set. The text is
 * static.
 */
SAC_API const char *sac_meltpool_doubt(const sac_meltpool_counts *counts);

/* Starts another stream: forgets earlier frames, and sets the counts to 0. NULL is allowed. */
SAC_API void sac_meltpool_reset(sac_meltpool *plan);

/*
 * The variants in use, as ROOM:NAME: "frame_u8:avx512 ..."; valid until the plan is closed; "" for
 * NULL.
 */
SAC_API const char *sac_meltpool_get_variant(const sac_meltpool *plan);

/* Why a run returned SAC_E_DEVICE, for reports; "" if none did, or for NULL. */
SAC_API const char *sac_meltpool_get_fault(const sac_meltpool *plan);

/*
 * Since 0.2. Where a run looks in a frame, and what it finds there, for who draws it. Columns and
 * rows are of the frame, in pixels; a pixel's middle is at its index.
 */
typedef struct sac_meltpool_outline {
    size_t struct_size;
    uint32_t flags;      /* of the record: SAC_MELTPOOL_EMPTY, REFUSED (all below is 0), NO_POOL (no
                            pool, all below `centre` is 0), CLIPPED */
    int32_t x0, y0;      /* first column and row of the ROI, of desc.roi pixels each */
    double centre[2];    /* column and row around which the pool was searched */
    int64_t area;        /* pixels of the pool: feature 0 */
    double pool[2];      /* column and row of its centroid */
    double semi_axes[2]; /* of the ellipse with the pool's second moments, the longer one first:
                            twice the roots of their eigenvalues, whose ratio is feature 3 */
    double angle_rad;    /* of the longer one, from x towards y (down), within -pi/2 .. pi/2 */
} sac_meltpool_outline;

/*
 * Since 0.2. Finds the outline of one frame of a stream. desc, frame (h, w) and signals as of
 * sac_meltpool_open and sac_meltpool_run, the frame in CPU memory; model and device do not matter.
 * last_pool: with SAC_MELTPOOL_PREVIOUS column and row of the last pool's centroid; NULL where
 * there is none: then the brightest pixel counts. pool, (roi, roi) of u8, contiguous, becomes 1
 * where a pixel of the ROI belongs to the pool, else 0; NULL: not wanted.
 *
 * Fills in the fields that outline->struct_size has room for: set it first. Not for a real-time
 * thread: it allocates, up to 70 bytes per pixel of the ROI, which it frees. SAC_E_INVALID (NULL, a
 * value out of range), SAC_E_SHAPE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_find_outline(sac_meltpool_outline *outline,
                                                           uint8_t *pool,
                                                           const sac_meltpool_desc *desc,
                                                           const sac_array *frame,
                                                           const sac_meltpool_signals *signals,
                                                           const double *last_pool, sac_error *err);

/*
 * Frees the plan and sets *plan to NULL. plan == NULL and *plan == NULL are allowed. If a kernel
 * does not end, the memory that it may still use is not freed.
 */
SAC_API void sac_meltpool_close(sac_meltpool **plan);

#ifdef __cplusplus
}
#endif
#endif
