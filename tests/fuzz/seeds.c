/*
 * seeds FOLDER: writes first inputs for the fuzzers of NPY, MAT, HDF5, frames, models and pictures
 * into FOLDER/corpus_*.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <saccade/io.h>
#include <saccade/meltpool.h>
#include <saccade/recording.h>

#ifdef SAC_SEEDS_MAT
#include <matio.h>
#endif

static int put(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return 1;
    size_t written = fwrite(data, 1, size, f);
    return fclose(f) != 0 || written != size;
}

static size_t get(const char *path, void *data, size_t size)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(data, 1, size, f) : 0;
    if (f)
        fclose(f);
    return n;
}

/* A recording of two samples, three elements and every kind of transmit. */
static int put_npy(void)
{
    static const double delays[] = {0, 1e-7, 2e-7};
    sac_element elements[3];
    sac_transmit transmits[5] = {{.kind = SAC_TRANSMIT_PLANE, .weight = 1},
                                 {.kind = SAC_TRANSMIT_DIVERGING, .source_m = {0, 0, -1e-2}},
                                 {.kind = SAC_TRANSMIT_FOCUSED, .source_m = {0, 0, 1e-2}},
                                 {.kind = SAC_TRANSMIT_ELEMENT, .element = 1},
                                 {.kind = SAC_TRANSMIT_DELAYS, .delays_s = delays}};
    sac_acquisition a;
    sac_acquisition_init(&a);
    sac_probe_linear(elements, 3, 3e-4, 2e-4, 0);
    a.n_elements = 3;
    a.n_transmits = 5;
    a.elements = elements;
    a.transmits = transmits;
    a.fs_hz = 20e6;
    a.fc_hz = 5e6;
    int16_t data[5 * 3 * 2] = {1, 2, 3};
    sac_array samples;
    const int64_t shape[] = {1, 5, 3, 2};
    const sac_scatterer truth = {{0, 0, 1e-2}, 1};
    sac_error err;
    if (sac_array_view(&samples, data, SAC_I16, 4, shape, &err) != SAC_OK ||
        sac_recording_write("x.npy", &samples, &a, &truth, 1, &err) != SAC_OK) {
        fprintf(stderr, "seeds: %s\n", err.text);
        return 1;
    }
    char both[16384];
    size_t json = get("x.json", both + 2, 8192);
    size_t all = 2 + json + get("x.npy", both + 2 + json, 4096);
    both[0] = (char)(json & 0xff);
    both[1] = (char)(json >> 8);
    static const char brief[] =
        "\x6a\0{\"fs_hz\":2e7,\"fc_hz\":5e6,\"c_m_s\":1500,\"t0_s\":0,"
        "\"pitch_m\":3e-4,\"transmits\":\"sa\",\"phase_origin\":\"record\"}";
    return unlink("x.npy") != 0 || unlink("x.json") != 0 || put("corpus_npy/all", both, all) ||
           put("corpus_npy/brief", brief, sizeof brief - 1);
}

#ifdef SAC_SEEDS_MAT
static void add(matvar_t *param, const char *name, double value, size_t n)
{
    double values[4] = {value, value, value, value};
    size_t dims[2] = {1, n};
    Mat_VarAddStructField(param, name);
    Mat_VarSetStructFieldByName(
        param, name, 0, Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values, 0));
}

static int put_mat(const char *path, bool cells, enum matio_compression compression)
{
    mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    if (!mat)
        return 1;
    size_t one[2] = {1, 1}, dims[3] = {3, 4, 2};
    matvar_t *param = Mat_VarCreateStruct("param", 2, one, NULL, 0);
    add(param, "fs", 2e7, 1);
    add(param, "fc", 5e6, 1);
    add(param, "pitch", 3e-4, 1);
    add(param, "TXdelay", 0, 4);
    double re[24] = {1.5, 2.5}, im[24] = {0};
    mat_complex_split_t parts = {re, im};
    matvar_t *numbers =
        cells ? Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, re, 0)
              : Mat_VarCreate("IQ", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, &parts, MAT_F_COMPLEX);
    matvar_t *samples = numbers;
    if (cells) {
        samples = Mat_VarCreate("RF", MAT_C_CELL, MAT_T_CELL, 2, one, NULL, 0);
        Mat_VarSetCell(samples, 0, numbers);
    }
    int failed = Mat_VarWrite(mat, param, compression) | Mat_VarWrite(mat, samples, compression);
    Mat_VarFree(param);
    Mat_VarFree(samples);
    return Mat_Close(mat) | failed;
}
#endif

