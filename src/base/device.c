/*
 * Names of devices.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/device.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sac_status sac_device_parse(sac_device *out, const char *text, sac_error *err)
{
    if (!out || !text)
        return sac_fail(err, SAC_E_INVALID, "device: %s is NULL", out ? "text" : "out");
    if (!strcmp(text, "cpu")) {
        *out = (sac_device){SAC_DEVICE_CPU, 0};
        return SAC_OK;
    }
    long index = 0;
    bool good = !strncmp(text, "cuda", 4) && (text[4] == '\0' || text[4] == ':');
    if (good && text[4] == ':') {
        char *end;
        index = strtol(text + 5, &end, 10);
        good = text[5] >= '0' && text[5] <= '9' && !*end && index <= INT16_MAX;
    }
    if (!good)
        return sac_fail(err, SAC_E_INVALID, "device: expected cpu, cuda or cuda:N, got `%s`", text);
    *out = (sac_device){SAC_DEVICE_CUDA, (int32_t)index};
    return SAC_OK;
}
