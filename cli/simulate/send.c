/*
 * A simulated or recorded build as its camera would send it, or channel data as a scanner. The
 * simulator is slower than a camera, so what is sent lies in memory before the first packet leaves.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "send.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <saccade/frame_link.h>

#include "videos.h"
#include "json.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "tables.h"

#define MOST_BYTES (INT64_C(256) << 20) /* of frames in memory */
#define SLICE 64                        /* frames between two looks at Ctrl-C, at most */
#define NAP_NS 50000000                 /* the same while no frame is due */

typedef struct sending {
    const cli_send_options *options;
    int32_t w, h;    /* of pixels, or */
    sac_array array; /* arrays: its axes without the first; n_dims 0: pixels */
    size_t frame_bytes;
    int64_t n_made, n_frames;      /* in memory, and to be sent */
    uint8_t *frames;               /* of pixels its own */
    sac_meltpool_signals *signals; /* of pixels */
    sac_packet_key key;
    sac_frame_sender *sender;
    sac_frame_sent sent;
    int32_t fragments;
    int64_t made_ns, sent_ns;
} sending;

/* Memory for as many frames as it may take, of all there are. */
static void take_memory(sending *s, int64_t there_are, int64_t wanted)
{
    int64_t bytes = (int64_t)s->w * s->h, most = MOST_BYTES / bytes;
    s->frame_bytes = (size_t)bytes;
    s->n_frames = wanted ? wanted : there_are;
    s->n_made = there_are < s->n_frames ? there_are : s->n_frames;
    s->n_made = s->n_made < most ? s->n_made : most;
    s->frames = cli_grow(NULL, 0, (size_t)s->n_made, (size_t)bytes);
    s->signals = cli_grow(NULL, 0, (size_t)s->n_made, sizeof *s->signals);
}

static int open_sender(sending *s)
{
    const cli_send_options *o = s->options;
    sac_error err = {0};
    sac_frame_sender_desc desc;
    sac_frame_sender_desc_init(&desc);
    desc.to = o->to;
    desc.w = s->w;
    desc.h = s->h;
    desc.dtype = (int32_t)s->array.dtype;
    desc.n_dims = s->array.n_dims;
    memcpy(desc.shape, s->array.shape, sizeof desc.shape);
    desc.fragments = o->fragments;
    desc.packet_bytes = cli_mtu_datagram(o->to, o->mtu);
    desc.rate_hz = o->rate_hz;
    desc.n_frames = s->n_frames;
    desc.faults = (sac_frame_faults){o->loss, o->reorder, o->duplicate, o->truncate, 1};
    if (o->key) {
        if (sac_packet_key_read(&s->key, o->key, &err) != SAC_OK) {
            return cli_error(&err);
        }
        desc.key = &s->key;
    }
    if (sac_frame_sender_open(&s->sender, &desc, &err) != SAC_OK) {
        sac_packet_key_wipe(&s->key);
        return cli_error(&err);
    }
    sac_packet_key_wipe(&s->key);
    s->fragments = sac_frame_sender_get_fragments(s->sender);
    return CLI_DONE;
}

static int make_frames(sending *s, const sac_simulate_meltpool_desc *build, int64_t wanted)
{
    sac_error err = {0};
    sac_meltpool_sim *sim = NULL;
    cli_progress progress;
    if (sac_meltpool_sim_open(&sim, build, &err) != SAC_OK) {
        return cli_error(&err);
    }
    s->w = s->h = SAC_MELTPOOL_SIM_SIZE;
    take_memory(s, sac_meltpool_sim_get_frames(sim), wanted);
    int status = open_sender(s);
    cli_progress_open(&progress, "frames made");
    for (int64_t i = 0; i < s->n_made && status == CLI_DONE; i++) {
        (void)sac_meltpool_sim_next(sim, s->frames + (size_t)i * s->frame_bytes, &s->signals[i],
                                    NULL);
        cli_progress_step(&progress, (uint64_t)i + 1, (uint64_t)s->n_made);
    }
    cli_progress_hide(&progress);
    sac_meltpool_sim_close(&sim);
    return status;
}

