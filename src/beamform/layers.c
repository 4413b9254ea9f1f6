/*
 * Layers of different speed of sound: their text, and times through them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/layers.h"

#include <math.h>

#include "base/numbers.h"

#define LEAST_SPEED 100.0 /* m/s, as of the acquisition */
#define MOST_SPEED 20000.0
#define MOST_MM 1000.0
#define MOST_STEPS 100 /* of Newton's way: fewer than 10 but where the fastest layer is thin */
#define CHECKS 32      /* places where the hyperbola is compared */

/* A number within bounds that `end_with` ends. */
static bool read_number(double *out, const char **text, char end_with, double least, double most)
{
    const char *end;
    *out = sac_number_read(*text, &end);
    const bool ok = end != *text && *end == end_with && *out >= least && *out <= most;
    *text = ok && end_with ? end + 1 : end;
    return ok;
}

/* "MM:M_S" up to `end_with`. */
static bool read_layer(sac_layer *layer, const char **text, char end_with)
{
    const bool ok = read_number(&layer->thickness_m, text, ':', 1e-6, MOST_MM) &&
                    read_number(&layer->c_m_s, text, end_with, LEAST_SPEED, MOST_SPEED);
    layer->thickness_m *= 1e-3;
    return ok;
}

static bool read_layers(sac_layers *out, const char *text)
{
    const int32_t first = out->n;
    for (;;) {
        sac_layer *layer = &out->layer[out->n];
        const char *from = text;
        if (out->n - first == SAC_LAYERS)
            return false;
        if (read_layer(layer, &text, ',')) {
            out->n++;
            continue;
        }
        layer->thickness_m = INFINITY;
        out->n++;
        return read_number(&layer->c_m_s, &from, '\0', LEAST_SPEED, MOST_SPEED);
    }
}

sac_status sac_layers_read(sac_layers *out, const char *lens, const char *layers, double c_m_s,
                           sac_error *err)
{
    const char *rest = lens;
    *out = (sac_layers){0};
    if (lens && !read_layer(&out->layer[0], &rest, '\0'))
        return sac_fail(err, SAC_E_INVALID,
                        "lens: expected MM:M_S, its thickness (at most %g mm) and its speed of "
                        "sound (%g to %g m/s), as 1:1000, got `%s`",
                        MOST_MM, LEAST_SPEED, MOST_SPEED, lens);
    out->n = lens ? 1 : 0;
    out->lens_m = out->layer[0].thickness_m;
    if (lens && !layers)
        out->layer[out->n++] = (sac_layer){INFINITY, c_m_s};
    if (layers && !read_layers(out, layers))
        return sac_fail(err, SAC_E_INVALID,
                        "layers: expected MM:M_S,...,M_S: thickness (at most %g mm) and speed of "
                        "sound (%g to %g m/s) of up to %d layers from the probe on, the last "
                        "without end, as 5:1450,1540; got `%s`",
                        MOST_MM, LEAST_SPEED, MOST_SPEED, SAC_LAYERS, layers);
    return SAC_OK;
}

sac_status sac_layers_check(const sac_acquisition *a, sac_error *err)
{
    for (int32_t e = 0; e < a->n_elements; e++) {
        const sac_element *own = &a->elements[e];
        if (a->shapes && a->shapes[e] != SAC_SHAPE_AREA)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "layers: element %d is a line: delays through layers or a lens are not "
                            "known of rows and columns",
                            e);
        if (own->position_m[2] != 0 || own->normal[2] != 1)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "layers: element %d does not lie at z = 0 and face z: layers and lens "
                            "are flat, and need a flat array",
                            e);
    }
    return SAC_OK;
}

int32_t sac_layers_path(sac_layer path[SAC_LAYERS_PATH], const sac_layers *layers, double z_m)
{
    double left_m = z_m + layers->lens_m;
    int32_t n = 0;
    for (; n < layers->n && (left_m > 0 || n == 0); n++) {
        path[n] = layers->layer[n];
        path[n].thickness_m = fmin(path[n].thickness_m, left_m);
        left_m -= path[n].thickness_m;
    }
    return n;
}

