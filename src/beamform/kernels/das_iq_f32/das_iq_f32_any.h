/*
 * das_iq_f32 with vectors: what is received of arrays that are no line, in single precision. Delays
 * are counted from the distance l0 to the array's middle, which goes with the transmit's in double:
 * the element e at the distance l of the point p, both from the middle, has
 *
 *     l - l0 = (e^2 / 2 - p e) / ((l + l0) / 2)
 *
 * of which no term is longer than the array. Where there is an f-number, all elements lie at one z
 * and face along it; a point's depth before all of them is one number, and u^2 of an element is how
 * far aside it lies, squared, times a number of the point. The array's other arrays are received in
 * double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_ANY_H
#define SAC_BEAMFORM_DAS_IQ_F32_ANY_H

#include "das_iq_f32_lanes.h"

/* Where a point lies, in samples from the array's middle, and which elements it hears: up to u^2 =
 * sure; none beyond `most`; between these double precision decides. */
typedef struct any_point {
    float x, y, z, half_l0;
    float open, sure, most; /* u^2 of one square sample aside */
    float reach;            /* no element farther aside is in the aperture; < 0: none is */
} any_point;

static inline any_point any_point_of(const any_array *a, const sac_das *das, double x, double y,
                                     double z)
{
    const double s = a->like.samples, f2 = 2 * das->apodization.f_number;
    const double u = (x - a->middle_m[0]) * s, v = (y - a->middle_m[1]) * s,
                 w = (z - a->middle_m[2]) * s;
    any_point p = {.x = (float)u, .y = (float)v, .z = (float)w, .sure = 1, .most = 1};
    p.half_l0 = (float)(0.5 * sqrt(u * u + v * v + w * w)) + 1e-30f; /* no 0 / 0 */
    p.reach = 1e18f;
    if (f2 <= 0)
        return p;
    /* Coordinates round by 2^-25 of themselves, twice; squares and `open` by 2^-24. */
    const double reach = w / f2, off = (fabs(u) + fabs(v) + (double)a->radius) * 0x1p-22;
    const double unsure = 1e-6 + off / reach + 1e-14 * f2 * f2;
    const bool decides = reach > 1e-9 && unsure < 2e-5; /* else u is not known well, too */
    p.open = decides ? (float)(1 / (reach * reach)) : 0;
    p.sure = decides ? (float)(1 - unsure) : -1;
    p.most = decides ? (float)(1 + unsure) : w > 0 ? 1 : -1;
    p.reach = w > 0 ? (float)(1.001 * reach + 4 * off) : -1;
    return p;
}

/* Some elements; those after the last are that one again. */
typedef struct any_elements {
    int32_t first, n;
    float x[SAC_DAS_CHUNK], y[SAC_DAS_CHUNK], z[SAC_DAS_CHUNK]; /* as of any_point */
    float half2[SAC_DAS_CHUNK];                                 /* half of their square */
} any_elements;

static inline void find_elements(any_elements *to, const any_array *a, const sac_das *das,
                                 int32_t first, int32_t n)
{
    const double s = a->like.samples;
    to->first = first;
    to->n = n;
    for (int32_t k = 0; k < SAC_DAS_CHUNK; k++) {
        const double *e = das->elements[first + (k < n ? k : n - 1)].position_m;
        const double x = (e[0] - a->middle_m[0]) * s, y = (e[1] - a->middle_m[1]) * s,
                     z = (e[2] - a->middle_m[2]) * s;
        to->x[k] = (float)x;
        to->y[k] = (float)y;
        to->z[k] = (float)z;
        to->half2[k] = (float)(0.5 * (x * x + y * y + z * z));
    }
}

/* Points and elements in lanes; of one of both, all lanes are one. */
typedef struct any_lanes {
    vf x, y, z, half_l0, open, sure, most; /* of points */
    vf ex, ey, ez, half2;                  /* of elements */
} any_lanes;

static inline void set_point(any_lanes *to, const any_point *p)
{
    to->x = vf_set(p->x);
    to->y = vf_set(p->y);
    to->z = vf_set(p->z);
    to->half_l0 = vf_set(p->half_l0);
    to->open = vf_set(p->open);
    to->sure = vf_set(p->sure);
    to->most = vf_set(p->most);
}

