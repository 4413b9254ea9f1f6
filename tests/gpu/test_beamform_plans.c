/*
 * beamform's plans in random configurations, of the CPU and of a GPU, against a reference in
 * double: every tier, type and layout of data, options, strides and place of arrays, batches of 1
 * to 70.
 *
 *     beamform_plans [--device cpu|cuda[:N]] [--seed S|time] [--count N] [--only K] [--times F]
 *
 * The first configurations go through every tier, type and layout with what fast kernels take; the
 * others are anything. Grids are F times as large along two axes: on a GPU packing pays only then.
 * A fault names seed, configuration and way: `--seed S --only K --times F` repeats it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <time.h>

#include "beamform_bounds.h"
#include "beamform_buffers.h"
#include "beamform_lines.h"
#include "beamform_truth.h"
#include "skip.h"

#define DEFAULT_COUNT 100
#define MOST_FRAMES 70
#define N_TYPES 8 /* of the scene's data */
#define N_SYSTEMATIC (3 * N_TYPES * 2)
#define SHOWN 20 /* faults */

static int64_t n_checks, n_faults, n_blank;
static uint64_t seed = 1, configuration, times = 1;

/* The choices that were kept, and the sizes. */
static const char *name_test(const test *t)
{
    static char text[440];
    const int64_t *n = t->desc.grid.n;
    int at = 0;
    for (int i = 0; i < N_FIELDS; i++)
        if (i != FRAMES && i != SAMPLES && i != POINTS)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s, ",
                           fields[i].values[t->choice[i]]);
    snprintf(text + at, sizeof text - (size_t)at,
             "%sreduction %s over %d, decimation %d, %d frames x %d transmits x %d elements x %d "
             "samples, %d %s",
             t->acquisition.shapes ? "of lines, " : "",
             t->desc.reduction ? t->desc.reduction : "sum", (int)t->desc.reduction_over,
             (int)t->desc.decimation, (int)t->desc.n_frames, (int)t->acquisition.n_transmits,
             (int)t->acquisition.n_elements, (int)t->desc.n_samples,
             (int)(t->desc.points_m ? t->desc.n_points : n[0] * n[1] * n[2]),
             t->desc.points_m ? "listed points"
             : n[1] > 1       ? "points of a volume"
                              : "points");
    return text;
}

static void expect(const test *t, bool good, const char *way, const char *what, double wanted,
                   double got)
{
    n_checks++;
    if (!good && n_faults++ < SHOWN)
        fprintf(stderr,
                "FAULT --seed %" PRIu64 " --only %" PRIu64 ": %s; %s: %s: wanted %.9g, got %.9g\n",
                seed, configuration, name_test(t), way, what, wanted, got);
}

static sac_beamform *open_plan(const test *t, const sac_beamform_desc *desc)
{
    sac_error err = {0};
    sac_beamform *plan = NULL;
    must(sac_beamform_open(&plan, desc, &err), name_test(t), &err);
    return plan;
}

/* Frame f of the channel data by itself, as acquired. */
static char *one_frame(const test *t, int64_t f)
{
    const size_t size = sac_dtype_size(t->desc.dtype);
    const int64_t n_frames = t->desc.n_frames, n = sac_array_count(&t->shape) / n_frames;
    char *frame = malloc((size_t)n * size);
    if (!frame)
        exit(1);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = t->desc.layout == SAC_FRAMES_INNER ? i * n_frames + f : f * n + i;
        memcpy(frame + (size_t)i * size, t->data + (size_t)from * size, size);
    }
    return frame;
}

/* What the picture is to be, in double; decibels as such, gray before it is rounded. */
typedef struct reference {
    double *values; /* (n_frames, n_values) */
    int64_t n_values;
} reference;

/* Frame by frame, by the reference of every room, in one thread: of IQ its complex values, of RF
 * the samples or their envelope. Magnitudes and decibels are this program's own, in double. */
