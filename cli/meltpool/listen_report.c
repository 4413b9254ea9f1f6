/*
 * What saccade meltpool --listen shows while it runs, and says at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "listen.h"
#include "tables.h"

static const char *const names[SAC_MELTPOOL_PREDICTIONS] = {"lack of fusion", "keyhole"};

static double sum_of(const cli_listen *l, int k)
{
    return atomic_load_explicit(&l->sums[k], memory_order_relaxed);
}

/* Of processed frames, pores / mm^2; NAN without any. */
static double mean_density(const cli_listen *l, int k)
{
    return sum_of(l, k) / (double)l->job.counts.processed;
}

/* How many pores the densities let expect; NAN where nobody knows what a frame stands for. */
static double expected_pores(const cli_listen *l, int k)
{
    double um2 = l->options.frame_um2;
    return um2 > 0 ? 1e-6 * um2 * sum_of(l, k) : (double)NAN;
}

void cli_listen_show(const void *ctx)
{
    const cli_listen *l = ctx;
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_stream_get_counts(l->at.stream, &c);
    fprintf(stderr, ", empty %" PRId64, c.empty);
    if (l->job.model && l->options.frame_um2 > 0) {
        fprintf(stderr, ", pores %.1f", expected_pores(l, 0) + expected_pores(l, 1));
    } else if (l->job.model && c.processed > 0) {
        fprintf(stderr, ", pores %.3g / mm^2", (sum_of(l, 0) + sum_of(l, 1)) / (double)c.processed);
    }
}

void cli_listen_print(const cli_listen *l)
{
    const sac_meltpool_counts *m = &l->job.counts;
    double seconds = 1e-9 * (double)l->at.took_ns;
    printf("%s: %" PRId64 " frame%s of %d x %d in %.3g s, %.0f/s\n", l->options.at.listen,
           l->at.counts.received, cli_s(l->at.counts.received), l->job.desc.w, l->job.desc.h,
           seconds, (double)l->at.counts.received / seconds);
    cli_listening_print(&l->at);
    printf("  pools          %" PRId64 " found, %" PRId64 " frames without; %" PRId64
           " clipped; %" PRId64 " gaps; %" PRId64 " spatters\n",
           m->processed - m->no_pool, m->no_pool, m->clipped, m->gaps, m->spatters);
    cli_meltpool_print_doubts(&l->job);
    if (m->failed > 0) {
        printf("  failed         %" PRId64 " frames without an answer, which count as refused\n",
               m->failed);
    }
    cli_meltpool_print_device(&l->job);
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS && l->job.model; k++) {
        if (m->processed == 0) {
            continue;
        }
        printf("  %-14s %.3g pores / mm^2 on average", names[k], mean_density(l, k));
        if (l->options.frame_um2 > 0) {
            printf(", %.0f expected", expected_pores(l, k));
        }
        putchar('\n');
    }
    if (l->reply) {
        const int64_t replied = cli_listening_read(&l->replied);
        printf("  replies        %" PRId64 " result%s sent", replied, cli_s(replied));
        cli_listening_print_dropped(cli_listening_read(&l->unreplied));
        putchar('\n');
    }
    if (l->recorder) {
        printf("  written        %" PRId64 " frame%s", l->recorded.processed,
               cli_s(l->recorded.processed));
        cli_listening_print_dropped(l->recorded.dropped);
        if (l->recorded.refused > 0) {
            printf("; %" PRId64 " not, since writing failed", l->recorded.refused);
        }
        putchar('\n');
    }
}

int cli_listen_json(const cli_listen *l)
{
    const sac_meltpool_counts *m = &l->job.counts;
    static const char *const keys[] = {"lof", "keyhole"};
    cli_json json;
    cli_json_open_rows(&json, 0, l->job.desc.device);
    cli_json_object(&json, NULL);
    cli_json_string(&json, "pipeline", "meltpool");
    cli_json_string(&json, "listen", l->options.at.listen);
    char *shape = cli_text("%dx%d u8", l->job.desc.w, l->job.desc.h);
    cli_json_string(&json, "shape", shape);
    free(shape);
    cli_json_int(&json, "took_ns", l->at.took_ns);
    cli_listening_put(&l->at, &json);
    cli_json_int(&json, "no_pool", m->no_pool);
    cli_json_int(&json, "clipped", m->clipped);
    cli_json_int(&json, "gaps", m->gaps);
    cli_json_int(&json, "spatters", m->spatters);
    cli_json_int(&json, "outside", m->outside);
    cli_meltpool_put_doubts(&l->job, &json);
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS && l->job.model; k++) {
        cli_json_object(&json, keys[k]);
        cli_json_real(&json, "mean_density_mm2", mean_density(l, k));
        cli_json_real(&json, "expected_pores", expected_pores(l, k));
        cli_json_end_object(&json);
    }
    cli_json_int(&json, "replied", cli_listening_read(&l->replied));
    cli_json_int(&json, "not_replied", cli_listening_read(&l->unreplied));
    cli_json_int(&json, "written", l->recorded.processed);
    cli_json_int(&json, "not_written", l->recorded.dropped + l->recorded.refused);
    cli_json_int(&json, "failed", m->failed);
    cli_json_string(&json, "variant", sac_meltpool_get_variant(l->job.plan));
    if (l->job.chosen) {
        cli_json_string(&json, "chosen", l->job.chosen);
    }
    cli_json_int(&json, "batch_max", l->plan.stream.batch_max);
    cli_json_end_object(&json);
    return cli_json_write(&json, l->options.at.json);
}
