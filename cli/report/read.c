/*
 * Members of rows, checked: a report shows nothing of a file that is not what it says.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "command.h"
#include "parts.h"

static void complain(cli_report_input *in, int i, const char *name, const char *expected)
{
    if (!in->is_bad) {
        cli_fail("%s: row %d: %s: %s expected", in->path, i, name, expected);
    }
    in->is_bad = true;
}

double cli_report_number(cli_report_input *in, const cJSON *row, int i, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    if (!item || cJSON_IsNull(item)) {
        return 0;
    }
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0) {
        complain(in, i, name, "a number of 0 or more");
        return 0;
    }
    return item->valuedouble;
}

const char *cli_report_word(cli_report_input *in, const cJSON *row, int i, const char *name,
                            const char *without)
{
    if (!cli_report_has(row, name)) {
        return without;
    }
    const char *text = cli_results_string(row, name);
    if (!text) {
        complain(in, i, name, "a string");
    }
    return text ? text : "";
}

const char *cli_report_string(cli_report_input *in, const cJSON *row, int i, const char *name)
{
    const char *text = cli_report_word(in, row, i, name, NULL);
    if (!text) {
        complain(in, i, name, "a string");
    }
    return text ? text : "";
}

bool cli_report_is(const cJSON *row, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, name));
}

bool cli_report_has(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    return item && !cJSON_IsNull(item);
}
