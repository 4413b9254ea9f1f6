/*
 * The parameter tables: each option of a pipeline is described once, and every face (command line,
 * GStreamer, Python, the documentation) is built from that description.
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
    const char *name; /* "clip": --clip, property clip, keyword clip */
    sac_param_type type;
    size_t offset; /* in the desc */
    double min, max, def;
    const char *const *choices; /* SAC_PARAM_CHOICE: NULL-terminated names */
    const char *unit;           /* "dB", "mm"; "" where it is a pure number */
    const char *metavar;        /* "N": what stands for the value in --help */
    const char *doc;            /* one line; says what the default means */
} sac_param;

typedef struct sac_param_table {
    const char *pipeline; /* "equalize" */
    const char *summary;  /* one line: what it does */
    size_t desc_size;     /* bytes of the desc; its first member is size_t struct_size */
    const sac_param *params;
    int32_t n_params;
} sac_param_table;

/* Zeroes the desc, sets struct_size and every default. */
SAC_API void sac_param_defaults(const sac_param_table *table, void *desc);

/* Sets one option from text. Fails with SAC_E_INVALID and says what was expected and what came. */
SAC_API SAC_NODISCARD sac_status sac_param_set(const sac_param_table *table, void *desc,
                                               const char *name, const char *text, sac_error *err);

/* Writes an option's value as text, in the form that sac_param_set reads; returns `text`. */
SAC_API const char *sac_param_get(const sac_param *param, const void *desc, char *text,
                                  size_t size);

/* Checks struct_size and every range: what a desc filled by hand must pass. */
SAC_API SAC_NODISCARD sac_status sac_param_check(const sac_param_table *table, const void *desc,
                                                 sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
