/*
 * The ultrasound simulator against a direct sum in double precision, and the physics it promises:
 * times of arrival, directivity, attenuation, an elevation focus.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "simulated.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulate_any_transmit_echoes_at_the_exact_time),
        cmocka_unit_test(simulate_any_transmit_matches_the_direct_sum),
        cmocka_unit_test(simulate_an_oblique_echo_is_weakened_by_both_directivities),
        cmocka_unit_test(simulate_attenuation_falls_by_its_slope),
        cmocka_unit_test(simulate_an_elevation_focus_is_where_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
