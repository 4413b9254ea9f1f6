/*
 * What saccade send asks a camera for, of the modes and the controls that cameras have.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "harness.h"

#include "live/origin.h"

/* As v4l2src tells them of a webcam: few frames without compression, more as JPEG. */
static const char webcam[] =
    "video/x-raw, format=YUY2, width=1920, height=1080, framerate=5/1; "
    "video/x-raw, format=YUY2, width=1280, height=720, framerate=10/1; "
    "video/x-raw, format=YUY2, width=640, height=480, framerate={ (fraction)30/1, 15/1 }; "
    "image/jpeg, width=1920, height=1080, framerate={ (fraction)30/1, 15/1 }; "
    "image/jpeg, width=1280, height=720, framerate={ (fraction)60/1, 30/1 }; "
    "audio/x-raw; video/x-raw(memory:DMABuf), format=YUY2, width=1280, height=720, framerate=30/1";

static void check(const char *all, int w, int h, int fps, const char *wanted)
{
    GstCaps *from = gst_caps_from_string(all), *to = gst_caps_from_string(wanted);
    GstCaps *chosen = cli_live_choose_caps(from, w, h, fps);
    assert_non_null(chosen);
    assert_true(gst_caps_is_fixed(chosen));
    if (!gst_caps_is_subset(chosen, to)) {
        char *text = gst_caps_to_string(chosen);
        print_error("%dx%d, %d/s: wanted %s, got %s\n", w, h, fps, wanted, text);
        fail();
    }
    gst_caps_unref(from);
    gst_caps_unref(to);
    gst_caps_unref(chosen);
}

static void modes_that_are_there_are_taken_without_compression_first(void **state)
{
    (void)state;
    check(webcam, 640, 480, 30, "video/x-raw, width=640, height=480, framerate=30/1");
    check(webcam, 640, 480, 15, "video/x-raw, width=640, height=480, framerate=15/1");
    check(webcam, 1280, 720, 10, "video/x-raw, width=1280, height=720, framerate=10/1");
}

static void modes_keep_size_and_rate_rather_than_pixels_without_compression(void **state)
{
    (void)state;
    check(webcam, 1280, 720, 30, "image/jpeg, width=1280, height=720, framerate=30/1");
    check(webcam, 1280, 720, 60, "image/jpeg, width=1280, height=720, framerate=60/1");
    check(webcam, 1920, 1080, 30, "image/jpeg, width=1920, height=1080, framerate=30/1");
}

static void modes_nearest_are_taken_where_the_wanted_are_not_there(void **state)
{
    (void)state;
    check(webcam, 1300, 700, 25, "image/jpeg, width=1280, height=720, framerate=30/1");
    check(webcam, 3840, 2160, 30, "image/jpeg, width=1920, height=1080, framerate=30/1");
    check(webcam, 320, 240, 30, "video/x-raw, width=640, height=480, framerate=30/1");
}

static void modes_of_ranges_are_fixed_to_the_wanted(void **state)
{
    (void)state;
    check("video/x-raw, format={ NV12, YUY2 }, width=[ 16, 4096 ], height=[ 16, 4096 ], "
          "framerate=[ 1/1, 120/1 ]",
          800, 600, 50, "video/x-raw, width=800, height=600, framerate=50/1");
}

static void modes_without_a_picture_give_nothing(void **state)
{
    (void)state;
    g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_FATAL_MASK); /* nor complaints */
    GstCaps *all = gst_caps_from_string("audio/x-raw, rate=48000; video/x-raw, format=YUY2");
    GstCaps *chosen = cli_live_choose_caps(all, 640, 480, 30);
    assert_null(chosen);
    gst_caps_unref(all);
}

static void control_of_a_camera_has_its_default_and_both_its_ends(void **state)
{
    (void)state;
    const sac_param *table = sac_adjust_params()->params;
    const sac_param *brightness = &table[0], *gain = &table[3];
    assert_string_equal(brightness->name, "brightness");
    assert_string_equal(gain->name, "gain");
    assert_int_equal(cli_live_camera_value(brightness, 0, -64, 0, 64), 0);
    assert_int_equal(cli_live_camera_value(brightness, 100, -64, 0, 64), 64);
    assert_int_equal(cli_live_camera_value(brightness, -100, -64, 0, 64), -64);
    assert_int_equal(cli_live_camera_value(brightness, -50, 0, 128, 255), 64);
    assert_int_equal(cli_live_camera_value(gain, 1, 0, 16, 255), 16);
    assert_int_equal(cli_live_camera_value(gain, 0, 0, 16, 255), 0);
    assert_int_equal(cli_live_camera_value(gain, 16, 0, 16, 255), 255);
    assert_int_equal(cli_live_camera_value(gain, 16, 0, 0, INT32_MAX), INT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_that_are_there_are_taken_without_compression_first),
        cmocka_unit_test(modes_keep_size_and_rate_rather_than_pixels_without_compression),
        cmocka_unit_test(modes_nearest_are_taken_where_the_wanted_are_not_there),
        cmocka_unit_test(modes_of_ranges_are_fixed_to_the_wanted),
        cmocka_unit_test(modes_without_a_picture_give_nothing),
        cmocka_unit_test(control_of_a_camera_has_its_default_and_both_its_ends),
    };
    start_gst("test_modes");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
