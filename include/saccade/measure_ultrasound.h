/*
 * Measures of beamformed images against the truth: resolution at a point target, contrast of a
 * cyst.
 *
 *     sac_ultrasound_image image;
 *     sac_point_measure point;
 *     sac_ultrasound_image_init(&image);
 *     image.samples = &bmode, image.grid = grid;
 *     st = sac_measure_point(&point, &image, target_m, 2e-3, &err);
 *
 * `bmode` is one frame. The output of sac_beamform_run has an axis of frames before it; a view of
 * its first frame is sac_array_view(&bmode, out.data, out.dtype, out.n_dims - 1, out.shape + 1,
 * &err).
 *
 * Threads: every function may be called from any thread. NULL is SAC_E_INVALID.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MEASURE_ULTRASOUND_H
#define SACCADE_MEASURE_ULTRASOUND_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/beamform.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One frame as sac_beamform_run writes it on a grid, (n_z, n_x) or (n_z, n_y, n_x): dB f32
 * (SAC_OUTPUT_BMODE), magnitude f32 (SAC_OUTPUT_ENVELOPE) or IQ c64 (SAC_OUTPUT_IQ). NaN samples
 * count as silence, which is 400 dB below 1. A B-mode picture's dynamic range limits what can be
 * measured in it.
 */
typedef struct sac_ultrasound_image {
    const sac_array *samples;   /* in CPU memory; strides are free */
    sac_grid grid;              /* as in the desc of the beamformer */
    sac_beamform_output output; /* the kind of the samples; not SAC_OUTPUT_GRAY */
} sac_ultrasound_image;

/*
 * Sets no samples, the grid of sac_grid_init, and SAC_OUTPUT_BMODE. Does nothing if image is NULL.
 */
SAC_API void sac_ultrasound_image_init(sac_ultrasound_image *image);

/*
 * Measures of a point target. Between samples the image is interpolated in dB by cubics
 * (Catmull-Rom), at the peak by parabolas. Widths and side lobes are those of the profiles through
 * the peak along x, y and z.
 */
typedef struct sac_point_measure {
    double peak_m[3];  /* position of the peak (x, y, z) */
    double error_m;    /* distance of the peak from the target, along the axes that the grid has */
    double peak_db;    /* 20 log10 of the magnitude at the peak */
    double width_m[3]; /* full width at half the peak's magnitude (-6.02 dB): lateral, elevation,
                          axial; NaN if the profile does not fall that far, or the grid has one
                          point along the axis */
    double side_lobe_db; /* highest level of the lateral profile beyond its first minimum on either
                            side, minus the peak's level; NaN if there is no minimum within reach */
} sac_point_measure;

/*
 * Measures the brightest point within reach_m of at_m along each axis that the grid has.
 * SAC_E_INVALID (a target outside the grid, a reach of 0, or only silence there), SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_point(sac_point_measure *out,
                                                   const sac_ultrasound_image *image,
                                                   const double at_m[3], double reach_m,
                                                   sac_error *err);

/*
 * Since 0.2. The same in an image whose grid is a sector's. The brightest point is searched within
 * reach_m along the arc and in depth; lateral and elevation are along arcs, in metres, and axial is
 * in depth.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_sector_point(sac_point_measure *out,
                                                          const sac_ultrasound_image *image,
                                                          const sac_sector *sector,
                                                          const double at_m[3], double reach_m,
                                                          sac_error *err);

/*
 * Measures of a cyst that is round in x and z. Inside: the disc of 0.8 radii. Outside: the ring of
 * equal area from 1.2 to sqrt(1.2^2 + 0.8^2) = 1.44 radii. mu and sigma are the mean and the
 * standard deviation over each region, of the magnitude s or of 20 log10 s.
 */
typedef struct sac_cyst_measure {
    double contrast_db;   /* 20 log10(mu_in / mu_out) of s */
    double cnr_picmus_db; /* 20 log10(|mu_in - mu_out| / sqrt((sigma_in^2 + sigma_out^2) / 2)) of
                             20 log10 s: Liebgott et al., "Plane-wave imaging challenge in medical
                             ultrasound", IUS 2016 */
    double cnr_cubdl;     /* |mu_in - mu_out| / sqrt(sigma_in^2 + sigma_out^2) of s: Hyun et al.,
                             "Deep learning for ultrasound image formation: CUBDL evaluation
                             framework and open datasets", IEEE TUFFC 68 (2021) */
    double gcnr; /* 1 - the overlap of both histograms of s, in SAC_GCNR_BINS equal bins from the
                    smallest to the largest s of both regions: Rodriguez-Molares et al., "The
                    generalized contrast-to-noise ratio", IEEE TUFFC 67 (2020) */
    double speckle_snr; /* mu_out / sigma_out of s; 1.91 where speckle is fully developed */
    int64_t n_inside, n_outside; /* numbers of samples */
} sac_cyst_measure;

#define SAC_GCNR_BINS 100

/*
 * Measures a cyst. SAC_E_INVALID (fewer than 16 samples inside; a ring of which more than half is
 * outside the image), SAC_E_SHAPE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_cyst(sac_cyst_measure *out,
                                                  const sac_ultrasound_image *image,
                                                  const double center_m[3], double radius_m,
                                                  sac_error *err);

/* Since 0.2. The same in an image whose grid is a sector's, of the samples that lie in disc and
 * ring.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_sector_cyst(sac_cyst_measure *out,
                                                         const sac_ultrasound_image *image,
                                                         const sac_sector *sector,
                                                         const double center_m[3], double radius_m,
                                                         sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
