/*
 * Recordings with one byte changed are refused or read, but never crash.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording.h"

static void damage_each_byte(const char *path, const char *part)
{
    static scene s;
    if (!has_part(part))
        skip_test("this build lacks libhdf5 or cJSON");
    fill_scene(&s, SAC_I16);
    write_scene(&s, path);
    size_t size;
    uint8_t *bytes = get_file(path, &size);
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.max_bytes = 1 << 20;
    for (size_t i = 0; i < size; i += 3) {
        uint8_t old = bytes[i];
        bytes[i] = (uint8_t)(old ^ (1U << i % 8));
        put_file(path, bytes, size);
        bytes[i] = old;
        sac_error err = {0};
        sac_recording *r = NULL;
        sac_status st = sac_recording_read(&r, path, &desc, &err);
        assert_int_equal(st == SAC_OK, r != NULL);
        assert_int_equal(st == SAC_OK, err.text[0] == '\0');
        sac_recording_close(&r);
    }
    free(bytes);
}

static void hdf5_damaged_does_not_crash(void **state)
{
    (void)state;
    damage_each_byte("r.h5", "libhdf5");
}

static void npy_damaged_does_not_crash(void **state)
{
    (void)state;
    damage_each_byte("r.npy", "cJSON");
}

/* The metadata, one byte changed. */
static void json_damaged_does_not_crash(void **state)
{
    (void)state;
    static scene s;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    fill_scene(&s, SAC_I16);
    write_scene(&s, "r.npy");
    size_t size;
    uint8_t *bytes = get_file("r.json", &size);
    for (size_t i = 0; i < size; i++) {
        uint8_t old = bytes[i];
        bytes[i] = (uint8_t)(old ^ (1U << i % 7));
        put_file("r.json", bytes, i % 2 ? size : i);
        bytes[i] = old;
        sac_error err = {0};
        sac_recording *r = NULL;
        sac_status st = sac_recording_read(&r, "r.npy", NULL, &err);
        assert_int_equal(st == SAC_OK, r != NULL);
        assert_int_equal(st == SAC_OK, err.text[0] == '\0');
        sac_recording_close(&r);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hdf5_damaged_does_not_crash, empty_folder),
        cmocka_unit_test_setup(npy_damaged_does_not_crash, empty_folder),
        cmocka_unit_test_setup(json_damaged_does_not_crash, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
