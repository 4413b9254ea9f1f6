/*
 * The metadata of a recording into JSON, by cJSON: docs/formats.md has the schema.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "io/recording/parts.h"

/* Adds a number, null where it is not finite. */
static void put_number(cJSON *object, const char *name, double value)
{
    cJSON_AddItemToObject(object, name,
                          isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static void put_fields(cJSON *object, const sac_field *fields, const void *base)
{
    for (const sac_field *f = fields; f->name; f++) {
        const double *values = sac_field_in(base, f);
        if (f->width == 1)
            put_number(object, f->name, values[0]);
        else
            cJSON_AddItemToObject(object, f->name, cJSON_CreateDoubleArray(values, f->width));
    }
}

/* A list of the objects that n structs of `size` bytes are. */
static cJSON *put_list(cJSON *root, const char *name, const sac_field *fields, const void *base,
                       size_t size, int64_t n)
{
    cJSON *list = cJSON_AddArrayToObject(root, name);
    for (int64_t i = 0; i < n; i++) {
        cJSON *object = cJSON_CreateObject();
        put_fields(object, fields, (const char *)base + (size_t)i * size);
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static void put_transmits(cJSON *root, const sac_acquisition *a)
{
    cJSON *list = put_list(root, "transmits", sac_transmit_fields, a->transmits,
                           sizeof *a->transmits, a->n_transmits);
    cJSON *object = list ? list->child : NULL;
    for (int32_t i = 0; object && i < a->n_transmits; i++, object = object->next) {
        const sac_transmit *t = &a->transmits[i];
        cJSON_AddStringToObject(object, "kind", sac_transmit_kind_name(t->kind));
        if (t->kind == SAC_TRANSMIT_ELEMENT)
            put_number(object, "element", t->element);
        if (a->tx_apodization)
            cJSON_AddItemToObject(
                object, "apodization",
                cJSON_CreateDoubleArray(a->tx_apodization + (ptrdiff_t)i * a->n_elements,
                                        a->n_elements));
        cJSON *receives = a->receives ? cJSON_AddArrayToObject(object, "receives") : NULL;
        for (int32_t e = 0; receives && e < a->n_elements; e++)
            cJSON_AddItemToArray(receives,
                                 cJSON_CreateNumber(a->receives[(ptrdiff_t)i * a->n_elements + e]));
        if (t->kind != SAC_TRANSMIT_DELAYS)
            continue;
        cJSON *delays = cJSON_AddArrayToObject(object, "delays_s");
        for (int32_t e = 0; e < a->n_elements; e++)
            cJSON_AddItemToArray(delays, isnan(t->delays_s[e])
                                             ? cJSON_CreateNull()
                                             : cJSON_CreateNumber(t->delays_s[e]));
    }
}

static void put_prints(cJSON *root, const sac_prints *p)
{
    char text[SAC_PRINTS_TEXT];
    sac_prints_to_text(text, p);
    cJSON *object = cJSON_AddObjectToObject(root, "samples");
    cJSON_AddStringToObject(object, "dtype", sac_dtype_name(p->dtype));
    cJSON *shape = cJSON_AddArrayToObject(object, "shape");
    for (int i = 0; i < 4; i++)
        cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)p->shape[i]));
    put_number(object, "frames_each", (double)p->frames_each);
    cJSON_AddStringToObject(object, "crc32c", text);
}

sac_status sac_json_can_write(const char *name, sac_error *err)
{
    (void)name, (void)err;
    return SAC_OK;
}

sac_status sac_json_print(char **text, const sac_recording *r, const sac_scatterer *truth,
                          const sac_prints *prints, const char *json_name, sac_error *err)
{
    const sac_acquisition *a = &r->acquisition;
    errno = 0; /* tells whether any of these calls lacked memory, and left something out */
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", "saccade recording");
    put_number(root, "version", 1);
    put_prints(root, prints);
    put_fields(root, sac_acquisition_fields, a);
    cJSON_AddStringToObject(root, "phase_origin", sac_phase_origin_name(a->phase_origin));
    put_number(root, "phase_sign", a->phase_sign);
    cJSON *elements = put_list(root, "elements", sac_element_fields, a->elements,
                               sizeof *a->elements, a->n_elements);
    cJSON *element = elements && a->shapes ? elements->child : NULL;
    for (int32_t e = 0; element && e < a->n_elements; e++, element = element->next)
        cJSON_AddStringToObject(element, "shape", sac_shape_name(a->shapes[e]));
    put_transmits(root, a);
    if (r->n_truth)
        put_list(root, "truth", sac_scatterer_fields, truth, sizeof *truth, r->n_truth);
    char *printed = cJSON_Print(root);
    cJSON_Delete(root);
    size_t length = printed ? strlen(printed) : 0;
    *text = printed && errno != ENOMEM ? sac_alloc(length + 2, 1) : NULL;
    if (*text) {
        memcpy(*text, printed, length);
        (*text)[length] = '\n';
    }
    cJSON_free(printed);
    return *text ? SAC_OK : sac_fail(err, SAC_E_NOMEM, "%s: no memory to write it", json_name);
}
