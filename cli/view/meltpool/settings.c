/*
 * What viewers can set of a melt pool's frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "columns.h"

const view_control pool_controls[POOL_CONTROLS] = {
    {sac_meltpool_params, "threshold", 0, 256, 1, {0}},
    {sac_meltpool_params, "roi", 8, 128, 1, {0}},
    {sac_meltpool_params, "roi-align", 1, 64, 1, {0}},
    {sac_meltpool_params, "locate", 0, 0, 0, {0}},
    {sac_meltpool_params, "fixed-x", -1, 256, 1, {0}},
    {sac_meltpool_params, "fixed-y", -1, 256, 1, {0}},
    {sac_meltpool_params, "static-roi", 0, 0, 0, {0}},
    {sac_meltpool_params, "scan-frame", 0, 0, 0, {0}},
    {sac_meltpool_params, "spatter-min", 1, 64, 1, {0}},
    {sac_meltpool_params, "window", 1, 512, 1, {0}},
    {sac_meltpool_params, "gap-reset", 0.0001, 0.01, 0.0001, {0}},
    {sac_meltpool_params, "device", 0, 0, 0, {0}},
    {sac_meltpool_params, "variant", 0, 0, 0, {0}},
};

const int pool_spans_s[POOL_SPANS] = {2, 20, 200};

static const char *const predictions[SAC_MELTPOOL_PREDICTIONS] = {"lof", "keyhole"};
static const char *const densities[POOL_DENSITIES] = {"lof", "keyhole", "both"};

const char *pool_value_name(int32_t value)
{
    return value < SAC_MELTPOOL_FEATURES ? sac_meltpool_feature_name(value)
                                         : predictions[value - SAC_MELTPOOL_FEATURES];
}

static sac_status take_value(int32_t *out, const char *text, sac_error *err)
{
    for (int32_t k = 0; k < POOL_VALUES; k++) {
        if (strcmp(text, pool_value_name(k)) == 0) {
            *out = k;
            return SAC_OK;
        }
    }
    return view_refuse(err, "value", "a feature's name, lof or keyhole");
}

static sac_status take_density(int32_t *out, const char *text, sac_error *err)
{
    for (int32_t k = 0; k < POOL_DENSITIES; k++) {
        if (strcmp(text, densities[k]) == 0) {
            *out = k;
            return SAC_OK;
        }
    }
    return view_refuse(err, "density", "lof, keyhole or both");
}

static sac_status take_span(int32_t *out, const char *text, sac_error *err)
{
    double s = 0;
    for (int32_t k = 0; view_parse(&s, 1, text, 0, 1e9) && k < POOL_SPANS; k++) {
        if (!(s < pool_spans_s[k]) && !(s > pool_spans_s[k])) {
            *out = k;
            return SAC_OK;
        }
    }
    return view_refuse(err, "span", "2, 20 or 200 s");
}

sac_status pool_settings_take(const view_scene *scene, view_settings *settings, const char *name,
                              const char *text, sac_error *err)
{
    pool_settings *s = (pool_settings *)settings;
    (void)scene;
    return strcmp(name, "value") == 0     ? take_value(&s->value, text, err)
           : strcmp(name, "density") == 0 ? take_density(&s->density, text, err)
           : strcmp(name, "span") == 0
               ? take_span(&s->span, text, err)
               : view_refuse(err, "message", "NAME VALUE, a control of the page");
}

void pool_settings_put(cli_json *json, const view_settings *settings)
{
    const pool_settings *s = (const pool_settings *)settings;
    cli_json_array(json, "values");
    for (int32_t k = 0; k < POOL_VALUES; k++) {
        cli_json_string(json, NULL, pool_value_name(k));
    }
    cli_json_end_array(json);
    cli_json_array(json, "spans");
    for (int32_t k = 0; k < POOL_SPANS; k++) {
        cli_json_int(json, NULL, pool_spans_s[k]);
    }
    cli_json_end_array(json);
    cli_json_string(json, "value", pool_value_name(s->value));
    cli_json_int(json, "span", pool_spans_s[s->span]);
    cli_json_string(json, "density", densities[s->density]);
}
