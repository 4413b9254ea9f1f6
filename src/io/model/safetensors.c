/*
 * safetensors by cJSON: eight bytes that say how long the header is, the header in JSON, data.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/model/safetensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#define LENGTH 8 /* bytes before the header */
#define METADATA "__metadata__"

typedef struct reader {
    sac_safetensors *file;
    const char *name;    /* of the file, for errors */
    const uint8_t *data; /* behind the header */
    uint64_t n_data;
} reader;

/* Errors and descriptions are one line each. */
static bool is_line(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            return false;
    return true;
}

/* Names of an object's parts: each a line, each once. cJSON takes what JSON leaves open. */
static sac_status check_names(const reader *r, const cJSON *object, sac_error *err)
{
    for (const cJSON *item = object->child; item; item = item->next) {
        if (!is_line(item->string))
            return sac_fail(err, SAC_E_FORMAT, "%s: a name in the header has control characters",
                            r->name);
        for (const cJSON *other = object->child; other != item; other = other->next)
            if (strcmp(other->string, item->string) == 0)
                return sac_fail(err, SAC_E_FORMAT, "%s: `%.40s` is there twice", r->name,
                                item->string);
    }
    return SAC_OK;
}

static sac_status check_metadata(const reader *r, const cJSON *metadata, sac_error *err)
{
    if (!cJSON_IsObject(metadata))
        return sac_fail(err, SAC_E_FORMAT, "%s: " METADATA ": expected an object of strings",
                        r->name);
    if (cJSON_GetArraySize(metadata) > SAC_SAFETENSORS_MOST)
        return sac_fail(err, SAC_E_FORMAT, "%s: " METADATA ": %d entries: expected at most %d",
                        r->name, cJSON_GetArraySize(metadata), SAC_SAFETENSORS_MOST);
    sac_status st = check_names(r, metadata, err);
    for (const cJSON *item = metadata->child; item && st == SAC_OK; item = item->next)
        if (!cJSON_IsString(item) || !is_line(item->valuestring))
            st = sac_fail(err, SAC_E_FORMAT, "%s: " METADATA ": `%.40s`: expected a line of text",
                          r->name, item->string);
    return st;
}

static uint64_t bytes_of_dtype(const char *dtype)
{
    static const struct {
        char name[8];
        uint64_t bytes;
    } dtypes[] = {{"F32", 4}, {"F64", 8}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                  {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U64", 8},  {"U32", 4},
                  {"U16", 2}, {"U8", 1},  {"BOOL", 1}};
    for (size_t i = 0; dtype && i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtype, dtypes[i].name) == 0)
            return dtypes[i].bytes;
    return 0;
}

/* The whole numbers of a list, at most `most`; how many there are, or -1. */
static int take_wholes(uint64_t *to, int most, const cJSON *list)
{
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > most)
        return -1;
    int n = 0;
    for (const cJSON *item = list->child; item; item = item->next) {
        double x = item->valuedouble;
        if (!cJSON_IsNumber(item) || !(x >= 0 && x < 0x1p53) || x != (double)(uint64_t)x)
            return -1;
        to[n++] = (uint64_t)x;
    }
    return n;
}

static sac_status take_tensor(const reader *r, sac_safetensor *t, const cJSON *item, sac_error *err)
{
    uint64_t ends[2];
    t->name = item->string;
    t->dtype = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "dtype"));
    t->n_dims = take_wholes(t->shape, SAC_SAFETENSORS_DIMS,
                            cJSON_GetObjectItemCaseSensitive(item, "shape"));
    uint64_t bytes = bytes_of_dtype(t->dtype);
    if (!bytes || t->n_dims < 0 || cJSON_GetArraySize(item) != 3 ||
        take_wholes(ends, 2, cJSON_GetObjectItemCaseSensitive(item, "data_offsets")) != 2)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: tensor `%.40s`: expected dtype (F32, ..), shape and data_offsets",
                        r->name, t->name);
    if (ends[0] > ends[1] || ends[1] > r->n_data)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: tensor `%.40s`: data from %llu to %llu: the file has %llu bytes of it",
                        r->name, t->name, (unsigned long long)ends[0], (unsigned long long)ends[1],
                        (unsigned long long)r->n_data);
    bool fits = true;
    for (int32_t i = 0; i < t->n_dims && fits; i++)
        fits = !__builtin_mul_overflow(bytes, t->shape[i], &bytes);
    if (!fits || bytes != ends[1] - ends[0])
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: tensor `%.40s`: %llu bytes of data are not those of its shape",
                        r->name, t->name, (unsigned long long)(ends[1] - ends[0]));
    t->begin = ends[0];
    t->end = ends[1];
    t->data = r->data + t->begin;
    return SAC_OK;
}

