/*
 * Recordings in HDF5 and NPY as files: truncated, foreign, of two writes, not to be written, and on
 * the disk.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording_formats.h"

/* A file cut anywhere is refused, or what is missing was not needed; nothing crashes, and nothing
 * that was read differs. */
static void recording_truncated_is_refused(void **state)
{
    (void)state;
    static scene s;
    fill_scene(&s, SAC_F32);
    FORMATS(f)
    {
        write_scene(&s, formats[f].path);
        size_t size;
        uint8_t *bytes = get_file(formats[f].path, &size);
        for (size_t n = 0; n < size; n += n < 4096 || n + 600 > size ? 1 : 97) {
            put_file(formats[f].path, bytes, n);
            sac_error err = {0};
            sac_recording *r = NULL;
            sac_status st = sac_recording_read(&r, formats[f].path, NULL, &err);
            if (st == SAC_OK || err.text[0] == '\0')
                fail_msg("%s of %zu bytes, cut at %zu: %s", formats[f].path, size, n,
                         sac_status_name(st));
            sac_recording_close(&r);
        }
        free(bytes);
    }
}

static void recording_that_is_no_recording_is_refused(void **state)
{
    (void)state;
    put_file("empty", "", 0);
    put_file("junk", "junk", 4);
    assert_int_equal(mkdir("dir", 0777), 0);
    assert_not_read("missing", NULL, SAC_E_IO, "`missing`: No such file");
    assert_not_read("empty", NULL, SAC_E_FORMAT, "neither MAT");
    assert_not_read("junk", NULL, SAC_E_FORMAT, "neither MAT");
    assert_not_read("dir", NULL, SAC_E_IO, "regular file");
    assert_not_read("-", NULL, SAC_E_IO, "standard input: expected a regular file");
    assert_not_read("/dev/null", NULL, SAC_E_IO, "regular file");
    sac_error err;
    sac_recording *r = NULL;
    assert_failed(sac_recording_read(NULL, "junk", NULL, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_recording_read(&r, NULL, NULL, &err), SAC_E_INVALID, &err, "path");
    sac_recording_close(NULL);
    sac_recording_close(&r);
}

static void library_that_is_missing_says_so(void **state)
{
    (void)state;
    char mat[128] = "MATLAB 5.0 MAT-file";
    memcpy(mat + 124, "\0\1IM", 4);
    put_file("x.mat", mat, sizeof mat);
    put_file("x.h5", "\x89HDF\r\n\x1a\n", 8);
    if (!has_part("libmatio"))
        assert_not_read("x.mat", NULL, SAC_E_UNSUPPORTED, "no MAT (libmatio");
    if (!has_part("libhdf5"))
        assert_not_read("x.h5", NULL, SAC_E_UNSUPPORTED, "no HDF5 (libhdf5");
    static scene s;
    fill_scene(&s, SAC_F32);
    sac_error err;
    for (size_t f = 0; f < 2; f++) {
        if (has_part(formats[f].part))
            continue;
        assert_failed(sac_recording_can_write(formats[f].path, &err), SAC_E_UNSUPPORTED, &err,
                      "this build has no");
        assert_failed(
            sac_recording_write(formats[f].path, &s.samples, &s.acquisition, NULL, 0, &err),
            SAC_E_UNSUPPORTED, &err, "this build has no");
        assert_int_equal(access(formats[f].path, F_OK), -1);
    }
}

static void write_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static scene s;
    sac_error err;
    assert_failed(sac_recording_can_write("x.mat", &err), SAC_E_INVALID, &err,
                  ".h5, .hdf5, .uff or");
    assert_failed(sac_recording_can_write(".h5", &err), SAC_E_INVALID, &err, ".h5, .hdf5, .uff or");
    assert_failed(sac_recording_can_write(NULL, &err), SAC_E_INVALID, &err, "path");
    FORMATS(f)
    {
        const char *path = formats[f].path;
        char elsewhere[32];
        snprintf(elsewhere, sizeof elsewhere, "no/%s", path);
        assert_failed(sac_recording_can_write(elsewhere, &err), SAC_E_IO, &err, "folder `no/`");
        assert_ok(sac_recording_can_write(path, &err), &err);
        fill_scene(&s, SAC_F32);
        sac_array a = s.samples;
        a.dtype = SAC_U32;
        assert_failed(sac_recording_write(path, &a, &s.acquisition, NULL, 0, &err), SAC_E_SHAPE,
                      &err, "samples");
        assert_ok(sac_array_range(&a, &s.samples, 3, 1, 2, &err), &err);
        assert_failed(sac_recording_write(path, &a, &s.acquisition, NULL, 0, &err), SAC_E_SHAPE,
                      &err, "contiguous");
        assert_ok(sac_array_range(&a, &s.samples, 1, 1, 2, &err), &err);
        assert_failed(sac_recording_write(path, &a, &s.acquisition, NULL, 0, &err), SAC_E_SHAPE,
                      &err, "(n_frames, 5, 4, n_samples)");
        s.transmits[1].kind = SAC_TRANSMIT_ARRIVALS;
        s.transmits[1].arrivals_s = test_delays;
        assert_failed(sac_recording_write(path, &s.samples, &s.acquisition, NULL, 0, &err),
                      SAC_E_UNSUPPORTED, &err, "arrivals of transmit 1");
        fill_scene(&s, SAC_F32);
        s.acquisition.fs_hz = NAN;
        assert_failed(sac_recording_write(path, &s.samples, &s.acquisition, NULL, 0, &err),
                      SAC_E_INVALID, &err, "fs");
    }
    assert_int_equal(count_files(false), 0);
}

