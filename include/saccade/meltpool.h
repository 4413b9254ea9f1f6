/*
 * Melt-pool monitoring: from a small frame and the machine's signals to 40 features and a
 * prediction, thousands of times a second.
 *
 * Per frame: dropped where the laser is off; the melt pool located at the laser's place, cropped to
 * a square region of interest (ROI), segmented by a threshold into 4-connected components; the pool
 * is the component at the laser's pixel, else the nearest to it, and the others are spatters.
 *
 *     0       area of the pool, pixels              1, 2    pixels of spatters, their number
 *     3       width-length ratio of the pool        4       mean intensity of the pool
 *     5..10   intensity by 60-degree sectors        11..19  histogram of oriented gradients
 *     20..39  variances of 0..19 over the last frames
 *
 * After Nourazar, Booth, Goossens on monitoring laser powder bed fusion at ultra-high frame rates.
 * docs/meltpool.md defines everything to the bit: features 0..19 are the same in every variant.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MELTPOOL_H
#define SACCADE_MELTPOOL_H

#include <saccade/array.h>
#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SAC_MELTPOOL_FEATURES 40
#define SAC_MELTPOOL_OF_FRAME 20   /* features of one frame; as many variances follow */
#define SAC_MELTPOOL_PREDICTIONS 2 /* densities of lack-of-fusion and of keyhole pores, 1/mm^2 */

/* What the machine says of a frame. x, y: the laser's place, in the machine's units. */
typedef struct sac_meltpool_signals {
    int32_t laser_on, counter, x, y;
} sac_meltpool_signals;

typedef enum sac_meltpool_flags {
    SAC_MELTPOOL_EMPTY = 1,   /* the laser was off: no work was done, features are 0 */
    SAC_MELTPOOL_NO_POOL = 2, /* no pixel of the ROI reached the threshold */
    SAC_MELTPOOL_CLIPPED =
        4, /* the ROI was moved inside at the border, or the pool touches its edge */
    SAC_MELTPOOL_LATE = 8, /* done later than asked for */
    SAC_MELTPOOL_GAP = 16  /* the first frame behind a gap: variances begin anew */
} sac_meltpool_flags;

typedef struct sac_meltpool_record {
    int64_t arrival_ns, done_ns; /* on the machine's monotonic clock; 0: not known */
    sac_meltpool_signals signals;
    uint32_t flags; /* sac_meltpool_flags */
    float features[SAC_MELTPOOL_FEATURES];
    float prediction[SAC_MELTPOOL_PREDICTIONS]; /* 0 without a model */
} sac_meltpool_record;

#ifdef __cplusplus
}
#endif
#endif
