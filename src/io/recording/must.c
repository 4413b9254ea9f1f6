/*
 * What MUST and PyMUST (Garcia, "MUST: an ultrasound toolbox for Matlab users") mean by their
 * parameters: transmit delays, convex arrays, the clock of IQ data.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Delays are a plane wave's if they lie this close to a line, in periods of fc: much less than any
 * array can steer, more than single precision loses. */
#define LINE_TOLERANCE 1e-3

/* And a focused wave's if their wavefronts meet at its focus to within this much. */
#define MEET_TOLERANCE 0.05

/* delays = at_origin_s + slope x of n > 1 elements at y = z = 0, all of them firing. */
static bool is_line(double *at_origin_s, double *slope_s_m, const double *delays_s,
                    const sac_element *elements, int32_t n, double tolerance_s)
{
    double sum = 0, sum_x = 0, xx = 0, xd = 0;
    for (int32_t e = 0; e < n; e++) {
        double x = elements[e].position_m[0];
        double d = delays_s[e] - delays_s[0]; /* so that equal delays give a slope of exactly 0 */
        sum += d;
        sum_x += x;
        xx += x * x;
        xd += x * d;
    }
    double slope = (xd - sum * sum_x / n) / (xx - sum_x * sum_x / n);
    double origin = delays_s[0] + (sum - slope * sum_x) / n;
    for (int32_t e = 0; e < n; e++)
        if (elements[e].position_m[1] != 0 || elements[e].position_m[2] != 0 ||
            !(fabs(delays_s[e] - origin - slope * elements[e].position_m[0]) <= tolerance_s))
            return false; /* also where one is NaN */
    *at_origin_s = origin;
    *slope_s_m = slope;
    return true;
}

void sac_must_transmit(sac_transmit *t, const double *delays_s, const sac_draft *draft)
{
    const sac_acquisition *a = &draft->recording->acquisition;
    int32_t n_firing = 0, last = 0;
    for (int32_t e = 0; e < a->n_elements; e++) {
        if (!isnan(delays_s[e])) {
            n_firing++;
            last = e;
        }
    }
    double origin, slope;
    t->t0_s = draft->t0_s;
    if (n_firing == 1) {
        t->kind = SAC_TRANSMIT_ELEMENT;
        t->element = last;
        t->t0_s -= delays_s[last];
    } else if (isinf(draft->radius_m) &&
               is_line(&origin, &slope, delays_s, a->elements, a->n_elements,
                       LINE_TOLERANCE / a->fc_hz) &&
               fabs(slope * a->c_m_s) < 1) {
        t->kind = SAC_TRANSMIT_PLANE;
        t->azimuth_rad = asin(slope * a->c_m_s);
        t->t0_s -= origin;
    } else {
        t->kind = SAC_TRANSMIT_DELAYS;
        t->delays_s = delays_s;
    }
}

bool sac_must_focused(sac_transmit *t, const double s[3], const double *delays_s,
                      const sac_acquisition *a)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double *p = a->elements[e].position_m;
        const double way = sqrt((p[0] - s[0]) * (p[0] - s[0]) + (p[1] - s[1]) * (p[1] - s[1]) +
                                (p[2] - s[2]) * (p[2] - s[2]));
        low = fmin(low, delays_s[e] + way / a->c_m_s); /* which leave out NaN */
        high = fmax(high, delays_s[e] + way / a->c_m_s);
    }
    if (!(high - low <= MEET_TOLERANCE / a->fc_hz))
        return false;
    sac_transmit_init(t, SAC_TRANSMIT_FOCUSED);
    memcpy(t->source_m, s, sizeof t->source_m);
    t->t0_s = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) / a->c_m_s - 0.5 * (low + high);
    return true;
}

/* Whether a transmit is by part of the array and is told by its source: delays of others say it. */
static bool is_part(const sac_transmit *t, const double *delays_s, int32_t n)
{
    bool all = t->kind == SAC_TRANSMIT_ELEMENT || t->kind == SAC_TRANSMIT_DELAYS;
    for (int32_t e = 0; e < n && !all; e++)
        if (isnan(delays_s[e]))
            return true;
    return false;
}