static inline void set_element(any_lanes *to, const any_elements *e, int32_t k)
{
    to->ex = vf_set(e->x[k]);
    to->ey = vf_set(e->y[k]);
    to->ez = vf_set(e->z[k]);
    to->half2 = vf_set(e->half2[k]);
}

static inline void load_elements(any_lanes *to, const any_elements *e, int32_t k)
{
    to->ex = vf_load(e->x + k);
    to->ey = vf_load(e->y + k);
    to->ez = vf_load(e->z + k);
    to->half2 = vf_load(e->half2 + k);
}

/* How far aside, squared. */
static inline vf aside2(const any_lanes *l)
{
    const vf x = vf_sub(l->x, l->ex), y = vf_sub(l->y, l->ey);
    return vf_fma(x, x, vf_mul(y, y));
}

/* Lanes of which single precision does not know whether they are in the aperture. */
static inline uint32_t doubtful_lanes(const any_lanes *l, vf u2)
{
    return mf_bits(vf_ge(l->most, u2)) & ~mf_bits(vf_ge(l->sure, u2));
}

/* u^2 of those, as double precision has it; 2 of what is outside. Lane i is of point i * step, and
 * element r + i * r_step. */
static __attribute__((noinline)) vf decide(vf u2, uint32_t doubtful, const sac_das *das,
                                           const double *x, const double *y, const double *z,
                                           int32_t step, int32_t r, int32_t r_step)
{
    float u[VF];
    vf_store(u, u2);
    for (int32_t i = 0; i < VF; i++) {
        double exact;
        if (!(doubtful >> i & 1))
            continue;
        const double p[3] = {x[i * step], y[i * step], z[i * step]};
        const sac_element *e = &das->elements[r + i * r_step];
        u[i] = sac_das_in_aperture(&exact, &das->apodization, e, p) ? (float)exact : 2;
    }
    return vf_load(u);
}

/* l - l0 of elements so far aside, squared. */
static inline vf delay_beyond(const any_lanes *l, vf lateral2)
{
    const vf z = vf_sub(l->z, l->ez);
    const vf path = vf_sqrt(vf_fma(z, z, lateral2));
    const vf ahead = vf_fnma(l->z, l->ez, vf_fnma(l->y, l->ey, vf_fnma(l->x, l->ex, l->half2)));
    return vf_div(ahead, vf_fma(path, vf_set(0.5f), l->half_l0));
}

/* Points side by side, and how far aside what they hear may lie. */
typedef struct any_box {
    float low[2], high[2], reach;
} any_box;

static inline any_box empty_box(void)
{
    return (any_box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, -1};
}

static inline void widen_box(any_box *box, const any_point *p)
{
    const float at[2] = {p->x, p->y};
    for (int i = 0; i < 2 && p->reach >= 0; i++) {
        box->low[i] = at[i] < box->low[i] ? at[i] : box->low[i];
        box->high[i] = at[i] > box->high[i] ? at[i] : box->high[i];
    }
    box->reach = p->reach > box->reach ? p->reach : box->reach;
}

/* Which of the VF elements from place k on some of the points may hear. */
static inline uint32_t heard_lanes(const any_box *box, const any_elements *e, int32_t k)
{
    vf d[2];
    const uint32_t some = e->n - k < VF ? (1u << (e->n - k)) - 1 : (1u << VF) - 1;
    if (!(box->reach >= 0))
        return 0;
    for (int i = 0; i < 2; i++) {
        const vf at = vf_load((i == 0 ? e->x : e->y) + k);
        d[i] = vf_max(vf_sub(at, vf_set(box->high[i])), vf_sub(vf_set(box->low[i]), at));
        d[i] = vf_max(d[i], vf_set(0));
    }
    const vf reach2 = vf_set(box->reach * box->reach);
    return some & mf_bits(vf_ge(reach2, vf_fma(d[0], d[0], vf_mul(d[1], d[1]))));
}

#endif
