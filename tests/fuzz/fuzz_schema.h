/*
 * HDF5 files that depart from a schema as the fuzzer's input says: what is missing, of another type
 * or shape, what its numbers are. libhdf5 writes them: bytes given to libhdf5 itself would only
 * find its own faults, which are many.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FUZZ_SCHEMA_H
#define SAC_FUZZ_SCHEMA_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

typedef struct input {
    const uint8_t *next, *end;
} input;

/* Without a word of HDF5's, which keeps what it frees: asking the sanitizer for its cache of 500 kB
 * with each file takes a third of the time. */
static inline void begin_hdf5(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
}

static inline unsigned take(input *in)
{
    return in->next < in->end ? *in->next++ : 0; /* 0: as the schema has it */
}

/* What a dataset or attribute of another type is of. To be closed. */
static inline hid_t odd_type(unsigned choice)
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
static inline void fill(uint8_t *to, size_t size, hid_t type, input *in)
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

static inline void put_attribute(hid_t at, const char *name, hid_t type, const void *value,
                                 input *in)
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

/* In the place of a dataset. */
static inline void put_link(hid_t at, const char *name, unsigned choice)
{
    static const char *const targets[] = {"/", "frames", "/acquisition", "/samples", "no/such"};
    const char *target = targets[(choice >> 2) % 5];
    if (choice % 4 == 0)
        H5Lcreate_external("x", target, at, name, H5P_DEFAULT, H5P_DEFAULT);
    else if (choice % 4 == 1)
        H5Lcreate_soft(target, at, name, H5P_DEFAULT, H5P_DEFAULT);
    else if (choice % 4 == 2)
        H5Lcreate_hard(at, target, at, name, H5P_DEFAULT, H5P_DEFAULT);
    else
        H5Gclose(H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* Filters, some of which are refused. */
static inline void put_filters(hid_t properties, unsigned choice)
{
    if (choice & 1)
        H5Pset_shuffle(properties);
    if (choice & 2)
        H5Pset_fletcher32(properties);
    if (choice & 4)
        H5Pset_deflate(properties, choice >> 5);
    if (choice & 8)
        H5Pset_fletcher32(properties);
    if (choice & 16)
        H5Pset_nbit(properties);
}

/* The first chunk as bytes of the input. */
static inline void put_raw_chunk(hid_t set, input *in)
{
    static const hsize_t origin[5] = {0};
    uint8_t bytes[64];
    size_t n = 1 + take(in) % sizeof bytes;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)take(in);
    H5Dwrite_chunk(set, H5P_DEFAULT, take(in) % 4, origin, n, bytes);
}

static inline void put_dataset(hid_t at, const char *name, hid_t type, int n_dims,
                               const hsize_t *dims, const void *data, input *in)
{
    unsigned how = take(in);
    if (how % 16 == 1)
        return;
    if (how % 16 == 7) {
        put_link(at, name, how >> 4);
        return;
    }
    bool odd = how % 16 == 2;
    hid_t used = odd ? odd_type(how >> 4) : H5Tcopy(type);
    hsize_t sizes[5] = {0};
    memcpy(sizes, dims, (size_t)n_dims * sizeof *dims);
    bool reshaped = how % 16 == 3, huge = how % 16 == 5, filtered = how % 16 == 6;
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
    hsize_t most[5] = {0};
    if (filtered) {
        hsize_t chunk[5];
        for (int i = 0; i < n_dims; i++) {
            chunk[i] = 1 + take(in) % 8;
            most[i] = H5S_UNLIMITED;
        }
        H5Pset_chunk(properties, n_dims, chunk);
        put_filters(properties, take(in));
    }
    hid_t space = H5Screate_simple(n_dims, sizes, filtered ? most : NULL);
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
    if (set >= 0 && filtered && how >> 4 & 1)
        put_raw_chunk(set, in);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Pclose(properties);
    H5Tclose(used);
}

static inline hid_t word_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    return type;
}

#endif
