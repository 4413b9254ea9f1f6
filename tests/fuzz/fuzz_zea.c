/*
 * libFuzzer on the reader of zea's HDF5. The input says how a file departs from the schema
 * (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_foreign.h"

static void put_scan(hid_t at, input *in)
{
    static const set sets[] = {
        {"sampling_frequency", 1, {1}, 20e6},  {"center_frequency", 1, {1}, 5e6},
        {"sound_speed", 1, {1}, 1540},         {"demodulation_frequency", 1, {1}, 5e6},
        {"bandwidth_percent", 1, {1}, 60},     {"initial_times", 1, {FUZZ_T}, 1e-6},
        {"t0_delays", 2, {FUZZ_T, FUZZ_E}, 0}, {"polar_angles", 1, {FUZZ_T}, 0},
        {"azimuth_angles", 1, {FUZZ_T}, 0},    {"transmit_origins", 2, {FUZZ_T, 3}, 0},
        {"element_width", 1, {1}, 2e-4}};
    PUT_SETS(at, sets, in);
    /* 1: a focus; no weight is 0 where none is written. */
    const set focus = {"focus_distances", 1, {FUZZ_T}, take(in) & 1 ? 0.02 : 0};
    put_sets(at, &focus, 1, in);
    if (take(in) & 1) {
        const set weights = {"tx_apodizations", 2, {FUZZ_T, FUZZ_E}, 1};
        put_sets(at, &weights, 1, in);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    const unsigned form = take(&in);
    const set raw = {"raw_data", 5, {2, FUZZ_T, FUZZ_N, FUZZ_E, 1 + (form >> 2 & 1)}, 1};
    static const set probe = {"probe_geometry", 2, {FUZZ_E, 3}, 1e-3};
    hid_t file = fuzz_create(), at = file, outer = -1, track = -1;
    if (form >> 3 & 1) {
        outer = put_group(file, "tracks", &in);
        track = outer >= 0 ? put_group(outer, "track_0", &in) : -1;
    } else if (form >> 4 & 1) {
        track = put_group(file, "event_0", &in);
    }
    at = track >= 0 ? track : file;
    hid_t samples = put_group(at, "data", &in), scan = put_group(at, "scan", &in);
    hid_t own = put_group(file, "probe", &in);
    if (samples >= 0)
        put_sets(samples, &raw, 1, &in);
    if (scan >= 0)
        put_scan(scan, &in);
    if (scan >= 0 && (form >> 5 & 1 || own < 0))
        put_sets(scan, &probe, 1, &in);
    if (own >= 0)
        put_sets(own, &probe, 1, &in);
    end_group(own);
    end_group(scan);
    end_group(samples);
    end_group(track);
    end_group(outer);
    return fuzz_end(file, form & 1);
}
