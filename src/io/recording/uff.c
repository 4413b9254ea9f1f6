/*
 * Channel data in UFF (USTB, pyuff_ustb): the first object of class uff.channel_data.
 * docs/formats.md has its conventions; they are those of USTB's das.m.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/foreign.h"
#include "io/recording/uff.h"

#define MOST_OBJECTS 4096 /* that a file may have at its top */
#define SAME_PLACE_M 1e-7 /* of a source and the element that it is; float32 is finer */
#define SURFACE 1e-6      /* z over distance of a source at z = 0: azimuth is +-pi/2 as float32 */
#define SAME_SPEED 1e-6   /* of a wave's speed of sound and the data's, relative */
#define DEFAULT_SPEED 1540.0 /* of uff.wave and uff.channel_data, m/s */

enum { PLANE = 0, SPHERICAL = 1, PHOTOACOUSTIC = 2 }; /* uff.wavefront */

sac_status sac_uff_class(char class[SAC_UFF_CLASS], const sac_h5_group *g, sac_error *err)
{
    return sac_h5_text(g->h, g->id, "class", class, SAC_UFF_CLASS, err);
}

/* The class of a member of the file's top; "" of what has none. */
static void class_of(char class[SAC_UFF_CLASS], const sac_h5 *h, const char *member)
{
    hid_t object = sac_h5_has(h, h->file, member) ? H5Oopen(h->file, member, h->links) : -1;
    if (object < 0 || sac_h5_text(h, object, "class", class, SAC_UFF_CLASS, NULL) != SAC_OK)
        class[0] = '\0';
    if (object >= 0)
        H5Oclose(object);
}

uint64_t sac_uff_find(char *name, size_t size, const sac_h5 *h, const char *want)
{
    const sac_h5_group root = sac_h5_root(h);
    const size_t length = strlen(want);
    char member[SAC_H5_PATH / 2], class[SAC_UFF_CLASS];
    uint64_t n = 0;
    for (uint64_t i = 0; i < MOST_OBJECTS && sac_h5_member(member, sizeof member, &root, i); i++) {
        class_of(class, h, member);
        const bool is =
            strncmp(class, want, length) == 0 && (class[length] == '\0' || want[length - 1] == '.');
        if (is && n++ == 0)
            snprintf(name, size, "%s", member);
    }
    return n;
}

bool sac_uff_is(const sac_h5 *h)
{
    char name[SAC_H5_PATH / 2];
    return sac_uff_find(name, sizeof name, h, "uff.") > 0;
}

sac_status sac_uff_check_version(const sac_h5 *h, sac_error *err)
{
    char version[32];
    sac_status st = sac_h5_text(h, h->file, "version", version, sizeof version, err);
    if (st == SAC_OK && version[0] && strncmp(version, "v1.", 3) != 0)
        st = sac_fail(err, SAC_E_UNSUPPORTED,
                      "%s: attribute version: expected v1.0.0 to v1.2.0, got `%s`", h->name,
                      version);
    return st;
}

sac_status sac_uff_point_read(sac_uff_point *p, const sac_h5_group *at, const char *name,
                              sac_error *err)
{
    sac_h5_group g;
    *p = (sac_uff_point){0, 0, 0};
    sac_status st = sac_h5_group_open(&g, at, name, err);
    st = st ? st : sac_h5_value(&g, "distance", &p->distance_m, err);
    st = st ? st : sac_h5_value(&g, "azimuth", &p->azimuth_rad, err);
    st = st ? st : sac_h5_value(&g, "elevation", &p->elevation_rad, err);
    if (st == SAC_OK && (isinf(p->azimuth_rad) || isinf(p->elevation_rad)))
        st = sac_h5_odd(at, name, "expected finite angles", err);
    sac_h5_group_close(&g);
    return st;
}

void sac_uff_point_place(double place_m[3], const sac_uff_point *p)
{
    const double ce = cos(p->elevation_rad), z = cos(p->azimuth_rad) * ce;
    place_m[0] = p->distance_m * sin(p->azimuth_rad) * ce;
    place_m[1] = p->distance_m * sin(p->elevation_rad);
    place_m[2] = fabs(z) < SURFACE ? 0 : p->distance_m * z;
}

/* The virtual source `s` of a spherical wave; the shift of its clock to the transmit's goes to
 * *shift_s: what it adds to the time of the first sample. */
static void make_spherical(sac_transmit *t, double *shift_s, const double s[3],
                           const sac_acquisition *a)
{
    const double c = a->c_m_s, distance_m = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    *shift_s = 0;
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double *p = a->elements[e].position_m;
        if (fabs(p[0] - s[0]) > SAME_PLACE_M || fabs(p[1] - s[1]) > SAME_PLACE_M ||
            fabs(p[2] - s[2]) > SAME_PLACE_M)
            continue;
        sac_transmit_init(t, SAC_TRANSMIT_ELEMENT);
        t->element = e;
        *shift_s = (s[2] < 0 ? 1 : -1) * distance_m / c;
        return;
    }
    sac_transmit_init(t, s[2] > 0 ? SAC_TRANSMIT_FOCUSED : SAC_TRANSMIT_DIVERGING);
    memcpy(t->source_m, s, sizeof t->source_m);
    if (s[2] == 0)
        *shift_s = -2 * distance_m / c;
}

