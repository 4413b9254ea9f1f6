/*
 * Memory that libraries are refused is SAC_E_NOMEM, not a damaged file. malloc is ours here.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording.h"

#include <errno.h>

#ifdef SAC_TEST_HDF5
#include <hdf5.h>
#endif

#include <saccade/frames.h>
#include <saccade/meltpool_model.h>
#include <saccade/records.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static char real_file[PATH_MAX]; /* of MAT v5; empty: not there */

/* Sizes that are refused: of this many bytes and more. 0: none. */
static size_t refused;

static bool refuse(size_t size)
{
    bool is_refused = refused && size >= refused;
    if (is_refused)
        errno = ENOMEM;
    return is_refused;
}

#define FOR_ALL __attribute__((visibility("default"))) /* libraries too */

FOR_ALL void *malloc(size_t size)
{
    return refuse(size) ? NULL : __libc_malloc(size);
}

FOR_ALL void *calloc(size_t count, size_t size)
{
    return refuse(size && count > SIZE_MAX / size ? SIZE_MAX : count * size)
               ? NULL
               : __libc_calloc(count, size);
}

FOR_ALL void *realloc(void *memory, size_t size)
{
    return refuse(size) ? NULL : __libc_realloc(memory, size);
}

/* What reading comes to, with ever smaller sizes refused: it must be memory that is blamed, or
 * enough of it. libhdf5 1.10 itself crashes where its small ones are. */
static void assert_blames_memory(const char *path, size_t smallest)
{
    int n_refused = 0;
    for (size_t least = (size_t)4 << 20; least >= smallest; least -= least / 8) {
        sac_error err = {0};
        sac_recording *r = NULL;
        refused = least;
        sac_status st = sac_recording_read(&r, path, NULL, &err);
        refused = 0;
        if (st != SAC_OK && st != SAC_E_NOMEM)
            fail_msg("%s, from %zu bytes on refused: %s: %s", path, least, sac_status_name(st),
                     err.text);
        n_refused += st == SAC_E_NOMEM;
        sac_recording_close(&r);
    }
    assert_true(n_refused > 0);
    sac_recording *r = read_recording(path, NULL);
    sac_recording_close(&r);
}

static void write_large(const char *path)
{
    enum { SAMPLES = 4000 };
    static scene s;
    static float data[N_RECORDS * SAMPLES];
    const int64_t shape[] = {N_FRAMES, N_TRANSMITS, N_ELEMENTS, SAMPLES};
    sac_error err;
    fill_scene(&s, SAC_F32);
    assert_ok(sac_array_view(&s.samples, data, SAC_F32, 4, shape, &err), &err);
    write_scene(&s, path);
}

