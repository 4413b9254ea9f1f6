/*
 * Files that were made to break a reader are refused before libhdf5 follows them; what is only
 * unusual is read.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_hdf5.h"

#include <sys/resource.h>

#include <zlib.h>

static void hdf5_links_to_other_files_are_not_followed(void **state)
{
    (void)state;
    hid_t file = open_odd();
    assert_true(H5Ldelete(file, "samples", H5P_DEFAULT) >= 0);
    H5Lcreate_external("good.h5", "/samples", file, "samples", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "dataset /samples is missing");

    file = open_odd(); /* on the way of a soft link */
    assert_true(H5Ldelete(file, "samples", H5P_DEFAULT) >= 0);
    H5Lcreate_external("good.h5", "/", file, "other", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/other/samples", file, "samples", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "dataset /samples is missing");

    file = open_odd(); /* groups */
    assert_true(H5Ldelete(file, "acquisition", H5P_DEFAULT) >= 0);
    H5Lcreate_external("good.h5", "/acquisition", file, "acquisition", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "/acquisition is missing");

    file = open_odd(); /* in circles */
    assert_true(H5Ldelete(file, "acquisition", H5P_DEFAULT) >= 0);
    H5Lcreate_soft("/acquisition", file, "acquisition", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "/acquisition is missing");

    file = open_odd(); /* what stays within the file is read */
    assert_true(H5Lmove(file, "samples", file, "moved", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Lcreate_soft("/moved", file, "samples", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    sac_recording *r = read_recording("odd.h5", NULL);
    sac_recording_close(&r);
}

static void hdf5_samples_alone_are_read_with_options(void **state)
{
    (void)state;
    hid_t file = open_odd();
    assert_true(H5Ldelete(file, "acquisition", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_INVALID, "fs is missing or NaN; --fs gives it");

    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.fs_hz = 20e6;
    desc.fc_hz = 5e6;
    desc.c_m_s = 1540;
    desc.pitch_m = 1e-3;
    desc.t0_s = 0;
    desc.transmits = "plane:5:10";
    sac_recording *r = read_recording("odd.h5", &desc);
    const sac_acquisition *a = sac_recording_get_acquisition(r);
    assert_int_equal(a->n_transmits, N_TRANSMITS);
    assert_int_equal(a->n_elements, N_ELEMENTS);
    assert_true(a->fs_hz == desc.fs_hz);
    sac_recording_close(&r);
}

static void hdf5_data_in_other_files_are_refused(void **state)
{
    (void)state;
    static const uint8_t zeros[2 * N_RECORDS * N_SAMPLES] = {0};
    put_file("raw", zeros, sizeof zeros);
    hid_t file = open_odd();
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, "raw", 0, sizeof zeros);
    H5Dclose(replace_samples(file, properties, H5T_STD_I16LE));
    H5Pclose(properties);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "other files");
}

/* The one chunk of samples is n bytes, which inflate to more. */
static void put_bomb(hid_t set, size_t n)
{
    static const hsize_t origin[4] = {0};
    uLong bound = compressBound(n);
    uint8_t *zeros = calloc(n, 1), *packed = malloc(bound);
    assert_true(zeros && packed && compress2(packed, &bound, zeros, n, 9) == Z_OK);
    assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, origin, bound, packed) >= 0);
    free(zeros);
    free(packed);
}

static long peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void hdf5_chunk_of_another_size_is_refused(void **state)
{
    (void)state;
    static const hsize_t whole[] = {N_FRAMES, N_TRANSMITS, N_ELEMENTS, N_SAMPLES};
    if (!has_part("zlib"))
        skip_test("this build has no zlib");
    hid_t file = open_odd(), properties = chunked(whole, 6);
    /* The largest that libhdf5 writes for this chunk: 840 bytes, and some. */
    hid_t set = replace_samples(file, properties, H5T_STD_I16LE);
    put_bomb(set, (size_t)3 << 20);
    H5Dclose(set);
    H5Pclose(properties);
    H5Fclose(file);
    long before = peak_kb();
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "/samples");
    assert_true(peak_kb() - before < 64L << 10);

    file = open_odd(); /* less than the chunk: libhdf5 reads on behind it */
    properties = chunked(whole, 6);
    set = replace_samples(file, properties, H5T_STD_I16LE);
    put_bomb(set, 100);
    H5Dclose(set);
    H5Pclose(properties);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "does not become 840 bytes");

    file = open_odd();
    const hsize_t large[] = {300, N_TRANSMITS, N_ELEMENTS, N_SAMPLES};
    properties = chunked(large, 6); /* 84 KB, of 100 MB that are 100 KB */
    set = replace_samples(file, properties, H5T_STD_I16LE);
    put_bomb(set, (size_t)60 << 20);
    H5Dclose(set);
    H5Pclose(properties);
    H5Fclose(file);
    before = peak_kb();
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "does not become 84000 bytes");
    assert_true(peak_kb() - before < 32L << 10);
}

