/*
 * Messages of viewers, and what they set.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHOICES 8
#define MOST_RATE_HZ 1000
#define FARTHEST_MM 1e4
#define MOST_THREADS 64 /* or as many as the machine has cores: each has memory of its own */

/* A control of the page. Of numbers the ends and the step of its slider, which the command line's
 * range is wider than; of texts the usual ones, the default first. */
typedef struct control {
    const char *name;
    double low, high, step;
    const char *const usual[MOST_CHOICES];
} control;

static const control controls[VIEW_CONTROLS] = {
    {"f-number", 0, 5, 0.05, {0}},
    {"apodization", 0, 0, 0, {"tukey:0.25", "rect", "hann", "tukey:0.5", "tukey:0.75"}},
    {"dynamic-range", 10, 120, 1, {0}},
    {"interp", 0, 0, 0, {0}},
    {"tier", 0, 0, 0, {0}},
    {"reduction", 0, 0, 0, {"sum", "cf", "gcf:1", "scf:1", "dmas:2", "slsc:0.3", "mv:0.25"}},
    {"reduction-over", 0, 0, 0, {0}},
    {"tx-f-number", 0, 5, 0.05, {0}},
    {"tx-apodization", 0, 0, 0, {"hann", "rect", "tukey:0.25", "lines"}},
    {"lri", 0, 0, 0, {0}},
    {"threads", 0, MOST_THREADS, 1, {0}},
    {"device", 0, 0, 0, {0}},
    {"variant", 0, 0, 0, {0}},
};

static const sac_param *param_of(const char *name)
{
    const sac_param_table *table = sac_beamform_params();
    for (int32_t i = 0; i < table->n_params; i++) {
        if (strcmp(table->params[i].name, name) == 0) {
            return &table->params[i];
        }
    }
    return NULL;
}

static sac_status refuse(sac_error *err, const char *what, const char *expected)
{
    err->status = SAC_E_INVALID;
    snprintf(err->text, sizeof err->text, "%s: expected %s", what, expected);
    return err->status;
}

void view_settings_init(view_settings *settings, const sac_beamform_desc *desc)
{
    *settings = (view_settings){.loops = true, .rate_hz = 10};
    for (int i = 0; i < VIEW_CONTROLS; i++) {
        sac_param_get(param_of(controls[i].name), desc, settings->text[i], VIEW_TEXT);
        if (!settings->text[i][0] && controls[i].usual[0]) {
            snprintf(settings->text[i], VIEW_TEXT, "%s", controls[i].usual[0]);
        }
    }
}

static sac_status set_control(sac_beamform_desc *desc, int i, const char *text, sac_error *err)
{
    const sac_param *param = param_of(controls[i].name);
    const char *usual = controls[i].usual[0];
    if (param->type == SAC_PARAM_STRING && (!text[0] || (usual && strcmp(text, usual) == 0))) {
        *(const char **)(void *)((char *)desc + param->offset) = NULL;
        return SAC_OK;
    }
    return sac_param_set(sac_beamform_params(), desc, controls[i].name, text, err);
}

sac_status view_settings_apply(sac_beamform_desc *desc, const view_settings *settings,
                               sac_error *err)
{
    sac_status st = SAC_OK;
    for (int i = 0; i < VIEW_CONTROLS && st == SAC_OK; i++) {
        st = set_control(desc, i, settings->text[i], err);
    }
    return st;
}

const char *view_settings_text(const view_settings *settings, const char *name)
{
    int i = 0;
    while (i < VIEW_CONTROLS && strcmp(controls[i].name, name) != 0) {
        i++;
    }
    return i < VIEW_CONTROLS ? settings->text[i] : "";
}

bool view_settings_same_plan(const view_settings *a, const view_settings *b)
{
    return memcmp(a->text, b->text, sizeof a->text) == 0 && !(a->c_m_s < b->c_m_s) &&
           !(a->c_m_s > b->c_m_s);
}

/* n numbers from low to high, and nothing behind them. */
static bool parse(double *out, int n, const char *text, double low, double high)
{
    for (int i = 0; i < n; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !(out[i] >= low && out[i] <= high)) {
            return false;
        }
        text = end + strspn(end, " ");
    }
    return !*text;
}

