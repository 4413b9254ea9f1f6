/*
 * NPY: header and samples (NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays").
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define HEAD 10         /* bytes before the dictionary: magic, version, length */
#define MAX_HEADER 4096 /* bytes of a header's dictionary: a few axes take less than 200 */

static const struct {
    const char *descr;
    sac_dtype dtype;
} types[] = {
    {"|u1", SAC_U8},  {"|i1", SAC_I8},  {"<u2", SAC_U16},   {"<i2", SAC_I16}, {"<u4", SAC_U32},
    {"<i4", SAC_I32}, {"<u8", SAC_U64}, {"<i8", SAC_I64},   {"<f2", SAC_F16}, {"<f4", SAC_F32},
    {"<f8", SAC_F64}, {"<c8", SAC_C64}, {"<c16", SAC_C128},
};

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t\n");
}

/* What stands behind a key of the dictionary; NULL where it is not there. */
static const char *value_of(const char *dictionary, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *at = strstr(dictionary, quoted);
    if (!at)
        return NULL;
    at = skip_spaces(at + strlen(quoted));
    return *at == ':' ? skip_spaces(at + 1) : NULL;
}

static sac_dtype parse_type(const char *at)
{
    for (size_t i = 0; at && *at == '\'' && i < sizeof types / sizeof types[0]; i++) {
        size_t length = strlen(types[i].descr);
        if (strncmp(at + 1, types[i].descr, length) == 0 && at[1 + length] == '\'')
            return types[i].dtype;
    }
    return 0;
}

/* "(3, 4)", "(3,)", "()". */
static bool parse_shape(sac_npy *npy, const char *at)
{
    npy->n_dims = 0;
    if (!at || *at++ != '(')
        return false;
    for (at = skip_spaces(at); *at != ')'; at = skip_spaces(at)) {
        uint64_t size = 0;
        if (npy->n_dims == SAC_NPY_MAX_DIMS || *at < '0' || *at > '9')
            return false;
        for (; *at >= '0' && *at <= '9'; at++) {
            if (size > (INT64_MAX - 9) / 10)
                return false;
            size = size * 10 + (uint64_t)(*at - '0');
        }
        npy->dims[npy->n_dims++] = size;
        at = skip_spaces(at);
        if (*at == ',')
            at++;
        else if (*at != ')')
            return false;
    }
    return true;
}

static sac_status parse_dictionary(sac_npy *npy, const char *text, const sac_in *in, sac_error *err)
{
    const char *order = value_of(text, "fortran_order");
    const char *descr = value_of(text, "descr");
    npy->dtype = parse_type(descr);
    if (!order || !descr || !parse_shape(npy, value_of(text, "shape")))
        return sac_fail(err, SAC_E_FORMAT, "%s: is NPY with an invalid header", in->name);
    if (!npy->dtype)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: samples of type %.12s: expected little-endian "
                        "numbers",
                        in->name, descr);
    npy->fortran = strncmp(order, "True", 4) == 0;
    if (!npy->fortran && strncmp(order, "False", 5) != 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: fortran_order: expected True or False, got %.12s",
                        in->name, order);
    return SAC_OK;
}

sac_status sac_npy_read_header(sac_npy *npy, sac_in *in, sac_error *err)
{
    uint8_t head[12] = {0};
    char text[MAX_HEADER + 1];
    bool ok = sac_in_read(in, head, MAGIC_BYTES + 4) && memcmp(head, MAGIC, MAGIC_BYTES) == 0;
    uint32_t length = (uint32_t)head[8] | (uint32_t)head[9] << 8;
    if (ok && head[6] > 1) { /* versions 2 and 3 have four bytes of length */
        ok = head[6] <= 3 && sac_in_read(in, head + 10, 2);
        length |= (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
    }
    ok = ok && length <= MAX_HEADER && sac_in_read(in, text, length);
    if (!ok)
        return sac_fail(err, SAC_E_FORMAT, "%s: is not NPY, or truncated in its header", in->name);
    text[length] = '\0';
    return parse_dictionary(npy, text, in, err);
}

static const char *descr_of(sac_dtype dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].dtype == dtype)
            return types[i].descr;
    return "?";
}

sac_status sac_npy_write_header(sac_out *out, const sac_array *array, sac_error *err)
{
    return sac_npy_write_long_header(out, array, 0, err);
}

sac_status sac_npy_write_long_header(sac_out *out, const sac_array *array, size_t least,
                                     sac_error *err)
{
    char text[HEAD + 256] = MAGIC "\x01"; /* version 1.0; its length comes below */
    size_t n = HEAD;
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          descr_of(array->dtype));
    for (int32_t i = 0; i < array->n_dims; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%" PRId64 ",", array->shape[i]);
    n += (size_t)snprintf(text + n, sizeof text - n, ")}");
    while (++n % 64 || n < least) /* so that the samples are aligned */
        text[n - 1] = ' ';
    text[n - 1] = '\n';
    text[HEAD - 2] = (char)((n - HEAD) & 0xff);
    text[HEAD - 1] = (char)((n - HEAD) >> 8);
    return sac_out_write(out, text, n, err);
}

sac_status sac_npy_write(sac_out *out, const sac_array *array, sac_error *err)
{
    sac_status st = sac_npy_write_header(out, array, err);
    size_t bytes = (size_t)sac_array_count(array) * sac_dtype_size(array->dtype);
    return st == SAC_OK ? sac_out_write(out, array->data, bytes, err) : st;
}
