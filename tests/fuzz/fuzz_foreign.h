/*
 * What the fuzzers of other programs' HDF5 share: tables of datasets, each of which may depart from
 * its schema (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FUZZ_FOREIGN_H
#define SAC_FUZZ_FOREIGN_H

#include "fuzz_recording.h"
#include "fuzz_schema.h"

#define FUZZ_T 2 /* transmits */
#define FUZZ_E 3 /* elements */
#define FUZZ_N 4 /* samples */

typedef struct set {
    const char *name;
    int n_dims;
    hsize_t dims[5];
    double value; /* of the first number; the rest are 0 */
} set;

static inline void put_sets(hid_t at, const set *sets, size_t n, input *in)
{
    static double numbers[2 * FUZZ_T * FUZZ_N * FUZZ_E * 7];
    for (size_t i = 0; i < n; i++) {
        numbers[0] = sets[i].value;
        put_dataset(at, sets[i].name, H5T_IEEE_F64LE, sets[i].n_dims, sets[i].dims, numbers, in);
    }
}
#define PUT_SETS(at, sets, in) put_sets(at, sets, sizeof(sets) / sizeof *(sets), in)

/* A group that may be missing; negative then. To be closed. */
static inline hid_t put_group(hid_t at, const char *name, input *in)
{
    unsigned how = take(in);
    if (how % 16 == 1)
        return -1;
    if (how % 16 == 7) {
        put_link(at, name, how >> 4);
        return -1;
    }
    return H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static inline void end_group(hid_t group)
{
    if (group >= 0)
        H5Gclose(group);
}

static inline hid_t fuzz_create(void)
{
    begin_hdf5();
    return H5Fcreate("x", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

static inline int fuzz_end(hid_t file, bool given)
{
    if (H5Fclose(file) < 0)
        abort();
    fuzz_read("x", given);
    return 0;
}

#endif
