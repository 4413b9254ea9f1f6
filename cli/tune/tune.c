/*
 * saccade tune: which variant of each step is the fastest on this machine, measured and kept.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <saccade/io.h>
#include <saccade/tune.h>

#include "json.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "tables.h"
#include "videos.h"

typedef struct tune_options {
    size_t struct_size;
    bool quick, dry_run;
    double seconds;
    int32_t verify;
    int32_t seed;
    const char *json;
} tune_options;

#define FIELD(name) offsetof(tune_options, name)

static const sac_param params[] = {
    {"quick", CLI_FLAG(quick), NULL, "measure a third of the shapes"},
    {"seconds", CLI_FLOAT(seconds, 0, 60, 0.05, "s"), "S",
     "measuring time of each shape and layout"},
    {"dry-run", CLI_FLAG(dry_run), NULL, "measure and print, and write no file"},
    {"verify", CLI_INT(verify, 0, 100000, 0, "shapes"), "N",
     "instead of that: time all variants on N shapes drawn at random, and tell how good the "
     "choice in use is"},
    {"seed", CLI_INT(seed, 0, 2147483647, 1, ""), "N", "with --verify: another seed draws others"},
    {"json", CLI_STRING(json), "FILE",
     "write a row a shape as JSON; - is standard output, and then no table is printed"},
};

static const sac_param_table own_options = CLI_TABLE("tune", tune_options, params);

#define CLOSE 1.05 /* within 5 % of the fastest */

typedef struct tuning {
    cli_table table;
    cli_json json;
    cli_progress progress;
    bool verifies, as_json;
    int n, n_changed, n_close;
    double worst; /* of all: time over the least */
    char worst_of[160];
} tuning;

static const char *const tune_heads[] = {"<room",    "<shape", "<by the table", "time",
                                         "<fastest", "time",   "speed-up"};
static const char *const verify_heads[] = {"<room",    "<shape", "<chosen",  "time",
                                           "<fastest", "time",   "longer by"};
enum { ROOM, SHAPE, FIRST, FIRST_NS, SECOND, SECOND_NS, RATIO, N_COLUMNS };

/* Infinite where a variant was so slow that it was not timed. */
static double ratio(double ns, double least_ns)
{
    return ns > 0 ? ns / least_ns : INFINITY;
}

static void put_row(cli_json *json, const sac_tune_row *row)
{
    cli_json_line(json);
    cli_json_string(json, "pipeline", row->pipeline);
    cli_json_string(json, "room", row->room);
    cli_json_string(json, "shape", row->shape);
    cli_json_string(json, "device", "cpu");
    cli_json_string(json, "table", row->table);
    cli_json_real(json, "table_ns", row->table_ns);
    cli_json_string(json, "chosen", row->chosen);
    cli_json_real(json, "chosen_ns", row->chosen_ns);
    cli_json_string(json, "fastest", row->fastest);
    cli_json_real(json, "fastest_ns", row->fastest_ns);
    cli_json_end_line(json);
}

static void fill_time(cli_table *table, int column, double ns)
{
    if (ns > 0) {
        cli_table_time(table, column, ns);
    } else {
        cli_table_cell(table, column, "-");
    }
}

static void fill_row(cli_table *table, const sac_tune_row *row, bool verifies)
{
    const double first_ns = verifies ? row->chosen_ns : row->table_ns;
    const double second_ns = verifies ? row->fastest_ns : row->chosen_ns;
    const double times = ratio(first_ns, second_ns);
    cli_table_row(table);
    cli_table_cell(table, ROOM, "%s", row->room);
    cli_table_cell(table, SHAPE, "%s", row->shape);
    cli_table_cell(table, FIRST, "%s", verifies ? row->chosen : row->table);
    fill_time(table, FIRST_NS, first_ns);
    cli_table_cell(table, SECOND, "%s", verifies ? row->fastest : row->chosen);
    fill_time(table, SECOND_NS, second_ns);
    if (!isfinite(times)) {
        cli_table_cell(table, RATIO, "over 3x");
    } else if (verifies) {
        cli_table_cell(table, RATIO, "%.1f %%", 100 * (times - 1));
    } else {
        cli_table_cell(table, RATIO, "%.2fx", times);
    }
}

