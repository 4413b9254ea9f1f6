/*
 * Parameter tables: each option of a pipeline is described once, and the command line, its help,
 * the manual page and the tables in the documentation are built from that description. Most
 * applications set the fields of a desc directly; use a table to set options by name:
 *
 *     sac_equalize_desc desc;
 *     sac_equalize_desc_init(&desc);
 *     sac_status st = sac_param_set(sac_equalize_params(), &desc, "clahe", "8x6", &err);
 *
 * Threads: all functions may be called from any thread at any time, on different descs. The tables
 * are static and constant. Functions without a status must not be given NULL.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_PARAM_H
#define SACCADE_PARAM_H

#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_param_type {
    SAC_PARAM_INT,    /* int32_t */
    SAC_PARAM_INT2,   /* int32_t[2]; "8x6", or "8" for both */
    SAC_PARAM_FLOAT,  /* double */
    SAC_PARAM_BOOL,   /* bool */
    SAC_PARAM_CHOICE, /* int32_t, an index into choices */
    SAC_PARAM_STRING, /* const char *, borrowed until open returns; NULL if not given */
    SAC_PARAM_DEVICE  /* sac_device; "cpu", "cuda", "cuda:1" */
} sac_param_type;

typedef struct sac_param {
    const char *name; /* "clip" for the option --clip */
    sac_param_type type;
    size_t offset; /* of the field in the desc, in bytes */
    double min, max, def;
    const char *const *choices; /* SAC_PARAM_CHOICE: NULL-terminated names */
    const char *unit;           /* "dB", "mm"; "" for a pure number */
    const char *metavar;        /* "N": the placeholder of the value in --help */
    const char *doc;            /* one line, which includes the meaning of the default */
} sac_param;

typedef struct sac_param_table {
    const char *pipeline; /* "equalize" */
    const char *summary;  /* one line: the task of the pipeline */
    size_t desc_size;     /* bytes of the desc; its first member is size_t struct_size */
    const sac_param *params;
    int32_t n_params;
} sac_param_table;

/* Sets the desc to zeros, then sets struct_size and the default of every option. */
SAC_API void sac_param_defaults(const sac_param_table *table, void *desc);

/*
 * Sets one option from text. `name` is that of the command's option without its dashes; some differ
 * from the field's name ("threads" sets n_threads). Numbers have a decimal point, whatever language
 * the program has set. A string is not copied: keep it until open returns. SAC_E_INVALID: NULL, no
 * such option, or no such value; the error tells what was expected and what came, and the desc is
 * unchanged.
 */
SAC_API SAC_NODISCARD sac_status sac_param_set(const sac_param_table *table, void *desc,
                                               const char *name, const char *text, sac_error *err);

/*
 * Writes the value of an option as text, in the form that sac_param_set reads, into `text` of
 * `size` bytes, cut off where it is longer; returns `text`.
 */
SAC_API const char *sac_param_get(const sac_param *param, const void *desc, char *text,
                                  size_t size);

/* Checks struct_size and the range of every option, as open does. SAC_E_INVALID. */
SAC_API SAC_NODISCARD sac_status sac_param_check(const sac_param_table *table, const void *desc,
                                                 sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
