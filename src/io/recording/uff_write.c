/*
 * Recordings into UFF, as USTB's write_object.m stores an uff.channel_data. docs/formats.md has the
 * conventions; uff.c reads them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/uff.h"

#define VERSION "v1.2.0"
#define PI 3.14159265358979323846

/* What USTB looks at first: class and name of an object of one. */
static bool put_object(hid_t object, const char *class, const char *name, double n)
{
    const hsize_t two = 2;
    return sac_h5_put_text(object, "class", class) && sac_h5_put_text(object, "name", name) &&
           sac_h5_put_number(object, "array", n > 1) &&
           sac_h5_put_numbers(object, "size", 1, &two, (double[]){1, n});
}

bool sac_uff_put_attributes(hid_t group, const char *name, double imaginary)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    bool ok =
        set >= 0 && sac_h5_put_text(set, "class", "single") && sac_h5_put_text(set, "name", name) &&
        sac_h5_put_number(set, "imaginary", imaginary) && sac_h5_put_number(set, "complex", 0);
    return set >= 0 && H5Dclose(set) >= 0 && ok;
}

bool sac_uff_put_matrix(hid_t group, const char *name, hsize_t rows, hsize_t columns,
                        const double *values)
{
    return sac_h5_put(group, name, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){rows, columns},
                      values) &&
           sac_uff_put_attributes(group, name, 0);
}

static bool put_value(hid_t group, const char *name, double value)
{
    return sac_uff_put_matrix(group, name, 1, 1, &value);
}

hid_t sac_uff_begin(hid_t at, const char *name, const char *class, double n)
{
    hid_t group = sac_h5_put_group(at, name);
    if (group >= 0 && put_object(group, class, name, n))
        return group;
    if (group >= 0)
        H5Gclose(group);
    return -1;
}

bool sac_uff_end(hid_t group, bool ok)
{
    return group >= 0 && H5Gclose(group) >= 0 && ok;
}

static bool put_point(hid_t at, const char *name, double distance_m, double azimuth_rad,
                      double elevation_rad)
{
    hid_t g = sac_uff_begin(at, name, "uff.point", 1);
    return sac_uff_end(g, g >= 0 && put_value(g, "distance", distance_m) &&
                              put_value(g, "azimuth", azimuth_rad) &&
                              put_value(g, "elevation", elevation_rad));
}

