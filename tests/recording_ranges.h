/*
 * Some transmits of a recording, read alone, or no samples: whether they are those of the whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_RECORDING_RANGES_H
#define TESTS_RECORDING_RANGES_H

#include <string.h>

#include <saccade/recording.h>

/* Both NULL, or the same bytes: NaN is the same as NaN. */
static inline bool is_same_table(const void *a, const void *b, size_t n)
{
    return !a || !b ? a == b : memcmp(a, b, n) == 0;
}

static inline bool is_same_transmit(const sac_transmit *a, const sac_transmit *b,
                                    int32_t n_elements)
{
    const double x[] = {a->azimuth_rad, a->elevation_rad, a->source_m[0], a->source_m[1],
                        a->source_m[2], a->element,       a->t0_s,        a->weight};
    const double y[] = {b->azimuth_rad, b->elevation_rad, b->source_m[0], b->source_m[1],
                        b->source_m[2], b->element,       b->t0_s,        b->weight};
    return a->kind == b->kind && memcmp(x, y, sizeof x) == 0 &&
           is_same_table(a->delays_s, b->delays_s, (size_t)n_elements * sizeof *a->delays_s);
}

/* What is wrong with an acquisition of `whole`'s transmits from `first` on; NULL: nothing. */
static inline const char *acquisition_differs(const sac_acquisition *some,
                                              const sac_acquisition *whole, int64_t first,
                                              int64_t n)
{
    const size_t e = (size_t)whole->n_elements, before = (size_t)first * e, all = (size_t)n * e;
    sac_acquisition x = *some, y = *whole;
    x.n_transmits = y.n_transmits = 0;
    x.elements = y.elements = NULL;
    x.transmits = y.transmits = NULL;
    x.tx_apodization = y.tx_apodization = NULL;
    x.shapes = y.shapes = NULL;
    x.receives = y.receives = NULL;
    if (some->n_transmits != n || some->n_elements != whole->n_elements)
        return "the number of transmits or elements";
    if (memcmp(&x, &y, sizeof x) != 0)
        return "a number of the acquisition";
    for (int32_t i = 0; i < some->n_transmits; i++)
        if (!is_same_transmit(&some->transmits[i], &whole->transmits[first + i], whole->n_elements))
            return "a transmit";
    if (!is_same_table(some->elements, whole->elements, e * sizeof *some->elements) ||
        !is_same_table(some->shapes, whole->shapes, e * sizeof *some->shapes))
        return "the elements";
    const double *fires = whole->tx_apodization ? whole->tx_apodization + before : NULL;
    const uint8_t *receives = whole->receives ? whole->receives + before : NULL;
    return !is_same_table(some->tx_apodization, fires, all * sizeof *fires) ? "which elements fire"
           : !is_same_table(some->receives, receives, all)                  ? "which receive"
                                                                            : NULL;
}

static inline const char *samples_differ(const sac_array *some, const sac_array *whole,
                                         int64_t first, int64_t n)
{
    const int64_t shape[] = {whole->shape[0], n, whole->shape[2], whole->shape[3]};
    if (some->dtype != whole->dtype || some->n_dims != 4 ||
        memcmp(some->shape, shape, sizeof shape) != 0 || !sac_array_is_contiguous(some))
        return "the samples' type or shape";
    for (int64_t f = 0; some->data && f < shape[0]; f++)
        if (memcmp((const char *)some->data + f * some->stride[0],
                   (const char *)whole->data + f * whole->stride[0] + first * whole->stride[1],
                   (size_t)(n * whole->stride[1])) != 0)
            return "the samples";
    return NULL;
}

/* Reads n transmits from `first` on, 0: all from there, of what `desc` reads as `whole`, once with
 * samples and once without. Returns what differs, or why it cannot be read, which is in *err then;
 * NULL: it is as it must be. */
static inline const char *range_differs(const char *path, const sac_recording_desc *desc,
                                        const sac_recording *whole, int64_t first, int64_t n,
                                        sac_error *err)
{
    const sac_acquisition *all = sac_recording_get_acquisition(whole);
    const sac_array samples = sac_recording_get_array(whole);
    const char *what = NULL;
    sac_recording_desc d = *desc;
    d.first_transmit = first;
    d.n_transmits = n;
    n = n ? n : all->n_transmits - first;
    for (int run = 0; run < 2 && !what; run++) {
        sac_recording *some = NULL;
        d.no_samples = run == 1;
        if (sac_recording_read(&some, path, &d, err) != SAC_OK)
            return err->text;
        const sac_array got = sac_recording_get_array(some);
        what = acquisition_differs(sac_recording_get_acquisition(some), all, first, n);
        what = what ? what : samples_differ(&got, &samples, first, n);
        what = what ? what : !got.data != d.no_samples ? "whether there are samples" : NULL;
        if (strcmp(sac_recording_get_note(some), sac_recording_get_note(whole)) != 0 ||
            sac_recording_get_file_frames(some) != sac_recording_get_file_frames(whole))
            what = "the note, or the number of frames";
        sac_recording_close(&some);
    }
    return what;
}

#endif
