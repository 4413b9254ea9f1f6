/*
 * libFuzzer on MAT v7.3, which is HDF5: libhdf5 writes files that depart from what MATLAB writes as
 * the input says (fuzz_schema.h), links and references in circles among them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"
#include "fuzz_schema.h"

static const char *const classes[] = {"double", "int16", "uint64", "struct",
                                      "cell",   "char",  "none"};

static void put_class(hid_t at, const char *name, const char *class, input *in)
{
    hid_t object = H5Oopen(at, name, H5P_DEFAULT);
    unsigned how = take(in);
    if (how % 8 == 1)
        class = classes[(how >> 3) % 7];
    hid_t type = word_type(strlen(class));
    if (object >= 0)
        put_attribute(object, "MATLAB_class", type, class, in);
    H5Tclose(type);
    if (object >= 0)
        H5Oclose(object);
}

/* RF as one array, or as cells that are anything. */
static void put_samples(hid_t file, input *in)
{
    static const int16_t samples[2 * 3 * 4] = {1, 2, 3};
    static const hsize_t dims[] = {2, 3, 4};
    static const char *const targets[] = {"/#refs#/a", "/#refs#/b", "/RF",
                                          "/param",    "/#refs#",   "/"};
    hid_t refs = H5Gcreate2(file, "#refs#", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_dataset(refs, "a", H5T_STD_I16LE, 3, dims, samples, in);
    put_class(refs, "a", "int16", in);
    unsigned how = take(in);
    if (how % 2 == 0) {
        put_dataset(file, "RF", H5T_STD_I16LE, 3, dims, samples, in);
        put_class(file, "RF", "int16", in);
    } else {
        const hsize_t n = 1 + (how >> 1) % 4;
        hobj_ref_t references[4] = {0};
        hid_t space = H5Screate_simple(1, &n, NULL);
        hid_t set =
            H5Dcreate2(file, "RF", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        for (hsize_t i = 0; i < n; i++)
            H5Rcreate(&references[i], file, targets[take(in) % 6], H5R_OBJECT, -1);
        H5Dwrite(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references);
        H5Dclose(set);
        H5Sclose(space);
        put_class(file, "RF", "cell", in);
    }
    H5Gclose(refs);
}

static void put_param(hid_t file, input *in)
{
    static const char *const names[] = {"fs", "fc", "c", "pitch", "TXdelay", "PRF"};
    static const double values[] = {2e7, 5e6, 1500, 3e-4, 0, 1000};
    static const hsize_t one[] = {1, 1}, delays[] = {3, 1};
    static const double zeros[3] = {0};
    hid_t group = H5Gcreate2(file, "param", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 6; i++) {
        bool is_delays = i == 4;
        put_dataset(group, names[i], H5T_IEEE_F64LE, 2, is_delays ? delays : one,
                    is_delays ? zeros : &values[i], in);
        put_class(group, names[i], "double", in);
    }
    H5Gclose(group);
    put_class(file, "param", "struct", in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    begin_hdf5();
    hid_t properties = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(properties, 512);
    hid_t file = H5Fcreate("x", H5F_ACC_TRUNC, properties, H5P_DEFAULT);
    H5Pclose(properties);
    bool given = take(&in) & 1;
    put_param(file, &in);
    put_samples(file, &in);
    if (H5Fclose(file) < 0)
        abort();
    int fd = open("x", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || pwrite(fd, "\x00\x02IM", 4, 124) != 4)
        abort();
    close(fd);
    fuzz_read("x", given);
    return 0;
}
