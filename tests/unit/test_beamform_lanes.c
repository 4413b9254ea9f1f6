/*
 * IQ of one frame and of several: the same bytes, though lanes are points of the one and frames of
 * the others.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "skip.h"
#include "ultrasound.h"

enum { N = 19, FRAMES = 17, SAMPLES = 300, ROWS = 12, COLUMNS = 13 };

/* Delays reach both ends of the record. Points and elements are as far apart, so that some elements
 * lie on an aperture's very edge. */
static const double middle[3] = {0, 0.3e-3, 9e-3};

static float complex *noise(int64_t n)
{
    float complex *x = malloc((size_t)n * sizeof *x);
    uint32_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        float part[2];
        for (int k = 0; k < 2; k++) {
            state = state * 1664525u + 1013904223u;
            part[k] = (float)(state >> 8) * 0x1p-23f - 1;
        }
        x[i] = part[0] + I * part[1];
    }
    return x;
}

/* Whether its kernel is one whose sums are in one order, whatever the lanes. */
static bool has_vectors(const sac_beamform *plan)
{
    const char *variant = sac_beamform_get_variant(plan);
    return strstr(variant, "das_iq_f32:avx") || strstr(variant, "das_iq_f32:neon");
}

/* The first frame's image; NULL: not by vectors. */
static float complex *first_image(scene *s, sac_beamform_desc desc, float complex *data,
                                  int64_t n_frames)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    s->n_frames = desc.n_frames = n_frames;
    const sac_array in = channel_array(s, SAC_C64, data);
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    sac_array out = output_of(plan);
    assert_ok(sac_beamform_run(plan, &out, &in, &err), &err);
    const bool counts = has_vectors(plan);
    sac_beamform_close(&plan);
    if (counts)
        return out.data;
    free(out.data);
    return NULL;
}

/* Every interpolation and window. */
static void expect_the_same(scene *s)
{
    static const char *const windows[] = {"rect", "hann", "tukey:0.25"};
    float complex *data =
        noise((int64_t)FRAMES * s->acquisition.n_transmits * s->acquisition.n_elements * SAMPLES);
    bool counts = true;
    for (int i = 0; i < 18 && counts; i++) {
        sac_beamform_desc desc = scene_desc(s, SAC_C64, middle, 0.3e-3 * (N / 2), N);
        desc.interp = (sac_interp)(i % 3);
        desc.apodization = windows[i / 3 % 3];
        desc.f_number = i < 9 ? 1.5 : 0;
        desc.outside = i % 2 ? SAC_OUTSIDE_CLAMP : SAC_OUTSIDE_ZERO;
        float complex *one = first_image(s, desc, data, 1);
        float complex *several = first_image(s, desc, data, FRAMES);
        counts = one && several;
        if (counts)
            assert_memory_equal(one, several, sizeof *one * N * N);
        free(several);
        free(one);
    }
    free(data);
    if (!counts)
        skip_test("no vectors: sums are in another order");
}

static void beamform_first_frame_of_a_line_is_that_of_one(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, ROWS * COLUMNS, 3);
    s.n_samples = SAMPLES;
    s.transmits[1].azimuth_rad = 0.2;
    expect_the_same(&s);
}

static void beamform_first_frame_of_a_matrix_is_that_of_one(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, ROWS * COLUMNS, 3);
    sac_probe_matrix(s.elements, COLUMNS, ROWS, 0.3e-3, 0.3e-3);
    s.n_samples = SAMPLES;
    s.transmits[1].elevation_rad = 0.2;
    expect_the_same(&s);
}

/* In double precision. */
static void beamform_first_frame_of_an_arc_is_that_of_one(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, ROWS * COLUMNS, 2);
    s.n_samples = SAMPLES;
    for (int32_t r = 0; r < ROWS * COLUMNS; r++) {
        const double angle = 0.01 * (r - 0.5 * ROWS * COLUMNS);
        sac_element *e = &s.elements[r];
        e->normal[0] = sin(angle);
        e->normal[2] = cos(angle);
        e->position_m[0] = 0.03 * sin(angle);
        e->position_m[2] = 0.03 * (cos(angle) - 1);
    }
    expect_the_same(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beamform_first_frame_of_a_line_is_that_of_one),
        cmocka_unit_test(beamform_first_frame_of_a_matrix_is_that_of_one),
        cmocka_unit_test(beamform_first_frame_of_an_arc_is_that_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
