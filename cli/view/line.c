/*
 * Command lines: options, quoted.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

void view_line_begin(view_line *line)
{
    *line = (view_line){0};
    line->file = open_memstream(&line->text, &line->size);
    if (!line->file) {
        exit(cli_fail("out of memory"));
    }
}

char *view_line_end(view_line *line)
{
    if (fclose(line->file) != 0) {
        exit(cli_fail("out of memory"));
    }
    return line->text;
}

void view_line_put(FILE *file, const char *name, const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-.,:/+@=";
    if (name) {
        fprintf(file, " --%s", name);
    }
    if (value && value[0] && value[strspn(value, plain)] == '\0') {
        fprintf(file, " %s", value);
    } else if (value) {
        fputs(" '", file);
        for (const char *c = value; *c; c++) {
            fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, file);
        }
        fputc('\'', file);
    }
}

void view_line_input(FILE *file, const char *path)
{
    char *name = cli_text("%s%s", path[0] == '-' && path[1] ? "./" : "", path);
    view_line_put(file, NULL, name);
    free(name);
}

void view_line_options(FILE *file, const sac_param_table *table, const void *desc,
                       const char *without)
{
    void *usual = cli_grow(NULL, 0, table->desc_size, 1);
    sac_param_defaults(table, usual);
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *param = &table->params[i];
        char text[256], was[256];
        sac_param_get(param, desc, text, sizeof text);
        sac_param_get(param, usual, was, sizeof was);
        if (strcmp(text, was) != 0 && !(without && strcmp(param->name, without) == 0)) {
            view_line_put(file, param->name, param->type == SAC_PARAM_BOOL ? NULL : text);
        }
    }
    free(usual);
}
