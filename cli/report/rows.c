/*
 * Rows of any command as a table: a column for each member, those of objects by "object.member".
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "command.h"
#include "html.h"
#include "parts.h"
#include "tables.h"

enum { MOST_COLUMNS = 40, MOST_SHOWN = 1000, MOST_LIST = 12, DEPTH = 3 };

typedef struct columns {
    char *name[MOST_COLUMNS];
    int n;
    bool is_cut; /* there are more */
} columns;

static char *name_of(const char *above, const char *name)
{
    return above[0] ? cli_text("%s.%s", above, name) : cli_text("%s", name);
}

static int find(const columns *c, const char *name)
{
    int i = 0;
    while (i < c->n && strcmp(c->name[i], name) != 0) {
        i++;
    }
    return i;
}

/* Members of an object, and of objects in it, one level deep. */
static void gather(columns *c, const cJSON *object, const char *above)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        if (cJSON_IsObject(item) && !above[0]) {
            gather(c, item, item->string);
            continue;
        }
        char *name = name_of(above, item->string);
        if (find(c, name) < c->n || c->n == MOST_COLUMNS) {
            c->is_cut = c->is_cut || find(c, name) == c->n;
            free(name);
        } else {
            c->name[c->n++] = name;
        }
    }
}

/* "6.04 ms" of a member whose name ends with _ns; counts whole. */
static char *show_number(const cJSON *item)
{
    char text[16];
    const double value = item->valuedouble;
    const size_t n = item->string ? strlen(item->string) : 0;
    const bool is_time = n > 3 && strcmp(item->string + n - 3, "_ns") == 0;
    const bool is_count = fabs(value) < 9e15 && value == floor(value);
    return is_time && value >= 1 && value < 1e18
               ? cli_text("%s", cli_time_text(text, sizeof text, value))
               : cli_text(is_count ? "%.0f" : "%.6g", value);
}

static bool has_members(const cJSON *item)
{
    return cJSON_IsArray(item) || cJSON_IsObject(item);
}

/* What a value is shown as; free() it. Lists and objects as their first members, in `depth` levels;
 * what is a list or object itself ends with a semicolon. */
static char *show(const cJSON *item, int depth)
{
    if (cJSON_IsNumber(item)) {
        return show_number(item);
    }
    if (cJSON_IsString(item)) {
        return cli_text("%s", item->valuestring);
    }
    if (cJSON_IsBool(item)) {
        return cli_text("%s", cJSON_IsTrue(item) ? "yes" : "no");
    }
    if (!has_members(item)) {
        return cli_text("%s", "");
    }
    const int n = cJSON_GetArraySize(item);
    char *all = cli_text("%s", depth > 0 ? "" : "...");
    for (int i = 0; i < n && i < MOST_LIST && depth > 0; i++) {
        const cJSON *at = cJSON_GetArrayItem(item, i);
        char *one = show(at, depth - 1);
        const char *between = !i ? "" : has_members(at) || has_members(at->prev) ? "; " : ", ";
        char *longer = cli_text("%s%s%s%s%s", all, between, at->string ? at->string : "",
                                at->string ? ": " : "", one);
        free(all);
        free(one);
        all = longer;
    }
    char *whole = n > MOST_LIST ? cli_text("%s, ... (%d values)", all, n) : cli_text("%s", all);
    free(all);
    return whole;
}

static const cJSON *member(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    const char *dot = strchr(name, '.');
    if (item || !dot) {
        return item;
    }
    char *above = cli_text("%.*s", (int)(dot - name), name);
    item = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(row, above), dot + 1);
    free(above);
    return item;
}

static void put_row(FILE *page, const columns *c, const cJSON *row)
{
    cli_html_row(page);
    for (int i = 0; i < c->n; i++) {
        const cJSON *item = member(row, c->name[i]);
        char *text = show(item, DEPTH);
        (cJSON_IsNumber(item) ? cli_html_number : cli_html_cell)(page, text);
        free(text);
    }
    cli_html_end_row(page);
}

/* One row reads better downwards. */
static void put_single(FILE *page, const columns *c, const cJSON *row)
{
    static const char *const heads[] = {"<member", "<value"};
    cli_html_table(page, "The file's one row", heads, 2);
    for (int i = 0; i < c->n; i++) {
        char *text = show(member(row, c->name[i]), DEPTH);
        cli_html_row(page);
        cli_html_head(page, c->name[i]);
        cli_html_cell(page, text);
        cli_html_end_row(page);
        free(text);
    }
    cli_html_end_table(page);
}

void cli_report_rows(FILE *page, const cli_report_input *in)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(in->tree, "rows"), *row;
    const int n = cJSON_GetArraySize(rows);
    columns c = {0};
    cJSON_ArrayForEach(row, rows)
    {
        gather(&c, row, "");
    }
    if (n == 1) {
        put_single(page, &c, rows->child);
    } else {
        int shown = 0;
        cli_html_table(page, "Rows of the file", (const char *const *)c.name, c.n);
        cJSON_ArrayForEach(row, rows)
        {
            if (shown++ < MOST_SHOWN) {
                put_row(page, &c, row);
            }
        }
        cli_html_end_table(page);
    }
    if (n > MOST_SHOWN || c.is_cut) {
        fprintf(page, "<p class=\"dim\">Shown: the first %d of %d rows, %d columns%s.</p>\n",
                n < MOST_SHOWN ? n : MOST_SHOWN, n, c.n, c.is_cut ? "; the file has more" : "");
    }
    for (int i = 0; i < c.n; i++) {
        free(c.name[i]);
    }
}
