/*
 * bench_gst [FRAMES]: what the GStreamer elements cost per 1920x1080 frame beyond the library's own
 * calls, in one run and one thread, by the thread's processor time. Then elements that are given 60
 * frames a second, next to videodiff and OpenCV's motioncells: their share of a core.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/video/video.h>
#include <saccade/delta.h>
#include <saccade/equalize.h>
#include <saccade/motion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { W = 1920, H = 1080, N_SCENES = 16, PER_SECOND = 60, SECONDS = 10 };

static uint8_t *scenes[N_SCENES]; /* RGB */
static int width = W, height = H; /* of the frames */

/* A still picture with some noise, and a square that moves. */
static void make_scenes(void)
{
    uint64_t random = 1;
    for (int i = 0; i < N_SCENES; i++) {
        scenes[i] = g_malloc((size_t)3 * W * H);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < 3 * W; x++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                const int noise = (int)(random >> 62) - 2;
                const gboolean is_square = abs(x / 3 - 400 - 40 * i) < 100 && abs(y - 500) < 100;
                scenes[i][(size_t)y * 3 * W + (size_t)x] =
                    (uint8_t)((is_square ? 200 : 40 + (x + 2 * y) % 120) + noise);
            }
    }
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* An element between two pads of ours. */
typedef struct Line {
    GstElement *element;
    GstPad *src, *sink;
    GstBuffer *last; /* that came out */
    gboolean keeps;  /* `last`; otherwise it goes at once */
} Line;

static GstFlowReturn take(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
    Line *line = gst_pad_get_element_private(pad);
    (void)parent;
    if (line->keeps)
        line->last = buffer;
    else
        gst_buffer_unref(buffer);
    return GST_FLOW_OK;
}

static void line_open(Line *line, const char *name, GstCaps *caps)
{
    GstSegment segment;
    *line = (Line){.element = gst_element_factory_make(name, NULL)};
    if (!line->element) {
        fprintf(stderr, "bench_gst: no element %s: set GST_PLUGIN_PATH\n", name);
        exit(1);
    }
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(line->element), "threads"))
        g_object_set(line->element, "threads", 1, NULL);
    line->src = gst_pad_new("src", GST_PAD_SRC);
    line->sink = gst_pad_new("sink", GST_PAD_SINK);
    gst_pad_set_element_private(line->sink, line);
    gst_pad_set_chain_function(line->sink, take);
    gst_pad_set_active(line->src, TRUE);
    gst_pad_set_active(line->sink, TRUE);
    GstPad *in = gst_element_get_static_pad(line->element, "sink"),
           *out = gst_element_get_static_pad(line->element, "src");
    gst_pad_link(line->src, in);
    gst_pad_link(out, line->sink);
    gst_object_unref(in);
    gst_object_unref(out);
    gst_element_set_state(line->element, GST_STATE_PLAYING);
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_push_event(line->src, gst_event_new_stream_start("bench"));
    gst_pad_push_event(line->src, gst_event_new_caps(caps));
    gst_pad_push_event(line->src, gst_event_new_segment(&segment));
}

static void line_close(Line *line)
{
    gst_element_set_state(line->element, GST_STATE_NULL);
    gst_object_unref(line->element);
    gst_object_unref(line->src);
    gst_object_unref(line->sink);
}

static GstCaps *caps_of(GstVideoFormat format, GstVideoInfo *info)
{
    gst_video_info_set_format(info, format, (guint)width, (guint)height);
    info->fps_n = PER_SECOND;
    info->fps_d = 1;
    return gst_video_info_to_caps(info);
}

/* Frame i in a buffer of a pool, as a source has it. */
static GstBuffer *frame_at(GstBufferPool *pool, int i)
{
    GstBuffer *buffer;
    if (gst_buffer_pool_acquire_buffer(pool, &buffer, NULL) != GST_FLOW_OK)
        exit(1);
    const gsize n = gst_buffer_get_size(buffer);
    gst_buffer_fill(buffer, 0, scenes[i % N_SCENES], n);
    GST_BUFFER_PTS(buffer) = (GstClockTime)i * GST_SECOND / PER_SECOND;
    return buffer;
}

