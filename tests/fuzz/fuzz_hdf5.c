/*
 * libFuzzer on the reader of our HDF5 schema. The input says how a file departs from the schema
 * (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"
#include "fuzz_schema.h"

#define N_TRANSMITS 2
#define N_ELEMENTS 3

static void put_elements(hid_t at, input *in)
{
    static const double positions[N_ELEMENTS][3] = {{-1e-3}, {0}, {1e-3}};
    static const double normals[N_ELEMENTS][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const double widths[N_ELEMENTS] = {1e-4, 1e-4, 1e-4};
    static const hsize_t dims[] = {N_ELEMENTS, 3};
    hid_t group = H5Gcreate2(at, "elements", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_dataset(group, "position_m", H5T_IEEE_F64LE, 2, dims, positions, in);
    put_dataset(group, "normal", H5T_IEEE_F64LE, 2, dims, normals, in);
    put_dataset(group, "width_m", H5T_IEEE_F64LE, 1, dims, widths, in);
    H5Gclose(group);
}

static void put_transmits(hid_t at, input *in)
{
    static const char kinds[5][16] = {"plane", "diverging", "focused", "element", "delays"};
    static const double zeros[N_TRANSMITS * N_ELEMENTS] = {0};
    static const double weights[N_TRANSMITS] = {1, 1};
    static const hsize_t dims[] = {N_TRANSMITS, 3};
    char words[N_TRANSMITS][16];
    for (int i = 0; i < N_TRANSMITS; i++)
        memcpy(words[i], kinds[take(in) % 5], sizeof words[i]);
    hid_t group = H5Gcreate2(at, "transmits", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t word = word_type(sizeof words[0]);
    put_dataset(group, "kind", word, 1, dims, words, in);
    put_dataset(group, "azimuth_rad", H5T_IEEE_F64LE, 1, dims, zeros, in);
    put_dataset(group, "elevation_rad", H5T_IEEE_F64LE, 1, dims, zeros, in);
    put_dataset(group, "source_m", H5T_IEEE_F64LE, 2, dims, zeros, in);
    put_dataset(group, "t0_s", H5T_IEEE_F64LE, 1, dims, zeros, in);
    put_dataset(group, "weight", H5T_IEEE_F64LE, 1, dims, weights, in);
    put_dataset(group, "element", H5T_STD_I32LE, 1, dims, zeros, in);
    put_dataset(group, "delays_s", H5T_IEEE_F64LE, 2, dims, zeros, in);
    H5Tclose(word);
    H5Gclose(group);
}

static void put_acquisition(hid_t file, input *in)
{
    static const double hz = 5e6, c = 1500, zero = 0, one = 1;
    hid_t group = H5Gcreate2(file, "acquisition", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t word = word_type(8);
    put_attribute(group, "fs_hz", H5T_IEEE_F64LE, &hz, in);
    put_attribute(group, "fc_hz", H5T_IEEE_F64LE, &hz, in);
    put_attribute(group, "fd_hz", H5T_IEEE_F64LE, &zero, in);
    put_attribute(group, "c_m_s", H5T_IEEE_F64LE, &c, in);
    put_attribute(group, "bandwidth", H5T_IEEE_F64LE, &zero, in);
    put_attribute(group, "phase_origin", word, "transmit", in);
    put_attribute(group, "phase_sign", H5T_IEEE_F64LE, &one, in);
    H5Tclose(word);
    put_elements(group, in);
    put_transmits(group, in);
    H5Gclose(group);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int16_t samples[2 * N_TRANSMITS * N_ELEMENTS * 4] = {1, 2, 3};
    static const double truth[2][3] = {{1e-3, 0, 2e-2}};
    static const hsize_t dims[] = {2, N_TRANSMITS, N_ELEMENTS, 4}, two[] = {2, 3};
    input in = {data, data + size};
    begin_hdf5();
    bool given = take(&in) & 1;
    hid_t file = H5Fcreate("x", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t word = word_type(17);
    put_attribute(file, "format", word, "saccade recording", &in);
    put_dataset(file, "samples", H5T_STD_I16LE, 4, dims, samples, &in);
    put_acquisition(file, &in);
    hid_t group = H5Gcreate2(file, "truth", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_dataset(group, "position_m", H5T_IEEE_F64LE, 2, two, truth, &in);
    put_dataset(group, "amplitude", H5T_IEEE_F64LE, 1, two, truth, &in);
    H5Gclose(group);
    H5Tclose(word);
    if (H5Fclose(file) < 0)
        abort();
    fuzz_read("x", given);
    return 0;
}
