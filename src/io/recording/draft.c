/*
 * From what a file says to a recording: memory, the caller's values over the file's, checks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define DEFAULT_MAX_BYTES (UINT64_C(1) << 36)
#define DEFAULT_C_M_S 1540 /* soft tissue, as MUST has it; which a note says */

void sac_draft_note(sac_draft *draft, const char *format, ...)
{
    char *note = draft->recording->note, text[128];
    const size_t at = strlen(note);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!strstr(note, text))
        snprintf(note + at, sizeof draft->recording->note - at, "%s%s", at ? "; " : "", text);
}

/* Which option gives what an error is about: the word that it begins with. */
static const struct {
    const char *field, *option;
} options[] = {
    {"fs", "--fs"},       {"fc", "--fc"}, {"fd", "--fd"},
    {"c", "--c"},         {"t0", "--t0"}, {"bandwidth", "--bandwidth"},
    {"pitch", "--pitch"}, {NULL, NULL},
};

/* Adds the file's name, and the option that helps, to an error about a field: "fs: ...". */
static sac_status blame(const sac_draft *draft, const sac_error *from, sac_error *err)
{
    size_t length = strcspn(from->text, ":");
    const char *option = NULL;
    for (size_t i = 0; options[i].field && draft->path && !option; i++)
        if (strlen(options[i].field) == length &&
            strncmp(options[i].field, from->text, length) == 0)
            option = options[i].option;
    if (draft->path && strncmp(from->text, "transmits", length) == 0)
        option = "--transmits";
    if (draft->path && strncmp(from->text, "elements", length) == 0)
        option = "--pitch";
    return sac_fail(err, from->status, "%s: %s%s%s%s", draft->name, from->text, option ? " (" : "",
                    option ? option : "", option ? " gives it otherwise)" : "");
}

static sac_status missing(const sac_draft *draft, const char *field, const char *option,
                          sac_error *err)
{
    if (!draft->path) /* MUST's param in memory */
        return sac_fail(err, SAC_E_INVALID, "%s.%s is missing or NaN", draft->name,
                        strcmp(field, "transmits") == 0 ? "TXdelay" : field);
    return sac_fail(err, SAC_E_INVALID, "%s: %s is missing or NaN; %s gives it", draft->name, field,
                    option);
}

/* What the caller gives stands before what the file says. */
static double chosen(double given, double found)
{
    return isnan(given) ? found : given;
}

static sac_status resolve_numbers(sac_draft *draft, sac_error *err)
{
    const sac_recording_desc *d = &draft->desc;
    sac_acquisition *a = &draft->recording->acquisition;
    a->fs_hz = chosen(d->fs_hz, a->fs_hz);
    a->fc_hz = chosen(d->fc_hz, a->fc_hz);
    a->fd_hz = chosen(d->fd_hz, a->fd_hz);
    a->c_m_s = chosen(d->c_m_s, a->c_m_s);
    a->bandwidth = chosen(d->bandwidth, a->bandwidth);
    draft->t0_s = chosen(d->t0_s, draft->t0_s);
    draft->pitch_m = chosen(d->pitch_m, draft->pitch_m);
    if (isnan(a->fs_hz))
        return missing(draft, "fs", "--fs", err);
    if (isnan(a->fc_hz))
        return missing(draft, "fc", "--fc", err);
    if (isnan(a->c_m_s)) {
        a->c_m_s = DEFAULT_C_M_S;
        sac_draft_note(draft, "the speed of sound is not given: %d m/s is taken (%s gives it)",
                       DEFAULT_C_M_S, draft->path ? "--c" : "param.c");
    }
    a->fd_hz = chosen(a->fd_hz, 0);
    a->bandwidth = chosen(a->bandwidth, 0);
    a->line_taper = chosen(a->line_taper, 0);
    a->frame_rate_hz = chosen(a->frame_rate_hz, 0);
    return SAC_OK;
}

/* Whether elements lie on a line along x and face z: what a pitch can say. */
static bool is_linear(const sac_acquisition *a)
{
    for (int32_t i = 0; i < a->n_elements; i++) {
        const sac_element *e = &a->elements[i];
        if (!(fabs(e->normal[2] - 1) < 1e-6) || e->position_m[1] != a->elements[0].position_m[1] ||
            e->position_m[2] != a->elements[0].position_m[2])
            return false;
    }
    return true;
}