static void hdf5_chunks_of_any_sound_size_are_read(void **state)
{
    (void)state;
    static const hsize_t chunks[][4] = {
        {1, 1, 1, 1}, {2, 3, 1, 5}, {1, N_TRANSMITS, N_ELEMENTS, N_SAMPLES}, {100, 7, 5, 9}};
    static scene s;
    fill_scene(&s, SAC_I16);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        for (int filters = 0; filters < 4; filters++) {
            hid_t file = open_odd(), properties = chunked(chunks[i], -1);
            if (filters & 1)
                H5Pset_shuffle(properties);
            H5Pset_deflate(properties, 4);
            if (filters & 2)
                H5Pset_fletcher32(properties);
            hid_t set = replace_samples(file, properties, H5T_STD_I16LE);
            assert_true(H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, s.data) >=
                        0);
            H5Dclose(set);
            H5Pclose(properties);
            H5Fclose(file);
            sac_recording_desc desc;
            sac_recording_desc_init(&desc);
            desc.first_frame = 1;
            desc.n_frames = 2;
            sac_recording *r = read_recording("odd.h5", &desc);
            sac_array a = sac_recording_get_array(r);
            assert_memory_equal(a.data, (const char *)s.data + s.samples.stride[0],
                                2 * (size_t)s.samples.stride[0]);
            sac_recording_close(&r);
        }
    }
}

static void hdf5_chunks_that_cost_more_than_their_data_are_refused(void **state)
{
    (void)state;
    static const hsize_t huge[] = {3000, 50, 100, 100}, plain[] = {1, 5, 4, 7},
                         tiny[] = {1, 1, 1, 1};
    hid_t file = open_odd(), properties = chunked(huge, -1);
    hid_t set = replace_samples(file, properties, H5T_STD_I16LE);
    static const hsize_t origin[4] = {0};
    static uint8_t some[4000];
    H5Dwrite_chunk(set, H5P_DEFAULT, 0, origin, sizeof some, some); /* which libhdf5 may refuse */
    H5Dclose(set);
    H5Pclose(properties);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "/samples");

    file = open_odd();
    properties = chunked(plain, -1);
    H5Pset_scaleoffset(properties, H5Z_SO_INT, 0);
    static scene s;
    fill_scene(&s, SAC_I16);
    set = replace_samples(file, properties, H5T_STD_I16LE);
    H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, s.data);
    H5Dclose(set);
    H5Pclose(properties);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "expected shuffle, deflate, fletcher32");

    /* 100,000 chunks of a sample. */
    file = open_odd();
    properties = chunked(tiny, -1);
    const hsize_t dims[] = {10000, N_TRANSMITS, 2, 1};
    static int16_t samples[10000 * N_TRANSMITS * 2];
    H5Ldelete(file, "samples", H5P_DEFAULT);
    hid_t space = H5Screate_simple(4, dims, NULL);
    set = H5Dcreate2(file, "samples", H5T_STD_I16LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(properties);
    H5Ldelete(file, "acquisition/elements", H5P_DEFAULT);
    H5Ldelete(file, "acquisition/transmits", H5P_DEFAULT);
    H5Fclose(file);
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.pitch_m = 1e-3;
    desc.t0_s = 0;
    desc.transmits = "plane:5:10";
    assert_not_read("odd.h5", &desc, SAC_E_FORMAT, "are too small");
    desc.n_frames = 1000;
    sac_recording *r = read_recording("odd.h5", &desc);
    sac_recording_close(&r);
}

