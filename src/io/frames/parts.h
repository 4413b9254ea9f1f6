/*
 * The values of a frame that have several parts: their names and places, for every kind of file.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_FRAMES_PARTS_H
#define SAC_IO_FRAMES_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include <saccade/base.h>

typedef enum sac_frames_number { SAC_FRAMES_I32, SAC_FRAMES_I64, SAC_FRAMES_F32 } sac_frames_number;

typedef struct sac_frames_part {
    const char *name;
    size_t offset;
    sac_frames_number kind;
} sac_frames_part;

/* When a record came, and was done. */
typedef struct sac_frames_times {
    int64_t arrival_ns, done_ns;
} sac_frames_times;

/* Of sac_meltpool_signals, sac_meltpool_truth, sac_frames_times; lists end with a NULL name. */
extern const sac_frames_part sac_signals_parts[], sac_truth_parts[], sac_times_parts[];

/* What an info of frames or records says; calibration NULL: nothing. SAC_E_INVALID. */
SAC_NODISCARD sac_status sac_frames_check(double rate_hz, const double (*calibration)[3],
                                          sac_error *err);

#endif