static int read_frames(sending *s, int64_t wanted)
{
    sac_error err = {0};
    sac_frames_in *in = NULL;
    if (sac_frames_open(&in, s->options->input, &err) != SAC_OK) {
        return cli_error(&err);
    }
    const sac_frames_info *info = sac_frames_get_info(in);
    bool has_signals = info->has_signals;
    s->w = info->w;
    s->h = info->h;
    take_memory(s, info->n_frames, wanted);
    int status =
        s->n_made > 0 ? open_sender(s) : cli_fail("`%s`: has no frames", s->options->input);
    if (status == CLI_DONE && sac_frames_read(in, s->frames, has_signals ? s->signals : NULL, NULL,
                                              0, s->n_made, &err) != SAC_OK) {
        status = cli_error(&err);
    }
    for (int64_t i = 0; i < s->n_made && !has_signals; i++) {
        s->signals[i].laser_on = 1;
    }
    sac_frames_close(&in);
    return status;
}

/* How many frames are sent at once: a tenth of a second. */
static int64_t slice_of(const sending *s)
{
    double tenth = s->options->rate_hz > 0 ? 0.1 * s->options->rate_hz : SLICE;
    return tenth < 1 ? 1 : tenth > SLICE ? SLICE : (int64_t)tenth;
}

/* Until shortly before a frame's time, which the sender keeps exactly; false: Ctrl-C came first. */
static bool doze(const sending *s, int64_t start_ns, int64_t frame)
{
    const struct timespec nap = {0, NAP_NS};
    double rate_hz = s->options->rate_hz;
    double due_ns = (double)start_ns + (rate_hz > 0 ? (double)frame * (1e9 / rate_hz) : 0);
    while (!cli_interrupted() && due_ns - (double)cli_clock_ns() > 2 * NAP_NS) {
        nanosleep(&nap, NULL);
    }
    return !cli_interrupted();
}

static int send_frames(sending *s)
{
    sac_error err = {0};
    sac_status st = SAC_OK;
    cli_progress progress;
    cli_progress_open(&progress, "frames");
    int64_t start_ns = cli_clock_ns();
    for (int64_t done = 0; done < s->n_frames && st == SAC_OK && doze(s, start_ns, done);) {
        int64_t at = done % s->n_made, n = slice_of(s);
        n = n < s->n_made - at ? n : s->n_made - at;
        n = n < s->n_frames - done ? n : s->n_frames - done;
        st = sac_frame_sender_send(s->sender, s->frames + (size_t)at * s->frame_bytes,
                                   s->signals ? &s->signals[at] : NULL, n, &err);
        done += n;
        cli_progress_step(&progress, (uint64_t)done, (uint64_t)s->n_frames);
    }
    s->sent_ns = cli_clock_ns() - start_ns;
    s->sent.struct_size = sizeof s->sent;
    sac_frame_sender_get_sent(s->sender, &s->sent);
    cli_progress_hide(&progress);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

static double frames_per_s(const sending *s)
{
    return 1e9 * (double)s->sent.frames / (s->sent_ns > 0 ? (double)s->sent_ns : 1);
}

static void print_sent(const sending *s)
{
    char sent[16], made[16], behind[16];
    const sac_frame_sent *n = &s->sent;
    char *shape = s->array.n_dims ? cli_axes_text(s->array.shape, s->array.n_dims,
                                                  (int32_t)s->array.dtype, " x ")
                                  : cli_text("%d x %d", s->w, s->h);
    printf("%s: %lld frame%s of %s in %lld datagram%s, %d a frame, in %s: %.0f frames/s\n",
           s->options->to, (long long)n->frames, cli_s(n->frames), shape, (long long)n->datagrams,
           cli_s(n->datagrams), s->fragments, cli_time_text(sent, sizeof sent, (double)s->sent_ns),
           frames_per_s(s));
    free(shape);
    if (s->array.n_dims == 0) {
        printf("  in memory      %lld frame%s, %s in %s before the first left; sent %.3g times "
               "over\n",
               (long long)s->n_made, cli_s(s->n_made), s->options->input ? "read" : "made",
               cli_time_text(made, sizeof made, (double)s->made_ns),
               (double)n->frames / (double)s->n_made);
    }
    if (n->lost + n->reordered + n->duplicated + n->truncated > 0) {
        printf("  on purpose     %lld datagram%s lost, %lld reordered, %lld duplicated, %lld "
               "truncated: %lld frame%s cannot be whole\n",
               (long long)n->lost, cli_s(n->lost), (long long)n->reordered,
               (long long)n->duplicated, (long long)n->truncated, (long long)n->hurt,
               cli_s(n->hurt));
    }
    if (s->options->rate_hz > 0) {
        printf("  late           at most %s later than its schedule\n",
               cli_time_text(behind, sizeof behind, (double)n->most_behind_ns));
    }
    if (n->unheard > 0) {
        printf("  unheard        %lld time%s the other side said that nobody listens there\n",
               (long long)n->unheard, cli_s(n->unheard));
    }
    if (n->no_room > 0) {
        printf("  given up       %lld datagrams that the system had no room for\n",
               (long long)n->no_room);
    }
}

static int write_json(const sending *s)
{
    const sac_frame_sent *n = &s->sent;
    const struct {
        const char *name;
        const int64_t *value;
    } counts[] = {{"frames", &n->frames},
                  {"datagrams", &n->datagrams},
                  {"lost", &n->lost},
                  {"reordered", &n->reordered},
                  {"duplicated", &n->duplicated},
                  {"truncated", &n->truncated},
                  {"hurt", &n->hurt},
                  {"unheard", &n->unheard},
                  {"no_room", &n->no_room},
                  {"most_behind_ns", &n->most_behind_ns}};
    cli_json json;
    cli_json_open_rows(&json, 0, (sac_device){SAC_DEVICE_CPU, 0});
    cli_json_object(&json, NULL);
    cli_json_string(&json, "to", s->options->to);
    char *shape = s->array.n_dims
                      ? cli_axes_text(s->array.shape, s->array.n_dims, (int32_t)s->array.dtype, "x")
                      : cli_text("%dx%d u8", s->w, s->h);
    cli_json_string(&json, "shape", shape);
    free(shape);
    cli_json_real(&json, "rate_hz", s->options->rate_hz);
    cli_json_int(&json, "fragments", s->fragments);
    cli_json_int(&json, "in_memory", s->n_made);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cli_json_int(&json, counts[i].name, *counts[i].value);
    }
    cli_json_int(&json, "sent_ns", s->sent_ns);
    cli_json_real(&json, "frames_s", frames_per_s(s));
    cli_json_end_object(&json);
    return cli_json_write(&json, s->options->json);
}

