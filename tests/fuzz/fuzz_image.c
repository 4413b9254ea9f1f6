/*
 * libFuzzer on the reader of images in HDF5. The input says how a file departs from the schema
 * (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"
#include "fuzz_schema.h"

#include <math.h>

static const char *const numbers[] = {"dynamic_range_db", "c_m_s",      "fc_hz",
                                      "f_number",         "aperture_m", "frame_rate_hz"};

static void check(const sac_image *image)
{
    sac_array a = sac_image_get_array(image);
    const sac_image_info *info = sac_image_get_info(image);
    int64_t points = info->grid.n[0] * info->grid.n[1] * info->grid.n[2];
    if (!sac_array_is_contiguous(&a) || points < 1 || sac_array_count(&a) % points != 0 ||
        !isfinite(info->frame_rate_hz) || !isfinite(info->grid.first_m[0]) ||
        !isfinite(info->grid.last_m[2]))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const float samples[2 * 3 * 4] = {0, -1, -2};
    static const double points[4] = {0, 1e-3, 2e-3, 3e-3}, one = 1;
    static const hsize_t dims[] = {2, 3, 4}, n[] = {4, 1, 3};
    static const char *const axes[] = {"x_m", "y_m", "z_m"};
    input in = {data, data + size};
    begin_hdf5();
    hid_t file = H5Fcreate("x", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t word = word_type(13), kind = word_type(5);
    put_attribute(file, "format", word, "saccade image", &in);
    put_attribute(file, "output", kind, "bmode", &in);
    for (int i = 0; i < 6; i++)
        put_attribute(file, numbers[i], H5T_IEEE_F64LE, &one, &in);
    put_dataset(file, "image", H5T_IEEE_F32LE, 3, dims, samples, &in);
    for (int i = 0; i < 3; i++)
        put_dataset(file, axes[i], H5T_IEEE_F64LE, 1, &n[i], points, &in);
    H5Tclose(word);
    H5Tclose(kind);
    if (H5Fclose(file) < 0)
        abort();
    sac_image *image = NULL;
    sac_error err = {0};
    sac_status st = sac_image_read(&image, "x", &err);
    if ((st == SAC_OK) != (image != NULL) || (st != SAC_OK && err.text[0] == '\0'))
        abort();
    if (image)
        check(image);
    sac_image_close(&image);
    return 0;
}