static reference refer(const test *t)
{
    test own = *t;
    sac_beamform_desc *d = &own.desc;
    d->device = (sac_device){SAC_DEVICE_CPU, 0};
    d->variant = "ref";
    d->tier = SAC_TIER_EXACT;
    d->n_threads = 1;
    d->layout = SAC_FRAMES_OUTER;
    d->n_frames = 1;
    d->output = truth_is_rf(d) && d->output != SAC_OUTPUT_IQ ? SAC_OUTPUT_ENVELOPE : SAC_OUTPUT_IQ;
    d->lri = d->lri || truth_has_field(t);
    double *arrivals = truth_give_arrivals(&own, t);
    d->tx_f_number = 0;
    d->tx_apodization = NULL;
    d->picture = (sac_grid){0};
    sac_beamform *plan = open_plan(t, d);
    sac_array out = sac_beamform_get_output_array(plan), in;
    const int64_t n_all = sac_array_count(&out);
    const int64_t n = truth_has_field(t) ? n_all / t->acquisition.n_transmits : n_all;
    const int64_t *m = t->desc.picture.n;
    const int64_t n_images = t->desc.lri ? t->acquisition.n_transmits : 1;
    const int64_t n_out = m[0] ? m[0] * m[1] * m[2] * n_images : n;
    const int64_t shape[] = {1, t->acquisition.n_transmits, t->acquisition.n_elements,
                             d->n_samples};
    const bool complex_out = !truth_is_rf(d) && t->desc.output == SAC_OUTPUT_IQ;
    const int n_parts = truth_is_rf(d) ? 1 : 2;
    reference r = {.n_values = complex_out ? 2 * n : n_out};
    r.values = malloc((size_t)(t->desc.n_frames * r.n_values) * sizeof *r.values);
    float *image = malloc((size_t)n_all * 2 * sizeof *image);
    double *values = malloc((size_t)n_all * 2 * sizeof *values);
    if (!r.values || !image || !values)
        exit(1);
    out.data = image;
    for (int64_t f = 0; f < t->desc.n_frames; f++) {
        char *frame = one_frame(t, f);
        must(sac_array_view(&in, frame, d->dtype, 4, shape, NULL), "view", NULL);
        must(sac_beamform_run(plan, &out, &in, NULL), "reference", NULL);
        if (truth_has_field(t))
            truth_compound(values, t, image, n, n_parts);
        for (int64_t i = 0; i < n_parts * n && !truth_has_field(t); i++)
            values[i] = (double)image[i];
        /* Of coherence nothing below 0 is shown. */
        for (int64_t i = 0; i < n && !complex_out && reduces(t, "slsc"); i++)
            values[2 * i] = fmax(values[2 * i], 0);
        truth_finish(r.values + f * r.n_values, t, values, n, r.n_values);
        free(frame);
    }
    free(arrivals);
    free(values);
    free(image);
    sac_beamform_close(&plan);
    return r;
}

/* As amplitudes, where these are decibels or levels. */
static double amplitude(const test *t, double value)
{
    if (t->desc.output == SAC_OUTPUT_GRAY)
        value = (value / 255 - 1) * t->desc.dynamic_range_db;
    return truth_is_db(&t->desc) ? pow(10, value / 20) : value;
}

#define LEVEL 0.02 /* relative: half a level of 80 dB / 255 */

static double energy_of(const test *t)
{
    reference r = refer(t);
    double sum = 0;
    for (int64_t i = 0; i < t->desc.n_frames * r.n_values; i++)
        sum += r.values[i] * r.values[i];
    free(r.values);
    return sum;
}

/*
 * At its end a window's edge is rounded to 2^-24 of a whole weight (docs/numerics.md). Of a picture
 * that is heard there alone that may be more than the rest: by as much as the picture is louder
 * where all of the aperture weighs 1, and twice below a largest value, which is off, too.
 */
static double edge_bound(const test *t)
{
    test own = *t;
    const char *window = t->desc.apodization;
    if (t->desc.f_number == 0 || t->desc.reduction || (window && !strcmp(window, "rect")))
        return 0;
    if (own.desc.output != SAC_OUTPUT_IQ)
        own.desc.output = SAC_OUTPUT_ENVELOPE;
    const double heard = energy_of(&own);
    own.desc.apodization = "rect";
    return 2 * 0x1p-24 * sqrt(energy_of(&own) / heard);
}

/*
 * Relative L2 error; of gray the largest step. Half precision is off by a part of the picture's
 * mean, in dark places levels: there gray, too, is compared as amplitudes. No picture of zeros is
 * within any of these. Where no point hears anything, the reference is zeros, and so has to be the
 * picture; there may be few such.
 */
