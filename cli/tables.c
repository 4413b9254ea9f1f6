/*
 * Tables in text: cells collect, columns are aligned when printed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/array.h>

#include "command.h"

void cli_table_open(cli_table *table, const char *const *heads, int n_columns)
{
    *table = (cli_table){.heads = heads, .n_columns = n_columns};
}

void cli_table_row(cli_table *table)
{
    size_t n = (size_t)table->n_columns;
    table->cells =
        cli_grow(table->cells, table->n_rows * n, (table->n_rows + 1) * n, sizeof *table->cells);
    table->n_rows++;
}

void cli_table_cell(cli_table *table, int column, const char *format, ...)
{
    va_list args;
    char **cell = &table->cells[(table->n_rows - 1) * (size_t)table->n_columns + (size_t)column];
    free(*cell);
    va_start(args, format);
    if (vasprintf(cell, format, args) < 0) {
        *cell = NULL;
    }
    va_end(args);
}

/* Characters on the screen: UTF-8's continuation bytes take no place. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

/* Prints a cell; *gap is the blanks not yet printed, so that no line ends in any. */
static void print_cell(FILE *file, int *gap, const char *text, int width, bool left)
{
    int blanks = width - text_width(text);
    *gap += left ? 0 : blanks;
    if (*text) {
        fprintf(file, "%*s%s", *gap, "", text);
        *gap = 0;
    }
    *gap += 2 + (left ? blanks : 0);
}

/* As wide as head and cells need; 0 where no row has anything to say. */
static int column_width(const cli_table *table, int column)
{
    const char *head = table->heads[column];
    int width = 0;
    for (size_t r = 0; r < table->n_rows; r++) {
        const char *cell = table->cells[r * (size_t)table->n_columns + (size_t)column];
        int w = cell ? text_width(cell) : 0;
        width = w > width ? w : width;
    }
    int head_width = text_width(head) - (head[0] == '<');
    return width > 0 && width < head_width ? head_width : width;
}

void cli_table_print(cli_table *table, FILE *file)
{
    int n = table->n_columns;
    int width[CLI_MAX_COLUMNS];
    for (int c = 0; c < n; c++) {
        width[c] = column_width(table, c);
    }
    for (size_t r = 0; table->n_rows > 0 && r < table->n_rows + 1; r++) {
        int gap = 2;
        for (int c = 0; c < n; c++) {
            bool left = table->heads[c][0] == '<';
            char *cell = r > 0 ? table->cells[(r - 1) * (size_t)n + (size_t)c] : NULL;
            const char *text = r == 0 ? table->heads[c] + left : cell ? cell : "";
            if (width[c] > 0) {
                print_cell(file, &gap, text, width[c], left);
            }
            free(cell);
        }
        fputc('\n', file);
    }
    free(table->cells);
    table->cells = NULL;
    table->n_rows = 0;
}

void cli_table_time(cli_table *table, int column, double ns)
{
    char text[16];
    cli_table_cell(table, column, "%s", cli_time_text(text, sizeof text, ns));
}

void cli_table_spread(cli_table *table, int column, double low_ns, double high_ns)
{
    char low[16], high[16];
    cli_table_cell(table, column, "%s - %s", cli_time_text(low, sizeof low, low_ns),
                   cli_time_text(high, sizeof high, high_ns));
}

const char *cli_time_text(char *text, size_t size, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t i = 0;
    while (i < 3 && ns >= 999.5) {
        ns /= 1000;
        i++;
    }
    snprintf(text, size, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, units[i]);
    return text;
}

const char *cli_shape_text(char *text, size_t size, const sac_array *array)
{
    int used = snprintf(text, size, "%" PRId64 "x%" PRId64, array->shape[1], array->shape[0]);
    if (array->n_dims > 2) {
        used += snprintf(text + used, size - (size_t)used, "x%" PRId64, array->shape[2]);
    }
    snprintf(text + used, size - (size_t)used, " %s", sac_dtype_name(array->dtype));
    return text;
}

char *cli_axes_text(const int64_t *shape, int32_t n_dims, int32_t dtype, const char *between)
{
    char axes[256] = "";
    for (int32_t i = 0, used = 0; i < n_dims && used < (int)sizeof axes; i++) {
        used += snprintf(axes + used, sizeof axes - (size_t)used, "%s%" PRId64, i ? between : "",
                         shape[i]);
    }
    return cli_text("%s %s", axes, sac_dtype_name((sac_dtype)dtype));
}