/* A model of one hidden unit, all of whose numbers are 1. */
static int put_model(void)
{
    char names[1024] = "", both[8192];
    for (int32_t i = 0; i < SAC_MELTPOOL_FEATURES; i++) {
        strcat(names, i ? "," : "");
        strcat(names, sac_meltpool_feature_name(i));
    }
    int n = snprintf(
        both + 2, sizeof both - 2,
        "{\"__metadata__\":{\"format\":\"saccade meltpool model\",\"version\":\"1\","
        "\"features\":\"%s\",\"features_version\":\"1\",\"hidden\":\"relu\","
        "\"output\":\"linear\",\"description\":\"x\","
        "\"outputs\":\"lof_density_per_mm2, keyhole_density_per_mm2\"},"
        "\"mean\":{\"dtype\":\"F32\",\"shape\":[40],\"data_offsets\":[0,160]},"
        "\"scale\":{\"dtype\":\"F32\",\"shape\":[40],\"data_offsets\":[160,320]},"
        "\"hidden.weight\":{\"dtype\":\"F32\",\"shape\":[1,40],\"data_offsets\":[320,480]},"
        "\"hidden.bias\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[480,484]},"
        "\"output.weight\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[484,492]},"
        "\"output.bias\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[492,500]}}",
        names);
    both[0] = (char)(n & 0xff);
    both[1] = (char)(n >> 8);
    static const float one = 1;
    for (int i = 0; i < 125; i++)
        memcpy(both + 2 + n + 4 * i, &one, sizeof one);
    return put("corpus_model/sound", both, (size_t)n + 502);
}

/* A small picture in every format that this build writes, behind the byte that says which page. */
static int put_pictures(void)
{
    static const char *const formats[] = {"png",  "jpg", "tif", "webp", "gif", "bmp",
                                          "avif", "jp2", "jxl", "ppm",  "pam"};
    int failed = 0;
    for (int i = 0; i < 22; i++) {
        const char *format = formats[i / 2];
        const bool color = i % 2;
        sac_picture *p = NULL;
        sac_error err = {0};
        char name[64], both[8192] = {0};
        if (sac_picture_can_write("x", format, &err) != SAC_OK ||
            sac_picture_new(&p, SAC_U8, 9, 7, color ? 3 : 1, &err) != SAC_OK)
            continue;
        uint8_t *samples = sac_picture_get_array(p).data;
        for (int k = 0; k < (color ? 189 : 63); k++)
            samples[k] = (uint8_t)(5 * k + k % 7);
        if (sac_picture_write(p, "x", format, &err) == SAC_OK) {
            size_t n = get("x", both + 1, sizeof both - 1);
            snprintf(name, sizeof name, "corpus_picture/%s%d", format, color);
            failed |= put(name, both, n + 1) | unlink("x");
        }
        sac_picture_close(&p);
    }
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]) != 0 || put_npy() || put_model() || put_pictures())
        return 1;
    static const char nothing[] = {0, 0}, given[] = {1, 0};
    int failed = put("corpus_hdf5/sound", nothing, sizeof nothing) |
                 put("corpus_hdf5/given", given, sizeof given) |
                 put("corpus_frames/sound", nothing, sizeof nothing);
#ifdef SAC_SEEDS_MAT
    failed |= put_mat("corpus_mat/iq", false, MAT_COMPRESSION_NONE);
    failed |= put_mat("corpus_mat/cells", true, MAT_COMPRESSION_NONE);
    failed |= put_mat("corpus_mat/packed", false, MAT_COMPRESSION_ZLIB);
#endif
    return failed != 0;
}