static void compare(const test *t, const char *way, const reference *want, const char *got)
{
    const int64_t n = t->desc.n_frames * want->n_values;
    const bool gray = t->desc.output == SAC_OUTPUT_GRAY, half = t->desc.tier == SAC_TIER_FAST;
    double *squares = malloc((size_t)n * sizeof *squares), scale = 0, step = 0;
    for (int64_t i = 0; squares && i < n; i++) {
        const double found = gray ? (double)((const uint8_t *)got)[i]
                                  : (double)((const float *)(const void *)got)[i];
        const double x = amplitude(t, want->values[i]), y = amplitude(t, found);
        step = fmax(step, fabs(want->values[i] - found));
        squares[i] = (x - y) * (x - y);
        scale += x * x;
    }
    if (!squares)
        exit(1);
    const double sum = sum_of(squares, n, scale == 0 ? 0 : count_turned(t, n));
    free(squares);
    if (scale == 0) {
        n_blank++;
        expect(t, sum == 0, way, "the reference is blank", 0, sqrt(sum));
        return;
    }
    const double error = sqrt(sum / scale);
    double bound = reduced_bound(t) + (gray ? LEVEL : 0);
    if (error > bound) /* which is rare */
        bound += edge_bound(t);
    expect(t, isfinite(scale), way, "the reference is no number", 1, scale);
    expect(t, error <= bound, way, "relative error", bound, error); /* NaN, too */
    if (gray && !half)
        expect(t, step <= 1.5, way, "gray differs", 1.5, step); /* a level, and rounding's half */
}

static const char *const places[] = {"host", "page-locked", "device"};
static const char *const lies[] = {"packed", "gaps", "sparse"};

typedef struct way {
    place in, out;
    lie in_lie, out_lie;
} way;

static const char *name_of(const way *w, bool is_stream)
{
    static char text[80];
    snprintf(text, sizeof text, "%s %s to %s %s%s", places[w->in], lies[w->in_lie], places[w->out],
             lies[w->out_lie], is_stream ? ", on a stream" : "");
    return text;
}

/* The plan's picture, packed. */
static char *run(const test *t, sac_beamform *plan, const way *w)
{
    const sac_array shape = sac_beamform_get_output_array(plan);
    const char *name = name_of(w, t->desc.stream != NULL);
    buffer in = new_buffer(&t->shape, w->in, w->in_lie);
    buffer out = new_buffer(&shape, w->out, w->out_lie);
    put(&in, t->data);
    if (out.device)
        copy(out.device, out.host, out.bytes);
    sac_error err = {0};
    const sac_status status = sac_beamform_run(plan, &out.array, &in.array, &err);
    expect(t, status == SAC_OK, name, err.text, SAC_OK, status);
    if (t->desc.stream)
        must(sac_gpu_wait(t->desc.stream), "wait", NULL);
    char *image = get(&out), *data = get(&in);
    const size_t bytes = (size_t)sac_array_count(&t->shape) * sac_dtype_size(t->desc.dtype);
    expect(t, is_whole_around(&out), name, "wrote beside the picture", 0, 1);
    expect(t, !memcmp(data, t->data, bytes), name, "changed its input", 0, 1);
    free(data);
    free_buffer(&in);
    free_buffer(&out);
    return image;
}

/* Any way of handing over gives the bytes of the first. */
static void run_ways(const test *t, uint64_t *state, int n_ways, const reference *want,
                     char **first)
{
    sac_beamform *plan = open_plan(t, &t->desc);
    const sac_array shape = sac_beamform_get_output_array(plan);
    const size_t bytes = (size_t)sac_array_count(&shape) * sac_dtype_size(shape.dtype);
    for (int i = 0; i < n_ways; i++) {
        way w = {.in_lie = (lie)(next(state) % 3), .out_lie = (lie)(next(state) % 3)};
        w.in = gpu ? (place)(next(state) % 3) : HOST;
        w.out = gpu ? (place)(next(state) % 3) : HOST;
        if (t->desc.stream) /* takes arrays on the device alone */
            w.in = w.out = DEVICE;
        if (w.in == DEVICE && w.in_lie == SPARSE && t->desc.layout == SAC_FRAMES_OUTER)
            w.in_lie = GAPS; /* samples side by side are asked for */
        char *got = run(t, plan, &w);
        const char *name = name_of(&w, t->desc.stream != NULL);
        if (!*first) {
            compare(t, name, want, got);
            *first = got;
            continue;
        }
        expect(t, !memcmp(got, *first, bytes), name, "other bytes than the first way's", 0, 1);
        free(got);
    }
    sac_beamform_close(&plan);
}