/* Elements and a pitch of the file's own must say the same. */
static sac_status check_pitch(const sac_draft *draft, sac_error *err)
{
    const sac_acquisition *a = &draft->recording->acquisition;
    if (isnan(draft->pitch_m) || !is_linear(a))
        return SAC_OK;
    for (int32_t i = 1; i < a->n_elements; i++) {
        double apart = a->elements[i].position_m[0] - a->elements[i - 1].position_m[0];
        if (!(fabs(apart - draft->pitch_m) <= 1e-3 * draft->pitch_m))
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: pitch: %g m contradicts the elements, of which %d and %d are %g m "
                            "apart (--pitch decides)",
                            draft->name, draft->pitch_m, i - 1, i, apart);
    }
    return SAC_OK;
}

static sac_status resolve_elements(sac_draft *draft, int64_t n, sac_error *err)
{
    sac_acquisition *a = &draft->recording->acquisition;
    if (a->n_elements && a->n_elements != n)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: samples of %" PRId64 " elements, but %d elements are described",
                        draft->name, n, a->n_elements);
    if (a->n_elements && isnan(draft->desc.pitch_m))
        return check_pitch(draft, err);
    if (a->n_elements && !is_linear(a))
        return sac_fail(err, SAC_E_INVALID,
                        "%s: pitch: the array is not linear, --pitch cannot describe it",
                        draft->name);
    if (a->n_elements) {
        draft->width_m = a->elements[0].width_m;
        draft->height_m = a->elements[0].height_m;
    }
    if (isnan(draft->pitch_m))
        return missing(draft, "pitch", "--pitch", err);
    if (!(draft->pitch_m > 0 && isfinite(draft->pitch_m)))
        return sac_fail(err, SAC_E_INVALID, "%s: pitch: expected more than 0 m, got %g%s",
                        draft->name, draft->pitch_m,
                        draft->path ? " (--pitch gives it otherwise)" : "");
    if (isnan(draft->width_m))
        draft->width_m = 0;
    if (isnan(draft->height_m))
        draft->height_m = 0;
    sac_status st = sac_draft_elements(draft, (uint64_t)n, err);
    if (st != SAC_OK)
        return st;
    if (isinf(draft->radius_m))
        sac_probe_linear(draft->recording->elements, (int32_t)n, draft->pitch_m, draft->width_m,
                         draft->height_m);
    else
        sac_must_convex(draft->recording->elements, (int32_t)n, draft);
    return SAC_OK;
}

/* The t0 that all n transmits have; NaN where there is no such. */
static double common_t0(const sac_transmit *transmits, int32_t n)
{
    for (int32_t i = 1; i < n; i++)
        if (transmits[i].t0_s != transmits[0].t0_s)
            return NAN;
    return n ? transmits[0].t0_s : NAN;
}

/* Whether each wave has an element that fires: which do stays the file's, of as many transmits. */
static bool may_fire(const sac_acquisition *a, const sac_transmit *transmits)
{
    for (int32_t i = 0; i < a->n_transmits; i++)
        if (transmits[i].kind == SAC_TRANSMIT_ELEMENT &&
            a->tx_apodization[(ptrdiff_t)i * a->n_elements + transmits[i].element] == 0)
            return false;
    return true;
}

/* Transmits as the caller describes them; t0, weights and the elements that fire stay the file's
 * where they can. */
