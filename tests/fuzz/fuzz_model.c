/*
 * libFuzzer on models in safetensors: two bytes say how much of the input is the header, whose
 * length the file then has right; with their highest bit the rest is the file as it is.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/meltpool_model.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const float *numbers, int32_t n, bool above_0)
{
    for (int32_t i = 0; i < n; i++)
        if (!isfinite(numbers[i]) || (above_0 && numbers[i] <= 0))
            abort();
}

/* A sound model, or an error with its reason in one line. */
static void parse(const uint8_t *bytes, size_t size)
{
    sac_meltpool_model_file *file = NULL;
    sac_error err = {0};
    sac_status st = sac_meltpool_model_parse(&file, bytes, size, "x", &err);
    if ((st == SAC_OK) != (file != NULL) ||
        (st != SAC_OK && (err.text[0] == '\0' || strchr(err.text, '\n'))))
        abort();
    if (file) {
        const sac_meltpool_model *m = sac_meltpool_model_get_model(file);
        if (m->n_hidden < 1 || m->n_hidden > 4096 ||
            strchr(sac_meltpool_model_get_description(file), '\n') ||
            strchr(sac_meltpool_model_get_parameters(file), '\n'))
            abort();
        check(m->mean, SAC_MELTPOOL_FEATURES, false);
        check(m->scale, SAC_MELTPOOL_FEATURES, true);
        check(m->w1, SAC_MELTPOOL_FEATURES * m->n_hidden, false);
        check(m->b1, m->n_hidden, false);
        check(m->w2, SAC_MELTPOOL_PREDICTIONS * m->n_hidden, false);
        check(m->b2, SAC_MELTPOOL_PREDICTIONS, false);
    }
    sac_meltpool_model_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t header = (size_t)(data[0] | data[1] << 8);
    size -= 2;
    if (header >= 32768) {
        parse(data + 2, size);
        return 0;
    }
    header = header < size ? header : size;
    uint8_t *file = malloc(8 + size);
    if (!file)
        abort();
    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)((uint64_t)header >> (8 * i));
    if (size)
        memcpy(file + 8, data + 2, size);
    parse(file, 8 + size);
    free(file);
    return 0;
}
