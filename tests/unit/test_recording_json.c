/*
 * Recordings in NPY: what is missing, too much or contradictory in their metadata in JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_recording_formats.h"

/* Writes r.npy, and r.json as written with `from` in its place. */
static void put_json(const char *from, const char *to)
{
    static scene s;
    fill_scene(&s, SAC_I16);
    write_scene(&s, "r.npy");
    size_t size;
    char *text = (char *)get_file("r.json", &size);
    text[size] = '\0';
    char *at = strstr(text, from), *changed = malloc(size + strlen(to) + 1);
    assert_true(at && changed);
    int n = sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strcspn(at, ",\n"));
    put_file("r.json", changed, (size_t)n);
    free(changed);
    free(text);
}

static void json_metadata_that_are_not_finite_are_refused_by_name(void **state)
{
    (void)state;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    static const char *const names[] = {"frame_rate_hz", "width_m", "height_m", "amplitude"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char from[32], to[64];
        snprintf(from, sizeof from, "\"%s\":", names[i]);
        snprintf(to, sizeof to, "%s 1e999", from);
        put_json(from, to);
        assert_not_read("r.npy", NULL, SAC_E_FORMAT, names[i]);
    }
    put_json("\"width_m\":", "\"width_m\": -1");
    assert_not_read("r.npy", NULL, SAC_E_FORMAT, "width_m of element 0");
}

/* As MAT has it; see mat_defaults_are_those_of_must. */
static void recording_without_speed_of_sound_takes_1540_and_says_so(void **state)
{
    (void)state;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    put_json("\"c_m_s\":", "\"c_m_s\": null");
    sac_recording *r = read_recording("r.npy", NULL);
    assert_true(sac_recording_get_acquisition(r)->c_m_s == 1540);
    assert_non_null(strstr(sac_recording_get_note(r), "1540 m/s is taken (--c gives it)"));
    sac_recording_close(&r);
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    desc.c_m_s = 1500;
    r = read_recording("r.npy", &desc);
    assert_string_equal(sac_recording_get_note(r), "");
    sac_recording_close(&r);
}

/* cJSON takes 64 bytes for each of the two here. */
static void json_of_more_values_than_its_samples_need_is_refused(void **state)
{
    (void)state;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    enum { MANY = 600000 };
    put_json("\"c_m_s\":", "\"c_m_s\": 1500");
    char *text = malloc(2 * MANY + 2);
    assert_non_null(text);
    for (int i = 0; i < MANY; i++)
        memcpy(text + 2 * i, i ? ",0" : "[0", 2);
    text[2 * MANY] = ']';
    put_file("r.json", text, 2 * MANY + 1);
    free(text);
    assert_not_read("r.npy", NULL, SAC_E_FORMAT, "more values than");
}

/* Checksums are of several frames each where there are very many. */
static void recording_of_many_frames_is_checked_in_part(void **state)
{
    (void)state;
    if (!has_part("cJSON"))
        skip_test("this build has no cJSON");
    enum { MANY = 9000, FRAMES_EACH = 3 };
    static scene s;
    static int16_t data[MANY * N_TRANSMITS * N_ELEMENTS];
    const int64_t shape[] = {MANY, N_TRANSMITS, N_ELEMENTS, 1};
    const int64_t frame = N_TRANSMITS * N_ELEMENTS;
    sac_error err;
    fill_scene(&s, SAC_I16);
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        data[i] = (int16_t)(i * 7);
    assert_ok(sac_array_view(&s.samples, data, SAC_I16, 4, shape, &err), &err);
    write_scene(&s, "r.npy");
    size_t size;
    uint8_t *bytes = get_file("r.npy", &size);
    size_t head = size - sizeof data;
    bytes[head + 2 * (size_t)frame * 4000 + 5] ^= 1; /* in frame 4000, of checksum 1333 */
    put_file("r.npy", bytes, size);
    free(bytes);
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    static const struct {
        int64_t first, n;
        bool whole;
    } parts[] = {{0, 0, false},   {4000, 1, false}, {3999, 1, false}, {4001, 1, false},
                 {0, 3999, true}, {4002, 0, true},  {8999, 1, true},  {8998, 2, true}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        desc.first_frame = parts[i].first;
        desc.n_frames = parts[i].n;
        if (!parts[i].whole) {
            assert_not_read("r.npy", &desc, SAC_E_FORMAT, "another checksum");
            continue;
        }
        sac_recording *r = read_recording("r.npy", &desc);
        sac_array a = sac_recording_get_array(r);
        assert_memory_equal(a.data, data + parts[i].first * frame,
                            (size_t)sac_array_count(&a) * sizeof *data);
        sac_recording_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(recording_of_many_frames_is_checked_in_part, empty_folder),
        cmocka_unit_test_setup(json_metadata_that_are_not_finite_are_refused_by_name, empty_folder),
        cmocka_unit_test_setup(recording_without_speed_of_sound_takes_1540_and_says_so,
                               empty_folder),
        cmocka_unit_test_setup(json_of_more_values_than_its_samples_need_is_refused, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
