/*
 * The beamformer's other steps on a GPU: demodulation before it, envelope and decibels after it.
 * Contracts and tolerances are those of the CPU's rooms (demodulate_*, envelope_c64, hilbert_f32,
 * compress_f32). All pointers but the structs' are device memory; launchers only enqueue.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SIGNAL_CUDA_H
#define SAC_BEAMFORM_SIGNAL_CUDA_H

#include "beamform/kernels/das/cuda/das_cuda.h"
#include "beamform/kernels/demodulate.h"
#include "beamform/kernels/hilbert_f32/hilbert_f32.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A demodulator's tables on the device, of a CPU's plan. */
typedef struct sac_demodulate_cuda {
    int32_t n_samples, n_out, decimation, half;
    const float *re, *im;           /* (2 half + 1) */
    const float *turn_re, *turn_im; /* (n_out) */
    void *memory;                   /* all of it */
} sac_demodulate_cuda;

/* Set-up. On failure there is nothing to close. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_demodulate_cuda_open(sac_demodulate_cuda *out,
                                                               const sac_demodulate_plan *plan,
                                                               sac_gpu *gpu, sac_error *err);
SAC_INTERNAL void sac_demodulate_cuda_close(sac_demodulate_cuda *plan, sac_gpu *gpu);

/*
 * Frames [0, n_frames) of (n_tx, n_rx) records: out (n_frames, n_tx, n_rx, n_out), contiguous, c64;
 * or with `restore` f32, the record within the band (sac_demodulator_restore). Input strides in
 * samples, of i16 or f32.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_demodulate_cuda_run(sac_gpu_stream stream, float *out,
                                                              const void *in, sac_dtype dtype,
                                                              const sac_das_cuda_strides *from,
                                                              int32_t n_frames, int32_t n_tx,
                                                              int32_t n_rx, bool restore,
                                                              const sac_demodulate_cuda *plan);

/*
 * The same straight into a run's layout, as sac_das_cuda_pack would bring it there; of `run` the
 * sizes, strides and group count, of n_frames as there. For groups ask first whether a tile fits
 * into shared memory: not where decimation is above 80, or of `restore` with more than 1,800 taps.
 */
SAC_INTERNAL bool sac_demodulate_cuda_packs(const sac_demodulate_cuda *plan, bool restore);
SAC_INTERNAL SAC_NODISCARD sac_status sac_demodulate_cuda_pack(sac_gpu_stream stream, void *out,
                                                               const void *in, sac_dtype dtype,
                                                               const sac_das_cuda_strides *from,
                                                               const sac_das_cuda *run,
                                                               int32_t n_frames, bool restore,
                                                               const sac_demodulate_cuda *plan);

/* out (n) = |in|, of n complex values. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_envelope_c64_cuda(sac_gpu_stream stream, float *out,
                                                            const float *in, int64_t n);

/* out and in (n_images, n_z, n_columns), contiguous, no overlap: hilbert_f32's down z. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_hilbert_f32_cuda(sac_gpu_stream stream, float *out,
                                                           const float *in, int64_t n_images,
                                                           int64_t n_z, int64_t n_columns,
                                                           const sac_hilbert *hilbert);

/* maximum (n_frames): the largest finite value of each frame's n, at least 0; of complex values
 * their magnitude, as sac_envelope_c64_cuda computes it. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_maximum_f32_cuda(sac_gpu_stream stream, float *maximum,
                                                           const float *in, bool is_complex,
                                                           int64_t n_frames, int64_t n);

/*
 * out (n_frames, n): decibels as compress_f32 has them, f32; or with `gray` u8, 255 (1 + dB /
 * range) rounded to the nearest. `in` as above; f32 in and out may be the same memory.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_compress_f32_cuda(sac_gpu_stream stream, void *out,
                                                            bool gray, const float *in,
                                                            bool is_complex, const float *maximum,
                                                            int64_t n_frames, int64_t n,
                                                            float range_db);

#ifdef __cplusplus
}
#endif
#endif