/* The wave's own speed must be the data's: a path has one speed. */
static sac_status check_speed(const sac_draft *d, const sac_h5_group *g, sac_error *err)
{
    const double c = d->recording->acquisition.c_m_s;
    double own = c;
    sac_status st = sac_h5_value(g, "sound_speed", &own, err);
    if (st != SAC_OK || !isnan(d->desc.c_m_s) || fabs(own - c) <= SAME_SPEED * c)
        return st;
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "%s: %ssound_speed: %g m/s, and %g of the channel data: one speed is expected "
                    "(--c gives it)",
                    g->h->name, g->path, own, c);
}

/* `most`: transmits times elements that there can be. */
static sac_status read_wave(sac_draft *d, int32_t i, const sac_h5_group *g, uint64_t most,
                            sac_error *err)
{
    sac_recording *r = d->recording;
    sac_transmit *t = &r->transmits[i];
    double wavefront = SPHERICAL, delay_s = 0, shift_s = 0;
    sac_uff_point source;
    sac_status st = check_speed(d, g, err);
    st = st ? st : sac_h5_value(g, "wavefront", &wavefront, err);
    st = st ? st : sac_h5_value(g, "delay", &delay_s, err);
    st = st ? st : sac_uff_point_read(&source, g, "source", err);
    if (st != SAC_OK)
        return st;
    if (wavefront != PLANE && wavefront != SPHERICAL)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: %swavefront: expected plane (0) or spherical (1), got %g%s",
                        g->h->name, g->path, wavefront,
                        wavefront == PHOTOACOUSTIC ? " (photoacoustic)" : "");
    if (wavefront == PLANE || isinf(source.distance_m)) {
        sac_transmit_init(t, SAC_TRANSMIT_PLANE);
        t->azimuth_rad = source.azimuth_rad;
        t->elevation_rad = source.elevation_rad;
    } else {
        double place_m[3];
        sac_uff_point_place(place_m, &source);
        make_spherical(t, &shift_s, place_m, &r->acquisition);
    }
    t->t0_s = d->t0_s + delay_s + shift_s;
    st = sac_uff_read_fires(d, i, g, most, err);
    return st ? st : sac_uff_check_origin(d, i, g, err);
}

/* A sequence of one wave is that wave; of several, they are its members sequence_0001, ... */
static sac_status read_sequence(sac_draft *d, const sac_h5_group *data, uint64_t most,
                                sac_error *err)
{
    sac_h5_group all, one;
    char name[32] = "sequence_0001";
    sac_status st = sac_h5_group_open(&all, data, "sequence", err);
    if (st != SAC_OK)
        return st;
    if (all.id < 0)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: group %ssequence is missing (--transmits gives transmits otherwise)",
                        data->h->name, data->path);
    H5G_info_t info = {.nlinks = 0};
    const bool many = sac_h5_has(all.h, all.id, name);
    if (many && H5Gget_info(all.id, &info) < 0)
        st = sac_h5_odd(data, "sequence", "is damaged", err);
    st = st ? st : sac_draft_transmits(d, many ? info.nlinks : 1, err);
    if (st == SAC_OK && !many)
        st = read_wave(d, 0, &all, most, err);
    for (int32_t i = 0; many && st == SAC_OK && i < d->recording->acquisition.n_transmits; i++) {
        snprintf(name, sizeof name, "sequence_%04d", i + 1);
        st = sac_h5_group_open(&one, &all, name, err);
        if (st == SAC_OK && one.id < 0)
            st = sac_h5_odd(&all, name, "is missing", err);
        st = st ? st : read_wave(d, i, &one, most, err);
        sac_h5_group_close(&one);
    }
    sac_h5_group_close(&all);
    return st;
}

/* The pulse's center and band, else what IQ was demodulated at. */
static sac_status read_pulse(sac_draft *d, const sac_h5_group *data, sac_error *err)
{
    sac_acquisition *a = &d->recording->acquisition;
    sac_h5_group g;
    sac_status st = sac_h5_group_open(&g, data, "pulse", err);
    st = st ? st : sac_h5_value(&g, "center_frequency", &a->fc_hz, err);
    st = st ? st : sac_h5_value(&g, "fractional_bandwidth", &a->bandwidth, err);
    if (st == SAC_OK && isnan(a->fc_hz) && a->fd_hz > 0)
        a->fc_hz = a->fd_hz;
    if (st == SAC_OK && isnan(a->fc_hz))
        st = sac_h5_need(&g, "center_frequency", &a->fc_hz, d->desc.fc_hz, "--fc", err);
    sac_h5_group_close(&g);
    return st;
}

