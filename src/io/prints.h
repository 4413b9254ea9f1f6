/*
 * Which samples metadata in another file belong to: checksums of the frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_PRINTS_H
#define SAC_IO_PRINTS_H

#include <saccade/array.h>

#define SAC_PRINTS_MOST 4096 /* checksums, so that JSON stays small */

typedef struct sac_prints {
    int64_t shape[4];
    sac_dtype dtype;     /* 0: the metadata do not say what they belong to */
    int64_t frames_each; /* a checksum: 1, or more where there are very many frames */
    uint32_t crc32c[SAC_PRINTS_MOST];
} sac_prints;

/* How many checksums n frames have. */
static inline int64_t sac_prints_count(int64_t n_frames, int64_t frames_each)
{
    return (n_frames - 1) / frames_each + 1;
}

/* Of contiguous samples of four axes. */
void sac_prints_make(sac_prints *prints, const sac_array *samples);

/* Eight hexadecimal digits a checksum; false where they are not as many as the frames need. */
#define SAC_PRINTS_TEXT (8 * SAC_PRINTS_MOST + 1)
void sac_prints_to_text(char text[SAC_PRINTS_TEXT], const sac_prints *prints);
bool sac_prints_from_text(sac_prints *prints, const char *text);

#endif
