/*
 * What a build without cJSON says when metadata in JSON, or safetensors, are asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"
#include "io/model/safetensors.h"

/* Nobody looks at what they are given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

sac_status sac_json_can_write(const char *name, sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "%s: this build has no JSON (libcjson was not found when it was built)", name);
}

sac_status sac_json_parse(sac_draft *draft, const char *json_name, const char *text, size_t size,
                          uint64_t n_elements, sac_error *err)
{
    return sac_json_can_write(json_name, err);
}

sac_status sac_json_print(char **text, const sac_recording *recording, const sac_scatterer *truth,
                          const sac_prints *prints, const char *json_name, sac_error *err)
{
    *text = NULL;
    return sac_json_can_write(json_name, err);
}

sac_status sac_safetensors_parse(sac_safetensors *file, const uint8_t *bytes, size_t n_bytes,
                                 const char *name, sac_error *err)
{
    return sac_json_can_write(name, err);
}

const char *sac_safetensors_text(const sac_safetensors *file, const char *key)
{
    return NULL;
}

void sac_safetensors_close(sac_safetensors *file)
{
}
