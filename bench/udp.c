/*
 * bench_udp: frames over the loopback at a rate, one thread that sends and one that receives; what
 * came, what the system dropped, and what it took.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/frame_link.h>

#include "base/clock.h"
#include "json.h"
#include "options.h"
#include "tables.h"

#define MADE 256                    /* frames in memory, sent again and again */
#define QUIET_NS INT64_C(200000000) /* so long behind the last datagram nothing more is to come */

typedef struct bench_options {
    size_t struct_size;
    double seconds, rate_hz;
    int32_t fragments, buffer_mb, cpu, send_cpu, side;
    const char *json;
} bench_options;

static const char help[] =
    "bench_udp: frames over the loopback at a rate; what came, and what the system dropped.\n"
    "\n"
    "Usage: bench_udp [OPTION]...\n"
    "\n"
    "  --seconds S    (default 10)\n"
    "  --rate HZ      frames a second; 0: as fast as they go (default 100000)\n"
    "  --fragments N  datagrams of a frame (default 1)\n"
    "  --side N       pixels of a frame's row and column (default 96)\n"
    "  --buffer MB    asked for the receiving socket; beyond net.core.rmem_max only root gets it\n"
    "                 (default 64)\n"
    "  --cpu N        the receiver's (default -1: any)\n"
    "  --send-cpu N   the sender's (default -1: any)\n"
    "  --json FILE    write the same as JSON; - is standard output\n"
    "  -h, --help     this text\n"
    "\n"
    "The receiver spins: recvmmsg of up to 32 datagrams, checksum, the pixels into a slot. Busy "
    "is\n"
    "its processor time, the system's included, over the time of the run: above 1 it cannot keep\n"
    "up.\n"
    "\n"
    "Exit status: 0 done; 1 failed, or something was lost; 2 wrong usage.\n";

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"seconds", CLI_FLOAT(seconds, 1e-2, 1e5, 10, ""), "S", ""},
    {"rate", CLI_FLOAT(rate_hz, 0, 1e7, 100000, ""), "HZ", ""},
    {"fragments", CLI_INT(fragments, 1, 4096, 1, ""), "N", ""},
    {"side", CLI_INT(side, 1, 4096, 96, ""), "N", ""},
    {"buffer", CLI_INT(buffer_mb, 0, 1000, 64, ""), "MB", ""},
    {"cpu", CLI_INT(cpu, -1, 1023, -1, ""), "N", ""},
    {"send-cpu", CLI_INT(send_cpu, -1, 1023, -1, ""), "N", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

typedef struct bench_state {
    bench_options options;
    uint8_t *slot, *frames;
    sac_meltpool_signals signals[MADE];
    sac_frame_receiver *receiver;
    sac_frame_sender *sender;
    sac_frame_sent sent;
    atomic_bool done; /* released by the sender behind `sent`, acquired by the receiver */
    sac_error error;  /* of the sender */
    int64_t busy_ns, took_ns;
} bench_state;

static uint8_t *give_slot(void *ctx)
{
    return ((bench_state *)ctx)->slot;
}

static bool take_frame(void *ctx, const sac_frame_arrival *frame)
{
    (void)ctx;
    (void)frame;
    return true;
}

static void run_on(int32_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (cpu >= 0 && sched_setaffinity(0, sizeof set, &set) != 0) {
        cli_fail("cannot run on CPU %d", cpu);
    }
}

static void *send_frames(void *ctx)
{
    bench_state *s = ctx;
    run_on(s->options.send_cpu);
    double rate = s->options.rate_hz;
    int64_t end_ns = sac_clock_ns() + (int64_t)(1e9 * s->options.seconds);
    int64_t n = rate > 0 ? (int64_t)(rate * s->options.seconds) : INT64_MAX, done = 0;
    sac_status st = SAC_OK;
    while (done < n && st == SAC_OK && (rate > 0 || sac_clock_ns() < end_ns)) {
        int64_t some = n - done < MADE ? n - done : MADE;
        st = sac_frame_sender_send(s->sender, s->frames, s->signals, some, &s->error);
        done += some;
    }
    s->sent.struct_size = sizeof s->sent;
    sac_frame_sender_get_sent(s->sender, &s->sent);
    atomic_store_explicit(&s->done, true, memory_order_release);
    return NULL;
}

static int receive_frames(bench_state *s)
{
    sac_error err = {0};
    int64_t start_ns = sac_clock_ns(), last_ns = start_ns, busy_ns = 0;
    for (int64_t now_ns = start_ns;; now_ns = sac_clock_ns()) {
        int32_t n = 0;
        if (sac_frame_receiver_run(s->receiver, &n, 0, &err) != SAC_OK) {
            return cli_error(&err);
        }
        if (n > 0) {
            last_ns = sac_clock_ns();
            busy_ns += last_ns - now_ns;
        } else if (atomic_load_explicit(&s->done, memory_order_acquire) &&
                   now_ns - last_ns > QUIET_NS) {
            break;
        }
    }
    s->busy_ns = busy_ns;
    s->took_ns = last_ns - start_ns;
    return s->error.status == SAC_OK ? CLI_DONE : cli_error(&s->error);
}

static int open_both(bench_state *s, char to[32])
{
    const bench_options *o = &s->options;
    sac_error err = {0};
    size_t pixels = (size_t)o->side * (size_t)o->side;
    s->slot = cli_grow(NULL, 0, 1, pixels);
    s->frames = cli_grow(NULL, 0, MADE, pixels);
    for (size_t i = 0; i < MADE * pixels; i++) {
        s->frames[i] = (uint8_t)(i * 31 + i / 997);
    }
    sac_frame_receiver_desc at;
    sac_frame_receiver_desc_init(&at);
    at.w = at.h = o->side;
    at.sink = (sac_frame_sink){give_slot, take_frame, s};
    at.listen = "udp://127.0.0.1:0";
    at.buffer_bytes = o->buffer_mb << 20;
    if (sac_frame_receiver_open(&s->receiver, &at, &err) != SAC_OK) {
        return cli_error(&err);
    }
    snprintf(to, 32, "udp://127.0.0.1:%d", sac_frame_receiver_get_port(s->receiver));
    sac_frame_sender_desc desc;
    sac_frame_sender_desc_init(&desc);
    desc.to = to;
    desc.w = desc.h = o->side;
    desc.fragments = o->fragments;
    desc.rate_hz = o->rate_hz;
    return sac_frame_sender_open(&s->sender, &desc, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
}

static void print(const bench_state *s, const sac_frame_counts *c)
{
    char behind[16];
    double took_s = 1e-9 * (double)s->took_ns;
    printf("%lld frames of %d x %d in %lld datagrams, %d a frame, socket buffer %d bytes: %.0f "
           "frames/s, %.3g GB/s, in %.3g s\n",
           (long long)s->sent.frames, s->options.side, s->options.side,
           (long long)s->sent.datagrams, sac_frame_sender_get_fragments(s->sender),
           sac_frame_receiver_get_buffer(s->receiver), (double)c->frames / took_s,
           1e-9 * (double)c->frames * s->options.side * s->options.side / took_s, took_s);
    printf("  received   %lld datagrams, %lld frames whole, %lld lost, %lld reordered\n",
           (long long)c->datagrams, (long long)c->frames, (long long)c->lost,
           (long long)c->reordered);
    printf("  dropped    %lld datagrams by the system%s\n", (long long)c->kernel_dropped,
           c->kernel_dropped < 0 ? ", which does not say" : "");
    printf("  unknown    %lld datagrams neither came nor were dropped\n",
           (long long)(s->sent.datagrams - c->datagrams - c->kernel_dropped));
    printf("  receiver   %.2f busy, %.0f ns a frame; sender at most %s behind\n",
           (double)s->busy_ns / (double)s->took_ns, (double)s->busy_ns / (double)c->frames,
           cli_time_text(behind, sizeof behind, (double)s->sent.most_behind_ns));
}

static int write_json(const bench_state *s, const sac_frame_counts *c)
{
    cli_json json;
    cli_json_open_rows(&json, 0, (sac_device){SAC_DEVICE_CPU, 0});
    cli_json_object(&json, NULL);
    cli_json_real(&json, "rate_hz", s->options.rate_hz);
    cli_json_int(&json, "fragments", sac_frame_sender_get_fragments(s->sender));
    cli_json_int(&json, "side", s->options.side);
    cli_json_int(&json, "buffer_bytes", sac_frame_receiver_get_buffer(s->receiver));
    cli_json_int(&json, "frames_sent", s->sent.frames);
    cli_json_int(&json, "datagrams_sent", s->sent.datagrams);
    cli_json_int(&json, "datagrams", c->datagrams);
    cli_json_int(&json, "frames", c->frames);
    cli_json_int(&json, "lost", c->lost);
    cli_json_int(&json, "kernel_dropped", c->kernel_dropped);
    cli_json_int(&json, "busy_ns", s->busy_ns);
    cli_json_int(&json, "took_ns", s->took_ns);
    cli_json_int(&json, "most_behind_ns", s->sent.most_behind_ns);
    cli_json_end_object(&json);
    return cli_json_write(&json, s->options.json);
}

static int bench(bench_state *s)
{
    char to[32];
    pthread_t thread;
    int status = open_both(s, to);
    if (status == CLI_DONE && pthread_create(&thread, NULL, send_frames, s) != 0) {
        status = cli_fail("no thread to send with");
    } else if (status == CLI_DONE) {
        run_on(s->options.cpu);
        status = receive_frames(s);
        pthread_join(thread, NULL);
    }
    if (status == CLI_DONE) {
        sac_frame_counts c = {.struct_size = sizeof c};
        sac_frame_receiver_get_counts(s->receiver, &c);
        status = s->options.json ? write_json(s, &c) : (print(s, &c), CLI_DONE);
        status = status ? status : c.frames == s->sent.frames ? CLI_DONE : CLI_FAILED;
    }
    sac_frame_sender_close(&s->sender);
    sac_frame_receiver_close(&s->receiver);
    free(s->slot);
    free(s->frames);
    return status;
}

static int run(const void *options)
{
    static bench_state state;
    state.options = *(const bench_options *)options;
    return bench(&state);
}

const bench_command bench_this = {help, CLI_TABLE("bench_udp", bench_options, params), run};
