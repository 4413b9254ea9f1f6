/*
 * The ultrasound simulator's insides. The field of a transmit at a scatterer is one waveform, the
 * sum of the pulses of all elements that fire; every element receives that waveform, delayed and
 * weighed. It is made on a fine grid of time and read between its samples by a cubic, so that a
 * delay is exact while all inner loops are over neighbouring floats. Scatterers are taken a chunk
 * at a time: threads share a chunk's scatterers while waveforms are made and the elements while
 * these are added, so that each sample is a sum in the order of the scatterers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SIMULATOR_H
#define SAC_BEAMFORM_SIMULATOR_H

#include <saccade/simulate.h>

#include "base/threads.h"
#include "beamform/layers.h"

#define SAC_SIM_FINE 32  /* fine samples a period of fc, at least: the cubic's error is 4e-5 */
#define SAC_SIM_CHUNK 64 /* scatterers: enough for the threads; waveforms stay in the cache */
#define SAC_SIM_GROUP 4  /* elements a task */
#define SAC_SIM_WAYS (INT64_C(1) << 20) /* of a chunk, at most, but for one scatterer's */
#define SAC_SIM_TAPS 4                  /* of the cubic */
#define SAC_SIM_PAD (SAC_SIM_TAPS - 1)

/* Part of an element: all of it, or a short piece of a line. Pieces radiate and receive as elements
 * do; an element's are added up. */
typedef struct sac_sim_piece {
    sac_element element;
    int32_t of;     /* which element */
    float weight;   /* its share of the element */
    double delay_s; /* of its own, at most 0 */
} sac_sim_piece;

/* A waveform at one scatterer, in `over` phases: fine sample first + m over + k is
 * fine[k (n + 2 SAC_SIM_PAD) + SAC_SIM_PAD + m], zeros around it. */
typedef struct sac_sim_wave {
    float *line; /* scratch: the same in order */
    float *fine;
    int64_t first; /* in fine samples after time 0 */
    int32_t n;     /* of a phase; 0: no wave */
} sac_sim_wave;

typedef struct sac_simulation {
    const sac_ultrasound_desc *desc;
    const sac_acquisition *acquisition;
    sac_pool *pool;
    float *out;

    sac_layers layers;
    double slowest_m_s;           /* of all speeds */
    double lambda_m, attenuation; /* in nepers a metre */
    int32_t over;                 /* fine samples a sample */
    double rate_hz;               /* of fine samples */
    float *pulse; /* (steps + 1, pulse_length): it, that much of a fine sample later */
    int32_t pulse_half, pulse_length;

    sac_sim_piece *pieces; /* (n_pieces), element after element */
    int32_t n_pieces;
    int32_t *first_piece; /* (n_elements + 1): of each element */

    double *fire_s;  /* (n_elements): the transmit's delays, NaN where an element does not fire */
    double *delay_s; /* (most, n_pieces): of the way between scatterer and piece */
    float *gain;     /* (most, n_pieces): of that way */
    int32_t most;    /* scatterers of a chunk, SAC_SIM_CHUNK or fewer */
    sac_sim_wave waves[SAC_SIM_CHUNK];
    float *wave_memory;

    int64_t first; /* the chunk */
    int32_t n_chunk;
    int32_t transmit;

    float *peaks; /* (n_transmits): largest magnitude */
    double noise;
} sac_simulation;

/* Makes the pieces. SAC_E_NOMEM. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_sim_cut(sac_simulation *s, sac_error *err);

/* Makes the pulse's table, of the acquisition's bandwidth. SAC_E_NOMEM. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_sim_pulse(sac_simulation *s, sac_error *err);

/* Tasks. The ways between scatterer i of the chunk and every element; */
SAC_INTERNAL void sac_sim_geometry(void *simulation, int32_t i);
/* the transmit's waveform there; */
SAC_INTERNAL void sac_sim_wave_at(void *simulation, int32_t i);
/* a group of elements receives the chunk. */
SAC_INTERNAL void sac_sim_receive(void *simulation, int32_t group);

#endif
