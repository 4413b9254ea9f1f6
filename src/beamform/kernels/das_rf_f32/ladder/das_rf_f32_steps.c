/*
 * das_rf_f32 as Jarosik, Lewandowski and Yiu (2023) build it up: two kernels, then one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das_rf_f32/das_rf_f32.h"

#define NAME(of) sac_das_rf_f32_##of
#define DTYPE SAC_F32
#include "beamform/kernels/das/das_rf_steps.h"
