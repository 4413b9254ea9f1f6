/*
 * Messages of viewers, and what they set.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RATE_HZ 1000
#define MOST_THREADS 64 /* or as many as the machine has cores: each has memory of its own */

static const sac_param *param_of(const sac_param_table *table, const char *name)
{
    for (int32_t i = 0; i < table->n_params; i++) {
        if (strcmp(table->params[i].name, name) == 0) {
            return &table->params[i];
        }
    }
    return NULL;
}

sac_status view_refuse(sac_error *err, const char *what, const char *expected)
{
    err->status = SAC_E_INVALID;
    snprintf(err->text, sizeof err->text, "%s: expected %s", what, expected);
    return err->status;
}

void view_settings_init(view_settings *settings, const view_scene *scene)
{
    memset(settings, 0, scene->kind->settings_size);
    settings->loops = true;
    settings->rate_hz = 10;
    settings->plays = scene->is_live;
}

void view_settings_from(view_settings *settings, const view_kind *kind,
                        const sac_param_table *table, const void *desc)
{
    for (int i = 0; i < kind->n_controls; i++) {
        const view_control *c = &kind->controls[i];
        if (c->table() == table) {
            sac_param_get(param_of(table, c->name), desc, settings->text[i], VIEW_TEXT);
            if (!settings->text[i][0] && c->usual[0]) {
                snprintf(settings->text[i], VIEW_TEXT, "%s", c->usual[0]);
            }
        }
    }
}

/* An option of this name, which has the control's meaning in each table of the kind. */
static sac_status set_option(void *desc, const sac_param_table *table, const view_control *c,
                             const char *text, sac_error *err)
{
    const sac_param *param = param_of(table, c->name);
    const char *usual = c->usual[0];
    if (!param) {
        return SAC_OK;
    }
    if (param->type == SAC_PARAM_STRING && (!text[0] || (usual && strcmp(text, usual) == 0))) {
        *(const char **)(void *)((char *)desc + param->offset) = NULL;
        return SAC_OK;
    }
    return sac_param_set(table, desc, c->name, text, err);
}

sac_status view_settings_apply(void *desc, const sac_param_table *table,
                               const view_settings *settings, const view_kind *kind, sac_error *err)
{
    sac_status st = SAC_OK;
    for (int i = 0; i < kind->n_controls && st == SAC_OK; i++) {
        st = set_option(desc, table, &kind->controls[i], settings->text[i], err);
    }
    return st;
}

const char *view_settings_text(const view_settings *settings, const view_kind *kind,
                               const char *name)
{
    int i = 0;
    while (i < kind->n_controls && strcmp(kind->controls[i].name, name) != 0) {
        i++;
    }
    return i < kind->n_controls ? settings->text[i] : "";
}

bool view_parse(double *out, int n, const char *text, double low, double high)
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

bool view_parse_index(int64_t *out, const char *text, int64_t n)
{
    double value;
    if (!view_parse(&value, 1, text, 0, (double)(n - 1)) || value > floor(value)) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

sac_status view_take_flag(bool *out, const char *name, const char *text, sac_error *err)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return view_refuse(err, name, "0 or 1");
    }
    *out = text[0] == '1';
    return SAC_OK;
}

static sac_status take_frame(view_settings *s, const view_scene *scene, const char *text,
                             sac_error *err)
{
    return !scene->is_live && view_parse_index(&s->frame, text, scene->limits.n_frames)
               ? SAC_OK
               : view_refuse(err, "frame", "a frame of the recording, counted from 0");
}

static sac_status take_rate(view_settings *s, const char *text, sac_error *err)
{
    return view_parse(&s->rate_hz, 1, text, 0.1, MOST_RATE_HZ)
               ? SAC_OK
               : view_refuse(err, "rate", "0.1 to 1000 frames a second");
}

/* Whether the text is right, and in the form that the option gives back: 1 is true. Who starts the
 * server may set more threads than who looks. */
