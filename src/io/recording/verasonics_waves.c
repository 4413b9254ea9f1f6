/*
 * What Verasonics' Vantage sent, and with what: Trans, TX, TW, Event.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/verasonics_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

sac_status sac_vs_trans(workspace *w, sac_error *err)
{
    sac_acquisition *a = &w->draft->recording->acquisition;
    char units[16];
    const sac_mat_array text = sac_mat_field(&w->v[TRANS].array, 0, "units");
    w->trans_hz = 1e6 * sac_vs_number(w, TRANS, 0, "frequency");
    if (!(w->trans_hz > 0 && isfinite(w->trans_hz)))
        return sac_vs_odd(w, err, "Trans.frequency: expected MHz above 0");
    sac_mat_array parameters = sac_mat_field(&w->v[RESOURCE].array, 0, "Parameters");
    const sac_mat_array speed = sac_mat_field(&parameters, 0, "speedOfSound");
    a->c_m_s = isnan(w->draft->desc.c_m_s) ? sac_mat_at(&speed, 0) : w->draft->desc.c_m_s;
    if (isnan(a->c_m_s)) {
        a->c_m_s = 1540; /* as Vantage has it */
        sac_draft_note(
            w->draft,
            "Resource.Parameters.speedOfSound is missing: 1540 m/s is taken (--c gives it)");
    }
    if (!(a->c_m_s > 0 && isfinite(a->c_m_s)))
        return sac_vs_odd(w, err, "Resource.Parameters.speedOfSound: expected m/s above 0");
    w->wavelength_m = a->c_m_s / w->trans_hz;
    sac_mat_text(units, sizeof units, &text);
    w->unit_m = strcmp(units, "mm") == 0 ? 1e-3 : w->wavelength_m;
    if (strcmp(units, "mm") != 0 && strcmp(units, "wavelengths") != 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: Trans.units: expected mm or wavelengths, got `%s`",
                        w->draft->name, units);
    const sac_mat_array parametric = sac_mat_field(&w->v[TW].array, 0, "Parameters");
    const sac_mat_array band = sac_mat_field(&w->v[TRANS].array, 0, "Bandwidth");
    const double pulse_hz = 1e6 * sac_mat_at(&parametric, 0);
    a->fc_hz = pulse_hz > 0 ? pulse_hz : w->trans_hz;
    if (band.n == 2 && sac_mat_at(&band, 1) > sac_mat_at(&band, 0))
        a->bandwidth = fmin(1e6 * (sac_mat_at(&band, 1) - sac_mat_at(&band, 0)) / a->fc_hz, 2);
    return SAC_OK;
}

sac_status sac_vs_elements(workspace *w, sac_error *err)
{
    sac_recording *r = w->draft->recording;
    const sac_mat_array p = sac_mat_field(&w->v[TRANS].array, 0, "ElementPos");
    const sac_mat_array width = sac_mat_field(&w->v[TRANS].array, 0, "elementWidth");
    if (p.kind != SAC_MAT_NUMBERS || p.dims[1] < 3 || p.dims[1] > 5 || p.n != p.dims[0] * p.dims[1])
        return sac_vs_odd(w, err, "Trans.ElementPos: expected (n_elements, 3 to 5) numbers");
    const uint64_t n = p.dims[0];
    sac_status st = sac_draft_elements(w->draft, n, err);
    for (uint64_t e = 0; st == SAC_OK && e < n; e++) {
        sac_element *to = &r->elements[e];
        double v[5] = {0};
        for (uint64_t k = 0; k < p.dims[1]; k++)
            v[k] = sac_mat_at(&p, k * n + e);
        for (int k = 0; k < 5; k++)
            if (!isfinite(v[k]))
                return sac_vs_odd(w, err, "Trans.ElementPos: expected finite numbers");
        for (int k = 0; k < 3; k++)
            to->position_m[k] = v[k] * w->unit_m;
        to->normal[0] = sin(v[3]) * cos(v[4]);
        to->normal[1] = sin(v[4]);
        to->normal[2] = cos(v[3]) * cos(v[4]);
        const double w_m = sac_mat_at(&width, 0) * w->unit_m;
        to->width_m = w_m > 0 && isfinite(w_m) ? w_m : 0;
    }
    w->n_elements = n;
    return st;
}

