/*
 * Beamformed images: the choice of writer by the path's ending, and what was read back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/image/image.h"

#include <inttypes.h>
#include <string.h>

#include "base/struct.h"
#include "base/alloc.h"
#include "io/npy.h"
#include "io/picture/picture.h"
#include "io/recording/parts.h"

static const char *const outputs[] = {
    [SAC_OUTPUT_IQ] = "iq",
    [SAC_OUTPUT_ENVELOPE] = "envelope",
    [SAC_OUTPUT_BMODE] = "bmode",
    [SAC_OUTPUT_GRAY] = "gray",
    [SAC_OUTPUT_POWER] = "power",
    [SAC_OUTPUT_VELOCITY] = "velocity",
    [SAC_OUTPUT_DIRECTIONAL] = "directional",
    [SAC_OUTPUT_VARIANCE] = "variance",
    [SAC_OUTPUT_VELOCITY_POWER] = "velocity-power",
    [SAC_OUTPUT_VECTOR] = "vector",
};

#define N_OUTPUTS (sizeof outputs / sizeof outputs[0])

const sac_field sac_image_fields[] = {
    {"dynamic_range_db", offsetof(sac_image_info, dynamic_range_db), 1, false, true},
    {"c_m_s", offsetof(sac_image_info, c_m_s), 1, false, true},
    {"fc_hz", offsetof(sac_image_info, fc_hz), 1, false, true},
    {"f_number", offsetof(sac_image_info, f_number), 1, false, true},
    {"aperture_m", offsetof(sac_image_info, aperture_m), 1, false, true},
    {"frame_rate_hz", offsetof(sac_image_info, frame_rate_hz), 1, false, true},
    /* From here on not where they are 0. */
    {"nyquist_m_s", offsetof(sac_image_info, nyquist_m_s), 1, false, true},
    {"prf_hz", offsetof(sac_image_info, prf_hz), 1, false, true},
    {"phase_sign", offsetof(sac_image_info, phase_sign), 1, false, true},
    {NULL, 0, 0, false, false},
};

const char *sac_output_name(sac_beamform_output output)
{
    return (size_t)output < N_OUTPUTS ? outputs[output] : NULL;
}

bool sac_output_parse(sac_beamform_output *output, const char *name)
{
    for (size_t i = 0; i < N_OUTPUTS; i++) {
        if (strcmp(name, outputs[i]) != 0)
            continue;
        *output = (sac_beamform_output)i;
        return true;
    }
    return false;
}

sac_status sac_image_find_format(sac_image_format *format, const char *path, sac_error *err)
{
    static const struct {
        const char *ending;
        sac_image_format format;
    } endings[] = {
        {".h5", IMAGE_HDF5},  {".hdf5", IMAGE_HDF5}, {".npy", IMAGE_NPY},
        {".tif", IMAGE_TIFF}, {".tiff", IMAGE_TIFF}, {".uff", IMAGE_UFF},
    };
    char name[SAC_IO_NAME];
    sac_io_name(name, path, "standard output");
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (!sac_io_ends_with(path, endings[i].ending))
            continue;
        *format = endings[i].format;
        return *format == IMAGE_HDF5 || *format == IMAGE_UFF ? sac_hdf5_can_write(name, err)
               : *format == IMAGE_TIFF                       ? sac_vips_can_write(name, ".tif", err)
                                                             : SAC_OK;
    }
    return sac_fail(err, SAC_E_INVALID,
                    "%s: images are written as .h5, .hdf5, .uff, .npy, .tif or .tiff", name);
}

sac_status sac_image_can_write(const char *path, sac_error *err)
{
    if (!path)
        return sac_fail(err, SAC_E_INVALID, "path: is NULL");
    sac_image_format format;
    sac_status st = sac_image_find_format(&format, path, err);
    return st == SAC_OK ? sac_out_check(path, err) : st;
}

