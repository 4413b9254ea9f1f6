/*
 * saccade simulate: what sensors would record, with the truth beside it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/recording.h>
#include <saccade/simulate.h>

#include "ultrasound.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "recordings.h"
#include "tables.h"
#include "videos.h"

#define MAX_BYTES (UINT64_C(1) << 36) /* what sac_recording_read takes */
#define DEFAULT_RATE_HZ 25            /* which eyes follow, too */

#define DEGREE 0.017453292519943295

#define FIELD(name) offsetof(simulate_options, name)

static const char *const arrays[] = {"linear", "phased", "matrix", "curved", "row-column", NULL};

static const sac_param params[] = {
    {"output", CLI_STRING(output), "FILE",
     "the recording: .h5 (docs/formats.md), or .npy with its metadata in a .json of the same name"},
    {"phantom", CLI_CHOICE(phantom, SAC_PHANTOM_POINTS, cli_phantoms), "WHAT",
     "what to simulate: points on a grid, speckle with a cyst, a rotating disk of speckle, or "
     "blood "
     "that flows through a vessel"},
    {"array", CLI_CHOICE(array, LINEAR, arrays), "ARRAY",
     "linear: 128 at 0.30 mm, 5.208 MHz; phased: 64 at 0.28 mm, 2.72 MHz; matrix: 32x32 at 0.30 "
     "mm, 3 MHz; curved (convex): 128 at 0.508 mm along an arc of 49.57 mm, 3.57 MHz; row-column: "
     "64 rows and 64 columns at 0.25 mm, 3 MHz"},
    {"transmits", CLI_STRING(transmits), "WAVES",
     "plane:N:DEG (N angles from -DEG to DEG), diverging:N[:MM], focused:N[:MM], lines:N:MM[:DEG] "
     "(scan lines that are focused MM deep, along the array, or N angles from its middle), or sa "
     "(every element, one after the other); default: plane:11:16. Of a row-column array the rows "
     "send these and the columns receive, then the other way round"},
    {"tx-f-number", CLI_FLOAT(tx_f_number, 0, 100, 0, ""), "F",
     "depth over width of the elements that fire a diverging or focused wave; 0: all fire"},
    {"seed", CLI_INT(seed, 0, INT32_MAX, 1, ""), "S",
     "seed of speckle and noise: the same seed gives the same data"},
    {"elements", CLI_INT2(elements, 0, 4096, 0, ""), "N|NxM",
     "elements of the array along x (for a matrix NxM: x and y; of a row-column array rows and "
     "columns); 0: the array's default"},
    {"pitch", CLI_FLOAT(pitch_mm, 0, 100, 0, "mm"), "MM",
     "distance of elements, which are 0.9 of it wide; 0: the array's default"},
    {"curvature", CLI_FLOAT(curvature_mm, 0, 1000, 0, "mm"), "MM",
     "radius of a curved array; 0: the default"},
    {"line-taper", CLI_FLOAT(line_taper, 0, 1, 0, ""), "T",
     "apodization of a row-column array's lines: the share of a line over which its ends fall off, "
     "so that they send no edge waves; 1 is a Hann window"},
    {"fc", CLI_FLOAT(fc_mhz, 0, 1000, 0, "MHz"), "MHZ",
     "center frequency of the pulse; 0: the array's default"},
    {"fs", CLI_FLOAT(fs_mhz, 0, 1000, 0, "MHz"), "MHZ", "sampling frequency; 0: four times fc"},
    {"bandwidth", CLI_FLOAT(bandwidth, 0.01, 2, 0.33, ""), "B",
     "of the pulse at -6 dB, after both ways, over fc; 0.33 is about 2.5 periods, as in PICMUS"},
    {"c", CLI_FLOAT(c_m_s, 100, 20000, 1540, "m/s"), "M_S", "speed of sound"},
    {"layers", CLI_STRING(layers), "MM:M_S,...,M_S",
     "speeds of sound by depth, of flat arrays: thickness and speed of each layer from the probe "
     "on, the last without end, as 5:1450,1540; delays of elements are still those of --c"},
    {"lens", CLI_STRING(lens), "MM:M_S",
     "thickness and speed of sound of a lens in front of the elements of a flat array, as 1:1000"},
    {"elevation", CLI_STRING(elevation), "MM[:FOCUS]",
     "height of the elements of a linear, phased or curved array, and the depth in mm at which "
     "they "
     "focus across it; default: points of no height"},
    {"samples", CLI_INT(samples, 0, INT32_MAX, 0, ""), "N",
     "samples of a record, which starts at time 0; 0: enough for the last echo of the phantom"},
    {"frames", CLI_INT(frames, 1, 100000, 1, ""), "N",
     "number of frames; they differ by noise, and by the phantom's movement"},
    {"rotation", CLI_FLOAT(rotation_deg, -180, 180, 2, "degrees"), "DEG",
     "rotation of the disk from frame to frame"},
    {"prf", CLI_FLOAT(prf_hz, 0, 1e6, 0, "Hz"), "HZ",
     "frames a second; 0: 5000 of a vessel, else not said"},
    {"peak", CLI_FLOAT(peak_m_s, -100, 100, 0.5, "m/s"), "M_S",
     "speed of the blood in the vessel's axis; beside it it falls to 0 at the wall, as a parabola"},
    {"vessel-angle", CLI_FLOAT(vessel_deg, -90, 90, 30, "degrees"), "DEG",
     "of the vessel to x: blood flows toward x and, above 0, toward the probe"},
    {"clutter", CLI_FLOAT(clutter_db, 0, 120, 0, "dB"), "DB",
     "amplitude of the tissue around a vessel over that of blood; 0: no tissue"},
    {"tissue-speed", CLI_FLOAT(tissue_m_s, -10, 10, 0.002, "m/s"), "M_S",
     "of that tissue, toward the probe"},
    {"noise", CLI_FLOAT(noise_db, 0, 300, 0, "dB"), "DB",
     "level of white noise below a frame's largest sample; 0: no noise"},
    {"attenuation", CLI_FLOAT(attenuation, 0, 100, 0, "dB/cm/MHz"), "A",
     "per cm of the way, there and back counted; about 0.5 in tissue"},
    {"region", CLI_STRING(region), "X0:X1,Z0:Z1",
     "region that points and speckle fill; default: where the array has good resolution"},
    {"at", CLI_STRING(at), "X,Z",
     "center of cyst, disk or vessel; default: the center of the region"},
    {"radius", CLI_FLOAT(radius_mm, 0, 1000, 0, "mm"), "MM",
     "of cyst, disk or vessel; 0: 0.14, 0.4 or 0.1 of the region's depth"},
    {"scatterers", CLI_INT(scatterers, 0, 100000000, 0, ""), "N",
     "of speckle (of a vessel: of blood); 0: 10 per resolution cell of 2 x 1 wavelengths"},
    {"threads", CLI_INT(threads, 0, 1024, 0, ""), "N",
     "threads; 0: one per core; the data does not depend on it"},
    {"to", CLI_STRING(send.to), "udp://HOST:PORT",
     "send the frames to this address, as a scanner would (docs/frame-format.md), after all are in "
     "memory; saccade beamform --listen receives them. With -o as well"},
    {"input", CLI_STRING(send.input), "IN",
     "with --to: send the frames of this recording instead of simulated ones"},
    {"rate", CLI_FLOAT(send.rate_hz, 0, 1e7, DEFAULT_RATE_HZ, "Hz"), "HZ",
     "with --to: frames per second; 0: as fast as possible"},
    {"repeat", CLI_INT(repeat, 1, 1000000000, 1, ""), "N",
     "with --to: how many times to send all frames, one after the other"},
    CLI_ROWS_SEND,
};

