/*
 * Messages of viewers of a recording, and what they set.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "settings.h"

#include <stdio.h>
#include <string.h>

#define FARTHEST_MM 1e4
#define OPTION sac_beamform_params

const view_control beamform_controls[BEAMFORM_CONTROLS] = {
    {OPTION, "f-number", 0, 5, 0.05, {0}},
    {OPTION, "apodization", 0, 0, 0, {"tukey:0.25", "rect", "hann", "tukey:0.5", "tukey:0.75"}},
    {OPTION, "dynamic-range", 10, 120, 1, {0}},
    {OPTION, "interp", 0, 0, 0, {0}},
    {OPTION, "tier", 0, 0, 0, {0}},
    {OPTION,
     "reduction",
     0,
     0,
     0,
     {"sum", "cf", "gcf:1", "scf:1", "dmas:2", "slsc:0.3", "mv:0.25"}},
    {OPTION, "reduction-over", 0, 0, 0, {0}},
    {OPTION, "tx-f-number", 0, 5, 0.05, {0}},
    {OPTION, "tx-apodization", 0, 0, 0, {"hann", "rect", "tukey:0.25", "lines"}},
    {OPTION, "lri", 0, 0, 0, {0}},
    VIEW_PLAN_CONTROLS(OPTION),
};

bool beamform_settings_same_plan(const beamform_settings *a, const beamform_settings *b)
{
    return memcmp(a->common.text, b->common.text, sizeof a->common.text) == 0 &&
           !(a->c_m_s < b->c_m_s) && !(a->c_m_s > b->c_m_s);
}

/* n coordinates in mm; none: there is no such mark. */
static sac_status take_mark(bool *has, double *out_m, int n, const char *name, const char *text,
                            sac_error *err)
{
    double mm[4];
    if (text[0] && !view_parse(mm, n, text, -FARTHEST_MM, FARTHEST_MM)) {
        return view_refuse(err, name, n == 3 ? "X Y Z in mm" : "X Y Z R in mm");
    }
    *has = text[0] != '\0';
    for (int i = 0; i < n && *has; i++) {
        out_m[i] = 1e-3 * mm[i];
    }
    return SAC_OK;
}

static sac_status take_cyst(beamform_settings *s, const char *text, sac_error *err)
{
    double cyst_m[4] = {0};
    const sac_status st = take_mark(&s->has_cyst, cyst_m, 4, "cyst", text, err);
    if (st == SAC_OK) {
        memcpy(s->cyst_m, cyst_m, sizeof s->cyst_m);
        s->radius_m = cyst_m[3];
    }
    return st;
}

static sac_status take_transmit(beamform_settings *s, int32_t n_transmits, const char *text,
                                sac_error *err)
{
    int64_t transmit = 0;
    if (!view_parse_index(&transmit, text, n_transmits)) {
        return view_refuse(err, "transmit", "a transmit, counted from 0");
    }
    s->transmit = (int32_t)transmit;
    return SAC_OK;
}

static sac_status take_speed(beamform_settings *s, const char *text, sac_error *err)
{
    s->c_m_s = 0;
    return !text[0] || view_parse(&s->c_m_s, 1, text, 100, 20000)
               ? SAC_OK
               : view_refuse(err, "c", "100 to 20000 m/s");
}

sac_status beamform_settings_take(beamform_settings *s, int32_t n_transmits, const char *name,
                                  const char *text, sac_error *err)
{
    return strcmp(name, "transmit") == 0 ? take_transmit(s, n_transmits, text, err)
           : strcmp(name, "c") == 0      ? take_speed(s, text, err)
           : strcmp(name, "delays") == 0 ? view_take_flag(&s->wants_delays, name, text, err)
           : strcmp(name, "point") == 0  ? take_mark(&s->has_point, s->point_m, 3, name, text, err)
           : strcmp(name, "cyst") == 0
               ? take_cyst(s, text, err)
               : view_refuse(err, "message", "NAME VALUE, a control of the page");
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

void beamform_settings_put(cli_json *json, const beamform_settings *s)
{
    cli_json_real(json, "c_m_s", s->c_m_s);
    cli_json_int(json, "transmit", s->transmit);
    cli_json_bool(json, "delays", s->wants_delays);
    put_mark(json, "point_mm", s->has_point, s->point_m, 0);
    put_mark(json, "cyst_mm", s->has_cyst, s->cyst_m, s->radius_m);
}
