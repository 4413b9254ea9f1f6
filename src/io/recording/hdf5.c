/*
 * Recordings in HDF5 of our schema, which docs/formats.md describes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/foreign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define ELEMENTS "/acquisition/elements/"
#define TRANSMITS "/acquisition/transmits/"

static hid_t open_group(const sac_h5 *h, hid_t at, const char *name)
{
    return sac_h5_has(h, at, name) ? H5Gopen2(at, name, h->groups) : -1;
}

/* Of a name that is no group it was not opened. */
static void close_group(hid_t group)
{
    if (group >= 0)
        H5Gclose(group);
}

static sac_status read_phase(sac_acquisition *a, const sac_h5 *h, hid_t group, sac_error *err)
{
    char origin[SAC_H5_WORD];
    double sign = 1;
    sac_status st = sac_h5_text(h, group, "phase_origin", origin, sizeof origin, err);
    st = st ? st : sac_h5_number(h, group, "phase_sign", &sign, err);
    if (st != SAC_OK)
        return st;
    if (origin[0] && !sac_phase_origin_parse(&a->phase_origin, origin))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: phase_origin: expected `record` or `transmit`, got `%s`", h->name,
                        origin);
    if (sign != 1 && sign != -1)
        return sac_fail(err, SAC_E_FORMAT, "%s: phase_sign: expected 1 or -1, got %g", h->name,
                        sign);
    a->phase_sign = (int32_t)sign;
    return SAC_OK;
}

/* How many there are by a dataset's first axis, and memory for as many in the draft. */
static sac_status make(uint64_t *n, sac_draft *draft, const sac_h5 *h, hid_t group,
                       const char *where, const char *name,
                       sac_status (*allocate)(sac_draft *draft, uint64_t n, sac_error *err),
                       sac_error *err)
{
    const sac_status st = sac_h5_length(h, group, where, name, n, err);
    return st ? st : allocate(draft, *n, err);
}

/* Which elements are lines, where the file says so. */
static sac_status read_shapes(sac_draft *draft, const sac_h5 *h, hid_t group, uint64_t n,
                              sac_error *err)
{
    if (!sac_h5_has(h, group, "shape"))
        return SAC_OK;
    sac_status st = sac_draft_shapes(draft, err);
    char(*words)[SAC_H5_WORD] = st ? NULL : sac_alloc((size_t)n, sizeof *words);
    if (st == SAC_OK)
        st = words ? sac_h5_words(h, group, ELEMENTS, "shape", words, n, err)
                   : sac_fail(err, SAC_E_NOMEM, "%s: no memory for elements", h->name);
    for (uint64_t i = 0; i < n && st == SAC_OK; i++)
        if (!sac_shape_parse(&draft->recording->shapes[i], words[i]))
            st = sac_fail(err, SAC_E_FORMAT, "%s: " ELEMENTS "shape: `%s` is invalid", h->name,
                          words[i]);
    sac_free(words);
    return st;
}

static sac_status read_elements(sac_draft *draft, const sac_h5 *h, hid_t group, sac_error *err)
{
    uint64_t n;
    sac_status st = make(&n, draft, h, group, ELEMENTS, "position_m", sac_draft_elements, err);
    if (st == SAC_OK)
        st = sac_h5_fields(h, group, ELEMENTS, sac_element_fields, draft->recording->elements,
                           sizeof(sac_element), n, err);
    return st ? st : read_shapes(draft, h, group, n, err);
}

/* Numbers of the elements that fire; elsewhere anything. */
static sac_status read_fired(sac_draft *draft, const sac_h5 *h, hid_t group, sac_error *err)
{
    const sac_acquisition *a = &draft->recording->acquisition;
    uint64_t n = (uint64_t)a->n_transmits;
    double *fired = sac_alloc(n, sizeof *fired);
    if (!fired)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for transmits", h->name);
    sac_status st = sac_h5_doubles(h, group, TRANSMITS, "element", fired, 1, &n, err);
    for (uint64_t i = 0; i < n && st == SAC_OK; i++) {
        sac_transmit *t = &draft->recording->transmits[i];
        bool fits = fired[i] >= 0 && fired[i] < SAC_IO_MAX_LISTED;
        t->element = fits ? (int32_t)fired[i] : -1;
    }
    sac_free(fired);
    return st;
}

