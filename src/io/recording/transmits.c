/*
 * Transmits by a few words: plane waves, virtual sources, foci, single elements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <saccade/recording.h>

#include "base/alloc.h"
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

/* Reads ":N:MM" and, where there is more, ":DEG", which *degrees keeps otherwise. */
static bool read_lines(int32_t *n, double *depth_m, double *degrees, const char *text)
{
    int end = 0;
    if (sscanf(text, ":%9" SCNd32 "%n", n, &end) != 1 || *n < 1 || text[end] != ':')
        return false;
    const char *last, *at = text + end + 1;
    *depth_m = 1e-3 * sac_number_read(at, &last);
    if (last == at || !(*depth_m > 0 && isfinite(*depth_m)))
        return false;
    if (*last == '\0')
        return true;
    at = last + 1;
    const bool more = *last == ':';
    *degrees = more ? sac_number_read(at, &last) : NAN;
    return more && last != at && *last == '\0' && *degrees >= 0 && *degrees < 90;
}

/* The place on the array's face that lies `share` of the way from the first to the last element,
 * and the direction that it faces. */
static void face_at(double p[3], double normal[3], double share, const sac_element *elements,
                    int32_t n)
{
    const double at = share * (n - 1), whole = fmin(floor(at), n > 1 ? n - 2 : 0), f = at - whole;
    const sac_element *a = &elements[(int32_t)whole], *b = n > 1 ? a + 1 : a;
    double length2 = 0;
    for (int k = 0; k < 3; k++) {
        p[k] = (1 - f) * a->position_m[k] + f * b->position_m[k];
        normal[k] = (1 - f) * a->normal[k] + f * b->normal[k];
        length2 += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++)
        normal[k] /= sqrt(length2);
}

/* Scan lines: foci straight before the array's face, from one end to the other, or at angles seen
 * from its middle. */
static sac_status make_lines(sac_transmit *transmits, int32_t *n, int32_t max, const char *text,
                             const sac_element *elements, int32_t n_elements, sac_error *err)
{
    double depth_m, degrees = NAN;
    int32_t count;
    if (!read_lines(&count, &depth_m, &degrees, text + strlen("lines")))
        return sac_fail(err, SAC_E_INVALID,
                        "transmits: `%.40s`: expected lines:N:DEPTH_MM[:DEG] (DEG 0 to below 90)",
                        text);
    if (count > max)
        return sac_fail(err, SAC_E_INVALID, "transmits: `%.40s`: at most %" PRId32 " are possible",
                        text, max);
    for (int32_t i = 0; i < count; i++) {
        const double place = spread(i, count), angle = place * degrees * RAD_PER_DEG;
        double p[3], normal[3];
        face_at(p, normal, isnan(degrees) ? 0.5 + 0.5 * place : 0.5, elements, n_elements);
        if (!isnan(degrees)) { /* turned about y */
            const double x = normal[0], z = normal[2];
            normal[0] = x * cos(angle) + z * sin(angle);
            normal[2] = z * cos(angle) - x * sin(angle);
        }
        sac_transmit_init(&transmits[i], SAC_TRANSMIT_FOCUSED);
        for (int k = 0; k < 3; k++)
            transmits[i].source_m[k] = p[k] + depth_m * normal[k];
    }
    *n = count;
    return SAC_OK;
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
    if (strncmp(text, "lines:", 6) == 0)
        return make_lines(transmits, n, max, text, elements, n_elements, err);
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
                    "diverging:N[:DEPTH_MM], focused:N[:DEPTH_MM], lines:N:DEPTH_MM[:DEG] or sa",
                    text);
}

/* How many elements from the first on have this shape. */
static int32_t count_shape(const int32_t *shapes, int32_t n, int32_t shape)
{
    int32_t count = 0;
    while (count < n && shapes[count] == shape)
        count++;
    return count;
}

sac_status sac_transmits_parse_row_column(sac_transmit *transmits, int32_t n_by[2],
                                          int32_t n_lines[2], int32_t max, const char *text,
                                          const sac_element *elements, const int32_t *shapes,
                                          int32_t n_elements, sac_error *err)
{
    if (!transmits || !n_by || !n_lines || !elements || !shapes)
        return sac_fail(err, SAC_E_INVALID, "transmits: expected elements and shapes, got NULL");
    const int32_t n_rows = count_shape(shapes, n_elements, SAC_SHAPE_ROW);
    n_lines[0] = n_rows;
    n_lines[1] = count_shape(shapes + n_rows, n_elements - n_rows, SAC_SHAPE_COLUMN);
    if (n_lines[0] < 1 || n_lines[1] < 1 || n_lines[0] + n_lines[1] != n_elements)
        return sac_fail(err, SAC_E_INVALID,
                        "transmits: `%.40s`: of an array of lines it is for rows, then columns; "
                        "list the transmits of others",
                        text ? text : "");
    sac_element *line = sac_alloc((size_t)n_elements, sizeof *line); /* along x */
    if (!line)
        return sac_fail(err, SAC_E_NOMEM, "transmits: no memory for %" PRId32 " lines", n_elements);
    for (int32_t i = 0; i < n_elements; i++) {
        sac_element_init(&line[i]);
        line[i].position_m[0] = elements[i].position_m[i < n_rows];
    }
    sac_status st = sac_transmits_parse(transmits, &n_by[0], max, text, line, n_lines[0], err);
    if (!st)
        st = sac_transmits_parse(transmits + n_by[0], &n_by[1], max - n_by[0], text, line + n_rows,
                                 n_lines[1], err);
    sac_free(line);
    return st;
}
