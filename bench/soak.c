/*
 * bench_soak: a stream of frames and the whole pipeline of meltpool for as long as wanted, and
 * whether memory and open descriptors stay as they are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "jitter/report.h"
#include "options.h"
#include "tables.h"
#include "soak.h"

#define BUILD_FRAMES 8500 /* a layer */
#define CAPACITY 1024
#define GROWTH_BYTES (INT64_C(1) << 20) /* that memory may grow by behind the first line */

typedef struct soak_options {
    size_t struct_size;
    double minutes, rate_hz, every_s;
    bool udp;
    int32_t cpu, deadline_us, spin_us;
    const char *json;
} soak_options;

static const char help[] =
    "bench_soak: meltpool on a stream of frames, for long.\n"
    "\n"
    "Usage: bench_soak [OPTION]...\n"
    "\n"
    "  --minutes M    go on for so long (default 30)\n"
    "  --rate HZ      frames a second (default 20000)\n"
    "  --udp          frames come through the loopback network, a datagram each\n"
    "  --every S      a line each so many seconds (default 60)\n"
    "  --deadline US  frames done later behind their schedule are late (default 1000)\n"
    "  --cpu N        the worker runs on this CPU alone (default -1: anywhere)\n"
    "  --spin US      the worker looks so long before it sleeps; -1: never (default 50)\n"
    "  --json FILE    write every line as JSON; - is standard output, and no text is printed\n"
    "  -h, --help     this text\n"
    "\n"
    "Each line is of what happened since the one before: frames, the time from schedule to result\n"
    "(with --udp from arrival), late and dropped frames; and of the process, its resident memory\n"
    "and open descriptors. They stayed flat where no later line has 1 MiB or a descriptor more\n"
    "than the first. It ends early, in good order, where it is interrupted.\n"
    "\n"
    "Exit status: 0 all flat and every frame accounted for; 1 not, or failed; 2 wrong usage.\n";

#define FIELD(name) offsetof(soak_options, name)

static const sac_param params[] = {
    {"minutes", CLI_FLOAT(minutes, 1e-3, 1e6, 30, ""), "M", ""},
    {"rate", CLI_FLOAT(rate_hz, 1, 1e6, 20000, ""), "HZ", ""},
    {"udp", CLI_FLAG(udp), "", ""},
    {"every", CLI_FLOAT(every_s, 1e-2, 1e6, 60, ""), "S", ""},
    {"deadline", CLI_INT(deadline_us, 0, 1e9, 1000, ""), "US", ""},
    {"cpu", CLI_INT(cpu, -1, 1023, -1, ""), "N", ""},
    {"spin", CLI_INT(spin_us, SAC_STREAM_SPIN, 1e9, 50, ""), "US", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

/* At some moment. */
typedef struct sample {
    int64_t at_ns, resident, descriptors;
    sac_stream_counts counts;
    int64_t bins[SAC_HISTOGRAM_BINS];
} sample;

typedef struct soak {
    const soak_options *options;
    soak_feed feed;
    sac_meltpool *plan;
    sac_meltpool_record record;
    sample last, now;
    int64_t n_lines, first_resident, first_descriptors;
    int64_t more_bytes, more_descriptors; /* than at the first line, at most */
    cli_json json;
} soak;

static sac_stream *stream; /* for the signal handler */

static void on_signal(int number)
{
    (void)number;
    sac_stream_request_stop(stream);
}

static void work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    static const int64_t shape[] = {BENCH_SIDE, BENCH_SIDE};
    soak *s = ctx;
    for (int32_t i = 0; i < n; i++) {
        const sac_meltpool_signals *signals =
            (const void *)((const char *)frames[i].data + SOAK_FRAME_BYTES);
        sac_array view;
        if (sac_array_view(&view, frames[i].data, SAC_U8, 2, shape, NULL) ||
            sac_meltpool_run(s->plan, &s->record, &view, signals, NULL))
            frames[i].outcome = SAC_STREAM_REFUSED;
        else if (s->record.flags & SAC_MELTPOOL_EMPTY)
            frames[i].outcome = SAC_STREAM_EMPTY;
        frames[i].done_ns = sac_clock_ns();
    }
}

static int64_t resident_bytes(void)
{
    long long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lld %lld", &size, &pages) != 2)
        exit(cli_fail("/proc/self/statm does not tell the memory that is in use"));
    (void)fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t open_descriptors(void)
{
    int64_t n = -1; /* the folder's own */
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        exit(cli_fail("/proc/self/fd does not tell the descriptors that are open"));
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.';
    (void)closedir(folder);
    return n;
}

static void take_sample(sample *s)
{
    s->at_ns = sac_clock_ns();
    s->resident = resident_bytes();
    s->descriptors = open_descriptors();
    s->counts.struct_size = sizeof s->counts;
    sac_stream_get_counts(stream, &s->counts);
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++)
        s->bins[i] = sac_histogram_get_bin(sac_stream_get_latency(stream), i).count;
}

/* Of the times between two samples: the upper end of the bin that the share ends in. */
static double quantile(const soak *s, double share)
{
    int64_t total = 0, sum = 0;
    int32_t bin = 0;
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++)
        total += s->now.bins[i] - s->last.bins[i];
    for (; bin < SAC_HISTOGRAM_BINS - 1; bin++) {
        sum += s->now.bins[bin] - s->last.bins[bin];
        if (sum > 0 && (double)sum >= share * (double)total)
            break;
    }
    const int64_t most = sac_histogram_get_max(sac_stream_get_latency(stream));
    const int64_t end = sac_histogram_get_bin(sac_stream_get_latency(stream), bin).to_ns;
    return total == 0 ? 0 : (double)(end < most ? end : most);
}

