/*
 * Images that grow: the file is that of sac_image_write, of any number of frames, or there is none.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { X = 7, Z = 5, MOST = 300 };

static const char *const paths[] = {"g.npy", "g.h5", NULL};

static sac_image_info info_of(void)
{
    sac_image_info info;
    sac_image_info_init(&info);
    info.grid = (sac_grid){{-1e-2, 0, 1e-2}, {1e-2, 0, 4e-2}, {X, 1, Z}};
    info.output = SAC_OUTPUT_ENVELOPE;
    info.c_m_s = 1540;
    info.frame_rate_hz = 100;
    return info;
}

/* Frames from `first` on of a number that goes on. */
static sac_array frames_of(sac_dtype dtype, int64_t first, int64_t n)
{
    static float values[2 * MOST * Z * X];
    const int64_t parts = dtype == SAC_C64 ? 2 : 1;
    sac_array a;
    sac_error err;
    for (int64_t i = 0; i < 2 * MOST * Z * X; i++)
        values[i] = 0.5F * (float)(i % 9973);
    assert_ok(
        sac_array_view(&a, values + first * parts * Z * X, dtype, 3, (int64_t[]){n, Z, X}, &err),
        &err);
    return a;
}

static bool can_write(const char *path)
{
    return sac_image_can_write(path, NULL) == SAC_OK;
}

static void grow(const char *path, sac_dtype dtype, int64_t n, double rate_hz)
{
    sac_image_growing *g = NULL;
    sac_image_info info = info_of();
    sac_error err = {0};
    sac_array like = frames_of(dtype, 0, 1);
    like.data = NULL;
    assert_ok(sac_image_growing_open(&g, path, &like, &info, &err), &err);
    for (int64_t i = 0; i < n; i += 1 + i % 3) { /* some at a time */
        const int64_t k = n - i < 1 + i % 3 ? n - i : 1 + i % 3;
        const sac_array frames = frames_of(dtype, i, k);
        assert_ok(sac_image_growing_write(g, &frames, &err), &err);
    }
    info.frame_rate_hz = rate_hz;
    assert_ok(sac_image_growing_commit(&g, &info, &err), &err);
    assert_null(g);
}

static void image_that_grew_is_the_one_written_at_once(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 2, 7, 9, 29, 30, MOST};
    static const sac_dtype types[] = {SAC_F32, SAC_C64};
    for (int f = 0; paths[f]; f++)
        for (size_t i = 0; can_write(paths[f]) && i < 2 * sizeof counts / sizeof *counts; i++) {
            const sac_dtype dtype = types[i % 2];
            const int64_t n = counts[i / 2];
            sac_error err = {0};
            grow(paths[f], dtype, n, 0); /* frames/s, as is known at the end */
            if (f == 0) { /* the header is longer, and the values are the last bytes */
                const size_t bytes = (size_t)n * Z * X * sac_dtype_size(dtype);
                size_t size;
                uint8_t *all = get_file(paths[f], &size);
                assert_true(size > bytes && size % 64 == bytes % 64 &&
                            all[size - bytes - 1] == '\n');
                assert_memory_equal(all + size - bytes, frames_of(dtype, 0, n).data, bytes);
                char shape[64];
                snprintf(shape, sizeof shape, "'shape': (%d,5,7,)}", (int)n);
                all[size - bytes - 1] = '\0';
                assert_non_null(strstr((char *)all + 10, shape));
                free(all);
                continue;
            }
            sac_image *image = NULL;
            assert_ok(sac_image_read(&image, paths[f], &err), &err);
            const sac_array got = sac_image_get_array(image), want = frames_of(dtype, 0, n);
            assert_true(got.shape[0] == n && got.dtype == dtype);
            assert_memory_equal(got.data, want.data,
                                (size_t)sac_array_count(&want) * sac_dtype_size(dtype));
            assert_true(sac_image_get_info(image)->frame_rate_hz == 0 &&
                        sac_image_get_info(image)->c_m_s == 1540);
            sac_image_close(&image);
        }
}

