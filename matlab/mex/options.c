/*
 * saccade_options: what the parameter tables say, as structs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "face.h"

#include <stdio.h>
#include <string.h>

#include <saccade/beamform.h>
#include <saccade/equalize.h>
#include <saccade/flow.h>
#include <saccade/meltpool.h>
#include <saccade/motion.h>

static const sac_param_table *find_table(const char *name)
{
    const sac_param_table *const tables[] = {
        sac_equalize_params(), sac_heatmap_params(),  sac_noise_params(), sac_denoise_params(),
        sac_adjust_params(),   sac_beamform_params(), sac_flow_params(),  sac_meltpool_params()};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i]->pipeline, name) == 0)
            return tables[i];
    mat_fail(SAC_E_INVALID,
             "name: expected equalize, heatmap, noise, denoise, adjust, beamform, flow or "
             "meltpool, got `%s`",
             name);
}

/* What a value may be: "0 to 100 dB", "first, max or minmax". */
static void put_value(char *text, size_t size, const sac_param *p)
{
    const char *kind = p->type == SAC_PARAM_BOOL ? "true or false" : "text";
    const char *unit = p->unit ? p->unit : "";
    snprintf(text, size, "%s", kind);
    if (p->type == SAC_PARAM_INT || p->type == SAC_PARAM_INT2 || p->type == SAC_PARAM_FLOAT)
        snprintf(text, size, "%.15g to %.15g%s%s%s", p->min, p->max, *unit ? " " : "", unit,
                 p->type == SAC_PARAM_INT2 ? ", one number or two" : "");
    for (int32_t i = 0; p->type == SAC_PARAM_CHOICE && p->choices[i]; i++) {
        const size_t used = i ? strlen(text) : 0;
        const char *comma = !i ? "" : p->choices[i + 1] ? ", " : " or ";
        snprintf(text + used, size - used, "%s'%s'", comma, p->choices[i]);
    }
}

void mat_options_list(mat_call *call)
{
    static const char *names[] = {"name", "value", "default", "unit", "doc"};
    mat_expect(call, 1, 1);
    const sac_param_table *table = find_table(mat_text(call->in[0], "name"));
    void *desc = mat_alloc(1, table->desc_size);
    sac_param_defaults(table, desc);
    mxArray *list = mxCreateStructMatrix(1, (mwSize)table->n_params, 5, names);
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *p = &table->params[i];
        char name[64], value[256], otherwise[64];
        snprintf(name, sizeof name, "%s", p->name);
        for (char *c = name; *c; c++)
            *c = *c == '-' ? '_' : *c;
        put_value(value, sizeof value, p);
        sac_param_get(p, desc, otherwise, sizeof otherwise);
        const char *const texts[] = {name, value, otherwise, p->unit ? p->unit : "", p->doc};
        for (int k = 0; k < 5; k++)
            mxSetField(list, i, names[k], mxCreateString(texts[k]));
    }
    call->out[0] = list;
}
