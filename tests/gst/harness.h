/*
 * What the tests of the GStreamer elements share: frames of random content in buffers with gaps
 * between their rows, and the elements' outputs as bytes without gaps.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_GST_HARNESS_H
#define SAC_TESTS_GST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

/* Finds the plugin of this build and no other; the registry is the program's own. */
void start_gst(const char *program);

/* Reads `--device NAME` of main's arguments: elements of element_harness then work there. Status 77
 * for main where it is a GPU and there is none, else 0. */
int take_device(int argc, char **argv);

/* An element on the device that the program was started for. */
GstHarness *element_harness(const char *element);

/* A format of the elements, with its place in the library. */
typedef struct Layout {
    GstVideoFormat format;
    int n_channels;
    int order; /* sac_pixel_order */
} Layout;

enum { N_LAYOUTS = 7 };
extern const Layout layouts[N_LAYOUTS];

typedef struct Size {
    int w, h;
} Size;

/* Small, odd, and around the widths of vectors. */
enum { N_SIZES = 12 };
extern const Size sizes[N_SIZES];

GstCaps *caps_of(GstVideoFormat format, int w, int h);
void set_caps(GstHarness *h, GstVideoFormat format, int w, int height);

/* Frame `number` of a noisy scene: deterministic bytes, w * h * n_channels. */
uint8_t *scene(int w, int h, int n_channels, int number);

/* The bytes in a buffer whose rows have `gap` bytes behind them (and as many in front of the
 * first). */
GstBuffer *buffer_with(const uint8_t *bytes, GstVideoFormat format, int w, int h, int gap);

/* Whether the gaps of such a buffer are as buffer_with left them. */
gboolean gaps_are_whole(GstBuffer *buffer);

/* The pixels of a buffer, without gaps; freed by g_free. */
uint8_t *bytes_of(GstBuffer *buffer, GstVideoFormat format, int w, int h);

/* Bytes that are equal; a failure says where the first differs. */
void assert_bytes(const uint8_t *got, const uint8_t *wanted, size_t n, const char *what);

/* Tears it down, with the messages that hold on to the element. */
void end_harness(GstHarness *h);

/* The bus's next message of this type, or NULL at once. */
GstMessage *next_message(GstHarness *h, GstMessageType type);

/* Gives the element a bus for messages. Call it before the first buffer. */
void watch_messages(GstHarness *h);

#endif
