/*
 * Controls as text: what receivers write is read, and nobody fills memory with names.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../../gst/control.h"
#include "harness.h"

static void controls_of_receivers_come_back(void **state)
{
    GstStructure *sent = gst_structure_new(
        SAC_GST_CONTROL, "name", G_TYPE_STRING, "brightness", "value", G_TYPE_STRING, "1.5", "text",
        G_TYPE_STRING, "two words, \"quoted\"; \\ \303\244=(int)3", "empty", G_TYPE_STRING, "", "n",
        G_TYPE_INT, -7, "u", G_TYPE_UINT, 7u, "long", G_TYPE_INT64, G_MININT64, "ulong",
        G_TYPE_UINT64, G_MAXUINT64, "real", G_TYPE_DOUBLE, -1.25e-20, "is", G_TYPE_BOOLEAN, TRUE,
        NULL);
    char *text = gst_structure_to_string(sent);
    GstStructure *read = sac_control_read(text);
    (void)state;
    if (!read)
        fail_msg("%s: is not read", text);
    assert_true(gst_structure_is_equal(sent, read));
    gst_structure_free(read);
    gst_structure_free(sent);
    g_free(text);
    read = sac_control_read("saccade-control;");
    assert_non_null(read);
    gst_structure_free(read);
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "saccade-control",
        "saccade-controls;",
        "other, a=(int)1;",
        "saccade-control, a=(int)1",
        "saccade-control, a=(int)1; b",
        "saccade-control, a=1;",
        "saccade-control, a=(int);",
        "saccade-control, a=(int)[ 1, 2 ];",
        "saccade-control, a=(int){ 1, 2 };",
        "saccade-control, a=(string)\"open;",
        "saccade-control, a=(string)\"open\\\";",
        "saccade-control, =(int)1;",
        "saccade-control, a=(fraction)1/2;",
        "saccade-control, a=(structure)\"never-1\\,\\ b\\=\\(int\\)1\\;\";",
        "saccade-control, a=(GstCaps)\"video/never-2\";",
        "saccade-control, (int)1;",
        "saccade-control a=(int)1;",
    };
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        if (sac_control_read(texts[i]))
            fail_msg("%s: is read", texts[i]);
    assert_int_equal(g_quark_try_string("never-1"), 0);
    assert_int_equal(g_quark_try_string("video/never-2"), 0);
}

static void names_beyond_a_number_are_not_learned(void **state)
{
    int n = 0, n_known = 0;
    (void)state;
    for (int i = 0; i < 10000; i++) {
        char *text = g_strdup_printf("saccade-control, some-%d=(int)%d, other-%d=(int)1;", i, i, i);
        char *name = g_strdup_printf("some-%d", i);
        GstStructure *read = sac_control_read(text);
        n += read != NULL;
        n_known += g_quark_try_string(name) != 0;
        g_clear_pointer(&read, gst_structure_free);
        g_free(name);
        g_free(text);
    }
    assert_in_range(n, 1, SAC_CONTROL_NAMES / 2);
    assert_int_equal(n_known, n);
    for (int i = 0; i < 1000; i++) { /* known names are still taken */
        GstStructure *read = sac_control_read("saccade-control, some-0=(int)1, name=(string)a;");
        assert_non_null(read);
        gst_structure_free(read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_of_receivers_come_back),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(names_beyond_a_number_are_not_learned),
    };
    start_gst("control");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
