/*
 * Workspaces of Verasonics' Vantage in MAT v5 and v7.3: RcvData with Trans, Receive, TX, TW, Event
 * and Resource. docs/formats.md has the conventions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/verasonics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/mat_tree.h"
#include "io/recording/parts.h"

#define MOST_META (UINT64_C(1) << 28) /* bytes of a variable other than RcvData */
#define MOST_SHARED 16                /* elements of a channel, Receives of a row */
#define MOST_RECEIVES (UINT64_C(1) << 22)
#define CHANNELS 256 /* of the hardware: element to channel through a mux */
#define DEFAULT_MAX_BYTES (UINT64_C(1) << 36)

enum { RCV_DATA, RECEIVE, TRANS, RESOURCE, TX, TW, EVENT, N_VARIABLES };
static const char *const variables[] = {"RcvData", "Receive", "Trans", "Resource",
                                        "TX",      "TW",      "Event"};

/* Samples of a wavelength of the transducer, as real samples or as pairs of them. */
typedef struct sampling {
    const char *mode;
    double samples_per_wave; /* that were taken at decimSampleRate, of them stored: */
    bool pairs;              /* two next to each other, (I, -Q) */
    int32_t each;            /* ticks of decimSampleRate from pair to pair, or sample to sample */
} sampling;
static const sampling samplings[] = {
    {"NS200BW", 4, false, 1}, {"", 4, false, 1},      {"custom", 4, false, 1},
    {"BS100BW", 4, true, 4},  {"BS50BW", 4, true, 8},
};

typedef struct workspace {
    sac_draft *draft;
    bool v5;
    uint64_t limit; /* bytes of samples */
    sac_mat_variable v[N_VARIABLES];
    double trans_hz, wavelength_m, unit_m; /* unit_m: of Trans */
    const sampling *sampling;
    uint64_t buffer;                   /* of RcvData, from 1 on */
    uint64_t n_frames, n_acquisitions; /* of that buffer */
    uint64_t *receive;                 /* (n_frames, n_acquisitions): which Receive, from 1 */
    uint64_t n_rows, n_elements, first_frame; /* rows: samples that are stored of an acquisition */
    sac_mat_array samples;                    /* of the buffer */
} workspace;

bool sac_verasonics_is(const char *path, uint64_t bytes, bool v5)
{
    static const char *const some[][3] = {{"RcvData", "Receive", NULL}, {"RcvData", "Trans", NULL}};
    for (int i = 0; i < 2; i++)
        if (v5 ? sac_mat_has(path, some[i]) : sac_mat73_has(path, bytes, some[i]))
            return true;
    return false;
}

static sac_status odd(const workspace *w, sac_error *err, const char *what)
{
    return sac_fail(err, SAC_E_FORMAT, "%s: %s", w->draft->name, what);
}

static sac_status load_variable(workspace *w, int i, sac_error *err)
{
    const sac_draft *d = w->draft;
    uint8_t *bytes;
    uint64_t size;
    if (w->v5)
        return sac_mat_load(&w->v[i], d->path, d->name, variables[i],
                            i == RCV_DATA ? w->limit : MOST_META, err);
    if (i == RCV_DATA) /* when it is known which cell */
        return SAC_OK;
    sac_status st = sac_mat73_bytes(&bytes, &size, d->path, d->name, d->file_bytes, variables[i],
                                    MOST_META, err);
    return st ? st : sac_mat_take(&w->v[i], bytes, size, d->name, variables[i], err);
}

static sac_status load(workspace *w, sac_error *err)
{
    for (int i = 0; i < N_VARIABLES; i++) {
        sac_status st = load_variable(w, i, err);
        if (st != SAC_OK)
            return st;
        const sac_mat_array *a = &w->v[i].array;
        const bool later = i == RCV_DATA && !w->v5;
        if (i <= TRANS && !later && (a->kind == SAC_MAT_OTHER || a->n == 0))
            return sac_fail(err, SAC_E_FORMAT, "%s: variable %s is missing or empty",
                            w->draft->name, variables[i]);
        if (i != RCV_DATA && a->kind != SAC_MAT_STRUCT && a->kind != SAC_MAT_OTHER)
            return sac_fail(err, SAC_E_FORMAT, "%s: %s: expected a struct", w->draft->name,
                            variables[i]);
    }
    return SAC_OK;
}

/* The first number of a field; NaN where there is none. */
static double number(const workspace *w, int variable, uint64_t i, const char *field)
{
    const sac_mat_array a = sac_mat_field(&w->v[variable].array, i, field);
    return sac_mat_at(&a, 0);
}

