/*
 * Names in files: fields with their units, kinds of transmit, origins of phase.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"

#include <string.h>

const sac_field sac_element_fields[] = {
    {"position_m", offsetof(sac_element, position_m), 3, true, true},
    {"normal", offsetof(sac_element, normal), 3, false, true},
    {"width_m", offsetof(sac_element, width_m), 1, false, true},
    {"height_m", offsetof(sac_element, height_m), 1, false, true},
    {NULL, 0, 0, false, false},
};

const sac_field sac_transmit_fields[] = {
    {"azimuth_rad", offsetof(sac_transmit, azimuth_rad), 1, false, false},
    {"elevation_rad", offsetof(sac_transmit, elevation_rad), 1, false, false},
    {"source_m", offsetof(sac_transmit, source_m), 3, false, false},
    {"t0_s", offsetof(sac_transmit, t0_s), 1, false, false},
    {"weight", offsetof(sac_transmit, weight), 1, false, false},
    {NULL, 0, 0, false, false},
};

const sac_field sac_scatterer_fields[] = {
    {"position_m", offsetof(sac_scatterer, position_m), 3, true, true},
    {"amplitude", offsetof(sac_scatterer, amplitude), 1, true, true},
    {NULL, 0, 0, false, false},
};

const sac_field sac_acquisition_fields[] = {
    {"fs_hz", offsetof(sac_acquisition, fs_hz), 1, false, false},
    {"fc_hz", offsetof(sac_acquisition, fc_hz), 1, false, false},
    {"bandwidth", offsetof(sac_acquisition, bandwidth), 1, false, false},
    {"fd_hz", offsetof(sac_acquisition, fd_hz), 1, false, false},
    {"c_m_s", offsetof(sac_acquisition, c_m_s), 1, false, false},
    {"frame_rate_hz", offsetof(sac_acquisition, frame_rate_hz), 1, false, true},
    {"line_taper", offsetof(sac_acquisition, line_taper), 1, false, true},
    {NULL, 0, 0, false, false},
};

static const char *const shapes[] = {
    [SAC_SHAPE_AREA] = "area", [SAC_SHAPE_ROW] = "row", [SAC_SHAPE_COLUMN] = "column"};

static const char *const kinds[] = {
    [SAC_TRANSMIT_PLANE] = "plane",     [SAC_TRANSMIT_DIVERGING] = "diverging",
    [SAC_TRANSMIT_FOCUSED] = "focused", [SAC_TRANSMIT_ELEMENT] = "element",
    [SAC_TRANSMIT_DELAYS] = "delays",
};

static const char *const origins[] = {
    [SAC_PHASE_RECORD] = "record",
    [SAC_PHASE_TRANSMIT] = "transmit",
};

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static int find(const char *const *names, int n, const char *name)
{
    int i = 0;
    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i < n ? i : -1;
}

const char *sac_transmit_kind_name(sac_transmit_kind kind)
{
    return (int)kind >= 0 && (int)kind < COUNT(kinds) ? kinds[kind] : NULL;
}

bool sac_transmit_kind_parse(sac_transmit_kind *kind, const char *name)
{
    int i = find(kinds, COUNT(kinds), name);
    if (i >= 0)
        *kind = (sac_transmit_kind)i;
    return i >= 0;
}

const char *sac_shape_name(int32_t shape)
{
    return shape >= 0 && shape < (int32_t)COUNT(shapes) ? shapes[shape] : NULL;
}

bool sac_shape_parse(int32_t *shape, const char *name)
{
    int i = find(shapes, COUNT(shapes), name);
    if (i >= 0)
        *shape = i;
    return i >= 0;
}

const char *sac_phase_origin_name(sac_phase_origin origin)
{
    return origins[origin == SAC_PHASE_TRANSMIT];
}

bool sac_phase_origin_parse(sac_phase_origin *origin, const char *name)
{
    int i = find(origins, COUNT(origins), name);
    if (i >= 0)
        *origin = (sac_phase_origin)i;
    return i >= 0;
}

bool sac_transmit_needs(sac_transmit_kind kind, const char *field)
{
    if (strcmp(field, "source_m") == 0)
        return kind == SAC_TRANSMIT_DIVERGING || kind == SAC_TRANSMIT_FOCUSED;
    return strcmp(field, "azimuth_rad") == 0 && kind == SAC_TRANSMIT_PLANE;
}
