/*
 * Single steps of a beamformer, to use without a plan: interpolation at given delays, sums,
 * demodulation, envelope, log compression. From RF to a picture in dB, for example:
 *
 *     sac_demodulation d;
 *     sac_demodulation_init(&d);
 *     d.fs_hz = 20e6, d.fd_hz = 5e6, d.bandwidth_hz = 4e6;
 *     st = sac_demodulate(&iq, &rf, &d, &err);
 *     st = sac_envelope(&envelope, &iq, 0, &err);
 *     st = sac_compress(&db, &envelope, 60, &err);
 *
 * Threads: all functions allocate memory, work in the calling thread, and may be called from any
 * number of threads at the same time. A NULL array or struct is SAC_E_INVALID.
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
    SAC_INTERP_CUBIC /* Catmull-Rom through four samples; linear if one of them is missing */
} sac_interp;

/* The value of a record before its first and after its last sample. */
typedef enum sac_outside {
    SAC_OUTSIDE_ZERO = 0,
    SAC_OUTSIDE_CLAMP /* the first or the last sample */
} sac_outside;

/*
 * Interpolation in layers: out[l, p] = in[l] at delays[l, p] samples, for every layer l. `in` is
 * (..., n_samples) of i16, f32 or c64; `delays` is (..., n_points) of f32 or f64; `out` has the
 * shape of delays, f32 for real and c64 for complex data. The leading axes are equal. NaN delays
 * give 0 (or the first sample, with SAC_OUTSIDE_CLAMP). SAC_E_SHAPE, SAC_E_INVALID, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_interpolate(const sac_array *out, const sac_array *in,
                                                 const sac_array *delays, sac_interp interp,
                                                 sac_outside outside, sac_error *err);

/*
 * Sums f32 or c64 over `axis`. `out` has the other axes, in order, and is (1) if there is no
 * other. The order of summation depends only on the shape, so the same input gives the same bytes
 * at any address. SAC_E_INVALID, SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_sum(const sac_array *out, const sac_array *in, int32_t axis,
                                         sac_error *err);

typedef struct sac_demodulation {
    double fs_hz;        /* sampling rate of the RF data; below 2 fd is allowed if the band fits
                            (undersampling) */
    double fd_hz;        /* demodulation frequency */
    double bandwidth_hz; /* of the band around fd that is kept: the low-pass is at half its height
                            at +-bandwidth/2 */
    int32_t decimation;  /* keeps one of so many samples; at least 1 */
} sac_demodulation;

/* Sets decimation to 1 and the frequencies to 0; the caller sets these. */
SAC_API void sac_demodulation_init(sac_demodulation *demodulation);

/*
 * RF to IQ: out[n] = 2 sum over k of h[k] x[n D - k] exp(-j 2 pi fd (n D - k) / fs), where h is a
 * linear-phase low-pass (windowed sinc) without delay, the phase is 0 at each record's first
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
 * The magnitude. For c64 of any shape (axis is ignored); for f32 by a Hilbert transformer (a
 * linear-phase FIR of 63 taps) along `axis`, accurate within 0.15 % from 0.035 to 0.465 cycles per
 * sample (docs/numerics.md). `out` is f32 of the same shape; no overlap. SAC_E_INVALID,
 * SAC_E_SHAPE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_envelope(const sac_array *out, const sac_array *in,
                                              int32_t axis, sac_error *err);

/*
 * 20 log10(in / maximum), at least -range_db, for f32. Each index of the first axis is a frame
 * with its own maximum, the largest finite value. In a frame without a positive value everything
 * is -range_db; NaN becomes -range_db, infinity 0. Accurate within 1.1e-5 dB for a range_db of 60,
 * and 1e-4 dB for 700, the largest allowed. `out` may be `in`. SAC_E_INVALID (range_db),
 * SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_compress(const sac_array *out, const sac_array *in,
                                              double range_db, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
