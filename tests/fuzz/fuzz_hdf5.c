/*
 * libFuzzer on the reader of our HDF5 schema. The input says how a file departs from the schema
 * (what is missing, of another type or shape, what its numbers are), and libhdf5 writes it: bytes
 * given to libhdf5 itself would only find its own faults, which are many.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"

#include <string.h>

#include <hdf5.h>

#define N_TRANSMITS 2
#define N_ELEMENTS 3

typedef struct input {
    const uint8_t *next, *end;
} input;

static unsigned take(input *in)
{
    return in->next < in->end ? *in->next++ : 0; /* 0: as the schema has it */
}

/* What a dataset or attribute of another type is of. To be closed. */
static hid_t odd_type(unsigned choice)
{
    hid_t type;
    switch (choice % 8) {
    case 0:
        return H5Tcopy(H5T_STD_I8BE);
    case 1:
        return H5Tcopy(H5T_STD_U64LE);
    case 2:
        return H5Tcopy(H5T_IEEE_F32BE);
    case 3:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, 1 + choice);
        return type;
    case 4:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    case 5:
        type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, choice & 8 ? "r" : "Im", 0, H5T_IEEE_F32LE);
        H5Tinsert(type, choice & 16 ? "imag" : "x", 8,
                  choice & 32 ? H5T_IEEE_F64LE : H5T_STD_I32LE);
        return type;
    case 6:
        return H5Tarray_create2(H5T_STD_I16LE, 1, (const hsize_t[]){3});
    default:
        return H5Tvlen_create(H5T_IEEE_F64LE);
    }
}

/* Bytes for `size` of a value; mostly small numbers in the type that the schema has. */
static void fill(uint8_t *to, size_t size, hid_t type, input *in)
{
    bool real = H5Tequal(type, H5T_IEEE_F64LE) > 0;
    static const double special[] = {0, -1, 1e300, 1e-300, 1e5, 3};
    for (size_t i = 0; i + 8 <= size && real; i += 8) {
        unsigned b = take(in);
        double x = b == 255 ? strtod("nan", NULL) : b > 240 ? special[b % 6] : (double)b * 1e-4;
        memcpy(to + i, &x, sizeof x);
    }
    for (size_t i = 0; i < size && !real; i++)
        to[i] = (uint8_t)take(in);
}

static void put_attribute(hid_t at, const char *name, hid_t type, const void *value, input *in)
{
    unsigned how = take(in);
    if (how % 16 == 1)
        return;
    bool odd = how % 16 == 2;
    hid_t used = odd ? odd_type(how >> 4) : H5Tcopy(type);
    hsize_t n = how >> 6;
    hid_t space = how % 16 == 3 ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(at, name, used, space, H5P_DEFAULT, H5P_DEFAULT);
    uint8_t bytes[4096] = {0};
    if (how % 16 == 4)
        fill(bytes, H5Tget_size(used), used, in);
    else if (!odd)
        memcpy(bytes, value, H5Tget_size(used));
    if (H5Tis_variable_str(used) <= 0 && H5Tget_class(used) != H5T_VLEN)
        H5Awrite(attribute, used, bytes);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(used);
}

static void put_dataset(hid_t at, const char *name, hid_t type, int n_dims, const hsize_t *dims,
                        const void *data, input *in)
{
    unsigned how = take(in);
    if (how % 16 == 1)
        return;
    bool odd = how % 16 == 2;
    hid_t used = odd ? odd_type(how >> 4) : H5Tcopy(type);
    hsize_t sizes[5] = {0};
    memcpy(sizes, dims, (size_t)n_dims * sizeof *dims);
    bool reshaped = how % 16 == 3, huge = how % 16 == 5;
    if (reshaped) {
        n_dims = 1 + (int)(how >> 4) % 5;
        for (int i = 0; i < n_dims; i++)
            sizes[i] = take(in) % 6;
    }
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (huge) { /* chunked, and with no more than one chunk written */
        static const hsize_t chunk[5] = {1, 1, 1, 1, 1};
        H5Pset_chunk(properties, n_dims, chunk);
        sizes[(how >> 4) % (unsigned)n_dims] = (hsize_t)1 << take(in) % 60;
    }
    hid_t space = H5Screate_simple(n_dims, sizes, NULL);
    hid_t set = H5Dcreate2(at, name, used, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    hsize_t count = 1;
    for (int i = 0; i < n_dims; i++)
        count *= sizes[i];
    uint8_t bytes[16384] = {0};
    bool plain = H5Tis_variable_str(used) <= 0 && H5Tget_class(used) != H5T_VLEN;
    if (set >= 0 && plain && !huge && count * H5Tget_size(used) <= sizeof bytes) {
        if (odd || reshaped || how % 16 == 4)
            fill(bytes, (size_t)count * H5Tget_size(used), used, in);
        else
            memcpy(bytes, data, (size_t)count * H5Tget_size(used));
        H5Dwrite(set, used, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    }
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Pclose(properties);
    H5Tclose(used);
}

static hid_t word_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    return type;
}

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
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
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
