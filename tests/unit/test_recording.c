/*
 * Recordings in HDF5 and NPY: round trips, and the caller's values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording_formats.h"

static void assert_same_frames(const sac_array *got, const scene *s, int64_t first, int64_t n)
{
    const int64_t shape[] = {n, N_TRANSMITS, N_ELEMENTS, N_SAMPLES};
    assert_int_equal(got->dtype, s->samples.dtype);
    assert_int_equal(got->n_dims, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(got->shape[i], shape[i]);
    assert_true(sac_array_is_contiguous(got));
    size_t frame = (size_t)s->samples.stride[0];
    assert_memory_equal(got->data, (const char *)s->data + (size_t)first * frame,
                        (size_t)n * frame);
}

static void recording_written_and_read_is_the_same(void **state)
{
    (void)state;
    static const sac_dtype types[] = {SAC_I16, SAC_F32, SAC_C64};
    static scene s;
    FORMATS(f)
    {
        for (int i = 0; i < 3; i++) {
            fill_scene(&s, types[i]);
            write_scene(&s, formats[f].path);
            sac_recording *r = read_recording(formats[f].path, NULL);
            sac_array got = sac_recording_get_array(r);
            assert_same_frames(&got, &s, 0, N_FRAMES);
            assert_same_acquisition(sac_recording_get_acquisition(r), &s.acquisition);
            int64_t n;
            const sac_scatterer *truth = sac_recording_get_truth(r, &n);
            assert_int_equal(n, 2);
            for (int k = 0; k < 2; k++) {
                assert_near(truth[k].position_m[0], s.truth[k].position_m[0]);
                assert_near(truth[k].position_m[2], s.truth[k].position_m[2]);
                assert_near(truth[k].amplitude, s.truth[k].amplitude);
            }
            sac_recording_close(&r);
            assert_null(r);
        }
    }
}

/* A row-column array: its lines, who fires, who receives, and the lines' taper. */
static void lines_and_receivers_written_and_read_are_the_same(void **state)
{
    (void)state;
    static scene s;
    int32_t shapes[N_ELEMENTS];
    double fires[N_TRANSMITS * N_ELEMENTS];
    uint8_t receives[N_TRANSMITS * N_ELEMENTS];
    sac_recording_desc desc;
    sac_error err;
    fill_scene(&s, SAC_F32);
    sac_probe_row_column(s.elements, shapes, 1, N_ELEMENTS - 1, 3e-4, 2e-4);
    for (int t = 0; t < N_TRANSMITS; t++)
        sac_transmit_init(&s.transmits[t], SAC_TRANSMIT_PLANE);
    sac_transmits_row_column(s.transmits, fires, receives, 2, N_TRANSMITS - 2, 1, N_ELEMENTS - 1);
    s.acquisition.shapes = shapes;
    s.acquisition.tx_apodization = fires;
    s.acquisition.receives = receives;
    s.acquisition.line_taper = 0.4;
    FORMATS(f)
    {
        write_scene(&s, formats[f].path);
        sac_recording *r = read_recording(formats[f].path, NULL);
        const sac_acquisition *a = sac_recording_get_acquisition(r);
        assert_same_acquisition(a, &s.acquisition);
        assert_memory_equal(a->shapes, shapes, sizeof shapes);
        assert_memory_equal(a->receives, receives, sizeof receives);
        for (int i = 0; i < N_TRANSMITS * N_ELEMENTS; i++)
            assert_near(a->tx_apodization[i], fires[i]);
        assert_near(a->line_taper, 0.4);
        sac_recording_close(&r);
        sac_recording_desc_init(&desc);
        desc.transmits = "plane:5:10";
        assert_not_read(formats[f].path, &desc, SAC_E_INVALID, "--transmits");
        if (strcmp(formats[f].path, "r.h5") != 0)
            continue;
        assert_failed(sac_recording_write("r.uff", &s.samples, &s.acquisition, NULL, 0, &err),
                      SAC_E_UNSUPPORTED, &err, "line");
    }
}

