/*
 * Tables in text, and numbers as people read them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <saccade/base.h>

#define CLI_MAX_COLUMNS 16

/* Rows collect, then are printed with columns as wide as they need. */
typedef struct cli_table {
    const char *const *heads; /* n_columns; a head that begins with '<' is aligned left */
    int n_columns;
    size_t n_rows;
    char **cells; /* n_rows x n_columns */
} cli_table;

void cli_table_open(cli_table *table, const char *const *heads, int n_columns);

/* The next row; its cells are empty until set. */
void cli_table_row(cli_table *table);

/* Sets a cell of the last row. */
void cli_table_cell(cli_table *table, int column, const char *format, ...) SAC_PRINTF(3, 4);

/* Sets a cell of the last row to a time, or to two: "1.2 us - 1.5 us". */
void cli_table_time(cli_table *table, int column, double ns);
void cli_table_spread(cli_table *table, int column, double low_ns, double high_ns);

/* Prints and empties the table, less columns whose cells are all empty; without rows nothing. */
void cli_table_print(cli_table *table, FILE *file);

/* "512 ns", "1.27 ms": three digits and a unit; returns `text`. 16 bytes are enough. */
const char *cli_time_text(char *text, size_t size, double ns);

/* "1920x1080x3 u8". 48 bytes are enough. */
struct sac_array;
const char *cli_shape_text(char *text, size_t size, const struct sac_array *array);

/* Axes from slow to fast, and the type: "1 x 128 x 334 c64", where " x " is between them; free()
 * it. */
char *cli_axes_text(const int64_t *shape, int32_t n_dims, int32_t dtype, const char *between);

#endif
