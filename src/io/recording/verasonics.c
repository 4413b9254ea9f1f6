/*
 * Workspaces of Verasonics' Vantage in MAT v5 and v7.3: RcvData by Receive, Trans and Resource.
 * verasonics_waves.c reads what was sent. docs/formats.md has the conventions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/verasonics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/verasonics_parts.h"

#define MOST_META (UINT64_C(1) << 28) /* bytes of a variable other than RcvData */
#define MOST_SHARED 16                /* elements of a channel, Receives of a row */
#define MOST_RECEIVES (UINT64_C(1) << 22)
#define CHANNELS 256 /* of the hardware: element to channel through a mux */
#define DEFAULT_MAX_BYTES (UINT64_C(1) << 36)

static const char *const variables[] = {"RcvData", "Receive", "Trans", "Resource",
                                        "TX",      "TW",      "Event"};

static const sampling samplings[] = {
    {"NS200BW", 4, false, 1}, {"", 4, false, 1},      {"custom", 4, false, 1},
    {"BS100BW", 4, true, 4},  {"BS50BW", 4, true, 8},
};

bool sac_verasonics_is(const char *path, uint64_t bytes, bool v5)
{
    static const char *const some[][3] = {{"RcvData", "Receive", NULL}, {"RcvData", "Trans", NULL}};
    for (int i = 0; i < 2; i++)
        if (v5 ? sac_mat_has(path, some[i]) : sac_mat73_has(path, bytes, some[i]))
            return true;
    return false;
}

sac_status sac_vs_odd(const workspace *w, sac_error *err, const char *what)
{
    return sac_fail(err, SAC_E_FORMAT, "%s: %s", w->draft->name, what);
}

double sac_vs_number(const workspace *w, int variable, uint64_t i, const char *field)
{
    const sac_mat_array a = sac_mat_field(&w->v[variable].array, i, field);
    return sac_mat_at(&a, 0);
}

uint64_t sac_vs_index(double x, uint64_t most)
{
    return x >= 1 && x <= (double)most && x == floor(x) ? (uint64_t)x : 0;
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
    if (st != SAC_OK || !bytes)
        return st;
    return sac_mat_take(&w->v[i], bytes, SAC_MAT_TAG, size, false, d->name, variables[i], err);
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

/* Which Receive is each frame's and acquisition's: the first that replaces what was stored. */
static sac_status find_receives(workspace *w, sac_error *err)
{
    const uint64_t n = w->v[RECEIVE].array.n;
    if (n > MOST_RECEIVES)
        return sac_vs_odd(w, err, "Receive: has too many elements");
    w->buffer = sac_vs_index(sac_vs_number(w, RECEIVE, 0, "bufnum"), 65536);
    if (!w->buffer)
        return sac_vs_odd(w, err, "Receive(1).bufnum: expected a number from 1 on");
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t frame =
                sac_vs_index(sac_vs_number(w, RECEIVE, i, "framenum"), MOST_RECEIVES);
            const uint64_t acq =
                sac_vs_index(sac_vs_number(w, RECEIVE, i, "acqNum"), SAC_IO_MAX_LISTED);
            if (sac_vs_number(w, RECEIVE, i, "bufnum") != (double)w->buffer ||
                sac_vs_number(w, RECEIVE, i, "mode") == 1)
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
            return sac_vs_odd(w, err, "Receive: has fewer elements than framenum and acqNum say");
        w->receive = sac_alloc((size_t)(w->n_frames * w->n_acquisitions), sizeof *w->receive);
        if (!w->receive)
            return sac_fail(err, SAC_E_NOMEM, "%s: no memory for Receive", w->draft->name);
    }
    for (uint64_t i = 0; i < w->n_frames * w->n_acquisitions; i++)
        if (!w->receive[i])
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: Receive: none has framenum %" PRIu64 ", acqNum %" PRIu64,
                            w->draft->name, i / w->n_acquisitions + 1, i % w->n_acquisitions + 1);
    return w->n_frames
               ? SAC_OK
               : sac_vs_odd(w, err, "Receive.mode: none replaces (0) what was stored before");
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
    double rate_hz = 1e6 * sac_vs_number(w, RECEIVE, first, "decimSampleRate");
    const double per_wave = sac_vs_number(w, RECEIVE, first, "samplesPerWave");
    const double demodulated_hz = 1e6 * sac_vs_number(w, RECEIVE, first, "demodFrequency");
    if (isnan(rate_hz) && !w->sampling->pairs)
        rate_hz = w->trans_hz * (isnan(per_wave) ? 4 : per_wave);
    if (isnan(rate_hz))
        rate_hz = 4 * (demodulated_hz > 0 ? demodulated_hz : w->trans_hz);
    if (!(rate_hz > 0 && isfinite(rate_hz)))
        return sac_vs_odd(w, err, "Receive.decimSampleRate: expected MHz above 0");
    a->fs_hz = rate_hz / w->sampling->each;
    /* The second of a pair is taken a quarter of a period after the first. */
    a->fd_hz = w->sampling->pairs ? rate_hz / 4 : 0;
    return SAC_OK;
}

