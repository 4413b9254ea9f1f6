/*
 * SAC_HOST_DEVICE: an inline function that C and CUDA share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_HOST_DEVICE_H
#define SAC_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define SAC_HOST_DEVICE __host__ __device__
#else
#define SAC_HOST_DEVICE
#endif

#endif