static sac_status replace_transmits(sac_draft *draft, const char *text, sac_error *err)
{
    sac_recording *r = draft->recording;
    sac_acquisition *a = &r->acquisition;
    if (a->shapes || a->receives)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: --transmits describes waves that all elements send and receive, and "
                        "here %s",
                        draft->name,
                        a->shapes ? "some are lines" : "some do not receive all of them");
    sac_transmit *parsed = sac_alloc(SAC_IO_MAX_LISTED, sizeof *parsed);
    if (!parsed)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for transmits", draft->name);
    int32_t n = 0;
    sac_error why;
    sac_status st =
        sac_transmits_parse(parsed, &n, SAC_IO_MAX_LISTED, text, a->elements, a->n_elements, &why);
    if (st != SAC_OK) {
        sac_free(parsed);
        return sac_fail(err, st, "%s: %s", draft->name, why.text);
    }
    bool same = a->n_transmits == n;
    double t0 =
        draft->must ? draft->t0_s : chosen(common_t0(r->transmits, a->n_transmits), draft->t0_s);
    for (int32_t i = 0; i < n; i++) {
        parsed[i].t0_s = same ? r->transmits[i].t0_s : t0;
        parsed[i].weight = same ? r->transmits[i].weight : 1;
    }
    if (!same && a->n_transmits > 0 && isnan(t0) && isnan(draft->desc.t0_s))
        st = sac_fail(err, SAC_E_INVALID,
                      "%s: --transmits describes %" PRId32 " transmits, and the file has %" PRId32
                      ", of different t0 (--t0 gives one)",
                      draft->name, n, a->n_transmits);
    draft->must = false;
    if (a->tx_apodization && !(same && may_fire(a, parsed)))
        a->tx_apodization = NULL; /* of other waves */
    st = st ? st : sac_draft_transmits(draft, (uint64_t)n, err);
    if (st == SAC_OK)
        memcpy(r->transmits, parsed, (size_t)n * sizeof *parsed);
    sac_free(parsed);
    return st;
}

static sac_status resolve_transmits(sac_draft *draft, sac_error *err)
{
    sac_recording *r = draft->recording;
    sac_status st = SAC_OK;
    if (draft->desc.transmits || draft->transmits[0])
        st = replace_transmits(
            draft, draft->desc.transmits ? draft->desc.transmits : draft->transmits, err);
    else if (draft->must)
        st = sac_must_transmits(draft, err);
    else if (r->acquisition.n_transmits == 0)
        return missing(draft, "transmits", "--transmits", err);
    for (int32_t i = 0; st == SAC_OK && i < r->acquisition.n_transmits; i++) {
        sac_transmit *t = &r->transmits[i];
        if (!draft->must)
            t->t0_s = chosen(draft->desc.t0_s, chosen(t->t0_s, draft->t0_s));
        if (isnan(t->t0_s))
            return missing(draft, "t0", "--t0", err);
    }
    return st;
}

/* What no option gives, and no formula checks. */
static sac_status check_finite(const sac_draft *draft, sac_error *err)
{
    const sac_acquisition *a = &draft->recording->acquisition;
    if (!(a->frame_rate_hz >= 0 && isfinite(a->frame_rate_hz)))
        return sac_fail(err, SAC_E_FORMAT, "%s: frame_rate: expected frames/s, got %g", draft->name,
                        a->frame_rate_hz);
    for (int32_t i = 0; i < a->n_elements; i++) {
        const double sides[] = {a->elements[i].width_m, a->elements[i].height_m};
        for (int k = 0; k < 2; k++)
            if (!(sides[k] >= 0 && isfinite(sides[k])))
                return sac_fail(err, SAC_E_FORMAT,
                                "%s: %s_m of element %d: expected at least 0 m, got %g",
                                draft->name, k ? "height" : "width", i, sides[k]);
    }
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        for (int32_t e = 0; t->kind == SAC_TRANSMIT_DELAYS && t->delays_s && e < a->n_elements; e++)
            if (isinf(t->delays_s[e]))
                return sac_fail(err, SAC_E_FORMAT,
                                "%s: delays_s of transmit %d: expected numbers, or NaN where an "
                                "element does not fire, got %g",
                                draft->name, i, t->delays_s[e]);
    }
    return SAC_OK;
}

sac_status sac_draft_resolve(sac_draft *draft, int64_t n_elements, sac_error *err)
{
    sac_status st = resolve_numbers(draft, err);
    st = st ? st : resolve_elements(draft, n_elements, err);
    st = st ? st : resolve_transmits(draft, err);
    st = st ? st : check_finite(draft, err);
    if (st != SAC_OK)
        return st;
    sac_error why;
    st = sac_acquisition_check(&draft->recording->acquisition, &why);
    return st == SAC_OK ? SAC_OK : blame(draft, &why, err);
}

