/*
 * Steps of a beamformer that are useful by themselves: interpolation at given delays, sums,
 * demodulation, envelope, log compression. They allocate, work in the calling thread, and may be
 * called from any number of threads at once. A NULL array or struct is refused (SAC_E_INVALID).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_SIGNAL_H
#define SACCADE_SIGNAL_H

#include <saccade/array.h>
#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_interp {
    SAC_INTERP_NEAREST = 0, /* the sample at floor(s + 1/2) */
    SAC_INTERP_LINEAR,
    SAC_INTERP_CUBIC /* Catmull-Rom through four samples; linear where one of them is missing */
} sac_interp;

/* What a record is before its first and after its last sample. */
typedef enum sac_outside {
    SAC_OUTSIDE_ZERO = 0,
    SAC_OUTSIDE_CLAMP /* the end samples held */
} sac_outside;

/*
 * Layered interpolation: out[l, p] = in[l] at delays[l, p] samples, for every layer l. `in` is
 * (..., n_samples) of i16, f32 or c64; `delays` (..., n_points) of f32 or f64; `out` as delays, f32
 * for real and c64 for complex data. The leading axes agree. NaN delays give 0 (or the first
 * sample). SAC_E_SHAPE, SAC_E_INVALID, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_interpolate(const sac_array *out, const sac_array *in,
                                                 const sac_array *delays, sac_interp interp,
                                                 sac_outside outside, sac_error *err);

/*
 * Sums f32 or c64 over `axis`; `out` has the other axes, in order, and (1) where there is no other.
 * The order of summation depends on the shape alone, so that the same input gives the same bytes,
 * wherever it lies. SAC_E_INVALID, SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_sum(const sac_array *out, const sac_array *in, int32_t axis,
                                         sac_error *err);

typedef struct sac_demodulation {
    double fs_hz; /* of the RF data; may lie below 2 fd where the band still fits (undersampling) */
    double fd_hz; /* mixed down by */
    double bandwidth_hz; /* kept around fd: the low-pass has half its height at +-bandwidth/2 */
    int32_t decimation;  /* keeps one sample of so many; at least 1 */
} sac_demodulation;

/* decimation 1; frequencies 0, to be set. */
SAC_API void sac_demodulation_init(sac_demodulation *demodulation);

/*
 * RF to IQ: out[n] = 2 sum over k of h[k] x[n D - k] exp(-j 2 pi fd (n D - k) / fs), h a
 * linear-phase low-pass (windowed sinc) without delay; the phase is 0 at each record's first
 * sample, and x is 0 outside the record. Flat within 0.2 % to 3/8 of the bandwidth on either side,
 * below -59 dB from 5/8 on (docs/numerics.md). `in` is (..., n_samples) of i16 or f32, `out` (...,
 * ceil(n_samples / decimation)) of c64; no overlap. A band fits if no multiple of fs / 2 lies
 * inside it and it is at most fs / decimation wide. SAC_E_SHAPE, SAC_E_INVALID (a band that does
 * not fit, or is too narrow), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_demodulate(const sac_array *out, const sac_array *in,
                                                const sac_demodulation *demodulation,
                                                sac_error *err);

/*
 * Magnitude of c64 along any shape (axis is ignored); of f32 by a Hilbert transformer (a
 * linear-phase FIR of 63 taps) along `axis`, right within 0.15 % from 0.035 to 0.465 cycles a
 * sample (docs/numerics.md). `out` is f32 of the same shape; no overlap. SAC_E_INVALID,
 * SAC_E_SHAPE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_envelope(const sac_array *out, const sac_array *in,
                                              int32_t axis, sac_error *err);

/*
 * 20 log10(in / maximum), not below -range_db, of f32; each index of the first axis is a frame with
 * a maximum of its own, the largest finite value. A frame without a positive value is all
 * -range_db; NaN too, and what is infinite is 0. Within 1.1e-5 dB for a range_db of 60, 1e-4 for
 * 700, the largest. `out` may be `in`. SAC_E_INVALID (range_db), SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_compress(const sac_array *out, const sac_array *in,
                                              double range_db, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
