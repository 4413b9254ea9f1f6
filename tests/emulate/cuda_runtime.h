/*
 * CUDA's header of this name as C++ knows it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_words.h"
