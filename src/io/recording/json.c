/*
 * The metadata of a recording from JSON, by cJSON: docs/formats.md has the schema.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "io/recording/parts.h"

#define MOST_VALUES (UINT64_C(1) << 18) /* in a file, and one more for each: */
#define BYTES_A_VALUE 64                /* of the samples' file */

typedef struct reader {
    sac_draft *draft;
    const char *name; /* of the JSON file */
} reader;

static sac_status expected(const reader *r, const char *where, const char *what, sac_error *err)
{
    return sac_fail(err, SAC_E_FORMAT, "%s: %s: expected %s", r->name, where, what);
}

/* A number, or NaN for null. False where it is neither. */
static bool take_number(double *value, const cJSON *item)
{
    if (!cJSON_IsNumber(item) && !cJSON_IsNull(item))
        return false;
    *value = cJSON_IsNull(item) ? NAN : item->valuedouble;
    return true;
}

/* The fields of one object; what it has not stays as it is, unless needed. */
static sac_status read_fields(const reader *r, const cJSON *object, const char *where,
                              const sac_field *fields, void *base, sac_error *err)
{
    for (const sac_field *f = fields; f->name; f++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);
        double *to = sac_field_of(base, f);
        if ((!item || (f->finite && f->width == 1 && cJSON_IsNull(item))) && !f->needed)
            continue; /* null: as if it were not there */
        bool ok =
            item && (f->width == 1 ? take_number(to, item) : cJSON_GetArraySize(item) == f->width);
        const cJSON *part = item && f->width > 1 ? item->child : NULL;
        for (int32_t i = 0; ok && f->width > 1 && i < f->width; i++, part = part->next)
            ok = take_number(&to[i], part);
        if (!ok)
            return sac_fail(err, SAC_E_FORMAT, "%s: %s: expected `%s`, %s", r->name, where, f->name,
                            f->width == 1 ? "a number" : "three numbers");
        for (int32_t i = 0; f->finite && i < f->width; i++)
            if (!isfinite(to[i]))
                return sac_fail(err, SAC_E_FORMAT, "%s: %s: `%s`: expected a finite number, got %g",
                                r->name, where, f->name, to[i]);
    }
    return SAC_OK;
}

/* `shape` of the elements that are lines. */
static sac_status read_shapes(const reader *r, const cJSON *list, sac_error *err)
{
    sac_recording *recording = r->draft->recording;
    int32_t i = 0;
    for (const cJSON *item = list->child; item; item = item->next, i++) {
        const cJSON *shape = cJSON_GetObjectItemCaseSensitive(item, "shape");
        const char *name = cJSON_GetStringValue(shape);
        if (!shape)
            continue;
        if (!recording->shapes && sac_draft_shapes(r->draft, err) != SAC_OK)
            return SAC_E_NOMEM;
        if (!name || !sac_shape_parse(&recording->shapes[i], name))
            return expected(r, "elements", "`shape` area, row or column", err);
    }
    return SAC_OK;
}

static sac_status read_elements(const reader *r, const cJSON *list, sac_error *err)
{
    if (!cJSON_IsArray(list))
        return expected(r, "elements", "a list of objects", err);
    sac_recording *recording = r->draft->recording;
    sac_status st = sac_draft_elements(r->draft, (uint64_t)cJSON_GetArraySize(list), err);
    sac_element *e = recording->elements;
    for (const cJSON *item = list->child; item && st == SAC_OK; item = item->next, e++)
        st = read_fields(r, item, "elements", sac_element_fields, e, err);
    return st ? st : read_shapes(r, list, err);
}

static bool is_list_of(const cJSON *list, uint64_t n)
{
    return cJSON_IsArray(list) && (uint64_t)cJSON_GetArraySize(list) == n;
}

/* delays_s of transmit i: numbers, null where an element does not fire. */
static sac_status read_delays(const reader *r, const cJSON *list, int32_t i, uint64_t n_elements,
                              sac_error *err)
{
    sac_recording *recording = r->draft->recording;
    if (!is_list_of(list, n_elements))
        return expected(r, "transmits", "`delays_s`, a number or null for every element", err);
    if (!recording->delays_s) {
        sac_status st =
            sac_draft_table(&recording->delays_s, r->draft, "delays",
                            (uint64_t)recording->acquisition.n_transmits, n_elements, err);
        if (st != SAC_OK)
            return st;
    }
    double *to = recording->delays_s + (uint64_t)i * n_elements;
    recording->transmits[i].delays_s = to;
    for (const cJSON *item = list->child; item; item = item->next)
        if (!take_number(to++, item))
            return expected(r, "transmits", "numbers or null in `delays_s`", err);
    return SAC_OK;
}