sac_status sac_must_fires(sac_draft *draft, sac_error *err)
{
    sac_recording *r = draft->recording;
    sac_acquisition *a = &r->acquisition;
    const int32_t n = a->n_elements;
    sac_status st = SAC_OK;
    for (int32_t i = 0; i < a->n_transmits && st == SAC_OK; i++) {
        const double *delays_s = r->delays_s + (ptrdiff_t)i * n;
        if (!is_part(&r->transmits[i], delays_s, n))
            continue;
        if (!r->tx_apodization) {
            st = sac_draft_table(&r->tx_apodization, draft, "amplitudes", (uint64_t)a->n_transmits,
                                 (uint64_t)n, err);
            for (ptrdiff_t k = 0; st == SAC_OK && k < (ptrdiff_t)a->n_transmits * n; k++)
                r->tx_apodization[k] = 1;
        }
        for (int32_t e = 0; e < n && st == SAC_OK; e++)
            r->tx_apodization[(ptrdiff_t)i * n + e] = !isnan(delays_s[e]);
    }
    a->tx_apodization = r->tx_apodization;
    return st;
}

sac_status sac_must_transmits(sac_draft *draft, sac_error *err)
{
    sac_recording *r = draft->recording;
    sac_status st = sac_draft_transmits(draft, (uint64_t)draft->must_transmits, err);
    for (int32_t i = 0; st == SAC_OK && i < r->acquisition.n_transmits; i++)
        sac_must_transmit(&r->transmits[i], r->delays_s + (ptrdiff_t)i * r->acquisition.n_elements,
                          draft);
    return st ? st : sac_must_fires(draft, err);
}

void sac_must_convex(sac_element *elements, int32_t n, const sac_draft *draft)
{
    /* The pitch is a chord between neighbors. */
    double step = 2 * asin(draft->pitch_m / (2 * draft->radius_m));
    double chord_z = draft->radius_m * cos(0.5 * (n - 1) * step);
    for (int32_t i = 0; i < n; i++) {
        double angle = (i - 0.5 * (n - 1)) * step;
        sac_element_init(&elements[i]);
        elements[i].position_m[0] = draft->radius_m * sin(angle);
        elements[i].position_m[2] = draft->radius_m * cos(angle) - chord_z;
        elements[i].normal[0] = sin(angle);
        elements[i].normal[2] = cos(angle);
        elements[i].width_m = draft->width_m;
        elements[i].height_m = draft->height_m;
    }
}

bool sac_must_is_turned(const sac_draft *draft)
{
    const sac_acquisition *a = &draft->recording->acquisition;
    for (int32_t i = 0; i < a->n_transmits; i++)
        if (draft->t0_s != a->transmits[i].t0_s)
            return false;
    return true;
}

void sac_must_rotate(sac_draft *draft)
{
    sac_recording *r = draft->recording;
    const sac_acquisition *a = &r->acquisition;
    double fd_hz = a->fd_hz > 0 ? a->fd_hz : a->fc_hz;
    int64_t n_record = r->samples.shape[2] * r->samples.shape[3];
    int64_t n_records = r->samples.shape[0] * r->samples.shape[1];
    float *iq = r->samples.data;
    for (int64_t i = 0; iq && i < n_records; i++, iq += 2 * n_record) {
        /* The file's clock shows `shift` when the transmit's shows 0. */
        const int64_t t = draft->first_transmit + i % r->samples.shape[1];
        double shift_s = draft->t0_s - r->transmits[t].t0_s;
        double turn = 2 * PI * fd_hz * shift_s;
        double re = cos(turn), im = sin(turn);
        for (int64_t k = 0; shift_s != 0 && k < n_record; k++) {
            double x = iq[2 * k], y = iq[2 * k + 1];
            iq[2 * k] = (float)(x * re - y * im);
            iq[2 * k + 1] = (float)(x * im + y * re);
        }
    }
}

#define NUMBER(type)                                                                               \
    do {                                                                                           \
        type x;                                                                                    \
        memcpy(&x, data, sizeof x);                                                                \
        return (double)x;                                                                          \
    } while (0)

