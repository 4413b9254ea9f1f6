/*
 * Measuring, for this machine, which variant of each step is the fastest for frames of which size,
 * so that plans choose by measured times and not by the order of saccade's own tables. In
 * libsaccade-ladder; since 0.2.
 *
 *     sac_tune *tune = NULL;
 *     sac_tune_desc desc;
 *     sac_tune_desc_init(&desc);
 *     st = sac_tune_open(&tune, &err);
 *     st = st ? st : sac_tune_measure(tune, "equalize", &desc, NULL, NULL, &err);
 *     if (st == SAC_OK)
 *         text = sac_tune_get_text(tune, &size); // for the file that sac_wisdom_describe names
 *     sac_tune_close(&tune);
 *
 * What was measured counts in programs that start once the file is written: a process reads it once
 * (saccade/device.h). Only variants that open may choose are measured, on the CPU, with one thread.
 *
 * Threads: one at a time per sac_tune; measurements that run at the same time disturb each other.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_TUNE_H
#define SACCADE_TUNE_H

#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sac_tune sac_tune;

/* A step on frames of one shape. Strings are static or valid until the callback returns. */
typedef struct sac_tune_row {
    const char *pipeline, *room;          /* "equalize", "vhist_u8" */
    const char *shape;                    /* "1280x800x3", or what the room calls it: "A" */
    const char *table, *chosen, *fastest; /* variants: by the order of the room's table; by measured
                                             times, where a tie is the table's; the least time */
    double table_ns, chosen_ns, fastest_ns; /* of one call, each the least of several; 0: more than
                                               three times fastest_ns where that is long */
} sac_tune_row;

typedef struct sac_tune_desc {
    size_t struct_size;
    double seconds;           /* measuring time of each shape and layout; 0: 0.05 */
    bool quick;               /* a third of the shapes */
    uint64_t seed;            /* of sac_tune_verify's shapes */
    sac_progress_fn progress; /* may be NULL; counts shapes; false ends it with SAC_CANCELLED */
    void *progress_ctx;
} sac_tune_desc;

/* Sets everything to 0 except struct_size. desc must not be NULL. */
SAC_API void sac_tune_desc_init(sac_tune_desc *desc);

/* Begins with the times that this process has in use, if any. SAC_E_INVALID (NULL), SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_tune_open(sac_tune **tune, sac_error *err);

/*
 * Measures the rooms of a pipeline (NULL: of all) in place of the times that there are, and calls
 * row(ctx, &row) (may be NULL) for each shape. SAC_E_INVALID (NULL, no such pipeline, a value out
 * of range), SAC_E_NOMEM, SAC_CANCELLED: a room's times are then its old ones or its new ones.
 */
SAC_API SAC_NODISCARD sac_status sac_tune_measure(sac_tune *tune, const char *pipeline,
                                                  const sac_tune_desc *desc,
                                                  void (*row)(void *ctx, const sac_tune_row *row),
                                                  void *ctx, sac_error *err);

/*
 * Draws n shapes at random, sizes that were not measured among them, and times every variant on
 * each: how good the choice is. Errors as above.
 */
SAC_API SAC_NODISCARD sac_status sac_tune_verify(sac_tune *tune, const char *pipeline, int32_t n,
                                                 const sac_tune_desc *desc,
                                                 void (*row)(void *ctx, const sac_tune_row *row),
                                                 void *ctx, sac_error *err);

/* The file's text, valid until the next call with this tune; NULL, and *size 0: out of memory. tune
 * and size must not be NULL. */
SAC_API const char *sac_tune_get_text(sac_tune *tune, size_t *size);

/* *tune becomes NULL; NULL and a pointer to NULL are fine. */
SAC_API void sac_tune_close(sac_tune **tune);

#ifdef __cplusplus
}
#endif
#endif
