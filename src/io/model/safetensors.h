/*
 * safetensors: tensors by name, and lines of text about them, found in bytes of a file.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_MODEL_SAFETENSORS_H
#define SAC_IO_MODEL_SAFETENSORS_H

#include "base/error.h"

#define SAC_SAFETENSORS_MOST 64      /* tensors */
#define SAC_SAFETENSORS_DIMS 8       /* axes of a tensor */
#define SAC_SAFETENSORS_HEADER 65536 /* bytes */

typedef struct sac_safetensor {
    const char *name, *dtype; /* "F32" */
    int32_t n_dims;
    uint64_t shape[SAC_SAFETENSORS_DIMS];
    const uint8_t *data; /* little-endian, the last axis fastest, at any address */
    uint64_t begin, end; /* in the file's data */
} sac_safetensor;

typedef struct sac_safetensors {
    struct cJSON *json; /* which the strings are in */
    int32_t n_tensors;
    sac_safetensor tensors[SAC_SAFETENSORS_MOST]; /* as their data lies */
} sac_safetensors;

/*
 * Reads the header, and checks it against the bytes, which stay the caller's and must outlive what
 * was parsed: no name twice, no control characters, tensors without holes or overlap from the
 * header to the end. Needs no close after a failure. SAC_E_FORMAT, SAC_E_UNSUPPORTED (this build
 * lacks JSON).
 */
SAC_NODISCARD sac_status sac_safetensors_parse(sac_safetensors *file, const uint8_t *bytes,
                                               size_t n_bytes, const char *name, sac_error *err);

/* A line of the metadata, or NULL. */
const char *sac_safetensors_text(const sac_safetensors *file, const char *key);

void sac_safetensors_close(sac_safetensors *file);

#endif
