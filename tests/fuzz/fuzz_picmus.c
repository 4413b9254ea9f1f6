/*
 * libFuzzer on the reader of PICMUS's HDF5. The input says how a file departs from the schema
 * (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const set parts[] = {{"real", 4, {2, FUZZ_T, FUZZ_E, FUZZ_N}, 1},
                                {"imag", 4, {2, FUZZ_T, FUZZ_E, FUZZ_N}, 1}};
    static const set sets[] = {
        {"angles", 1, {FUZZ_T}, 0.1},         {"probe_geometry", 2, {3, FUZZ_E}, 1e-3},
        {"sampling_frequency", 1, {1}, 20e6}, {"sound_speed", 1, {1}, 1540},
        {"initial_time", 1, {1}, 1e-6},       {"PRF", 1, {1}, 100}};
    input in = {data, data + size};
    bool given = take(&in) & 1;
    const set modulation = {"modulation_frequency", 1, {1}, take(&in) & 1 ? 5e6 : 0};
    const int32_t one = 1, zero = 0;
    hid_t file = fuzz_create(), us = put_group(file, "US", &in);
    hid_t at = us >= 0 ? put_group(us, "US_DATASET0000", &in) : -1;
    hid_t samples = at >= 0 ? put_group(at, "data", &in) : -1;
    if (samples >= 0)
        PUT_SETS(samples, parts, &in);
    if (at >= 0) {
        put_attribute(at, "type", H5T_STD_I32LE, &zero, &in);
        put_attribute(at, "subtype", H5T_STD_I32LE, &one, &in);
        PUT_SETS(at, sets, &in);
        put_sets(at, &modulation, 1, &in);
    }
    end_group(samples);
    end_group(at);
    end_group(us);
    return fuzz_end(file, given);
}
