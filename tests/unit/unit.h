/*
 * cmocka with what it wants included first, and two words for sac_error.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_UNIT_H
#define SAC_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <saccade/base.h>

#include "skip.h"

/* A call failed with this status, and its text says `word`. */
static inline void assert_failed(sac_status came, sac_status wanted, const sac_error *err,
                                 const char *word)
{
    if (came != wanted || err->status != wanted || strstr(err->text, word) == NULL)
        fail_msg("expected %s naming '%s', got %s (%s): %s", sac_status_name(wanted), word,
                 sac_status_name(came), sac_status_name(err->status), err->text);
    assert_null(strchr(err->text, '\n'));
}

/* A call that was to succeed; else its text is in the report. */
static inline void assert_ok(sac_status came, const sac_error *err)
{
    if (came != SAC_OK)
        fail_msg("expected SAC_OK, got %s: %s", sac_status_name(came), err->text);
}

#endif
