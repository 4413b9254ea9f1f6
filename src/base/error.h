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

/* One line to a log that may be NULL. */
SAC_INTERNAL void sac_log_line(const sac_log *log, sac_log_level level, const char *format, ...)
    SAC_PRINTF(3, 4);

#endif
