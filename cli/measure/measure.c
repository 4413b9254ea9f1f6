/*
 * saccade measure: resolution and contrast of beamformed images.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "report.h"
#include "options.h"
#include "outputs.h"

typedef struct measure_options {
    size_t struct_size;
    bool points, cyst, flow;
    const char *at, *vessel;
    double prf_hz;
    int32_t frame;
    const char *json;
} measure_options;

#define FIELD(name) offsetof(measure_options, name)

static const sac_param params[] = {
    {"points", CLI_FLAG(points), NULL, "point targets: place, -6 dB widths, peak side lobe"},
    {"cyst", CLI_FLAG(cyst), NULL, "a cyst in speckle: contrast, CNR, gCNR, speckle SNR"},
    {"flow", CLI_FLAG(flow), NULL,
     "velocities in a vessel, as saccade flow writes them: bias, deviation, profile"},
    {"at", CLI_STRING(at), "X,Z[,R]",
     "the target, or the cyst's center and radius; default: the truth in a simulated file"},
    {"vessel", CLI_STRING(vessel), "X,Z,R,DEG,M_S",
     "of --flow: center, radius (mm), angle and speed in the axis; default: the truth in a "
     "simulated file"},
    {"prf", CLI_FLOAT(prf_hz, 0, 1e6, 0, "Hz"), "HZ",
     "of --flow: frames a second of the simulation; 0: as the file says"},
    {"frame", CLI_INT(frame, 0, INT32_MAX, 0, ""), "N",
     "which image of the file: number over frames and transmits"},
    {"json", CLI_STRING(json), "FILE",
     "write every row as JSON; - is standard output, and then no table is printed"},
};

static const sac_param_table own_options = CLI_TABLE("measure", measure_options, params);

#define MOST_REACH_M 5e-3
#define MOST_POINTS 10000 /* truth of more is speckle */

/* The frame, of an array with axes (frames, [transmits,] z, [y,] x). */
static int take_frame(sac_array *frame, const cli_measurement *m, const sac_array *all)
{
    int32_t inner = m->info->grid.n[1] > 1 ? 3 : 2, outer = all->n_dims - inner;
    int64_t n = 1, left = m->frame;
    if (outer < 0) {
        return cli_fail("`%s`: the image has %d axes, expected %d or more", m->input, all->n_dims,
                        inner);
    }
    *frame = *all;
    char *data = all->data;
    for (int32_t i = outer - 1; i >= 0; i--) {
        data += left % all->shape[i] * all->stride[i];
        left /= all->shape[i];
        n *= all->shape[i];
    }
    if (left > 0) {
        return cli_misuse(&cli_measure, "--frame: `%s` has images 0 to %lld, asked for %d",
                          m->input, (long long)n - 1, m->frame);
    }
    frame->data = data;
    frame->n_dims = inner;
    for (int32_t i = 0; i < inner; i++) {
        frame->shape[i] = all->shape[outer + i];
        frame->stride[i] = all->stride[outer + i];
    }
    return CLI_DONE;
}

/* Half a sample beyond the border is still in the image, a wavelength beside its plane too. */
static bool is_in_image(const sac_image_info *info, const double p_m[3])
{
    const sac_grid *grid = &info->grid;
    const double *apex = info->sector.apex_m;
    double lambda_m = info->fc_hz > 0 && info->c_m_s > 0 ? info->c_m_s / info->fc_hz : 0.5e-3;
    double at_m[3] = {p_m[0], p_m[1], p_m[2]};
    if (info->grid_kind == SAC_GRID_SECTOR) {
        const double x = p_m[0] - apex[0], y = p_m[1] - apex[1], z = p_m[2] - apex[2];
        at_m[0] = atan2(x, z);
        at_m[1] = grid->n[1] > 1 ? atan2(y, hypot(x, z)) : grid->first_m[1] + y;
        at_m[2] = hypot(hypot(x, z), y) - info->sector.radius_m;
    }
    for (int i = 0; i < 3; i++) {
        bool flat = grid->n[i] == 1;
        double length = flat ? lambda_m : grid->last_m[i] - grid->first_m[i];
        double along = (at_m[i] - grid->first_m[i]) / length;
        double beyond = flat ? 1 : 0.5 / (double)(grid->n[i] - 1);
        if (!(along >= -beyond && along <= 1 + (flat ? 0 : beyond))) {
            return false;
        }
    }
    return true;
}

