/*
 * The kernels that a plan launches, in their order, on a GPU that is the CPU's memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TRACED_GPU_H
#define TRACED_GPU_H

#include "unit.h"

/* As the caller's, for a desc. */
void *traced_stream(void);

/* Forgets what it noted; from here on a kernel shall read `data`. */
void traced_begin(const void *data);

/* The kernels since, "demodulate points", of which one has read the data. Valid until the next. */
const char *traced_end(void);

#endif