static sac_status read_delays(sac_draft *draft, const sac_h5 *h, hid_t group, uint64_t n_elements,
                              sac_error *err)
{
    sac_recording *r = draft->recording;
    uint64_t dims[2] = {(uint64_t)r->acquisition.n_transmits, n_elements};
    uint64_t n;
    sac_status st = sac_h5_length(h, group, TRANSMITS, "delays_s", &n, err);
    st = st ? st
            : sac_draft_table(&draft->recording->delays_s, draft, "delays", dims[0], dims[1], err);
    st = st ? st : sac_h5_doubles(h, group, TRANSMITS, "delays_s", r->delays_s, 2, dims, err);
    for (uint64_t i = 0; i < dims[0] && st == SAC_OK; i++)
        if (r->transmits[i].kind == SAC_TRANSMIT_DELAYS)
            r->transmits[i].delays_s = r->delays_s + i * n_elements;
    return st;
}

/* How strongly elements fire, where the file says so. */
static sac_status read_amplitudes(sac_draft *draft, const sac_h5 *h, hid_t group,
                                  uint64_t n_elements, sac_error *err)
{
    sac_recording *r = draft->recording;
    uint64_t dims[2] = {(uint64_t)r->acquisition.n_transmits, n_elements};
    uint64_t n;
    if (!sac_h5_has(h, group, "apodization"))
        return SAC_OK;
    sac_status st = sac_h5_length(h, group, TRANSMITS, "apodization", &n, err);
    st = st ? st
            : sac_draft_table(&draft->recording->tx_apodization, draft, "amplitudes", dims[0],
                              dims[1], err);
    r->acquisition.tx_apodization = r->tx_apodization;
    return st ? st
              : sac_h5_doubles(h, group, TRANSMITS, "apodization", r->tx_apodization, 2, dims, err);
}

/* Which elements receive, where the file says so. */
static sac_status read_receives(sac_draft *draft, const sac_h5 *h, hid_t group, uint64_t n_elements,
                                sac_error *err)
{
    const uint64_t dims[2] = {(uint64_t)draft->recording->acquisition.n_transmits, n_elements};
    double *values = NULL;
    if (!sac_h5_has(h, group, "receives"))
        return SAC_OK;
    sac_status st = sac_draft_table(&values, draft, "receivers", dims[0], dims[1], err);
    st = st ? st : sac_draft_receives(draft, n_elements, err);
    st = st ? st : sac_h5_doubles(h, group, TRANSMITS, "receives", values, 2, dims, err);
    for (uint64_t i = 0; i < dims[0] * dims[1] && st == SAC_OK; i++) {
        draft->recording->receives[i] = values[i] == 1;
        if (values[i] != 0 && values[i] != 1)
            st = sac_fail(err, SAC_E_FORMAT, "%s: " TRANSMITS "receives: expected 0 or 1, got %g",
                          h->name, values[i]);
    }
    sac_free(values);
    return st;
}

static sac_status read_kinds(sac_draft *draft, const sac_h5 *h, hid_t group, sac_error *err)
{
    uint64_t n;
    sac_status st = make(&n, draft, h, group, TRANSMITS, "kind", sac_draft_transmits, err);
    if (st != SAC_OK)
        return st;
    char(*words)[SAC_H5_WORD] = sac_alloc((size_t)n, sizeof *words);
    if (!words)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for transmits", h->name);
    st = sac_h5_words(h, group, TRANSMITS, "kind", words, n, err);
    for (uint64_t i = 0; i < n && st == SAC_OK; i++)
        if (!sac_transmit_kind_parse(&draft->recording->transmits[i].kind, words[i]))
            st = sac_fail(err, SAC_E_FORMAT, "%s: " TRANSMITS "kind: `%s` is invalid", h->name,
                          words[i]);
    sac_free(words);
    return st;
}

