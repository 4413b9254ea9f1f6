/*
 * The ultrasound simulator against a direct sum in double precision, and the physics it promises:
 * times of arrival, directivity, attenuation, noise.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/simulate.h>

#include "beamform/kernels/das/das.h"
#include "refusal.h"

#define PI 3.14159265358979323846
#define N_MOST 1024 /* elements */
#define N_ARRAY 64
#define N_SAMPLES 1500 /* at 20 MHz: 57 mm there and back */

static sac_element elements[N_MOST];
static sac_transmit transmit;
static sac_scatterer scatterer;
static float record[N_MOST * N_SAMPLES];

static void assert_near(double came, double wanted, double tolerance)
{
    if (!(fabs(came - wanted) <= tolerance))
        fail_msg("expected %.9g within %.3g, got %.9g", wanted, tolerance, came);
}

static sac_acquisition an_acquisition(int32_t n_elements)
{
    sac_acquisition a;
    sac_acquisition_init(&a);
    a.n_elements = n_elements;
    a.elements = elements;
    a.n_transmits = 1;
    a.transmits = &transmit;
    a.fs_hz = 20e6;
    a.fc_hz = 5e6;
    a.bandwidth = 0.6;
    return a;
}

static sac_ultrasound_desc a_desc(const sac_acquisition *a)
{
    sac_ultrasound_desc desc;
    sac_ultrasound_desc_init(&desc);
    desc.acquisition = a;
    desc.scatterers = &scatterer;
    desc.n_scatterers = 1;
    desc.n_samples = N_SAMPLES;
    desc.n_threads = 1;
    return desc;
}

static sac_status run(const sac_ultrasound_desc *desc, sac_error *err)
{
    const sac_acquisition *a = desc->acquisition;
    const int64_t shape[3] = {a->n_transmits, a->n_elements, desc->n_samples};
    sac_array out;
    memset(record, 0xff, sizeof record); /* NaN: whatever is not written would be seen */
    assert_ok(sac_array_view(&out, record, SAC_F32, 3, shape, err), err);
    return sac_simulate_ultrasound(&out, desc, err);
}

static void simulate(const sac_ultrasound_desc *desc)
{
    sac_error err = {0};
    assert_ok(run(desc, &err), &err);
}

/* Linear arrays of point-like elements at 0.2 mm, or 8 x 8 of them. */
static sac_acquisition an_array(bool matrix)
{
    if (matrix)
        sac_probe_matrix(elements, 8, 8, 0.3e-3, 0.25e-3);
    else
        sac_probe_linear(elements, N_ARRAY, 0.2e-3, 0.18e-3, 0);
    return an_acquisition(N_ARRAY);
}

static double sigma_s(const sac_acquisition *a)
{
    return 2 * sqrt(2 * log(2)) / (2 * PI * a->bandwidth * a->fc_hz);
}

/* The envelope's peak of record r near `around`: of its product with the pulse's own shape. */
static double arrival_s(const sac_acquisition *a, int32_t r, double around)
{
    const double step = 0.02 / a->fs_hz, sigma = sigma_s(a);
    double best = -1, at = NAN;
    for (double t = around - 2 / a->fc_hz; t < around + 2 / a->fc_hz; t += step) {
        double re = 0, im = 0;
        for (int32_t j = 0; j < N_SAMPLES; j++) {
            double u = transmit.t0_s + j / a->fs_hz - t;
            if (fabs(u) < 5 * sigma) {
                double w = record[r * N_SAMPLES + j] * exp(-u * u / (2 * sigma * sigma));
                re += w * cos(2 * PI * a->fc_hz * u);
                im += w * sin(2 * PI * a->fc_hz * u);
            }
        }
        if (re * re + im * im > best) {
            best = re * re + im * im;
            at = t;
        }
    }
    return at;
}

static void assert_arrivals(const sac_acquisition *a, const char *what)
{
    for (int32_t r = 0; r < a->n_elements; r += 9) {
        const double *p = scatterer.position_m;
        double wanted = sac_das_arrival_s(&transmit, elements, a->n_elements, a->c_m_s, p, 0) +
                        sac_distance(p, elements[r].position_m) / a->c_m_s;
        double came = arrival_s(a, r, wanted);
        if (!(fabs(came - wanted) * a->fs_hz < 0.1))
            fail_msg("%s, element %d: echo at sample %.3f, wanted %.3f", what, r, came * a->fs_hz,
                     wanted * a->fs_hz);
    }
}

