/*
 * What the rooms of real samples are checked and timed with: check_das.h's cases, and samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_CHECK_DAS_RF_H
#define SAC_BEAMFORM_CHECK_DAS_RF_H

#include "beamform/kernels/check_das.h"

SAC_INTERNAL extern const char *const sac_check_das_rf_modes[];
SAC_INTERNAL extern const char *const sac_check_das_rf_contents[];
SAC_INTERNAL extern const char *const sac_check_das_rf_tasks[];

/* `size`: of a sample, 2 or 4 bytes. */
SAC_INTERNAL void sac_check_das_rf_shape(sac_check_case *c, size_t size);
SAC_INTERNAL sac_status sac_check_das_rf_open(sac_check_case *c);
SAC_INTERNAL void sac_check_das_rf_close(sac_check_case *c);
SAC_INTERNAL void sac_check_das_rf_fill(sac_check_case *c);
SAC_INTERNAL void sac_check_das_rf_call(sac_any_fn fn, const sac_check_case *c);
SAC_INTERNAL void sac_check_das_rf_compare(sac_check_diff *d, const sac_check_case *want,
                                           const sac_check_case *got, const sac_variant *v);
SAC_INTERNAL bool sac_check_das_rf_supports(const sac_variant *v, const sac_check_case *c);
SAC_INTERNAL sac_status sac_check_das_rf_open_cuda(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL uint64_t sac_check_das_rf_bytes(const sac_check_case *c);
SAC_INTERNAL void sac_check_das_rf_set_task(sac_check_case *c, int32_t i);
SAC_INTERNAL void sac_check_das_rf_points(const sac_check_case *c, uint64_t *all, uint64_t *active);
SAC_INTERNAL double sac_check_das_rf_published_ns(const char *rung);

#endif
