/*
 * The options of equalize, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/equalize.h>

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
    {"threads", SAC_PARAM_INT, OFFSET(n_threads), 0, 1024, 0, NULL, "", "N",
     "threads on the CPU; 0: one per core"},
    {"device", SAC_PARAM_DEVICE, OFFSET(device), 0, 0, 0, NULL, "", "DEVICE",
     "where to work: cpu, cuda or cuda:N"},
    {"variant", SAC_PARAM_STRING, OFFSET(variant), 0, 0, 0, NULL, "", "NAME",
     "variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on this "
     "machine"},
};

static const sac_param_table table = {
    .pipeline = "equalize",
    .summary = "equalize the histogram of pictures, gray or color, 8 or 16 bits",
    .desc_size = sizeof(sac_equalize_desc),
    .params = params,
    .n_params = sizeof params / sizeof params[0],
};

const sac_param_table *sac_equalize_params(void)
{
    return &table;
}

void sac_equalize_desc_init(sac_equalize_desc *desc)
{
    sac_param_defaults(&table, desc);
    desc->n_channels = 3;
}
