/*
 * Waves of the ultrasound simulator: the pulse, the ways, what a scatterer sees, what elements
 * receive.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/simulate/simulator.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/acquisition.h"
#include "beamform/kernels/das/das.h"

#define PI 3.14159265358979323846

#define SUBSTEPS 64      /* places of the pulse between two fine samples; linear between: 1e-6 */
#define PULSE_SIGMAS 5.0 /* the pulse's half length: its envelope is 4e-6 there */
#define TRIM 1e-6f       /* a waveform's ends below this share of its peak are left out */

sac_status sac_sim_pulse(sac_simulation *s, sac_error *err)
{
    const sac_acquisition *a = s->acquisition;
    double bandwidth = a->bandwidth > 0 ? a->bandwidth : 0.7;
    double sigma_s = sqrt(2 * log(2)) / (PI * bandwidth * a->fc_hz);
    s->pulse_half = (int32_t)ceil(PULSE_SIGMAS * sigma_s * s->rate_hz);
    s->pulse_length = 2 * s->pulse_half + 2; /* the last places of the pulse reach one further */
    s->pulse = sac_alloc((size_t)s->pulse_length * (SUBSTEPS + 1), sizeof *s->pulse);
    if (!s->pulse)
        return sac_fail(err, SAC_E_NOMEM, "simulate: no memory for the pulse");
    for (int32_t k = 0; k <= SUBSTEPS; k++)
        for (int32_t i = 0; i < s->pulse_length; i++) {
            double t = (i - s->pulse_half - (double)k / SUBSTEPS) / s->rate_hz;
            s->pulse[(int64_t)k * s->pulse_length + i] =
                (float)(exp(-t * t / (2 * sigma_s * sigma_s)) * cos(2 * PI * a->fc_hz * t));
        }
    return SAC_OK;
}

#define PIECE 0.25 /* of a wavelength: the longest piece of a line */

/* Tukey's window at 0 < x < 1 of a line, whose ends fall off over `taper` of it. */
static double taper_at(double x, double taper)
{
    const double edge = 0.5 * taper, from_end = x < 0.5 ? x : 1 - x;
    return from_end >= edge ? 1 : 0.5 - 0.5 * cos(PI * from_end / edge);
}

/* What an element is cut along: a line's length, or the height of one that focuses. */
static double cut_length_m(const sac_simulation *s, int32_t e)
{
    const double length_m = sac_acquisition_line_m(s->acquisition, e);
    return length_m > 0 || s->desc->elevation_focus_m == 0 ? length_m
                                                           : s->acquisition->elements[e].height_m;
}

static int32_t count_pieces(const sac_simulation *s, int32_t e)
{
    const double length_m = cut_length_m(s, e);
    return length_m > 0 ? (int32_t)fmin(1e6, ceil(length_m / (PIECE * s->lambda_m))) : 1;
}

static void cut_element(sac_sim_piece *pieces, const sac_simulation *s, int32_t e, int32_t n)
{
    const sac_acquisition *a = s->acquisition;
    const double length_m = cut_length_m(s, e), focus_m = s->desc->elevation_focus_m;
    const bool line = sac_acquisition_line_m(a, e) > 0;
    const bool row = line && a->shapes[e] == SAC_SHAPE_ROW;
    for (int32_t i = 0; i < n; i++) {
        sac_sim_piece *p = &pieces[i];
        const double x = (i + 0.5) / n, along_m = (x - 0.5) * length_m;
        *p = (sac_sim_piece){a->elements[e], e, 1, 0};
        if (!(length_m > 0))
            continue;
        p->element.position_m[row ? 0 : 1] += along_m;
        *(row ? &p->element.width_m : &p->element.height_m) = length_m / n;
        p->weight = (float)((line ? taper_at(x, a->line_taper) : 1) / n);
        if (focus_m > 0 && !line)
            p->delay_s = (focus_m - hypot(focus_m, along_m)) / a->c_m_s;
    }
}

sac_status sac_sim_cut(sac_simulation *s, sac_error *err)
{
    const int32_t n = s->acquisition->n_elements;
    int64_t all = 0;
    s->first_piece = sac_alloc((size_t)n + 1, sizeof *s->first_piece);
    for (int32_t e = 0; e < n && s->first_piece && all < INT32_MAX / 2; e++) {
        s->first_piece[e] = (int32_t)all;
        all += count_pieces(s, e);
        s->first_piece[e + 1] = (int32_t)all;
    }
    s->pieces =
        s->first_piece && all < INT32_MAX / 2 ? sac_alloc((size_t)all, sizeof *s->pieces) : NULL;
    if (!s->pieces)
        return sac_fail(err, SAC_E_NOMEM, "simulate: no memory for lines in %lld pieces",
                        (long long)all);
    s->n_pieces = (int32_t)all;
    for (int32_t e = 0; e < n; e++)
        cut_element(s->pieces + s->first_piece[e], s, e, s->first_piece[e + 1] - s->first_piece[e]);
    const int64_t most = SAC_SIM_WAYS / s->n_pieces;
    s->most = most < 1 ? 1 : most > SAC_SIM_CHUNK ? SAC_SIM_CHUNK : (int32_t)most;
    return SAC_OK;
}

