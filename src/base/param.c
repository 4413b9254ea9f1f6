/*
 * Parameter tables at work: defaults, text to value and back, range checks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/param.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/device.h>

#include "base/numbers.h"
#include "base/struct.h"

static void *field(const sac_param *p, void *desc)
{
    return (char *)desc + p->offset;
}

static const void *const_field(const sac_param *p, const void *desc)
{
    return (const char *)desc + p->offset;
}

void sac_param_defaults(const sac_param_table *table, void *desc)
{
    memset(desc, 0, table->desc_size);
    *(size_t *)desc = table->desc_size;
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *p = &table->params[i];
        void *value = field(p, desc);
        switch (p->type) {
        case SAC_PARAM_INT:
        case SAC_PARAM_CHOICE:
            *(int32_t *)value = (int32_t)p->def;
            break;
        case SAC_PARAM_INT2:
            ((int32_t *)value)[0] = ((int32_t *)value)[1] = (int32_t)p->def;
            break;
        case SAC_PARAM_FLOAT:
            *(double *)value = p->def;
            break;
        case SAC_PARAM_BOOL:
            *(bool *)value = p->def != 0;
            break;
        case SAC_PARAM_STRING: /* NULL */
        case SAC_PARAM_DEVICE: /* the CPU */
            break;
        }
    }
}

static sac_status check_range(const sac_param *p, double value, sac_error *err)
{
    if (value >= p->min && value <= p->max)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID, "%s: expected %.15g to %.15g%s%s, got %.15g", p->name,
                    p->min, p->max, *p->unit ? " " : "", p->unit, value);
}

/* Reads one integer; *end is behind it. One that is too large is the largest there is. */
static bool read_int(long *out, const char *text, char **end)
{
    *out = strtol(text, end, 10);
    return *end != text;
}

static sac_status set_ints(const sac_param *p, int32_t *out, const char *text, sac_error *err)
{
    long value[2];
    char *end;
    bool good = read_int(&value[0], text, &end);
    value[1] = value[0];
    if (good && p->type == SAC_PARAM_INT2 && *end == 'x')
        good = read_int(&value[1], end + 1, &end);
    if (!good || *end)
        return sac_fail(err, SAC_E_INVALID, "%s: expected %s, got `%s`", p->name,
                        p->type == SAC_PARAM_INT2 ? "N or NxM" : "a whole number", text);
    int n = p->type == SAC_PARAM_INT2 ? 2 : 1;
    for (int i = 0; i < n; i++) {
        sac_status status = check_range(p, (double)value[i], err);
        if (status)
            return status;
    }
    for (int i = 0; i < n; i++)
        out[i] = (int32_t)value[i]; /* within the limits of an int32_t: every table's are */
    return SAC_OK;
}

static sac_status set_float(const sac_param *p, double *out, const char *text, sac_error *err)
{
    const char *end;
    double value = sac_number_read(text, &end);
    if (end == text || *end || !isfinite(value))
        return sac_fail(err, SAC_E_INVALID, "%s: expected a number, got `%s`", p->name, text);
    sac_status status = check_range(p, value, err);
    if (status == SAC_OK)
        *out = value;
    return status;
}

static sac_status set_choice(const sac_param *p, int32_t *out, const char *text, sac_error *err)
{
    char all[160] = "";
    size_t used = 0;
    for (int32_t i = 0; p->choices[i]; i++) {
        if (!strcmp(text, p->choices[i])) {
            *out = i;
            return SAC_OK;
        }
        int n = snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", p->choices[i]);
        used = used + (size_t)n < sizeof all ? used + (size_t)n : sizeof all - 1;
    }
    return sac_fail(err, SAC_E_INVALID, "%s: expected one of %s, got `%s`", p->name, all, text);
}

static sac_status set_bool(const sac_param *p, bool *out, const char *text, sac_error *err)
{
    bool yes = !strcmp(text, "true") || !strcmp(text, "1");
    if (!yes && strcmp(text, "false") && strcmp(text, "0"))
        return sac_fail(err, SAC_E_INVALID, "%s: expected true or false, got `%s`", p->name, text);
    *out = yes;
    return SAC_OK;
}

