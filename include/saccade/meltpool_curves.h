/*
 * Latency against throughput of melt-pool monitoring: measures the cost and gain of batches on
 * this machine, finds where each curve bends, and picks a configuration for a frame rate or a
 * latency budget.
 *
 *     sac_meltpool_choice choice;
 *     if (sac_meltpool_choose(&choice, &desc, 20000, 500e3, 5, &err) == SAC_OK) {
 *         desc.variant = choice.at.way.variant;
 *         desc.n_threads = choice.at.way.n_threads;
 *         desc.resident = choice.at.way.is_resident ? choice.at.batch : 0;
 *         stream_desc.batch_max = choice.at.batch;
 *     }
 *
 * After Nourazar, Booth, Goossens (their Table 3 and Fig. 8). In libsaccade-ladder.
 *
 * Threads: every function may be called from any thread at any time; measurements that run at the
 * same time disturb each other.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MELTPOOL_CURVES_H
#define SACCADE_MELTPOOL_CURVES_H

#include <saccade/meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A configuration to run a plan in. */
typedef struct sac_meltpool_way {
    char name[32];       /* "2 threads"; "worker, blocks", "launched, 1 thread" */
    const char *variant; /* for desc.variant: on a GPU how frames are mapped to blocks; static, or
                            the desc's own; may be NULL */
    int32_t n_threads;   /* for desc.n_threads */
    bool is_resident; /* on a GPU: the resident worker takes every batch (desc.resident); otherwise
                         each batch is launched */
    bool on_device;   /* frames are in GPU memory, otherwise in CPU memory: page-locked for a GPU */
} sac_meltpool_way;

/* Times of the frames of a point; quantiles as in sac_histogram. */
typedef struct sac_meltpool_times {
    double mean_ns, p50_ns, p99_ns, p999_ns, max_ns;
} sac_meltpool_times;

/*
 * One measurement. Frames are in memory and are released by a schedule, frame i at time i /
 * load_hz. A batch starts when the previous one is done and its frames are due: `batch` frames if
 * is_full, otherwise all that are due, up to `batch`, as sac_stream does.
 */
typedef struct sac_meltpool_point {
    sac_meltpool_way way;
    int32_t batch;
    bool is_full;
    bool kept_up;   /* the last batch started late by at most 5 % of the measurement's time */
    double load_hz; /* frames offered per second; 0: full batches back to back, without waiting */
    double done_hz; /* frames done per second */
    int64_t frames, batches;
    sac_meltpool_times
        latency; /* of a frame, from its schedule to the end of its batch: buffering + compute */
    sac_meltpool_times buffering; /* from its schedule to the start of its batch (0 for load 0) */
    sac_meltpool_times compute;   /* from the start to the end of its batch */
} sac_meltpool_point;

typedef struct sac_meltpool_curves_desc {
    size_t struct_size;
    sac_device device;
    int32_t n_threads; /* CPU threads to measure, in addition to one alone; 0: one per core */
    int32_t batch_max; /* 1..4096: batches of 1, 2, 4 .. this many are measured; default 4096 */
    double seconds;    /* approximate time of all measurements; default 20 */
    sac_progress_fn progress; /* may be NULL; counts measurements */
    void *progress_ctx;
} sac_meltpool_curves_desc;

SAC_API void sac_meltpool_curves_desc_init(sac_meltpool_curves_desc *desc);

/*
 * Measures the default plan, with a network of the paper's size, on frames of a simulated build of
 * which a tenth is empty. For each configuration and batch size it first measures the throughput
 * (load 0), then loads from low to above the throughput, both with full batches and with the
 * frames that are due. Passes each point to point(ctx, &point). There is no point for a full batch
 * that would take too long to fill at a load.
 *
 * SAC_E_INVALID (NULL, a value out of range), SAC_E_UNSUPPORTED (no CUDA in this build, no
 * configuration that takes any batch), SAC_E_NOMEM, SAC_E_DEVICE, SAC_CANCELLED (progress).
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_curves_run(
    const sac_meltpool_curves_desc *desc, void (*point)(void *ctx, const sac_meltpool_point *point),
    void *ctx, sac_error *err);

/* A latency up to this factor times the lowest one counts as lowest. */
#define SAC_MELTPOOL_LOWEST 1.1

/*
 * The inflection point of a curve, given as n points in any order; points with load 0 are ignored.
 * It is the point with the largest load among those that kept up with a median latency of at most
 * SAC_MELTPOOL_LOWEST times the lowest. NULL if none kept up, or if points is NULL.
 */
SAC_API const sac_meltpool_point *sac_meltpool_inflection(const sac_meltpool_point *points,
                                                          int32_t n);

/*
 * A configuration is chosen for a rate only if its throughput is at least this factor times the
 * rate.
 */
#define SAC_MELTPOOL_MARGIN 1.25

/* The chosen configuration. */
typedef struct sac_meltpool_choice {
    sac_meltpool_point
        at; /* configuration and batch, with its latency at the load that it was chosen for */
    double most_hz;       /* its throughput */
    double inflection_hz; /* load of its inflection point */
} sac_meltpool_choice;

/*
 * Picks configuration and batch from n points. The points of one configuration and batch are
 * adjacent and include its throughput (load 0).
 *
 * rate_hz > 0: considers those with a throughput of at least SAC_MELTPOOL_MARGIN times the rate,
 * and picks the lowest median latency at the rate. Among those that are as low
 * (SAC_MELTPOOL_LOWEST) it picks the smallest batch whose inflection point is at least two thirds
 * of the highest such load: this leaves room for bursts. With budget_ns > 0 only those are
 * considered whose 99th percentile at the rate is within budget_ns.
 *
 * rate_hz = 0: picks the highest load with a 99th percentile within budget_ns.
 *
 * SAC_E_UNSUPPORTED if nothing fits; the text tells what comes closest. SAC_E_INVALID
 * (NULL, no points, a number that is negative or not finite).
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_choose_from(sac_meltpool_choice *out,
                                                          const sac_meltpool_point *points,
                                                          int32_t n, double rate_hz,
                                                          double budget_ns, sac_error *err);

/*
 * The same from measurements made in this call, which take about `seconds` in all: simulated frames
 * of the desc's size, with its device, model and options; batches of the frames that are due; on
 * the CPU the desc's threads. A variant that the desc forces is kept. Then run the plan with
 *
 *     desc.variant = choice.at.way.variant, desc.n_threads = choice.at.way.n_threads,
 *     desc.resident = choice.at.way.is_resident ? choice.at.batch : 0
 *
 * and a stream with batch_max = choice.at.batch. Errors as above and as of sac_meltpool_open.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_choose(sac_meltpool_choice *out,
                                                     const sac_meltpool_desc *desc, double rate_hz,
                                                     double budget_ns, double seconds,
                                                     sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