/* A whole number from 1 to `most`; 0 where it is none. */
static uint64_t index_of(double x, uint64_t most)
{
    return x >= 1 && x <= (double)most && x == floor(x) ? (uint64_t)x : 0;
}

static sac_status read_trans(workspace *w, sac_error *err)
{
    sac_acquisition *a = &w->draft->recording->acquisition;
    char units[16];
    const sac_mat_array text = sac_mat_field(&w->v[TRANS].array, 0, "units");
    w->trans_hz = 1e6 * number(w, TRANS, 0, "frequency");
    if (!(w->trans_hz > 0 && isfinite(w->trans_hz)))
        return odd(w, err, "Trans.frequency: expected MHz above 0");
    sac_mat_array parameters = sac_mat_field(&w->v[RESOURCE].array, 0, "Parameters");
    const sac_mat_array speed = sac_mat_field(&parameters, 0, "speedOfSound");
    a->c_m_s = isnan(w->draft->desc.c_m_s) ? sac_mat_at(&speed, 0) : w->draft->desc.c_m_s;
    if (isnan(a->c_m_s)) {
        a->c_m_s = 1540; /* as Vantage has it */
        snprintf(w->draft->recording->note, sizeof w->draft->recording->note,
                 "Resource.Parameters.speedOfSound is missing: 1540 m/s is taken (--c gives it)");
    }
    if (!(a->c_m_s > 0 && isfinite(a->c_m_s)))
        return odd(w, err, "Resource.Parameters.speedOfSound: expected m/s above 0");
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

static sac_status read_elements(workspace *w, sac_error *err)
{
    sac_recording *r = w->draft->recording;
    const sac_mat_array p = sac_mat_field(&w->v[TRANS].array, 0, "ElementPos");
    const sac_mat_array width = sac_mat_field(&w->v[TRANS].array, 0, "elementWidth");
    if (p.kind != SAC_MAT_NUMBERS || p.dims[1] < 3 || p.dims[1] > 5 || p.n != p.dims[0] * p.dims[1])
        return odd(w, err, "Trans.ElementPos: expected (n_elements, 3 to 5) numbers");
    const uint64_t n = p.dims[0];
    sac_status st = sac_draft_elements(w->draft, n, err);
    for (uint64_t e = 0; st == SAC_OK && e < n; e++) {
        sac_element *to = &r->elements[e];
        double v[5] = {0};
        for (uint64_t k = 0; k < p.dims[1]; k++)
            v[k] = sac_mat_at(&p, k * n + e);
        for (int k = 0; k < 5; k++)
            if (!isfinite(v[k]))
                return odd(w, err, "Trans.ElementPos: expected finite numbers");
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

/* Which Receive is each frame's and acquisition's: the first that replaces what was stored. */
static sac_status find_receives(workspace *w, sac_error *err)
{
    const uint64_t n = w->v[RECEIVE].array.n;
    if (n > MOST_RECEIVES)
        return odd(w, err, "Receive: has too many elements");
    w->buffer = index_of(number(w, RECEIVE, 0, "bufnum"), 65536);
    if (!w->buffer)
        return odd(w, err, "Receive(1).bufnum: expected a number from 1 on");
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t frame = index_of(number(w, RECEIVE, i, "framenum"), MOST_RECEIVES);
            const uint64_t acq = index_of(number(w, RECEIVE, i, "acqNum"), SAC_IO_MAX_LISTED);
            if (number(w, RECEIVE, i, "bufnum") != (double)w->buffer ||
                number(w, RECEIVE, i, "mode") == 1)
                continue;
            if (!frame || !acq)
                return sac_fail(err, SAC_E_FORMAT,
                                "%s: Receive(%" PRIu64 ").%s: expected a number from 1 on",
                                w->draft->name, i + 1, frame ? "acqNum" : "framenum");
            if (pass == 0) {
                w->n_frames = frame > w->n_frames ? frame : w->n_frames;
                w->n_acquisitions = acq > w->n_acquisitions ? acq : w->n_acquisitions;
            } else if (!w->receive[(frame - 1) * w->n_acquisitions + acq - 1]) {
                w->receive[(frame - 1) * w->n_acquisitions + acq - 1] = i + 1;
            }
        }
        if (pass || !w->n_frames)
            continue;
        if (w->n_frames > n || w->n_acquisitions > n / w->n_frames)
            return odd(w, err, "Receive: has fewer elements than framenum and acqNum say");
        w->receive = sac_alloc((size_t)(w->n_frames * w->n_acquisitions), sizeof *w->receive);
        if (!w->receive)
            return sac_fail(err, SAC_E_NOMEM, "%s: no memory for Receive", w->draft->name);
    }
    for (uint64_t i = 0; i < w->n_frames * w->n_acquisitions; i++)
        if (!w->receive[i])
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: Receive: none has framenum %" PRIu64 ", acqNum %" PRIu64,
                            w->draft->name, i / w->n_acquisitions + 1, i % w->n_acquisitions + 1);
    return w->n_frames ? SAC_OK
                       : odd(w, err, "Receive.mode: none replaces (0) what was stored before");
}

