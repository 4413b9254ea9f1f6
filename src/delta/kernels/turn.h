/*
 * When the delta stream's encoder makes keyframes, and which cells are in turn to be refreshed. A
 * GPU, which alone may know whether the scene has changed, computes the same.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_TURN_H
#define SAC_DELTA_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/host_device.h"

/* A scene changes where of the pixels looked at more than half are off by more than so much. */
#define SAC_SCENE_LEVELS 32
#define SAC_SCENE_STEP_X 4
#define SAC_SCENE_STEP_Y 16 /* from row 8 on */

/* The options. */
typedef struct sac_delta_pace {
    double key_ns, refresh_ns; /* 0: never */
    uint64_t n_cells;          /* of the picture */
} sac_delta_pace;

typedef struct sac_delta_clock {
    uint64_t time_ns, key_time_ns; /* of the last packet, of the last keyframe */
    uint64_t refreshed;            /* cells refreshed so far, over all rounds */
} sac_delta_clock;

/* What a packet is. */
typedef struct sac_delta_turn {
    uint64_t first, count; /* cells in turn */
    bool is_key;
} sac_delta_turn;

SAC_HOST_DEVICE static inline uint64_t sac_delta_since(uint64_t now, uint64_t then)
{
    return now > then ? now - then : 0;
}

/* Whether a keyframe is due by the time alone. */
SAC_HOST_DEVICE static inline bool sac_delta_is_late(const sac_delta_clock *clock,
                                                     const sac_delta_pace *pace, uint64_t time_ns)
{
    return pace->key_ns > 0 && (double)sac_delta_since(time_ns, clock->key_time_ns) >= pace->key_ns;
}

/* In refresh_ns all cells are in turn, in steps as time goes. Moves the clock to this packet. */
SAC_HOST_DEVICE static inline sac_delta_turn sac_delta_take_turn(sac_delta_clock *clock,
                                                                 const sac_delta_pace *pace,
                                                                 uint64_t time_ns, bool is_key)
{
    const uint64_t n = pace->n_cells;
    sac_delta_turn turn = {clock->refreshed % n, 0, is_key};
    if (pace->refresh_ns > 0 && !is_key) {
        const double share = (double)sac_delta_since(time_ns, clock->time_ns) / pace->refresh_ns;
        const double cells = share < 1 ? share * (double)n : (double)n;
        turn.count = (uint64_t)cells + 1;
        turn.count = turn.count < n ? turn.count : n;
        clock->refreshed += turn.count;
    }
    if (is_key)
        clock->key_time_ns = time_ns;
    clock->time_ns = time_ns;
    return turn;
}

/* A cell in turn is sent as if T were 0. */
SAC_HOST_DEVICE static inline int32_t
sac_delta_threshold(const sac_delta_turn *turn, uint64_t n_cells, uint64_t index, int32_t threshold)
{
    return (index + n_cells - turn->first) % n_cells < turn->count ? 0 : threshold;
}

#endif
