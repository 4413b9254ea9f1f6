/*
 * Flow on a GPU: the rooms' kernels, and those between them. Contracts and tolerances of the first
 * four are those of the CPU's rooms. All pointers but the structs' are device memory, complex
 * samples and rows of them at multiples of 8 bytes; launchers only enqueue, but for the
 * eigenvalues'.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_CUDA_H
#define SAC_FLOW_CUDA_H

#include "flow/kernels/mix_c64/mix_c64.h"
#include "gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gram_c64; `parts` is sac_gram_c64_cuda_bytes of working memory. The sum's order does not depend
 * on the GPU. */
SAC_INTERNAL size_t sac_gram_c64_cuda_bytes(int64_t n_points, int32_t n);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gram_c64_cuda(sac_gpu_stream stream, double *g,
                                                        double *parts, const float *x,
                                                        ptrdiff_t row, int64_t n_points, int32_t n,
                                                        int32_t first, int32_t end);

/* mix_c64; the job's pointers are device memory. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_mix_c64_cuda(sac_gpu_stream stream,
                                                       const sac_mix_job *job);

/* lag_c64, the same bytes. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_lag_c64_cuda(sac_gpu_stream stream, float *out,
                                                       ptrdiff_t out_row, const float *x,
                                                       ptrdiff_t row, int64_t n_points, int32_t n,
                                                       int32_t lag);

/* eigen_c128's working memory, for matrices of n rows. */
typedef struct sac_eigen_cuda {
    sac_gpu *gpu;
    void *memory;
    uint32_t *changed; /* page-locked: whether a sweep has changed anything */
    int32_t n;
} sac_eigen_cuda;

SAC_INTERNAL SAC_NODISCARD sac_status sac_eigen_c128_cuda_open(sac_eigen_cuda *e, sac_gpu *gpu,
                                                               int32_t n, sac_error *err);
SAC_INTERNAL void sac_eigen_c128_cuda_close(sac_eigen_cuda *e);

/* eigen_c128 within its bounds, with other vectors of as good a basis. Waits for each sweep, and
 * enqueues the rest. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_eigen_c128_cuda(sac_gpu_stream stream, double *values,
                                                          double *vectors, const double *g,
                                                          const sac_eigen_cuda *e);

/* Its steps; l (n, 2 n), size (n), and words of the device's: how many columns l has, -1 where an
 * element is not finite; whether this sweep has changed any. */
typedef struct sac_eigen_cuda_work {
    double *l, *size;
    int32_t *rank;
    uint32_t *changed;
    int32_t n;
} sac_eigen_cuda_work;

SAC_INTERNAL sac_eigen_cuda_work sac_eigen_c128_cuda_parts(const sac_eigen_cuda *e);

SAC_INTERNAL SAC_NODISCARD sac_status sac_eigen_cuda_factor(sac_gpu_stream stream,
                                                            const sac_eigen_cuda_work *w,
                                                            const double *g);
/* One sweep over all pairs, or where a block holds all columns as many as it takes. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_eigen_cuda_sweep(sac_gpu_stream stream,
                                                           const sac_eigen_cuda_work *w);
SAC_INTERNAL SAC_NODISCARD sac_status sac_eigen_cuda_sort(sac_gpu_stream stream, double *values,
                                                          double *vectors,
                                                          const sac_eigen_cuda_work *w);

/* For cuSOLVER: a (n, n) c128 in columns, whose lower triangle is g's upper one, conjugate. Where
 * an element of that is not finite, some other matrix, and *broken. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_take(sac_gpu_stream stream, double *a,
                                                         int32_t *broken, const double *g,
                                                         int32_t n);

/* What it made of that, as eigen_c128 has it: of values (n), the least first, and the columns of a;
 * NaN where *broken. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_turn(sac_gpu_stream stream, double *values,
                                                         double *vectors, const double *least_first,
                                                         const double *a, const int32_t *broken,
                                                         int32_t n);

/* A filter's two matrices of some of the `vectors` (n, 2 n): those [low, high), or with !keeps the
 * others; first (n_basis, n), second (n, n_basis), as src/flow/plan.h has them. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_basis(sac_gpu_stream stream, float *first,
                                                          float *second, const double *vectors,
                                                          int32_t n, int32_t n_basis, int32_t low,
                                                          int32_t high, bool keeps);

/* Adds `share` of the diagonal's sum to all of the diagonal of g (n, n) c128. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_raise(sac_gpu_stream stream, double *g,
                                                          int32_t n, double share);

/* picked (n, n_picked): every so-many-th of n rows of n_points c64. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_pick(sac_gpu_stream stream, float *picked,
                                                         int64_t n_picked, const float *x,
                                                         ptrdiff_t row, int64_t n_points,
                                                         int32_t n);

/* Of each row (n, n_points) c64: its magnitudes less their mean, with the length 1, into the first
 * half of the row. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_shares(sac_gpu_stream stream, float *rows,
                                                           int64_t n_points, int32_t n);

/* Power of lines above and below frequency 0, and between them, as lag_c64 has it (3, n_points):
 * the first two become power above and below; of n lines, of which `side` are on each side. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_split(sac_gpu_stream stream, float *maps,
                                                          ptrdiff_t row, int64_t n_points,
                                                          int32_t n, int32_t side);

/* Means over the points at most `half` places away along an axis: n places of `inner` values,
 * `outer` times. In double. No overlap. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_average(sac_gpu_stream stream, float *out,
                                                            const float *in, int64_t outer,
                                                            int64_t n, int64_t inner, int64_t half);

/* *most = the greatest of *most and n values that are finite. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_greatest(sac_gpu_stream stream, float *most,
                                                             const float *in, int64_t n);

/* Decibels of *most from -range_db up, or with range_db 0 the power itself. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_power(sac_gpu_stream stream, float *out,
                                                          const float *power, const float *most,
                                                          int64_t n, double range_db);

/* scale arg(A), of maps (P, re A, im A) of n points; and the variance scale max(0, 1 - |A| / P). */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_velocity(sac_gpu_stream stream, float *out,
                                                             const float *maps, int64_t n,
                                                             double scale);
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_variance(sac_gpu_stream stream, float *out,
                                                             const float *maps, int64_t n,
                                                             double scale);

/* Adds a transmit's velocities to the components (2, n), after emptying them with `empty`; and
 * out (2 n) of these. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_add(sac_gpu_stream stream, double *components,
                                                        const float *maps, int64_t n, double scale,
                                                        const double weights[2], bool empty);
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_cuda_round(sac_gpu_stream stream, float *out,
                                                          const double *in, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
