/*
 * For the tests of pictures through libvips, which the tests call, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_IO_VIPS_H
#define SAC_TESTS_TEST_IO_VIPS_H

#include "test_io.h"

#include <vips/vips.h>

/* Group set-up: libvips for the test's own calls, and a folder. */
static inline int start_vips(void **state)
{
    return VIPS_INIT("test") == 0 ? enter_folder(state) : -1;
}

#endif