static double delays[N_MOST];

/* One transmit of each kind that an array can send. */
static const char *set_transmit(int kind, const sac_acquisition *a, bool matrix)
{
    static const char *const names[] = {"plane", "diverging", "focused", "element", "delays"};
    sac_transmit_init(&transmit, (sac_transmit_kind)kind);
    transmit.azimuth_rad = 0.1;
    transmit.elevation_rad = matrix ? -0.05 : 0;
    transmit.element = 20;
    transmit.delays_s = delays;
    transmit.t0_s = 3e-6;
    double z = kind == SAC_TRANSMIT_FOCUSED ? 22e-3 : -8e-3;
    transmit.source_m[0] = kind == SAC_TRANSMIT_FOCUSED ? 1e-3 : 2e-3;
    transmit.source_m[2] = z;
    for (int32_t e = 0; e < a->n_elements; e++)
        delays[e] = e == 5 ? 0.4e-6 : NAN;
    return names[kind];
}

/* Arrays so wide that the waves of their edges come behind the pulse. */
static sac_acquisition a_wide_array(bool matrix)
{
    if (matrix)
        sac_probe_matrix(elements, 32, 32, 0.3e-3, 0.3e-3);
    else
        sac_probe_linear(elements, 128, 0.15e-3, 0.13e-3, 0);
    return an_acquisition(matrix ? 1024 : 128);
}

static void simulate_any_transmit_echoes_at_the_exact_time(void **state)
{
    (void)state;
    for (int matrix = 0; matrix < 2; matrix++) {
        sac_acquisition a = a_wide_array(matrix);
        for (int kind = SAC_TRANSMIT_PLANE; kind <= SAC_TRANSMIT_DELAYS; kind++) {
            const char *name = set_transmit(kind, &a, matrix);
            scatterer = (sac_scatterer){{0.5e-3, matrix ? 0.4e-3 : 0, matrix ? 4e-3 : 8e-3}, 1};
            if (kind == SAC_TRANSMIT_FOCUSED)
                memcpy(transmit.source_m, scatterer.position_m, sizeof transmit.source_m);
            sac_ultrasound_desc desc = a_desc(&a);
            simulate(&desc);
            assert_arrivals(&a, name);
        }
    }
}

static double sinc(double x)
{
    return x == 0 ? 1 : sin(PI * x) / (PI * x);
}

/* One way's weight on a flat array, as simulate.h writes it. */
static double way(const sac_acquisition *a, const sac_element *e, double attenuation)
{
    const double *p = scatterer.position_m;
    double lambda = a->c_m_s / a->fc_hz, d = sac_distance(p, e->position_m);
    double sx = (p[0] - e->position_m[0]) / d, sy = (p[1] - e->position_m[1]) / d;
    return sinc(e->width_m * sx / lambda) * sinc(e->height_m * sy / lambda) * (p[2] / d) / d *
           pow(10, -attenuation * a->fc_hz * 1e-6 * d * 100 / 20);
}

/* Delays that make the wave pass the origin at time 0; NaN where an element does not fire. */
static double fire_s(const sac_acquisition *a, int32_t e)
{
    const double *p = elements[e].position_m, *s = transmit.source_m, origin[3] = {0, 0, 0};
    if (transmit.kind == SAC_TRANSMIT_ELEMENT)
        return e == transmit.element ? 0 : NAN;
    if (transmit.kind == SAC_TRANSMIT_DELAYS)
        return delays[e];
    if (transmit.kind == SAC_TRANSMIT_PLANE)
        return (p[0] * sin(transmit.azimuth_rad) * cos(transmit.elevation_rad) +
                p[1] * sin(transmit.elevation_rad)) /
               a->c_m_s;
    double later = (sac_distance(p, s) - sac_distance(origin, s)) / a->c_m_s;
    return transmit.kind == SAC_TRANSMIT_DIVERGING ? later : -later;
}

