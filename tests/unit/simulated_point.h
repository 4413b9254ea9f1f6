/*
 * Channel data of one point, simulated.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_SIMULATED_POINT_H
#define SAC_TESTS_SIMULATED_POINT_H

#include "unit.h"

#include <saccade/simulate.h>

/* data (n_transmits, n_elements, n_samples): the echo of a point at p, through layers and a lens
 * where there are some (NULL: none). */
static inline void simulate_point(float *data, const sac_acquisition *a, int64_t n_samples,
                                  const double p[3], const char *layers, const char *lens)
{
    const int64_t shape[] = {a->n_transmits, a->n_elements, n_samples};
    const sac_scatterer point = {{p[0], p[1], p[2]}, 1};
    sac_ultrasound_desc u;
    sac_error err = {0};
    sac_array out;
    sac_ultrasound_desc_init(&u);
    u.acquisition = a;
    u.scatterers = &point;
    u.n_scatterers = 1;
    u.n_samples = n_samples;
    u.n_threads = 1;
    u.layers = layers;
    u.lens = lens;
    assert_ok(sac_array_view(&out, data, SAC_F32, 3, shape, &err), &err);
    assert_ok(sac_simulate_ultrasound(&out, &u, &err), &err);
}

#endif
