/*
 * Files of records: what is written can be read back, to the bit, in both forms.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io.h"

#include <math.h>

#include <saccade/records.h>

#include "refusal.h"

#ifdef SAC_TEST_HDF5
#include <hdf5.h>
#endif

enum { N = 2500 }; /* some batches, some chunks */

static sac_meltpool_record records[N];
static sac_meltpool_truth truth[N];

static sac_records_info an_info(void)
{
    sac_records_info info;
    sac_records_info_init(&info);
    info.has_signals = info.has_prediction = info.has_times = info.has_truth = true;
    info.has_calibration = true;
    info.rate_hz = 20000;
    info.parameters = "roi=40 threshold=60";
    info.model = "of nothing";
    sac_meltpool_sim_calibration(info.calibration);
    uint32_t x = 1;
    for (int i = 0; i < N; i++) {
        sac_meltpool_record *r = &records[i];
        *r = (sac_meltpool_record){.arrival_ns = (int64_t)i << 40,
                                   .done_ns = -i,
                                   .signals = {i % 2, i, -i, INT32_MIN},
                                   .flags = (uint32_t)i % 64};
        for (int k = 0; k < SAC_MELTPOOL_FEATURES; k++) {
            x = x * 1664525 + 1013904223;
            r->features[k] = ldexpf((float)(int32_t)x, (int)(x >> 8 & 63) - 60);
        }
        r->prediction[0] = 1.0F / (float)(i + 1);
        r->prediction[1] = (float)i;
        truth[i] = (sac_meltpool_truth){.regime = i % 3, .keyhole_density = 0.1F * (float)i};
    }
    return info;
}

static void write_file(const char *path, const sac_records_info *info, int64_t batch)
{
    sac_error err = {0};
    sac_records_out *out = NULL;
    assert_ok(sac_records_create(&out, path, info, &err), &err);
    for (int64_t i = 0; i < N; i += batch) {
        int64_t n = N - i < batch ? N - i : batch;
        assert_ok(sac_records_append(out, records + i, info->has_truth ? truth + i : NULL, n, &err),
                  &err);
    }
    assert_int_equal(count_files(false), 0); /* appears when it is whole */
    assert_ok(sac_records_commit(&out, &err), &err);
    assert_null(out);
}

/* The next field of a line. */
static char *next_field(char **rest)
{
    char *field = *rest;
    size_t n = strcspn(field, ",\n");
    *rest = field + n + (field[n] != '\0');
    field[n] = '\0';
    return field;
}

static void assert_head(char **rest, const sac_records_info *info)
{
    static const char *const first[] = {"frame", "flags", "laser_on", "counter", "x", "y"};
    for (int i = 0; i < (info->has_signals ? 6 : 2); i++)
        assert_string_equal(next_field(rest), first[i]);
    for (int32_t k = 0; k < SAC_MELTPOOL_FEATURES; k++)
        assert_string_equal(next_field(rest), sac_meltpool_feature_name(k));
}

static void assert_floats(char **rest, const float *values, int n)
{
    for (int k = 0; k < n; k++)
        assert_true(strtof(next_field(rest), NULL) == values[k]);
}

static void csv_brings_every_number_back(void **state)
{
    (void)state;
    sac_records_info info = an_info();
    size_t size;
    write_file("a.csv", &info, 700);
    char *text = (char *)get_file("a.csv", &size), *rest = text;
    text[size] = '\0';
    assert_head(&rest, &info);
    assert_string_equal(next_field(&rest), "lof_density");
    assert_string_equal(next_field(&rest), "keyhole_density");
    assert_string_equal(next_field(&rest), "arrival_ns");
    assert_string_equal(next_field(&rest), "done_ns");
    assert_string_equal(next_field(&rest), "truth_regime");
    for (int i = 0; i < 15; i++)
        next_field(&rest);
    for (int i = 0; i < N; i++) {
        assert_int_equal(atoi(next_field(&rest)), i);
        assert_int_equal(strtoul(next_field(&rest), NULL, 10), records[i].flags);
        assert_int_equal(atoi(next_field(&rest)), records[i].signals.laser_on);
        for (int k = 0; k < 2; k++)
            next_field(&rest);
        assert_int_equal(atoi(next_field(&rest)), INT32_MIN);
        assert_floats(&rest, records[i].features, SAC_MELTPOOL_FEATURES);
        assert_floats(&rest, records[i].prediction, SAC_MELTPOOL_PREDICTIONS);
        assert_int_equal(strtoll(next_field(&rest), NULL, 10), records[i].arrival_ns);
        assert_int_equal(strtoll(next_field(&rest), NULL, 10), records[i].done_ns);
        for (int k = 0; k < 15; k++)
            next_field(&rest);
        assert_floats(&rest, &truth[i].keyhole_density, 1);
    }
    assert_int_equal(*rest, '\0');
    free(text);
}

