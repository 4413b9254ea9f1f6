/*
 * What saccade meltpool says when it is done: some lines, or JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "json.h"
#include "job.h"
#include "tables.h"

static const char *const names[SAC_MELTPOOL_PREDICTIONS] = {"lack of fusion", "keyhole"};

/* Of processed frames, pores / mm^2; NAN without any. */
static double mean_density(const cli_meltpool_job *job, int k)
{
    return job->counts.processed ? job->sums[k].prediction / (double)job->counts.processed
                                 : (double)NAN;
}

/* How many pores the densities let expect; NAN where nobody knows what a frame stands for. */
static double expected_pores(const cli_meltpool_job *job, int k)
{
    double um2 = job->options.frame_um2;
    return um2 > 0 ? 1e-6 * um2 * job->sums[k].prediction : (double)NAN;
}

/* The coefficient of determination; NAN without truth, or where that is the same throughout. */
static double r_squared(const cli_meltpool_job *job, int k)
{
    const cli_meltpool_sums *s = &job->sums[k];
    double n = fmax(1, (double)job->counts.processed);
    double spread = s->truth_2 - s->truth * s->truth / n;
    return job->truth && spread > 1e-9 * s->truth_2 ? 1 - s->error_2 / spread : (double)NAN;
}

static double frames_per_s(const cli_meltpool_job *job)
{
    return 1e9 * (double)job->counts.frames / fmax(1, (double)job->run_ns);
}

static void print_predictions(const cli_meltpool_job *job)
{
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS && job->counts.processed > 0; k++) {
        double pores = expected_pores(job, k), r2 = r_squared(job, k);
        fprintf(cli_out(), "  %-14s %.3g pores / mm^2 on average", names[k], mean_density(job, k));
        if (isfinite(pores)) {
            fprintf(cli_out(), ", %.0f expected in %.3g mm^2", pores,
                    1e-6 * job->options.frame_um2 * (double)job->counts.processed);
        }
        if (isfinite(r2)) {
            fprintf(cli_out(), "; R^2 %.3f against the truth", r2);
        }
        putc('\n', cli_out());
    }
    fprintf(cli_out(), "  model          %s\n", sac_meltpool_model_get_description(job->model));
}

void cli_meltpool_print_device(const cli_meltpool_job *job)
{
    sac_gpu_info info = {.struct_size = sizeof info};
    const sac_device device = job->desc.device;
    if (device.kind != SAC_DEVICE_CPU) {
        const bool known = sac_gpu_describe(&info, device.index, NULL) == SAC_OK;
        fprintf(cli_out(), "  device         cuda:%d%s%s, %s\n", device.index, known ? ", " : "",
                known ? info.name : "", sac_meltpool_get_variant(job->plan));
    }
    if (job->chosen) {
        fprintf(cli_out(), "  chosen         %s\n", job->chosen);
    }
}

void cli_meltpool_warn(const cli_meltpool_job *job)
{
    if (cli_meltpool_lacks_calibration(job)) {
        cli_warn("no calibration: the laser's x and y were used as pixels");
    }
    if (*sac_meltpool_doubt(&job->counts)) {
        cli_warn("%s", sac_meltpool_doubt(&job->counts));
    }
}

void cli_meltpool_print_doubts(const cli_meltpool_job *job)
{
    if (cli_meltpool_lacks_calibration(job)) {
        fputs("  calibration    none: the laser's x and y were used as pixels\n", cli_out());
    }
    if (*sac_meltpool_doubt(&job->counts)) {
        fprintf(cli_out(), "  warning        %s\n", sac_meltpool_doubt(&job->counts));
    }
}

void cli_meltpool_put_doubts(const cli_meltpool_job *job, cli_json *json)
{
    if (job->desc.locate == SAC_MELTPOOL_LASER) {
        cli_json_string(json, "calibration", job->calibration ? job->calibration : "none");
    }
    if (*sac_meltpool_doubt(&job->counts)) {
        cli_json_string(json, "warning", sac_meltpool_doubt(&job->counts));
    }
}

static void print_times(const cli_meltpool_job *job)
{
    const bool on_cpu = job->desc.device.kind == SAC_DEVICE_CPU;
    char p50[16], p99[16], max[16], read[16], write[16];
    double n = (double)job->counts.frames;
    if (sac_histogram_get_count(job->times) > 0) {
        fprintf(cli_out(), "  time a frame   p50 %s, p99 %s, max %s (%s); %.0f frames/s\n",
                cli_time_text(p50, sizeof p50, sac_histogram_get_quantile(job->times, 0.5)),
                cli_time_text(p99, sizeof p99, sac_histogram_get_quantile(job->times, 0.99)),
                cli_time_text(max, sizeof max, (double)sac_histogram_get_max(job->times)),
                !job->one_by_one ? "of batches, divided by their frames"
                : on_cpu         ? "one at a time, one thread"
                                 : "one at a time, from memory to memory",
                frames_per_s(job));
    }
    fprintf(cli_out(), "  in addition    reading %s a frame, writing %s\n",
            cli_time_text(read, sizeof read, (double)job->read_ns / n),
            cli_time_text(write, sizeof write, (double)job->write_ns / n));
}

