/*
 * The page's files, which CMake makes of web/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_PAGES_H
#define CLI_VIEW_PAGES_H

#include <stddef.h>

typedef struct view_page {
    const char *name; /* "" is index.html; ends with NULL */
    const char *type; /* of media */
    const unsigned char *bytes;
    size_t size;
} view_page;

extern const view_page view_pages[];

#endif
