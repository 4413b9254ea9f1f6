/*
 * Options of the address sanitizer, in builds that have it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/base.h>

/* The leak sanitizer of gcc 12 reads thread-local storage of libraries that are loaded at run time
 * (libvips and those that it needs) at addresses which it guesses, and faults. Without this, it
 * takes that memory for what it is to glibc: allocated. */
extern const char sac_asan_options[]; /* that a program which links the static library asks for */
const char sac_asan_options[] = "intercept_tls_get_addr=0";

SAC_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return sac_asan_options;
}
