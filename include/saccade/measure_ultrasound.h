/*
 * Measures of beamformed images: resolution at a point, contrast of a cyst, against the truth.
 * Threads: every function may be called from any thread. NULL is refused (SAC_E_INVALID).
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
 * One frame as sac_beamform_run writes it, (n_z, n_x) or (n_z, n_y, n_x) on a grid: dB f32
 * (SAC_OUTPUT_BMODE), magnitude f32 (SAC_OUTPUT_ENVELOPE) or IQ c64 (SAC_OUTPUT_IQ). Samples that
 * are NaN count as silent. Silence is 400 dB below 1; a B-mode picture's own floor limits what is
 * measured in it.
 */
typedef struct sac_ultrasound_image {
    const sac_array *samples;
    sac_grid grid;
    sac_beamform_output output; /* as the samples are */
} sac_ultrasound_image;

/* No samples, the grid of sac_grid_init, SAC_OUTPUT_BMODE. Does nothing where image is NULL. */
SAC_API void sac_ultrasound_image_init(sac_ultrasound_image *image);

/*
 * The image of a point target. Between samples the image is interpolated in dB by cubics
 * (Catmull-Rom), at the peak by parabolas; widths and side lobes are those of the profiles through
 * the peak along x, y and z.
 */
typedef struct sac_point_measure {
    double peak_m[3];
    double error_m;      /* distance of the peak from the target, over the axes that the grid has */
    double peak_db;      /* 20 log10 of the magnitude there */
    double width_m[3];   /* at half the peak's magnitude (-6.02 dB): lateral, elevation, axial; NaN
                            where the profile does not fall so far, or the grid has one place */
    double side_lobe_db; /* the highest place of the lateral profile behind its first minimum on
                            either side, less the peak; NaN where there is none within reach */
} sac_point_measure;

/*
 * Measures the brightest place within reach_m of at_m along each axis that the grid has.
 * SAC_E_INVALID (a target outside of the grid, a reach of 0, nothing but silence there),
 * SAC_E_SHAPE.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_point(sac_point_measure *out,
                                                   const sac_ultrasound_image *image,
                                                   const double at_m[3], double reach_m,
                                                   sac_error *err);

/*
 * A cyst, round in x and z. Inside is the disc of 0.8 radius; outside the ring of equal area from
 * 1.2 to sqrt(1.2^2 + 0.8^2) = 1.44 radii. mu and sigma are mean and standard deviation over each
 * of the magnitude s, or of 20 log10 s.
 */
typedef struct sac_cyst_measure {
    double contrast_db;   /* 20 log10(mu_in / mu_out) of s */
    double cnr_picmus_db; /* 20 log10(|mu_in - mu_out| / sqrt((sigma_in^2 + sigma_out^2) / 2)) of
                             20 log10 s: Liebgott et al., "Plane-wave imaging challenge in medical
                             ultrasound", IUS 2016 */
    double cnr_cubdl;     /* |mu_in - mu_out| / sqrt(sigma_in^2 + sigma_out^2) of s: Hyun et al.,
                             "Deep learning for ultrasound image formation: CUBDL evaluation
                             framework and open datasets", IEEE TUFFC 68 (2021) */
    double gcnr;          /* 1 - the overlap of both histograms of s, in SAC_GCNR_BINS equal bins
                             from the least to the largest s of both: Rodriguez-Molares et al., "The
                             generalized contrast-to-noise ratio", IEEE TUFFC 67 (2020) */
    double speckle_snr;   /* mu_out / sigma_out of s; 1.91 where speckle is fully developed */
    int64_t n_inside, n_outside; /* samples */
} sac_cyst_measure;

#define SAC_GCNR_BINS 100

/* Measures a cyst. SAC_E_INVALID (fewer than 16 samples inside; a ring that leaves the image by
 * more than half), SAC_E_SHAPE, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_measure_cyst(sac_cyst_measure *out,
                                                  const sac_ultrasound_image *image,
                                                  const double center_m[3], double radius_m,
                                                  sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
