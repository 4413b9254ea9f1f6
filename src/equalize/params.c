/*
 * The options of equalize, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/equalize.h>

#include "base/param_rows.h"

#define OFFSET(field) offsetof(sac_equalize_desc, field)

static const char *const scales[] = {"first", "max", "minmax", NULL};

static const sac_param params[] = {
    {"bins", SAC_PARAM_INT, OFFSET(bins), 0, 65536, 0, NULL, "", "N",
     "bins of the histogram, 2 to 65536; 0: one for each value of V"},
    {"scale", SAC_PARAM_CHOICE, OFFSET(scale), 0, 2, SAC_SCALE_FIRST, scales, "", "WAY",
     "scaling of counts to brightness: first makes the darkest used bin black, minmax bin 0, max "
     "neither"},
    {"clahe", SAC_PARAM_INT2, OFFSET(clahe), 0, 64, 0, NULL, "", "TILES",
     "equalize locally on a grid of tiles, 8 or 8x6 (across x down); 0: the whole picture at once"},
    {"clip", SAC_PARAM_FLOAT, OFFSET(clip), 0, 65536, 2, NULL, "", "C",
     "with clahe: limit of a bin, as a multiple of the mean count; limits contrast; 0: no limit"},
    {"smooth", SAC_PARAM_FLOAT, OFFSET(smooth), 0, 0.999, 0, NULL, "", "A",
     "video: share of the previous frame's curve to keep, against flicker"},
    SAC_ROWS_PLAN(sac_equalize_desc, "cpu, cuda or cuda:N", SAC_ROW_VARIANT_DOC),
};

SAC_PARAM_TABLE(sac_equalize_params, "equalize", sac_equalize_desc, params,
                "equalize the histogram of pictures, gray or color, 8 or 16 bits")

void sac_equalize_desc_init(sac_equalize_desc *desc)
{
    sac_param_defaults(sac_equalize_params(), desc);
    desc->n_channels = 3;
}
