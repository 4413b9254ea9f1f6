/*
 * A curved array to test with, and two words for what is to come.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_CURVED_H
#define SAC_TESTS_CURVED_H

#include "unit.h"

#include "ultrasound.h"

#define RADIUS 49.57e-3 /* of C5-2v */
#define PITCH 0.508e-3

static inline void assert_near(double came, double wanted, double tolerance)
{
    if (!(fabs(came - wanted) <= tolerance))
        fail_msg("expected %.12g within %.3g, got %.12g", wanted, tolerance, came);
}

static inline void curved_scene(scene *s, int32_t n_elements, int32_t n_transmits)
{
    linear_scene(s, n_elements, n_transmits);
    sac_probe_curved(s->elements, n_elements, RADIUS, PITCH, 0.9 * PITCH, 0);
    s->acquisition.fc_hz = 3.57e6;
    s->acquisition.fs_hz = 14.28e6;
}

static inline void expect_refused(const sac_beamform_desc *desc, const char *word)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_failed(sac_beamform_open(&plan, desc, &err), SAC_E_INVALID, &err, word);
    assert_null(plan);
}

#endif
