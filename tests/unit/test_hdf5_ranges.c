/*
 * Some transmits of recordings whose samples HDF5 keeps in chunks: those of others are not looked
 * at.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_hdf5.h"

#include "recording_ranges.h"

static scene s;

/* odd.h5 with the samples in chunks of this shape; returns the dataset, and the file. */
static hid_t put_chunks(hid_t *file, const hsize_t chunk[4], int deflate)
{
    fill_scene(&s, SAC_I16);
    *file = open_odd();
    hid_t properties = chunked(chunk, deflate);
    hid_t set = replace_samples(*file, properties, H5T_STD_I16LE);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, s.data) >= 0);
    H5Pclose(properties);
    return set;
}

static void hdf5_transmits_in_chunks_are_those_asked_for(void **state)
{
    (void)state;
    static const hsize_t chunks[][4] = {{1, 1, 4, 7}, {2, 2, 4, 7}, {3, 5, 1, 3}, {1, 3, 3, 2}};
    sac_error err = {0};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    for (int i = 0; i < 8; i++) {
        hid_t file;
        if (i % 2 && !has_part("zlib"))
            continue;
        H5Dclose(put_chunks(&file, chunks[i / 2], i % 2 ? 4 : -1));
        H5Fclose(file);
        sac_recording *whole = read_recording("odd.h5", &desc);
        for (int first = 0; first < N_TRANSMITS; first++)
            for (int n = 0; n <= N_TRANSMITS - first; n++) {
                const char *what = range_differs("odd.h5", &desc, whole, first, n, &err);
                if (what)
                    fail_msg("chunks %d, %d transmits from %d on: %s", i, n, first, what);
            }
        sac_recording_close(&whole);
    }
}

/* The last 3 or 2 axes alone. */
static void hdf5_transmits_of_fewer_axes_are_those_asked_for(void **state)
{
    (void)state;
    static const hsize_t dims[] = {N_TRANSMITS, N_ELEMENTS, N_SAMPLES};
    sac_error err = {0};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    fill_scene(&s, SAC_I16);
    for (int n_dims = 2; n_dims <= 3; n_dims++) {
        hid_t file = open_odd(), space = H5Screate_simple(n_dims, dims + 3 - n_dims, NULL);
        H5Ldelete(file, "samples", H5P_DEFAULT);
        hid_t set = H5Dcreate2(file, "samples", H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
        assert_true(H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, s.data) >= 0);
        H5Dclose(set);
        H5Sclose(space);
        H5Fclose(file);
        desc.transmits = n_dims == 2 ? "plane:1:0" : NULL;
        desc.t0_s = n_dims == 2 ? 0 : NAN;
        sac_recording *whole = read_recording("odd.h5", &desc);
        for (int first = 0; first < (n_dims == 2 ? 1 : N_TRANSMITS); first++) {
            const char *what = range_differs("odd.h5", &desc, whole, first, 1, &err);
            if (what)
                fail_msg("%d axes, transmit %d: %s", n_dims, first, what);
        }
        sac_recording_close(&whole);
    }
}

/* It harms who reads it alone. */
static void hdf5_chunk_that_is_damaged_harms_its_transmits_alone(void **state)
{
    (void)state;
    static const hsize_t chunk[] = {1, 1, N_ELEMENTS, N_SAMPLES}, last[] = {0, 4, 0, 0};
    static const uint8_t garbage[40] = {1, 2, 3};
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    hid_t file;
    if (!has_part("zlib"))
        skip_test("this build has no zlib");
    hid_t set = put_chunks(&file, chunk, 6);
    assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, last, sizeof garbage, garbage) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    assert_not_read("odd.h5", &desc, SAC_E_FORMAT, "a chunk is damaged");
    desc.n_transmits = 4;
    sac_recording *r = read_recording("odd.h5", &desc);
    assert_int_equal(sac_recording_get_array(r).shape[1], 4);
    sac_recording_close(&r);
    desc.first_transmit = 3;
    desc.n_transmits = 2;
    assert_not_read("odd.h5", &desc, SAC_E_FORMAT, "a chunk is damaged");
    desc.no_samples = true;
    r = read_recording("odd.h5", &desc);
    sac_recording_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hdf5_transmits_in_chunks_are_those_asked_for, empty_folder),
        cmocka_unit_test_setup(hdf5_transmits_of_fewer_axes_are_those_asked_for, empty_folder),
        cmocka_unit_test_setup(hdf5_chunk_that_is_damaged_harms_its_transmits_alone, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
