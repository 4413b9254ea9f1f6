/*
 * What every kernel room has: a table of variants, reference first, then slowest to fastest by
 * figures.csv, which a test holds it against. The one table drives choice, checking, timing and
 * documentation, so no variant exists untested.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_ROOM_VARIANT_H
#define SAC_ROOM_VARIANT_H

#include <saccade/device.h>

#include "base/error.h"

#if defined(__x86_64__)
#define SAC_X86 1
#else
#define SAC_X86 0
#endif
#if defined(__aarch64__)
#define SAC_ARM 1
#else
#define SAC_ARM 0
#endif

typedef void (*sac_any_fn)(void);

/* A variant's entry point for a table; does not compile unless f has the room's function type. */
#define SAC_FN(type, f) ((sac_any_fn)(1 ? (f) : (type)0))

typedef struct sac_variant {
    const char *name; /* "ref", "plain", "auto_v4", "avx512"; unique in its room */
    uint32_t needs;   /* SAC_CPU_* bits, all of them */
    bool ships;       /* the planner may choose it; false for what teaches or lost */
    sac_any_fn fn;
    sac_tier tier; /* how exact it is; left out, and of integers always, SAC_TIER_EXACT */
    int32_t kind; /* where a room's variants suit different calls: which, by its own enum; else 0 */
} sac_variant;

typedef struct sac_room {
    const char *name;
    const sac_variant *variants; /* ends with a NULL name */
} sac_room;

/* What is known of the calls that a variant is chosen for; 0: nothing. */
typedef struct sac_variant_shape {
    int64_t pixels; /* of a frame */
    int32_t n_channels;
} sac_variant_shape;

/* Whether the planner may take it for a tier where a CPU has the sets `usable`. */
static inline bool sac_variant_may_run(const sac_variant *v, sac_tier tier, uint32_t usable)
{
    return v->ships && v->tier <= tier && !(v->needs & ~usable);
}

/* The last of a room's that may run; NULL where none may. */
SAC_INTERNAL const sac_variant *sac_variant_fastest(const sac_room *room, sac_tier tier,
                                                    uint32_t usable);

/* The last of a GPU's table that ships, is exact enough and of this kind; NULL: none is. */
SAC_INTERNAL const sac_variant *sac_variant_of_kind(const sac_variant *table, int32_t kind,
                                                    sac_tier tier);

/*
 * What the environment and the caller force: "NAME" or "ROOM:NAME,ROOM:NAME". `wanted` (a desc's
 * variant) comes before SAC_VARIANT from the environment, which comes before the fastest that
 * ships, is exact enough for `tier` and can run here: by times measured on this machine for calls
 * of this shape (wisdom.h; NULL: of any), else by the room's order. A bare NAME holds for every
 * room that has it; the rooms that don't choose as usual. SAC_E_UNSUPPORTED where the CPU lacks
 * what the forced variant needs; SAC_E_INVALID where ROOM has no NAME.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_variant_choose(const sac_variant **out,
                                                         const sac_room *room, sac_tier tier,
                                                         const sac_variant_shape *shape,
                                                         const char *wanted, sac_error *err);

/*
 * Checks that each item of `wanted` names something in at least one of the rooms; NULL is fine.
 * SAC_E_INVALID names the item and what there is.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_variant_check(const sac_room *const *rooms,
                                                        int32_t n_rooms, const char *wanted,
                                                        sac_error *err);

#endif
