/*
 * Channel data of zea (tue-bmd): HDF5 of 2025 (groups data and scan) and 2026 (tracks/track_0,
 * probe). docs/formats.md has its conventions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/foreign.h"

#define FARTHEST_M 1.0 /* foci beyond are given in wavelengths, as old files have them */

bool sac_zea_is(const sac_h5 *h)
{
    const sac_h5_group root = sac_h5_root(h);
    sac_h5_group scan;
    bool is = H5Aexists(h->file, "zea_version") > 0 || sac_h5_has(h, h->file, "tracks") ||
              sac_h5_has(h, h->file, "event_0");
    if (is || sac_h5_group_open(&scan, &root, "scan", NULL) != SAC_OK)
        return is;
    is = scan.id >= 0;
    sac_h5_group_close(&scan);
    return is;
}

/* Where data and scan are. */
typedef struct parts {
    sac_h5_group tracks, track, data, scan, probe;
} parts;

static void close_parts(parts *p)
{
    sac_h5_group *all[] = {&p->probe, &p->scan, &p->data, &p->track, &p->tracks};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        sac_h5_group_close(all[i]);
}

static sac_status open_parts(parts *p, sac_draft *d, const sac_h5 *h, sac_error *err)
{
    const sac_h5_group root = sac_h5_root(h);
    const sac_h5_group *at = &root;
    const sac_h5_group none = {.h = h, .id = -1, .path = "/"};
    *p = (parts){none, none, none, none, none};
    const bool event = sac_h5_has(h, h->file, "event_0");
    sac_status st = sac_h5_group_open(&p->probe, &root, "probe", err);
    st = st ? st : sac_h5_group_open(&p->tracks, &root, "tracks", err);
    if (st == SAC_OK && (p->tracks.id >= 0 || event)) {
        at = event ? &root : &p->tracks;
        st = sac_h5_group_open(&p->track, at, event ? "event_0" : "track_0", err);
        if (st == SAC_OK && p->track.id < 0)
            st = sac_h5_odd(at, event ? "event_0" : "track_0", "is missing", err);
        if (st == SAC_OK && sac_h5_has(h, at->id, event ? "event_1" : "track_1"))
            sac_draft_note(d, "%s is read alone of those in the file",
                           event ? "event_0" : "track_0");
        at = &p->track;
    }
    st = st ? st : sac_h5_group_open(&p->data, at, "data", err);
    st = st ? st : sac_h5_group_open(&p->scan, at, "scan", err);
    if (st == SAC_OK && (p->data.id < 0 || p->scan.id < 0))
        st = sac_h5_odd(at, p->data.id < 0 ? "data" : "scan", "is missing", err);
    return st;
}

/* One number, or one that all transmits have. NaN where it is missing. */
static sac_status read_common(double *value, const sac_h5_group *g, const char *name,
                              sac_error *err)
{
    if (!sac_h5_has(g->h, g->id, name))
        return SAC_OK;
    sac_h5_numbers n;
    if (sac_h5_value(g, name, value, NULL) == SAC_OK)
        return SAC_OK;
    sac_status st = sac_h5_numbers_read(&n, g, name, false, err);
    if (st != SAC_OK)
        return st;
    for (uint64_t i = 1; i < n.rows * n.columns && st == SAC_OK; i++)
        if (n.values[i] != n.values[0])
            st = sac_h5_odd(g, name, "expected the same number for all transmits", err);
    if (st == SAC_OK)
        *value = n.values[0];
    sac_free(n.values);
    return st;
}

