/*
 * Reads the JSON of a ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "command.h"
#include "compare.h"
#include "results.h"

/* What is no time is none. */
static double time_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 1e18
               ? item->valuedouble
               : 0;
}

static void read_axes(double out[3], const cJSON *row, const char *name)
{
    const cJSON *axes = cJSON_GetObjectItemCaseSensitive(row, name);
    for (int i = 0; i < 3; i++) {
        const cJSON *axis = cJSON_GetArrayItem(axes, i);
        out[i] = cJSON_IsNumber(axis) ? axis->valuedouble : 0;
    }
}

static bool read_row(cli_compared_row *out, const cJSON *row)
{
    *out = (cli_compared_row){.room = cli_results_string(row, "room"),
                              .rung = cli_results_string(row, "rung"),
                              .shape = cli_results_string(row, "shape"),
                              .device = cli_results_string(row, "device"),
                              .task = cli_results_string(row, "task"),
                              .needs = cli_results_string(row, "needs"),
                              .median_ns = time_of(row, "median_ns"),
                              .published_ns = time_of(row, "published_ns"),
                              .has_failed =
                                  cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(row, "ok"))};
    read_axes(out->launch, row, "grid");
    read_axes(out->launch + 3, row, "block");
    return out->room && out->rung && out->shape && out->device;
}

static int read_rows(cli_compared *out, const cJSON *rows)
{
    const cJSON *row;
    out->rows = cli_grow(NULL, 0, (size_t)cJSON_GetArraySize(rows) + 1, sizeof *out->rows);
    cJSON_ArrayForEach(row, rows)
    {
        if (!read_row(&out->rows[out->n++], row)) {
            return cli_fail("%s: row %zu has no room, rung, shape and device: saccade ladder "
                            "--json writes these",
                            out->path, out->n - 1);
        }
    }
    return CLI_DONE;
}

int cli_compared_open(cli_compared *out, const char *path)
{
    size_t size;
    *out = (cli_compared){.path = path};
    char *text = cli_results_bytes(path, &size);
    cJSON *tree = text ? cli_results_parse(path, text, size, "saccade ladder") : NULL;
    free(text);
    if (!tree) {
        return CLI_FAILED;
    }
    out->tree = tree;
    out->commit = cli_results_string(tree, "commit");
    out->machine = cli_results_machine(tree);
    return read_rows(out, cJSON_GetObjectItemCaseSensitive(tree, "rows"));
}

void cli_compared_close(cli_compared *file)
{
    cJSON_Delete(file->tree);
    free(file->rows);
    *file = (cli_compared){0};
}