static void take_row(void *ctx, const sac_tune_row *row)
{
    tuning *t = ctx;
    const bool changes = strcmp(row->table, row->chosen) != 0;
    const double over = ratio(row->chosen_ns, row->fastest_ns);
    t->n++;
    t->n_changed += changes;
    t->n_close += over <= CLOSE;
    if (over > t->worst) {
        t->worst = over;
        snprintf(t->worst_of, sizeof t->worst_of, "%s, %s", row->room, row->shape);
    }
    if (t->as_json) {
        put_row(&t->json, row);
    }
    if (changes || t->verifies) {
        fill_row(&t->table, row, t->verifies);
    }
}

static void print_result(tuning *t)
{
    cli_table_print(&t->table, stdout);
    if (t->verifies) {
        printf("%sWithin 5 %% of the fastest variant: %d of %d shapes; the worst takes %.1f %% "
               "longer (%s).\n",
               t->n > 0 ? "\n" : "", t->n_close, t->n, 100 * (t->worst - 1), t->worst_of);
    } else {
        printf("%s%d shapes measured. For %d of them another variant than the table's is faster by "
               "more than 2 %%.\n",
               t->n_changed > 0 ? "\n" : "", t->n, t->n_changed);
    }
}

/* The folders that a path is in, where they are not there. */
static int make_folders(const char *path)
{
    char *folder = cli_text("%s", path);
    int status = CLI_DONE;
    for (char *at = strchr(folder + 1, '/'); at && status == CLI_DONE; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
            status = cli_fail("`%s`: cannot make this folder: %s", folder, strerror(errno));
        }
        *at = '/';
    }
    free(folder);
    return status;
}

