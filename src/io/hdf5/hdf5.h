/*
 * Reading and writing HDF5 with sizes checked before memory is asked for, and with our errors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_HDF5_H
#define SAC_IO_HDF5_H

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "io/recording/parts.h"

/* What the root's attribute `format` says. */
#define SAC_H5_RECORDING "saccade recording"
#define SAC_H5_IMAGE "saccade image"
#define SAC_H5_FRAMES "saccade frames"
#define SAC_H5_RECORDS "saccade records"

/* What the program does with HDF5's errors, in this thread: kept while ours are at work. */
typedef struct sac_h5_outside {
    unsigned version; /* of the two kinds of reports */
    H5E_auto2_t report;
    void *data;
    hid_t stack; /* errors that the program has not looked at yet */
#ifndef H5_NO_DEPRECATED_SYMBOLS
    H5E_auto1_t report_1;
#endif
} sac_h5_outside;

typedef struct sac_h5 {
    char name[SAC_IO_NAME];
    hid_t file;
    uint64_t bytes;            /* of the file, when read */
    hid_t links, groups, sets; /* how links are followed, groups and datasets opened */
    char reason[SAC_IO_NAME];  /* of HDF5's first failure; empty: none */
    bool lacks_memory;         /* a failure was that */
    sac_h5_outside outside;    /* while a call is at work */
} sac_h5;

/* Opens for reading; `name` is for errors. SAC_E_FORMAT with HDF5's reason. */
SAC_NODISCARD sac_status sac_h5_open(sac_h5 *h, const char *path, const char *name, uint64_t bytes,
                                     sac_error *err);

/* Where a file goes as it grows. HDF5 crashes the program at its end where a disk was full, so it
 * never hears of that. */
typedef struct sac_h5_sink {
    H5FD_t head;      /* HDF5's own */
    int fd, error;    /* errno of the first failure; 0: all went well. fd -1: nothing is written */
    haddr_t eoa, eof; /* ends of what HDF5 has given out, and of what is written */
} sac_h5_sink;

/* Begins a new file that is written to `fd`, a regular file's: what is too long for memory. The
 * sink must outlive it. */
SAC_NODISCARD sac_status sac_h5_create_at(sac_h5 *h, sac_h5_sink *sink, int fd, const char *name,
                                          sac_error *err);
/* Begins what `out` will be: a regular file is written as it grows, anything else built in memory,
 * which will hold a little more than data_bytes. The sink must outlive it. SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_h5_create(sac_h5 *h, sac_h5_sink *sink, const sac_out *out,
                                       size_t data_bytes, sac_error *err);
/* The file driver that does so, into the properties of a file. */
bool sac_h5_write_to(hid_t properties, sac_h5_sink *sink, int fd);

/* For a file that stays open between calls: what HDF5 reports goes to `h` from enter to leave,
 * which are in one thread, and then to the program again. Each way to open one enters, sac_h5_close
 * leaves. */
void sac_h5_enter(sac_h5 *h);
void sac_h5_leave(sac_h5 *h);

/* Closes it; what was built in memory goes to `out` if all went well. HDF5 itself writes to no
 * disk, so that full ones are met in one place. */
SAC_NODISCARD sac_status sac_h5_finish(sac_h5 *h, const sac_h5_sink *sink, bool ok, sac_out *out,
                                       sac_error *err);
/* The same of a file that sac_h5_create_at has begun. */
SAC_NODISCARD sac_status sac_h5_finish_at(sac_h5 *h, const sac_h5_sink *sink, bool ok,
                                          sac_error *err);

/* Closes a file with everything in it. False where what was left to write could not be. */
bool sac_h5_close(sac_h5 *h);

/* Closes a file that was read; of a file that could not be read for want of memory it says so
 * (SAC_E_NOMEM), whatever it looked like. */
SAC_NODISCARD sac_status sac_h5_end(sac_h5 *h, sac_status st, sac_error *err);

/* A failure of HDF5, with its own reason; where it has none, memory was refused (SAC_E_NOMEM). */
sac_status sac_h5_fail(const sac_h5 *h, sac_error *err, sac_status status, const char *what);

/* Whether the group has such a member, in this file: links to others are not followed. */
bool sac_h5_has(const sac_h5 *h, hid_t group, const char *name);

/* The root attribute `format` must be `want`. SAC_E_FORMAT, which says what is expected. */
SAC_NODISCARD sac_status sac_h5_check_format(const sac_h5 *h, const char *want, sac_error *err);

/* An attribute that is open. Where it cannot be, ids are negative, and n and kind no attribute's.
 */
typedef struct sac_h5_attribute {
    hid_t id, space, type;
    hssize_t n; /* values */
    H5T_class_t kind;
} sac_h5_attribute;

sac_h5_attribute sac_h5_attribute_open(hid_t object, const char *name);
void sac_h5_attribute_close(const sac_h5_attribute *attribute);

/* Attributes: one number, or text. One that is not there leaves *value alone, text empty. */
SAC_NODISCARD sac_status sac_h5_number(const sac_h5 *h, hid_t object, const char *name,
                                       double *value, sac_error *err);
