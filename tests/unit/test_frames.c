/*
 * Files of frames: what is written comes back, what is wrong is refused in one line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io.h"

#include <math.h>

#include <saccade/frames.h>

#include "refusal.h"

#ifdef SAC_TEST_HDF5
#include <hdf5.h>
#endif

enum { W = 12, H = 10, N = 300 }; /* some chunks of signals, one of pictures */

static uint8_t frames[N * W * H], frames_back[N * W * H];
static sac_meltpool_signals signals[N], signals_back[N];
static sac_meltpool_truth truth[N], truth_back[N];

static sac_frames_info an_info(void)
{
    sac_frames_info info;
    sac_frames_info_init(&info);
    info.w = W;
    info.h = H;
    info.has_signals = info.has_truth = info.has_calibration = true;
    info.rate_hz = 20000;
    info.seed = 9;
    sac_meltpool_sim_calibration(info.calibration);
    for (int i = 0; i < N * W * H; i++)
        frames[i] = (uint8_t)(i * 7 + i / 256);
    for (int i = 0; i < N; i++) {
        signals[i] = (sac_meltpool_signals){i % 2, i, -1000 * i, 1 << 20};
        truth[i] = (sac_meltpool_truth){.regime = i % 3, .x = 0.1F * (float)i, .lof_density = 3};
    }
    return info;
}

static void write_file(const char *path, const sac_frames_info *info, int64_t batch)
{
    sac_error err = {0};
    sac_frames_out *out = NULL;
    assert_ok(sac_frames_create(&out, path, info, &err), &err);
    for (int64_t i = 0; i < N; i += batch) {
        int64_t n = N - i < batch ? N - i : batch;
        assert_ok(sac_frames_append(out, frames + i * W * H, info->has_signals ? signals + i : NULL,
                                    info->has_truth ? truth + i : NULL, n, &err),
                  &err);
    }
    assert_ok(sac_frames_commit(&out, &err), &err);
    assert_null(out);
}

static void frames_written_come_back(void **state)
{
    (void)state;
    sac_frames_info info = an_info();
    sac_error err = {0};
    for (int64_t batch = 1; batch <= 301; batch += 100) {
        write_file("a.h5", &info, batch);
        assert_int_equal(count_files(false), 1);
        sac_frames_in *in = NULL;
        assert_ok(sac_frames_open(&in, "a.h5", &err), &err);
        const sac_frames_info *back = sac_frames_get_info(in);
        assert_true(back->w == W && back->h == H && back->n_frames == N && back->seed == 9);
        assert_true(back->has_signals && back->has_truth && back->has_calibration);
        assert_true(back->rate_hz == 20000);
        assert_memory_equal(back->calibration, info.calibration, sizeof info.calibration);
        for (int64_t i = 0; i < N; i += 70) {
            int64_t n = N - i < 70 ? N - i : 70;
            assert_ok(sac_frames_read(in, frames_back + i * W * H, signals_back + i, truth_back + i,
                                      i, n, &err),
                      &err);
        }
        assert_memory_equal(frames_back, frames, sizeof frames);
        assert_memory_equal(signals_back, signals, sizeof signals);
        assert_memory_equal(truth_back, truth, sizeof truth);
        assert_failed(sac_frames_read(in, frames_back, NULL, NULL, 1, N, &err), SAC_E_INVALID, &err,
                      "from 1 on");
        assert_failed(sac_frames_read(in, frames_back, NULL, NULL, -1, 1, &err), SAC_E_INVALID,
                      &err, "frames");
        sac_frames_close(&in);
        assert_null(in);
    }
}

static void frames_without_signals_say_so(void **state)
{
    (void)state;
    sac_frames_info info = an_info();
    sac_error err = {0};
    info.has_signals = info.has_truth = info.has_calibration = false;
    info.rate_hz = 0;
    info.seed = -1;
    write_file("a.h5", &info, 64);
    sac_frames_in *in = NULL;
    assert_ok(sac_frames_open(&in, "a.h5", &err), &err);
    const sac_frames_info *back = sac_frames_get_info(in);
    assert_false(back->has_signals || back->has_truth || back->has_calibration);
    assert_true(back->rate_hz == 0 && back->seed == -1);
    assert_ok(sac_frames_read(in, frames_back, NULL, NULL, 0, N, &err), &err);
    assert_failed(sac_frames_read(in, frames_back, signals_back, NULL, 0, N, &err), SAC_E_FORMAT,
                  &err, "/signals");
    sac_frames_close(&in);
}

