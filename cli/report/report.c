/*
 * The page: inputs read, a section each, and at its foot where they come from.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "command.h"
#include "html.h"
#include "outputs.h"
#include "parts.h"

#define MOST_PICTURE (16u << 20) /* bytes of a picture: the page has a third more */

typedef struct report {
    cli_report_input *in; /* (n) */
    int n;
    FILE *page;
} report;

static int open_input(cli_report_input *in, const char *path)
{
    in->path = path;
    in->bytes = cli_results_bytes(path, &in->size);
    if (!in->bytes) {
        return CLI_FAILED;
    }
    in->picture = cli_report_picture_type(in->bytes, in->size);
    if (in->picture && in->size > MOST_PICTURE) {
        return cli_fail("%s: a picture of at most %u MiB expected, got %.1f", path,
                        MOST_PICTURE >> 20, (double)in->size / (1 << 20));
    }
    if (!in->picture) {
        in->tree = cli_results_parse(path, in->bytes, in->size, "saccade, and no picture");
        free(in->bytes);
        in->bytes = NULL;
    }
    return in->picture || in->tree ? CLI_DONE : CLI_FAILED;
}

static const cJSON *first_row(const cli_report_input *in)
{
    return cJSON_GetObjectItemCaseSensitive(in->tree, "rows")->child;
}

/* The most additions a second of each set of instructions, with all cores: the last of its entries.
 */
static void take_sets(cli_report_limits *limits, cli_report_input *in)
{
    const cJSON *at;
    limits->n_sets = 0;
    cJSON_ArrayForEach(at, cJSON_GetObjectItemCaseSensitive(first_row(in), "operations"))
    {
        const char *name = cli_results_string(at, "instructions");
        const cJSON *adds = cJSON_GetObjectItemCaseSensitive(at, "add_g_s");
        size_t i = 0;
        if (!name || !adds || !cli_report_is_sound(adds) || !(adds->valuedouble > 0)) {
            cli_report_complain(in, 0, "operations",
                                "each with instructions, and add_g_s of 1e-15 to 1e18,");
            return;
        }
        while (i < limits->n_sets && strcmp(limits->set[i].name, name) != 0) {
            i++;
        }
        if (i < CLI_REPORT_SETS) {
            snprintf(limits->set[i].name, sizeof limits->set[i].name, "%s", name);
            limits->set[i].add_g_s = adds->valuedouble;
            limits->n_sets = i < limits->n_sets ? limits->n_sets : i + 1;
        }
    }
}

/* The memory's copy bandwidth, with whatever number of threads it is the most; 0: not known. */
static double most_of_memory(const cJSON *row)
{
    double most = 0;
    const cJSON *at;
    cJSON_ArrayForEach(at, cJSON_GetObjectItemCaseSensitive(row, "bandwidth"))
    {
        const cJSON *dram = cJSON_GetObjectItemCaseSensitive(at, "copy_dram_gb_s");
        if (dram && cli_report_is_sound(dram) && dram->valuedouble > most) {
            most = dram->valuedouble;
        }
    }
    return most;
}

/* Of the run itself, and of `saccade info` on the same CPU. */
static cli_report_limits limits_of(const report *r, const cli_report_input *in)
{
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(in->tree, "machine");
    const cJSON *copy = cJSON_GetObjectItemCaseSensitive(machine, "copy_gb_s");
    cli_report_limits limits = {0};
    limits.copy_gb_s = copy && cli_report_is_sound(copy) ? copy->valuedouble : 0;
    limits.is_gpu = cli_results_string(machine, "gpu") != NULL;
    for (int i = 0; i < r->n && !limits.is_gpu; i++) {
        const cJSON *of = r->in[i].tree ? first_row(&r->in[i]) : NULL;
        const double dram_gb_s = most_of_memory(of);
        if (dram_gb_s > 0 &&
            strcmp(cli_results_machine(r->in[i].tree), cli_results_machine(in->tree)) == 0) {
            limits.dram_gb_s = dram_gb_s;
            limits.rounds_differ = cli_report_number(&r->in[i], of, 0, "rounds_differ");
            take_sets(&limits, &r->in[i]);
        }
    }
    return limits;
}

static void put_paragraph(FILE *page, const char *what, const char *text)
{
    fprintf(page, "<p class=\"dim\">%s ", what);
    cli_html_text(page, text);
    fputs("</p>\n", page);
}