static double length_of(const double p[3])
{
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

static bool put_place(hid_t at, const char *name, const double p[3])
{
    const double d = length_of(p);
    return put_point(at, name, d, d > 0 ? atan2(p[0], p[2]) : 0, d > 0 ? asin(p[1] / d) : 0);
}

/* The amplitudes of a transmit whose elements do not all fire alike; NULL of others. */
static const double *amplitudes_of(const sac_acquisition *a, int32_t i)
{
    const double *all = a->tx_apodization ? a->tx_apodization + (ptrdiff_t)i * a->n_elements : NULL;
    for (int32_t e = 0; all && e < a->n_elements; e++)
        if (all[e] != 1)
            return a->transmits[i].kind == SAC_TRANSMIT_ELEMENT ? NULL : all;
    return NULL;
}

/* Which elements fire, and their middle, from which USTB's transmit apodization looks. */
static bool put_fires(hid_t wave, const sac_acquisition *a, int32_t i)
{
    const double *amplitudes = amplitudes_of(a, i);
    double middle_m[3] = {0, 0, 0};
    if (!amplitudes)
        return put_place(wave, "origin", middle_m);
    sac_uff_middle(middle_m, a, i);
    hid_t g = sac_uff_begin(wave, "apodization", "uff.apodization", 1);
    return sac_uff_end(g, g >= 0 && sac_uff_put_matrix(g, "apodization_vector", 1,
                                                       (hsize_t)a->n_elements, amplitudes)) &&
           put_place(wave, "origin", middle_m);
}

/* The source of a transmit that is no plane wave. */
static const double *source_of(const sac_acquisition *a, const sac_transmit *t)
{
    return t->kind == SAC_TRANSMIT_ELEMENT ? a->elements[t->element].position_m : t->source_m;
}

/* How much later than UFF's own the transmit's clock shows 0: see make_spherical in uff.c. */
static double shift_s(const sac_acquisition *a, const sac_transmit *t)
{
    if (t->kind == SAC_TRANSMIT_PLANE)
        return 0;
    const double *s = source_of(a, t), d = length_of(s);
    if (t->kind == SAC_TRANSMIT_ELEMENT)
        return (s[2] < 0 ? 1 : -1) * d / a->c_m_s;
    return s[2] == 0 && t->kind == SAC_TRANSMIT_DIVERGING ? -2 * d / a->c_m_s : 0;
}

/* t0_s = initial_time + delay + shift. */
static double delay_s(const sac_acquisition *a, int32_t i)
{
    const double initial_s = a->transmits[0].t0_s - shift_s(a, &a->transmits[0]);
    return a->transmits[i].t0_s - shift_s(a, &a->transmits[i]) - initial_s;
}

static bool put_wave(hid_t at, const char *name, const sac_acquisition *a, int32_t i)
{
    const sac_transmit *t = &a->transmits[i];
    const bool plane = t->kind == SAC_TRANSMIT_PLANE;
    hid_t g = sac_uff_begin(at, name, "uff.wave", 1);
    bool ok = g >= 0 && put_value(g, "wavefront", plane ? 0 : 1) &&
              put_value(g, "delay", delay_s(a, i)) && put_value(g, "sound_speed", a->c_m_s) &&
              put_value(g, "event", i + 1) && put_fires(g, a, i);
    if (ok)
        ok = plane ? put_point(g, "source", INFINITY, t->azimuth_rad, t->elevation_rad)
                   : put_place(g, "source", source_of(a, t));
    return sac_uff_end(g, ok);
}

static bool put_sequence(hid_t at, const sac_acquisition *a)
{
    if (a->n_transmits == 1)
        return put_wave(at, "sequence", a, 0);
    hid_t g = sac_uff_begin(at, "sequence", "uff.wave", a->n_transmits);
    bool ok = g >= 0;
    for (int32_t i = 0; i < a->n_transmits && ok; i++) {
        char name[32];
        snprintf(name, sizeof name, "sequence_%04d", i + 1);
        ok = put_wave(g, name, a, i);
    }
    return sac_uff_end(g, ok);
}

static bool put_probe(hid_t at, const sac_acquisition *a)
{
    const size_t n = (size_t)a->n_elements;
    double *v = sac_alloc(n, 7 * sizeof *v); /* (7, n) */
    for (size_t e = 0; v && e < n; e++) {
        const sac_element *from = &a->elements[e];
        for (size_t k = 0; k < 3; k++)
            v[k * n + e] = from->position_m[k];
        v[3 * n + e] = atan2(from->normal[0], from->normal[2]);
        v[4 * n + e] = asin(fmax(-1, fmin(from->normal[1], 1)));
        v[5 * n + e] = from->width_m;
        v[6 * n + e] = from->height_m;
    }
    hid_t g = sac_uff_begin(at, "probe", "uff.probe", 1);
    bool ok = sac_uff_end(g, g >= 0 && v && sac_uff_put_matrix(g, "geometry", 7, n, v));
    sac_free(v);
    return ok;
}

/* IQ samples whose phase counts from UFF's clock. */
static void turn(const void *ctx, int64_t frame, bool imaginary, float *to)
{
    const sac_recording *r = ctx;
    const sac_acquisition *a = &r->acquisition;
    const double fd_hz = a->fd_hz > 0 ? a->fd_hz : a->fc_hz;
    const double initial_s = a->transmits[0].t0_s - shift_s(a, &a->transmits[0]);
    const int64_t n_record = r->samples.shape[2] * r->samples.shape[3];
    const float *iq = (const float *)r->samples.data + 2 * frame * a->n_transmits * n_record;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        /* What UFF's clock shows when the phase is 0. */
        const sac_transmit *t = &a->transmits[i];
        const bool record = a->phase_origin == SAC_PHASE_RECORD;
        const double zero_s = initial_s - (record ? 0 : t->t0_s);
        const double angle = -2 * PI * fd_hz * zero_s;
        const double re = cos(angle), im = sin(angle);
        for (int64_t k = 0; k < n_record; k++, iq += 2) {
            const double x = (double)iq[0], y = a->phase_sign * (double)iq[1];
            *to++ = (float)(imaginary ? x * im + y * re : x * re - y * im);
        }
    }
}

/* The frames of an open dataset, through memory for one. */
static bool put_frames(hid_t set, hid_t space, bool imaginary, int n_dims, const hsize_t *dims,
                       sac_uff_part_fn *part, const void *ctx)
{
    hsize_t first[4] = {0}, count[4] = {1};
    size_t n = 1;
    for (int i = 1; i < n_dims; i++) {
        count[i] = dims[i];
        n *= (size_t)dims[i];
    }
    float *one = sac_alloc(n, sizeof *one);
    hid_t memory = H5Screate_simple(n_dims, count, NULL);
    bool ok = one != NULL;
    for (; first[0] < dims[0] && ok; first[0]++) {
        part(ctx, (int64_t)first[0], imaginary, one);
        ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
             H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, one) >= 0;
    }
    H5Sclose(memory);
    sac_free(one);
    return ok;
}

