/*
 * libFuzzer on the reader of UFF. The input says how a file departs from the schema
 * (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_foreign.h"

static void put_class(hid_t at, const char *class, input *in)
{
    hid_t word = word_type(strlen(class));
    put_attribute(at, "class", word, class, in);
    H5Tclose(word);
}

static void put_wave(hid_t at, const char *name, input *in)
{
    static const set source[] = {
        {"distance", 2, {1, 1}, 0.02}, {"azimuth", 2, {1, 1}, 0.1}, {"elevation", 2, {1, 1}, 0}};
    static const set speed[] = {{"delay", 2, {1, 1}, 1e-7}, {"sound_speed", 2, {1, 1}, 1540}};
    hid_t wave = put_group(at, name, in);
    if (wave < 0)
        return;
    const set front = {"wavefront", 2, {1, 1}, take(in) % 4};
    put_sets(wave, &front, 1, in);
    PUT_SETS(wave, speed, in);
    hid_t point = put_group(wave, "source", in);
    if (point >= 0)
        PUT_SETS(point, source, in);
    end_group(point);
    end_group(wave);
}

static void put_probe(hid_t at, input *in)
{
    static const char *const classes[] = {"uff.probe", "uff.linear_array", "uff.curvilinear_array",
                                          "uff.matrix_array"};
    static const set geometry = {"geometry", 2, {7, FUZZ_E}, 1e-3};
    static const set sets[] = {{"N", 2, {1, 1}, FUZZ_E},
                               {"N_x", 2, {1, 1}, FUZZ_E},
                               {"N_y", 2, {1, 1}, 1},
                               {"pitch", 2, {1, 1}, 3e-4},
                               {"pitch_x", 2, {1, 1}, 3e-4},
                               {"pitch_y", 2, {1, 1}, 3e-4},
                               {"radius", 2, {1, 1}, 0.02},
                               {"element_width", 2, {1, 1}, 2e-4},
                               {"element_height", 2, {1, 1}, 5e-3}};
    hid_t probe = put_group(at, "probe", in);
    if (probe < 0)
        return;
    const unsigned kind = take(in) % 4;
    put_class(probe, classes[kind], in);
    if (kind == 0)
        put_sets(probe, &geometry, 1, in);
    else
        PUT_SETS(probe, sets, in);
    end_group(probe);
}

static void put_samples(hid_t at, bool complex, input *in)
{
    static const set real = {"data", 4, {2, FUZZ_T, FUZZ_E, FUZZ_N}, 1};
    static const set parts[] = {{"real", 4, {2, FUZZ_T, FUZZ_E, FUZZ_N}, 1},
                                {"imag", 4, {2, FUZZ_T, FUZZ_E, FUZZ_N}, 1}};
    if (!complex) {
        put_sets(at, &real, 1, in);
        return;
    }
    hid_t both = put_group(at, "data", in);
    if (both >= 0)
        PUT_SETS(both, parts, in);
    end_group(both);
}

static void put_channel_data(hid_t at, input *in)
{
    const unsigned form = take(in);
    const set sets[] = {{"sampling_frequency", 2, {1, 1}, 20e6},
                        {"initial_time", 2, {1, 1}, 1e-6},
                        {"sound_speed", 2, {1, 1}, 1540},
                        {"modulation_frequency", 2, {1, 1}, form & 1 ? 5e6 : 0},
                        {"PRF", 2, {1, 1}, 1000}};
    static const set pulse[] = {{"center_frequency", 2, {1, 1}, 5e6},
                                {"fractional_bandwidth", 2, {1, 1}, 0.6}};
    put_class(at, "uff.channel_data", in);
    put_samples(at, form & 2, in);
    PUT_SETS(at, sets, in);
    hid_t group = put_group(at, "pulse", in);
    if (group >= 0)
        PUT_SETS(group, pulse, in);
    end_group(group);
    put_probe(at, in);
    if (form & 4) {
        put_wave(at, "sequence", in);
        return;
    }
    group = put_group(at, "sequence", in);
    for (int i = 1; i <= FUZZ_T && group >= 0; i++)
        put_wave(group, i == 1 ? "sequence_0001" : "sequence_0002", in);
    end_group(group);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    const unsigned form = take(&in);
    hid_t file = fuzz_create(), word = word_type(6);
    put_attribute(file, "version", word, "v1.2.0", &in);
    hid_t group = put_group(file, "b_data", &in);
    if (group >= 0)
        put_class(group, form & 2 ? "uff.beamformed_data" : "uff.channel_data", &in);
    end_group(group);
    group = put_group(file, "channel_data", &in);
    if (group >= 0)
        put_channel_data(group, &in);
    end_group(group);
    H5Tclose(word);
    return fuzz_end(file, form & 1);
}