static bool parse_index(int64_t *out, const char *text, int64_t n)
{
    double value;
    if (!parse(&value, 1, text, 0, (double)(n - 1)) || value > floor(value)) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

static sac_status take_flag(bool *out, const char *name, const char *text, sac_error *err)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return refuse(err, name, "0 or 1");
    }
    *out = text[0] == '1';
    return SAC_OK;
}

/* n coordinates in mm; none: there is no such mark. */
static sac_status take_mark(bool *has, double *out_m, int n, const char *name, const char *text,
                            sac_error *err)
{
    double mm[4];
    if (text[0] && !parse(mm, n, text, -FARTHEST_MM, FARTHEST_MM)) {
        return refuse(err, name, n == 3 ? "X Y Z in mm" : "X Y Z R in mm");
    }
    *has = text[0] != '\0';
    for (int i = 0; i < n && *has; i++) {
        out_m[i] = 1e-3 * mm[i];
    }
    return SAC_OK;
}

static sac_status take_cyst(view_settings *s, const char *text, sac_error *err)
{
    double cyst_m[4] = {0};
    const sac_status st = take_mark(&s->has_cyst, cyst_m, 4, "cyst", text, err);
    if (st == SAC_OK) {
        memcpy(s->cyst_m, cyst_m, sizeof s->cyst_m);
        s->radius_m = cyst_m[3];
    }
    return st;
}

static sac_status take_number(view_settings *s, const view_limits *limits, const char *name,
                              const char *text, sac_error *err)
{
    int64_t transmit = 0;
    if (strcmp(name, "frame") == 0) {
        return parse_index(&s->frame, text, limits->n_frames)
                   ? SAC_OK
                   : refuse(err, name, "a frame of the recording, counted from 0");
    }
    if (strcmp(name, "transmit") == 0) {
        const bool is_one = parse_index(&transmit, text, limits->n_transmits);
        s->transmit = is_one ? (int32_t)transmit : s->transmit;
        return is_one ? SAC_OK : refuse(err, name, "a transmit, counted from 0");
    }
    if (strcmp(name, "rate") == 0) {
        return parse(&s->rate_hz, 1, text, 0.1, MOST_RATE_HZ)
                   ? SAC_OK
                   : refuse(err, name, "0.1 to 1000 frames a second");
    }
    s->c_m_s = 0;
    return !text[0] || parse(&s->c_m_s, 1, text, 100, 20000)
               ? SAC_OK
               : refuse(err, name, "100 to 20000 m/s");
}

/* Who starts the server may set more threads than who looks. */
static sac_status take_control(view_settings *s, int i, const char *text, sac_error *err)
{
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc);
    memset(s->text[i], 0, VIEW_TEXT); /* texts are compared by their bytes */
    snprintf(s->text[i], VIEW_TEXT, "%s", text);
    const sac_status st = set_control(&desc, i, text, err);
    if (param_of(controls[i].name)->type == SAC_PARAM_BOOL && st == SAC_OK) {
        sac_param_get(param_of(controls[i].name), &desc, s->text[i], VIEW_TEXT); /* 1 is true */
    }
    return st == SAC_OK && desc.n_threads > MOST_THREADS && desc.n_threads > sac_cpu_count()
               ? refuse(err, controls[i].name, "at most 64, or as many as there are cores")
               : st;
}

static sac_status take(view_settings *s, const view_limits *limits, const char *name,
                       const char *text, sac_error *err)
{
    static const char *const numbers[] = {"frame", "transmit", "rate", "c"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(name, numbers[i]) == 0) {
            return take_number(s, limits, name, text, err);
        }
    }
    for (int i = 0; i < VIEW_CONTROLS; i++) {
        if (strcmp(name, controls[i].name) == 0) {
            return take_control(s, i, text, err);
        }
    }
    return strcmp(name, "play") == 0     ? take_flag(&s->plays, name, text, err)
           : strcmp(name, "loop") == 0   ? take_flag(&s->loops, name, text, err)
           : strcmp(name, "delays") == 0 ? take_flag(&s->wants_delays, name, text, err)
           : strcmp(name, "point") == 0  ? take_mark(&s->has_point, s->point_m, 3, name, text, err)
           : strcmp(name, "cyst") == 0
               ? take_cyst(s, text, err)
               : refuse(err, "message", "NAME VALUE, a control of the page");
}

