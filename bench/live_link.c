/*
 * bench_live: a delta stream from one process to others over the loopback: latency from the
 * sender's source pad to the receiver's sink pad, bytes, processor time, and, with faults or for
 * long, whether every picture is right and memory stays as it is.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <gst/video/video.h>
#include <math.h>
#include <saccade/array.h>
#include <saccade/delta.h>
#include <saccade/device.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "live_bench.h"
#include "live_relay.h"

static const char help[] =
    "bench_live: a delta stream between processes, over the loopback.\n"
    "\n"
    "Usage: bench_live [OPTION]... CLIP\n"
    "\n"
    "  --transport T       udp, tcp or srt (default udp)\n"
    "  --seconds S         go on for so long (default 10)\n"
    "  --rate FPS          frames a second (default 30)\n"
    "  --threshold T       of sacdeltaenc (default 20)\n"
    "  --receivers N       processes that receive (default 1)\n"
    "  --join S            each receiver begins so much after the one before (default 0)\n"
    "  --passphrase-file F as of the elements\n"
    "  --latency MS        as of sacdeltasrc (default 200)\n"
    "  --check             compares every picture with its frame\n"
    "  --port N            that the sender waits at (default 5800)\n"
    "  --loss, --duplicate, --damage SHARE; --delay, --jitter MS\n"
    "                      faults of datagrams each way, udp and srt (default 0)\n"
    "  --outage S --outage-every S\n"
    "                      nothing arrives for so long, so often\n"
    "  -h, --help          this text\n"
    "\n"
    "CLIP is decoded by ffmpeg, and goes forwards and backwards. GST_PLUGIN_PATH has the plugin.\n"
    "\n"
    "Exit status: 0 every picture that was shown is right; 1 not, or failed; 2 wrong usage.\n";

const char *const live_transports[] = {"udp", "tcp", "srt", NULL};

#define FIELD(name) offsetof(live_options, name)

static const sac_param params[] = {
    {"transport", CLI_CHOICE(kind, 0, live_transports), "T", ""},
    {"seconds", CLI_FLOAT(seconds, 0.1, 1e6, 10, ""), "S", ""},
    {"rate", CLI_FLOAT(rate, 1, 1000, 30, ""), "FPS", ""},
    {"threshold", CLI_INT(threshold, 0, 254, 20, ""), "T", ""},
    {"receivers", CLI_INT(receivers, 1, 8, 1, ""), "N", ""},
    {"join", CLI_FLOAT(join_s, 0, 1e6, 0, ""), "S", ""},
    {"passphrase-file", CLI_STRING(passphrase_file), "F", ""},
    {"latency", CLI_INT(latency_ms, 0, 60000, 200, ""), "MS", ""},
    {"check", CLI_FLAG(check), "", ""},
    {"port", CLI_INT(port, 1, 65535, 5800, ""), "N", ""},
    {"loss", CLI_FLOAT(loss, 0, 1, 0, ""), "SHARE", ""},
    {"duplicate", CLI_FLOAT(duplicate, 0, 1, 0, ""), "SHARE", ""},
    {"damage", CLI_FLOAT(damage, 0, 1, 0, ""), "SHARE", ""},
    {"delay", CLI_FLOAT(delay_ms, 0, 1e4, 0, ""), "MS", ""},
    {"jitter", CLI_FLOAT(jitter_ms, 0, 1e4, 0, ""), "MS", ""},
    {"outage", CLI_FLOAT(outage_s, 0, 1e4, 0, ""), "S", ""},
    {"outage-every", CLI_FLOAT(every_s, 0, 1e4, 0, ""), "S", ""},
};

const live_options *options;
bench_clip clip;
shared *sent;
volatile sig_atomic_t stops;

void on_signal(int number)
{
    (void)number;
    stops = 1;
}

const uint8_t *frame_at(int64_t i)
{
    const int64_t period = clip.n_frames > 1 ? 2 * clip.n_frames - 2 : 1, at = i % period;
    return clip.frames + (size_t)(at < clip.n_frames ? at : period - at) * bench_frame_bytes(&clip);
}

static int64_t count_entries(const char *path)
{
    int64_t n = 0;
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.';
    if (folder)
        (void)closedir(folder);
    return n;
}

footprint footprint_now(void)
{
    footprint f = {0, count_entries("/proc/self/fd"), count_entries("/proc/self/task")};
    long long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lld %lld", &size, &pages) == 2)
        f.resident_kb = pages * sysconf(_SC_PAGESIZE) / 1024;
    if (file)
        (void)fclose(file);
    return f;
}

void print_footprint(const char *who, footprint before, footprint after, double seconds)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    printf("%s: %.1f %% of a core; resident %lld to %lld kB, descriptors %lld to %lld, threads "
           "%lld to %lld\n",
           who, 100 * cpu / seconds, (long long)before.resident_kb, (long long)after.resident_kb,
           (long long)before.descriptors, (long long)after.descriptors, (long long)before.threads,
           (long long)after.threads);
}

GstElement *launch(const char *text)
{
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch(text, &error);
    if (!pipeline || error) {
        fprintf(stderr, "bench_live: %s\n", error ? error->message : "no pipeline");
        exit(1);
    }
    return pipeline;
}

bool look_at_bus(GstElement *pipeline, int64_t ns)
{
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus, (GstClockTime)ns, (GstMessageType)(GST_MESSAGE_ERROR | GST_MESSAGE_EOS));
    const bool goes_on = message == NULL;
    if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        GError *error = NULL;
        gst_message_parse_error(message, &error, NULL);
        fprintf(stderr, "bench_live: %s\n", error->message);
        g_error_free(error);
    }
    if (message)
        gst_message_unref(message);
    gst_object_unref(bus);
    return goes_on;
}

void print_stats(GstElement *pipeline, const char *name, const char *who)
{
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), name);
    GstStructure *stats = NULL;
    g_object_get(element, "stats", &stats, NULL);
    char *text = gst_structure_to_string(stats);
    for (char *at; (at = strstr(text, "(guint64)"));)
        memmove(at, at + 9, strlen(at + 9) + 1);
    printf("%s: %s\n", who, text);
    g_free(text);
    gst_structure_free(stats);
    gst_object_unref(element);
}

/* What left the encoder, next to a file of the same frames. */
typedef struct bytes_out {
    int64_t n_packets, bytes, compared_bytes;
} bytes_out;

