/*
 * Images of beamformers into files, and back from HDF5.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording.h"

#define X 5
#define Z 4
#define FRAMES 3

static float data[2 * FRAMES * Z * 2 * X * 2];

static sac_image_info make_info(int64_t n_y)
{
    static const sac_scatterer truth = {{1e-3, 2e-3, 3e-2}, 0.5};
    sac_image_info info = {.struct_size = sizeof info,
                           .grid = {{-1e-2, 0, 1e-2}, {1e-2, 2e-3, 4e-2}, {X, n_y, Z}},
                           .output = SAC_OUTPUT_BMODE,
                           .dynamic_range_db = 60,
                           .c_m_s = 1540,
                           .fc_hz = 5e6,
                           .f_number = 1.75,
                           .aperture_m = 3.8e-2,
                           .frame_rate_hz = 100,
                           .truth = &truth,
                           .n_truth = 1};
    return info;
}

static sac_array make_image(sac_dtype dtype, int n_dims, const int64_t *shape)
{
    sac_array a;
    sac_error err;
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++)
        data[i] = -0.25F * (float)i;
    assert_ok(sac_array_view(&a, data, dtype, n_dims, shape, &err), &err);
    return a;
}

static void write_image(const char *path, const sac_array *a, const sac_image_info *info)
{
    sac_error err = {0};
    assert_ok(sac_image_write(path, a, info, &err), &err);
}

static void assert_read_back(const sac_array *a, const sac_image_info *want)
{
    sac_error err = {0};
    sac_image *image = NULL;
    write_image("i.h5", a, want);
    assert_ok(sac_image_read(&image, "i.h5", &err), &err);
    sac_array got = sac_image_get_array(image);
    assert_int_equal(got.dtype, a->dtype);
    assert_int_equal(got.n_dims, a->n_dims);
    for (int i = 0; i < a->n_dims; i++)
        assert_int_equal(got.shape[i], a->shape[i]);
    assert_memory_equal(got.data, a->data, (size_t)sac_array_count(a) * sac_dtype_size(a->dtype));
    const sac_image_info *info = sac_image_get_info(image);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(info->grid.n[i], want->grid.n[i]);
        assert_near(info->grid.first_m[i], want->grid.first_m[i]);
        if (want->grid.n[i] > 1)
            assert_near(info->grid.last_m[i], want->grid.last_m[i]);
    }
    assert_int_equal(info->output, want->output);
    assert_true(info->dynamic_range_db == 60 && info->c_m_s == 1540 && info->fc_hz == 5e6);
    assert_true(info->f_number == 1.75 && info->aperture_m == 3.8e-2);
    assert_true(info->frame_rate_hz == 100);
    assert_int_equal(info->n_truth, 1);
    assert_memory_equal(info->truth, want->truth, sizeof *want->truth);
    sac_image_close(&image);
    assert_null(image);
}

static void image_in_hdf5_is_read_back(void **state)
{
    (void)state;
    if (!has_part("libhdf5"))
        skip_test("this build has no libhdf5");
    sac_image_info info = make_info(1);
    sac_array a = make_image(SAC_F32, 3, (const int64_t[]){FRAMES, Z, X});
    assert_read_back(&a, &info);
    a = make_image(SAC_C64, 4, (const int64_t[]){2, FRAMES, Z, X}); /* with transmits */
    info.output = SAC_OUTPUT_IQ;
    assert_read_back(&a, &info);
    a = make_image(SAC_U8, 3, (const int64_t[]){FRAMES, Z, X});
    info.output = SAC_OUTPUT_GRAY;
    assert_read_back(&a, &info);
    a = make_image(SAC_F32, 4, (const int64_t[]){FRAMES, Z, 2, X});
    info = make_info(2);
    info.output = SAC_OUTPUT_ENVELOPE;
    assert_read_back(&a, &info);
    sac_error err;
    sac_recording *r = NULL;
    assert_failed(sac_recording_read(&r, "i.h5", NULL, &err), SAC_E_FORMAT, &err,
                  "not a saccade recording: its attribute `format` is `saccade image`");
}

static void image_in_npy_is_header_and_samples(void **state)
{
    (void)state;
    sac_image_info info = make_info(1);
    sac_array a = make_image(SAC_F32, 3, (const int64_t[]){FRAMES, Z, X});
    write_image("i.npy", &a, &info);
    size_t size;
    uint8_t *bytes = get_file("i.npy", &size);
    static const char start[] = "\x93NUMPY\x01\0\x76\0{'descr': '<f4', 'fortran_order': False, "
                                "'shape': (3,4,5,)} ";
    assert_memory_equal(bytes, start, sizeof start - 1);
    assert_int_equal(size, 128 + sizeof(float) * FRAMES * Z * X);
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, data, size - 128);
    free(bytes);
    assert_int_equal(count_files(false), 1);
}

