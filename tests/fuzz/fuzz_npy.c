/*
 * libFuzzer on NPY and its metadata in JSON: two bytes say how much of the input is JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t json = (size_t)(data[0] | data[1] << 8);
    json = json < size - 2 ? json : size - 2;
    fuzz_put("x.json", data + 2, json);
    fuzz_put("x.npy", data + 2 + json, size - 2 - json);
    fuzz_read("x.npy", false);
    unlink("x.json");
    fuzz_read("x.npy", true);
    return 0;
}
