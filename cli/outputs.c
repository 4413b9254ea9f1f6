/*
 * Output names for many inputs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <saccade/io.h>

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

static bool ends_in_slash(const char *path)
{
    size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

static bool is_folder(const char *path)
{
    struct stat info;
    return ends_in_slash(path) || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static char *name_in_folder(const char *folder, const char *input, const char *format)
{
    const char *base = cli_base_name(input);
    const char *joint = ends_in_slash(folder) ? "" : "/";
    const char *dot = strrchr(base, '.');
    if (!format) {
        return cli_text("%s%s%s", folder, joint, base);
    }
    int stem = (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base));
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
    bool folder = strcmp(output, "-") != 0 && is_folder(output);
    if (!folder && n > 1) {
        return cli_misuse(command,
                          "%d inputs need a folder for -o, and %s is none (a name that ends in / "
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

int cli_report_check(const char *path)
{
    sac_error err = {0};
    const char *any = "pnm"; /* a format that is always there: only the path is in question */
    return !path || sac_picture_can_write(path, any, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
}

void cli_outputs_free(char **outputs, int n)
{
    for (int i = 0; outputs && i < n; i++) {
        free(outputs[i]);
    }
    free(outputs);
}
