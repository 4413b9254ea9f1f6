/*
 * How a set-up call fails: one line of text for the caller, one status to return.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_ERROR_H
#define SAC_BASE_ERROR_H

#include <saccade/base.h>

/*
 * Visible to saccade's own libraries (io, ladder) when they are shared objects. Not API: no header
 * in include/ declares such a function, and it may change at any time.
 */
#define SAC_INTERNAL SAC_API

/* Writes the text where err is not NULL, and returns `status`. Cuts text that is too long. */
SAC_INTERNAL sac_status sac_fail(sac_error *err, sac_status status, const char *format, ...)
    SAC_PRINTF(3, 4);

/*
 * For clang's analyzer, which sees one file at a time: that sac_fail() returns its status, and that
 * `fact` holds. Nothing in a build.
 */
#ifdef __clang_analyzer__
#define sac_fail(err, status, ...) ((void)sac_fail(err, status, __VA_ARGS__), (status))
#define sac_known(fact) ((fact) ? (void)0 : __builtin_unreachable())
#else
#define sac_known(fact) ((void)0)
#endif

/* One line to a log that may be NULL. */
SAC_INTERNAL void sac_log_line(const sac_log *log, sac_log_level level, const char *format, ...)
    SAC_PRINTF(3, 4);

#endif
