/*
 * Memory for plans: aligned to a cache line, refused cleanly, and refused on request in tests.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_ALLOC_H
#define SAC_BASE_ALLOC_H

#include "base/error.h"

#define SAC_ALIGNMENT 64 /* bytes: a cache line, and a 512-bit vector */

/* `count` zeroed elements of `size` bytes, aligned to SAC_ALIGNMENT. NULL if refused or too large;
 * never for 0. */
SAC_INTERNAL SAC_NODISCARD void *sac_alloc(size_t count, size_t size);

/* The same, not zeroed: for what is filled as a whole at once. */
SAC_INTERNAL SAC_NODISCARD void *sac_alloc_bare(size_t count, size_t size);

/* Takes NULL. */
SAC_INTERNAL void sac_free(void *memory);

/*
 * Tests only: asked before every allocation; false refuses it. NULL (the default) takes the
 * question away. Set it while no other thread allocates.
 */
SAC_INTERNAL void sac_alloc_hook(bool (*allow)(size_t bytes));

#endif