enum { COMPARED = 600 }; /* frames that are encoded again, for their .sdv */

static GstPadProbeReturn count_packet(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    bytes_out *b = data;
    const int64_t n = (int64_t)gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info));
    (void)pad;
    b->bytes += n;
    b->compared_bytes += b->n_packets++ < COMPARED ? n : 0;
    return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn note_leaving(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    (void)pad, (void)info, (void)data;
    const int64_t n = atomic_load(&sent->n_frames);
    sent->left_ns[n] = sac_clock_ns();
    atomic_store(&sent->n_frames, n + 1);
    return GST_PAD_PROBE_OK;
}

static int64_t sdv_bytes(int64_t n_frames)
{
    const int64_t shape[] = {clip.h, clip.w, 3};
    sac_delta_encode *plan = NULL;
    sac_delta_encode_desc desc;
    sac_delta_packet packet;
    sac_array picture;
    int64_t bytes = 0;
    sac_delta_encode_desc_init(&desc);
    desc.w = clip.w;
    desc.h = clip.h;
    desc.threshold = options->threshold;
    bench_must(sac_delta_encode_open(&plan, &desc, NULL), "delta", NULL);
    for (int64_t i = 0; i < n_frames; i++) {
        bench_must(sac_array_view(&picture, (void *)frame_at(i), SAC_U8, 3, shape, NULL), NULL,
                   NULL);
        bench_must(sac_delta_encode_run(plan, &packet, &picture,
                                        (uint64_t)((double)i * 1e9 / options->rate), NULL),
                   "delta", NULL);
        bytes += (int64_t)packet.size;
    }
    sac_delta_encode_close(&plan);
    return bytes;
}

static void push_frames(GstElement *pipeline, footprint *early)
{
    GstElement *in = gst_bin_get_by_name(GST_BIN(pipeline), "in");
    const gsize bytes = bench_frame_bytes(&clip);
    const int64_t begin = sac_clock_ns(), n = (int64_t)(options->seconds * options->rate);
    for (int64_t i = 0; i < n && i < MOST_FRAMES && !stops; i++) {
        GstFlowReturn flow = GST_FLOW_OK;
        if (early->threads == 0 && sac_clock_ns() - begin > EARLY_NS)
            *early = footprint_now();
        GstBuffer *buffer = gst_buffer_new_wrapped_full(
            GST_MEMORY_FLAG_READONLY, (gpointer)(guintptr)frame_at(i), bytes, 0, bytes, NULL, NULL);
        sac_clock_sleep_until(begin + (int64_t)((double)i * 1e9 / options->rate));
        GstClock *clock = gst_element_get_clock(pipeline);
        GST_BUFFER_PTS(buffer) = gst_clock_get_time(clock) - gst_element_get_base_time(pipeline);
        gst_object_unref(clock);
        sent->captured_ns[i] = sac_clock_ns();
        g_signal_emit_by_name(in, "push-buffer", buffer, &flow);
        gst_buffer_unref(buffer);
        if (flow != GST_FLOW_OK)
            break;
    }
    g_signal_emit_by_name(in, "end-of-stream", &(GstFlowReturn){0});
    gst_object_unref(in);
}

