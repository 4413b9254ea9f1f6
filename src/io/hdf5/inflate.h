/*
 * What deflated bytes become, before a library makes memory of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_HDF5_INFLATE_H
#define SAC_IO_HDF5_INFLATE_H

#include "base/error.h"

/* Whether zlib's stream at the beginning of n bytes becomes `size` of them, no more and no fewer.
 * SAC_E_FORMAT, SAC_E_NOMEM, SAC_E_UNSUPPORTED (a build without zlib); without a text. Takes no
 * memory that grows. */
SAC_NODISCARD sac_status sac_inflate_check(const uint8_t *bytes, size_t n, uint64_t size);

#endif
