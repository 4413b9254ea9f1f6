/*
 * Names of devices.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* "N": a number of one to five digits; NULL where it is none, else what follows. */
static const char *read_index(long *index, const char *text)
{
    char *end;
    *index = strtol(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *index <= INT16_MAX ? end : NULL;
}

/* "0,2": two numbers or more, none twice; 0 where it is no such list. */
static int32_t read_set(const char *text)
{
    int32_t bits = 0;
    for (;; text++) {
        long index;
        text = read_index(&index, text);
        if (!text || index >= SAC_MAX_DEVICES || (bits & (int32_t)(1U << index)))
            return 0;
        bits |= (int32_t)(1U << index);
        if (*text != ',')
            return *text ? 0 : bits;
    }
}

sac_status sac_device_parse(sac_device *out, const char *text, sac_error *err)
{
    if (!out || !text)
        return sac_fail(err, SAC_E_INVALID, "device: %s is NULL", out ? "text" : "out");
    long index = 0;
    sac_device device = {SAC_DEVICE_CUDA, 0};
    const char *end = "";
    if (!strcmp(text, "cpu"))
        device.kind = SAC_DEVICE_CPU;
    else if (!strcmp(text, "cuda:all"))
        device = (sac_device){SAC_DEVICE_CUDA_SET, -1};
    else if (strncmp(text, "cuda:", 5) != 0)
        end = strcmp(text, "cuda") ? NULL : "";
    else
        end = read_index(&index, text + 5);
    device.index += (int32_t)index;
    if (end && *end == ',') {
        device = (sac_device){SAC_DEVICE_CUDA_SET, read_set(text + 5)};
        end = device.index ? "" : NULL;
    }
    if (!end || *end)
        return sac_fail(err, SAC_E_INVALID,
                        "device: expected cpu, cuda, cuda:N, cuda:N,M or cuda:all, got `%s`", text);
    *out = device;
    return SAC_OK;
}

const char *sac_device_text(sac_device device, char *text, size_t size)
{
    const bool is_set = device.kind == SAC_DEVICE_CUDA_SET;
    int length = snprintf(text, size,
                          is_set && device.index == -1     ? "cuda:all"
                          : is_set                         ? "cuda:"
                          : device.kind == SAC_DEVICE_CUDA ? "cuda:%d"
                                                           : "cpu",
                          (int)device.index);
    for (int32_t i = 0, n = 0; is_set && device.index != -1 && i < SAC_MAX_DEVICES; i++)
        if ((device.index & (int32_t)(1U << i)) && (size_t)length < size)
            length += snprintf(text + length, size - (size_t)length, n++ ? ",%d" : "%d", (int)i);
    return text;
}
