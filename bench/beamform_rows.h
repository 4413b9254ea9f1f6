/*
 * bench_beamform: plans through their public functions alone, where they work, what they are next
 * to, and whether their images are right.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BENCH_BEAMFORM_ROWS_H
#define SAC_BENCH_BEAMFORM_ROWS_H

#include "beamform_bench.h"

/* The nearest of A, B and C: RF is B's; IQ of at least 8 frames A's, of fewer C's. */
typedef enum bench_kind { BENCH_KIND_A, BENCH_KIND_B, BENCH_KIND_C, BENCH_N_KINDS } bench_kind;

typedef struct bench_place {
    bench_gpu *gpu;    /* NULL: the CPU, */
    int32_t n_threads; /* by so many threads */
    /* A, B and C there, active points a second: in tier exact, and in fp32, which is the measure of
     * fast, too. 0: not measured yet. */
    double rate[BENCH_N_KINDS][2];
} bench_place;

/*
 * Opens a plan of the work there, which has data, and times runs of it for about `seconds`; fills
 * in the row, and the work's points. *images is what the first run wrote, into memory that held no
 * numbers: the caller frees it. On the CPU the time of one thread is the processor's; on a GPU
 * times are those between events, arrays lying there, several in turn.
 */
SAC_NODISCARD sac_status bench_time_plan(bench_row *row, float **images, const bench *b,
                                         const bench_place *place, bench_work *w, double seconds,
                                         sac_error *err);

/* The same on a GPU, less what is left to bench_time_plan. */
SAC_NODISCARD sac_status bench_time_plan_on_gpu(bench_row *row, float **images, bench_gpu *g,
                                                bench_work *w, double seconds, sac_error *err);
double bench_gpu_copy_b_s(const bench_gpu *g);
sac_device bench_gpu_device(const bench_gpu *g);

/* Opens a plan some times; *ns is the median. The last one stays open. */
SAC_NODISCARD sac_status bench_time_open(sac_beamform **plan, double *ns,
                                         const sac_beamform_desc *desc, sac_error *err);

/* Whether every value is finite, and every image of every frame has one that is not 0; `fault` says
 * which not. */
bool bench_is_sound(const bench_work *w, const float *images, char *fault, size_t size);

/* *error: relative L2 difference from the CPU's reference, at points and in frames by chance. */
SAC_NODISCARD sac_status bench_compare(double *error, const bench_work *w, const float *images,
                                       sac_error *err);

/* What bench_compare may find (docs/beamform.md, "Accuracy"). */
double bench_bound(const bench_work *w, bool on_gpu);

#define BENCH_FAULT_SIZE 320

/* bench_time_plan, sound and, by --check, compared; and what it is next to. False: it was refused,
 * failed or is wrong, and `fault` (BENCH_FAULT_SIZE) says how. */
bool bench_measure(bench_row *row, char *fault, bench *b, bench_place *place, bench_work *w,
                   double seconds);

/* The row's name in --only: bench_wants' `group` is another that it goes by. */
bool bench_wants(const char *list, const char *name, const char *group);

/* At most two places on the CPU, one by one thread; returns how many. */
#define BENCH_MAX_PLACES 3
int32_t bench_open_places(bench_place places[BENCH_MAX_PLACES], const bench *b, bool cpu,
                          bench_gpu *gpu);

/* The configuration with few points and transmits. */
void bench_make_small(bench_case *c);

/* Those of bench_rows that --only names. */
void bench_run_rows(bench *b, bench_place *places, int32_t n_places);

/* `first`, and its JSON; returns the program's status. Nothing may have asked for a GPU before: its
 * processes are forks. */
int bench_run_first(bench *b, sac_device device);

/* `open`, where --only names it. */
void bench_run_opens(bench *b, const bench_place *places, int32_t n_places);

#endif