static void csv_leaves_out_what_there_is_not(void **state)
{
    (void)state;
    sac_records_info info = an_info();
    info.has_signals = info.has_prediction = info.has_times = info.has_truth = false;
    size_t size;
    write_file("a.csv", &info, N);
    char *text = (char *)get_file("a.csv", &size), *rest = text;
    text[size] = '\0';
    assert_head(&rest, &info);
    assert_string_equal(next_field(&rest), "0");
    free(text);
}

#ifdef SAC_TEST_HDF5

/* A dataset's values as `type`, which must be exactly so many bytes of them. */
static void assert_set(hid_t file, const char *name, hid_t type, const void *want, size_t size)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set);
    assert_int_equal((size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type), size);
    void *got = malloc(size);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
    assert_memory_equal(got, want, size);
    free(got);
    H5Sclose(space);
    H5Dclose(set);
}

/* One part of a compound, of every record. */
static void assert_part(hid_t file, const char *name, const char *part, hid_t type,
                        const char *values, size_t stride)
{
    size_t size = H5Tget_size(type);
    hid_t compound = H5Tcreate(H5T_COMPOUND, size);
    H5Tinsert(compound, part, 0, type);
    char *want = malloc(N * size);
    for (size_t i = 0; i < N; i++)
        memcpy(want + i * size, values + i * stride, size);
    assert_set(file, name, compound, want, N * size);
    free(want);
    H5Tclose(compound);
}

static void assert_text(hid_t file, const char *name, const char *want)
{
    char text[1024] = "";
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute);
    assert_true(H5Tget_size(type) < sizeof text && H5Aread(attribute, type, text) >= 0);
    assert_memory_equal(text, want, strlen(want));
    H5Tclose(type);
    H5Aclose(attribute);
}

static void hdf5_brings_every_number_back(void **state)
{
    static float features[N][SAC_MELTPOOL_FEATURES], prediction[N][SAC_MELTPOOL_PREDICTIONS];
    static uint32_t flags[N];
    (void)state;
    sac_records_info info = an_info();
    for (int i = 0; i < N; i++) {
        memcpy(features[i], records[i].features, sizeof features[i]);
        memcpy(prediction[i], records[i].prediction, sizeof prediction[i]);
        flags[i] = records[i].flags;
    }
    for (int64_t batch = 1; batch <= N; batch += 1249) {
        write_file("a.h5", &info, batch);
        hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        assert_set(file, "features", H5T_NATIVE_FLOAT, features, sizeof features);
        assert_set(file, "prediction", H5T_NATIVE_FLOAT, prediction, sizeof prediction);
        assert_set(file, "flags", H5T_NATIVE_UINT32, flags, sizeof flags);
        assert_part(file, "signals", "y", H5T_NATIVE_INT32, (const char *)&records[0].signals.y,
                    sizeof *records);
        assert_part(file, "times", "arrival_ns", H5T_NATIVE_INT64,
                    (const char *)&records[0].arrival_ns, sizeof *records);
        assert_part(file, "truth", "keyhole_density", H5T_NATIVE_FLOAT,
                    (const char *)&truth[0].keyhole_density, sizeof *truth);
        assert_text(file, "format", "saccade records");
        assert_text(file, "features", "area,spatter_area,spatters,ratio,mean,sector_0,");
        assert_text(file, "parameters", info.parameters);
        assert_text(file, "model", info.model);
        H5Fclose(file);
        assert_int_equal(unlink("a.h5"), 0);
    }
}

