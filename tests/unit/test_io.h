/*
 * For the tests of readers and writers: a folder of their own, small files, pictures to compare.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_IO_H
#define SAC_TESTS_TEST_IO_H

#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <saccade/io.h>

static char test_folder[64]; /* empty while there is none */

/* Group set-up: a fresh folder, and the working directory in it. */
static inline int enter_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    char name[] = "saccade-test-XXXXXX";
    if (chdir(base ? base : "/tmp") != 0 || !mkdtemp(name) || chdir(name) != 0)
        return -1;
    snprintf(test_folder, sizeof test_folder, "%s", name);
    return 0;
}

/* How many entries the working directory has; removes them where asked. */
static inline int count_files(bool and_remove)
{
    assert_true(test_folder[0] != '\0'); /* nobody else's files */
    int n = 0;
    DIR *dir = opendir(".");
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        if (and_remove)
            assert_true(unlink(e->d_name) == 0 || rmdir(e->d_name) == 0);
    }
    closedir(dir);
    return n;
}

/* Test set-up and tear-down: an empty folder. */
static inline int empty_folder(void **state)
{
    (void)state;
    count_files(true);
    return 0;
}

static inline int leave_folder(void **state)
{
    if (test_folder[0] == '\0')
        return 0;
    empty_folder(state);
    return chdir("..") == 0 && rmdir(test_folder) == 0 ? 0 : -1;
}

static inline void put_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* The bytes of a file, for free(); *size says how many. */
static inline uint8_t *get_file(const char *path, size_t *size)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    *size = (size_t)st.st_size;
    uint8_t *data = malloc(*size + 1);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static inline size_t picture_bytes(const sac_picture *p)
{
    sac_array a = sac_picture_get_array(p);
    return (size_t)sac_array_count(&a) * sac_dtype_size(a.dtype);
}

/* A picture of random samples. */
static inline sac_picture *random_picture(sac_dtype dtype, int64_t w, int64_t h, int32_t channels)
{
    sac_picture *p = NULL;
    sac_error err;
    assert_ok(sac_picture_new(&p, dtype, w, h, channels, &err), &err);
    uint8_t *bytes = sac_picture_get_array(p).data;
    uint32_t x = 12345;
    for (size_t i = 0; i < picture_bytes(p); i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(x >> 24);
    }
    return p;
}

static inline void assert_same_picture(const sac_picture *got, const sac_picture *want)
{
    sac_array g = sac_picture_get_array(got);
    sac_array w = sac_picture_get_array(want);
    assert_int_equal(g.dtype, w.dtype);
    assert_int_equal(g.n_dims, w.n_dims);
    for (int32_t i = 0; i < w.n_dims; i++)
        assert_int_equal(g.shape[i], w.shape[i]);
    assert_true(sac_array_is_contiguous(&g));
    assert_memory_equal(g.data, w.data, picture_bytes(want));
}

#endif
