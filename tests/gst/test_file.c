/*
 * An .sdv file played by filesrc, sacdeltaparse and sacdeltadec: from its beginning, and from where
 * seeks go to. Every picture is the one of its time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_pair.h"
#include "skip.h"

#include <stdio.h>

enum { N = 500 }; /* frames: 20 s */

static const Size small = {70, 33};
static char *path;

/* Records the file; a keyframe each second. */
static int record(void **state)
{
    Pair pair;
    (void)state;
    path = g_strdup_printf("%s/test_file.sdv", BUILD_FOLDER);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    pair_open(&pair, &layouts[1], small, "key-interval=1");
    for (int i = 0; i < N; i++) {
        GstMapInfo map;
        GstBuffer *packet = pair_encode(&pair, i);
        gst_buffer_map(packet, &map, GST_MAP_READ);
        assert_int_equal(fwrite(map.data, 1, map.size, file), map.size);
        gst_buffer_unmap(packet, &map);
        gst_buffer_unref(packet);
    }
    assert_int_equal(fclose(file), 0);
    pair_close(&pair);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    remove(path);
    g_free(path);
    return 0;
}

typedef struct Seen {
    int n, first, last, n_wrong;
} Seen;

/* In the streaming thread. */
static void see(GstElement *sink, GstBuffer *picture, GstPad *pad, gpointer data)
{
    Seen *seen = data;
    const int number = (int)(GST_BUFFER_PTS(picture) / FRAME_NS);
    uint8_t *got = bytes_of(picture, GST_VIDEO_FORMAT_RGB, small.w, small.h),
            *wanted = scene(small.w, small.h, 3, number);
    (void)sink, (void)pad;
    for (int i = 0; i < small.w * small.h * 3; i++)
        if (abs(got[i] - wanted[i]) > 20) {
            seen->n_wrong++;
            break;
        }
    if (seen->n++ == 0)
        seen->first = number;
    seen->last = number;
    g_free(got);
    g_free(wanted);
}

static GstElement *open_file(Seen *seen)
{
    char *line =
        g_strdup_printf("filesrc location=%s blocksize=1000 ! sacdeltaparse ! sacdeltadec ! "
                        "fakesink name=sink signal-handoffs=true sync=false",
                        path);
    GstElement *pipeline = gst_parse_launch(line, NULL);
    assert_non_null(pipeline);
    GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
    g_signal_connect(sink, "handoff", G_CALLBACK(see), seen);
    gst_object_unref(sink);
    g_free(line);
    gst_element_set_state(pipeline, GST_STATE_PAUSED);
    assert_int_equal(gst_element_get_state(pipeline, NULL, NULL, 60 * GST_SECOND),
                     GST_STATE_CHANGE_SUCCESS);
    return pipeline;
}

static void play_to_the_end(GstElement *pipeline)
{
    GstBus *bus = gst_element_get_bus(pipeline);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus, 60 * GST_SECOND, (GstMessageType)(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    assert_non_null(message);
    assert_int_equal(GST_MESSAGE_TYPE(message), GST_MESSAGE_EOS);
    gst_message_unref(message);
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
}

static void file_is_played_whole(void **state)
{
    Seen seen = {0};
    (void)state;
    play_to_the_end(open_file(&seen));
    assert_int_equal(seen.n_wrong, 0);
    assert_int_equal(seen.first, 0);
    assert_int_equal(seen.last, N - 1);
    assert_int_equal(seen.n, N);
}

static void file_plays_on_near_where_a_seek_goes(void **state)
{
    const int places[] = {0, 3, 10, 19}; /* seconds */
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        Seen seen = {0};
        GstElement *pipeline = open_file(&seen);
        assert_true(gst_element_seek_simple(
            pipeline, GST_FORMAT_TIME, (GstSeekFlags)(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT),
            places[i] * GST_SECOND));
        gst_element_get_state(pipeline, NULL, NULL, 60 * GST_SECOND);
        seen = (Seen){0};
        play_to_the_end(pipeline);
        printf("seek to %d s: %d pictures from %d to %d\n", places[i], seen.n, seen.first,
               seen.last);
        assert_int_equal(seen.n_wrong, 0);
        assert_in_range(seen.first, MAX(25 * (places[i] - 3), 0), 25 * (places[i] + 3));
        assert_int_equal(seen.last, N - 1);
        assert_int_equal(seen.n, N - seen.first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_is_played_whole),
        cmocka_unit_test(file_plays_on_near_where_a_seek_goes),
    };
    if (!has_delta())
        return skip_all("this build has no zstd");
    start_gst("test_file");
    GstPlugin *core = gst_plugin_load_file(CORE_PLUGIN, NULL);
    if (!core)
        return skip_all("GStreamer has no core elements");
    gst_object_unref(core);
    return cmocka_run_group_tests(tests, record, remove_file);
}