static sac_status take_control(char own[VIEW_TEXT], const view_control *c, const char *text,
                               sac_error *err)
{
    const sac_param_table *table = c->table();
    const sac_param *param = param_of(table, c->name);
    void *desc = cli_grow(NULL, 0, table->desc_size, 1);
    sac_param_defaults(table, desc);
    memset(own, 0, VIEW_TEXT); /* texts are compared by their bytes */
    snprintf(own, VIEW_TEXT, "%s", text);
    sac_status st = set_option(desc, table, c, text, err);
    if (param->type == SAC_PARAM_BOOL && st == SAC_OK) {
        sac_param_get(param, desc, own, VIEW_TEXT);
    }
    const double n = strcmp(c->name, "threads") == 0 ? strtod(own, NULL) : 0;
    if (st == SAC_OK && n > MOST_THREADS && n > sac_cpu_count()) {
        st = view_refuse(err, c->name, "at most 64, or as many as there are cores");
    }
    free(desc);
    return st;
}

static sac_status take(view_settings *s, const view_scene *scene, const char *name,
                       const char *text, sac_error *err)
{
    const view_kind *kind = scene->kind;
    for (int i = 0; i < kind->n_controls; i++) {
        if (strcmp(name, kind->controls[i].name) == 0) {
            return take_control(s->text[i], &kind->controls[i], text, err);
        }
    }
    return strcmp(name, "frame") == 0  ? take_frame(s, scene, text, err)
           : strcmp(name, "rate") == 0 ? take_rate(s, text, err)
           : strcmp(name, "play") == 0 ? view_take_flag(&s->plays, name, text, err)
           : strcmp(name, "loop") == 0 ? view_take_flag(&s->loops, name, text, err)
           : kind->take                ? kind->take(scene, s, name, text, err)
                        : view_refuse(err, "message", "NAME VALUE, a control of the page");
}

sac_status view_settings_take(view_settings *settings, const view_scene *scene, const char *text,
                              size_t n, sac_error *err)
{
    char name[VIEW_TEXT] = "", value[VIEW_TEXT] = "";
    const char *space = memchr(text, ' ', n);
    const size_t n_name = space ? (size_t)(space - text) : n;
    const size_t n_value = space ? n - n_name - 1 : 0;
    if (n_name >= sizeof name || n_value >= sizeof value || memchr(text, '\0', n)) {
        return view_refuse(err, "message", "NAME VALUE, a control of the page");
    }
    memcpy(name, text, n_name);
    if (n_value > 0) {
        memcpy(value, space + 1, n_value);
    }
    const size_t size = scene->kind->settings_size;
    void *before = cli_grow(NULL, 0, size, 1);
    memcpy(before, settings, size);
    const sac_status st = take(settings, scene, name, value, err);
    if (st != SAC_OK) {
        memcpy(settings, before, size);
    }
    free(before);
    return st;
}

static void put_choices(cli_json *json, const view_control *c, const sac_param *param,
                        const view_limits *limits)
{
    cli_json_array(json, "choices");
    for (int i = 0; param->type == SAC_PARAM_CHOICE && param->choices[i]; i++) {
        cli_json_string(json, NULL, param->choices[i]);
    }
    for (int i = 0; i < VIEW_CHOICES && c->usual[i]; i++) {
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

static void put_control(cli_json *json, const view_control *c, const char *text,
                        const view_limits *limits)
{
    const sac_param *param = param_of(c->table(), c->name);
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

void view_settings_put(cli_json *json, const view_settings *s, const view_scene *scene)
{
    cli_json_array(json, "controls");
    for (int i = 0; i < scene->kind->n_controls; i++) {
        put_control(json, &scene->kind->controls[i], s->text[i], &scene->limits);
    }
    cli_json_end_array(json);
    cli_json_int(json, "n_frames", scene->limits.n_frames);
    cli_json_bool(json, "is_live", scene->is_live);
    cli_json_int(json, "frame", s->frame);
    cli_json_bool(json, "plays", s->plays);
    cli_json_bool(json, "loops", s->loops);
    cli_json_real(json, "rate_hz", s->rate_hz);
}
