/*
 * A beamformed image inside the library, and its writers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_IMAGE_H
#define SAC_IO_IMAGE_H

#include "io/recording/parts.h"

struct sac_image {
    sac_array array; /* contiguous; data is from sac_alloc */
    sac_image_info info;
    sac_scatterer *truth; /* info points there */
};

/* Whether shape and type are what sac_beamform_run gives of the grid. SAC_E_SHAPE. */
SAC_NODISCARD sac_status sac_image_check(const sac_array *image, const sac_grid *grid,
                                         const char *name, sac_error *err);

/* Its enums. SAC_E_INVALID. */
SAC_NODISCARD sac_status sac_image_check_info(const sac_image_info *info, sac_error *err);

/* "iq", "envelope", "bmode". And back: false where there is none of that name. */
const char *sac_output_name(sac_beamform_output output);
bool sac_output_parse(sac_beamform_output *output, const char *name);

/* The formats, by a path's ending. SAC_E_INVALID (no such), SAC_E_UNSUPPORTED (this build writes it
 * not). */
typedef enum sac_image_format { IMAGE_HDF5, IMAGE_UFF, IMAGE_NPY, IMAGE_TIFF } sac_image_format;
SAC_NODISCARD sac_status sac_image_find_format(sac_image_format *format, const char *path,
                                               sac_error *err);

/* Named numbers of sac_image_info, as HDF5 has them. */
extern const sac_field sac_image_fields[];

/* libhdf5, or the word that this build has none (hdf5/none.c). */
SAC_NODISCARD sac_status sac_hdf5_write_image(sac_out *out, const sac_array *image,
                                              const sac_image_info *info, sac_error *err);
SAC_NODISCARD sac_status sac_hdf5_read_image(sac_image *image, const char *path, const char *name,
                                             uint64_t bytes, sac_error *err);

/* A file of such an image without its frames, which are to come at `*offset`; of out's name and fd
 * alone. fd -1: nothing is written. */
SAC_NODISCARD sac_status sac_hdf5_begin_image(int64_t *offset, sac_out *out, const sac_array *image,
                                              const sac_image_info *info, sac_error *err);

/* The same in UFF. What is read is open in libhdf5 (hdf5.h has its type). */
SAC_NODISCARD sac_status sac_uff_write_image(sac_out *out, const sac_array *image,
                                             const sac_image_info *info, sac_error *err);
struct sac_h5;
SAC_NODISCARD sac_status sac_uff_read_image(sac_image *image, const struct sac_h5 *h,
                                            sac_error *err);

/* Pictures of the last two axes, u8 or f32 and contiguous, as the pages of a TIFF. (libvips) */
SAC_NODISCARD sac_status sac_vips_write_pages(sac_out *out, const sac_array *pages, sac_error *err);

#endif