static void mat73_in_circles_is_refused(void **state)
{
    (void)state;
    if (!has_part("libmatio"))
        skip_test("this build has no libmatio");
    hid_t file = begin_mat(), group = put_struct(file, "other");
    H5Lcreate_hard(file, "/other", group, "again", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    end_mat(file);
    assert_not_read("x.mat", NULL, SAC_E_FORMAT, "two names");

    static const hsize_t one = 1;
    hobj_ref_t reference;
    file = begin_mat(); /* a cell that is its own array */
    hid_t space = H5Screate_simple(1, &one, NULL);
    hid_t set =
        H5Dcreate2(file, "RF", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_class(set, "cell");
    H5Rcreate(&reference, file, "/RF", H5R_OBJECT, -1);
    H5Dwrite(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference);
    H5Dclose(set);
    H5Sclose(space);
    end_mat(file);
    assert_not_read("x.mat", NULL, SAC_E_FORMAT, "too deep");

    file = begin_mat();
    for (int i = 0; i < 200; i++) {
        char name[4 * 200 + 1] = "";
        for (int k = 0; k <= i; k++)
            strcat(name, "/a");
        H5Gclose(put_struct(file, name));
    }
    end_mat(file);
    assert_not_read("x.mat", NULL, SAC_E_FORMAT, "too deep");

    file = begin_mat();
    H5Lcreate_external("good.h5", "/samples", file, "RF", H5P_DEFAULT, H5P_DEFAULT);
    end_mat(file);
    assert_not_read("x.mat", NULL, SAC_E_FORMAT, "RF: is a link to elsewhere");
}

/* A number of one axis, where MATLAB has two. */
static void mat73_field_of_one_axis_is_a_number(void **state)
{
    (void)state;
    if (!has_part("libmatio"))
        skip_test("this build has no libmatio");
    static const hsize_t one = 1, dims[] = {N_ELEMENTS, N_SAMPLES};
    static const int16_t samples[N_ELEMENTS * N_SAMPLES] = {1};
    static const double fc_hz = 5e6;
    hid_t file = begin_mat(), param = put_struct(file, "param");
    hid_t line = H5Screate_simple(1, &one, NULL), plane = H5Screate_simple(2, dims, NULL);
    hid_t fc = H5Dcreate2(param, "fc", H5T_IEEE_F64LE, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_class(fc, "double");
    H5Dwrite(fc, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &fc_hz);
    H5Dclose(fc);
    hid_t set = H5Dcreate2(file, "RF", H5T_STD_I16LE, plane, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_class(set, "int16");
    H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples);
    H5Dclose(set);
    H5Sclose(line);
    H5Sclose(plane);
    H5Gclose(param);
    end_mat(file);
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.transmits = "plane:1:0";
    desc.fs_hz = 20e6;
    desc.pitch_m = 3e-4;
    sac_recording *r = read_recording("x.mat", &desc);
    assert_near(sac_recording_get_acquisition(r)->fc_hz, 5e6);
    sac_recording_close(&r);
}

static void mat73_chunk_that_inflates_without_end_is_refused(void **state)
{
    (void)state;
    if (!has_part("libmatio") || !has_part("zlib"))
        skip_test("this build lacks libmatio or zlib");
    hid_t file = begin_mat();
    hid_t properties = chunked((const hsize_t[]){300, N_TRANSMITS, N_ELEMENTS, N_SAMPLES}, 6);
    const hsize_t dims[] = {1, 1, N_ELEMENTS, N_SAMPLES}, most[] = {300, 300, 300, 300};
    hid_t space = H5Screate_simple(4, dims, most);
    hid_t set = H5Dcreate2(file, "RF", H5T_STD_I16LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    put_class(set, "int16");
    put_bomb(set, (size_t)60 << 20);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(properties);
    end_mat(file);
    assert_not_read("x.mat", NULL, SAC_E_FORMAT, "RF: a chunk is damaged");
}

static void put_value(hid_t file, const char *group, const char *name, double value)
{
    hid_t at = H5Gopen2(file, group, H5P_DEFAULT);
    if (H5Aexists(at, name) > 0) {
        hid_t attribute = H5Aopen(at, name, H5P_DEFAULT);
        assert_true(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
        H5Aclose(attribute);
    } else {
        hid_t set = H5Dopen2(at, name, H5P_DEFAULT);
        double values[3 * N_TRANSMITS * N_ELEMENTS];
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        values[1] = value;
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        H5Dclose(set);
    }
    H5Gclose(at);
}

static void hdf5_metadata_that_are_not_finite_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *group, *name;
    } fields[] = {{"acquisition", "frame_rate_hz"},
                  {"acquisition/elements", "width_m"},
                  {"acquisition/elements", "height_m"},
                  {"acquisition/elements", "position_m"},
                  {"acquisition/elements", "normal"},
                  {"truth", "position_m"},
                  {"truth", "amplitude"}};
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        for (int k = 0; k < 3; k++) {
            hid_t file = open_odd();
            put_value(file, fields[i].group, fields[i].name, values[k]);
            H5Fclose(file);
            assert_not_read("odd.h5", NULL, SAC_E_FORMAT, fields[i].name);
        }
    }
    hid_t file = open_odd();
    put_value(file, "acquisition/elements", "width_m", -1);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "width_m of element 1");
    static scene s;
    fill_scene(&s, SAC_I16);
    size_t last = (N_TRANSMITS - 1) * N_ELEMENTS;
    file = open_odd();
    hid_t set = H5Dopen2(file, "acquisition/transmits/delays_s", H5P_DEFAULT);
    double delays[N_TRANSMITS * N_ELEMENTS];
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, delays);
    delays[last + 2] = INFINITY;
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, delays);
    H5Dclose(set);
    H5Fclose(file);
    assert_not_read("odd.h5", NULL, SAC_E_FORMAT, "delays_s of transmit 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hdf5_links_to_other_files_are_not_followed, empty_folder),
        cmocka_unit_test_setup(hdf5_samples_alone_are_read_with_options, empty_folder),
        cmocka_unit_test_setup(hdf5_data_in_other_files_are_refused, empty_folder),
        cmocka_unit_test_setup(hdf5_chunk_of_another_size_is_refused, empty_folder),
        cmocka_unit_test_setup(hdf5_chunks_of_any_sound_size_are_read, empty_folder),
        cmocka_unit_test_setup(hdf5_chunks_that_cost_more_than_their_data_are_refused,
                               empty_folder),
        cmocka_unit_test_setup(mat73_in_circles_is_refused, empty_folder),
        cmocka_unit_test_setup(mat73_field_of_one_axis_is_a_number, empty_folder),
        cmocka_unit_test_setup(mat73_chunk_that_inflates_without_end_is_refused, empty_folder),
        cmocka_unit_test_setup(hdf5_metadata_that_are_not_finite_are_refused_by_name, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