/* Two readers and a writer at once, and another error after all are closed. */
static void frames_of_many_files_do_not_mix(void **state)
{
    (void)state;
    sac_frames_info info = an_info();
    sac_error err = {0};
    sac_frames_in *one = NULL, *two = NULL;
    sac_frames_out *out = NULL;
    write_file("a.h5", &info, 64);
    assert_ok(sac_frames_open(&one, "a.h5", &err), &err);
    assert_ok(sac_frames_create(&out, "b.h5", &info, &err), &err);
    assert_ok(sac_frames_open(&two, "a.h5", &err), &err);
    assert_ok(sac_frames_append(out, frames, signals, truth, 3, &err), &err);
    sac_frames_close(&one);
    assert_ok(sac_frames_read(two, frames_back, NULL, NULL, 0, 1, &err), &err);
    assert_ok(sac_frames_commit(&out, &err), &err);
    sac_frames_close(&two);
    assert_ok(sac_frames_open(&one, "b.h5", &err), &err);
    assert_int_equal(sac_frames_get_info(one)->n_frames, 3);
    sac_frames_close(&one);
    put_file("c.h5", "\x89HDF\r\n\x1a\n", 8);
    assert_failed(sac_frames_open(&one, "c.h5", &err), SAC_E_FORMAT, &err, "c.h5");
    assert_null(one);
}

static void frames_aborted_leave_nothing(void **state)
{
    (void)state;
    sac_frames_info info = an_info();
    sac_error err = {0};
    sac_frames_out *out = NULL;
    assert_ok(sac_frames_create(&out, "a.h5", &info, &err), &err);
    assert_ok(sac_frames_append(out, frames, signals, truth, N, &err), &err);
    assert_failed(sac_frames_append(out, frames, NULL, truth, 1, &err), SAC_E_INVALID, &err,
                  "signals");
    sac_frames_abort(&out);
    assert_null(out);
    sac_frames_abort(&out);
    assert_int_equal(count_files(false), 0);
    assert_failed(sac_frames_create(&out, "a.npy", &info, &err), SAC_E_INVALID, &err, ".hdf5");
    assert_failed(sac_frames_create(&out, "no/such/a.h5", &info, &err), SAC_E_IO, &err, "no/such");
    info.w = 5000;
    assert_failed(sac_frames_create(&out, "a.h5", &info, &err), SAC_E_INVALID, &err, "5000");
    info = an_info();
    info.calibration[1][2] = (double)NAN;
    assert_failed(sac_frames_create(&out, "a.h5", &info, &err), SAC_E_INVALID, &err, "calibration");
    info = an_info();
    info.rate_hz = -1;
    assert_failed(sac_frames_create(&out, "a.h5", &info, &err), SAC_E_INVALID, &err, "rate_hz");
}

static void frames_without_memory_are_refused(void **state)
{
    (void)state;
    sac_frames_info info = an_info();
    sac_status came = SAC_E_NOMEM;
    for (int n = 0; came != SAC_OK; n++) {
        sac_error err = {0};
        sac_frames_out *out = NULL;
        refuse_from(n);
        came = sac_frames_create(&out, "a.h5", &info, &err);
        sac_alloc_hook(NULL);
        assert_true(n < 5 && (came == SAC_OK || came == SAC_E_IO || came == SAC_E_NOMEM));
        sac_frames_abort(&out);
    }
    write_file("a.h5", &info, N);
    sac_error err = {0};
    sac_frames_in *in = NULL;
    refuse_from(0);
    came = sac_frames_open(&in, "a.h5", &err);
    sac_alloc_hook(NULL);
    assert_failed(came, SAC_E_NOMEM, &err, "memory");
}

