/*
 * Some transmits of recordings alone, and what is known of recordings without their samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording_formats.h"

#include "recording_ranges.h"

static const struct {
    int64_t first, n;
} asked[] = {{0, 0}, {0, 5}, {0, 1}, {1, 3}, {4, 1}, {3, 0}, {4, 0}};

static const struct {
    int64_t first, n;
} refused[] = {{5, 0},  {0, 6},         {4, 2},         {-1, 1},
               {1, -1}, {INT64_MAX, 1}, {1, INT64_MAX}, {INT64_MIN, 0}};

/* Of what the desc reads, also where it asks for some frames alone. */
static void assert_ranges(const char *path, const sac_recording_desc *given)
{
    sac_error err = {0};
    sac_recording_desc desc = *given;
    for (desc.first_frame = 0; desc.first_frame < 3; desc.first_frame += 2) {
        sac_recording *whole = read_recording(path, &desc);
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            const char *what = range_differs(path, &desc, whole, asked[i].first, asked[i].n, &err);
            if (what)
                fail_msg("%s, %d transmits from %d on: %s", path, (int)asked[i].n,
                         (int)asked[i].first, what);
        }
        sac_recording_close(&whole);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        desc = *given;
        desc.first_transmit = refused[i].first;
        desc.n_transmits = refused[i].n;
        assert_not_read(path, &desc, SAC_E_INVALID, "transmits: ");
        desc.no_samples = true;
        assert_not_read(path, &desc, SAC_E_INVALID, "and it has 5");
    }
}

/* A transmit of each kind; who fires and who receives is another of each. */
static void fill_tables(scene *s, sac_dtype dtype, double *fires, uint8_t *receives)
{
    fill_scene(s, dtype);
    for (int i = 0; i < N_TRANSMITS * N_ELEMENTS; i++) {
        fires[i] = 1 + 0.1 * i;
        receives[i] = i % 3 != 0;
    }
    s->acquisition.tx_apodization = fires;
    s->acquisition.receives = receives;
}

static void transmits_of_a_recording_are_those_asked_for(void **state)
{
    (void)state;
    static const sac_dtype types[] = {SAC_I16, SAC_F32, SAC_C64};
    static scene s;
    double fires[N_TRANSMITS * N_ELEMENTS];
    uint8_t receives[N_TRANSMITS * N_ELEMENTS];
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    FORMATS(f)
    {
        for (int i = 0; i < 3; i++) {
            fill_scene(&s, types[i]);
            write_scene(&s, formats[f].path);
            assert_ranges(formats[f].path, &desc);
            fill_tables(&s, types[i], fires, receives);
            write_scene(&s, formats[f].path);
            assert_ranges(formats[f].path, &desc);
        }
    }
}

static void transmits_of_uff_are_those_asked_for(void **state)
{
    (void)state;
    static const sac_dtype types[] = {SAC_F32, SAC_C64};
    static scene s;
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    if (!has_part("libhdf5"))
        skip_test("this build has no libhdf5");
    for (int i = 0; i < 2; i++) {
        fill_scene(&s, types[i]);
        sac_probe_linear(s.elements, N_ELEMENTS, 3e-4, 2.5e-4, 5e-3);
        s.transmits[SAC_TRANSMIT_DELAYS] = s.transmits[SAC_TRANSMIT_PLANE];
        s.transmits[SAC_TRANSMIT_DELAYS].t0_s = 5e-6;
        s.acquisition.fd_hz = types[i] == SAC_C64 ? 4.5e6 : 0;
        s.acquisition.phase_sign = 1;
        write_scene(&s, "r.uff");
        assert_ranges("r.uff", &desc);
    }
}

/* Without checksums the other transmits' samples are passed over. */
static void transmits_in_words_are_those_asked_for(void **state)
{
    (void)state;
    static scene s;
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.fs_hz = 20e6;
    desc.fc_hz = 5e6;
    desc.t0_s = 0;
    desc.pitch_m = 3e-4;
    desc.transmits = "plane:5:10";
    FORMATS(f)
    {
        fill_scene(&s, SAC_F32);
        sac_probe_linear(s.elements, N_ELEMENTS, 3e-4, 2.5e-4, 5e-3);
        write_scene(&s, formats[f].path);
        unlink("r.json");
        assert_ranges(formats[f].path, &desc);
    }
}

/* Its checksums are of frames: those of a range are no exception. */
static void npy_of_a_range_that_is_damaged_elsewhere_is_refused(void **state)
{
    (void)state;
    static scene s;
    size_t size;
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    fill_scene(&s, SAC_I16);
    write_scene(&s, "r.npy");
    uint8_t *bytes = get_file("r.npy", &size);
    bytes[size - 1] ^= 1; /* of the last frame's last transmit */
    put_file("r.npy", bytes, size);
    free(bytes);
    desc.n_transmits = 1;
    assert_not_read("r.npy", &desc, SAC_E_FORMAT, "another checksum");
    desc.no_samples = true;
    sac_recording *r = read_recording("r.npy", &desc);
    sac_recording_close(&r);
    desc.no_samples = false;
    desc.n_frames = 2;
    r = read_recording("r.npy", &desc);
    sac_recording_close(&r);
}

static void recording_cut_short_is_refused_without_samples_too(void **state)
{
    (void)state;
    static scene s;
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.no_samples = true;
    FORMATS(f)
    {
        size_t size;
        fill_scene(&s, SAC_F32);
        write_scene(&s, formats[f].path);
        uint8_t *bytes = get_file(formats[f].path, &size);
        put_file(formats[f].path, bytes, size / 2);
        free(bytes);
        assert_not_read(formats[f].path, &desc, SAC_E_FORMAT, formats[f].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(transmits_of_a_recording_are_those_asked_for, empty_folder),
        cmocka_unit_test_setup(transmits_of_uff_are_those_asked_for, empty_folder),
        cmocka_unit_test_setup(transmits_in_words_are_those_asked_for, empty_folder),
        cmocka_unit_test_setup(npy_of_a_range_that_is_damaged_elsewhere_is_refused, empty_folder),
        cmocka_unit_test_setup(recording_cut_short_is_refused_without_samples_too, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
