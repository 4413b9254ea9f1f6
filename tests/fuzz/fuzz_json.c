/*
 * libFuzzer on the metadata of recordings in JSON: all of the input is the JSON beside a sound NPY.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"

/* One frame of five transmits, three elements, two samples, as the first inputs describe it. */
static void put_samples(void)
{
    static const char head[] = "\x93NUMPY\x01\x00\x76\x00"
                               "{'descr': '<i2', 'fortran_order': False, 'shape': (1,5,3,2,)}";
    uint8_t file[128 + 60] = {0};
    memset(file, ' ', 128);
    memcpy(file, head, sizeof head - 1);
    file[127] = '\n';
    for (int i = 0; i < 3; i++)
        file[128 + 2 * i] = (uint8_t)(i + 1);
    fuzz_put("x.npy", file, sizeof file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (access("x.npy", F_OK) != 0)
        put_samples();
    fuzz_put("x.json", data, size);
    fuzz_read("x.npy", size && data[size - 1] & 1);
    return 0;
}
