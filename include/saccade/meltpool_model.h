/*
 * Models that predict from melt-pool features: reads them from safetensors files, which hold
 * tensors and metadata. In libsaccade-io; docs/formats.md has the schema.
 *
 *     sac_meltpool_model_file *file = NULL;
 *     st = sac_meltpool_model_shipped(&file, &err);
 *     desc.model = sac_meltpool_model_get_model(file);
 *     st = sac_meltpool_open(&plan, &desc, &err);
 *     sac_meltpool_model_close(&file);
 *
 * open copies the model, so the file may be closed right after it. The defaults of
 * sac_meltpool_desc_init are the parameters of the shipped model; the calibration is none of them,
 * so set desc.calibration.
 *
 * Threads: any function may be called from any thread at any time. A model that was read does not
 * change, and may be used by many threads; one thread closes it, when the others are done. Getters
 * and close accept NULL (and return NULL or ""); any other NULL argument, except err, is
 * SAC_E_INVALID.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MELTPOOL_MODEL_H
#define SACCADE_MELTPOOL_MODEL_H

#include <saccade/meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model that was read. It owns its numbers. */
typedef struct sac_meltpool_model_file sac_meltpool_model_file;

/*
 * Reads a model from a file; the caller closes it. SAC_E_INVALID (NULL); SAC_E_IO; SAC_E_FORMAT
 * (not a model file, truncated, contradictory, a number that is not finite, made for other
 * features or another version of them); SAC_E_UNSUPPORTED (an unknown activation or type; this
 * build lacks JSON); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_model_read(sac_meltpool_model_file **out,
                                                         const char *path, sac_error *err);

/*
 * The model that ships with saccade: trained on simulated builds only, of seeds 1 to 24
 * (docs/model-card.md). So for a fair test simulate another seed than the default, 1. Same errors
 * as sac_meltpool_model_read.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_model_shipped(sac_meltpool_model_file **out,
                                                            sac_error *err);

/*
 * Reads a model from bytes in memory, which are not used after the call; error texts call it
 * `name`. Same errors, except SAC_E_IO.
 */
SAC_API SAC_NODISCARD sac_status sac_meltpool_model_parse(sac_meltpool_model_file **out,
                                                          const void *bytes, size_t n_bytes,
                                                          const char *name, sac_error *err);

/* The model as a plan takes it; owned by the file. NULL for NULL. */
SAC_API const sac_meltpool_model *sac_meltpool_model_get_model(const sac_meltpool_model_file *file);

/*
 * One line about what it was trained on; "" if the file does not tell, or for NULL. Owned by the
 * file.
 */
SAC_API const char *sac_meltpool_model_get_description(const sac_meltpool_model_file *file);

/*
 * The parameters of the features that it was trained on, "roi=40 threshold=60 ..": names and values
 * for sac_param_set with sac_meltpool_params(), each pair joined by '=', pairs separated by a
 * space. With other parameters predictions are meaningless; open does not compare them. "" if the
 * file does not tell, or for NULL. Owned by the file.
 */
SAC_API const char *sac_meltpool_model_get_parameters(const sac_meltpool_model_file *file);

/* Frees the model and sets *file to NULL. */
SAC_API void sac_meltpool_model_close(sac_meltpool_model_file **file);

#ifdef __cplusplus
}
#endif
#endif