sac_status view_settings_take(view_settings *settings, const view_limits *limits, const char *text,
                              size_t n, sac_error *err)
{
    char name[VIEW_TEXT] = "", value[VIEW_TEXT] = "";
    const char *space = memchr(text, ' ', n);
    const size_t n_name = space ? (size_t)(space - text) : n;
    const size_t n_value = space ? n - n_name - 1 : 0;
    if (n_name >= sizeof name || n_value >= sizeof value || memchr(text, '\0', n)) {
        return refuse(err, "message", "NAME VALUE, a control of the page");
    }
    memcpy(name, text, n_name);
    if (n_value > 0) {
        memcpy(value, space + 1, n_value);
    }
    view_settings changed = *settings;
    const sac_status st = take(&changed, limits, name, value, err);
    if (st == SAC_OK) {
        *settings = changed;
    }
    return st;
}

static void put_choices(cli_json *json, const control *c, const sac_param *param,
                        const view_limits *limits)
{
    cli_json_array(json, "choices");
    for (int i = 0; param->type == SAC_PARAM_CHOICE && param->choices[i]; i++) {
        cli_json_string(json, NULL, param->choices[i]);
    }
    for (int i = 0; i < MOST_CHOICES && c->usual[i]; i++) {
        cli_json_string(json, NULL, c->usual[i]);
    }
    for (int i = 0; param->type == SAC_PARAM_DEVICE && limits->devices[i][0]; i++) {
        cli_json_string(json, NULL, limits->devices[i]);
    }
    if (strcmp(c->name, "variant") == 0) {
        cli_json_string(json, NULL, "");
        for (int i = 0; limits->variants[i]; i++) {
            cli_json_string(json, NULL, limits->variants[i]);
        }
    }
    cli_json_end_array(json);
}

static void put_control(cli_json *json, int i, const char *text, const view_limits *limits)
{
    const control *c = &controls[i];
    const sac_param *param = param_of(c->name);
    const bool is_number = param->type == SAC_PARAM_FLOAT || param->type == SAC_PARAM_INT;
    cli_json_object(json, NULL);
    cli_json_string(json, "name", c->name);
    cli_json_string(json, "type",
                    is_number                       ? "number"
                    : param->type == SAC_PARAM_BOOL ? "flag"
                                                    : "choice");
    if (is_number) {
        cli_json_real(json, "low", c->low);
        cli_json_real(json, "high", c->high);
        cli_json_real(json, "step", c->step);
    }
    put_choices(json, c, param, limits);
    cli_json_string(json, "unit", param->unit);
    cli_json_string(json, "doc", param->doc);
    cli_json_string(json, "value", text);
    cli_json_end_object(json);
}

static void put_mark(cli_json *json, const char *name, bool has, const double *at_m, double radius)
{
    cli_json_array(json, name);
    for (int i = 0; i < 3 && has; i++) {
        cli_json_real(json, NULL, 1e3 * at_m[i]);
    }
    if (has && radius > 0) {
        cli_json_real(json, NULL, 1e3 * radius);
    }
    cli_json_end_array(json);
}

void view_settings_put(cli_json *json, const view_settings *s, const view_limits *limits)
{
    cli_json_array(json, "controls");
    for (int i = 0; i < VIEW_CONTROLS; i++) {
        put_control(json, i, s->text[i], limits);
    }
    cli_json_end_array(json);
    cli_json_int(json, "n_frames", limits->n_frames);
    cli_json_int(json, "n_transmits", limits->n_transmits);
    cli_json_real(json, "c_m_s", s->c_m_s);
    cli_json_int(json, "frame", s->frame);
    cli_json_int(json, "transmit", s->transmit);
    cli_json_bool(json, "plays", s->plays);
    cli_json_bool(json, "loops", s->loops);
    cli_json_real(json, "rate_hz", s->rate_hz);
    cli_json_bool(json, "delays", s->wants_delays);
    put_mark(json, "point_mm", s->has_point, s->point_m, 0);
    put_mark(json, "cyst_mm", s->has_cyst, s->cyst_m, s->radius_m);
}
