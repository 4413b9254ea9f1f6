/*
 * saccade jitter: how steadily this machine runs a thread, before anything is asked of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include <saccade/io.h>

#include "videos.h"
#include "report.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"

typedef struct jitter_options {
    size_t struct_size;
    const char *json, *plot;
} jitter_options;

#define FIELD(name) offsetof(jitter_options, name)

static const sac_param params[] = {
    {"json", CLI_STRING(json), "FILE",
     "write the results as JSON; - is standard output, and then no text is printed"},
    {"plot", CLI_STRING(plot), "FILE",
     "draw both histograms, logarithmic in time and number, as PNG, SVG or PDF by its ending"},
};

static const sac_param_table own_options = CLI_TABLE("jitter", jitter_options, params);

static int check(const jitter_options *o, int argc, char **argv)
{
    const char *const written[] = {o->json, o->plot};
    if (argc > 0) {
        return cli_misuse(&cli_jitter, "takes no operand, got %s", argv[0]);
    }
    int status = cli_outputs_apart(&cli_jitter, written, 2, "--json and --plot");
    status = status ? status : cli_plot_check(&cli_jitter, o->plot);
    return status ? status : cli_report_check(o->json);
}

static int report(const cli_jitter_seen *j, const jitter_options *o)
{
    sac_error err = {0};
    if (o->plot && cli_jitter_plot(j, o->plot, &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (!cli_is_dash(o->json) && !cli_is_dash(o->plot)) {
        cli_jitter_print(j);
    }
    return o->json ? cli_jitter_json(j, o->json) : CLI_DONE;
}

static int run(int argc, char **argv)
{
    jitter_options options;
    cli_jitter_seen j = {.load = -1};
    sac_error err = {0};
    cli_progress progress;
    int status = cli_parse(&cli_jitter, &j.desc, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = check(&options, argc, argv);
    if (status) {
        return status;
    }
    if (getloadavg(&j.load, 1) < 1) {
        j.load = -1;
    }
    cli_progress_open(&progress, "measuring");
    cli_progress_seconds(&progress, j.desc.seconds);
    sac_status st = sac_histogram_open(&j.gaps, &err);
    st = st ? st : sac_histogram_open(&j.late, &err);
    st = st ? st : sac_jitter_run(j.gaps, j.late, &j.desc, &err);
    cli_progress_hide(&progress);
    if (st != SAC_OK) {
        status = cli_error(&err);
    } else {
        status = report(&j, &options);
    }
    sac_histogram_close(&j.gaps);
    sac_histogram_close(&j.late);
    return status;
}

static const char *const examples[] = {
    "ten seconds, wherever the system puts the thread",
    "saccade jitter",
    "an isolated CPU, for a stream of 20,000 frames a second, drawn",
    "saccade jitter --cpu 3 --rate 20000 --seconds 60 --plot jitter.png",
    "the same with real-time priority, which needs privileges",
    "saccade jitter --cpu 3 --priority 80 --json jitter.json",
    NULL};

const cli_command cli_jitter = {
    .name = "jitter",
    .summary = "how steadily this machine runs a thread: the least latency",
    .usage = "[OPTION]...",
    .about =
        "A thread continuously reads the clock. When the system, another thread or the\n"
        "hypervisor interrupts it, there is a gap, and a frame that arrives during the gap has to\n"
        "wait, in any program. The command reports the gaps, and how late the thread sees\n"
        "scheduled times. docs/real-time.md explains the results, and how to improve them.",
    .examples = examples,
    CLI_RUNS(run, sac_jitter_params, &own_options),
};
