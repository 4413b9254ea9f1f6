/*
 * bench_beamform's parts: its configurations, a configuration at work, and rows of results.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BENCH_BEAMFORM_H
#define SAC_BENCH_BEAMFORM_H

#include "beamform/plan.h"
#include "json.h"
#include "options.h"
#include "tables.h"

#define BENCH_MAX_TRANSMITS 75
#define BENCH_MAX_RUNS 400 /* timed, at most */
#define BENCH_MIN_RUNS 3

typedef struct bench_options {
    size_t struct_size;
    const char *only, *device, *json;
    int32_t threads;
    double seconds;
    bool all;
} bench_options;

/* What is beamformed: white noise, linear interpolation, zero outside, rectangular apertures. */
typedef struct bench_case {
    const char *name, *about;
    sac_dtype dtype;
    int32_t n_frames, n_tx, n_rx, n_samples;
    int32_t n_together; /* transmits that a GPU's kernel goes through at a time */
    bool matrix, lri;   /* matrix: 2-D array and diverging waves; else linear and plane */
    double f_number, fs_hz, fc_hz, c_m_s, pitch_m, t0_s, angle_rad;
    sac_grid grid;
    int32_t step; /* of SAC_DAS_BLOCK points, each step-th block is compared with the reference */
    int32_t thin; /* on the CPU each thin-th plane of points alone, unless all are asked for */
    double mach_ms, ffdas_ms, ffdas_half_ms; /* published; 0: not */
} bench_case;

extern const bench_case bench_cases[];
extern const int32_t bench_n_cases;

/* A configuration with its data, the CPU's plan (fp32, one thread), and what is right. */
typedef struct bench_work {
    const bench_case *c;
    sac_element *elements;
    sac_transmit transmits[BENCH_MAX_TRANSMITS];
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    sac_array in; /* (n_frames, n_tx, n_rx, n_samples), contiguous */
    sac_beamform *plan;
    uint64_t all, active; /* points */
    int32_t n_parts;      /* scalars of a value: 2 of complex ones */
    float *want;          /* each step-th block (SAC_DAS_BLOCK, n_images, n_frames, n_parts) */
} bench_work;

/* A result. Times are of one run. */
typedef struct bench_row {
    const bench_work *work;
    char what[48], device[16], rung[256];
    double median_ns, p10_ns, p90_ns;
    int32_t n_runs;
    bool is_das;                       /* it works through the points */
    bool has_peers, is_half;           /* it is what the published figures are of; half precision */
    double issue_ns, l1_ns, memory_ns; /* bounds; 0: none */
    double clock_hz;                   /* they hold at; 0: not measured */
    double error;                      /* relative L2; negative: not compared */
} bench_row;

typedef struct bench {
    const bench_options *options;
    FILE *text; /* standard error where the JSON goes to standard output */
    cli_table table;
    cli_json json;
    double copy_b_s; /* of the CPU's memory, read plus written; 0: it is not worked on */
    double clock_hz; /* the GPU's, as measured last */
    int32_t n_wrong; /* runs whose picture is not within its tier's bound */
} bench;

/* Fills in the times from n <= BENCH_MAX_RUNS. */
void bench_take_times(bench_row *row, int64_t *ns, int32_t n);

/* The times of call(job) again and again for about `seconds`, BENCH_MIN_RUNS at least. */
void bench_time_calls(bench_row *row, void (*call)(const void *job), const void *job,
                      double seconds);
void bench_report(bench *b, const bench_row *row);

/* Says so, and counts it, where the row's error is not within the tier's bound. */
void bench_judge(bench *b, const bench_row *row, sac_tier tier);

/* The caller closes. `thin`: with fewer planes of points. */
void bench_open_work(bench_work *w, const bench_case *c, bool thin);
void bench_close_work(bench_work *w);

/* The configuration's array, transmits and grid alone. */
void bench_open_geometry(bench_work *w, const bench_case *c);
void bench_fill_noise(const sac_array *a);

/* Of images (n_frames, n_images, n_points, n_parts): relative L2 of the blocks that are compared.
 */
double bench_error(const bench_work *w, const float *images);

void bench_cpu(bench *b, const bench_work *w);

/* The GPU; in a build without CUDA bench_open_gpu ends the program. */
typedef struct bench_gpu bench_gpu;
bench_gpu *bench_open_gpu(const bench *b, int32_t index);
void bench_on_gpu(bench *b, bench_gpu *g, const bench_work *w);
void bench_plans_on_gpu(bench *b, bench_gpu *g, const bench_work *w);
void bench_end_to_end(bench *b, bench_gpu *g);
void bench_close_gpu(bench_gpu *g);

#endif