/* Scan lines by part of the array, described by the words that made them, or by others. */
static void transmits_in_words_keep_which_elements_fire(void **state)
{
    (void)state;
    static scene s;
    double fires[N_TRANSMITS * N_ELEMENTS];
    sac_recording_desc desc;
    fill_scene(&s, SAC_F32);
    for (int i = 0; i < N_TRANSMITS * N_ELEMENTS; i++)
        fires[i] = i % N_ELEMENTS == i / N_ELEMENTS % N_ELEMENTS ? 0.5 : 0;
    s.acquisition.tx_apodization = fires;
    s.acquisition.transmits = s.transmits;
    for (int t = 0; t < N_TRANSMITS; t++)
        sac_transmit_init(&s.transmits[t], SAC_TRANSMIT_FOCUSED), s.transmits[t].source_m[2] = 0.02;
    FORMATS(f)
    {
        write_scene(&s, formats[f].path);
        sac_recording_desc_init(&desc);
        for (int k = 0; k < 2; k++) {
            desc.transmits = k ? "focused:5:30" : "lines:5:20";
            sac_recording *r = read_recording(formats[f].path, &desc);
            const sac_acquisition *a = sac_recording_get_acquisition(r);
            assert_non_null(a->tx_apodization);
            for (int i = 0; i < N_TRANSMITS * N_ELEMENTS; i++)
                assert_near(a->tx_apodization[i], fires[i]);
            sac_recording_close(&r);
        }
        desc.transmits = "lines:6:20"; /* not of these samples */
        assert_not_read(formats[f].path, &desc, SAC_E_FORMAT,
                        "samples of 5 transmits, but --transmits describes 6");
    }
}

static void recording_without_truth_has_none(void **state)
{
    (void)state;
    static scene s;
    sac_error err;
    fill_scene(&s, SAC_F32);
    FORMATS(f)
    {
        const char *path = formats[f].path;
        assert_ok(sac_recording_write(path, &s.samples, &s.acquisition, NULL, 0, &err), &err);
        sac_recording *r = read_recording(path, NULL);
        int64_t n = 5;
        assert_null(sac_recording_get_truth(r, &n));
        assert_int_equal(n, 0);
        sac_recording_close(&r);
    }
}

static void recording_written_twice_has_the_same_bytes(void **state)
{
    (void)state;
    static scene s;
    fill_scene(&s, SAC_C64);
    FORMATS(f)
    {
        size_t n, m;
        write_scene(&s, formats[f].path);
        uint8_t *first = get_file(formats[f].path, &n);
        write_scene(&s, formats[f].path);
        uint8_t *second = get_file(formats[f].path, &m);
        assert_int_equal(n, m);
        assert_memory_equal(first, second, n);
        free(first);
        free(second);
    }
}

static void frames_of_a_recording_are_those_asked_for(void **state)
{
    (void)state;
    static scene s;
    static const struct {
        int64_t first, n, got;
    } asked[] = {{0, 0, 3}, {1, 0, 2}, {1, 1, 1}, {2, 1, 1}, {0, 3, 3}};
    static const struct {
        int64_t first, n;
    } refused[] = {{3, 0}, {0, 4}, {2, 2}, {-1, 1}, {1, -1}, {INT64_MAX, 1}, {1, INT64_MAX}};
    fill_scene(&s, SAC_I16);
    FORMATS(f)
    {
        write_scene(&s, formats[f].path);
        sac_recording_desc desc;
        sac_recording_desc_init(&desc);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
            desc.first_frame = asked[i].first;
            desc.n_frames = asked[i].n;
            sac_recording *r = read_recording(formats[f].path, &desc);
            sac_array got = sac_recording_get_array(r);
            assert_same_frames(&got, &s, asked[i].first, asked[i].got);
            sac_recording_close(&r);
        }
        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
            desc.first_frame = refused[i].first;
            desc.n_frames = refused[i].n;
            assert_not_read(formats[f].path, &desc, SAC_E_INVALID, "frames");
        }
    }
}