static bool go_on(void *ctx, uint64_t done, uint64_t all)
{
    *(int *)ctx += done <= all;
    return true;
}

static void try_configuration(test *t, uint64_t *state)
{
    const reference want = refer(t);
    test other = *t;
    char *first = NULL;
    int n_calls = 0;
    t->desc.device = gpu ? on_gpu : (sac_device){SAC_DEVICE_CPU, 0};
    run_ways(t, state, 3, &want, &first);
    other.desc = t->desc;
    other.desc.n_threads = 1 + (int32_t)(next(state) % 4);
    if (gpu)
        other.desc.stream = next(state) % 2 ? sac_gpu_main_stream(gpu) : NULL;
    if (next(state) % 4 == 0) {
        other.desc.progress = go_on;
        other.desc.progress_ctx = &n_calls;
    }
    /* Passes of parts are other blocks of points: other roundings. */
    char *parts = NULL;
    run_ways(&other, state, 2, &want, other.desc.progress && !gpu ? &parts : &first);
    expect(t, !other.desc.progress || n_calls > 0, "progress", "calls", 1, n_calls);
    free(parts);
    free(first);
    free(want.values);
}

/* Sizes that leave some points without an echo, and none without any. */
static void resize(test *t, uint64_t *state)
{
    sac_beamform_desc *d = &t->desc;
    const bool fine = truth_is_rf(d) && d->output != SAC_OUTPUT_IQ;
    const int points = t->choice[POINTS];
    const bool volume = points == VOLUME || points == NARROW;
    d->n_samples = 80 + (int64_t)(next(state) % 180);
    d->n_points = d->points_m ? 25 + (int64_t)(next(state) % 475) : 0;
    if (points == ANGLES || points == RANGES) /* whole rows */
        d->n_points -= d->n_points % (points == ANGLES ? LIST_W : LIST_H);
    d->grid.n[points == SIDE] = (volume ? 3 : 2) + (int64_t)(next(state) % (volume ? 6 : 22));
    d->grid.n[2] = 6 + (int64_t)(next(state) % (volume ? 6 : 28));
    d->grid.n[0] *= (int64_t)times;
    d->grid.n[2] *= (int64_t)times;
    if (fine)
        d->grid.last_m[2] = d->grid.first_m[2] + 0.05e-3 * (double)(d->grid.n[2] - 1);
}

/* Adaptive weights, in a third of what allows them: those of a line of elements are the last. */
static void reduce(test *t, uint64_t *state)
{
    static const char *const ways[] = {"cf", "dmas", "scf", "dmas:3", "gcf", "slsc", "mv:0.4"};
    const bool alone = t->desc.lri || t->choice[FIELD] != EVERYWHERE;
    const uint64_t draw = next(state), over = next(state);
    if (truth_is_rf(&t->desc) || draw % 3 || t->acquisition.receives)
        return;
    const uint64_t n_ways = t->choice[ARRAY] <= 1 ? 7 : 4;
    t->desc.reduction = ways[draw / 3 % n_ways];
    if (reduces(t, "scf") && t->desc.output == SAC_OUTPUT_GRAY) /* whose signs turn by a rounding */
        t->desc.reduction = "cf";
    if (reduces(t, "scf") && t->desc.output == SAC_OUTPUT_BMODE) /* the largest value's, too */
        t->desc.output = SAC_OUTPUT_ENVELOPE;
    t->desc.memory_mb = (int32_t)(over / 4 % 2); /* so little that points go in several passes */
    t->desc.reduction_over =
        alone ? SAC_OVER_TRANSMIT : (int32_t)(over % (draw / 3 % n_ways < 4 ? 4 : 3));
}

