/*
 * Reads the JSON of a ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "command.h"
#include "compare.h"

#define MOST_ROWS 10000 /* a sweep has hundreds */
#define MOST_BYTES (64u << 20)

/* The whole file, with a 0 behind it; NULL: it said why not. */
static char *read_text(const char *path, size_t *size)
{
    const size_t step = 1u << 16;
    char *text = NULL;
    size_t room = 0, n = 1;
    FILE *file = fopen(path, "rb");
    if (!file) {
        cli_fail("%s: %s", path, strerror(errno));
        return NULL;
    }
    *size = 0;
    while (n > 0 && *size <= MOST_BYTES) {
        text = cli_grow(text, room, room + step, 1);
        room += step;
        n = fread(text + *size, 1, room - 1 - *size, file);
        *size += n;
    }
    const bool has_failed = ferror(file) != 0;
    fclose(file);
    if (has_failed || *size > MOST_BYTES) {
        cli_fail("%s: %s", path, has_failed ? "cannot be read" : "too large for a ladder's JSON");
        free(text);
        return NULL;
    }
    return text;
}

/* NULL: it has none. Controls, which a terminal would obey, become question marks. */
static const char *string_of(const cJSON *object, const char *name)
{
    char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    for (char *at = text; at && *at; at++) {
        *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
    }
    return text;
}

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
    *out = (cli_compared_row){.room = string_of(row, "room"),
                              .rung = string_of(row, "rung"),
                              .shape = string_of(row, "shape"),
                              .device = string_of(row, "device"),
                              .task = string_of(row, "task"),
                              .needs = string_of(row, "needs"),
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
    if (cJSON_GetArraySize(rows) > MOST_ROWS) {
        return cli_fail("%s: more than %d rows", out->path, MOST_ROWS);
    }
    out->rows = cli_grow(NULL, 0, (size_t)cJSON_GetArraySize(rows) + 1, sizeof *out->rows);
    cJSON_ArrayForEach(row, rows)
    {
        if (!read_row(&out->rows[out->n++], row)) {
            return cli_fail("%s: row %zu has no room, rung, shape and device: saccade ladder "
                            "--json writes these",
                            out->path, out->n - 1);
        }
    }
    return out->n > 0 ? CLI_DONE : cli_fail("%s: has no rows", out->path);
}

int cli_compared_open(cli_compared *out, const char *path)
{
    size_t size;
    *out = (cli_compared){.path = path};
    char *text = read_text(path, &size);
    if (!text) {
        return CLI_FAILED;
    }
    cJSON *tree = cJSON_ParseWithLength(text, size);
    free(text);
    out->tree = tree;
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(tree, "rows");
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(tree, "machine");
    if (!tree || !cJSON_IsArray(rows) || !cJSON_IsObject(machine)) {
        return cli_fail("%s: no JSON of saccade ladder", path);
    }
    out->commit = string_of(tree, "commit");
    out->machine = string_of(machine, "gpu");
    out->machine = out->machine ? out->machine : string_of(machine, "cpu");
    out->machine = out->machine ? out->machine : "unknown machine";
    return read_rows(out, rows);
}

void cli_compared_close(cli_compared *file)
{
    cJSON_Delete(file->tree);
    free(file->rows);
    *file = (cli_compared){0};
}