static void image_that_is_not_committed_leaves_nothing(void **state)
{
    (void)state;
    for (int f = 0; paths[f]; f++) {
        if (!can_write(paths[f]))
            continue;
        sac_image_growing *g = NULL;
        const sac_image_info info = info_of();
        const sac_array frames = frames_of(SAC_F32, 0, 20);
        sac_error err = {0};
        assert_ok(sac_image_growing_open(&g, paths[f], &frames, &info, &err), &err);
        assert_failed(sac_image_growing_commit(&g, &info, &err), SAC_E_INVALID, &err, "no frame");
        sac_image_growing_close(&g);
        assert_int_equal(count_files(false), 0);
        assert_ok(sac_image_growing_open(&g, paths[f], &frames, &info, &err), &err);
        assert_ok(sac_image_growing_write(g, &frames, &err), &err);
        sac_image_growing_close(&g);
        assert_null(g);
        assert_int_equal(count_files(false), 0);
        grow(paths[f], SAC_F32, 20, 100); /* and what was there before stays */
        assert_ok(sac_image_growing_open(&g, paths[f], &frames, &info, &err), &err);
        sac_image_growing_close(&g);
        assert_int_equal(count_files(false), 1);
        remove(paths[f]);
    }
}

static void image_that_cannot_grow_is_refused(void **state)
{
    (void)state;
    sac_image_growing *g = NULL;
    sac_image_info info = info_of(), wrong = info;
    const sac_array frames = frames_of(SAC_F32, 0, 2);
    sac_array other = frames;
    sac_error err = {0};
    wrong.grid.n[0] = X + 1;
    assert_failed(sac_image_growing_open(&g, "g.uff", &frames, &info, &err), SAC_E_UNSUPPORTED,
                  &err, "");
    assert_failed(sac_image_growing_open(&g, "g.png", &frames, &info, &err), SAC_E_INVALID, &err,
                  "g.png");
    assert_failed(sac_image_growing_open(&g, "g.npy", &frames, &wrong, &err), SAC_E_SHAPE, &err,
                  "image");
    assert_failed(sac_image_growing_open(&g, "none/g.npy", &frames, &info, &err), SAC_E_IO, &err,
                  "none");
    assert_failed(sac_image_growing_open(&g, NULL, &frames, &info, &err), SAC_E_INVALID, &err,
                  "path: is NULL");
    assert_failed(sac_image_growing_write(NULL, &frames, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_image_growing_commit(NULL, &info, &err), SAC_E_INVALID, &err, "NULL");
    assert_ok(sac_image_growing_open(&g, "g.npy", &frames, &info, &err), &err);
    other.dtype = SAC_C64;
    assert_int_equal(sac_image_growing_write(g, &other, &err), SAC_E_SHAPE);
    other = frames_of(SAC_F32, 0, 2);
    other.shape[1] = Z - 1;
    assert_int_equal(sac_image_growing_write(g, &other, &err), SAC_E_SHAPE);
    assert_ok(sac_image_growing_write(g, &frames, &err), &err);
    assert_failed(sac_image_growing_commit(&g, &wrong, &err), SAC_E_SHAPE, &err, "image");
    assert_failed(sac_image_growing_commit(&g, NULL, &err), SAC_E_INVALID, &err, "info: is NULL");
    assert_non_null(g);
    sac_image_growing_close(&g);
    assert_null(g);
    sac_image_growing_close(NULL);
    assert_int_equal(count_files(false), 0);
}

static void assert_hundred(const sac_image_info *info)
{
    sac_image *image = NULL;
    sac_error err = {0};
    const sac_array frames = frames_of(SAC_F32, 0, 100);
    assert_ok(sac_image_read(&image, "g.h5", &err), &err);
    const sac_array got = sac_image_get_array(image);
    assert_true(got.shape[0] == 100 && sac_image_get_info(image)->prf_hz == info->prf_hz);
    assert_memory_equal(got.data, frames.data, (size_t)sac_array_count(&frames) * sizeof(float));
    sac_image_close(&image);
}

/* Its head is longer: there is room for it, or all is as it was. */
static void image_whose_info_has_other_fields_at_the_end_keeps_its_frames(void **state)
{
    (void)state;
    const sac_image_info info = info_of();
    sac_image_info others[] = {info, info, info, info};
    const sac_array frames = frames_of(SAC_F32, 0, 100);
    sac_error err = {0};
    if (!can_write("g.h5"))
        skip_test("this build writes no HDF5");
    others[0].nyquist_m_s = 1;
    others[1].nyquist_m_s = others[1].prf_hz = others[1].phase_sign = 1;
    others[2].grid_kind = SAC_GRID_SECTOR;
    others[3] = others[1];
    others[3].grid_kind = SAC_GRID_SECTOR;
    others[3].output = SAC_OUTPUT_VELOCITY_POWER;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sac_image_growing *g = NULL;
        assert_ok(sac_image_growing_open(&g, "g.h5", &frames, &info, &err), &err);
        assert_ok(sac_image_growing_write(g, &frames, &err), &err);
        const sac_status st = sac_image_growing_commit(&g, &others[i], &err);
        if (g) {
            assert_failed(st, SAC_E_INVALID, &err, "info: expected");
            assert_ok(sac_image_growing_commit(&g, &info, &err), &err);
        } else {
            assert_ok(st, &err);
        }
        assert_hundred(st ? &info : &others[i]);
    }
}