static void add_target(cli_measurement *m, const double at_m[3], double radius_m)
{
    if (!is_in_image(m->info, at_m)) {
        m->n_outside++;
        return;
    }
    m->targets = cli_grow(m->targets, m->n_targets, m->n_targets + 1, sizeof *m->targets);
    m->targets[m->n_targets++] = (cli_target){
        .at_m = {at_m[0], at_m[1], at_m[2]}, .radius_m = radius_m, .reach_m = MOST_REACH_M};
}

/* The image's y, in metres. */
static double plane_of(const sac_image_info *info)
{
    return info->grid_kind == SAC_GRID_SECTOR ? info->sector.apex_m[1] : info->grid.first_m[1];
}

static int take_asked(cli_measurement *m, const char *text)
{
    double x, z, r = 0;
    char more = 0;
    int n = sscanf(text, "%lf,%lf,%lf%c", &x, &z, &r, &more);
    if (n != (m->is_cyst ? 3 : 2) || more || !isfinite(x + z + r) || (m->is_cyst && r <= 0)) {
        return cli_misuse(&cli_measure, "--at: expected %s in mm, got %s",
                          m->is_cyst ? "X,Z,R" : "X,Z", text);
    }
    const double at_m[3] = {1e-3 * x, plane_of(m->info), 1e-3 * z};
    add_target(m, at_m, 1e-3 * r);
    return CLI_DONE;
}

/* Scatterers of amplitude 0 mark a cyst's rim. */
static void take_cyst(cli_measurement *m)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < m->info->n_truth; i++) {
        const sac_scatterer *s = &m->info->truth[i];
        for (int k = 0; k < 3 && s->amplitude == 0; k++) {
            low[k] = fmin(low[k], s->position_m[k]);
            high[k] = fmax(high[k], s->position_m[k]);
        }
    }
    if (high[0] > low[0]) {
        const double at_m[3] = {0.5 * (low[0] + high[0]), plane_of(m->info),
                                0.5 * (low[2] + high[2])};
        add_target(m, at_m, 0.5 * (high[0] - low[0]));
    }
}

/* A target's surroundings end half way to the next, wherever that lies. */
static void take_points(cli_measurement *m)
{
    const sac_scatterer *truth = m->info->truth;
    for (int64_t i = 0; i < m->info->n_truth && m->info->n_truth <= MOST_POINTS; i++) {
        size_t before = m->n_targets;
        if (truth[i].amplitude == 0) {
            continue;
        }
        add_target(m, truth[i].position_m, 0);
        for (int64_t k = 0; k < m->info->n_truth && m->n_targets > before; k++) {
            const double *a = truth[i].position_m, *b = truth[k].position_m;
            double d = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            cli_target *t = &m->targets[before];
            t->reach_m = k == i ? t->reach_m : fmin(t->reach_m, 0.5 * d);
        }
    }
}

static int take_targets(cli_measurement *m, const char *at)
{
    int status = CLI_DONE;
    if (at) {
        status = take_asked(m, at);
    } else if (m->is_cyst) {
        take_cyst(m);
    } else {
        take_points(m);
    }
    if (status == CLI_DONE && m->n_targets == 0) {
        const char *what = at ? "that place" : m->is_cyst ? "the cyst" : "the points";
        return m->n_outside ? cli_fail("`%s`: the image does not show %s", m->input, what)
                            : cli_fail("`%s`: no truth about %s in the file; say where with --at",
                                       m->input, m->is_cyst ? "a cyst" : "points");
    }
    return status;
}

static int measure(cli_measurement *m, const sac_ultrasound_image *image)
{
    sac_error err = {0};
    for (size_t i = 0; i < m->n_targets; i++) {
        cli_target *t = &m->targets[i];
        const sac_sector *sector = m->info->grid_kind == SAC_GRID_SECTOR ? &m->info->sector : NULL;
        sac_status st;
        if (m->is_cyst) {
            st = sector
                     ? sac_measure_sector_cyst(&t->cyst, image, sector, t->at_m, t->radius_m, &err)
                     : sac_measure_cyst(&t->cyst, image, t->at_m, t->radius_m, &err);
        } else {
            st = sector
                     ? sac_measure_sector_point(&t->point, image, sector, t->at_m, t->reach_m, &err)
                     : sac_measure_point(&t->point, image, t->at_m, t->reach_m, &err);
        }
        if (st != SAC_OK) {
            return cli_fail("`%s`: %s", m->input, err.text);
        }
    }
    return CLI_DONE;
}

