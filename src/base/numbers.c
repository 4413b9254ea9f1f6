/*
 * Numbers with points: the C locale of a thread, for as long as it is needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/numbers.h"

#include <stdlib.h>

sac_status sac_numbers_begin(sac_numbers *numbers, sac_error *err)
{
    numbers->plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!numbers->plain)
        return sac_fail(err, SAC_E_NOMEM, "numbers: no memory for a locale");
    numbers->before = uselocale(numbers->plain);
    return SAC_OK;
}

void sac_numbers_end(sac_numbers *numbers)
{
    uselocale(numbers->before);
    freelocale(numbers->plain);
}

double sac_number_read(const char *text, const char **end)
{
    sac_numbers numbers;
    char *last = NULL;
    *end = text;
    if (sac_numbers_begin(&numbers, NULL) != SAC_OK)
        return 0;
    const double value = strtod(text, &last);
    sac_numbers_end(&numbers);
    *end = last;
    return value;
}
