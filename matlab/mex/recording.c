/*
 * saccade_read_recording, saccade_write_recording, saccade_simulate_ultrasound, saccade_phantom.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <string.h>

#include <saccade/simulate.h>

static void close_recording(void *recording)
{
    sac_recording *r = recording;
    sac_recording_close(&r);
}

/* Options that are fields of a struct, which no table describes. */
typedef struct own_number {
    const char *name;
    double *value;
} own_number;

static bool set_number(const own_number *list, const char *name, const mxArray *value)
{
    for (; list->name; list++) {
        if (strcmp(list->name, name) == 0) {
            *list->value = mat_number(value, name);
            return true;
        }
    }
    return false;
}

typedef struct read_options {
    sac_recording_desc *desc;
    const own_number *numbers;
} read_options;

static bool read_option(void *ctx, const char *name, const mxArray *value)
{
    const read_options *o = ctx;
    if (strcmp(name, "transmits") == 0) {
        o->desc->transmits = mat_text(value, name);
        return true;
    }
    if (!set_number(o->numbers, name, value))
        mat_fail(SAC_E_INVALID,
                 "read_recording: no option `%s`: expected fs, fc, fd, c, t0, pitch, bandwidth, "
                 "transmits, first_frame, n_frames, first_transmit or n_transmits",
                 name);
    return true;
}

/* Frames, or transmits, which MATLAB counts from 1. */
static void take_range(int64_t *first, int64_t *n, const char *what, double asked_first,
                       double asked_n)
{
    if (!(asked_first >= 1 && asked_first < 1e15 && asked_n >= 0 && asked_n < 1e15))
        mat_fail(SAC_E_INVALID, "first_%s: expected %ss from 1 on, got %g, and %g of them", what,
                 what, asked_first, asked_n);
    *first = (int64_t)asked_first - 1;
    *n = (int64_t)asked_n;
}

void mat_read_recording(mat_call *call)
{
    sac_error err = {0};
    sac_recording *recording = NULL;
    sac_recording_desc d;
    double first_frame = 1, n_frames = 0, first_transmit = 1, n_transmits = 0;
    int64_t n_truth = 0;
    mat_expect(call, 1, 3);
    sac_recording_desc_init(&d);
    const own_number numbers[] = {{"fs", &d.fs_hz},
                                  {"fc", &d.fc_hz},
                                  {"fd", &d.fd_hz},
                                  {"c", &d.c_m_s},
                                  {"t0", &d.t0_s},
                                  {"pitch", &d.pitch_m},
                                  {"bandwidth", &d.bandwidth},
                                  {"first_frame", &first_frame},
                                  {"n_frames", &n_frames},
                                  {"first_transmit", &first_transmit},
                                  {"n_transmits", &n_transmits},
                                  {NULL, NULL}};
    read_options o = {&d, numbers};
    mat_options(call, 1, NULL, NULL, read_option, &o);
    take_range(&d.first_frame, &d.n_frames, "frame", first_frame, n_frames);
    take_range(&d.first_transmit, &d.n_transmits, "transmit", first_transmit, n_transmits);
    mat_check(sac_recording_read(&recording, mat_text(call->in[0], "path"), &d, &err), &err);
    mat_keep(recording, close_recording);
    const sac_array samples = sac_recording_get_array(recording);
    call->out[0] = mat_channels_new(&samples);
    if (call->n_out > 1)
        call->out[1] = mat_acquisition_new(sac_recording_get_acquisition(recording));
    const sac_scatterer *truth = sac_recording_get_truth(recording, &n_truth);
    if (call->n_out > 2)
        call->out[2] = mat_scatterers_new(truth, n_truth);
    if (*sac_recording_get_note(recording))
        mexWarnMsgIdAndTxt("saccade:assumed", "%s", sac_recording_get_note(recording));
}

void mat_write_recording(mat_call *call)
{
    sac_error err = {0};
    int64_t n = 0;
    const sac_scatterer *truth = NULL;
    mat_expect(call, 3, 1);
    const char *path = mat_text(call->in[0], "path");
    const mat_channels c = mat_channels_take(call->in[1], call->in[2]);
    if (call->n_in > 3 && !mxIsEmpty(call->in[3]))
        truth = mat_scatterers_take(call->in[3], &n);
    if (call->n_in > 4)
        mat_fail(SAC_E_INVALID, "saccade_write_recording: expected at most 4 arguments, got %d",
                 call->n_in);
    mat_check(sac_recording_write(path, &c.samples, c.acquisition, truth, n, &err), &err);
}

typedef struct simulate_ctx {
    own_number *numbers;
    sac_ultrasound_desc *desc;
} simulate_ctx;

static bool simulate_option(void *ctx, const char *name, const mxArray *value)
{
    const simulate_ctx *to = ctx;
    if (strcmp(name, "layers") == 0)
        to->desc->layers = mat_text(value, name);
    else if (strcmp(name, "lens") == 0)
        to->desc->lens = mat_text(value, name);
    else if (!set_number(to->numbers, name, value))
        mat_fail(SAC_E_INVALID,
                 "simulate_ultrasound: no option `%s`: expected attenuation, noise, seed, threads, "
                 "layers, lens or elevation_focus_m",
                 name);
    return true;
}

/* A whole number of an option. */
static int64_t whole(double number, const char *name, double most)
{
    if (!(number >= 0 && number <= most && number == (double)(int64_t)number))
        mat_fail(SAC_E_INVALID, "%s: expected a whole number from 0 to %.15g, got %g", name, most,
                 number);
    return (int64_t)number;
}

void mat_simulate_ultrasound(mat_call *call)
{
    sac_error err = {0};
    sac_array out;
    sac_ultrasound_desc d;
    double seed = 0, threads = 0;
    mat_expect(call, 3, 1);
    sac_ultrasound_desc_init(&d);
    own_number numbers[] = {{"attenuation", &d.attenuation_db_cm_mhz},
                            {"noise", &d.noise_db},
                            {"seed", &seed},
                            {"threads", &threads},
                            {"elevation_focus_m", &d.elevation_focus_m},
                            {NULL, NULL}};
    simulate_ctx ctx = {numbers, &d};
    mat_options(call, 3, NULL, NULL, simulate_option, &ctx);
    const sac_acquisition *a = mat_acquisition_take(call->in[0]);
    d.acquisition = a;
    d.scatterers = mat_scatterers_take(call->in[1], &d.n_scatterers);
    d.n_samples = whole(mat_number(call->in[2], "n_samples"), "n_samples", 2147483647);
    d.seed = (uint64_t)whole(seed, "seed", 9007199254740991);
    d.n_threads = (int32_t)whole(threads, "threads", 1024);
    d.progress = mat_go_on;
    const int64_t sizes[] = {d.n_samples, a->n_elements, a->n_transmits};
    const int64_t shape[] = {a->n_transmits, a->n_elements, d.n_samples};
    call->out[0] = mat_new(SAC_F32, 3, sizes);
    mat_check(sac_array_view(&out, mxGetData(call->out[0]), SAC_F32, 3, shape, &err), &err);
    mat_check(sac_simulate_ultrasound(&out, &d, &err), &err);
}
