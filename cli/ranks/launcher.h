/*
 * What a launcher tells the processes that it starts.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RANKS_LAUNCHER_H
#define CLI_RANKS_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this process is one of several: its number, and how many there are (0: not told). */
bool cli_launched(int32_t *rank, int32_t *n);

#endif