static sac_status read_sampling(workspace *w, sac_error *err)
{
    sac_acquisition *a = &w->draft->recording->acquisition;
    char mode[16];
    const uint64_t first = w->receive[0] - 1;
    const sac_mat_array text = sac_mat_field(&w->v[RECEIVE].array, first, "sampleMode");
    sac_mat_text(mode, sizeof mode, &text);
    for (size_t i = 0; i < sizeof samplings / sizeof *samplings; i++)
        if (strcmp(mode, samplings[i].mode) == 0)
            w->sampling = &samplings[i];
    if (!w->sampling)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: Receive.sampleMode: expected NS200BW, BS100BW, BS50BW or custom, got "
                        "`%s`",
                        w->draft->name, mode);
    double rate_hz = 1e6 * number(w, RECEIVE, first, "decimSampleRate");
    const double per_wave = number(w, RECEIVE, first, "samplesPerWave");
    const double demodulated_hz = 1e6 * number(w, RECEIVE, first, "demodFrequency");
    if (isnan(rate_hz) && !w->sampling->pairs)
        rate_hz = w->trans_hz * (isnan(per_wave) ? 4 : per_wave);
    if (isnan(rate_hz))
        rate_hz = 4 * (demodulated_hz > 0 ? demodulated_hz : w->trans_hz);
    if (!(rate_hz > 0 && isfinite(rate_hz)))
        return odd(w, err, "Receive.decimSampleRate: expected MHz above 0");
    a->fs_hz = rate_hz / w->sampling->each;
    /* The second of a pair is taken a quarter of a period after the first. */
    a->fd_hz = w->sampling->pairs ? rate_hz / 4 : 0;
    return SAC_OK;
}

/* The place of acquisition `acq` of frame `frame`, both from 0 on: rows from *start on. */
static sac_status rows_of(uint64_t *start, uint64_t *n, const workspace *w, uint64_t frame,
                          uint64_t acq, sac_error *err)
{
    const uint64_t i = w->receive[frame * w->n_acquisitions + acq] - 1;
    const uint64_t first = index_of(number(w, RECEIVE, i, "startSample"), w->samples.dims[0]);
    const uint64_t last = index_of(number(w, RECEIVE, i, "endSample"), w->samples.dims[0]);
    if (!first || last < first)
        return sac_fail(
            err, SAC_E_FORMAT,
            "%s: Receive(%" PRIu64 ").%s: expected rows of the %" PRIu64 " that RcvData has",
            w->draft->name, i + 1, first ? "endSample" : "startSample", w->samples.dims[0]);
    *start = first - 1;
    *n = last - first + 1;
    return SAC_OK;
}

static sac_status find_samples(workspace *w, sac_error *err)
{
    const sac_mat_array *all = &w->v[RCV_DATA].array;
    sac_status st = w->v5 ? SAC_OK
                          : sac_mat73_samples(&w->v[RCV_DATA], w->draft->path, w->draft->name,
                                              w->draft->file_bytes, variables[RCV_DATA],
                                              w->buffer - 1, w->limit, err);
    if (st != SAC_OK)
        return st;
    w->samples = all->kind == SAC_MAT_CELL ? sac_mat_cell(all, w->buffer - 1) : *all;
    const sac_mat_array *s = &w->samples;
    if (s->kind != SAC_MAT_NUMBERS || s->complex || s->type > SAC_MAT_INT16 || s->dims[3] != 1 ||
        s->n == 0)
        return odd(w, err, "RcvData: expected int16 (samples, channels, frames) in each cell");
    if (w->n_frames > s->dims[2])
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: Receive.framenum: %" PRIu64 ", but RcvData has %" PRIu64 " frames",
                        w->draft->name, w->n_frames, s->dims[2]);
    uint64_t start;
    st = rows_of(&start, &w->n_rows, w, 0, 0, err);
    for (uint64_t i = 0; st == SAC_OK && i < w->n_frames * w->n_acquisitions; i++) {
        uint64_t n = 0;
        st = rows_of(&start, &n, w, i / w->n_acquisitions, i % w->n_acquisitions, err);
        if (st == SAC_OK && n != w->n_rows)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "%s: Receive(%" PRIu64 "): %" PRIu64 " samples, and %" PRIu64
                            " of the first: all must have as many",
                            w->draft->name, w->receive[i], n, w->n_rows);
    }
    if (st == SAC_OK && w->sampling->pairs && w->n_rows % 2)
        return odd(w, err, "Receive.endSample: an odd number of samples are no pairs of I and Q");
    /* Frames of a circular buffer, in the order of time. */
    sac_mat_array resource = sac_mat_field(&w->v[RESOURCE].array, 0, "RcvBuffer");
    const sac_mat_array last = sac_mat_field(&resource, w->buffer - 1, "lastFrame");
    w->first_frame = index_of(sac_mat_at(&last, 0), w->n_frames) % w->n_frames;
    return st;
}