/* Whether Receives i and j say the same, or both nothing. */
static bool is_same(const workspace *w, uint64_t i, uint64_t j, const char *field)
{
    const double a = sac_vs_number(w, RECEIVE, i, field), b = sac_vs_number(w, RECEIVE, j, field);
    return a == b || (isnan(a) && isnan(b));
}

/* Samples are taken alike in all Receives that are read, and an acquisition's from the same depth
 * on in all frames. */
static sac_status check_alike(const workspace *w, sac_error *err)
{
    const sac_mat_array *all = &w->v[RECEIVE].array;
    for (uint64_t k = 1; k < w->n_frames * w->n_acquisitions; k++) {
        const uint64_t first = w->receive[0] - 1, i = w->receive[k] - 1;
        static const char *const fields[] = {"decimSampleRate", "samplesPerWave", "demodFrequency"};
        const bool has_rate = !isnan(sac_vs_number(w, RECEIVE, first, fields[0]));
        const char *odd = NULL;
        char mode[2][16];
        for (int f = 0; f < (has_rate ? 1 : 3); f++)
            odd = is_same(w, i, first, fields[f]) ? odd : fields[f];
        for (int m = 0; m < 2; m++) {
            const sac_mat_array text = sac_mat_field(all, m ? i : first, "sampleMode");
            sac_mat_text(mode[m], sizeof mode[m], &text);
        }
        odd = strcmp(mode[0], mode[1]) == 0 ? odd : "sampleMode";
        if (!is_same(w, i, w->receive[k % w->n_acquisitions] - 1, "startDepth"))
            odd = "startDepth";
        if (odd)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "%s: Receive(%" PRIu64 ").%s: is not as of other Receives",
                            w->draft->name, i + 1, odd);
    }
    return SAC_OK;
}

/* The place of acquisition `acq` of frame `frame`, both from 0 on: rows from *start on. */
static sac_status rows_of(uint64_t *start, uint64_t *n, const workspace *w, uint64_t frame,
                          uint64_t acq, sac_error *err)
{
    const uint64_t i = w->receive[frame * w->n_acquisitions + acq] - 1;
    const uint64_t first =
        sac_vs_index(sac_vs_number(w, RECEIVE, i, "startSample"), w->samples.dims[0]);
    const uint64_t last =
        sac_vs_index(sac_vs_number(w, RECEIVE, i, "endSample"), w->samples.dims[0]);
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
        return sac_vs_odd(w, err,
                          "RcvData: expected int16 (samples, channels, frames) in each cell");
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
        return sac_vs_odd(w, err,
                          "Receive.endSample: an odd number of samples are no pairs of I and Q");
    /* Frames of a circular buffer, in the order of time. */
    sac_mat_array resource = sac_mat_field(&w->v[RESOURCE].array, 0, "RcvBuffer");
    const sac_mat_array last = sac_mat_field(&resource, w->buffer - 1, "lastFrame");
    w->first_frame = sac_vs_index(sac_mat_at(&last, 0), w->n_frames) % w->n_frames;
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
        column = sac_vs_index(sac_vs_number(w, RECEIVE, i, "aperture"), map.dims[1]);
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
        return sac_vs_odd(w, err, "Trans.ConnectorES: expected a channel for each element");
    for (uint64_t e = 0; e < w->n_elements; e++) {
        const double k = map.n ? sac_mat_at(&map, column * w->n_elements + e) : (double)e + 1;
        const uint64_t own = sac_vs_index(k, 65536);
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
    const uint64_t first = (uint64_t)w->draft->first_transmit;
    if (!out->data)
        return SAC_OK;
    int32_t *channels = sac_alloc((size_t)w->n_elements, sizeof *channels);
    if (!channels)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for channels", w->draft->name);
    uint8_t *to = out->data;
    sac_status st = SAC_OK;
    for (int64_t f = 0; st == SAC_OK && f < out->shape[0]; f++)
        for (uint64_t acq = first; st == SAC_OK && acq < first + (uint64_t)out->shape[1]; acq++) {
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
    st = st ? st : sac_vs_trans(w, err);
    st = st ? st : sac_vs_elements(w, err);
    st = st ? st : find_receives(w, err);
    st = st ? st : read_sampling(w, err);
    st = st ? st : check_alike(w, err);
    st = st ? st : find_samples(w, err);
    st = st ? st : sac_vs_transmits(w, err);
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
