/*
 * Fields of structs: numbers and text from them, and into new ones.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fields.h"

#include <string.h>

int32_t mat_field_choice(const mxArray *value, const char *name, const char *const *choices)
{
    const char *text = mat_text(value, name);
    int32_t i = 0;
    while (choices[i] && strcmp(choices[i], text) != 0)
        i++;
    if (!choices[i])
        mat_fail(SAC_E_INVALID, "%s: expected `%s` or the like, got `%s`", name, choices[0], text);
    return i;
}

const mxArray *mat_field(const mxArray *value, size_t i, const char *name)
{
    const mxArray *f = mxGetField(value, (mwIndex)i, name);
    return f && !mxIsEmpty(f) ? f : NULL;
}

double mat_field_number(const mxArray *value, size_t i, const char *name, double otherwise)
{
    const mxArray *f = mat_field(value, i, name);
    return f ? mat_number(f, name) : otherwise;
}

const double *mat_field_numbers(const mxArray *value, size_t i, const char *name, size_t n)
{
    const mxArray *f = mat_field(value, i, name);
    if (!f)
        return NULL;
    if (!mxIsDouble(f) || mxIsComplex(f) || mxIsSparse(f) || mxGetNumberOfElements(f) != n)
        mat_fail(SAC_E_INVALID,
                 "%s: expected %zu real numbers of class double, got %zu of class %s", name, n,
                 mxGetNumberOfElements(f), mxGetClassName(f));
    return mxGetData(f);
}

void mat_doubt_fields(const mxArray *value, const char *what, const char *const *known)
{
    for (int i = 0; i < mxGetNumberOfFields(value); i++) {
        const char *name = mxGetFieldNameByNumber(value, i);
        int k = 0;
        while (known[k] && strcmp(known[k], name) != 0)
            k++;
        if (!known[k])
            mexWarnMsgIdAndTxt("saccade:field", "%s.%s is not used: see help saccade_beamform",
                               what, name);
    }
}

double *mat_put_numbers(mxArray *to, size_t i, const char *name, int64_t rows, int64_t columns)
{
    mxArray *value = mat_new(SAC_F64, 2, (const int64_t[]){rows, columns});
    mxSetField(to, (mwIndex)i, name, value);
    return mxGetData(value);
}

void mat_put_number(mxArray *to, size_t i, const char *name, double number)
{
    mxSetField(to, (mwIndex)i, name, mxCreateDoubleScalar(number));
}
