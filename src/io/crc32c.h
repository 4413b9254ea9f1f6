/*
 * CRC-32C (Castagnoli; iSCSI, SCTP).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_CRC32C_H
#define SAC_IO_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of what came before, `crc` (0 at first), and n more bytes. */
uint32_t sac_crc32c(uint32_t crc, const uint8_t *bytes, size_t n);

#endif
