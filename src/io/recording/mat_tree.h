/*
 * MAT v5 variables in memory, of which only some fields are wanted: libmatio takes 48 KB for each
 * array of a compressed struct, and Verasonics' workspaces have some hundred thousand.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_MAT_TREE_H
#define SAC_IO_RECORDING_MAT_TREE_H

#include <string.h>

#include "io/in.h"

#define SAC_MAT_DIMS 4 /* of one array, axes of 1 at the end not counted */

typedef enum sac_mat_kind {
    SAC_MAT_OTHER,
    SAC_MAT_CELL,
    SAC_MAT_STRUCT,
    SAC_MAT_TEXT,
    SAC_MAT_NUMBERS
} sac_mat_kind;

/* Types of elements, and classes of arrays. */
enum {
    MI_INT8 = 1,
    MI_UINT8,
    MI_INT16,
    MI_UINT16,
    MI_INT32,
    MI_UINT32,
    MI_SINGLE,
    MI_DOUBLE = 9,
    MI_INT64 = 12,
    MI_UINT64,
    MI_MATRIX,
    MI_COMPRESSED,
    MI_UTF8,
    MI_UTF16
};
enum { MX_CELL = 1, MX_STRUCT = 2, MX_CHAR = 4, MX_DOUBLE = 6, MX_UINT64 = 15 };

static inline uint32_t sac_mat_word(const uint8_t *at, bool swap)
{
    uint32_t x;
    memcpy(&x, at, sizeof x);
    return swap ? __builtin_bswap32(x) : x;
}

#define SAC_MAT_INT16 MI_INT16 /* the widest `type` whose numbers all fit int16 */

/* An array: a part of a variable's bytes. Of zeros: it is not there. */
typedef struct sac_mat_array {
    sac_mat_kind kind;
    bool swap, complex;
    int32_t type; /* of numbers and text, as the file stores them */
    uint64_t dims[SAC_MAT_DIMS], n;
    const uint8_t *data; /* numbers, or the arrays of cells and structs */
    uint64_t bytes;
    uint32_t name_bytes, n_fields; /* of a struct: its fields' names, and how long each is */
    const uint8_t *names;
    uint64_t *offsets; /* of a struct's or cell array's arrays, once indexed */
} sac_mat_array;

/* A variable and the memory that it lies in; indexed, where it is a struct or cell array. */
typedef struct sac_mat_variable {
    sac_mat_array array;
    uint8_t *bytes;
} sac_mat_variable;

/* Whether the file at `path`, MAT v5, has variables of all these names (the list ends with NULL).
 * Looks at the first bytes of each. */
bool sac_mat_has(const char *path, const char *const *names);

/* Reads the variable; one that is not there has the kind SAC_MAT_OTHER and no bytes. No more than
 * max_bytes are taken. SAC_E_FORMAT, SAC_E_NOMEM, SAC_E_IO; errors call the file `name`. */
SAC_NODISCARD sac_status sac_mat_load(sac_mat_variable *variable, const char *path,
                                      const char *name, const char *wanted, uint64_t max_bytes,
                                      sac_error *err);
void sac_mat_unload(sac_mat_variable *variable);

/* The same of the bytes of a matrix from `offset` on, behind its tag; they are the variable's from
 * then on. */
SAC_NODISCARD sac_status sac_mat_take(sac_mat_variable *variable, uint8_t *bytes, uint64_t offset,
                                      uint64_t size, bool swap, const char *name,
                                      const char *wanted, sac_error *err);

/* Whether the first bytes of a matrix are those of a variable with this name. */
bool sac_mat_is_named(const uint8_t *head, uint64_t n, bool swap, const char *name);

/* MAT v7.3, by libhdf5 (else false, SAC_E_UNSUPPORTED); under sac_io_lock. A variable as MAT v5 has
 * it, with a tag of SAC_MAT_TAG bytes, to be freed by sac_free; NULL where it is not there. */
#define SAC_MAT_TAG 8
bool sac_mat73_has(const char *path, uint64_t file_bytes, const char *const *names);
SAC_NODISCARD sac_status sac_mat73_bytes(uint8_t **bytes, uint64_t *size, const char *path,
                                         const char *name, uint64_t file_bytes, const char *wanted,
                                         uint64_t max_bytes, sac_error *err);

/* The numbers of one cell, from 0 on, of a cell array, or those of an array: integers that fit
 * int16. */
SAC_NODISCARD sac_status sac_mat73_samples(sac_mat_variable *variable, const char *path,
                                           const char *name, uint64_t file_bytes,
                                           const char *wanted, uint64_t cell, uint64_t max_bytes,
                                           sac_error *err);

/* Array i of a cell array or a field of struct i; one of zeros where there is none, or it is
 * damaged. Of `a`, which is not indexed, arrays are found one after the other. */
sac_mat_array sac_mat_cell(const sac_mat_array *a, uint64_t i);
sac_mat_array sac_mat_field(const sac_mat_array *a, uint64_t i, const char *name);

/* Number i; NaN where there is none. */
double sac_mat_at(const sac_mat_array *a, uint64_t i);

/* Text, without what does not fit. */
void sac_mat_text(char *text, size_t size, const sac_mat_array *a);

#endif
