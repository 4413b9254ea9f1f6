/*
 * hilbert_f32: the filter's design, and the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hilbert_f32.h"

#include "beamform/kernels/fir.h"

#define PI 3.14159265358979323846

void sac_hilbert_init(sac_hilbert *hilbert)
{
    for (int i = 0; i < SAC_HILBERT_TAPS; i++) {
        int k = 2 * i + 1;
        hilbert->exact[i] = 2 / (PI * k) * sac_kaiser((double)k / (2 * SAC_HILBERT_TAPS));
        hilbert->tap[i] = (float)hilbert->exact[i];
    }
}

#define ROOM "hilbert_f32"
#define NAME(of) sac_hilbert_f32_##of
#include "beamform/kernels/signal_table.h"