static double sinc(double x)
{
    return fabs(x) < 1e-9 ? 1 : sin(PI * x) / (PI * x);
}

/* D(e, p) for a direction, a unit vector. */
static double directivity(const sac_element *e, const double direction[3], double lambda_m)
{
    const double *n = e->normal, *v = direction;
    double cosine = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    if (!(cosine > 0))
        return 0;
    /* Along the width: y x normal; where the normal is along y itself, x. */
    double flat = hypot(n[0], n[2]);
    double u[3] = {flat > 1e-9 ? n[2] / flat : 1, 0, flat > 1e-9 ? -n[0] / flat : 0};
    double w[3] = {n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
    double along = v[0] * u[0] + v[1] * u[1] + v[2] * u[2];
    double across = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
    return sinc(e->width_m * along / lambda_m) * sinc(e->height_m * across / lambda_m) * cosine;
}

/* From an element to a scatterer at p, d_m away. */
static double way_s(const sac_simulation *s, const sac_layer *path, int32_t n, const sac_element *e,
                    const double p[3], double d_m)
{
    if (n == 0)
        return d_m / s->acquisition->c_m_s;
    return sac_layers_time_s(path, n, hypot(p[0] - e->position_m[0], p[1] - e->position_m[1]));
}

/* The ways between one scatterer of the chunk and every piece. */
void sac_sim_geometry(void *arg, int32_t i)
{
    sac_simulation *s = arg;
    int32_t n = s->n_pieces;
    const double *p = s->desc->scatterers[s->first + i].position_m;
    sac_layer path[SAC_LAYERS_PATH];
    const int32_t n_path = sac_layers_path(path, &s->layers, p[2]);
    for (int32_t r = 0; r < n; r++) {
        const sac_element *e = &s->pieces[r].element;
        double d = sac_distance(p, e->position_m), direction[3];
        for (int axis = 0; axis < 3; axis++)
            direction[axis] = d > 0 ? (p[axis] - e->position_m[axis]) / d : e->normal[axis];
        double gain = directivity(e, direction, s->lambda_m) * exp(-s->attenuation * d);
        s->delay_s[(int64_t)i * n + r] = way_s(s, path, n_path, e, p, d) + s->pieces[r].delay_s;
        s->gain[(int64_t)i * n + r] = s->pieces[r].weight * (float)(gain / fmax(d, s->lambda_m));
    }
}

/* line += gain pulse(. - at), `at` in fine samples from line[0] on. */
static void add_pulse(float *restrict line, const sac_simulation *s, double at, float gain)
{
    double whole = floor(at);
    double sub = (at - whole) * SUBSTEPS;
    int32_t k = sub < SUBSTEPS ? (int32_t)sub : SUBSTEPS - 1;
    float b = gain * (float)(sub - k), a = gain - b;
    const float *restrict p = s->pulse + (int64_t)k * s->pulse_length;
    const float *restrict q = p + s->pulse_length;
    line += (int64_t)whole - s->pulse_half;
    for (int32_t i = 0; i < s->pulse_length; i++)
        line[i] += a * p[i] + b * q[i];
}

/* Cuts the line's silent ends, and lays it out in phases. */
static void lay_out(sac_sim_wave *w, const sac_simulation *s, int64_t first, int64_t n)
{
    float peak = 0;
    for (int64_t i = 0; i < n; i++)
        peak = fmaxf(peak, fabsf(w->line[i]));
    int64_t begin = 0, end = n;
    while (begin < end && !(fabsf(w->line[begin]) > TRIM * peak))
        begin++;
    while (end > begin && !(fabsf(w->line[end - 1]) > TRIM * peak))
        end--;
    w->first = first + begin;
    w->n = (int32_t)((end - begin + s->over - 1) / s->over);
    int32_t stride = w->n + 2 * SAC_SIM_PAD;
    memset(w->fine, 0, (size_t)stride * (size_t)s->over * sizeof *w->fine);
    for (int32_t k = 0; k < s->over; k++)
        for (int64_t m = 0, i = begin + k; i < end; m++, i += s->over)
            w->fine[(int64_t)k * stride + SAC_SIM_PAD + m] = w->line[i];
}

/* The transmit's waveform at one scatterer of the chunk. */
void sac_sim_wave_at(void *arg, int32_t i)
{
    sac_simulation *s = arg;
    sac_sim_wave *w = &s->waves[i];
    int32_t n = s->n_pieces;
    const double *delay_s = s->delay_s + (int64_t)i * n;
    const float *gain = s->gain + (int64_t)i * n;
    double amplitude = s->desc->scatterers[s->first + i].amplitude;
    double early = INFINITY, late = -INFINITY;
    for (int32_t e = 0; e < n; e++) {
        double at = gain[e] != 0 ? s->fire_s[s->pieces[e].of] + delay_s[e] : NAN;
        early = fmin(early, at); /* NaN gives way */
        late = fmax(late, at);
    }
    w->n = 0;
    if (!(late >= early) || amplitude == 0)
        return;
    double start = floor(early * s->rate_hz) - s->pulse_half;
    int64_t length = (int64_t)(late * s->rate_hz - start) + s->pulse_length + 1;
    memset(w->line, 0, (size_t)length * sizeof *w->line);
    for (int32_t e = 0; e < n; e++) {
        const int32_t of = s->pieces[e].of;
        double at = (s->fire_s[of] + delay_s[e]) * s->rate_hz - start;
        if (gain[e] != 0 && !isnan(at))
            add_pulse(
                w->line, s, at,
                (float)(amplitude * sac_acquisition_amplitude(s->acquisition, s->transmit, of)) *
                    gain[e]);
    }
    lay_out(w, s, (int64_t)start, length);
}

/* Weights of the cubic through samples -1, 0, 1, 2 at 0 <= f < 1 (Lagrange's). */
static void cubic(float weight[SAC_SIM_TAPS], double f, float gain)
{
    weight[0] = gain * (float)(-f * (f - 1) * (f - 2) / 6);
    weight[1] = gain * (float)((f + 1) * (f - 1) * (f - 2) / 2);
    weight[2] = gain * (float)(-(f + 1) * f * (f - 2) / 2);
    weight[3] = gain * (float)((f + 1) * f * (f - 1) / 6);
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* record[j] += gain wave at (t0 + j / fs - delay). */
static void receive(float *restrict record, const sac_simulation *s, const sac_sim_wave *w,
                    double delay_s, float gain)
{
    double start = (s->acquisition->transmits[s->transmit].t0_s - delay_s) * s->rate_hz;
    double whole = floor(start);
    float c[SAC_SIM_TAPS];
    const float *tap[SAC_SIM_TAPS];
    cubic(c, start - whole, gain);
    /* Sample j reads, with tap i, phase k of place j + at + carry. */
    int64_t from = (int64_t)whole - w->first - 1;
    int64_t at = floor_divide(from, s->over);
    int64_t begin = -at - SAC_SIM_PAD > 0 ? -at - SAC_SIM_PAD : 0;
    int64_t end = w->n - at < s->desc->n_samples ? w->n - at : s->desc->n_samples;
    if (begin >= end)
        return;
    for (int i = 0; i < SAC_SIM_TAPS; i++) {
        int64_t k = from + i - at * s->over;
        tap[i] = w->fine + (k % s->over) * (w->n + 2 * SAC_SIM_PAD) + SAC_SIM_PAD + k / s->over +
                 at + begin;
    }
    record += begin;
    for (int64_t j = 0; j < end - begin; j++)
        record[j] += (c[0] * tap[0][j] + c[1] * tap[1][j]) + (c[2] * tap[2][j] + c[3] * tap[3][j]);
}

/* A group of elements receives the chunk. */
void sac_sim_receive(void *arg, int32_t group)
{
    sac_simulation *s = arg;
    int32_t n = s->acquisition->n_elements, begin = group * SAC_SIM_GROUP;
    int32_t end = begin + SAC_SIM_GROUP < n ? begin + SAC_SIM_GROUP : n;
    for (int32_t i = 0; i < s->n_chunk; i++) {
        const sac_sim_wave *w = &s->waves[i];
        const int32_t first = s->first_piece[begin], last = s->first_piece[end];
        for (int32_t k = first; k < last && w->n > 0; k++) {
            const int32_t r = s->pieces[k].of;
            int64_t at = (int64_t)i * s->n_pieces + k;
            int64_t record = (int64_t)s->transmit * n + r;
            if (s->gain[at] != 0 && sac_acquisition_receives(s->acquisition, s->transmit, r))
                receive(s->out + record * s->desc->n_samples, s, w, s->delay_s[at], s->gain[at]);
        }
    }
}