/* Cuts, and bytes changed here and there: refused or read, never a crash. */
static void frames_damaged_do_not_crash(void **state)
{
    (void)state;
    sac_frames_info info = an_info();
    write_file("a.h5", &info, N);
    size_t size;
    uint8_t *bytes = get_file("a.h5", &size);
    for (size_t i = 0; i < size; i += i < 4096 ? 3 : 997) {
        uint8_t old = bytes[i];
        bytes[i] = (uint8_t)(old ^ (1U << i % 8));
        put_file("b.h5", bytes, i % 5 ? size : i);
        bytes[i] = old;
        sac_error err = {0};
        sac_frames_in *in = NULL;
        sac_status st = sac_frames_open(&in, "b.h5", &err);
        assert_int_equal(st == SAC_OK, in != NULL);
        assert_int_equal(st == SAC_OK, err.text[0] == '\0');
        const sac_frames_info *back = in ? sac_frames_get_info(in) : NULL;
        if (in && back->n_frames <= N && back->w == W && back->h == H)
            st = sac_frames_read(in, frames_back, NULL, NULL, 0, back->n_frames, &err);
        assert_int_equal(st == SAC_OK, err.text[0] == '\0');
        sac_frames_close(&in);
    }
    free(bytes);
}

#ifdef SAC_TEST_HDF5

/* A file of n_frames 2 x 3 pictures, and n_signals records of four parts of a type. */
static void put_odd(int n_frames, hid_t picture, int n_signals, hid_t part, const char *last)
{
    static const uint8_t data[4096] = {0};
    static const char *const names[] = {"laser_on", "counter", "x"};
    hid_t file = H5Fcreate("odd.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Tcreate(H5T_COMPOUND, 64);
    for (size_t i = 0; i < 3; i++)
        H5Tinsert(type, names[i], 16 * i, part);
    H5Tinsert(type, last, 48, part);
    const hsize_t dims[3] = {(hsize_t)n_frames, 2, 3}, n = (hsize_t)n_signals;
    hid_t space = H5Screate_simple(3, dims, NULL), line = H5Screate_simple(1, &n, NULL);
    hid_t set = H5Dcreate2(file, "frames", picture, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, picture, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    set = H5Dcreate2(file, "signals", type, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Sclose(space);
    H5Sclose(line);
    H5Tclose(type);
    H5Fclose(file);
}

static void assert_odd(const char *word)
{
    sac_error err = {0};
    sac_frames_in *in = NULL;
    sac_status st = sac_frames_open(&in, "odd.h5", &err);
    if (word)
        assert_failed(st, SAC_E_FORMAT, &err, word);
    else
        assert_ok(st, &err);
    sac_frames_close(&in);
}

static void frames_of_other_types_are_refused(void **state)
{
    (void)state;
    put_odd(5, H5T_STD_U8LE, 5, H5T_STD_I16BE, "y");
    assert_odd(NULL);
    put_odd(5, H5T_STD_U16LE, 5, H5T_STD_I32LE, "y");
    assert_odd("/frames: expected pictures of uint8");
    put_odd(5, H5T_IEEE_F32LE, 5, H5T_STD_I32LE, "y");
    assert_odd("/frames");
    put_odd(5, H5T_STD_U8LE, 4, H5T_STD_I32LE, "y");
    assert_odd("/signals: expected 5, one a frame, got 4");
    put_odd(5, H5T_STD_U8LE, 5, H5T_STD_I32LE, "z");
    assert_odd("/signals: expected records");
    put_odd(5, H5T_STD_U8LE, 5, H5T_IEEE_F32LE, "y");
    assert_odd("/signals");
    put_odd(5, H5T_STD_U8LE, 5, H5T_STD_I64LE, "y");
    assert_odd("32 bits");
}

#endif

int main(void)
{
    if (sac_frames_can_write("a.h5", NULL) == SAC_E_UNSUPPORTED)
        return skip_all("this build has no HDF5");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(frames_written_come_back, empty_folder),
        cmocka_unit_test_setup(frames_without_signals_say_so, empty_folder),
        cmocka_unit_test_setup(frames_of_many_files_do_not_mix, empty_folder),
        cmocka_unit_test_setup(frames_aborted_leave_nothing, empty_folder),
        cmocka_unit_test_setup(frames_without_memory_are_refused, empty_folder),
        cmocka_unit_test_setup(frames_damaged_do_not_crash, empty_folder),
#ifdef SAC_TEST_HDF5
        cmocka_unit_test_setup(frames_of_other_types_are_refused, empty_folder),
#endif
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
