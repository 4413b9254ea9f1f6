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
    int32_t threads, random, seed, skip;
    double seconds, points;
    bool all, check, small;
} bench_options;

/* What a configuration sends. */
typedef enum bench_waves {
    BENCH_PLANES = 0, /* plane waves at equal steps from -angle to angle */
    BENCH_SOURCES,    /* diverging: 3 x 3 virtual sources behind a matrix */
    BENCH_FAN         /* diverging: virtual sources on an arc behind the array, +-angle */
} bench_waves;

/* How the points of the grid are given. */
typedef enum bench_spots {
    BENCH_GRID = 0,
    BENCH_LIST,     /* as a list, in the grid's order */
    BENCH_ANGLES,   /* a sector as a list: x is the angle, which runs fastest, z the range */
    BENCH_RANGES,   /* the same, ranges running fastest */
    BENCH_SCATTERED /* a list of as many points anywhere within the grid */
} bench_spots;

/* What is beamformed: white noise. */
typedef struct bench_case {
    const char *name, *about;
    sac_dtype dtype;
    int32_t n_frames, n_tx, n_rx, n_samples;
    int32_t n_together; /* transmits that a GPU's kernel goes through at a time */
    int32_t matrix;     /* elements along x of a 2-D array; 0: a linear one */
    int32_t rows;       /* of a row-column array: half of n_rx, as of n_tx; 0: there are no lines */
    int32_t method;     /* sac_beamform_method */
    int32_t smooth;     /* IQ whose noise is within the band of a pulse: samples of its Gaussian */
    bool lri;
    sac_channel_layout layout;
    sac_interp interp;
    sac_outside outside;
    sac_tier tier;
    const char *window;        /* NULL: rect */
    const char *layers, *lens; /* NULL: one speed */
    const char *reduction;     /* NULL: the sum */
    sac_reduction_over over;
    double f_number, fs_hz, fc_hz, c_m_s, pitch_m, t0_s, angle_rad;
    bench_waves waves;
    const sac_transmit *transmits; /* (n_tx) instead of waves; or NULL */
    bench_spots spots;
    sac_grid grid;
    int32_t step; /* of SAC_DAS_BLOCK points, each step-th block is compared with the reference */
    int32_t thin; /* on the CPU each thin-th plane of points alone, unless all are asked for */
    double mach_ms, ffdas_ms, ffdas_half_ms; /* published; 0: not */
    double wanted_ms;                        /* of a run on an H100; 0: nothing */
    bool wanted_by_share;                    /* that times the share of points that are active */
    const char *wanted;                      /* in words; or NULL */
} bench_case;

/* Those that kernels were tuned for; and others, timed as plans alone. */
extern const bench_case bench_cases[];
extern const int32_t bench_n_cases;
extern const bench_case bench_rows[];
extern const int32_t bench_n_rows;

/* A configuration with its data; where it was opened so, the CPU's plan (fp32, one thread) and what
 * is right. */
typedef struct bench_work {
    const bench_case *c;
    sac_element *elements;
    sac_transmit transmits[BENCH_MAX_TRANSMITS];
    int32_t *shapes; /* of rows and columns: the acquisition's, or NULL */
    double *fires;
    uint8_t *receives;
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    double *points_m, *arrivals_s; /* of points and transmits that are given; or NULL */
    sac_array in;                  /* contiguous, in the desc's layout */
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
    int32_t n_runs, n_threads;         /* n_threads: on the CPU; 0: not told */
    bool is_das;                       /* it works through the points */
    bool has_peers, is_half;           /* it is what the published figures are of; half precision */
    double issue_ns, l1_ns, memory_ns; /* bounds; 0: none */
    double clock_hz;                   /* they hold at; 0: not measured */
    double error;                      /* relative L2; negative: not compared */
    double open_ns, wanted_ns;         /* opening the plan; what is wanted; 0: not known */
    double predicted_ns; /* what a GPU's plan chose its kernels by, of an H100; 0: on a CPU */
    char kind;           /* of A, B and C the nearest; 0: none */
    double share;        /* of its rate of active points */
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

/* The table of rows; a row in it, and in the JSON. */
void bench_open_table(bench *b);
void bench_report(bench *b, const bench_row *row);
void bench_put_json(cli_json *json, const bench_row *row);

/* Says so, and counts it, where the row's error is not within the tier's bound. */
void bench_judge(bench *b, const bench_row *row, sac_tier tier);

/* With the CPU's plan and the reference. The caller closes. `thin`: with fewer planes of points. */
void bench_open_work(bench_work *w, const bench_case *c, bool thin);
void bench_close_work(bench_work *w);

/* The configuration's array, transmits and points alone; then its data. */
void bench_open_geometry(bench_work *w, const bench_case *c);
void bench_open_data(bench_work *w);
void bench_fill_noise(const sac_array *a);

/* Of the configuration: how many points it has, and where point `index` is. */
int64_t bench_count_points(const bench_case *c);
void bench_point(double p[3], const bench_work *w, int64_t index);

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