/* Rays of the slowness p along the layers: how far across they go, and that's derivative. */
static double across_of(double *derivative, const sac_layer *path, int32_t n, double p)
{
    double across = 0;
    *derivative = 0;
    for (int32_t i = 0; i < n; i++) {
        const double sine = p * path[i].c_m_s, cosine2 = 1 - sine * sine, cosine = sqrt(cosine2);
        across += path[i].thickness_m * sine / cosine;
        *derivative += path[i].thickness_m * path[i].c_m_s / (cosine2 * cosine);
    }
    return across;
}

double sac_layers_plane_s(const sac_layer *path, int32_t n, double slowness_s_m)
{
    double time_s = 0;
    for (int32_t i = 0; i < n; i++) {
        const double sine = slowness_s_m * path[i].c_m_s;
        time_s += path[i].thickness_m * sqrt((1 - sine) * (1 + sine)) / path[i].c_m_s;
    }
    return time_s;
}

/*
 * Newton's way in q, the tangent of the ray's angle in the fastest layer. The distance across is
 * concave in it, and no more than its slope at 0 says: from the q of that slope on each step falls
 * short of the root or meets it. A time has no slope at the ray: it is wrong by the square of what
 * is left.
 */
double sac_layers_time_s(const sac_layer *path, int32_t n, double across_m)
{
    double fastest = 0, at_0 = 0; /* at_0: that slope, times the fastest speed */
    for (int32_t i = 0; i < n; i++) {
        fastest = path[i].thickness_m > 0 ? fmax(fastest, path[i].c_m_s) : fastest;
        at_0 += path[i].thickness_m * path[i].c_m_s;
    }
    if (fastest == 0)
        return across_m / path[n - 1].c_m_s; /* along the surface */
    double q = across_m * fastest / at_0, p = q / (fastest * sqrt(1 + q * q));
    for (int32_t step = 0; step < MOST_STEPS; step++) {
        double slope;
        const double left = across_m - across_of(&slope, path, n, p);
        if (left <= 1e-7 * across_m)
            break;
        q += left * fastest * (1 + q * q) * sqrt(1 + q * q) / slope;
        p = q / (fastest * sqrt(1 + q * q));
    }
    return p * across_m + sac_layers_plane_s(path, n, p);
}

double sac_layers_error_s(const sac_layer *path, int32_t n, const sac_hyperbola *h)
{
    double most = 0;
    for (int32_t k = 0; k <= CHECKS; k++) {
        const double across = h->reach_m * k / CHECKS;
        const double time_s = h->shift_s + hypot(h->depth_s, h->slowness_s_m * across);
        most = fmax(most, fabs(time_s - sac_layers_time_s(path, n, across)));
    }
    return most;
}

sac_hyperbola sac_layers_fit(const sac_layer *path, int32_t n, double reach_m)
{
    sac_hyperbola h = {.reach_m = reach_m};
    const double at_0 = sac_layers_time_s(path, n, 0);
    const double a = sac_layers_time_s(path, n, reach_m * sqrt(0.5)) - at_0;
    const double b = sac_layers_time_s(path, n, reach_m) - at_0;
    h.depth_s = (b * b - 2 * a * a) / (2 * (2 * a - b));
    h.shift_s = at_0 - h.depth_s;
    h.slowness_s_m = sqrt(b * (2 * h.depth_s + b)) / reach_m;
    return h;
}

sac_hyperbola sac_layers_fit_to(const sac_layer *path, int32_t n, double reach_m,
                                double slowness_s_m)
{
    sac_hyperbola h = {.reach_m = reach_m, .slowness_s_m = slowness_s_m};
    const double at_0 = sac_layers_time_s(path, n, 0);
    const double b = sac_layers_time_s(path, n, reach_m) - at_0, far_s = slowness_s_m * reach_m;
    h.depth_s = (far_s - b) * (far_s + b) / (2 * b);
    h.shift_s = at_0 - h.depth_s;
    return h;
}
