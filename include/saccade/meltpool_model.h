/*
 * Models that predict from a melt pool's features, in safetensors files: tensors, and metadata that
 * says what they are of. In libsaccade-io; docs/formats.md has the schema.
 * Threads: every function may be called from any thread at any time, but for the close of a model
 * that another thread still uses: models do not change once they are there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MELTPOOL_MODEL_H
#define SACCADE_MELTPOOL_MODEL_H

#include <saccade/meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model that was read, and owns its numbers. */
typedef struct sac_meltpool_model_file sac_meltpool_model_file;

/*
 * SAC_E_INVALID (NULL); SAC_E_IO; SAC_E_FORMAT (no such file, truncated, contradictory, a number
 * that is not finite, of other features or another version of them); SAC_E_UNSUPPORTED (an
 * activation or type that is not known; this build lacks JSON); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_model_read(sac_meltpool_model_file **out,
                                                         const char *path, sac_error *err);

/* The model that ships: trained on simulated builds alone (docs/model-card.md). Errors as above. */
SAC_API SAC_NODISCARD sac_status sac_meltpool_model_shipped(sac_meltpool_model_file **out,
                                                            sac_error *err);

/* Of bytes in memory, which are not needed afterwards; `name` is for errors. As above, but
 * SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_meltpool_model_parse(sac_meltpool_model_file **out,
                                                          const void *bytes, size_t n_bytes,
                                                          const char *name, sac_error *err);

/* As a plan takes it; the file's. NULL with NULL; the texts below are "" then. */
SAC_API const sac_meltpool_model *sac_meltpool_model_get_model(const sac_meltpool_model_file *file);

/* One line of what it was trained on, "" where the file says nothing; the file's. */
SAC_API const char *sac_meltpool_model_get_description(const sac_meltpool_model_file *file);

/* The parameters that its features were made with, "roi=40 threshold=60 ..", names and values as
 * sac_param_set takes them: with others, predictions mean nothing. As above. */
SAC_API const char *sac_meltpool_model_get_parameters(const sac_meltpool_model_file *file);

SAC_API void sac_meltpool_model_close(sac_meltpool_model_file **file);

#ifdef __cplusplus
}
#endif
#endif