sac_status sac_draft_shape(int64_t shape[4], const sac_draft *draft, int n_dims,
                           const uint64_t *dims, sac_error *err)
{
    if (n_dims < 2 || n_dims > 4)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: samples of %d axes: expected (n_frames, n_transmits, n_elements, "
                        "n_samples), or the last 2 or 3 of them",
                        draft->name, n_dims);
    for (int i = 0; i < 4; i++) {
        uint64_t size = i < 4 - n_dims ? 1 : dims[i - (4 - n_dims)];
        if (size < 1 || size > INT64_MAX)
            return sac_fail(err, SAC_E_FORMAT, "%s: samples: a size of %" PRIu64, draft->name,
                            size);
        shape[i] = (int64_t)size;
    }
    return SAC_OK;
}

/* Which are wanted of the *size frames or transmits in the file: *size of them, from *first on. */
static sac_status choose(int64_t *first, int64_t *size, const sac_draft *draft, const char *what,
                         int64_t asked_first, int64_t asked_n, sac_error *err)
{
    const int64_t left = asked_first < 0 ? 0 : *size - asked_first, n = asked_n ? asked_n : left;
    if (n < 1 || n > left)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: %s: %" PRId64 " from number %" PRId64
                        " on are asked for, and it has %" PRId64,
                        draft->name, what, asked_n, asked_first, *size);
    *first = asked_first;
    *size = n;
    return SAC_OK;
}

static sac_status choose_both(sac_draft *draft, int64_t shape[4], sac_error *err)
{
    const sac_recording_desc *d = &draft->desc;
    draft->recording->file_frames = shape[0];
    sac_status st =
        choose(&draft->first_frame, &shape[0], draft, "frames", d->first_frame, d->n_frames, err);
    return st ? st
              : choose(&draft->first_transmit, &shape[1], draft, "transmits", d->first_transmit,
                       d->n_transmits, err);
}

void sac_draft_cut(sac_draft *draft)
{
    const sac_recording *r = draft->recording;
    sac_acquisition *a = &draft->recording->acquisition;
    const ptrdiff_t first = (ptrdiff_t)draft->first_transmit, before = first * a->n_elements;
    a->transmits += first;
    a->n_transmits = (int32_t)r->samples.shape[1];
    if (a->tx_apodization)
        a->tx_apodization += before;
    if (a->receives)
        a->receives += before;
}

sac_status sac_draft_samples(sac_draft *draft, sac_dtype dtype, const int64_t in_file[4],
                             uint64_t max_count, sac_error *err)
{
    sac_recording *r = draft->recording;
    int64_t shape[4];
    uint64_t count = 1;
    for (int i = 0; i < 4; i++) {
        shape[i] = in_file[i];
        if (shape[i] < 1 || (uint64_t)shape[i] > max_count / count)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: samples: %" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64
                            " cannot be in this file, which is truncated or damaged",
                            draft->name, in_file[0], in_file[1], in_file[2], in_file[3]);
        count *= (uint64_t)shape[i];
    }
    if (shape[1] != r->acquisition.n_transmits && draft->desc.transmits)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: samples of %" PRId64 " transmits, but --transmits describes %d",
                        draft->name, shape[1], r->acquisition.n_transmits);
    if (shape[1] != r->acquisition.n_transmits)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: samples of %" PRId64 " transmits, but %d are described (--transmits "
                        "describes them otherwise)",
                        draft->name, shape[1], r->acquisition.n_transmits);
    sac_status st = choose_both(draft, shape, err);
    if (st != SAC_OK)
        return st;
    uint64_t limit = draft->desc.max_bytes ? draft->desc.max_bytes : DEFAULT_MAX_BYTES;
    count = (uint64_t)(shape[0] * shape[1] * shape[2] * shape[3]);
    if (count > limit / sac_dtype_size(dtype))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %" PRIu64 " samples of %zu bytes: more than the limit, %" PRIu64
                        " bytes",
                        draft->name, count, sac_dtype_size(dtype), limit);
    st = sac_array_view(&r->samples, NULL, dtype, 4, shape, err);
    if (st != SAC_OK || draft->desc.no_samples)
        return st;
    r->samples.data =
        (draft->fills ? sac_alloc_bare : sac_alloc)((size_t)count, sac_dtype_size(dtype));
    if (!r->samples.data)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %" PRIu64 " samples", draft->name,
                        count);
    return SAC_OK;
}