static const sac_param_table own_options = CLI_TABLE("simulate", simulate_options, params);

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* The least speed that texts of a lens and layers have, and the lens's thickness twice. What is odd
 * about a text the simulator says. */
static void slow_down(double *c_m_s, double *way_m, const char *text, bool is_lens)
{
    for (const char *at = text; at && *at;) {
        char *end;
        const double number = strtod(at, &end);
        if (end == at) {
            return;
        }
        if (*end != ':') {
            *c_m_s = number >= 100 ? fmin(*c_m_s, number) : *c_m_s;
        } else if (is_lens) {
            *way_m += 2e-3 * number;
        }
        at = *end ? end + 1 : end;
    }
}

/* Samples until the last echo is over: a wave passes p at most |p| / c, or |p - e| / c where one
 * element fires, after the origin; the pulse's second half takes 1.4 periods over the bandwidth. */
static int64_t samples_needed(const simulation *s)
{
    const sac_acquisition *a = &s->acquisition;
    double way = 0;
    for (int64_t i = 0; i < s->n_scatterers; i++) {
        const double *p = s->truth[i].position_m, origin[3] = {0, 0, 0};
        double out = distance(p, origin), back = 0;
        for (int32_t e = 0; e < a->n_elements; e++) {
            back = fmax(back, distance(p, a->elements[e].position_m));
        }
        way = fmax(way, fmax(out, back) + back);
    }
    double c_m_s = a->c_m_s;
    slow_down(&c_m_s, &way, s->options->layers, false);
    slow_down(&c_m_s, &way, s->options->lens, true);
    return 1 + (int64_t)ceil(a->fs_hz * (way / c_m_s + 1.4 / (a->bandwidth * a->fc_hz)));
}