sac_status sac_param_set(const sac_param_table *table, void *desc, const char *name,
                         const char *text, sac_error *err)
{
    if (!table || !desc || !name || !text)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !table  ? "table"
                        : !desc ? "desc"
                        : !name ? "name"
                                : "text");
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *p = &table->params[i];
        if (strcmp(p->name, name))
            continue;
        void *value = field(p, desc);
        switch (p->type) {
        case SAC_PARAM_INT:
        case SAC_PARAM_INT2:
            return set_ints(p, value, text, err);
        case SAC_PARAM_FLOAT:
            return set_float(p, value, text, err);
        case SAC_PARAM_BOOL:
            return set_bool(p, value, text, err);
        case SAC_PARAM_CHOICE:
            return set_choice(p, value, text, err);
        case SAC_PARAM_STRING:
            *(const char **)value = text;
            return SAC_OK;
        case SAC_PARAM_DEVICE:
            return sac_device_parse(value, text, err);
        }
    }
    return sac_fail(err, SAC_E_INVALID, "%s: no option `%s`", table->pipeline, name);
}

/* As set_float reads it. */
static void print_float(char *text, size_t size, double value)
{
    sac_numbers numbers;
    const bool plain = sac_numbers_begin(&numbers, NULL) == SAC_OK;
    snprintf(text, size, "%.15g", value);
    if (plain)
        sac_numbers_end(&numbers);
}

const char *sac_param_get(const sac_param *p, const void *desc, char *text, size_t size)
{
    const void *value = const_field(p, desc);
    const int32_t *ints = value;
    const sac_device *device = value;
    switch (p->type) {
    case SAC_PARAM_INT:
        snprintf(text, size, "%d", ints[0]);
        break;
    case SAC_PARAM_INT2:
        snprintf(text, size, ints[0] == ints[1] ? "%d" : "%dx%d", ints[0], ints[1]);
        break;
    case SAC_PARAM_FLOAT:
        print_float(text, size, *(const double *)value);
        break;
    case SAC_PARAM_BOOL:
        snprintf(text, size, "%s", *(const bool *)value ? "true" : "false");
        break;
    case SAC_PARAM_CHOICE:
        snprintf(text, size, "%s", p->choices[ints[0]]);
        break;
    case SAC_PARAM_STRING:
        snprintf(text, size, "%s", *(const char *const *)value ? *(const char *const *)value : "");
        break;
    case SAC_PARAM_DEVICE:
        return sac_device_text(*device, text, size);
    }
    return text;
}

static sac_status check_one(const sac_param *p, const void *value, sac_error *err)
{
    char several[128];
    sac_device device;
    const int32_t *ints = value;
    int32_t n_choices = 0;
    sac_status status = SAC_OK;
    switch (p->type) {
    case SAC_PARAM_INT:
        return check_range(p, ints[0], err);
    case SAC_PARAM_INT2:
        status = check_range(p, ints[0], err);
        return status ? status : check_range(p, ints[1], err);
    case SAC_PARAM_FLOAT:
        return check_range(p, *(const double *)value, err);
    case SAC_PARAM_CHOICE:
        while (p->choices[n_choices])
            n_choices++;
        if (ints[0] < 0 || ints[0] >= n_choices)
            return sac_fail(err, SAC_E_INVALID, "%s: expected a choice of 0 to %d, got %d", p->name,
                            n_choices - 1, ints[0]);
        return SAC_OK;
    case SAC_PARAM_DEVICE:
        device = *(const sac_device *)value;
        if (device.kind == SAC_DEVICE_CPU || device.kind == SAC_DEVICE_CUDA)
            return SAC_OK;
        if (device.kind != SAC_DEVICE_CUDA_SET)
            return sac_fail(err, SAC_E_INVALID, "%s: no such kind", p->name);
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: %s: expected one device: this works on one at a time", p->name,
                        sac_device_text(device, several, sizeof several));
    case SAC_PARAM_BOOL:
    case SAC_PARAM_STRING:
        return SAC_OK;
    }
    return SAC_OK;
}

sac_status sac_param_check(const sac_param_table *table, const void *desc, sac_error *err)
{
    if (!table)
        return sac_fail(err, SAC_E_INVALID, "table: is NULL");
    if (!desc)
        return sac_fail(err, SAC_E_INVALID, "%s: desc is NULL", table->pipeline);
    if (*(const size_t *)desc < table->desc_size)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: struct_size is %zu, expected %zu: fill the desc with _desc_init",
                        table->pipeline, *(const size_t *)desc, table->desc_size);
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *p = &table->params[i];
        sac_status status = check_one(p, const_field(p, desc), err);
        if (status)
            return status;
    }
    return SAC_OK;
}

sac_status sac_desc_take(void *own, const sac_param_table *table, const void *desc, sac_error *err)
{
    const sac_status status = sac_struct_take(own, desc, "desc", err);
    return status ? status : sac_param_check(table, own, err);
}
