/*
 * Simulated ultrasound: channel data of scatterers as a probe would record it, for tests with a
 * known truth.
 *
 *     sac_ultrasound_desc desc;
 *     sac_scatterer point = {.position_m = {0, 0, 20e-3}, .amplitude = 1};
 *     sac_ultrasound_desc_init(&desc);
 *     desc.acquisition = &acquisition;
 *     desc.scatterers = &point, desc.n_scatterers = 1, desc.n_samples = 2048;
 *     st = sac_simulate_ultrasound(&channels, &desc, &err);
 *
 * `channels` is a view of f32 (n_transmits, n_elements, n_samples). To beamform it, make another
 * view of the same memory with 4 axes, (1, n_transmits, n_elements, n_samples); for several frames
 * call sac_simulate_ultrasound once for each.
 *
 * sac_phantom_fill makes scatterers for usual test pictures: points, a cyst, a rotating disk.
 *
 * Threads: every function may be called from any thread, each on data of its own. Functions that
 * fill in a struct do nothing if it is NULL.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_SIMULATE_H
#define SACCADE_SIMULATE_H

#include <saccade/beamform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A point that reflects sound. */
typedef struct sac_scatterer {
    double position_m[3];
    double amplitude;
} sac_scatterer;

/* Sets a scatterer at the origin with amplitude 1. */
SAC_API void sac_scatterer_init(sac_scatterer *scatterer);

/*
 * Linear acoustics: every scatterer sends every firing element's pulse back to every element.
 * Each way (from element to scatterer, or back) of length d attenuates the pulse by the factor
 *
 *     D 1/d 10^(-attenuation fc d / 20),   D = sinc(w sin_x / lambda) sinc(h sin_y / lambda) cos
 *
 * with d in metres (not below a wavelength) in 1/d; cos of the angle to the element's normal, 0
 * behind it; sin_x and sin_y the direction's parts along an element's width w and height h, whose
 * sinc(x) = sin(pi x) / (pi x) is 1 where that size is 0. The waves result from the delays of the
 * elements, and so have edge waves and grating lobes; a wave of kind plane, diverging or focused
 * passes the origin at time 0. A line (sac_acquisition's shapes; since 0.2) is the mean over pieces
 * of at most a quarter of a wavelength, each an element of its own, with the line's apodization: it
 * has edge waves from its ends. Records of elements that do not receive a transmit are 0. The
 * pulse, after both ways, is
 *
 *     exp(-t^2 / (2 sigma^2)) cos(2 pi fc t),   sigma = 2 sqrt(2 ln 2) / (2 pi bandwidth fc)
 *
 * so that its spectrum is half as high at fc (1 +- bandwidth / 2). Delays are exact to 1e-4 of a
 * period (docs/numerics.md).
 */
typedef struct sac_ultrasound_desc {
    size_t struct_size;
    const sac_acquisition
        *acquisition; /* transmits of kind plane, diverging, focused, element or delays */
    const sac_scatterer *scatterers;
    int64_t n_scatterers;
    int64_t n_samples;
    double attenuation_db_cm_mhz; /* per cm of the way, there and back counted; default 0 */
    double noise_db;   /* level of white noise below the largest sample: 40 is a hundredth of it; 0,
                          the default: no noise */
    uint64_t seed;     /* of the noise; default 0 */
    int32_t n_threads; /* 0, the default: one per core */
    sac_progress_fn progress; /* may be NULL; counts scatterers times transmits */
    void *progress_ctx;

    /*
     * Since 0.2: sac_beamform_desc's, of flat arrays at z = 0 and scatterers at z of 0 or more;
     * NULL, the default: none. Waves take the least time through them (Fermat's principle), with
     * the amplitudes of straight ways of one speed: borders neither reflect nor weaken. Elements
     * fire with the delays that c_m_s gives.
     */
    const char *layers, *lens;

    /*
     * Since 0.2: depth at which elements of a known height focus across the array, as a lens or
     * their curvature makes them: each is the mean of strips along y of at most a quarter of a
     * wavelength, which fire and receive earlier by (sqrt(focus^2 + y^2) - focus) / c. Of areas
     * alone, whose normals lie in the plane of x and z. 0, the default: flat elements, whose
     * directivity is that of their height far away.
     */
    double elevation_focus_m;
} sac_ultrasound_desc;