/* Relative L2 distance of record r from the direct sum. */
static void add_difference(double *difference, double *whole, const sac_ultrasound_desc *desc,
                           int32_t r)
{
    const sac_acquisition *a = desc->acquisition;
    double sigma = sigma_s(a), attenuation = desc->attenuation_db_cm_mhz;
    for (int32_t j = 0; j < N_SAMPLES; j++) {
        double sum = 0;
        for (int32_t e = 0; e < a->n_elements; e++) {
            double at =
                fire_s(a, e) + (sac_distance(scatterer.position_m, elements[e].position_m) +
                                sac_distance(scatterer.position_m, elements[r].position_m)) /
                                   a->c_m_s;
            double u = transmit.t0_s + j / a->fs_hz - at;
            if (fabs(u) < 6 * sigma)
                sum += way(a, &elements[e], attenuation) * way(a, &elements[r], attenuation) *
                       exp(-u * u / (2 * sigma * sigma)) * cos(2 * PI * a->fc_hz * u);
        }
        sum *= scatterer.amplitude;
        double d = record[r * N_SAMPLES + j] - sum;
        *difference += d * d;
        *whole += sum * sum;
    }
}

static void simulate_any_transmit_matches_the_direct_sum(void **state)
{
    (void)state;
    static const double rates_hz[] = {20e6, 6.7e6, 170e6}; /* 8, 24 and 1 fine samples a sample */
    for (int i = 0; i < 3 * 2 * 5; i++) {
        bool matrix = i / 5 % 2;
        sac_acquisition a = an_array(matrix);
        a.fs_hz = rates_hz[i / 10];
        const char *name = set_transmit(i % 5, &a, matrix);
        scatterer = (sac_scatterer){{-2e-3, matrix ? 1e-3 : 0, 4e-3}, -3};
        transmit.t0_s = i / 10 == 2 ? 3e-6 : 0;
        sac_ultrasound_desc desc = a_desc(&a);
        desc.attenuation_db_cm_mhz = 0.5;
        simulate(&desc);
        double difference = 0, whole = 0;
        for (int32_t r = 0; r < N_ARRAY; r += 21)
            add_difference(&difference, &whole, &desc, r);
        if (!(whole > 0 && sqrt(difference / whole) < 2e-4))
            fail_msg("%s on a %s array, fs %g Hz: differs by %.3g", name,
                     matrix ? "matrix" : "linear", a.fs_hz, sqrt(difference / whole));
    }
}

static float largest(int32_t r)
{
    float peak = 0;
    for (int32_t j = 0; j < N_SAMPLES; j++)
        peak = fmaxf(peak, fabsf(record[r * N_SAMPLES + j]));
    return peak;
}

/* One element at the origin, facing `normal`, sends and receives; the largest sample. */
static double echo(const double normal[3], double width_m, double height_m, const double p[3],
                   double attenuation)
{
    sac_acquisition a = an_acquisition(1);
    a.fs_hz = 40e6; /* the same phase of the samples at the same distance */
    sac_element_init(&elements[0]);
    for (int i = 0; i < 3; i++)
        elements[0].normal[i] = normal[i];
    elements[0].width_m = width_m;
    elements[0].height_m = height_m;
    sac_transmit_init(&transmit, SAC_TRANSMIT_ELEMENT);
    scatterer = (sac_scatterer){{p[0], p[1], p[2]}, 1};
    sac_ultrasound_desc desc = a_desc(&a);
    desc.attenuation_db_cm_mhz = attenuation;
    simulate(&desc);
    return (double)largest(0);
}

static void simulate_an_oblique_echo_is_weakened_by_both_directivities(void **state)
{
    (void)state;
    const double up[3] = {0, 0, 1}, tilted[3] = {0.6, 0, 0.8}, lambda = 1540 / 5e6;
    const double ahead[3] = {0, 0, 10e-3}, x[3] = {6e-3, 0, 8e-3}, y[3] = {0, 6e-3, 8e-3};
    double one = echo(up, lambda, 2 * lambda, ahead, 0);
    double along = sinc(0.6) * 0.8, across = sinc(1.2) * 0.8; /* there, and back again */
    assert_near(echo(up, lambda, 2 * lambda, x, 0) / one, along * along, 1e-3);
    assert_near(echo(up, lambda, 2 * lambda, y, 0) / one, across * across, 1e-3);
    assert_near(echo(tilted, lambda, 2 * lambda, x, 0) / one, 1, 1e-3);
    assert_near(echo(tilted, lambda, 2 * lambda, ahead, 0) / one, along * along, 1e-3);
    const double behind[3] = {0, 0, -10e-3};
    assert_near(echo(up, lambda, 2 * lambda, behind, 0), 0, 0);
}

