/*
 * saccade report: its command line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"
#include "outputs.h"
#include "report.h"

typedef struct report_options {
    size_t struct_size;
    const char *output, *title;
} report_options;

#define FIELD(name) offsetof(report_options, name)

enum { MOST_INPUTS = 100 };

static const sac_param params[] = {
    {"output", CLI_STRING(output), "OUT", "the page, HTML; - is standard output"},
    {"title", CLI_STRING(title), "TEXT", "what stands above it; default: Results of saccade"},
};

static const sac_param_table own_options = CLI_TABLE("report", report_options, params);

static int run(int argc, char **argv)
{
    report_options o;
    int status = cli_parse(&cli_report, NULL, &o, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc == 0 || argc > MOST_INPUTS) {
        return cli_misuse(&cli_report, "expected 1 to %d inputs, got %d", MOST_INPUTS, argc);
    }
    if (!o.output) {
        return cli_misuse(&cli_report, "-o OUT is missing");
    }
    status = cli_inputs_kept(&cli_report, (const char *const *)argv, argc, &o.output, 1);
    status = status ? status : cli_report_check(o.output);
    return status ? status
                  : cli_report_make(argv, argc, o.title ? o.title : "Results of saccade", o.output);
}

static const char *const examples[] = {
    "a ladder, and the machine's limits, as data",
    "saccade ladder equalize --json ladder.json && saccade info --json info.json",
    "both as a page",
    "saccade report ladder.json info.json -o report.html",
    "latency curves of melt-pool monitoring beside published ones, and a picture",
    "saccade report curves.json pool.png -o report.html --title \"Melt pool, line 3\"",
    NULL};

const cli_command cli_report = {
    .name = "report",
    .summary = "results of commands, and pictures, as one page",
    .usage = "IN... -o OUT.html [OPTION]...",
    .about =
        "Puts the JSON that commands write (--json, --stats) into one file of HTML: ladders as\n"
        "tables beside bars with speed-ups and published times, sweeps and latency curves as\n"
        "lines, calls against the machine's measured copy bandwidth, all else as tables; PNG,\n"
        "JPEG, WebP and SVG as pictures. At its foot stand machine, commit and command of each\n"
        "file. The page has no script and asks for nothing from elsewhere: it opens from a disk\n"
        "or an e-mail, in light and dark. It is written whole, or not at all.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
