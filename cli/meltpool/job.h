/*
 * saccade meltpool at work: frames in, records out, and what was counted on the way.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MELTPOOL_JOB_H
#define CLI_MELTPOOL_JOB_H

#include <saccade/frames.h>
#include <saccade/histogram.h>
#include <saccade/meltpool_model.h>
#include <saccade/records.h>

#include "command.h"
#include "json.h"
#include "plot.h"

typedef struct cli_meltpool_options {
    size_t struct_size;
    const char *output, *model, *calibration, *json, *plot, *format;
    double frame_um2, layer_gap_s, budget_us;
    int32_t batch;
} cli_meltpool_options;

/* Sums over processed frames of one predicted density, beside the truth where there is one. */
typedef struct cli_meltpool_sums {
    double prediction, truth, truth_2, error_2;
} cli_meltpool_sums;

typedef struct cli_meltpool_job {
    cli_meltpool_options options;
    sac_meltpool_desc desc; /* h, w, calibration and model are filled in by the run */
    bool rate_given;
    bool one_by_one; /* each frame run and timed by itself, on one thread */
    bool gpu_failed; /* a run gave SAC_E_DEVICE */
    char *chosen;    /* what the planner says; NULL where it was not asked */
    const char *input;
    const char *calibration; /* what said it: an option's text or the input's name; or NULL */
    struct cli_json *json;   /* takes a row a file; NULL: options.json is this one's alone */

    sac_frames_in *in;
    const sac_frames_info *info;
    sac_meltpool_model_file *model; /* NULL: no predictions */
    const char *lacking;            /* why there is no model, though none was forbidden; or NULL */
    sac_meltpool *plan;
    sac_records_out *out; /* NULL: no output is wanted */
    cli_meltpool_plot *plot;

    int64_t n_batch;               /* frames of a run, where it is not one by one */
    int64_t n_read;                /* frames in memory */
    uint8_t *frames;               /* page-locked where a GPU works */
    sac_meltpool_signals *signals; /* NULL: the file has none; so with truth */
    sac_meltpool_truth *truth;
    sac_meltpool_record *records;

    sac_histogram *times; /* of processed frames; of batches, divided by their frames */
    sac_meltpool_counts counts;
    cli_meltpool_sums sums[SAC_MELTPOOL_PREDICTIONS];
    int64_t read_ns, run_ns, write_ns;
} cli_meltpool_job;

/* Reads, runs, writes, reports. Returns an exit status. */
int cli_meltpool_run(cli_meltpool_job *job);

/* The same without a report: afterwards the job has its counts and plan, until closed. */
int cli_meltpool_work(cli_meltpool_job *job);
void cli_meltpool_close(cli_meltpool_job *job);

/* The parts of it. Opens all that its options name: an exit status. Then the next frames, from
 * `first` on, *n of them: their pixels, signals, truth and records are in the job until the next
 * call. */
int cli_meltpool_open_job(cli_meltpool_job *job);
SAC_NODISCARD sac_status cli_meltpool_step(cli_meltpool_job *job, int64_t first, int64_t *n,
                                           sac_error *err);

/* Memory of frames for where the job works; zeroed, and ends with the process where a GPU failed.
 * NULL, and *err says why. */
void *cli_meltpool_memory(const cli_meltpool_job *job, size_t bytes, sac_error *err);
void cli_meltpool_free(const cli_meltpool_job *job, void *memory);

/* What a run that returned `status` says of itself, of frames `first` on; returns the status. */
sac_status cli_meltpool_fail(const cli_meltpool_job *job, sac_status status, int64_t first,
                             sac_error *err);

/* Where the job was done, if not on the CPU, and what the planner says. */
void cli_meltpool_print_device(const cli_meltpool_job *job);

/* What --calibration takes, for who has none. */
#define CLI_MELTPOOL_CALIBRATIONS                                                                  \
    "--calibration FILE (`pixels`: x and y are pixels; `simulated`: the simulator's), --locate "   \
    "brightest, or --model none"

/* Sets the calibration that was said, "pixels", "simulated" or a file's name; without, the input's,
 * or else pixels. Returns an exit status. */
int cli_meltpool_calibrate(cli_meltpool_job *job, const char *said);
/* Whether the laser locates, by x and y of which nobody said that they are pixels. */
bool cli_meltpool_lacks_calibration(const cli_meltpool_job *job);
/* Whether it locates by pixels, as somebody said. */
bool cli_meltpool_is_calibrated(const cli_meltpool_job *job);

/* Opens the model that the options want. Returns an exit status. */
int cli_meltpool_open_model(cli_meltpool_job *job);

/* Begins the job's records, which the info says more of: whether they have signals, times, truth.
 */
SAC_NODISCARD sac_status cli_meltpool_create(cli_meltpool_job *job, const char *path,
                                             sac_records_info *info, sac_error *err);

/* What records depend on, "roi=40 threshold=60 .."; free() it. */
char *cli_meltpool_parameters(const cli_meltpool_job *job);

/* Where the job's parameters are not those that the model was trained with, a line that says so;
 * free() it; else NULL. And the same as a warning. */
char *cli_meltpool_model_doubt(const cli_meltpool_job *job);
void cli_meltpool_compare_model(const cli_meltpool_job *job);

/* What a job that is done says of what looks wrong: on standard error; in a summary; as JSON. */
void cli_meltpool_warn(const cli_meltpool_job *job);
void cli_meltpool_print_doubts(const cli_meltpool_job *job);
void cli_meltpool_put_doubts(const cli_meltpool_job *job, cli_json *json);

/* The reports of a job that is done. */
void cli_meltpool_print(const cli_meltpool_job *job);
int cli_meltpool_json(const cli_meltpool_job *job);

#endif