static int by_place(const void *a, const void *b)
{
    const sac_safetensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* Each tensor begins where the one before it ends, the last one ends where the file does. */
static sac_status check_places(const reader *r, sac_error *err)
{
    sac_safetensors *file = r->file;
    uint64_t at = 0;
    qsort(file->tensors, (size_t)file->n_tensors, sizeof *file->tensors, by_place);
    for (int32_t i = 0; i < file->n_tensors; i++) {
        const sac_safetensor *t = &file->tensors[i];
        if (t->begin != at)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: tensor `%.40s`: its data begins at %llu: expected %llu, where the "
                            "data before it ends",
                            r->name, t->name, (unsigned long long)t->begin, (unsigned long long)at);
        at = t->end;
    }
    return at == r->n_data
               ? SAC_OK
               : sac_fail(err, SAC_E_FORMAT,
                          "%s: %llu bytes of data: expected %llu, which the tensors have", r->name,
                          (unsigned long long)r->n_data, (unsigned long long)at);
}

static sac_status read_header(const reader *r, const cJSON *root, sac_error *err)
{
    sac_safetensors *file = r->file;
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(root, METADATA);
    int n = cJSON_GetArraySize(root) - (metadata != NULL);
    if (n > SAC_SAFETENSORS_MOST)
        return sac_fail(err, SAC_E_FORMAT, "%s: %d tensors: expected at most %d", r->name, n,
                        SAC_SAFETENSORS_MOST);
    sac_status st = check_names(r, root, err);
    if (st == SAC_OK && metadata)
        st = check_metadata(r, metadata, err);
    for (const cJSON *item = root->child; item && st == SAC_OK; item = item->next)
        if (item != metadata)
            st = take_tensor(r, &file->tensors[file->n_tensors++], item, err);
    return st == SAC_OK ? check_places(r, err) : st;
}

/* The header's JSON, behind which only spaces may fill up; NULL where it is none. */
static cJSON *parse_json(const char *text, size_t size)
{
    const char *end = NULL;
    cJSON *root = text[0] == '{' ? cJSON_ParseWithLengthOpts(text, size, &end, false) : NULL;
    for (; root && end < text + size; end++) {
        if (*end != ' ') {
            cJSON_Delete(root);
            return NULL;
        }
    }
    return root;
}

sac_status sac_safetensors_parse(sac_safetensors *file, const uint8_t *bytes, size_t n_bytes,
                                 const char *name, sac_error *err)
{
    uint64_t n_header = 0;
    for (int i = LENGTH - 1; i >= 0 && n_bytes >= LENGTH; i--)
        n_header = n_header << 8 | bytes[i];
    if (n_header < 2 || n_header > SAC_SAFETENSORS_HEADER || n_header > n_bytes - LENGTH)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: is not safetensors, or is truncated: a header of %llu bytes in %zu: "
                        "expected 2 to %d",
                        name, (unsigned long long)n_header, n_bytes, SAC_SAFETENSORS_HEADER);
    errno = 0;
    *file = (sac_safetensors){.json = parse_json((const char *)bytes + LENGTH, (size_t)n_header)};
    if (!file->json && errno == ENOMEM)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for its header", name);
    if (!file->json)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: is not safetensors: its header is not a JSON object", name);
    const uint64_t data = LENGTH + n_header;
    const reader r = {file, name, bytes + data, n_bytes - data};
    sac_status st = read_header(&r, file->json, err);
    if (st != SAC_OK)
        sac_safetensors_close(file);
    return st;
}

const char *sac_safetensors_text(const sac_safetensors *file, const char *key)
{
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(file->json, METADATA);
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(metadata, key));
}

void sac_safetensors_close(sac_safetensors *file)
{
    cJSON_Delete(file->json);
    file->json = NULL;
}