static void hdf5_leaves_out_what_there_is_not(void **state)
{
    (void)state;
    sac_records_info info = an_info();
    info.has_signals = info.has_prediction = info.has_times = info.has_truth = false;
    info.has_calibration = false;
    info.model = "";
    write_file("a.h5", &info, N);
    hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    static const char *const gone[] = {"signals", "prediction", "times", "truth"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(H5Lexists(file, gone[i], H5P_DEFAULT), 0);
    assert_int_equal(H5Aexists(file, "model"), 0);
    assert_int_equal(H5Aexists(file, "calibration"), 0);
    H5Fclose(file);
}

#endif

static void records_aborted_leave_nothing(void **state)
{
    const char *const *path = *state;
    sac_records_info info = an_info();
    sac_error err = {0};
    sac_records_out *out = NULL;
    assert_ok(sac_records_create(&out, *path, &info, &err), &err);
    assert_ok(sac_records_append(out, records, truth, N, &err), &err);
    assert_failed(sac_records_append(out, records, NULL, 1, &err), SAC_E_INVALID, &err, "truth");
    assert_failed(sac_records_append(out, records, truth, -1, &err), SAC_E_INVALID, &err, "n:");
    sac_records_abort(&out);
    assert_null(out);
    sac_records_abort(&out);
    assert_int_equal(count_files(false), 0);
}

static void records_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sac_records_info info = an_info();
    sac_error err = {0};
    sac_records_out *out = NULL;
    assert_failed(sac_records_create(&out, "a.npy", &info, &err), SAC_E_INVALID, &err, ".csv");
    assert_failed(sac_records_create(&out, "no/such/a.csv", &info, &err), SAC_E_IO, &err,
                  "no/such");
    info.calibration[1][2] = (double)NAN;
    assert_failed(sac_records_create(&out, "a.csv", &info, &err), SAC_E_INVALID, &err,
                  "calibration");
    info = an_info();
    info.rate_hz = -1;
    assert_failed(sac_records_create(&out, "a.csv", &info, &err), SAC_E_INVALID, &err, "rate_hz");
    info.struct_size = 0;
    assert_failed(sac_records_create(&out, "a.csv", &info, &err), SAC_E_INVALID, &err,
                  "struct_size");
    assert_null(out);
}

static void records_without_memory_are_refused(void **state)
{
    const char *const *path = *state;
    sac_records_info info = an_info();
    sac_status came = SAC_E_NOMEM;
    for (int n = 0; came != SAC_OK; n++) {
        sac_error err = {0};
        sac_records_out *out = NULL;
        refuse_from(n);
        came = sac_records_create(&out, *path, &info, &err);
        sac_alloc_hook(NULL);
        assert_true(n < 5 && (came == SAC_OK || came == SAC_E_NOMEM));
        assert_int_equal(came == SAC_OK, out != NULL);
        sac_records_abort(&out);
        assert_int_equal(count_files(false), 0);
    }
}

static const char *csv = "a.csv", *hdf5 = "a.h5";

static int start_with(void **state, const char **path)
{
    empty_folder(state);
    *state = path;
    return 0;
}

static int start_csv(void **state)
{
    return start_with(state, &csv);
}

static int start_hdf5(void **state)
{
    if (sac_records_can_write(hdf5, NULL) != SAC_OK)
        return start_with(state, &csv); /* this build has no HDF5 */
    return start_with(state, &hdf5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(csv_brings_every_number_back, empty_folder),
        cmocka_unit_test_setup(csv_leaves_out_what_there_is_not, empty_folder),
#ifdef SAC_TEST_HDF5
        cmocka_unit_test_setup(hdf5_brings_every_number_back, empty_folder),
        cmocka_unit_test_setup(hdf5_leaves_out_what_there_is_not, empty_folder),
#endif
        cmocka_unit_test_setup(records_aborted_leave_nothing, start_csv),
        cmocka_unit_test_setup(records_aborted_leave_nothing, start_hdf5),
        cmocka_unit_test_setup(records_that_cannot_be_are_refused, empty_folder),
        cmocka_unit_test_setup(records_without_memory_are_refused, start_csv),
        cmocka_unit_test_setup(records_without_memory_are_refused, start_hdf5),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