static void watch(GstElement *pipeline, const char *name, GstPadProbeCallback probe, gpointer data)
{
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), name);
    GstPad *pad = gst_element_get_static_pad(element, "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, probe, data, NULL);
    gst_object_unref(pad);
    gst_object_unref(element);
}

static void send_clip(void)
{
    char text[800];
    bytes_out b = {0};
    gst_init(NULL, NULL);
    snprintf(text, sizeof text,
             "appsrc name=in is-live=true format=time max-bytes=0 "
             "caps=video/x-raw,format=BGR,width=%d,height=%d,framerate=%d/1 ! sacdeltaenc name=enc "
             "threshold=%d ! sacdeltasink name=link uri=%s://:%d %s%s",
             clip.w, clip.h, (int)lround(options->rate), options->threshold,
             live_transports[options->kind], options->port,
             options->passphrase_file ? "passphrase-file=" : "",
             options->passphrase_file ? options->passphrase_file : "");
    GstElement *pipeline = launch(text);
    watch(pipeline, "in", note_leaving, NULL);
    watch(pipeline, "enc", count_packet, &b);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    const int64_t begin = sac_clock_ns();
    footprint early = {0};
    push_frames(pipeline, &early);
    const double seconds = (double)(sac_clock_ns() - begin) / 1e9;
    while (look_at_bus(pipeline, 100000000) && !stops)
        ;
    print_stats(pipeline, "link", "sender");
    print_footprint("sender", early, footprint_now(), seconds);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    const int64_t n = b.n_packets < COMPARED ? b.n_packets : COMPARED, sdv = sdv_bytes(n);
    printf("sender: %lld packets, %.2f Mbit/s; of the first %lld: %lld bytes, .sdv of these frames "
           "%lld (%+.2f %%)\n",
           (long long)b.n_packets, (double)b.bytes * 8e-6 / seconds, (long long)n,
           (long long)b.compared_bytes, (long long)sdv,
           100.0 * ((double)b.compared_bytes / (double)sdv - 1));
    (void)fflush(stdout);
}

/* A process of its own, so that its work is nobody else's. */
static pid_t start_relay(int32_t port)
{
    const relay_faults faults = {
        options->loss,      options->duplicate, options->damage,  options->delay_ms,
        options->jitter_ms, options->outage_s,  options->every_s, 1};
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    relay r;
    signal(SIGTERM, on_signal);
    if (!relay_open(&r, port, options->port, &faults))
        _exit(1);
    while (!stops)
        pause();
    printf("relay: %lld datagrams, %lld lost\n", (long long)atomic_load(&r.n_datagrams),
           (long long)atomic_load(&r.n_lost));
    print_footprint("relay", (footprint){0}, footprint_now(), options->seconds);
    (void)fflush(stdout);
    _exit(0);
}

static pid_t start_receiver(int index, int32_t port)
{
    const pid_t pid = fork();
    if (pid == 0) {
        sac_clock_sleep_until(sac_clock_ns() + (int64_t)(index * options->join_s * 1e9));
        _exit(receive(index, port));
    }
    return pid;
}

static int run(const void *given)
{
    options = given;
    pid_t receivers[8], relay_pid = 0;
    int status, worst = 0;
    const live_options *o = options;
    if (!o->clips || !o->clips[0])
        return bench_misuse("expected a clip", "nothing");
    const char *why = bench_open_clip(&clip, o->clips[0], 0);
    if (why)
        return fprintf(stderr, "bench_live: %s: %s\n", o->clips[0], why), 1;
    sent = mmap(NULL, sizeof *sent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sent == MAP_FAILED)
        return 1;
    const bool has_faults = o->loss > 0 || o->duplicate > 0 || o->damage > 0 || o->delay_ms > 0 ||
                            o->jitter_ms > 0 || o->outage_s > 0;
    char load[64], cpu[128];
    printf("%s, %s, %s, %dx%d, %g frames/s, T = %d\n", sac_cpu_model(cpu, sizeof cpu),
           bench_load(load, sizeof load), live_transports[o->kind], clip.w, clip.h, o->rate,
           o->threshold);
    (void)fflush(stdout);
    if (has_faults)
        relay_pid = start_relay(o->port + 1);
    for (int i = 0; i < o->receivers; i++)
        receivers[i] = start_receiver(i, o->port + (has_faults ? 1 : 0));
    signal(SIGINT, on_signal);
    send_clip();
    for (int i = 0; i < o->receivers; i++) {
        kill(receivers[i], SIGTERM);
        waitpid(receivers[i], &status, 0);
        worst |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    if (has_faults) {
        kill(relay_pid, SIGTERM);
        waitpid(relay_pid, &status, 0);
    }
    free(clip.frames);
    return worst;
}

const bench_command bench_this = {
    .help = help,
    .table = CLI_TABLE("bench_live", live_options, params),
    .run = run,
    .most_operands = 1,
    .operands = offsetof(live_options, clips),
};
