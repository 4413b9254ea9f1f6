/*
 * Beamformed images as pictures: gray, square in millimetres, with axes and a gray bar.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_BEAMFORM_PICTURE_H
#define CLI_BEAMFORM_PICTURE_H

#include <saccade/array.h>
#include <saccade/beamform.h>
#include <saccade/io.h>

/* The image's sides in pixels. */
void cli_bmode_sides(int *w, int *h, const sac_grid *grid);

/*
 * Draws one frame (n_z, n_x), f32 in dB from 0 down to -range_db or u8 as SAC_OUTPUT_GRAY has it,
 * of the plane x, z of `grid`, in gray. `title` is one line above it; the picture is as wide as it
 * needs. A build without Cairo draws the image alone. To be closed. SAC_E_NOMEM.
 */
SAC_NODISCARD sac_status cli_bmode_draw(sac_picture **out, const sac_array *frame,
                                        const sac_grid *grid, double range_db, const char *title,
                                        sac_error *err);

/* The same to `path`: PNG or what else sac_picture_write knows. SAC_E_IO, SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status cli_bmode_write(const char *path, const sac_array *frame,
                                         const sac_grid *grid, double range_db, const char *title,
                                         sac_error *err);

#endif