static void write_that_fails_leaves_what_was(void **state)
{
    (void)state;
    static scene s;
    sac_error err;
    fill_scene(&s, SAC_F32);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    FORMATS(f)
    {
        put_file(formats[f].path, "before", 6);
        const struct rlimit low = {100, limit.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        sac_status st =
            sac_recording_write(formats[f].path, &s.samples, &s.acquisition, NULL, 0, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_failed(st, SAC_E_IO, &err, "cannot be written: File too large");
        size_t size;
        uint8_t *bytes = get_file(formats[f].path, &size);
        assert_int_equal(size, 6);
        free(bytes);
        assert_int_equal(count_files(true), 1);
    }
}

static void read_without_memory_is_refused(void **state)
{
    (void)state;
    static scene s;
    fill_scene(&s, SAC_F32);
    FORMATS(f)
    {
        write_scene(&s, formats[f].path);
        sac_status st = SAC_E_NOMEM;
        for (int n = 0; st != SAC_OK; n++) {
            sac_error err = {0};
            sac_recording *r = NULL;
            refuse_from(n);
            st = sac_recording_read(&r, formats[f].path, NULL, &err);
            sac_alloc_hook(NULL);
            if (st != SAC_OK)
                assert_failed(st, SAC_E_NOMEM, &err, "no memory");
            assert_int_equal(r != NULL, st == SAC_OK);
            sac_recording_close(&r);
        }
    }
}

static void write_without_memory_is_refused(void **state)
{
    (void)state;
    static scene s;
    fill_scene(&s, SAC_F32);
    FORMATS(f)
    {
        sac_status st = SAC_E_NOMEM;
        for (int n = 0; st != SAC_OK; n++) {
            sac_error err = {0};
            refuse_from(n);
            st = sac_recording_write(formats[f].path, &s.samples, &s.acquisition, s.truth, 2, &err);
            sac_alloc_hook(NULL);
            if (st != SAC_OK) {
                assert_failed(st, SAC_E_NOMEM, &err, "no memory");
                assert_int_equal(count_files(false), 0);
            }
        }
        count_files(true);
    }
}

/* One whole pair under r.npy, the other under q.npy. */
static void write_two_pairs(sac_dtype dtype)
{
    static scene s;
    fill_scene(&s, dtype);
    write_scene(&s, "r.npy");
    s.data[N_RECORDS * N_SAMPLES / 4] += 1;
    s.acquisition.c_m_s = 1600;
    write_scene(&s, "q.npy");
}

/* What a crash between two renames leaves, whichever is first. */
static void recording_pair_of_two_writes_is_refused(void **state)
{
    (void)state;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    static const sac_dtype types[] = {SAC_I16, SAC_F32, SAC_C64};
    for (int i = 0; i < 3; i++) {
        write_two_pairs(types[i]);
        assert_int_equal(rename("q.json", "r.json"), 0);
        assert_not_read("r.npy", NULL, SAC_E_FORMAT, "another checksum");
        write_two_pairs(types[i]);
        assert_int_equal(rename("q.npy", "r.npy"), 0);
        assert_not_read("r.npy", NULL, SAC_E_FORMAT, "another checksum");
    }
    write_two_pairs(SAC_F32);
    assert_int_equal(rename("q.json", "f.json"), 0);
    write_two_pairs(SAC_I16);
    assert_int_equal(rename("f.json", "r.json"), 0);
    assert_not_read("r.npy", NULL, SAC_E_FORMAT, "another type");
}

static void recording_pair_without_checksums_is_read(void **state)
{
    (void)state;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    write_two_pairs(SAC_I16);
    size_t size;
    char *text = (char *)get_file("q.json", &size);
    text[size] = '\0';
    char *name = strstr(text, "\"samples\"");
    assert_non_null(name);
    memcpy(name, "\"remarks\"", 9); /* as files of older versions and other programs */
    put_file("r.json", text, size);
    free(text);
    sac_recording *r = read_recording("r.npy", NULL);
    assert_near(sac_recording_get_acquisition(r)->c_m_s, 1600);
    sac_recording_close(&r);
}

/* In place of the system's: what is forced to the disk, and whether it has its name by then. */
static struct {
    int files, folders, too_late;
} synced;

int fsync(int fd)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    synced.files += S_ISREG(st.st_mode);
    synced.folders += S_ISDIR(st.st_mode);
    synced.too_late += S_ISREG(st.st_mode) && access("r.h5", F_OK) == 0;
    synced.too_late += S_ISREG(st.st_mode) && access("r.npy", F_OK) == 0;
    synced.too_late += S_ISDIR(st.st_mode) && access("r.h5", F_OK) && access("r.npy", F_OK);
    return 0;
}

static void recording_is_on_the_disk_before_it_has_its_name(void **state)
{
    (void)state;
    static const sac_durable all[] = {SAC_DURABLE_RECORDINGS, SAC_DURABLE_ALL, SAC_DURABLE_NONE};
    static scene s;
    fill_scene(&s, SAC_I16);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_file_durable(all[i]);
        FORMATS(f)
        {
            int n = all[i] == SAC_DURABLE_NONE ? 0 : strcmp(formats[f].path, "r.npy") == 0 ? 2 : 1;
            memset(&synced, 0, sizeof synced);
            write_scene(&s, formats[f].path);
            assert_int_equal(synced.files, n);
            assert_int_equal(synced.folders, n);
            assert_int_equal(synced.too_late, 0);
            count_files(true);
        }
        sac_error err;
        memset(&synced, 0, sizeof synced);
        assert_ok(sac_file_write("text", "x", 1, &err), &err);
        assert_int_equal(synced.files, all[i] == SAC_DURABLE_ALL);
        count_files(true);
    }
    sac_file_durable(SAC_DURABLE_RECORDINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(recording_truncated_is_refused, empty_folder),
        cmocka_unit_test_setup(recording_that_is_no_recording_is_refused, empty_folder),
        cmocka_unit_test_setup(library_that_is_missing_says_so, empty_folder),
        cmocka_unit_test_setup(write_that_cannot_be_is_refused, empty_folder),
        cmocka_unit_test_setup(write_that_fails_leaves_what_was, empty_folder),
        cmocka_unit_test_setup(read_without_memory_is_refused, empty_folder),
        cmocka_unit_test_setup(write_without_memory_is_refused, empty_folder),
        cmocka_unit_test_setup(recording_pair_of_two_writes_is_refused, empty_folder),
        cmocka_unit_test_setup(recording_pair_without_checksums_is_read, empty_folder),
        cmocka_unit_test_setup(recording_is_on_the_disk_before_it_has_its_name, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
