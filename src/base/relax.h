/*
 * What a loop says to the core while it waits for another: that it only waits.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_RELAX_H
#define SAC_BASE_RELAX_H

static inline void sac_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
