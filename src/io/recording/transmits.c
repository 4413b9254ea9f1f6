/*
 * Transmits by a few words: plane waves, virtual sources, foci, single elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <saccade/recording.h>

#include "base/numbers.h"

#define RAD_PER_DEG (3.14159265358979323846 / 180)

/* Where the elements' centers lie along x. */
typedef struct extent {
    double middle_m, width_m;
} extent;

static extent extent_of(const sac_element *elements, int32_t n)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < n; i++) {
        low = fmin(low, elements[i].position_m[0]);
        high = fmax(high, elements[i].position_m[0]);
    }
    return (extent){0.5 * (low + high), high - low};
}

/* -1 to 1 in n equal steps; 0 of one. */
static double spread(int32_t i, int32_t n)
{
    return n == 1 ? 0 : 2.0 * i / (n - 1) - 1;
}

static void make(sac_transmit *t, sac_transmit_kind kind, double place, double amount,
                 const extent *array)
{
    sac_transmit_init(t, kind);
    if (kind == SAC_TRANSMIT_PLANE) {
        t->azimuth_rad = place * amount * RAD_PER_DEG;
    } else {
        t->source_m[0] = array->middle_m + 0.5 * place * array->width_m;
        t->source_m[2] = kind == SAC_TRANSMIT_DIVERGING ? -amount : amount;
    }
}

static sac_status each_element(sac_transmit *transmits, int32_t *n, int32_t max, int32_t n_elements,
                               sac_error *err)
{
    if (n_elements > max)
        return sac_fail(err, SAC_E_INVALID,
                        "transmits: `sa` of %" PRId32 " elements: at most %" PRId32 " fit",
                        n_elements, max);
    for (int32_t i = 0; i < n_elements; i++) {
        sac_transmit_init(&transmits[i], SAC_TRANSMIT_ELEMENT);
        transmits[i].element = i;
    }
    *n = n_elements;
    return SAC_OK;
}

/* Reads ":N" and, where there is more, ":AMOUNT", which *amount keeps otherwise. */
static bool read_numbers(int32_t *n, double *amount, const char *text)
{
    int end = 0;
    if (sscanf(text, ":%9" SCNd32 "%n", n, &end) != 1 || *n < 1)
        return false;
    text += end;
    if (*text == '\0')
        return true;
    const char *last = text + 1;
    if (*text == ':')
        *amount = sac_number_read(text + 1, &last);
    return last != text + 1 && *last == '\0';
}

sac_status sac_transmits_parse(sac_transmit *transmits, int32_t *n, int32_t max, const char *text,
                               const sac_element *elements, int32_t n_elements, sac_error *err)
{
    if (!transmits || !n || !text || !elements || n_elements < 1)
        return sac_fail(err, SAC_E_INVALID, "transmits: expected text and elements, got NULL");
    if (strcmp(text, "sa") == 0)
        return each_element(transmits, n, max, n_elements, err);
    const extent array = extent_of(elements, n_elements);
    const struct {
        const char *name;
        sac_transmit_kind kind;
        double amount, low, high; /* NaN: no default; beyond low and below high, or low itself */
    } kinds[] = {
        {"plane", SAC_TRANSMIT_PLANE, NAN, 0, 90},
        {"diverging", SAC_TRANSMIT_DIVERGING, 0.5e3 * array.width_m, 0, INFINITY},
        {"focused", SAC_TRANSMIT_FOCUSED, 1e3 * array.width_m, 0, INFINITY},
    };
    size_t length = strcspn(text, ":");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strlen(kinds[k].name) != length || strncmp(text, kinds[k].name, length) != 0)
            continue;
        double amount = kinds[k].amount; /* degrees or mm */
        int32_t count;
        bool plane = kinds[k].kind == SAC_TRANSMIT_PLANE;
        if (!read_numbers(&count, &amount, text + length) || !(amount < kinds[k].high) ||
            !(plane ? amount >= 0 : amount > 0))
            break;
        if (count > max)
            return sac_fail(err, SAC_E_INVALID,
                            "transmits: `%.40s`: at most %" PRId32 " are possible", text, max);
        for (int32_t i = 0; i < count; i++)
            make(&transmits[i], kinds[k].kind, spread(i, count), plane ? amount : 1e-3 * amount,
                 &array);
        *n = count;
        return SAC_OK;
    }
    return sac_fail(err, SAC_E_INVALID,
                    "transmits: `%.40s`: expected plane:N:DEG (DEG 0 to below 90), "
                    "diverging:N[:DEPTH_MM], focused:N[:DEPTH_MM] or sa",
                    text);
}