static GstBufferPool *pool_of(GstCaps *caps, const GstVideoInfo *info)
{
    GstBufferPool *pool = gst_video_buffer_pool_new();
    GstStructure *config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_set_params(config, caps, (guint)GST_VIDEO_INFO_SIZE(info), 4, 0);
    gst_buffer_pool_set_config(pool, config);
    gst_buffer_pool_set_active(pool, TRUE);
    return pool;
}

static uint64_t push(Line *line, GstBuffer *buffer)
{
    const uint64_t start = cpu_ns();
    const GstFlowReturn flow = gst_pad_push(line->src, buffer);
    const uint64_t end = cpu_ns();
    if (flow != GST_FLOW_OK) {
        fprintf(stderr, "bench_gst: %s: %s\n", GST_OBJECT_NAME(line->element),
                gst_flow_get_name(flow));
        exit(1);
    }
    return end - start;
}

/* The library's plans, with frames and outputs in memory of the same kind. */
typedef struct Library {
    sac_equalize *equalize;
    sac_heatmap *heatmap;
    sac_noise *noise;
    sac_denoise *denoise;
    sac_delta_encode *encode;
    sac_delta_decode *decode;
} Library;

static void check(sac_status status, const sac_error *err)
{
    if (status) {
        fprintf(stderr, "bench_gst: %s\n", err->text);
        exit(1);
    }
}

static void library_open(Library *lib)
{
    sac_equalize_desc equalize;
    sac_heatmap_desc heatmap;
    sac_noise_desc noise;
    sac_denoise_desc denoise;
    sac_delta_encode_desc encode;
    sac_delta_decode_desc decode;
    sac_error err = {0};
    sac_equalize_desc_init(&equalize);
    equalize.dtype = SAC_U8;
    sac_heatmap_desc_init(&heatmap);
    sac_noise_desc_init(&noise);
    sac_denoise_desc_init(&denoise);
    sac_delta_encode_desc_init(&encode);
    sac_delta_decode_desc_init(&decode);
    equalize.w = heatmap.w = noise.w = denoise.w = encode.w = width;
    equalize.h = heatmap.h = noise.h = denoise.h = encode.h = height;
    equalize.n_threads = heatmap.n_threads = noise.n_threads = denoise.n_threads = 1;
    encode.n_threads = decode.n_threads = 1;
    check(sac_equalize_open(&lib->equalize, &equalize, &err), &err);
    check(sac_heatmap_open(&lib->heatmap, &heatmap, &err), &err);
    check(sac_noise_open(&lib->noise, &noise, &err), &err);
    check(sac_denoise_open(&lib->denoise, &denoise, &err), &err);
    check(sac_delta_encode_open(&lib->encode, &encode, &err), &err);
    check(sac_delta_decode_open(&lib->decode, &decode, &err), &err);
}

static const char *const names[] = {"sacequalize", "sacheatmap",  "sacnoise",
                                    "sacdenoise",  "sacdeltaenc", "sacdeltadec"};
enum { EQUALIZE, HEATMAP, NOISE, DENOISE, ENCODE, DECODE, N_ELEMENTS };

