/*
 * The signal steps around delay-and-sum as a pipeline uses them: all that can fail, and all memory,
 * at open; then calls on any part of the data, from several threads at once.
 *
 * The steps without tables are their rooms' functions, chosen by sac_variant_choose:
 *     sac_envelope_c64_room   IQ to magnitude
 *     sac_hilbert_f32_room    RF to envelope down columns (sac_hilbert_init at open)
 *     sac_compress_f32_room   to decibels, given the frame's maximum: sac_frame_maximum
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SIGNAL_STEPS_H
#define SAC_BEAMFORM_SIGNAL_STEPS_H

#include "beamform/kernels/compress_f32/compress_f32.h"
#include "beamform/kernels/demodulate.h"
#include "beamform/kernels/envelope_c64/envelope_c64.h"
#include "beamform/kernels/hilbert_f32/hilbert_f32.h"

/* RF records to IQ: filter, rotations and kernel. Runs only read it. */
typedef struct sac_demodulator sac_demodulator;

/*
 * For records of n_samples of dtype, SAC_I16 or SAC_F32. `kernel` is a rung of sac_demodulate_room;
 * NULL where only the plan is wanted.
 * On failure *out is NULL. SAC_E_INVALID (names the field), SAC_E_NOMEM.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_demodulator_open(sac_demodulator **out,
                                                           const sac_demodulation *demodulation,
                                                           sac_dtype dtype, int64_t n_samples,
                                                           sac_any_fn kernel, sac_error *err);

/* Samples of an IQ record: ceil(n_samples / decimation). */
SAC_INTERNAL int64_t sac_demodulator_samples(const sac_demodulator *demodulator);

/* Filter and tables, which a GPU takes over. */
SAC_INTERNAL const sac_demodulate_plan *sac_demodulator_plan(const sac_demodulator *demodulator);

/*
 * Demodulates n_records: out (n_records, samples) c64, each record contiguous; in (n_records,
 * n_samples) of the dtype; strides in bytes, of any sign. No overlap. Allocates nothing.
 */
SAC_INTERNAL void sac_demodulator_run(const sac_demodulator *demodulator, float *out,
                                      ptrdiff_t out_record, const void *in, ptrdiff_t in_record,
                                      ptrdiff_t in_sample, int64_t n_records);

/*
 * Back to RF, in place: an IQ record (samples) c64 becomes Re(iq exp(j 2 pi fd n D / fs)) (samples)
 * f32 at its start. With a decimation of 1 that is the record, band-passed.
 */
SAC_INTERNAL void sac_demodulator_restore(const sac_demodulator *demodulator, float *record);

/* Takes NULL and *demodulator == NULL; sets *demodulator = NULL. */
SAC_INTERNAL void sac_demodulator_close(sac_demodulator **demodulator);

/* The room that demodulates such samples. */
SAC_INTERNAL const sac_room *sac_demodulate_room(sac_dtype dtype);

/* The largest finite value of n, at least 0: for compress. Of parts, the largest is that of all. */
SAC_INTERNAL float sac_frame_maximum(const float *in, int64_t n);

#endif
