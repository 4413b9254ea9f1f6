/*
 * Recordings in MAT v5 and v7.3 that are refused: incomplete, contradictory, damaged or too costly.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording_mat.h"

/* Compressed, of n cells of one number each, or of so many bytes of zeros beside the samples. */
static void mat_that_costs_much_more_than_its_data_is_refused(void **state)
{
    (void)state;
    static const double zero = 0;
    size_t one[2] = {1, 1}, many[2] = {1, 3000};
    for (int of_numbers = 0; of_numbers < 2; of_numbers++) {
        mat_t *mat = Mat_CreateVer("x.mat", NULL, MAT_FT_MAT5);
        matvar_t *v = Mat_VarCreate("other", MAT_C_CELL, MAT_T_CELL, 2, many, NULL, 0);
        for (int i = 0; i < 3000; i++)
            Mat_VarSetCell(v, i,
                           Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one,
                                         (void *)(uintptr_t)&zero, 0));
        assert_int_equal(Mat_VarWrite(mat, v, of_numbers ? MAT_COMPRESSION_ZLIB : 0), 0);
        Mat_VarFree(v);
        matvar_t *param = make_param(&plain), *rf = make_samples(&plain);
        assert_int_equal(Mat_VarWrite(mat, param, 0), 0);
        assert_int_equal(Mat_VarWrite(mat, rf, 0), 0);
        Mat_VarFree(param);
        Mat_VarFree(rf);
        Mat_Close(mat);
        if (of_numbers) {
            assert_not_read("x.mat", NULL, SAC_E_FORMAT, "small parts");
        } else {
            sac_recording *r = read_recording("x.mat", NULL);
            sac_recording_close(&r);
        }
    }
}

/* 8 GB of nothing were looked through 8 bytes at a time: 8 billion elements without a type. */
static void mat_with_a_tail_of_zeros_is_refused_at_once(void **state)
{
    (void)state;
    assert_true(make_file(&plain, 0));
    assert_int_equal(truncate("x.mat", (off_t)64 << 30), 0);
    assert_not_read("x.mat", NULL, SAC_E_FORMAT, "damaged");
}

/* Writes x.mat: param, RF, and a variable of so many cells in each other, which become function
 * handles. */
static void make_handles(int depth)
{
    static const uint8_t cell[] = {6, 0, 0, 0, 8, 0, 0, 0, MAT_C_CELL}; /* how its flags begin */
    size_t one[2] = {1, 1}, size;
    double number = 1;
    matvar_t *v = Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &number, 0);
    for (int i = 0; i < depth; i++) {
        matvar_t *outer =
            Mat_VarCreate(i < depth - 1 ? NULL : "f", MAT_C_CELL, MAT_T_CELL, 2, one, NULL, 0);
        Mat_VarSetCell(outer, 0, v);
        v = outer;
    }
    mat_t *mat = Mat_CreateVer("x.mat", NULL, MAT_FT_MAT5);
    matvar_t *all[] = {make_param(&plain), make_samples(&plain), v};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(Mat_VarWrite(mat, all[i], 0), 0);
        Mat_VarFree(all[i]);
    }
    Mat_Close(mat);
    uint8_t *bytes = get_file("x.mat", &size);
    int n = 0;
    for (size_t i = 0; i + sizeof cell <= size; i++)
        if (memcmp(bytes + i, cell, sizeof cell) == 0 && ++n)
            bytes[i + 8] = MAT_C_FUNCTION;
    assert_int_equal(n, depth);
    put_file("x.mat", bytes, size);
    free(bytes);
}

/* libmatio follows what function handles contain, whatever the file says of it. */
static void mat_function_handles_are_walked_through(void **state)
{
    (void)state;
    make_handles(3);
    sac_recording *r = read_recording("x.mat", NULL);
    sac_recording_close(&r);
    make_handles(300);
    assert_not_read("x.mat", NULL, SAC_E_FORMAT, "damaged");
}

