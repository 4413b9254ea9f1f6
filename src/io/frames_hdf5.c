/*
 * Values of frames in HDF5: their types, and some of them at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/frames.h"

#include <string.h>

const char *const sac_frames_names[SAC_FRAMES_SETS] = {"frames", "signals", "truth"};

typedef struct part {
    const char *name;
    size_t offset;
    bool is_real; /* float, else int32_t */
} part;

#define SIGNAL(name)                                                                               \
    {                                                                                              \
#name, offsetof(sac_meltpool_signals, name), false                                         \
    }
#define WHOLE(name)                                                                                \
    {                                                                                              \
#name, offsetof(sac_meltpool_truth, name), false                                           \
    }
#define REAL(name)                                                                                 \
    {                                                                                              \
#name, offsetof(sac_meltpool_truth, name), true                                            \
    }

static const part signals[] = {SIGNAL(laser_on), SIGNAL(counter), SIGNAL(x), SIGNAL(y), {0}};
static const part truth[] = {WHOLE(regime),
                             WHOLE(layer),
                             WHOLE(n_spatters),
                             REAL(x),
                             REAL(y),
                             REAL(sigma_perp),
                             REAL(sigma_par),
                             REAL(tail),
                             REAL(angle_rad),
                             REAL(amplitude),
                             REAL(power_w),
                             REAL(width_m),
                             REAL(depth_m),
                             REAL(enthalpy),
                             REAL(lof_density),
                             REAL(keyhole_density),
                             {0}};

static const struct {
    const part *parts;
    size_t size;
} compounds[SAC_FRAMES_SETS] = {[SAC_FRAMES_SIGNALS] = {signals, sizeof(sac_meltpool_signals)},
                                [SAC_FRAMES_TRUTH] = {truth, sizeof(sac_meltpool_truth)}};

static hid_t compound(int set, hid_t whole, hid_t real)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, compounds[set].size);
    for (const part *p = compounds[set].parts; p->name; p++)
        H5Tinsert(type, p->name, p->offset, p->is_real ? real : whole);
    return type;
}

hid_t sac_frames_memory_type(int set)
{
    return set == SAC_FRAMES_PICTURES ? H5Tcopy(H5T_NATIVE_UINT8)
                                      : compound(set, H5T_NATIVE_INT32, H5T_NATIVE_FLOAT);
}

hid_t sac_frames_file_type(int set)
{
    return set == SAC_FRAMES_PICTURES ? H5Tcopy(H5T_STD_U8LE)
                                      : compound(set, H5T_STD_I32LE, H5T_IEEE_F32LE);
}

static bool part_fits(const part *p, hid_t type)
{
    int i = H5Tget_member_index(type, p->name);
    if (i < 0)
        return false;
    hid_t member = H5Tget_member_type(type, (unsigned)i);
    H5T_class_t kind = H5Tget_class(member);
    bool fits = p->is_real ? kind == H5T_FLOAT : kind == H5T_INTEGER && H5Tget_size(member) <= 4;
    H5Tclose(member);
    return fits;
}

bool sac_frames_type_fits(int set, hid_t type)
{
    if (set == SAC_FRAMES_PICTURES)
        return H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
               H5Tget_sign(type) == H5T_SGN_NONE;
    bool fits = H5Tget_class(type) == H5T_COMPOUND;
    for (const part *p = compounds[set].parts; p->name && fits; p++)
        fits = part_fits(p, type);
    return fits;
}

/* The places of n values in a dataset, and in memory. To be closed. */
static bool select_values(hid_t *file, hid_t *memory, hid_t set, int which, int64_t first,
                          int64_t n, int32_t w, int32_t h)
{
    int n_dims = which == SAC_FRAMES_PICTURES ? 3 : 1;
    const hsize_t from[3] = {(hsize_t)first, 0, 0};
    const hsize_t count[3] = {(hsize_t)n, (hsize_t)h, (hsize_t)w};
    *file = H5Dget_space(set);
    *memory = H5Screate_simple(n_dims, count, NULL);
    return H5Sselect_hyperslab(*file, H5S_SELECT_SET, from, NULL, count, NULL) >= 0;
}

bool sac_frames_put(hid_t set, int which, const void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h)
{
    hid_t file, memory, type = sac_frames_memory_type(which);
    bool ok = select_values(&file, &memory, set, which, first, n, w, h) &&
              H5Dwrite(set, type, memory, file, H5P_DEFAULT, data) >= 0;
    H5Sclose(file);
    H5Sclose(memory);
    H5Tclose(type);
    return ok;
}

bool sac_frames_get(hid_t set, int which, void *data, int64_t first, int64_t n, int32_t w,
                    int32_t h)
{
    hid_t file, memory, type = sac_frames_memory_type(which);
    bool ok = select_values(&file, &memory, set, which, first, n, w, h) &&
              H5Dread(set, type, memory, file, H5P_DEFAULT, data) >= 0;
    H5Sclose(file);
    H5Sclose(memory);
    H5Tclose(type);
    return ok;
}