static const double shares[] = {0.5, 0.99, 0.999, 1};
static const char *const share_names[] = {"p50_ns", "p99_ns", "p999_ns", "max_ns"};

static void put_line(soak *s, double seconds)
{
    const sac_stream_counts *now = &s->now.counts, *last = &s->last.counts;
    const int64_t done = now->processed + now->empty - last->processed - last->empty;
    char text[4][16];
    cli_json_object(&s->json, NULL);
    cli_json_real(&s->json, "seconds", seconds);
    cli_json_int(&s->json, "frames", done);
    for (int i = 0; i < 4; i++) {
        const double ns = quantile(s, shares[i]);
        cli_json_real(&s->json, share_names[i], ns);
        (void)cli_time_text(text[i], sizeof text[i], ns);
    }
    cli_json_int(&s->json, "late", now->late - last->late);
    cli_json_int(&s->json, "dropped", now->dropped - last->dropped);
    cli_json_int(&s->json, "resident_bytes", s->now.resident);
    cli_json_int(&s->json, "descriptors", s->now.descriptors);
    cli_json_end_object(&s->json);
    if (s->options->json && strcmp(s->options->json, "-") == 0)
        return;
    if (s->n_lines == 1)
        printf("%9s %10s %8s %8s %8s %8s %8s %8s %9s %5s\n", "seconds", "frames", "p50", "p99",
               "p99.9", "max", "late", "dropped", "memory", "files");
    printf("%9.0f %10lld %8s %8s %8s %8s %8lld %8lld %6.1f MB %5lld\n", seconds, (long long)done,
           text[0], text[1], text[2], text[3], (long long)(now->late - last->late),
           (long long)(now->dropped - last->dropped), 1e-6 * (double)s->now.resident,
           (long long)s->now.descriptors);
    (void)fflush(stdout);
}

static void look(soak *s, int64_t begin_ns)
{
    take_sample(&s->now);
    if (s->n_lines++ == 0) {
        s->first_resident = s->now.resident;
        s->first_descriptors = s->now.descriptors;
    }
    const int64_t bytes = s->now.resident - s->first_resident;
    const int64_t descriptors = s->now.descriptors - s->first_descriptors;
    s->more_bytes = bytes > s->more_bytes ? bytes : s->more_bytes;
    s->more_descriptors = descriptors > s->more_descriptors ? descriptors : s->more_descriptors;
    put_line(s, 1e-9 * (double)(s->now.at_ns - begin_ns));
    s->last = s->now;
}

static void go_on(soak *s)
{
    const double every_ns = 1e9 * s->options->every_s;
    const int64_t begin = sac_clock_ns(), end = begin + (int64_t)(60e9 * s->options->minutes);
    for (int64_t k = 1; !sac_stream_is_stopping(stream); k++) {
        const int64_t due = begin + (int64_t)((double)k * every_ns), at = due < end ? due : end;
        const struct timespec wake = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL); /* or interrupted */
        look(s, begin);
        if (at == end)
            break;
    }
}

/* What was sent came, or was lost: where the system dropped the first or the last ones, the
 * receiver does not know of these. */
static bool link_adds_up(const soak_feed *f, const sac_stream_counts *c)
{
    const int64_t unheard = f->sent.frames - f->came.expected;
    return !f->udp || (f->came.frames + f->came.refused == c->received && unheard >= 0 &&
                       (unheard == 0 || unheard <= f->came.kernel_dropped));
}

