/*
 * Melt-pool monitoring: from a small frame and the machine's signals to 40 features and a
 * prediction, thousands of times a second.
 *
 * Per frame: dropped where the laser is off; the melt pool located at the laser's place, cropped to
 * a square region of interest (ROI), segmented by a threshold into 4-connected components; the pool
 * is the component at the laser's pixel, else the nearest to it, and the others are spatters.
 *
 *     0       area of the pool, pixels              1, 2    pixels of spatters, their number
 *     3       width-length ratio of the pool        4       mean intensity of the pool
 *     5..10   intensity by 60-degree sectors        11..19  histogram of oriented gradients
 *     20..39  variances of 0..19 over the last frames
 *
 * After Nourazar, Booth, Goossens on monitoring laser powder bed fusion at ultra-high frame rates.
 * docs/meltpool.md defines everything to the bit: features 0..19 are the same in every variant.
 *
 * Threads: a plan is for one thread at a time, and different plans are for different threads at the
 * same time; functions without a plan are for any thread at any time.
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

/* What the machine says of a frame. x, y: the laser's place, in the machine's units. All zero is a
 * frame with the laser off. */
typedef struct sac_meltpool_signals {
    int32_t laser_on, counter, x, y;
} sac_meltpool_signals;

/* The laser is on, at (0, 0) of frame 0. */
SAC_API void sac_meltpool_signals_init(sac_meltpool_signals *signals);

/* Of a record: any of them together, except that an empty or refused frame has no other. */
typedef enum sac_meltpool_flags {
    SAC_MELTPOOL_EMPTY = 1,   /* the laser was off: no work was done, features are 0 */
    SAC_MELTPOOL_NO_POOL = 2, /* no pixel of the ROI reached the threshold */
    SAC_MELTPOOL_CLIPPED =
        4, /* the ROI was moved inside at the border, or the pool touches its edge */
    SAC_MELTPOOL_LATE = 8,    /* done later than asked for */
    SAC_MELTPOOL_GAP = 16,    /* the first frame behind a gap: variances begin anew */
    SAC_MELTPOOL_REFUSED = 32 /* the laser's place is out of reach: no work was done */
} sac_meltpool_flags;

typedef struct sac_meltpool_record {
    int64_t arrival_ns, done_ns; /* on the machine's monotonic clock; 0: not known */
    sac_meltpool_signals signals;
    uint32_t flags; /* sac_meltpool_flags */
    float features[SAC_MELTPOOL_FEATURES];
    float prediction[SAC_MELTPOOL_PREDICTIONS]; /* 0 without a model */
} sac_meltpool_record;

/* How the centre, the place that the ROI and the sectors are around, is found. */
typedef enum sac_meltpool_locate {
    SAC_MELTPOOL_LASER = 0, /* the laser's x and y, by the calibration */
    SAC_MELTPOOL_BRIGHTEST, /* the frame's maximum; of several the first in raster order */
    SAC_MELTPOOL_PREVIOUS,  /* the centroid of the last frame that had a pool; before there is one,
                               and behind a gap, the maximum */
    SAC_MELTPOOL_FIXED      /* desc.fixed */
} sac_meltpool_locate;

/* The last step of a model's outputs. */
typedef enum sac_meltpool_activation {
    SAC_MELTPOOL_LINEAR = 0, /* y */
    SAC_MELTPOOL_SOFTPLUS    /* ln(1 + e^y) */
} sac_meltpool_activation;

/*
 * A network with one hidden layer: output(b2 + W2 max(0, b1 + W1 z)), z = (features - mean) /
 * scale. Every number is finite, every scale above 0. sac_meltpool_model_read
 * (saccade/meltpool_model.h) reads one from a file; else fill it in behind sac_meltpool_model_init.
 */
typedef struct sac_meltpool_model {
    size_t struct_size;
    int32_t n_hidden;          /* 1..4096; 164 in the paper */
    int32_t output;            /* sac_meltpool_activation, default SAC_MELTPOOL_LINEAR */
    const float *mean, *scale; /* (40) of the features */
    const float *w1, *b1;      /* (n_hidden, 40), (n_hidden) */
    const float *w2, *b2;      /* (2, n_hidden), (2) */
} sac_meltpool_model;

/* No hidden units and no numbers, which open refuses. */
SAC_API void sac_meltpool_model_init(sac_meltpool_model *model);

typedef struct sac_meltpool_desc {
    size_t struct_size;
    int32_t h, w;      /* of a frame, roi..4096 pixels; default 96, 96 */
    int32_t roi;       /* its side, 8..128 pixels, default 40 */
    int32_t roi_align; /* its first column is a multiple of this where it fits: 1, 2, 4 .. 64,
                          default 8; of at most roi / 2, so that the centre stays in the ROI */
    int32_t locate;    /* sac_meltpool_locate, default SAC_MELTPOOL_LASER */
    double calibration[2][3]; /* column = m[0][0] x + m[0][1] y + m[0][2], row likewise, as
                                 sac_meltpool_calibration_check takes it; default: x and y
                                 themselves are pixels, which open tells the log with a model */
    double fixed[2];     /* column and row, of SAC_MELTPOOL_FIXED: in the frame, or -1, the default:
                            its middle */
    bool static_roi;     /* the ROI stays around `fixed`, whatever the centre; default false */
    bool scan_frame;     /* sectors are counted from the direction in which the centre moves,
                            not from the image's x; default false */
    int32_t threshold;   /* 0..256: what a bright pixel has at least; default 60 */
    int32_t spatter_min; /* pixels of a spatter at least, default 1 */
    int32_t window;      /* frames that variances are of, 1..4096, default 64 */
    double rate_hz;      /* of frames, default 20000 */
    double gap_reset_s;  /* variances begin anew behind a gap of this, default 1e-3 */
    const sac_meltpool_model *model; /* copied; default NULL: no predictions */
    int32_t n_threads;               /* of a batch */
    sac_device device;
    int32_t resident; /* on a GPU: frames that the worker, a kernel that stays there, takes at once,
                         0..4096, default 32; larger batches are launched, and all with 0, but
                         for frames that follow the pool (SAC_MELTPOOL_PREVIOUS) */
    double timeout_s; /* on a GPU: without an answer for so long it has failed; default 0.5 */
    const char *variant; /* forces rungs: "NAME" or "ROOM:NAME,ROOM:NAME"; NULL: the fastest;
                            copied */

    const sac_executor *executor; /* the caller's threads instead of the plan's own; NULL: own */
    const sac_log *log;           /* told at open what was chosen; may be NULL */
} sac_meltpool_desc;