double sac_must_number(const void *data, sac_dtype dtype)
{
    switch (dtype) {
    case SAC_F64:
        NUMBER(double);
    case SAC_F32:
        NUMBER(float);
    case SAC_I8:
        NUMBER(int8_t);
    case SAC_U8:
        NUMBER(uint8_t);
    case SAC_I16:
        NUMBER(int16_t);
    case SAC_U16:
        NUMBER(uint16_t);
    case SAC_I32:
        NUMBER(int32_t);
    case SAC_U32:
        NUMBER(uint32_t);
    case SAC_I64:
        NUMBER(int64_t);
    case SAC_U64:
        NUMBER(uint64_t);
    default:
        return NAN;
    }
}

/* Of a value of 2 axes. */
static double number_at(const sac_array *v, int64_t row, int64_t column)
{
    return sac_must_number((const char *)v->data + row * v->stride[0] + column * v->stride[1],
                           v->dtype);
}

/* Numbers of `param`: one that is missing leaves *value. */
static sac_status read_number(const sac_draft *draft, sac_must_get_fn get, void *ctx,
                              const char *name, double *value, sac_error *err)
{
    sac_array v = {0};
    sac_status st = get(ctx, name, 1, &v, err);
    if (st != SAC_OK || v.n_dims == 0)
        return st;
    if (!v.dtype)
        return sac_fail(err, SAC_E_FORMAT, "%s: param.%s: expected one number", draft->name, name);
    *value = number_at(&v, 0, 0);
    return SAC_OK;
}

static sac_status read_delays(sac_draft *draft, sac_must_get_fn get, void *ctx, int64_t n_elements,
                              sac_error *err)
{
    sac_array v = {0};
    sac_status st = get(ctx, "TXdelay", UINT64_MAX, &v, err);
    if (st != SAC_OK || v.n_dims == 0)
        return st;
    const bool upright = v.shape[1] != n_elements && v.shape[0] == n_elements;
    if (!v.dtype || (!upright && v.shape[1] != n_elements))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: param.TXdelay: expected numbers, (n_transmits, %" PRId64
                        ") for this many elements%s",
                        draft->name, n_elements,
                        draft->path ? " (--transmits gives transmits otherwise)" : "");
    const int64_t n = v.shape[upright ? 1 : 0];
    st = sac_draft_table(&draft->recording->delays_s, draft, "delays", (uint64_t)n,
                         (uint64_t)n_elements, err);
    for (int64_t t = 0; st == SAC_OK && t < n; t++)
        for (int64_t e = 0; e < n_elements; e++)
            draft->recording->delays_s[t * n_elements + e] =
                number_at(&v, upright ? e : t, upright ? t : e);
    draft->must = st == SAC_OK;
    draft->must_transmits = n;
    return st;
}

static sac_status check_radius(sac_draft *draft, int64_t n_elements, sac_error *err)
{
    double r = draft->radius_m;
    if (isinf(r) || isnan(r)) {
        draft->radius_m = INFINITY;
        return SAC_OK;
    }
    double pitch = isnan(draft->desc.pitch_m) ? draft->pitch_m : draft->desc.pitch_m;
    if (r > 0 && (double)(n_elements - 1) * asin(fmin(pitch / (2 * r), 1)) < 1.5707963)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID,
                    "%s: param.radius: %g m cannot hold %" PRId64 " elements with a pitch of %g m "
                    "(--pitch)",
                    draft->name, r, n_elements, pitch);
}

/* Positions of an array of any form: rows x, z or x, y, z. Its elements face z. */
static sac_status read_elements(sac_draft *d, sac_must_get_fn get, void *ctx, int64_t n,
                                sac_error *err)
{
    sac_array v = {0};
    sac_status st = get(ctx, "elements", 3 * (uint64_t)n, &v, err);
    if (st != SAC_OK || v.n_dims == 0 || !isnan(d->desc.pitch_m))
        return st;
    if (!v.dtype || v.shape[1] != n || v.shape[0] < 2 || v.shape[0] > 3)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: param.elements: expected rows of x, z or of x, y, z, with %" PRId64
                        " columns for this many elements%s",
                        d->name, n, d->path ? " (--pitch describes a linear array)" : "");
    if (isfinite(d->radius_m))
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: param.elements: and a param.radius: only one of them is read",
                        d->name);
    st = sac_draft_elements(d, (uint64_t)n, err);
    for (int64_t e = 0; st == SAC_OK && e < n; e++) {
        sac_element *to = &d->recording->elements[e];
        for (int64_t row = 0; row < v.shape[0]; row++) {
            const double x = number_at(&v, row, e);
            if (!isfinite(x))
                return sac_fail(err, SAC_E_FORMAT,
                                "%s: param.elements: expected finite numbers, got %g", d->name, x);
            to->position_m[row == 0 ? 0 : row + 3 - v.shape[0]] = x;
        }
        to->width_m = isnan(d->width_m) ? 0 : d->width_m;
        to->height_m = isnan(d->height_m) ? 0 : d->height_m;
    }
    return st;
}

