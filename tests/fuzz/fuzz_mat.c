/*
 * libFuzzer on MAT v5. What looks like v7.3 is left out: that is HDF5, and libhdf5 does not stand
 * files made to break it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 128 || data[124] == 2 || data[125] == 2)
        return 0;
    fuzz_put("x", data, size);
    fuzz_read("x", data[0] & 1);
    return 0;
}