int cli_send_check(const cli_command *command, const cli_send_options *o)
{
    static const char *const of_sending[] = {"input", "rate",    "fragments", "mtu",
                                             "loss",  "reorder", "duplicate", "truncate",
                                             "key",   "json",    NULL};
    for (int i = 0; of_sending[i] && !o->to; i++) {
        if (cli_was_given(of_sending[i])) {
            return cli_misuse(command, "--%s is of no use without --to", of_sending[i]);
        }
    }
    if (o->fragments && o->mtu) {
        return cli_misuse(command, "expected --fragments or --mtu, got both");
    }
    const char *const read[] = {o->input, o->key};
    int status = cli_check_mtu(command, o->mtu);
    status = status ? status : cli_inputs_kept(command, read, 2, &o->json, 1);
    return status ? status : cli_report_check(o->json);
}

/* What lies in memory, then the report. */
static int send_and_tell(sending *s)
{
    cli_catch_interrupts();
    int status = send_frames(s);
    sac_frame_sender_close(&s->sender);
    if (status == CLI_DONE && s->options->json) {
        status = write_json(s);
    }
    if (status == CLI_DONE && !cli_is_dash(s->options->json)) {
        print_sent(s);
    }
    return status;
}

int cli_send_array(const cli_send_options *options, const sac_array *frames, int64_t repeat)
{
    sending s = {.options = options,
                 .frames = frames->data,
                 .frame_bytes = (size_t)frames->stride[0],
                 .n_made = frames->shape[0],
                 .n_frames = frames->shape[0] * repeat};
    s.array = *frames;
    s.array.n_dims = frames->n_dims - 1;
    memcpy(s.array.shape, frames->shape + 1, (SAC_MAX_DIMS - 1) * sizeof *frames->shape);
    const int status = open_sender(&s);
    return status ? status : send_and_tell(&s);
}

int cli_send(const cli_send_options *options, const sac_simulate_meltpool_desc *build,
             int64_t n_frames)
{
    sending s = {.options = options};
    int64_t start_ns = cli_clock_ns();
    int status = options->input ? read_frames(&s, n_frames) : make_frames(&s, build, n_frames);
    s.made_ns = cli_clock_ns() - start_ns;
    status = status ? status : send_and_tell(&s);
    sac_frame_sender_close(&s.sender);
    free(s.frames);
    free(s.signals);
    return status;
}