static sac_status read_numbers(sac_draft *d, const sac_h5_group *g, sac_error *err)
{
    sac_acquisition *a = &d->recording->acquisition;
    double prf_hz = NAN;
    a->fd_hz = 0;
    a->c_m_s = DEFAULT_SPEED;
    sac_status st = sac_h5_need(g, "sampling_frequency", &a->fs_hz, d->desc.fs_hz, "--fs", err);
    st = st ? st : sac_h5_need(g, "initial_time", &d->t0_s, d->desc.t0_s, "--t0", err);
    st = st ? st : sac_h5_value(g, "sound_speed", &a->c_m_s, err);
    st = st ? st : sac_h5_value(g, "modulation_frequency", &a->fd_hz, err);
    st = st ? st : sac_h5_value(g, "PRF", &prf_hz, err);
    if (st == SAC_OK && isnan(prf_hz))
        st = sac_h5_value(g, "prf", &prf_hz, err);
    a->frame_rate_hz = prf_hz; /* of transmits, until their number is known */
    if (!isnan(d->desc.c_m_s))
        a->c_m_s = d->desc.c_m_s;
    return st ? st : read_pulse(d, g, err);
}

/* The samples: a dataset, or the group of their parts. */
typedef struct samples {
    sac_h5_group parts; /* of complex ones */
    sac_h5_set re, im;
    const sac_h5_group *group;
    const char *re_name;
    bool complex;
} samples;

static sac_status open_samples(samples *s, const sac_h5_group *data, sac_error *err)
{
    *s = (samples){.parts = {.id = -1}, .re = {.set = -1}, .im = {.set = -1}, .group = data};
    s->re_name = "data";
    hid_t object =
        sac_h5_has(data->h, data->id, "data") ? H5Oopen(data->id, "data", data->h->links) : -1;
    s->complex = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    if (object >= 0)
        H5Oclose(object);
    if (!s->complex)
        return sac_h5_set_open(&s->re, data->h, data->id, data->path, "data", err);
    sac_status st = sac_h5_group_open(&s->parts, data, "data", err);
    if (st != SAC_OK)
        return st;
    s->group = &s->parts;
    s->re_name = "real";
    st = sac_h5_set_open(&s->re, data->h, s->parts.id, s->parts.path, "real", err);
    return st ? st : sac_h5_set_open(&s->im, data->h, s->parts.id, s->parts.path, "imag", err);
}

static void close_samples(samples *s)
{
    if (s->re.set >= 0)
        sac_h5_set_close(&s->re);
    if (s->im.set >= 0)
        sac_h5_set_close(&s->im);
    sac_h5_group_close(&s->parts);
}

static sac_status read_data(sac_draft *d, const sac_h5_group *g, samples *s, sac_error *err)
{
    sac_acquisition *a = &d->recording->acquisition;
    int64_t shape[4];
    sac_status st = sac_draft_shape(shape, d, s->re.n_dims, s->re.dims, err);
    st = st ? st : read_numbers(d, g, err);
    st = st ? st : sac_uff_read_probe(d, g, err);
    if (st == SAC_OK && !d->desc.transmits)
        st = read_sequence(d, g, s->re.max_count, err);
    st = st ? st : sac_draft_resolve(d, shape[2], err);
    if (st != SAC_OK)
        return st;
    if (!s->complex && a->fd_hz > 0 && isnan(d->desc.fd_hz))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %smodulation_frequency: %g Hz, but the data is real: expected 0, or "
                        "complex data",
                        g->h->name, g->path, a->fd_hz);
    /* Complex data that was not mixed down is RF and its Hilbert transform. */
    const bool iq = s->complex && a->fd_hz > 0;
    st = sac_h5_samples(d, s->group, &s->re, s->re_name, iq ? &s->im : NULL, "imag", err);
    if (st == SAC_OK) {
        a->frame_rate_hz /= a->n_transmits;
        a->phase_origin = SAC_PHASE_TRANSMIT;
    }
    if (st == SAC_OK && iq)
        sac_must_rotate(d); /* phases count from the file's clock */
    return st;
}

sac_status sac_uff_read(sac_draft *d, const sac_h5 *h, sac_error *err)
{
    char name[SAC_H5_PATH / 2];
    sac_status st = sac_uff_check_version(h, err);
    if (st != SAC_OK)
        return st;
    const uint64_t n = sac_uff_find(name, sizeof name, h, "uff.channel_data");
    if (n == 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: has no object of class uff.channel_data", h->name);
    sac_h5_group g;
    samples s;
    const sac_h5_group root = sac_h5_root(h);
    st = sac_h5_group_open(&g, &root, name, err);
    if (st != SAC_OK)
        return st;
    st = open_samples(&s, &g, err);
    st = st ? st : read_data(d, &g, &s, err);
    if (st == SAC_OK && n > 1)
        sac_draft_note(d, "/%.40s is read, the first of %d channel data in the file", name, (int)n);
    close_samples(&s);
    sac_h5_group_close(&g);
    return st;
}