/* One call of the library, timed. `out` is of a pool, too. */
static uint64_t call(Library *lib, int which, GstVideoFrame *out, const GstVideoFrame *in,
                     const GstVideoFrame *previous, int i, GstBuffer *packet)
{
    const int64_t shape[] = {height, width, 3};
    sac_array to, from, before;
    sac_error err = {0};
    sac_delta_packet made;
    sac_delta_frame decoded;
    GstMapInfo map;
    check(sac_array_view(&to, GST_VIDEO_FRAME_PLANE_DATA(out, 0), SAC_U8, 3, shape, &err), &err);
    check(sac_array_view(&from, GST_VIDEO_FRAME_PLANE_DATA(in, 0), SAC_U8, 3, shape, &err), &err);
    check(sac_array_view(&before, GST_VIDEO_FRAME_PLANE_DATA(previous, 0), SAC_U8, 3, shape, &err),
          &err);
    if (packet)
        gst_buffer_map(packet, &map, GST_MAP_READ);
    sac_status status;
    const uint64_t start = cpu_ns();
    if (which == EQUALIZE)
        status = sac_equalize_run(lib->equalize, &from, &from, &err);
    else if (which == HEATMAP)
        status = sac_heatmap_run(lib->heatmap, &to, &from, &before, &err);
    else if (which == NOISE)
        status = sac_noise_run(lib->noise, &to, &from, &before, &err);
    else if (which == DENOISE)
        status = sac_denoise_run(lib->denoise, &to, &from, &err);
    else if (which == ENCODE)
        status = sac_delta_encode_run(lib->encode, &made, &from,
                                      (uint64_t)i * GST_SECOND / PER_SECOND, &err);
    else {
        status = sac_delta_decode_run(lib->decode, &decoded, map.data, map.size, &err);
        for (int y = 0; y < height && status == SAC_OK; y++) /* a caller keeps the picture, too */
            memcpy((uint8_t *)to.data + y * to.stride[0],
                   (const uint8_t *)decoded.picture.data + y * decoded.picture.stride[0],
                   (size_t)(3 * width));
    }
    const uint64_t end = cpu_ns();
    check(status, &err);
    if (packet)
        gst_buffer_unmap(packet, &map);
    return end - start;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return values[n / 2];
}

static void map(GstVideoFrame *frame, const GstVideoInfo *info, GstBuffer *buffer)
{
    if (!gst_video_frame_map(frame, info, buffer, GST_MAP_READWRITE))
        exit(1);
}

static uint64_t call_buffers(Library *lib, int which, const GstVideoInfo *info, GstBuffer *out,
                             GstBuffer *in, GstBuffer *before, int i, GstBuffer *packet)
{
    GstVideoFrame to, from, previous;
    map(&to, info, out);
    map(&from, info, in);
    map(&previous, info, before);
    const uint64_t ns = call(lib, which, &to, &from, &previous, i, packet);
    gst_video_frame_unmap(&to);
    gst_video_frame_unmap(&from);
    gst_video_frame_unmap(&previous);
    return ns;
}

/* An element and the library take turns, frame by frame. */
static void compare_element(int which, int n, Library *lib)
{
    GstVideoInfo info;
    GstCaps *caps = caps_of(GST_VIDEO_FORMAT_RGB, &info), *packets = NULL;
    GstBufferPool *pool = pool_of(caps, &info);
    double *element = g_new(double, n), *library = g_new(double, n), *more = g_new(double, n);
    Line line, encoder;
    GstBuffer *before = frame_at(pool, 0), *out[2] = {frame_at(pool, 0), frame_at(pool, 0)};
    line_open(&encoder, "sacdeltaenc", caps);
    encoder.keeps = TRUE;
    if (which == DECODE) {
        push(&encoder, frame_at(pool, 0));
        gst_buffer_unref(encoder.last);
        packets = gst_pad_get_current_caps(encoder.sink);
        gst_pad_push_event(encoder.src, gst_video_event_new_downstream_force_key_unit(
                                            GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE,
                                            GST_CLOCK_TIME_NONE, FALSE, 0));
    }
    line_open(&line, names[which], packets ? packets : caps);
    for (int i = -8; i < n; i++) {
        GstBuffer *packet = NULL, *now = NULL;
        uint64_t called = 0, pushed = 0;
        if (which == DECODE) {
            push(&encoder, frame_at(pool, i + 9));
            packet = encoder.last;
        }
        for (int turn = 0; turn < 2; turn++) /* who is first finds less in the caches */
            if (turn == (i & 1)) {
                now = frame_at(pool, i + 9);
                called = call_buffers(lib, which, &info, out[i & 1], now, before, i + 9, packet);
            } else {
                GstBuffer *in = packet ? gst_buffer_ref(packet) : frame_at(pool, i + 9);
                pushed = push(&line, in);
            }
        gst_clear_buffer(&packet);
        if (i >= 0) {
            element[i] = (double)pushed;
            library[i] = (double)called;
            more[i] = (double)pushed - (double)called;
        }
        gst_buffer_unref(before);
        before = now;
    }
    printf("%-12s %9.1f %9.1f %+9.1f\n", names[which], median(library, n) / 1e3,
           median(element, n) / 1e3, median(more, n) / 1e3);
    gst_buffer_unref(before);
    gst_buffer_unref(out[0]);
    gst_buffer_unref(out[1]);
    line_close(&line);
    line_close(&encoder);
    gst_caps_unref(caps);
    gst_clear_caps(&packets);
    gst_object_unref(pool);
    g_free(element);
    g_free(library);
    g_free(more);
}