/* Configuration k of the seed; freed by free_test, not to be moved, nor its lines. */
static void new_configuration(test *t, test_lines *lines, uint64_t *state, uint64_t k)
{
    *t = (test){0};
    sac_beamform_desc *d = &t->desc;
    choose(t, state, -1);
    if (k < N_SYSTEMATIC) {
        t->choice[TIER] = (int)(k % 3);
        t->choice[DATA] = (int)(k / 3 % N_TYPES);
        t->choice[LAYOUT] = (int)(k / 3 / N_TYPES);
        t->choice[INTERP] = t->choice[OUTSIDE] = 0;
    }
    sac_beamform_desc_init(d);
    sac_acquisition_init(&t->acquisition);
    t->acquisition.fs_hz = 20e6;
    t->acquisition.fc_hz = 5e6;
    t->acquisition.bandwidth = 0.6;
    t->acquisition.c_m_s = 1540 + 40 * noise(state);
    d->acquisition = &t->acquisition;
    set_options(t);
    if (d->decimation > 1)
        d->decimation = 2 + (int32_t)(next(state) % 4);
    d->n_threads = 1 + (int32_t)(next(state) % 3);
    d->dynamic_range_db = 40 + 20 * (double)(next(state) % 3);
    make_array(t, state, 10 + (int32_t)(next(state) % (MAX_ELEMENTS - 9)));
    make_points(t, state, false);
    resize(t, state);
    const int64_t *n = d->grid.n;
    make_transmits(t, state, d->points_m ? d->n_points : n[0] * n[1] * n[2]);
    t->acquisition.n_transmits = 1 + (int32_t)(next(state) % (uint64_t)t->acquisition.n_transmits);
    make_amplitudes(t, state);
    if (k >= N_SYSTEMATIC && next(state) % 5 == 0)
        make_lines(t, lines, state);
    if (truth_is_rf(d) &&
        d->output != SAC_OUTPUT_IQ) /* the reference's plan has no envelope of a sum */
        t->choice[FIELD] = EVERYWHERE;
    set_field(t);
    reduce(t, state);
    const uint64_t least = k < N_SYSTEMATIC ? 17 : 1;
    set_frames(t, state, (int64_t)(least + next(state) % (MOST_FRAMES + 1 - least)));
}

/* Between 0 and a seed's neighbour there are as many states as numbers (Fibonacci hashing). */
static uint64_t state_of(uint64_t k)
{
    uint64_t state = (seed * UINT64_C(0x9E3779B97F4A7C15) ^ (k + 1) * UINT64_C(0xBF58476D1CE4E5B9));
    state |= 1;
    for (int i = 0; i < 4; i++)
        (void)next(&state);
    return state;
}

static int usage(void)
{
    fputs("usage: beamform_plans [--device cpu|cuda[:N]] [--seed S|time] [--count N] [--only K] "
          "[--times F]\n",
          stderr);
    return 2;
}

int main(int n, char **args)
{
    uint64_t count = DEFAULT_COUNT, from = 0;
    sac_device device = {SAC_DEVICE_CPU, 0};
    sac_error err = {0};
    for (int i = 1; i + 1 < n; i += 2) {
        if (!strcmp(args[i], "--seed"))
            seed =
                strcmp(args[i + 1], "time") ? strtoull(args[i + 1], NULL, 0) : (uint64_t)time(NULL);
        else if (!strcmp(args[i], "--count"))
            count = strtoull(args[i + 1], NULL, 0);
        else if (!strcmp(args[i], "--times"))
            times = strtoull(args[i + 1], NULL, 0);
        else if (!strcmp(args[i], "--only"))
            from = strtoull(args[i + 1], NULL, 0), count = 1;
        else if (strcmp(args[i], "--device") || sac_device_parse(&device, args[i + 1], NULL))
            return usage();
    }
    if (n % 2 == 0)
        return usage();
    if (device.kind == SAC_DEVICE_CUDA && sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    if (device.kind == SAC_DEVICE_CUDA && sac_gpu_open(&gpu, device.index, &err) != SAC_OK) {
        fprintf(stderr, "beamform_plans: %s\n", err.text);
        return 1;
    }
    on_gpu = device;
    printf("seed %" PRIu64 ", %" PRIu64 " configurations\n", seed, count);
    for (configuration = from; configuration < from + count; configuration++) {
        uint64_t state = state_of(configuration);
        test t;
        test_lines lines;
        new_configuration(&t, &lines, &state, configuration);
        try_configuration(&t, &state);
        free_test(&t);
    }
    sac_gpu_close(&gpu);
    printf("%" PRId64 " checks, %" PRId64 " failed, %" PRId64 " of blank pictures\n", n_checks,
           n_faults, n_blank);
    if (count > 20 && n_blank > n_checks / 20)
        return fputs("beamform_plans: too many of the references are blank\n", stderr), 1;
    return n_faults > 0;
}