sac_status sac_image_check(const sac_array *image, const sac_grid *grid, const char *name,
                           sac_error *err)
{
    sac_status st = sac_array_check(image, name, err);
    if (st != SAC_OK)
        return st;
    int n_axes = grid->n[1] > 1 ? 3 : 2; /* of the grid: z, (y,) x */
    int lead = image->n_dims - n_axes;   /* frames, and transmits */
    const int64_t *axes = image->shape + (lead > 0 ? lead : 0);
    bool fits = (lead == 1 || lead == 2) && axes[0] == grid->n[2] &&
                axes[n_axes - 1] == grid->n[0] && (n_axes == 2 || axes[1] == grid->n[1]);
    if (!fits || sac_array_count(image) == 0 || !sac_array_is_contiguous(image) ||
        image->device.kind != SAC_DEVICE_CPU ||
        (image->dtype != SAC_U8 && image->dtype != SAC_F32 && image->dtype != SAC_C64))
        return sac_fail(err, SAC_E_SHAPE,
                        "%s: expected contiguous u8, f32 or c64 on the CPU, of shape (n_frames, "
                        "[n_transmits,] %" PRId64 ", [%" PRId64 ",] %" PRId64 ") as the grid",
                        name, grid->n[2], grid->n[1], grid->n[0]);
    return SAC_OK;
}

/* Every picture of z by x, or y by x of a volume, as a page. */
static sac_status write_tiff(sac_out *out, const sac_array *image, sac_error *err)
{
    if (image->dtype == SAC_C64)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: TIFF holds real samples; .h5 and .npy hold complex ones", out->name);
    return sac_vips_write_pages(out, image, err);
}

void sac_image_info_init(sac_image_info *info)
{
    *info = (sac_image_info){.struct_size = sizeof *info};
}

sac_status sac_image_check_info(const sac_image_info *info, sac_error *err)
{
    if (info->grid_kind != SAC_GRID_CARTESIAN && info->grid_kind != SAC_GRID_SECTOR)
        return sac_fail(err, SAC_E_INVALID, "grid_kind: %d is invalid", (int)info->grid_kind);
    if (!sac_output_name(info->output))
        return sac_fail(err, SAC_E_INVALID, "output: %d is invalid", (int)info->output);
    return SAC_OK;
}

sac_status sac_image_write(const char *path, const sac_array *image, const sac_image_info *info,
                           sac_error *err)
{
    if (!path || !image || !info)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !path    ? "path"
                        : !image ? "image"
                                 : "info");
    sac_image_info own;
    sac_image_info_init(&own);
    sac_status st = sac_struct_take(&own, info, "info", err);
    if (st != SAC_OK)
        return st;
    info = &own;
    sac_image_format format;
    st = sac_image_check_info(info, err);
    st = st ? st : sac_image_find_format(&format, path, err);
    st = st ? st : sac_image_check(image, &info->grid, "image", err);
    sac_out out;
    st = st ? st : sac_out_open(&out, path, err);
    if (st != SAC_OK)
        return st;
    sac_io_lock();
    st = format == IMAGE_HDF5  ? sac_hdf5_write_image(&out, image, info, err)
         : format == IMAGE_UFF ? sac_uff_write_image(&out, image, info, err)
         : format == IMAGE_NPY ? sac_npy_write(&out, image, err)
                               : write_tiff(&out, image, err);
    sac_io_unlock();
    return sac_out_end(&out, st, err);
}

sac_status sac_image_read(sac_image **out, const char *path, sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    char name[SAC_IO_NAME];
    sac_io_name(name, path, "standard input");
    uint8_t head[SAC_IO_HEAD];
    uint64_t bytes;
    sac_status st = sac_io_look(head, &bytes, path, name, err);
    if (st != SAC_OK)
        return st;
    if (!sac_io_is_hdf5(head))
        return sac_fail(err, SAC_E_FORMAT, "%s: is not HDF5; images are read only from HDF5", name);
    sac_image *image = sac_alloc(1, sizeof *image);
    if (!image)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for an image", name);
    sac_image_info_init(&image->info);
    sac_io_lock();
    st = sac_hdf5_read_image(image, path, name, bytes, err);
    sac_io_unlock();
    image->info.truth = image->truth;
    if (st != SAC_OK)
        sac_image_close(&image);
    *out = image;
    return st;
}

sac_array sac_image_get_array(const sac_image *image)
{
    return image ? image->array : (sac_array){0};
}

const sac_image_info *sac_image_get_info(const sac_image *image)
{
    return image ? &image->info : NULL;
}

void sac_image_close(sac_image **image)
{
    if (!image || !*image)
        return;
    sac_free((*image)->array.data);
    sac_free((*image)->truth);
    sac_free(*image);
    *image = NULL;
}