void cli_meltpool_print(const cli_meltpool_job *job)
{
    const sac_meltpool_counts *c = &job->counts;
    const char *const output = job->options.output; /* NULL: none were written, as in the demo */
    fprintf(cli_out(),
            "%s: %" PRId64 " frame%s of %d x %d: %" PRId64 " processed, %" PRId64 " empty, %" PRId64
            " refused%s%s\n",
            job->input, c->frames, cli_s(c->frames), job->info->w, job->info->h, c->processed,
            c->empty, c->refused_shape + c->refused_place, output ? "; records in " : "",
            output ? output : "");
    if (c->refused_place > 0) {
        fprintf(cli_out(),
                "  refused        %" PRId64 ", the laser more than 4096 pixels beyond the frame\n",
                c->refused_place);
    }
    cli_meltpool_print_doubts(job);
    fprintf(cli_out(),
            "  pools          %" PRId64 " found, %" PRId64 " frames without; %" PRId64
            " clipped; %" PRId64 " gaps\n",
            c->processed - c->no_pool, c->no_pool, c->clipped, c->gaps);
    fprintf(cli_out(), "  spatters       %" PRId64 ", %.3g a frame\n", c->spatters,
            (double)c->spatters / fmax(1, (double)c->processed));
    if (job->model) {
        print_predictions(job);
    } else {
        fprintf(cli_out(), "  model          none%s%s\n", job->lacking ? ": " : "",
                job->lacking ? job->lacking : "");
    }
    cli_meltpool_print_device(job);
    print_times(job);
}

static void put_predictions(const cli_meltpool_job *job, cli_json *json)
{
    static const char *const keys[] = {"lof", "keyhole"};
    cli_json_string(json, "model", sac_meltpool_model_get_description(job->model));
    cli_json_real(json, "frame_um2",
                  job->options.frame_um2 > 0 ? job->options.frame_um2 : (double)NAN);
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++) {
        cli_json_object(json, keys[k]);
        cli_json_real(json, "mean_density_mm2", mean_density(job, k));
        cli_json_real(json, "expected_pores", expected_pores(job, k));
        cli_json_real(json, "r2", r_squared(job, k));
        cli_json_end_object(json);
    }
}

static void put_counts(const cli_meltpool_job *job, cli_json *json)
{
    const sac_meltpool_counts *c = &job->counts;
    cli_json_int(json, "frames", c->frames);
    cli_json_int(json, "processed", c->processed);
    cli_json_int(json, "empty", c->empty);
    cli_json_int(json, "refused_shape", c->refused_shape);
    cli_json_int(json, "refused_place", c->refused_place);
    cli_json_int(json, "pools", c->processed - c->no_pool);
    cli_json_int(json, "no_pool", c->no_pool);
    cli_json_int(json, "clipped", c->clipped);
    cli_json_int(json, "gaps", c->gaps);
    cli_json_int(json, "spatters", c->spatters);
    cli_json_int(json, "outside", c->outside);
    cli_meltpool_put_doubts(job, json);
}

int cli_meltpool_json(const cli_meltpool_job *job)
{
    cli_json own;
    char *shape = cli_text("%dx%d u8", job->info->w, job->info->h);
    cli_json *json = cli_json_begin_row(&own, job->json, job->desc.device);
    cli_json_string(json, "pipeline", "meltpool");
    cli_json_string(json, "input", job->input);
    cli_json_string(json, "output", job->options.output);
    cli_json_string(json, "shape", shape);
    put_counts(job, json);
    if (job->model) {
        put_predictions(job, json);
    }
    cli_json_int(json, "threads", job->desc.n_threads ? job->desc.n_threads : sac_cpu_count());
    cli_json_string(json, "variant", sac_meltpool_get_variant(job->plan));
    if (job->chosen) {
        cli_json_string(json, "chosen", job->chosen);
    }
    cli_json_string(json, "timed", job->one_by_one ? "frames" : "batches");
    cli_json_int(json, "batch", job->one_by_one ? 1 : job->n_batch);
    if (sac_histogram_get_count(job->times) > 0) {
        cli_json_real(json, "p50_ns", sac_histogram_get_quantile(job->times, 0.5));
        cli_json_real(json, "p99_ns", sac_histogram_get_quantile(job->times, 0.99));
        cli_json_int(json, "max_ns", sac_histogram_get_max(job->times));
    }
    cli_json_real(json, "frames_s", frames_per_s(job));
    cli_json_int(json, "read_ns", job->read_ns);
    cli_json_int(json, "run_ns", job->run_ns);
    cli_json_int(json, "write_ns", job->write_ns);
    free(shape);
    return cli_json_end_row(&own, job->json, NULL, job->options.json);
}
