/*
 * Eigenvectors on a GPU by cuSOLVER, where the machine has it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_CUSOLVER_H
#define SAC_FLOW_CUSOLVER_H

#include "gpu/gpu.h"

typedef struct sac_flow_cusolver sac_flow_cusolver;

/*
 * Loads cuSOLVER, the library that SAC_CUSOLVER names (default: CUDA 13's, then earlier ones'),
 * with memory for matrices of n on the GPU, which has been entered, and decomposes one, so that the
 * library loads its kernels; that waits. Runs are on `stream`. The library stays loaded.
 * SAC_E_UNSUPPORTED: there is none, or it does not work here; SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cusolver_open(sac_flow_cusolver **solver,
                                                             sac_gpu *gpu, sac_gpu_stream stream,
                                                             int32_t n, sac_error *err);
SAC_INTERNAL void sac_flow_cusolver_close(sac_flow_cusolver **solver);

/*
 * What eigen_c128 gives, within its bounds but of other bytes, which depend on the library and the
 * GPU. Waits. SAC_E_DEVICE: it found none, and the results are anything.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cusolver_run(sac_flow_cusolver *solver,
                                                            double *values, double *vectors,
                                                            const double *g);

/* As sac_gpu_fail, of a run with that solver or, where that is NULL, without: a failure of
 * cuSOLVER's gets its text, once. */
SAC_INTERNAL sac_status sac_flow_cusolver_fail(sac_flow_cusolver *solver, sac_status status,
                                               sac_error *err);

#endif
