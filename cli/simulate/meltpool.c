/*
 * saccade simulate meltpool: a printed build as its camera sees it, with the truth beside it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/frames.h>

#include "options.h"
#include "progress.h"
#include "tables.h"
#include "send.h"

typedef struct meltpool_options {
    size_t struct_size;
    const char *output;
    int32_t frames, layers, regime, seed;
    cli_send_options send;
} meltpool_options;

#define FIELD(name) offsetof(meltpool_options, name)
#define DEFAULT_LAYERS 6
#define BATCH 64 /* frames written at once: half a megabyte */

static const char *const regimes[] = {"nominal", "keyhole", "lof", "mixed", NULL};

static const sac_param params[] = {
    {"output", CLI_STRING(output), "FILE", "the frames, signals and truth: .h5 (docs/formats.md)"},
    {"frames", CLI_INT(frames, 0, INT32_MAX, 0, ""), "N",
     "exactly N frames, in as many layers as needed; 0: as --layers says. With --to, frames beyond "
     "256 MB repeat the first ones"},
    {"layers", CLI_INT(layers, 0, 100000, 0, ""), "N", "layers of about 8,500 frames each; 0: 6"},
    {"regime", CLI_CHOICE(regime, SAC_MELTPOOL_MIXED, regimes), "WHAT",
     "dense metal, keyhole pores, lack of fusion, or tiles of each"},
    {"seed", CLI_INT(seed, 0, INT32_MAX, 1, ""), "S",
     "the same seed gives the same frames, signals and truth on every machine"},
    {"to", CLI_STRING(send.to), "udp://HOST:PORT",
     "send frames and signals to this address, as a camera would (docs/frame-format.md), after all "
     "are in memory"},
    {"input", CLI_STRING(send.input), "FILE.h5",
     "with --to: send the frames of this file instead of simulated ones"},
    {"rate", CLI_FLOAT(send.rate_hz, 0, 1e7, SAC_MELTPOOL_SIM_RATE_HZ, "Hz"), "HZ",
     "with --to: frames per second; 0: as fast as possible"},
    CLI_ROWS_SEND,
};

static const sac_param_table own_options = CLI_TABLE("simulate", meltpool_options, params);

typedef struct build {
    sac_meltpool_sim *sim;
    sac_frames_out *out;
    uint8_t frames[BATCH * SAC_MELTPOOL_SIM_SIZE * SAC_MELTPOOL_SIM_SIZE];
    sac_meltpool_signals signals[BATCH];
    sac_meltpool_truth truth[BATCH];
    int64_t regimes[SAC_MELTPOOL_MIXED]; /* frames of each, */
    int64_t n_empty, done;
    int32_t n_layers;
} build;

static sac_simulate_meltpool_desc desc_of(const meltpool_options *o)
{
    sac_simulate_meltpool_desc desc;
    sac_simulate_meltpool_desc_init(&desc);
    desc.regime = o->regime;
    desc.n_layers = o->layers ? o->layers : DEFAULT_LAYERS;
    desc.n_frames = o->frames;
    desc.seed = (uint64_t)o->seed;
    return desc;
}

static int open_build(build *b, const meltpool_options *o)
{
    sac_error err = {0};
    sac_simulate_meltpool_desc desc = desc_of(o);
    sac_frames_info info;
    sac_frames_info_init(&info);
    info.w = info.h = SAC_MELTPOOL_SIM_SIZE;
    info.rate_hz = SAC_MELTPOOL_SIM_RATE_HZ;
    info.has_signals = info.has_truth = info.has_calibration = true;
    sac_meltpool_sim_calibration(info.calibration);
    info.seed = o->seed;
    if (sac_frames_can_write(o->output, &err) != SAC_OK ||
        sac_meltpool_sim_open(&b->sim, &desc, &err) != SAC_OK ||
        sac_frames_create(&b->out, o->output, &info, &err) != SAC_OK) {
        return cli_error(&err);
    }
    return CLI_DONE;
}

/* Up to BATCH more frames; how many. */
static int32_t make_batch(build *b)
{
    const size_t pixels = (size_t)SAC_MELTPOOL_SIM_SIZE * SAC_MELTPOOL_SIM_SIZE;
    int32_t n = 0;
    while (n < BATCH && sac_meltpool_sim_next(b->sim, b->frames + (size_t)n * pixels,
                                              &b->signals[n], &b->truth[n])) {
        const sac_meltpool_truth *t = &b->truth[n++];
        if (t->regime == SAC_MELTPOOL_OFF) {
            b->n_empty++;
        } else {
            b->regimes[t->regime]++;
        }
        b->n_layers = t->layer + 1;
    }
    return n;
}

