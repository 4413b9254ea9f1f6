/*
 * Latency against throughput of melt-pool monitoring: what batches of frames cost and gain on this
 * machine, where each curve bends, and which way of running a plan suits a rate or a latency.
 * After Nourazar, Booth, Goossens (their Table 3 and Fig. 8). In libsaccade-ladder.
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

/* One way of running a plan. */
typedef struct sac_meltpool_way {
    char name[32];       /* "2 threads"; "worker, blocks", "launched, 1 thread" */
    const char *variant; /* of the desc: a GPU's mapping; static, or the desc's own; may be NULL */
    int32_t n_threads;   /* of the desc */
    bool is_resident;    /* on a GPU: the worker takes every batch (desc.resident), else each is
                            launched */
    bool on_device; /* frames lie in the GPU's memory, else in the CPU's: page-locked for a GPU */
} sac_meltpool_way;

/* Of a point's frames; quantiles as of sac_histogram. */
typedef struct sac_meltpool_times {
    double mean_ns, p50_ns, p99_ns, p999_ns, max_ns;
} sac_meltpool_times;

/*
 * One measurement. Frames lie in memory and are released by a schedule, frame i at i / load. A
 * batch begins when the one before is done and its frames are due: `batch` of them where it is
 * full, else as many as are, up to `batch`, as sac_stream does it.
 */
typedef struct sac_meltpool_point {
    sac_meltpool_way way;
    int32_t batch;
    bool is_full;
    bool kept_up; /* at the end the queue was no longer than 5 % of the measurement */
    double
        load_hz; /* frames offered; 0: full batches one behind the other, nothing is waited for */
    double done_hz; /* frames done */
    int64_t frames, batches;
    sac_meltpool_times latency; /* of a frame, from its schedule to its batch's end: the sum of */
    sac_meltpool_times
        buffering;              /* from its schedule to its batch's beginning (load 0: none), and */
    sac_meltpool_times compute; /* from there on */
} sac_meltpool_point;

typedef struct sac_meltpool_curves_desc {
    size_t struct_size;
    sac_device device;
    int32_t n_threads;        /* on the CPU, beside one alone; 0: all cores */
    int32_t batch_max;        /* 1..4096: batches are of 1, 2, 4 .. so many; default 4096 */
    double seconds;           /* about as long as all measurements take; default 20 */
    sac_progress_fn progress; /* may be NULL; measurements done of all */
    void *progress_ctx;
} sac_meltpool_curves_desc;

SAC_API void sac_meltpool_curves_desc_init(sac_meltpool_curves_desc *desc);

/*
 * Measures the default plan, with a network of the paper's size, on frames of a simulated build, a
 * tenth of them empty: each way of running it, batch by batch, first the throughput (load 0), then
 * loads from low to beyond it, of full batches and of what waits; hands each point to point(ctx,
 * &point). A full batch that a load takes too long to fill for the time there is has no point.
 * SAC_E_INVALID (NULL, a value beyond its range), SAC_E_UNSUPPORTED (no CUDA in this build, no way
 * that takes any batch), SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_curves_run(
    const sac_meltpool_curves_desc *desc, void (*point)(void *ctx, const sac_meltpool_point *point),
    void *ctx, sac_error *err);

/* What counts as the lowest latency: up to so many times the lowest. */
#define SAC_MELTPOOL_LOWEST 1.1

/*
 * A curve's inflection point: of the n points (any order; load 0 is passed over) the one with the
 * largest load among those that kept up with a median latency of at most SAC_MELTPOOL_LOWEST times
 * the lowest. NULL where none kept up, or points is NULL.
 */
SAC_API const sac_meltpool_point *sac_meltpool_inflection(const sac_meltpool_point *points,
                                                          int32_t n);

/* What a way with a batch has to sustain for a rate: so many times as much. */
#define SAC_MELTPOOL_MARGIN 1.25

typedef struct sac_meltpool_choice {
    sac_meltpool_point at; /* the way and batch, and its latency at the load it was chosen for */
    double most_hz;        /* its throughput */
    double inflection_hz;  /* the load of its inflection point */
} sac_meltpool_choice;

/*
 * Picks way and batch from n points; those of one way and batch follow each other, its throughput
 * among them.
 *
 * rate_hz > 0: of those with a throughput of SAC_MELTPOOL_MARGIN times the rate the one with the
 * lowest median latency at the rate; of those that are as low (SAC_MELTPOOL_LOWEST) the smallest
 * batch whose inflection point is at two thirds of the highest load among them or beyond: there is
 * room for what comes in bursts. With budget_ns > 0 only those whose 99th percentile at the rate is
 * within it.
 *
 * rate_hz = 0: the highest load that has its 99th percentile within budget_ns.
 *
 * SAC_E_UNSUPPORTED where nothing fits; the text says what came nearest. SAC_E_INVALID
 * (NULL, no points, a number that is negative or not finite).
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_choose_from(sac_meltpool_choice *out,
                                                          const sac_meltpool_point *points,
                                                          int32_t n, double rate_hz,
                                                          double budget_ns, sac_error *err);

/*
 * The same from measurements that are made here, of about `seconds` in all: simulated frames of the
 * desc's size, its device, model and options; batches of what waits; on the CPU the desc's threads.
 * A variant that the desc forces stays. Then run the plan with
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
