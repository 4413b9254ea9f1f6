/*
 * libFuzzer on the reader of Verasonics' workspaces: bytes of MAT v5.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_put("x", data, size);
    fuzz_read("x", false);
    fuzz_read("x", true);
    return 0;
}