static int write_times(sac_tune *tune, const char *path, bool is_silent)
{
    sac_error err = {0};
    size_t size;
    const char *text = sac_tune_get_text(tune, &size);
    if (!text) {
        return cli_fail("out of memory");
    }
    if (sac_file_write(path, text, size, &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (!is_silent) {
        printf("Written to %s: programs that start now choose by it.\n", path);
    }
    return CLI_DONE;
}

static sac_status measure(tuning *t, sac_tune *tune, const tune_options *o, const char *pipeline,
                          sac_error *err)
{
    sac_tune_desc desc;
    sac_tune_desc_init(&desc);
    desc.seconds = o->seconds;
    desc.quick = o->quick;
    desc.seed = (uint64_t)o->seed;
    desc.progress = cli_progress_step;
    desc.progress_ctx = &t->progress;
    cli_progress_open(&t->progress, "shapes");
    sac_status st = o->verify > 0
                        ? sac_tune_verify(tune, pipeline, o->verify, &desc, take_row, t, err)
                        : sac_tune_measure(tune, pipeline, &desc, take_row, t, err);
    cli_progress_hide(&t->progress);
    return st;
}

/* Whether there is something that is no file: a FIFO or device, a link to nothing. */
static bool is_no_file(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && (stat(path, &info) != 0 || !S_ISREG(info.st_mode));
}

/* The file that is to be written, or why none can be. */
static int find_file(const char **path, const tune_options *o)
{
    sac_wisdom_info info = {.struct_size = sizeof info};
    sac_wisdom_describe(&info);
    *path = o->dry_run || o->verify > 0 ? NULL : info.path;
    if (info.ignored[0] && o->verify > 0) {
        cli_warn("%s is ignored: %s", info.path, info.ignored);
    }
    if (*path && !info.path[0]) {
        return cli_fail("SAC_WISDOM is empty, or there is no home folder: no file to write; "
                        "--dry-run needs none");
    }
    if (*path && is_no_file(*path)) {
        return cli_fail("`%s`: is no regular file, which measured times are kept in", *path);
    }
    int status = *path ? make_folders(*path) : CLI_DONE;
    return status ? status : cli_report_check(*path);
}

static int check(const tune_options *o, int argc)
{
    if (o->verify > 0 && (o->quick || o->dry_run)) {
        return cli_misuse(&cli_tune, "--verify goes without --quick and --dry-run");
    }
    if (o->verify > 0 && argc > 1) {
        return cli_misuse(&cli_tune, "--verify: one pipeline at most, got %d", argc);
    }
    if (cli_was_given("seed") && o->verify == 0) {
        return cli_misuse(&cli_tune, "--seed is for --verify");
    }
    return cli_report_check(o->json);
}

/* A pipeline is an argument here, not an option. */
static int fail(const sac_error *err)
{
    static const char of_pipeline[] = "pipeline: ";
    const size_t n = sizeof of_pipeline - 1;
    return strncmp(err->text, of_pipeline, n) == 0 ? cli_misuse(&cli_tune, "%s", err->text + n)
                                                   : cli_error(err);
}

static int run(int argc, char **argv)
{
    tune_options o;
    tuning t = {0};
    sac_tune *tune = NULL;
    sac_error err = {0};
    const char *path = NULL;
    int status = cli_parse(&cli_tune, NULL, &o, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = check(&o, argc);
    status = status ? status : find_file(&path, &o);
    if (status) {
        return status;
    }
    t.verifies = o.verify > 0;
    t.as_json = o.json != NULL;
    cli_table_open(&t.table, t.verifies ? verify_heads : tune_heads, N_COLUMNS);
    if (t.as_json) {
        cli_json_open_rows(&t.json, 0, (sac_device){0});
    }
    sac_status st = sac_tune_open(&tune, &err);
    for (int i = 0; st == SAC_OK && i < (argc > 0 ? argc : 1); i++) {
        st = measure(&t, tune, &o, argc > 0 ? argv[i] : NULL, &err);
    }
    if (st != SAC_OK) {
        cli_json_discard(&t.json);
        status = fail(&err);
    } else {
        const bool is_silent = cli_is_dash(o.json);
        if (!is_silent) {
            print_result(&t);
        }
        status = path ? write_times(tune, path, is_silent) : CLI_DONE;
        const int written = t.as_json ? cli_json_write(&t.json, o.json) : CLI_DONE;
        status = status ? status : written;
    }
    sac_tune_close(&tune);
    return status;
}

static const char *const examples[] = {
    "everything, in some minutes",
    "saccade tune",
    "what it would change in one pipeline, and by how much",
    "saccade tune equalize --quick --dry-run",
    "into a file of its own, which programs then have to be told of",
    "SAC_WISDOM=/etc/saccade.wisdom saccade tune",
    "how good the choice is on 50 shapes drawn at random",
    "saccade tune --verify 50",
    NULL};

const cli_command cli_tune = {
    .name = "tune",
    .summary = "measure which variants are the fastest here, and keep the choice",
    .usage = "[PIPELINE]... [OPTION]...",
    .about =
        "Steps of the pipelines have several implementations (variants). A plan takes the one\n"
        "that was the fastest on the machines where saccade was measured. This command times all\n"
        "of them on this machine, for frames of several sizes, and writes a file by which plans\n"
        "then choose: the one that SAC_WISDOM names, else saccade/wisdom in $XDG_CACHE_HOME or\n"
        "~/.cache. It counts for this build of saccade and this CPU alone; --variant and\n"
        "SAC_VARIANT come before it, and an empty SAC_WISDOM turns it off. Results stay within\n"
        "what each pipeline promises. Leave the machine alone meanwhile.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
    .also = "report: a page",
};