static int make_samples(simulation *s)
{
    const sac_acquisition *a = &s->acquisition;
    sac_error err = {0};
    s->n_samples = s->options->samples ? s->options->samples : samples_needed(s);
    int64_t shape[4] = {s->options->frames, a->n_transmits, a->n_elements, s->n_samples};
    if (sac_array_view(&s->array, NULL, SAC_F32, 4, shape, &err) != SAC_OK) {
        return cli_error(&err);
    }
    uint64_t bytes = (uint64_t)sac_array_count(&s->array) * sizeof *s->samples;
    if (bytes > MAX_BYTES) {
        return cli_misuse(&cli_simulate, "the recording would take %.3g GB, more than %.3g",
                          1e-9 * (double)bytes, 1e-9 * (double)MAX_BYTES);
    }
    s->samples = malloc((size_t)sac_array_count(&s->array) * sizeof *s->samples);
    s->array.data = s->samples;
    return s->samples
               ? CLI_DONE
               : cli_fail("no memory for %d frames of %d x %d x %lld samples", s->options->frames,
                          a->n_transmits, a->n_elements, (long long)s->n_samples);
}

/* A frame's share of the whole. */
static bool step(void *ctx, uint64_t done, uint64_t total)
{
    simulation *s = ctx;
    uint64_t before = (uint64_t)s->frame * total, all = (uint64_t)s->options->frames * total;
    return cli_progress_step(&s->progress, before + done, all);
}

static int simulate_frame(simulation *s)
{
    const sac_acquisition *a = &s->acquisition;
    sac_error err = {0};
    sac_array out;
    int64_t shape[3] = {a->n_transmits, a->n_elements, s->n_samples};
    float *frame = s->samples + s->frame * (shape[0] * shape[1] * shape[2]);
    sac_phantom_desc phantom = s->phantom;
    phantom.angle_rad = DEGREE * s->options->rotation_deg * s->frame;
    phantom.frame = s->frame;
    sac_phantom_fill(s->scatterers, &phantom);
    sac_ultrasound_desc desc;
    sac_ultrasound_desc_init(&desc);
    desc.acquisition = a;
    desc.scatterers = s->scatterers;
    desc.n_scatterers = s->n_scatterers;
    desc.n_samples = s->n_samples;
    desc.attenuation_db_cm_mhz = s->options->attenuation;
    desc.noise_db = s->options->noise_db;
    desc.layers = s->options->layers;
    desc.lens = s->options->lens;
    desc.elevation_focus_m = s->elevation_focus_m;
    desc.seed = (uint64_t)s->options->seed + ((uint64_t)s->frame << 32);
    desc.n_threads = s->options->threads;
    desc.progress = step;
    desc.progress_ctx = s;
    if (sac_array_view(&out, frame, SAC_F32, 3, shape, &err) != SAC_OK ||
        sac_simulate_ultrasound(&out, &desc, &err) != SAC_OK) {
        return cli_error(&err);
    }
    return CLI_DONE;
}

