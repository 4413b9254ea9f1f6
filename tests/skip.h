/*
 * How a test says what it leaves out: a line `SKIPPED: why` on standard output. A program that does
 * nothing else then ends with status 77; one that leaves out a part of itself goes on. ./check
 * lists these lines at its end (scripts/skipped).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_SKIP_H
#define SAC_TESTS_SKIP_H

#include <stdio.h>

/* A part of the program: the rest goes on. One line, and no name of the test in it. */
static inline void skip_part(const char *why)
{
    printf("SKIPPED: %s\n", why);
    fflush(stdout);
}

/* The whole program: `return skip_all("no GPU");` in main. */
static inline int skip_all(const char *why)
{
    skip_part(why);
    return 77; /* SKIP_RETURN_CODE of tests/CMakeLists.txt */
}

/* One of cmocka's tests, which ends here. */
#define skip_test(why)                                                                             \
    do {                                                                                           \
        skip_part(why);                                                                            \
        skip();                                                                                    \
    } while (0)

#endif
