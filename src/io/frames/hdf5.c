/*
 * Values of frames and records in HDF5: their types, and some of them at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/frames/file.h"

const char *const sac_frames_names[SAC_FRAMES_ALL_SETS] = {
    "frames", "signals", "truth", "features", "prediction", "flags", "times"};

enum { PIXEL = SAC_FRAMES_F32 + 1, FLAGS };

static const struct {
    const sac_frames_part *parts;
    size_t size;
} compounds[SAC_FRAMES_ALL_SETS] = {
    [SAC_FRAMES_SIGNALS] = {sac_signals_parts, sizeof(sac_meltpool_signals)},
    [SAC_FRAMES_TRUTH] = {sac_truth_parts, sizeof(sac_meltpool_truth)},
    [SAC_FRAMES_TIMES] = {sac_times_parts, sizeof(sac_frames_times)}};

/* `kinds`: types of sac_frames_number, then of a pixel and of flags. */
static hid_t type_of(int set, const hid_t kinds[])
{
    if (!compounds[set].parts)
        return H5Tcopy(kinds[set == SAC_FRAMES_PICTURES ? PIXEL
                             : set == SAC_FRAMES_FLAGS  ? FLAGS
                                                        : SAC_FRAMES_F32]);
    hid_t type = H5Tcreate(H5T_COMPOUND, compounds[set].size);
    for (const sac_frames_part *p = compounds[set].parts; p->name; p++)
        H5Tinsert(type, p->name, p->offset, kinds[p->kind]);
    return type;
}

static hid_t memory_type(int set)
{
    return type_of(set, (const hid_t[]){H5T_NATIVE_INT32, H5T_NATIVE_INT64, H5T_NATIVE_FLOAT,
                                        H5T_NATIVE_UINT8, H5T_NATIVE_UINT32});
}

hid_t sac_frames_file_type(int set)
{
    return type_of(set, (const hid_t[]){H5T_STD_I32LE, H5T_STD_I64LE, H5T_IEEE_F32LE, H5T_STD_U8LE,
                                        H5T_STD_U32LE});
}

static bool part_fits(const sac_frames_part *p, hid_t type)
{
    int i = H5Tget_member_index(type, p->name);
    if (i < 0)
        return false;
    hid_t member = H5Tget_member_type(type, (unsigned)i);
    H5T_class_t kind = H5Tget_class(member);
    bool fits = p->kind == SAC_FRAMES_F32 ? kind == H5T_FLOAT
                                          : kind == H5T_INTEGER && H5Tget_size(member) <= 4;
    H5Tclose(member);
    return fits;
}

bool sac_frames_type_fits(int set, hid_t type)
{
    if (set == SAC_FRAMES_PICTURES)
        return H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
               H5Tget_sign(type) == H5T_SGN_NONE;
    bool fits = H5Tget_class(type) == H5T_COMPOUND;
    for (const sac_frames_part *p = compounds[set].parts; p->name && fits; p++)
        fits = part_fits(p, type);
    return fits;
}

int sac_frames_dims(hsize_t dims[3], int set, int64_t n, int32_t w, int32_t h)
{
    bool pictures = set == SAC_FRAMES_PICTURES;
    dims[0] = (hsize_t)n;
    dims[1] = (hsize_t)(pictures                     ? h
                        : set == SAC_FRAMES_FEATURES ? SAC_MELTPOOL_FEATURES
                                                     : SAC_MELTPOOL_PREDICTIONS);
    dims[2] = (hsize_t)w;
    bool lists = set == SAC_FRAMES_FEATURES || set == SAC_FRAMES_PREDICTION;
    return pictures ? 3 : lists ? 2 : 1;
}

/* n values from the first on, of a dataset to memory or, where `to` is NULL, from it. */
static bool transfer(hid_t set, int which, void *to, const void *from, int64_t first, int64_t n,
                     int32_t w, int32_t h)
{
    hsize_t count[3];
    const int n_dims = sac_frames_dims(count, which, n, w, h);
    const hsize_t start[3] = {(hsize_t)first, 0, 0};
    const hid_t file = H5Dget_space(set), memory = H5Screate_simple(n_dims, count, NULL);
    const hid_t type = memory_type(which);
    bool ok = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    if (ok)
        ok = (to ? H5Dread(set, type, memory, file, H5P_DEFAULT, to)
                 : H5Dwrite(set, type, memory, file, H5P_DEFAULT, from)) >= 0;
    H5Sclose(file);
    H5Sclose(memory);
    H5Tclose(type);
    return ok;
}

bool sac_frames_put(hid_t set, int which, const void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h)
{
    return transfer(set, which, NULL, data, first, n, w, h);
}

bool sac_frames_get(hid_t set, int which, void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h)
{
    return transfer(set, which, data, NULL, first, n, w, h);
}
