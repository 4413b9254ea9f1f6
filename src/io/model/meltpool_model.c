/*
 * Models of a melt pool's features: what must be in their safetensors, and numbers that can be
 * used.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/meltpool_model.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/in.h"
#include "io/model/safetensors.h"

#define MOST_HIDDEN 4096
#define MOST_BYTES (UINT64_C(1) << 22) /* the largest is 1.5 MB, in float64 */

enum { MEAN, SCALE, W1, B1, W2, B2, N_TENSORS };

#define HIDDEN 0 /* in a shape: as many as there are hidden units */

static const struct {
    const char *name;
    int32_t n_dims;
    uint64_t shape[2];
} tensors[N_TENSORS] = {
    [MEAN] = {"mean", 1, {SAC_MELTPOOL_FEATURES}},
    [SCALE] = {"scale", 1, {SAC_MELTPOOL_FEATURES}},
    [W1] = {"hidden.weight", 2, {HIDDEN, SAC_MELTPOOL_FEATURES}},
    [B1] = {"hidden.bias", 1, {HIDDEN}},
    [W2] = {"output.weight", 2, {SAC_MELTPOOL_PREDICTIONS, HIDDEN}},
    [B2] = {"output.bias", 1, {SAC_MELTPOOL_PREDICTIONS}},
};

/* What the metadata must say. */
static const struct {
    const char *key, *value;
} texts[] = {
    {"format", "saccade meltpool model"},
    {"version", "1"},
    {"features_version", "1"},
    {"outputs", "lof_density_per_mm2, keyhole_density_per_mm2"},
};

struct sac_meltpool_model_file {
    sac_meltpool_model model;
    float *numbers[N_TENSORS];
    char *description, *parameters;
};

typedef struct reader {
    sac_meltpool_model_file *file;
    const sac_safetensors *from;
    const char *name; /* for errors */
} reader;

static sac_status check_texts(const reader *r, sac_error *err)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *value = sac_safetensors_text(r->from, texts[i].key);
        if (!value || strcmp(value, texts[i].value) != 0)
            return sac_fail(err, SAC_E_FORMAT, "%s: metadata `%s`: expected `%s`, got %s%.40s%s",
                            r->name, texts[i].key, texts[i].value, value ? "`" : "",
                            value ? value : "nothing", value ? "`" : "");
    }
    return SAC_OK;
}

/* "area,spatter_area,..": the features of this library, in their order. */
static sac_status check_features(const reader *r, sac_error *err)
{
    const char *text = sac_safetensors_text(r->from, "features");
    for (int32_t i = 0; i < SAC_MELTPOOL_FEATURES; i++) {
        const char *name = sac_meltpool_feature_name(i);
        size_t n = strlen(name);
        bool is_last = i == SAC_MELTPOOL_FEATURES - 1;
        if (!text || strncmp(text, name, n) != 0 || text[n] != (is_last ? '\0' : ','))
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: metadata `features`: number %" PRId32
                            ": expected `%s%s`, got `%.40s`",
                            r->name, i, name, is_last ? "" : ",..", text ? text : "");
        text += n + 1;
    }
    return SAC_OK;
}

static sac_status read_activations(const reader *r, sac_error *err)
{
    const char *hidden = sac_safetensors_text(r->from, "hidden");
    const char *output = sac_safetensors_text(r->from, "output");
    if (!hidden || !output)
        return sac_fail(err, SAC_E_FORMAT, "%s: metadata `%s`: expected an activation, got nothing",
                        r->name, hidden ? "output" : "hidden");
    if (strcmp(hidden, "relu") != 0)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: metadata `hidden`: expected `relu`, got `%.40s`", r->name, hidden);
    bool linear = strcmp(output, "linear") == 0;
    if (!linear && strcmp(output, "softplus") != 0)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: metadata `output`: expected `linear` or `softplus`, got `%.40s`",
                        r->name, output);
    r->file->model.output = linear ? SAC_MELTPOOL_LINEAR : SAC_MELTPOOL_SOFTPLUS;
    return SAC_OK;
}