static sac_status read_numbers(sac_draft *d, const sac_h5_group *g, bool iq, sac_error *err)
{
    sac_acquisition *a = &d->recording->acquisition;
    const sac_recording_desc *given = &d->desc;
    double percent = NAN;
    sac_status st = sac_h5_need(g, "sampling_frequency", &a->fs_hz, given->fs_hz, "--fs", err);
    if (st == SAC_OK && !sac_h5_has(g->h, g->id, "center_frequency"))
        st = sac_h5_need(g, "center_frequency", &a->fc_hz, given->fc_hz, "--fc", err);
    st = st ? st : read_common(&a->fc_hz, g, "center_frequency", err);
    st = st ? st : sac_h5_need(g, "sound_speed", &a->c_m_s, given->c_m_s, "--c", err);
    st = st ? st : read_common(&percent, g, "bandwidth_percent", err);
    if (st == SAC_OK && iq)
        st = read_common(&a->fd_hz, g, "demodulation_frequency", err);
    a->bandwidth = percent / 100;
    a->fc_hz = isnan(given->fc_hz) ? a->fc_hz : given->fc_hz;
    a->c_m_s = isnan(given->c_m_s) ? a->c_m_s : given->c_m_s;
    return st;
}

static sac_status read_probe(sac_draft *d, const parts *p, sac_error *err)
{
    const sac_h5_group *g = &p->scan;
    sac_h5_numbers n = {NULL, 0, 0};
    double width_m = NAN;
    sac_status st = sac_h5_numbers_read(&n, g, "probe_geometry", false, err);
    if (st == SAC_OK && !n.values && p->probe.id >= 0) {
        g = &p->probe;
        st = sac_h5_numbers_read(&n, g, "probe_geometry", false, err);
    }
    if (st != SAC_OK || (!n.values && !isnan(d->desc.pitch_m)))
        return st;
    if (!n.values)
        return sac_h5_odd(&p->scan, "probe_geometry",
                          "is missing (--pitch describes a linear array)", err);
    if (n.columns != 3)
        st = sac_h5_odd(g, "probe_geometry", "expected (n_elements, 3) numbers", err);
    st = st ? st : sac_h5_value(g, "element_width", &width_m, err);
    st = st ? st : sac_draft_elements(d, n.rows, err);
    for (uint64_t e = 0; st == SAC_OK && e < n.rows; e++) {
        memcpy(d->recording->elements[e].position_m, n.values + 3 * e, 3 * sizeof *n.values);
        d->recording->elements[e].width_m = isnan(width_m) ? 0 : width_m;
    }
    sac_free(n.values);
    return st;
}

/* What the scan says of each transmit; freed by free_waves. */
typedef struct waves {
    sac_h5_numbers delays, weights, begins, focus, polar, azimuth, origins;
} waves;

static void free_waves(waves *w)
{
    sac_h5_numbers *all[] = {&w->delays, &w->weights, &w->begins, &w->focus,
                             &w->polar,  &w->azimuth, &w->origins};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        sac_free(all[i]->values);
}

/* A list of n_tx x width numbers, where it is there or needed. */
static sac_status read_list(sac_h5_numbers *n, const sac_h5_group *g, const char *name,
                            uint64_t n_tx, uint64_t width, bool needed, sac_error *err)
{
    sac_status st = sac_h5_numbers_read(n, g, name, true, err);
    if (st == SAC_OK && !n->values && needed)
        return sac_h5_odd(g, name, "is missing (--transmits gives transmits otherwise)", err);
    if (st == SAC_OK && n->values && n->rows * n->columns != n_tx * width)
        return sac_h5_odd(g, name,
                          width == 1   ? "expected a number for each transmit"
                          : width == 3 ? "expected x, y, z for each transmit"
                                       : "expected a number for each transmit and element",
                          err);
    return st;
}

/* Focus distances: of plane waves they may be infinite. */
static sac_status read_focus(sac_h5_numbers *n, const sac_h5_group *g, uint64_t n_tx,
                             sac_error *err)
{
    if (!sac_h5_has(g->h, g->id, "focus_distances"))
        return SAC_OK;
    uint64_t dims[1] = {n_tx};
    n->values = sac_alloc((size_t)n_tx, sizeof *n->values);
    if (!n->values)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for focus_distances", g->h->name);
    n->rows = 1;
    n->columns = n_tx;
    return sac_h5_doubles(g->h, g->id, g->path, "focus_distances", n->values, 1, dims, err);
}

