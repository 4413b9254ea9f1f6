/*
 * Reads the JSON of a command.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define MOST_BYTES (64u << 20)

char *cli_results_bytes(const char *path, size_t *size)
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
        cli_fail("%s: %s", path, has_failed ? "cannot be read" : "larger than 64 MiB");
        free(text);
        return NULL;
    }
    return text;
}

const char *cli_results_string(const cJSON *object, const char *name)
{
    char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    for (char *at = text; at && *at; at++) {
        *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
    }
    return text;
}

const char *cli_results_machine(const cJSON *tree)
{
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(tree, "machine");
    const char *name = cli_results_string(machine, "gpu");
    name = name ? name : cli_results_string(machine, "cpu");
    return name ? name : "unknown machine";
}

/* Says in one line what is wrong with the envelope. */
static int check(const char *path, const cJSON *tree, const char *what)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(tree, "rows");
    const cJSON *row;
    int i = 0;
    if (!tree) {
        return cli_fail("%s: no JSON of %s", path, what);
    }
    if (!cJSON_IsArray(rows) ||
        !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(tree, "machine"))) {
        return cli_fail("%s: no JSON of %s: %s expected", path, what,
                        cJSON_IsArray(rows) ? "`machine`, an object," : "`rows`, an array,");
    }
    if (cJSON_GetArraySize(rows) > CLI_RESULTS_ROWS) {
        return cli_fail("%s: more than %d rows", path, CLI_RESULTS_ROWS);
    }
    cJSON_ArrayForEach(row, rows)
    {
        if (!cJSON_IsObject(row)) {
            return cli_fail("%s: row %d: an object expected", path, i);
        }
        i++;
    }
    return i > 0 ? CLI_DONE : cli_fail("%s: has no rows", path);
}

cJSON *cli_results_parse(const char *path, const char *bytes, size_t size, const char *what)
{
    cJSON *tree = cJSON_ParseWithLength(bytes, size);
    if (check(path, tree, what) != CLI_DONE) {
        cJSON_Delete(tree);
        tree = NULL;
    }
    return tree;
}