static sac_status read_transmits(sac_draft *draft, const sac_h5 *h, hid_t group,
                                 uint64_t n_elements, sac_error *err)
{
    sac_status st = read_kinds(draft, h, group, err);
    if (st != SAC_OK)
        return st;
    const sac_recording *r = draft->recording;
    int32_t n = r->acquisition.n_transmits;
    bool element = false, delays = false;
    for (int32_t i = 0; i < n; i++) {
        element = element || r->transmits[i].kind == SAC_TRANSMIT_ELEMENT;
        delays = delays || r->transmits[i].kind == SAC_TRANSMIT_DELAYS;
    }
    for (const sac_field *f = sac_transmit_fields; f->name; f++) {
        int32_t i = 0;
        while (i < n && !sac_transmit_needs(r->transmits[i].kind, f->name))
            i++;
        if (i < n && !sac_h5_has(h, group, f->name))
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: dataset " TRANSMITS "%s is missing: transmit %d is %s", h->name,
                            f->name, i, sac_transmit_kind_name(r->transmits[i].kind));
    }
    st = sac_h5_fields(h, group, TRANSMITS, sac_transmit_fields, r->transmits, sizeof(sac_transmit),
                       (uint64_t)r->acquisition.n_transmits, err);
    if (st == SAC_OK && element)
        st = read_fired(draft, h, group, err);
    if (st == SAC_OK && delays)
        st = read_delays(draft, h, group, n_elements, err);
    st = st ? st : read_amplitudes(draft, h, group, n_elements, err);
    return st ? st : read_receives(draft, h, group, n_elements, err);
}

/* The caller describes the transmits: of the file's, t0, weights and which elements fire may stay.
 */
static sac_status read_kept(sac_draft *draft, const sac_h5 *h, hid_t group, uint64_t n_elements,
                            sac_error *err)
{
    if (sac_h5_has(h, group, "receives"))
        return sac_fail(err, SAC_E_INVALID,
                        "%s: --transmits describes waves that all elements receive, and here some "
                        "do not",
                        h->name);
    if (!sac_h5_has(h, group, "t0_s"))
        return SAC_OK;
    uint64_t n;
    sac_status st = make(&n, draft, h, group, TRANSMITS, "t0_s", sac_draft_transmits, err);
    if (st == SAC_OK)
        st = sac_h5_fields(h, group, TRANSMITS, sac_transmit_fields, draft->recording->transmits,
                           sizeof(sac_transmit), n, err);
    return st ? st : read_amplitudes(draft, h, group, n_elements, err);
}