static sac_status read_waves(waves *w, const sac_h5_group *g, uint64_t n_tx, uint64_t n_el,
                             sac_error *err)
{
    *w = (waves){0};
    sac_status st = read_list(&w->delays, g, "t0_delays", n_tx, n_el, true, err);
    st = st ? st : read_list(&w->begins, g, "initial_times", n_tx, 1, true, err);
    st = st ? st : read_list(&w->weights, g, "tx_apodizations", n_tx, n_el, false, err);
    st = st ? st : read_focus(&w->focus, g, n_tx, err);
    st = st ? st : read_list(&w->polar, g, "polar_angles", n_tx, 1, false, err);
    st = st ? st : read_list(&w->azimuth, g, "azimuth_angles", n_tx, 1, false, err);
    return st ? st : read_list(&w->origins, g, "transmit_origins", n_tx, 3, false, err);
}

static double at(const sac_h5_numbers *n, uint64_t i)
{
    return n->values ? n->values[i] : 0;
}

/* A focused transmit, by the place where its wavefronts meet. Where the file does not say where
 * its aperture is, that is the origin or the middle of the elements that fire. */
static bool make_focused(sac_transmit *t, const waves *w, uint64_t i, const double *delays_s,
                         const sac_acquisition *a)
{
    double f = at(&w->focus, i), n = 0, middle[3] = {0};
    const double polar = at(&w->polar, i), azimuth = at(&w->azimuth, i);
    f *= f > FARTHEST_M ? a->c_m_s / a->fc_hz : 1;
    for (int32_t e = 0; e < a->n_elements; e++)
        for (int k = 0; k < 3 && !isnan(delays_s[e]); k++, n += 1.0 / 3)
            middle[k] += a->elements[e].position_m[k];
    for (int try = 0; try < 2; try++) {
        double s[3] = {f * sin(polar) * cos(azimuth), f * sin(polar) * sin(azimuth),
                       f * cos(polar)};
        for (int k = 0; k < 3; k++)
            s[k] += try ? middle[k] / n : at(&w->origins, 3 * i + (uint64_t)k);
        if (sac_must_focused(t, s, delays_s, a))
            return true;
    }
    return false;
}

static sac_status make_transmits(sac_draft *d, const sac_h5_group *g, const waves *w, uint64_t n_tx,
                                 uint64_t n_el, sac_error *err)
{
    sac_recording *r = d->recording;
    sac_status st = sac_draft_transmits(d, n_tx, err);
    st = st ? st : sac_draft_table(&d->recording->delays_s, d, "delays", n_tx, n_el, err);
    d->t0_s = 0;
    for (uint64_t i = 0; st == SAC_OK && i < n_tx; i++) {
        double *delays_s = r->delays_s + i * n_el;
        bool fires = false;
        for (uint64_t e = 0; e < n_el; e++) {
            const bool silent = w->weights.values && w->weights.values[i * n_el + e] == 0;
            delays_s[e] = silent ? NAN : w->delays.values[i * n_el + e];
            fires = fires || !isnan(delays_s[e]);
        }
        const double f = at(&w->focus, i);
        if (!fires)
            return sac_h5_odd(g, "tx_apodizations", "a transmit fires no element", err);
        if (!(f > 0 && isfinite(f)))
            sac_must_transmit(&r->transmits[i], delays_s, d);
        else if (!make_focused(&r->transmits[i], w, i, delays_s, &r->acquisition))
            return sac_h5_odd(g, "focus_distances",
                              "t0_delays do not meet at the focus (--transmits gives transmits "
                              "otherwise)",
                              err);
        r->transmits[i].t0_s += w->begins.values[i];
    }
    d->t0_s = NAN; /* each has its own */
    return st;
}

static sac_status read_transmits(sac_draft *d, const sac_h5_group *g, uint64_t n_tx, uint64_t n_el,
                                 sac_error *err)
{
    waves w;
    sac_status st = SAC_OK;
    if ((uint64_t)d->recording->acquisition.n_elements != n_el)
        st = sac_fail(err, SAC_E_FORMAT,
                      "%s: probe_geometry: is of %d elements, but raw_data of %llu", g->h->name,
                      d->recording->acquisition.n_elements, (unsigned long long)n_el);
    if (st != SAC_OK)
        return st;
    st = read_waves(&w, g, n_tx, n_el, err);
    st = st ? st : make_transmits(d, g, &w, n_tx, n_el, err);
    st = st ? st : sac_must_fires(d, err);
    free_waves(&w);
    return st;
}

