/*
 * Files of models: what is in one comes back, every damage is refused in one line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io.h"

#include <math.h>

#include <saccade/meltpool_model.h>

#include "refusal.h"

enum { HIDDEN = 3, N = 40 + 40 + 40 * HIDDEN + HIDDEN + 2 * HIDDEN + 2, ROOM = 8192 };

/* Where tensors begin, in numbers. */
enum { MEAN = 0, SCALE = 40, W1 = 80, B1 = 200, W2 = 203, B2 = 209 };

static char header[ROOM];
static float numbers[N];
static uint8_t bytes[ROOM];

/* The header of a sound file, and its numbers. */
static void begin(void)
{
    char features[1024] = "";
    for (int i = 0; i < SAC_MELTPOOL_FEATURES; i++) {
        strcat(features, i ? "," : "");
        strcat(features, sac_meltpool_feature_name(i));
    }
    snprintf(header, sizeof header,
             "{\"__metadata__\":{\"format\":\"saccade meltpool model\",\"version\":\"1\","
             "\"features\":\"%s\",\"features_version\":\"1\",\"hidden\":\"relu\","
             "\"output\":\"softplus\",\"more\":\"\","
             "\"outputs\":\"lof_density_per_mm2, keyhole_density_per_mm2\","
             "\"description\":\"by hand\",\"parameters\":\"roi=40 window=64\"},"
             "\"mean\":{\"dtype\":\"F32\",\"shape\":[40],\"data_offsets\":[0,160]},"
             "\"scale\":{\"dtype\":\"F32\",\"shape\":[40],\"data_offsets\":[160,320]},"
             "\"hidden.weight\":{\"dtype\":\"F32\",\"shape\":[3,40],\"data_offsets\":[320,800]},"
             "\"hidden.bias\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[800,812]},"
             "\"output.bias\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[836,844]},"
             "\"output.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[812,836]}}  ",
             features);
    for (int i = 0; i < N; i++)
        numbers[i] = (float)i * 0.25F + 1;
}

/* Puts `with` in place of the first `what` of the header. */
static void replace(const char *what, const char *with)
{
    static char rest[ROOM];
    char *at = strstr(header, what);
    assert_non_null(at);
    snprintf(rest, sizeof rest, "%s", at + strlen(what));
    snprintf(at, sizeof header - (size_t)(at - header), "%s%s", with, rest);
}

/* The file's bytes; how many. */
static size_t finish(void)
{
    size_t n = strlen(header);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(n >> (8 * i));
    memcpy(bytes + 8, header, n);
    memcpy(bytes + 8 + n, numbers, sizeof numbers);
    return 8 + n + sizeof numbers;
}

static void refused(size_t n, sac_status wanted, const char *word)
{
    sac_error err = {0};
    sac_meltpool_model_file *file = (void *)bytes;
    assert_failed(sac_meltpool_model_parse(&file, bytes, n, "`m`", &err), wanted, &err, word);
    assert_null(file);
    assert_non_null(strstr(err.text, "`m`: "));
}

static void model_in_a_file_comes_back(void **state)
{
    (void)state;
    begin();
    put_file("a.safetensors", bytes, finish());
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    assert_ok(sac_meltpool_model_read(&file, "a.safetensors", &err), &err);
    const sac_meltpool_model *m = sac_meltpool_model_get_model(file);
    assert_int_equal(m->struct_size, sizeof *m);
    assert_int_equal(m->n_hidden, HIDDEN);
    assert_int_equal(m->output, SAC_MELTPOOL_SOFTPLUS);
    assert_memory_equal(m->mean, numbers + MEAN, 40 * sizeof(float));
    assert_memory_equal(m->scale, numbers + SCALE, 40 * sizeof(float));
    assert_memory_equal(m->w1, numbers + W1, 40 * HIDDEN * sizeof(float));
    assert_memory_equal(m->b1, numbers + B1, HIDDEN * sizeof(float));
    assert_memory_equal(m->w2, numbers + W2, 2 * HIDDEN * sizeof(float));
    assert_memory_equal(m->b2, numbers + B2, 2 * sizeof(float));
    assert_string_equal(sac_meltpool_model_get_description(file), "by hand");
    assert_string_equal(sac_meltpool_model_get_parameters(file), "roi=40 window=64");
    sac_meltpool_model_close(&file);
    assert_null(file);
    sac_meltpool_model_close(&file);

    begin();
    replace("softplus", "linear");
    replace("\"description\"", "\"remark\"");
    replace("\"parameters\"", "\"remarks\"");
    assert_ok(sac_meltpool_model_parse(&file, bytes, finish(), "m", &err), &err);
    assert_int_equal(sac_meltpool_model_get_model(file)->output, SAC_MELTPOOL_LINEAR);
    assert_string_equal(sac_meltpool_model_get_description(file), "");
    assert_string_equal(sac_meltpool_model_get_parameters(file), "");
    sac_meltpool_model_close(&file);
}