static sac_status read_acquisition(sac_draft *draft, const sac_h5 *h, uint64_t n_elements,
                                   sac_error *err)
{
    sac_acquisition *a = &draft->recording->acquisition;
    if (H5Lexists(h->file, "acquisition", h->links) == 0)
        return SAC_OK; /* the caller's options may give it all */
    hid_t group = open_group(h, h->file, "acquisition");
    if (group < 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: group /acquisition is missing", h->name);
    sac_status st = SAC_OK;
    for (const sac_field *f = sac_acquisition_fields; f->name && st == SAC_OK; f++) {
        double *value = sac_field_of(a, f);
        st = sac_h5_number(h, group, f->name, value, err);
        if (st == SAC_OK && f->finite && !isfinite(*value) && H5Aexists(group, f->name) > 0)
            st = sac_fail(err, SAC_E_FORMAT, "%s: attribute %s: expected a finite number, got %g",
                          h->name, f->name, *value);
    }
    st = st ? st : read_phase(a, h, group, err);
    if (st == SAC_OK && sac_h5_has(h, group, "elements")) {
        hid_t elements = open_group(h, group, "elements");
        st = read_elements(draft, h, elements, err);
        close_group(elements);
    }
    if (st == SAC_OK && sac_h5_has(h, group, "transmits")) {
        hid_t transmits = open_group(h, group, "transmits");
        st = draft->desc.transmits ? read_kept(draft, h, transmits, n_elements, err)
                                   : read_transmits(draft, h, transmits, n_elements, err);
        close_group(transmits);
    }
    H5Gclose(group);
    return st;
}

/* The type in memory that suits the file's. 0 for one that is none of ours. */
static sac_dtype choose_type(const sac_h5_set *s, hid_t *memory_type)
{
    *memory_type = -1;
    if (s->type_class == H5T_FLOAT) {
        *memory_type = H5Tcopy(H5T_NATIVE_FLOAT);
        return SAC_F32;
    }
    if (s->type_class == H5T_INTEGER &&
        (s->type_size == 1 || (s->type_size == 2 && s->is_signed))) {
        *memory_type = H5Tcopy(H5T_NATIVE_INT16);
        return SAC_I16;
    }
    hid_t type = H5Dget_type(s->set);
    *memory_type = sac_h5_complex(type);
    H5Tclose(type);
    return *memory_type >= 0 ? SAC_C64 : 0;
}

static sac_status read_frames(sac_draft *draft, const sac_h5 *h, const sac_h5_set *s,
                              hid_t memory_type, sac_error *err)
{
    sac_array *a = &draft->recording->samples;
    hsize_t first[H5S_MAX_RANK], count[H5S_MAX_RANK];
    if (!a->data)
        return SAC_OK;
    sac_h5_wanted(first, count, draft, s, s->n_dims);
    sac_status st = sac_h5_sound(s, h, "/", "samples", first, count, err);
    if (st != SAC_OK)
        return st;
    hid_t space = H5Dget_space(s->set);
    hid_t memory = H5Screate_simple(s->n_dims, count, NULL);
    bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
              H5Dread(s->set, memory_type, memory, space, H5P_DEFAULT, a->data) >= 0;
    if (!ok)
        st = sac_h5_fail(h, err, SAC_E_FORMAT, "/samples");
    H5Sclose(memory);
    H5Sclose(space);
    return st;
}

static sac_status read_samples(sac_draft *draft, const sac_h5 *h, const sac_h5_set *s,
                               sac_error *err)
{
    hid_t memory_type;
    sac_dtype dtype = choose_type(s, &memory_type);
    if (!dtype)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: /samples: expected int16, float32 or complex (r, i)", h->name);
    int64_t shape[4];
    sac_status st = sac_draft_shape(shape, draft, s->n_dims, s->dims, err);
    st = st ? st : read_acquisition(draft, h, (uint64_t)shape[2], err);
    st = st ? st : sac_draft_resolve(draft, shape[2], err);
    draft->fills =
        !s->is_chunked; /* of a chunk that is not there libhdf5 may leave all as it was */
    st = st ? st : sac_draft_samples(draft, dtype, shape, s->max_count, err);
    st = st ? st : read_frames(draft, h, s, memory_type, err);
    H5Tclose(memory_type);
    return st;
}

static sac_status read_own(sac_draft *draft, const sac_h5 *h, sac_error *err)
{
    sac_h5_set samples;
    sac_status st = sac_h5_check_format(h, SAC_H5_RECORDING, err);
    st = st ? st : sac_h5_set_open(&samples, h, h->file, "/", "samples", err);
    if (st == SAC_OK) {
        st = read_samples(draft, h, &samples, err);
        sac_h5_set_close(&samples);
    }
    return st ? st
              : sac_h5_read_truth(h, &draft->recording->truth, &draft->recording->n_truth, err);
}

/* Other programs' formats, by what no other has. */
static const struct {
    const char *name;
    bool (*is)(const sac_h5 *h);
    sac_status (*read)(sac_draft *draft, const sac_h5 *h, sac_error *err);
} formats[] = {{"PICMUS", sac_picmus_is, sac_picmus_read},
               {"UFF", sac_uff_is, sac_uff_read},
               {"zea", sac_zea_is, sac_zea_read}};

static sac_status read_foreign(sac_draft *draft, sac_h5 *h, sac_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!formats[i].is(h))
            continue;
        sac_h5_name_format(h->name, formats[i].name);
        sac_h5_name_format(draft->name, formats[i].name);
        return formats[i].read(draft, h, err);
    }
    return sac_fail(err, SAC_E_FORMAT,
                    "%s: is HDF5, but neither a saccade recording nor UFF, PICMUS or zea: it has "
                    "none of the attribute `format`, an object of a class uff.*, and the groups US "
                    "or scan (docs/formats.md)",
                    h->name);
}

sac_status sac_hdf5_read_recording(sac_draft *draft, sac_error *err)
{
    sac_h5 h;
    sac_status st = sac_h5_open(&h, draft->path, draft->name, draft->file_bytes, err);
    if (st != SAC_OK)
        return st;
    st = H5Aexists(h.file, "format") > 0 ? read_own(draft, &h, err) : read_foreign(draft, &h, err);
    return sac_h5_end(&h, st, err);
}
