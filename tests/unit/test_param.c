/*
 * Parameter tables: defaults, text to value and back, what is refused and how it is said.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/device.h>
#include <saccade/equalize.h>
#include <saccade/param.h>

typedef struct toy_desc {
    size_t struct_size;
    int32_t count;
    int32_t tiles[2];
    double gain_db;
    bool fast;
    int32_t mode;
    const char *name;
    sac_device device;
    int32_t tail;
} toy_desc;

static const char *const modes[] = {"first", "max", "minmax", NULL};

#define AT(member) offsetof(toy_desc, member)
static const sac_param params[] = {
    {"count", SAC_PARAM_INT, AT(count), -5, 100, 7, NULL, "", "N", "How many"},
    {"tiles", SAC_PARAM_INT2, AT(tiles), 0, 64, 3, NULL, "", "AxB", "Tiles"},
    {"gain", SAC_PARAM_FLOAT, AT(gain_db), -60, 60, -1.5, NULL, "dB", "X", "Gain"},
    {"fast", SAC_PARAM_BOOL, AT(fast), 0, 1, 1, NULL, "", "", "Fast"},
    {"mode", SAC_PARAM_CHOICE, AT(mode), 0, 2, 1, modes, "", "", "Mode"},
    {"name", SAC_PARAM_STRING, AT(name), 0, 0, 0, NULL, "", "NAME", "Name"},
    {"device", SAC_PARAM_DEVICE, AT(device), 0, 0, 0, NULL, "", "DEVICE", "Device"},
};
#define N_PARAMS ((int32_t)(sizeof params / sizeof params[0]))

static const sac_param_table table = {"toy", "Toys", sizeof(toy_desc), params, N_PARAMS};

static toy_desc fresh(void)
{
    toy_desc desc;
    memset(&desc, 0x5A, sizeof desc);
    sac_param_defaults(&table, &desc);
    return desc;
}

static void defaults_fill_everything(void **state)
{
    (void)state;
    const toy_desc desc = fresh();
    assert_int_equal(desc.struct_size, sizeof desc);
    assert_int_equal(desc.count, 7);
    assert_int_equal(desc.tiles[0], 3);
    assert_int_equal(desc.tiles[1], 3);
    assert_true(desc.gain_db == -1.5);
    assert_true(desc.fast);
    assert_int_equal(desc.mode, 1);
    assert_null(desc.name);
    assert_int_equal(desc.device.kind, SAC_DEVICE_CPU);
    assert_int_equal(desc.tail, 0);
    sac_error err = {0};
    assert_ok(sac_param_check(&table, &desc, &err), &err);
}

static void set_then_get_returns_the_text(void **state)
{
    (void)state;
    static const struct {
        int32_t param;
        const char *text;
    } want[] = {{0, "-5"},     {0, "100"},   {0, "0"},      {1, "8x6"},    {1, "8"},
                {1, "0x64"},   {2, "-60"},   {2, "0.125"},  {2, "59.999"}, {3, "true"},
                {3, "false"},  {4, "first"}, {4, "minmax"}, {5, "any"},    {6, "cpu"},
                {6, "cuda:0"}, {6, "cuda:1"}};
    toy_desc desc = fresh();
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const sac_param *p = &params[want[i].param];
        sac_error err = {0};
        char text[64];
        assert_ok(sac_param_set(&table, &desc, p->name, want[i].text, &err), &err);
        assert_ptr_equal(sac_param_get(p, &desc, text, sizeof text), text);
        assert_string_equal(text, want[i].text);
    }
    assert_int_equal(desc.tail, 0);
}

static void set_int2_with_one_number_sets_both(void **state)
{
    (void)state;
    toy_desc desc = fresh();
    sac_error err = {0};
    assert_ok(sac_param_set(&table, &desc, "tiles", "8x6", &err), &err);
    assert_int_equal(desc.tiles[0], 8);
    assert_int_equal(desc.tiles[1], 6);
    assert_ok(sac_param_set(&table, &desc, "tiles", "9", &err), &err);
    assert_int_equal(desc.tiles[0], 9);
    assert_int_equal(desc.tiles[1], 9);
}

static void set_with_bad_text_changes_nothing_and_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *word;
    } bad[] = {
        {"count", "", "whole number"},
        {"count", "x", "`x`"},
        {"count", "7 ", "whole number"},
        {"count", "7.5", "`7.5`"},
        {"count", "-6", "-5 to 100"},
        {"count", "101", "101"},
        {"count", "99999999999", "count"},
        {"count", "4294967303", "count"},
        {"tiles", "8x", "tiles"},
        {"tiles", "x8", "tiles"},
        {"tiles", "8x6x4", "tiles"},
        {"tiles", "8x65", "65"},
        {"tiles", "-1x6", "-1"},
        {"tiles", "8*6", "tiles"},
        {"gain", "", "number"},
        {"gain", "nan", "nan"},
        {"gain", "inf", "inf"},
        {"gain", "1e9", "-60 to 60 dB"},
        {"gain", "3dB", "3dB"},
        {"gain", "60.001", "60.001"},
        {"fast", "yes", "true or false"},
        {"fast", "", "fast"},
        {"mode", "second", "first, max, minmax"},
        {"mode", "", "mode"},
        {"mode", "ma", "minmax"},
        {"device", "gpu", "gpu"},
        {"nothing", "1", "nothing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        toy_desc desc = fresh();
        const toy_desc before = desc;
        sac_error err = {0};
        assert_failed(sac_param_set(&table, &desc, bad[i].name, bad[i].text, &err), SAC_E_INVALID,
                      &err, bad[i].word);
        assert_non_null(strstr(err.text, bad[i].name));
        assert_memory_equal(&desc, &before, sizeof desc);
    }
}

static void check_a_desc_out_of_range_names_the_parameter(void **state)
{
    (void)state;
    sac_error err = {0};
    toy_desc desc = fresh();
    desc.struct_size--;
    assert_failed(sac_param_check(&table, &desc, &err), SAC_E_INVALID, &err, "struct_size");
    desc = fresh();
    desc.count = 101;
    assert_failed(sac_param_check(&table, &desc, &err), SAC_E_INVALID, &err, "count");
    desc = fresh();
    desc.tiles[1] = -1;
    assert_failed(sac_param_check(&table, &desc, &err), SAC_E_INVALID, &err, "tiles");
    desc = fresh();
    desc.device.kind = (sac_device_kind)9;
    assert_failed(sac_param_check(&table, &desc, &err), SAC_E_INVALID, &err, "device");
    desc = fresh();
    desc.gain_db = 0.0 / 0.0;
    assert_failed(sac_param_check(&table, &desc, &err), SAC_E_INVALID, &err, "gain");
    desc = fresh();
    desc.mode = 3;
    assert_failed(sac_param_check(&table, &desc, &err), SAC_E_INVALID, &err, "mode");
    desc = fresh();
    desc.mode = -1;
    assert_failed(sac_param_check(&table, &desc, &err), SAC_E_INVALID, &err, "mode");
}

static void get_into_a_short_text_is_cut(void **state)
{
    (void)state;
    toy_desc desc = fresh();
    char text[4] = "abc";
    sac_param_get(&params[4], &desc, text, 3);
    assert_string_equal(text, "ma");
}

/* The tables that ship: fit for every face that is built from them. */
static void tables_of_the_pipelines_are_sound(void **state)
{
    (void)state;
    const sac_param_table *tables[] = {sac_equalize_params()};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        _Alignas(16) uint8_t desc[1024];
        sac_error err = {0};
        assert_true(tables[t]->desc_size <= sizeof desc);
        sac_param_defaults(tables[t], desc);
        assert_ok(sac_param_check(tables[t], desc, &err), &err);
        for (int32_t i = 0; i < tables[t]->n_params; i++) {
            const sac_param *p = &tables[t]->params[i];
            char text[64];
            assert_true(p->offset < tables[t]->desc_size);
            assert_true(strlen(p->doc) > 0 && p->unit != NULL && p->metavar != NULL);
            assert_int_equal(strspn(p->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
                             strlen(p->name));
            for (int32_t k = 0; k < i; k++)
                assert_string_not_equal(p->name, tables[t]->params[k].name);
            if (p->type != SAC_PARAM_STRING) {
                sac_param_get(p, desc, text, sizeof text);
                assert_ok(sac_param_set(tables[t], desc, p->name, text, &err), &err);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_everything),
        cmocka_unit_test(set_then_get_returns_the_text),
        cmocka_unit_test(set_int2_with_one_number_sets_both),
        cmocka_unit_test(set_with_bad_text_changes_nothing_and_says_why),
        cmocka_unit_test(check_a_desc_out_of_range_names_the_parameter),
        cmocka_unit_test(get_into_a_short_text_is_cut),
        cmocka_unit_test(tables_of_the_pipelines_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