/* The channel of each element for one Receive, from 0 on; -1 where it has none. */
static sac_status channels_of(int32_t *channels, const workspace *w, uint64_t i, sac_error *err)
{
    const sac_mat_array *trans = &w->v[TRANS].array;
    const sac_mat_array mux = sac_mat_field(trans, 0, "HVMux");
    sac_mat_array map = sac_mat_field(&mux, 0, "ApertureES");
    if (!map.n)
        map = sac_mat_field(&mux, 0, "Aperture");
    uint64_t column = 0;
    const bool muxed = map.n > 0;
    if (muxed) {
        column = index_of(number(w, RECEIVE, i, "aperture"), map.dims[1]);
        if (!column--)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: Receive(%" PRIu64 ").aperture: expected a column of Trans.HVMux",
                            w->draft->name, i + 1);
    } else {
        map = sac_mat_field(trans, 0, "ConnectorES");
        if (!map.n)
            map = sac_mat_field(trans, 0, "Connector");
    }
    if (map.n && map.n < (column + 1) * w->n_elements)
        return odd(w, err, "Trans.ConnectorES: expected a channel for each element");
    for (uint64_t e = 0; e < w->n_elements; e++) {
        const double k = map.n ? sac_mat_at(&map, column * w->n_elements + e) : (double)e + 1;
        const uint64_t own = index_of(k, 65536);
        const uint64_t channel = muxed && own ? (own - 1) % CHANNELS + 1 : own;
        if (k != 0 && (!channel || channel > w->samples.dims[1]))
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: Trans: element %" PRIu64 " has channel %g, and RcvData %" PRIu64
                            " channels",
                            w->draft->name, e + 1, k, w->samples.dims[1]);
        channels[e] = (int32_t)channel - 1;
    }
    return SAC_OK;
}

/* Which TX each acquisition of the first frame belongs to, from 1 on: by the first event with its
 * Receive; else by number, or there is one alone. */