/* The last lines, and the exit status. */
static int judge(soak *s)
{
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_stream_get_counts(stream, &c);
    const soak_feed *f = &s->feed;
    const bool whole = c.waiting == 0 && c.received == c.accepted + c.refused &&
                       c.accepted == c.processed + c.empty + c.dropped && link_adds_up(f, &c);
    const bool flat = s->more_bytes <= GROWTH_BYTES && s->more_descriptors <= 0;
    const bool enough = s->n_lines > 1;
    cli_json_object(&s->json, NULL);
    cli_json_histogram(&s->json, "latency", sac_stream_get_latency(stream));
    cli_json_int(&s->json, "received", c.received);
    cli_json_int(&s->json, "refused", c.refused);
    cli_json_int(&s->json, "processed", c.processed);
    cli_json_int(&s->json, "empty", c.empty);
    cli_json_int(&s->json, "dropped", c.dropped);
    cli_json_int(&s->json, "late", c.late);
    cli_json_int(&s->json, "most_waiting", c.most_waiting);
    if (f->udp) {
        cli_json_int(&s->json, "sent", f->sent.frames);
        cli_json_int(&s->json, "lost", f->came.lost);
        cli_json_int(&s->json, "kernel_dropped", f->came.kernel_dropped);
    }
    cli_json_int(&s->json, "more_bytes", s->more_bytes);
    cli_json_int(&s->json, "more_descriptors", s->more_descriptors);
    cli_json_bool(&s->json, "accounted", whole);
    cli_json_bool(&s->json, "flat", flat && enough);
    cli_json_end_object(&s->json);
    if (bench_prints(s->options->json)) {
        printf("%lld frames came: %lld processed, %lld empty, %lld dropped, %lld refused: %s\n",
               (long long)c.received, (long long)c.processed, (long long)c.empty,
               (long long)c.dropped, (long long)c.refused,
               whole ? "all accounted for" : "these do not add up");
        if (f->udp)
            printf("%lld frames sent, %lld lost, %lld datagrams dropped by the system (-1: it does "
                   "not say)\n",
                   (long long)f->sent.frames, (long long)f->came.lost,
                   (long long)f->came.kernel_dropped);
        printf("behind the first line: %.2f MB more memory, %lld more descriptors, at most: %s\n",
               1e-6 * (double)s->more_bytes, (long long)s->more_descriptors,
               !enough ? "too short to tell"
               : flat  ? "flat"
                       : "not flat");
    }
    return whole && flat && enough ? CLI_DONE : CLI_FAILED;
}

static void open_all(soak *s, const soak_options *o)
{
    static sac_meltpool_scene_plan of;
    sac_stream_desc desc;
    sac_error err = {0};
    sac_meltpool_scene_plan_init(&of);
    of.desc.n_threads = 1;
    bench_must(sac_meltpool_open(&s->plan, &of.desc, &err), NULL, &err);
    bench_open_build(&s->feed.build, BUILD_FRAMES, 0);
    sac_stream_desc_init(&desc);
    desc.frame_bytes = SOAK_SLOT_BYTES;
    desc.work = work;
    desc.ctx = s;
    desc.capacity = CAPACITY;
    desc.policy = SAC_STREAM_DROP_NEWEST;
    desc.spin_us = o->spin_us;
    desc.cpu = o->cpu;
    desc.deadline_us = o->deadline_us;
    bench_must(sac_stream_open(&stream, &desc, &err), NULL, &err);
    s->feed.stream = stream;
    s->feed.rate_hz = o->rate_hz;
    s->feed.udp = o->udp;
}

static int run(const void *options)
{
    const soak_options *o = options;
    static soak s;
    const struct sigaction stops = {.sa_handler = on_signal};
    s.options = o;
    open_all(&s, o);
    (void)sigaction(SIGINT, &stops, NULL);
    (void)sigaction(SIGTERM, &stops, NULL);
    cli_json_open_rows(&s.json, 0, (sac_device){0});
    soak_begin(&s.feed);
    go_on(&s);
    soak_end(&s.feed);
    sac_stream_stop(stream);
    int status = judge(&s);
    if (cli_json_end(&s.json, o->json) != CLI_DONE)
        status = CLI_FAILED;
    sac_stream_close(&stream);
    sac_meltpool_close(&s.plan);
    bench_close_build(&s.feed.build);
    return status;
}

const bench_command bench_this = {help, CLI_TABLE("bench_soak", soak_options, params), run};
