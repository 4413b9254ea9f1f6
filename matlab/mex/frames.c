/*
 * saccade_read_frames, saccade_simulate_meltpool: frames (h, w, n) of uint8 with signals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool.h"

#include <string.h>

#include <saccade/frames.h>

#define MOST 1e9 /* of frames and seeds that an option gives */

static void close_frames(void *file)
{
    sac_frames_in *f = file;
    sac_frames_close(&f);
}

static void close_simulation(void *simulation)
{
    sac_meltpool_sim *s = simulation;
    sac_meltpool_sim_close(&s);
}

static int64_t whole(const mxArray *value, const char *name, double least)
{
    const double number = mat_number(value, name);
    if (!(number >= least && number <= MOST && number == (double)(int64_t)number))
        mat_fail(SAC_E_INVALID, "%s: expected a whole number from %g to %g, got %g", name, least,
                 MOST, number);
    return (int64_t)number;
}

static const struct {
    const char *name;
    size_t offset;
    bool is_int;
} truth_fields[] = {
    {"regime", offsetof(sac_meltpool_truth, regime), true},
    {"layer", offsetof(sac_meltpool_truth, layer), true},
    {"n_spatters", offsetof(sac_meltpool_truth, n_spatters), true},
    {"x", offsetof(sac_meltpool_truth, x), false},
    {"y", offsetof(sac_meltpool_truth, y), false},
    {"sigma_perp", offsetof(sac_meltpool_truth, sigma_perp), false},
    {"sigma_par", offsetof(sac_meltpool_truth, sigma_par), false},
    {"tail", offsetof(sac_meltpool_truth, tail), false},
    {"angle_rad", offsetof(sac_meltpool_truth, angle_rad), false},
    {"amplitude", offsetof(sac_meltpool_truth, amplitude), false},
    {"power_w", offsetof(sac_meltpool_truth, power_w), false},
    {"width_m", offsetof(sac_meltpool_truth, width_m), false},
    {"depth_m", offsetof(sac_meltpool_truth, depth_m), false},
    {"enthalpy", offsetof(sac_meltpool_truth, enthalpy), false},
    {"lof_density", offsetof(sac_meltpool_truth, lof_density), false},
    {"keyhole_density", offsetof(sac_meltpool_truth, keyhole_density), false},
};
#define N_TRUTH (sizeof truth_fields / sizeof *truth_fields)

/* A struct of columns (n, 1): int32 and single, as the library has them. */
static mxArray *new_truth(const sac_meltpool_truth *truth, int64_t n)
{
    const char *names[N_TRUTH];
    for (size_t k = 0; k < N_TRUTH; k++)
        names[k] = truth_fields[k].name;
    mxArray *to = mxCreateStructMatrix(1, 1, N_TRUTH, names);
    for (size_t k = 0; k < N_TRUTH; k++) {
        mxArray *column =
            mat_new(truth_fields[k].is_int ? SAC_I32 : SAC_F32, 2, (const int64_t[]){n, 1});
        char *v = mxGetData(column);
        for (int64_t i = 0; i < n; i++) /* both are of 4 bytes */
            memcpy(v + 4 * i, (const char *)&truth[i] + truth_fields[k].offset, 4);
        mxSetField(to, 0, names[k], column);
    }
    return to;
}

static mxArray *new_calibration(const double m[2][3])
{
    mxArray *to = mat_new(SAC_F64, 2, (const int64_t[]){2, 3});
    double *v = mxGetData(to);
    for (int i = 0; i < 6; i++)
        v[i] = m[i % 2][i / 2];
    return to;
}

