/*
 * interp on a GPU: the CPU function's arguments with memory there, and what rungs need that do not
 * read their delays, or their samples, from it. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_INTERP_CUDA_H
#define SAC_BEAMFORM_INTERP_CUDA_H

#include "beamform/kernels/interp/interp.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAC_INTERP_TRANSMITS 3 /* at most */

/*
 * Plane waves on a linear array. Layer l is transmit l / n_rx, element l % n_rx; point p is row
 * p / n_x, column p % n_x of a grid. In samples, and meters:
 *
 *     x = x0 + column dx, z = z0 + row dz, e = e0 + element pitch
 *     delay = (z cos angle + x sin angle + sqrt(z^2 + (x - e)^2)) fs / c
 */
typedef struct sac_interp_waves {
    int32_t n_rx, n_x;
    float angle_rad[SAC_INTERP_TRANSMITS];
    float x0_m, dx_m, z0_m, dz_m, e0_m, pitch_m, c_m_s, fs_hz;
} sac_interp_waves;

/* A job's delays as plane waves, where they are such; and its f32 samples as a texture, if made. */
typedef struct sac_interp_scene {
    sac_interp_waves waves;
    uint64_t texture; /* cudaTextureObject_t of one layer a record */
    void *array;      /* cudaArray_t */
} sac_interp_scene;

typedef sac_status (*sac_interp_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                         void *out, const sac_interp_job *job,
                                         const sac_interp_scene *scene);

#if SAC_CUDA || defined(__CUDACC__)
extern const sac_variant sac_interp_cuda[];

/* All types and options. */
sac_status sac_interp_four_ahead(sac_gpu_stream stream, const sac_gpu_shape *shape, void *out,
                                 const sac_interp_job *job, const sac_interp_scene *scene);

/*
 * Texture and array of a job whose memory is the host's, in_layer positive, and must stay until the
 * stream is done: nearest or linear, and clamped at the ends, as the job asks. To be closed
 * whatever this says: SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_NODISCARD sac_status sac_interp_texture_open(sac_interp_scene *scene, const sac_interp_job *job,
                                                 sac_gpu_stream stream);
void sac_interp_texture_close(sac_interp_scene *scene);
#else
#define sac_interp_cuda NULL
#endif

#ifdef __cplusplus
}
#endif
#endif
