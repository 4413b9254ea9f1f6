/*
 * What commands that read recordings share: options that override the file's metadata.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recordings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number that the command line gives instead of the file; *out stays where it does not. */
static int parse_number(double *out, const cli_command *command, const char *name, const char *text,
                        double unit, bool positive)
{
    if (!text) {
        return CLI_DONE;
    }
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || (positive && value <= 0)) {
        return cli_misuse(command, "--%s: expected a number%s, got `%s`", name,
                          positive ? " above 0" : "", text);
    }
    *out = value * unit;
    return CLI_DONE;
}

static int parse_frames(sac_recording_desc *desc, const cli_command *command, const char *text)
{
    int64_t a, b;
    int end = -1;
    if (!text) {
        return CLI_DONE;
    }
    if (sscanf(text, "%" SCNd64 ":%" SCNd64 "%n", &a, &b, &end) != 2 || text[end] || a < 0 ||
        b <= a) {
        return cli_misuse(command, "--frames: expected A:B with 0 <= A < B, got `%s`", text);
    }
    desc->first_frame = a;
    desc->n_frames = b - a;
    return CLI_DONE;
}

int cli_recording_parse(sac_recording_desc *desc, const cli_command *command,
                        const cli_recording_options *o)
{
    sac_recording_desc_init(desc);
    desc->transmits = o->transmits;
    const struct {
        const char *name, *text;
        double *value, unit;
        bool positive;
    } numbers[] = {
        {"fs", o->fs, &desc->fs_hz, 1e6, true},
        {"fc", o->fc, &desc->fc_hz, 1e6, true},
        {"fd", o->fd, &desc->fd_hz, 1e6, true},
        {"c", o->c, &desc->c_m_s, 1, true},
        {"t0", o->t0, &desc->t0_s, 1e-6, false},
        {"pitch", o->pitch, &desc->pitch_m, 1e-3, true},
        {"bandwidth", o->bandwidth, &desc->bandwidth, 1, true},
    };
    int status = parse_frames(desc, command, o->frames);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == CLI_DONE; i++) {
        status = parse_number(numbers[i].value, command, numbers[i].name, numbers[i].text,
                              numbers[i].unit, numbers[i].positive);
    }
    return status;
}

int cli_recording_read(sac_recording **out, const char *path, const sac_recording_desc *desc)
{
    sac_error err = {0};
    if (sac_recording_read(out, path, desc, &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (*sac_recording_get_note(*out)) {
        cli_warn("%s", sac_recording_get_note(*out));
    }
    return CLI_DONE;
}

void cli_recording_tell_lost(const char *output, const sac_acquisition *a, int64_t n_truth)
{
    bool weighs = false;
    if (!cli_ends_in(output, (const char *[]){".uff", NULL})) {
        return;
    }
    for (int32_t i = 0; i < a->n_transmits; i++) {
        weighs = weighs || a->transmits[i].weight != 1;
    }
    const char *lost[] = {weighs ? "the transmits' weights" : NULL,
                          n_truth > 0 ? "the simulation's truth" : NULL};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        if (lost[i]) {
            cli_warn("`%s`: UFF does not keep %s", output, lost[i]);
        }
    }
}

int64_t cli_recording_bad_sample(char text[CLI_SAMPLE_TEXT], const sac_array *samples)
{
    const int64_t parts = samples->dtype == SAC_C64 ? 2 : 1, n = sac_array_count(samples) * parts;
    const float *v = samples->data; /* contiguous: sac_recording_get_array */
    int n_bad = 0;
    int64_t i = 0;
    for (int64_t k = 0; samples->dtype != SAC_I16 && k < n; k++) {
        n_bad |= !isfinite(v[k]);
    }
    if (!n_bad) {
        return -1;
    }
    while (isfinite(v[i])) {
        i++;
    }
    const int64_t at = i / parts, s = samples->shape[3], r = samples->shape[2],
                  t = samples->shape[1];
    if (text) {
        snprintf(text, CLI_SAMPLE_TEXT,
                 "%g in frame %" PRId64 ", transmit %" PRId64 ", element %" PRId64
                 ", sample %" PRId64,
                 (double)v[i], at / s / r / t, at / s / r % t, at / s % r, at % s);
    }
    return at;
}