/* A frame (n_tx, n_ax, n_el, n_ch) to (n_tx, n_el, n_ax). */
typedef struct turn {
    uint8_t *to;
    size_t n_tx, n_ax, n_el, size; /* bytes of all parts of a sample */
} turn;

static void place(void *ctx, int64_t frame, const void *samples)
{
    const turn *t = ctx;
    const uint8_t *from = samples;
    uint8_t *to = t->to + (size_t)frame * t->n_tx * t->n_ax * t->n_el * t->size;
    for (size_t i = 0; i < t->n_tx; i++)
        for (size_t e = 0; e < t->n_el; e++)
            for (size_t k = 0; k < t->n_ax; k++, to += t->size)
                memcpy(to, from + ((i * t->n_ax + k) * t->n_el + e) * t->size, t->size);
}

static sac_status read_samples(sac_draft *d, const sac_h5_group *g, const sac_h5_set *s,
                               sac_error *err)
{
    const bool iq = s->dims[4] == 2;
    const bool i16 = !iq && s->type_class == H5T_INTEGER && s->type_size == 2 && s->is_signed;
    const int64_t shape[4] = {(int64_t)s->dims[0], (int64_t)s->dims[1], (int64_t)s->dims[3],
                              (int64_t)s->dims[2]};
    const sac_dtype dtype = iq ? SAC_C64 : i16 ? SAC_I16 : SAC_F32;
    sac_status st = sac_draft_samples(d, dtype, shape, s->max_count, err);
    if (st != SAC_OK)
        return st;
    turn t = {.to = d->recording->samples.data,
              .n_tx = (size_t)d->recording->samples.shape[1],
              .n_ax = (size_t)s->dims[2],
              .n_el = (size_t)s->dims[3],
              .size = sac_dtype_size(dtype)};
    const sac_h5_frames f = {.draft = d,
                             .group = g,
                             .name = "raw_data",
                             .set = s,
                             .n_dims = 4,
                             .type = i16 ? H5T_NATIVE_INT16 : H5T_NATIVE_FLOAT,
                             .size = i16 ? sizeof(int16_t) : sizeof(float),
                             .place = place,
                             .ctx = &t};
    return sac_h5_frames_read(&f, err);
}

static sac_status read_all(sac_draft *d, const parts *p, const sac_h5_set *s, sac_error *err)
{
    if (s->n_dims != 5 || s->dims[4] > 2 ||
        (s->type_class != H5T_FLOAT && s->type_class != H5T_INTEGER))
        return sac_h5_odd(&p->data, "raw_data",
                          "expected numbers, (n_frames, n_tx, n_ax, n_el, 1 or 2)", err);
    sac_status st = read_numbers(d, &p->scan, s->dims[4] == 2, err);
    st = st ? st : read_probe(d, p, err);
    if (st == SAC_OK && !d->desc.transmits && d->recording->acquisition.n_elements)
        st = read_transmits(d, &p->scan, s->dims[1], s->dims[3], err);
    st = st ? st : sac_draft_resolve(d, (int64_t)s->dims[3], err);
    d->recording->acquisition.phase_origin = SAC_PHASE_RECORD;
    return st ? st : read_samples(d, &p->data, s, err);
}

sac_status sac_zea_read(sac_draft *d, const sac_h5 *h, sac_error *err)
{
    parts p;
    sac_h5_set raw;
    sac_status st = open_parts(&p, d, h, err);
    st = st ? st : sac_h5_set_open(&raw, h, p.data.id, p.data.path, "raw_data", err);
    if (st == SAC_OK) {
        st = read_all(d, &p, &raw, err);
        sac_h5_set_close(&raw);
    }
    close_parts(&p);
    return st;
}