static void model_that_ships_is_sound(void **state)
{
    (void)state;
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    assert_ok(sac_meltpool_model_shipped(&file, &err), &err);
    assert_int_equal(sac_meltpool_model_get_model(file)->n_hidden, 164);
    assert_non_null(strstr(sac_meltpool_model_get_description(file), "simulated"));
    sac_meltpool_model_close(&file);
}

static void model_of_doubles_is_rounded(void **state)
{
    (void)state;
    begin();
    replace("\"F32\",\"shape\":[2],\"data_offsets\":[836,844]",
            "\"F64\",\"shape\":[2],\"data_offsets\":[836,852]");
    size_t n = finish() + 8;
    const double wide[] = {0.1, -3e38};
    memcpy(bytes + n - sizeof wide, wide, sizeof wide);
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    assert_ok(sac_meltpool_model_parse(&file, bytes, n, "m", &err), &err);
    assert_true(sac_meltpool_model_get_model(file)->b2[0] == (float)0.1);
    assert_true(sac_meltpool_model_get_model(file)->b2[1] == (float)-3e38);
    sac_meltpool_model_close(&file);
    const double beyond = 1e39; /* no float */
    memcpy(bytes + n - sizeof beyond, &beyond, sizeof beyond);
    refused(n, SAC_E_FORMAT, "finite");
}

static void model_cut_or_longer_is_refused(void **state)
{
    (void)state;
    begin();
    size_t n = finish();
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *part = malloc(cut + 1); /* so that a sanitizer sees reads beyond it */
        memcpy(part, bytes, cut);
        sac_error err = {0};
        sac_meltpool_model_file *file = NULL;
        assert_failed(sac_meltpool_model_parse(&file, part, cut, "m", &err), SAC_E_FORMAT, &err,
                      "m: ");
        free(part);
    }
    refused(n + 1, SAC_E_FORMAT, "845 bytes of data: expected 844");
    bytes[7] = 1;
    refused(n, SAC_E_FORMAT, "expected 2 to 65536");
}

static void model_of_odd_header_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what, *with;
        sac_status status;
        const char *word;
    } odd[] = {
        {"{", " {", SAC_E_FORMAT, "not a JSON object"},
        {"}  ", "}\n", SAC_E_FORMAT, "not a JSON object"},
        {"}  ", "},", SAC_E_FORMAT, "not a JSON object"},
        {"}  ", "", SAC_E_FORMAT, "not a JSON object"},
        {"\"mean\":", "\"scale\":", SAC_E_FORMAT, "`scale` is there twice"},
        {"\"more\"", "\"format\"", SAC_E_FORMAT, "`format` is there twice"},
        {"\"more\"", "\"mo\\nre\"", SAC_E_FORMAT, "control characters"},
        {"\"mean\"", "\"me\\u007fan\"", SAC_E_FORMAT, "control characters"},
        {"\"more\":\"\"", "\"more\":\"a\\nb\"", SAC_E_FORMAT, "`more`: expected a line"},
        {"\"more\":\"\"", "\"more\":1", SAC_E_FORMAT, "`more`: expected a line"},
        {"__metadata__", "__meta__", SAC_E_FORMAT, "__meta__"},
        {"{\"__metadata__\":{", "{\"__metadata__\":3,\"x\":{", SAC_E_FORMAT,
         "an object of strings"},
        {"saccade meltpool model", "pt", SAC_E_FORMAT,
         "expected `saccade meltpool model`, got `pt`"},
        {"\"version\":\"1\"", "\"version\":\"2\"", SAC_E_FORMAT,
         "`version`: expected `1`, got `2`"},
        {"\"version\"", "\"versions\"", SAC_E_FORMAT, "expected `1`, got nothing"},
        {"\"features_version\":\"1\"", "\"features_version\":\"2\"", SAC_E_FORMAT,
         "features_version"},
        {"\"features\"", "\"names\"", SAC_E_FORMAT, "number 0: expected `area,..`, got ``"},
        {"ratio", "rate", SAC_E_FORMAT, "number 3: expected `ratio,..`, got `rate,mean,"},
        {",var_hog_8", "", SAC_E_FORMAT, "number 38"},
        {",var_hog_8", ",var_hog_8,more", SAC_E_FORMAT, "number 39: expected `var_hog_8`"},
        {"lof_density_per_mm2,", "density,", SAC_E_FORMAT, "`outputs`"},
        {"relu", "tanh", SAC_E_UNSUPPORTED, "expected `relu`, got `tanh`"},
        {"\"hidden\"", "\"in\"", SAC_E_FORMAT, "`hidden`: expected an activation"},
        {"softplus", "sigmoid", SAC_E_UNSUPPORTED, "got `sigmoid`"},
        {"\"output\"", "\"out\"", SAC_E_FORMAT, "`output`: expected an activation"},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        begin();
        replace(odd[i].what, odd[i].with);
        refused(finish(), odd[i].status, odd[i].word);
    }
    begin();
    memset(header + 1, '[', 4096); /* deeper than any parser likes */
    refused(finish(), SAC_E_FORMAT, "not a JSON object");
}

