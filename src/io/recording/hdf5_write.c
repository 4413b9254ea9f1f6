/*
 * Recordings into HDF5 of our schema, which docs/formats.md describes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "io/hdf5/hdf5.h"

static const char *kind_of(const sac_acquisition *a, int32_t i)
{
    return sac_transmit_kind_name(a->transmits[i].kind);
}

static const char *shape_of(const sac_acquisition *a, int32_t i)
{
    return sac_shape_name(a->shapes[i]);
}

static bool put_words(hid_t group, const char *name, const sac_acquisition *a, int32_t count,
                      const char *(*word_of)(const sac_acquisition *a, int32_t i))
{
    hsize_t n = (hsize_t)count;
    char(*words)[SAC_H5_WORD] = sac_alloc((size_t)n, sizeof *words);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, SAC_H5_WORD);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    for (int32_t i = 0; words && i < count; i++)
        snprintf(words[i], sizeof words[i], "%s", word_of(a, i));
    bool ok = words && sac_h5_put(group, name, type, type, 1, &n, words);
    H5Tclose(type);
    sac_free(words);
    return ok;
}

/* Which element fires, -1 where that is not the kind of transmit. */
static bool put_fired(hid_t group, const sac_acquisition *a)
{
    hsize_t n = (hsize_t)a->n_transmits;
    int32_t *fired = sac_alloc((size_t)n, sizeof *fired);
    for (hsize_t i = 0; fired && i < n; i++)
        fired[i] = a->transmits[i].kind == SAC_TRANSMIT_ELEMENT ? a->transmits[i].element : -1;
    bool ok = fired && sac_h5_put(group, "element", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, &n, fired);
    sac_free(fired);
    return ok;
}

/* Delays of all elements, NaN where the kind of transmit has none. */
static bool put_delays(hid_t group, const sac_acquisition *a)
{
    hsize_t dims[2] = {(hsize_t)a->n_transmits, (hsize_t)a->n_elements};
    double *delays = sac_alloc((size_t)(dims[0] * dims[1]), sizeof *delays);
    for (hsize_t i = 0; delays && i < dims[0]; i++)
        for (hsize_t e = 0; e < dims[1]; e++)
            delays[i * dims[1] + e] =
                a->transmits[i].kind == SAC_TRANSMIT_DELAYS ? a->transmits[i].delays_s[e] : NAN;
    bool ok =
        delays && sac_h5_put(group, "delays_s", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims, delays);
    sac_free(delays);
    return ok;
}

static bool put_amplitudes(hid_t group, const sac_acquisition *a)
{
    const hsize_t dims[2] = {(hsize_t)a->n_transmits, (hsize_t)a->n_elements};
    return sac_h5_put(group, "apodization", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims,
                      a->tx_apodization);
}

static bool put_receives(hid_t group, const sac_acquisition *a)
{
    const hsize_t dims[2] = {(hsize_t)a->n_transmits, (hsize_t)a->n_elements};
    return sac_h5_put(group, "receives", H5T_STD_U8LE, H5T_NATIVE_UINT8, 2, dims, a->receives);
}

static bool put_transmits(hid_t at, const sac_acquisition *a)
{
    bool element = false, delays = false;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        element = element || a->transmits[i].kind == SAC_TRANSMIT_ELEMENT;
        delays = delays || a->transmits[i].kind == SAC_TRANSMIT_DELAYS;
    }
    hid_t group = sac_h5_put_group(at, "transmits");
    bool ok = group >= 0 && put_words(group, "kind", a, a->n_transmits, kind_of) &&
              sac_h5_put_fields(group, sac_transmit_fields, a->transmits, sizeof *a->transmits,
                                (uint64_t)a->n_transmits) &&
              (!element || put_fired(group, a)) && (!delays || put_delays(group, a)) &&
              (!a->tx_apodization || put_amplitudes(group, a)) &&
              (!a->receives || put_receives(group, a));
    return group >= 0 && H5Gclose(group) >= 0 && ok;
}

static bool put_elements(hid_t at, const sac_acquisition *a)
{
    hid_t group = sac_h5_put_group(at, "elements");
    bool ok = group >= 0 &&
              sac_h5_put_fields(group, sac_element_fields, a->elements, sizeof *a->elements,
                                (uint64_t)a->n_elements) &&
              (!a->shapes || put_words(group, "shape", a, a->n_elements, shape_of));
    return group >= 0 && H5Gclose(group) >= 0 && ok;
}

static bool put_acquisition(hid_t file, const sac_acquisition *a)
{
    hid_t group = sac_h5_put_group(file, "acquisition");
    bool ok = group >= 0;
    for (const sac_field *f = sac_acquisition_fields; f->name && ok; f++)
        ok = sac_h5_put_number(group, f->name, *sac_field_in(a, f));
    ok = ok && sac_h5_put_text(group, "phase_origin", sac_phase_origin_name(a->phase_origin)) &&
         sac_h5_put_number(group, "phase_sign", a->phase_sign) && put_elements(group, a) &&
         put_transmits(group, a);
    return group >= 0 && H5Gclose(group) >= 0 && ok;
}

sac_status sac_hdf5_can_write(const char *name, sac_error *err)
{
    (void)name, (void)err;
    return SAC_OK;
}

sac_status sac_hdf5_write_recording(sac_out *out, const sac_recording *r,
                                    const sac_scatterer *truth, sac_error *err)
{
    sac_h5 h;
    sac_h5_sink sink;
    size_t bytes = (size_t)sac_array_count(&r->samples) * sac_dtype_size(r->samples.dtype);
    sac_status st = sac_h5_create(&h, &sink, out, bytes, err);
    if (st != SAC_OK)
        return st;
    bool ok = sac_h5_put_text(h.file, "format", SAC_H5_RECORDING) &&
              sac_h5_put_number(h.file, "version", 1) &&
              sac_h5_put_array(h.file, "samples", &r->samples) &&
              put_acquisition(h.file, &r->acquisition) && sac_h5_put_truth(&h, truth, r->n_truth);
    return sac_h5_finish(&h, &sink, ok, out, err);
}
