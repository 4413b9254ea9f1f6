/*
 * Numbers have points in a program whose language writes commas.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <locale.h>
#include <stdio.h>

#include <saccade/beamform.h>
#include <saccade/equalize.h>
#include <saccade/param.h>
#include <saccade/recording.h>

#include "base/numbers.h"

/* Sets a language with commas; false: this machine has none of these. */
static bool take_commas(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_BE.UTF-8",
                                        "es_ES.UTF-8", "pt_BR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i]))
            return strcmp(localeconv()->decimal_point, ",") == 0;
    return false;
}

static void number_read_takes_points_and_says_what_follows(void **state)
{
    (void)state;
    const char *end;
    assert_true(sac_number_read("2.5 m", &end) == 2.5);
    assert_string_equal(end, " m");
    assert_true(sac_number_read("2,5", &end) == 2);
    assert_string_equal(end, ",5");
    const char *none = "no number";
    assert_true(sac_number_read(none, &end) == 0);
    assert_ptr_equal(end, none);
}

static void numbers_end_gives_the_language_back(void **state)
{
    (void)state;
    sac_numbers numbers;
    sac_error err = {0};
    char before[16], after[16], plain[16];
    snprintf(before, sizeof before, "%.1f", 0.5);
    assert_ok(sac_numbers_begin(&numbers, &err), &err);
    snprintf(plain, sizeof plain, "%.1f", 0.5);
    sac_numbers_end(&numbers);
    snprintf(after, sizeof after, "%.1f", 0.5);
    assert_string_equal(plain, "0.5");
    assert_string_equal(after, before);
}

static void param_of_a_float_is_read_and_written_with_a_point(void **state)
{
    (void)state;
    const sac_param_table *table = sac_equalize_params();
    sac_equalize_desc desc;
    sac_error err = {0};
    char text[16] = "";
    sac_equalize_desc_init(&desc);
    assert_ok(sac_param_set(table, &desc, "clip", "2.5", &err), &err);
    assert_true(desc.clip == 2.5);
    for (int32_t i = 0; i < table->n_params; i++)
        if (!strcmp(table->params[i].name, "clip"))
            sac_param_get(&table->params[i], &desc, text, sizeof text);
    assert_string_equal(text, "2.5");
}

static void apodization_of_a_share_has_a_point(void **state)
{
    (void)state;
    sac_element elements[4];
    sac_transmit transmit;
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    sac_beamform *plan = NULL;
    sac_error err = {0};
    sac_probe_linear(elements, 4, 3e-4, 2e-4, 0);
    sac_transmit_init(&transmit, SAC_TRANSMIT_PLANE);
    sac_acquisition_init(&acquisition);
    acquisition.n_elements = 4, acquisition.elements = elements;
    acquisition.n_transmits = 1, acquisition.transmits = &transmit;
    acquisition.fs_hz = 20e6, acquisition.fc_hz = 5e6;
    sac_beamform_desc_init(&desc);
    desc.acquisition = &acquisition, desc.dtype = SAC_F32, desc.n_samples = 64;
    desc.apodization = "tukey:0.5";
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    sac_beamform_close(&plan);
    for (size_t i = 0; i < 4; i++) {
        desc.apodization = (const char *[]){"tukey:", "tukey:0.5x", "tukey:1.5", "tukey:-1"}[i];
        assert_failed(sac_beamform_open(&plan, &desc, &err), SAC_E_INVALID, &err, "apodization:");
    }
}

static void transmits_of_an_angle_have_a_point(void **state)
{
    (void)state;
    sac_element elements[4];
    sac_transmit transmits[3];
    sac_error err = {0};
    int32_t n = 0;
    sac_probe_linear(elements, 4, 3e-4, 2e-4, 0);
    assert_ok(sac_transmits_parse(transmits, &n, 3, "plane:3:10.5", elements, 4, &err), &err);
    assert_int_equal(n, 3);
    assert_true(transmits[2].azimuth_rad > 0.1832 && transmits[2].azimuth_rad < 0.1833);
    for (size_t i = 0; i < 4; i++) {
        const char *bad = (const char *[]){"plane:3:", "plane:3x", "plane:3:10.5x", "plane:3:x"}[i];
        assert_failed(sac_transmits_parse(transmits, &n, 3, bad, elements, 4, &err), SAC_E_INVALID,
                      &err, "transmits:");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_read_takes_points_and_says_what_follows),
        cmocka_unit_test(numbers_end_gives_the_language_back),
        cmocka_unit_test(param_of_a_float_is_read_and_written_with_a_point),
        cmocka_unit_test(apodization_of_a_share_has_a_point),
        cmocka_unit_test(transmits_of_an_angle_have_a_point),
    };
    int failed = cmocka_run_group_tests_name("in C", tests, NULL, NULL);
    if (take_commas())
        failed += cmocka_run_group_tests_name("with commas", tests, NULL, NULL);
    else
        skip_part("no language with commas on this machine (de_DE.UTF-8, ..)");
    return failed;
}
