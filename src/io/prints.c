/*
 * Checksums of frames, and how JSON has them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/prints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/crc32c.h"

void sac_prints_make(sac_prints *prints, const sac_array *samples)
{
    int64_t n = samples->shape[0];
    size_t frame_bytes = (size_t)(sac_array_count(samples) / n) * sac_dtype_size(samples->dtype);
    const uint8_t *at = samples->data;
    prints->dtype = samples->dtype;
    prints->frames_each = sac_prints_count(n, SAC_PRINTS_MOST);
    memcpy(prints->shape, samples->shape, sizeof prints->shape);
    for (int64_t i = 0; i < n; i += prints->frames_each) {
        int64_t now = n - i < prints->frames_each ? n - i : prints->frames_each;
        size_t bytes = (size_t)now * frame_bytes;
        prints->crc32c[i / prints->frames_each] = sac_crc32c(0, at, bytes);
        at += bytes;
    }
}

void sac_prints_to_text(char text[SAC_PRINTS_TEXT], const sac_prints *prints)
{
    int64_t n = sac_prints_count(prints->shape[0], prints->frames_each);
    for (int64_t i = 0; i < n; i++)
        snprintf(text + 8 * i, 9, "%08" PRIx32, prints->crc32c[i]);
}

bool sac_prints_from_text(sac_prints *prints, const char *text)
{
    int64_t n = sac_prints_count(prints->shape[0], prints->frames_each);
    size_t length = strlen(text);
    if (n > SAC_PRINTS_MOST || length != 8 * (size_t)n ||
        strspn(text, "0123456789abcdef") != length)
        return false;
    for (int64_t i = 0; i < n; i++) {
        char digits[9] = {0};
        memcpy(digits, text + 8 * i, 8);
        prints->crc32c[i] = (uint32_t)strtoul(digits, NULL, 16);
    }
    return true;
}
