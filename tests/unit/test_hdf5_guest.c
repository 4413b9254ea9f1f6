/*
 * libhdf5 is the program's, in which saccade is a guest: its error handlers come back, its ids are
 * closed, its end is its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_hdf5.h"

#include <pthread.h>
#include <sys/wait.h>

#include <saccade/frames.h>

static int n_reports;

static herr_t count_report(hid_t stack, void *data)
{
    (void)stack;
    int *count = data;
    ++*count;
    return 0;
}

static herr_t count_report_1(void *data)
{
    int *count = data;
    ++*count;
    return 0;
}

static void use_all(void)
{
    static const char *const paths[] = {"good.h5", "bad.h5", "none.h5", "missing.h5"};
    for (int i = 0; i < 4; i++) {
        sac_error err;
        sac_recording *r = NULL;
        sac_image *image = NULL;
        sac_frames_in *frames = NULL;
        assert_int_equal(sac_recording_read(&r, paths[i], NULL, &err) == SAC_OK, i == 0);
        assert_true(sac_image_read(&image, paths[i], &err) != SAC_OK);
        assert_true(sac_frames_open(&frames, paths[i], &err) != SAC_OK);
        sac_recording_close(&r);
    }
    write_files();
}

static void hdf5_error_handler_of_the_program_comes_back(void **state)
{
    (void)state;
    write_files();
    n_reports = 0;
    H5Eset_auto2(H5E_DEFAULT, count_report, &n_reports);
    assert_true(H5Gopen2(-1, "x", H5P_DEFAULT) < 0);
    assert_int_equal(n_reports, 1);
    ssize_t waiting = H5Eget_num(H5E_DEFAULT);
    assert_true(waiting > 0);
    use_all();
    H5E_auto2_t report;
    void *data;
    assert_true(H5Eget_num(H5E_DEFAULT) == waiting);
    assert_true(H5Eget_auto2(H5E_DEFAULT, &report, &data) >= 0);
    assert_true(report == count_report && data == &n_reports);
    assert_int_equal(n_reports, 1);
}

#ifndef H5_NO_DEPRECATED_SYMBOLS
static void hdf5_old_error_handler_comes_back(void **state)
{
    (void)state;
    write_files();
    n_reports = 0;
    H5Eset_auto1(count_report_1, &n_reports);
    use_all();
    unsigned version = 2;
    H5E_auto1_t report;
    void *data;
    assert_true(H5Eauto_is_v2(H5E_DEFAULT, &version) >= 0 && version == 0);
    assert_true(H5Eget_auto1(&report, &data) >= 0);
    assert_true(report == count_report_1 && data == &n_reports);
    assert_int_equal(n_reports, 0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}
#endif

/* A thread of the program with a handler of its own. */
static void *work(void *arg)
{
    int *count = arg;
    H5Eset_auto2(H5E_DEFAULT, count_report, count);
    for (int i = 0; i < 50; i++) {
        sac_error err;
        sac_recording *r = NULL;
        if (sac_recording_read(&r, i % 2 ? "good.h5" : "bad.h5", NULL, &err) == SAC_OK)
            sac_recording_close(&r);
        H5Gopen2(-1, "x", H5P_DEFAULT); /* the only failure that it shall hear of */
    }
    H5E_auto2_t report = NULL;
    void *data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &report, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return report == count_report && data == count ? count : NULL;
}

static void hdf5_error_handlers_of_threads_stay_theirs(void **state)
{
    (void)state;
    hbool_t safe = false;
    if (H5is_library_threadsafe(&safe) < 0 || !safe)
        skip_test("this libhdf5 is not for threads");
    write_files();
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int counts[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &counts[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_ptr_equal(result, &counts[i]);
        assert_int_equal(counts[i], 50);
    }
}

static void look_at_exit(void)
{
    H5E_auto2_t report = NULL;
    void *data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &report, &data);
    _exit(report == count_report && data == &n_reports ? 0 : 1);
}

static void hdf5_error_handler_at_exit_is_the_programs(void **state)
{
    (void)state;
    write_files();
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        H5Eset_auto2(H5E_DEFAULT, count_report, &n_reports);
        atexit(look_at_exit); /* goes after whatever is registered from here on */
        use_all();
        exit(2);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Ids that are open in libhdf5. */
static hsize_t count_ids(void)
{
    static const H5I_type_t kinds[] = {H5I_FILE,      H5I_GROUP, H5I_DATASET,
                                       H5I_DATASPACE, H5I_ATTR,  H5I_ERROR_STACK};
    hsize_t sum = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        hsize_t n = 0;
        H5Inmembers(kinds[i], &n);
        sum += n;
    }
    return sum;
}

static void hdf5_ids_are_closed_whatever_the_damage(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_files();
    hsize_t before = count_ids();
    size_t size;
    uint8_t *bytes = get_file("good.h5", &size);
    for (size_t i = 0; i < size; i += 5) {
        bytes[i] ^= (uint8_t)(1U << i % 8);
        put_file("bad.h5", bytes, size);
        bytes[i] ^= (uint8_t)(1U << i % 8);
        sac_recording *r = NULL;
        sac_status st = sac_recording_read(&r, "bad.h5", NULL, NULL);
        assert_int_equal(st == SAC_OK, r != NULL);
        sac_recording_close(&r);
        assert_int_equal(count_ids(), before);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hdf5_error_handler_of_the_program_comes_back, empty_folder),
#ifndef H5_NO_DEPRECATED_SYMBOLS
        cmocka_unit_test_setup(hdf5_old_error_handler_comes_back, empty_folder),
#endif
        cmocka_unit_test_setup(hdf5_error_handlers_of_threads_stay_theirs, empty_folder),
        cmocka_unit_test_setup(hdf5_error_handler_at_exit_is_the_programs, empty_folder),
        cmocka_unit_test_setup(hdf5_ids_are_closed_whatever_the_damage, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
