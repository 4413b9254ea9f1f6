/*
 * libFuzzer on the reader of Verasonics' workspaces in MAT v7.3. The input says how a file departs
 * from the schema (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_foreign.h"

/* A struct of one: numbers with MATLAB's class. */
static void put_struct(hid_t file, const char *name, const set *sets, size_t n, input *in)
{
    hid_t group = put_group(file, name, in), word = word_type(6);
    for (size_t i = 0; i < n && group >= 0; i++) {
        put_sets(group, &sets[i], 1, in);
        hid_t object = H5Lexists(group, sets[i].name, H5P_DEFAULT) > 0
                           ? H5Oopen(group, sets[i].name, H5P_DEFAULT)
                           : -1;
        if (object >= 0 && H5Aexists(object, "MATLAB_class") == 0)
            put_attribute(object, "MATLAB_class", word, "double", in);
        if (object >= 0)
            H5Oclose(object);
    }
    H5Tclose(word);
    end_group(group);
}
#define PUT_STRUCT(file, name, sets, in)                                                           \
    put_struct(file, name, sets, sizeof(sets) / sizeof *(sets), in)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const set receive[] = {{"bufnum", 2, {1, 1}, 1},          {"framenum", 2, {1, 1}, 1},
                                  {"acqNum", 2, {1, 1}, 1},          {"startSample", 2, {1, 1}, 1},
                                  {"endSample", 2, {1, 1}, 4},       {"startDepth", 2, {1, 1}, 5},
                                  {"decimSampleRate", 2, {1, 1}, 20}};
    static const set trans[] = {{"frequency", 2, {1, 1}, 5},
                                {"ElementPos", 2, {5, FUZZ_E}, 1},
                                {"lensCorrection", 2, {1, 1}, 1}};
    static const set tx[] = {{"Delay", 2, {FUZZ_E, 1}, 0}, {"focus", 2, {1, 1}, 0}};
    static const set tw[] = {{"peak", 2, {1, 1}, 2}};
    static const int16_t samples[4 * FUZZ_E] = {1, 2, 3};
    static const uint16_t units[] = {'m', 'm'};
    input in = {data, data + size};
    const bool given = take(&in) & 1;
    hid_t file = fuzz_create(), word = word_type(4);
    put_dataset(file, "RcvData", H5T_STD_I16LE, 3, (hsize_t[]){1, FUZZ_E, 4}, samples, &in);
    PUT_STRUCT(file, "Receive", receive, &in);
    PUT_STRUCT(file, "Trans", trans, &in);
    hid_t group =
        H5Lexists(file, "Trans", H5P_DEFAULT) > 0 ? H5Oopen(file, "Trans", H5P_DEFAULT) : -1;
    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        put_dataset(group, "units", H5T_STD_U16LE, 2, (hsize_t[]){2, 1}, units, &in);
        hid_t text =
            H5Lexists(group, "units", H5P_DEFAULT) > 0 ? H5Oopen(group, "units", H5P_DEFAULT) : -1;
        if (text >= 0 && H5Aexists(text, "MATLAB_class") == 0)
            put_attribute(text, "MATLAB_class", word, "char", &in);
        if (text >= 0)
            H5Oclose(text);
    }
    if (group >= 0)
        H5Oclose(group);
    PUT_STRUCT(file, "TX", tx, &in);
    PUT_STRUCT(file, "TW", tw, &in);
    H5Tclose(word);
    H5Fclose(file);
    /* The reader knows v7.3 by the first bytes of a file, which libhdf5 leaves to its caller. */
    static char all[1 << 20];
    int fd = open("x", O_RDONLY | O_CLOEXEC);
    const ssize_t n = read(fd, all + 512, sizeof all - 512);
    close(fd);
    memcpy(all + 124, "\x00\x02IM", 4);
    fuzz_put("x", (const uint8_t *)all, 512 + (size_t)(n > 0 ? n : 0));
    fuzz_read("x", given);
    return 0;
}