static void simulate_attenuation_falls_by_its_slope(void **state)
{
    (void)state;
    const double up[3] = {0, 0, 1}, near[3] = {0, 0, 7.7e-3}, far[3] = {0, 0, 15.4e-3};
    double bare = echo(up, 0, 0, near, 0) / echo(up, 0, 0, far, 0);
    assert_near(bare, 4, 1e-3); /* 1/distance, both ways */
    double fall = echo(up, 0, 0, near, 0.5) / echo(up, 0, 0, far, 0.5) / bare;
    assert_near(20 * log10(fall), 0.5 * 5 * 2 * 0.77, 1e-2);
}

/* The echo's size, of the one element. */
static double echo_at(const sac_ultrasound_desc *desc, double y_m, double z_m)
{
    double sum = 0;
    scatterer.position_m[1] = y_m;
    scatterer.position_m[2] = z_m;
    simulate(desc);
    for (int32_t j = 0; j < N_SAMPLES; j++)
        sum += (double)record[j] * (double)record[j];
    return sqrt(sum);
}

/* At the focus across the array a beam is the sinc of a flat aperture far away, both ways;
 * elsewhere on the axis it is weaker than there. */
static void simulate_an_elevation_focus_is_where_it_should(void **state)
{
    (void)state;
    const double height_m = 6e-3, focus_m = 20e-3;
    sac_element_init(&elements[0]);
    sac_transmit_init(&transmit, SAC_TRANSMIT_ELEMENT);
    sac_acquisition a = an_acquisition(1);
    a.bandwidth = 0.1;
    sac_ultrasound_desc desc = a_desc(&a);
    scatterer = (sac_scatterer){{0, 0, 0}, 1};
    const double of_point = echo_at(&desc, 0, focus_m);
    elements[0].height_m = height_m;
    desc.elevation_focus_m = focus_m;
    const double most = echo_at(&desc, 0, focus_m);
    assert_near(arrival_s(&a, 0, 2 * focus_m / a.c_m_s), 2 * focus_m / a.c_m_s, 2e-9);
    assert_near(most / of_point, 1, 0.02);
    for (int k = 1; k <= 4; k++) {
        const double u = 0.25 * k, sinc = sin(PI * u) / (PI * u);
        const double y_m = u * a.c_m_s / a.fc_hz * focus_m / height_m;
        assert_near(echo_at(&desc, y_m, focus_m) / most, sinc * sinc, 0.02);
    }
    assert_true(echo_at(&desc, 0, 2 * focus_m) < 0.25 * most / 1.5);
    desc.elevation_focus_m = 0; /* flat, and as if far away */
    assert_near(echo_at(&desc, 0, focus_m) / of_point, 1, 1e-6);
}

static void simulate_noise_lies_where_it_should(void **state)
{
    (void)state;
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_ELEMENT, &a, false);
    scatterer = (sac_scatterer){{0, 0, 40e-3}, 1};
    sac_ultrasound_desc desc = a_desc(&a);
    simulate(&desc);
    double peak = 0, power = 0, lag = 0;
    for (int32_t r = 0; r < N_ARRAY; r++)
        peak = fmax(peak, (double)largest(r));
    desc.noise_db = 30;
    desc.seed = 7;
    simulate(&desc);
    const int32_t quiet = 600; /* samples before the echo */
    for (int32_t r = 0; r < N_ARRAY; r++)
        for (int32_t j = 0; j < quiet; j++) {
            double x = (double)record[r * N_SAMPLES + j];
            power += x * x;
            lag += j > 0 ? x * (double)record[r * N_SAMPLES + j - 1] : 0;
        }
    /* 38,400 samples: the power is known to 0.7 %. */
    assert_near(10 * log10(power / (N_ARRAY * quiet)), 20 * log10(peak) - 30, 0.1);
    assert_true(fabs(lag / power) < 0.02);
    float before = record[0];
    desc.seed = 8;
    simulate(&desc);
    assert_true(before != record[0]);
}

static void simulate_at_any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    enum { N = 150 };
    static sac_scatterer scatterers[N];
    static float first[N_ARRAY * N_SAMPLES];
    sac_phantom_desc phantom;
    sac_phantom_desc_init(&phantom);
    phantom.kind = SAC_PHANTOM_CYST;
    phantom.n_scatterers = N - 4;
    assert_int_equal(sac_phantom_count(&phantom), N);
    sac_phantom_fill(scatterers, &phantom);
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    sac_ultrasound_desc desc = a_desc(&a);
    desc.scatterers = scatterers;
    desc.n_scatterers = N;
    desc.noise_db = 40;
    for (int32_t threads = 1; threads <= 7; threads += 2) {
        desc.n_threads = threads;
        simulate(&desc);
        if (threads == 1)
            memcpy(first, record, sizeof first);
        assert_memory_equal(first, record, sizeof first);
    }
}

