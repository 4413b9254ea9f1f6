/*
 * Simulated sensors, with the truth beside what they would record.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_SIMULATE_H
#define SACCADE_SIMULATE_H

#include <saccade/beamform.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sac_scatterer {
    double position_m[3];
    double amplitude;
} sac_scatterer;

/*
 * Linear acoustics: every scatterer sends every fired element's pulse back to every element,
 * weakened by 1/distance both ways, by the directivity of an element of its width
 * (sinc(width sin(theta) / lambda) cos(theta)) and by attenuation at fc, with white noise.
 */
typedef struct sac_ultrasound_desc {
    size_t struct_size;
    const sac_acquisition *acquisition; /* plane, diverging, focused, element or delays */
    const sac_scatterer *scatterers;
    int64_t n_scatterers;
    int64_t n_samples;
    double attenuation_db_cm_mhz; /* of the way there and back; default 0 */
    double noise_db;   /* of the noise below the record's largest sample; default: none (0) */
    uint64_t seed;     /* of the noise */
    int32_t n_threads; /* 0: one a core */
    sac_progress_fn progress; /* may be NULL */
    void *progress_ctx;
} sac_ultrasound_desc;

SAC_API void sac_ultrasound_desc_init(sac_ultrasound_desc *desc);

/*
 * Writes RF f32 (n_transmits, n_elements, n_samples), the same at any number of threads. The
 * transmitted pulse is a Gaussian of the acquisition's bandwidth around fc, its envelope's peak at
 * time 0. SAC_E_SHAPE, SAC_E_INVALID, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_simulate_ultrasound(const sac_array *out,
                                                         const sac_ultrasound_desc *desc,
                                                         sac_error *err);

typedef enum sac_phantom_kind {
    SAC_PHANTOM_POINTS = 0, /* a grid of points, resolution */
    SAC_PHANTOM_CYST,       /* speckle with holes, contrast */
    SAC_PHANTOM_DISK        /* a rotating disk of scatterers: a frame is a step of its rotation */
} sac_phantom_kind;

typedef struct sac_phantom_desc {
    size_t struct_size;
    sac_phantom_kind kind;
    double first_m[3], last_m[3]; /* the region that it fills */
    double center_m[3], radius_m; /* cyst, disk */
    int64_t n_scatterers;         /* of speckle; 0: 10 a resolution cell */
    double lambda_m;
    double angle_rad; /* disk: how far it has turned */
    uint64_t seed;
} sac_phantom_desc;

SAC_API void sac_phantom_desc_init(sac_phantom_desc *desc);

/* How many scatterers sac_phantom_fill writes. */
SAC_API int64_t sac_phantom_count(const sac_phantom_desc *desc);
SAC_API void sac_phantom_fill(sac_scatterer *scatterers, const sac_phantom_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