/* "area", "hog_3", "var_area": what files call feature 0..39; "" for any other number. */
SAC_API const char *sac_meltpool_feature_name(int32_t feature);

/* The fields that options set, with ranges and texts. */
SAC_API const sac_param_table *sac_meltpool_params(void);
SAC_API void sac_meltpool_desc_init(sac_meltpool_desc *desc);

/*
 * An analysis of one stream of frames.
 *
 * On a GPU the plan's first run starts the worker, a kernel that waits there for frames. It ends by
 * itself when none came for a while, and the next run starts it again, so that other work on that
 * GPU (which may have to wait for all kernels, as freeing memory does) goes on. Once a run has
 * returned SAC_E_DEVICE, every later one does.
 */
typedef struct sac_meltpool sac_meltpool;

/* What became of frames since the plan was opened or reset: frames = processed + empty + the two
 * refused + failed, always. */
typedef struct sac_meltpool_counts {
    size_t struct_size;
    int64_t frames;        /* accepted: handed over by a run */
    int64_t processed;     /* their records have features */
    int64_t empty;         /* the laser was off */
    int64_t refused_shape; /* not (h, w) of u8, or without signals that are needed: a run that
                              returns SAC_E_SHAPE refuses all of its frames */
    int64_t refused_place; /* the laser more than 4096 pixels beyond the frame */
    int64_t failed;        /* the GPU gave no answer: those of a run that returned SAC_E_DEVICE that
                              were not done, and all behind it */
    int64_t no_pool, clipped, gaps; /* processed frames with these flags */
    int64_t spatters;               /* in all processed frames */
    int64_t outside; /* processed frames with the laser's place outside of the frame */
} sac_meltpool_counts;

/*
 * calibration: (2, 3), as a desc has it. SAC_OK where these numbers can be a calibration.
 * SAC_E_INVALID: one is not finite; or all places of the laser would be on one line or pixel, the
 * matrix of the first two columns being singular or close to it (a condition number above 10^6).
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_calibration_check(const double *calibration,
                                                                sac_error *err);

/* SAC_E_INVALID (NULL, a value beyond its range, a bad calibration or model), SAC_E_UNSUPPORTED
 * (no such variant here, no CUDA in this build), SAC_E_DEVICE (no such GPU), SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_meltpool_open(sac_meltpool **out,
                                                   const sac_meltpool_desc *desc, sac_error *err);

/*
 * The next frame of the stream: (h, w) of u8 in the CPU's memory or in the plan's device's, rows of
 * any stride, pixels of a row side by side. A GPU reads memory of sac_pinned_alloc in place.
 * signals may be NULL unless the laser locates; then the laser counts as on, and the frame as the
 * next one. Writes the whole record but arrival_ns; LATE is the caller's to add. Allocates nothing.
 * SAC_E_SHAPE, and the record stays as it is. SAC_E_DEVICE: the GPU failed, and the record's
 * features are not valid.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_run(sac_meltpool *plan, sac_meltpool_record *record,
                                                  const sac_array *frame,
                                                  const sac_meltpool_signals *signals,
                                                  sac_error *err);

/*
 * The next n frames, (n, h, w), records (n) and signals (n, or NULL) alike: what n runs would give,
 * to the bit for features, with any number of threads. SAC_E_SHAPE, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_run_batch(sac_meltpool *plan,
                                                        sac_meltpool_record *records,
                                                        const sac_array *frames,
                                                        const sac_meltpool_signals *signals,
                                                        sac_error *err);

/* Fills in what counts->struct_size has room for. */
SAC_API void sac_meltpool_get_counts(const sac_meltpool *plan, sac_meltpool_counts *counts);

/*
 * What looks wrong in these counts, as one line for people: in more than half of the frames the
 * laser is outside of the picture, there is no pool, the pool is clipped, or the laser is off. Then
 * predictions mean nothing, as a rule because of the calibration. Ask when some hundred frames are
 * done. "" where nothing looks wrong, with NULL, or without a struct_size. The text is static.
 */
SAC_API const char *sac_meltpool_doubt(const sac_meltpool_counts *counts);

/* Another stream: forgets the last frames, and what was counted. Takes NULL. */
SAC_API void sac_meltpool_reset(sac_meltpool *plan);

/* The rooms and variants that run, "frame_u8:avx512 ..."; valid until the plan closes;
 * "" with NULL. */
SAC_API const char *sac_meltpool_get_variant(const sac_meltpool *plan);

/* Why a run returned SAC_E_DEVICE, for who reports it; "" where none did, or with NULL. */
SAC_API const char *sac_meltpool_get_fault(const sac_meltpool *plan);

/* Frees and NULLs *plan; but what a kernel may still use that does not leave the GPU is not freed.
 */
SAC_API void sac_meltpool_close(sac_meltpool **plan);

#ifdef __cplusplus
}
#endif
#endif
