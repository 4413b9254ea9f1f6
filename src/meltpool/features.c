/*
 * What the features of a melt pool are called, in files and reports.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/meltpool.h>

#define OF_FRAME(what)                                                                             \
    what "area", what "spatter_area", what "spatters", what "ratio", what "mean", what "sector_0", \
        what "sector_1", what "sector_2", what "sector_3", what "sector_4", what "sector_5",       \
        what "hog_0", what "hog_1", what "hog_2", what "hog_3", what "hog_4", what "hog_5",        \
        what "hog_6", what "hog_7", what "hog_8"

static const char *const names[SAC_MELTPOOL_FEATURES] = {OF_FRAME(""), OF_FRAME("var_")};

const char *sac_meltpool_feature_name(int32_t feature)
{
    return feature >= 0 && feature < SAC_MELTPOOL_FEATURES ? names[feature] : "";
}