static const sac_safetensor *find(const reader *r, const char *name)
{
    for (int32_t i = 0; i < r->from->n_tensors; i++)
        if (strcmp(r->from->tensors[i].name, name) == 0)
            return &r->from->tensors[i];
    return NULL;
}

/* "(164, 40)" */
static const char *shape_text(char text[64], int32_t n_dims, const uint64_t *shape)
{
    int n = snprintf(text, 64, "(");
    for (int32_t i = 0; i < n_dims && n < 64; i++)
        n += snprintf(text + n, 64 - (size_t)n, "%s%" PRIu64, i ? ", " : "", shape[i]);
    if (n < 64)
        snprintf(text + n, 64 - (size_t)n, ")");
    return text;
}

/* Tensor i as the schema has it; the hidden units are counted by their bias. */
static sac_status check_tensor(const reader *r, int i, const sac_safetensor *t, sac_error *err)
{
    char expected[64], got[64];
    uint64_t shape[2];
    for (int d = 0; d < 2; d++)
        shape[d] =
            tensors[i].shape[d] == HIDDEN ? (uint64_t)r->file->model.n_hidden : tensors[i].shape[d];
    if (t->n_dims != tensors[i].n_dims ||
        memcmp(t->shape, shape, (size_t)t->n_dims * sizeof *shape) != 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: tensor `%s`: expected shape %s, got %s", r->name,
                        t->name, shape_text(expected, tensors[i].n_dims, shape),
                        shape_text(got, t->n_dims, t->shape));
    if (strcmp(t->dtype, "F32") != 0 && strcmp(t->dtype, "F64") != 0)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: tensor `%s`: expected F32 or F64, got %s",
                        r->name, t->name, t->dtype);
    return SAC_OK;
}

/* Copies a tensor, doubles rounded to floats. The file is little-endian, as is every machine that
 * saccade is built for. */
static sac_status copy_tensor(const reader *r, int i, const sac_safetensor *t, sac_error *err)
{
    size_t size = t->dtype[1] == '6' ? sizeof(double) : sizeof(float);
    size_t n = (size_t)(t->end - t->begin) / size;
    float *to = r->file->numbers[i] = sac_alloc(n, sizeof *to);
    if (!to)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for tensor `%s`", r->name, t->name);
    for (size_t k = 0; k < n; k++) {
        double wide = 0;
        memcpy(size == sizeof wide ? (void *)&wide : (void *)&to[k], t->data + k * size, size);
        if (size == sizeof wide)
            to[k] = (float)wide;
        if (!isfinite(to[k]) || (i == SCALE && !(to[k] > 0)))
            return sac_fail(err, SAC_E_FORMAT, "%s: tensor `%s`: number %zu: expected %s, got %g",
                            r->name, t->name, k, i == SCALE ? "a float above 0" : "a finite float",
                            (double)to[k]);
    }
    return SAC_OK;
}

static sac_status read_tensors(const reader *r, sac_error *err)
{
    const sac_safetensor *hidden = find(r, tensors[B1].name);
    char got[64] = "nothing";
    if (!hidden || hidden->n_dims != 1 || hidden->shape[0] < 1 || hidden->shape[0] > MOST_HIDDEN)
        return sac_fail(err, SAC_E_FORMAT, "%s: tensor `%s`: expected shape (1) to (%d), got %s",
                        r->name, tensors[B1].name, MOST_HIDDEN,
                        hidden ? shape_text(got, hidden->n_dims, hidden->shape) : got);
    r->file->model.n_hidden = (int32_t)hidden->shape[0];
    sac_status st = SAC_OK;
    for (int i = 0; i < N_TENSORS && st == SAC_OK; i++) {
        const sac_safetensor *t = find(r, tensors[i].name);
        if (!t)
            return sac_fail(err, SAC_E_FORMAT, "%s: tensor `%s` is missing", r->name,
                            tensors[i].name);
        st = check_tensor(r, i, t, err);
        st = st ? st : copy_tensor(r, i, t, err);
    }
    if (st == SAC_OK && r->from->n_tensors > N_TENSORS)
        return sac_fail(err, SAC_E_FORMAT, "%s: %" PRId32 " tensors: expected %d and no more",
                        r->name, r->from->n_tensors, N_TENSORS);
    return st;
}