/* `apodization` of transmit i, of which the first must have one if any has. */
static sac_status read_amplitudes(const reader *r, const cJSON *list, int32_t i,
                                  uint64_t n_elements, sac_error *err)
{
    sac_recording *recording = r->draft->recording;
    if (!list && !recording->tx_apodization)
        return SAC_OK;
    if (!list || !is_list_of(list, n_elements) || (i > 0 && !recording->tx_apodization))
        return expected(r, "transmits",
                        "`apodization`, a number for every element, in each or in none", err);
    if (!recording->tx_apodization) {
        sac_status st =
            sac_draft_table(&recording->tx_apodization, r->draft, "amplitudes",
                            (uint64_t)recording->acquisition.n_transmits, n_elements, err);
        if (st != SAC_OK)
            return st;
    }
    recording->acquisition.tx_apodization = recording->tx_apodization;
    double *to = recording->tx_apodization + (uint64_t)i * n_elements;
    for (const cJSON *item = list->child; item; item = item->next)
        if (!take_number(to++, item))
            return expected(r, "transmits", "numbers in `apodization`", err);
    return SAC_OK;
}

/* `receives` of transmit i, where it has one: 0 or 1 for every element. */
static sac_status read_receives(const reader *r, const cJSON *list, int32_t i, uint64_t n_elements,
                                sac_error *err)
{
    sac_recording *recording = r->draft->recording;
    if (!list)
        return SAC_OK;
    if (!is_list_of(list, n_elements))
        return expected(r, "transmits", "`receives`, 0 or 1 for every element", err);
    if (!recording->receives) {
        sac_status st = sac_draft_receives(r->draft, n_elements, err);
        if (st != SAC_OK)
            return st;
    }
    uint8_t *to = recording->receives + (uint64_t)i * n_elements;
    for (const cJSON *item = list->child; item; item = item->next) {
        double value = NAN;
        if (!take_number(&value, item) || (value != 0 && value != 1))
            return expected(r, "transmits", "0 or 1 in `receives`", err);
        *to++ = value == 1; /* NOLINT(clang-analyzer-core.NullDereference): it has been made */
    }
    return SAC_OK;
}

static sac_status read_transmit(const reader *r, const cJSON *item, int32_t i, uint64_t n_elements,
                                sac_error *err)
{
    sac_transmit *t = &r->draft->recording->transmits[i];
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "kind"));
    if (!kind || !sac_transmit_kind_parse(&t->kind, kind))
        return expected(r, "transmits",
                        "`kind` plane, diverging, focused, element or delays in each", err);
    for (const sac_field *f = sac_transmit_fields; f->name; f++)
        if (sac_transmit_needs(t->kind, f->name) &&
            !cJSON_GetObjectItemCaseSensitive(item, f->name))
            return sac_fail(err, SAC_E_FORMAT, "%s: transmits: `%s` of transmit %d is missing",
                            r->name, f->name, i);
    sac_status st = read_fields(r, item, "transmits", sac_transmit_fields, t, err);
    if (st == SAC_OK && t->kind == SAC_TRANSMIT_ELEMENT) {
        double fired = -1;
        if (!take_number(&fired, cJSON_GetObjectItemCaseSensitive(item, "element")))
            return expected(r, "transmits", "`element`, a number", err);
        t->element = fired >= 0 && fired < SAC_IO_MAX_LISTED ? (int32_t)fired : -1;
    }
    if (st == SAC_OK && t->kind == SAC_TRANSMIT_DELAYS)
        st = read_delays(r, cJSON_GetObjectItemCaseSensitive(item, "delays_s"), i, n_elements, err);
    st = st ? st
            : read_amplitudes(r, cJSON_GetObjectItemCaseSensitive(item, "apodization"), i,
                              n_elements, err);
    return st ? st
              : read_receives(r, cJSON_GetObjectItemCaseSensitive(item, "receives"), i, n_elements,
                              err);
}

static sac_status read_transmits(const reader *r, const cJSON *list, uint64_t n_elements,
                                 sac_error *err)
{
    if (!cJSON_IsArray(list))
        return expected(r, "transmits", "a list of objects", err);
    sac_status st = sac_draft_transmits(r->draft, (uint64_t)cJSON_GetArraySize(list), err);
    int32_t i = 0;
    for (const cJSON *item = list->child; item && st == SAC_OK; item = item->next, i++)
        st = read_transmit(r, item, i, n_elements, err);
    return st;
}

static sac_status read_truth(const reader *r, const cJSON *list, sac_error *err)
{
    sac_recording *recording = r->draft->recording;
    if (!cJSON_IsArray(list) || !list->child)
        return expected(r, "truth", "a list of objects", err);
    int n = cJSON_GetArraySize(list);
    recording->truth = sac_alloc((size_t)n, sizeof *recording->truth);
    if (!recording->truth)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for %d scatterers", r->name, n);
    sac_status st = SAC_OK;
    for (const cJSON *item = list->child; item && st == SAC_OK; item = item->next)
        st = read_fields(r, item, "truth", sac_scatterer_fields,
                         &recording->truth[recording->n_truth++], err);
    return st;
}

static sac_status read_phase(const reader *r, const cJSON *root, sac_error *err)
{
    sac_acquisition *a = &r->draft->recording->acquisition;
    const cJSON *origin = cJSON_GetObjectItemCaseSensitive(root, "phase_origin");
    const cJSON *sign = cJSON_GetObjectItemCaseSensitive(root, "phase_sign");
    const char *name = cJSON_GetStringValue(origin);
    double value = 1;
    if (origin && (!name || !sac_phase_origin_parse(&a->phase_origin, name)))
        return expected(r, "phase_origin", "`record` or `transmit`", err);
    if (sign && (!take_number(&value, sign) || (value != 1 && value != -1)))
        return expected(r, "phase_sign", "1 or -1", err);
    a->phase_sign = (int32_t)value;
    return SAC_OK;
}

