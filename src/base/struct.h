/*
 * Structs that begin with struct_size, as the caller's program knows them: it may be older or newer
 * than this library. New fields are added at the end, never into padding.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_STRUCT_H
#define SAC_BASE_STRUCT_H

#include <saccade/param.h>

#include "base/error.h"

/*
 * Copies the caller's struct over *own, which its _init has filled. What an older program's struct
 * lacks keeps its default; what a newer one's has more must be 0. SAC_E_INVALID: NULL, a
 * struct_size that no struct has, or fields that this library does not know.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_struct_take(void *own, const void *callers,
                                                      const char *name, sac_error *err);

/* The same of a desc, then sac_param_check. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_desc_take(void *own, const sac_param_table *table,
                                                    const void *desc, sac_error *err);

/* Copies *own to the caller as far as his struct_size reaches; what he has more becomes 0. A NULL,
 * or a struct without a size, is left alone. */
SAC_INTERNAL void sac_struct_give(void *callers, const void *own);

#endif