SAC_NODISCARD sac_status sac_h5_text(const sac_h5 *h, hid_t object, const char *name, char *text,
                                     size_t size, sac_error *err);

/* Copies a string that may lack its zero; false where it has more than size - 1 bytes. */
bool sac_h5_copy_text(char *text, size_t size, const char *from, size_t length);

/* A dataset, and how much can be in it. */
typedef struct sac_h5_set {
    hid_t set;
    H5T_class_t type_class;
    size_t type_size;
    bool is_signed;
    int n_dims;
    uint64_t dims[H5S_MAX_RANK];
    uint64_t count;
    uint64_t max_count; /* elements that the file can hold of it, compressed as they may be */
    bool is_chunked, is_filtered;
    bool deflate, deflate_edges;    /* edges: also chunks that reach beyond the data */
    unsigned deflate_bit, sum_bits; /* filters as bits: deflate, those that add a checksum */
    unsigned sum_bits_before;       /* of these, the ones that deflate packs */
    uint64_t chunk[H5S_MAX_RANK];
    uint64_t chunk_bytes; /* at most 16 MB, or as large as all of the data */
} sac_h5_set;

/* Part of sac_h5_set_open: fills in what is said of chunks. SAC_E_FORMAT. */
SAC_NODISCARD sac_status sac_h5_chunks(sac_h5_set *set, hid_t properties, const sac_h5 *h,
                                       const char *where, const char *name, sac_error *err);

/* Asked before n[i] of each axis i, from first[i] on, are read (NULL: all): whether their chunks
 * are not too many, and no chunk becomes larger than it may be. SAC_E_FORMAT, SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_h5_sound(const sac_h5_set *set, const sac_h5 *h, const char *where,
                                      const char *name, const hsize_t *first, const hsize_t *n,
                                      sac_error *err);

/* `where` is the group's path, for errors: "/acquisition/elements/". SAC_E_FORMAT. */
SAC_NODISCARD sac_status sac_h5_set_open(sac_h5_set *set, const sac_h5 *h, hid_t group,
                                         const char *where, const char *name, sac_error *err);
void sac_h5_set_close(sac_h5_set *set);

/* The same of a dataset that is open, and stays the caller's. */
SAC_NODISCARD sac_status sac_h5_set_describe(sac_h5_set *set, const sac_h5 *h, hid_t open,
                                             const char *where, const char *name, sac_error *err);

/*
 * Reads the dataset of one field, (n) or (n, width), into n structs of `size` bytes at `base`. One
 * that is not there leaves them alone, or is SAC_E_FORMAT where it is needed. *n 0: takes it from
 * the file and reads nothing.
 */
SAC_NODISCARD sac_status sac_h5_fields(const sac_h5 *h, hid_t group, const char *where,
                                       const sac_field *fields, void *base, size_t size, uint64_t n,
                                       sac_error *err);

/* How long the first axis of a dataset is. SAC_E_FORMAT where it is not there. */
SAC_NODISCARD sac_status sac_h5_length(const sac_h5 *h, hid_t group, const char *where,
                                       const char *name, uint64_t *n, sac_error *err);

/* All of a dataset of numbers, which must have exactly these dims, as doubles. */
SAC_NODISCARD sac_status sac_h5_doubles(const sac_h5 *h, hid_t group, const char *where,
                                        const char *name, double *to, int n_dims,
                                        const uint64_t *dims, sac_error *err);

/* `kind` of every transmit: n strings of fixed or variable length, each at most 15 bytes. */
#define SAC_H5_WORD 16
SAC_NODISCARD sac_status sac_h5_words(const sac_h5 *h, hid_t group, const char *where,
                                      const char *name, char (*words)[SAC_H5_WORD], uint64_t n,
                                      sac_error *err);

/* The memory type of c64; to be closed by H5Tclose. Names of the parts as in the file's type, whose
 * two parts they must be; h5py's r and i where it is negative. Negative where it does not fit. */
hid_t sac_h5_complex(hid_t like);

/* Group /truth, where there is one: to be freed by sac_free. */
SAC_NODISCARD sac_status sac_h5_read_truth(const sac_h5 *h, sac_scatterer **truth, int64_t *n,
                                           sac_error *err);

/* Properties of an object that keeps no times: the same data gives the same bytes. */
hid_t sac_h5_timeless(hid_t kind);

/* Writing: false, or a negative id, where HDF5 refuses. The group is to be closed. */
hid_t sac_h5_put_group(hid_t at, const char *name);
bool sac_h5_put_number(hid_t object, const char *name, double value);
bool sac_h5_put_numbers(hid_t object, const char *name, int n_dims, const hsize_t *dims,
                        const double *values); /* n_dims 0: one */
bool sac_h5_put_text(hid_t object, const char *name, const char *text);
bool sac_h5_put_array(hid_t group, const char *name, const sac_array *array);
bool sac_h5_put(hid_t group, const char *name, hid_t file_type, hid_t memory_type, int n_dims,
                const hsize_t *dims, const void *data);
bool sac_h5_put_fields(hid_t group, const sac_field *fields, const void *base, size_t size,
                       uint64_t n);
bool sac_h5_put_truth(const sac_h5 *h, const sac_scatterer *truth, int64_t n);

#endif