/* Which TX each acquisition of the first frame belongs to, from 1 on: by the first event with its
 * Receive; without events by number, or there is one alone. */
static sac_status find_tx(uint64_t *tx, const workspace *w, sac_error *err)
{
    const uint64_t n_tx = w->v[TX].array.kind == SAC_MAT_STRUCT ? w->v[TX].array.n : 0;
    const uint64_t n_receives = w->v[RECEIVE].array.n;
    const sac_mat_array *events = &w->v[EVENT].array;
    const bool has_events = events->kind == SAC_MAT_STRUCT;
    uint64_t *of = sac_alloc((size_t)n_receives + 1, sizeof *of); /* a Receive's TX */
    if (!of)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for events", w->draft->name);
    for (uint64_t i = 0; has_events && i < events->n; i++) {
        const uint64_t receive = sac_vs_index(sac_vs_number(w, EVENT, i, "rcv"), n_receives);
        if (receive && !of[receive])
            of[receive] = sac_vs_index(sac_vs_number(w, EVENT, i, "tx"), n_tx);
    }
    sac_status st = SAC_OK;
    for (uint64_t i = 0; i < w->n_acquisitions && st == SAC_OK; i++) {
        tx[i] = of[w->receive[i]];
        if (!tx[i] && !has_events && (n_tx == 1 || n_tx == w->n_acquisitions))
            tx[i] = n_tx == 1 ? 1 : i + 1;
        if (!tx[i])
            st = sac_fail(err, SAC_E_FORMAT,
                          "%s: %s: nothing says which TX Receive(%" PRIu64
                          ") belongs to (--transmits gives transmits otherwise)",
                          w->draft->name, n_tx ? "Event" : "variable TX is missing", w->receive[i]);
    }
    sac_free(of);
    return st;
}

/* Delays in seconds; NaN where an element is silent. */
static sac_status delays_of(double *delays_s, const workspace *w, uint64_t tx, sac_error *err)
{
    const sac_mat_array delay = sac_mat_field(&w->v[TX].array, tx, "Delay");
    const sac_mat_array apod = sac_mat_field(&w->v[TX].array, tx, "Apod");
    bool fires = false;
    if (delay.n != w->n_elements || (apod.n && apod.n != w->n_elements))
        return sac_fail(
            err, SAC_E_FORMAT,
            "%s: TX(%" PRIu64 ").%s: expected a number for each of %" PRIu64 " elements",
            w->draft->name, tx + 1, delay.n != w->n_elements ? "Delay" : "Apod", w->n_elements);
    for (uint64_t e = 0; e < w->n_elements; e++) {
        const double at = sac_mat_at(&delay, e);
        if (!isfinite(at))
            return sac_fail(err, SAC_E_FORMAT, "%s: TX(%" PRIu64 ").Delay: expected finite numbers",
                            w->draft->name, tx + 1);
        delays_s[e] = apod.n && sac_mat_at(&apod, e) == 0 ? NAN : at / w->trans_hz;
        fires = fires || !isnan(delays_s[e]);
    }
    return fires ? SAC_OK
                 : sac_fail(err, SAC_E_FORMAT, "%s: TX(%" PRIu64 ").Apod: no element fires",
                            w->draft->name, tx + 1);
}

/* The focus: TX.FocalPt, or along TX.Steer from TX.Origin. False: none in front of the array. */
static bool focus_of(double s[3], const workspace *w, uint64_t tx)
{
    const sac_mat_array *all = &w->v[TX].array;
    const sac_mat_array point = sac_mat_field(all, tx, "FocalPt");
    const sac_mat_array origin = sac_mat_field(all, tx, "Origin");
    const sac_mat_array steer = sac_mat_field(all, tx, "Steer");
    const double f = sac_vs_number(w, TX, tx, "focus");
    if (!(f > 0) && !(point.n == 3 && sac_mat_at(&point, 2) > 0))
        return false;
    const double theta = steer.n ? sac_mat_at(&steer, 0) : 0;
    const double phi = steer.n > 1 ? sac_mat_at(&steer, 1) : 0;
    const double along[3] = {sin(theta) * cos(phi), sin(phi), cos(theta) * cos(phi)};
    for (uint64_t k = 0; k < 3; k++)
        s[k] =
            w->wavelength_m * (f > 0 ? (origin.n == 3 ? sac_mat_at(&origin, k) : 0) + f * along[k]
                                     : sac_mat_at(&point, k));
    return true;
}

