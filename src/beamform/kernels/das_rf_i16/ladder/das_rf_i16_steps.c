/*
 * das_rf_i16 as Jarosik, Lewandowski and Yiu (2023) build it up: two kernels, then one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das_rf_i16/das_rf_i16.h"

#define NAME(of) sac_das_rf_i16_##of
#define DTYPE SAC_I16
#include "beamform/kernels/das/das_rf_steps.h"
