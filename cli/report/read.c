/*
 * Members of rows, checked: a report shows nothing of a file that is not what it says.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command.h"
#include "parts.h"

void cli_report_complain(cli_report_input *in, int i, const char *name, const char *expected)
{
    if (!in->is_bad) {
        cli_fail("%s: row %d: %s: %s expected", in->path, i, name, expected);
    }
    in->is_bad = true;
}

/* So that quotients are finite, and decades between them few enough for an axis. */
bool cli_report_is_sound(const cJSON *number)
{
    const double value = cJSON_IsNumber(number) ? number->valuedouble : -1;
    return value == 0 || (value >= 1e-15 && value <= 1e18);
}

double cli_report_number(cli_report_input *in, const cJSON *row, int i, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    if (!item || cJSON_IsNull(item)) {
        return 0;
    }
    if (!cli_report_is_sound(item)) {
        cli_report_complain(in, i, name, "0 or a number of 1e-15 to 1e18");
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
        cli_report_complain(in, i, name, "a string");
    }
    return text ? text : "";
}

const char *cli_report_string(cli_report_input *in, const cJSON *row, int i, const char *name)
{
    const char *text = cli_report_word(in, row, i, name, NULL);
    if (!text) {
        cli_report_complain(in, i, name, "a string");
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