#ifdef SAC_TEST_HDF5
/* The samples again, in one chunk of a megabyte, compressed: which libhdf5 takes memory for. */
static void pack(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "samples", H5P_DEFAULT);
    hid_t space = H5Dget_space(set), properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[4];
    H5Sget_simple_extent_dims(space, dims, NULL);
    H5Dclose(set);
    H5Ldelete(file, "samples", H5P_DEFAULT);
    H5Pset_chunk(properties, 4, dims);
    H5Pset_deflate(properties, 1);
    set = H5Dcreate2(file, "samples", H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    float *data = calloc(dims[0] * dims[1] * dims[2] * dims[3], sizeof *data);
    assert_true(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    free(data);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(properties);
    assert_true(H5Fclose(file) >= 0);
}

static void memory_that_libhdf5_lacks_is_no_damage(void **state)
{
    (void)state;
    write_large("r.h5");
    pack("r.h5");
    assert_blames_memory("r.h5", 500000);
}
#endif

static void memory_that_cjson_lacks_is_no_damage(void **state)
{
    (void)state;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    write_large("r.npy");
    size_t size;
    char *text = (char *)get_file("r.json", &size);
    char *longer = malloc(size + 70000);
    assert_non_null(longer);
    memcpy(longer, text, size);
    char *end = strrchr(longer, '}'); /* one string of 64 KB, which cJSON copies */
    int n = sprintf(end, ", \"remark\": \"");
    memset(end + n, 'x', 65536);
    strcpy(end + n + 65536, "\"}\n");
    put_file("r.json", longer, (size_t)(end - longer) + (size_t)n + 65536 + 3);
    free(longer);
    free(text);
    assert_blames_memory("r.npy", 20000);
    sac_recording *r = NULL;
    sac_error err = {0};
    refused = 60000; /* less than the string, more than the file's structs */
    sac_status st = sac_recording_read(&r, "r.npy", NULL, &err);
    refused = 0;
    assert_failed(st, SAC_E_NOMEM, &err, "memory");
}

static void memory_that_libmatio_lacks_is_no_damage(void **state)
{
    (void)state;
    if (!has_part("libmatio"))
        skip_test("this build has no libmatio");
    if (!real_file[0])
        skip_test("no recording in ../shared/data or SACCADE_DATA");
    assert_blames_memory(real_file, 100000);
}

/* NULL where no comment says that it is welcome. */
static void calls_with_null_are_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_recording *r = NULL;
    sac_image *image = NULL;
    sac_frames_in *in = NULL;
    sac_frames_out *out = NULL;
    sac_records_out *records = NULL;
    sac_meltpool_model_file *model = NULL;
    const sac_meltpool_record record = {0};
    static scene s;
    fill_scene(&s, SAC_I16);
    bool has_hdf5 = has_part("libhdf5");
#define REFUSED(call) assert_int_equal(call, SAC_E_INVALID)
    REFUSED(sac_recording_read(NULL, "x", NULL, &err));
    REFUSED(sac_recording_read(&r, NULL, NULL, &err));
    REFUSED(sac_recording_write(NULL, &s.samples, &s.acquisition, NULL, 0, &err));
    REFUSED(sac_recording_write("x.h5", NULL, &s.acquisition, NULL, 0, &err));
    REFUSED(sac_recording_write("x.h5", &s.samples, NULL, NULL, 0, &err));
    REFUSED(sac_recording_write("x.h5", &s.samples, &s.acquisition, s.truth, -1, NULL));
    REFUSED(sac_recording_can_write(NULL, &err));
    REFUSED(sac_image_write(NULL, &s.samples, NULL, &err));
    REFUSED(sac_image_write("x.h5", NULL, NULL, &err));
    REFUSED(sac_image_write("x.h5", &s.samples, NULL, &err));
    REFUSED(sac_image_can_write(NULL, &err));
    REFUSED(sac_image_read(NULL, "x", &err));
    REFUSED(sac_image_read(&image, NULL, &err));
    REFUSED(sac_frames_open(NULL, "x", &err));
    REFUSED(sac_frames_open(&in, NULL, &err));
    REFUSED(sac_frames_can_write(NULL, &err));
    REFUSED(sac_frames_create(NULL, "x.h5", NULL, &err));
    REFUSED(sac_frames_create(&out, NULL, NULL, &err) == SAC_E_UNSUPPORTED
                ? SAC_E_INVALID
                : sac_frames_create(&out, NULL, NULL, &err));
    if (has_hdf5) {
        REFUSED(sac_frames_create(&out, "x.h5", NULL, &err));
        REFUSED(sac_frames_read(NULL, NULL, NULL, NULL, 0, 1, &err));
        REFUSED(sac_frames_append(NULL, NULL, NULL, NULL, 1, &err));
        REFUSED(sac_frames_commit(NULL, &err));
        REFUSED(sac_frames_commit(&out, &err));
    }
    REFUSED(sac_records_can_write(NULL, &err));
    REFUSED(sac_records_create(NULL, "x.csv", NULL, &err));
    REFUSED(sac_records_create(&records, NULL, NULL, &err));
    REFUSED(sac_records_create(&records, "x.csv", NULL, &err));
    REFUSED(sac_records_append(NULL, &record, NULL, 1, &err));
    REFUSED(sac_records_commit(NULL, &err));
    REFUSED(sac_records_commit(&records, NULL));
    REFUSED(sac_meltpool_model_read(NULL, "x", &err));
    REFUSED(sac_meltpool_model_read(&model, NULL, &err));
    REFUSED(sac_meltpool_model_shipped(NULL, &err));
    REFUSED(sac_meltpool_model_parse(NULL, "x", 1, "x", &err));
    REFUSED(sac_meltpool_model_parse(&model, NULL, 1, "x", &err));
    REFUSED(sac_meltpool_model_parse(&model, "x", 1, NULL, NULL));
    REFUSED(sac_file_write(NULL, "x", 1, &err));
    REFUSED(sac_file_write("x", NULL, 1, &err));
    assert_null(sac_recording_get_array(NULL).data);
    assert_null(sac_recording_get_acquisition(NULL));
    assert_null(sac_recording_get_truth(NULL, NULL));
    assert_string_equal(sac_recording_get_note(NULL), "");
    assert_null(sac_image_get_array(NULL).data);
    assert_null(sac_image_get_info(NULL));
    assert_null(sac_frames_get_info(NULL));
    assert_null(sac_meltpool_model_get_model(NULL));
    assert_string_equal(sac_meltpool_model_get_description(NULL), "");
    assert_string_equal(sac_meltpool_model_get_parameters(NULL), "");
    sac_recording_close(NULL);
    sac_image_close(NULL);
    sac_frames_close(NULL);
    sac_frames_abort(NULL);
    sac_records_abort(NULL);
    sac_meltpool_model_close(NULL);
    assert_int_equal(count_files(false), 0);
}

int main(void)
{
    const char *data = getenv("SACCADE_DATA");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/ultrasound/PWI_disk.mat", data ? data : "../shared/data");
    if (!realpath(path, real_file))
        real_file[0] = '\0';
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_with_null_are_refused, empty_folder),
#ifdef SAC_TEST_HDF5
        cmocka_unit_test_setup(memory_that_libhdf5_lacks_is_no_damage, empty_folder),
#endif
        cmocka_unit_test_setup(memory_that_cjson_lacks_is_no_damage, empty_folder),
        cmocka_unit_test_setup(memory_that_libmatio_lacks_is_no_damage, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
