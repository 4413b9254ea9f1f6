/*
 * IQ of several frames: however many there are, each comes out as by itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "skip.h"
#include "unit.h"

#include "ultrasound.h"

static const double middle[3] = {1.7e-3, 0, 12e-3};

static float complex *noise(const scene *s)
{
    const sac_acquisition *a = &s->acquisition;
    const int64_t n = s->n_frames * a->n_transmits * a->n_elements * s->n_samples;
    float complex *iq = malloc((size_t)n * sizeof *iq);
    uint32_t random = 1;
    for (int64_t i = 0; i < 2 * n; i++) {
        random = random * 1664525 + 1013904223;
        ((float *)iq)[i] = (float)(int32_t)random * 0x1p-31f;
    }
    return iq;
}

static bool has_vectors(const sac_beamform *plan)
{
    const char *name = strstr(sac_beamform_get_variant(plan), "das_iq_f32:");
    return name && (!strncmp(name + 11, "avx", 3) || !strncmp(name + 11, "neon", 4));
}

static sac_array image_of(const sac_beamform_desc *desc, const sac_array *in)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, desc, &err), &err);
    if (!has_vectors(plan)) {
        sac_beamform_close(&plan);
        skip_test("this machine has no vectors for das_iq_f32");
    }
    sac_array out = output_of(plan);
    assert_int_equal(sac_beamform_run(plan, &out, in, NULL), SAC_OK);
    sac_beamform_close(&plan);
    return out;
}

/* All frames at once, and each alone. */
static void expect_frames(scene *s, sac_beamform_desc desc)
{
    float complex *iq = noise(s);
    const sac_array in = channel_array(s, SAC_C64, iq);
    sac_array all = image_of(&desc, &in);
    const size_t size = (size_t)(all.stride[0]);
    desc.n_frames = 1;
    for (int64_t f = 0; f < s->n_frames; f++) {
        sac_array frame = in;
        frame.data = (char *)in.data + f * in.stride[0];
        frame.shape[0] = 1;
        sac_array one = image_of(&desc, &frame);
        assert_memory_equal((char *)all.data + (size_t)f * size, one.data, size);
        free(one.data);
    }
    free(all.data);
    free(iq);
}

static const int64_t counts[] = {2, 7, 8, 9, 16, 17, 33};
enum { N_COUNTS = sizeof counts / sizeof counts[0] };

/* Deep points leave the records of 160 samples; apertures of neighbours differ, and some are
 * empty. */
static void frames_of_every_form_have_the_bytes_of_one(void **state)
{
    (void)state;
    static const sac_interp interps[] = {SAC_INTERP_LINEAR, SAC_INTERP_NEAREST, SAC_INTERP_CUBIC};
    for (int k = 0; k < 6 * N_COUNTS; k++) {
        scene s;
        linear_scene(&s, 48, 2);
        s.transmits[1].azimuth_rad = 0.2;
        s.n_frames = counts[k % N_COUNTS];
        s.n_samples = 160;
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, middle, 11e-3, 13);
        desc.interp = interps[k / N_COUNTS % 3];
        desc.outside = k / N_COUNTS < 3 ? SAC_OUTSIDE_ZERO : SAC_OUTSIDE_CLAMP;
        desc.lri = k / N_COUNTS == 4;
        desc.f_number = k % 2 ? 1.2 : 0;
        expect_frames(&s, desc);
    }
}

/* Planes of one column, whose rows are one line of the image; points of a list far apart. */
static void frames_of_any_points_have_the_bytes_of_one(void **state)
{
    (void)state;
    enum { N = 47 };
    static double points[N][3];
    for (int i = 0; i < N; i++) {
        points[i][0] = 1e-3 * (i * 29 % N - 23);
        points[i][2] = 1e-3 * (2 + i * 17 % N * 0.4);
    }
    for (int k = 0; k < 2 * N_COUNTS; k++) {
        scene s;
        linear_scene(&s, 150, 2);
        s.n_frames = counts[k % N_COUNTS];
        s.n_samples = 300;
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, middle, 9e-3, 9);
        desc.f_number = 0.8;
        desc.grid.n[0] = 1;
        desc.grid.n[1] = 11;
        desc.grid.first_m[1] -= 8e-3;
        desc.grid.last_m[1] += 8e-3;
        if (k >= N_COUNTS) {
            desc.points_m = points[0];
            desc.n_points = N;
        }
        expect_frames(&s, desc);
    }
}

/* Elements that are a point's own lie at other places than its neighbours'; there are two chunks.
 */
static void frames_of_a_matrix_have_the_bytes_of_one(void **state)
{
    (void)state;
    static const sac_interp interps[] = {SAC_INTERP_LINEAR, SAC_INTERP_NEAREST, SAC_INTERP_CUBIC};
    for (int k = 0; k < 3 * N_COUNTS; k++) {
        scene s;
        linear_scene(&s, 168, 2);
        sac_probe_matrix(s.elements, 14, 12, 0.3e-3, 0.3e-3);
        s.transmits[1].elevation_rad = 0.2;
        s.n_frames = counts[k % N_COUNTS];
        s.n_samples = 300;
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, middle, 9e-3, 9);
        desc.interp = interps[k % 3];
        desc.outside = k / 3 % 2 ? SAC_OUTSIDE_CLAMP : SAC_OUTSIDE_ZERO;
        desc.f_number = k < 2 * N_COUNTS ? 2.5 : 0;
        expect_frames(&s, desc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_every_form_have_the_bytes_of_one),
        cmocka_unit_test(frames_of_any_points_have_the_bytes_of_one),
        cmocka_unit_test(frames_of_a_matrix_have_the_bytes_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