static void compare_elements(int n)
{
    Library lib = {0};
    library_open(&lib);
    printf("\n%dx%d RGB, 1 thread, %d frames, us of processor time, medians\n", width, height, n);
    printf("%-12s %9s %9s %9s\n", "element", "library", "element", "overhead");
    for (int i = 0; i < N_ELEMENTS; i++)
        compare_element(i, n, &lib);
    sac_equalize_close(&lib.equalize);
    sac_heatmap_close(&lib.heatmap);
    sac_noise_close(&lib.noise);
    sac_denoise_close(&lib.denoise);
    sac_delta_encode_close(&lib.encode);
    sac_delta_decode_close(&lib.decode);
}

/* 60 frames a second for some seconds: the element's share of a core. */
static void pace(const char *name, GstVideoFormat format)
{
    GstVideoInfo info;
    GstCaps *caps = caps_of(format, &info);
    GstBufferPool *pool = pool_of(caps, &info);
    Line line;
    uint64_t sum = 0;
    struct timespec next;
    line_open(&line, name, caps);
    push(&line, frame_at(pool, 0));
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int i = 1; i <= PER_SECOND * SECONDS; i++) {
        next.tv_nsec += 1000000000 / PER_SECOND;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        sum += push(&line, frame_at(pool, i));
    }
    printf("%-12s %-6s %6.2f ms a frame, %5.1f %% of a core\n", name,
           gst_video_format_to_string(format), (double)sum / 1e6 / (PER_SECOND * SECONDS),
           (double)sum / 1e7 / SECONDS);
    line_close(&line);
    gst_caps_unref(caps);
    gst_object_unref(pool);
}

static void pace_peer(const char *name, GstVideoFormat format, const char *package)
{
    GstElementFactory *peer = gst_element_factory_find(name);
    if (peer)
        pace(name, format);
    else
        printf("%s is not there (%s)\n", name, package);
    g_clear_object(&peer);
}

int main(int argc, char **argv)
{
    sac_build build = {.struct_size = sizeof build};
    char cpu[128];
    g_setenv("OPENCV_FOR_THREADS_NUM", "1", FALSE); /* what is timed is this thread */
    gst_init(&argc, &argv);
    const int n = argc > 1 ? atoi(argv[1]) : 400;
    if (n < 1)
        return g_printerr("usage: bench_gst [FRAMES]\n"), 2;
    sac_build_info(&build);
    printf("%s, saccade %s (%s, %s), %s\n", sac_cpu_model(cpu, sizeof cpu), build.version,
           build.commit, build.compiler, gst_version_string());
    make_scenes();
    compare_elements(n);
    width = height = 16; /* what does not depend on the picture */
    compare_elements(10 * n);
    width = W, height = H;
    printf("\n1920x1080, %d frames a second, %d s\n", PER_SECOND, SECONDS);
    pace("sacheatmap", GST_VIDEO_FORMAT_RGB);
    pace("sacnoise", GST_VIDEO_FORMAT_RGB);
    pace_peer("videodiff", GST_VIDEO_FORMAT_Y444, "gstreamer1.0-plugins-bad");
    pace_peer("videodiff", GST_VIDEO_FORMAT_I420, "gstreamer1.0-plugins-bad");
    pace_peer("motioncells", GST_VIDEO_FORMAT_RGB, "gstreamer1.0-opencv");
    return 0;
}
