/*
 * Between the files of tuning: what is measured, on which cases.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LADDER_TUNE_H
#define SAC_LADDER_TUNE_H

#include <saccade/tune.h>

#include "ladder/check_case.h"
#include "room/wisdom.h"

enum {
    SAC_TUNE_VARIANTS = 16,
    SAC_TUNE_CASES = 3,
    SAC_TUNE_ENTRIES = 8192 /* whose text is shorter than SAC_WISDOM_MAX_BYTES */
};

struct sac_tune {
    sac_wisdom wisdom; /* entries: (SAC_TUNE_ENTRIES) */
    char *text;
};

/* What is measured as one shape: its cases, whose times count alike. */
typedef struct sac_tune_point {
    sac_variant_shape shape; /* the entries'; 0: of any */
    sac_check_case cases[SAC_TUNE_CASES];
    int32_t n_cases;
    char text[64];
} sac_tune_point;

/* The variants of a room that a planner may take here, and their times; 0: not tried. */
typedef struct sac_tune_times {
    const sac_variant *variant[SAC_TUNE_VARIANTS];
    double ps[SAC_TUNE_VARIANTS];
    int32_t n;
} sac_tune_times;

/* Those without times yet; fewer than two: there is nothing to choose. */
void sac_tune_candidates(sac_tune_times *times, const sac_room_check *check);

/* Whether planners choose in the room, for a pipeline (NULL: any). */
bool sac_tune_takes(const sac_room_entry *entry, const char *pipeline);

/* Of a mode that is a usual layout of pictures, by its name; 0: it is another. */
int32_t sac_tune_channels(const char *mode);

/* The i-th shape of a room that is measured; false behind the last. */
bool sac_tune_point_of(sac_tune_point *point, const sac_room_check *check, int32_t i, bool quick);

/* One drawn at random, of one case. */
void sac_tune_point_at_random(sac_tune_point *point, const sac_room_check *check, uint64_t *random);

/* Times all candidates on the point. SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_tune_time(sac_tune_times *times, const sac_room_check *check,
                                       const sac_tune_point *point, double seconds);

#endif