static void simulate_outside_the_record_stays_silent(void **state)
{
    (void)state;
    sac_acquisition a = an_array(false);
    for (int early = 0; early < 2; early++) {
        set_transmit(SAC_TRANSMIT_PLANE, &a, false);
        transmit.t0_s = early ? -500e-6 : 500e-6;
        scatterer = (sac_scatterer){{0, 0, 20e-3}, 1};
        sac_ultrasound_desc desc = a_desc(&a);
        simulate(&desc);
        for (int32_t r = 0; r < N_ARRAY; r++)
            assert_true(largest(r) == 0);
    }
}

static bool stop(void *ctx, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    return --*(int *)ctx > 0;
}

static void simulate_cancelled_says_so(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    sac_ultrasound_desc desc = a_desc(&a);
    int calls = 1;
    desc.progress = stop;
    desc.progress_ctx = &calls;
    assert_int_equal(run(&desc, &err), SAC_CANCELLED);
    assert_int_equal(calls, 0);
}

static void assert_refused(const sac_ultrasound_desc *desc, const char *word)
{
    sac_error err = {0};
    sac_status came = run(desc, &err);
    assert_failed(came, SAC_E_INVALID, &err, word);
}

static void simulate_bad_input_is_refused_by_name(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    scatterer = (sac_scatterer){{0, 0, 20e-3}, 1};
    sac_ultrasound_desc desc = a_desc(&a), good = desc;
    const sac_acquisition sound = a;
    desc.n_scatterers = 0;
    assert_refused(&desc, "scatterers");
    desc = good;
    desc.attenuation_db_cm_mhz = NAN;
    assert_refused(&desc, "attenuation");
    desc = good;
    desc.noise_db = -1;
    assert_refused(&desc, "noise");
    desc = good;
    desc.struct_size = 1;
    assert_refused(&desc, "struct_size");
    desc = good;
    desc.elevation_focus_m = -1;
    assert_refused(&desc, "elevation_focus_m: expected 0 to");
    desc.elevation_focus_m = 20e-3;
    assert_refused(&desc, "element 0 has no height");
    desc = good;
    scatterer.position_m[1] = INFINITY;
    assert_refused(&desc, "scatterer 0");
    scatterer.position_m[1] = 1e12;
    assert_refused(&desc, "too long");
    scatterer.position_m[1] = 0;
    a.bandwidth = 1e-9;
    assert_refused(&desc, "bandwidth");
    a = sound;
    a.fs_hz = 1;
    assert_refused(&desc, "fs");
    a = sound;
    transmit.kind = SAC_TRANSMIT_ARRIVALS;
    transmit.arrivals_s = delays;
    assert_refused(&desc, "arrivals");
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    transmit.t0_s = 1e30;
    assert_refused(&desc, "too long");
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    const int64_t shape[3] = {1, N_ARRAY, N_SAMPLES - 1};
    sac_array out;
    assert_ok(sac_array_view(&out, record, SAC_F32, 3, shape, &err), &err);
    assert_failed(sac_simulate_ultrasound(&out, &desc, &err), SAC_E_SHAPE, &err, "out");
}

static void simulate_without_memory_is_refused(void **state)
{
    (void)state;
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    sac_ultrasound_desc desc = a_desc(&a);
    for (int n = 0;; n++) {
        sac_error err = {0};
        refuse_from(n);
        sac_status came = run(&desc, &err);
        sac_alloc_hook(NULL);
        if (came == SAC_OK)
            return;
        assert_failed(came, SAC_E_NOMEM, &err, "memory");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulate_any_transmit_echoes_at_the_exact_time),
        cmocka_unit_test(simulate_any_transmit_matches_the_direct_sum),
        cmocka_unit_test(simulate_an_oblique_echo_is_weakened_by_both_directivities),
        cmocka_unit_test(simulate_attenuation_falls_by_its_slope),
        cmocka_unit_test(simulate_an_elevation_focus_is_where_it_should),
        cmocka_unit_test(simulate_noise_lies_where_it_should),
        cmocka_unit_test(simulate_at_any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(simulate_outside_the_record_stays_silent),
        cmocka_unit_test(simulate_cancelled_says_so),
        cmocka_unit_test(simulate_bad_input_is_refused_by_name),
        cmocka_unit_test(simulate_without_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
