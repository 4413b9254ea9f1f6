/*
 * GLib gives up its first table of quarks when it needs a larger one, on purpose: other threads may
 * read it. What libraries allocate before main is therefore no leak to the address sanitizer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sanitizer/lsan_interface.h>

static void (*const before_libraries)(void)
    __attribute__((section(".preinit_array"), used)) = __lsan_disable;

__attribute__((constructor)) static void after_libraries(void)
{
    __lsan_enable();
}