void mat_read_frames(mat_call *call)
{
    sac_error err = {0};
    sac_frames_in *file = NULL;
    mat_expect(call, 1, 4);
    if (call->n_in > 3)
        mat_fail(SAC_E_INVALID, "saccade_read_frames: expected at most 3 arguments, got %d",
                 call->n_in);
    mat_check(sac_frames_open(&file, mat_text(call->in[0], "path"), &err), &err);
    mat_keep(file, close_frames);
    const sac_frames_info *info = sac_frames_get_info(file);
    const int64_t first = call->n_in > 1 ? whole(call->in[1], "first", 1) - 1 : 0;
    const int64_t rest = first < info->n_frames ? info->n_frames - first : 0;
    const int64_t n = call->n_in > 2 ? whole(call->in[2], "n", 1) : rest;
    const int64_t shape[] = {info->h, info->w, n};
    if (n < 1 || n > rest)
        mat_fail(SAC_E_INVALID,
                 "first: the file has %lld frames, and %lld from number %lld on are "
                 "asked for",
                 (long long)info->n_frames, (long long)n, (long long)first + 1);
    uint8_t *rows = mat_alloc((size_t)(n * info->h * info->w), 1);
    sac_meltpool_signals *signals = mat_alloc((size_t)n, sizeof *signals);
    sac_meltpool_truth *truth = mat_alloc((size_t)n, sizeof *truth);
    mat_check(sac_frames_read(file, rows, info->has_signals ? signals : NULL,
                              info->has_truth ? truth : NULL, first, n, &err),
              &err);
    call->out[0] = mat_new(SAC_U8, 3, shape);
    mat_transpose(mxGetData(call->out[0]), rows, info->w, info->h, n);
    mxArray *empty = mat_new(SAC_F64, 2, (const int64_t[]){0, 0});
    if (call->n_out > 1)
        call->out[1] = info->has_signals ? mat_signals_new(signals, n) : mxDuplicateArray(empty);
    if (call->n_out > 2)
        call->out[2] = info->has_calibration
                           ? new_calibration((const double(*)[3])info->calibration)
                           : mxDuplicateArray(empty);
    if (call->n_out > 3)
        call->out[3] = info->has_truth ? new_truth(truth, n) : mxDuplicateArray(empty);
}

static bool simulate_option(void *ctx, const char *name, const mxArray *value)
{
    static const char *const regimes[] = {"nominal", "keyhole", "lof", "mixed", NULL};
    sac_simulate_meltpool_desc *desc = ctx;
    if (strcmp(name, "seed") == 0) {
        desc->seed = (uint64_t)whole(value, name, 0);
    } else if (strcmp(name, "regime") == 0) {
        const char *text = mat_text(value, name);
        for (desc->regime = 0; regimes[desc->regime]; desc->regime++)
            if (strcmp(regimes[desc->regime], text) == 0)
                return true;
        mat_fail(SAC_E_INVALID, "regime: expected nominal, keyhole, lof or mixed, got `%s`", text);
    } else {
        mat_fail(SAC_E_INVALID, "simulate_meltpool: no option `%s`: expected seed or regime", name);
    }
    return true;
}

void mat_simulate_meltpool(mat_call *call)
{
    enum { SIDE = SAC_MELTPOOL_SIM_SIZE };
    sac_error err = {0};
    sac_meltpool_sim *simulation = NULL;
    sac_simulate_meltpool_desc desc;
    double m[2][3];
    mat_expect(call, 1, 4);
    sac_simulate_meltpool_desc_init(&desc);
    desc.n_frames = whole(call->in[0], "n_frames", 1);
    mat_options(call, 1, NULL, NULL, simulate_option, &desc);
    const int64_t n = desc.n_frames, shape[] = {SIDE, SIDE, n};
    call->out[0] = mat_new(SAC_U8, 3, shape);
    uint8_t *frames = mxGetData(call->out[0]), *frame = mat_alloc(SIDE * SIDE, 1);
    sac_meltpool_signals *signals = mat_alloc((size_t)n, sizeof *signals);
    sac_meltpool_truth *truth = mat_alloc((size_t)n, sizeof *truth);
    mat_check(sac_meltpool_sim_open(&simulation, &desc, &err), &err);
    mat_keep(simulation, close_simulation);
    for (int64_t i = 0; i < n; i++) {
        if (!sac_meltpool_sim_next(simulation, frame, &signals[i], &truth[i]))
            mat_fail(SAC_E_INVALID, "n_frames: the simulation ended at frame %lld", (long long)i);
        mat_transpose(frames + i * SIDE * SIDE, frame, SIDE, SIDE, 1);
        if (i % 1024 == 0)
            mat_interrupt(call);
    }
    if (call->n_out > 1)
        call->out[1] = mat_signals_new(signals, n);
    sac_meltpool_sim_calibration(m);
    if (call->n_out > 2)
        call->out[2] = new_calibration((const double(*)[3])m);
    if (call->n_out > 3)
        call->out[3] = new_truth(truth, n);
}
