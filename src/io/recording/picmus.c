/*
 * Channel data of PICMUS (plane-wave imaging challenge in medical ultrasound): HDF5, group
 * /US/US_DATASET0000. docs/formats.md has its conventions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/foreign.h"

#define FC_HZ 5.208e6 /* of PICMUS's pulse, which files of RF do not say */

enum { COMPOUND_PLANE_WAVES = 1 }; /* of the attribute subtype */

bool sac_picmus_is(const sac_h5 *h)
{
    return sac_h5_has(h, h->file, "US");
}

/* Attributes that are enumerations: what else the file may hold. */
static sac_status check_kind(const sac_h5_group *g, const char *name, int want, const char *what,
                             sac_error *err)
{
    if (H5Aexists(g->id, name) <= 0)
        return SAC_OK;
    const sac_h5_attribute a = sac_h5_attribute_open(g->id, name);
    int kind = -1;
    bool ok = a.n == 1 && (a.kind == H5T_ENUM || a.kind == H5T_INTEGER) &&
              H5Aread(a.id, H5T_NATIVE_INT, &kind) >= 0;
    sac_h5_attribute_close(&a);
    if (ok && kind == want)
        return SAC_OK;
    return sac_fail(err, SAC_E_UNSUPPORTED, "%s: %s: attribute %s: expected %d (%s), got %d",
                    g->h->name, g->path, name, want, what, kind);
}

static sac_status read_probe(sac_draft *d, const sac_h5_group *g, sac_error *err)
{
    sac_h5_numbers n;
    sac_status st = sac_h5_numbers_read(&n, g, "probe_geometry", false, err);
    if (st != SAC_OK || (!n.values && !isnan(d->desc.pitch_m)))
        return st;
    if (!n.values)
        return sac_h5_odd(g, "probe_geometry", "is missing (--pitch describes a linear array)",
                          err);
    if (n.rows != 3)
        st = sac_h5_odd(g, "probe_geometry", "expected (3, n_elements) numbers", err);
    st = st ? st : sac_draft_elements(d, n.columns, err);
    for (uint64_t i = 0; st == SAC_OK && i < 3 * n.columns; i++)
        d->recording->elements[i % n.columns].position_m[i / n.columns] = n.values[i];
    sac_free(n.values);
    return st;
}

static sac_status read_angles(sac_draft *d, const sac_h5_group *g, sac_error *err)
{
    sac_h5_numbers n;
    sac_status st = sac_h5_numbers_read(&n, g, "angles", false, err);
    if (st != SAC_OK)
        return st;
    if (!n.values)
        return sac_h5_odd(g, "angles", "is missing (--transmits gives transmits otherwise)", err);
    const uint64_t count = n.rows * n.columns;
    st = sac_draft_transmits(d, count, err);
    for (uint64_t i = 0; st == SAC_OK && i < count; i++)
        d->recording->transmits[i].azimuth_rad = n.values[i];
    sac_free(n.values);
    return st;
}

static sac_status read_numbers(sac_draft *d, const sac_h5_group *g, sac_error *err)
{
    sac_acquisition *a = &d->recording->acquisition;
    const sac_recording_desc *given = &d->desc;
    a->fd_hz = 0;
    sac_status st = sac_h5_need(g, "sampling_frequency", &a->fs_hz, given->fs_hz, "--fs", err);
    st = st ? st : sac_h5_need(g, "initial_time", &d->t0_s, given->t0_s, "--t0", err);
    st = st ? st : sac_h5_need(g, "sound_speed", &a->c_m_s, given->c_m_s, "--c", err);
    st = st ? st : sac_h5_value(g, "modulation_frequency", &a->fd_hz, err);
    st = st ? st : sac_h5_value(g, "PRF", &a->frame_rate_hz, err);
    if (st != SAC_OK)
        return st;
    if (!isnan(given->fd_hz))
        a->fd_hz = given->fd_hz;
    a->fc_hz = a->fd_hz > 0 ? a->fd_hz : FC_HZ;
    if (a->fd_hz == 0 && isnan(given->fc_hz))
        sac_draft_note(
            d, "PICMUS's RF does not say the center frequency: %g MHz is taken (--fc gives it)",
            1e-6 * FC_HZ);
    return SAC_OK;
}

static sac_status read_data(sac_draft *d, const sac_h5_group *g, const sac_h5_group *data,
                            const sac_h5_set *re, sac_error *err)
{
    sac_acquisition *a = &d->recording->acquisition;
    int64_t shape[4];
    sac_h5_set im = {.set = -1};
    sac_status st = sac_draft_shape(shape, d, re->n_dims, re->dims, err);
    st = st ? st : read_numbers(d, g, err);
    st = st ? st : read_probe(d, g, err);
    if (st == SAC_OK && !d->desc.transmits)
        st = read_angles(d, g, err);
    const bool iq = a->fd_hz > 0; /* of RF, the imaginary parts are zeros */
    st = st ? st : sac_draft_resolve(d, shape[2], err);
    if (st == SAC_OK && iq)
        st = sac_h5_set_open(&im, g->h, data->id, data->path, "imag", err);
    st = st ? st : sac_h5_samples(d, data, re, "real", iq ? &im : NULL, "imag", err);
    if (im.set >= 0)
        sac_h5_set_close(&im);
    a->frame_rate_hz /= a->n_transmits > 0 ? a->n_transmits : 1; /* PRF: of transmits */
    a->phase_origin = SAC_PHASE_TRANSMIT;
    return st;
}

/* What is missing, of a group that nothing can be read without. */
static sac_status open_needed(sac_h5_group *g, const sac_h5_group *at, const char *name,
                              sac_error *err)
{
    const sac_status st = sac_h5_group_open(g, at, name, err);
    return st == SAC_OK && g->id < 0 ? sac_h5_odd(at, name, "is missing", err) : st;
}

static sac_status read_set(sac_draft *d, const sac_h5_group *us, sac_error *err)
{
    sac_h5_group g, data = {.id = -1};
    sac_h5_set re;
    sac_status st = open_needed(&g, us, "US_DATASET0000", err);
    st = st ? st : check_kind(&g, "type", 0, "US: channel data", err);
    st = st ? st : check_kind(&g, "subtype", COMPOUND_PLANE_WAVES, "CPW: plane waves", err);
    st = st ? st : open_needed(&data, &g, "data", err);
    st = st ? st : sac_h5_set_open(&re, g.h, data.id, data.path, "real", err);
    if (st == SAC_OK) {
        st = read_data(d, &g, &data, &re, err);
        sac_h5_set_close(&re);
    }
    sac_h5_group_close(&data);
    sac_h5_group_close(&g);
    return st;
}

sac_status sac_picmus_read(sac_draft *d, const sac_h5 *h, sac_error *err)
{
    const sac_h5_group root = sac_h5_root(h);
    sac_h5_group us;
    sac_status st = open_needed(&us, &root, "US", err);
    st = st ? st : read_set(d, &us, err);
    sac_h5_group_close(&us);
    return st;
}