static void image_in_tiff_has_a_page_a_picture(void **state)
{
    (void)state;
    if (!has_part("libvips"))
        skip_test("this build has no libvips");
    sac_error err;
    sac_image_info info = make_info(1);
    sac_array a = make_image(SAC_F32, 3, (const int64_t[]){FRAMES, Z, X});
    write_image("i.tif", &a, &info);
    size_t size;
    uint8_t *bytes = get_file("i.tif", &size);
    assert_memory_equal(bytes, "II*\0", 4);
    int n_pages = 0;
    uint32_t at;
    memcpy(&at, bytes + 4, sizeof at);
    for (; at; n_pages++) { /* directories: a count, entries of 12 bytes, where the next one is */
        uint16_t n;
        assert_true(at + 2 <= size);
        memcpy(&n, bytes + at, sizeof n);
        assert_true(at + 6 + 12 * (size_t)n <= size);
        memcpy(&at, bytes + at + 2 + 12 * (size_t)n, sizeof at);
    }
    assert_int_equal(n_pages, FRAMES);
    free(bytes);
    a = make_image(SAC_C64, 3, (const int64_t[]){FRAMES, Z, X});
    assert_failed(sac_image_write("j.tif", &a, &info, &err), SAC_E_UNSUPPORTED, &err, "complex");
    assert_int_equal(count_files(false), 1);
}

static void image_that_cannot_be_written_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_image_info info = make_info(1);
    sac_array a = make_image(SAC_F32, 3, (const int64_t[]){FRAMES, X, Z});
    assert_failed(sac_image_write("i.npy", &a, &info, &err), SAC_E_SHAPE, &err, "as the grid");
    a = make_image(SAC_U16, 3, (const int64_t[]){FRAMES, Z, X});
    assert_failed(sac_image_write("i.npy", &a, &info, &err), SAC_E_SHAPE, &err, "f32");
    a = make_image(SAC_F32, 3, (const int64_t[]){FRAMES, Z, X});
    assert_failed(sac_image_write("i.png", &a, &info, &err), SAC_E_INVALID, &err, ".h5");
    assert_failed(sac_image_write("no/i.npy", &a, &info, &err), SAC_E_IO, &err, "folder `no/`");
    assert_failed(sac_image_can_write("no/i.npy", &err), SAC_E_IO, &err, "folder `no/`");
    assert_ok(sac_image_can_write("i.npy", &err), &err);
    if (!has_part("libhdf5"))
        assert_failed(sac_image_can_write("i.h5", &err), SAC_E_UNSUPPORTED, &err, "libhdf5");
    if (!has_part("libvips"))
        assert_failed(sac_image_can_write("i.tif", &err), SAC_E_UNSUPPORTED, &err, "libvips");
    info.output = SAC_OUTPUT_ENVELOPE;
    info.grid_kind = SAC_GRID_SECTOR;
    if (has_part("libhdf5")) /* whose readers would take angles for metres */
        assert_failed(sac_image_write("i.uff", &a, &info, &err), SAC_E_UNSUPPORTED, &err, "sector");
    info.struct_size = 1;
    assert_failed(sac_image_write("i.npy", &a, &info, &err), SAC_E_INVALID, &err, "struct_size");
    info = make_info(1);
    info.output = (sac_beamform_output)17;
    assert_failed(sac_image_write("i.npy", &a, &info, &err), SAC_E_INVALID, &err, "output");
    assert_failed(sac_image_write(NULL, &a, &info, &err), SAC_E_INVALID, &err, "path");
    assert_int_equal(count_files(false), 0);
}

static void image_read_of_no_image_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_image *image = NULL;
    put_file("junk", "junk", 4);
    assert_failed(sac_image_read(&image, "missing", &err), SAC_E_IO, &err, "No such file");
    assert_failed(sac_image_read(&image, "junk", &err), SAC_E_FORMAT, &err, "not HDF5");
    if (has_part("libhdf5")) {
        static scene s;
        fill_scene(&s, SAC_F32);
        write_scene(&s, "r.h5");
        assert_failed(sac_image_read(&image, "r.h5", &err), SAC_E_FORMAT, &err,
                      "not a saccade image: its attribute `format` is `saccade recording`");
    }
    assert_null(image);
    sac_image_close(&image);
    sac_image_close(NULL);
}

static void image_truncated_is_refused(void **state)
{
    (void)state;
    if (!has_part("libhdf5"))
        skip_test("this build has no libhdf5");
    sac_image_info info = make_info(1);
    sac_array a = make_image(SAC_F32, 3, (const int64_t[]){FRAMES, Z, X});
    write_image("i.h5", &a, &info);
    size_t size;
    uint8_t *bytes = get_file("i.h5", &size);
    for (size_t n = 0; n < size; n += 13) {
        put_file("i.h5", bytes, n);
        sac_error err = {0};
        sac_image *image = NULL;
        if (sac_image_read(&image, "i.h5", &err) == SAC_OK || err.text[0] == '\0' || image)
            fail_msg("%zu bytes, cut at %zu: read", size, n);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(image_in_hdf5_is_read_back, empty_folder),
        cmocka_unit_test_setup(image_in_npy_is_header_and_samples, empty_folder),
        cmocka_unit_test_setup(image_in_tiff_has_a_page_a_picture, empty_folder),
        cmocka_unit_test_setup(image_that_cannot_be_written_is_refused, empty_folder),
        cmocka_unit_test_setup(image_read_of_no_image_is_refused, empty_folder),
        cmocka_unit_test_setup(image_truncated_is_refused, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