static int simulate(simulation *s)
{
    sac_error err = {0};
    char time[16];
    int64_t start_ns = cli_clock_ns();
    cli_progress_open(&s->progress, "echoes");
    int status = CLI_DONE;
    for (s->frame = 0; s->frame < s->options->frames && status == CLI_DONE; s->frame++) {
        status = simulate_frame(s);
    }
    cli_progress_hide(&s->progress);
    if (status != CLI_DONE || !s->options->output) {
        return status;
    }
    if (sac_recording_write(s->options->output, &s->array, &s->acquisition, s->truth,
                            s->n_scatterers, &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (!cli_is_dash(s->options->send.json)) {
        cli_recording_tell_lost(s->options->output, &s->acquisition, s->n_scatterers);
        printf(
            "%s: %d frame%s of %d transmit%s x %d element%s x %lld samples, %lld scatterer%s, in "
            "%s\n",
            s->options->output, s->options->frames, cli_s(s->options->frames),
            s->acquisition.n_transmits, cli_s(s->acquisition.n_transmits),
            s->acquisition.n_elements, cli_s(s->acquisition.n_elements), (long long)s->n_samples,
            (long long)s->n_scatterers, cli_s(s->n_scatterers),
            cli_time_text(time, sizeof time, (double)(cli_clock_ns() - start_ns)));
    }
    return status;
}

/* The recording's frames, as they are. */
static int send_recording(const simulate_options *o)
{
    sac_recording *recording = NULL;
    sac_recording_desc desc;
    sac_recording_desc_init(&desc);
    int status = cli_recording_read(&recording, o->send.input, &desc);
    if (status == CLI_DONE) {
        const sac_array frames = sac_recording_get_array(recording);
        status = cli_send_array(&o->send, &frames, o->repeat);
    }
    sac_recording_close(&recording);
    return status;
}

/* Where the frames go, and that none are simulated where they come from a file. */
static int check(const simulate_options *o)
{
    static const char *const with_input[] = {"input",     "to",       "rate", "repeat",
                                             "fragments", "mtu",      "loss", "reorder",
                                             "duplicate", "truncate", "key",  "json"};
    sac_error err = {0};
    int status = cli_send_check(&cli_simulate, &o->send);
    if (status) {
        return status;
    }
    if (cli_was_given("repeat") && !o->send.to) {
        return cli_misuse(&cli_simulate, "--repeat is of no use without --to");
    }
    if (!o->output && !o->send.to) {
        return cli_misuse(&cli_simulate, "no output given (-o FILE, or --to udp://HOST:PORT)");
    }
    for (int32_t i = 0; i < own_options.n_params && o->send.input; i++) {
        bool is_sent = false;
        for (size_t k = 0; k < sizeof with_input / sizeof *with_input; k++) {
            is_sent = is_sent || !strcmp(own_options.params[i].name, with_input[k]);
        }
        if (!is_sent && cli_was_given(own_options.params[i].name)) {
            return cli_misuse(&cli_simulate, "--input brings its own frames: expected no --%s",
                              own_options.params[i].name);
        }
    }
    if (!o->output) {
        return CLI_DONE;
    }
    char *metadata = cli_outputs_beside(o->output);
    const char *const written[] = {o->output, o->send.json, metadata};
    status = cli_inputs_kept(&cli_simulate, &o->send.key, 1, written, 3);
    status = status ? status : cli_outputs_apart(&cli_simulate, written, 3, "-o and --json");
    free(metadata);
    if (status == CLI_DONE && sac_recording_can_write(o->output, &err) != SAC_OK) {
        status = cli_error(&err);
    }
    return status ? status : cli_report_check(o->output);
}

static int run(int argc, char **argv)
{
    simulate_options options;
    if (argc > 1 && strcmp(argv[1], "meltpool") == 0) {
        return cli_simulate_meltpool.run(argc - 1, argv + 1);
    }
    int status = cli_parse(&cli_simulate, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc != 1 || strcmp(argv[0], "ultrasound") != 0) {
        return cli_misuse(&cli_simulate, "the first argument must be ultrasound or meltpool%s%s",
                          argc ? ", got " : "", argc ? argv[argc > 1 ? 1 : 0] : "");
    }
    status = check(&options);
    if (status != CLI_DONE || options.send.input) {
        return status ? status : send_recording(&options);
    }
    simulation s = {.options = &options};
    status = cli_simulate_array(&s);
    status = status ? status : cli_simulate_transmits(&s);
    status = status ? status : cli_simulate_phantom(&s);
    status = status ? status : make_samples(&s);
    status = status ? status : simulate(&s);
    if (status == CLI_DONE && options.send.to) {
        status = cli_send_array(&options.send, &s.array, options.repeat);
    }
    free(s.elements);
    free(s.transmits);
    free(s.tx_apodization);
    free(s.shapes);
    free(s.receives);
    free(s.scatterers);
    free(s.truth);
    free(s.samples);
    return status;
}

static const char *const examples[] = {
    "20 points seen by 75 plane waves within +-16 degrees, as PICMUS has them",
    "saccade simulate ultrasound --transmits plane:75:16 -o points.h5",
    "a cyst in speckle, in tissue, with noise",
    "saccade simulate ultrasound --phantom cyst --attenuation 0.5 --noise 60 -o cyst.h5",
    "a turning disk, 8 frames, one wave each",
    "saccade simulate ultrasound --phantom disk --transmits plane:1:0 --frames 8 -o disk.h5",
    "blood at 0.5 m/s in tissue that is 40 dB brighter, 64 frames at 5 kHz",
    ("saccade simulate ultrasound --phantom vessel --transmits plane:1:0 --frames 64 \\\n"
     "    --clutter 40 --elements 64 --region -8:8,18:32 -o vessel.h5"),
    "a volume: 32 x 32 elements, five plane waves",
    "saccade simulate ultrasound --array matrix --transmits plane:5:10 -o volume.h5",
    "a row-column array: 16 plane waves each way, lines without edge waves",
    ("saccade simulate ultrasound --array row-column --transmits plane:16:10 --line-taper 1 \\\n"
     "    -o cross.h5"),
    "scan lines of a curved array, each focused 60 mm deep at f/3",
    ("saccade simulate ultrasound --array curved --transmits lines:128:60 --tx-f-number 3 \\\n"
     "    -o lines.h5"),
    "channel data as a scanner sends it, 500 frames a second, from a recording",
    "saccade simulate ultrasound --to udp://127.0.0.1:5030 --input disk.h5 --rate 500 --repeat 100",
    "then look, and measure",
    "saccade beamform points.h5 -o image.h5 && saccade measure image.h5 --points",
    NULL};

const cli_command cli_simulate = {
    .name = "simulate",
    .summary = "simulated sensor data, with its truth",
    .usage = "ultrasound {-o FILE | --to udp://HOST:PORT} [OPTION]...",
    .about =
        "Linear acoustics: each element that fires sends its pulse to every scatterer, which\n"
        "sends it back to every element, attenuated by distance, directivity and tissue. Waves\n"
        "result from the delays of the elements, and so have edge waves and grating lobes. The\n"
        "scatterers of the first frame are written with the data; four of amplitude 0 mark\n"
        "a cyst's rim, three a vessel's center, flow and wall. A melt pool in a printer:\n"
        "`saccade simulate meltpool --help`.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
    .next = &cli_simulate_meltpool,
};