static void model_of_odd_tensors_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what, *with;
        sac_status status;
        const char *word;
    } odd[] = {
        {"\"mean\"", "\"means\"", SAC_E_FORMAT, "tensor `mean` is missing"},
        {"\"hidden.bias\"", "\"hidden.b\"", SAC_E_FORMAT,
         "`hidden.bias`: expected shape (1) to (4096), got nothing"},
        {"\"F32\"", "\"F33\"", SAC_E_FORMAT, "`mean`: expected dtype"},
        {"\"F32\"", "\"I32\"", SAC_E_UNSUPPORTED, "`mean`: expected F32 or F64, got I32"},
        {"\"F32\"", "32", SAC_E_FORMAT, "`mean`: expected dtype"},
        {"\"dtype\":\"F32\",", "", SAC_E_FORMAT, "`mean`: expected dtype"},
        {"\"dtype\":\"F32\",", "\"dtype\":\"F32\",\"x\":0,", SAC_E_FORMAT,
         "`mean`: expected dtype"},
        {"[40]", "40", SAC_E_FORMAT, "shape and data_offsets"},
        {"[40]", "[40.5]", SAC_E_FORMAT, "shape and data_offsets"},
        {"[40]", "[-40]", SAC_E_FORMAT, "shape and data_offsets"},
        {"[40]", "[\"40\"]", SAC_E_FORMAT, "shape and data_offsets"},
        {"[40]", "[1e99]", SAC_E_FORMAT, "shape and data_offsets"},
        {"[40]", "[40,1,1,1,1,1,1,1,1]", SAC_E_FORMAT, "shape and data_offsets"},
        {"[40]", "[4294967296,4294967296]", SAC_E_FORMAT, "not those of its shape"},
        {"[40]", "[41]", SAC_E_FORMAT, "not those of its shape"},
        {"[40]", "[1,40]", SAC_E_FORMAT, "`mean`: expected shape (40), got (1, 40)"},
        {"[40]", "[2,2,2,5]", SAC_E_FORMAT, "got (2, 2, 2, 5)"},
        {"[3,40]", "[40,3]", SAC_E_FORMAT, "expected shape (3, 40), got (40, 3)"},
        {"[2,3]", "[3,2]", SAC_E_FORMAT, "expected shape (2, 3), got (3, 2)"},
        {"[3],", "[1,3],", SAC_E_FORMAT, "expected shape (1) to (4096), got (1, 3)"},
        {"[0,160]", "[0]", SAC_E_FORMAT, "shape and data_offsets"},
        {"[0,160]", "[160,0]", SAC_E_FORMAT, "data from 160 to 0"},
        {"[0,160]", "[0,1600]", SAC_E_FORMAT, "data from 0 to 1600: the file has 844"},
        {"[0,160]", "[8,168]", SAC_E_FORMAT, "`mean`: its data begins at 8: expected 0"},
        {"[160,320]", "[0,160]", SAC_E_FORMAT, "its data begins at 0: expected 160"},
        {"[836,844]", "[828,836]", SAC_E_FORMAT, "its data begins at 828: expected 836"},
        {"[836,844]}",
         "[836,840]},\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[840,844]}",
         SAC_E_FORMAT, "not those of its shape"},
        {"\"mean\":", "\"x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},\"mean\":",
         SAC_E_FORMAT, "7 tensors: expected 6"},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        begin();
        replace(odd[i].what, odd[i].with);
        refused(finish(), odd[i].status, odd[i].word);
    }
}