static sac_status find_tx(uint64_t *tx, const workspace *w, sac_error *err)
{
    const uint64_t n_tx = w->v[TX].array.kind == SAC_MAT_STRUCT ? w->v[TX].array.n : 0;
    const uint64_t n_receives = w->v[RECEIVE].array.n;
    const sac_mat_array *events = &w->v[EVENT].array;
    uint64_t *of = sac_alloc((size_t)n_receives + 1, sizeof *of); /* a Receive's TX */
    if (!of)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for events", w->draft->name);
    for (uint64_t i = 0; events->kind == SAC_MAT_STRUCT && i < events->n; i++) {
        const uint64_t receive = index_of(number(w, EVENT, i, "rcv"), n_receives);
        if (receive && !of[receive])
            of[receive] = index_of(number(w, EVENT, i, "tx"), n_tx);
    }
    sac_status st = SAC_OK;
    for (uint64_t i = 0; i < w->n_acquisitions && st == SAC_OK; i++) {
        tx[i] = of[w->receive[i]];
        if (!tx[i] && (n_tx == 1 || n_tx == w->n_acquisitions))
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
    const double f = number(w, TX, tx, "focus");
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

/* From the first edge of the pulse to its peak's way back through the lens. */
static double late_s(const workspace *w, uint64_t tx)
{
    const double form = number(w, TX, tx, "waveform");
    const uint64_t tw = index_of(form, w->v[TW].array.n);
    const double peak = number(w, TW, tw ? tw - 1 : 0, "peak");
    const double lens = number(w, TRANS, 0, "lensCorrection");
    return ((isnan(peak) ? 0 : peak * w->wavelength_m) + (isnan(lens) ? 0 : 2 * lens * w->unit_m)) /
           w->draft->recording->acquisition.c_m_s;
}

static double begins_s(const workspace *w, uint64_t acq)
{
    const double depth = number(w, RECEIVE, w->receive[acq] - 1, "startDepth");
    return 2 * (isnan(depth) ? 0 : depth) / w->trans_hz;
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
    return SAC_OK;
}

static sac_status read_transmits(workspace *w, sac_error *err)
{
    sac_draft *d = w->draft;
    sac_status st = sac_draft_transmits(d, w->n_acquisitions, err);
    st = st ? st : sac_draft_delays(d, w->n_acquisitions, w->n_elements, err);
    uint64_t *tx = sac_alloc((size_t)w->n_acquisitions, sizeof *tx);
    if (st == SAC_OK && !tx)
        st = sac_fail(err, SAC_E_NOMEM, "%s: no memory for transmits", d->name);
    st = st ? st : find_tx(tx, w, err);
    d->t0_s = 0; /* each has its own, from its delays' 0 on */
    for (uint64_t i = 0; st == SAC_OK && i < w->n_acquisitions; i++)
        st = read_transmit(w, i, tx[i] - 1, err);
    d->t0_s = NAN;
    sac_free(tx);
    return st;
}

/* One record, of an element: pairs are (I, -Q). */
static void place_record(const workspace *w, void *to, const sac_mat_array *s, uint64_t from)
{
    for (uint64_t k = 0; k < w->n_rows; k++) {
        const double x = sac_mat_at(s, from + k);
        if (w->sampling->pairs)
            ((float *)to)[k] = (float)(k % 2 ? -x : x);
        else
            ((int16_t *)to)[k] = (int16_t)x;
    }
}

static sac_status read_samples(workspace *w, sac_error *err)
{
    const sac_array *out = &w->draft->recording->samples;
    const uint64_t rows = w->samples.dims[0], page = rows * w->samples.dims[1];
    const size_t record = (size_t)out->shape[3] * sac_dtype_size(out->dtype);
    int32_t *channels = sac_alloc((size_t)w->n_elements, sizeof *channels);
    if (!channels)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for channels", w->draft->name);
    uint8_t *to = out->data;
    sac_status st = SAC_OK;
    for (int64_t f = 0; st == SAC_OK && f < out->shape[0]; f++)
        for (uint64_t acq = 0; st == SAC_OK && acq < w->n_acquisitions; acq++) {
            const uint64_t at = (uint64_t)(w->draft->first_frame + f) + w->first_frame;
            const uint64_t frame = at % w->n_frames;
            uint64_t start, n;
            st = rows_of(&start, &n, w, frame, acq, err);
            st =
                st ? st
                   : channels_of(channels, w, w->receive[frame * w->n_acquisitions + acq] - 1, err);
            for (uint64_t e = 0; st == SAC_OK && e < w->n_elements; e++, to += record)
                if (channels[e] >= 0)
                    place_record(w, to, &w->samples,
                                 frame * page + (uint64_t)channels[e] * rows + start);
        }
    sac_free(channels);
    return st;
}

static sac_status read_all(workspace *w, sac_error *err)
{
    sac_draft *d = w->draft;
    sac_status st = load(w, err);
    st = st ? st : read_trans(w, err);
    st = st ? st : read_elements(w, err);
    st = st ? st : find_receives(w, err);
    st = st ? st : read_sampling(w, err);
    st = st ? st : find_samples(w, err);
    if (st == SAC_OK && !d->desc.transmits)
        st = read_transmits(w, err);
    else if (st == SAC_OK)
        d->t0_s = begins_s(w, 0) - late_s(w, 0);
    st = st ? st : sac_draft_resolve(d, (int64_t)w->n_elements, err);
    if (st != SAC_OK)
        return st;
    const bool pairs = w->sampling->pairs;
    const int64_t shape[4] = {(int64_t)w->n_frames, (int64_t)w->n_acquisitions,
                              (int64_t)w->n_elements, (int64_t)(w->n_rows / (pairs ? 2 : 1))};
    const uint64_t most = w->samples.n * MOST_SHARED;
    st = sac_draft_samples(d, pairs ? SAC_C64 : SAC_I16, shape, most, err);
    return st ? st : read_samples(w, err);
}

sac_status sac_verasonics_read(sac_draft *draft, bool v5, sac_error *err)
{
    workspace w = {.draft = draft, .v5 = v5};
    w.limit = draft->desc.max_bytes ? draft->desc.max_bytes : DEFAULT_MAX_BYTES;
    const size_t length = strlen(draft->name);
    snprintf(draft->name + length, sizeof draft->name - length, ": Verasonics");
    sac_status st = read_all(&w, err);
    for (int i = 0; i < N_VARIABLES; i++)
        sac_mat_unload(&w.v[i]);
    sac_free(w.receive);
    return st;
}