static void mat_without_needed_fields_names_them(void **state)
{
    (void)state;
    recipe r = plain;
    r.fs = NAN;
    assert_refused(&r, SAC_E_INVALID, "fs is missing or NaN; --fs gives it");
    r = plain;
    r.fc = NAN;
    assert_refused(&r, SAC_E_INVALID, "--fc");
    r = plain;
    r.pitch = NAN;
    assert_refused(&r, SAC_E_INVALID, "--pitch");
    r = plain;
    r.pitch = -1;
    assert_refused(&r, SAC_E_INVALID, "pitch: expected more than 0 m, got -1");
    r = plain;
    r.delays = NULL;
    assert_refused(&r, SAC_E_INVALID, "--transmits");
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.transmits = "plane:1:0";
    sac_recording *rec = read_recording("x.mat", &desc);
    assert_near(sac_recording_get_acquisition(rec)->transmits[0].t0_s, 1e-5);
    sac_recording_close(&rec);
    desc.transmits = "plane:5:1";
    assert_not_read("x.mat", &desc, SAC_E_FORMAT, "frames of one transmit, or one of as many");
}

static void mat_that_contradicts_itself_is_refused(void **state)
{
    (void)state;
    static const double five[5] = {0};
    recipe r = plain;
    r.n_elements = 5;
    assert_refused(&r, SAC_E_FORMAT, "Nelements is 5");
    r = plain;
    r.delays = five;
    r.n_delays[1] = 5;
    assert_refused(&r, SAC_E_FORMAT, "TXdelay");
    r = plain;
    r.n_cells = 3;
    assert_refused(&r, SAC_E_FORMAT, "samples of 3 transmits, but 1");
    r = plain;
    r.radius = 1e-4;
    assert_refused(&r, SAC_E_INVALID, "radius");
    r = plain;
    r.type = MAT_C_DOUBLE;
    r.name = "IQ";
    assert_refused(&r, SAC_E_FORMAT, "IQ: expected complex");
    r.name = "XY";
    assert_refused(&r, SAC_E_FORMAT, "neither a variable RF nor IQ");
}

static void mat_truncated_is_refused(void **state)
{
    (void)state;
    for (size_t v = 0; v < N_VERSIONS; v++) {
        if (!make_file(&plain, v))
            continue;
        size_t size;
        uint8_t *bytes = get_file("x.mat", &size);
        for (size_t n = 0; n < size; n += versions[v].version == MAT_FT_MAT5 ? 1 : 89) {
            put_file("x.mat", bytes, n);
            sac_error err = {0};
            sac_recording *r = NULL;
            sac_status st = sac_recording_read(&r, "x.mat", NULL, &err);
            if (st == SAC_OK || err.text[0] == '\0')
                fail_msg("version %zu of %zu bytes, cut at %zu: %s", v, size, n,
                         sac_status_name(st));
        }
        free(bytes);
    }
}

static void mat_damaged_does_not_crash(void **state)
{
    (void)state;
    recipe r = plain;
    r.type = MAT_C_DOUBLE;
    for (size_t v = 0; v < 2; v++) {
        make_file(&r, v);
        size_t size;
        uint8_t *bytes = get_file("x.mat", &size);
        for (size_t i = 0; i < 8 * size; i++) {
            bytes[i / 8] ^= (uint8_t)(1U << i % 8);
            put_file("x.mat", bytes, size);
            bytes[i / 8] ^= (uint8_t)(1U << i % 8);
            sac_error err = {0};
            sac_recording *rec = NULL;
            sac_status st = sac_recording_read(&rec, "x.mat", NULL, &err);
            assert_int_equal(st == SAC_OK, rec != NULL);
            assert_int_equal(st == SAC_OK, err.text[0] == '\0');
            sac_recording_close(&rec);
        }
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(mat_with_a_tail_of_zeros_is_refused_at_once, empty_folder),
        cmocka_unit_test_setup(mat_that_costs_much_more_than_its_data_is_refused, empty_folder),
        cmocka_unit_test_setup(mat_function_handles_are_walked_through, empty_folder),
        cmocka_unit_test_setup(mat_without_needed_fields_names_them, empty_folder),
        cmocka_unit_test_setup(mat_that_contradicts_itself_is_refused, empty_folder),
        cmocka_unit_test_setup(mat_truncated_is_refused, empty_folder),
        cmocka_unit_test_setup(mat_damaged_does_not_crash, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
