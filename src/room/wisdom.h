/*
 * Measured times of variants on this machine, by which the planner chooses: what `saccade tune`
 * wrote (src/ladder/tune.c). A file is text, a line an entry, after a head that says of which build
 * and machine it is:
 *
 *     saccade wisdom 1
 *     build 0.2.0 23d158fe3f
 *     cpu AMD EPYC (b00f21)
 *     features avx2,v3,v4,avx512vbmi,avx512vnni
 *     vhist_u8 3 262144 avx512 61417000
 *     end 1
 *
 * An entry is a room, channels and pixels of a frame (0: of any), a variant and its time of one
 * call in picoseconds; the last line counts entries. A file that is not so, or is another build's
 * or machine's, is ignored as a whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_ROOM_WISDOM_H
#define SAC_ROOM_WISDOM_H

#include "room/variant.h"

enum { SAC_WISDOM_MAX_BYTES = 1 << 20, SAC_WISDOM_NAME = 32 /* bytes of a name, with its 0 */ };

typedef struct sac_wisdom_entry {
    const char *room, *variant;
    int64_t pixels;
    uint64_t ps;
    int32_t n_channels;
} sac_wisdom_entry;

typedef struct sac_wisdom {
    sac_wisdom_entry *entries; /* (n) */
    int32_t n;
} sac_wisdom;

/* The head of this machine's file, with the line ends; 512 bytes are enough. */
SAC_INTERNAL void sac_wisdom_head(char *text, size_t size);

/* text (size, and a 0 behind it) becomes the entries' strings, and has to stay. SAC_E_FORMAT (the
 * line), SAC_E_UNSUPPORTED (another build's or machine's), SAC_E_NOMEM; *out is then empty. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_wisdom_parse(sac_wisdom *out, char *text, size_t size,
                                                       sac_error *err);
SAC_INTERNAL void sac_wisdom_close(sac_wisdom *wisdom);

/* What this process goes by: SAC_WISDOM's file, or the one in the user's cache, read by the first
 * call; empty where there is none. */
SAC_INTERNAL const sac_wisdom *sac_wisdom_get(void);

/*
 * The variant for a call of this shape (NULL: any), of those that sac_variant_may_run: `fastest`,
 * the table's, unless another one was measured to take less by more than noise. The times are those
 * of the nearest shape that was measured, by the ratio of pixels, with the same channels.
 */
SAC_INTERNAL const sac_variant *sac_wisdom_choose(const sac_wisdom *wisdom, const sac_room *room,
                                                  sac_tier tier, uint32_t usable,
                                                  const sac_variant_shape *shape,
                                                  const sac_variant *fastest);

#endif
