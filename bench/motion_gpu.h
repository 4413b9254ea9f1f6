/*
 * bench_motion --device cuda.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_MOTION_GPU_H
#define BENCH_MOTION_GPU_H

#include <saccade/device.h>

/* Times plans of heat maps, noise views and filters on a GPU beside copies, CuPy and PyTorch, and
 * compares all bytes with the CPU's. Returns the exit status. */
int bench_motion_gpu(sac_device device);

#endif
