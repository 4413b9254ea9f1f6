/*
 * Names of outputs: for many inputs, apart from each other and from what is read, and of plots.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <saccade/io.h>

#include "draw/page.h"
#include "videos.h"

const char *cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 &&
           (S_ISREG(x.st_mode) || S_ISDIR(x.st_mode)) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

bool cli_is_same_name(const char *a, const char *b)
{
    struct stat folder[2];
    const char *const path[] = {a, b};
    bool is_known = strcmp(cli_base_name(a), cli_base_name(b)) == 0;
    for (int i = 0; i < 2 && is_known; i++) {
        char *name = cli_text("%.*s.", (int)(cli_base_name(path[i]) - path[i]), path[i]);
        is_known = stat(name, &folder[i]) == 0;
        free(name);
    }
    return is_known && folder[0].st_dev == folder[1].st_dev && folder[0].st_ino == folder[1].st_ino;
}

static bool is_same_output(const char *a, const char *b)
{
    if (!a || !b || cli_is_dash(a) || cli_is_dash(b)) {
        return cli_is_dash(a) && cli_is_dash(b);
    }
    struct stat info;
    const bool is_device = stat(a, &info) == 0 && S_ISCHR(info.st_mode); /* as /dev/null */
    return !is_device && (strcmp(a, b) == 0 || cli_is_same_file(a, b) || cli_is_same_name(a, b));
}

int cli_outputs_apart(const cli_command *command, const char *const *written, int n,
                      const char *options)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            if (is_same_output(written[i], written[k])) {
                return cli_misuse(command, "%s can take one of %s",
                                  cli_is_dash(written[i]) ? "standard output" : written[i],
                                  options);
            }
        }
    }
    return CLI_DONE;
}

static bool ends_in_slash(const char *path)
{
    size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

bool cli_is_folder(const char *path)
{
    struct stat info;
    return ends_in_slash(path) || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

/* The last dot of a name without folders, where an ending follows it; else NULL. */
static const char *find_dot(const char *base)
{
    const char *dot = strrchr(base, '.');
    return dot != base ? dot : NULL;
}

/* The format is the input's, where none is given; of a delta stream, whose frames are written, Y4M.
 */
static char *name_in_folder(const char *folder, const char *input, const char *format)
{
    static const char *const streams[] = {".sdv", NULL};
    const char *base = cli_base_name(input);
    const char *joint = ends_in_slash(folder) ? "" : "/";
    const char *dot = find_dot(base);
    if (!format && cli_ends_in(input, streams)) {
        format = "y4m";
    }
    if (!format) {
        return cli_text("%s%s%s", folder, joint, base);
    }
    int stem = (int)(dot ? (size_t)(dot - base) : strlen(base));
    return cli_text("%s%s%.*s.%s", folder, joint, stem, base, format);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* An output that two inputs have; NULL if none. */
static const char *find_twice(char *const *outputs, int n)
{
    const char *twice = NULL;
    char **sorted = cli_grow(NULL, 0, (size_t)n, sizeof *sorted);
    memcpy(sorted, outputs, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_names);
    for (int i = 1; i < n && !twice; i++) {
        twice = strcmp(sorted[i - 1], sorted[i]) == 0 ? sorted[i] : NULL;
    }
    free(sorted);
    return twice;
}

int cli_outputs_name(char ***out, const cli_command *command, char **inputs, int n,
                     const char *output, const char *format)
{
    *out = NULL;
    bool folder = strcmp(output, "-") != 0 && cli_is_folder(output);
    if (!folder && n > 1) {
        return cli_misuse(
            command,
            "%d inputs need a folder for -o, and %s is not one (a name that ends in / "
            "is created)",
            n, output);
    }
    for (int i = 0; folder && i < n; i++) {
        if (!strcmp(inputs[i], "-")) {
            return cli_misuse(command, "standard input has no name to keep in folder %s", output);
        }
    }
    char **names = cli_grow(NULL, 0, (size_t)n, sizeof *names);
    for (int i = 0; i < n; i++) {
        names[i] = folder ? name_in_folder(output, inputs[i], format) : cli_text("%s", output);
    }
    const char *twice = find_twice(names, n);
    if (twice) {
        cli_misuse(command, "two inputs would become one output, %s", twice);
        cli_outputs_free(names, n);
        return CLI_USAGE;
    }
    *out = names;
    return CLI_DONE;
}

int cli_outputs_folder(bool *made, const char *output)
{
    *made = ends_in_slash(output) && mkdir(output, 0777) == 0;
    if (!*made && ends_in_slash(output) && errno != EEXIST) {
        return cli_fail("`%s`: cannot make this folder: %s", output, strerror(errno));
    }
    return CLI_DONE;
}

const char *cli_plot_format(const char *path)
{
    static const char *const formats[] = {"svg", "png", "pdf"};
    const char *dot = find_dot(cli_base_name(path));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!dot || strcasecmp(dot + 1, formats[i]) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

sac_status cli_no_cairo(sac_error *err)
{
    if (err) {
        err->status = SAC_E_UNSUPPORTED;
        snprintf(err->text, sizeof err->text,
                 "this build has no Cairo, which draws (Debian and Ubuntu: libcairo2-dev; then "
                 "build saccade again)");
    }
    return SAC_E_UNSUPPORTED;
}

int cli_plot_check(const cli_command *command, const char *path)
{
    sac_error err = {0};
    if (!path) {
        return CLI_DONE;
    }
    if (!cli_plot_format(path)) {
        return cli_misuse(command, "--plot: expected the ending .png, .svg or .pdf, got `%s`",
                          path);
    }
    if (!cli_cairo_version()) {
        (void)cli_no_cairo(&err);
        return cli_fail("--plot: %s", err.text);
    }
    return cli_report_check(path);
}

void cli_outputs_free(char **outputs, int n)
{
    for (int i = 0; outputs && i < n; i++) {
        free(outputs[i]);
    }
    free(outputs);
}