/* Fields that are not read, and without which the image is another one. */
static sac_status check_unread(const sac_draft *d, sac_must_get_fn get, void *ctx, sac_error *err)
{
    /* No transmit; a turned aperture; delays of what was received. */
    static const char *const zero[] = {"passive", "RXangle", "RXdelay"};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
        sac_array v = {0};
        sac_status st = get(ctx, zero[i], UINT64_MAX, &v, err);
        if (st != SAC_OK)
            return st;
        bool is_zero = v.n_dims == 0 || v.dtype;
        for (int64_t r = 0; is_zero && v.n_dims && r < v.shape[0]; r++)
            for (int64_t c = 0; is_zero && c < v.shape[1]; c++)
                is_zero = number_at(&v, r, c) == 0;
        if (!is_zero)
            return sac_fail(err, SAC_E_UNSUPPORTED, "%s: param.%s: expected 0, others are not read",
                            d->name, zero[i]);
    }
    return SAC_OK;
}

sac_status sac_must_param(sac_draft *d, sac_must_get_fn get, void *ctx, int64_t n_elements,
                          const char *samples_name, sac_error *err)
{
    sac_acquisition *a = &d->recording->acquisition;
    double percent = NAN, kerf_m = NAN, declared = NAN, f0_hz = NAN, period_s = NAN;
    d->t0_s = 0;
    const struct {
        const char *name;
        double *value;
    } numbers[] = {
        {"fs", &a->fs_hz},        {"fc", &a->fc_hz},
        {"c", &a->c_m_s},         {"t0", &d->t0_s},
        {"pitch", &d->pitch_m},   {"width", &d->width_m},
        {"height", &d->height_m}, {"kerf", &kerf_m},
        {"radius", &d->radius_m}, {"PRF", &a->frame_rate_hz},
        {"bandwidth", &percent},  {"Nelements", &declared},
        {"f0", &f0_hz},           {"PRP", &period_s},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sac_status st = read_number(d, get, ctx, numbers[i].name, numbers[i].value, err);
        if (st != SAC_OK)
            return st;
    }
    if (isnan(a->fc_hz)) /* as dasmtx has it */
        a->fc_hz = f0_hz;
    if (isnan(a->frame_rate_hz))
        a->frame_rate_hz = 1 / period_s;
    const double known[] = {a->frame_rate_hz, d->width_m, kerf_m};
    for (size_t i = 0; i < 3; i++)
        if (isinf(known[i]))
            return sac_fail(err, SAC_E_FORMAT, "%s: param.%s: expected a finite number", d->name,
                            i == 0   ? isnan(period_s) ? "PRF" : "PRP"
                            : i == 1 ? "width"
                                     : "kerf");
    a->bandwidth = percent / 100;
    if (isnan(d->width_m))
        d->width_m = d->pitch_m - kerf_m;
    if (isinf(d->height_m)) /* MUST: an array without elevation */
        d->height_m = 0;
    if (!isnan(declared) && declared != (double)n_elements)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: param.Nelements is %g, but %s has %" PRId64 " elements", d->name,
                        declared, samples_name, n_elements);
    sac_status st = check_unread(d, get, ctx, err);
    st = st ? st : check_radius(d, n_elements, err);
    st = st ? st : read_elements(d, get, ctx, n_elements, err);
    return st == SAC_OK && !d->desc.transmits ? read_delays(d, get, ctx, n_elements, err) : st;
}

void sac_must_clock(sac_draft *draft)
{
    sac_acquisition *a = &draft->recording->acquisition;
    a->frame_rate_hz /= a->n_transmits; /* PRF: of transmits */
    a->phase_origin = SAC_PHASE_TRANSMIT;
}