/* Which samples the metadata belong to, where that is said. */
static sac_status read_prints(const reader *r, const cJSON *object, sac_error *err)
{
    sac_prints *p = &r->draft->prints;
    const char *dtype = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "dtype"));
    const char *crc = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "crc32c"));
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(object, "shape");
    double sizes[4], each = NAN;
    bool ok = dtype && crc && cJSON_IsArray(shape) && cJSON_GetArraySize(shape) == 4 &&
              take_number(&each, cJSON_GetObjectItemCaseSensitive(object, "frames_each")) &&
              each >= 1 && each < 0x1p53;
    const cJSON *item = ok ? shape->child : NULL;
    for (int i = 0; ok && i < 4; i++, item = item->next)
        ok = take_number(&sizes[i], item) && sizes[i] >= 1 && sizes[i] < 0x1p53;
    for (int i = 0; ok && i < 4; i++)
        p->shape[i] = (int64_t)sizes[i];
    for (int type = SAC_U8; ok && !p->dtype && type <= SAC_C128; type++)
        if (strcmp(sac_dtype_name((sac_dtype)type), dtype) == 0)
            p->dtype = (sac_dtype)type;
    p->frames_each = ok ? (int64_t)each : 1;
    return ok && p->dtype && sac_prints_from_text(p, crc)
               ? SAC_OK
               : expected(r, "samples",
                          "`dtype`, `shape`, `frames_each` and `crc32c` as saccade writes them",
                          err);
}

/* "transmits" may be what --transmits takes: it is parsed once the elements are known. */
static sac_status read_root(const reader *r, const cJSON *root, uint64_t n_elements, sac_error *err)
{
    static const sac_field draft_fields[] = {
        {"pitch_m", offsetof(sac_draft, pitch_m), 1, false, false},
        {"width_m", offsetof(sac_draft, width_m), 1, false, true},
        {"height_m", offsetof(sac_draft, height_m), 1, false, true},
        {"t0_s", offsetof(sac_draft, t0_s), 1, false, false},
        {NULL, 0, 0, false, false},
    };
    if (!cJSON_IsObject(root))
        return expected(r, "file", "an object", err);
    const cJSON *elements = cJSON_GetObjectItemCaseSensitive(root, "elements");
    const cJSON *transmits = cJSON_GetObjectItemCaseSensitive(root, "transmits");
    const cJSON *truth = cJSON_GetObjectItemCaseSensitive(root, "truth");
    const cJSON *samples = cJSON_GetObjectItemCaseSensitive(root, "samples");
    sac_status st = samples ? read_prints(r, samples, err) : SAC_OK;
    if (st == SAC_OK)
        st = read_fields(r, root, "file", sac_acquisition_fields, &r->draft->recording->acquisition,
                         err);
    st = st ? st : read_fields(r, root, "file", draft_fields, r->draft, err);
    st = st ? st : read_phase(r, root, err);
    if (st == SAC_OK && elements)
        st = read_elements(r, elements, err);
    const char *text = cJSON_GetStringValue(transmits);
    size_t room = sizeof r->draft->transmits;
    if (st == SAC_OK && text && (size_t)snprintf(r->draft->transmits, room, "%s", text) >= room)
        st = expected(r, "transmits", "a list, or text as --transmits takes", err);
    else if (st == SAC_OK && transmits && !text)
        st = read_transmits(r, transmits, n_elements, err);
    if (st == SAC_OK && truth)
        st = read_truth(r, truth, err);
    return st;
}

/* Values that the text has at most: each but the first stands behind a comma or a bracket. */
static uint64_t count_values(const char *text, size_t size)
{
    uint64_t n = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted && text[i] == '\\')
            i++;
        else
            n += !quoted && (text[i] == ',' || text[i] == '[' || text[i] == '{');
    }
    return n;
}

sac_status sac_json_parse(sac_draft *draft, const char *json_name, const char *text, size_t size,
                          uint64_t n_elements, sac_error *err)
{
    const reader r = {draft, json_name};
    /* cJSON takes 64 bytes a value, of which there is one for each of many samples. */
    if (count_values(text, size) > MOST_VALUES + draft->file_bytes / BYTES_A_VALUE)
        return sac_fail(err, SAC_E_FORMAT, "%s: more values than %s can need", json_name,
                        draft->name);
    errno = 0;
    cJSON *root = cJSON_ParseWithLength(text, size);
    if (!root)
        return errno == ENOMEM
                   ? sac_fail(err, SAC_E_NOMEM, "%s: no memory to read it", json_name)
                   : sac_fail(err, SAC_E_FORMAT, "%s: is no JSON, or truncated", json_name);
    sac_status st = read_root(&r, root, n_elements, err);
    cJSON_Delete(root);
    return st;
}