static int write_build(build *b)
{
    sac_error err = {0};
    cli_progress progress;
    uint64_t all = (uint64_t)sac_meltpool_sim_get_frames(b->sim);
    cli_progress_open(&progress, "frames");
    sac_status st = SAC_OK;
    for (int32_t n; st == SAC_OK && (n = make_batch(b)) > 0;) {
        st = sac_frames_append(b->out, b->frames, b->signals, b->truth, n, &err);
        b->done += n;
        cli_progress_step(&progress, (uint64_t)b->done, all);
    }
    if (st == SAC_OK) {
        st = sac_frames_commit(&b->out, &err);
    }
    cli_progress_hide(&progress);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

static void print_build(const build *b, const char *output, int64_t took_ns)
{
    char time[16];
    double percent = 100.0 / (double)b->done;
    printf("%s: %lld frame%s of %d x %d in %d layer%s, %.1f %% empty; nominal %.0f %%, keyhole "
           "%.0f %%, lack of fusion %.0f %%; in %s\n",
           output, (long long)b->done, cli_s(b->done), SAC_MELTPOOL_SIM_SIZE, SAC_MELTPOOL_SIM_SIZE,
           b->n_layers, cli_s(b->n_layers), percent * (double)b->n_empty,
           percent * (double)b->regimes[SAC_MELTPOOL_NOMINAL],
           percent * (double)b->regimes[SAC_MELTPOOL_KEYHOLE],
           percent * (double)b->regimes[SAC_MELTPOOL_LOF],
           cli_time_text(time, sizeof time, (double)took_ns));
}

static int simulate(const meltpool_options *options)
{
    int64_t start_ns = cli_clock_ns();
    build *b = cli_grow(NULL, 0, 1, sizeof *b);
    int status = open_build(b, options);
    status = status ? status : write_build(b);
    if (status == CLI_DONE) {
        print_build(b, options->output, cli_clock_ns() - start_ns);
    }
    sac_frames_abort(&b->out);
    sac_meltpool_sim_close(&b->sim);
    free(b);
    return status;
}

static int check(const meltpool_options *o)
{
    const int status = cli_send_check(&cli_simulate_meltpool, &o->send);
    if (status) {
        return status;
    }
    if (!o->output == !o->send.to) {
        return cli_misuse(&cli_simulate_meltpool,
                          o->output ? "expected an output or --to, got both"
                                    : "no output given (-o FILE, or --to udp://HOST:PORT)");
    }
    if (o->frames && o->layers) {
        return cli_misuse(&cli_simulate_meltpool, "expected --frames or --layers, got both");
    }
    if (o->send.input && (o->layers || cli_was_given("regime") || cli_was_given("seed"))) {
        return cli_misuse(&cli_simulate_meltpool, "--input brings its own frames: expected no "
                                                  "--layers, --regime or --seed in addition");
    }
    return CLI_DONE;
}

static int run(int argc, char **argv)
{
    meltpool_options options;
    int status = cli_parse(&cli_simulate_meltpool, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc != 0) {
        return cli_misuse(&cli_simulate_meltpool, "expected options alone, got %s", argv[0]);
    }
    status = check(&options);
    if (status != CLI_DONE) {
        return status;
    }
    if (!options.send.to) {
        return simulate(&options);
    }
    sac_simulate_meltpool_desc desc = desc_of(&options);
    return cli_send(&options.send, &desc, options.frames);
}

static const char *const examples[] = {
    "6 layers of nine tiles: dense metal, keyhole pores, lack of fusion; 470 MB",
    "saccade simulate meltpool -o build.h5",
    "a short one, too hot all over",
    "saccade simulate meltpool --frames 2000 --regime keyhole -o hot.h5",
    "another build",
    "saccade simulate meltpool --layers 1 --seed 2 -o other.h5",
    "a minute of it as a camera sends it, over a network with faults",
    ("saccade simulate meltpool --frames 1200000 --to udp://127.0.0.1:5020 --loss 1e-3 --reorder "
     "1e-3"),
    NULL};

const cli_command cli_simulate_meltpool = {
    .name = "simulate meltpool",
    .summary = "a simulated metal print, as a camera at 20,000 frames/s sees it",
    .usage = "{-o FILE | --to udp://HOST:PORT} [OPTION]...",
    .about =
        "Laser powder bed fusion of 316L steel: a raster at 1 m/s. Pools have the width, depth\n"
        "and enthalpy of measured fits; pores appear where tracks do not overlap, or where vapour\n"
        "drills a keyhole; spatters; a sensor with noise, fixed pattern and hot pixels. Frames\n"
        "are 96 x 96, with the machine's signals, and the truth of each frame: regime, outline of\n"
        "the pool, spatters, densities of pores (docs/meltpool.md).",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