/* The first number of a field; 0 where there is no such field. */
static double number_or_0(const workspace *w, int variable, uint64_t i, const char *field)
{
    const sac_mat_array a = sac_mat_field(&w->v[variable].array, i, field);
    return a.n ? sac_mat_at(&a, 0) : 0;
}

/* From the first edge of the pulse to its peak's way back through the lens. */
static double late_s(const workspace *w, uint64_t tx)
{
    const double form = sac_vs_number(w, TX, tx, "waveform");
    const uint64_t tw = sac_vs_index(form, w->v[TW].array.n);
    const double peak = number_or_0(w, TW, tw ? tw - 1 : 0, "peak");
    const double lens = number_or_0(w, TRANS, 0, "lensCorrection");
    return (peak * w->wavelength_m + 2 * lens * w->unit_m) / w->draft->recording->acquisition.c_m_s;
}

static double begins_s(const workspace *w, uint64_t acq)
{
    return 2 * number_or_0(w, RECEIVE, w->receive[acq] - 1, "startDepth") / w->trans_hz;
}

static sac_status check_time(const workspace *w, uint64_t tx, double t0_s, sac_error *err)
{
    return isfinite(t0_s) ? SAC_OK
                          : sac_fail(err, SAC_E_FORMAT,
                                     "%s: Receive.startDepth, TW.peak or Trans.lensCorrection of "
                                     "TX(%" PRIu64 "): expected finite numbers",
                                     w->draft->name, tx + 1);
}

static sac_status read_transmit(workspace *w, uint64_t i, uint64_t tx, sac_error *err)
{
    sac_draft *d = w->draft;
    sac_transmit *t = &d->recording->transmits[i];
    double *delays_s = d->recording->delays_s + i * w->n_elements, s[3];
    sac_status st = delays_of(delays_s, w, tx, err);
    if (st != SAC_OK)
        return st;
    if (!focus_of(s, w, tx))
        sac_must_transmit(t, delays_s, d);
    else if (!sac_must_focused(t, s, delays_s, &d->recording->acquisition))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: TX(%" PRIu64
                        ").focus: Delay does not meet there (--transmits gives transmits "
                        "otherwise)",
                        d->name, tx + 1);
    t->t0_s += begins_s(w, i) - late_s(w, tx);
    return check_time(w, tx, t->t0_s, err);
}

sac_status sac_vs_transmits(workspace *w, sac_error *err)
{
    sac_draft *d = w->draft;
    if (d->desc.transmits) { /* the caller's */
        d->t0_s = begins_s(w, 0) - late_s(w, 0);
        return check_time(w, 0, d->t0_s, err);
    }
    sac_status st = sac_draft_transmits(d, w->n_acquisitions, err);
    st = st ? st
            : sac_draft_table(&d->recording->delays_s, d, "delays", w->n_acquisitions,
                              w->n_elements, err);
    uint64_t *tx = sac_alloc((size_t)w->n_acquisitions, sizeof *tx);
    if (st == SAC_OK && !tx)
        st = sac_fail(err, SAC_E_NOMEM, "%s: no memory for transmits", d->name);
    st = st ? st : find_tx(tx, w, err);
    d->t0_s = 0; /* each has its own, from its delays' 0 on */
    for (uint64_t i = 0; st == SAC_OK && i < w->n_acquisitions; i++)
        st = read_transmit(w, i, tx[i] - 1, err);
    st = st ? st : sac_must_fires(d, err);
    d->t0_s = NAN;
    sac_free(tx);
    return st;
}
