/*
 * For the tests of recordings: the formats that this build writes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_RECORDING_FORMATS_H
#define SAC_TESTS_TEST_RECORDING_FORMATS_H

#include "test_recording.h"

#include <signal.h>
#include <sys/resource.h>

#include "refusal.h"

/* The formats that this build writes. */
static const struct {
    const char *path, *part;
} formats[] = {{"r.h5", "libhdf5"}, {"r.npy", "cJSON"}};

#define FORMATS(f)                                                                                 \
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)                                \
        if (has_part(formats[f].part))

#endif
