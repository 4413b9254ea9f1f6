/*
 * Writes a recording: recording OUT.h5 (or .npy). Two point reflectors as 64 elements see them that
 * send 3 plane waves; `saccade beamform OUT.h5 -o OUT.png` shows them.
 * Shows: an array, transmits by a few words, a simulation, channel data with its acquisition in a
 * file. Replace the simulation by your own samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/recording.h>
#include <saccade/simulate.h>

enum { ELEMENTS = 64, MOST_TRANSMITS = 8, SAMPLES = 1024 };

static sac_status record(const char *path, const sac_acquisition *acquisition, sac_error *err)
{
    const sac_scatterer points[] = {{{0, 0, 15e-3}, 1}, {{3e-3, 0, 20e-3}, 0.5}}; /* metres */
    const int64_t shape[] = {1, acquisition->n_transmits, ELEMENTS, SAMPLES};
    sac_array samples, frame; /* the same memory: of all frames, and of one */
    float *memory = calloc((size_t)acquisition->n_transmits * ELEMENTS * SAMPLES, sizeof *memory);
    sac_ultrasound_desc desc;
    sac_ultrasound_desc_init(&desc);
    desc.acquisition = acquisition;
    desc.scatterers = points;
    desc.n_scatterers = 2;
    desc.n_samples = SAMPLES;
    sac_status st = memory ? SAC_OK : SAC_E_NOMEM;
    if (st == SAC_OK)
        st = sac_array_view(&samples, memory, SAC_F32, 4, shape, err);
    if (st == SAC_OK)
        st = sac_array_view(&frame, memory, SAC_F32, 3, shape + 1, err);
    if (st == SAC_OK)
        st = sac_simulate_ultrasound(&frame, &desc, err);
    if (st == SAC_OK)
        st = sac_recording_write(path, &samples, acquisition, points, 2, err);
    free(memory);
    return st;
}

int main(int argc, char **argv)
{
    sac_error err = {0};
    sac_element elements[ELEMENTS];
    sac_transmit transmits[MOST_TRANSMITS];
    sac_acquisition acquisition;
    if (argc != 2) {
        fprintf(stderr, "usage: recording OUT.h5\n");
        return 2;
    }
    sac_acquisition_init(&acquisition); /* 1540 m/s */
    acquisition.fs_hz = 20e6;
    acquisition.fc_hz = 5e6;
    acquisition.n_elements = ELEMENTS;
    acquisition.elements = elements;
    acquisition.transmits = transmits;
    sac_probe_linear(elements, ELEMENTS, 0.3e-3, 0.27e-3, 0);
    sac_status st = sac_recording_can_write(argv[1], &err); /* before long work */
    if (st == SAC_OK)
        st = sac_transmits_parse(transmits, &acquisition.n_transmits, MOST_TRANSMITS, "plane:3:10",
                                 elements, ELEMENTS, &err);
    if (st == SAC_OK)
        st = record(argv[1], &acquisition, &err);
    if (st != SAC_OK)
        fprintf(stderr, "recording: %s\n", err.text[0] ? err.text : "no memory");
    return st != SAC_OK;
}