/* Fills in every default. The caller sets the acquisition, the scatterers and n_samples. */
SAC_API void sac_ultrasound_desc_init(sac_ultrasound_desc *desc);

/*
 * Writes RF f32 (n_transmits, n_elements, n_samples), contiguous, in CPU memory; the result does
 * not depend on the number of threads. The acquisition's bandwidth is 0 (then 0.7) or at least
 * 0.01. SAC_CANCELLED (progress returned false). SAC_E_SHAPE, SAC_E_INVALID, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_simulate_ultrasound(const sac_array *out,
                                                         const sac_ultrasound_desc *desc,
                                                         sac_error *err);

/*
 * The speckle of a cyst or disk is a thin layer if the region's y is the same at both ends,
 * otherwise cylinders along y. Its scatterers are at random positions, with normally distributed
 * amplitudes.
 */
typedef enum sac_phantom_kind {
    SAC_PHANTOM_POINTS = 0, /* 4 x 5 points in x and z from first to last, of amplitude 1; 3 in y if
                               its ends differ. For resolution */
    SAC_PHANTOM_CYST,  /* speckle in the region, with a hole of center and radius: for contrast.
                          The last four scatterers, of amplitude 0, mark the hole's rim at its
                          smallest and largest x and z */
    SAC_PHANTOM_DISK,  /* a rotating disk of speckle, of center and radius, as thick as the
                          region's y. Set angle_rad for each frame */
    SAC_PHANTOM_VESSEL /* since 0.2: blood that flows through a straight vessel of center and
                          radius, with the speed flow_m (1 - r^2 / radius_m^2) at the distance r
                          from its axis (a parabola: Poiseuille), in tissue that moves slowly. Set
                          frame for each frame. The last three scatterers, of amplitude 0, are the
                          truth: the center; where the axis's flow carries it in a frame; and the
                          wall nearest to the probe */
} sac_phantom_kind;

typedef struct sac_phantom_desc {
    size_t struct_size;
    sac_phantom_kind kind;        /* default SAC_PHANTOM_POINTS */
    double first_m[3], last_m[3]; /* corners of the region that it fills; default x from -15 to 15
                                     mm, y 0, z from 10 to 40 mm */
    double center_m[3], radius_m; /* of cyst and disk; default (0, 0, 25) mm and 4 mm */
    int64_t n_scatterers;         /* of speckle; 0, the default: 10 per resolution cell of 2 x 1
                                     lambda */
    double lambda_m;              /* wavelength c / fc; default 0.3 mm */
    double angle_rad;             /* disk: rotation so far, from z towards x; default 0 */
    uint64_t seed;                /* of the speckle; default 0 */
    /* Since 0.2. Of a vessel, which crosses the region and lies in its plane. */
    double vessel_rad; /* angle of its axis to x, which is as long as the region's diagonal: blood
                          flows toward x and, above 0, toward the probe; default 0.5236 (30
                          degrees) */
    double flow_m;     /* way of the blood in its axis from frame to frame; default 0 */
    double tissue_m;   /* way of the tissue toward the probe from frame to frame; default 0 */
    double clutter_db; /* amplitude of tissue over that of blood; 0, the default: no tissue */
    double frame;      /* frames so far; default 0 */
} sac_phantom_desc;

/* Fills in every default. */
SAC_API void sac_phantom_desc_init(sac_phantom_desc *desc);

/*
 * The number of scatterers that sac_phantom_fill writes; 0 if desc is NULL, or if sizes are not
 * finite, or leave no room for speckle, or if radius_m or lambda_m is not positive (whatever the
 * kind).
 */
SAC_API int64_t sac_phantom_count(const sac_phantom_desc *desc);

/* Writes sac_phantom_count scatterers into memory of the caller. */
SAC_API void sac_phantom_fill(sac_scatterer *scatterers, const sac_phantom_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
