/*
 * The command line of benchmarks, and how they report.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <saccade/device.h>

#include "base/clock.h"

enum { MAX_PARAMS = 24 };

int bench_misuse(const char *what, const char *value)
{
    cli_fail("%s%s (see %s --help)", what, value, bench_this.table.pipeline);
    return CLI_USAGE;
}

void bench_must(sac_status status, const char *what, const sac_error *err)
{
    if (status != SAC_OK)
        exit(cli_fail("%s%s%s", what ? what : "", what ? ": " : "",
                      err && err->text[0] ? err->text : sac_status_name(status)));
}

bool bench_prints(const char *json)
{
    return !json || strcmp(json, "-") != 0;
}

FILE *bench_text(const char *json)
{
    return bench_prints(json) ? stdout : stderr;
}

const char *const bench_isa_names[] = {"best", "all", NULL};
const char *const bench_level_names[BENCH_N_LEVELS] = {"plain C", "AVX2", "AVX-512", "with VBMI",
                                                       "NEON"};

static const struct {
    const char *mask;
    uint32_t needs;
} levels[BENCH_N_LEVELS] = {
    {"none", 0},
    {"avx2,v3", SAC_CPU_V3},
    {"avx2,v3,v4", SAC_CPU_V4},
    {"avx2,v3,v4,avx512vbmi,avx512vnni", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI},
    {"neon", SAC_CPU_NEON},
};

bool bench_use_level(int level)
{
    if (levels[level].needs & ~sac_cpu_features())
        return false;
    if (setenv("SAC_CPU_MASK", levels[level].mask, 1) != 0)
        bench_must(SAC_E_NOMEM, "SAC_CPU_MASK", NULL);
    return true;
}

int64_t bench_clock_ns(int32_t n_threads)
{
    struct timespec t;
    if (n_threads > 1 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return sac_clock_ns();
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

const char *bench_load(char *text, size_t size)
{
    double load[1] = {0};
    (void)getloadavg(load, 1);
    snprintf(text, size, "%d cores, load average %.1f", sac_cpu_count(), load[0]);
    return text;
}

/* A value that getopt_long found, into the options. Returns CLI_DONE or CLI_USAGE. */
static int take(void *options, int found)
{
    const sac_param_table *table = &bench_this.table;
    sac_error err = {0};
    const bool is_sound = sac_param_set(table, options, table->params[found - 256].name,
                                        optarg ? optarg : "true", &err) == SAC_OK;
    return is_sound ? CLI_DONE : bench_misuse("--", err.text);
}

/* *status is where it ends here: CLI_DONE after --help. False: it ends here. */
static bool parse(void *options, int *status, int argc, char **argv)
{
    struct option longs[MAX_PARAMS + 2] = {{0}};
    const sac_param *params = bench_this.table.params;
    const int n = (int)bench_this.table.n_params, most = bench_this.most_operands;
    int found;
    for (int i = 0; i < n && i < MAX_PARAMS; i++)
        longs[i] = (struct option){params[i].name, params[i].type != SAC_PARAM_BOOL, NULL, 256 + i};
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    sac_param_defaults(&bench_this.table, options);
    opterr = 0;
    while ((found = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        const char *wrong = found == ':' ? "expected a value behind " : "unknown option ";
        if (found == 'h')
            fputs(bench_this.help, stdout);
        else
            *status = found < 256 ? bench_misuse(wrong, argv[optind - 1]) : take(options, found);
        if (found == 'h' || *status)
            return false;
    }
    char **operands = argv + optind;
    if (argc - optind > most) {
        const char *wrong = most ? "one operand too many: " : "expected options alone, got ";
        *status = bench_misuse(wrong, operands[most]);
        return false;
    }
    if (most)
        memcpy((char *)options + bench_this.operands, &operands, sizeof operands);
    return true;
}

/* Whether the file of --json, if there is one, can be written: asked before the work. */
static int check_json(const void *options)
{
    const sac_param_table *table = &bench_this.table;
    const char *path = NULL;
    for (int32_t i = 0; i < table->n_params; i++)
        if (!strcmp(table->params[i].name, "json"))
            path = *(const char *const *)(const void *)((const char *)options +
                                                        table->params[i].offset);
    return cli_report_check(path);
}

int main(int argc, char **argv)
{
    int status = CLI_DONE;
    void *options = cli_grow(NULL, 0, 1, bench_this.table.desc_size);
    cli_argc = argc;
    cli_argv = cli_grow(NULL, 0, (size_t)argc, sizeof *argv);
    memcpy(cli_argv, argv, (size_t)argc * sizeof *argv); /* getopt_long reorders its own */
    if (parse(options, &status, argc, argv)) {
        status = check_json(options);
        status = status ? status : bench_this.run(options);
    }
    free(options);
    free(cli_argv);
    return status;
}