static void model_of_odd_numbers_is_refused(void **state)
{
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            begin();
            numbers[i] = odd[k];
            refused(finish(), SAC_E_FORMAT, i / 40 == 1 ? "a float above 0" : "a finite float");
        }
    begin();
    numbers[SCALE + 39] = 0;
    refused(finish(), SAC_E_FORMAT, "`scale`: number 39: expected a float above 0, got 0");
    numbers[SCALE + 39] = -1;
    refused(finish(), SAC_E_FORMAT, "got -1");
    numbers[SCALE + 39] = 1;
    numbers[W2] = -0.0F; /* as good as any */
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    assert_ok(sac_meltpool_model_parse(&file, bytes, finish(), "m", &err), &err);
    sac_meltpool_model_close(&file);
}

static void model_of_many_tensors_is_refused(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 60; i++) {
        char more[128];
        snprintf(more, sizeof more,
                 "\"x%d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},\"mean\":", i);
        replace("\"mean\":", more);
    }
    refused(finish(), SAC_E_FORMAT, "66 tensors: expected at most 64");
}

static void model_files_that_are_none_are_refused(void **state)
{
    (void)state;
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    assert_failed(sac_meltpool_model_read(&file, "no.safetensors", &err), SAC_E_IO, &err,
                  "no.safetensors");
    assert_failed(sac_meltpool_model_read(&file, ".", &err), SAC_E_IO, &err, "folder");
    assert_failed(sac_meltpool_model_read(&file, NULL, &err), SAC_E_INVALID, &err, "path");
    put_file("a", "", 0);
    assert_failed(sac_meltpool_model_read(&file, "a", &err), SAC_E_FORMAT, &err, "`a`");
    put_file("a", "\x89HDF\r\n\x1a\n and so on", 18);
    assert_failed(sac_meltpool_model_read(&file, "a", &err), SAC_E_FORMAT, &err, "not safetensors");
    assert_int_equal(truncate("a", 1 << 23), 0);
    assert_failed(sac_meltpool_model_read(&file, "a", &err), SAC_E_FORMAT, &err, "at most");
}

static void model_without_memory_fails_cleanly(void **state)
{
    (void)state;
    begin();
    put_file("a", bytes, finish());
    sac_status st = SAC_E_NOMEM;
    for (int n = 0; st != SAC_OK; n++) {
        assert_in_range(n, 0, 20);
        sac_meltpool_model_file *file = NULL;
        sac_error err = {0};
        refuse_from(n);
        st = sac_meltpool_model_read(&file, "a", &err);
        sac_alloc_hook(NULL);
        if (st != SAC_OK)
            assert_failed(st, SAC_E_NOMEM, &err, "no memory");
        assert_true((st == SAC_OK) == (file != NULL));
        sac_meltpool_model_close(&file);
    }
}

static void model_without_an_argument_is_refused_by_name(void **state)
{
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    (void)state;
    assert_failed(sac_meltpool_model_parse(NULL, "{}", 2, "a", &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_meltpool_model_parse(&file, NULL, 2, "a", &err), SAC_E_INVALID, &err,
                  "bytes");
    assert_failed(sac_meltpool_model_parse(&file, "{}", 2, NULL, &err), SAC_E_INVALID, &err,
                  "name");
    assert_failed(sac_meltpool_model_read(NULL, "a", &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_meltpool_model_shipped(NULL, &err), SAC_E_INVALID, &err, "out");
    assert_null(sac_meltpool_model_get_model(NULL));
    assert_string_equal(sac_meltpool_model_get_description(NULL), "");
    assert_string_equal(sac_meltpool_model_get_parameters(NULL), "");
    sac_meltpool_model_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(model_in_a_file_comes_back, empty_folder),
        cmocka_unit_test(model_that_ships_is_sound),
        cmocka_unit_test(model_of_doubles_is_rounded),
        cmocka_unit_test(model_cut_or_longer_is_refused),
        cmocka_unit_test(model_of_odd_header_is_refused),
        cmocka_unit_test(model_of_odd_tensors_is_refused),
        cmocka_unit_test(model_of_odd_numbers_is_refused),
        cmocka_unit_test(model_of_many_tensors_is_refused),
        cmocka_unit_test_setup(model_files_that_are_none_are_refused, empty_folder),
        cmocka_unit_test_setup(model_without_memory_fails_cleanly, empty_folder),
        cmocka_unit_test(model_without_an_argument_is_refused_by_name),
    };
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    if (sac_meltpool_model_shipped(&file, &err) == SAC_E_UNSUPPORTED)
        return skip_all(err.text);
    sac_meltpool_model_close(&file);
    return cmocka_run_group_tests_name("meltpool_model", tests, enter_folder, leave_folder);
}