bool sac_uff_put_real(hid_t at, const char *name, bool imaginary, int n_dims, const hsize_t *dims,
                      sac_uff_part_fn *part, const void *ctx)
{
    hid_t space = H5Screate_simple(n_dims, dims, NULL);
    hid_t properties = sac_h5_timeless(H5P_DATASET_CREATE);
    hid_t set = H5Dcreate2(at, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    bool ok = set >= 0 && put_frames(set, space, imaginary, n_dims, dims, part, ctx);
    if (set >= 0)
        ok = H5Dclose(set) >= 0 && ok;
    H5Sclose(space);
    return ok && sac_uff_put_attributes(at, name, imaginary);
}

bool sac_uff_put_complex(hid_t at, const char *name, int n_dims, const hsize_t *dims,
                         sac_uff_part_fn *part, const void *ctx)
{
    hid_t g = sac_h5_put_group(at, name);
    bool ok = g >= 0 && sac_h5_put_text(g, "class", "single") && sac_h5_put_text(g, "name", name) &&
              sac_h5_put_number(g, "complex", 1);
    for (int k = 0; k < 2 && ok; k++)
        ok = sac_uff_put_real(g, k ? "imag" : "real", k, n_dims, dims, part, ctx);
    return sac_uff_end(g, ok);
}

static bool put_samples(hid_t at, const sac_recording *r)
{
    hsize_t dims[4];
    for (int i = 0; i < 4; i++)
        dims[i] = (hsize_t)r->samples.shape[i];
    if (r->samples.dtype == SAC_C64)
        return sac_uff_put_complex(at, "data", 4, dims, turn, r);
    hid_t type = r->samples.dtype == SAC_I16 ? H5T_NATIVE_INT16 : H5T_NATIVE_FLOAT;
    return sac_h5_put(at, "data", H5T_IEEE_F32LE, type, 4, dims, r->samples.data) &&
           sac_uff_put_attributes(at, "data", 0);
}

static bool put_pulse(hid_t at, const sac_acquisition *a)
{
    hid_t g = sac_uff_begin(at, "pulse", "uff.pulse", 1);
    return sac_uff_end(
        g, g >= 0 && put_value(g, "center_frequency", a->fc_hz) &&
               (a->bandwidth == 0 || put_value(g, "fractional_bandwidth", a->bandwidth)));
}

static bool put_channel_data(hid_t file, const sac_recording *r)
{
    const sac_acquisition *a = &r->acquisition;
    const bool iq = r->samples.dtype == SAC_C64;
    hid_t g = sac_uff_begin(file, "channel_data", "uff.channel_data", 1);
    const double fd_hz = a->fd_hz > 0 ? a->fd_hz : a->fc_hz;
    bool ok = g >= 0 && put_value(g, "sampling_frequency", a->fs_hz) &&
              put_value(g, "initial_time", a->transmits[0].t0_s - shift_s(a, &a->transmits[0])) &&
              put_value(g, "sound_speed", a->c_m_s) &&
              put_value(g, "modulation_frequency", iq ? fd_hz : 0) &&
              (a->frame_rate_hz == 0 || put_value(g, "PRF", a->frame_rate_hz * a->n_transmits)) &&
              put_pulse(g, a) && put_probe(g, a) && put_sequence(g, a) && put_samples(g, r);
    return sac_uff_end(g, ok);
}

bool sac_uff_put_version(hid_t file)
{
    const hsize_t one = 1;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &one, NULL);
    H5Tset_size(type, sizeof VERSION);
    hid_t attribute = H5Acreate2(file, "version", type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, VERSION) >= 0;
    if (attribute >= 0)
        ok = H5Aclose(attribute) >= 0 && ok;
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

sac_status sac_uff_check(const sac_recording *r, const char *name, sac_error *err)
{
    const sac_acquisition *a = &r->acquisition;
    for (int32_t e = 0; a->shapes && e < a->n_elements; e++)
        if (a->shapes[e] != SAC_SHAPE_AREA)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "%s: UFF: element %d is a line, which UFF lacks", name, e);
    if (a->receives)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: UFF: all elements receive all transmits in UFF, and here some do not",
                        name);
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        const bool odd = (t->kind == SAC_TRANSMIT_FOCUSED && !(t->source_m[2] > 0)) ||
                         (t->kind == SAC_TRANSMIT_DIVERGING && t->source_m[2] > 0);
        if (t->kind == SAC_TRANSMIT_DELAYS || odd)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "%s: UFF: transmit %d is %s: UFF has plane waves, virtual sources and "
                            "foci in front of the array",
                            name, i,
                            t->kind == SAC_TRANSMIT_DELAYS ? "of any delays"
                                                           : "of a source on the other side");
    }
    return SAC_OK;
}

sac_status sac_uff_write(sac_out *out, const sac_recording *r, sac_error *err)
{
    sac_h5 h;
    sac_h5_sink sink;
    size_t bytes = 2 * (size_t)sac_array_count(&r->samples) * sac_dtype_size(r->samples.dtype);
    sac_status st = sac_h5_create(&h, &sink, out, bytes, err);
    if (st != SAC_OK)
        return st;
    const bool ok = sac_uff_put_version(h.file) && put_channel_data(h.file, r);
    return sac_h5_finish(&h, &sink, ok, out, err);
}