static void put_section(const report *r, cli_report_input *in, int i)
{
    fprintf(r->page, "<section id=\"in%d\">\n<h2>", i + 1);
    cli_html_text(r->page, cli_base_name(in->path));
    fputs("</h2>\n", r->page);
    if (in->picture) {
        cli_report_picture(r->page, in);
    } else {
        const cJSON *row = first_row(in);
        put_paragraph(r->page, "Measured on", cli_results_machine(in->tree));
        if (cli_report_has(row, "room") && cli_report_has(row, "rung")) {
            const cli_report_limits limits = limits_of(r, in);
            cli_report_ladder(r->page, in, &limits);
        } else if (cli_report_has(row, "part") && cli_report_has(row, "way")) {
            cli_report_curves(r->page, in);
        } else {
            cli_report_rows(r->page, in);
        }
    }
    fputs("</section>\n", r->page);
}

static void put_contents(const report *r)
{
    if (r->n < 2) {
        return;
    }
    fputs("<nav aria-label=\"Contents\"><ol>\n", r->page);
    for (int i = 0; i < r->n; i++) {
        fprintf(r->page, "<li><a href=\"#in%d\">", i + 1);
        cli_html_text(r->page, cli_base_name(r->in[i].path));
        fputs("</a></li>\n", r->page);
    }
    fputs("</ol></nav>\n", r->page);
}

/* The words of a command line; free() it. */
static char *command_of(const cJSON *tree)
{
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(tree, "command"), *word;
    char *all = NULL;
    size_t size;
    FILE *text = open_memstream(&all, &size);
    if (!text) {
        exit(cli_fail("out of memory"));
    }
    cJSON_ArrayForEach(word, words)
    {
        const char *of = cJSON_GetStringValue(word);
        fprintf(text, "%s%s", word == words->child ? "" : " ", of ? of : "?");
    }
    if (fclose(text) != 0) {
        exit(cli_fail("out of memory"));
    }
    return all;
}

static void put_foot(const report *r)
{
    static const char *const heads[] = {"<file",    "<machine", "cores",
                                        "<saccade", "<commit",  "<command"};
    fputs("<footer>\n", r->page);
    cli_html_table(r->page, "Where it comes from", heads, sizeof heads / sizeof heads[0]);
    for (int i = 0; i < r->n; i++) {
        const cJSON *tree = r->in[i].tree;
        const cJSON *cores = cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(tree, "machine"), "cores");
        const char *version = cli_results_string(tree, "saccade");
        const char *commit = cli_results_string(tree, "commit");
        char *command = command_of(tree);
        char *n = cJSON_IsNumber(cores) ? cli_text("%.0f", cores->valuedouble) : cli_text("%s", "");
        cli_html_row(r->page);
        cli_html_head(r->page, r->in[i].path);
        cli_html_cell(r->page, tree ? cli_results_machine(tree) : "a picture");
        cli_html_number(r->page, n);
        cli_html_cell(r->page, version ? version : "");
        cli_html_cell(r->page, commit ? commit : "");
        cli_html_cell(r->page, command);
        cli_html_end_row(r->page);
        free(command);
        free(n);
    }
    cli_html_end_table(r->page);
    const sac_build build = cli_build();
    char *by = cli_text("saccade %s, commit %s.", build.version, build.commit);
    put_paragraph(r->page, "Put together by", by);
    free(by);
    fputs("</footer>\n", r->page);
}

static int write_page(const report *r, const char *title, const char *output)
{
    char *text = NULL;
    size_t size = 0;
    sac_error err = {0};
    bool is_bad = false;
    report own = *r;
    own.page = open_memstream(&text, &size);
    if (!own.page) {
        return cli_fail("out of memory");
    }
    cli_html_open(own.page, title);
    put_contents(&own);
    for (int i = 0; i < r->n; i++) {
        put_section(&own, &r->in[i], i);
    }
    for (int i = 0; i < r->n; i++) {
        is_bad = is_bad || r->in[i].is_bad; /* which another's section may have found */
    }
    put_foot(&own);
    cli_html_close(own.page);
    const bool is_short = ferror(own.page) != 0;
    int status = fclose(own.page) != 0 || is_short ? cli_fail("out of memory") : CLI_DONE;
    status = is_bad ? CLI_FAILED : status;
    if (status == CLI_DONE) {
        status = cli_or_error(status, sac_file_write(output, text, size, &err), &err);
    }
    free(text);
    return status;
}

int cli_report_make(char *const *paths, int n, const char *title, const char *output)
{
    report r = {.in = cli_grow(NULL, 0, (size_t)n, sizeof *r.in)};
    int status = CLI_DONE;
    for (; r.n < n && status == CLI_DONE; r.n++) {
        status = open_input(&r.in[r.n], paths[r.n]);
    }
    status = status ? status : write_page(&r, title, output);
    for (int i = 0; i < r.n; i++) {
        free(r.in[i].bytes);
        cJSON_Delete(r.in[i].tree);
    }
    free(r.in);
    return status;
}
