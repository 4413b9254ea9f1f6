/*
 * Eigenvectors by LAPACK, where the machine has it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_LAPACK_H
#define SAC_FLOW_LAPACK_H

#include "base/error.h"

typedef struct sac_flow_lapack sac_flow_lapack;

/*
 * Loads LAPACK, the library that SAC_LAPACK names (default: the system's), with memory for matrices
 * of n. It stays loaded. SAC_E_UNSUPPORTED: there is none; SAC_E_NOMEM.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_lapack_open(sac_flow_lapack **lapack, int32_t n,
                                                           sac_error *err);
SAC_INTERNAL void sac_flow_lapack_close(sac_flow_lapack **lapack);

/*
 * What eigen_c128 gives, within its bounds but of other bytes: vectors and values depend on the
 * library, and may on its threads. False: it found none (an element is not finite, or its method
 * failed), and the results are anything.
 */
SAC_INTERNAL bool sac_flow_lapack_run(const sac_flow_lapack *lapack, double *values,
                                      double *vectors, const double *g);

#endif
