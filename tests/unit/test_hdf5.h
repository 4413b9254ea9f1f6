/*
 * For the tests that make files with libhdf5: a recording to be changed, and the frame of a MAT
 * v7.3 file.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_HDF5_H
#define SAC_TESTS_TEST_HDF5_H

#include "test_recording.h"

#include <hdf5.h>

/* A recording that can be read, one with a byte changed, and no recording. */
static inline void write_files(void)
{
    static scene s;
    fill_scene(&s, SAC_I16);
    write_scene(&s, "good.h5");
    size_t size;
    uint8_t *bytes = get_file("good.h5", &size);
    bytes[60] ^= 1; /* in the superblock, which has a checksum */
    put_file("bad.h5", bytes, size);
    free(bytes);
    put_file("none.h5", "none", 4);
}

/* good.h5 as odd.h5, to be changed. */
static inline hid_t open_odd(void)
{
    size_t size;
    write_files();
    uint8_t *bytes = get_file("good.h5", &size);
    put_file("odd.h5", bytes, size);
    free(bytes);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen("odd.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* Puts samples of the properties in the place of odd.h5's; returns the dataset. */
static inline hid_t replace_samples(hid_t file, hid_t properties, hid_t type)
{
    const hsize_t dims[] = {N_FRAMES, N_TRANSMITS, N_ELEMENTS, N_SAMPLES};
    H5Ldelete(file, "samples", H5P_DEFAULT);
    hsize_t most[] = {N_FRAMES, N_TRANSMITS, N_ELEMENTS, N_SAMPLES};
    for (int i = 0; i < 4 && H5Pget_layout(properties) == H5D_CHUNKED; i++)
        most[i] = H5S_UNLIMITED; /* so that chunks may be larger */
    hid_t space = H5Screate_simple(4, dims, most);
    hid_t set = H5Dcreate2(file, "samples", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Sclose(space);
    assert_true(set >= 0);
    return set;
}

static inline hid_t chunked(const hsize_t chunk[4], int deflate)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 4, chunk);
    if (deflate >= 0)
        H5Pset_deflate(properties, (unsigned)deflate);
    return properties;
}

/* A file that says it is MAT v7.3: x.mat, open; end_mat gives it its head. */
static inline hid_t begin_mat(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t properties = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(properties, 512);
    hid_t file = H5Fcreate("x.mat", H5F_ACC_TRUNC, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return file;
}

static inline void end_mat(hid_t file)
{
    char head[128];
    memset(head, ' ', sizeof head);
    memcpy(head + 124, "\x00\x02IM", 4);
    H5Fclose(file);
    FILE *f = fopen("x.mat", "r+b");
    assert_int_equal(fwrite(head, 1, sizeof head, f), sizeof head);
    fclose(f);
}

static inline void put_class(hid_t object, const char *name)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(name));
    hid_t attribute = H5Acreate2(object, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, name);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static inline hid_t put_struct(hid_t at, const char *name)
{
    hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_class(group, "struct");
    return group;
}

#endif