static void desc_stands_before_the_file(void **state)
{
    (void)state;
    static scene s;
    fill_scene(&s, SAC_F32);
    s.elements[1].position_m[1] = 0; /* a linear array, which a pitch can say */
    sac_probe_linear(s.elements, N_ELEMENTS, 3e-4, 2.5e-4, 5e-3);
    FORMATS(f)
    {
        write_scene(&s, formats[f].path);
        sac_recording_desc desc;
        sac_recording_desc_init(&desc);
        desc.fs_hz = 1e6;
        desc.fc_hz = 2e6;
        desc.fd_hz = 3e6;
        desc.c_m_s = 1600;
        desc.t0_s = 7e-6;
        desc.pitch_m = 1e-3;
        desc.bandwidth = 0.3;
        desc.transmits = "plane:5:10";
        sac_recording *r = read_recording(formats[f].path, &desc);
        const sac_acquisition *a = sac_recording_get_acquisition(r);
        assert_true(a->fs_hz == 1e6 && a->fc_hz == 2e6 && a->fd_hz == 3e6 && a->c_m_s == 1600);
        assert_true(a->bandwidth == 0.3);
        assert_near(a->elements[0].position_m[0], -1.5e-3);
        assert_near(a->elements[0].width_m, 2.5e-4);
        for (int i = 0; i < N_TRANSMITS; i++) {
            assert_int_equal(a->transmits[i].kind, SAC_TRANSMIT_PLANE);
            assert_true(a->transmits[i].t0_s == 7e-6);
            assert_near(a->transmits[i].weight, s.transmits[i].weight);
        }
        assert_near(a->transmits[0].azimuth_rad, -10 * acos(-1) / 180);
        sac_recording_close(&r);

        desc.t0_s = NAN; /* each transmit then keeps the file's */
        r = read_recording(formats[f].path, &desc);
        a = sac_recording_get_acquisition(r);
        assert_near(a->transmits[2].t0_s, s.transmits[2].t0_s);
        sac_recording_close(&r);
        desc.transmits = "plane:4:10";
        assert_not_read(formats[f].path, &desc, SAC_E_INVALID,
                        "--transmits describes 4 transmits, and the file has 5, of different t0 "
                        "(--t0 gives one)");
        desc.t0_s = 0;
        assert_not_read(formats[f].path, &desc, SAC_E_FORMAT,
                        "samples of 5 transmits, but --transmits describes 4");
    }
}

static void desc_that_cannot_be_is_refused_by_name(void **state)
{
    (void)state;
    static scene s;
    fill_scene(&s, SAC_F32);
    sac_recording_desc good;
    sac_recording_desc_init(&good);
    FORMATS(f)
    {
        const char *path = formats[f].path;
        write_scene(&s, path);
        sac_recording_desc d = good;
        d.fs_hz = -1;
        assert_not_read(path, &d, SAC_E_INVALID, "fs: expected more than 0 Hz, got -1 (--fs");
        d = good;
        d.fc_hz = INFINITY;
        assert_not_read(path, &d, SAC_E_INVALID, "--fc");
        d = good;
        d.c_m_s = 0;
        assert_not_read(path, &d, SAC_E_INVALID, "--c");
        d = good;
        d.fd_hz = -3;
        assert_not_read(path, &d, SAC_E_INVALID, "--fd");
        d = good;
        d.bandwidth = 60;
        assert_not_read(path, &d, SAC_E_INVALID, "--bandwidth");
        d = good;
        d.pitch_m = 1e-4;
        assert_not_read(path, &d, SAC_E_INVALID, "pitch: the array is not linear");
        d = good;
        d.transmits = "plain:3:1";
        assert_not_read(path, &d, SAC_E_INVALID, "`plain:3:1`: expected plane:N:DEG");
        d = good;
        d.t0_s = INFINITY;
        assert_not_read(path, &d, SAC_E_INVALID, "t0");
        d = good;
        d.max_bytes = N_RECORDS * N_SAMPLES * 4 - 1;
        assert_not_read(path, &d, SAC_E_FORMAT, "more than the limit");
        d.max_bytes++;
        sac_recording *r = read_recording(path, &d);
        sac_recording_close(&r);
        d = good;
        d.struct_size = 9;
        assert_not_read(path, &d, SAC_E_INVALID, "struct_size");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(recording_written_and_read_is_the_same, empty_folder),
        cmocka_unit_test_setup(lines_and_receivers_written_and_read_are_the_same, empty_folder),
        cmocka_unit_test_setup(transmits_in_words_keep_which_elements_fire, empty_folder),
        cmocka_unit_test_setup(recording_without_truth_has_none, empty_folder),
        cmocka_unit_test_setup(recording_written_twice_has_the_same_bytes, empty_folder),
        cmocka_unit_test_setup(frames_of_a_recording_are_those_asked_for, empty_folder),
        cmocka_unit_test_setup(desc_stands_before_the_file, empty_folder),
        cmocka_unit_test_setup(desc_that_cannot_be_is_refused_by_name, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