/* Whether the command line asks for the other form. */
static bool is_of_noise(int argc, char **argv)
{
    bool is = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        is |= strcmp(argv[i], "--noise") == 0;
    }
    return is;
}

/* Points or a cyst in the frame. */
static int measure_targets(cli_measurement *m, const sac_array *frame,
                           const measure_options *options)
{
    int status = take_targets(m, options->at);
    if (status == CLI_DONE) {
        sac_ultrasound_image shown;
        sac_ultrasound_image_init(&shown);
        shown.samples = frame;
        shown.grid = m->info->grid;
        shown.output = m->info->output;
        status = measure(m, &shown);
    }
    status = status ? status : cli_measure_report(m, options->json);
    free(m->targets);
    return status;
}

static int measure_image(const sac_image *image, const char *path, const measure_options *options)
{
    cli_measurement m = {.input = path,
                         .frame = options->frame,
                         .is_cyst = options->cyst,
                         .info = sac_image_get_info(image)};
    const sac_array all = sac_image_get_array(image);
    sac_array frame;
    if (options->flow && m.info->output == SAC_OUTPUT_VELOCITY_POWER) {
        m.frame *= 2; /* of an ensemble, velocities are the first plane */
    }
    const int status = take_frame(&frame, &m, &all);
    if (status || !options->flow) {
        return status ? status : measure_targets(&m, &frame, options);
    }
    const cli_flow_error f = {path, options->vessel, options->json, options->frame,
                              options->prf_hz};
    return cli_measure_flow(&f, &frame, m.info);
}

static int run(int argc, char **argv)
{
    if (is_of_noise(argc, argv)) {
        return cli_measure_noise.run(argc, argv);
    }
    measure_options options;
    sac_error err = {0};
    int status = cli_parse(&cli_measure, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc != 1) {
        return cli_misuse(&cli_measure, argc ? "one image at a time, got %d" : "no image given",
                          argc);
    }
    if (options.points + options.cyst + options.flow != 1) {
        return cli_misuse(&cli_measure,
                          "expected --flow, --points or --cyst, or of a clip --noise");
    }
    const char *const read[] = {argv[0]}, *const written[] = {options.json};
    status = cli_inputs_kept(&cli_measure, read, 1, written, 1);
    status = status ? status : cli_report_check(options.json);
    if (status) {
        return status;
    }
    sac_image *image = NULL;
    if (sac_image_read(&image, argv[0], &err) != SAC_OK) {
        return cli_error(&err);
    }
    status = measure_image(image, argv[0], &options);
    sac_image_close(&image);
    return status;
}

static const char *const examples[] = {
    "resolution at every point of a simulated phantom",
    "saccade measure image.h5 --points",
    "at one point of a real one, as data",
    "saccade measure image.h5 --points --at 0,28.5 --json widths.json",
    "velocities of simulated blood",
    "saccade measure color.h5 --flow",
    "contrast of a cyst of 4 mm radius",
    "saccade measure image.h5 --cyst --at 0,25,4",
    NULL};

const cli_command cli_measure = {
    .name = "measure",
    .summary = "resolution, contrast, flow error of an image; a camera's noise",
    .usage = "IMAGE.h5 --points|--cyst|--flow [OPTION]...",
    .about =
        "Points: the brightest place near each target, interpolated; its distance from the\n"
        "truth; widths at half its magnitude (-6 dB); the peak side lobe of the lateral\n"
        "profile.\n"
        "Cyst: inside is the disc of 0.8 radius, outside the ring of equal area from 1.2 radii\n"
        "on. Contrast, the CNR of CUBDL and gCNR (100 bins) are of the envelope, the CNR of\n"
        "PICMUS of the image in dB. Fully developed speckle has an SNR of 1.91.\n"
        "Flow: velocities in a vessel against a parabola, along the beam, which is z. The best\n"
        "fit's speed in the axis, and means in eleven parts from wall to wall.\n"
        "A B-mode picture is measured down to its floor: use a large --dynamic-range, or\n"
        "--kind envelope.\n"
        "A camera's noise, from a clip: `saccade measure --noise --help`.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
    .next = &cli_measure_noise,
};