/* Text that may be missing: "" then. */
static sac_status read_text(char **to, const reader *r, const char *key, sac_error *err)
{
    const char *text = sac_safetensors_text(r->from, key);
    text = text ? text : "";
    *to = sac_alloc(strlen(text) + 1, 1);
    if (!*to)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for its %s", r->name, key);
    memcpy(*to, text, strlen(text));
    return SAC_OK;
}

static sac_status read_model(const reader *r, sac_error *err)
{
    sac_status st = check_texts(r, err);
    st = st ? st : check_features(r, err);
    st = st ? st : read_activations(r, err);
    st = st ? st : read_tensors(r, err);
    st = st ? st : read_text(&r->file->description, r, "description", err);
    st = st ? st : read_text(&r->file->parameters, r, "parameters", err);
    sac_meltpool_model *m = &r->file->model;
    float *const *numbers = r->file->numbers;
    m->struct_size = sizeof *m;
    m->mean = numbers[MEAN];
    m->scale = numbers[SCALE];
    m->w1 = numbers[W1];
    m->b1 = numbers[B1];
    m->w2 = numbers[W2];
    m->b2 = numbers[B2];
    return st;
}

sac_status sac_meltpool_model_parse(sac_meltpool_model_file **out, const void *bytes,
                                    size_t n_bytes, const char *name, sac_error *err)
{
    if (!out || !bytes || !name)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !out     ? "out"
                        : !bytes ? "bytes"
                                 : "name");
    *out = NULL;
    sac_safetensors from;
    sac_status st = sac_safetensors_parse(&from, bytes, n_bytes, name, err);
    if (st != SAC_OK)
        return st;
    sac_meltpool_model_file *file = sac_alloc(1, sizeof *file);
    const reader r = {file, &from, name};
    st = file ? read_model(&r, err) : sac_fail(err, SAC_E_NOMEM, "%s: no memory", name);
    sac_safetensors_close(&from);
    if (st == SAC_OK)
        *out = file;
    else
        sac_meltpool_model_close(&file);
    return st;
}

sac_status sac_meltpool_model_read(sac_meltpool_model_file **out, const char *path, sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    sac_in in;
    sac_status st = sac_in_open(&in, path, MOST_BYTES, err);
    if (st != SAC_OK)
        return st;
    uint64_t size = sac_in_left(&in);
    char *bytes = NULL;
    if (size > MOST_BYTES)
        st = sac_fail(err, SAC_E_FORMAT,
                      "%s: %" PRIu64 " bytes: expected a model of at most %" PRIu64, in.name, size,
                      MOST_BYTES);
    else
        st = sac_in_take_rest(&bytes, &in, err);
    st = st ? st : sac_meltpool_model_parse(out, bytes, (size_t)size, in.name, err);
    sac_free(bytes);
    sac_in_close(&in);
    return st;
}

const sac_meltpool_model *sac_meltpool_model_get_model(const sac_meltpool_model_file *file)
{
    return file ? &file->model : NULL;
}

const char *sac_meltpool_model_get_description(const sac_meltpool_model_file *file)
{
    return file ? file->description : "";
}

const char *sac_meltpool_model_get_parameters(const sac_meltpool_model_file *file)
{
    return file ? file->parameters : "";
}

void sac_meltpool_model_close(sac_meltpool_model_file **file)
{
    if (!file || !*file)
        return;
    for (int i = 0; i < N_TENSORS; i++)
        sac_free((*file)->numbers[i]);
    sac_free((*file)->description);
    sac_free((*file)->parameters);
    sac_free(*file);
    *file = NULL;
}
