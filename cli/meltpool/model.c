/*
 * The model of saccade meltpool, and what its features must be made with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* The model that the options name, or the shipped one where this build can read it. */
int cli_meltpool_open_model(cli_meltpool_job *job)
{
    const char *path = job->options.model;
    sac_error err = {0};
    if (path && !strcmp(path, "none")) {
        return CLI_DONE;
    }
    sac_status st = path ? sac_meltpool_model_read(&job->model, path, &err)
                         : sac_meltpool_model_shipped(&job->model, &err);
    if (st == SAC_E_UNSUPPORTED && !path) {
        job->lacking = "this build cannot read the shipped model";
        return CLI_DONE;
    }
    if (st != SAC_OK) {
        return cli_error(&err);
    }
    job->desc.model = sac_meltpool_model_get_model(job->model);
    return CLI_DONE;
}

/* Whether records depend on a parameter. */
static bool matters(const sac_param *param)
{
    static const char *const others[] = {"threads", "resident", "timeout"};
    for (int i = 0; i < 3; i++) {
        if (!strcmp(param->name, others[i])) {
            return false;
        }
    }
    return param->type != SAC_PARAM_DEVICE && param->type != SAC_PARAM_STRING;
}

/* Adds " NAME=VALUE" to a text, which it frees. */
static char *with_parameter(char *text, const sac_param *param, const sac_meltpool_desc *desc)
{
    char value[64];
    char *longer = cli_text("%s%s%s=%s", text, *text ? " " : "", param->name,
                            sac_param_get(param, desc, value, sizeof value));
    free(text);
    return longer;
}

char *cli_meltpool_parameters(const cli_meltpool_job *job)
{
    const sac_param_table *table = sac_meltpool_params();
    char *text = cli_text("%s", "");
    for (int32_t i = 0; i < table->n_params; i++) {
        if (matters(&table->params[i])) {
            text = with_parameter(text, &table->params[i], &job->desc);
        }
    }
    return text;
}

/* Sets what a model's text says; what it does not say, or saccade does not know, stays. */
static void set_parameters(sac_meltpool_desc *desc, const char *parameters)
{
    char *text = cli_text("%s", parameters), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value) {
            *value++ = '\0';
            sac_status st = sac_param_set(sac_meltpool_params(), desc, word, value, NULL);
            (void)st; /* unknown */
        }
    }
    free(text);
}

char *cli_meltpool_model_doubt(const cli_meltpool_job *job)
{
    if (!job->model) {
        return NULL;
    }
    const sac_param_table *table = sac_meltpool_params();
    sac_meltpool_desc of_model = job->desc;
    set_parameters(&of_model, sac_meltpool_model_get_parameters(job->model));
    char *wanted = cli_text("%s", ""), *got = cli_text("%s", "");
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *param = &table->params[i];
        char a[64], b[64];
        if (matters(param) && strcmp(sac_param_get(param, &of_model, a, sizeof a),
                                     sac_param_get(param, &job->desc, b, sizeof b)) != 0) {
            wanted = with_parameter(wanted, param, &of_model);
            got = with_parameter(got, param, &job->desc);
        }
    }
    char *doubt = *wanted ? cli_text("the model was trained with %s, not %s: predictions may mean "
                                     "nothing",
                                     wanted, got)
                          : NULL;
    free(wanted);
    free(got);
    return doubt;
}

void cli_meltpool_compare_model(const cli_meltpool_job *job)
{
    char *doubt = cli_meltpool_model_doubt(job);
    if (doubt) {
        cli_warn("%s", doubt);
    }
    free(doubt);
}
