/*
 * Numbers as text, with points, whatever language the program has set.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_NUMBERS_H
#define SAC_BASE_NUMBERS_H

#include <locale.h>

#include "base/error.h"

typedef struct sac_numbers {
    locale_t plain, before;
} sac_numbers;

/* From here to sac_numbers_end this thread reads and prints numbers with points. SAC_E_NOMEM; then
 * there is no end to call. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_numbers_begin(sac_numbers *numbers, sac_error *err);
SAC_INTERNAL void sac_numbers_end(sac_numbers *numbers);

/* The double that begins `text`, as strtod reads it. *end is the text behind it, or `text` where
 * there is none. */
SAC_INTERNAL double sac_number_read(const char *text, const char **end);

#endif
