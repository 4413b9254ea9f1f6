/*
 * Packing channel data: what the pack rooms share. One record (transmit, element) of n_frames
 * frames, from the order in which it was acquired into that of beamform/kernels/das/das.h:
 *
 *     record[s * das->sample + f]              = in of sample s, frame f; RF, or the real part
 *     record[s * das->sample + f + das->imag]  = the imaginary part (IQ)
 *
 * for s < das->n_samples and f < das->n_packed; frames from n_frames <= das->n_frames on are 0.
 * `record` is das->data + t tx + r rx, aligned to a cache line. Sample s of frame f lies `frame` f
 * + `sample` s bytes after `in`; both strides may have any sign and are multiples of a scalar's
 * size. The record's gap is left alone. Exact: bits are moved.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_H
#define SAC_BEAMFORM_PACK_H

#include <string.h>

#include "beamform/kernels/das/das.h"

typedef void sac_pack_function(void *record, const void *in, const sac_das *das, int32_t n_frames,
                               ptrdiff_t frame, ptrdiff_t sample);
typedef sac_pack_function *sac_pack_fn;

/* Copies one scalar of 2 or 4 bytes. */
static inline void sac_pack_move(char *out, ptrdiff_t out_at, const char *in, size_t size)
{
    memcpy(out + out_at * (ptrdiff_t)size, in, size);
}

/* The contract, as it reads; `size` and `parts` are constants where this is inlined. */
static inline void sac_pack_record(void *record, const void *in, const sac_das *das,
                                   int32_t n_frames, ptrdiff_t frame, ptrdiff_t sample, size_t size,
                                   int parts)
{
    for (int part = 0; part < parts && das->n_packed == 1; part++)
        for (int32_t s = 0; s < das->n_samples; s++)
            sac_pack_move(record, s * das->sample + part * das->imag,
                          (const char *)in + s * sample + part * (ptrdiff_t)size, size);
    for (int32_t s = 0; s < das->n_samples && das->n_packed > 1; s++)
        for (int part = 0; part < parts; part++) {
            const char *from = (const char *)in + s * sample + part * (ptrdiff_t)size;
            ptrdiff_t at = s * das->sample + part * das->imag;
            for (int32_t f = 0; f < n_frames; f++)
                sac_pack_move(record, at + f, from + f * frame, size);
            memset((char *)record + (at + n_frames) * (ptrdiff_t)size, 0,
                   (size_t)(das->n_packed - n_frames) * size);
        }
}

#endif
