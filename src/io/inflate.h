/*
 * How much deflated bytes become, before a library makes memory of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_INFLATE_H
#define SAC_IO_INFLATE_H

#include "base/error.h"

/* Whether zlib's stream of n bytes becomes at most `most`; damaged ones count as far as they go.
 * SAC_E_FORMAT (more), SAC_E_NOMEM; without a text. Takes no memory that grows. */
SAC_NODISCARD sac_status sac_inflate_check(const uint8_t *bytes, size_t n, uint64_t most);

#endif
