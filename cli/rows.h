/*
 * Rows of option tables. A row is {"name", CLI_STRING(field), "METAVAR", "text"}; FIELD(field),
 * which the file of the table defines, is the field's offset in the struct of the options.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include <saccade/param.h>

#define CLI_STRING(field) SAC_PARAM_STRING, FIELD(field), 0, 0, 0, NULL, ""
#define CLI_FLAG(field) SAC_PARAM_BOOL, FIELD(field), 0, 1, 0, NULL, ""
#define CLI_DEVICE(field) SAC_PARAM_DEVICE, FIELD(field), 0, 0, 0, NULL, ""
#define CLI_CHOICE(field, def, names) SAC_PARAM_CHOICE, FIELD(field), 0, 0, def, names, ""
#define CLI_INT(field, min, max, def, unit) SAC_PARAM_INT, FIELD(field), min, max, def, NULL, unit
#define CLI_INT2(field, min, max, def, unit) SAC_PARAM_INT2, FIELD(field), min, max, def, NULL, unit
#define CLI_FLOAT(field, min, max, def, unit)                                                      \
    SAC_PARAM_FLOAT, FIELD(field), min, max, def, NULL, unit

/* The table of the first n rows, or of all rows of an array, of options of type `type`. */
#define CLI_TABLE_OF(name, type, rows, n)                                                          \
    {                                                                                              \
        name, "", sizeof(type), rows, n                                                            \
    }
#define CLI_TABLE(name, type, rows) CLI_TABLE_OF(name, type, rows, sizeof(rows) / sizeof *(rows))

#endif
