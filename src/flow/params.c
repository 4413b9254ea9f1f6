/*
 * The options of flow, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/flow.h>

#include "base/param_rows.h"

#define OFFSET(field) offsetof(sac_flow_desc, field)

static const char *const kinds[] = {"power",       "color",  "directional", "variance",
                                    "color-power", "vector", NULL};
static const char *const eigens[] = {"jacobi", "auto", "lapack", "cusolver", NULL};
static const char *const scales[] = {"db", "linear", NULL};

static const sac_param params[] = {
    {"kind", SAC_PARAM_CHOICE, OFFSET(kind), 0, SAC_FLOW_VECTOR, SAC_FLOW_COLOR, kinds, "", "KIND",
     "power; color: velocity in m/s, toward the probe positive; directional: power toward the "
     "probe, then away; variance: of the velocity; color-power: velocity, then power; vector: from "
     "plane waves of two or more angles, velocity along x, then toward the probe"},
    {"filter", SAC_PARAM_STRING, OFFSET(filter), 0, 0, 0, NULL, "", "FILTER",
     "wall filter, which takes out tissue: none, polynomial:ORDER, svd:K (without the K largest "
     "components), svd:LOW:HIGH (components LOW to HIGH - 1 alone, counted from 0) or svd:auto; "
     "default: none"},
    {"eigen", SAC_PARAM_CHOICE, OFFSET(eigen), 0, SAC_FLOW_EIGEN_CUSOLVER, SAC_FLOW_EIGEN_JACOBI,
     eigens, "", "METHOD",
     "of an SVD: jacobi (saccade's own), lapack on the CPU or cusolver on a GPU (the machine's, "
     "fast of many frames), or auto: on the CPU lapack of 256 frames or more, on a GPU cusolver of "
     "64, where it is there"},
    {"prf", SAC_PARAM_FLOAT, OFFSET(prf_hz), 0, 1e9, 0, NULL, "Hz", "HZ",
     "frames a second; 0: the file's frame rate"},
    {"ensemble", SAC_PARAM_INT, OFFSET(ensemble), 0, SAC_FLOW_MAX_ENSEMBLE, 0, NULL, "", "N",
     "frames of an ensemble; 0: all"},
    {"step", SAC_PARAM_INT, OFFSET(step), 0, 1000000, 0, NULL, "", "N",
     "frames from one ensemble to the next; 0: those of an ensemble"},
    {"lag", SAC_PARAM_INT, OFFSET(lag), 1, SAC_FLOW_MAX_ENSEMBLE - 1, 1, NULL, "", "N",
     "frames between those that are compared: the Nyquist velocity is c prf / (4 fc lag)"},
    {"average", SAC_PARAM_INT2, OFFSET(average), 1, 255, 1, NULL, "", "POINTS",
     "points to average power and autocorrelation over, odd: 5, or 5x3 (across x down)"},
    {"scale", SAC_PARAM_CHOICE, OFFSET(scale), 0, SAC_FLOW_LINEAR, SAC_FLOW_DB, scales, "", "SCALE",
     "power in db of its maximum, or linear"},
    {"dynamic-range", SAC_PARAM_FLOAT, OFFSET(dynamic_range_db), 1, 200, 30, NULL, "dB", "DB",
     "of power in dB: from minus this to 0"},
    SAC_ROWS_PLAN(sac_flow_desc, "cpu, cuda or cuda:N", "on the CPU: " SAC_ROW_VARIANT_DOC),
};

SAC_PARAM_TABLE(sac_flow_params, "flow", sac_flow_desc, params,
                "Doppler of beamformed images: power, velocity, direction")

void sac_flow_desc_init(sac_flow_desc *desc)
{
    if (!desc)
        return;
    sac_param_defaults(sac_flow_params(), desc);
    desc->n_frames = 1;
    desc->n_axes = 1;
    desc->c_m_s = 1540;
    desc->phase_sign = 1;
    for (int i = 0; i < SAC_FLOW_MAX_AXES; i++)
        desc->shape[i] = 1;
}