/* Few frames are written anew behind their head. */
static void image_whose_first_frames_cannot_be_written_says_why(void **state)
{
    (void)state;
    const sac_array frames = frames_of(SAC_F32, 0, 20);
    const sac_image_info info = info_of();
    struct rlimit had, limit;
    sac_image_growing *g = NULL;
    sac_error err = {0};
    assert_ok(sac_image_growing_open(&g, "g.npy", &frames, &info, &err), &err);
    assert_ok(sac_image_growing_write(g, &frames, &err), &err);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &had), 0);
    limit = had;
    limit.rlim_cur = 1000; /* beyond the head */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_failed(sac_image_growing_commit(&g, &info, &err), SAC_E_IO, &err, strerror(EFBIG));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &had), 0);
    assert_null(g);
    assert_int_equal(count_files(false), 0);
}

static void image_on_a_full_disk_keeps_what_it_has(void **state)
{
    (void)state;
    const sac_array frames = frames_of(SAC_F32, 0, 100);
    const sac_image_info info = info_of();
    struct rlimit had, limit;
    sac_image_growing *g = NULL;
    sac_error err = {0};
    size_t size;
    assert_ok(sac_image_growing_open(&g, "g.npy", &frames, &info, &err), &err);
    assert_ok(sac_image_growing_write(g, &frames, &err), &err);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &had), 0);
    limit = had;
    limit.rlim_cur = 20000; /* of 14,000 that are there, and as many more */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_failed(sac_image_growing_write(g, &frames, &err), SAC_E_IO, &err, "g.npy");
    assert_ok(sac_image_growing_commit(&g, &info, &err), &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &had), 0);
    uint8_t *all = get_file("g.npy", &size);
    assert_memory_equal(all + size - 14000, frames_of(SAC_F32, 0, 100).data, 14000);
    assert_true(size < 14000 + 512 && strstr((char *)all + 10, "(100,5,7,)"));
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(image_that_grew_is_the_one_written_at_once, empty_folder),
        cmocka_unit_test_setup(image_that_is_not_committed_leaves_nothing, empty_folder),
        cmocka_unit_test_setup(image_that_cannot_grow_is_refused, empty_folder),
        cmocka_unit_test_setup(image_whose_info_has_other_fields_at_the_end_keeps_its_frames,
                               empty_folder),
        cmocka_unit_test_setup(image_whose_first_frames_cannot_be_written_says_why, empty_folder),
        cmocka_unit_test_setup(image_on_a_full_disk_keeps_what_it_has, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
